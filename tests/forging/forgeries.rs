//! Traces that were tampered with. Most kinds are false by construction; the others are those that the oracle refuses.

use super::oracle::may_be_true;
use fpsolve::model::program::Program;
use fpsolve::model::trace::Change;
use fpsolve::model::trace::Trace;

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
            with(forged, "declared initial value", trace, |trace| trace.begin[at].1 = Some(!initial));
            with(forged, "declared initial value left out", trace, |trace| trace.begin[at].1 = None);
        }
    }
    for at in 0..trace.steps.len() {
        with(forged, "line", trace, |trace| trace.steps[at].line = lines + 1);
        with(forged, "statement", trace, |trace| nobody(&mut trace.steps[at].text));
        with(forged, "procedure", trace, |trace| nobody(&mut trace.steps[at].procedure));
        with(forged, "depth", trace, |trace| trace.steps[at].depth += 1);
        with(forged, "change of nothing", trace, |trace| {
            trace.steps[at].changes.push(Change { variable: "no variable".into(), value: Some(true) });
        });
        if trace.steps[at].round.is_some() && trace.steps[at + 1..].iter().any(|step| step.round.is_some()) {
            with(forged, "round", trace, |trace| trace.steps[at].round = Some(i64::MAX));
        }
    }
    with(forged, "line of the error", trace, |trace| trace.error.line = lines + 1);
    with(forged, "text of the error", trace, |trace| nobody(&mut trace.error.text));
    with(forged, "procedure of the error", trace, |trace| nobody(&mut trace.error.procedure));
}

/// What can be a run by chance: swapping two steps that do not touch each other, dropping one that changes nothing.
fn perhaps_false(trace: &Trace, forged: &mut Vec<Forgery>) {
    with(forged, "no steps", trace, |trace| trace.steps.clear());
    with(forged, "last step dropped", trace, |trace| drop(trace.steps.pop()));
    for (at, (_, value)) in trace.begin.iter().enumerate() {
        let other = value.map(|value| !value);
        with(forged, "initial value", trace, |trace| trace.begin[at].1 = other);
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
                change.value = change.value.map(|value| !value);
            });
            with(forged, "change not told", trace, |trace| drop(trace.steps[at].changes.remove(change)));
        }
    }
    for thread in (0..trace.threads.len()).filter(|thread| *thread != trace.error.thread) {
        with(forged, "error of another thread", trace, |trace| trace.error.thread = thread);
    }
    for line in 1..trace.error.line + 3 {
        if line != trace.error.line {
            with(forged, "error moved", trace, |trace| trace.error.line = line);
        }
    }
}
