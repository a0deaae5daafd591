//! Every example gives what it says, and every algorithm on every example that names it gives what was seen before, under
//! several treatments: one test for each.
//!
//! `concurrent/peterson.bp::lazy_cba(contexts=2)::says` compares with the expectations in the file, `…::seen` with a line
//! of a snapshot, and a third test, which is named after a treatment, with the same line. The fast profile only looks at what
//! they say.

mod examples {
    pub mod seen;
}
mod support;
#[path = "../calculus/tests/trials/mod.rs"]
mod trials;

use calculus::bdd::Reorder;
use calculus::span::Source;
use examples::seen::Table;
use fpsolve::run::deepen::deepen;
use fpsolve::run::examine::{CaseResult, examine};
use fpsolve::run::expectation::{ExpectationLine, Subject, Variant, expectations_of_program};
use fpsolve::run::{Conclusion, Outcome, Settings, files, run};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use support::{Treatment, effort, request_for};

/// Too large to be solved again in other ways.
const LARGE: [&str; 12] = [
    "anderson.bp",
    "anderson_bug.bp",
    "bakery.bp",
    "bluetooth2.bp",
    "bluetooth3.bp",
    "lamport.bp",
    "lamport_bug.bp",
    "msmie.bp",
    "msmie_bug.bp",
    "search_tree.bp",
    "search_tree_bug.bp",
    "szymanski.bp",
];

/// Words of 32 bits take seconds: only what these examples say is looked at.
const ABSTRACTION: &str = "abstraction";

fn main() -> ExitCode {
    trials::run(
        ["programs", "concurrent", "parameterized", "pushdown", ABSTRACTION]
            .into_iter()
            .flat_map(of_folder)
            .collect(),
    )
}

/// An algorithm with settings that an example has expectations for.
struct Case {
    folder: &'static str,
    /// The name of the example.
    short: String,
    file: Source,
    variant: Variant,
    /// Nothing is to be seen of a case that is refused.
    refused: bool,
}

impl Case {
    fn algorithm(&self) -> &str {
        self.variant.algorithm.as_deref().expect("programs name algorithms")
    }

    fn set(&self) -> Vec<String> {
        let mut out =
            self.variant.params.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
        out.extend(self.variant.predicates.iter().map(|text| format!("predicate={text}")));
        out.extend(self.variant.deepen.as_ref().map(|one| {
            let last = one.last.map_or(String::new(), |last| last.to_string());
            format!("{}={}..{last}", one.param, one.first)
        }));
        out
    }

    /// `concurrent/peterson.bp::lazy_cba(contexts=2)`
    fn name(&self) -> String {
        let set = self.set();
        let set = if set.is_empty() { String::new() } else { format!("({})", set.join(",")) };
        format!("{}/{}::{}{set}", self.folder, self.short, self.algorithm())
    }

    /// What its line begins with: `peterson.bp contexts=2`
    fn key(&self) -> String {
        [vec![self.short.clone()], self.set()].concat().join(" ")
    }

    /// The example with the expectations of this case only, which stay on their lines.
    fn alone(&self) -> Source {
        let all = expectations_of_program(&self.file.text);
        let others = all.iter().filter(|line| meaning(line).0 != self.variant).map(|line| line.number);
        let others = others.collect::<Vec<_>>();
        let lines = (1..).zip(self.file.text.lines()).map(|(number, line)| {
            if others.contains(&number) {
                line.replace("//@", "//").replace("#@", "#")
            } else {
                line.to_string()
            }
        });
        let text = lines.collect::<Vec<_>>().join("\n") + "\n";
        Source::new(self.file.name.clone(), text)
    }
}

fn meaning(line: &ExpectationLine) -> (Variant, Subject) {
    let expectation = line.meaning.clone().unwrap_or_else(|why| panic!("{}: {why}", line.text));
    (expectation.settings, expectation.subject)
}

fn cases(folder: &'static str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
    let names = files::walk(&[path.to_string_lossy().into_owned()], &["bp", "c", "fp", "pds"])
        .expect("there are examples");
    let mut out: Vec<Case> = Vec::new();
    for name in names {
        let file = files::find(&name, &[]).expect("an example");
        let short = Path::new(&name).file_name().expect("a file").to_string_lossy().into_owned();
        let lines = expectations_of_program(&file.text);
        assert!(!lines.is_empty(), "{name} has no expectations");
        for (variant, subject) in lines.iter().map(meaning) {
            if !out.iter().any(|case| case.short == short && case.variant == variant) {
                let (short, file, refused) = (short.clone(), file.clone(), subject == Subject::Error);
                out.push(Case { folder, short, file, variant, refused });
            }
        }
    }
    let least = match folder {
        ABSTRACTION => 5,
        "pushdown" => 15,
        _ => 50,
    };
    assert!(out.len() > least, "only {} cases in {folder}", out.len());
    out
}

fn of_folder(folder: &'static str) -> Vec<Trial> {
    let cases = cases(folder);
    let mut keys: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in cases.iter().filter(|case| !case.refused && folder != ABSTRACTION) {
        keys.entry(case.algorithm()).or_default().push(case.key());
    }
    let tables = keys.into_iter().map(|(algorithm, keys)| {
        (algorithm.to_string(), Arc::new(Table::new(&format!("{folder}_{algorithm}"), keys)))
    });
    let tables = tables.collect::<BTreeMap<_, _>>();
    let mut out = Vec::new();
    for (algorithm, table) in &tables {
        let table = Arc::clone(table);
        let name = format!("{folder}::{algorithm}::has_no_other_lines");
        out.push(trials::test(name, move || table.expect_no_other_lines()));
    }
    for case in cases {
        let case = Arc::new(case);
        out.extend(match tables.get(case.algorithm()) {
            Some(table) if !case.refused && folder != ABSTRACTION => of_case(&case, table),
            _ => vec![says(&case)],
        });
    }
    out
}

fn of_case(case: &Arc<Case>, table: &Arc<Table>) -> Vec<Trial> {
    let mut out = vec![says(case), seen(case, table)];
    if !LARGE.contains(&case.short.as_str()) {
        out.push(treated(case, table));
    }
    out
}

fn says(case: &Arc<Case>) -> Trial {
    let case = Arc::clone(case);
    trials::test(format!("{}::says", case.name()), move || {
        let examination = examine(&case.alone(), &Settings::default, &[]);
        assert!(!examination.cases.is_empty(), "the expectations are gone");
        for one in examination.cases {
            assert_eq!(one.result, CaseResult::Met, "{}:{} {}", case.file.name, one.line, one.text);
        }
    })
}

/// Why a case is not solved once more.
fn left_out() -> Option<&'static str> {
    effort::is_fast().then_some("the fast profile solves each case once")
}

fn seen(case: &Arc<Case>, table: &Arc<Table>) -> Trial {
    let (case, table) = (Arc::clone(case), Arc::clone(table));
    trials::unless(left_out(), format!("{}::seen", case.name()), move || {
        table.expect(&case.key(), answer(&case, &Treatment::default(), Reorder::Auto));
    })
}

/// The name of the case chooses the treatment.
fn treated(case: &Arc<Case>, table: &Arc<Table>) -> Trial {
    let (case, table) = (Arc::clone(case), Arc::clone(table));
    let treatments = [
        ("without_frames", Treatment { frames: false, ..Treatment::default() }),
        ("symbolic", Treatment { symbolic: true, ..Treatment::default() }),
        ("naive", Treatment { naive: true, ..Treatment::default() }),
    ];
    let (word, treatment) = treatments[trials::hash(&case.name()) % treatments.len()].clone();
    trials::unless(left_out(), format!("{}::{word}", case.name()), move || {
        let found = answer(&case, &treatment, Reorder::Off);
        let recorded = table.recorded(&case.key());
        let recorded = recorded.expect("the snapshot has no line for it; the test `seen` makes one");
        assert_eq!(found, recorded, "{treatment:?} changes the answer");
    })
}

/// The answer with the sizes of what was solved, which no treatment changes; of an error, only that it is found.
fn answer(case: &Case, treatment: &Treatment, reorder: Reorder) -> String {
    let algorithm = files::find(case.algorithm(), &[]).expect("a bundled algorithm");
    let variant = &case.variant;
    let params = variant.params.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    let (request, solving) = request_for(algorithm, &params, &case.file, treatment).expect("a program");
    let solving = Settings { reorder, list: 0, ..solving };
    let outcome = match &variant.deepen {
        None => run(&request, &solving),
        Some(deepening) => deepen(&request, deepening, &solving, &mut |_| {}),
    };
    describe(&outcome.unwrap_or_else(|rejection| panic!("{rejection:#?}")))
}

fn describe(outcome: &Outcome) -> String {
    let conclusion = outcome.conclusion();
    assert!(!matches!(conclusion, Conclusion::Stopped(_)), "no limit is set");
    if conclusion.word() == Some("unsafe") {
        return "unsafe".into();
    }
    let mut parts = conclusion.word().map(String::from).into_iter().collect::<Vec<_>>();
    for query in outcome.queries() {
        parts.push(format!("{} {}", query.name, query.word().expect("everything is solved")));
    }
    let relations = outcome.answer.statistics.relations.iter().filter(|one| !one.clauses.is_empty());
    let tuples = relations.clone().map(|relation| relation.tuples.clone()).reduce(|sum, more| sum + more);
    let tuples = tuples.map_or("0".into(), |tuples| tuples.to_string());
    parts.push(format!("{} relations with {tuples} tuples", relations.count()));
    parts.join(", ")
}
