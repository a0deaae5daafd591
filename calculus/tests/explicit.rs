//! Solving on tuples: when it is chosen, that a bound and limits end it, and diagrams of many facts.

use calculus::bdd::{Limits, StopReason};
use calculus::check::{self, FactsFile, Options};
use calculus::elaborate::elaborate;
use calculus::solve::{self, Answer, Ending, Explicit, Settings};
use std::time::Duration;

const CLOSURE: &str = "
    range Node = 0..999;
    input edge(x, y: Node);
    mu Path(x, y: Node) = edge: edge(x, y) | longer: exists z. Path(x, z) & edge(z, y);
    query Closure(x, y: Node) = Path(x, y);
    query Back(x: Node) = Path(x, x);
";

/// So many edges between a hundred nodes, as if at random.
fn edges(count: u64) -> String {
    let mut number = 7u64;
    let mut node = || {
        number = number.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        number >> 33 & 127
    };
    (0..count).map(|_| format!("{}\t{}\n", node(), node())).collect()
}

fn solved(text: &str, facts: &str, settings: &Settings) -> Answer {
    let (mut program, mistakes) = check::load("test.fp", text, &|_, _| Err("no other files".into()));
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let facts = |name: &str| {
        let facts = if name == "nothing" { "" } else { facts };
        Ok(FactsFile::named(format!("{name}.facts"), facts))
    };
    let options = Options { facts: Some(&facts), ..Options::default() };
    let (system, _) = check::check(&mut program, &options).unwrap_or_else(|found| panic!("{found:?}"));
    solve::solve(&system, &elaborate(&system).0, settings)
}

fn with(explicit: Explicit) -> Settings {
    Settings { explicit, list: usize::MAX, ..Settings::default() }
}

/// Whether a relation was solved on tuples: it has no nodes then.
fn is_on_tuples(answer: &Answer, title: &str) -> bool {
    let relation = answer.statistics.relations.iter().find(|relation| relation.title == title);
    relation.expect("it was solved").nodes == 0
}

fn tuples(answer: &Answer) -> Vec<&solve::Tuples> {
    answer.queries.iter().map(|query| query.tuples.as_ref().expect("it was solved")).collect()
}

#[test]
fn sparse_facts_are_solved_on_tuples_with_the_same_answers() {
    let facts = edges(300);
    let (auto, never) =
        (solved(CLOSURE, &facts, &with(Explicit::Auto)), solved(CLOSURE, &facts, &with(Explicit::Never)));
    assert!(["edge", "Path", "Closure", "Back"].iter().all(|title| is_on_tuples(&auto, title)));
    assert!(!is_on_tuples(&never, "Path"));
    assert_eq!(tuples(&auto), tuples(&never));
    assert!(tuples(&auto)[0].rows.len() > 300, "the closure has more than the edges");
}

#[test]
fn few_facts_dense_facts_and_symbolic_sorts_are_solved_with_diagrams() {
    assert!(!is_on_tuples(&solved(CLOSURE, &edges(100), &with(Explicit::Auto)), "Path"));
    let symbolic = format!("{CLOSURE} hint symbolic Node;");
    assert!(!is_on_tuples(&solved(&symbolic, &edges(300), &with(Explicit::Auto)), "Path"));
    let dense = CLOSURE.replace("0..999", "0..15");
    let all = (0..256).map(|number| format!("{}\t{}\n", number / 16, number % 16)).collect::<String>();
    assert!(!is_on_tuples(&solved(&dense, &all, &with(Explicit::Auto)), "Path"));
}

#[test]
fn what_exceeds_the_bound_begins_again_with_diagrams() {
    let facts = edges(300);
    let bounded = solved(CLOSURE, &facts, &with(Explicit::Within(5000)));
    assert!(!is_on_tuples(&bounded, "Path"));
    assert_eq!(tuples(&bounded), tuples(&solved(CLOSURE, &facts, &with(Explicit::Never))));
}

#[test]
fn statistics_count_what_clauses_bring_once() {
    let settings = Settings { clauses: true, ..with(Explicit::Within(5000)) };
    for answer in
        [solved(CLOSURE, &edges(300), &settings), solved(CLOSURE, &edges(300), &Settings::default())]
    {
        let path =
            answer.statistics.relations.iter().find(|relation| relation.title == "Path").expect("solved");
        let brought = path.clauses.iter().map(|clause| clause.tuples.clone()).sum::<solve::Count>();
        assert!(path.rounds > 1);
        assert!(
            brought == path.tuples || path.clauses.iter().all(|clause| clause.tuples == solve::Count::ZERO)
        );
    }
}

/// A product of domains that no bound ends: only the limits do.
const ENDLESS: &str = "
    keyed range Node = 0..999999;
    input edge(x, y: Node);
    let All(x, y: Node) = exists z. edge(z, z) & x = x & y = y;
    query Pairs() = exists x, y. All(x, y);
";

#[test]
fn limits_hold_on_tuples() {
    let facts = (0..300).map(|node| format!("{node}\t{node}\n")).collect::<String>();
    let limits = Limits { timeout: Some(Duration::from_millis(300)), ..Limits::default() };
    let answer = solved(ENDLESS, &facts, &Settings { limits, ..with(Explicit::Auto) });
    let Ending::Stopped(stop) = answer.ending else { panic!("ends with {:?}", answer.ending) };
    assert!(matches!(stop.reason(), StopReason::Time { .. }), "{stop:?}");
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let answer = solved(ENDLESS, &facts, &Settings { limits, ..with(Explicit::Auto) });
    let Ending::Stopped(stop) = answer.ending else { panic!("ends with {:?}", answer.ending) };
    assert!(matches!(stop.reason(), StopReason::Memory { .. }), "{stop:?}");
}

#[test]
fn a_verdict_is_seen_before_everything_is_solved() {
    let text = format!("{CLOSURE} verdict unsafe if exists x. Path(x, x); verdict safe;");
    let answer = solved(&text, &edges(300), &with(Explicit::Auto));
    assert!(matches!(answer.ending, Ending::Verdict { number: 0, .. }), "{:?}", answer.ending);
}

/// Rows of more than 64 bits, equal for long stretches, and rows that are there twice.
#[test]
fn facts_with_many_bits_are_the_tuples_that_are_written() {
    let row = |set: usize| {
        let bits = (0..150).map(|bit| if bit == set { "true" } else { "false" }).collect::<Vec<_>>();
        format!("[{}]", bits.join(", "))
    };
    let rows = [0, 63, 64, 127, 128, 149, 64].map(row).join(", ");
    let text = format!(
        "rel wide(v: bool[1..150]) = {{ {rows} }};
         query All(v: bool[1..150]) = wide(v);
         query Some() = exists v: bool[1..150]. wide(v) & v[65];"
    );
    let answer = solved(&text, "", &with(Explicit::Never));
    let found = tuples(&answer);
    assert_eq!(found[0].rows.len(), 6);
    for row in &found[0].rows {
        assert_eq!(row.iter().filter(|value| **value == calculus::sort::Value::Bool(true)).count(), 1);
    }
    assert_eq!(found[1].rows.len(), 1);
}

#[test]
fn an_order_changes_no_answer() {
    let facts = edges(60);
    let plain = solved(CLOSURE, &facts, &with(Explicit::Never));
    for order in ["Path.y, Path.x", "Node", "edge.x + Path.y", "Closure.x, Node"] {
        let text = format!("{CLOSURE} hint order {order};");
        assert_eq!(tuples(&solved(&text, &facts, &with(Explicit::Never))), tuples(&plain), "{order}");
    }
}

#[test]
fn repro_facts_that_are_a_verdict_themselves_are_looked_at() {
    let answer =
        solved("rel found() = { () }; verdict unsafe if found; verdict safe;", "", &Settings::default());
    assert!(matches!(answer.ending, Ending::Verdict { number: 0, .. }), "{:?}", answer.ending);
}

const HOPELESS: &str = "
    range Node = 0..999;
    input edge(x, y: Node);
    input nothing(x: Node);
    mu Path(x, y: Node) = edge(x, y) | exists z. Path(x, z) & edge(z, y);
    query Found(x: Node) = Path(x, x) & nothing(x);
    query Loop(x: Node) = edge(x, x) & !Found(x);
    verdict unsafe if exists x. Found(x);
    verdict safe;
";

#[test]
fn what_rests_on_an_empty_relation_is_empty_before_anything_is_solved() {
    let facts = edges(300);
    let solved = |explicit| solved(HOPELESS, &facts, &with(explicit));
    let (auto, never) = (solved(Explicit::Auto), solved(Explicit::Never));
    for answer in [&auto, &never] {
        assert!(
            matches!(answer.ending, Ending::Verdict { number: 1, early: false, .. }),
            "{:?}",
            answer.ending
        );
        assert!(
            answer.statistics.relations.iter().all(|relation| relation.title != "Path"),
            "Path is not needed"
        );
        assert!(tuples(answer)[0].rows.is_empty());
    }
    assert!(is_on_tuples(&auto, "Loop"), "what mentions the empty relation can still be explicit");
    assert!(!tuples(&auto)[1].rows.is_empty());
    assert_eq!(tuples(&auto), tuples(&never));
}

#[test]
fn a_greatest_solution_may_rest_on_itself_alone() {
    let text = "
        range Node = 0..9;
        input nothing(x: Node);
        nu Stays(x: Node) = Stays(x);
        mu Comes(x: Node) = Comes(x) | nothing(x);
        query All(x: Node) = Stays(x);
        query None(x: Node) = Comes(x);
    ";
    let answer = solved(text, "", &with(Explicit::Auto));
    assert_eq!(tuples(&answer).iter().map(|tuples| tuples.rows.len()).collect::<Vec<_>>(), [10, 0]);
}

/// Every object fits every variable, or only those of the same type: as a definition, far more pairs than facts.
const ASKED: &str = "
    range Node = 0..999;
    input edge(x, y: Node);
    let Both(x, y: Node) = exists z, w. edge(x, z) & edge(z, w) & edge(y, w);
    let Fits(x, y: Node) =
          ends:   (exists z. edge(x, z)) & exists z. edge(z, y)
        | nearly: (exists z. edge(x, z)) & exists z. edge(y, z);
    mu Path(x, y: Node) = edge: edge(x, y) | longer: exists z. Path(x, z) & edge(z, y) & Fits(x, y) & Both(y, z);
    query Closure(x, y: Node) = Path(x, y);
";

#[test]
fn definitions_that_are_only_asked_about_need_no_tuples() {
    let facts = edges(300);
    let (auto, never) =
        (solved(ASKED, &facts, &with(Explicit::Auto)), solved(ASKED, &facts, &with(Explicit::Never)));
    assert!(["Path", "Closure"].iter().all(|title| is_on_tuples(&auto, title)));
    assert!(!is_on_tuples(&auto, "Fits"), "it has more tuples than questions about it are worth");
    assert_eq!(tuples(&auto), tuples(&never));
    assert!(tuples(&auto)[0].rows.len() > 300, "{}", tuples(&auto)[0].rows.len());
}

#[test]
fn a_definition_that_binds_is_not_put_in_the_place_of_its_name() {
    // Nothing but `Fits` says what y is.
    let text = ASKED.replace("edge(z, y) & Fits(x, y) & Both(y, z)", "Fits(z, y)");
    let facts = edges(300);
    let (auto, never) =
        (solved(&text, &facts, &with(Explicit::Auto)), solved(&text, &facts, &with(Explicit::Never)));
    assert_eq!(tuples(&auto), tuples(&never));
}

#[test]
fn a_copy_has_the_tuples_of_the_original() {
    let text = format!(
        "{CLOSURE}
         query Again(x, y: Node) = Closure(x, y);
         query Turned(x, y: Node) = Again(y, x);
         query Twice(x, y: Node) = exists z. Again(x, z) & Again(z, y);"
    );
    let facts = edges(300);
    let (auto, never) =
        (solved(&text, &facts, &with(Explicit::Auto)), solved(&text, &facts, &with(Explicit::Never)));
    assert!(["Again", "Turned", "Twice"].iter().all(|title| is_on_tuples(&auto, title)));
    assert_eq!(tuples(&auto), tuples(&never));
    assert_eq!(tuples(&auto)[2].rows, tuples(&auto)[0].rows);
    let mut turned = tuples(&auto)[0].rows.clone();
    turned.iter_mut().for_each(|row| row.reverse());
    turned.sort();
    assert_eq!(tuples(&auto)[3].rows, turned);
}

#[test]
fn repro_definitions_that_mention_each_other_are_not_put_in_the_place_of_their_names() {
    // They were, again and again, without an end.
    let text = "
        range Node = 0..999;
        input edge(x, y: Node);
        nu Stays(x, y: Node) = Also(x, y);
        nu Also(x, y: Node) = Stays(x, y);
        query Found(x, y: Node) = edge(x, y) & Stays(x, y);
    ";
    let facts = edges(300);
    let (auto, never) =
        (solved(text, &facts, &with(Explicit::Auto)), solved(text, &facts, &with(Explicit::Never)));
    assert_eq!(tuples(&auto), tuples(&never));
    assert!(tuples(&auto)[0].rows.len() > 200);
}
