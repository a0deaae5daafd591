//! Testing a file: it is run once for each setting that its expectations name, and compared with them.

use super::deepen::deepen;
use super::expectation::{Expectation, Settings, Subject, expectations, expectations_of_program};
use super::{Facts, Outcome, QueryResult, Request, Solving, files, handles_calls, run};
use crate::model::ProgramOptions;
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
    /// Why it failed.
    pub failure: Option<String>,
}

/// The cases of a file, and the mistakes that no expectation asked for.
#[derive(Debug, Default)]
pub struct Examination {
    pub cases: Vec<Case>,
    pub rejections: Vec<Rejection>,
}

/// Runs a file, or algorithms on a program, and compares. Settings that no expectation names are left at their
/// defaults.
pub fn examine(file: &Source, solving: &Solving, keyed: &[(String, bool)]) -> Examination {
    let is_program = files::is_program(&file.name);
    let lines = if is_program { expectations_of_program(&file.text) } else { expectations(&file.text) };
    let mut examination = Examination::default();
    let mut results: Vec<(Settings, Result<Outcome, Rejection>)> = Vec::new();
    for line in &lines {
        let failure = match &line.meaning {
            Err(why) => Some(why.clone()),
            Ok(expectation) => {
                let known = results.iter().position(|(settings, _)| *settings == expectation.settings);
                let at = known.unwrap_or_else(|| {
                    let result = run_with(file, &expectation.settings, solving, keyed);
                    results.push((expectation.settings.clone(), result));
                    results.len() - 1
                });
                let (_, result) = &mut results[at];
                if needs_more(expectation, result) {
                    let patient = Solving { early_stop: false, ..solving.clone() };
                    *result = run_with(file, &expectation.settings, &patient, keyed);
                }
                compare(expectation, result)
            }
        };
        examination.cases.push(Case { line: line.number, text: line.text.clone(), failure });
    }
    let expected = |settings: &Settings| {
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
    settings: &Settings,
    solving: &Solving,
    keyed: &[(String, bool)],
) -> Result<Outcome, Rejection> {
    let folder = Path::new(&file.name).parent().unwrap_or(Path::new(""));
    let mut request = Request {
        params: settings.params.clone(),
        facts: settings.facts.as_ref().map_or(Facts::None, |facts| Facts::Folder(folder.join(facts))),
        keyed: keyed.to_vec(),
        ..Request::new(file.clone())
    };
    if let Some(algorithm) = &settings.algorithm {
        request.file = files::algorithm(algorithm, folder)?;
        let options = ProgramOptions::default().for_file(handles_calls(&request.file));
        let model = crate::model::program(&file.name, &file.text, &options)?;
        request.model = Some(model.vocabulary);
    }
    // Answers are compared by their counts.
    let solving = Solving { list: 0, ..solving.clone() };
    match &settings.deepen {
        None => run(&request, &solving, None),
        Some(deepening) => deepen(&request, deepening, &solving, None, &mut |_| {}),
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

/// Why the expectation is not met, if it is not.
fn compare(expectation: &Expectation, result: &Result<Outcome, Rejection>) -> Option<String> {
    let expected = &expectation.expected;
    let got = match (&expectation.subject, result) {
        (Subject::Error, Err(rejection)) if rejection.is_about(expected) => {
            return None;
        }
        (_, Err(rejection)) => describe(rejection),
        (Subject::Error, Ok(_)) => "no mistake".into(),
        (Subject::Verdict, Ok(outcome)) => {
            let conclusion = outcome.conclusion();
            match (conclusion.word(), conclusion.reason()) {
                (Some(word), _) if word == expected => return None,
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
                return Some(format!("there is no query `{name}`{help}"));
            };
            match query.word() {
                Some(word) if word == *expected => return None,
                Some(word) => word,
                None => {
                    format!("no answer ({})", outcome.conclusion().reason().unwrap_or("it was not computed"))
                }
            }
        }
    };
    Some(format!("expected {expected}, got {got}"))
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
