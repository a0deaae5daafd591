//! `fpsolve replay PROG.bp TRACE.json`: executes a stored trace again.

use super::Exit;
use super::arguments::Replay;
use super::output::{print, reject};
use crate::explain::replay::again;
use crate::explain::trace::Trace;
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};

pub fn replay(arguments: &Replay) -> Exit {
    match attempt(arguments) {
        Err(rejection) => reject(&rejection, false),
        Ok((steps, Ok(()))) => {
            print(&format!("{}: {steps} steps, and the error is reached\n", arguments.trace));
            Exit::Success
        }
        Ok((_, Err(why))) => {
            print(&format!("{}: not a run of {}: {why}\n", arguments.trace, arguments.model));
            Exit::Unsafe
        }
    }
}

type Replayed = (usize, Result<(), String>);

fn attempt(arguments: &Replay) -> Result<Replayed, Rejection> {
    let model = files::model(&arguments.model, &arguments.program.options())?;
    let mistake = |what: String| Diagnostic::error("fp::trace", format!("`{}`: {what}", arguments.trace));
    let text = std::fs::read_to_string(&arguments.trace).map_err(|error| mistake(error.to_string()))?;
    let trace = Trace::from_json(&text)
        .map_err(|what| mistake(what).help("write one with `fpsolve ALGORITHM PROG.bp --trace json`"))?;
    let replayed = again(&model.program, &trace).map_err(|mismatch| match mismatch.number {
        0 => mismatch.what,
        number => format!("step {number}: {}", mismatch.what),
    });
    Ok((trace.steps.len(), replayed))
}
