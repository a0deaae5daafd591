//! What a nasty user tries: odd names, odd files, odd places to write to. Each is answered in words, and nothing is lost.

#[cfg(unix)]
use crate::children::{all, end, start};
use crate::support::{command_in, exit, stdout};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SAFE: &str = "decl g;\nvoid main() begin g := T; assert(g); end\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("safe.bp"), SAFE).unwrap();
    folder
}

fn run(folder: &Path, arguments: &str) -> Output {
    command_in(folder, arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Arguments were read a second time as text, to see whether JSON was asked for: a panic inside a panic.
#[cfg(unix)]
#[test]
fn repro_arguments_that_are_not_text_are_a_mistake() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let odd = std::ffi::OsStr::from_bytes(b"a\xff.bp");
    for before in ["", "summaries", "summaries safe.bp", "batch summaries --programs", "model", "check"] {
        let output = command_in(folder.path(), before).arg(odd).output().unwrap();
        assert_eq!(exit(&output), 2, "{before}: {output:?}");
        let output = command_in(folder.path(), before).arg(odd).args(["--format", "json"]).output().unwrap();
        assert_eq!(exit(&output), 2, "{before}: {output:?}");
        let object = serde_json::from_str::<serde_json::Value>(&stdout(&output));
        assert!(object.is_ok_and(|object| object["error"].is_string()), "{before}: {output:?}");
    }
}

/// Such a name cannot stand in a row. It was spelled with a stand-in, and then there was no such file.
#[cfg(target_os = "linux")]
#[test]
fn repro_a_program_whose_name_is_not_text_is_told() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"b\xff.bp")), SAFE).unwrap();
    for arguments in ["batch summaries --programs .", "test ."] {
        let output = run(folder.path(), arguments);
        assert_eq!(exit(&output), 2, "{arguments}: {output:?}");
        assert!(stderr(&output).contains("b\u{fffd}.bp` is not UTF-8 text"), "{arguments}: {output:?}");
    }
}

/// A line break in a name made two lines of a row.
#[cfg(unix)]
#[test]
fn repro_a_row_is_one_line() {
    let folder = folder();
    fs::write(folder.path().join("two\nlines.bp"), SAFE).unwrap();
    let output = run(folder.path(), "batch summaries --programs .");
    assert_eq!(exit(&output), 0, "{output:?}");
    assert!(stdout(&output).contains("  safe  ./two␊lines.bp  exact=0\n"), "{output:?}");
}

/// The system for another solver was written over the program.
#[test]
fn repro_nothing_is_written_over_its_own_input() {
    let folder = folder();
    fs::write(folder.path().join("own.fp"), "query Q = true;\n").unwrap();
    let writing = [
        ("export summaries safe.bp --to smt2 -o safe.bp", "safe.bp"),
        ("export summaries safe.bp --to souffle -o ./safe.bp", "safe.bp"),
        ("export own.fp --to souffle -o own.fp", "own.fp"),
        ("sequentialize safe.bp --contexts 2 -o ./safe.bp", "safe.bp"),
        ("summaries safe.bp --certificate safe.bp", "safe.bp"),
        ("own.fp --report ./own.fp", "own.fp"),
    ];
    for (arguments, lost) in writing {
        let before = fs::read(folder.path().join(lost)).unwrap();
        let output = run(folder.path(), arguments);
        assert_eq!(exit(&output), 2, "{arguments}: {output:?}");
        assert!(stderr(&output).contains(&format!("`{lost}` would be overwritten by")), "{output:?}");
        assert_eq!(fs::read(folder.path().join(lost)).unwrap(), before, "{arguments}");
    }
}

#[test]
fn what_cannot_be_written_is_told() {
    let folder = folder();
    fs::create_dir(folder.path().join("rows.csv")).unwrap();
    let writing = [
        ("batch summaries --programs safe.bp --out rows.csv", "cannot resume `rows.csv`: this is a folder"),
        (
            "batch summaries --programs safe.bp --out nowhere/rows.csv",
            "`nowhere/rows.csv`: its folder does not",
        ),
        (
            "batch summaries --programs safe.bp --out rows.txt",
            "`rows.txt` is neither a .csv nor a .json file",
        ),
        ("export summaries safe.bp --to smt2 -o rows.csv", "cannot write `rows.csv`: this is a folder"),
        (
            "export summaries safe.bp --to smt2 -o nowhere/x",
            "cannot write `nowhere/x`: there is no folder `nowhere`",
        ),
        ("sequentialize safe.bp --contexts 2 -o rows.csv", "cannot write `rows.csv`: this is a folder"),
        ("summaries safe.bp --certificate rows.csv", "cannot write `rows.csv`: this is a folder"),
        ("summaries safe.bp --report nowhere/x", "cannot write `nowhere/x`: there is no folder `nowhere`"),
        ("batch summaries --programs safe.bp --jobs 0", "0 is not in 1..=65535"),
        ("replay safe.bp rows.csv", "`rows.csv`: this is a folder"),
        ("replay safe.bp nowhere.json", "`nowhere.json`: there is no such file"),
    ];
    for (arguments, said) in writing {
        let output = run(folder.path(), arguments);
        assert_eq!(exit(&output), 2, "{arguments}: {output:?}");
        let told = stderr(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(said), "{arguments}: {told}");
    }
}

/// A pipe as the place for rows was read to its end, which never came.
#[cfg(unix)]
#[test]
fn repro_rows_are_not_read_from_a_pipe() {
    let folder = folder();
    let made = Command::new("mkfifo").arg(folder.path().join("rows.csv")).status().unwrap();
    assert!(made.success());
    let arguments = "batch summaries --programs safe.bp --out rows.csv";
    let child = command_in(folder.path(), arguments).stderr(Stdio::piped()).spawn().unwrap();
    let output = end(child, arguments);
    assert_eq!(exit(&output), 2, "{output:?}");
    assert!(stderr(&output).contains("cannot resume `rows.csv`: it is no file"), "{output:?}");
}

/// Nobody writes into these pipes; the reason names what was being read.
#[cfg(unix)]
#[test]
fn repro_limits_hold_while_a_pipe_is_read() {
    let folder = folder();
    for name in ["pipe.fp", "pipe.bp", "pipe.json"] {
        assert!(Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
    }
    let commands = [
        ("pipe.fp", "reading the file"),
        ("summaries pipe.bp", "reading the program"),
        ("model pipe.bp", "reading the program"),
        ("check pipe.fp", "reading the file"),
        ("replay safe.bp pipe.json", "reading the trace"),
        ("certify summaries safe.bp pipe.json", "reading the certificate"),
        ("sequentialize pipe.bp --contexts 2", "reading the program"),
        ("export pipe.fp --to smt2", "reading the file"),
    ];
    all(&commands, |(arguments, phase)| {
        let arguments = format!("{arguments} --timeout 2s");
        let output = end(start(command_in(folder.path(), &arguments)), &arguments);
        assert_eq!(exit(&output), 3, "{arguments}: {output:?}");
        let said = format!("(time limit of 2 s reached while {phase})");
        assert!(stdout(&output).contains(&said), "{arguments}: {output:?}");
    });
}

/// With an open end, the last number of all was followed by a panic.
#[test]
fn repro_deepening_ends_with_the_largest_number() {
    let folder = folder();
    let file = "param k = 1;\nquery Q = k = 0;\nverdict unknown \"not yet\";\n";
    fs::write(folder.path().join("never.fp"), file).unwrap();
    for range in
        ["9223372036854775806..", "9223372036854775806..9223372036854775807", "9223372036854775807.."]
    {
        let output = run(folder.path(), &format!("never.fp --deepen k={range}"));
        assert_eq!(exit(&output), 3, "{range}: {output:?}");
        assert!(stdout(&output).contains("k=9223372036854775807: unknown"), "{output:?}");
        assert!(stdout(&output).contains("verdict: unknown (not yet)"), "{output:?}");
    }
}

/// What a number is for has its own limits, and what is beyond them is refused in words.
#[test]
fn numbers_beyond_their_limits_are_mistakes() {
    let folder = folder();
    fs::write(folder.path().join("sum.fp"), "param k = 1;\nquery Q = k + 1 = 3;\n").unwrap();
    for arguments in [
        "sum.fp --set k=9223372036854775808",
        "sum.fp --set k=-9223372036854775809",
        "sum.fp --set k=9223372036854775807",
        "sum.fp --set k=1 --set k=1",
        "sum.fp --deepen k=9223372036854775808..",
        "interleaving safe.bp --copies 4294967296",
        "interleaving safe.bp --copies -1",
        "sequentialize safe.bp --contexts 0",
        "sequentialize safe.bp --contexts 65536",
        "summaries safe.bp --max-nodes 18446744073709551616",
        "summaries safe.bp --timeout 99999999999999999999h",
        "summaries safe.bp --memory 99999999999999999999GiB",
        "batch summaries --programs safe.bp --jobs 65536",
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(exit(&output), 2, "{arguments}: {output:?}");
        assert!(!stderr(&output).is_empty(), "{arguments}: {output:?}");
    }
}

/// Soufflé has numbers of 32 bits: larger ones were exported, and it would have cut them off in silence.
#[test]
fn repro_numbers_beyond_32_bits_are_not_exported_to_souffle() {
    let folder = folder();
    let export = |ends: &str, shift: &str| {
        let file = format!("range R = {ends};\nquery Q(x: R) = exists y: R. y {shift} = x;\n");
        fs::write(folder.path().join("sum.fp"), file).unwrap();
        run(folder.path(), "export sum.fp --to souffle")
    };
    for ends in ["3000000000..3000000003", "-3000000003..-3000000000", "1073741820..1073741825"] {
        let output = export(ends, "+ 1");
        assert_eq!(exit(&output), 2, "{output:?}");
        assert!(stderr(&output).contains("has numbers beyond 32 bits"), "{output:?}");
    }
    assert_eq!(exit(&export("1073741820..1073741824", "+ 1")), 0);
    // As a number of 32 bits this would be 1. It is never in the range, so there is no clause.
    for shift in ["+ 4294967297", "- 4294967297"] {
        let output = export("0..3", shift);
        assert_eq!(exit(&output), 0, "{output:?}");
        assert!(!stdout(&output).contains(":-"), "{output:?}");
    }
    // This one is in the range for some values, but is computed with larger numbers.
    let output = export("0..3", "* 4294967296 / 4294967296");
    assert_eq!(exit(&output), 2, "{output:?}");
    assert!(stderr(&output).contains("computes numbers beyond 32 bits"), "{output:?}");
}

/// Byte-order marks, line ends of other systems, and no end of the last line.
#[test]
fn texts_of_other_systems_mean_the_same() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("mark.bp", &format!("\u{feff}{}", SAFE.replace('\n', "\r\n")));
    write("mark.fp", "\u{feff}range R = 0..3;\r\nquery Q(x: R) = x = 1;\r\n//@ Q: 1 tuple");
    write("deep.bp", &SAFE.replace('\n', &format!("\n{}", " ".repeat(1_000_000))));
    for program in ["mark.bp", "deep.bp"] {
        let output = run(folder.path(), &format!("summaries {program}"));
        assert!(stdout(&output).starts_with("verdict: safe\n"), "{output:?}");
    }
    assert_eq!(stdout(&run(folder.path(), "test mark.fp")), "ok   mark.fp  Q: 1 tuple\n1 passed, 0 failed\n");
}

/// A byte-order mark made the first fact no value, and the second of two answers took the place of the first.
#[test]
fn repro_marks_in_data_and_two_answers_in_one_file() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("in.fp", "range R = 0..3;\ninput e(x: R);\nquery P(x: R) = e(x);\n");
    write("e.facts", "\u{feff}1\r\n2\r\n");
    let output = run(folder.path(), "in.fp --facts .");
    assert_eq!(stdout(&output), "P: 2 tuples\n  x\n  1\n  2\n", "{output:?}");
    let output = run(folder.path(), "summaries safe.bp --certificate one --report one");
    assert_eq!(exit(&output), 2, "{output:?}");
    assert!(stderr(&output).contains("`one` would be a certificate and a report"), "{output:?}");
    assert!(!folder.path().join("one").exists());
}

/// A reader that went away is no mistake; a disk that is full is one.
#[cfg(target_os = "linux")]
#[test]
fn answers_that_nobody_takes() {
    let folder = folder();
    let shell = |line: &str| {
        let line = line.replace("fpsolve", env!("CARGO_BIN_EXE_fpsolve"));
        Command::new("bash")
            .args(["-o", "pipefail", "-c", &line])
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    assert_eq!(exit(&shell("fpsolve list | head -1")), 0);
    assert_eq!(exit(&shell("fpsolve model safe.bp --dot | head -1")), 0);
    assert_eq!(exit(&shell("fpsolve summaries safe.bp >&-")), 0);
    assert_eq!(exit(&shell("fpsolve summaries safe.bp >&- 2>&- <&-")), 0);
    assert_eq!(exit(&shell("fpsolve nowhere.fp 2>&-")), 2);
    for line in [
        "fpsolve summaries safe.bp --format json",
        "fpsolve list",
        "fpsolve export summaries safe.bp --to smt2",
    ] {
        let output = shell(&format!("{line} > /dev/full"));
        assert_eq!(exit(&output), 2, "{output:?}");
        assert!(stderr(&output).contains("cannot write the output"), "{output:?}");
    }
    for option in ["--certificate", "--report"] {
        let output = shell(&format!("fpsolve summaries safe.bp {option} /dev/full"));
        assert_eq!(exit(&output), 2, "{output:?}");
        assert!(stderr(&output).contains("cannot write `/dev/full`"), "{output:?}");
    }
}

/// Where the system has no memory for the solver's tables, there was a panic.
#[cfg(target_os = "linux")]
#[test]
fn repro_too_little_memory_for_the_tables_is_unknown() {
    let folder = folder();
    fs::write(folder.path().join("plain.fp"), "range R = 0..3;\nquery Q(x: R) = x = 1;\n").unwrap();
    // Where the first tables do not fit depends on the machine; with much less the process does not even start.
    for kib in (12_000..60_000).step_by(4_000).chain((264_000..320_000).step_by(4_000)) {
        let line = format!("ulimit -v {kib}; exec {} plain.fp", env!("CARGO_BIN_EXE_fpsolve"));
        let output = Command::new("bash").args(["-c", &line]).current_dir(folder.path()).output().unwrap();
        assert_ne!(output.status.code(), Some(101), "{kib}: {output:?}");
        if output.status.code() == Some(3) {
            assert!(stdout(&output).starts_with("verdict: unknown (out of memory while "), "{output:?}");
        }
    }
}
