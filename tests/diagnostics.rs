//! What users read when a Boolean program is wrong: every message is a snapshot of its source and its text.

use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::{Options, Problem, load};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

fn render(problem: &dyn Diagnostic) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    handler.render_report(&mut text, problem).expect("writing to a string");
    text
}

/// Source and all messages, warnings included.
fn report(source: &str, options: &Options) -> String {
    let problems: Vec<Problem> = match load("bad.bp", source, options) {
        Err(problems) => problems.problems,
        Ok(loaded) => {
            let (_, unreachable) = Cfg::build(&loaded.program);
            loaded.warnings.into_iter().chain(unreachable).collect()
        }
    };
    assert!(!problems.is_empty(), "nothing is wrong with\n{source}");
    let rendered: Vec<String> = problems.iter().map(|problem| render(problem)).collect();
    format!("{}\n\n{}", source.trim_end(), rendered.join("\n"))
}

fn options(line: &str) -> Options {
    let mut options = Options::default();
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.chunks(2) {
        let value = pair[1].to_string();
        match pair[0] {
            "--init" => options.init = Some(value),
            "--thread" => options.thread.push(value),
            "--replicate" => options.replicate.push(value),
            "--target" => options.target.push(value),
            "--dialect" => options.dialect = Some(value.parse().expect("a dialect")),
            other => panic!("unknown option {other}"),
        }
    }
    options
}

#[test]
fn every_bad_program_has_its_message() {
    let cases = include_str!("bad/programs.txt");
    let mut names = Vec::new();
    for case in cases.split("\n=== ").skip(1) {
        let (head, source) = case.split_once('\n').unwrap_or((case, ""));
        let (name, line) = head.split_once(' ').unwrap_or((head, ""));
        assert!(!names.contains(&name), "{name} occurs twice");
        names.push(name);
        let text = report(source, &options(line));
        let about = if line.is_empty() { text } else { format!("{line}\n{text}") };
        insta::assert_snapshot!(name, about);
    }
    assert!(names.len() >= 60, "only {} bad programs", names.len());
}
