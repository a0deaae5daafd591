//! Traces that were tampered with. Most kinds are false by construction; the others are those that the oracle refuses.

use super::oracle::may_be_true;
use fpsolve::model::program::Program;
use fpsolve::model::trace::{Change, Finish, Mobility, Repeat, Trace, TraceError, TraceState, TraceValue};

/// A forged trace, and what was done to it.
pub struct Forgery {
    pub kind: &'static str,
    pub trace: Trace,
}

/// All forgeries of a true trace that are certainly false.
pub fn forgeries(program: &Program, trace: &Trace) -> Vec<Forgery> {
    let mut forged = Vec::new();
    plainly_false(program, trace, &mut forged);
    let mut tried = Vec::new();
    perhaps_false(trace, &mut tried);
    forged.extend(tried.into_iter().filter(|forgery| may_be_true(program, &forgery.trace) == Some(false)));
    forged
}

fn with(forged: &mut Vec<Forgery>, kind: &'static str, trace: &Trace, change: impl FnOnce(&mut Trace)) {
    let mut trace = trace.clone();
    change(&mut trace);
    forged.push(Forgery { kind, trace });
}

/// What is true of no run of this program.
fn plainly_false(program: &Program, trace: &Trace, forged: &mut Vec<Forgery>) {
    let lines = program.source.text.lines().count();
    let nobody = |name: &mut String| name.push_str(" of nobody");
    for at in 0..trace.threads.len() {
        with(forged, "thread name", trace, |trace| nobody(&mut trace.threads[at].name));
        with(forged, "position", trace, |trace| trace.threads[at].position += 20_000);
    }
    with(forged, "idle thread", trace, |trace| {
        let thread = trace.threads[0].clone();
        trace.threads.push(thread);
    });
    for (at, variable) in program.shared.iter().enumerate() {
        with(forged, "initial value missing", trace, |trace| drop(trace.begin.remove(at)));
        with(forged, "initial value of nobody", trace, |trace| nobody(&mut trace.begin[at].0));
        if let Some(initial) = variable.initial {
            with(forged, "declared initial value", trace, |trace| {
                trace.begin[at].1 = Some(TraceValue::Number(1 - initial))
            });
            with(forged, "declared initial value left out", trace, |trace| trace.begin[at].1 = None);
        }
    }
    for at in 0..trace.steps.len() {
        with(forged, "line", trace, |trace| trace.steps[at].line = lines + 1);
        with(forged, "statement", trace, |trace| nobody(&mut trace.steps[at].text));
        with(forged, "procedure", trace, |trace| nobody(&mut trace.steps[at].procedure));
        with(forged, "depth", trace, |trace| trace.steps[at].depth += 1);
        with(forged, "change of nothing", trace, |trace| {
            trace.steps[at].changes.push(Change { variable: "no variable".into(), value: Some(true.into()) });
        });
        if trace.steps[at].round.is_some() && trace.steps[at + 1..].iter().any(|step| step.round.is_some()) {
            with(forged, "round", trace, |trace| trace.steps[at].round = Some(i64::MAX));
        }
    }
    match &trace.finish {
        Finish::Error(_) => {
            with(forged, "line of the error", trace, |trace| error(trace).line = lines + 1);
            with(forged, "text of the error", trace, |trace| nobody(&mut error(trace).text));
            with(forged, "procedure of the error", trace, |trace| nobody(&mut error(trace).procedure));
        }
        Finish::State(told) => wrong_state(trace, told, forged),
        Finish::Repeat(repeat) => {
            wrong_state(trace, &repeat.state, forged);
            wrong_repeat(trace, repeat, forged);
        }
    }
}

/// The error of a trace that ends at one.
pub fn error(trace: &mut Trace) -> &mut TraceError {
    match &mut trace.finish {
        Finish::Error(error) => error,
        other => panic!("it ends at no error: {other:?}"),
    }
}

fn end(trace: &mut Trace) -> &mut TraceState {
    match &mut trace.finish {
        Finish::State(state) => state,
        Finish::Repeat(repeat) => &mut repeat.state,
        Finish::Error(error) => panic!("it ends at an error: {error:?}"),
    }
}

fn repeat(trace: &mut Trace) -> &mut Repeat {
    match &mut trace.finish {
        Finish::Repeat(repeat) => repeat,
        other => panic!("it ends: {other:?}"),
    }
}

/// A state that is not the one at the end.
fn wrong_state(trace: &Trace, told: &TraceState, forged: &mut Vec<Forgery>) {
    let nobody = |name: &mut String| name.push_str(" of nobody");
    for at in 0..told.shared.len() {
        with(forged, "shared value of nobody", trace, |trace| nobody(&mut end(trace).shared[at].variable));
        with(forged, "shared value missing", trace, |trace| drop(end(trace).shared.remove(at)));
    }
    for at in 0..told.threads.len() {
        with(forged, "thread missing at the end", trace, |trace| drop(end(trace).threads.remove(at)));
        with(forged, "name at the end", trace, |trace| nobody(&mut end(trace).threads[at].name));
        with(forged, "status at the end", trace, |trace| nobody(&mut end(trace).threads[at].status));
        with(forged, "position at the end", trace, |trace| end(trace).threads[at].position += 1);
        for moves in Mobility::ALL.into_iter().filter(|moves| *moves != told.threads[at].moves) {
            with(forged, "who can move", trace, |trace| end(trace).threads[at].moves = moves);
        }
        for frame in 0..told.threads[at].frames.len() {
            let frame_of = |trace: &mut Trace| end(trace).threads[at].frames.remove(frame);
            with(forged, "frame missing", trace, |trace| drop(frame_of(trace)));
            with(forged, "line at the end", trace, |trace| end(trace).threads[at].frames[frame].line += 1);
            with(forged, "statement at the end", trace, |trace| {
                nobody(&mut end(trace).threads[at].frames[frame].text);
            });
        }
    }
}

/// A part that does not repeat, or does not meet its conditions.
fn wrong_repeat(trace: &Trace, told: &Repeat, forged: &mut Vec<Forgery>) {
    with(forged, "nothing repeats", trace, |trace| {
        let last = trace.steps.len();
        repeat(trace).from = last;
    });
    with(forged, "condition that is not met", trace, |trace| repeat(trace).conditions.push("Other".into()));
    for condition in &told.conditions {
        with(forged, "condition missing", trace, |trace| {
            repeat(trace).conditions.retain(|other| other != condition);
        });
        with(forged, "condition not met", trace, |trace| {
            repeat(trace).met.retain(|met| met.condition != *condition);
        });
    }
    for at in 0..told.met.len() {
        with(forged, "condition met before the part", trace, |trace| repeat(trace).met[at].step = told.from);
        with(forged, "condition met behind the part", trace, |trace| {
            let last = trace.steps.len();
            repeat(trace).met[at].step = last + 1;
        });
    }
}

/// What can be a run by chance: swapping two steps that do not touch each other, dropping one that changes nothing.
fn perhaps_false(trace: &Trace, forged: &mut Vec<Forgery>) {
    with(forged, "no steps", trace, |trace| trace.steps.clear());
    with(forged, "last step dropped", trace, |trace| drop(trace.steps.pop()));
    for (at, (_, value)) in trace.begin.iter().enumerate() {
        let other = value.as_ref().map(another);
        with(forged, "initial value", trace, |trace| trace.begin[at].1 = other.clone());
    }
    for at in 0..trace.steps.len() {
        with(forged, "step dropped", trace, |trace| drop(trace.steps.remove(at)));
        with(forged, "step duplicated", trace, |trace| {
            let step = trace.steps[at].clone();
            trace.steps.insert(at, step);
        });
        for to in at + 1..trace.steps.len().min(at + 4) {
            with(forged, "step moved", trace, |trace| {
                let step = trace.steps.remove(at);
                trace.steps.insert(to, step);
            });
        }
        for thread in (0..trace.threads.len()).filter(|thread| *thread != trace.steps[at].thread) {
            with(forged, "another thread", trace, |trace| trace.steps[at].thread = thread);
        }
        for change in 0..trace.steps[at].changes.len() {
            with(forged, "value", trace, |trace| {
                let change = &mut trace.steps[at].changes[change];
                change.value = change.value.as_ref().map(another);
            });
            with(forged, "change not told", trace, |trace| drop(trace.steps[at].changes.remove(change)));
        }
    }
    match &trace.finish {
        Finish::Error(told) => {
            for thread in (0..trace.threads.len()).filter(|thread| *thread != told.thread) {
                with(forged, "error of another thread", trace, |trace| error(trace).thread = thread);
            }
            for line in (1..told.line + 3).filter(|line| *line != told.line) {
                with(forged, "error moved", trace, |trace| error(trace).line = line);
            }
        }
        Finish::State(told) => other_values(trace, told, forged),
        Finish::Repeat(told) => {
            other_values(trace, &told.state, forged);
            for from in (0..trace.steps.len()).filter(|from| *from != told.from) {
                with(forged, "another part repeats", trace, |trace| repeat(trace).from = from);
            }
        }
    }
}

/// Other values at the end, or none.
fn other_values(trace: &Trace, told: &TraceState, forged: &mut Vec<Forgery>) {
    for (at, change) in told.shared.iter().enumerate() {
        let other = change.value.as_ref().map(another);
        with(forged, "shared value at the end", trace, |trace| end(trace).shared[at].value = other.clone());
    }
    for (thread, standing) in told.threads.iter().enumerate() {
        for (frame, told) in standing.frames.iter().enumerate() {
            for (at, change) in told.locals.iter().enumerate() {
                let other = change.value.as_ref().map(another);
                with(forged, "local value at the end", trace, |trace| {
                    end(trace).threads[thread].frames[frame].locals[at].value = other.clone();
                });
            }
        }
    }
}

/// Another value.
pub fn another(value: &TraceValue) -> TraceValue {
    match value {
        TraceValue::Number(0) => TraceValue::Number(1),
        TraceValue::Number(value) => TraceValue::Number(value - 1),
        TraceValue::Name(name) => TraceValue::Name(format!("not {name}")),
    }
}
