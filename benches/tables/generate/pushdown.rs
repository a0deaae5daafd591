//! A pushdown system with one stack: procedures that call each other, and themselves, and hand control states down. The
//! last control state is never reached, so that a search for it goes to its end.

use crate::random::Random;
use std::fmt::Write;

/// How many symbols a procedure has.
const LENGTH: usize = 20;

/// The text, with at least so many rules. Runs begin with `0|1`.
pub fn system(rules: usize, states: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let procedures = rules.div_ceil(states * LENGTH).max(1);
    let mut out = format!("{}\nPDA 1 {}\n", states + 1, procedures * LENGTH);
    let mut rule = |from: usize, top: usize, to: usize, word: &str| {
        writeln!(out, "{from} {top} -> {to} {word}").expect("a string takes everything");
    };
    for procedure in 0..procedures {
        let first = 1 + procedure * LENGTH;
        for top in first..first + LENGTH {
            let next = (top + 1).to_string();
            let kind = random.below(6);
            // Calls lead to neighbours, mostly to later ones.
            let callee = (procedure + random.below(4)).saturating_sub(1).min(procedures - 1);
            let shift = random.below(states);
            for state in 0..states {
                match kind {
                    _ if top + 1 == first + LENGTH => rule(state, top, state, "-"),
                    0 | 1 => rule(state, top, state, &format!("{} {next}", 1 + callee * LENGTH)),
                    2 => rule(state, top, (state + shift) % states, &next),
                    // A loop that not all control states leave.
                    3 if state < states / 2 && top > first + 1 => {
                        rule(state, top, state, &(top - 1).to_string())
                    }
                    _ => rule(state, top, state, &next),
                }
            }
        }
    }
    out
}
