//! Where all threads stand at the end of a run, and in the part of it that repeats. The writer and the verifier both look
//! here, so that they mean the same.

use super::words::{place, steps};
use crate::model::interpret::{Frame, Machine, Pc, State, Status, ThreadState, Values};
use crate::model::program::{Program, Variable};
use crate::model::trace::{Change, Mobility, Standing, TraceFrame, TraceState};
use std::collections::BTreeSet;
use std::ops::Range;

/// What is told of a state. `named` are the threads that moved, by position; `moves` says how a thread can move.
pub fn standing(
    program: &Program,
    state: &State,
    named: &[(usize, String)],
    moves: impl Fn(usize) -> Mobility,
) -> TraceState {
    let singles = program.singles.len();
    let positions = if state.initializing() { 0..=0 } else { 1..=state.threads.len() - 1 };
    let moved = |position: usize| named.iter().find(|(named, _)| *named == position).map(|(_, name)| name);
    let threads = positions.filter(|position| *position <= singles || moved(*position).is_some());
    let thread = |position: usize| {
        let this = &state.threads[position];
        let single = || program.singles.get(position.wrapping_sub(1)).map(|single| single.name.clone());
        let frames = this.frames.iter().map(|frame| {
            let procedure = program.procedure(frame.procedure);
            let (line, text) = place(program, frame);
            let locals = values(&procedure.locals, &frame.locals);
            TraceFrame { procedure: procedure.name.clone(), line, text, locals }
        });
        Standing {
            name: moved(position).cloned().or_else(single).unwrap_or_else(|| "init".into()),
            position,
            status: if is_over(this) { "ended" } else { status(this.status) }.into(),
            own: own(program, this).map(|at| change(&program.own[at], this.own.get(at))).collect(),
            frames: frames.collect(),
            moves: moves(position),
        }
    };
    let shared = values(&program.shared, &state.shared);
    TraceState { shared, threads: threads.map(thread).collect(), configuration: None }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Ended => "ended",
        Status::Failed(_) => "failed",
        Status::Unborn | Status::Asleep(_) => "not started",
    }
}

fn values(variables: &[Variable], values: &Values) -> Vec<Change> {
    variables.iter().enumerate().map(|(at, variable)| change(variable, values.get(at))).collect()
}

fn change(variable: &Variable, value: Option<i64>) -> Change {
    Change { variable: variable.name.clone(), value: value.map(|value| variable.domain.show(value)) }
}

/// The variables that a thread has of its own: those that the procedure sees in which it began.
fn own(program: &Program, thread: &ThreadState) -> Range<usize> {
    let bottom = thread.frames.first().map(|frame| program.procedure(frame.procedure).own.clone());
    bottom.map_or(0..0, |own| own.start as usize..own.end as usize)
}

/// How a thread can move where a run ends. `running` moved last.
pub fn mobility(machine: &Machine, state: &State, running: usize) -> impl Fn(usize) -> Mobility {
    move |thread| {
        let can = match may_switch(machine, state, running) {
            true => can_go_on(machine, state, thread),
            false => thread == running && !next(machine, state, thread).is_empty(),
        };
        if can { Mobility::Can } else { Mobility::Cannot }
    }
}

/// Whether a thread can come to the next place where others may run, or to its end. One that would block inside an atomic
/// section waits in front of it.
fn can_go_on(machine: &Machine, state: &State, thread: usize) -> bool {
    /// A section with more states is not looked through.
    const MOST: usize = 10_000;
    let is_there = |state: &State| {
        let this = &state.threads[thread];
        is_over(this) || this.status != Status::Running || machine.yields(state, thread)
    };
    let (mut seen, mut work) = (BTreeSet::new(), next(machine, state, thread));
    while let Some(state) = work.pop() {
        if is_there(&state) || seen.len() > MOST {
            return true;
        }
        if !seen.contains(&state) {
            work.extend(next(machine, &state, thread));
            seen.insert(state);
        }
    }
    false
}

/// The states behind the steps of a thread. One that has nothing to do but to leave its procedure has ended.
fn next(machine: &Machine, state: &State, thread: usize) -> Vec<State> {
    match is_over(&state.threads[thread]) {
        true => Vec::new(),
        false => steps(machine, state, thread).into_iter().map(|step| step.state).collect(),
    }
}

fn is_over(thread: &ThreadState) -> bool {
    thread.status == Status::Running && matches!(&thread.frames[..], [Frame { pc: Pc::Exit, .. }])
}

/// Whether somebody else than the thread that moved last may go on.
pub fn may_switch(machine: &Machine, state: &State, running: usize) -> bool {
    running >= state.threads.len() || machine.yields(state, running)
}

/// Gives the variables that are open in a state the values that are told. What does not fit stays as it is.
pub fn filled(program: &Program, state: &State, told: &TraceState) -> State {
    let fill = |values: &mut Values, first: usize, variables: &[Variable], told: &[Change]| {
        for ((at, variable), change) in (first..).zip(variables).zip(told) {
            let told = change.value.as_ref().and_then(|value| variable.domain.read(value));
            let value = values.get(at).or(told);
            values.set(at, value);
        }
    };
    let mut out = state.clone();
    fill(&mut out.shared, 0, &program.shared, &told.shared);
    for told in &told.threads {
        let Some(thread) = out.threads.get_mut(told.position) else { continue };
        let own = own(program, thread);
        fill(&mut thread.own, own.start, &program.own[own], &told.own);
        for (frame, told) in thread.frames.iter_mut().zip(&told.frames) {
            fill(&mut frame.locals, 0, &program.procedure(frame.procedure).locals, &told.locals);
        }
    }
    out
}

/// Whether two states differ only in values that are open in the first.
pub fn is_open_form(program: &Program, open: &State, full: &State) -> bool {
    let within = |open: &Values, full: &Values, count: usize| {
        (0..count).all(|at| open.get(at).is_none_or(|value| full.get(at) == Some(value)))
    };
    within(&open.shared, &full.shared, program.shared.len())
        && open.threads.iter().zip(&full.threads).all(|(open, full)| {
            (open.status, open.sections, open.frames.len()) == (full.status, full.sections, full.frames.len())
                && within(&open.own, &full.own, program.own.len())
                && open.frames.iter().zip(&full.frames).all(|(open, full)| {
                    let procedure = program.procedure(open.procedure);
                    let locals = procedure.locals.len() + procedure.results.len();
                    (open.procedure, open.pc) == (full.procedure, full.pc)
                        && within(&open.locals, &full.locals, locals)
                })
        })
}

/// A part of a run that is to come back to the state in which it begins, and what is seen on the way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Around {
    pub begin: State,
    /// By position: whether a thread could, and could not, move at a place where it may be scheduled.
    seen: Vec<(bool, bool)>,
    moved: Vec<bool>,
    /// Who moved first.
    first: Option<usize>,
}

impl Around {
    pub fn new(begin: State) -> Around {
        let threads = begin.threads.len();
        Around { begin, seen: vec![(false, false); threads], moved: vec![false; threads], first: None }
    }

    /// A thread moved, to this state.
    pub fn note(&mut self, machine: &Machine, state: &State, thread: usize) {
        self.moved[thread] = true;
        self.first = self.first.or(Some(thread));
        if may_switch(machine, state, thread) {
            for (position, (could, could_not)) in self.seen.iter_mut().enumerate() {
                let can = can_go_on(machine, state, position);
                *could |= can;
                *could_not |= !can;
            }
        }
    }

    /// Whether the run can begin again in a state in which `running` moved last.
    pub fn comes_back(&self, machine: &Machine, state: &State, running: usize) -> bool {
        let again = self.first.is_some_and(|first| first == running || may_switch(machine, state, running));
        again && state.created == self.begin.created && is_open_form(machine.program, state, &self.begin)
    }

    pub fn mobility(&self, thread: usize) -> Mobility {
        match (self.moved[thread], self.seen[thread]) {
            (true, _) => Mobility::Moves,
            (false, (true, false)) => Mobility::CouldAlways,
            (false, (true, true)) => Mobility::CouldSometimes,
            (false, (false, _)) => Mobility::CouldNever,
        }
    }
}
