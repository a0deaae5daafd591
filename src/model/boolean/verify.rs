//! A stored trace executed again: all that it says must be true of one run of the program.
//!
//! The trace fixes the values (see [`super::words`]); what it may leave open is where a thread stands, because a line can have
//! several statements and a choice has no value. So a few states are followed at the same time.

mod end;

use super::standing::{Around, filled, mobility, standing};
use super::words::{births, changes, steps, tell_apart, thread_name, words};
use crate::model::interpret::{Machine, State};
use crate::model::program::{ProcedureId, Program};
use crate::model::trace::{Finish, Mismatch, Trace, TraceState, TraceStep, TraceValue, Verified};
use end::{end_at_error, end_in};

/// More copies than a trace that anybody reads.
const MOST_COPIES: usize = 10_000;
/// More states than these are not followed.
const MOST_STATES: usize = 100_000;

/// A state that the trace may be in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    state: State,
    /// For each thread of the trace the procedure at the bottom of its stack, as soon as it has one.
    bottoms: Vec<Option<ProcedureId>>,
    /// The part that repeats, as soon as it has begun.
    around: Option<Around>,
}

/// Whether a trace is a run of the program, and all that it says is true.
pub fn verify(program: &Program, trace: &Trace) -> Verified {
    match attempt(program, trace, &mut |_| {}) {
        Ok(_) => Verified::Run,
        Err(verified) => verified,
    }
}

/// A step that a run makes.
pub struct Executed {
    /// The position of the thread.
    pub thread: usize,
    pub before: State,
    pub after: State,
}

/// The steps of a run that a trace to an error tells.
pub fn executed(program: &Program, trace: &Trace) -> Result<Vec<Executed>, Verified> {
    let mut layers: Vec<Vec<Candidate>> = Vec::new();
    let machine = attempt(program, trace, &mut |candidates| layers.push(candidates.to_vec()))?;
    let mut steps = Vec::new();
    let last = layers.pop().unwrap_or_default();
    let ends = |candidate: &Candidate| match &trace.finish {
        Finish::Error(error) => end_at_error(&machine, trace, error, std::slice::from_ref(candidate)).is_ok(),
        Finish::State(_) | Finish::Repeat(_) => true,
    };
    let Some(mut now) = last.into_iter().find(ends) else { return Ok(steps) };
    // Backwards: each state has one before it.
    for (told, layer) in trace.steps.iter().zip(&layers).rev() {
        let found = layer.iter().find_map(|candidate| {
            let next = follow(&machine, candidate, trace, told);
            next.into_iter().find(|(_, next)| *next == now).map(|(before, _)| (candidate, before))
        });
        let Some((from, before)) = found else { return Err(Verified::Undecided(steps.len())) };
        steps.push(Executed { thread: trace.threads[told.thread].position, before, after: now.state });
        now = from.clone();
    }
    steps.reverse();
    Ok(steps)
}

fn wrong(number: usize, what: impl Into<String>) -> Verified {
    Verified::NoRun(Mismatch { number, what: what.into() })
}

/// Follows a trace. `note` gets the states from which each step is made, and at last those at the end.
fn attempt<'p>(
    program: &'p Program,
    trace: &Trace,
    note: &mut dyn FnMut(&[Candidate]),
) -> Result<Machine<'p>, Verified> {
    parties(trace)?;
    rounds(trace)?;
    if trace.has_configurations() {
        return Err(wrong(0, "only pushdown systems have configurations"));
    }
    if let Finish::Repeat(repeat) = &trace.finish {
        trace.repeats_well(repeat).map_err(Verified::NoRun)?;
    }
    let singles = program.singles.len();
    let most = trace.threads.iter().map(|thread| thread.position).max().unwrap_or(0);
    let copies = most.saturating_sub(singles).min(MOST_COPIES);
    let machine = Machine::new(program, copies);
    if most > machine.threads() {
        return Err(wrong(0, format!("the program has no thread at position {most}")));
    }
    let mut now = begin(&machine, trace)?;
    // The first thread is the one that goes on when `init` has ended, as if it had been interrupted.
    let mut running = 1;
    for (number, step) in (1..).zip(&trace.steps) {
        if let Finish::Repeat(repeat) = &trace.finish
            && number == repeat.from + 1
        {
            now.iter_mut().for_each(|candidate| candidate.begin_again(program, &repeat.state));
        }
        let thread = trace.threads[step.thread].position;
        let held = |candidate: &Candidate| {
            let state = &candidate.state;
            thread != 0
                && thread != running
                && running < state.threads.len()
                && !machine.yields(state, running)
        };
        if now.iter().all(held) {
            let name = &trace.threads[step.thread].name;
            return Err(wrong(number, format!("{name} moves inside an atomic section of another thread")));
        }
        now.retain(|candidate| !held(candidate));
        note(&now);
        let next = now.iter().flat_map(|candidate| follow(&machine, candidate, trace, step));
        let mut next = next.map(|(_, candidate)| candidate).collect::<Vec<_>>();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Err(wrong(number, format!("line {} cannot be executed as the trace says", step.line)));
        }
        if next.len() > MOST_STATES {
            return Err(Verified::Undecided(number));
        }
        now = next;
        if thread != 0 {
            running = thread;
        }
    }
    note(&now);
    match &trace.finish {
        Finish::Error(error) => end_at_error(&machine, trace, error, &now)?,
        Finish::State(state) => end_in(&machine, trace, state, &now, |candidate| {
            let full = filled(program, &candidate.state, state);
            let moves = mobility(&machine, &full, running);
            Ok(standing(program, &full, &candidate.named(program, trace), moves))
        })?,
        Finish::Repeat(repeat) => end_in(&machine, trace, &repeat.state, &now, |candidate| {
            let around = candidate.around.as_ref();
            let around = around.filter(|around| around.comes_back(&machine, &candidate.state, running));
            let around = around.ok_or("the part that repeats does not come back to where it begins")?;
            let named = candidate.named(program, trace);
            Ok(standing(program, &around.begin, &named, |thread| around.mobility(thread)))
        })?,
    }
    Ok(machine)
}

/// Threads are listed once each, in the order in which they first move, and all of them take part.
fn parties(trace: &Trace) -> Result<(), Verified> {
    let mut seen = 0;
    let error = match &trace.finish {
        Finish::Error(error) => Some(error.thread),
        Finish::State(_) | Finish::Repeat(_) => None,
    };
    for thread in trace.steps.iter().map(|step| step.thread).chain(error) {
        if thread > seen {
            return Err(wrong(
                0,
                format!("thread {thread} moves before thread {seen}: threads are numbered as they move"),
            ));
        }
        seen = seen.max(thread + 1);
    }
    if let Some(idle) = trace.threads.get(seen) {
        return Err(wrong(0, format!("thread `{}` takes no part", idle.name)));
    }
    let mut positions = trace.threads.iter().map(|thread| thread.position).collect::<Vec<_>>();
    positions.sort_unstable();
    match positions.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(wrong(0, format!("two threads are at position {}", pair[0]))),
        None => Ok(()),
    }
}

/// In a round each thread has one context, in the order of the positions. `init` comes before all rounds.
fn rounds(trace: &Trace) -> Result<(), Verified> {
    let mut before = (None, 0);
    for (number, step) in (1..).zip(&trace.steps) {
        let position = trace.threads[step.thread].position;
        if position == 0 && step.round.is_some() {
            return Err(wrong(number, "`init` runs before all rounds"));
        }
        let now = (step.round, position);
        if position != 0 && (before.0.is_some() || now.0.is_some()) && now < before {
            return Err(wrong(number, "it belongs to an earlier context than the step before it"));
        }
        before = now;
    }
    Ok(())
}

/// The states in which the run can begin with these values.
fn begin(machine: &Machine, trace: &Trace) -> Result<Vec<Candidate>, Verified> {
    let shared = &machine.program.shared;
    let told = |name: &str| trace.begin.iter().any(|(told, _)| told == name);
    if let Some((name, _)) =
        trace.begin.iter().find(|(name, _)| shared.iter().all(|variable| variable.name != *name))
    {
        return Err(wrong(0, format!("the program has no shared variable `{name}`")));
    }
    if let Some(variable) = shared.iter().find(|variable| !told(&variable.name)) {
        return Err(wrong(0, format!("`begin` lacks the shared variable `{}`", variable.name)));
    }
    if !shared.iter().map(|variable| &variable.name).eq(trace.begin.iter().map(|(name, _)| name)) {
        return Err(wrong(0, "`begin` has the shared variables not once each, in the order of the program"));
    }
    let mut states = machine.initial();
    for (at, (name, value)) in trace.begin.iter().enumerate() {
        let begun = value.as_ref().and_then(|value| shared[at].domain.read(value));
        if value.is_some() && begun.is_none() {
            return Err(wrong(0, format!("`{name}` is {}", shared[at].domain.words())));
        }
        states.retain(|state| state.shared.get(at).is_none_or(|declared| begun == Some(declared)));
        if states.is_empty() {
            return Err(wrong(0, format!("`{name}` begins with another value")));
        }
        states.iter_mut().for_each(|state| state.shared.set(at, begun));
    }
    let bottoms = vec![None; trace.threads.len()];
    let candidate = |state| Candidate { state, bottoms: bottoms.clone(), around: None }.noted(trace);
    Ok(states.into_iter().map(candidate).collect())
}

impl Candidate {
    /// Remembers what the threads are.
    fn noted(mut self, trace: &Trace) -> Candidate {
        for (bottom, thread) in self.bottoms.iter_mut().zip(&trace.threads) {
            let frames = &self.state.threads[thread.position].frames;
            *bottom = bottom.or(frames.first().map(|frame| frame.procedure));
        }
        self
    }

    /// The part that repeats begins here. What is open has the values that are told; they are compared at the end.
    fn begin_again(&mut self, program: &Program, told: &TraceState) {
        self.state = filled(program, &self.state, told);
        self.around = Some(Around::new(self.state.clone()));
    }

    /// Where a copy that has not moved yet can be: still nowhere, or born.
    fn born(&self, machine: &Machine, thread: usize) -> Vec<State> {
        let mut states = vec![self.state.clone()];
        states.extend(births(machine, &self.state, thread));
        states
    }

    /// The names of the threads as the program has them.
    fn names(&self, program: &Program, trace: &Trace) -> Vec<String> {
        let threads = trace.threads.iter().zip(&self.bottoms);
        let names = threads.map(|(thread, bottom)| thread_name(program, thread.position, *bottom));
        tell_apart(&names.collect::<Vec<_>>())
    }

    /// The same with their positions.
    fn named(&self, program: &Program, trace: &Trace) -> Vec<(usize, String)> {
        let positions = trace.threads.iter().map(|thread| thread.position);
        positions.zip(self.names(program, trace)).collect()
    }
}

/// Where a step that is told this way leads, and the state in which it is made.
fn follow(machine: &Machine, from: &Candidate, trace: &Trace, told: &TraceStep) -> Vec<(State, Candidate)> {
    let (program, thread) = (machine.program, trace.threads[told.thread].position);
    let mut next = Vec::new();
    for before in from.born(machine, thread) {
        for step in steps(machine, &before, thread) {
            if words(program, &before, &step).is_none_or(|words| !told.is_in(&words)) {
                continue;
            }
            let (made, state) = changes(program, &before, &step, |variable, read| {
                let change = told.changes.iter().find(|change| change.variable == variable.name);
                let value = |value: &TraceValue| variable.domain.read(value);
                change.map_or_else(|| read(&before), |change| change.value.as_ref().and_then(value))
            });
            if made == told.changes {
                let mut around = from.around.clone();
                if let Some(around) = &mut around {
                    around.note(machine, &state, thread);
                }
                let candidate = Candidate { state, bottoms: from.bottoms.clone(), around }.noted(trace);
                next.push((before.clone(), candidate));
            }
        }
    }
    next
}
