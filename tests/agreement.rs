//! The control-flow graphs and the interpreter agree on what is reachable, inlined or not, bounded or not.
//!
//! The graphs are executed by a few lines of test code that know nothing of the tree; the interpreter knows nothing of the
//! graphs.

mod agreement {
    pub mod executor;
    pub mod generator;
}
#[path = "../calculus/tests/effort/mod.rs"]
mod effort;

use std::collections::BTreeSet;

use agreement::executor::Executor;
use agreement::generator::{Random, program};
use fpsolve::model::interpret::{ExplorationLimits, Machine};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::{Options, load};

const STATES: usize = 5_000;
const STACK: usize = 6;

/// Compares all targets and counts them; nothing if a limit was hit.
fn agree(text: &str, options: &Options, copies: usize, rounds: Option<usize>) -> Option<usize> {
    let loaded = load("random.bp", text, options).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let machine = Machine::new(&loaded.program, copies);
    let limits = ExplorationLimits { states: STATES, stack: STACK, all_targets: true };
    let found = match rounds {
        Some(rounds) => machine.explore_rounds(rounds, limits),
        None => machine.explore(limits),
    };
    if found.limit.is_some() {
        return None;
    }
    let expected: BTreeSet<(u32, u32)> = found.targets.keys().copied().collect();
    let (cfg, _) = Cfg::build(&loaded.program);
    for policy in [Inline::Never, Inline::Auto] {
        let (cfg, _) = inline(&cfg, policy);
        let targets = Executor::new(&cfg, copies, rounds).targets(STATES * 6, STACK)?;
        // Taking up what was created costs the graphs a context, so with a bound they may reach less.
        let fewer = rounds.is_some() && !loaded.program.births.is_empty() && targets.is_subset(&expected);
        assert!(
            fewer || targets == expected,
            "{policy:?}, {copies} copies, {rounds:?} rounds: {targets:?}, not {expected:?}\n{text}"
        );
    }
    Some(expected.len())
}

#[test]
fn graphs_of_random_programs_reach_what_the_interpreter_reaches() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut compared, mut with_targets) = (0, 0);
    for _ in 0..effort::cases(120) {
        let text = program(&mut random);
        let mut options = Options::default();
        if random.below(3) == 0 {
            options.copies = Some(1);
        }
        for (copies, rounds) in [(1, Some(1)), (2, Some(2)), (1, None)] {
            let targets = agree(&text, &options, copies, rounds);
            compared += usize::from(targets.is_some());
            with_targets += usize::from(targets.is_some_and(|targets| targets > 0));
        }
    }
    assert!(effort::enough(compared, 120), "only {compared} were small enough");
    assert!(effort::enough(with_targets, 30), "only {with_targets} reached anything");
}

#[test]
fn graphs_of_the_samples_reach_what_the_interpreter_reaches() {
    for sample in include_str!("samples/programs.txt").split("\n=== ").skip(1) {
        let (name, text) = sample.split_once('\n').expect("a name");
        for (copies, rounds) in [(1, Some(2)), (2, Some(2)), (1, None)] {
            let done = agree(text, &Options::default(), copies, rounds);
            println!("{name} {copies} {rounds:?}: {}", if done.is_some() { "agree" } else { "too large" });
        }
    }
}
