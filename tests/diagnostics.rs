//! What users read when a Boolean program is wrong: every message is a snapshot of its source and its text.

use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::program::Options;
use fpsolve::report::diagnostics::{Medium, diagnostics};

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
