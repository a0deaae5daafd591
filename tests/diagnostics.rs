//! What users read when a model is wrong: every message is a snapshot of its source and its text.

use calculus::span::Source;
use fpsolve::model::boolean::program;
use fpsolve::model::pds;
use fpsolve::model::program::Options;
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::report::diagnostics::{Medium, diagnostics};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Source and all messages, warnings included, as the command line draws them.
fn report(source: &str, reading: Options) -> String {
    let options = ProgramOptions { reading, ..ProgramOptions::default() };
    let (sources, found) = match program("bad.bp", source, &options) {
        Err(rejection) => (rejection.sources, rejection.diagnostics),
        Ok(model) => (model.sources, model.warnings),
    };
    assert!(!found.is_empty(), "nothing is wrong with\n{source}");
    format!("{}\n\n{}", source.trim_end(), diagnostics(&sources, &found, Medium::Plain))
}

fn options(line: &str) -> Options {
    let mut options = Options::default();
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.chunks(2) {
        let value = pair[1].to_string();
        match pair[0] {
            "--init" => options.init = Some(value),
            "--thread" => options.thread.push(value),
            "--replicate" => options.replicate.push(value),
            "--target" => options.target.push(value),
            "--initial" => options.initial = Some(value),
            "--dialect" => options.dialect = Some(value.parse().expect("a dialect")),
            other => panic!("unknown option {other}"),
        }
    }
    options
}

#[test]
fn every_bad_program_has_its_message() {
    let cases = include_str!("bad/programs.txt");
    let mut names = Vec::new();
    for case in cases.split("\n=== ").skip(1) {
        let (head, source) = case.split_once('\n').unwrap_or((case, ""));
        let (name, line) = head.split_once(' ').unwrap_or((head, ""));
        assert!(!names.contains(&name), "{name} occurs twice");
        names.push(name);
        let text = report(source, options(line));
        let about = if line.is_empty() { text } else { format!("{line}\n{text}") };
        insta::assert_snapshot!(name, about);
    }
    assert!(names.len() >= 60, "only {} bad programs", names.len());
}

/// A pushdown system, with the files beside it.
fn report_pushdown(source: &str, mut reading: Options) -> String {
    let mut parts = source.split("--- ");
    let rules = parts.next().unwrap_or_default();
    for part in parts {
        let (ending, text) = part.split_once('\n').expect("a file");
        reading.beside.push(Source::new(format!("bad.{ending}"), text));
    }
    let options = ProgramOptions { reading, ..ProgramOptions::default() };
    let (sources, found) = match pds::system("bad.pds", rules, &options) {
        Err(rejection) => (rejection.sources, rejection.diagnostics),
        Ok(model) => (model.sources().clone(), model.warnings().to_vec()),
    };
    assert!(!found.is_empty(), "nothing is wrong with\n{source}");
    format!("{}\n\n{}", source.trim_end(), diagnostics(&sources, &found, Medium::Plain))
}

#[test]
fn every_bad_pushdown_system_has_its_message() {
    let cases = include_str!("bad/pushdown.txt");
    let mut codes = BTreeSet::new();
    let mut names = Vec::new();
    for case in cases.split("\n=== ").skip(1) {
        let (head, source) = case.split_once('\n').unwrap_or((case, ""));
        let (name, line) = head.split_once(' ').unwrap_or((head, ""));
        assert!(!names.contains(&name), "{name} occurs twice");
        names.push(name);
        let text = report_pushdown(source, options(line));
        codes.extend(text.split_whitespace().filter(|word| word.starts_with("pds::")).map(String::from));
        let about = if line.is_empty() { text } else { format!("{line}\n{text}") };
        insta::assert_snapshot!(name, about);
    }
    let mut all = BTreeSet::new();
    codes_in_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/model/pds"), &mut all);
    all.retain(|code| code.starts_with("pds::"));
    assert_eq!(codes, all, "every code has a case");
}

/// All `fp::…`, `bp::…`, `pds::…`, `tts::…`, `ltl::…` and `predicate::…` between two quotes in the sources of a folder.
fn codes_in_sources(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            codes_in_sources(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a text");
            let code = |text: &&str| {
                let name = ["fp::", "bp::", "c::", "pds::", "tts::", "ltl::", "predicate::"]
                    .iter()
                    .find_map(|prefix| text.strip_prefix(prefix));
                name.is_some_and(|name| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                })
            };
            out.extend(text.split('"').filter(code).map(str::to_string));
        }
    }
}

#[test]
fn the_table_of_diagnostics_has_every_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    codes_in_sources(&root.join("src"), &mut found);
    codes_in_sources(&root.join("calculus/src"), &mut found);
    assert!(found.len() >= 90, "only {} codes", found.len());
    let table = fs::read_to_string(root.join("docs/diagnostics.md")).expect("the table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let rows = rows.map(|(code, meaning)| (code.to_string(), meaning)).collect::<Vec<_>>();
    for (code, meaning) in &rows {
        assert!(meaning.len() > 10, "{code} has no meaning");
    }
    let listed = rows.into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(listed, found.into_iter().collect::<Vec<_>>(), "sorted, each once");
}
