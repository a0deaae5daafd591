//! Moves executed by the explicit interpreter.
//!
//! The interpreter knows nothing of the solver's states: it executes the program's text. A move says which thread goes
//! on, to which place, and what the variables are there; the interpreter has to be able to go there in one step, and to
//! have these values. The graph has some places that the text has not, so that a move may be no step at all.

use super::BooleanProgram;
use super::words::{births, steps};
use super::write::write;
use crate::model::interpret::{Machine, Pc, State, Status, Step};
use crate::model::moves::Moves;
use crate::model::program::cfg::{PlaceInText, Target};
use crate::model::program::resolve::program::{ProcedureId, Var};
use crate::model::trace::{Mismatch, Trace};
use calculus::sort::Value;
use std::collections::HashSet;

/// States that the moves leave open at the same time; values that nobody reads make few of them.
const MOST: usize = 256;

/// One state of the interpreter on the way, and how it came there.
pub(super) struct Visit {
    /// With the values that the moves say filled in.
    pub state: State,
    /// The visit before.
    pub from: Option<usize>,
    pub how: How,
    pub round: Option<i64>,
}

/// What led from one visit to the next.
pub(super) enum How {
    /// No step: a move filled in what was open, or the run begins here.
    Filled,
    /// A copy of a replicated thread decided what it is: no step of the program.
    Born(usize),
    /// A step of the program, before the move filled in what it left open.
    Step(Step),
}

struct Execution<'a> {
    machine: Machine<'a>,
    visits: Vec<Visit>,
    /// The visits that can be the present one.
    now: Vec<usize>,
}

/// Executes the moves and writes the run down.
pub fn replay(model: &BooleanProgram, moves: &Moves) -> Result<Trace, Mismatch> {
    let singles = model.program.singles.len();
    let copies = moves.parts.iter().filter(|part| part.position as usize > singles).count();
    let machine = Machine::new(&model.program, copies);
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
    let first = |state| Visit { state, from: None, how: How::Filled, round: None };
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
    let mut this = Execution { machine, now: (0..visits.len()).collect(), visits };
    let mut before = None;
    for (number, made) in moves.moves.iter().enumerate() {
        let thread = threads[made.part];
        let mismatch = |what: &str| Mismatch { number: number + 1, what: what.into() };
        let Some(target) = Destination::new(model, &made.state, &made.shared) else {
            return Err(mismatch("the state has no meaning in the program"));
        };
        // Waiting for each other is no step of the program: a creator and its thread do both steps later.
        if target.place == PlaceInText::Handover {
            continue;
        }
        if before.is_some_and(|before| before != thread && before != 0) && !this.switch(before.unwrap_or(0)) {
            return Err(mismatch("another thread moves inside an atomic section"));
        }
        if thread != 0 {
            this.finish_init();
        }
        this.advance(thread, made.round, |state| target.reach(state, thread));
        if this.now.is_empty() {
            return Err(mismatch(&format!("no step leads to {}", target.name)));
        }
        before = Some(thread);
    }
    if moves.parts.iter().any(|part| part.position != 0) {
        this.finish_init();
    }
    this.end(&threads, singles)
}

impl Execution<'_> {
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
            let mut offer = |visits: &mut Vec<Visit>, from: usize, reached: Option<State>, how: How| {
                let Some(state) = reached.filter(|state| next.len() < MOST && seen.insert(state.clone()))
                else {
                    return;
                };
                next.push(visits.len());
                visits.push(Visit { state, from: Some(from), how, round });
            };
            // A copy that is not born yet is born first.
            let mut from = vec![(at, state.clone())];
            for born in births(&self.machine, &state, thread) {
                let how = How::Born(thread);
                self.visits.push(Visit { state: born.clone(), from: Some(at), how, round });
                from.push((self.visits.len() - 1, born));
            }
            for (at, state) in from {
                for step in steps(&self.machine, &state, thread) {
                    offer(&mut self.visits, at, reach(&step.state), How::Step(step));
                }
                offer(&mut self.visits, at, reach(&state), How::Filled);
            }
        }
        self.now = next;
    }

    /// The run that ends at a target.
    fn end(mut self, threads: &[usize], singles: usize) -> Result<Trace, Mismatch> {
        let target = |this: &Self, at: usize| {
            let state = &this.visits[at].state;
            let begun = if state.initializing() { 0..1 } else { 1..state.threads.len() };
            begun.into_iter().find_map(|thread| Some((thread, this.machine.target(state, thread)?)))
        };
        let mut found = self.now.iter().find_map(|&at| Some((at, target(&self, at)?)));
        if found.is_none() {
            // A copy that stands at a target from the beginning has not moved yet.
            for thread in threads.iter().copied().filter(|thread| *thread > singles) {
                for at in self.now.clone() {
                    for state in births(&self.machine, &self.visits[at].state, thread) {
                        let how = How::Born(thread);
                        self.visits.push(Visit { state, from: Some(at), how, round: None });
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
        let mut path = vec![at];
        while let Some(from) = self.visits[path[path.len() - 1]].from {
            path.push(from);
        }
        path.reverse();
        let path = path.into_iter().map(|at| &self.visits[at]).collect::<Vec<_>>();
        write(&self.machine, &path, thread, span)
    }
}

/// Where a move leads, in the program's terms.
struct Destination {
    name: String,
    target: Option<Target>,
    place: PlaceInText,
    /// Procedures of the frames that the flow stands for, the top first, each with the values of the locals that matter.
    frames: Vec<(ProcedureId, Vec<(usize, bool)>)>,
    shared: Vec<bool>,
    own: Vec<bool>,
    /// How many atomic sections are open, if the graph counts them.
    sections: Option<u32>,
}

impl Destination {
    fn new(model: &BooleanProgram, state: &[Value], shared: &[bool]) -> Option<Destination> {
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
            let ends = frames.is_empty() && location.place == PlaceInText::Exit;
            let count = procedure.locals.len() as u32 + if ends { procedure.results } else { 0 };
            let values = (0..count).filter_map(|index| {
                let own = of.base + index;
                let bit = layout.local(flow, own).filter(|_| layout.is_live(flow, loc, own))?;
                Some((index as usize, local[usize::from(bit)]))
            });
            frames.push((of.procedure, values.collect()));
            frame = of.caller.map(|(parent, _)| parent);
        }
        let flags = program.own.len() as u32..cfg.own.len() as u32;
        let sections = (!flags.is_empty())
            .then(|| flags.map(|flag| u32::from(own[usize::from(layout.own(flag))])).sum());
        Some(Destination {
            name: cfg.location_name(flow, loc),
            target: location.target,
            place: location.place,
            frames,
            shared: (0..program.shared.len() as u32)
                .map(|at| shared[usize::from(layout.shared(at))])
                .collect(),
            own: (0..program.own.len() as u32).map(|at| own[usize::from(layout.own(at))]).collect(),
            sections,
        })
    }

    /// The state with what the move says filled in, if the thread is there.
    fn reach(&self, state: &State, thread: usize) -> Option<State> {
        let this = &state.threads[thread];
        let there = match (self.target, self.place) {
            (Some(Target::FailedAssert), _) => matches!(this.status, Status::Failed(_)),
            (_, PlaceInText::Before(id)) => {
                this.status == Status::Running && this.frames.last().is_some_and(|top| top.pc == Pc::At(id))
            }
            (_, PlaceInText::Exit) => {
                this.status == Status::Running && this.frames.last().is_some_and(|top| top.pc == Pc::Exit)
            }
            (_, PlaceInText::Between | PlaceInText::Handover) => true,
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
                let values = if self.place == PlaceInText::Between { &[][..] } else { values };
                for (index, value) in values {
                    let frame = &mut out.threads[thread].frames[at];
                    if *frame.locals.get(*index).get_or_insert(*value) != *value {
                        return None;
                    }
                    frame.locals.set(*index, Some(*value));
                }
            }
            if self.sections.is_some_and(|sections| sections != this.sections) {
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
