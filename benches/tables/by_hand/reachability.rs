//! Plain reachability: algorithms/reachability.fp, and the `init` block of the others.

use super::Solved;
use super::statement::*;
use calculus::bdd::{Bdd, Manager, Stop};
use calculus::vocabulary::Vocabulary;
use fpsolve::model::schema::{EXIT, INITIAL, START};

/// Reach(q, s) = Init(s) & start[1](q) | exists p, r. Reach(p, r) & step(p, r, q, s)
pub fn solve(manager: Manager, vocabulary: &Vocabulary) -> Result<Solved, Stop> {
    let data = Data::new(manager, vocabulary, 2)?;
    let steps = steps(&data, vocabulary, locations(vocabulary))?;
    let init = initial(&data, vocabulary, &steps)?;
    let (reach, waiting) = follow(&data, vocabulary, &steps, 1, &init)?;
    Ok(Solved::new(reach, waiting.rounds, vocabulary, data.all(Layer::Now)))
}

/// What can be reached from where a thread begins.
fn follow(
    data: &Data,
    vocabulary: &Vocabulary,
    steps: &[Vec<(usize, Statement)>],
    thread: i64,
    init: &Bdd,
) -> Result<(States, Waiting), Stop> {
    let mut reach = States::new(steps.len());
    let mut waiting = Waiting::default();
    for row in rows(vocabulary, START.name, thread) {
        let states = data.function(&row.core, &STATE)?.and(init)?;
        if let Some(new) = reach.add(location(row, AT), states)? {
            waiting.add(location(row, AT), new)?;
        }
    }
    while let Some((at, new)) = waiting.next() {
        for (to, statement) in &steps[at] {
            if let Some(new) = reach.add(*to, statement.image(&new)?)? {
                waiting.add(*to, new)?;
            }
        }
    }
    Ok((reach, waiting))
}

/// The shared states in which threads begin: algorithms/lib/init.fp, for a block without calls.
pub fn initial(data: &Data, vocabulary: &Vocabulary, steps: &[Vec<(usize, Statement)>]) -> Result<Bdd, Stop> {
    let declared = [(INITIAL.shared("s"), Layer::Now, Kind::Shared)];
    let first = data.function(&rows(vocabulary, INITIAL.name, 0)[0].core, &declared)?;
    if fact(vocabulary, "init") == 0 {
        return Ok(first);
    }
    let (reach, _) = follow(data, vocabulary, steps, 0, &first)?;
    let inside = [data.of(Layer::Now, Kind::Own), data.of(Layer::Now, Kind::Local)].concat();
    let forget = data.manager.cube(&inside)?;
    let mut out = data.manager.zero();
    for row in rows(vocabulary, EXIT.name, 0) {
        if let Some(states) = &reach.of[location(row, AT)] {
            out = out.or(&states.exists(&forget)?)?;
        }
    }
    Ok(out)
}
