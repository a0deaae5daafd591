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
    let mut rule = |from: usize, top: usize, to: usize, word: String| {
        writeln!(out, "{from} {top} -> {to} {word}").expect("a string takes everything");
    };
    for procedure in 0..procedures {
        let first = 1 + procedure * LENGTH;
        for top in first..first + LENGTH {
            let (kind, shift) = (random.below(6), random.below(states));
            let callee = procedure + 1 + random.below(3);
            for state in 0..states {
                let half = state < states / 2;
                match kind {
                    _ if top + 1 == first + LENGTH => rule(state, top, state, "-".into()),
                    // Calls lead to later procedures.
                    0 | 1 if callee < procedures => {
                        rule(state, top, state, format!("{} {}", 1 + callee * LENGTH, top + 1));
                    }
                    2 => rule(state, top, (state + shift) % states, (top + 1).to_string()),
                    _ => {
                        // A loop, and a procedure that calls itself: both may be left.
                        if kind == 3 && half && top > first + 1 {
                            rule(state, top, (state + 1) % states, (top - 1).to_string());
                        }
                        if kind == 4 && half {
                            rule(state, top, state + states / 2, format!("{first} {}", top + 1));
                        }
                        rule(state, top, state, (top + 1).to_string());
                    }
                }
            }
        }
    }
    out
}
