//! Checks by software that nobody here wrote: Z3 and clingo answer what is exported, a schema describes SARIF, and
//! BenchExec runs the task definitions, which are those of the examples. Without Python, or where a package cannot be had, the
//! tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SKIPPED: i32 = 77;

/// Runs a script of the project, which must succeed; nothing if it cannot do its work here.
fn script(path: &str, arguments: &[&str]) -> Option<String> {
    let (succeeded, told) = ended(path, arguments)?;
    assert!(succeeded, "{path} {arguments:?}\n{told}");
    Some(told)
}

/// Whether a script succeeds, and what it says; nothing if it cannot do its work here.
fn ended(path: &str, arguments: &[&str]) -> Option<(bool, String)> {
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
    Some((output.status.success(), told))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where packages that are missing are installed: a folder for each test, since tests run at the same time.
fn packages(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder)
}

fn fpsolve(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fpsolve")).args(arguments).current_dir(root()).output().unwrap()
}

/// The comparison must notice a wrong answer: an fpsolve that says that something is there where nothing is.
#[cfg(unix)]
fn expect_a_lie_to_be_noticed(packages: &str) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let liar = folder.path().join("fpsolve");
    let binary = env!("CARGO_BIN_EXE_fpsolve");
    let lie = format!("#!/bin/sh\n'{binary}' \"$@\" | sed 's/\"count\": \"0\"/\"count\": \"1\"/'\n");
    std::fs::write(&liar, lie).unwrap();
    std::fs::set_permissions(&liar, std::fs::Permissions::from_mode(0o755)).unwrap();
    let example = root().join("examples/calculus/transitive_closure.fp");
    let words = [liar.as_path(), example.as_path()].map(|path| path.to_str().unwrap());
    let arguments = ["--fpsolve", words[0], "--packages", packages, words[1]];
    if let Some((succeeded, told)) = ended("tests/external/compare.py", &arguments) {
        assert!(!succeeded && told.contains("z3      differs"), "{told}");
        assert!(told.contains("clingo  differs"), "{told}");
    }
}

#[test]
fn z3_and_clingo_answer_as_fpsolve_does() {
    let packages = packages("python");
    let binary = env!("CARGO_BIN_EXE_fpsolve");
    let packages = packages.to_str().unwrap();
    let quick = ["--fpsolve", binary, "--quick", "--timeout", "10", "--packages", packages];
    if let Some(told) = script("tests/external/compare.py", &quick) {
        assert!(told.contains(" 0 differs"), "{told}");
    }
    #[cfg(unix)]
    expect_a_lie_to_be_noticed(packages);
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
    let packages = packages("python_sarif");
    let mut arguments = vec!["--packages", packages.to_str().unwrap()];
    arguments.extend(files.iter().map(String::as_str));
    if let Some(told) = script("tests/external/sarif.py", &arguments) {
        assert!(told.contains("6 files, 0 errors"), "{told}");
    }
}

#[test]
fn benchexec_finds_the_expected_verdicts() {
    let packages = packages("python_benchexec");
    let arguments = ["--fpsolve", env!("CARGO_BIN_EXE_fpsolve"), "--packages", packages.to_str().unwrap()];
    script("tests/external/benchexec.py", &arguments);
}

#[test]
fn the_tasks_for_benchexec_are_those_of_the_examples() {
    script("contrib/benchexec/make_tasks.py", &["--check"]);
}
