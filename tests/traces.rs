//! Every `unsafe` verdict of the bundled algorithms has a run, and the explicit interpreter can follow it.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, calling, parameterized, sequential, singles};
use fpsolve::explain::{self, Traced, trace::Trace};
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::{ProgramOptions, program};
use fpsolve::run::{files, run};
use support::{Treatment, request};

/// The trace that a bundled algorithm gives, if its verdict is `unsafe`.
fn traced(algorithm: &str, params: &[(&str, i64)], text: &str, treatment: &Treatment) -> Option<Trace> {
    let file = files::find(algorithm, &[]).unwrap_or_else(|rejection| panic!("{rejection:?}"));
    let (request, solving) = request(file, params, text, treatment)
        .unwrap_or_else(|rejection| panic!("{algorithm}: {rejection:#?}\n{text}"));
    let outcome = run(&request, &solving, None)
        .unwrap_or_else(|rejection| panic!("{algorithm}: {rejection:#?}\n{text}"));
    let options = ProgramOptions {
        inline: treatment.inline,
        simplify: treatment.simplify,
        ..ProgramOptions::default()
    };
    let model = program("program.bp", text, &options).unwrap_or_else(|(_, mistakes)| panic!("{mistakes:#?}"));
    let traced = explain::trace(&request, &solving, &model, &outcome);
    match traced.unwrap_or_else(|rejection| panic!("{rejection:#?}\n{text}")) {
        None => None,
        Some(Traced::Trace(trace)) => Some(trace),
        Some(other) => panic!("{algorithm} with {params:?} under {treatment:?}: {other:?}\n{text}"),
    }
}

/// Traces of many random programs; at least a quarter of them must have one.
fn many(
    programs: usize,
    seed: u64,
    program: impl Fn(&mut Random, usize) -> String,
    algorithms: impl Fn(usize) -> Vec<(&'static str, Vec<(&'static str, i64)>, Inline)>,
) {
    let mut random = Random(seed);
    let (mut found, mut tried) = (0, 0);
    for number in 0..programs {
        let text = program(&mut random, number);
        for (algorithm, params, inline) in algorithms(number) {
            let treatment = Treatment::number(number);
            let symbolic = treatment.symbolic && params.iter().all(|(_, value)| *value < 3);
            let treatment =
                Treatment { inline, symbolic, reorder: treatment.reorder && number < 100, ..treatment };
            tried += 1;
            found += usize::from(traced(algorithm, &params, &text, &treatment).is_some());
        }
    }
    assert!(found > tried / 4, "only {found} of {tried} are unsafe");
}

const INLINE: [Inline; 3] = [Inline::Never, Inline::Auto, Inline::Always];

#[test]
fn runs_of_sequential_programs_replay() {
    many(
        500,
        0x1111_2222_3333_4445,
        |random, _| sequential(random),
        |number| {
            let inline = INLINE[number % 3];
            vec![("summaries", vec![], inline), ("summaries_eager", vec![], inline)]
        },
    );
}

#[test]
fn runs_within_contexts_replay() {
    many(
        500,
        0x7777_1234_3333_4445,
        |random, number| singles(random, 2 + number % 2, false),
        |number| {
            let contexts = vec![("contexts", 1 + number as i64 % 3)];
            let eager = vec![("contexts", 1 + number as i64 % 2)];
            vec![
                ("lazy_cba", contexts.clone(), Inline::Auto),
                ("eager_cba", eager, Inline::Auto),
                ("product_cba", contexts, Inline::Always),
                ("interleaving", vec![], Inline::Always),
            ]
        },
    );
}

#[test]
fn runs_with_calls_within_contexts_replay() {
    let program = |random: &mut Random, number: usize| match number % 2 {
        0 => singles(random, 2, true),
        _ => calling(random, false),
    };
    many(120, 0x5555_1234_9333_4441, program, |number| {
        let contexts = vec![("contexts", 1 + number as i64 % 3)];
        vec![("lazy_cba", contexts, Inline::Never), ("eager_cba", vec![("contexts", 1)], Inline::Never)]
    });
}

#[test]
fn runs_of_any_number_of_threads_replay() {
    many(
        500,
        0x3333_9999_3333_4447,
        |random, _| parameterized(random, false),
        |number| {
            let rounds = vec![("rounds", 1 + number as i64 % 3)];
            vec![
                ("linear_interfaces", rounds.clone(), Inline::Always),
                ("linear_interfaces_calls", rounds, Inline::Always),
            ]
        },
    );
}

#[test]
fn runs_of_any_number_of_threads_with_calls_replay() {
    let program = |random: &mut Random, number: usize| match number % 2 {
        0 => parameterized(random, true),
        _ => calling(random, true),
    };
    many(100, 0x3333_9999_1333_5557, program, |number| {
        vec![("linear_interfaces_calls", vec![("rounds", 1 + number as i64 % 2)], Inline::Never)]
    });
}
