//! Limits hold in every phase of every command, above all where the work cannot look at them itself: the answer is
//! `unknown` with the true reason and phase, the exit code is 3, and JSON is one object.

use crate::children::{self, end, interrupt, wait_for_work};
use crate::effort;
use crate::support::{command_in, exit, stdout};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

/// Commands that take a program apart before they do anything else, or a file of equations.
const COMMANDS: [&str; 12] = [
    "summaries lines.bp",
    "summaries lines.bp --format json",
    "summaries lines.bp --format sarif",
    "summaries lines.bp --trace json",
    "model lines.bp",
    "model lines.bp --format json",
    "model lines.bp --dot",
    "export summaries lines.bp --to smt2",
    "replay lines.bp trace.js",
    "sequentialize lines.bp --contexts 2",
    "certify summaries lines.bp trace.js",
    "check lines.fp",
];

/// A program and a file of equations that take seconds to read.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let body = "g := !g;\n".repeat(200_000);
    write("lines.bp", &format!("//@ summaries: safe\ndecl g;\nvoid main() begin\n{body}end\n"));
    let mut equations = String::new();
    for number in 0..80_000 {
        writeln!(equations, "query Q{number}(x: bool) = x = true;").unwrap();
    }
    write("lines.fp", &equations);
    write("trace.js", "{}");
    folder
}

fn start(folder: &Path, arguments: &str) -> Child {
    children::start(command_in(folder, arguments))
}

/// While one works, some of the commands must do.
fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.into_iter().step_by(if effort::is_fast() { 3 } else { 1 })
}

/// The answer is one, it is `unknown`, and it says why and where.
fn expect_unknown(arguments: &str, output: &Output, word: &str, reason: &str) {
    let text = stdout(output);
    assert_eq!(exit(output), 3, "`{arguments}`: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches(reason).count(), 1, "`{arguments}`: {text}");
    let phases = ["reading the program", "parsing the program", "reading the file", "checking the file"];
    let phase = phases.into_iter().find(|phase| text.contains(&format!("{reason} while {phase}")));
    let phase = phase.unwrap_or_else(|| panic!("`{arguments}` names no phase: {text}"));
    if arguments.contains("json") {
        let object = serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(object["verdict"], "unknown", "`{arguments}`");
        assert_eq!((&object["stop"]["reason"], &object["stop"]["phase"]), (&word.into(), &phase.into()));
    } else if arguments.contains("sarif") {
        let object = serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(object["runs"][0]["properties"]["verdict"], "unknown", "{text}");
    } else {
        assert_eq!(text.lines().count(), 1, "`{arguments}`: {text}");
        assert!(text.contains("unknown"), "{text}");
    }
}

#[test]
fn the_time_holds_while_a_program_is_read() {
    let folder = folder();
    for arguments in commands() {
        let arguments = format!("{arguments} --timeout 300ms");
        let output = end(start(folder.path(), &arguments), &arguments);
        expect_unknown(&arguments, &output, "time", "time limit of 0.3 s reached");
    }
}

#[test]
fn the_memory_holds_while_a_program_is_read() {
    let folder = folder();
    for arguments in COMMANDS.into_iter().step_by(4) {
        let arguments = format!("{arguments} --memory 40MiB");
        let output = end(start(folder.path(), &arguments), &arguments);
        expect_unknown(&arguments, &output, "memory", "memory limit of 40 MiB reached");
    }
}

#[cfg(unix)]
/// Twenty procedures, each calling the next one twice: a short text, and a million copies of its last line.
#[test]
fn limits_hold_where_calls_are_inlined() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("decl g;\n");
    for number in 0..20 {
        let next = number + 1;
        writeln!(text, "void p{number}() begin p{next}(); p{next}(); end").unwrap();
    }
    text += "void p20() begin g := !g; end\nvoid main() begin p0(); assert(g | !g); end\n";
    fs::write(folder.path().join("calls.bp"), text).unwrap();
    for command in ["summaries calls.bp", "model calls.bp", "export summaries calls.bp --to smt2"] {
        for (limit, reason) in [("--memory 200MiB", "memory"), ("--timeout 700ms", "time")] {
            let format = if command.starts_with("export") { "" } else { "--format json" };
            let arguments = format!("{command} --inline always {limit} {format}");
            let output = end(start(folder.path(), arguments.trim_end()), &arguments);
            assert_eq!(exit(&output), 3, "{arguments}");
            let said = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
            let phases = ["inlining calls", "encoding the program"];
            assert!(phases.iter().any(|phase| said.contains(phase)), "{arguments}: {said}");
            if !format.is_empty() {
                let object = serde_json::from_str::<Value>(&stdout(&output)).unwrap();
                assert_eq!(object["stop"]["reason"], reason, "{arguments}: {object:#}");
            }
        }
    }
}

#[test]
fn ctrl_c_ends_what_cannot_look_at_it() {
    let folder = folder();
    for arguments in commands() {
        let child = start(folder.path(), arguments);
        wait_for_work(&child, Duration::from_millis(150));
        interrupt(&child);
        expect_unknown(arguments, &end(child, arguments), "interrupt", "interrupted");
    }
}

/// What a limit leaves open is no failure.
#[test]
fn expectations_that_a_limit_leaves_open_are_unknown() {
    let folder = folder();
    let output = end(start(folder.path(), "test lines.bp --timeout 300ms"), "test");
    let text = stdout(&output);
    assert_eq!(exit(&output), 3, "{text}");
    let unknown = "unknown: not all expectations are compared (time limit of 0.3 s reached while ";
    assert!(text.starts_with(unknown), "{text}");
    // Where the solver notices the limit, the other expectations are still compared.
    let small = "//@ summaries: safe\ndecl g;\nvoid main() begin g := T; assert(g); end\n";
    fs::write(folder.path().join("small.bp"), small).unwrap();
    let output = end(start(folder.path(), "test small.bp --max-nodes 5"), "test");
    let text = stdout(&output);
    assert_eq!(exit(&output), 3, "{text}");
    assert!(text.contains("(limit of 5 live nodes reached while "), "{text}");
    assert!(text.ends_with("0 passed, 0 failed, 1 unknown\n"), "{text}");
}

#[test]
fn a_batch_tells_limits_of_reading_apart() {
    let folder = folder();
    let run = |limit: &str, rows: &str| {
        let arguments = format!("batch summaries --programs lines.bp --out {rows} --no-times {limit}");
        end(start(folder.path(), &arguments), &arguments);
        fs::read_to_string(folder.path().join(rows)).unwrap()
    };
    let rows = run("--timeout 300ms", "time.csv");
    assert!(rows.contains("lines.bp,summaries,,timeout,,time limit of 0.3 s reached while "), "{rows}");
    let rows = run("--memory 40MiB", "memory.csv");
    assert!(rows.contains("lines.bp,summaries,,memory,,memory limit of 40 MiB reached"), "{rows}");
}

/// Locals that are all needed at once: what was cubic did not end in minutes for some thousands.
#[test]
fn repro_many_locals_are_encoded_soon() {
    let folder = tempfile::tempdir().unwrap();
    let names = (0..2_000).map(|number| format!("l{number}")).collect::<Vec<_>>();
    let (declared, any) = (names.join(", "), names.join(" | "));
    let assigned = names.iter().map(|name| format!("{name} := T;\n")).collect::<String>();
    let text = format!("void main() begin decl {declared};\n{assigned}assert({any});\nend\n");
    fs::write(folder.path().join("locals.bp"), text).unwrap();
    // The graph is larger than a pipe.
    let child = command_in(folder.path(), "model locals.bp --dot").stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(exit(&end(child, "model")), 0);
}

/// A million copies took gigabytes before anything was said.
#[test]
fn repro_too_many_copies_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = "decl g; void main() begin start_thread goto L; assert(g | !g); L: skip; end\n";
    fs::write(folder.path().join("start.bp"), text).unwrap();
    let output = end(start(folder.path(), "interleaving start.bp --copies 1000000"), "copies");
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(exit(&output), 2, "{why}");
    assert!(why.contains("`--copies 1000000` is too large: at most 1000"), "{why}");
}

/// Counting what a model offers unfolded all that its statements leave alone: 14 seconds, and 767,055 nodes for `step`.
#[test]
fn repro_a_model_is_counted_without_being_unfolded() {
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/concurrent/search_tree.bp");
    let arguments = format!("model {} --format json --max-nodes 20000", tree.display());
    let output = command_in(tree.parent().unwrap(), &arguments).output().unwrap();
    let object = serde_json::from_slice::<Value>(&output.stdout).unwrap();
    assert_eq!(exit(&output), 0, "{object:#}");
    let step = object["relations"].as_array().unwrap().iter().find(|relation| relation["name"] == "step");
    assert_eq!(step.unwrap()["tuples"], "5435817984");
}
