//! A program alone: `fpsolve prog.bp`.

use crate::support::{command_in, exit, stdout, transcript};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::process::Output;

const BUG: &str = "decl x;
thread a begin
  x := T;
  assert(x);
end
thread b begin x := F; end
";
const SAFE: &str = "decl x, y;
init begin x, y := F, F; end
thread a begin x := T; assert(x); end
thread b begin y := T; assert(y); end
";
/// Each of two threads locks what the other one needs.
const LOCKED: &str = "decl l, m;
init begin l, m := F, F; end
thread a begin
  atomic_begin; assume(!l); l := T; atomic_end;
  atomic_begin; assume(!m); m := T; atomic_end;
end
thread b begin
  atomic_begin; assume(!m); m := T; atomic_end;
  atomic_begin; assume(!l); l := T; atomic_end;
  assert(l);
end
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("bug.bp", BUG), ("safe.bp", SAFE), ("locked.bp", LOCKED)] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn run(folder: &Path, arguments: &str) -> Output {
    command_in(folder, arguments).output().expect("the command starts")
}

fn json(folder: &Path, arguments: &str) -> Json {
    serde_json::from_str(&stdout(&run(folder, &format!("{arguments} --format json")))).expect("one document")
}

#[test]
fn the_answer_speaks_of_the_program() {
    let folder = folder();
    let seen = ["bug.bp", "safe.bp", "bug.bp --quiet", "safe.bp --quiet", "locked.bp --also deadlock"];
    let seen = seen.map(|arguments| {
        let arguments = format!("{arguments} --deterministic");
        transcript(&arguments, &run(folder.path(), &arguments))
    });
    insta::assert_snapshot!(seen.join("\n"));
}

#[test]
fn mistakes_of_plans_and_programs_are_told() {
    let folder = folder();
    fs::write(folder.path().join("bad.plan"), "shape all\n  run nothing twice\n").expect("a file");
    fs::write(folder.path().join("none.plan"), "shape never: program.threads = 99\n  run interleaving\n")
        .expect("a file");
    fs::write(folder.path().join("broken.bp"), "void main() begin\n").expect("a file");
    let seen = [
        "bug.bp --plan bad.plan",
        "bug.bp --plan none.plan",
        "bug.bp --plan nowhere.plan",
        "bug.bp --also nothing",
        "bug.bp --set contexts=2",
        "broken.bp",
    ];
    let seen = seen.map(|arguments| transcript(arguments, &run(folder.path(), arguments)));
    insta::assert_snapshot!(seen.join("\n"));
}

/// Which algorithm answers first may differ; what the program does may not.
#[test]
fn however_it_is_run_the_verdict_is_the_same() {
    let folder = folder();
    for options in ["", "--deterministic", "--jobs 1", "--jobs 3", "--goal bug", "--goal proof"] {
        let bug = json(folder.path(), &format!("bug.bp {options}"));
        if options == "--goal proof" {
            assert_ne!(bug["verdict"], "safe", "{options}");
        } else {
            assert_eq!(bug["verdict"], "unsafe", "{options}");
            assert_eq!(bug["assertions"][0]["status"], "can fail", "{options}");
            assert_eq!(bug["trace"]["error"]["line"], 4, "{options}");
        }
        let safe = json(folder.path(), &format!("safe.bp {options}"));
        assert_ne!(safe["verdict"], "unsafe", "{options}");
        if options != "--goal bug" {
            assert_eq!(safe["verdict"], "safe", "{options}");
            let holds = safe["assertions"].as_array().expect("a list").iter().map(|row| &row["status"]);
            assert_eq!(holds.collect::<Vec<_>>(), ["holds", "holds"], "{options}");
        }
    }
}

#[test]
fn the_command_that_is_named_gives_the_same_verdict() {
    let folder = folder();
    for (program, code) in [("bug.bp", 1), ("safe.bp", 0)] {
        let answer = json(folder.path(), program);
        let command = answer["answered_by"]["command"].as_str().expect("a command");
        let arguments = command.strip_prefix("fpsolve ").expect("the command itself");
        assert_eq!(exit(&run(folder.path(), arguments)), code, "{command}");
    }
}

#[test]
fn exit_codes_follow_the_strongest_answer() {
    let folder = folder();
    let code = |arguments: &str| exit(&run(folder.path(), arguments));
    fs::write(folder.path().join("few.plan"), "shape all:\n  run lazy_cba contexts=1..2\n").expect("a file");
    fs::write(folder.path().join("no.plan"), "shape all:\n  run summaries\n").expect("a file");
    assert_eq!(code("bug.bp"), 1);
    assert_eq!(code("safe.bp"), 0);
    assert_eq!(code("safe.bp --plan few.plan"), 0, "bounded");
    assert_eq!(code("safe.bp --plan few.plan --strict"), 3);
    assert_eq!(code("lazy_cba safe.bp --strict"), 3, "with an algorithm too");
    assert_eq!(code("safe.bp --plan no.plan"), 3, "every algorithm refuses the program");
    assert_eq!(code("locked.bp"), 0);
    assert_eq!(code("locked.bp --also deadlock"), 1);
}

/// Members that never end keep no others from being tried, and the time limit holds.
#[test]
fn a_time_limit_ends_in_unknown() {
    let folder = folder();
    fs::write(
        folder.path().join("endless.plan"),
        "shape all:\n  advice fewer threads\n  run endless.fp n=1..\n",
    )
    .expect("a file");
    fs::write(
        folder.path().join("endless.fp"),
        "use program;\nparam n in 1.. = 1;\nquery Hit = exists q. target(q) & false;\nverdict unknown \"n = {n}\";\n",
    )
    .expect("a file");
    let output = run(folder.path(), "safe.bp --plan endless.plan --timeout 1500ms");
    let said = stdout(&output);
    assert_eq!(exit(&output), 3, "{said}");
    assert!(said.contains("unknown: time limit of 1.5 s reached"), "{said}");
    let tries =
        "to find more: more time (--timeout 4s); one goal (--goal bug or --goal proof); fewer threads; ";
    assert!(said.contains(tries), "{said}");
    fs::write(
        folder.path().join("mixed.plan"),
        "shape all:\n  run endless.fp n=1..\n  run endless.fp n=2..\n  run interleaving\n",
    )
    .expect("a file");
    let said = stdout(&run(folder.path(), "safe.bp --plan mixed.plan --jobs 2 --timeout 60s"));
    assert!(said.contains("safe: 2 assertions hold"), "{said}");
}

#[test]
fn sarif_has_the_run_as_a_code_flow() {
    let folder = folder();
    let document = stdout(&run(folder.path(), "bug.bp --format sarif"));
    let document: Json = serde_json::from_str(&document).expect("one document");
    let result = &document["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
    let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let last = steps.as_array().expect("steps").last().expect("a step");
    assert_eq!(last["location"]["message"]["text"], "a: assert(x)");
    assert_eq!(document["runs"][0]["properties"]["assertions"][0]["status"], "can fail");
}

#[test]
fn certificates_and_reports_are_written() {
    let folder = folder();
    let said = stdout(&run(folder.path(), "safe.bp --deterministic --certificate proof.json"));
    let check = said.lines().find_map(|line| line.strip_prefix("to check the proof: fpsolve ")).expect(&said);
    assert_eq!(exit(&run(folder.path(), check)), 0);
    run(folder.path(), "bug.bp --report page.html");
    let page = fs::read_to_string(folder.path().join("page.html")).expect("a report");
    assert!(page.contains("assert(x)"));
}

/// Wherever a procedure is inlined, its assertions are the same ones.
#[test]
fn repro_an_inlined_assertion_counts_once() {
    let folder = folder();
    let text = "decl x;
init begin x := F; end
void check() begin assert(!x); return; end
thread a begin check(); check(); end
thread b begin check(); end
";
    fs::write(folder.path().join("calls.bp"), text).expect("a file");
    let report = json(folder.path(), "calls.bp");
    let assertions = report["assertions"].as_array().expect("a list");
    assert_eq!(assertions.len(), 1, "{assertions:#?}");
    assert!(report["message"].as_str().expect("a line").contains(": 1 assertion holds "), "{report:#}");
}

/// Not every algorithm decides every program in time: others may.
#[test]
fn a_time_limit_of_one_algorithm_names_the_portfolio() {
    let folder = folder();
    let said = stdout(&run(folder.path(), "interleaving safe.bp --timeout 1ms"));
    let advice =
        "\nto find more: more time (--timeout 4s); the algorithms that fit the program (fpsolve safe.bp)\n";
    assert!(said.starts_with("verdict: unknown (time limit of 0.001 s reached"), "{said}");
    assert!(said.ends_with(advice), "{said}");
    // Whoever writes equations knows what else to try.
    fs::write(folder.path().join("own.fp"), "use program;\nquery Hit = exists q. target(q);\n")
        .expect("a file");
    let said = stdout(&run(folder.path(), "own.fp safe.bp --timeout 1ms"));
    assert!(said.contains("time limit") && !said.contains("to find more"), "{said}");
}
