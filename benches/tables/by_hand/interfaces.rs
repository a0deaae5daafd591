//! The first round of linear interfaces: algorithms/linear_interfaces.fp with rounds = 1.

use super::statement::*;
use super::{Solved, reachability};
use calculus::bdd::{Bdd, Manager, Stop};
use calculus::vocabulary::Vocabulary;
use fpsolve::model::schema::{START, YIELD};

/// TLI[p](q, u, v) = start[p](q) & u = v & Entered[p](u) | exists q', r. TLI[p](q', u, r) & step(q', r, q, v)
/// Entered[p](u)   = p = 1 & Init(u) | exists q, w. TLI[o](q, w, u) & yield(q, u), where p follows o
pub fn solve(manager: Manager, vocabulary: &Vocabulary) -> Result<Solved, Stop> {
    let data = Data::new(manager, vocabulary, 3)?;
    let count = locations(vocabulary);
    let steps = steps(&data, vocabulary, count)?;
    let threads = fact(vocabulary, "threads") as usize;
    let last = fact(vocabulary, "singles") as usize + 1;
    let unchanged = data.same(Layer::Entry, Layer::Now, &[Kind::Shared])?;
    let mut yields: Vec<Option<Bdd>> = vec![None; count];
    for row in rows(vocabulary, YIELD.name, 0) {
        yields[location(row, AT)] = Some(data.function(&row.core, &STATE)?);
    }
    let inside = [Kind::Own, Kind::Local].map(|kind| data.of(Layer::Now, kind)).concat();
    let left = data.manager.cube(&[inside, data.of(Layer::Entry, Kind::Shared).to_vec()].concat())?;

    // A place is a location of a thread at a position.
    let mut interfaces = States::new(threads * count);
    let mut waiting = Waiting::default();
    let mut entered = vec![data.manager.zero(); threads + 1];
    let mut entering = vec![(1, reachability::initial(&data, vocabulary, &steps)?)];
    loop {
        for (position, states) in std::mem::take(&mut entering) {
            let new = states.and_not(&entered[position])?;
            if new.is_zero() {
                continue;
            }
            entered[position] = entered[position].or(&new)?;
            for row in rows(vocabulary, START.name, position as i64) {
                let begin = data.function(&row.core, &STATE)?.and(&new)?.and(&unchanged)?;
                let place = (position - 1) * count + location(row, AT);
                if let Some(new) = interfaces.add(place, begin)? {
                    waiting.add(place, new)?;
                }
            }
        }
        let Some((place, new)) = waiting.next() else { break };
        let (position, at) = (place / count + 1, place % count);
        for (to, statement) in &steps[at] {
            let place = (position - 1) * count + to;
            if let Some(new) = interfaces.add(place, statement.image(&new)?)? {
                waiting.add(place, new)?;
            }
        }
        let next = (position + 1).min(last);
        if let (Some(may), true) = (&yields[at], next <= threads) {
            entering.push((next, new.and_exists(may, &left)?));
        }
    }
    let vars = [data.all(Layer::Now), data.of(Layer::Entry, Kind::Shared).to_vec()].concat();
    Ok(Solved::new(interfaces, waiting.rounds, vocabulary, vars))
}
