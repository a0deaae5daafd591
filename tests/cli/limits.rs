//! Every limit ends a run that needs far more with the verdict unknown, exit code 3 and statistics.

use crate::children::{self, PATIENCE, end, interrupt, wait_for_work};
use crate::effort;
use crate::support::{command, command_in, exit, run, stdout};
use std::fs;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

fn expect_unknown(output: &Output, reason: &str) {
    let text = stdout(output);
    assert_eq!(exit(output), 3, "{text}{}", String::from_utf8_lossy(&output.stderr));
    let reason = format!("{reason} while solving Permutation");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(format!("verdict: unknown ({reason})").as_str()));
    assert_eq!(lines.nth(1), Some(format!("Permutation: not computed ({reason})").as_str()));
    assert!(text.contains("nodes at the peak"), "{text}");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_time_is_limited() {
    let begin = Instant::now();
    let output = run("permutations.fp --reorder off --stats --timeout 500ms");
    expect_unknown(&output, "time limit of 0.5 s reached");
    assert!(begin.elapsed() < PATIENCE);
}

#[test]
fn the_memory_is_limited() {
    let output = run("permutations.fp --reorder off --stats --memory 64MiB");
    expect_unknown(&output, "memory limit of 64 MiB reached");
}

/// A reordering of large blocks does not look at the limits; they hold all the same.
#[test]
fn limits_hold_during_a_reordering() {
    for limit in ["--timeout 1s", "--memory 64MiB --timeout 20s"] {
        let begin = Instant::now();
        let output = run(&format!("permutations.fp --reorder auto {limit}"));
        let text = stdout(&output);
        assert_eq!(exit(&output), 3, "{text}");
        assert!(text.starts_with("verdict: unknown ("), "{text}");
        assert!(begin.elapsed() < PATIENCE, "{limit} took {:?}", begin.elapsed());
    }
}

#[test]
fn the_nodes_are_limited() {
    let output = run("permutations.fp --reorder off --stats --max-nodes 50000");
    expect_unknown(&output, "limit of 50000 live nodes reached");
}

#[test]
fn listing_is_limited_too() {
    let output = run("games.fp --all --timeout 1s");
    assert_eq!(exit(&output), 3);
    assert!(
        stdout(&output).starts_with("verdict: unknown (time limit of 1 s reached while listing tuples)\n")
    );
}

#[test]
fn a_limit_is_told_in_json() {
    let output = run("permutations.fp --reorder off --max-nodes 50000 --format json");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((exit(&output), &object["verdict"]), (3, &"unknown".into()));
    assert_eq!(object["reason"], "limit of 50000 live nodes reached while solving Permutation");
    let stop = serde_json::json!({
        "reason": "nodes", "limit": 50000, "phase": "solving", "relation": "Permutation",
    });
    assert_eq!(object["stop"], stop);
    assert_eq!(object["queries"][0]["count"], serde_json::Value::Null);
    assert_eq!(object["relations"][0]["complete"], false);
}

#[test]
fn ctrl_c_ends_a_run() {
    let child = start("permutations.fp --reorder off --stats");
    interrupt(&child);
    expect_unknown(&end(child, "permutations.fp"), "interrupted");
}

#[test]
fn a_second_ctrl_c_ends_the_process() {
    let mut child = start("permutations.fp --reorder off");
    interrupt(&child);
    // The run may end by itself before.
    if child.try_wait().unwrap().is_none() {
        interrupt(&child);
    }
    let output = end(child, "permutations.fp");
    assert!([3, 130].contains(&exit(&output)), "{}", exit(&output));
}

/// Starts a run and waits until it solves.
fn start(arguments: &str) -> Child {
    let child = children::start(command(arguments));
    wait_for_work(&child, Duration::from_millis(300));
    child
}

/// A program with locals that are all alive, and some statements.
fn wide(folder: &std::path::Path, locals: usize, statements: impl Fn(&[String]) -> String) {
    let names = (0..locals).map(|number| format!("l{number}")).collect::<Vec<_>>();
    let (all, any) = (names.join(", "), names.join(" | "));
    let text = format!("void main() begin\ndecl {all};\n{}assert({any});\nend\n", statements(&names));
    fs::write(folder.join("wide.bp"), text).unwrap();
}

/// The nodes call for a reordering, and it would take far longer than the run.
#[test]
fn repro_a_disjunction_of_ten_thousand_locals_is_not_reordered() {
    let folder = tempfile::tempdir().unwrap();
    wide(folder.path(), 10_000, |_| String::new());
    let output = command_in(folder.path(), "summaries wide.bp --stats").output().expect("the command starts");
    let text = stdout(&output);
    assert_eq!(exit(&output), 1, "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(", 0 reorderings"), "{text}");
}

/// The rows would list a hundred million bits that stay as they are.
#[test]
fn repro_ten_thousand_locals_over_ten_thousand_statements_are_encoded() {
    let folder = tempfile::tempdir().unwrap();
    // With a third of the locals, a ninth of the bits.
    let (locals, memory) = if effort::is_fast() { (3_333, "120MiB") } else { (10_000, "400MiB") };
    wide(folder.path(), locals, |names| names.iter().map(|name| format!("{name} := T;\n")).collect());
    let arguments = format!("summaries wide.bp --memory {memory} --max-nodes 200000");
    let output = command_in(folder.path(), &arguments).output().expect("the command starts");
    let text = stdout(&output);
    assert_eq!(exit(&output), 3, "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("verdict: unknown (limit of 200000 live nodes reached while solving"), "{text}");
}
