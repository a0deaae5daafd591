//! Running the built command among the fixtures.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The command, in the folder of the fixtures.
pub fn command(arguments: &str) -> Command {
    command_in(&fixtures(), arguments)
}

pub fn command_in(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fpsolve"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(Stdio::null());
    command
}

pub fn run(arguments: &str) -> Output {
    command(arguments).output().expect("the command starts")
}

/// What a user sees: the command line, what it prints, and how it ends.
pub fn seen(arguments: &str) -> String {
    transcript(arguments, &run(arguments))
}

pub fn transcript(arguments: &str, output: &Output) -> String {
    let mut text = format!("$ fpsolve {arguments}\n");
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            text.push_str(&format!("--- {name}\n{}", String::from_utf8_lossy(bytes)));
        }
    }
    text + &format!("--- exit {}\n", exit(output))
}

pub fn exit(output: &Output) -> i32 {
    output.status.code().expect("not ended by a signal")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is text")
}
