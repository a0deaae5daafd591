//! Linear interfaces decide, for any number of threads, what the explicit interpreter finds for some; the two files
//! agree; and what the adequacy check proves is true.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, calling, parameterized};
use calculus::span::Source;
use fpsolve::model::interpret::{Exploration, ExplorationLimits};
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::program::{Options, load};
use fpsolve::run::files;
use std::collections::BTreeSet;
use support::effects::{explored, vectors};
use support::{Treatment, answer, effort, explored_rounds, interpreted, run_file, verdict};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 12_000, stack: 4, all_targets: false };

/// What the interpreter finds in a program, explored once for each number of copies when it is first asked.
struct Interpreted<'t> {
    text: &'t str,
    /// The most rounds that are asked for.
    rounds: usize,
    by_copies: Vec<Exploration>,
}

impl<'t> Interpreted<'t> {
    fn new(text: &'t str, rounds: usize) -> Interpreted<'t> {
        Interpreted { text, rounds, by_copies: Vec::new() }
    }

    /// What it finds with up to `most` copies: true with some number, false with none of them, nothing if it gave up
    /// somewhere.
    fn with_copies(&mut self, most: usize, rounds: usize) -> Option<bool> {
        let mut gave_up = false;
        for copies in 0..=most {
            if copies == self.by_copies.len() {
                self.by_copies.push(explored_rounds(self.text, copies, self.rounds, LIMITS));
            }
            match answer(self.by_copies[copies].within(rounds)) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => gave_up = true,
            }
        }
        (!gave_up).then_some(false)
    }

    /// Whether it agrees with an answer for any number of copies. An error that four copies do not have may need more.
    fn agrees(&mut self, found: &str, rounds: usize) -> Option<bool> {
        match (self.with_copies(4, rounds)?, found) {
            (expected, "unsafe") if !expected => self.with_copies(6, rounds),
            (expected, found) => Some(expected == (found == "unsafe")),
        }
    }
}

#[test]
fn interfaces_decide_random_programs_like_the_interpreter() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let (mut compared, mut reached) = (0, 0);
    for number in 0..effort::cases(300) {
        let text = parameterized(&mut random, false);
        let mut interpreted = Interpreted::new(&text, 3);
        for rounds in 1..=3 {
            let treatment = Treatment::number(number * 3 + rounds);
            let treatment =
                Treatment { inline: Inline::Always, reorder: treatment.reorder && rounds == 1, ..treatment };
            let params = [("rounds", rounds as i64)];
            let found = verdict("linear_interfaces", &params, &text, &treatment);
            let about = format!("program {number}, {rounds} rounds, {treatment:?}\n{text}");
            let calls = verdict(
                "linear_interfaces_calls",
                &params,
                &text,
                &Treatment { reorder: false, ..treatment },
            );
            assert_eq!(found, calls, "the two files, {about}");
            let Some(right) = interpreted.agrees(found, rounds) else { continue };
            assert!(right, "{found}, {about}");
            compared += 1;
            reached += usize::from(found == "unsafe");
        }
    }
    assert!(effort::enough(compared, 450), "only {compared} questions were small enough");
    assert!(
        effort::enough(reached, 150) && effort::enough(compared - reached, 150),
        "{reached} of {compared} are unsafe"
    );
}

#[test]
fn interfaces_decide_programs_with_calls_like_the_interpreter() {
    let mut random = Random(0xfeed_beef_cafe_f00d);
    let mut compared = 0;
    for number in 0..effort::cases(100) {
        let text =
            if number % 3 == 0 { parameterized(&mut random, true) } else { calling(&mut random, true) };
        let most = 2 + usize::from(number % 3 != 0);
        let mut interpreted = Interpreted::new(&text, most);
        for rounds in 1..=most {
            let treatment =
                Treatment { reorder: false, symbolic: false, ..Treatment::number(number + rounds) };
            let found = verdict("linear_interfaces_calls", &[("rounds", rounds as i64)], &text, &treatment);
            let Some(right) = interpreted.agrees(found, rounds) else { continue };
            assert!(right, "{found}, program {number}, {rounds} rounds, {treatment:?}\n{text}");
            compared += 1;
        }
    }
    assert!(effort::enough(compared, 70), "only {compared} questions were small enough");
}

#[test]
fn what_the_adequacy_check_proves_is_true() {
    let mut random = Random(0x5bd1_e995_9d1b_899f);
    let (mut proved, mut refuted, mut open) = (0, 0, 0);
    for number in 0..effort::cases(150) {
        let text = parameterized(&mut random, false);
        for rounds in 1..=2 {
            let treatment =
                Treatment { inline: Inline::Always, reorder: false, ..Treatment::number(number + rounds) };
            let found = verdict("adequacy", &[("rounds", rounds as i64)], &text, &treatment);
            let about = format!("program {number}, {rounds} rounds, {treatment:?}\n{text}");
            let within = verdict("linear_interfaces", &[("rounds", rounds as i64)], &text, &treatment);
            assert_eq!(found == "unsafe", within == "unsafe", "{about}");
            match found {
                "unsafe" => refuted += 1,
                "unknown" => open += 1,
                _ => {
                    proved += 1;
                    let reached =
                        (0..=4).any(|copies| interpreted(&text, copies, None, LIMITS) == Some(true));
                    assert!(!reached, "{about}");
                }
            }
        }
    }
    assert!(
        effort::enough(proved, 40) && effort::enough(refuted, 40),
        "{proved} proved, {refuted} refuted, {open} open"
    );
}

/// Lemma 3: the thread interfaces are those that runs with some number of threads have.
#[test]
fn thread_interfaces_are_those_of_runs() {
    let mut random = Random(0x7777_1234_abcd_0001);
    let (mut compared, mut realised) = (0, 0);
    for number in 0..effort::cases(60) {
        let text = parameterized(&mut random, false);
        let rounds = 1 + number % 2;
        let loaded = load("random.bp", &text, &Options::default()).expect("a program");
        let singles = loaded.program.singles.len();
        let Source { name, text: file, .. } = files::find("linear_interfaces", &[]).expect("it is bundled");
        let mut file = file.to_string();
        for p in 1..=singles + 1 {
            file += &format!(
                "query T{p}(u, v: Shared[1..{rounds}]) = exists q. TLI[{p}, {rounds}](q, u, v) & yield(q, v[{rounds}]);\n"
            );
        }
        let treatment = Treatment {
            early_stop: false,
            simplify: false,
            reorder: false,
            inline: Inline::Always,
            ..Treatment::number(number)
        };
        let params = [("rounds", rounds as i64)];
        let outcome = run_file(Source::new(name, file), &params, &text, &treatment).expect("a run");
        let found = (1..=singles + 1).map(|p| vectors(&outcome, &format!("T{p}"))).collect::<Vec<_>>();
        let mut seen = vec![BTreeSet::new(); singles + 1];
        for copies in 1..=4 {
            let Some((effects, _)) = explored(&loaded.program, copies, rounds) else { break };
            for (thread, begun, left) in effects.into_iter().filter(|(_, begun, _)| begun.len() == rounds) {
                let interface = vec![begun, left];
                let p = thread.min(singles + 1);
                assert!(found[p - 1].contains(&interface), "{interface:?} at {p}, program {number}\n{text}");
                seen[p - 1].insert(interface);
            }
            if seen == found {
                break;
            }
        }
        compared += 1;
        realised += usize::from(seen == found);
    }
    // The others need more threads than can be explored.
    assert!(
        effort::is_fast() || realised * 10 >= compared * 8,
        "all interfaces are realised in {realised} of {compared} programs"
    );
}
