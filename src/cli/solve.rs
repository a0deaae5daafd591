//! `fpsolve FILE [MODEL]`: one run.

use super::arguments::{Input, OutputFormat, Run, RunFormat};
use super::output::{diagnose, print, reject, width};
use super::progress::Progress;
use super::{Exit, algorithm, certify, explain as explaining, fault, show, watchdog};
use crate::explain::{self, Explained, Traced};
use crate::model::program::cfg::Cfg;
use crate::report::html::{self, Report};
use crate::report::{json, profile, sarif, statistics, text};
use crate::run::deepen::deepen;
use crate::run::{AboutModel, Conclusion, Facts, Laps, Outcome, Request, Solving, files, handles_calls, run};
use calculus::check::tree::{Body, VerdictKind};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::solve;
use std::rc::Rc;
use std::time::Instant;

/// How many tuples of an open query are listed without `--all`.
const LISTED: usize = 20;

pub fn solve(arguments: &Run) -> Exit {
    match outcome(arguments) {
        Err(rejection) if arguments.format == RunFormat::Sarif => {
            print(&sarif::rejection(&rejection, Exit::Mistake as u8));
            Exit::Mistake
        }
        Err(rejection) => reject(&rejection, arguments.format == RunFormat::Json),
        Ok(None) => Exit::Success,
        Ok(Some(Done { outcome, cfg, own, solving, traced, explanations })) => {
            let exit = exit(&outcome.conclusion());
            let report = Report { outcome: &outcome, solving: &solving, traced: traced.as_ref(), own: &own };
            let page = arguments.report.as_ref().map(|path| (path, html::page(&report)));
            // A report has a trace in it whether or not it is to be printed.
            let traced = traced.as_ref().filter(|_| arguments.trace.is_some());
            let profiled = arguments.profile.is_some();
            match (arguments.format, traced) {
                // A trace as JSON is one document, to be stored and replayed; so is a profile.
                (_, Some(Traced::Trace(trace))) if arguments.trace == Some(OutputFormat::Json) => {
                    print(&json::pretty(&trace.to_json()));
                }
                (RunFormat::Json, _) => print(&explaining::json(&outcome, profiled, traced, &explanations)),
                (RunFormat::Sarif, _) => print(&sarif::outcome(&outcome, cfg.as_deref(), exit as u8)),
                (RunFormat::Text, _) if arguments.profile == Some(OutputFormat::Json) => {}
                (RunFormat::Text, _) => {
                    diagnose(&outcome.sources, &outcome.warnings);
                    print(&answers(&outcome, arguments));
                    explaining::explain(arguments, &outcome, traced, &explanations);
                }
            }
            if let (Some(format), RunFormat::Text) = (arguments.profile, arguments.format) {
                let found = profile::profile(&outcome);
                print(&match format {
                    OutputFormat::Json => profile::document(&outcome, &found),
                    OutputFormat::Text => {
                        format!("\n{}", profile::text(&found, &outcome.sources, arguments.all, width()))
                    }
                });
            }
            if let Some((path, page)) = page
                && let Err(error) = std::fs::write(path, page)
            {
                let title = format!("cannot write `{}`: {}", path.display(), files::reason(&error));
                return reject(&Diagnostic::error("fp::unwritable_file", title).into(), false);
            }
            let written = arguments.certificate.as_ref().and_then(|path| certify::write(path, &outcome));
            written.unwrap_or(exit)
        }
    }
}

/// Whether each step of deepening is printed when it is done: not where one JSON document is all that is wanted.
fn tells_steps(arguments: &Run) -> bool {
    let wanted = [arguments.trace, arguments.profile];
    arguments.format == RunFormat::Text && !wanted.contains(&Some(OutputFormat::Json))
}

fn answers(outcome: &Outcome, arguments: &Run) -> String {
    let mut out = text::text(outcome, width());
    if !outcome.steps.is_empty() && tells_steps(arguments) {
        out.insert(0, '\n');
    }
    if arguments.stats {
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
    /// The names of the variables that each thread has of its own.
    own: Vec<String>,
    solving: Solving,
    traced: Option<Traced>,
    explanations: Vec<Explained>,
}

/// Nothing if only a stage was to be shown.
fn outcome(arguments: &Run) -> Result<Option<Done>, Rejection> {
    let quiet = arguments.format != RunFormat::Text;
    if arguments.trace == Some(OutputFormat::Json) && arguments.profile == Some(OutputFormat::Json) {
        let title = "`--trace json` and `--profile json` are a document each";
        return Err(Diagnostic::error("fp::usage", title).help("ask for one of them").into());
    }
    let name = arguments.file.as_deref().unwrap_or_default();
    arguments.model.iter().for_each(|model| fault::inject(model));
    let inputs = [Some(name), arguments.model.as_deref()];
    certify::refuse_output(&inputs, arguments.certificate.as_ref(), "certificate")?;
    certify::refuse_output(&inputs, arguments.report.as_ref(), "report")?;
    let file = algorithm::find(name, arguments.model.as_deref())?;
    let options = arguments.program.options().for_file(handles_calls(&file));
    let begin = Instant::now();
    let model = arguments.model.as_deref().map(|path| files::model(path, &options)).transpose()?;
    let reading = begin.elapsed();
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
    if show::show(arguments, &request)? {
        return Ok(None);
    }
    let profiled = arguments.profile.is_some() || arguments.report.is_some();
    let solving = Solving {
        clauses: arguments.stats || profiled,
        sizes: arguments.stats || profiled || arguments.format == RunFormat::Json,
        samples: profiled,
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
            if tells_steps(arguments) {
                print(&text::step(step));
            }
        }),
    };
    let mut outcome = outcome.map_err(|rejection| algorithm::without_model(name, rejection))?;
    outcome.warnings.extend(unused_model(&outcome, arguments.model.as_deref()));
    let begin = Instant::now();
    let traced = match (arguments.trace.is_some() || arguments.report.is_some(), &model) {
        (true, Some(model)) => explain::trace(&request, &solving, model, &outcome)?,
        _ => None,
    };
    let params = outcome.system.params.clone();
    let asked = Request { params, ..request.clone() };
    let explanations = arguments.explain.iter().map(|text| explain::explain(&asked, &solving, text));
    let explanations = explanations.collect::<Result<Vec<_>, _>>()?;
    let cfg = model.as_ref().map(|model| model.cfg.clone());
    let own = model.iter().flat_map(|model| &model.program.own).map(|own| own.name.clone()).collect();
    let about = arguments.model.clone().zip(model);
    let about =
        about.map(|(name, model)| AboutModel { name, sources: model.sources, warnings: model.warnings });
    let laps = Laps { reading, explaining: begin.elapsed(), ..outcome.laps };
    let outcome = Outcome { model: about, laps, ..outcome };
    Ok(Some(Done { outcome, cfg, own, solving, traced, explanations }))
}

/// An answer about nothing is worth a word.
fn unused_model(outcome: &Outcome, model: Option<&str>) -> Option<Diagnostic> {
    let used = outcome.system.relations.iter().any(|relation| matches!(relation.body, Body::Model(_)));
    let title = format!("the answers are not about `{}`: the file does not use it", model.filter(|_| !used)?);
    Some(Diagnostic::warning("fp::unused_model", title).help("`use program;` makes its relations known"))
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
