//! The tuples of a solved relation, in order.

use super::space::{Space, decode, value_of};
use crate::bdd::{Stop, Var};
use crate::elaborate::core::Scalar;
use crate::plan::Place;
use crate::relation::Relation;
use crate::sort::Value;
use num_bigint::BigUint;

/// Some or all tuples of a relation, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuples {
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
    let rows = relation.rows().map(|(key, row)| match relation.frame(key) {
        Some(_) => relation.expanded(key).ok(),
        None => Some(row.clone()),
    });
    rows.flatten().map(|row| row.count(&vars)).sum()
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
