//! `fpsolve FILE [MODEL]`: one run.

use super::arguments::{Document, Input, Run, Solving};
use super::output::{conclude, diagnose, print, refuse_output, reject, width};
use super::progress::ProgressLine;
use super::words::{self, Widths};
use super::{Exit, algorithm, certify, explain as explaining, harness, out, program, refine, show};
use crate::bundled;
use crate::explain::{self, Explained, Traced};
use crate::model::options::Words;
use crate::model::schema::{TARGET, TARGET_CLASS};
use crate::model::trace::Finish;
use crate::model::{ErrorKind, Model, ProgramOptions};
use crate::report::html::{self, PageReport};
use crate::report::{json, profile, sarif, shell_word, statistics, stopped, text};
use crate::run::deepen::deepen;
use crate::run::errors::asks_for;
use crate::run::{
    AboutModel, Conclusion, Facts, Outcome, Request, Settings, WordsAnswer, behind_dots, files,
    handles_calls, offered, run,
};
use calculus::bdd::{Stop, StopReason};
use calculus::check::WishedOrder;
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::Source;
use calculus::{phase, solve};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How many tuples of an open query are listed without `--all`.
const LISTED: usize = 20;

pub fn solve(arguments: &Run) -> Exit {
    if let Some(exit) = program::check(arguments) {
        return exit;
    }
    if let Some(search) = &arguments.refining.refine {
        return refine::refined(arguments, search);
    }
    match outcome(arguments) {
        Err(rejection) if arguments.document() == Document::Sarif => {
            print(&sarif::rejection(&rejection, Exit::Mistake as u8));
            Exit::Mistake
        }
        Err(rejection) => reject(&rejection, arguments.document() != Document::Text),
        Ok(None) => Exit::Success,
        Ok(Some(done)) => tell(arguments, &done),
    }
}

/// Prints an outcome, and writes what was asked for.
pub fn tell(arguments: &Run, done: &Done) -> Exit {
    let Done { outcome, model, own, settings, traced, explanations, strategies, explaining } = done;
    let (exit, explaining) = (exit(&outcome.conclusion(), arguments.alone.strict), *explaining);
    let writing = phase::enter_polling("writing the answer");
    let page = arguments.report.as_ref().map(|path| {
        let errors = model.as_ref().map_or_else(Vec::new, |model| model.errors());
        let (traced, checks) = (traced.as_ref(), &checks(arguments, outcome));
        let report = PageReport { outcome, settings, explaining, traced, own, errors: &errors, checks };
        (path, html::page(&report))
    });
    let harness = written_harness(arguments, outcome, traced.as_ref());
    // A report has a trace in it whether or not it is to be printed, and so has a harness.
    let traced = traced.as_ref().filter(|_| arguments.trace.is_some());
    let profile = arguments.profile.map(|_| profile::profile(outcome, explaining));
    let files = out::answer_files(arguments, outcome).and_then(|mut files| {
        files.extend(out::strategy_files(arguments, strategies)?);
        files.extend(out::order_file(arguments, outcome));
        Ok(files)
    });
    drop(writing);
    conclude();
    match (arguments.document(), traced, &profile) {
        // A trace is one document, to be stored and replayed; where there is none, the object of the run says why.
        (Document::Trace, Some(Traced::Trace(trace)), _) => print(&json::pretty(&trace.to_json())),
        (Document::Profile, _, Some(found)) => print(&profile::document(outcome, found)),
        (Document::Run | Document::Trace | Document::Profile, ..) => {
            let explained = [&explanations[..], strategies];
            print(&explaining::json(arguments, outcome, profile.as_ref(), traced, explained));
        }
        (Document::Sarif, ..) => print(&sarif::outcome(outcome, model.as_deref(), exit as u8)),
        (Document::Text, ..) => {
            diagnose(&outcome.sources, &outcome.warnings);
            print(&answers(outcome, arguments));
            explaining::explain(arguments, outcome, traced, explanations);
            explaining::strategies(arguments, strategies);
            if let Some(found) = &profile {
                let text = profile::text(found, &outcome.sources, arguments.all, width());
                print(&format!("\n{text}"));
            }
        }
    }
    match harness {
        Ok(told) => told.tell(arguments.document()),
        Err(rejection) => return reject(&rejection, false),
    }
    if let Some((path, page)) = page
        && let Err(error) = std::fs::write(path, page)
    {
        let title = format!("cannot write `{}`: {}", path.display(), files::reason(&error));
        return reject(&Diagnostic::error("fp::unwritable_file", title).into(), false);
    }
    if let Err(mistake) = files.and_then(|files| out::write(&files)) {
        return reject(&mistake.into(), false);
    }
    let written = arguments.certificate.as_ref().and_then(|path| certify::write(path, outcome));
    written.unwrap_or(exit)
}

fn written_harness(
    arguments: &Run,
    outcome: &Outcome,
    traced: Option<&Traced>,
) -> Result<harness::Told, Rejection> {
    let Some(model) = arguments.model.as_deref() else { return Ok(harness::Told::default()) };
    let bits = outcome.model.as_ref().and_then(|about| about.words).map(|words| words.bits);
    let trace = match traced {
        Some(Traced::Trace(trace)) if matches!(trace.finish, Finish::Error(_)) => Some(trace),
        _ => None,
    };
    harness::write(arguments, model, bits, trace)
}

/// How to check a proof: the command, with words before it.
fn checks(arguments: &Run, outcome: &Outcome) -> Vec<(String, String)> {
    let check = |path: &Path| {
        let model = arguments.model.as_deref();
        certify::command(arguments.file.as_deref().unwrap_or_default(), model, path, &arguments.program)
    };
    match (&arguments.certificate, &outcome.certificate) {
        (Some(path), Some(Ok(_))) => {
            let words = format!("The certificate of this proof is in {}. To check it, without the solver:", path.display());
            vec![(words, check(path))]
        }
        _ => vec![(
            "This run made no certificate. With --certificate proof.json it stores one. To check it then, without the solver:".into(),
            check(Path::new("proof.json")),
        )],
    }
}

/// What is said when a limit is reached where the solver cannot notice it.
pub fn given_up(arguments: &Run, stop: &Stop) -> String {
    let file = arguments.file.as_deref().unwrap_or_default();
    match arguments.document() {
        Document::Sarif => sarif::stopped(file, stop, Exit::Unknown as u8),
        Document::Text => stopped::verdict(stop),
        _ => {
            let (traced, profiled) = (arguments.trace.is_some(), arguments.profile.is_some());
            stopped::run(file, arguments.model.as_deref(), traced, profiled, stop)
        }
    }
}

/// What else may decide a program for which the time of one algorithm was too short.
fn advice(arguments: &Run, stop: &Stop) -> String {
    let own = !matches!(bundled::named(arguments.file.as_deref().unwrap_or_default()), Ok(Some(_)));
    match (stop.reason(), &arguments.model) {
        (StopReason::Time { limit: Some(limit) }, Some(model)) if !own => {
            let longer = limit.as_secs().max(1) * 4;
            let all = format!("the algorithms that fit the program (fpsolve {})", shell_word(model));
            format!("\nto find more: more time (--timeout {longer}s); {all}\n")
        }
        _ => String::new(),
    }
}

fn answers(outcome: &Outcome, arguments: &Run) -> String {
    let mut out = text::text(outcome, width(), "--all");
    if !outcome.steps.is_empty() {
        out.insert(0, '\n');
    }
    if arguments.stats {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&statistics::statistics(outcome, width()));
    }
    out + &outcome.conclusion().stop().map_or(String::new(), |stop| advice(arguments, stop))
}

/// What a run came to, the model that it is about, and what was to be explained.
pub struct Done {
    pub outcome: Outcome,
    model: Option<Box<dyn Model>>,
    /// The names of the variables that each thread has of its own.
    own: Vec<String>,
    settings: Settings,
    traced: Option<Traced>,
    explanations: Vec<Explained>,
    strategies: Vec<Explained>,
    /// What it took to find the trace and the explanations.
    explaining: Duration,
}

/// Nothing if only a stage was to be shown.
pub fn outcome(arguments: &Run) -> Result<Option<Done>, Rejection> {
    let quiet = matches!(arguments.document(), Document::Run | Document::Sarif);
    if let Some(mistake) = arguments.two_documents() {
        return Err(mistake.into());
    }
    let name = arguments.file.as_deref().unwrap_or_default();
    #[cfg(feature = "faults")]
    arguments.model.iter().for_each(|model| super::fault::inject(model));
    let inputs = [Some(name), arguments.model.as_deref()];
    refuse_output(&inputs, arguments.certificate.as_ref(), "a certificate", "--certificate")?;
    refuse_output(&inputs, arguments.report.as_ref(), "a report", "--report")?;
    refuse_output(&inputs, arguments.save_order.as_ref(), "an order", "--save-order")?;
    harness::check(arguments, arguments.model.as_deref())?;
    let outputs = [
        ("a certificate", &arguments.certificate),
        ("a report", &arguments.report),
        ("an order", &arguments.save_order),
    ];
    for (at, (what, path)) in outputs.iter().enumerate() {
        if let (Some(both), Some((other, _))) =
            (path, outputs[..at].iter().find(|(_, other)| other.is_some() && other == path))
        {
            let title = format!("`{}` would be {other} and {what}", both.display());
            return Err(Diagnostic::error("fp::usage", title).help("name two files").into());
        }
    }
    let file = algorithm::find(name, arguments.model.as_deref())?;
    let options = arguments.program.options().for_file(handles_calls(&file)).naming(behind_dots(&file));
    let widths = arguments.model.as_deref().and_then(|model| arguments.program.words.widths(model));
    let solved = match widths {
        None => answered(arguments, &file, &options, quiet)?,
        Some(widths) => {
            let solved = within_widths(arguments, &file, options, widths, quiet)?;
            solved.iter().try_for_each(|solved| about_an_error(arguments, solved))?;
            solved
        }
    };
    let Some(Solved { request, model, mut outcome }) = solved else { return Ok(None) };
    if !arguments.all {
        outcome.listed = LISTED;
    }
    let settings = told(arguments);
    let begin = Instant::now();
    let wanted = arguments.trace.is_some() || arguments.report.is_some() || arguments.harness.is_some();
    let traced = match (wanted, &model) {
        (true, Some(model)) => explain::trace(&request, &settings, &**model, &outcome)?,
        _ => None,
    };
    let params = outcome.system.params.clone();
    let asked = Request { params, ..request.clone() };
    let explanations = arguments.explain.iter().map(|text| explain::explain(&asked, &settings, text));
    let explanations = explanations.collect::<Result<Vec<_>, _>>()?;
    let strategies = arguments.strategy_of.iter().map(|text| explain::strategy(&asked, &settings, text));
    let strategies = strategies.collect::<Result<Vec<_>, _>>()?;
    // Without progress, so that the line goes from the terminal.
    let settings = Settings { progress: None, ..settings };
    let own = model.as_ref().map_or_else(Vec::new, |model| model.own_variables());
    let explaining = begin.elapsed();
    Ok(Some(Done { outcome, model, own, settings, traced, explanations, strategies, explaining }))
}

/// A question with its answer.
struct Solved {
    request: Request,
    model: Option<Box<dyn Model>>,
    outcome: Outcome,
}

/// Reads the model and solves; nothing if only a stage was to be shown.
fn answered(
    arguments: &Run,
    file: &Source,
    options: &ProgramOptions,
    quiet: bool,
) -> Result<Option<Solved>, Rejection> {
    let begin = Instant::now();
    let model = arguments.model.as_deref().map(|path| files::model(path, options)).transpose()?;
    let about = arguments.model.clone().zip(model.as_ref()).map(|(name, model)| AboutModel {
        name,
        sources: model.sources().clone(),
        warnings: model.warnings().to_vec(),
        reading: begin.elapsed(),
        words: None,
    });
    if let Some(model) = &model
        && !quiet
    {
        diagnose(model.sources(), model.warnings());
    }
    let request = Request {
        params: params(&arguments.input)?,
        facts: arguments.input.facts.clone().map_or(Facts::None, Facts::Folder),
        model: model.as_ref().map(|model| offered(&**model, file)).transpose()?,
        about,
        keyed: arguments.solving.keyed(),
        order: order(&arguments.solving)?,
        certificate: arguments.certificate.is_some(),
        ..Request::new(file.clone())
    };
    if show::show(arguments, &request)? {
        return Ok(None);
    }
    out::prepare(arguments)?;
    let outcome = solved(arguments, &request)?;
    Ok(Some(Solved { request, model, outcome }))
}

/// Runs of C programs that do not end in an error may end where a value has left its word, or where the process has ended:
/// what a file concludes from that would be wrong. If no run can be shown, the question is taken for one about errors.
fn about_an_error(arguments: &Run, solved: &Solved) -> Result<(), Rejection> {
    let is_unsafe = matches!(solved.outcome.conclusion(), Conclusion::Verdict(VerdictKind::Unsafe, _));
    let system = &solved.outcome.system;
    // Who asks for this class of targets knows that runs end there.
    if !is_unsafe || system.traces.is_empty() || asks_for(system, TARGET_CLASS.name) {
        return Ok(());
    }
    match finish(arguments, solved)? {
        None | Some(Finish::Error(_)) => Ok(()),
        Some(Finish::State(_) | Finish::Repeat(_)) => {
            let title = format!("the question of `{}` is not for C programs", solved.outcome.file);
            let help =
                "ask for errors: assertions that fail, indices outside of arrays, labels with --target";
            Err(Diagnostic::error("c::unsupported", title).help(help).into())
        }
    }
}

/// The line in which a run to the error ends.
fn line_of_error(arguments: &Run, solved: &Solved) -> Result<Option<usize>, Rejection> {
    Ok(match finish(arguments, solved)? {
        Some(Finish::Error(error)) => Some(error.line),
        Some(Finish::State(_) | Finish::Repeat(_)) | None => None,
    })
}

/// Where the run ends that shows the answer, if there is one to show.
fn finish(arguments: &Run, solved: &Solved) -> Result<Option<Finish>, Rejection> {
    let Some(model) = &solved.model else { return Ok(None) };
    let traced = explain::trace(&solved.request, &settings(arguments), &**model, &solved.outcome)?;
    Ok(match traced {
        Some(Traced::Trace(trace)) => Some(trace.finish),
        _ => None,
    })
}

/// Solves with words of growing width, until they are enough or there is an error.
fn within_widths(
    arguments: &Run,
    file: &Source,
    mut options: ProgramOptions,
    mut widths: Widths,
    quiet: bool,
) -> Result<Option<Solved>, Rejection> {
    // What is found in a model with more runs is looked at too, before it is weakened.
    let found = |solved: &Solved| match solved.outcome.answer.ending {
        solve::Ending::Verdict { kind, .. } => Some(kind),
        _ => None,
    };
    let kind = |solved: &Solved| match solved.outcome.conclusion() {
        Conclusion::Verdict(kind, _) => Some(kind),
        _ => None,
    };
    let tell = |mut solved: Solved, bits: u32, enough: Option<bool>| {
        if let Some(about) = &mut solved.outcome.model {
            about.words = Some(WordsAnswer { bits, enough });
        }
        Ok(Some(solved))
    };
    let mut before: Option<(Solved, u32)> = None;
    loop {
        let width = widths.first;
        options.reading.words = Words { width, left_out: None, ..options.reading.words };
        let first = match (answered(arguments, file, &options, quiet), before.take()) {
            // Numbers of this width are too large to compute with.
            (Err(_), Some((solved, width))) => return tell(solved, width, Some(false)),
            (first, _) => first?,
        };
        let Some(first) = first else { return Ok(None) };
        let system = &first.outcome.system;
        if ![&TARGET, &TARGET_CLASS].iter().any(|targets| asks_for(system, targets.name)) {
            // It does not see that a value leaves its word: what it says of all runs is said of those within the width.
            options.reading.words.left_out = Some(words::left_out(width, None));
            return answered(arguments, file, &options, true);
        }
        let enough = kind(&first) == Some(VerdictKind::Safe);
        if found(&first) != Some(VerdictKind::Unsafe) {
            return tell(first, width, enough.then_some(true));
        }
        let reached =
            first.model.as_deref().map_or_else(Vec::new, |model| sarif::reached(&first.outcome, model));
        let (left, errors): (Vec<_>, Vec<_>) =
            reached.into_iter().partition(|error| error.kind == ErrorKind::OutOfWidth);
        if left.is_empty() && !errors.is_empty() {
            return tell(first, width, None);
        }
        let line = match left.first() {
            Some(error) => Some(error.line),
            // A run that leads there tells it; a portfolio has no time for that.
            None if arguments.end_with_stdin => None,
            None => line_of_error(arguments, &first)?,
        };
        let place = line.and_then(|line| Some((line, first.model.as_deref()?.left_word(line)?)));
        options.reading.words.left_out = Some(words::left_out(width, place));
        let Some(second) = answered(arguments, file, &options, quiet)? else { return Ok(None) };
        match (kind(&second), widths.next()) {
            (Some(VerdictKind::Bounded), Some(next)) => {
                widths = next;
                before = Some((second, width));
            }
            (Some(VerdictKind::Bounded), None) => return tell(second, width, Some(false)),
            _ => return tell(second, width, None),
        }
    }
}

fn settings(arguments: &Run) -> Settings {
    let profiled = arguments.profile.is_some() || arguments.report.is_some();
    let solving = arguments.solving.settings();
    Settings {
        clauses: arguments.stats || profiled,
        sizes: arguments.stats || profiled || arguments.document() != Document::Text,
        samples: profiled,
        order: arguments.save_order.is_some(),
        // Files have all tuples.
        list: if arguments.all || arguments.out.is_some() { usize::MAX } else { LISTED },
        early_stop: solving.early_stop && arguments.out.is_none(),
        ..solving
    }
}

/// The settings; as long as they are there, a line on the terminal tells how far solving or explaining is.
fn told(arguments: &Run) -> Settings {
    let line = ProgressLine::on_terminal().filter(|_| arguments.document() == Document::Text);
    let progress = line.map(|line| Rc::new(move |now: &solve::Progress| line.tell(now)) as Rc<dyn Fn(&_)>);
    Settings { progress, ..settings(arguments) }
}

/// Checks and solves.
fn solved(arguments: &Run, request: &Request) -> Result<Outcome, Rejection> {
    let settings = told(arguments);
    let outcome = match &arguments.deepen {
        None => run(request, &settings),
        Some(deepening) => deepen(request, deepening, &settings, &mut |step| {
            // Of words, several widths are tried, and each would tell its steps.
            let words = request.model.as_ref().is_some_and(|_| arguments.program.words.width.is_some());
            if arguments.document() == Document::Text && !words {
                print(&text::step(step));
            }
        }),
    };
    let name = arguments.file.as_deref().unwrap_or_default();
    outcome.map_err(|rejection| algorithm::without_model(name, rejection))
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

/// The names in the file of `--order`: those of `hint order`, with commas or lines between them.
pub fn order(solving: &Solving) -> Result<WishedOrder, Diagnostic> {
    let Some(path) = &solving.order else { return Ok(WishedOrder::default()) };
    let text = files::read_data(path).map_err(|why| {
        let title = format!("cannot read the order in `{}`", path.display());
        Diagnostic::error("fp::usage", title).help(why)
    })?;
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    let names = lines.map(|line| line.strip_prefix("hint order").unwrap_or(line).trim_end_matches(';'));
    let names = names.flat_map(items).map(str::trim).filter(|name| !name.is_empty());
    Ok(WishedOrder { names: names.map(String::from).collect(), is_kept: false })
}

/// What stands between commas. Those of `Reach[1, 2].x` separate indices.
fn items(line: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    line.split(move |c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth <= 0
    })
}

fn exit(conclusion: &Conclusion, strict: bool) -> Exit {
    match conclusion {
        Conclusion::Verdict(VerdictKind::Bounded, _) if strict => Exit::Unknown,
        Conclusion::Verdict(VerdictKind::Unsafe, _) => Exit::Unsafe,
        Conclusion::Verdict(VerdictKind::Unknown, _) | Conclusion::Stopped(_) => Exit::Unknown,
        Conclusion::Verdict(VerdictKind::Safe | VerdictKind::Bounded, _)
        | Conclusion::NoneHolds
        | Conclusion::NoVerdicts => Exit::Success,
    }
}
