//! Explanations and traces, as a user sees them.

use crate::support::{command, command_in, exit, run, stdout, transcript};
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The command with questions, whose text may have blanks.
fn explained(arguments: &str, questions: &[&str]) -> String {
    let mut command = command(arguments);
    let mut line = arguments.to_string();
    for question in questions {
        command.args(["--explain", question]);
        line.push_str(&format!(" --explain '{question}'"));
    }
    transcript(&line, &command.output().expect("the command starts"))
}

#[test]
fn a_tuple_is_explained_by_its_derivation() {
    assert_snapshot!(explained("reach.fp", &["Reach(2)", "Hit", "edge(0, 1)"]));
}

#[test]
fn what_is_not_there_is_explained_clause_by_clause() {
    assert_snapshot!(explained(
        "reach.fp --set goal=4",
        &["!Reach(5)", "Reach(4)", "!Where(4)", "!edge(1, 0)"]
    ));
}

#[test]
fn a_tuple_that_is_there_is_not_denied() {
    assert_snapshot!(explained("reach.fp", &["!Reach(1)"]));
}

#[test]
fn vectors_and_records_are_written_as_they_are_printed() {
    assert_snapshot!(explained(
        "walk.fp",
        &["Reach([2, 4], {who = Bob, to = 4})", "!Reach([1, 4], {who = Bob})"]
    ));
}

#[test]
fn negated_parts_and_greatest_fixed_points_are_named() {
    assert_snapshot!(explained("walk.fp", &["Alone([4, 4])", "Ends([2, 4])", "Forever(1)", "!Forever(3)"]));
}

#[test]
fn a_part_for_all_values_is_named() {
    let games = "../../examples/calculus/reachability_game.fp";
    assert_snapshot!(explained(games, &["Win(3)", "!Win(4)"]));
}

/// The case `y = 1` was told without its value, because the clause has another `y` with this value.
#[test]
fn repro_a_case_is_told_where_two_variables_have_one_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "range N = 0..2;
        rel move(x, y: N) = { (0, 1), (0, 2) };
        mu Win(x: N) = x > 0 | (exists y. move(x, y)) & forall y. move(x, y) -> Win(y);
        query Q(x: N) = Win(x);";
    fs::write(folder.path().join("cases.fp"), text).expect("a file");
    let output = command_in(folder.path(), "cases.fp --explain Win(0)").output().expect("the command starts");
    let output = stdout(&output);
    assert!(output.contains("      y = 1: from [2]\n      y = 2: from [3]\n"), "{output}");
}

#[test]
fn questions_with_mistakes_are_refused() {
    for (name, question) in [
        ("relation", "Raech(1)"),
        ("arity", "Reach(1, 2)"),
        ("no_columns", "Reach"),
        ("value", "Reach(7)"),
        ("bracket", "Reach(1"),
        ("nothing", ""),
    ] {
        assert_snapshot!(name, explained("reach.fp", &[question]));
    }
}

#[test]
fn an_explanation_is_a_part_of_the_json() {
    let output = run("walk.fp --format json --explain Reach([1,3],_) --explain !Forever(3)");
    let object: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_snapshot!(serde_json::to_string_pretty(&object["explanations"]).expect("JSON"));
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// A folder with some examples.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        let name = example(name);
        fs::copy(&name, folder.path().join(name.file_name().expect("a name"))).expect("a copy");
    }
    folder
}

fn seen(folder: &Path, arguments: &str) -> String {
    transcript(arguments, &command_in(folder, arguments).output().expect("the command starts"))
}

#[test]
fn states_of_a_program_are_written_in_its_words() {
    let folder = folder(&[]);
    let program = "decl x, y;\nvoid main() begin\n  x := T;\n  y := x;\n  assert(!y);\nend\n";
    fs::write(folder.path().join("small.bp"), program).expect("a file");
    let mut command = command_in(folder.path(), "reachability small.bp");
    for question in
        ["Reach(main:5, _)", "Reach(main:4, y=1)", "!Reach(main:5, y=0)", "!Reach(main:4, x=0 y=0)"]
    {
        command.args(["--explain", question]);
    }
    assert_snapshot!(stdout(&command.output().expect("the command starts")));
    let mistaken = ["Reach(main:9, _)", "Reach(main:4, z=1)"];
    for question in mistaken {
        let mut command = command_in(folder.path(), "reachability small.bp --explain");
        let output = command.arg(question).output().expect("the command starts");
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not a value of"), "{output:?}");
        assert_eq!(exit(&output), 2);
    }
}

/// The example of the reference: a file of one's own that gets traces.
#[test]
fn the_file_of_the_reference_gets_traces() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("calculus/REFERENCE.md");
    let reference = fs::read_to_string(reference).expect("the reference");
    let mut blocks = reference.split("```text\n").skip(1).filter_map(|block| block.split("```").next());
    let file = blocks.find(|block| block.contains("\ntrace Run = ")).expect("an example with a trace");
    let folder = folder(&[]);
    fs::write(folder.path().join("turns.fp"), file).expect("a file");
    let program = "decl x, y;\ninit begin\n  x, y := F, F;\nend\n\
                   thread left begin\n  x := T;\n  y := T;\nend\n\
                   thread right begin\n  assert(!x | y);\nend\n";
    fs::write(folder.path().join("pair.bp"), program).expect("a file");
    assert!(
        seen(folder.path(), "fmt --check turns.fp").ends_with("--- exit 0\n"),
        "it is in the house style"
    );
    assert_snapshot!(seen(folder.path(), "turns.fp pair.bp --trace"));
}

#[test]
fn a_trace_is_a_run_to_the_error() {
    let folder = folder(&["parameterized/bluetooth.bp"]);
    assert_snapshot!(seen(folder.path(), "linear_interfaces bluetooth.bp --set rounds=2 --trace"));
    assert_snapshot!(seen(folder.path(), "linear_interfaces bluetooth.bp --set rounds=2 --trace json"));
}

#[test]
fn without_an_error_there_is_no_trace_and_a_word_about_it() {
    let folder = folder(&["parameterized/bluetooth.bp"]);
    let shown = seen(folder.path(), "linear_interfaces bluetooth.bp --set rounds=1 --trace");
    assert!(shown.contains("trace: none, because the verdict is bounded, not unsafe\n"), "{shown}");
}

#[test]
fn a_trace_is_a_part_of_the_json() {
    let folder = folder(&["parameterized/bluetooth.bp"]);
    let arguments = "linear_interfaces bluetooth.bp --set rounds=2 --trace --format json";
    let output = command_in(folder.path(), arguments).output().expect("the command starts");
    fs::write(folder.path().join("run.json"), &output.stdout).expect("a file");
    let object: Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(object["trace"]["error"]["line"], 35);
    assert!(seen(folder.path(), "replay bluetooth.bp run.json").ends_with("--- exit 0\n"));
}

#[test]
fn stored_traces_are_executed_again() {
    let folder = folder(&["parameterized/bluetooth.bp", "parameterized/bluetooth_repaired.bp"]);
    let arguments = "linear_interfaces bluetooth.bp --set rounds=2 --trace json";
    let output = command_in(folder.path(), arguments).output().expect("the command starts");
    assert_eq!(exit(&output), 1);
    let stored = stdout(&output);
    let path = folder.path().join("trace.json");
    fs::write(&path, &stored).expect("a file");
    assert_snapshot!("replayed", seen(folder.path(), "replay bluetooth.bp trace.json"));
    assert_snapshot!("another_program", seen(folder.path(), "replay bluetooth_repaired.bp trace.json"));
    fs::write(&path, stored.replacen("\"line\": 31", "\"line\": 19", 1)).expect("a file");
    assert_snapshot!("another_line", seen(folder.path(), "replay bluetooth.bp trace.json"));
    fs::write(&path, stored.replacen("\"thread\": ", "\"thread\": 7", 1)).expect("a file");
    assert_snapshot!("no_such_thread", seen(folder.path(), "replay bluetooth.bp trace.json"));
    fs::write(&path, &stored[..stored.len() / 2]).expect("a file");
    assert_snapshot!("damaged", seen(folder.path(), "replay bluetooth.bp trace.json"));
    assert_snapshot!("no_file", seen(folder.path(), "replay bluetooth.bp none.json"));
}
