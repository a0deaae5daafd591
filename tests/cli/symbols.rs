//! Texts as values, and answers that are written to files.

use crate::support::{command_in, exit, stdout};
use std::fs;
use std::path::Path;
use std::process::Output;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn run(folder: &Path, arguments: &str) -> Output {
    command_in(folder, arguments).output().expect("the command starts")
}

/// What a run prints, which must go well.
fn answers(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(exit(&output), 0, "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    stdout(&output)
}

/// What a refused run says.
fn refusal(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(exit(&output), 2, "{arguments}: {}", stdout(&output));
    String::from_utf8(output.stderr).expect("text")
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a file")
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("a file").file_name().into_string().expect("text"));
    let mut names = names.collect::<Vec<_>>();
    names.sort();
    names
}

const COPY: &str = "symbol T;\ninput pair(x, y: T);\nquery Out(x, y: T) = pair(x, y);\n";
const AGAIN: &str = "symbol T;\ninput Out(x, y: T);\nquery Back(x, y: T) = Out(x, y);\n";
/// Whatever a text may have in it.
const ODD: &str = "x,y\na\tb,\"say \"\"c\"\"\"\n\"two\nlines\",\"\"\nd e ,\"f,g\"\n{h},\\\n";

#[test]
fn every_text_comes_back_from_csv() {
    let folder = folder(&[("copy.fp", COPY), ("again.fp", AGAIN), ("facts/pair.csv", ODD)]);
    let folder = folder.path();
    answers(folder, "copy.fp --facts facts --out made/here --out-format csv");
    assert_eq!(read(folder, "made/here/Out.csv"), ODD);
    answers(folder, "again.fp --facts made/here --out back --out-format csv");
    assert_eq!(read(folder, "back/Back.csv"), ODD);
    assert_eq!(names(&folder.join("back")), ["Back.csv"]);
}

#[test]
fn texts_come_back_from_lines_with_tabs() {
    let rows = "Main.f$v1\t \"q\", x\n\tb \nb \tMain.f$v1\n";
    let folder = folder(&[("copy.fp", COPY), ("again.fp", AGAIN), ("facts/pair.facts", rows)]);
    let folder = folder.path();
    answers(folder, "copy.fp --facts facts --out made");
    assert_eq!(read(folder, "made/Out.facts"), rows);
    answers(folder, "again.fp --facts made --out back");
    assert_eq!(read(folder, "back/Back.facts"), rows);
}

#[test]
fn other_values_come_back_too() {
    let text = "symbol T;\nenum C { Red, Green }\nrecord P { t: T, n: -1..1 }\n\
                rel given(p: P, v: T[1..2], c: C, b: bool) = {\n    \
                (P { t = \"a, b}\", n = -1 }, [\"c d\", \"\"], Green, true),\n    \
                (P { t = \"\\t\\n\", n = 0 }, [\"e\", \"\\\\\"], Red, false),\n};\n\
                query Out(p: P, v: T[1..2], c: C, b: bool) = given(p, v, c, b);\n";
    let again = "symbol T;\nenum C { Red, Green }\nrecord P { t: T, n: -1..1 }\n\
                 input Out(p: P, v: T[1..2], c: C, b: bool);\n\
                 query Back(p: P, v: T[1..2], c: C, b: bool) = Out(p, v, c, b);\n";
    for format in ["facts", "csv"] {
        let folder = folder(&[("one.fp", text), ("two.fp", again)]);
        let folder = folder.path();
        let first = answers(folder, &format!("one.fp --out made --out-format {format}"));
        let second = answers(folder, &format!("two.fp --facts made --out back --out-format {format}"));
        assert_eq!(first.replace("Out", "Back"), second);
        let written = read(folder, &format!("made/Out.{format}"));
        assert_eq!(written, read(folder, &format!("back/Back.{format}")));
        assert_eq!(written.lines().count(), if format == "csv" { 3 } else { 2 }, "{written}");
    }
}

#[test]
fn a_text_that_tabs_cannot_say_is_refused_and_nothing_is_written() {
    let folder = folder(&[("copy.fp", COPY), ("facts/pair.csv", ODD)]);
    let folder = folder.path();
    let said = refusal(folder, "copy.fp --facts facts --out made");
    assert!(said.contains("fp::unwritable_text") && said.contains("\"a\\tb\""), "{said}");
    assert!(said.contains("--out-format csv"), "{said}");
    assert_eq!(names(&folder.join("made")), [""; 0]);
}

#[test]
fn files_have_all_tuples_and_the_screen_some() {
    let rows = (0..50).map(|n| format!("v{n}\tw{n}\n")).collect::<String>();
    let text = format!("{COPY}query Closed = exists x, y. pair(x, y);\nverdict unsafe if Closed;\n");
    let folder = folder(&[("copy.fp", &text), ("facts/pair.facts", &rows)]);
    let folder = folder.path();
    let output = run(folder, "copy.fp --facts facts --out made");
    let said = stdout(&output);
    assert!(said.contains("Out: 50 tuples") && said.contains("the first 20 of 50"), "{said}");
    assert_eq!(read(folder, "made/Out.facts"), rows);
    assert_eq!(names(&folder.join("made")), ["Out.facts"]);
}

#[test]
fn a_limit_leaves_no_file() {
    let folder = folder(&[("copy.fp", COPY), ("facts/pair.facts", "a\tb\nc\td\ne\tf\ng\th\n")]);
    let folder = folder.path();
    let output = run(folder, "copy.fp --facts facts --out made --max-nodes 1");
    assert_eq!(exit(&output), 3);
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was written to `made`"));
    assert_eq!(names(&folder.join("made")), [""; 0]);
    let output = run(folder, "copy.fp --facts facts --out made --timeout 0ms");
    assert_eq!(exit(&output), 3);
    assert!(!folder.join("made/Out.facts").exists());
}

#[test]
fn what_cannot_be_written_is_said() {
    let files = [("copy.fp", COPY), ("facts/pair.facts", "a\tb\n"), ("file", ""), ("made/Out.csv", "")];
    let folder = folder(&files);
    let folder = folder.path();
    let said = refusal(folder, "copy.fp --facts facts --out file");
    assert!(said.contains("fp::unwritable_file") && said.contains("this is a file"), "{said}");
    assert!(refusal(folder, "copy.fp --facts facts --out file/below").contains("cannot write"));
    let said = refusal(folder, "copy.fp --facts facts --out made");
    assert!(said.contains("an input reads one of both files"), "{said}");
    assert_eq!(names(&folder.join("made")), ["Out.csv"]);
}

#[test]
fn an_input_has_one_file() {
    let folder = folder(&[("copy.fp", COPY), ("facts/pair.facts", "a\tb\n"), ("facts/pair.csv", "a,b\n")]);
    let said = refusal(folder.path(), "copy.fp --facts facts");
    assert!(
        said.contains("fp::no_facts") && said.contains("pair.csv") && said.contains("not both"),
        "{said}"
    );
}

#[test]
fn what_is_no_text_is_refused() {
    let folder = folder(&[("copy.fp", COPY), ("nul/pair.facts", "a\tb\nc\td\0\n")]);
    let said = refusal(folder.path(), "copy.fp --facts nul");
    assert!(said.contains("pair.facts:2") && said.contains("NUL"), "{said}");
    fs::create_dir(folder.path().join("latin")).expect("a folder");
    fs::write(folder.path().join("latin/pair.csv"), b"a,b\n\xe9,c\n").expect("a file");
    let said = refusal(folder.path(), "copy.fp --facts latin");
    assert!(said.contains("not UTF-8 text (line 2)"), "{said}");
    fs::create_dir(folder.path().join("marked")).expect("a folder");
    fs::write(folder.path().join("marked/pair.csv"), "\u{feff}x,y\r\na,b\r\n").expect("a file");
    assert!(answers(folder.path(), "copy.fp --facts marked").starts_with("Out: 1 tuple\n"));
}

#[test]
fn answers_explanations_and_json_have_the_texts() {
    let folder = folder(&[("copy.fp", COPY), ("facts/pair.facts", "Main.a$1\tb c\n")]);
    let folder = folder.path();
    let said = answers(folder, "copy.fp --facts facts --keyed T");
    assert_eq!(said, "Out: 1 tuple\n  x         y\n  Main.a$1  \"b c\"\n");
    let said = answers(folder, "copy.fp --facts facts --format json");
    assert!(said.contains("[\"Main.a$1\", \"b c\"]"), "{said}");
    let explained =
        command_in(folder, "copy.fp --facts facts --explain").arg("Out(Main.a$1, \"b c\")").output();
    let said = stdout(&explained.expect("the command starts"));
    assert!(said.contains("from pair(Main.a$1, \"b c\")"), "{said}");
    let unknown = command_in(folder, "copy.fp --facts facts --explain").arg("Out(nobody, _)").output();
    let said = String::from_utf8(unknown.expect("the command starts").stderr).expect("text");
    assert!(said.contains("`nobody` is not a value of `x`, whose sort is T"), "{said}");
}

const EMPTY: &str = "symbol T;\nsymbol U;\nrecord R { t: T, u: U }\ninput pair(x, y: T);\ninput on(u: U);\n\
                     nu All(x: T) = All(x);\nmu Some(r: R) = pair(r.t, r.t) & on(r.u) | Some(r);\n\
                     query Out(x: T) = All(x);\nquery Records(r: R) = !Some(r);\n\
                     query Every = forall x: T. pair(x, x);\nquery One = exists u: U. u = u;\n\
                     query Both(u: U) = on(u) | forall x. !All(x);\nverdict unsafe if One;\nverdict safe;\n";

#[test]
fn a_sort_without_texts_has_no_values() {
    let files = [("empty.fp", EMPTY), ("none/pair.facts", ""), ("none/on.csv", ""), ("half/pair.csv", "")];
    let folder = folder(&files);
    let folder = folder.path();
    let expected =
        "verdict: safe\n\nOut: 0 tuples\n\nRecords: 0 tuples\n\nBoth: 0 tuples\n\nEvery: true\nOne: false\n";
    let squeezed = |text: String| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    for option in ["", "--keyed T", "--keyed T --keyed U", "--strategy naive", "--reorder always"] {
        let said = squeezed(answers(folder, &format!("empty.fp --facts none {option}")));
        let mut wanted = squeezed(expected.to_string());
        let mut sorted = said.clone();
        sorted.sort();
        wanted.sort();
        assert_eq!(sorted, wanted, "{option}: {said:?}");
    }
    answers(folder, "empty.fp --facts none --certificate safe.json");
    answers(folder, "certify empty.fp safe.json --facts none");
    fs::write(folder.join("half/on.facts"), "u\n").expect("a file");
    let output = run(folder, "empty.fp --facts half --no-early-stop");
    assert_eq!(exit(&output), 1, "U has a text now");
    assert!(stdout(&output).contains("Both: 1 tuple"), "{}", stdout(&output));
    assert_eq!(answers(folder, "check empty.fp"), "empty.fp: ok\n");
}

#[test]
fn static_conditions_below_a_quantifier_are_no_reason_for_a_warning() {
    let text = "param k = 1;\nsymbol T;\ninput pair(x, y: T);\nquery No(x: T) = exists y: T. k > 1 & pair(x, y);\n\
                query Nor = forall y: T. k > 1 & pair(y, y);\nquery Some = exists y: T. k = 1 | pair(y, y);\n";
    let folder = folder(&[("static.fp", text), ("one/pair.facts", "a\ta\n"), ("none/pair.facts", "")]);
    for (facts, nor, some) in [("one", false, true), ("none", true, false)] {
        let output = run(folder.path(), &format!("static.fp --facts {facts}"));
        assert_eq!(stdout(&output), format!("No: 0 tuples\n\nNor: {nor}\nSome: {some}\n"), "{facts}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{facts}");
    }
}

#[test]
fn certificates_prove_what_is_said_of_texts() {
    let text = "symbol T;\ninput edge(x, y: T);\nmu Reach(x: T) = x = \"start\" | exists y. Reach(y) & edge(y, x);\n\
                query Bad = Reach(\"error\");\nverdict unsafe if Bad;\nverdict safe;\n";
    let folder = folder(&[("reach.fp", text), ("facts/edge.facts", "start\ta\na\tb\nc\terror\n")]);
    let folder = folder.path();
    answers(folder, "reach.fp --facts facts --certificate safe.json");
    assert!(answers(folder, "certify reach.fp safe.json --facts facts").contains("safe"));
}

#[test]
fn texts_that_a_step_of_deepening_brings_count_there() {
    // With `k` the sort grows, and so does what holds of all texts.
    let text = "param k in 1..3 = 1;\nsymbol T;\ninput pair(x: T);\nlet Other(x: T) = !pair(x);\n\
                let New[i in 1..k](x: T) = i = 1 & x = \"one\" | i = 2 & x = \"two\" | i = 3 & x = \"three\";\n\
                query Hit = (exists x. Other(x) & x = \"one\") & k = 3 & exists x. New[k](x) & Other(x);\n\
                query Others(x: T) = Other(x);\nverdict unsafe if Hit;\nverdict bounded;\n";
    let folder = folder(&[("deep.fp", text), ("facts/pair.facts", "a\n")]);
    let deepened = run(folder.path(), "deep.fp --facts facts --deepen k=1.. --no-early-stop");
    assert_eq!(exit(&deepened), 1);
    let alone = run(folder.path(), "deep.fp --facts facts --set k=3 --no-early-stop");
    let last = stdout(&deepened);
    assert!(last.ends_with(&stdout(&alone)), "{last}\n{}", stdout(&alone));
    assert!(last.contains("Others: 3 tuples"), "{last}");
}

#[test]
fn exports_have_the_texts() {
    let text = "symbol T;\ninput pair(x, y: T);\nmu Reach(x: T) = x = \"a \\\"b\\\"\" | exists y. Reach(y) & pair(y, x);\n\
                query Out(x: T) = Reach(x);\n";
    let folder = folder(&[("reach.fp", text), ("facts/pair.csv", "\"a \"\"b\"\"\",c\n")]);
    let folder = folder.path();
    let said = answers(folder, "export reach.fp --facts facts --to souffle");
    assert!(said.contains("(c0: symbol, c1: symbol)") && said.contains("(\"a \\\"b\\\"\", \"c\")"), "{said}");
    let said = answers(folder, "export reach.fp --facts facts --to smt2");
    assert!(said.contains("; 0 is \"a \\\"b\\\"\" in T\n; 1 is \"c\" in T\n"), "{said}");
}
