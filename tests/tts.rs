//! Thread transition systems: the vocabulary and its traces against the explicit interpreter on random systems, backward
//! coverability against both, and what users read when a file is wrong.

#[path = "../calculus/tests/chance/mod.rs"]
mod chance;
#[path = "tts/coverability.rs"]
mod coverability;
#[path = "../calculus/tests/effort/mod.rs"]
mod effort;
#[path = "tts/generator.rs"]
mod generator;

use calculus::diagnostic::Rejection;
use calculus::span::Source;
use chance::Random;
use coverability::coverable;
use fpsolve::explain::{self, Traced};
use fpsolve::model::options::Options;
use fpsolve::model::trace::{Trace, Verified};
use fpsolve::model::tts::ThreadSystem;
use fpsolve::model::tts::system::{Configuration, System};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::report::diagnostics::{Medium, diagnostics};
use fpsolve::run::{Outcome, Request, Settings, files, run};
use generator::{Forms, Sample, sample};
use std::collections::{BTreeSet, HashSet};

fn read(text: &str, initial: Option<&str>, targets: &[&str]) -> Result<ThreadSystem, Rejection> {
    let initial = initial.map(str::to_string);
    let target = targets.iter().map(|target| target.to_string()).collect();
    let reading = Options { initial, target, ..Options::default() };
    fpsolve::model::tts::system("system.tts", text, &ProgramOptions { reading, ..ProgramOptions::default() })
}

fn model(sample: &Sample) -> ThreadSystem {
    read(&sample.text, Some(&sample.initial), &[&sample.target])
        .unwrap_or_else(|rejection| panic!("{rejection}\n{sample:?}"))
}

/// All configurations that at most so many threads reach.
fn explored(system: &System, most: usize) -> Option<HashSet<Configuration>> {
    const LIMIT: usize = 30_000;
    let initial = &system.initial;
    let mut work = vec![Configuration {
        shared: initial.shared,
        threads: initial.bounded.iter().copied().map(Some).collect(),
    }];
    // Every number of copies at every place.
    for local in &initial.unbounded {
        let mut more = work.clone();
        while let Some(mut next) = more.pop() {
            next.threads.push(Some(*local));
            if next.threads.len() <= most {
                work.push(next.clone());
                more.push(next);
            }
        }
    }
    let sorted = |mut configuration: Configuration| {
        configuration.threads.retain(Option::is_some);
        configuration.threads.sort_unstable();
        configuration
    };
    let mut seen = work.iter().cloned().map(sorted).collect::<HashSet<_>>();
    let mut work = seen.iter().cloned().collect::<Vec<_>>();
    while let Some(now) = work.pop() {
        for (_, _, next) in now.successors(system, most) {
            let next = sorted(next);
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    Some(seen)
}

fn solved(file: Source, seats: Option<i64>, model: &ThreadSystem) -> (Request, Result<Outcome, Rejection>) {
    let params = seats.map(|seats| ("seats".to_string(), seats)).into_iter().collect();
    let request = Request { params, model: Some(model.vocabulary().clone()), ..Request::new(file) };
    let settings = Settings { early_stop: false, list: usize::MAX, ..Settings::default() };
    let outcome = run(&request, &settings);
    (request, outcome)
}

fn product() -> Source {
    Source::new("product.fp", include_str!("tts/product.fp"))
}

/// The shared states that a query lists.
fn shared_states(outcome: &Outcome) -> BTreeSet<String> {
    let queries = outcome.complete_queries();
    let query = queries.iter().find(|query| query.name == "Reachable").expect("the query");
    let rows = &query.answer.as_ref().expect("an answer").1;
    rows.iter().map(|row| outcome.show(query.columns[0].sort, &row[0])).collect()
}

/// The trace of an unsafe verdict is a run, read again it still is one, and with another text it is none.
fn check_trace(model: &ThreadSystem, request: &Request, outcome: &Outcome, about: &str) {
    let traced = explain::trace(request, &Settings::default(), model, outcome);
    let traced = traced.unwrap_or_else(|rejection| panic!("{rejection}\n{about}"));
    let Some(Traced::Trace(trace)) = traced else { panic!("{traced:?}\n{about}") };
    assert_eq!(model.verify(&trace), Verified::Run, "{trace:#?}\n{about}");
    let stored = Trace::from_json(&trace.to_json().to_string()).expect("a stored trace");
    assert_eq!(stored, trace, "{about}");
    if let Some(at) = trace.steps.len().checked_sub(1) {
        let mut forged = trace.clone();
        forged.steps[at].text.push('9');
        assert_ne!(model.verify(&forged), Verified::Run, "{forged:#?}\n{about}");
    }
}

/// Compares an algorithm with the interpreter on random systems; how many were unsafe, and compared at all.
fn compare(
    seed: u64,
    count: usize,
    forms: Forms,
    file: &dyn Fn() -> Source,
    seats: Option<usize>,
) -> (usize, usize) {
    let (mut random, mut hits, mut compared) = (Random(seed), 0, 0);
    for number in 0..count {
        let sample = sample(&mut random, forms);
        let model = model(&sample);
        let most = seats.unwrap_or(model.system.initial.bounded.len());
        let about = format!("{number}: {sample:?} with {most} threads");
        let Some(reached) = explored(&model.system, most) else { continue };
        let (request, outcome) = solved(file(), seats.map(|seats| seats as i64), &model);
        let outcome = outcome.unwrap_or_else(|rejection| panic!("{rejection}\n{about}"));
        let target = &model.system.targets[0];
        let expected = reached.iter().any(|now| target.covered(now).is_some());
        let word = outcome.conclusion().word();
        assert_eq!(word == Some("unsafe"), expected, "{word:?}\n{about}");
        let shared = reached.iter().map(|now| now.shared.to_string()).collect::<BTreeSet<_>>();
        let mut listed = shared_states(&outcome);
        // Between two states of the file.
        listed.retain(|name| !name.starts_with("before"));
        assert_eq!(listed, shared, "{about}");
        if expected {
            check_trace(&model, &request, &outcome, &about);
        }
        hits += usize::from(expected);
        compared += 1;
    }
    (hits, compared)
}

#[test]
fn interleaving_finds_what_threads_can_do() {
    let file = || files::find("interleaving", &[]).expect("a bundled algorithm");
    let (hits, compared) = compare(0x7753, effort::cases(60), Forms::PLAIN, &file, None);
    assert!(effort::enough(hits, 10) && effort::enough(compared, 50), "{hits} of {compared}");
}

#[test]
fn the_vocabulary_has_all_that_threads_can_do() {
    let (hits, compared) = compare(0x1e57, effort::cases(120), Forms::ALL, &product, Some(3));
    assert!(effort::enough(hits, 30) && effort::enough(compared, 100), "{hits} of {compared}");
}

#[test]
fn backward_coverability_agrees_with_growing_numbers_of_threads() {
    let (mut random, mut covered, mut open) = (Random(0xc07e), 0, 0);
    let cases = effort::cases(300);
    for number in 0..cases {
        let sample = sample(&mut random, Forms::ALL);
        let system = model(&sample).system;
        let target = &system.targets[0];
        let hit =
            |most: usize| Some(explored(&system, most)?.iter().any(|now| target.covered(now).is_some()));
        let most = system.initial.bounded.len().max(1);
        let found = (most..=most.max(5)).find_map(|most| hit(most).filter(|found| *found));
        match coverable(&system, target) {
            Some(true) => {
                covered += 1;
                open += usize::from(found.is_none());
            }
            Some(false) => assert_eq!(found, None, "{number}: {sample:?}"),
            None => open += 1,
        }
    }
    // A few need more threads than are tried.
    assert!(effort::enough(covered, 90) && open <= cases / 20, "{covered} covered, {open} open of {cases}");
}

/// A file that says nothing about threads that are made, moved or wanted together is refused for a system that has them.
#[test]
fn a_file_without_equations_for_it_is_refused() {
    let cases = [
        ("1 2\n0 0 +> 0 1\n", "0|0", "0|1", "`spawn`"),
        ("1 2\n0 0 -> 0 0 1 ~> 0\n", "0|0", "0|1", "`passive`"),
        ("1 2\n0 0 ~> 0 1\n", "0|0", "0|1", "`move_all`"),
        ("1 2\n0 0 -> 0 1\n", "0|0,0", "0|1,1", "`cover`"),
    ];
    for (text, initial, target, relation) in cases {
        let model = read(text, Some(initial), &[target]).expect("a system");
        let (_, refused) = solved(files::find("interleaving", &[]).expect("a file"), None, &model);
        let refused = refused.expect_err(text);
        assert!(refused.is_about("fp::refused"), "{refused}");
        let title = &refused.diagnostics[0].title;
        assert!(title.contains(relation), "{title}");
        let help = refused.diagnostics[0].help.as_deref().unwrap_or_default();
        assert!(help.contains("views"), "{help}");
        assert!(solved(product(), Some(2), &model).1.is_ok(), "{text}");
    }
}

/// Whatever the text is, there is a system or an explanation.
#[test]
fn mangled_systems_are_read_or_explained() {
    let (mut random, mut good, mut bad) = (Random(0xba5e), 0, 0);
    for _ in 0..effort::cases(3_000) {
        let Sample { text, initial, target } = sample(&mut random, Forms::ALL);
        let [text, initial, target] = [text, initial, target].map(|text| mangled(&text, &mut random));
        match read(&text, Some(&initial), &[&target]) {
            Ok(model) => {
                assert!(!model.drawing().is_empty());
                good += 1;
            }
            Err(rejection) => {
                assert!(!rejection.diagnostics.is_empty(), "{text}");
                // Rendering must not fail either.
                assert!(!diagnostics(&rejection.sources, &rejection.diagnostics, Medium::Plain).is_empty());
                bad += 1;
            }
        }
    }
    assert!(effort::enough(good, 200) && effort::enough(bad, 1_000), "{good} good, {bad} bad");
}

fn mangled(text: &str, random: &mut Random) -> String {
    const WORDS: [&str; 16] =
        ["->", "+>", "~>", "#", "|", "/", ",", "\n", " ", "7", "99999999999", "x", "B", "U", "é", "-"];
    let mut text = text.to_string();
    for _ in 0..random.below(3) {
        let places = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
        let at = places[random.below(places.len())];
        match random.below(3) {
            0 => text.insert_str(at, WORDS[random.below(WORDS.len())]),
            1 if at < text.len() => drop(text.remove(at)),
            _ => text.truncate(at),
        }
    }
    text
}

#[test]
fn every_bad_system_has_its_message() {
    let cases: [(&str, &str, Option<&str>, &[&str]); 18] = [
        ("empty_file", "", Some("0|0"), &[]),
        ("only_a_comment", "# nothing\n", Some("0|0"), &[]),
        ("no_numbers_of_states", "0 0 -> 1 1\n", Some("0|0"), &[]),
        ("no_local_state", "2 0\n", Some("0|0"), &[]),
        ("too_large", "2 5000000\n", Some("0|0"), &[]),
        ("a_word", "2 2\n0 zero -> 1 1\n0 0 -> 1 1\n0 0 => 1 0\n", Some("0|0"), &[]),
        ("not_a_transition", "2 2\n0 0 -> 1\n0 0 1 1\n0 0 -> 1 1 0 -> 1\n", Some("0|0"), &[]),
        ("transfers_of_a_spawn", "2 2\n0 0 +> 1 1 0 ~> 1\n", Some("0|0"), &[]),
        ("out_of_range", "2 2\n0 0 -> 2 1\n0 7 -> 1 1 2 ~> 0\n", Some("0|0"), &[]),
        ("no_initial", "2 2\n0 0 -> 1 1\n", None, &[]),
        ("no_threads", "2 2\n0 0 -> 1 1\n", Some("0|"), &[]),
        ("initial_out_of_range", "2 2\n0 0 -> 1 1\n", Some("3|0,2/5"), &[]),
        ("not_an_initial_state", "2 2\n0 0 -> 1 1\n", Some("0,0"), &[]),
        ("missing_number", "2 2\n0 0 -> 1 1\n", Some("|0"), &["1|0,,1"]),
        ("unbounded_target", "2 2\n0 0 -> 1 1\n", Some("0|0"), &["1/1"]),
        ("several_targets", "2 2\n0 0 -> 1 1\n", Some("0/0"), &["1|1,1", "0|1,1"]),
        ("odd_but_right", "3 3\n0 0 -> 1 1\n0 1 -> 0 1\n0 0 -> 1 1\n", Some("0/0"), &["2|1", "1|2"]),
        ("two_initial_states", "2 2\n0 0 -> 1 1\n", Some("0|0\n1|0"), &[]),
    ];
    let mut all = String::new();
    for (name, text, initial, targets) in cases {
        let (sources, found) = match read(text, initial, targets) {
            Err(rejection) => (rejection.sources, rejection.diagnostics),
            Ok(model) => (model.sources().clone(), model.warnings().to_vec()),
        };
        assert!(!found.is_empty(), "nothing is wrong with {name}");
        let options = initial.map(|initial| format!(" --initial '{initial}'")).unwrap_or_default();
        all += &format!(
            "=== {name}{options}\n{}\n{}\n",
            text.trim_end(),
            diagnostics(&sources, &found, Medium::Plain)
        );
    }
    insta::assert_snapshot!("bad_systems", all);
}
