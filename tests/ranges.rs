//! Numbers and names: graphs, solver, traces and the sequential program agree with the explicit interpreter, which
//! computes with values where the others compute with bits.

mod agreement {
    pub mod executor;
    pub mod generator;
}
mod support;

use agreement::executor::Executor;
use agreement::generator::{Random, word_creation, words};
use calculus::vocabulary::Vocabulary;
use fpsolve::explain::{self, Traced};
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::{ExplorationLimits, Machine};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::{Options, load};
use fpsolve::model::sequentialize::sequentialize;
use fpsolve::model::trace::{Trace, Verified};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::report::json;
use fpsolve::run::{behind_dots, files};
use std::collections::BTreeSet;
use support::{Treatment, answer, effort, explored_rounds, interpreted, request, solve, verdict};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 3_000, stack: 4, all_targets: false };

fn word(unsafe_: bool) -> &'static str {
    if unsafe_ { "unsafe" } else { "bounded" }
}

#[test]
fn graphs_reach_what_the_interpreter_reaches() {
    let mut random = Random(0x51ed_270b_9a3c_77d1);
    let (mut compared, mut with_targets) = (0, 0);
    for number in 0..effort::cases(40) {
        let text = match number % 3 {
            0 => word_creation(&mut random),
            calls => words(&mut random, 1 + number % 2, number % 4 == 1, calls == 1),
        };
        let loaded = load("random.bp", &text, &Options::default());
        let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        let copies = if number % 3 == 0 { 2 } else { 1 };
        let limits = ExplorationLimits { all_targets: true, ..LIMITS };
        let found = Machine::new(&loaded.program, copies).explore(limits);
        if found.limit.is_some() {
            continue;
        }
        let expected: BTreeSet<(u32, u32)> = found.targets.keys().copied().collect();
        let (cfg, _) = Cfg::build(&loaded.program);
        for policy in [Inline::Never, Inline::Auto] {
            let (cfg, _) = inline(&cfg, policy);
            let Some(targets) = Executor::new(&cfg, copies, None).targets(10_000, 4) else { continue };
            assert_eq!(targets, expected, "program {number}, {policy:?}\n{text}");
            compared += 1;
            with_targets += usize::from(!targets.is_empty());
        }
    }
    assert!(effort::enough(compared, 20), "only {compared} were small enough");
    assert!(effort::enough(with_targets, 10), "only {with_targets} reached anything");
}

#[test]
fn all_algorithms_decide_like_the_interpreter() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut compared, mut reached) = (0, 0);
    for number in 0..effort::cases(24) {
        let calls = number % 3 == 0;
        let text = words(&mut random, 1 + number % 3, false, calls);
        let explored = explored_rounds(&text, 0, 2, LIMITS);
        for contexts in 1..=2 {
            let Some(expected) = answer(explored.within(contexts)) else { continue };
            compared += 1;
            reached += usize::from(expected);
            let treatment = Treatment::number(number * 2 + contexts);
            let treatment =
                Treatment { reorder: false, symbolic: treatment.symbolic && contexts == 1, ..treatment };
            let mut files = vec![["lazy_cba", "eager_cba"][number / 2 % 2]];
            if !calls {
                files.push("product_cba");
            }
            for algorithm in files {
                let found = verdict(algorithm, &[("contexts", contexts as i64)], &text, &treatment);
                let about =
                    format!("program {number}, {algorithm}, {contexts} contexts, {treatment:?}\n{text}");
                assert_eq!(found, word(expected), "{about}");
            }
        }
        let Some(expected) = interpreted(&text, 0, None, LIMITS) else { continue };
        let expected = if expected { "unsafe" } else { "safe" };
        let inlined = Treatment { inline: Inline::Always, reorder: false, ..Treatment::number(number) };
        if !calls {
            assert_eq!(verdict("interleaving", &[], &text, &inlined), expected, "program {number}\n{text}");
        }
        if !calls && number % 4 == 1 {
            let induction = verdict("k_induction", &[("k", 2)], &text, &inlined);
            assert!(induction == expected || induction == "unknown", "program {number}: {induction}\n{text}");
        }
        if number % 3 == 0 && number % 2 == 0 {
            let single = words(&mut random, 1, false, true);
            let Some(expected) = interpreted(&single, 0, None, LIMITS) else { continue };
            let found = solve("summaries", &single, &Treatment::number(number));
            assert_eq!(found, expected, "program {number}, summaries\n{single}");
        }
    }
    assert!(effort::enough(compared, 20), "only {compared} questions were small enough");
    assert!(effort::enough(reached, 5) && effort::enough(compared - reached, 5), "{reached} of {compared}");
}

#[test]
fn interfaces_decide_like_the_interpreter() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let mut compared = 0;
    for number in 0..effort::cases(20) {
        let text = words(&mut random, number % 2, true, false);
        for rounds in 1..=2 {
            let with = |copies| answer(explored_rounds(&text, copies, rounds, LIMITS).within(rounds));
            let treatment =
                Treatment { inline: Inline::Always, reorder: false, ..Treatment::number(number + rounds) };
            let found = verdict("linear_interfaces", &[("rounds", rounds as i64)], &text, &treatment);
            // Some number of copies reaches an error just if the interfaces do: mostly few of them.
            let some = (0..=3).map(with).collect::<Vec<_>>();
            match found {
                "unsafe" if some.contains(&Some(true)) => compared += 1,
                "unsafe" => {
                    assert!(some.contains(&None) || with(4) != Some(false), "program {number}\n{text}")
                }
                _ => {
                    assert!(
                        !some.contains(&Some(true)),
                        "program {number}, {rounds} rounds: {found}\n{text}"
                    );
                    compared += usize::from(!some.contains(&None));
                }
            }
        }
    }
    assert!(effort::enough(compared, 10), "only {compared} questions were small enough");
}

/// A trace in JSON, read and executed again.
fn stored(trace: &Trace, model: &dyn Model) -> Verified {
    let read = Trace::from_json(&json::pretty(&trace.to_json())).expect("what is written can be read");
    assert_eq!(&read, trace);
    model.verify(&read)
}

#[test]
fn runs_replay() {
    let mut random = Random(0x7777_1234_3333_4445);
    let (mut traces, mut tried) = (0, 0);
    for number in 0..effort::cases(60) {
        let (calls, replicated) = (number % 3 == 0, number % 3 == 1);
        let text = match number % 7 {
            6 => word_creation(&mut random),
            _ => words(&mut random, 1 + number % 2, replicated, calls),
        };
        let (algorithm, params) = match () {
            () if replicated || number % 7 == 6 => ("linear_interfaces", vec![("rounds", 2)]),
            () if calls => ("lazy_cba", vec![("contexts", 2)]),
            () => ("interleaving", vec![]),
        };
        let treatment = Treatment { reorder: false, inline: Inline::Always, ..Treatment::number(number) };
        let file = files::find(algorithm, &[]).expect("it is bundled");
        // What may be named keeps its bits: the same model is needed to understand the moves.
        let named = behind_dots(&file);
        let (request, settings) = request(file, &params, &text, &treatment).expect("a request");
        let Ok(outcome) = fpsolve::run::run(&request, &settings) else { continue };
        tried += 1;
        if outcome.conclusion().word() != Some("unsafe") {
            continue;
        }
        let options = ProgramOptions {
            inline: treatment.inline,
            simplify: treatment.simplify,
            named,
            ..ProgramOptions::default()
        };
        let model = program("program.bp", &text, &options).unwrap_or_else(|rejection| panic!("{rejection}"));
        match explain::trace(&request, &settings, &model, &outcome) {
            Ok(Some(Traced::Trace(trace))) => {
                assert_eq!(
                    stored(&trace, &model),
                    Verified::Run,
                    "program {number}, {algorithm}\n{text}\n{trace:#?}"
                );
                traces += 1;
            }
            other => panic!("program {number}, {algorithm}: {other:?}\n{text}"),
        }
    }
    assert!(effort::is_fast() || traces > tried / 4, "only {traces} of {tried} have traces");
}

#[test]
fn sequential_programs_are_decided_like_the_interpreter() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut compared, mut reached) = (0, 0);
    for number in 0..effort::cases(6) {
        let text = words(&mut random, 2, false, number % 2 == 0);
        let contexts = 1 + number % 2;
        let Some(expected) = answer(explored_rounds(&text, 0, contexts, LIMITS).within(contexts)) else {
            continue;
        };
        let loaded = load("random.bp", &text, &Options::default()).expect("a program");
        let made = sequentialize(&loaded.program, contexts).expect("it has no replicated threads");
        let treatment = Treatment { inline: Inline::Never, ..Treatment::default() };
        let found = solve("summaries", &made, &treatment);
        assert_eq!(found, expected, "program {number}, {contexts} contexts\n{text}\n{made}");
        compared += 1;
        reached += usize::from(found);
    }
    assert!(effort::enough(compared, 3), "only {compared} were small enough");
    assert!(effort::enough(reached, 1), "only {reached} reach an error");
}

/// All tuples of a relation over shared states, as they are shown.
fn states(text: &str, query: &str) -> BTreeSet<String> {
    let file = calculus::span::Source::new("ask.fp", format!("use program;\n{query}\n"));
    let outcome = support::run_file(file, &[], text, &Treatment::default());
    let outcome = outcome.unwrap_or_else(|rejection| panic!("{rejection:?}"));
    let queries = outcome.queries();
    let (_, rows) = queries[0].answer.as_ref().expect("an answer");
    rows.iter().map(|row| outcome.show(queries[0].columns[0].sort, &row[0])).collect()
}

#[test]
fn variables_without_a_first_value_have_any_value_of_their_range_and_no_other() {
    let text = "decl n: -1..1;\ndecl c: { red, green, blue };\ndecl one: 4..4;\nthread t begin skip; end\n";
    let mut expected = BTreeSet::new();
    for n in -1..=1 {
        expected.extend(["red", "green", "blue"].map(|c| format!("n={n} c={c} one=4")));
    }
    assert_eq!(states(text, "query All(s: Shared) = initial(s);"), expected);
    assert_eq!(states(text, "query All(s: Shared) = exists q. yield(q, s);"), expected);
}

#[test]
fn a_value_outside_the_range_is_an_error_and_one_that_wraps_is_none() {
    let solve = |text: &str| verdict("interleaving", &[], text, &Treatment::default());
    let counts = |range: &str, checks: &str| {
        solve(&format!(
            "decl n: {range} := 0;\nthread t begin n := n + 1; n := n + 1; n := n + 1; {checks}\nend\n"
        ))
    };
    assert_eq!(counts("0..2", ""), "unsafe");
    assert_eq!(counts("0..3", "assert(n = 3);"), "safe");
    assert_eq!(counts("0..2 mod", "assert(n = 0);"), "safe");
    assert_eq!(counts("-1..1 mod", "assert(n = 0);"), "safe");
    assert_eq!(counts("-1..1 mod", "assert(n != 0);"), "unsafe");
    let call =
        "void f(n: 0..3) begin skip; end\nthread t begin decl m: 0..4;\nassume(m MORE 3); f(m);\nend\n";
    assert_eq!(solve(&call.replace("MORE", "<=")), "safe");
    assert_eq!(solve(&call.replace("MORE", ">=")), "unsafe");
}

#[test]
fn boolean_programs_have_no_more_rows_than_variables_say() {
    let size = |text: &str| {
        let model = program("p.bp", text, &ProgramOptions::default()).expect("a program");
        let Vocabulary { sorts, .. } = model.vocabulary;
        format!("{:?}", sorts.iter().map(|sort| (sort.name.clone(), sort.width)).collect::<Vec<_>>())
    };
    let bits = size("decl a, b, c;\nthread t begin a := b & c; end\n");
    assert_eq!(bits, size("decl n: 0..7;\nthread t begin n := n % 4; end\n"));
}
