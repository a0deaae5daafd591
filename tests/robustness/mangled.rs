//! Programs that are mangled at random: they end with a program or a diagnostic, never with a panic.

use crate::mangling::{Random, mutate};
use fpsolve::model::interpret::{ExplorationLimits, Machine};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::{Options, load};

/// Mangles the texts in turn; every input must end with a program or with labels that lie in it. More than a tenth must
/// end in either way.
pub fn mangle(texts: &[String], rounds: usize) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..rounds {
        let text = mutate(&texts[round % texts.len()], &mut random);
        match load("mangled.bp", &text, &Options::default()) {
            Ok(loaded) => {
                accepted += 1;
                let (cfg, _) = Cfg::build(&loaded.program);
                inline(&cfg, Inline::Auto).0.facts();
                let limits = ExplorationLimits { states: 50, stack: 5, all_targets: true };
                Machine::new(&loaded.program, 1).explore_rounds(2, limits);
            }
            Err(problems) => {
                refused += 1;
                for (span, _) in problems.diagnostics.iter().flat_map(|problem| &problem.labels) {
                    let (start, end) = (span.start as usize, span.end as usize);
                    assert!(start <= end && text.is_char_boundary(start) && text.is_char_boundary(end));
                }
            }
        }
    }
    assert!(accepted > rounds / 10 && refused > rounds / 10, "{accepted} accepted, {refused} refused");
}
