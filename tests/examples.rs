//! Every example gives what it says, and every algorithm on every example that names it gives what was seen before,
//! under several treatments.

mod support;

use calculus::bdd::Reorder;
use calculus::span::Source;
use fpsolve::run::deepen::deepen;
use fpsolve::run::examine::{CaseResult, examine};
use fpsolve::run::expectation::{Variant, expectations_of_program};
use fpsolve::run::{Conclusion, Outcome, Settings, files, run};
use std::collections::BTreeMap;
use std::path::Path;
use support::{Treatment, request};

fn folder(name: &str) -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    let paths = [folder.to_string_lossy().into_owned()];
    let names = files::walk(&paths, &["bp", "fp"]).expect("there are examples");
    names.iter().map(|name| files::find(name, &[]).expect("an example")).collect()
}

fn short(file: &Source) -> String {
    Path::new(&file.name).file_name().expect("a file").to_string_lossy().into_owned()
}

fn all_pass(name: &str) {
    let mut passed = 0;
    for file in folder(name) {
        let examination = examine(&file, &Settings::default, &[]);
        assert!(!examination.cases.is_empty(), "{} has no expectations", file.name);
        for case in examination.cases {
            assert_eq!(case.result, CaseResult::Met, "{}:{} {}", file.name, case.line, case.text);
            passed += 1;
        }
    }
    assert!(passed > 50, "only {passed} expectations");
}

#[test]
fn sequential_examples_give_what_they_say() {
    all_pass("programs");
}

#[test]
fn concurrent_examples_give_what_they_say() {
    all_pass("concurrent");
}

#[test]
fn parameterized_examples_give_what_they_say() {
    all_pass("parameterized");
}

/// An answer with the sizes of what was solved, which no treatment changes; of an error, only that it is found.
/// Nothing for a refusal.
fn line(settings: &Variant, file: &Source, treatment: Option<&Treatment>) -> Option<String> {
    let algorithm = files::find(settings.algorithm.as_deref()?, &[]).ok()?;
    let params = settings.params.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    let ordinary = Treatment::default();
    let (request, solving) = request(algorithm, &params, &file.text, treatment.unwrap_or(&ordinary)).ok()?;
    let reorder = if treatment.is_none() { Reorder::Auto } else { solving.reorder };
    let solving = Settings { reorder, list: 0, ..solving };
    let outcome = match &settings.deepen {
        None => run(&request, &solving).ok()?,
        Some(deepening) => deepen(&request, deepening, &solving, &mut |_| {}).ok()?,
    };
    Some(describe(&outcome))
}

fn describe(outcome: &Outcome) -> String {
    let conclusion = outcome.conclusion();
    assert!(!matches!(conclusion, Conclusion::Stopped(_)), "no limit is set");
    if conclusion.word() == Some("unsafe") {
        return "unsafe".into();
    }
    let mut parts = conclusion.word().map(String::from).into_iter().collect::<Vec<_>>();
    for query in outcome.queries() {
        parts.push(format!("{} {}", query.name, query.word().expect("everything is solved")));
    }
    let relations = outcome.answer.statistics.relations.iter().filter(|one| !one.clauses.is_empty());
    let tuples = relations.clone().map(|relation| relation.tuples.clone()).reduce(|sum, more| sum + more);
    let tuples = tuples.map_or("0".into(), |tuples| tuples.to_string());
    parts.push(format!("{} relations with {tuples} tuples", relations.count()));
    parts.join(", ")
}

/// One snapshot per algorithm: all examples that name it.
fn answers(folders: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut number = 0;
    for file in folders.iter().flat_map(|name| folder(name)) {
        for expectation in expectations_of_program(&file.text) {
            let settings = expectation.meaning.expect("a meaning").settings;
            let Some(expected) = line(&settings, &file, None) else { continue };
            let algorithm = settings.algorithm.clone().expect("programs name algorithms");
            let set =
                settings.params.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
            let deepened = settings.deepen.as_ref().map_or(String::new(), |one| {
                format!(
                    " {}={}..{}",
                    one.param,
                    one.first,
                    one.last.map_or(String::new(), |last| last.to_string())
                )
            });
            out.entry(algorithm.clone())
                .or_default()
                .push(format!("{}{set}{deepened}: {expected}", short(&file)));
            number += 1;
            if SLOW.contains(&short(&file).as_str()) {
                continue;
            }
            let treatments = [
                Treatment { frames: false, ..Treatment::default() },
                Treatment { symbolic: true, ..Treatment::default() },
                Treatment { naive: true, ..Treatment::default() },
            ];
            let treatment = &treatments[number % treatments.len()];
            let found = line(&settings, &file, Some(treatment));
            assert_eq!(
                found.as_ref(),
                Some(&expected),
                "{algorithm} on {}{set}, {treatment:?}",
                short(&file)
            );
        }
    }
    out
}

/// Too large to be solved again in other ways.
const SLOW: [&str; 12] = [
    "anderson.bp",
    "anderson_bug.bp",
    "bakery.bp",
    "bluetooth2.bp",
    "bluetooth3.bp",
    "lamport.bp",
    "lamport_bug.bp",
    "msmie.bp",
    "msmie_bug.bp",
    "search_tree.bp",
    "search_tree_bug.bp",
    "szymanski.bp",
];

fn seen(folders: &[&str]) {
    for (algorithm, lines) in answers(folders) {
        insta::assert_snapshot!(format!("{}_{algorithm}", folders.join("_")), lines.join("\n"));
    }
}

#[test]
fn sequential_examples_give_what_was_seen() {
    seen(&["programs"]);
}

#[test]
fn concurrent_examples_give_what_was_seen() {
    seen(&["concurrent"]);
}

#[test]
fn parameterized_examples_give_what_was_seen() {
    seen(&["parameterized"]);
}
