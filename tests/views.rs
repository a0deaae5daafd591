//! Views decide, for any number of threads, what the explicit interpreter finds for some: random programs with single and
//! replicated threads, atomic sections, init blocks and inlined procedures. They agree with the adequacy check where that
//! has an answer, and runs to errors are runs.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, creating, parameterized, threads};
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::program::cfg::inline::Inline;
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
    for number in 0..effort::cases(120) {
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
        effort::enough(errors, 30) && effort::enough(proofs, 30),
        "{errors} errors, {proofs} proofs, {open} open"
    );
    assert!(open * 20 <= errors + proofs, "{open} programs need larger views");
}

#[test]
fn views_decide_single_threads_like_the_interpreter() {
    let mut random = Random(0x51_9e1e_0000_7e57);
    let (mut compared, mut errors) = (0, 0);
    for number in 0..effort::cases(60) {
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
    assert!(effort::enough(compared, 40), "only {compared} were small enough");
    assert!(effort::enough(errors, 8) && effort::enough(compared - errors, 8), "{errors} of {compared}");
}

#[test]
fn views_decide_programs_that_make_threads_like_the_interpreter() {
    let mut random = Random(0xc4ea_7e00_1900_0001);
    let (mut errors, mut proofs) = (0, 0);
    for number in 0..effort::cases(40) {
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
    assert!(effort::enough(errors + proofs, 20), "{errors} errors, {proofs} proofs");
}

#[test]
fn views_and_adequacy_agree_where_both_answer() {
    let mut random = Random(0xade9_0a7e_71e5_0001);
    let (mut both, mut only_views, mut only_adequacy) = (0, 0, 0);
    for number in 0..effort::cases(60) {
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
    assert!(effort::enough(both, 30), "{both} by both, {only_views} by views, {only_adequacy} by adequacy");
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
