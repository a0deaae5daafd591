//! Moves executed by the explicit interpreter.
//!
//! The interpreter knows nothing of the solver's states: it executes the program's text. A move says which thread goes
//! on, to which place, and what the variables are there; the interpreter has to be able to go there in one step, and to
//! have these values. The graph has some places that the text has not, so that a move may be no step at all.

use super::moves::Moves;
use super::trace::{Trace, TraceError, TraceStep, TraceThread};
use crate::model::Model;
use crate::model::interpret::{Change, Creation, Frame, Machine, Pc, State, Status, Step};
use crate::model::program::cfg::{Place, Target};
use crate::model::program::resolve::program::{ProcedureId, Var};
use crate::model::program::{Program, Start};
use calculus::sort::Value;
use calculus::span::Span;
use std::collections::HashSet;

/// States that the moves leave open at the same time; values that nobody reads make few of them.
const MOST: usize = 256;

/// A move that the interpreter cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Counted from 1.
    pub number: usize,
    pub what: String,
}

/// One state of the interpreter on the way, and how it came there.
struct Visit {
    state: State,
    /// The visit before.
    from: Option<usize>,
    /// The step of the program that led here, before the move filled in what it left open.
    step: Option<Step>,
    round: Option<i64>,
}

struct Replay<'a> {
    model: &'a Model,
    machine: Machine<'a>,
    visits: Vec<Visit>,
    /// The visits that can be the present one.
    now: Vec<usize>,
}

/// Executes the moves and writes the run down.
pub fn replay(model: &Model, moves: &Moves) -> Result<Trace, Mismatch> {
    let singles = model.program.singles.len();
    let copies = moves.parts.iter().filter(|part| part.position as usize > singles).count();
    let machine = Machine::new(&model.program, copies, Creation::Handshake);
    // The interpreter's number of each part: `init`, singles, then copies in the order in which they started.
    let mut next_copy = singles;
    let threads = moves.parts.iter().map(|part| match part.position as usize {
        position if position <= singles => position,
        _ => {
            next_copy += 1;
            next_copy
        }
    });
    let threads = threads.collect::<Vec<_>>();
    let first = |state| Visit { state, from: None, step: None, round: None };
    let mut visits = machine.initial().into_iter().map(first).collect::<Vec<_>>();
    // What nobody has looked at yet is what the first move says.
    if let Some(made) = moves.moves.first() {
        for visit in &mut visits {
            for index in 0..model.program.shared.len() {
                let said = made.before[usize::from(model.layout.shared(index as u32))];
                let value = visit.state.shared.get(index).unwrap_or(said);
                visit.state.shared.set(index, Some(value));
            }
        }
    }
    let mut this = Replay { model, machine, now: (0..visits.len()).collect(), visits };
    let mut before = None;
    for (number, made) in moves.moves.iter().enumerate() {
        let thread = threads[made.part];
        let mismatch = |what: &str| Mismatch { number: number + 1, what: what.into() };
        if before.is_some_and(|before| before != thread && before != 0) && !this.switch(before.unwrap_or(0)) {
            return Err(mismatch("another thread moves inside an atomic section"));
        }
        if thread != 0 {
            this.finish_init();
        }
        let Some(target) = Destination::new(model, &made.state, &made.shared) else {
            return Err(mismatch("the state has no meaning in the program"));
        };
        this.advance(thread, made.round, |state| target.reach(state, thread));
        if this.now.is_empty() {
            return Err(mismatch(&format!("no step leads to {}", target.name)));
        }
        before = Some(thread);
    }
    if moves.parts.iter().any(|part| part.position != 0) {
        this.finish_init();
    }
    this.end(&threads)
}

impl Replay<'_> {
    /// Whether another thread may go on; drops the states in which it may not.
    fn switch(&mut self, thread: usize) -> bool {
        let (machine, visits) = (&self.machine, &self.visits);
        self.now.retain(|at| machine.yields(&visits[*at].state, thread));
        !self.now.is_empty()
    }

    /// `init` leaves its procedure; the graph has no move for that.
    fn finish_init(&mut self) {
        let at_end = |state: &State| {
            let top = state.threads[0].frames.last();
            state.initializing() && top.is_none_or(|top| top.pc == Pc::Exit)
        };
        if self.now.iter().any(|at| at_end(&self.visits[*at].state)) {
            self.advance(0, None, |state| (!state.initializing()).then(|| state.clone()));
        }
    }

    /// One step of a thread, or none, to a state that `reach` accepts and completes.
    fn advance(&mut self, thread: usize, round: Option<i64>, reach: impl Fn(&State) -> Option<State>) {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for at in std::mem::take(&mut self.now) {
            let state = self.visits[at].state.clone();
            let mut offer =
                |visits: &mut Vec<Visit>, from: usize, reached: Option<State>, step: Option<Step>| {
                    let Some(state) = reached.filter(|state| next.len() < MOST && seen.insert(state.clone()))
                    else {
                        return;
                    };
                    next.push(visits.len());
                    visits.push(Visit { state, from: Some(from), step, round });
                };
            // A copy that is not born yet is born first; being woken is a step of its own.
            let mut from = vec![(at, state.clone())];
            if state.threads[thread].status == Status::Unborn {
                for born in self.machine.steps(&state, thread) {
                    let woken = self.model.program.replicated.iter().all(|t| t.start != Start::Entry)
                        || born.state.request != state.request;
                    if woken {
                        offer(&mut self.visits, at, reach(&born.state), Some(born));
                        continue;
                    }
                    self.visits.push(Visit { state: born.state.clone(), from: Some(at), step: None, round });
                    from.push((self.visits.len() - 1, born.state));
                }
            }
            for (at, state) in from {
                for step in self.machine.steps(&state, thread) {
                    offer(&mut self.visits, at, reach(&step.state), Some(step));
                }
                offer(&mut self.visits, at, reach(&state), None);
            }
        }
        self.now = next;
    }

    /// The run that ends at a target.
    fn end(mut self, threads: &[usize]) -> Result<Trace, Mismatch> {
        let target = |this: &Self, at: usize| {
            let state = &this.visits[at].state;
            let begun = if state.initializing() { 0..1 } else { 1..state.threads.len() };
            begun.into_iter().find_map(|thread| Some((thread, this.machine.target(state, thread)?)))
        };
        let mut found = self.now.iter().find_map(|&at| Some((at, target(&self, at)?)));
        if found.is_none() {
            // A copy that stands at a target from the beginning has not moved yet.
            for thread in threads.iter().copied().filter(|thread| *thread > self.model.program.singles.len())
            {
                let visits = self.now.clone();
                for at in visits {
                    for born in self.machine.steps(&self.visits[at].state, thread) {
                        self.visits.push(Visit {
                            state: born.state,
                            from: Some(at),
                            step: None,
                            round: None,
                        });
                        let last = self.visits.len() - 1;
                        found = found.or_else(|| Some((last, target(&self, last)?)));
                    }
                }
            }
        }
        let Some((at, (thread, span))) = found else {
            return Err(Mismatch {
                number: self.visits.len(),
                what: "the run ends, and at no target".into(),
            });
        };
        Ok(self.trace(at, thread, span))
    }

    fn trace(&self, last: usize, thread: usize, span: Span) -> Trace {
        let program = &self.model.program;
        let mut path = vec![last];
        while let Some(from) = self.visits[path[path.len() - 1]].from {
            path.push(from);
        }
        path.reverse();
        let mut names: Vec<usize> = Vec::new();
        let mut steps = Vec::new();
        let last_state = &self.visits[last].state;
        for pair in path.windows(2) {
            let (before, visit) = (&self.visits[pair[0]].state, &self.visits[pair[1]]);
            let Some(step) = &visit.step else { continue };
            let (mover, span) = (step.thread, step.span);
            let number = numbered(&mut names, mover);
            let (old, new) = (&before.threads[mover], &visit.state.threads[mover]);
            let frames = if old.frames.is_empty() { &new.frames } else { &old.frames };
            let Some(top) = frames.last() else { continue };
            let end = top.pc == Pc::Exit;
            steps.push(TraceStep {
                thread: number,
                round: visit.round,
                procedure: program.procedure(top.procedure).name.clone(),
                depth: frames.len() - 1,
                line: line(program, top, span),
                text: if end { "end".into() } else { statement(&program.source.excerpt(span)) },
                changes: self.changes(before, step, &visit.state),
            });
        }
        let number = numbered(&mut names, thread);
        let procedure = last_state.threads[thread].frames.last().map(|top| top.procedure);
        let error = TraceError {
            thread: number,
            procedure: procedure.map_or_else(String::new, |id| program.procedure(id).name.clone()),
            line: program.source.line(span),
            text: program.source.line_text(span).to_string(),
        };
        let first = &self.visits[path[0]].state.shared;
        let names_and_values = program.shared.iter().enumerate();
        let begin = names_and_values.map(|(at, variable)| (variable.name.clone(), first.get(at))).collect();
        let threads =
            names.iter().map(|&mover| TraceThread { name: self.name(mover, &path), position: mover });
        let mut threads = threads.collect::<Vec<_>>();
        tell_apart(&mut threads);
        Trace { threads, begin, steps, error }
    }

    /// What a step changed. What it left open is what the move says.
    fn changes(&self, before: &State, step: &Step, after: &State) -> Vec<Change> {
        if step.state.threads[step.thread].status == Status::Ended {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for (var, change) in self.machine.changed(before, step) {
            let value = after.read(step.thread, var);
            if value != before.read(step.thread, var) {
                changes.push(Change { value, ..change });
            }
        }
        changes
    }

    /// What a thread is called in the program.
    fn name(&self, thread: usize, path: &[usize]) -> String {
        let program = &self.model.program;
        let singles = program.singles.len();
        if thread == 0 {
            return "init".into();
        }
        if thread <= singles {
            let name = &program.singles[thread - 1].name;
            return name.clone();
        }
        // The procedure at the bottom of its stack tells which template it is.
        let bottom = path.iter().find_map(|at| {
            let frames = &self.visits[*at].state.threads[thread].frames;
            frames.first().map(|frame| frame.procedure)
        });
        let template = bottom.and_then(|id| program.replicated.iter().find(|t| t.procedure == id));
        template.map_or_else(|| "copy".into(), |template| template.name.clone())
    }
}

/// Tells copies with the same name apart: `driver 1`, `driver 2`.
fn tell_apart(threads: &mut [TraceThread]) {
    let names = threads.iter().map(|thread| thread.name.clone()).collect::<Vec<_>>();
    for (at, thread) in threads.iter_mut().enumerate() {
        let same = |others: &[String]| others.iter().filter(|name| **name == names[at]).count();
        if same(&names) > 1 {
            thread.name = format!("{} {}", names[at], same(&names[..=at]));
        }
    }
}

/// The line of a step from the top frame; a procedure is left at its `end`.
fn line(program: &Program, top: &Frame, span: Span) -> usize {
    let end = Span { start: program.procedure(top.procedure).span.end.saturating_sub(3), ..span };
    program.source.line(if top.pc == Pc::Exit { end } else { span })
}

/// The first line of a statement: conditions without what they guard.
fn statement(text: &str) -> String {
    const MOST: usize = 60;
    // The span of an `elsif` begins behind the word.
    let text = if text.starts_with('(') { format!("elsif {text}") } else { text.to_string() };
    let guards = ["if", "while", "elsif"].iter().any(|word| text.starts_with(word));
    let heads = [" then", " do", " begin", "{"].iter().filter(|_| guards);
    let ends = heads.filter_map(|head| Some(text.find(head)? + if *head == "{" { 0 } else { head.len() }));
    let text = ends.min().map_or(text.as_str(), |end| &text[..end]);
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.trim_end().trim_end_matches(';').to_string(),
    }
}

fn numbered(names: &mut Vec<usize>, thread: usize) -> usize {
    names.iter().position(|name| *name == thread).unwrap_or_else(|| {
        names.push(thread);
        names.len() - 1
    })
}

/// Executes a stored trace again: each of its lines has to be a step of its thread with these changes.
pub fn again(program: &Program, trace: &Trace) -> Result<(), Mismatch> {
    let singles = program.singles.len();
    let most = trace.threads.iter().map(|thread| thread.position).max().unwrap_or(0);
    let machine =
        Machine::new(program, most.saturating_sub(singles).min(trace.threads.len()), Creation::Handshake);
    let wrong = |number: usize, what: String| Err(Mismatch { number, what });
    if most > machine.threads() {
        return wrong(0, format!("the program has no thread at position {most}"));
    }
    let mut now = machine.initial();
    for state in &mut now {
        for (name, value) in &trace.begin {
            let Some(index) = program.shared.iter().position(|variable| variable.name == *name) else {
                return wrong(0, format!("the program has no shared variable `{name}`"));
            };
            if state.shared.get(index).is_none() {
                state.shared.set(index, *value);
            }
        }
    }
    let mut before = None;
    for (number, step) in (1..).zip(&trace.steps) {
        let thread = trace.threads[step.thread].position;
        let mut next = Vec::new();
        for state in &now {
            if before.is_some_and(|before| before != thread && before != 0 && !machine.yields(state, before))
            {
                continue;
            }
            let mut from = vec![state.clone()];
            if state.threads[thread].status == Status::Unborn {
                from.extend(machine.steps(state, thread).into_iter().map(|born| born.state));
            }
            if thread != 0 && state.initializing() {
                from.extend(machine.steps(state, 0).into_iter().map(|ended| ended.state));
            }
            for state in from {
                for made in machine.steps(&state, thread) {
                    let (old, new) = (&state.threads[thread].frames, &made.state.threads[thread].frames);
                    let frames = if old.is_empty() { new } else { old };
                    let Some(top) = frames.last() else { continue };
                    let same = line(program, top, made.span) == step.line
                        && program.procedure(top.procedure).name == step.procedure
                        && frames.len() == step.depth + 1;
                    if same {
                        next.extend(same_changes(&machine, &state, made, step));
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        next.truncate(MOST);
        if next.is_empty() {
            return wrong(number, format!("line {} cannot be executed with these changes", step.line));
        }
        (now, before) = (next, Some(thread));
    }
    let thread = trace.threads[trace.error.thread].position;
    let fails = |state: &State| {
        let born = machine.steps(state, thread).into_iter().map(|step| step.state);
        let unborn = state.threads[thread].status == Status::Unborn;
        let mut all = std::iter::once(state.clone()).chain(born.filter(|_| unborn));
        all.any(|state| {
            machine.target(&state, thread).is_some_and(|span| program.source.line(span) == trace.error.line)
        })
    };
    match now.iter().any(fails) {
        true => Ok(()),
        false => {
            wrong(trace.steps.len(), format!("the run does not end at an error in line {}", trace.error.line))
        }
    }
}

/// The state after a step that changes what the trace says, with what it leaves open filled in.
fn same_changes(machine: &Machine, before: &State, made: Step, told: &TraceStep) -> Option<State> {
    let ended = made.state.threads[made.thread].status == Status::Ended;
    let changed = machine.changed(before, &made);
    let mut state = made.state.clone();
    // What is told and no change: it has the value already, or nobody has looked at it.
    for told in
        told.changes.iter().filter(|told| changed.iter().all(|(_, made)| made.variable != told.variable))
    {
        let var = named(machine, &state, made.thread, &told.variable)?;
        if *state.read(made.thread, var).get_or_insert(told.value?) != told.value? {
            return None;
        }
        state.write(made.thread, var, told.value);
    }
    for (var, change) in changed {
        match told.changes.iter().find(|told| told.variable == change.variable) {
            Some(told) if change.value.is_none() => state.write(made.thread, var, told.value),
            Some(told) if told.value == change.value => {}
            // A value that nobody had looked at may show, or have been shown before.
            None if ended || change.value.is_none() || before.read(made.thread, var).is_none() => {}
            _ => return None,
        }
    }
    Some(state)
}

/// The variable of this name that a thread sees.
fn named(machine: &Machine, state: &State, thread: usize, name: &str) -> Option<Var> {
    let program = machine.program;
    let procedure = program.procedure(state.threads[thread].frames.last()?.procedure);
    let local = procedure.locals.iter().position(|local| local.name == name);
    let own = procedure.own.clone().find(|own| program.own[*own as usize].name == name);
    let shared = || program.shared.iter().position(|shared| shared.name == name);
    let local = local.map(|at| Var::Local(at as u32)).or(own.map(Var::Own));
    local.or_else(|| shared().map(|at| Var::Shared(at as u32)))
}

/// Where a move leads, in the program's terms.
struct Destination {
    name: String,
    target: Option<Target>,
    place: Place,
    /// Procedures of the frames that the flow stands for, the top first, each with the values of the locals that matter.
    frames: Vec<(ProcedureId, Vec<(usize, bool)>)>,
    shared: Vec<bool>,
    own: Vec<bool>,
    atomic: Option<bool>,
}

impl Destination {
    fn new(model: &Model, state: &[Value], shared: &[bool]) -> Option<Destination> {
        let [Value::Name(pc), Value::Bits(own), Value::Bits(local)] = state else { return None };
        let (layout, cfg) = (&model.layout, &model.cfg);
        let (flow, loc) = layout.location(*pc);
        let graph = cfg.flow(flow);
        let location = &graph.locations[loc.index()];
        let (program, mut frames) = (&model.program, Vec::new());
        let mut frame = Some(location.frame);
        while let Some(at) = frame {
            let of = &graph.frames[at as usize];
            let procedure = program.procedure(of.procedure);
            // Results are set where the procedure ends, and mean nothing before.
            let ends = frames.is_empty() && location.place == Place::Exit;
            let count = procedure.locals.len() as u32 + if ends { procedure.results } else { 0 };
            let values = (0..count).filter_map(|index| {
                let own = of.base + index;
                let bit = layout.local(flow, own).filter(|_| layout.is_live(flow, loc, own))?;
                Some((index as usize, local[usize::from(bit)]))
            });
            frames.push((of.procedure, values.collect()));
            frame = of.caller.map(|(parent, _)| parent);
        }
        let flag = (cfg.own.len() > program.own.len())
            .then(|| own[usize::from(layout.own(program.own.len() as u32))]);
        Some(Destination {
            name: cfg.location_name(flow, loc),
            target: location.target,
            place: location.place,
            frames,
            shared: (0..program.shared.len() as u32)
                .map(|at| shared[usize::from(layout.shared(at))])
                .collect(),
            own: (0..program.own.len() as u32).map(|at| own[usize::from(layout.own(at))]).collect(),
            atomic: flag,
        })
    }

    /// The state with what the move says filled in, if the thread is there.
    fn reach(&self, state: &State, thread: usize) -> Option<State> {
        let this = &state.threads[thread];
        let there = match (self.target, self.place) {
            (Some(Target::FailedAssert), _) => matches!(this.status, Status::Failed(_)),
            (_, Place::Before(id)) => {
                this.status == Status::Running && this.frames.last().is_some_and(|top| top.pc == Pc::At(id))
            }
            (_, Place::Exit) => {
                this.status == Status::Running && this.frames.last().is_some_and(|top| top.pc == Pc::Exit)
            }
            (_, Place::Between) => true,
        };
        if !there {
            return None;
        }
        let mut out = state.clone();
        if this.status == Status::Running {
            for (depth, (procedure, values)) in self.frames.iter().enumerate() {
                let at = this.frames.len().checked_sub(depth + 1)?;
                // After a call returned, the graph may still stand at its end.
                if this.frames[at].procedure != *procedure {
                    return None;
                }
                // Between two places of the text the graph may not have forgotten or set what the text has.
                let values = if self.place == Place::Between { &[][..] } else { values };
                for (index, value) in values {
                    let frame = &mut out.threads[thread].frames[at];
                    if *frame.locals.get(*index).get_or_insert(*value) != *value {
                        return None;
                    }
                    frame.locals.set(*index, Some(*value));
                }
            }
            if self.atomic.is_some_and(|atomic| atomic != this.atomic) {
                return None;
            }
        }
        let shared = (0..).map(Var::Shared).zip(&self.shared);
        for (var, value) in shared.chain((0..).map(Var::Own).zip(&self.own)) {
            if *out.read(thread, var).get_or_insert(*value) != *value {
                return None;
            }
            out.write(thread, var, Some(*value));
        }
        Some(out)
    }
}
