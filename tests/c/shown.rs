//! Making and running harnesses.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The harness of a program, compiled; nothing if there is no run to an error.
pub fn made(folder: &Path, program: &Path, options: &[&str]) -> Option<PathBuf> {
    let name = program.file_stem().unwrap().to_str().unwrap();
    let text = folder.join(format!("{name}_harness.c"));
    let mut arguments = options.to_vec();
    arguments.extend([program.to_str().unwrap(), "--harness", text.to_str().unwrap()]);
    let answer = Command::new(env!("CARGO_BIN_EXE_fpsolve")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    if answer.status.code() != Some(1) {
        assert!(!text.exists(), "{said}");
        return None;
    }
    let problem = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(text.is_file(), "{name}: {said}{problem}");
    Some(compiled(&text))
}

pub fn compiled(text: &Path) -> PathBuf {
    let binary = text.with_extension("");
    // It says itself how it is compiled.
    let made = std::fs::read_to_string(text).unwrap();
    let options = made.split_once("To see the error: cc ").unwrap().1.split_once(" THIS_FILE.c").unwrap().0;
    let mut command = Command::new("cc");
    command.args(options.split(' ')).arg("-o").arg(&binary).arg(text);
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    binary
}

pub fn run(binary: &Path) -> (Output, String) {
    let output = Command::new(binary).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

/// It fails, every time.
pub fn fails(binary: &Path, times: usize) {
    for _ in 0..times {
        let (output, said) = run(binary);
        assert_eq!(output.status.code(), Some(1), "{}: {said}", binary.display());
        assert!(said.contains("the error is reached"), "{}: {said}", binary.display());
    }
}
