//! Whether a stored trace is a run, and all that it says is true.

use super::PushdownSystem;
use super::interpret::repeats;
use super::replay::{Run, state, step};
use crate::model::trace::{Finish, Mismatch, Trace, TraceStep, Verified};

fn wrong(number: usize, what: impl Into<String>) -> Verified {
    Verified::NoRun(Mismatch { number, what: what.into() })
}

pub fn verify(model: &PushdownSystem, trace: &Trace) -> Verified {
    executed(model, trace).and_then(|run| ends(model, trace, &run)).err().unwrap_or(Verified::Run)
}

/// The run that the steps of a trace are.
fn executed(model: &PushdownSystem, trace: &Trace) -> Result<Run, Verified> {
    let system = &model.system;
    if trace.threads != model.trace_threads() {
        let names = model.trace_threads().into_iter().map(|thread| thread.name).collect::<Vec<_>>();
        return Err(wrong(0, format!("the threads are {}", names.join(", "))));
    }
    let first = system.initial.to_string();
    if trace.configuration.as_ref() != Some(&first) || !trace.begin.is_empty() {
        return Err(wrong(0, format!("runs begin in {first}")));
    }
    in_rounds(&trace.steps)?;
    let mut run = Run { at: vec![system.initial.clone()], movers: Vec::new() };
    for (number, told) in (1..).zip(&trace.steps) {
        let at = &run.at[run.at.len() - 1];
        let thread = told.thread;
        // Rules that say the same in the same line are the same rule.
        let mut rules = system.threads[thread].rules.iter();
        let rule =
            rules.find(|rule| model.sources.line(rule.span) == told.line && rule.to_string() == told.text);
        let Some(rule) = rule else {
            let what = format!("thread {} has no rule `{}` in line {}", thread + 1, told.text, told.line);
            return Err(wrong(number, what));
        };
        let Some(after) = rule.apply(thread, at) else {
            return Err(wrong(number, format!("`{rule}` does not apply in {at}")));
        };
        if *told != step(model, thread, told.round, rule, &after) {
            return Err(wrong(number, format!("it leads to {after}, and says nothing else")));
        }
        run.at.push(after);
        run.movers.push(thread);
    }
    Ok(run)
}

/// All steps have rounds or none has; in a round each thread runs once, in the order of the file.
fn in_rounds(steps: &[TraceStep]) -> Result<(), Verified> {
    for (number, pair) in (2..).zip(steps.windows(2)) {
        if pair[0].round.is_some() != pair[1].round.is_some() {
            return Err(wrong(number, "only some of the steps have rounds"));
        }
        let when = |step: &TraceStep| (step.round, step.thread);
        if pair[0].round.is_some() && when(&pair[0]) > when(&pair[1]) {
            return Err(wrong(number, "in a round each thread runs once, in the order of the file"));
        }
    }
    match steps.first().and_then(|step| step.round) {
        Some(round) if round < 1 => Err(wrong(1, "rounds count from 1")),
        _ => Ok(()),
    }
}

fn ends(model: &PushdownSystem, trace: &Trace, run: &Run) -> Result<(), Verified> {
    let (last, number) = (&run.at[run.at.len() - 1], trace.steps.len());
    match &trace.finish {
        Finish::Error(told) => {
            let mut targets = model.system.targets.iter().filter(|target| target.holds(last));
            if targets.any(|target| model.reached(target) == *told) {
                return Ok(());
            }
            Err(wrong(number, format!("it ends in {last}, and that is not the target {}", told.text)))
        }
        Finish::State(told) if *told == state(last) => Ok(()),
        Finish::State(_) => Err(wrong(number, format!("it ends in {last}"))),
        Finish::Repeat(repeat) => {
            trace.repeats_well(repeat).map_err(Verified::NoRun)?;
            if repeat.state != state(&run.at[repeat.from]) {
                return Err(wrong(
                    number,
                    format!("the part that repeats begins in {}", run.at[repeat.from]),
                ));
            }
            match repeats(&run.at[repeat.from..], &run.movers[repeat.from..]) {
                true => Ok(()),
                false => Err(wrong(number, "the part that repeats cannot be repeated from its end")),
            }
        }
    }
}
