//! Libraries in use: one file for Büchi conditions and for formulas on pushdown systems, and files for pushdown systems
//! that Boolean programs use as they are. The prototypes that they are compared with say all of it in full, each time.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, calling};
use calculus::span::Source;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::run::{Facts, Outcome, Request, Settings, run};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use support::effort;

const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/pushdown");
const PROTOTYPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/design/pushdown");

fn request(folder: &str, file: &str) -> Request {
    let path = Path::new(folder).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    Request::new(Source::new(path.display().to_string(), text))
}

fn solved(request: &Request, about: &str) -> Outcome {
    let settings = Settings { list: usize::MAX, early_stop: false, ..Settings::default() };
    run(request, &settings).unwrap_or_else(|why| panic!("{why:#?}\n{about}"))
}

/// Whether a query without columns holds; how many tuples another one has.
fn answer(outcome: &Outcome, query: &str) -> String {
    let queries = outcome.queries();
    let found = queries.iter().find(|one| one.name == query).expect("there is such a query");
    found.answer.as_ref().expect("it is answered").0.clone()
}

/// A pushdown system with one thread and a Büchi automaton, as facts: a text for each input.
struct Facts1 {
    files: BTreeMap<&'static str, String>,
    params: Vec<(&'static str, i64)>,
}

fn pushdown(random: &mut Random) -> Facts1 {
    let (shared, symbols, automaton, letters) = (2, 5, 3, 2);
    let mut files = BTreeMap::<&'static str, String>::new();
    let names =
        ["initials", "starts", "rests", "pops", "overwrites", "pushes", "target_shareds", "target_tops"];
    let more = ["acceptings", "letter_of", "reads", "begins", "accepts"];
    names.into_iter().chain(more).for_each(|name| drop(files.insert(name, String::new())));
    let mut add = |name: &'static str, row: &[usize]| {
        let row = row.iter().map(usize::to_string).collect::<Vec<_>>().join("\t");
        writeln!(files.entry(name).or_default(), "{row}").expect("a text can be written to");
    };
    // 0 is below the bottom; 1 and 2 are symbols of rules; 3 and 4 name the levels of the initial stack 1 0.
    add("initials", &[0]);
    add("starts", &[1, 1, 3]);
    add("rests", &[1, 3, 0, 4]);
    for (s, a) in (0..shared).flat_map(|s| [(s, 1), (s, 2)]) {
        let mut to = || (random.below(shared), 1 + random.below(2), 1 + random.below(2), random.below(6));
        for (s2, b, c, kind) in [to(), to()] {
            match kind {
                0 => add("pops", &[1, s, a, s2]),
                1 | 2 => add("overwrites", &[1, s, a, s2, b]),
                3 | 4 => add("pushes", &[1, s, a, s2, b, c]),
                _ => {}
            }
        }
        if random.below(4) == 0 {
            add("acceptings", &[s, a]);
        }
        add("letter_of", &[s, a, random.below(letters)]);
    }
    for (x, l) in (0..automaton).flat_map(|x| (0..letters).map(move |l| (x, l))) {
        for x2 in 0..automaton {
            if random.below(3) == 0 {
                add("reads", &[x, l, x2]);
            }
        }
    }
    add("begins", &[0]);
    add("accepts", &[1 + random.below(2)]);
    let params = [("threads", 1), ("shared", shared), ("symbols", symbols)];
    let params = params.iter().map(|(name, value)| (*name, *value as i64)).collect();
    Facts1 { files, params }
}

fn written(facts: &Facts1, folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder for facts");
    for (name, text) in &facts.files {
        std::fs::write(folder.join(format!("{name}.facts")), text).expect("facts can be written");
    }
}

#[test]
fn one_library_is_used_for_buchi_conditions_and_for_formulas() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pushdown");
    let mut random = Random(0x1357_9bdf_0246_8ace);
    let (mut accepted, mut holds, cases) = (0, 0, effort::cases(150));
    for number in 0..cases {
        let facts = pushdown(&mut random);
        written(&facts, &folder);
        let ask = |home: &str, file: &str, more: &[(&str, i64)]| {
            let params = facts.params.iter().chain(more);
            let params = params.map(|(name, value)| (name.to_string(), *value)).collect();
            let request = Request { params, facts: Facts::Folder(folder.clone()), ..request(home, file) };
            solved(&request, &format!("system {number}"))
        };
        let (ours, theirs) = (ask(OURS, "buchi.fp", &[]), ask(PROTOTYPES, "buchi.fp", &[]));
        assert_eq!(
            answer(&ours, "Accepted"),
            answer(&theirs, "Accepted"),
            "system {number}: {:?}",
            facts.files
        );
        assert_eq!(answer(&ours, "Repeat"), answer(&theirs, "Repeats"), "system {number}: {:?}", facts.files);
        accepted += usize::from(answer(&ours, "Accepted") == "1");
        let sizes = [("automaton", 3), ("letters", 2)];
        let (ours, theirs) = (ask(OURS, "ltl.fp", &sizes), ask(PROTOTYPES, "ltl.fp", &sizes));
        assert_eq!(answer(&ours, "Holds"), answer(&theirs, "Holds"), "system {number}: {:?}", facts.files);
        holds += usize::from(answer(&ours, "Holds") == "1");
    }
    for found in [accepted, holds] {
        assert!(effort::is_fast() || found > cases / 8 && found < cases, "{accepted} and {holds} of {cases}");
    }
}

/// What files that know pushdown systems only say about a program.
#[test]
fn programs_use_what_is_written_for_pushdown_systems() {
    let mut random = Random(0x0bad_cafe_1234_5678);
    let (mut found, cases) = (0, effort::cases(40));
    for number in 0..cases {
        let text = calling(&mut random, false);
        let options = ProgramOptions { inline: Inline::Never, ..ProgramOptions::default() };
        let ask = |home: &str, file: &str, rounds: Option<(&str, i64)>| {
            let model = program("program.bp", &text, &options).expect("a program");
            let params = rounds.iter().map(|(name, value)| (name.to_string(), *value)).collect();
            let request = Request { params, model: Some(model.vocabulary), ..request(home, file) };
            answer(&solved(&request, &text), "Hit")
        };
        let ours = ask(OURS, "program_cba.fp", Some(("pds.rounds", 2)));
        let theirs = ask(PROTOTYPES, "programs/cba.fp", Some(("rounds", 2)));
        assert_eq!(ours, theirs, "program {number}\n{text}");
        found += usize::from(ours == "1");
    }
    assert!(effort::is_fast() || found > cases / 8 && found < cases, "{found} of {cases}");
}

#[test]
fn sequential_programs_use_post_star() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/programs");
    let mut names = folder
        .read_dir()
        .expect("the examples")
        .map(|entry| entry.expect("a file").path())
        .collect::<Vec<_>>();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "bp"));
    names.sort();
    assert!(names.len() > 15);
    for path in names {
        let text = std::fs::read_to_string(&path).expect("an example can be read");
        let options = ProgramOptions { inline: Inline::Never, ..ProgramOptions::default() };
        let ask = |home: &str, file: &str| {
            let model = program("program.bp", &text, &options).expect("a program");
            let request = Request { model: Some(model.vocabulary), ..request(home, file) };
            answer(&solved(&request, &text), "Hit")
        };
        let theirs = ask(PROTOTYPES, "programs/post_star.fp");
        assert_eq!(ask(OURS, "program_post_star.fp"), theirs, "{}", path.display());
    }
}
