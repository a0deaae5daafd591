//! Context-bounded analysis, lazy, eager and on the product of the threads, decides what the explicit interpreter
//! decides, and its tables have what runs have.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, calling, singles};
use calculus::span::Source;
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::program::{Options, load};
use fpsolve::run::files;
use support::effects::{explored, vectors};
use support::{Treatment, answer, effort, explored_rounds, interpreted, run_file, verdict};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 40_000, stack: 5, all_targets: false };

fn word(unsafe_: bool) -> &'static str {
    if unsafe_ { "unsafe" } else { "bounded" }
}

/// Compares all files on one program, with 1 to 3 contexts; returns how many questions were compared, and how
/// many of them have the answer unsafe.
fn compare(number: usize, text: &str, calls: bool) -> (usize, usize) {
    let (mut compared, mut reached) = (0, 0);
    let explored = explored_rounds(text, 0, 3, LIMITS);
    for contexts in 1..=3 {
        let Some(expected) = answer(explored.within(contexts)) else { continue };
        compared += 1;
        reached += usize::from(expected);
        let params = [("contexts", contexts as i64)];
        let treatment = Treatment::number(number * 3 + contexts - 1);
        let treatment = Treatment { reorder: treatment.reorder && contexts == 1, ..treatment };
        let inlined = Treatment { inline: Inline::Always, ..treatment.clone() };
        // Eager tables with a symbolic Pc are too large for three contexts of unoptimized code.
        let eager = Treatment { symbolic: treatment.symbolic && contexts < 3, ..treatment.clone() };
        let mut files = vec![("lazy_cba", &treatment), ("eager_cba", &eager)];
        // The product of calls that were not inlined is refused.
        if !calls {
            files.push(("product_cba", &inlined));
        }
        for (algorithm, treatment) in files {
            let found = verdict(algorithm, &params, text, treatment);
            let about = format!("program {number}, {algorithm}, {contexts} contexts, {treatment:?}\n{text}");
            assert_eq!(found, word(expected), "{about}");
        }
    }
    if !calls && let Some(expected) = interpreted(text, 0, None, LIMITS) {
        let treatment = Treatment { inline: Inline::Always, reorder: false, ..Treatment::number(number) };
        let found = verdict("interleaving", &[], text, &treatment);
        assert_eq!(found, if expected { "unsafe" } else { "safe" }, "program {number}, interleaving\n{text}");
    }
    (compared, reached)
}

fn compare_many(seed: u64, programs: usize, calls: bool, program: impl Fn(&mut Random, usize) -> String) {
    let programs = effort::cases(programs);
    let mut random = Random(seed);
    let (mut compared, mut reached) = (0, 0);
    for number in 0..programs {
        let text = program(&mut random, number);
        let (one, unsafe_) = compare(number, &text, calls);
        compared += one;
        reached += unsafe_;
    }
    assert!(effort::is_fast() || compared >= 2 * programs, "only {compared} questions were small enough");
    let rest = compared - reached;
    assert!(
        effort::is_fast() || reached > programs / 4 && rest > programs / 4,
        "{reached} of {compared} are unsafe"
    );
}

#[test]
fn all_files_decide_random_threads_without_calls_like_the_interpreter() {
    let program = |random: &mut Random, number: usize| singles(random, 2 + number % 2, false);
    compare_many(0x2545_f491_4f6c_dd1d, 250, false, program);
}

/// Whether neighbours commute is computed from their meaning, or from what they read and write.
#[test]
fn monotonic_decides_random_threads_like_the_interpreter() {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let (mut reached, programs) = (0, effort::cases(200));
    for number in 0..programs {
        let text = singles(&mut random, 2 + number % 2, false);
        let Some(expected) = interpreted(&text, 0, None, LIMITS) else { continue };
        reached += usize::from(expected);
        let treatment = Treatment { inline: Inline::Always, reorder: false, ..Treatment::number(number) };
        for sets in 0..=1 {
            let found = verdict("monotonic", &[("sets", sets)], &text, &treatment);
            let about = format!("program {number}, sets = {sets}, {treatment:?}\n{text}");
            assert_eq!(found, if expected { "unsafe" } else { "safe" }, "{about}");
        }
    }
    assert!(effort::is_fast() || reached > programs / 4 && reached < programs * 3 / 4, "{reached}");
}

/// The last step of `two` commutes with the first one of `one`, but its section as a whole does not.
#[test]
fn repro_steps_inside_sections_are_not_held_back() {
    let text = "decl x := F, z := F;
thread one begin assume(x); assert(F); end
thread two begin atomic_begin; x := T; z := T; atomic_end; end
";
    for sets in 0..=1 {
        assert_eq!(verdict("monotonic", &[("sets", sets)], text, &Treatment::default()), "unsafe");
    }
}

#[test]
fn all_files_decide_random_threads_with_calls_like_the_interpreter() {
    let program = |random: &mut Random, number: usize| singles(random, 2 + number % 2, true);
    compare_many(0x9e37_79b9_97f4_a7c1, 100, true, program);
}

#[test]
fn all_files_decide_threads_that_call_the_same_procedure_like_the_interpreter() {
    compare_many(0xd1b5_4a32_d192_ed03, 200, true, |random, _| calling(random, false));
}

/// `x` is set only if `z` was when `two` began, and then `m` is true. The first call of `f` in a run in which `z`
/// was not set may not use what `f` does where it was: in context 2 both look alike.
const HISTORY: &str = "decl started, x, z;
init begin started, x, z := F, F, F; end
void f() begin if (*) then f(); fi assume(x); end
thread one begin atomic_begin; assume(!started); z := T; atomic_end; x := T; end
void watch() begin decl m; atomic_begin; started := T; m := z; atomic_end; z := F; f(); assert(m); end
thread two begin watch(); end
";

#[test]
fn repro_a_summary_knows_the_history_of_its_caller() {
    for algorithm in ["lazy_cba", "eager_cba"] {
        for contexts in 1..=3 {
            let found = verdict(algorithm, &[("contexts", contexts)], HISTORY, &Treatment::default());
            assert_eq!(found, "bounded", "{algorithm}, {contexts} contexts");
        }
    }
}

/// The rule of the paper, which ties a summary to the shared states of its call only, is not enough.
#[test]
fn a_summary_without_history_is_wrong() {
    let Source { name, text, .. } = files::find("lazy_cba", &[]).expect("it is bundled");
    let tied = "within Summary[t, k, i](g0, c, h, x, gx)";
    let loose = "(exists b. within Summary[t, k, i](b, c, h, x, gx) & b[i + 1..] = g0[i + 1..])";
    assert_eq!(text.matches(tied).count(), 1);
    let paper = Source::new(name, text.replace(tied, loose));
    let outcome = run_file(paper, &[("contexts", 2)], HISTORY, &Treatment::default()).expect("a run");
    assert_eq!(outcome.conclusion().word(), Some("unsafe"));
}

#[test]
fn repro_a_summary_knows_the_context_of_its_call() {
    let text = "decl x, y;
init begin x, y := F, F; end
void set() begin if (*) then set(); fi y := T; end
thread left begin if (*) then set(); else assume(x); set(); assert(y); fi end
thread right begin y := F; x := T; end
";
    for contexts in 1..=3 {
        for algorithm in ["lazy_cba", "eager_cba"] {
            let found = verdict(algorithm, &[("contexts", contexts)], text, &Treatment::default());
            assert_eq!(found, "bounded", "{algorithm}, {contexts} contexts");
        }
        let found = verdict("linear_interfaces_calls", &[("rounds", contexts)], text, &Treatment::default());
        assert_eq!(found, "bounded", "{contexts} rounds");
    }
}

/// Theorem 2: the tables of the lazy analysis have exactly the effects that runs have.
#[test]
fn lazy_tables_have_what_runs_have() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut compared = 0;
    for number in 0..effort::cases(80) {
        let (threads, contexts) = (2 + number % 2, 1 + number / 2 % 2);
        let text = match number % 4 {
            0 => calling(&mut random, false),
            1 => singles(&mut random, 2, true),
            _ => singles(&mut random, threads, false),
        };
        let threads = if number % 4 < 2 { 2 } else { threads };
        let loaded = load("random.bp", &text, &Options::default()).expect("a program");
        let Some((effects, ends)) = explored(&loaded.program, 0, contexts) else { continue };
        compared += 1;
        let Source { name, text: lazy, .. } = files::find("lazy_cba", &[]).expect("it is bundled");
        let mut file = lazy.to_string();
        for thread in 1..=threads {
            file += &format!(
                "query T{thread}(g0, g: Shared[1..{contexts}]) = Effect[{thread}, {contexts}](g0, g);\n"
            );
        }
        let treatment = Treatment { early_stop: false, simplify: false, ..Treatment::number(number) };
        let params = [("contexts", contexts as i64)];
        let outcome = run_file(Source::new(name, file), &params, &text, &treatment).expect("a run");
        for thread in 1..=threads {
            let expected = effects.iter().filter(|(t, begun, _)| *t == thread && begun.len() == contexts);
            let expected = expected.map(|(_, begun, left)| vec![begun.clone(), left.clone()]).collect();
            let found = vectors(&outcome, &format!("T{thread}"));
            assert_eq!(found, expected, "program {number}, thread {thread}, {contexts} contexts\n{text}");
        }
        let found = vectors(&outcome, "Reachable").into_iter().map(|row| row[0][0].clone()).collect();
        assert_eq!(ends, found, "program {number}, the end of {contexts} contexts\n{text}");
    }
    assert!(effort::enough(compared, 40), "only {compared} programs were small enough");
}
