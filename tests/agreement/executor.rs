//! Executes control-flow graphs on explicit states. Values that nobody has read yet are open, as in the interpreter.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use fpsolve::model::interpret::Values;
use fpsolve::model::program::cfg::{Action, AssignedValue, Cfg, Edge, Loc, PlaceInText, Role};
use fpsolve::model::program::{Domain, Expr, Op, ProcedureId, Var};

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
        self.choose(state, 0, &shared)
    }

    /// The values of a variable that the top frame of a thread sees.
    fn domain(&self, state: &State, thread: usize, var: Var) -> &Domain {
        let top = state.threads[thread].as_ref().and_then(|(frames, _)| frames.last());
        self.cfg.domain(top.map_or(ProcedureId(0), |top| top.flow), var)
    }

    fn choose(&self, state: State, thread: usize, variables: &[Var]) -> Vec<State> {
        let mut states = vec![state];
        for var in variables {
            if read(&states[0], thread, *var).is_none() {
                let values = self.domain(&states[0], thread, *var).values();
                let with = |value| {
                    let mut chosen = states.clone();
                    chosen.iter_mut().for_each(|state| write(state, thread, *var, Some(value)));
                    chosen
                };
                states = values.flat_map(with).collect();
            }
        }
        states
    }

    fn initializing(&self, state: &State) -> bool {
        state.threads[0].as_ref().is_some_and(|(frames, _)| !frames.is_empty())
    }

    fn yields(&self, state: &State, thread: usize) -> bool {
        let own_flag = |var: &Var| read(state, thread, *var) == Some(1);
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
        let held = self.cfg.hold.is_some_and(|hold| read(state, thread, hold) == Some(1));
        if top.at == flow.exit {
            return if held { Vec::new() } else { self.leave(state, thread) };
        }
        let edges = flow.edges.iter().enumerate().filter(|(_, edge)| edge.from == top.at);
        edges.flat_map(|(index, edge)| self.follow(state, thread, index, edge)).collect()
    }

    fn follow(&self, state: &State, thread: usize, index: usize, edge: &Edge) -> Vec<State> {
        let mut reads: Vec<Var> = edge.guard.variables().collect();
        match &edge.action {
            Action::Assign { values, constraint, others } => {
                assert!(others.is_none(), "no random program changes variables of other threads");
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
        for old in self.choose(state.clone(), thread, &reads) {
            let domain = |var| self.domain(&old, thread, var);
            let value =
                |e: &Expr, new: &State| eval(e, domain, |v| read(&old, thread, v), |v| read(new, thread, v));
            if !value(&edge.guard, &old).can_be(1) {
                continue;
            }
            let mut new = old.clone();
            match &edge.action {
                Action::Assign { values, constraint, .. } => {
                    // A later value for the same variable would be a mistake of the builder, except for the handshake.
                    for (var, assigned) in values {
                        let assigned = match assigned {
                            AssignedValue::Is(e) => value(e, &old).taken_by(domain(*var)),
                            AssignedValue::Any => None,
                        };
                        write(&mut new, thread, *var, assigned);
                    }
                    top(&mut new, thread).at = edge.to;
                    match constraint {
                        None => next.push(new),
                        Some(constraint) => {
                            let reads: Vec<Var> = constraint.variables().collect();
                            let kept = self.choose(new, thread, &reads).into_iter();
                            next.extend(kept.filter(|new| value(constraint, new).can_be(1)));
                        }
                    }
                }
                Action::Call { callee, arguments, .. } => {
                    let mut frame = self.frame(*callee, self.cfg.flow(*callee).entry, Some(index));
                    for (slot, argument) in arguments.iter().enumerate() {
                        let parameter = self.cfg.domain(*callee, Var::Local(slot as u32));
                        frame.locals.set(slot, value(argument, &old).taken_by(parameter));
                    }
                    new.threads[thread].as_mut().expect("it runs").0.push(frame);
                    next.push(new);
                }
                Action::Create(_) => unreachable!("the handshake leaves none of them"),
            }
        }
        next
    }

    fn leave(&self, state: &State, thread: usize) -> Vec<State> {
        let frames = &state.threads[thread].as_ref().expect("it runs").0;
        let left = frames.last().expect("a frame");
        let Some(index) = left.call else {
            let mut state = state.clone();
            state.threads[thread].as_mut().expect("it runs").0.pop();
            return vec![state];
        };
        let (callee, caller) = (left.flow, frames[frames.len() - 2].flow);
        let edge = &self.cfg.flow(caller).edges[index];
        let Action::Call { targets, .. } = &edge.action else { panic!("a call edge") };
        // A result that nobody has looked at has the values of its own domain.
        let results = self.cfg.flow(callee).results.iter().copied().zip(targets);
        let narrow = results.clone().filter(|(result, target)| {
            target.is_some_and(|target| self.cfg.domain(caller, target) != self.cfg.domain(callee, *result))
        });
        let narrow = narrow.map(|(result, _)| result).collect::<Vec<_>>();
        let mut returned = self.choose(state.clone(), thread, &narrow);
        for state in &mut returned {
            let frame = state.threads[thread].as_mut().expect("it runs").0.pop().expect("a frame");
            for (result, target) in results.clone() {
                let Var::Local(result) = result else { panic!("results are locals") };
                if let Some(target) = target {
                    let value = frame.locals.get(result as usize).map(Meaning::Number);
                    let value = value.and_then(|value| value.taken_by(self.cfg.domain(caller, *target)));
                    write(state, thread, *target, value);
                }
            }
            top(state, thread).at = edge.to;
        }
        returned
    }
}

fn top(state: &mut State, thread: usize) -> &mut Frame {
    state.threads[thread].as_mut().expect("it runs").0.last_mut().expect("a frame")
}

fn read(state: &State, thread: usize, var: Var) -> Option<i64> {
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

fn write(state: &mut State, thread: usize, var: Var, value: Option<i64>) {
    match var {
        Var::Shared(index) => state.shared.set(index as usize, value),
        Var::Own(index) => state.threads[thread].as_mut().expect("it runs").1.set(index as usize, value),
        Var::Local(index) => top(state, thread).locals.set(index as usize, value),
    }
}

/// What an expression can be: some truth values, or a number.
#[derive(Clone, Copy)]
enum Meaning {
    Truth { no: bool, yes: bool },
    Number(i64),
}

impl Meaning {
    fn can_be(self, value: i64) -> bool {
        match self {
            Meaning::Truth { no, yes } => {
                if value == 0 {
                    no
                } else {
                    yes
                }
            }
            Meaning::Number(is) => is == value,
        }
    }

    /// What a variable has afterwards; nothing if it is open. Guards keep numbers inside of ranges that do not wrap.
    fn taken_by(self, domain: &Domain) -> Option<i64> {
        match self {
            Meaning::Truth { no, yes } => (no != yes).then_some(i64::from(yes)),
            Meaning::Number(value) => {
                let (low, count) = (domain.low(), domain.high() - domain.low() + 1);
                let wrapped = low + (value - low).rem_euclid(count);
                assert!(wrapped == value || matches!(domain, Domain::Range { wraps: true, .. }), "{value}");
                Some(wrapped)
            }
        }
    }
}

fn eval<'d>(
    expression: &Expr,
    domain: impl Fn(Var) -> &'d Domain,
    old: impl Fn(Var) -> Option<i64>,
    new: impl Fn(Var) -> Option<i64>,
) -> Meaning {
    use Meaning::{Number, Truth};
    let truth = |value: bool| Truth { no: !value, yes: value };
    let known = |var: Var, value: Option<i64>| {
        let value = value.expect("it was chosen");
        if *domain(var) == Domain::Bool { truth(value == 1) } else { Number(value) }
    };
    let mut stack: Vec<Meaning> = Vec::new();
    for op in &expression.code {
        let result = match op {
            Op::Constant(value) => truth(*value),
            Op::Number(value) => Number(*value),
            Op::Nondet => Truth { no: true, yes: true },
            Op::Old(var) => known(*var, old(*var)),
            Op::New(var) => known(*var, new(*var)),
            Op::Not | Op::Negate => match stack.pop().expect("an operand") {
                Truth { no, yes } => Truth { no: yes, yes: no },
                Number(value) => Number(-value),
            },
            op => match (stack.pop().expect("two"), stack.pop().expect("operands")) {
                (Truth { no: no2, yes: yes2 }, Truth { no: no1, yes: yes1 }) => {
                    let (no, yes) = match op {
                        Op::And => (no1 || no2, yes1 && yes2),
                        Op::Or => (no1 && no2, yes1 || yes2),
                        Op::Implies => (yes1 && no2, no1 || yes2),
                        Op::Equal => (no1 && yes2 || yes1 && no2, no1 && no2 || yes1 && yes2),
                        Op::Schoose => (no1, yes1 || no2),
                        _ => (no1 && no2 || yes1 && yes2, no1 && yes2 || yes1 && no2),
                    };
                    Truth { no, yes }
                }
                (Number(right), Number(left)) => match op {
                    Op::Plus => Number(left + right),
                    Op::Minus => Number(left - right),
                    Op::Times => Number(left * right),
                    Op::Modulo => Number(((left % right) + right) % right),
                    Op::Less => truth(left < right),
                    Op::AtMost => truth(left <= right),
                    Op::Greater => truth(left > right),
                    Op::AtLeast => truth(left >= right),
                    Op::Equal => truth(left == right),
                    Op::Differ => truth(left != right),
                    op => panic!("{op:?} of numbers"),
                },
                _ => panic!("{op:?} of a number and a truth value"),
            },
        };
        stack.push(result);
    }
    stack.pop().expect("a value")
}
