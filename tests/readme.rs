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

#[test]
fn the_example_of_the_readme_prints_what_the_readme_says() {
    let readme = read("README.md");
    let output = Command::new(env!("CARGO_BIN_EXE_fpsolve"))
        .arg("examples/calculus/reachability_game.fp")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(blocks(&readme).contains(&printed.as_str()), "the README does not show:\n{printed}");
}

/// The first command of the README, without cargo.
#[test]
fn the_first_command_prints_what_the_readme_says() {
    let readme = read("README.md");
    let prefix = "cargo run --release -- ";
    let command = readme.lines().find_map(|line| line.strip_prefix(prefix)).expect("a command");
    let output = Command::new(env!("CARGO_BIN_EXE_fpsolve"))
        .args(command.split_whitespace())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(blocks(&readme).contains(&printed.as_str()), "the README does not show:\n{printed}");
}

#[test]
fn the_equations_of_the_readme_are_those_of_the_example() {
    let example = read("examples/calculus/reachability_game.fp");
    let readme = read("README.md");
    let shown =
        blocks(&readme).into_iter().find(|block| block.starts_with("enum Player")).expect("the example");
    assert!(example.contains(shown), "the example has changed");
}
