//! The bundled algorithms give the verdicts that are known.

use super::front_end::options;
use super::manifest::{Row, programs};
use fpsolve::explain::{self, Traced};
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::run::{Request, Settings, files, handles_calls, run};

/// The verdict of an algorithm, in a word, with a run that replays if it is unsafe; the rejection's first code if there is none.
fn verdict(algorithm: &str, params: &[(&str, i64)], row: &Row, copies: Option<u32>) -> String {
    let file = files::find(algorithm, &[]).expect("a bundled algorithm");
    let mut reading = options(row);
    reading.copies = copies;
    let options = ProgramOptions { reading, ..ProgramOptions::default() }.for_file(handles_calls(&file));
    let model = match program(&row.path, &row.text(), &options) {
        Ok(model) => model,
        Err(rejection) => return rejection.diagnostics[0].code.to_string(),
    };
    let request = Request {
        params: params.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        model: Some(model.vocabulary.clone()),
        ..Request::new(file)
    };
    let solving = Settings { list: 0, ..Settings::default() };
    match run(&request, &solving) {
        Ok(outcome) => {
            let traced = explain::trace(&request, &solving, &model, &outcome).expect("it was checked before");
            assert!(
                matches!(traced, None | Some(Traced::Trace(_))),
                "{algorithm} on {}: {traced:?}",
                row.path
            );
            outcome.conclusion().word().expect("it has verdicts").to_string()
        }
        Err(rejection) => rejection.diagnostics[0].code.to_string(),
    }
}

#[test]
fn sequential_programs_have_their_known_verdicts() {
    let Some(rows) = programs() else { return };
    let mut compared = 0;
    for row in rows.iter().filter(|row| row.threads == "1") {
        let Some(reachable) = row.reachable() else { continue };
        let expected = if reachable { "unsafe" } else { "safe" };
        for algorithm in ["summaries", "summaries_eager"] {
            assert_eq!(verdict(algorithm, &[], row, None), expected, "{algorithm} on {}", row.path);
            compared += 1;
        }
    }
    assert!(compared >= 40, "only {compared} verdicts are known");
}

/// Programs with a fixed number of threads; what takes long is left to the benchmarks.
#[test]
fn programs_with_some_threads_have_their_known_verdicts() {
    let Some(rows) = programs() else { return };
    let mut compared = 0;
    for row in rows.iter().filter(|row| row.threads.parse().is_ok_and(|threads: u32| threads > 1)) {
        if row.path.contains("SafeStack") {
            continue;
        }
        let Some(reachable) = row.reachable() else { continue };
        let expected = if reachable { "unsafe" } else { "bounded" };
        for algorithm in ["lazy_cba", "product_cba"] {
            let found = verdict(algorithm, &[("contexts", 3)], row, Some(1));
            assert_eq!(found, expected, "{algorithm} on {}", row.path);
            compared += 1;
        }
    }
    assert!(compared >= 20, "only {compared} verdicts are known");
}

/// Programs with any number of threads: no wrong error, and nearly all errors within two rounds.
#[test]
fn programs_with_any_number_of_threads_have_their_known_verdicts() {
    let Some(rows) = programs() else { return };
    let (mut found, mut missed, mut clean) = (0, 0, 0);
    for row in
        rows.iter().filter(|row| row.threads.contains("unbounded") || row.threads.contains("parameterized"))
    {
        let verdict = verdict("linear_interfaces", &[("rounds", 2)], row, None);
        match (row.reachable(), verdict.as_str()) {
            // Variables of all other threads cannot be said in the vocabulary.
            (_, "bp::passive_variable") | (None, _) => {}
            (Some(true), "unsafe") => found += 1,
            (Some(true), "bounded") => missed += 1,
            (Some(false), "bounded") => clean += 1,
            (expected, verdict) => panic!("{}: {verdict}, reachable is {expected:?}", row.path),
        }
    }
    assert!(found >= 28 && missed <= 1 && clean >= 8, "{found} found, {missed} missed, {clean} clean");
}
