//! `--trace` and `--explain`: what stands below the answers.

use super::arguments::{OutputFormat, Run, RunFormat};
use super::output::print;
use crate::bundled;
use crate::explain::{Explained, Traced};
use crate::report::{derivation, json, trace};
use calculus::solve::Explanation;

/// Whether the trace is all that is printed.
pub fn is_alone(arguments: &Run, traced: Option<&Traced>) -> bool {
    matches!((traced, arguments.trace), (Some(Traced::Trace(_)), Some(OutputFormat::Json)))
}

pub fn explain(arguments: &Run, traced: Option<&Traced>, explanations: &[Explained]) {
    let blank = if is_alone(arguments, traced) { "" } else { "\n" };
    match traced {
        Some(Traced::Trace(found)) if is_alone(arguments, traced) => print(&json::pretty(&found.to_json())),
        Some(Traced::Trace(found)) => {
            let file = arguments.model.as_deref().unwrap_or_default();
            print(&format!("{blank}{}", trace::trace(found, file)));
        }
        Some(Traced::None(why)) => print(&format!("{blank}trace: none, because {why}\n")),
        Some(Traced::Wrong(what)) => {
            // A bundled file makes runs of its derivations; what a user's file says may be no run.
            let bundled =
                arguments.file.as_deref().is_some_and(|file| matches!(bundled::named(file), Ok(Some(_))));
            let whose = match bundled {
                true => "internal error: the interpreter cannot follow the run",
                false => "the file's marks make a run that the interpreter cannot follow",
            };
            print(&format!("{blank}trace: {whose} ({what})\n"));
        }
        None => {}
    }
    explanations.iter().for_each(|explained| one(arguments, explained));
}

fn one(arguments: &Run, Explained { checked, question, explanation }: &Explained) {
    let (object, text) = match explanation {
        Explanation::Present(found) => {
            let text = derivation::text(checked, found, arguments.all);
            let text = if question.negated { format!("it is there:\n{text}") } else { text };
            (derivation::json(checked, found), text)
        }
        Explanation::Absent(attempts) => (
            derivation::absent_json(checked, question, attempts),
            derivation::absent(checked, question, attempts),
        ),
        Explanation::Stopped(stop) => {
            let text = format!("explanation: given up ({stop})\n");
            (serde_json::json!({ "reason": stop.to_string() }), text)
        }
    };
    match arguments.format {
        RunFormat::Text => print(&format!("\n{text}")),
        _ => print(&json::pretty(&object)),
    }
}
