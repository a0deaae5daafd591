//! `fpsolve FILE [MODEL]`: one run.

use super::arguments::{COMMANDS, Input, OutputFormat, Run, RunFormat};
use super::output::{diagnose, print, reject, width};
use super::progress::Progress;
use super::{Exit, certify, explain as explaining, fault, watchdog};
use crate::explain::{self, Explained, Traced};
use crate::model::program::cfg::Cfg;
use crate::report::{json, sarif, statistics, text};
use crate::run::deepen::deepen;
use crate::run::{
    AboutModel, Conclusion, Facts, Outcome, Rejection, Request, Solving, files, handles_calls, run,
};
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::Diagnostic;
use calculus::solve;
use std::rc::Rc;

/// How many tuples of an open query are listed without `--all`.
const LISTED: usize = 20;

pub fn solve(arguments: &Run) -> Exit {
    match outcome(arguments) {
        Err(rejection) if arguments.format == RunFormat::Sarif => {
            print(&sarif::rejection(&rejection, Exit::Mistake as u8));
            Exit::Mistake
        }
        Err(rejection) => reject(&rejection, arguments.format == RunFormat::Json),
        Ok(Done { outcome, cfg, traced, explanations }) => {
            let exit = exit(&outcome.conclusion());
            match (arguments.format, &traced) {
                // A trace as JSON is one document, to be stored and replayed.
                (_, Some(Traced::Trace(trace))) if arguments.trace == Some(OutputFormat::Json) => {
                    print(&json::pretty(&trace.to_json()));
                }
                (RunFormat::Json, _) => print(&explaining::json(&outcome, traced.as_ref(), &explanations)),
                (RunFormat::Sarif, _) => print(&sarif::outcome(&outcome, cfg.as_deref(), exit as u8)),
                (RunFormat::Text, _) => {
                    diagnose(&outcome.sources, &outcome.warnings);
                    print(&answers(&outcome, arguments.stats));
                    explaining::explain(arguments, traced.as_ref(), &explanations);
                }
            }
            let written = arguments.certificate.as_ref().and_then(|path| certify::write(path, &outcome));
            written.unwrap_or(exit)
        }
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

/// What a run came to, the control flow of the program that it is about, and what was to be explained.
struct Done {
    outcome: Outcome,
    cfg: Option<Rc<Cfg>>,
    traced: Option<Traced>,
    explanations: Vec<Explained>,
}

fn outcome(arguments: &Run) -> Result<Done, Rejection> {
    let quiet = arguments.format != RunFormat::Text;
    let name = arguments.file.as_deref().unwrap_or_default();
    arguments.model.iter().for_each(|model| fault::inject(model));
    let inputs = [Some(name), arguments.model.as_deref()];
    certify::refuse_overwriting(&inputs, arguments.certificate.as_ref())?;
    let file = files::find(name, &COMMANDS)?;
    let options = arguments.program.options().for_file(handles_calls(&file));
    let model = arguments.model.as_deref().map(|path| files::model(path, &options)).transpose()?;
    if let Some(model) = &model
        && !quiet
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
    let _watchdog = watchdog::watch(&solving, name, arguments.format);
    let mut progress = Progress::on_terminal().filter(|_| !quiet);
    let mut tell = progress.as_mut().map(|progress| |now: &solve::Progress| progress.tell(now));
    let tell = tell.as_mut().map(|tell| tell as &mut dyn FnMut(&solve::Progress));
    let outcome = match &arguments.deepen {
        None => run(&request, &solving, tell),
        Some(deepening) => deepen(&request, deepening, &solving, tell, &mut |step| {
            if !quiet {
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
    let cfg = model.as_ref().map(|model| model.cfg.clone());
    let about = arguments.model.clone().zip(model);
    let about =
        about.map(|(name, model)| AboutModel { name, sources: model.sources, warnings: model.warnings });
    Ok(Done { outcome: Outcome { model: about, ..outcome }, cfg, traced, explanations })
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
