//! The rows of a model, as relations.

use super::{Place, Space, code, encode, value_of};
use crate::bdd::{Bdd, Stop, Var};
use crate::elaborate::core::Scalar;
use crate::relation::{EqualRun, Relation, conjoin, pairs};
use crate::sort::Value;
use crate::vocabulary::{Bit, BitExpr, EqualBits, Row};
use std::collections::HashMap;
use std::rc::Rc;

pub fn union(space: &Space, mut parts: Vec<Bdd>) -> Result<Bdd, Stop> {
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => left.or(right),
                _ => Ok(pair[0].clone()),
            })
            .collect::<Result<_, _>>()?;
    }
    Ok(parts.pop().unwrap_or_else(|| space.manager.zero()))
}

/// The rows of a model's relation.
pub fn model(
    space: &Space,
    scalars: &[Scalar],
    places: &[Place],
    rows: &[Row],
    frames: bool,
) -> Result<Relation, Stop> {
    let mut relation = Relation::default();
    let columns = places.iter().map(|place| variables(space, *place)).collect::<Vec<_>>();
    for row in rows.iter().flat_map(|row| settled(space, scalars, places, row)) {
        let row = &row;
        let fixed =
            |leaf: usize| row.fixed.iter().find(|(at, _)| usize::from(*at) == leaf).map(|(_, value)| value);
        let mut key = Vec::new();
        let mut bits = expression(space, places, scalars, row, &row.core, &mut HashMap::new())?;
        for (leaf, (scalar, place)) in scalars.iter().zip(places).enumerate() {
            match (place, fixed(leaf)) {
                (Place::Key(_), Some(value)) => key.push(code(&space.sorts, scalar.sort, value) as u32),
                (Place::Key(_), None) => unreachable!("settled"),
                (Place::Bits { lane, slot }, Some(value)) => {
                    bits = bits.and(&space.is_value(*lane, *slot, value)?)?
                }
                (Place::Bits { lane, slot }, None) => bits = bits.and(&space.valid(*lane, *slot)?)?,
            }
        }
        let mut frame = Vec::new();
        for run in &row.equal {
            let column = |bit: Bit| columns[usize::from(bit.leaf)].as_ref().map(|vars| (vars, bit.bit));
            match (column(run.left), column(run.right)) {
                (Some(left), Some(right)) => frame.push(EqualRun::new(left, right, run.count)),
                _ => {
                    for (left, right) in run.pairs() {
                        let left = bit(space, places, scalars, row, left);
                        let right = bit(space, places, scalars, row, right);
                        bits = bits.and(&left.iff(&right)?)?;
                    }
                }
            }
        }
        if frames {
            relation.add_framed(&key.into(), &bits, frame.into())?;
        } else {
            relation.add(&key.into(), &conjoin(&bits, &pairs(&frame))?)?;
        }
    }
    Ok(relation)
}

/// The bits of a column, for the frames of all rows.
fn variables(space: &Space, place: Place) -> Option<Rc<[Var]>> {
    match place {
        Place::Bits { lane, slot } => Some(space.vars(lane, slot).into()),
        Place::Key(_) => None,
    }
}

/// A row for every choice of the keys that the row leaves open: a hint may make keys of what the model
/// describes by bits.
fn settled(space: &Space, scalars: &[Scalar], places: &[Place], row: &Row) -> Vec<Row> {
    let mut rows = vec![row.clone()];
    for (leaf, (scalar, place)) in scalars.iter().zip(places).enumerate() {
        let open = row.fixed.iter().all(|(at, _)| usize::from(*at) != leaf);
        if let (Place::Key(_), Some(size), true) = (place, space.sorts.scalar_size(scalar.sort), open) {
            let at = u16::try_from(leaf).expect("a model counts the leaves of its relations in 16 bits");
            let with = |row: &Row, value: Value| {
                let mut row = row.clone();
                row.fixed.push((at, value));
                row
            };
            let all = |row: &Row| match equal_key(space, scalars, row, at) {
                Some(value) => vec![with(row, value)],
                None => {
                    let values = (0..size).map(|code| value_of(&space.sorts, scalar.sort, code));
                    values.map(|value| with(row, value)).collect()
                }
            };
            rows = rows.iter().flat_map(all).collect();
        }
    }
    rows
}

/// The value of a scalar that all bits of this one are equal to, if it is fixed and of the same sort: then there is no
/// choice.
fn equal_key(space: &Space, scalars: &[Scalar], row: &Row, leaf: u16) -> Option<Value> {
    let sort = scalars[usize::from(leaf)].sort;
    let whole = |run: &&EqualBits| {
        run.left.bit == 0 && run.right.bit == 0 && u32::from(run.count) == space.sorts.bits(sort)
    };
    let other = |run: &EqualBits| match (run.left.leaf == leaf, run.right.leaf == leaf) {
        (true, false) => Some(run.right.leaf),
        (false, true) => Some(run.left.leaf),
        _ => None,
    };
    let others = row.equal.iter().filter(whole).filter_map(other);
    let mut others = others.filter(|other| scalars[usize::from(*other)].sort == sort);
    others.find_map(|other| row.fixed.iter().find(|(at, _)| *at == other).map(|(_, value)| value.clone()))
}

fn bit(space: &Space, places: &[Place], scalars: &[Scalar], row: &Row, bit: Bit) -> Bdd {
    let leaf = usize::from(bit.leaf);
    match places[leaf] {
        Place::Bits { lane, slot } => space.manager.var(space.vars(lane, slot)[usize::from(bit.bit)]),
        Place::Key(_) => {
            let fixed = row.fixed.iter().find(|(at, _)| *at == bit.leaf).map(|(_, value)| value);
            let value = fixed.expect("a key column of a row has a value");
            space.manager.constant(encode(&space.sorts, scalars[leaf].sort, value)[usize::from(bit.bit)])
        }
    }
}

/// Joins neighbours, then the results, and so on: one after the other, each would walk through all that was joined before.
fn in_pairs(
    mut parts: Vec<Bdd>,
    join: impl Fn(&Bdd, &Bdd) -> Result<Bdd, Stop>,
) -> Result<Option<Bdd>, Stop> {
    while parts.len() > 1 {
        let pairs = parts.chunks(2).map(|pair| match pair {
            [left, right] => join(left, right),
            rest => Ok(rest[0].clone()),
        });
        parts = pairs.collect::<Result<_, _>>()?;
    }
    Ok(parts.pop())
}

/// `known` has what is shared in the row and was computed before.
fn expression(
    space: &Space,
    places: &[Place],
    scalars: &[Scalar],
    row: &Row,
    expr: &BitExpr,
    known: &mut HashMap<*const BitExpr, Bdd>,
) -> Result<Bdd, Stop> {
    let mut of = |part: &BitExpr| expression(space, places, scalars, row, part, known);
    Ok(match expr {
        BitExpr::Const(value) => space.manager.constant(*value),
        BitExpr::Bit(at) => bit(space, places, scalars, row, *at),
        BitExpr::Zeros(first, count) => {
            let mut out = space.manager.one();
            for at in first.run(*count).rev() {
                out = out.and(&bit(space, places, scalars, row, at).not())?;
            }
            out
        }
        BitExpr::Not(inner) => of(inner)?.not(),
        BitExpr::And(parts) => {
            let parts = parts.iter().map(of).collect::<Result<Vec<_>, Stop>>()?;
            in_pairs(parts, Bdd::and)?.unwrap_or_else(|| space.manager.one())
        }
        BitExpr::Or(parts) => {
            let parts = parts.iter().map(of).collect::<Result<Vec<_>, Stop>>()?;
            in_pairs(parts, Bdd::or)?.unwrap_or_else(|| space.manager.zero())
        }
        BitExpr::Xor(left, right) => of(left)?.xor(&of(right)?)?,
        BitExpr::Shared(inner) => {
            let key = Rc::as_ptr(inner);
            if let Some(computed) = known.get(&key) {
                return Ok(computed.clone());
            }
            let computed = expression(space, places, scalars, row, inner, known)?;
            known.insert(key, computed.clone());
            computed
        }
    })
}
