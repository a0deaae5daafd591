//! What the README shows is what happens.

use std::path::Path;
use std::process::Command;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the project")
}

/// The blocks between fences.
fn blocks(text: &str) -> Vec<&str> {
    text.split("```").skip(1).step_by(2).map(|block| block.trim_start_matches('\n')).collect()
}

/// The README has what a run prints.
fn expect_shown(readme: &str, arguments: &str, exit: i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_fpsolve"))
        .args(arguments.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(exit));
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(blocks(readme).contains(&printed.as_str()), "the README does not show:\n{printed}");
}

#[test]
fn the_example_of_the_readme_prints_what_the_readme_says() {
    let readme = read("README.md");
    expect_shown(&readme, "examples/calculus/reachability_game.fp", 0);
}

/// The first command of the README, without cargo: which algorithm answers must not depend on time here.
#[test]
fn the_first_command_prints_what_the_readme_says() {
    let readme = read("README.md");
    let prefix = "cargo run --release -- ";
    let command = readme.lines().find_map(|line| line.strip_prefix(prefix)).expect("a command");
    expect_shown(&readme, &format!("{command} --deterministic"), 1);
}

/// The words of a command line; quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(String::from).collect(),
        _ => vec![part.to_string()],
    });
    quoted.collect()
}

#[test]
fn the_commands_of_the_chapter_on_traces_print_what_it_says() {
    let chapter = read("docs/traces.md");
    let shown = blocks(&chapter).into_iter().filter_map(|block| block.strip_prefix("$ fpsolve "));
    let shown = shown.collect::<Vec<_>>();
    assert_eq!(shown.len(), 3);
    for block in shown {
        let (line, said) = block.split_once('\n').expect("a command and what it prints");
        let output = Command::new(env!("CARGO_BIN_EXE_fpsolve"))
            .args(words(line))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the binary runs");
        let printed = String::from_utf8(output.stdout).expect("text");
        assert_eq!(printed, said, "{line}");
    }
}

#[test]
fn the_equations_of_the_readme_are_those_of_the_example() {
    let example = read("examples/calculus/reachability_game.fp");
    let readme = read("README.md");
    let shown =
        blocks(&readme).into_iter().find(|block| block.starts_with("enum Player")).expect("the example");
    assert!(example.contains(shown), "the example has changed");
}
