//! Every file of examples/calculus gives the answers that its `//@` comments expect, under both strategies,
//! and stands in the house style.

mod expected;

use calculus::solve::Strategy;
use calculus::span::FileId;
use calculus::syntax::{parse, print};
use expected::{answer, expectations};
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

#[test]
fn examples_give_the_answers_they_expect() {
    let files = examples();
    assert!(files.len() >= 11, "the examples of the calculus are here");
    for (file, text) in &files {
        let expected = expectations(text);
        assert!(!expected.is_empty(), "{file} expects nothing");
        for one in &expected {
            for strategy in [Strategy::SemiNaive, Strategy::Naive] {
                assert_eq!(answer(&folder(), file, text, one, strategy), one.answer, "{file}: {}", one.name);
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
