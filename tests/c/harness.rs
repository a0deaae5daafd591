//! Harnesses: compiled, each fails as the run says, however often it is executed; and one that cannot fail says so.

use crate::chance::Random;
use crate::{effort, fpsolve, generator};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The harness of a program, compiled; nothing if there is no run to an error.
fn made(folder: &Path, program: &Path, options: &[&str]) -> Option<PathBuf> {
    let name = program.file_stem().unwrap().to_str().unwrap();
    let text = folder.join(format!("{name}_harness.c"));
    let mut arguments = options.to_vec();
    arguments.extend([program.to_str().unwrap(), "--harness", text.to_str().unwrap()]);
    let answer = fpsolve(&arguments);
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    if answer.status.code() != Some(1) {
        assert!(!text.exists(), "{said}");
        return None;
    }
    let problem = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(text.is_file(), "{name}: {said}{problem}");
    Some(compiled(&text))
}

fn compiled(text: &Path) -> PathBuf {
    let binary = text.with_extension("");
    let traps = std::fs::read_to_string(text).unwrap().contains("-ftrapv");
    let mut command = Command::new("cc");
    command.args(["-w", "-pthread"]).args(traps.then_some("-ftrapv")).arg("-o").arg(&binary).arg(text);
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    binary
}

fn run(binary: &Path) -> (Output, String) {
    let output = Command::new(binary).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

/// It fails, every time.
fn fails(binary: &Path, times: usize) {
    for _ in 0..times {
        let (output, said) = run(binary);
        assert_eq!(output.status.code(), Some(1), "{}: {said}", binary.display());
        assert!(said.contains("the error is reached"), "{}: {said}", binary.display());
    }
}

#[test]
fn each_failing_program_fails_when_its_harness_runs() {
    let folder = tempfile::tempdir().unwrap();
    let every = if effort::is_fast() { 4 } else { 1 };
    for case in include_str!("failing.txt").split("\n=== ").skip(1).step_by(every) {
        let (head, source) = case.split_once('\n').unwrap();
        let (name, options) = head.split_once(' ').unwrap_or((head, ""));
        let path = folder.path().join(format!("{name}.c"));
        std::fs::write(&path, source).unwrap();
        let options = ["--quiet"].into_iter().chain(options.split_whitespace()).collect::<Vec<_>>();
        let binary = made(folder.path(), &path, &options).unwrap_or_else(|| panic!("{name} is not unsafe"));
        if name == "division" {
            // The machine notices it.
            assert_eq!(run(&binary).0.status.code(), None, "{name}");
            continue;
        }
        fails(&binary, 5);
    }
}

#[test]
fn random_errors_happen_when_their_harness_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x0bad_cafe_f00d_0001);
    let mut failed = 0;
    for number in 0..effort::cases(12) {
        let program = generator::concurrent(&mut random);
        let check = format!("assert(x != {} || y < {})", random.below(3), random.below(3));
        let path = folder.path().join(format!("p{number}.c"));
        std::fs::write(&path, format!("#define STEP\n#define CHECK {check}\n{program}")).unwrap();
        let options = ["interleaving", "--width", "4"];
        if let Some(binary) = made(folder.path(), &path, &options) {
            fails(&binary, 2);
            failed += 1;
        }
    }
    assert!(effort::enough(failed, 4), "only {failed} can fail");
}

#[test]
fn examples_are_as_they_say_and_harnesses_of_errors_fail() {
    let folder = tempfile::tempdir().unwrap();
    let tested = fpsolve(&["test", "examples/c"]);
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
    let mut failed = 0;
    for entry in std::fs::read_dir("examples/c").unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read_to_string(&path).unwrap().contains(": unsafe") {
            let options = ["interleaving", "--copies", "2", "--width", "4"];
            fails(&made(folder.path(), &path, &options).expect("it is unsafe"), 5);
            failed += 1;
        }
    }
    assert!(failed >= 2);
}

/// A program whose harness is changed so that the run does not end in an error.
#[test]
fn a_harness_that_reaches_no_error_says_so_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    let text = "#include <assert.h>\nint x, y;\nint main(void) { x = 1; assert(x == 0); y = 1; return 0; }\n";
    std::fs::write(&path, text).unwrap();
    let binary = made(folder.path(), &path, &["--quiet"]).unwrap();
    fails(&binary, 1);
    let harness = folder.path().join("x_harness.c");
    let written = std::fs::read_to_string(&harness).unwrap();
    for (from, to, why) in [
        ("FP_READ(x) == 0", "FP_READ(x) == 1", "main goes on after the last step"),
        ("FP_WRITE(x, 1)", "FP_READ(x)", "main makes another step than the next one of the run"),
        ("FP_WRITE(x, 1)", "FP_WRITE(y, 1)", "main makes a step with another variable"),
        ("FP_WRITE(x, 1)", "0", "main makes another step than the next one of the run"),
        ("FP_WRITE(x, 1)", "fp_stop()", "main ends"),
    ] {
        assert!(written.contains(from), "{written}");
        std::fs::write(&harness, written.replacen(from, to, 1)).unwrap();
        let (output, said) = run(&compiled(&harness));
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("the error was not reached: {why}")), "{said}");
    }
}

#[test]
fn a_harness_is_for_errors_of_c_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (path, harness) = (folder.path().join("x.c"), folder.path().join("h.c"));
    std::fs::write(&path, "void assert(int);\nint main(void) { assert(1); return 0; }\n").unwrap();
    let harness = harness.to_str().unwrap();
    let answer = fpsolve(&[path.to_str().unwrap(), "--harness", harness]);
    let told = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(answer.status.success() && told.contains("there is no run to an error"), "{told}");
    let answer = fpsolve(&["examples/concurrent/peterson.bp", "--harness", harness]);
    let told = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(answer.status.code() == Some(2) && told.contains("`--harness` is for C programs"), "{told}");
    assert!(!Path::new(harness).exists());
}

#[test]
#[ignore = "needs the folder shared/benchmarks beside the project, and minutes"]
fn benchmarks_that_fail_fail_when_their_harnesses_run() {
    let shared = Path::new("../shared/benchmarks/c");
    let tasks = std::fs::read_to_string(shared.join("TASKS.tsv")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for line in tasks.lines().skip(1) {
        let columns = line.split('\t').collect::<Vec<_>>();
        let (of, task, expected) = (columns[0], columns[1], columns[2]);
        if expected == "false" {
            let program = shared.join(of).join(format!("{task}.i"));
            let binary = made(folder.path(), &program, &["--quiet", "--timeout", "60s"]);
            fails(&binary.unwrap_or_else(|| panic!("{task} is not decided")), 5);
        }
    }
}
