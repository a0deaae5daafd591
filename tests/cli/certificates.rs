//! Writing and checking certificates, as a user sees it.

use crate::support::{command, exit, fixtures, run, stdout, transcript};
use insta::assert_snapshot;
use std::fs;
use std::path::Path;

/// Runs the command among copies of some fixtures; the shown text is that of the arguments.
fn seen(folder: &Path, arguments: &str) -> String {
    transcript(
        arguments,
        &crate::support::command_in(folder, arguments).output().expect("the command starts"),
    )
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(fixtures().join("ring.fp"), folder.path().join("ring.fp")).expect("a copy");
    folder
}

#[test]
fn a_certificate_is_written_and_checks() {
    let folder = folder();
    assert_snapshot!(seen(folder.path(), "ring.fp --certificate ring.json"));
    assert_snapshot!(fs::read_to_string(folder.path().join("ring.json")).expect("it is written"));
    assert_snapshot!(seen(folder.path(), "certify ring.fp ring.json"));
}

#[test]
fn a_wrong_bound_is_shown_with_a_tuple() {
    let folder = folder();
    seen(folder.path(), "ring.fp --certificate ring.json");
    let path = folder.path().join("ring.json");
    let text = fs::read_to_string(&path).expect("it is written");
    // Home of 0..3 after two rounds, not three.
    fs::write(&path, text.replace("{\"values\":[5]},{\"values\":[8]}", "{\"values\":[5]}")).expect("a file");
    assert_snapshot!(seen(folder.path(), "certify ring.fp ring.json"));
    // Reach without a node.
    let other = text.replacen("\"stages\":[{\"values\":[2]}]", "\"stages\":[{\"values\":[8]}]", 1);
    assert_ne!(other, text);
    fs::write(&path, other).expect("a file");
    assert_snapshot!(seen(folder.path(), "certify ring.fp ring.json"));
}

#[test]
fn a_certificate_of_another_text_is_refused() {
    let folder = folder();
    seen(folder.path(), "ring.fp --certificate ring.json");
    let path = folder.path().join("ring.fp");
    let text = fs::read_to_string(&path).expect("the fixture");
    fs::write(&path, text.replace("(3, 0)", "(3, 4)")).expect("a file");
    assert_snapshot!(seen(folder.path(), "certify ring.fp ring.json"));
}

#[test]
fn what_is_no_certificate_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("cut.json"), "{\n\"certificate\": 1,\n\"verdict\": 1").expect("a file");
    fs::write(folder.path().join("other.json"), "{ \"certificate\": 2 }").expect("a file");
    assert_snapshot!(seen(folder.path(), "certify ring.fp cut.json"));
    assert_snapshot!(seen(folder.path(), "certify ring.fp other.json"));
    assert_snapshot!(seen(folder.path(), "certify ring.fp none.json"));
}

#[test]
fn there_is_no_certificate_of_other_verdicts() {
    let folder = folder();
    fs::copy(fixtures().join("reach.fp"), folder.path().join("reach.fp")).expect("a copy");
    let shown = seen(folder.path(), "reach.fp --certificate reach.json");
    assert!(shown.contains("no certificate is written: the verdict is unsafe, not safe"), "{shown}");
    assert!(shown.ends_with("--- exit 1\n"), "{shown}");
    assert!(!folder.path().join("reach.json").exists());
}

#[test]
fn a_certificate_does_not_overwrite_the_file() {
    let folder = folder();
    let before = fs::read_to_string(folder.path().join("ring.fp")).expect("the fixture");
    let shown = seen(folder.path(), "ring.fp --certificate ./ring.fp");
    assert!(shown.contains("`ring.fp` would be overwritten by a certificate"), "{shown}");
    assert_eq!(fs::read_to_string(folder.path().join("ring.fp")).expect("the fixture"), before);
}

#[test]
fn limits_end_the_check_with_unknown() {
    let folder = folder();
    seen(folder.path(), "ring.fp --certificate ring.json");
    assert_snapshot!(seen(folder.path(), "certify ring.fp ring.json --max-nodes 10"));
    let shown = seen(folder.path(), "certify ring.fp ring.json --timeout 0s");
    assert!(shown.ends_with("--- exit 3\n"), "{shown}");
}

/// Facts belong to what is certified.
#[test]
fn facts_are_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, facts) = (folder.path().join("far.fp"), folder.path().join("facts"));
    fs::create_dir(&facts).expect("a folder");
    let text = "range N = 0..9;\ninput edge(x, y: N);\nmu Reach(x: N) = x = 0 | exists y. Reach(y) & edge(y, x);\n\
                verdict unsafe if Reach(9);\nverdict safe;\n";
    fs::write(&file, text).expect("a file");
    fs::write(facts.join("edge.facts"), "0\t1\n1\t2\n").expect("a file");
    let made = seen(folder.path(), "far.fp --facts facts --certificate far.json");
    assert!(made.ends_with("--- exit 0\n"), "{made}");
    let certify = "certify far.fp far.json --facts facts";
    assert!(seen(folder.path(), certify).ends_with("--- exit 0\n"));
    fs::write(facts.join("edge.facts"), "0\t1\n1\t2\n2\t3\n").expect("a file");
    let shown = seen(folder.path(), certify);
    assert!(shown.contains("the certificate was made with another text of `edge.facts`"), "{shown}");
    assert!(shown.ends_with("--- exit 1\n"), "{shown}");
}

/// With deepening, the certificate is of the step that ended it, and knows its parameter.
#[test]
fn parameters_come_from_the_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("lock.json");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/parameterized/tas_lock.bp");
    let made = command("adequacy")
        .arg(&program)
        .args(["--deepen", "rounds=1..", "--certificate"])
        .arg(&out)
        .output()
        .expect("the command starts");
    assert_eq!(exit(&made), 0);
    let checked = command("certify adequacy").arg(&program).arg(&out).output().expect("the command starts");
    let shown = stdout(&checked);
    assert!(shown.starts_with("certified: safe (rounds = 2 reaches every state"), "{shown}");
    assert!(shown.contains("\nparameters: rounds = 2\n"), "{shown}");
    assert_eq!(exit(&run("certify ring.fp")), 2, "a certificate must be named");
}
