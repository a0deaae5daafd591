//! Orders of the diagrams' variables: what names mean, that an order that was found is found again, and that none of them
//! changes an answer.

use calculus::bdd::Reorder;
use calculus::check::{self, Options, WishedOrder};
use calculus::elaborate::elaborate;
use calculus::plan::{Planner, written_order};
use calculus::solve::{self, Answer, Explicit, Settings};

/// Two copies of a state with parts of different widths; the rules have variables that no column has.
const STATES: &str = "
    range Number = 0..11;
    enum Phase { Idle, Busy, Done }
    record State { phase: Phase, left: Number, right: Number[1..2] }
    let Step[t in 1..2](s, s': State) =
        begin: s.phase = Idle & s' = { s with phase = Busy }
      | count: s.phase = Busy & exists n: Number. n = s.right[t] + 1 & s' = { s with right = s.right[t := n] }
      | end:   s.phase = Busy & s.left = s.right[t] & s' = { s with phase = Done }
      | again: s.phase = Done & exists m: Number. m < s.left & s' = { s with phase = Idle, left = m };
    mu Reach(s: State) =
        s.phase = Idle & s.left = 3 & s.right[1] = 0 & s.right[2] = 5
      | some t in 1..2: exists p. Reach(p) & Step[t](p, s);
    query All(s: State) = Reach(s);
    query Met(l, r: Number) = exists s. Reach(s) & s.left = l & s.right[2] = r;
";

fn order(items: &[&str]) -> WishedOrder {
    WishedOrder { names: items.iter().map(|item| item.to_string()).collect(), is_kept: false }
}

fn answered(text: &str, order: &WishedOrder, settings: &Settings) -> Result<(Answer, Vec<String>), String> {
    let (mut program, mistakes) = check::load("test.fp", text, &|_, _| Err("no other files".into()));
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let options = Options { order: order.clone(), ..Options::default() };
    let (system, _) = check::check(&mut program, &options).map_err(|found| found[0].title.clone())?;
    let (core, _) = elaborate(&system);
    let Planner { placement, lanes, .. } = Planner::new(&core, true);
    let begun = written_order(&system, &core, &placement, &lanes);
    Ok((solve::solve(&system, &core, settings), begun))
}

fn settings(reorder: Reorder) -> Settings {
    Settings { reorder, order: true, explicit: Explicit::Never, list: usize::MAX, ..Settings::default() }
}

fn tuples(answer: &Answer) -> Vec<&solve::Tuples> {
    answer.queries.iter().map(|query| query.tuples.as_ref().expect("it was solved")).collect()
}

#[test]
fn the_order_at_the_beginning_is_the_one_at_the_end_if_nothing_is_reordered() {
    let (answer, begun) = answered(STATES, &WishedOrder::default(), &settings(Reorder::Off)).unwrap();
    assert_eq!(answer.order, Some(begun));
}

#[test]
fn an_order_that_a_run_found_is_the_one_that_another_begins_with() {
    let (plain, begun) = answered(STATES, &WishedOrder::default(), &settings(Reorder::Off)).unwrap();
    let (found, _) = answered(STATES, &WishedOrder::default(), &settings(Reorder::Always)).unwrap();
    let names = found.order.clone().expect("it was asked for");
    assert_ne!(names, begun, "something was reordered");
    assert_eq!(tuples(&found), tuples(&plain));
    let again = WishedOrder { names: names.clone(), is_kept: false };
    let (again, begun) = answered(STATES, &again, &settings(Reorder::Off)).unwrap();
    assert_eq!(begun, names);
    assert_eq!(again.order, Some(names));
    assert_eq!(tuples(&again), tuples(&plain));
}

#[test]
fn an_order_changes_no_answer() {
    let (plain, _) = answered(STATES, &WishedOrder::default(), &settings(Reorder::Off)).unwrap();
    for items in [
        &["Number", "Phase"][..],
        &["Phase", "Number"],
        &["Step.s", "Step.s'"],
        &["Reach.s.left:3 + *", "Reach.s.left:0..1 + *", "Reach.s.right[2]"],
        &["Step.s'.right:1", "Step.s.right:1..3 + Step.s'.right:2 + *"],
        &["Met.l:0 + Met.r:0 + All.s.left", "Phase"],
        &["Reach.s.phase:1 + *", "Reach.s.phase:0 + *", "Reach.s.phase + *"],
    ] {
        let (answer, _) = answered(STATES, &order(items), &settings(Reorder::Off)).unwrap();
        assert_eq!(tuples(&answer), tuples(&plain), "{items:?}");
    }
}

#[test]
fn bits_are_where_they_are_named() {
    let items = ["Reach.s.right[1]:2 + *", "Reach.s.phase + *", "Reach.s.right[1]:0..1 + *"];
    let (_, begun) = answered(STATES, &order(&items), &settings(Reorder::Off)).unwrap();
    // A copy may have been another column's first.
    let bits = |item: &String| item.split_once(':').map(|(_, bits)| bits.to_string());
    let found = begun.iter().map(bits).collect::<Vec<_>>();
    assert_eq!(found[..3], [Some("2 + *".to_string()), None, Some("0..1 + *".into())], "{begun:?}");
}

#[test]
fn what_is_not_there_is_a_mistake_unless_the_order_was_kept() {
    for (item, title) in [
        ("Reach.s.left:4", "the order names `Reach.s.left:4`, and there are no such bits"),
        ("Reach.s.left:3..2", "the order names `Reach.s.left:3..2`, and there are no such bits"),
        ("Reach.s:3", "the order names `Reach.s:3`, and there are no such bits"),
        ("Reach.t", "the order names `Reach.t`, which is no sort and no column"),
        ("Number:1", "the order names bits of the sort `Number`"),
        ("*", "the order has a `*` that stands beside nothing"),
    ] {
        let wished = order(&[item, "Phase"]);
        let mistake = answered(STATES, &wished, &settings(Reorder::Off)).err();
        assert_eq!(mistake.as_deref(), Some(title));
        let kept = WishedOrder { is_kept: true, ..wished };
        let (_, begun) = answered(STATES, &kept, &settings(Reorder::Off)).unwrap();
        assert!(begun[0].contains(".phase"), "{item}: {begun:?}");
    }
}
