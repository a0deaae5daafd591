//! The interpreter gives the verdicts that are known for the benchmark programs.

use super::front_end::options;
use super::manifest::{Row, programs};
use fpsolve::model::interpret::{Limits, Machine, Verdict};
use fpsolve::model::program::{Program, load};

/// Too large for explicit states, or (the second) with a stack that grows for ever.
const UNDECIDED: [&str; 2] = ["SafeStack", "c2s-ocaml/simple.bp"];

/// A bug shows with few copies; a safe program is explored with as many as it takes moderate time for.
fn verdict(row: &Row, program: &Program, reachable: bool) -> Verdict {
    let limits = Limits { states: 300_000, stack: 20, all_targets: false };
    let most = match (reachable, row.path.starts_with("getafix-cav10/")) {
        (true, _) => 4,
        (false, true) => 0,
        (false, false) => 3,
    };
    let least = if reachable { 0 } else { most };
    let verdicts = (least..=most).map(|copies| Machine::new(program, copies).explore(limits).verdict());
    let mut last = Verdict::NotReached;
    for verdict in verdicts {
        last = verdict;
        if verdict == Verdict::Reached {
            break;
        }
    }
    last
}

#[test]
fn the_interpreter_gives_the_known_verdicts() {
    let Some(rows) = programs() else { return };
    let (mut decided, mut wrong) = (0, Vec::new());
    for row in rows {
        let (Some(reachable), Ok(loaded)) = (row.reachable(), load(&row.path, &row.text(), &options(&row)))
        else {
            continue;
        };
        if UNDECIDED.iter().any(|path| row.path.contains(path)) {
            continue;
        }
        match verdict(&row, &loaded.program, reachable) {
            Verdict::Limit => wrong.push(format!("{}: no verdict", row.path)),
            verdict if (verdict == Verdict::Reached) == reachable => decided += 1,
            verdict => wrong.push(format!("{}: {verdict:?}", row.path)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(decided > 60, "only {decided} were decided");
}
