//! `fpsolve replay PROG.bp TRACE.json`: executes a stored trace again.

use super::Exit;
use super::arguments::Replay;
use super::output::{conclude, print, reject};
use crate::model::trace::Trace;
use crate::model::trace::Verified;
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use std::path::Path;

pub fn replay(arguments: &Replay) -> Exit {
    let (trace, program) = (&arguments.trace, &arguments.model);
    let replayed = attempt(arguments);
    conclude();
    match replayed {
        Err(rejection) => reject(&rejection, false),
        Ok((steps, Verified::Run)) => {
            let steps = if steps == 1 { "1 step".into() } else { format!("{steps} steps") };
            print(&format!("{trace}: {steps}, and the error is reached\n"));
            Exit::Success
        }
        Ok((_, Verified::NoRun(mismatch))) => {
            let place =
                if mismatch.number == 0 { String::new() } else { format!("step {}: ", mismatch.number) };
            print(&format!("{trace}: not a run of {program}: {place}{}\n", mismatch.what));
            Exit::Unsafe
        }
        Ok((_, Verified::Undecided(number))) => {
            print(&format!("{trace}: unknown: too many states of {program} fit step {number}\n"));
            Exit::Unknown
        }
    }
}

fn attempt(arguments: &Replay) -> Result<(usize, Verified), Rejection> {
    let model = files::model(&arguments.model, &arguments.program.options())?;
    let mistake = |what: String| Diagnostic::error("fp::trace", format!("`{}`: {what}", arguments.trace));
    let reading = phase::enter("reading the trace");
    let text = files::read_data(Path::new(&arguments.trace)).map_err(mistake)?;
    let trace = Trace::from_json(&text)
        .map_err(|what| mistake(what).help("write one with `fpsolve ALGORITHM PROG.bp --trace json`"))?;
    drop(reading);
    let _executing = phase::enter("executing the trace");
    Ok((trace.steps.len(), model.verify(&trace)))
}
