//! Everything that can be wrong in a file is found at its place, and explained.
//!
//! The cases stand in diagnostics/*.txt, one theme each. A case begins with `# case: NAME`, then `# code:` lists
//! the codes of all its mistakes in order, and the file follows. `# set: NAME=INT`, `# model`, `# keyed: SORT`
//! are what the command line would say; `# file: NAME`, `# facts: NAME` and `# facts: NAME.csv` begin other files, `# main:` goes
//! back to the first; `# repeat: N` repeats what stands between « and ». The snapshots show what a user reads.

mod corpus;

use calculus::check::{self, FactsFile, Options, WishedOrder};
use calculus::diagnostic::{Diagnostic, Severity};
use calculus::elaborate;
use calculus::span::Sources;
use corpus::{Case, cases, program_model};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::fmt::Write;

/// All that is reported for a case: mistakes, or warnings if there are none.
fn diagnostics(case: &Case) -> (Sources, Vec<Diagnostic>) {
    let (mut program, mistakes) = check::load("case.fp", &case.main, &|_, path| {
        let found = case.files.iter().find(|(name, _)| name == path);
        found.cloned().ok_or_else(|| "there is no such file".to_string())
    });
    if !mistakes.is_empty() {
        return (program.sources, mistakes);
    }
    let facts = |name: &str| {
        // `# facts: edge` is edge.facts, and `# facts: edge.csv` what it says.
        let file =
            |input: &str| if input.contains('.') { input.to_string() } else { format!("{input}.facts") };
        let found = case.facts.iter().find(|(input, _)| input.split('.').next() == Some(name));
        found
            .map(|(input, text)| FactsFile::named(file(input), text.as_str()))
            .ok_or_else(|| format!("there is no {name}.facts in the folder"))
    };
    let options = Options {
        params: case.params.clone(),
        model: case.model.then(program_model),
        facts: if case.facts.is_empty() { None } else { Some(&facts) },
        keyed: case.keyed.iter().map(|sort| (sort.clone(), true)).collect(),
        order: WishedOrder::default(),
    };
    match check::check(&mut program, &options) {
        Err(mistakes) => (program.sources, mistakes),
        Ok((system, mut warnings)) => {
            warnings.extend(elaborate::elaborate(&system).1);
            (program.sources, warnings)
        }
    }
}

fn rendered(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .with_links(false);
    let mut out = String::new();
    handler.render_report(&mut out, &diagnostic.render(sources)).expect("a diagnostic can be rendered");
    out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The codes in order; many of one kind in a row are counted.
fn codes(found: &[Diagnostic]) -> String {
    let runs = found.chunk_by(|a, b| a.code == b.code);
    let words = runs.map(|run| match run.len() {
        1..=3 => vec![run[0].code; run.len()].join(" "),
        many => format!("{}*{many}", run[0].code),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The rules that every diagnostic follows, and how this one breaks them.
fn shape(case: &Case, diagnostic: &Diagnostic, severity: Severity) -> Option<&'static str> {
    let by_command_line = !case.params.is_empty() || !case.keyed.is_empty();
    let needs_place = !by_command_line && !["fp::nothing_to_do", "fp::more"].contains(&diagnostic.code);
    let texts = || {
        let labels = diagnostic.labels.iter().map(|(_, text)| text);
        labels.chain(&diagnostic.help).chain([&diagnostic.title])
    };
    let rules = [
        ("its severity", diagnostic.severity == severity),
        ("its code", diagnostic.code.starts_with("fp::")),
        ("it has no help", diagnostic.help.is_some()),
        ("it has no place", !diagnostic.labels.is_empty() || !needs_place),
        ("a place is inside out", diagnostic.labels.iter().all(|(span, _)| span.start <= span.end)),
        ("a text is empty", texts().all(|text| !text.is_empty())),
        ("a text ends with a full stop", texts().all(|text| !text.ends_with('.'))),
    ];
    rules.into_iter().find(|(_, kept)| !kept).map(|(rule, _)| rule)
}

fn check_theme(theme: &str, severity: Severity) {
    let mut shown = String::new();
    let mut wrong = String::new();
    for case in cases(theme) {
        let (sources, found) = diagnostics(&case);
        let codes = codes(&found);
        if codes != case.codes || codes.is_empty() {
            writeln!(wrong, "{}\n    found    {codes}\n    expected {}", case.name, case.codes).unwrap();
        }
        for diagnostic in &found {
            if let Some(rule) = shape(&case, diagnostic, severity) {
                writeln!(wrong, "{}: {}: {rule}", case.name, diagnostic.title).unwrap();
            }
        }
        if case.repeated {
            continue;
        }
        writeln!(shown, "══ {}\n{}", case.name, case.main.trim_end()).unwrap();
        for diagnostic in &found {
            shown += "\n";
            shown += rendered(diagnostic, &sources).trim_end();
            shown += "\n";
        }
        shown += "\n";
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(theme, shown);
    });
    assert!(wrong.is_empty(), "{theme}:\n{wrong}");
}

macro_rules! themes {
    ($($theme:ident),*) => {
        const THEMES: &[&str] = &[$(stringify!($theme)),*];
        $(
            #[test]
            fn $theme() {
                check_theme(stringify!($theme), Severity::Error);
            }
        )*
    };
}

themes!(
    syntax, names, libraries, sorts, indices, statics, recursion, facts, symbols, model, verdicts, several
);

#[test]
fn warnings() {
    check_theme("warnings", Severity::Warning);
}

#[test]
fn there_are_enough_cases_with_names_of_their_own() {
    let mut names: Vec<_> = THEMES.iter().flat_map(|theme| cases(theme)).map(|case| case.name).collect();
    assert!(names.len() >= 200);
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
