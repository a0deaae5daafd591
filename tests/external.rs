//! Checks by software that nobody here wrote: Z3 and clingo answer what is exported, a schema describes SARIF, BenchExec runs
//! the task definitions, which are those of the examples, a browser steps through reports, a terminal shows colours, Python
//! runs the package, Node the grammars of editors, and mdBook builds the book.
//! Where such software is not there and cannot be had, the test is ignored and says why.

#[path = "../calculus/tests/effort/mod.rs"]
mod effort;
#[path = "../calculus/tests/trials/mod.rs"]
mod trials;

use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

/// What a script of the project ends with that cannot do its work here.
const IMPOSSIBLE: i32 = 77;

/// The error says why it is not possible here.
type Check = fn() -> Result<(), String>;

fn main() -> ExitCode {
    let tests: [(&str, Check); 10] = [
        ("z3_and_clingo_answer_as_fpsolve_does", z3_and_clingo_answer_as_fpsolve_does),
        ("sarif_is_valid", sarif_is_valid),
        ("benchexec_finds_the_expected_verdicts", benchexec_finds_the_expected_verdicts),
        (
            "the_tasks_for_benchexec_are_those_of_the_examples",
            the_tasks_for_benchexec_are_those_of_the_examples,
        ),
        ("a_browser_steps_through_a_trace", a_browser_steps_through_a_trace),
        ("a_browser_shows_a_run_without_a_trace", a_browser_shows_a_run_without_a_trace),
        ("colours_are_for_terminals", colours_are_for_terminals),
        ("the_python_package_runs_the_command", the_python_package_runs_the_command),
        ("editors_colour_the_samples_as_before", editors_colour_the_samples_as_before),
        ("the_book_has_no_broken_links", the_book_has_no_broken_links),
    ];
    trials::run(tests.into_iter().map(|(name, body)| trials::possible(name, body)).collect::<Vec<Trial>>())
}

/// Runs a script of the project, which must succeed; the error says why it cannot do its work here.
fn script(path: &str, arguments: &[&str]) -> Result<String, String> {
    let (succeeded, told) = ended(path, arguments)?;
    assert!(succeeded, "{path} {arguments:?}\n{told}");
    Ok(told)
}

/// Whether a script succeeds, and what it says; the error says why it cannot do its work here.
fn ended(path: &str, arguments: &[&str]) -> Result<(bool, String), String> {
    let mut command = Command::new("python3");
    command.arg(root().join(path)).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().map_err(|error| format!("no python3: {error}"))?;
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(IMPOSSIBLE) {
        let reason = told.lines().find_map(|line| line.strip_prefix("skipped: "));
        return Err(reason.expect("the script says why").to_string());
    }
    Ok((output.status.success(), told))
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
fn expect_a_lie_to_be_noticed(packages: &str) -> Result<(), String> {
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
    let (succeeded, told) = ended("tests/external/compare.py", &arguments)?;
    assert!(!succeeded && told.contains("z3      differs"), "{told}");
    assert!(told.contains("clingo  differs"), "{told}");
    Ok(())
}

fn z3_and_clingo_answer_as_fpsolve_does() -> Result<(), String> {
    let packages = packages("python");
    let binary = env!("CARGO_BIN_EXE_fpsolve");
    let packages = packages.to_str().unwrap();
    let mut arguments = vec!["--fpsolve", binary, "--quick", "--timeout", "10", "--packages", packages];
    if effort::is_fast() {
        arguments.extend(["examples/calculus/counter.fp", "examples/programs/double_fetch.bp"]);
    }
    let told = script("tests/external/compare.py", &arguments)?;
    assert!(told.contains(" 0 differs"), "{told}");
    #[cfg(unix)]
    expect_a_lie_to_be_noticed(packages)?;
    Ok(())
}

fn sarif_is_valid() -> Result<(), String> {
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
    let told = script("tests/external/sarif.py", &arguments)?;
    assert!(told.contains("6 files, 0 errors"), "{told}");
    Ok(())
}

fn benchexec_finds_the_expected_verdicts() -> Result<(), String> {
    let packages = packages("python_benchexec");
    let arguments = ["--fpsolve", env!("CARGO_BIN_EXE_fpsolve"), "--packages", packages.to_str().unwrap()];
    script("tests/external/benchexec.py", &arguments).map(drop)
}

fn the_tasks_for_benchexec_are_those_of_the_examples() -> Result<(), String> {
    script("contrib/benchexec/make_tasks.py", &["--check"]).map(drop)
}

fn the_python_package_runs_the_command() -> Result<(), String> {
    let mut command = Command::new("python3");
    command.arg(root().join("python/tests/test_fpsolve.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("PYTHONPATH", root().join("python")).env("FPSOLVE", env!("CARGO_BIN_EXE_fpsolve"));
    let output = command.output().map_err(|error| format!("no python3: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("Ran 8 tests"), "{told}");
    Ok(())
}

fn editors_colour_the_samples_as_before() -> Result<(), String> {
    let packages = packages("node");
    let told = script("tests/external/grammars.py", &["--packages", packages.to_str().unwrap()])?;
    assert!(told.contains("2 passed, 0 failed") && told.contains(" lines, 0 differ"), "{told}");
    Ok(())
}

fn the_book_has_no_broken_links() -> Result<(), String> {
    let told = script("tests/external/book.py", &[])?;
    assert!(told.contains(" 0 broken"), "{told}");
    // The check must notice a link that leads nowhere.
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    std::fs::create_dir_all(book.join("src")).unwrap();
    std::fs::write(book.join("book.toml"), "[book]\ntitle = \"broken\"\n").unwrap();
    std::fs::write(book.join("src/SUMMARY.md"), "- [One](one.md)\n").unwrap();
    std::fs::write(book.join("src/one.md"), "# One\n[a](two.md) [b](one.md#two) [c](one.md#one)\n").unwrap();
    let (succeeded, told) = ended("tests/external/book.py", &["--book", book.to_str().unwrap()])?;
    assert!(!succeeded && told.contains(" 2 broken"), "{told}");
    Ok(())
}

/// A browser opens the report of a run.
fn browse(arguments: &[&str]) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("out.html");
    let page = page.to_str().expect("a path in UTF-8");
    let output = fpsolve(&[arguments, &["--report", page]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    let pictures = std::env::var_os("FPSOLVE_SCREENSHOTS").map(|folder| {
        Path::new(&folder).join(arguments[0].replace(['/', '.'], "_")).to_string_lossy().into_owned()
    });
    let words = [page].into_iter().chain(pictures.as_deref()).collect::<Vec<_>>();
    script("tests/report/browse.py", &words).map(drop)
}

fn a_browser_steps_through_a_trace() -> Result<(), String> {
    browse(&["linear_interfaces", "examples/parameterized/bluetooth.bp", "--set", "rounds=2"])
}

fn a_browser_shows_a_run_without_a_trace() -> Result<(), String> {
    browse(&["examples/calculus/reachability_game.fp"])
}

/// Colours are for terminals only, and for those who want them.
fn colours_are_for_terminals() -> Result<(), String> {
    let plain = String::from_utf8_lossy(&fpsolve(&["tests/fixtures/mistakes.fp"]).stderr).into_owned();
    assert!(plain.contains("mistakes.fp:") && !plain.contains('\x1b'), "{plain}");
    let on_terminal = |no_color: Option<&str>| {
        let mut script = Command::new("script");
        let command = format!("{} tests/fixtures/mistakes.fp", env!("CARGO_BIN_EXE_fpsolve"));
        script.args(["-qec", &command, "/dev/null"]).current_dir(root()).stdin(Stdio::null());
        for variable in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            script.env_remove(variable);
        }
        script.env("TERM", "xterm-256color").envs(no_color.map(|value| ("NO_COLOR", value)));
        let output =
            script.output().map_err(|error| format!("no `script` that makes a terminal: {error}"))?;
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        // Other systems have a `script` with other arguments.
        shown.contains("mistakes.fp:").then_some(shown).ok_or("no `script` that makes a terminal".to_string())
    };
    let (coloured, uncoloured) = (on_terminal(None)?, on_terminal(Some("1"))?);
    assert!(coloured.contains("\x1b[31m"), "{coloured}");
    assert!(!uncoloured.contains("\x1b[3"), "{uncoloured}");
    Ok(())
}
