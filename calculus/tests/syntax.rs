//! Text to tree to text: what is accepted, what is refused and in which words, and that printing loses nothing.

mod chance;
#[path = "syntax/comments.rs"]
mod comments;
#[path = "syntax/depth.rs"]
mod depth;
mod effort;
#[path = "syntax/fuzz.rs"]
mod fuzz;
#[path = "syntax/meaning.rs"]
mod meaning;
#[path = "syntax/mistakes.rs"]
mod mistakes;
#[path = "syntax/roundtrip.rs"]
mod roundtrip;
#[path = "syntax/trees.rs"]
mod trees;

use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Sources};
use calculus::syntax::ast::File;
use calculus::syntax::parse;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Files with one of everything.
const SAMPLES: [&str; 4] = [
    include_str!("syntax/tour.fp"),
    include_str!("syntax/summary.fp"),
    include_str!("syntax/interfaces.fp"),
    include_str!("syntax/commented.fp"),
];

/// So many random cases if all are tried, and the same ones in every run.
fn the_same_each_time(cases: usize) -> ProptestConfig {
    ProptestConfig {
        cases: effort::cases(cases) as u32,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn accept(text: &str) -> File {
    match parse(FileId(0), text) {
        Ok(file) => file,
        Err(mistakes) => panic!("{text}\n{}", rendered(text, &mistakes)),
    }
}

fn refuse(text: &str) -> Vec<Diagnostic> {
    match parse(FileId(0), text) {
        Ok(file) => panic!("{text}\nis accepted: {:?}", file.items),
        Err(mistakes) => mistakes,
    }
}

fn rendered(text: &str, mistakes: &[Diagnostic]) -> String {
    let mut sources = Sources::default();
    sources.add("sample.fp", text);
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .with_links(false);
    let mut out = String::new();
    for mistake in mistakes {
        let report = mistake.render(&sources);
        handler.render_report(&mut out, &report).expect("a String takes everything");
        out.push('\n');
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
