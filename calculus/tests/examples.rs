//! Every file of examples/calculus gives the answers that its `//@` comments expect, under both strategies,
//! and stands in the house style: one test for each.

mod bundled;
mod expected;
mod trials;

use calculus::solve::Strategy;
use calculus::span::FileId;
use calculus::syntax::ast::ItemKind;
use calculus::syntax::{parse, print};
use expected::{answer, expectations};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/calculus")
}

fn examples() -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder())
        .expect("the examples stand beside the crate")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "fp"));
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    files.map(|path| (name(&path), std::fs::read_to_string(path).expect("a text"))).collect()
}

fn main() -> ExitCode {
    let files = examples();
    assert!(files.len() >= 11, "the examples of the calculus are here");
    trials::run(files.iter().flat_map(|(file, text)| of_file(file, text)).collect())
}

fn of_file(file: &str, text: &str) -> Vec<Trial> {
    let test = |name: &str, body: fn(&str, &str)| {
        let (file, text) = (file.to_string(), text.to_string());
        trials::test(format!("{file}::{name}"), move || body(&file, &text))
    };
    let mut out = vec![
        test("expects_all_its_queries", expects_all_its_queries),
        test("is_in_house_style", is_in_house_style),
    ];
    for (number, one) in expectations(text).iter().enumerate() {
        for (word, strategy) in [("semi_naive", Strategy::SemiNaive), ("naive", Strategy::Naive)] {
            let set = one.params.iter().map(|(name, value)| format!("{name}={value}"));
            let set = set.chain(one.facts.map(|facts| format!("facts={facts}"))).collect::<Vec<_>>();
            let set = if set.is_empty() { String::new() } else { format!("({})", set.join(",")) };
            let name = format!("{file}::{}{set}::{word}", one.name);
            let (file, text) = (file.to_string(), text.to_string());
            out.push(trials::test(name, move || {
                let one = &expectations(&text)[number];
                assert_eq!(answer(&folder(), &file, &text, one, strategy), one.answer);
            }));
        }
    }
    out
}

fn expects_all_its_queries(file: &str, text: &str) {
    let expected = expectations(text);
    assert!(!expected.is_empty(), "{file} expects nothing");
    for item in parse(FileId(0), text).expect(file).items {
        if let ItemKind::Query { name, .. } = item.kind {
            assert!(expected.iter().any(|one| *one.name == *name.name), "{file}: {}", name.name);
        }
    }
}

fn is_in_house_style(file: &str, text: &str) {
    assert!(text.starts_with("//! "), "{file} opens with prose");
    let tree = parse(FileId(0), text).expect(file);
    assert_eq!(print(&tree, text), text, "{file} is formatted");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{file} has short lines");
}
