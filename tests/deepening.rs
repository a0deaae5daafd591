//! Deepening a parameter gives what running each value gives, and solves nothing twice.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, parameterized, singles};
use calculus::solve::Statistics;
use calculus::span::Source;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::run::deepen::{Deepening, deepen};
use fpsolve::run::{Outcome, Request, Settings, files};
use std::collections::{BTreeMap, BTreeSet};
use support::{Treatment, request, run};

/// The relations of the file that are complete, with their sizes.
fn sizes(outcome: &Outcome) -> BTreeMap<String, (String, usize)> {
    let relations = outcome.answer.statistics.relations.iter();
    let complete = relations.filter(|relation| relation.complete && !relation.clauses.is_empty());
    complete.map(|one| (one.title.clone(), (one.tuples.to_string(), one.rows))).collect()
}

fn compare(algorithm: &str, param: &str, text: &str, treatment: &Treatment) {
    let file = files::find(algorithm, &[]).expect("a bundled algorithm");
    let (request, solving) = request(file, &[], text, treatment).expect("a program");
    let deepening = Deepening { param: param.into(), first: 1, last: Some(3) };
    let outcome = deepen(&request, &deepening, &solving, &mut |_| {}).expect("a run");
    let mut solved = BTreeSet::new();
    for (number, step) in outcome.steps.iter().enumerate() {
        assert_eq!(step.value, number as i64 + 1);
        let alone = run(algorithm, &[(param, step.value)], text, treatment).expect("a run");
        // Without a target nothing is solved but the queries, and these are about the parameter itself.
        let is_worth_keeping = sizes(&alone).values().any(|(tuples, _)| tuples != "0");
        let kept = number == 0 || step.kept > 0 || !is_worth_keeping;
        assert!(kept, "nothing is kept, {algorithm}, {step:?}\n{text}");
        assert_eq!(step.conclusion, alone.conclusion(), "{algorithm}, {step:?}\n{text}");
        if number + 1 == outcome.steps.len() {
            // What a step before needed may be kept although this one does not.
            let deepened = sizes(&outcome);
            for (title, size) in sizes(&alone) {
                assert_eq!(deepened.get(&title), Some(&size), "{algorithm}, {title}, {step:?}\n{text}");
            }
        }
        solved.extend(sizes(&alone).into_keys());
    }
    // Every step solves what no step before has, except for what depends on the bound itself.
    let total = outcome.steps.iter().map(|step| step.solved).sum::<usize>();
    let again = 6 * (outcome.steps.len() - 1);
    assert!(total <= solved.len() + again, "{total} solved, {} relations\n{text}", solved.len());
}

#[test]
fn steps_give_what_runs_give() {
    let mut random = Random(0xabcd_ef01_2345_6789);
    for number in 0..25 {
        let treatment = Treatment {
            reorder: false,
            naive: false,
            inline: Inline::Always,
            early_stop: number % 2 == 0,
            ..Treatment::number(number)
        };
        let text = singles(&mut random, 2, number % 2 == 0);
        compare("lazy_cba", "contexts", &text, &treatment);
        compare("eager_cba", "contexts", &text, &Treatment { symbolic: false, ..treatment.clone() });
        let text = parameterized(&mut random, false);
        compare("linear_interfaces", "rounds", &text, &treatment);
    }
}

/// Two equal numbers, one above the other: a node for each value. Bit beside bit there are three for each bit.
const EQUAL: &str = "
    range Number = 0..131071;
    param depth in 1..3 = 1;
    mu Same(x: Number, d: Number, y: Number) = d = depth & x = y;
    query Some() = exists x, d, y. Same(x, d, y) & x > 1;
    verdict safe if depth = 3 & Some;
    verdict unknown;
    hint order Same.x, Same.y, Same.d;
";

#[test]
fn an_order_that_a_step_found_is_where_the_next_one_begins() {
    let reorderings = |of: &Statistics| of.bdd.as_ref().expect("it was solved").reorderings;
    let request = |params: &[(&str, i64)]| {
        let params = params.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        Request { params, ..Request::new(Source::new("equal.fp", EQUAL)) }
    };
    let settings = Settings::default();
    let alone = fpsolve::run::run(&request(&[("depth", 3)]), &settings).expect("a run");
    assert!(reorderings(&alone.answer.statistics) > 0, "the hint is bad enough");
    let deepening = Deepening { param: "depth".into(), first: 1, last: Some(3) };
    let deepened = deepen(&request(&[]), &deepening, &settings, &mut |_| {}).expect("a run");
    assert_eq!(deepened.steps.len(), 3);
    assert!(reorderings(&deepened.before[0]) > 0, "the first step has the hint");
    for later in deepened.before[1..].iter().chain([&deepened.answer.statistics]) {
        assert_eq!(reorderings(later), 0, "the others begin with what it found");
        let nodes = later.bdd.as_ref().expect("it was solved").peak_nodes;
        assert!(nodes < 100_000, "{nodes} nodes: as many as with the hint");
    }
    assert_eq!(deepened.conclusion(), alone.conclusion());
}

#[test]
fn what_is_deepened_is_checked() {
    let mistakes = ["rounds", "rounds=1", "rounds=3..1", "rounds=a..b", "=1..2..3"];
    for text in mistakes {
        assert!(Deepening::parse(text).is_err(), "{text}");
    }
    assert_eq!(
        Deepening::parse("rounds=2..").unwrap(),
        Deepening { param: "rounds".into(), first: 2, last: None }
    );
}
