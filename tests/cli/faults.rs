//! Each phase of each command is stopped on purpose, by the time, the memory and Ctrl-C. The answer names the phase that was
//! really running, in text and in JSON. And where a phase panics, what was asked for as JSON is still one object.

use crate::children::all;
use crate::effort;
use crate::support::{command_in, exit, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

/// Phases of commands: the command, what follows "while", and the phase in JSON.
struct Case {
    command: &'static str,
    phase: &'static str,
    /// The relation that is being solved, if one is.
    relation: &'static str,
}

const fn case(command: &'static str, phase: &'static str) -> Case {
    Case { command, phase, relation: "" }
}

const REORDERING: &str = "reordering the BDD variables";
const DERIVING: &str = "looking for a derivation";

/// Work that does not look at the limits itself.
const BLIND: [Case; 18] = [
    case("summaries safe.bp", "reading the file"),
    case("summaries safe.bp", "reading the program"),
    case("summaries safe.bp", "parsing the program"),
    case("summaries safe.bp", "resolving the names of the program"),
    case("summaries safe.bp", "building the control flow"),
    case("summaries safe.bp", "inlining calls"),
    case("summaries safe.bp", "encoding the program"),
    case("summaries safe.bp", "checking the file"),
    case("summaries safe.bp", "making rules of the equations"),
    case("model safe.bp", "encoding the program"),
    case("certify summaries safe.bp proof.js", "encoding the program"),
    case("certify summaries safe.bp proof.js", "reading the certificate"),
    case("replay unsafe.bp trace.js", "executing the trace"),
    case("export summaries safe.bp --to smt2", "encoding the program"),
    case("export summaries safe.bp --to souffle", "writing the system for another solver"),
    case("sequentialize threads.bp --contexts 2", "writing the sequential program"),
    case("check paths.fp", "making rules of the equations"),
    case("test safe.bp", "encoding the program"),
];

/// Work that looks at the limits, and may be too busy to.
const POLLING: [Case; 14] = [
    case("paths.fp", "planning"),
    Case { command: "paths.fp", phase: "solving", relation: "edge" },
    Case { command: "paths.fp --reorder always", phase: REORDERING, relation: "Path" },
    case("paths.fp", "listing tuples"),
    case("paths.fp", "counting tuples"),
    case("paths.fp --explain Path(0,3)", DERIVING),
    case("summaries unsafe.bp --trace", DERIVING),
    case("summaries unsafe.bp --trace", "executing the trace"),
    case("summaries safe.bp --certificate made.js", "making the certificate"),
    case("certify summaries safe.bp proof.js", "checking the certificate"),
    case("model safe.bp", "planning"),
    case("model safe.bp", "counting tuples"),
    Case { command: "test paths.fp", phase: "solving", relation: "edge" },
    Case { command: "test paths.fp --reorder always", phase: REORDERING, relation: "Path" },
];

/// Programs, equations, and what was made of them.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("safe.bp", "//@ summaries: safe\ndecl g;\nvoid main() begin g := T; assert(g); end\n");
    write("unsafe.bp", "decl g;\nvoid main() begin g := F; assert(g); end\n");
    write("threads.bp", "decl g;\nthread a begin g := T; end\nthread b begin assert(!g); end\n");
    let paths = "//@ Ends: true\nrange Node = 0..3;\nrel edge(x, y: Node) = { (0, 1), (1, 2), (2, 3) };\n\
                 mu Path(x, y: Node) = one: edge(x, y) | more: exists z. Path(x, z) & edge(z, y);\n\
                 query Ends = Path(0, 3);\nquery All(x, y: Node) = Path(x, y);\nverdict safe if Ends;\n";
    write("paths.fp", paths);
    let made = run(folder.path(), "summaries safe.bp --certificate proof.js", "");
    assert_eq!(exit(&made), 0, "{}", stdout(&made));
    let traced = run(folder.path(), "summaries unsafe.bp --trace json", "");
    write("trace.js", &stdout(&traced));
    folder
}

fn run(folder: &Path, arguments: &str, fault: &str) -> Output {
    command_in(folder, arguments).env("FPSOLVE_FAULTS", fault).output().unwrap()
}

/// Whether the command can tell about itself in JSON.
fn has_json(command: &str) -> bool {
    !["certify", "replay", "export", "sequentialize", "check", "test"]
        .contains(&command.split(' ').next().unwrap())
}

/// What strikes: the fault, the limit, its word in JSON, and how the reason reads.
const STRIKES: [(&str, &str, &str, &str); 3] = [
    ("stay", "--timeout 2s", "time", "time limit of 2 s reached"),
    ("grow", "--memory 100MiB", "memory", "memory limit of 100 MiB reached"),
    ("press", "", "interrupt", "interrupted"),
];

impl Case {
    fn expect_unknown(&self, folder: &Path, strike: &(&str, &str, &str, &str), format: &str) {
        let (fault, limit, word, reason) = strike;
        let arguments = format!("{} {limit} {format}", self.command);
        let output = run(folder, &arguments, &format!("{fault}={}", self.phase));
        let text = stdout(&output);
        let seen = format!("`{arguments}` with {fault}={}: {output:?}", self.phase);
        assert_eq!(exit(&output), 3, "{seen}");
        let while_doing = match (self.phase, self.relation) {
            (phase, "") => format!("{reason} while {phase}"),
            ("solving", relation) => format!("{reason} while solving {relation}"),
            (phase, relation) => format!("{reason} while {phase} while solving {relation}"),
        };
        if format.is_empty() {
            assert!(text.contains("unknown") && text.contains(&format!("({while_doing})")), "{seen}");
            return;
        }
        let object = serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}: {seen}"));
        assert_eq!(object["verdict"], "unknown", "{seen}");
        assert_eq!(object["reason"], while_doing, "{seen}");
        let stop = &object["stop"];
        assert_eq!((&stop["reason"], &stop["phase"]), (&(*word).into(), &self.phase.into()), "{seen}");
        assert_eq!(stop["relation"].as_str().unwrap_or_default(), self.relation, "{seen}");
    }
}

fn stop_everywhere(cases: &[Case]) {
    let folder = folder();
    let mut jobs = Vec::new();
    for case in cases {
        for strike in &STRIKES {
            jobs.push((case, strike, ""));
            // While one works, one form must do.
            if has_json(case.command) && !effort::is_fast() {
                jobs.push((case, strike, "--format json"));
            }
        }
    }
    all(&jobs, |(case, strike, format)| case.expect_unknown(folder.path(), strike, format));
}

#[test]
fn limits_hold_in_every_phase_that_cannot_look_at_them() {
    stop_everywhere(&BLIND);
}

#[test]
fn limits_hold_in_every_phase_that_is_too_busy_to_look_at_them() {
    stop_everywhere(&POLLING);
}

/// Work that wakes up past its time notices that by itself, and says what it knows.
#[test]
fn work_that_is_late_says_what_it_knows() {
    const LATE: [(&str, &str, i32, &str); 7] = [
        ("paths.fp", "planning", 3, "verdict: unknown (time limit of 2 s reached while planning)"),
        ("paths.fp", "solving", 3, "verdict: unknown (time limit of 2 s reached while solving edge)"),
        (
            "paths.fp --reorder always",
            REORDERING,
            3,
            "verdict: unknown (time limit of 2 s reached while reordering the BDD variables while solving Path)",
        ),
        (
            "certify summaries safe.bp proof.js",
            "checking the certificate",
            3,
            "unknown: the certificate is not checked to the end (time limit of 2 s reached while checking the",
        ),
        (
            "summaries unsafe.bp --trace",
            DERIVING,
            1,
            "trace: none, because the explanation was given up: time limit of 2 s reached while ",
        ),
        (
            "paths.fp --explain Path(0,3)",
            DERIVING,
            0,
            "Path(0,3): the explanation was given up: time limit of 2 s reached while ",
        ),
        (
            "summaries safe.bp --certificate late.js",
            "making the certificate",
            3,
            "no certificate is written: time limit of 2 s reached while making the certificate",
        ),
    ];
    let folder = folder();
    all(&LATE, |(command, phase, code, said)| {
        let arguments = format!("{command} --timeout 2s");
        let output = run(folder.path(), &arguments, &format!("late={phase}"));
        let text = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(exit(&output), *code, "{arguments}: {text}");
        assert!(text.contains(said), "{arguments}: {text}");
    });
    assert!(!folder.path().join("late.js").exists());
}

#[test]
fn a_batch_has_a_row_for_every_way_to_be_stopped() {
    let folder = folder();
    let batch = |fault: &str, limit: &str, out: &str| {
        let arguments = format!("batch paths.fp --programs safe.bp --no-times --out {out} {limit}");
        let output = run(folder.path(), &arguments, fault);
        let rows = fs::read_to_string(folder.path().join(out)).unwrap();
        assert_eq!(exit(&output), 3, "{fault}: {rows}");
        rows.lines().nth(1).unwrap_or_default().to_string()
    };
    let row = batch("stay=solving", "--timeout 2s", "time.csv");
    assert_eq!(row, "safe.bp,paths.fp,,timeout,,time limit of 2 s reached while solving edge");
    let row = batch("grow=planning", "--memory 100MiB", "memory.csv");
    assert!(row.starts_with("safe.bp,paths.fp,,memory,,memory limit of 100 MiB reached"), "{row}");
    let row = batch("panic=solving", "", "panic.csv");
    let crash = "exit code 101: internal error: a fault on purpose while solving edge (";
    assert!(row.starts_with(&format!("safe.bp,paths.fp,,crash,,{crash}")), "{row}");
}

/// A panic is told as the one document that was asked for; the exit code is 101.
#[test]
fn a_panic_is_one_document_too() {
    let folder = folder();
    let asked = [
        "summaries unsafe.bp --format json",
        "summaries unsafe.bp --format=json --trace",
        "summaries unsafe.bp --trace json",
        "summaries unsafe.bp --trace=json",
        "summaries unsafe.bp --profile json",
        "summaries unsafe.bp --format sarif",
        "model unsafe.bp --format json",
    ];
    let phases = ["encoding the program", "solving", "counting tuples", "writing the answer"];
    let jobs = asked.iter().flat_map(|asked| phases.map(|phase| (*asked, phase)));
    // A model is solved for its sizes, and then printed.
    let jobs = jobs.filter(|(asked, phase)| !asked.starts_with("model") || *phase != "writing the answer");
    all(&jobs.collect::<Vec<_>>(), |(arguments, phase)| {
        let output = run(folder.path(), arguments, &format!("panic={phase}"));
        let seen = format!("`{arguments}` with panic={phase}: {output:?}");
        assert_eq!(exit(&output), 101, "{seen}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with("internal error: a fault on purpose while "), "{seen}");
        let object =
            serde_json::from_str::<Value>(&stdout(&output)).unwrap_or_else(|e| panic!("{e}: {seen}"));
        let told = match arguments.contains("sarif") {
            true => object["runs"][0].to_string(),
            false => {
                assert_eq!(object["diagnostics"][0]["code"], "fp::internal", "{seen}");
                object["error"].to_string()
            }
        };
        assert!(told.contains(&format!("internal error: a fault on purpose while {phase}")), "{seen}");
    });
    let output = run(folder.path(), "summaries unsafe.bp", "panic=solving");
    assert_eq!((exit(&output), stdout(&output).as_str()), (101, ""), "{output:?}");
}
