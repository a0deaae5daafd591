//! The `//@` comments of a file, and what a run of it gives.

use calculus::check::{self, FactsFile, Options};
use calculus::elaborate;
use calculus::solve::{Ending, Settings, Strategy, Tuples, solve};
use std::collections::BTreeMap;
use std::path::Path;

/// `//@ [setting=value …] NAME: ANSWER`
pub struct Expectation<'t> {
    pub params: BTreeMap<String, i64>,
    pub facts: Option<&'t str>,
    pub name: &'t str,
    pub answer: &'t str,
}

pub fn expectations(text: &str) -> Vec<Expectation<'_>> {
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

/// What a run of a file gives. Its facts lie in folders below `base`.
pub fn answer(base: &Path, file: &str, text: &str, expected: &Expectation, strategy: Strategy) -> String {
    let (mut program, mistakes) = check::load(file, text, &crate::bundled::library);
    assert!(mistakes.is_empty(), "{file}: {mistakes:?}");
    let read = |name: &str| {
        let folder = base.join(expected.facts.unwrap_or("none"));
        let file = [format!("{name}.facts"), format!("{name}.csv")]
            .into_iter()
            .find(|file| folder.join(file).exists());
        let file = file.ok_or("no such file")?;
        let text = std::fs::read_to_string(folder.join(&file)).map_err(|e| e.to_string())?;
        Ok(FactsFile::named(file, text))
    };
    let options = Options { params: expected.params.clone(), facts: Some(&read), ..Default::default() };
    let (system, warnings) = check::check(&mut program, &options).expect(file);
    let (core, hopeless) = elaborate::elaborate(&system);
    assert!(warnings.is_empty() && hopeless.is_empty(), "{file}: {warnings:?} {hopeless:?}");
    let settings = Settings { strategy, list: 20, ..Default::default() };
    let answer = solve(&system, &core, &settings);
    if expected.name == "verdict" {
        return match answer.ending {
            Ending::Verdict { kind, .. } => format!("{kind:?}").to_lowercase(),
            other => format!("{other:?}"),
        };
    }
    let query = answer.queries.iter().find(|query| &*system.queries[query.query].name == expected.name);
    let query = query.unwrap_or_else(|| panic!("{file} has no query {}", expected.name));
    let Some(Tuples { count, .. }) = &query.tuples else { return "not solved".into() };
    let relation = system.queries[query.query].relation;
    match system.relations[relation.0 as usize].columns.len() {
        0 => (count.to_string() == "1").to_string(),
        _ if count.to_string() == "1" => "1 tuple".to_string(),
        _ => format!("{count} tuples"),
    }
}
