//! The tuples of a solved relation, in order.

use crate::bdd::{Bdd, Stop, Var, count_all};
use crate::elaborate::core::Scalar;
use crate::relation::{EqualRun, Relation, conjoin};
use crate::sort::Value;
use crate::space::{Place, Space, decode, value_of};
use num_bigint::BigUint;

/// Some or all tuples of a relation, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuples {
    /// How many there are.
    pub count: BigUint,
    /// Scalar values, sorted; as many as were asked for.
    pub rows: Vec<Vec<Value>>,
}

fn bits(space: &Space, places: &[Place]) -> Vec<Var> {
    places.iter().flat_map(|place| space.place_vars(*place).to_vec()).collect()
}

/// How many tuples a relation has. After a limit was reached, rows that need new nodes are left out.
pub fn count(space: &Space, places: &[Place], relation: &Relation) -> BigUint {
    let vars = bits(space, places);
    let (mut plain, mut sum, mut mentions) = (Vec::new(), BigUint::ZERO, Vec::new());
    for (key, row) in relation.rows() {
        match relation.frame(key) {
            Some(frame) => sum += count_framed(row, frame, &vars, &mut mentions).unwrap_or_default(),
            None => plain.push(row),
        }
    }
    sum + count_all(plain, &vars)
}

/// The same for a row with equalities. A bit of which only one equality speaks follows from the other bit: without the
/// equality it would be free. `mentions` has a zero for each variable, before and after.
fn count_framed(
    row: &Bdd,
    frame: &[EqualRun],
    vars: &[Var],
    mentions: &mut Vec<u8>,
) -> Result<BigUint, Stop> {
    let pairs = || frame.iter().flat_map(EqualRun::pairs);
    let mut mention = |var: Var, times: u8| {
        let at = var.0 as usize;
        mentions.resize(mentions.len().max(at + 1), 0);
        mentions[at] = mentions[at].saturating_add(times);
    };
    // What the row speaks of is known to more than one.
    row.support().into_iter().for_each(|var| mention(var, 2));
    pairs().for_each(|(left, right)| [left, right].into_iter().for_each(|var| mention(var, 1)));
    let alone = |var: Var| mentions[var.0 as usize] == 1;
    let rest = pairs().filter(|(left, right)| !alone(*left) && !alone(*right)).collect::<Vec<_>>();
    let follow = pairs().count() - rest.len();
    mentions.fill(0);
    Ok(conjoin(row, &rest)?.count(vars) >> follow)
}

/// The first tuples in the order of their values. Within a row the keys are constant, so the first ones of
/// each row contain the first ones of all.
pub fn first(
    space: &Space,
    scalars: &[Scalar],
    places: &[Place],
    relation: &Relation,
    limit: usize,
) -> Result<Vec<Vec<Value>>, Stop> {
    let vars = bits(space, places);
    let mut out = Vec::new();
    for (key, row) in relation.sorted() {
        let row = if relation.frame(key).is_some() { relation.expanded(key)? } else { row.clone() };
        for assignment in row.assignments(&vars).take(limit) {
            let assignment = assignment?;
            let (mut key, mut rest) = (key.iter(), assignment.as_slice());
            let tuple = scalars.iter().zip(places).map(|(scalar, place)| match place {
                Place::Key(_) => value_of(
                    &space.sorts,
                    scalar.sort,
                    u64::from(*key.next().expect("a code for every key column")),
                ),
                Place::Bits { .. } => {
                    let (own, others) = rest.split_at(space.place_vars(*place).len());
                    rest = others;
                    decode(&space.sorts, scalar.sort, own)
                }
            });
            out.push(tuple.collect());
        }
    }
    out.sort();
    out.truncate(limit);
    Ok(out)
}
