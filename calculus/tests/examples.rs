//! Every file of examples/calculus gives the answers that its `//@` comments expect, under both strategies,
//! and stands in the house style.

use calculus::check::{self, Options};
use calculus::solve::{Ending, Settings, Strategy, solve};
use calculus::syntax::{ast::FileId, parse, print};
use calculus::{elaborate, solve};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/calculus")
}

fn examples() -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .expect("the examples stand beside the crate")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "fp"))
        .collect();
    files.sort();
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a text"))).collect()
}

/// `//@ [setting=value …] NAME: ANSWER`
struct Expectation<'t> {
    params: BTreeMap<String, i64>,
    facts: Option<&'t str>,
    name: &'t str,
    answer: &'t str,
}

fn expectations(text: &str) -> Vec<Expectation<'_>> {
    text.lines().filter_map(|line| line.trim().strip_prefix("//@")).map(expectation).collect()
}

fn expectation(line: &str) -> Expectation<'_> {
    let (before, answer) = line.split_once(": ").expect("an expectation has a colon");
    let (mut params, mut facts, mut name) = (BTreeMap::new(), None, "");
    for word in before.split_whitespace() {
        match word.split_once('=') {
            Some(("facts", folder)) => facts = Some(folder),
            Some((param, value)) => {
                params.insert(param.to_string(), value.parse().expect("a number"));
            }
            None => name = word,
        }
    }
    Expectation { params, facts, name, answer: answer.trim() }
}

fn answer(file: &str, text: &str, expected: &Expectation, strategy: Strategy) -> String {
    let (mut program, mistakes) = check::load(file, text, &|_, path| Err(format!("no {path}")));
    assert!(mistakes.is_empty(), "{file}: {mistakes:?}");
    let read = |name: &str| {
        let path = folder().join(expected.facts.unwrap_or("none")).join(format!("{name}.facts"));
        std::fs::read_to_string(&path).map(|text| (name.to_string(), text)).map_err(|e| e.to_string())
    };
    let options = Options { params: expected.params.clone(), facts: Some(&read), ..Default::default() };
    let (system, warnings) = check::check(&mut program, &options).expect(file);
    let (core, hopeless) = elaborate::elaborate(&system);
    assert!(warnings.is_empty() && hopeless.is_empty(), "{file}: {warnings:?} {hopeless:?}");
    let mut settings = Settings { strategy, list: 20, ..Default::default() };
    let answer = solve(&system, &core, &mut settings);
    if expected.name == "verdict" {
        return match answer.ending {
            Ending::Verdict { kind, .. } => format!("{kind:?}").to_lowercase(),
            other => format!("{other:?}"),
        };
    }
    let query = answer.queries.iter().find(|query| &*system.queries[query.query].name == expected.name);
    let query = query.unwrap_or_else(|| panic!("{file} has no query {}", expected.name));
    let Some(solve::Tuples { count, .. }) = &query.tuples else { return "not solved".into() };
    let relation = system.queries[query.query].relation;
    match system.relations[relation.0 as usize].columns.len() {
        0 => (count.to_string() == "1").to_string(),
        _ => format!("{count} tuples"),
    }
}

#[test]
fn examples_give_the_answers_they_expect() {
    let files = examples();
    assert!(files.len() >= 11, "the examples of the calculus are here");
    for (file, text) in &files {
        let expected = expectations(text);
        assert!(!expected.is_empty(), "{file} expects nothing");
        for one in &expected {
            for strategy in [Strategy::SemiNaive, Strategy::Naive] {
                assert_eq!(answer(file, text, one, strategy), one.answer, "{file}: {}", one.name);
            }
        }
    }
}

#[test]
fn every_query_of_an_example_is_expected() {
    for (file, text) in examples() {
        let expected = expectations(&text);
        let tree = parse(FileId(0), &text).expect(&file);
        for item in tree.items {
            if let calculus::syntax::ast::ItemKind::Query { name, .. } = item.kind {
                assert!(expected.iter().any(|one| *one.name == *name.name), "{file}: {}", name.name);
            }
        }
    }
}

#[test]
fn examples_open_with_prose_and_stand_in_house_style() {
    for (file, text) in examples() {
        assert!(text.starts_with("//! "), "{file} opens with prose");
        let tree = parse(FileId(0), &text).expect(&file);
        assert_eq!(print(&tree, &text), text, "{file} is formatted");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{file} has short lines");
    }
}
