//! `dead_code` is exact for each line of the text, however calls are inlined, and with an `init` block.
//!
//! Metamorphic: a label on every line, and `summaries` asked whether that label is reached, give the same lines.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, sequential};
use calculus::sort::Value;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::program::Options;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::run::{Request, Settings, files, run};
use std::collections::BTreeSet;
use support::Treatment;

const INLINE: [Inline; 3] = [Inline::Never, Inline::Auto, Inline::Always];

/// The lines that a query of `dead_code` lists.
fn lines(text: &str, query: &str, inline: Inline) -> BTreeSet<u64> {
    let treatment = Treatment { inline, ..Treatment::default() };
    let outcome = support::run("dead_code", &[], text, &treatment)
        .unwrap_or_else(|rejection| panic!("{rejection:#?}\n{text}"));
    let queries = outcome.queries();
    let answer = queries.iter().find(|answer| answer.name == query).expect("the query of the file");
    let (_, rows) = answer.answer.as_ref().expect("it was solved");
    let line = |row: &Vec<Value>| match row[0] {
        Value::Name(line) => line,
        ref other => panic!("{other:?} is no line"),
    };
    rows.iter().map(line).collect()
}

/// Whether some run reaches a label.
fn reached(text: &str, label: &str, inline: Inline) -> bool {
    let reading = Options { target: vec![label.into()], ..Options::default() };
    let options = ProgramOptions { reading, inline, ..ProgramOptions::default() };
    let model = program("program.bp", text, &options).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    let file = files::find("summaries", &[]).expect("it is bundled");
    let request = Request { model: Some(model.vocabulary), ..Request::new(file) };
    let outcome = run(&request, &Settings::default()).unwrap_or_else(|rejection| panic!("{rejection:#?}"));
    outcome.conclusion().word() == Some("unsafe")
}

/// One statement a line, each with a label; nothing else is an error. The labels by their lines.
fn labelled(text: &str) -> (String, Vec<(u64, String)>) {
    let mut text = text.replace("assert(", "assume(").replace("ERROR: ", "");
    for (from, to) in
        [("; ", ";\n"), ("then ", "then\n"), ("else ", "else\n"), ("do ", "do\n"), ("begin ", "begin\n")]
    {
        text = text.replace(from, to);
    }
    let (mut out, mut labels) = (String::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let other = ["decl", "else", "fi", "od", "end", "void", "bool", "init", "enforce", "thread"];
        let is_statement = !line.trim().is_empty() && !other.iter().any(|word| line.trim().starts_with(word));
        if is_statement {
            labels.push((number, format!("Line{number}")));
            out += &format!("Line{number}: ");
        }
        out += line;
        out.push('\n');
    }
    (out, labels)
}

#[test]
fn dead_lines_of_random_programs_are_those_whose_labels_no_run_reaches() {
    let mut random = Random(0x51f3_92c1_77aa_0b2d);
    let (mut dead, mut executed) = (0, 0);
    for number in 0..24 {
        let mut text = sequential(&mut random);
        if number % 3 == 0 {
            text.push_str("init begin a := F; if (*) then b := F; else assume(F); c := T; fi end\n");
        }
        let (text, labels) = labelled(&text);
        let expected: BTreeSet<u64> = labels
            .iter()
            .filter(|(_, label)| !reached(&text, label, INLINE[number % 3]))
            .map(|(line, _)| *line)
            .collect();
        for inline in INLINE {
            assert_eq!(lines(&text, "Dead", inline), expected, "{inline:?}\n{text}");
        }
        dead += expected.len();
        executed += labels.len() - expected.len();
    }
    assert!(dead > 50 && executed > 50, "{dead} dead lines and {executed} others");
}

#[test]
fn repro_a_procedure_that_one_call_executes_is_not_dead_where_another_call_is() {
    let text =
        "decl g := F;\nvoid p() begin\nskip;\nend\nvoid main() begin\np();\nif (g) then\np();\nfi\nend\n";
    for inline in INLINE {
        assert_eq!(lines(text, "Dead", inline), BTreeSet::from([8]), "{inline:?}");
    }
}

#[test]
fn repro_what_only_the_init_block_executes_is_not_dead() {
    let text =
        "decl g;\nvoid p() begin\ng := T;\nend\ninit begin\np();\nend\nvoid main() begin\nskip;\nend\n";
    for inline in INLINE {
        assert_eq!(lines(text, "Dead", inline), BTreeSet::new(), "{inline:?}");
    }
}

#[test]
fn assertions_that_no_run_reaches_are_named() {
    let text = "decl g := F;\nvoid main() begin\nassert(!g);\nif (g) then\nassert(F);\nfi\nassume(g); assert(g);\nend\n";
    for inline in INLINE {
        assert_eq!(lines(text, "Unchecked", inline), BTreeSet::from([5, 7]), "{inline:?}");
        assert_eq!(lines(text, "Dead", inline), BTreeSet::from([5]), "{inline:?}");
    }
}
