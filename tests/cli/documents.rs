//! One document, whatever happens: every format with every way in which a run can end.

use crate::children::{end, interrupt, start, wait_for_work};
use crate::support::{command_in, exit};
use serde_json::Value;
use std::fs;
use std::process::Output;
use std::time::Duration;

/// A program whose assertion can fail, and one whose assertion cannot.
const UNSAFE: &str = "decl g := F;\nvoid main() begin\ng := T;\nassert(!g);\nend\n";
const SAFE: &str = "decl g := F;\nvoid main() begin\ng := T;\nassert(g);\nend\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("unsafe.bp", UNSAFE);
    write("safe.bp", SAFE);
    write("broken.bp", "void main() begin\n");
    write("broken.fp", "query Hit = (true;\n");
    write("plain.fp", "query Yes = true;\n");
    write("unknown.fp", "query Yes = true;\nverdict unknown \"who knows\" if Yes;\n");
    folder
}

/// The only thing on the standard output, as JSON.
fn document(output: &Output, about: &str) -> Value {
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{about}: {error}\n{text}"))
}

/// The options that ask for a document.
const DOCUMENTS: [&str; 7] = [
    "--format json",
    "--format=json --trace",
    "--format json --trace json --profile json",
    "--trace json",
    "--trace=json",
    "--profile json",
    "--format sarif",
];

#[test]
fn every_ending_of_a_run_is_one_document() {
    let folder = folder();
    let permutations = crate::support::fixtures().join("permutations.fp");
    let permutations = permutations.to_str().expect("a path");
    let runs = [
        ("summaries unsafe.bp".to_string(), 1),
        ("summaries safe.bp".into(), 0),
        ("plain.fp".into(), 0),
        ("unknown.fp".into(), 3),
        (format!("{permutations} --reorder off --timeout 100ms"), 3),
        (format!("{permutations} --reorder off --memory 1MiB"), 3),
        (format!("{permutations} --reorder off --max-nodes 1000"), 3),
        ("summaries safe.bp --deepen nothing=1..2".into(), 2),
        ("summaries broken.bp".into(), 2),
        ("summaries nowhere.bp".into(), 2),
        ("broken.fp".into(), 2),
        ("nowhere".into(), 2),
        ("summaries safe.bp --no-such-option".into(), 2),
        ("summaries safe.bp surplus".into(), 2),
        ("summaries safe.bp --timeout soon".into(), 2),
        ("summaries safe.bp --show core".into(), 2),
        ("summaries safe.bp --dot components".into(), 2),
        ("summaries safe.bp --explain Nothing(1)".into(), 2),
    ];
    for (arguments, expected) in &runs {
        for asked in DOCUMENTS {
            let whole = format!("{arguments} {asked}");
            let output = command_in(folder.path(), &whole).output().expect("the command starts");
            assert_eq!(exit(&output), *expected, "{whole}: {}", String::from_utf8_lossy(&output.stdout));
            let object = document(&output, &whole);
            check(&whole, asked, *expected, &object);
        }
    }
}

fn check(whole: &str, asked: &str, exit: i32, object: &Value) {
    if asked == "--format sarif" {
        assert_eq!(object["version"], "2.1.0", "{whole}");
        return;
    }
    if exit == 2 {
        assert!(object["error"].is_string() && object["diagnostics"].is_array(), "{whole}: {object:#}");
        return;
    }
    // A trace alone is the one document without a number: it is to be stored and replayed.
    let trace_alone = asked.starts_with("--trace") && exit == 1;
    if trace_alone {
        assert!(object["steps"].is_array(), "{whole}: {object:#}");
        return;
    }
    assert_eq!(object["schema"], 2, "{whole}");
    assert_eq!(object["profile"].is_object(), asked.contains("profile"), "{whole}: {object:#}");
    if asked.contains("trace") {
        assert_ne!(object["trace"].is_object(), object["no_trace"].is_string(), "{whole}: {object:#}");
        assert_eq!(object["trace"].is_object(), exit == 1, "{whole}");
    }
}

#[test]
fn two_documents_are_a_mistake() {
    let folder = folder();
    for asked in
        ["--trace json --profile json", "--format sarif --trace json", "--format sarif --profile json"]
    {
        let whole = format!("summaries safe.bp {asked}");
        let output = command_in(folder.path(), &whole).output().expect("the command starts");
        let text = document(&output, &whole).to_string();
        assert!(exit(&output) == 2 && text.contains("each print one whole document"), "{whole}: {text}");
    }
}

#[test]
fn an_interrupted_run_is_one_document() {
    for asked in DOCUMENTS {
        let whole = format!("permutations.fp --reorder off {asked}");
        let child = start(command_in(&crate::support::fixtures(), &whole));
        wait_for_work(&child, Duration::from_millis(200));
        interrupt(&child);
        let output = end(child, &whole);
        assert_eq!(exit(&output), 3, "{whole}");
        check(&whole, asked, 3, &document(&output, &whole));
    }
}

#[test]
fn a_model_is_one_document() {
    let folder = folder();
    for (arguments, expected) in [("safe.bp", 0), ("broken.bp", 2), ("nowhere.bp", 2), ("safe.bp --what", 2)]
    {
        let whole = format!("model {arguments} --format json");
        let output = command_in(folder.path(), &whole).output().expect("the command starts");
        assert_eq!(exit(&output), expected, "{whole}");
        let object = document(&output, &whole);
        assert_eq!((&object["schema"], object["error"].is_string()), (&2.into(), expected == 2), "{whole}");
    }
}

#[test]
fn what_has_no_trace_says_so_to_replay() {
    let folder = folder();
    let output = command_in(folder.path(), "summaries safe.bp --trace json").output().expect("it starts");
    fs::write(folder.path().join("none.json"), output.stdout).expect("a file");
    let output = command_in(folder.path(), "replay safe.bp none.json").output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        exit(&output) == 2 && told.contains("it has no trace: the verdict is safe, not unsafe"),
        "{told}"
    );
    let output =
        command_in(folder.path(), "summaries unsafe.bp --trace --format json").output().expect("it starts");
    fs::write(folder.path().join("run.json"), output.stdout).expect("a file");
    let output = command_in(folder.path(), "replay unsafe.bp run.json").output().expect("it starts");
    assert_eq!(exit(&output), 0);
}
