//! The bundled algorithms give the verdicts that are known.

use super::front_end::{is_passive, is_read, options};
use super::manifest::{Row, test};
use fpsolve::explain::{self, Traced};
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::run::{Request, Settings, files, handles_calls, run};
use libtest_mimic::Trial;
use std::sync::Arc;

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

/// Errors that need more than two rounds.
const DEEP: [&str; 1] = ["satabs-boppo/Threads5/main.bp"];

pub fn trials(rows: &[Arc<Row>]) -> Vec<Trial> {
    let mut out = Vec::new();
    let mut add = |row: &Arc<Row>, algorithm: &'static str, run: fn(&str, &Row)| {
        out.push(test(row, algorithm, move |row| run(algorithm, row)));
    };
    let any = |row: &Row| row.threads.contains("unbounded") || row.threads.contains("parameterized");
    let (mut sequential, mut some, mut many, mut passive) = (0, 0, 0, 0);
    for row in rows {
        let known = row.reachable().is_some();
        if row.threads == "1" && known {
            sequential += 1;
            for algorithm in ["summaries", "summaries_eager"] {
                add(row, algorithm, decides_a_sequential_program);
            }
        }
        // What takes long is left to the benchmarks.
        let is_large = row.path.contains("SafeStack");
        if row.threads.parse().is_ok_and(|threads: u32| threads > 1) && known && !is_large {
            some += 1;
            for algorithm in ["lazy_cba", "product_cba"] {
                add(row, algorithm, decides_some_threads);
            }
        }
        if any(row) && is_read(row) && is_passive(row) {
            passive += usize::from(known);
            add(row, "views", decides_threads_that_change_others);
        } else if any(row) && is_read(row) {
            many += usize::from(known);
            add(row, "linear_interfaces", decides_any_number_of_threads);
        }
    }
    assert!(
        sequential >= 20 && some >= 10 && many >= 37 && passive >= 12,
        "only {sequential}, {some}, {many} and {passive} verdicts are known"
    );
    out
}

/// Errors that need four threads, which take minutes.
const CROWDED: [&str; 3] = ["reduced.98.bp", "reduced.60.bp", "missing-in-action.bp"];

fn decides_threads_that_change_others(algorithm: &str, row: &Row) {
    let is_crowded = CROWDED.iter().any(|name| row.path.ends_with(name));
    let found = (1..=if is_crowded { 1 } else { 2 }).map(|k| verdict(algorithm, &[("k", k)], row, None));
    let found = found.into_iter().find(|found| found != "unknown");
    match row.reachable() {
        _ if is_crowded => assert_eq!(found, None),
        Some(true) => assert_eq!(found.as_deref(), Some("unsafe")),
        Some(false) => assert_eq!(found.as_deref(), Some("safe")),
        None => assert!(found.is_some()),
    }
}

fn decides_a_sequential_program(algorithm: &str, row: &Row) {
    let expected = if row.reachable() == Some(true) { "unsafe" } else { "safe" };
    assert_eq!(verdict(algorithm, &[], row, None), expected);
}

fn decides_some_threads(algorithm: &str, row: &Row) {
    let expected = if row.reachable() == Some(true) { "unsafe" } else { "bounded" };
    assert_eq!(verdict(algorithm, &[("contexts", 3)], row, Some(1)), expected);
}

/// Where no verdict is known, a run that ends in an error must replay.
fn decides_any_number_of_threads(algorithm: &str, row: &Row) {
    let found = verdict(algorithm, &[("rounds", 2)], row, None);
    match row.reachable() {
        Some(true) if !DEEP.contains(&row.path.as_str()) => assert_eq!(found, "unsafe"),
        Some(_) => assert_eq!(found, "bounded"),
        None => assert!(["unsafe", "bounded"].contains(&found.as_str()), "{found}"),
    }
}
