//! The reference matches the code: its examples are right (or wrong as they say), in house style, and give the
//! answers they expect; every code of a diagnostic has a case.

mod bundled;
mod corpus;
mod expected;

use calculus::check::{self, Options};
use calculus::diagnostic::{MAX_MISTAKES, Severity};
use calculus::solve::Strategy;
use calculus::span::FileId;
use calculus::syntax::{MAX_DEPTH, parse, print};
use corpus::program_model;
use expected::{answer, expectations};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn document(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("a document")
}

/// The code blocks whose language begins with `fp`: what stands behind that, and the text.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let blocks = document.split("\n```fp").skip(1).map(|block| {
        let (language, rest) = block.split_once('\n').expect("a block has lines");
        (language.trim(), &rest[..rest.find("```").expect("a block ends")])
    });
    blocks.collect()
}

fn check_examples(path: &str, at_least: usize) {
    let document = document(path);
    let blocks = blocks(&document);
    assert!(blocks.len() >= at_least, "{path} has {} examples", blocks.len());
    for (language, text) in blocks {
        let tree = parse(FileId(0), text).unwrap_or_else(|mistakes| panic!("{path}:\n{text}{mistakes:?}"));
        assert_eq!(print(&tree, text), text, "{path}: house style");
        let (mut program, mistakes) = check::load(path, text, &|_, path| Err(format!("no {path}")));
        assert!(mistakes.is_empty(), "{path}:\n{text}{mistakes:?}");
        let options = Options { model: Some(program_model()), ..Default::default() };
        let found = match check::check(&mut program, &options) {
            Ok((_, warnings)) => warnings,
            Err(mistakes) => mistakes,
        };
        let codes = found.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>();
        match language.strip_prefix("wrong ") {
            Some(code) => {
                assert_eq!(codes, [code], "{path}:\n{text}");
                assert_eq!(found[0].severity, Severity::Error);
                continue;
            }
            None => assert!(codes.is_empty(), "{path}:\n{text}{found:?}"),
        }
        for one in expectations(text) {
            for strategy in [Strategy::SemiNaive, Strategy::Naive] {
                assert_eq!(
                    answer(&root(), path, text, &one, strategy),
                    one.answer,
                    "{path}:\n{text}{}",
                    one.name
                );
            }
        }
    }
}

#[test]
fn the_examples_of_the_reference_are_right() {
    check_examples("calculus/REFERENCE.md", 15);
}

/// All `fp::…` between two quotes in the sources.
fn codes_in_sources(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            codes_in_sources(&path, out);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let codes = text.split("\"fp::").skip(1).filter_map(|rest| rest.split_once('"'));
        out.extend(codes.map(|(code, _)| format!("fp::{code}")));
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    let depth = format!("of definitions that use later ones | {MAX_DEPTH} |");
    let mistakes = format!("mistakes, and warnings, that are reported | {MAX_MISTAKES} |");
    for limit in [depth, mistakes] {
        assert!(document("calculus/REFERENCE.md").contains(&limit), "{limit}");
    }
}

#[test]
fn every_code_has_a_case() {
    let themes = [
        "syntax",
        "names",
        "libraries",
        "sorts",
        "indices",
        "statics",
        "recursion",
        "facts",
        "model",
        "verdicts",
    ];
    let cases = themes.iter().chain(&["several", "warnings"]).flat_map(|theme| corpus::cases(theme));
    let mut tested = BTreeSet::new();
    for case in cases {
        tested.extend(case.codes.split(' ').map(|code| code.split('*').next().unwrap_or(code).to_string()));
    }
    let mut found = BTreeSet::new();
    codes_in_sources(&root().join("calculus/src"), &mut found);
    // A file of 4 GiB is not made here.
    tested.insert("fp::too_large".to_string());
    // Certificates are no texts of this language; tests/cli shows what is said about them.
    tested.insert("fp::certificate".to_string());
    assert_eq!(found.difference(&tested).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn links_inside_the_reference_lead_somewhere() {
    let reference = document("calculus/REFERENCE.md");
    let anchors = reference.lines().filter(|line| line.starts_with('#')).map(|line| {
        line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-").replace([',', ':'], "")
    });
    let anchors = anchors.collect::<BTreeSet<_>>();
    for link in reference.split("](#").skip(1) {
        let target = &link[..link.find(')').expect("a link ends")];
        assert!(anchors.contains(target), "{target}");
    }
}
