//! What makes the command pleasant: templates, watching, completions, the manual; and what is for continuous
//! integration.

use crate::support::{command_in, exit, run, stdout, transcript};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

#[test]
fn a_new_file_runs_and_is_in_the_house_style() {
    let folder = tempfile::tempdir().unwrap();
    let see =
        |arguments: &str| transcript(arguments, &command_in(folder.path(), arguments).output().unwrap());
    fs::write(folder.path().join("prog.bp"), "decl x; void main() begin assert(x); end\n").unwrap();
    let seen = [
        "new first.fp",
        "first.fp",
        "test first.fp",
        "new second.fp --program",
        "second.fp prog.bp",
        "fmt --check .",
        "check .",
        "new first.fp",
        "new first",
        "new nowhere/first.fp",
    ];
    insta::assert_snapshot!(seen.map(see).join("\n"));
}

#[test]
fn a_watched_file_is_run_again_when_it_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.fp");
    fs::write(&path, "use \"lib.fp\";\nquery Hit = Lib;\n").unwrap();
    fs::write(folder.path().join("lib.fp"), "let Lib() = true;\n").unwrap();
    let mut child = command_in(folder.path(), "watch file.fp --runs 2")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut waiting = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut waiting).unwrap();
    assert_eq!(waiting, "--- waiting for a change; Ctrl-C ends\n");
    fs::write(folder.path().join("lib.fp"), "let Lib() = false & true;\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(stdout(&output), "Hit: true\n--- lib.fp changed\nHit: false\n");
}

#[test]
fn completions_know_the_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let text = stdout(&run(&format!("completions {shell}")));
        for word in ["sequentialize", "batch", "no-times", "deepen", "completions"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(exit(&run("completions tcsh")), 2);
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    assert!(stdout(&run("man")).contains(".SH SYNOPSIS"));
    let folder = tempfile::tempdir().unwrap();
    let output = command_in(folder.path(), "man --out pages").output().unwrap();
    assert_eq!(exit(&output), 0);
    for page in ["fpsolve.1", "fpsolve-batch.1", "fpsolve-export.1"] {
        assert!(folder.path().join("pages").join(page).is_file(), "{page}");
    }
}

fn sarif(arguments: &str) -> (i32, serde_json::Value) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = command_in(root, &format!("{arguments} --format sarif")).output().unwrap();
    assert!(output.stderr.is_empty());
    (exit(&output), serde_json::from_slice(&output.stdout).expect("one JSON object"))
}

#[test]
fn sarif_names_the_line_of_the_error() {
    let (code, log) = sarif("summaries examples/programs/double_fetch.bp");
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((code, &place["artifactLocation"]["uri"]), (1, &"examples/programs/double_fetch.bp".into()));
    let text = fs::read_to_string("examples/programs/double_fetch.bp").unwrap();
    let line = place["region"]["startLine"].as_u64().unwrap() as usize;
    assert!(text.lines().nth(line - 1).unwrap().contains("assert"), "line {line}");
    // No query of adequacy.fp names the place, but the program has one error only.
    let (code, log) = sarif("adequacy examples/parameterized/tas_lock_split.bp --deepen rounds=1..");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let text = fs::read_to_string("examples/parameterized/tas_lock_split.bp").unwrap();
    let line = place["region"]["startLine"].as_u64().unwrap() as usize;
    assert!(text.lines().nth(line - 1).unwrap().contains("assert"), "line {line}");
    assert_eq!(code, 1);
}

#[test]
fn sarif_of_other_ends_has_no_results() {
    let (code, log) = sarif("summaries examples/programs/gray_pointer.bp");
    assert_eq!((code, log["runs"][0]["results"].as_array().unwrap().len()), (0, 0));
    let (code, log) = sarif("tests/fixtures/permutations.fp --reorder off --max-nodes 50000");
    let told = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(
        (code, told),
        (3, &"unknown: limit of 50000 live nodes reached while solving Permutation".into())
    );
    let (code, log) = sarif("tests/fixtures/mistakes.fp");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((code, &invocation["executionSuccessful"]), (2, &false.into()));
    let place = &invocation["toolConfigurationNotifications"][0]["locations"][0]["physicalLocation"];
    assert!(place["region"]["startLine"].as_u64().is_some(), "{invocation:#}");
}

#[test]
fn exports_are_refused_where_the_language_ends() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let see = |arguments: &str| transcript(arguments, &command_in(root, arguments).output().unwrap());
    let seen = [
        "export examples/calculus/buchi_game.fp --to souffle",
        "export examples/calculus/reachability_game.fp --to smt2 --query AdamWins",
        "export examples/calculus/bisimulation.fp --to smt2",
        "export examples/calculus/cycle.fp --to smt2 --query Strong",
        "export examples/calculus/cycle.fp --to souffle",
        "export examples/calculus/cycle.fp --to smt2 --query Stong",
        "export examples/calculus/cycle.fp --to prolog",
    ];
    insta::assert_snapshot!(seen.map(see).join("\n"));
}

#[test]
fn exports_are_readable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.fp");
    let text = "range Node = 0..2;\nrel move(x, y: Node) = { (0, 1), (1, 2) };\n\
        mu Win(x: Node) = goal: x = 2 | next: exists y. move(x, y) & Win(y) & x + 1 = y;\n\
        nu Stay(x: Node) = exists y. move(x, y) & Stay(y);\nquery Hit = Win(0) & !Stay(0);\n";
    fs::write(&file, text).unwrap();
    let see = |language: &str| {
        let arguments = format!("export game.fp --to {language}");
        transcript(&arguments, &command_in(folder.path(), &arguments).output().unwrap())
    };
    insta::assert_snapshot!(see("smt2") + "\n" + &see("souffle"));
}
