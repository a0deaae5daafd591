//! Views decide, for any number of threads, what the explicit interpreter finds for some: random programs with single and
//! replicated threads, atomic sections and init blocks. They agree with the adequacy check where that has an answer. On random
//! thread transition systems, with threads that are made and moved, views and backward coverability decide what the
//! oracle does, and runs to errors are runs.

mod agreement {
    pub mod generator;
}
/// The random numbers of both generators are the same.
mod chance {
    pub use crate::agreement::generator::Random;
}
#[path = "tts/coverability.rs"]
mod coverability;
#[path = "tts/generator.rs"]
#[allow(dead_code, reason = "tests/tts.rs uses the rest")]
mod generator;
mod support;

use agreement::generator::{Random, creating, parameterized, threads};
use coverability::coverable;
use fpsolve::explain::{self, Traced};
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::options::Options;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::trace::Verified;
use fpsolve::model::tts::ThreadSystem;
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::{Outcome, Request, Settings, files, run};
use generator::{Forms, Sample, sample};
use support::{Treatment, effort, interpreted, verdict};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 12_000, stack: 4, all_targets: false };

fn treatment(number: usize) -> Treatment {
    Treatment { inline: Inline::Always, reorder: false, naive: false, ..Treatment::number(number) }
}

/// The verdict with the smallest views that settle the program, and their size.
fn settled(text: &str, most: i64, treatment: &Treatment) -> (&'static str, i64) {
    for k in 1..=most {
        let found = verdict("views", &[("k", k)], text, treatment);
        if found != "unknown" {
            return (found, k);
        }
    }
    ("unknown", most)
}

/// Whether some number of copies has an error; nothing if the interpreter gave up on all that it did not find.
fn explored(text: &str, most: usize) -> Option<bool> {
    let found = (0..=most).map(|copies| interpreted(text, copies, None, LIMITS)).collect::<Vec<_>>();
    if found.contains(&Some(true)) {
        return Some(true);
    }
    (!found.contains(&None)).then_some(false)
}

#[test]
fn views_decide_random_programs_like_the_interpreter() {
    let mut random = Random(0x19_0517_ab1e_5eed);
    let (mut errors, mut proofs, mut open, mut largest) = (0, 0, 0, 0);
    for number in 0..effort::cases(40) {
        let text = parameterized(&mut random, false);
        let treatment = treatment(number);
        let (found, k) = settled(&text, 3, &treatment);
        let about = format!("program {number}, k = {k}, {treatment:?}\n{text}");
        largest = largest.max(k);
        match found {
            // The run has k + 1 threads, so as many copies have it too.
            "unsafe" => {
                errors += 1;
                assert_ne!(explored(&text, k as usize + 1), Some(false), "a wrong error: {about}");
            }
            "safe" => {
                proofs += 1;
                assert_ne!(explored(&text, 4), Some(true), "a missed error: {about}");
            }
            _ => open += 1,
        }
    }
    println!("{errors} errors, {proofs} proofs, {open} open, k up to {largest}");
    assert!(
        effort::enough(errors, 10) && effort::enough(proofs, 10),
        "{errors} errors, {proofs} proofs, {open} open"
    );
    assert!(open * 20 <= errors + proofs, "{open} programs need larger views");
}

#[test]
fn views_decide_single_threads_like_the_interpreter() {
    let mut random = Random(0x51_9e1e_0000_7e57);
    let (mut compared, mut errors) = (0, 0);
    for number in 0..effort::cases(24) {
        let text = threads(&mut random, 1 + number % 3, false);
        let treatment = treatment(number);
        // As many seats as there are threads: then views are exact.
        let (found, k) = settled(&text, 3, &treatment);
        let Some(expected) = interpreted(&text, 0, None, LIMITS) else { continue };
        let expected = if expected { "unsafe" } else { "safe" };
        assert_eq!(found, expected, "program {number}, k = {k}, {treatment:?}\n{text}");
        compared += 1;
        errors += usize::from(found == "unsafe");
    }
    assert!(effort::enough(compared, 15), "only {compared} were small enough");
    assert!(effort::enough(errors, 3) && effort::enough(compared - errors, 3), "{errors} of {compared}");
}

#[test]
fn views_decide_programs_that_make_threads_like_the_interpreter() {
    let mut random = Random(0xc4ea_7e00_1900_0001);
    let (mut errors, mut proofs) = (0, 0);
    for number in 0..effort::cases(20) {
        let text = creating(&mut random);
        let treatment = treatment(number);
        let (found, k) = settled(&text, 2, &treatment);
        let about = format!("program {number}, k = {k}, {treatment:?}\n{text}");
        let explored = interpreted(&text, 4, None, LIMITS);
        match found {
            "safe" => {
                proofs += 1;
                assert_ne!(explored, Some(true), "a missed error: {about}");
            }
            "unsafe" => errors += 1,
            _ => {}
        }
    }
    assert!(effort::enough(errors + proofs, 10), "{errors} errors, {proofs} proofs");
}

#[test]
fn views_and_adequacy_agree_where_both_answer() {
    let mut random = Random(0xade9_0a7e_71e5_0001);
    let (mut both, mut only_views, mut only_adequacy) = (0, 0, 0);
    for number in 0..effort::cases(16) {
        let text = parameterized(&mut random, false);
        let treatment = treatment(number);
        let (found, k) = settled(&text, 3, &treatment);
        let check = ["unsafe", "safe", "unknown"]
            .into_iter()
            .find(|&word| word == verdict("adequacy", &[("rounds", 2)], &text, &treatment));
        let check = check.expect("the verdicts of adequacy.fp");
        match (found, check) {
            ("unknown", "unknown") => {}
            ("unknown", _) => only_adequacy += 1,
            (_, "unknown") => only_views += 1,
            _ => {
                both += 1;
                assert_eq!(found, check, "program {number}, k = {k}\n{text}");
            }
        }
    }
    assert!(effort::enough(both, 8), "{both} by both, {only_views} by views, {only_adequacy} by adequacy");
}

/// Without empty seats there is no run of two threads, and this came out safe.
#[test]
fn a_program_with_fewer_threads_than_seats_is_not_safe_for_that() {
    for k in 1..=3 {
        let found = verdict("views", &[("k", k)], "thread one begin assert(F); end\n", &treatment(0));
        assert_eq!(found, "unsafe", "k = {k}");
    }
}

/// A single thread is in no view twice: two of these would meet.
#[test]
fn a_single_thread_meets_no_copy_of_itself() {
    let text = "decl busy;\ninit begin busy := F; end\n\
                thread one begin while (T) do assert(!busy); busy := T; busy := F; od end\n";
    assert_eq!(settled(text, 2, &treatment(0)), ("safe", 1));
    let copies = text.replace("thread one", "thread one*");
    assert_eq!(settled(&copies, 2, &treatment(0)).0, "unsafe");
}

fn system(sample: &Sample) -> ThreadSystem {
    let reading = Options {
        initial: Some(sample.initial.clone()),
        target: vec![sample.target.clone()],
        ..Options::default()
    };
    let options = ProgramOptions { reading, ..ProgramOptions::default() };
    fpsolve::model::tts::system("system.tts", &sample.text, &options)
        .unwrap_or_else(|rejection| panic!("{rejection}\n{sample:?}"))
}

fn solved(algorithm: &str, (param, value): (&str, i64), model: &ThreadSystem) -> (Request, Outcome) {
    let file = files::find(algorithm, &[]).expect("an algorithm");
    let params = [(param.to_string(), value)].into();
    let request = Request { params, model: Some(model.vocabulary().clone()), ..Request::new(file) };
    let outcome = run(&request, &Settings::default()).expect("a run");
    (request, outcome)
}

/// All threads move, and then a thread is made and moved before it makes a step: who it is, the moves must tell.
#[test]
fn repro_threads_that_were_moved_are_known_again() {
    let cases = [
        ("3 3\n0 0 ~> 1 1\n1 1 ~> 2 2\n", "0|0,0", "2|2,2"),
        ("4 4\n0 0 +> 1 1\n1 0 +> 2 1\n2 0 -> 3 0 1 ~> 2\n3 2 -> 3 3\n", "0|0", "3|3,3"),
        // The moves may go on behind a target.
        ("3 3\n1 1 -> 1 2\n1 0 -> 2 2\n2 1 ~> 0 0\n2 0 ~> 0 0\n1 0 ~> 1 2\n", "2|2/0", "2|"),
        ("3 4\n0 0 +> 1 1\n1 1 ~> 2 2\n2 0 +> 2 1\n2 1 -> 2 3\n2 2 -> 2 3\n", "0|0", "2|2,3"),
    ];
    for (text, initial, target) in cases {
        let [text, initial, target] = [text, initial, target].map(str::to_string);
        let sample = Sample { text, initial, target };
        let model = system(&sample);
        let (request, outcome) = solved("views", ("k", 2), &model);
        assert_eq!(outcome.conclusion().word(), Some("unsafe"), "{sample:?}");
        check_trace(&model, &request, &outcome, &format!("{sample:?}"));
    }
}

fn check_trace(model: &ThreadSystem, request: &Request, outcome: &Outcome, about: &str) {
    let traced = explain::trace(request, &Settings::default(), model, outcome);
    let Ok(Some(Traced::Trace(trace))) = traced else { panic!("{traced:?}\n{about}") };
    assert_eq!(model.verify(&trace), Verified::Run, "{trace:#?}\n{about}");
}

/// Compares an algorithm with the oracle. How many are covered, how many are not, and with which k each is settled.
fn decides(algorithm: &str, seed: u64, cases: usize) -> (usize, usize, Vec<usize>) {
    const MOST: i64 = 5;
    let (mut random, mut covered, mut not) = (chance::Random(seed), 0, 0);
    let mut sizes = vec![0; MOST as usize + 1];
    for number in 0..cases {
        let sample = sample(&mut random, Forms::ALL);
        let model = system(&sample);
        let Some(expected) = coverable(&model.system, &model.system.targets[0]) else { continue };
        // Two threads settle most of them. What a smaller number settles too is asked of some.
        let first = if number.is_multiple_of(8) { 1 } else { 2 };
        for k in first..=MOST {
            let (request, outcome) = solved(algorithm, ("k", k), &model);
            let about = format!("{number}: {sample:?}, k = {k}");
            let word = outcome.conclusion().word().expect("a verdict");
            if word == "unknown" {
                continue;
            }
            assert_eq!(word == "unsafe", expected, "{algorithm} says {word}\n{about}");
            if expected && algorithm == "views" {
                check_trace(&model, &request, &outcome, &about);
            }
            sizes[k as usize] += 1;
            covered += usize::from(expected);
            not += usize::from(!expected);
            break;
        }
    }
    (covered, not, sizes)
}

#[test]
fn views_decide_random_systems_like_the_oracle() {
    let cases = effort::cases(300);
    let (covered, not, sizes) = decides("views", 0x19_0001, cases);
    println!("{covered} covered, {not} not, by k: {sizes:?}");
    assert!(effort::enough(covered, 90) && effort::enough(not, 90), "{covered} covered, {not} not");
    assert!((covered + not) * 50 >= cases * 49, "{} of {cases} are open", cases - covered - not);
}

#[test]
fn backward_coverability_decides_random_systems_like_the_oracle() {
    let cases = effort::cases(40);
    let (covered, not, sizes) = decides("coverability", 0x19_0002, cases);
    println!("{covered} covered, {not} not, by k: {sizes:?}");
    assert!(effort::enough(covered, 10) && effort::enough(not, 10), "{covered} covered, {not} not");
}

/// Deepening has nothing to filter: each part of a view is a smaller view. (Where some part were none, the larger views
/// would exclude less than the smaller ones.)
#[test]
fn parts_of_views_are_smaller_views() {
    const BESIDE: &str = "tests/fixtures/smaller_views.fp";
    let (mut random, mut alike, mut more) = (chance::Random(0x19_0003), 0, 0);
    for number in 0..effort::cases(120) {
        let sample = sample(&mut random, Forms::ALL);
        let (_, outcome) = solved(BESIDE, ("size", 2 + (number % 2) as i64), &system(&sample));
        match outcome.conclusion().word() {
            Some("safe") => alike += 1,
            Some("bounded") => more += 1,
            word => panic!("{word:?}\n{number}: {sample:?}"),
        }
    }
    for number in 0..effort::cases(20) {
        let text = parameterized(&mut random, false);
        match verdict(BESIDE, &[("size", 2)], &text, &treatment(number)) {
            "safe" => alike += 1,
            "bounded" => more += 1,
            word => panic!("{word}\n{number}: {text}"),
        }
    }
    println!("{alike} with the same parts, {more} with more small views");
    assert!(effort::enough(alike, 30) && effort::enough(more, 1), "{alike} alike, {more} more");
}
