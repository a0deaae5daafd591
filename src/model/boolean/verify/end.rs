//! The end of a stored trace: the error, the state, or the part that repeats.

use super::{Candidate, wrong};
use crate::model::interpret::Machine;
use crate::model::trace::{Trace, TraceError, TraceState, Verified};

/// The run has to end at the error that is told, with threads of these names.
pub(super) fn end_at_error(
    machine: &Machine,
    trace: &Trace,
    told: &TraceError,
    last: &[Candidate],
) -> Result<(), Verified> {
    let (program, number) = (machine.program, trace.steps.len());
    let thread = trace.threads[told.thread].position;
    let named = |names: &[String]| names.iter().eq(trace.threads.iter().map(|thread| &thread.name));
    let (mut other_error, mut other_names) = (None, None);
    for candidate in last {
        for state in candidate.born(machine, thread) {
            // Nobody but `init` stands anywhere before it has ended.
            let begun = state.initializing() == (thread == 0);
            let Some(target) = machine.target(&state, thread).filter(|_| begun) else { continue };
            let top = state.threads[thread].frames.last().map(|top| top.procedure);
            let error = TraceError::new(program, told.thread, top, target);
            let there = Candidate { state, ..candidate.clone() }.noted(trace);
            let names = there.names(program, trace);
            match (error == *told, named(&names)) {
                (true, true) => return Ok(()),
                (true, false) => other_names = Some(names),
                (false, _) => other_error = Some(error),
            }
        }
    }
    Err(wrong(
        number,
        match (other_names, other_error) {
            (Some(names), _) => format!("its threads are called {}", names.join(", ")),
            (None, Some(error)) => {
                format!("the error is in line {} of {}: {}", error.line, error.procedure, error.text)
            }
            (None, None) => format!("the run does not end at an error in line {}", told.line),
        },
    ))
}

/// The run has to end in the state that is told, with threads of these names. `seen` says which state that is.
pub(super) fn end_in(
    machine: &Machine,
    trace: &Trace,
    told: &TraceState,
    last: &[Candidate],
    seen: impl Fn(&Candidate) -> Result<TraceState, &'static str>,
) -> Result<(), Verified> {
    let named = |names: &[String]| names.iter().eq(trace.threads.iter().map(|thread| &thread.name));
    let mut why = "there is no state in which it can end".to_string();
    for candidate in last {
        let names = candidate.names(machine.program, trace);
        why = match seen(candidate) {
            Ok(state) if state == *told && named(&names) => return Ok(()),
            Ok(state) if state == *told => format!("its threads are called {}", names.join(", ")),
            Ok(state) => format!("it ends in another state: {}", difference(&state, told)),
            Err(why) => why.into(),
        };
    }
    Err(wrong(trace.steps.len(), why))
}

/// What is told of a state and is not so.
fn difference(seen: &TraceState, told: &TraceState) -> String {
    if seen.shared != told.shared {
        return "the shared variables have other values".into();
    }
    if seen.threads.len() != told.threads.len() {
        return format!("it has {} threads", seen.threads.len());
    }
    let other = seen.threads.iter().zip(&told.threads).find(|(seen, told)| seen != told);
    other.map_or_else(String::new, |(seen, told)| {
        let name = &seen.name;
        match seen.moves == told.moves {
            true => format!("{name} is somewhere else, or has other values"),
            false => format!("{name} {}, not: {}", seen.moves.words(), told.moves.words()),
        }
    })
}
