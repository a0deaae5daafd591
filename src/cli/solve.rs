//! `fpsolve FILE [MODEL]`: one run.

use super::arguments::{COMMANDS, Input, OutputFormat, Run};
use super::output::{diagnose, print, reject, width};
use super::progress::Progress;
use super::{Exit, certify, watchdog};
use crate::explain::{self, Explained, Traced};
use crate::report::{derivation, json, statistics, text, trace};
use crate::run::deepen::deepen;
use crate::run::{
    AboutModel, Conclusion, Facts, Outcome, Rejection, Request, Solving, files, handles_calls, run,
};
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::Diagnostic;
use calculus::solve::{self, Explanation};

/// How many tuples of an open query are listed without `--all`.
const LISTED: usize = 20;

pub fn solve(arguments: &Run) -> Exit {
    let as_json = arguments.format == OutputFormat::Json;
    match outcome(arguments) {
        Err(rejection) => reject(&rejection, as_json),
        Ok((outcome, traced, explanations)) => {
            let only_trace =
                matches!((&traced, arguments.trace), (Some(Traced::Trace(_)), Some(OutputFormat::Json)));
            if only_trace {
                // One JSON document, to be stored and replayed.
            } else if as_json {
                print(&json::outcome(&outcome));
            } else {
                diagnose(&outcome.sources, &outcome.warnings);
                print(&answers(&outcome, arguments.stats));
            }
            match traced {
                Some(Traced::Trace(trace)) if arguments.trace == Some(OutputFormat::Json) => {
                    print(&json::pretty(&trace.to_json()));
                }
                Some(Traced::Trace(trace)) => {
                    let file = arguments.model.as_deref().unwrap_or_default();
                    print(&format!("\n{}", trace::trace(&trace, file)));
                }
                Some(Traced::None(why)) => print(&format!("\ntrace: none, because {why}\n")),
                Some(Traced::Wrong(what)) => print(&format!(
                    "\ntrace: internal error: the interpreter cannot follow the run ({what})\n"
                )),
                None => {}
            }
            explanations.iter().for_each(|explained| explain_one(arguments, explained));
            let written = arguments.certificate.as_ref().and_then(|path| certify::write(path, &outcome));
            written.unwrap_or_else(|| exit(&outcome.conclusion()))
        }
    }
}

fn explain_one(arguments: &Run, explained: &Explained) {
    let Explained { checked, question, explanation } = explained;
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
        OutputFormat::Json => print(&json::pretty(&object)),
        OutputFormat::Text => print(&format!("\n{text}")),
    }
}

fn answers(outcome: &Outcome, stats: bool) -> String {
    let mut out = text::text(outcome, width());
    if !outcome.steps.is_empty() {
        out.insert(0, '\n');
    }
    if stats {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&statistics::statistics(outcome, width()));
    }
    out
}

fn outcome(arguments: &Run) -> Result<(Outcome, Option<Traced>, Vec<Explained>), Rejection> {
    let as_json = arguments.format == OutputFormat::Json;
    let name = arguments.file.as_deref().unwrap_or_default();
    let inputs = [Some(name), arguments.model.as_deref()];
    certify::refuse_overwriting(&inputs, arguments.certificate.as_ref())?;
    let file = files::find(name, &COMMANDS)?;
    let options = arguments.program.options().for_file(handles_calls(&file));
    let model = arguments.model.as_deref().map(|path| files::model(path, &options)).transpose()?;
    if let Some(model) = &model
        && !as_json
    {
        diagnose(&model.sources, &model.warnings);
    }
    let request = Request {
        params: params(&arguments.input)?,
        facts: arguments.input.facts.clone().map_or(Facts::None, Facts::Folder),
        model: model.as_ref().map(|model| model.vocabulary.clone()),
        keyed: arguments.solving.keyed(),
        ..Request::new(file)
    };
    let solving = Solving {
        clause_tuples: arguments.stats,
        certificate: arguments.certificate.is_some(),
        list: if arguments.all { usize::MAX } else { LISTED },
        ..arguments.solving.settings()
    };
    let _watchdog = watchdog::watch(&solving, name, as_json);
    let mut progress = Progress::on_terminal().filter(|_| !as_json);
    let mut tell = progress.as_mut().map(|progress| |now: &solve::Progress| progress.tell(now));
    let tell = tell.as_mut().map(|tell| tell as &mut dyn FnMut(&solve::Progress));
    let outcome = match &arguments.deepen {
        None => run(&request, &solving, tell),
        Some(deepening) => deepen(&request, deepening, &solving, tell, &mut |step| {
            if !as_json {
                print(&text::step(step));
            }
        }),
    };
    let outcome = outcome?;
    let traced = match (&arguments.trace, &model) {
        (Some(_), Some(model)) => explain::trace(&request, &solving, model, &outcome)?,
        _ => None,
    };
    let params = outcome.system.params.clone();
    let asked = Request { params, ..request.clone() };
    let explanations = arguments.explain.iter().map(|text| explain::explain(&asked, &solving, text));
    let explanations = explanations.collect::<Result<Vec<_>, _>>()?;
    let about = arguments.model.clone().zip(model);
    let about =
        about.map(|(name, model)| AboutModel { name, sources: model.sources, warnings: model.warnings });
    Ok((Outcome { model: about, ..outcome }, traced, explanations))
}

/// The values of parameters; one that is set twice is a slip.
pub fn params(input: &Input) -> Result<std::collections::BTreeMap<String, i64>, Diagnostic> {
    let mut params = std::collections::BTreeMap::new();
    for (name, value) in &input.set {
        if let Some(before) = params.insert(name.clone(), *value) {
            let title = format!("`{name}` is set twice, to {before} and to {value}");
            return Err(Diagnostic::error("fp::usage", title).help("keep one --set of it"));
        }
    }
    Ok(params)
}

fn exit(conclusion: &Conclusion) -> Exit {
    match conclusion {
        Conclusion::Verdict(VerdictKind::Unsafe, _) => Exit::Unsafe,
        Conclusion::Verdict(VerdictKind::Unknown, _) | Conclusion::Stopped(_) => Exit::Unknown,
        Conclusion::Verdict(VerdictKind::Safe | VerdictKind::Bounded, _)
        | Conclusion::NoneHolds
        | Conclusion::NoVerdicts => Exit::Success,
    }
}
