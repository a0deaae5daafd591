//! The command line as a user sees it: output, diagnostics and exit codes.

use crate::support::{command, command_in, exit, fixtures, run, seen, stdout, transcript};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// A named test whose snapshot shows what some command lines print.
macro_rules! seen {
    ($name:ident: $($arguments:expr),+ $(,)?) => {
        #[test]
        fn $name() {
            let transcripts = [$(seen($arguments)),+];
            insta::assert_snapshot!(transcripts.join("\n"));
        }
    };
}

seen!(runs_print_the_verdict_first:
    "reach.fp", "reach.fp --set goal=4", "reach.fp --no-early-stop", "undecided.fp", "undecided.fp --set deep=0");
seen!(tables_list_some_tuples_and_wrap_wide_values: "games.fp");
seen!(all_tuples_can_be_listed: "permutations.fp --set n=4 --all");
seen!(mistakes_are_shown_together: "mistakes.fp");
seen!(warnings_go_to_stderr: "warnings.fp");
seen!(a_requirement_refuses: "refused.fp", "refused.fp --set size=4");
seen!(unknown_files_have_suggestions: "raech.fp", "grpah", "chek reach.fp", "quite_another_thing", "folder");
seen!(models_are_looked_for: "summaries", "summaries driver.bp", "summaries driver.c");
seen!(parameters_are_checked:
    "reach.fp --set gaol=3", "reach.fp --set goal=9", "reach.fp --set goal=1 --set goal=2", "reach.fp --set goal=x");
seen!(sorts_of_the_command_line_are_checked: "reach.fp --keyed Nodes", "games.fp --keyed Game");
seen!(files_use_files: "uses.fp", "uses_nothing.fp", "uses_bundled.fp --facts facts");
seen!(facts_come_from_a_folder:
    "graph --set nodes=8 --facts facts", "graph", "graph --facts nowhere", "graph --facts folder",
    "graph --set nodes=8 --facts bad_facts");
seen!(check_finds_mistakes_without_solving: "check permutations.fp warnings.fp mistakes.fp graph");
seen!(test_compares_with_expectations: "test reach.fp refused.fp undecided.fp uses_bundled.fp mistakes.fp");
seen!(test_shows_what_failed: "test failing.fp");
seen!(test_walks_folders: "test folder", "test nowhere", "test facts");
seen!(fmt_check_names_what_would_change: "fmt --check unformatted.fp reach.fp", "fmt --check mistakes.fp nowhere.fp");
seen!(help_has_examples_and_exit_codes: "--help");
seen!(usage_is_checked: "reach.fp --frmat json", "reach.fp --timeout soon", "reach.fp --memory 64", "check");
seen!(mistakes_in_json_are_an_object:
    "mistakes.fp --format json", "nowhere.fp --format json", "reach.fp --format json --timeout soon");

#[test]
fn list_names_the_bundled_algorithms() {
    let list = stdout(&run("list"));
    let names =
        list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
    let (mut folders, mut files) =
        (vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("algorithms")], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.extension() {
                None if !path.ends_with("lib") => folders.push(path),
                Some(ending) if ending == "fp" => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let stems = files.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(names.collect::<Vec<_>>(), stems);
    assert!(list.contains("Reachability in a directed graph: what can be reached from node 0"), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
}

#[test]
fn no_arguments_are_a_mistake_that_shows_the_help() {
    let (nothing, help) = (run(""), run("--help"));
    assert_eq!((exit(&nothing), exit(&help)), (2, 0));
    assert_eq!(nothing.stderr, help.stdout);
}

#[test]
fn warnings_about_a_model_are_told_either_way() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("dead.bp"), "void main() begin return; skip; end\n").unwrap();
    let text = command_in(folder.path(), "summaries dead.bp").output().unwrap();
    assert!(String::from_utf8_lossy(&text.stderr).contains("dead.bp:1:"), "{text:?}");
    let json = command_in(folder.path(), "summaries dead.bp --format json").output().unwrap();
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(json.stderr.is_empty());
    assert_eq!((&object["model"], &object["warnings"][0]["file"]), (&"dead.bp".into(), &"dead.bp".into()));
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(stdout(&run("--version")), format!("fpsolve {} (CUDD 3.0.0)\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_syntax_error_leaves_a_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.fp");
    fs::write(&path, "query Hit = (true;\n").unwrap();
    let output = command_in(folder.path(), "fmt broken.fp").output().unwrap();
    assert_eq!(exit(&output), 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), "query Hit = (true;\n");
}

#[test]
fn formatting_twice_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.fp");
    fs::copy(fixtures().join("unformatted.fp"), &path).unwrap();
    let first = command_in(folder.path(), "fmt file.fp").output().unwrap();
    assert_eq!(
        transcript("fmt file.fp", &first),
        "$ fpsolve fmt file.fp\n--- stdout\nformatted: file.fp\n--- exit 0\n"
    );
    let once = fs::read_to_string(&path).unwrap();
    insta::assert_snapshot!(once);
    for arguments in ["fmt file.fp", "fmt --check ."] {
        let again = command_in(folder.path(), arguments).output().unwrap();
        assert_eq!(transcript(arguments, &again), format!("$ fpsolve {arguments}\n--- exit 0\n"));
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), once);
}

/// Runs with a text on the standard input.
fn with_input(arguments: &str, text: &str) -> String {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    transcript(arguments, &child.wait_with_output().unwrap())
}

#[test]
fn a_dash_is_the_standard_input() {
    let text = "query  Hit=false ;\n";
    let seen = ["-", "check -", "fmt -", "fmt --check -"].map(|arguments| with_input(arguments, text));
    insta::assert_snapshot!(seen.join("\n") + "\n" + &with_input("-", "query Hit = ;"));
}

#[test]
fn text_that_is_not_utf8_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("latin.fp"), b"// fine\n// M\xfcller\n").unwrap();
    let output = command_in(folder.path(), "latin.fp").output().unwrap();
    insta::assert_snapshot!(transcript("latin.fp", &output));
}

#[test]
fn a_reader_may_go_away() {
    let mut child = command("permutations.fp --set n=8 --all")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((exit(&output), String::from_utf8(output.stderr).unwrap().as_str()), (0, ""));
}

#[test]
fn the_statistics_are_an_aligned_table() {
    let output = stdout(&run("reach.fp --set goal=4 --stats"));
    let table = output.split("\n\n").find(|block| block.starts_with("relation")).expect("a table");
    let lines = table.lines().collect::<Vec<_>>();
    let head = lines[0].split_whitespace().collect::<Vec<_>>();
    assert_eq!(head, ["relation", "rounds", "rows", "tuples", "nodes", "time"]);
    let names = lines[1..].iter().map(|line| line.split_whitespace().next().unwrap()).collect::<Vec<_>>();
    assert_eq!(names, ["edge", "Reach", "start", "step", "Hit", "Where"]);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
    let reach = lines[2].split_whitespace().collect::<Vec<_>>();
    assert_eq!(reach[3], "3", "the tuples of Reach");
    assert!(output.contains("nodes at the peak") && output.contains("solved in"), "{output}");
}

#[test]
fn an_interrupted_relation_is_marked() {
    let output = stdout(&run("reach.fp --stats"));
    assert!(output.contains("\nReach *"), "{output}");
    assert!(output.contains("\n* incomplete: "), "{output}");
}
