//! The interpreter gives the verdicts that are known for the benchmark programs.

use super::front_end::{is_read, options};
use super::manifest::{Row, test};
use fpsolve::model::interpret::{ExplorationLimits, Machine, Reachability};
use fpsolve::model::program::{Program, load};
use libtest_mimic::Trial;
use std::sync::Arc;

/// Too large for explicit states, or (the second) with a stack that grows for ever.
const UNDECIDED: [&str; 4] = ["SafeStack", "c2s-ocaml/simple.bp", "reduced.98.bp", "reduced.60.bp"];

/// A bug shows with few copies; a safe program is explored with as many as it takes moderate time for.
fn verdict(row: &Row, program: &Program, reachable: bool) -> Reachability {
    let limits = ExplorationLimits { states: 300_000, stack: 20, all_targets: false };
    let most = match (reachable, row.path.starts_with("getafix-cav10/")) {
        (true, _) => 4,
        (false, true) => 0,
        (false, false) => 3,
    };
    let least = if reachable { 0 } else { most };
    let verdicts = (least..=most).map(|copies| Machine::new(program, copies).explore(limits).verdict());
    let mut last = Reachability::NotReached;
    for verdict in verdicts {
        last = verdict;
        if verdict == Reachability::Reached {
            break;
        }
    }
    last
}

pub fn trials(rows: &[Arc<Row>]) -> Vec<Trial> {
    let known = rows.iter().filter(|row| row.reachable().is_some() && is_read(row));
    let known = known.filter(|row| !UNDECIDED.iter().any(|path| row.path.contains(path)));
    let tests = known.map(|row| test(row, "interpreter", gives_the_known_verdict)).collect::<Vec<_>>();
    assert!(tests.len() > 60, "only {} verdicts are known", tests.len());
    tests
}

fn gives_the_known_verdict(row: &Row) {
    let loaded = load(&row.path, &row.text(), &options(row)).unwrap_or_else(|problems| panic!("{problems}"));
    let reachable = row.reachable().expect("it is known");
    let expected = if reachable { Reachability::Reached } else { Reachability::NotReached };
    assert_eq!(verdict(row, &loaded.program, reachable), expected);
}
