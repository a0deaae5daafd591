//! `--trace` and `--explain`: what stands below the answers.

use super::arguments::Run;
use super::output::{print, width};
use crate::bundled;
use crate::explain::{Explained, Traced};
use crate::report::profile::{self, Profile};
use crate::report::{derivation, json, stopped, strategy, trace};
use crate::run::Outcome;
use calculus::solve::{Explanation, STRATEGY_MOST};
use serde_json::json;

/// Prints, as text, what was to be explained.
pub fn explain(arguments: &Run, outcome: &Outcome, traced: Option<&Traced>, explanations: &[Explained]) {
    match traced {
        Some(Traced::Trace(found)) => {
            let file = arguments.model.as_deref().unwrap_or_default();
            print(&format!("\n{}", trace::trace(found, file)));
        }
        Some(Traced::Wrong(_)) => print(&format!("\ntrace: {}\n", no_trace(arguments, outcome, traced))),
        None if arguments.trace.is_none() => {}
        Some(Traced::None(_)) | None => {
            print(&format!("\ntrace: none, because {}\n", no_trace(arguments, outcome, traced)));
        }
    }
    for explained in explanations {
        print(&format!("\n{}", explanation(explained, arguments.all, "--all")));
    }
}

/// An explanation as text. `more` is what shows all of a long one.
pub fn explanation(explained: &Explained, all: bool, more: &str) -> String {
    let Explained { checked, question, explanation } = explained;
    match explanation {
        Explanation::Present(found) => {
            let text = derivation::text(checked, found, all, more);
            let there = format!("{} is there\n\n", question.text);
            if question.negated { there + &text } else { text }
        }
        Explanation::Absent(attempts) => derivation::absent(checked, question, attempts),
        Explanation::TooMany => unreachable!("that is said of strategies only"),
        Explanation::Stopped(stop) => {
            format!("{}: the explanation was given up: {stop}\n", question.text)
        }
    }
}

/// Prints strategies as text.
pub fn strategies(arguments: &Run, strategies: &[Explained]) {
    for Explained { checked, question, explanation } in strategies {
        let text = match explanation {
            Explanation::Present(found) => {
                let tables = strategy::tables(checked, found);
                strategy::text(checked, question, &tables, arguments.all, width())
            }
            _ => format!("strategy of {}: none, because {}\n", question.text, no_strategy(explanation)),
        };
        print(&format!("\n{text}"));
    }
}

/// Why there is no strategy.
fn no_strategy(explanation: &Explanation) -> String {
    match explanation {
        Explanation::Stopped(stop) => format!("the search was given up: {stop}"),
        Explanation::TooMany => {
            format!("it would be for more than {STRATEGY_MOST} tuples: say which, as in 'Win(3)'")
        }
        Explanation::Present(_) | Explanation::Absent(_) => "there is no such tuple".into(),
    }
}

/// Why there is no trace.
fn no_trace(arguments: &Run, outcome: &Outcome, traced: Option<&Traced>) -> String {
    match traced {
        Some(Traced::None(why)) => why.clone(),
        Some(Traced::Wrong(what)) => {
            // A bundled file makes runs of its derivations; what a user's file says may be no run.
            let bundled =
                arguments.file.as_deref().is_some_and(|file| matches!(bundled::named(file), Ok(Some(_))));
            let whose = match bundled {
                true => "internal error: the interpreter cannot follow the run",
                false => "the file's marks make a run that the interpreter cannot follow",
            };
            format!("{whose} ({what})")
        }
        Some(Traced::Trace(_)) | None => match (&arguments.model, outcome.conclusion().word()) {
            (None, _) => "there is no program".to_string(),
            (Some(_), Some(word)) => format!("the verdict is {word}, not unsafe"),
            (Some(_), None) => "there is no verdict".to_string(),
        },
    }
}

/// The object of a run with its trace, if one was asked for, and the explanations.
pub fn json(
    arguments: &Run,
    outcome: &Outcome,
    profile: Option<&Profile>,
    traced: Option<&Traced>,
    [explanations, strategies]: [&[Explained]; 2],
) -> String {
    let mut object = json::object(outcome);
    if let Some(profile) = profile {
        object["profile"] = profile::json(profile, &outcome.sources);
    }
    match traced {
        Some(Traced::Trace(found)) => object["trace"] = found.to_json(),
        None if arguments.trace.is_none() => {}
        _ => object["no_trace"] = no_trace(arguments, outcome, traced).into(),
    }
    if !explanations.is_empty() {
        let all = explanations.iter().map(|Explained { checked, question, explanation }| match explanation {
            Explanation::Present(found) => derivation::json(checked, question, found),
            Explanation::Absent(attempts) => derivation::absent_json(checked, question, attempts),
            Explanation::TooMany => unreachable!("that is said of strategies only"),
            Explanation::Stopped(stop) => {
                json!({ "asked": question.text, "reason": stop.to_string(), "stop": stopped::object(stop) })
            }
        });
        object["explanations"] = all.collect();
    }
    if !strategies.is_empty() {
        let all = strategies.iter().map(|Explained { checked, question, explanation }| match explanation {
            Explanation::Present(found) => {
                strategy::json(checked, question, &strategy::tables(checked, found))
            }
            _ => json!({ "asked": question.text, "reason": no_strategy(explanation) }),
        });
        object["strategies"] = all.collect();
    }
    json::pretty(&object)
}
