//! `fpsolve replay PROG.bp TRACE.json`: executes a stored trace again.

use super::Exit;
use super::arguments::{Programs, Resources};
use super::output::{conclude, print, reject};
use crate::model::trace::{Finish, Repeat, Trace, Verified};
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use clap::Args;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Replay {
    /// The program, PROG.bp
    #[arg(value_name = "PROG")]
    pub model: String,
    /// The trace, TRACE.json
    #[arg(value_name = "TRACE")]
    pub trace: String,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub program: Programs,
}

pub fn replay(arguments: &Replay) -> Exit {
    let (trace, program) = (&arguments.trace, &arguments.model);
    let replayed = attempt(arguments);
    conclude();
    match replayed {
        Err(rejection) => reject(&rejection, false),
        Ok((read, Verified::Run)) => {
            let end = match &read.finish {
                Finish::Error(_) => "and the error is reached".to_string(),
                Finish::State(_) => "and the end is as it says".to_string(),
                Finish::Repeat(repeat) => repeats(&read, repeat),
            };
            print(&format!("{trace}: {}, {end}\n", count(read.steps.len())));
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

fn count(steps: usize) -> String {
    if steps == 1 { "1 step".into() } else { format!("{steps} steps") }
}

fn repeats(trace: &Trace, repeat: &Repeat) -> String {
    let steps = match trace.steps.len() - repeat.from {
        1 => "and the last one repeats".to_string(),
        last => format!("and the last {last} repeat"),
    };
    match repeat.conditions.len() {
        0 => steps,
        1 => format!("{steps} and meet 1 condition"),
        conditions => format!("{steps} and meet {conditions} conditions"),
    }
}

fn attempt(arguments: &Replay) -> Result<(Trace, Verified), Rejection> {
    let model = files::model(&arguments.model, &arguments.program.options_for(&arguments.model))?;
    let mistake = |what: String| Diagnostic::error("fp::trace", format!("`{}`: {what}", arguments.trace));
    let reading = phase::enter("reading the trace");
    let text = files::read_data(Path::new(&arguments.trace)).map_err(mistake)?;
    let trace = Trace::from_json(&text)
        .map_err(|what| mistake(what).help("write one with `fpsolve ALGORITHM PROG.bp --trace json`"))?;
    drop(reading);
    let _executing = phase::enter("executing the trace");
    let verified = model.verify(&trace);
    Ok((trace, verified))
}
