//! Testing a file: it is run once for each setting that its expectations name, and compared with them.

use super::deepen::deepen;
use super::expectation::{Expectation, Subject, Variant, expectations, expectations_of_program};
use super::{
    Facts, Outcome, QueryResult, Request, Settings, behind_dots, files, handles_calls, offered, run,
};
use crate::model::ProgramOptions;
use crate::model::options::{FormulaText, Words};
use crate::model::registry::front_end;
use calculus::diagnostic::{Rejection, Severity, nearest};
use calculus::solve::Ending;
use calculus::span::Source;
use std::path::Path;

/// An expectation that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The line of the expectation.
    pub line: usize,
    /// The expectation as written, without its marker.
    pub text: String,
    pub result: CaseResult,
}

/// What became of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseResult {
    Met,
    /// Why it is not met.
    Failed(String),
    /// Which limit was reached before there was an answer.
    Undecided(String),
}

/// The cases of a file, and the mistakes that no expectation asked for.
#[derive(Debug, Default)]
pub struct Examination {
    pub cases: Vec<Case>,
    pub rejections: Vec<Rejection>,
}

/// Runs a file, or algorithms on a program, and compares. Settings that no expectation names are left at their
/// defaults.
pub fn examine(file: &Source, settings: &dyn Fn() -> Settings, keyed: &[(String, bool)]) -> Examination {
    let is_program = files::is_model(&file.name);
    let lines = if is_program { expectations_of_program(&file.text) } else { expectations(&file.text) };
    let mut examination = Examination::default();
    let mut results: Vec<(Variant, Result<Outcome, Rejection>)> = Vec::new();
    for line in &lines {
        let result = match &line.meaning {
            Err(why) => CaseResult::Failed(why.clone()),
            Ok(expectation) => {
                let known = results.iter().position(|(settings, _)| *settings == expectation.settings);
                let at = known.unwrap_or_else(|| {
                    let result = run_with(file, &expectation.settings, settings(), keyed);
                    results.push((expectation.settings.clone(), result));
                    results.len() - 1
                });
                let (_, result) = &mut results[at];
                if needs_more(expectation, result) {
                    let patient = Settings { early_stop: false, ..settings() };
                    *result = run_with(file, &expectation.settings, patient, keyed);
                }
                compare(expectation, result)
            }
        };
        examination.cases.push(Case { line: line.number, text: line.text.clone(), result });
    }
    let expected = |settings: &Variant| {
        let meanings = lines.iter().filter_map(|line| line.meaning.as_ref().ok());
        meanings.filter(|one| one.settings == *settings).any(|one| one.subject == Subject::Error)
    };
    for (settings, result) in results {
        if let Err(rejection) = result
            && !expected(&settings)
        {
            examination.rejections.push(rejection);
        }
    }
    examination
}

fn run_with(
    file: &Source,
    variant: &Variant,
    settings: Settings,
    keyed: &[(String, bool)],
) -> Result<Outcome, Rejection> {
    let folder = Path::new(&file.name).parent().unwrap_or(Path::new(""));
    let mut request = Request {
        params: variant.params.clone(),
        facts: variant.facts.as_ref().map_or(Facts::None, |facts| Facts::Folder(folder.join(facts))),
        keyed: keyed.to_vec(),
        ..Request::new(file.clone())
    };
    if let Some(algorithm) = &variant.algorithm {
        request.file = files::algorithm(algorithm, folder)?;
        let handles = handles_calls(&request.file);
        let mut options = ProgramOptions::default().for_file(handles).naming(behind_dots(&request.file));
        options.reading.predicates.clone_from(&variant.predicates);
        if handles.outlines {
            // Who abstracts numbers needs no small ones.
            options.reading.words.width = Words::MOST;
        }
        let formula = variant.formula.as_ref().map(|name| folder.join(name).to_string_lossy().into_owned());
        options.formula = formula.map(|text| FormulaText { name: "ltl".into(), text });
        let front_end = front_end(&file.name).expect("only models name algorithms");
        let model = files::read_model(front_end, &file.name, &file.text, &options)?;
        request.model = Some(offered(&*model, &request.file)?);
    }
    // Answers are compared by their counts.
    let settings = Settings { list: 0, ..settings };
    match &variant.deepen {
        None => run(&request, &settings),
        Some(deepening) => deepen(&request, deepening, &settings, &mut |_| {}),
    }
}

/// A query was left out because the verdict was clear before it.
fn needs_more(expectation: &Expectation, result: &Result<Outcome, Rejection>) -> bool {
    match (&expectation.subject, result) {
        (Subject::Query(name), Ok(outcome)) => {
            let early = matches!(outcome.answer.ending, Ending::Verdict { early: true, .. });
            let open = |query: &QueryResult| query.answer.is_none() || query.partial;
            early && outcome.queries().iter().any(|query| query.name == name && open(query))
        }
        _ => false,
    }
}

/// Whether the expectation is met.
fn compare(expectation: &Expectation, result: &Result<Outcome, Rejection>) -> CaseResult {
    let expected = &expectation.expected;
    let got = match (&expectation.subject, result) {
        (Subject::Error, Err(rejection)) if rejection.is_about(expected) => {
            return CaseResult::Met;
        }
        (_, Err(rejection)) => describe(rejection),
        (Subject::Error, Ok(_)) => "no mistake".into(),
        (Subject::Verdict, Ok(outcome)) => {
            let conclusion = outcome.conclusion();
            match (conclusion.word(), conclusion.reason()) {
                _ if conclusion.stop().is_some() => return undecided(outcome),
                (Some(word), _) if word == expected => return CaseResult::Met,
                (Some(word), Some(why)) => format!("{word} ({why})"),
                (Some(word), None) => word.into(),
                (None, _) => "a file without verdicts".into(),
            }
        }
        (Subject::Query(name), Ok(outcome)) => {
            let queries = outcome.queries();
            let Some(query) = queries.iter().find(|query| query.name == name) else {
                let near = nearest(name, queries.iter().map(|query| query.name));
                let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                return CaseResult::Failed(format!("there is no query `{name}`{help}"));
            };
            match query.word() {
                Some(word) if word == *expected => return CaseResult::Met,
                Some(word) => word,
                None if outcome.conclusion().stop().is_some() => return undecided(outcome),
                None => {
                    format!(
                        "no answer ({})",
                        outcome.conclusion().reason().unwrap_or("it was not computed".into())
                    )
                }
            }
        }
    };
    CaseResult::Failed(format!("expected {expected}, got {got}"))
}

fn undecided(outcome: &Outcome) -> CaseResult {
    CaseResult::Undecided(outcome.conclusion().reason().unwrap_or_default())
}

fn describe(rejection: &Rejection) -> String {
    let Some(first) = rejection.diagnostics.iter().find(|d| d.severity == Severity::Error) else {
        return "a mistake".into();
    };
    match first.labels.first() {
        Some((span, _)) => {
            let (file, line) = (&rejection.sources.get(span.file).name, rejection.sources.line(*span));
            format!("{} ({}) at {file}:{line}", first.code, first.title)
        }
        None => format!("{} ({})", first.code, first.title),
    }
}
