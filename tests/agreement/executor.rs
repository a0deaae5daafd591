//! Executes control-flow graphs on explicit states. Values that nobody has read yet are open, as in the interpreter.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use fpsolve::model::interpret::Values;
use fpsolve::model::program::cfg::{Action, AssignedValue, Cfg, Edge, Loc, PlaceInText, Role};
use fpsolve::model::program::{Expr, Op, ProcedureId, Var};

type Call = Option<usize>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    flow: ProcedureId,
    at: Loc,
    locals: Values,
    /// The edge of the caller that made the call.
    call: Call,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    shared: Values,
    threads: Vec<Option<(Vec<Frame>, Values)>>,
    running: usize,
    round: usize,
    free: bool,
}

pub struct Executor<'a> {
    cfg: &'a Cfg,
    copies: usize,
    rounds: Option<usize>,
}

impl<'a> Executor<'a> {
    pub fn new(cfg: &'a Cfg, copies: usize, rounds: Option<usize>) -> Executor<'a> {
        let copies = if cfg.replicated.is_empty() { 0 } else { copies };
        Executor { cfg, copies, rounds }
    }

    fn frame(&self, flow: ProcedureId, at: Loc, call: Call) -> Frame {
        Frame { flow, at, locals: Values::open(self.cfg.flow(flow).locals.len()), call }
    }

    fn thread(&self, role: &Role) -> Option<(Vec<Frame>, Values)> {
        Some((vec![self.frame(role.flow, role.start, None)], Values::initial(&self.cfg.own)))
    }

    fn initial(&self) -> State {
        let init = self
            .cfg
            .init
            .map(|id| (vec![self.frame(id, self.cfg.flow(id).entry, None)], Values::initial(&self.cfg.own)));
        let mut threads = vec![init];
        threads.extend(self.cfg.singles.iter().map(|role| self.thread(role)));
        threads.extend((0..self.copies).map(|_| None));
        State { shared: Values::initial(&self.cfg.shared), threads, running: 1, round: 1, free: false }
    }

    /// All targets within the limits, or nothing if they were hit.
    pub fn targets(&self, states: usize, stack: usize) -> Option<BTreeSet<(u32, u32)>> {
        let mut found = BTreeSet::new();
        let mut seen = FxHashSet::default();
        let mut work = self.settle(self.initial());
        while let Some(state) = work.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if seen.len() > states || state.threads.iter().flatten().any(|(frames, _)| frames.len() > stack) {
                return None;
            }
            let begun = if self.initializing(&state) { 0..1 } else { 1..state.threads.len() };
            for (frames, _) in state.threads[begun].iter().flatten() {
                let Some(top) = frames.last() else { continue };
                let location = &self.cfg.flow(top.flow).locations[top.at.index()];
                if location.target.is_some() {
                    found.insert((location.span.start, location.span.end));
                }
            }
            work.extend(self.successors(&state).into_iter().flat_map(|state| self.settle(state)));
        }
        Some(found)
    }

    fn settle(&self, state: State) -> Vec<State> {
        let shared: Vec<Var> =
            self.cfg.yield_unless.iter().copied().filter(|v| matches!(v, Var::Shared(_))).collect();
        choose(state, 0, &shared)
    }

    fn initializing(&self, state: &State) -> bool {
        state.threads[0].as_ref().is_some_and(|(frames, _)| !frames.is_empty())
    }

    fn yields(&self, state: &State, thread: usize) -> bool {
        let own_flag = |var: &Var| read(state, thread, *var) == Some(true);
        let held = self.cfg.yield_unless.iter().any(own_flag);
        let frames = state.threads[thread].as_ref().and_then(|(frames, _)| frames.last());
        let location = frames.map(|top| &self.cfg.flow(top.flow).locations[top.at.index()]);
        location.is_some_and(|location| location.place == PlaceInText::Handover)
            || !held && location.is_none_or(|location| !location.atomic)
    }

    fn successors(&self, state: &State) -> Vec<State> {
        if self.initializing(state) {
            return self.steps(state, 0);
        }
        if state.threads.len() == 1 {
            return Vec::new();
        }
        let running = state.running;
        let mut next = self.steps(state, running);
        if !self.yields(state, running) {
            return next;
        }
        match self.rounds {
            None => {
                for thread in (1..state.threads.len()).filter(|thread| *thread != running) {
                    next.push(State { running: thread, ..state.clone() });
                }
            }
            Some(rounds) => {
                let last = running + 1 == state.threads.len();
                let (running, round) = if last { (1, state.round + 1) } else { (running + 1, state.round) };
                if round <= rounds {
                    next.push(State { running, round, ..state.clone() });
                }
            }
        }
        next
    }

    fn steps(&self, state: &State, thread: usize) -> Vec<State> {
        let Some((frames, _)) = &state.threads[thread] else {
            let born = self.cfg.replicated.iter().map(|role| {
                let mut state = state.clone();
                state.threads[thread] = self.thread(role);
                state
            });
            return if thread == 0 { Vec::new() } else { born.collect() };
        };
        let Some(top) = frames.last() else { return Vec::new() };
        let flow = self.cfg.flow(top.flow);
        let held = self.cfg.hold.is_some_and(|hold| read(state, thread, hold) == Some(true));
        if top.at == flow.exit {
            let left = (!held).then(|| self.leave(state.clone(), thread));
            return left.into_iter().collect();
        }
        let edges = flow.edges.iter().enumerate().filter(|(_, edge)| edge.from == top.at);
        edges.flat_map(|(index, edge)| self.follow(state, thread, index, edge)).collect()
    }

    fn follow(&self, state: &State, thread: usize, index: usize, edge: &Edge) -> Vec<State> {
        let mut reads: Vec<Var> = edge.guard.variables().collect();
        match &edge.action {
            Action::Assign { values, constraint } => {
                for (_, value) in values {
                    if let AssignedValue::Is(value) = value {
                        reads.extend(value.variables());
                    }
                }
                reads.extend(constraint.iter().flat_map(Expr::variables));
            }
            Action::Call { arguments, .. } => reads.extend(arguments.iter().flat_map(Expr::variables)),
            Action::Create(_) => unreachable!("the handshake leaves none of them"),
        }
        let mut next = Vec::new();
        for old in choose(state.clone(), thread, &reads) {
            let value = |e: &Expr, new: &State| eval(e, |v| read(&old, thread, v), |v| read(new, thread, v));
            if !value(&edge.guard, &old).1 {
                continue;
            }
            let certain = |(no, yes): (bool, bool)| (no != yes).then_some(yes);
            let mut new = old.clone();
            match &edge.action {
                Action::Assign { values, constraint } => {
                    // A later value for the same variable would be a mistake of the builder, except for the handshake.
                    for (var, assigned) in values {
                        let assigned = match assigned {
                            AssignedValue::Is(e) => certain(value(e, &old)),
                            AssignedValue::Any => None,
                        };
                        write(&mut new, thread, *var, assigned);
                    }
                    top(&mut new, thread).at = edge.to;
                    match constraint {
                        None => next.push(new),
                        Some(constraint) => {
                            let reads: Vec<Var> = constraint.variables().collect();
                            let kept = choose(new, thread, &reads).into_iter();
                            next.extend(kept.filter(|new| value(constraint, new).1));
                        }
                    }
                }
                Action::Call { callee, arguments, .. } => {
                    let mut frame = self.frame(*callee, self.cfg.flow(*callee).entry, Some(index));
                    for (slot, argument) in arguments.iter().enumerate() {
                        frame.locals.set(slot, certain(value(argument, &old)));
                    }
                    new.threads[thread].as_mut().expect("it runs").0.push(frame);
                    next.push(new);
                }
                Action::Create(_) => unreachable!("the handshake leaves none of them"),
            }
        }
        next
    }

    fn leave(&self, mut state: State, thread: usize) -> State {
        let frame = state.threads[thread].as_mut().expect("it runs").0.pop().expect("a frame");
        let Some(index) = frame.call else { return state };
        let caller = top(&mut state, thread).flow;
        let edge = &self.cfg.flow(caller).edges[index];
        let Action::Call { targets, .. } = &edge.action else { panic!("a call edge") };
        for (target, result) in targets.iter().zip(&self.cfg.flow(frame.flow).results) {
            let Var::Local(result) = result else { panic!("results are locals") };
            if let Some(target) = target {
                write(&mut state, thread, *target, frame.locals.get(*result as usize));
            }
        }
        top(&mut state, thread).at = edge.to;
        state
    }
}

fn top(state: &mut State, thread: usize) -> &mut Frame {
    state.threads[thread].as_mut().expect("it runs").0.last_mut().expect("a frame")
}

fn read(state: &State, thread: usize, var: Var) -> Option<bool> {
    let (frames, own) = match (var, &state.threads[thread]) {
        (Var::Shared(index), _) => return state.shared.get(index as usize),
        (_, Some(thread)) => thread,
        _ => return None,
    };
    match var {
        Var::Local(index) => frames.last().and_then(|top| top.locals.get(index as usize)),
        Var::Own(index) | Var::Shared(index) => own.get(index as usize),
    }
}

fn write(state: &mut State, thread: usize, var: Var, value: Option<bool>) {
    match var {
        Var::Shared(index) => state.shared.set(index as usize, value),
        Var::Own(index) => state.threads[thread].as_mut().expect("it runs").1.set(index as usize, value),
        Var::Local(index) => top(state, thread).locals.set(index as usize, value),
    }
}

fn choose(state: State, thread: usize, variables: &[Var]) -> Vec<State> {
    let mut states = vec![state];
    for var in variables {
        if read(&states[0], thread, *var).is_none() {
            let mut others = states.clone();
            states.iter_mut().for_each(|state| write(state, thread, *var, Some(false)));
            others.iter_mut().for_each(|state| write(state, thread, *var, Some(true)));
            states.append(&mut others);
        }
    }
    states
}

/// Whether an expression can be false, and whether it can be true.
fn eval(
    expression: &Expr,
    old: impl Fn(Var) -> Option<bool>,
    new: impl Fn(Var) -> Option<bool>,
) -> (bool, bool) {
    let known = |value: Option<bool>| value.map(|value| (!value, value)).expect("it was chosen");
    let mut stack: Vec<(bool, bool)> = Vec::new();
    for op in &expression.code {
        let result = match op {
            Op::Constant(value) => (!value, *value),
            Op::Nondet => (true, true),
            Op::Old(var) => known(old(*var)),
            Op::New(var) => known(new(*var)),
            Op::Not => {
                let (no, yes) = stack.pop().expect("an operand");
                (yes, no)
            }
            op => {
                let ((no2, yes2), (no1, yes1)) = (stack.pop().expect("two"), stack.pop().expect("operands"));
                match op {
                    Op::And => (no1 || no2, yes1 && yes2),
                    Op::Or => (no1 && no2, yes1 || yes2),
                    Op::Implies => (yes1 && no2, no1 || yes2),
                    Op::Equal => (no1 && yes2 || yes1 && no2, no1 && no2 || yes1 && yes2),
                    Op::Schoose => (no1, yes1 || no2),
                    _ => (no1 && no2 || yes1 && yes2, no1 && yes2 || yes1 && no2),
                }
            }
        };
        stack.push(result);
    }
    stack.pop().expect("a value")
}
