//! Summaries, eager and lazy, decide what the explicit interpreter decides, under every treatment.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, sequential};
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::program::cfg::inline::Inline;
use support::{Treatment, effort, interpreted, solve, verdict};

const LAZY: &str = "summaries";
const EAGER: &str = "summaries_eager";

/// Two parameters got the same variable, so that one bit of the callee stayed in place and another was equal to it.
#[test]
fn repro_a_bit_that_is_equal_to_two_others_does_not_stay_in_place() {
    let text = "decl a, b, c;\nbool<1> p(x) begin decl l;\natomic_begin; l := x; b := l; atomic_end;\nend\nbool<2> q() begin decl l;\nwhile (a) do c := p(a);\nod;\nif (l) then ERROR: skip; fi;\nend\nvoid r(x, y) begin decl l;\ny := *;\nend\nvoid main() begin decl m, n;\nr(n, n);\natomic_begin; m := a; a := m; atomic_end;\nn := schoose[(a & *), a];\na := *;\nend\n";
    solve(
        "summaries",
        text,
        &Treatment { inline: Inline::Never, simplify: false, symbolic: true, ..Treatment::default() },
    );
}

#[test]
fn summaries_decide_random_sequential_programs_like_the_interpreter() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut compared, mut reached) = (0, 0);
    for number in 0..effort::cases(600) {
        let text = sequential(&mut random);
        let limits = ExplorationLimits { states: 20_000, stack: 8, all_targets: false };
        let Some(expected) = interpreted(&text, 0, None, limits) else { continue };
        compared += 1;
        reached += usize::from(expected);
        let inline = [Inline::Never, Inline::Auto, Inline::Always][number % 3];
        let treatments = [
            Treatment { inline, ..Treatment::default() },
            Treatment {
                inline: Inline::Never,
                simplify: number % 2 == 0,
                symbolic: true,
                ..Treatment::default()
            },
            Treatment {
                frames: false,
                simplify: false,
                inline,
                naive: number % 4 == 0,
                ..Treatment::default()
            },
            Treatment {
                reorder: number % 10 == 0,
                early_stop: false,
                symbolic: number % 2 == 1,
                ..Treatment::default()
            },
        ];
        for treatment in treatments {
            let exact: &[(&str, i64)] = &[("exact", 1)];
            for (algorithm, params) in [(LAZY, &[][..]), (LAZY, exact), (EAGER, &[][..])] {
                let found = verdict(algorithm, params, &text, &treatment) == "unsafe";
                assert_eq!(
                    found, expected,
                    "program {number}, {algorithm} {params:?}, {treatment:?}\n{text}"
                );
            }
        }
    }
    assert!(effort::enough(compared, 499), "only {compared} programs were small enough");
    assert!(
        effort::enough(reached, 100) && effort::enough(compared - reached, 100),
        "{reached} of {compared} reach a target"
    );
}
