//! Checks by software that nobody here wrote: Z3 and clingo answer what is exported, a schema describes SARIF, and the
//! task definitions for BenchExec are those of the examples. Without Python, or where a package cannot be had, the
//! tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SKIPPED: i32 = 77;

/// Runs a script of the project; nothing if it cannot do its work here.
fn script(path: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("python3");
    command.arg(root().join(path)).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    let Ok(output) = command.output() else {
        println!("skipped: there is no python3");
        return None;
    };
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{told}");
    if output.status.code() == Some(SKIPPED) {
        return None;
    }
    assert!(output.status.success(), "{path} {arguments:?}\n{told}");
    Some(told)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where packages that are missing are installed.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("python")
}

fn fpsolve(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fpsolve")).args(arguments).current_dir(root()).output().unwrap()
}

#[test]
fn z3_and_clingo_answer_as_fpsolve_does() {
    let packages = packages();
    let binary = env!("CARGO_BIN_EXE_fpsolve");
    let packages = packages.to_str().unwrap();
    let quick = ["--fpsolve", binary, "--quick", "--timeout", "10", "--packages", packages];
    if let Some(told) = script("tests/external/compare.py", &quick) {
        assert!(told.contains(" 0 differs"), "{told}");
    }
}

#[test]
fn sarif_is_valid() {
    let runs: [&[&str]; 6] = [
        &["summaries", "examples/programs/double_fetch.bp"],
        &["summaries", "examples/programs/gray_pointer.bp"],
        &["adequacy", "examples/parameterized/tas_lock_split.bp", "--deepen", "rounds=1.."],
        &["linear_interfaces", "examples/parameterized/tas_lock.bp"],
        &["summaries", "tests/fixtures/nowhere.bp"],
        &["tests/fixtures/permutations.fp", "--reorder", "off", "--max-nodes", "50000"],
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let output = fpsolve(&[run, ["--format", "sarif"].as_slice()].concat());
        assert!(output.stderr.is_empty(), "{run:?}: {}", String::from_utf8_lossy(&output.stderr));
        let path = folder.path().join(format!("{number}.sarif"));
        std::fs::write(&path, &output.stdout).unwrap();
        files.push(path.to_str().unwrap().to_string());
    }
    let packages = packages();
    let mut arguments = vec!["--packages", packages.to_str().unwrap()];
    arguments.extend(files.iter().map(String::as_str));
    if let Some(told) = script("tests/external/sarif.py", &arguments) {
        assert!(told.contains("6 files, 0 errors"), "{told}");
    }
}

#[test]
fn the_tasks_for_benchexec_are_those_of_the_examples() {
    script("contrib/benchexec/make_tasks.py", &["--check"]);
}
