//! Profiles and pages: shares add up, and equal runs give equal reports. tests/external.rs has a browser step through them.

use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::rc::Rc;

fn fpsolve(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fpsolve"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is text")
}

/// The words of a run that takes a while, has families, and steps of deepening.
const DEEP: [&str; 4] =
    ["adequacy", "examples/parameterized/bluetooth_repaired.bp", "--deepen", "rounds=1.."];
/// Of one with a trace.
const TRACED: [&str; 4] = ["linear_interfaces", "examples/parameterized/bluetooth.bp", "--set", "rounds=2"];

/// Tenths of a percent.
fn tenths(entry: &Value) -> i64 {
    (entry["percent"].as_f64().expect("a share") * 10.0).round() as i64
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn profile(arguments: &[&str]) -> Value {
    let output = fpsolve(&[arguments, &["--profile", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

#[test]
fn shares_and_times_of_a_profile_add_up() {
    for arguments in [&DEEP[..], &TRACED, &["examples/calculus/reachability_game.fp"]] {
        let profile = &profile(arguments)["profile"];
        let entries = list(&profile["entries"]);
        assert_eq!(entries.iter().map(tenths).sum::<i64>(), 1000, "{profile:#}");
        let seconds = |entry: &Value| entry["seconds"].as_f64().expect("seconds");
        let total = entries.iter().map(seconds).sum::<f64>();
        assert!((total - seconds(profile)).abs() < 1e-6, "{total}: {profile:#}");
        assert!(entries.is_sorted_by(|a, b| seconds(a) >= seconds(b)), "{profile:#}");
        for entry in entries {
            let parts = list(&entry["parts"]);
            assert!(parts.is_sorted_by(|a, b| seconds(a) >= seconds(b)), "{entry:#}");
            if !parts.is_empty() {
                assert_eq!(parts.iter().map(tenths).sum::<i64>(), tenths(entry), "{entry:#}");
                let total = parts.iter().map(seconds).sum::<f64>();
                assert!((total - seconds(entry)).abs() < 1e-6, "{entry:#}");
            }
        }
    }
}

/// Another process may take the processor while no part is being timed, so one of some runs must do.
#[test]
fn a_profile_says_where_most_of_the_time_went() {
    let other = |profile: &Value| {
        let entries = list(&profile["profile"]["entries"]);
        entries.iter().find(|entry| entry["name"] == "other").map_or(0, tenths)
    };
    for arguments in [&DEEP[..], &TRACED, &["examples/calculus/reachability_game.fp"]] {
        let shares = (0..20).map(|_| other(&profile(arguments)));
        assert!(
            shares.into_iter().any(|share| share < 300),
            "nobody knows where the time of {arguments:?} went"
        );
    }
}

/// Without times, and in an order that does not depend on them.
fn timeless(value: &mut Value) {
    match value {
        Value::Object(parts) => {
            parts.retain(|key, _| !["seconds", "percent"].contains(&key.as_str()));
            parts.values_mut().for_each(timeless);
        }
        Value::Array(parts) => {
            parts.iter_mut().for_each(timeless);
            if parts.iter().all(|part| part.get("new_tuples").is_some()) {
                // What took no time at all on a fast machine is left out.
                parts.retain(|part| part["rounds"].is_u64());
                parts.sort_by_key(|part| part["name"].as_str().map(String::from));
            }
        }
        _ => {}
    }
}

#[test]
fn a_profile_names_relations_and_clauses_with_their_lines() {
    let mut profile = profile(&["tests/fixtures/reach.fp", "--set", "goal=4"]);
    timeless(&mut profile);
    insta::assert_snapshot!(serde_json::to_string_pretty(&profile).expect("it is JSON"));
}

#[test]
fn the_clauses_of_steps_are_summed() {
    let whole = profile(&DEEP);
    let entries = list(&whole["profile"]["entries"]);
    let named = |name: &str| entries.iter().find(|entry| entry["name"] == name).expect("it is there").clone();
    // Solved in the first step and kept in the second: it counts once.
    let first = profile(&["adequacy", DEEP[1], "--set", "rounds=1"]);
    let first = list(&first["profile"]["entries"]).iter().find(|entry| entry["name"] == "TLI[1, 1]").cloned();
    assert_eq!(named("TLI[1, 1]")["rounds"], first.expect("it is there")["rounds"]);
    assert!(named("EveWins")["rounds"].as_u64() > Some(1), "it is evaluated in both steps");
}

#[test]
fn the_table_adds_up_as_it_is_printed() {
    let output = text(&fpsolve(&[&DEEP[..], &["--profile"]].concat()).stdout);
    let (_, table) = output.split_once("profile: ").expect("a profile");
    let rows = table.lines().skip(3).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let share = |row: &&str| {
        let number = row.strip_suffix(" %").and_then(|row| row.split_whitespace().last());
        (number.and_then(|number| number.parse::<f64>().ok()).expect(row) * 10.0).round() as i64
    };
    let whole = rows.iter().filter(|row| !row.starts_with(' ')).map(share).sum::<i64>();
    assert_eq!(whole, 1000, "{table}");
    assert!(table.contains("  S1_2 "), "{table}");
    assert!(table.contains("linear_interfaces.fp:24"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
}

#[test]
fn a_profile_stands_in_the_object_of_a_run() {
    let output = fpsolve(&["tests/fixtures/reach.fp", "--format", "json", "--profile"]);
    let object: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(object["verdict"], "unsafe");
    assert_eq!(list(&object["profile"]["entries"]).iter().map(tenths).sum::<i64>(), 1000);
    let output = fpsolve(&[&TRACED[..], &["--trace", "json", "--profile", "json"]].concat());
    assert_eq!(output.status.code(), Some(2), "two documents would be one too many");
}

/// A page of a run, in a folder of its own.
fn page(arguments: &[&str]) -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.html");
    let output = fpsolve(&[arguments, &["--report", path.to_str().expect("a path in UTF-8")]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(&path).expect("the page is written");
    (folder, path, page)
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("data end");
    serde_json::from_str(data).expect("data are JSON")
}

#[test]
fn equal_runs_give_equal_pages_but_for_times() {
    let pages = [page(&TRACED).2, page(&TRACED).2];
    let [mut first, mut second] = pages.each_ref().map(|page| data(page));
    timeless(&mut first);
    timeless(&mut second);
    assert_eq!(first, second);
    assert!(list(&first["trace"]["steps"]).len() > 5);
    let relations = list(&first["relations"]);
    let tli = relations.iter().find(|relation| relation["name"] == "TLI[1, 1]").expect("it grows");
    assert!(list(&tli["samples"]).len() > 2, "{tli}");
    let [first, second] = pages.map(|page| page.split("<script").next().map(String::from));
    assert_eq!(first, second);
}

/// What was proved, and the command that checks it; a verdict about something else lists no assertions.
#[test]
fn a_page_says_what_was_proved_and_how_to_check_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("two places.bp");
    std::fs::write(
        &program,
        "decl x;\nthread a begin\n  x := T;\n  assert(x);\nend\nthread b begin assert(T | x); end\n",
    )
    .expect("it is written");
    let program = program.to_str().expect("a path in UTF-8");
    let proof = folder.path().join("proof.json");
    let proof = proof.to_str().expect("a path in UTF-8");
    let safe = data(&page(&["interleaving", program, "--certificate", proof]).2);
    let lines = list(&safe["proof"]["places"]).iter().map(|place| (&place["line"], &place["text"]));
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            (&Value::from(4), &Value::from("assert(x);")),
            (&Value::from(6), &"thread b begin assert(T | x); end".into())
        ]
    );
    assert_eq!(
        safe["proof"]["checks"][0][1],
        format!("fpsolve certify interleaving '{program}' {proof}"),
        "a word with a space is quoted"
    );
    let output = fpsolve(&["certify", "interleaving", program, proof]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let other = data(&page(&["deadlock", program]).2);
    assert_eq!(list(&other["proof"]["places"]).len(), 0, "deadlocks are no assertions");
    assert!(data(&page(&TRACED).2)["proof"].is_null());
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let page = page(&TRACED).2;
    let addresses = page.matches("http").count();
    assert_eq!(addresses, page.matches("http://www.w3.org/2000/svg").count(), "only the name of SVG");
    for word in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn texts_cannot_break_out_of_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("odd<b>.bp");
    let text = "// </script><script>alert(1)</script> <!-- {{data}}\ndecl x; void main() begin x := T; ERROR: skip; end\n";
    std::fs::write(&program, text).expect("it is written");
    let page = page(&["summaries", program.to_str().expect("a path in UTF-8")]).2;
    assert_eq!(page.matches("</script>").count(), 2, "that of the data and that of the script");
    assert!(!page.contains("odd<b>"));
    assert_eq!(data(&page)["program"]["text"], text);
}

#[test]
fn a_report_does_not_overwrite_its_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.bp");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(TRACED[1]), &program).expect("a copy");
    let name = program.to_str().expect("a path in UTF-8");
    let output = fpsolve(&["linear_interfaces", name, "--report", name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("would be overwritten by a report"), "{}", text(&output.stderr));
}

/// Named tests whose snapshots show a stage of two small files.
macro_rules! stages {
    ($($name:ident: $arguments:expr),+ $(,)?) => {
        $(#[test]
        fn $name() {
            let shown = ["tests/fixtures/reach.fp", "examples/calculus/reachability_game.fp"].map(|file| {
                let output = fpsolve(&[&[file], &$arguments[..]].concat());
                assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
                text(&output.stdout)
            });
            insta::assert_snapshot!(shown.join("\n"));
        })+
    };
}

stages! {
    the_tree_of_the_text_is_shown: ["--show", "ast"],
    the_rules_are_shown_in_the_names_of_the_file: ["--show", "core"],
    the_steps_of_rules_are_shown: ["--show", "plan"],
    the_order_of_variables_is_shown: ["--show", "order"],
    components_are_shown: ["--show", "components"],
    components_are_drawn: ["--dot", "components"],
}

#[test]
fn every_stage_of_bundled_algorithms_can_be_shown() {
    let programs = [
        ("adequacy", DEEP[1]),
        ("linear_interfaces", DEEP[1]),
        ("summaries", "examples/programs/savepoints.bp"),
        ("interleaving", "examples/concurrent/peterson.bp"),
        ("lazy_cba", "examples/concurrent/peterson.bp"),
        ("k_induction", "examples/concurrent/peterson.bp"),
    ];
    for (algorithm, program) in programs {
        for stage in ["ast", "core", "plan", "order", "components"] {
            let output = fpsolve(&[algorithm, program, "--show", stage]);
            assert!(output.status.success(), "{algorithm} {stage}: {}", text(&output.stderr));
            assert!(output.stdout.len() > 100, "{algorithm} {stage}");
        }
    }
}

#[test]
fn a_run_tells_the_clauses_it_evaluates() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/calculus/reachability_game.fp");
    let file = fpsolve::run::files::find(path.to_str().expect("a path in UTF-8"), &[]).expect("it is there");
    let told = Rc::new(RefCell::new(BTreeSet::new()));
    let all = told.clone();
    let tell = move |now: &calculus::solve::Progress| {
        all.borrow_mut()
            .insert((now.relation.to_string(), now.clause.as_ref().map(|clause| clause.to_string())));
    };
    let request = fpsolve::run::Request::new(file);
    let settings = fpsolve::run::Settings { progress: Some(Rc::new(tell)), ..Default::default() };
    fpsolve::run::run(&request, &settings).expect("a run");
    let told = told.borrow();
    for clause in ["goal", "eve", "adam"] {
        assert!(told.contains(&("Win".into(), Some(clause.into()))), "{clause}: {told:?}");
    }
    assert!(told.contains(&("move".into(), None)), "facts have no clauses: {told:?}");
}
