//! The order for definitions over facts: columns as they are written, and copies side by side only if something relates them.
//!
//! Two columns of one sort are interleaved for the sake of conditions such as `x < y` and of facts that lead from a value to
//! one nearby. Objects that point to objects, or nodes of a graph without structure, have nothing of the kind: interleaved,
//! every set of one would be repeated under all bits of the other. So copies are side by side if a condition compares them,
//! or if the facts have near values in both.
//!
//! Who writes `points_to(variable, object)` writes the key first, and many keys share a set of values: sets are shared if they
//! are below. So columns vote for the order that they have in their relation, most of all in recursive ones.

use super::lanes::Lanes;
use super::placement::Placement;
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Core, CoreBody};
use crate::graph::Classes;
use crate::sort::Value;
use crate::space::{LaneSlots, Place, code};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// With fewer facts every order is good.
const FEWEST_FACTS: usize = 256;
/// Relations with more columns are states of something, and the order of their columns says little.
const MOST_COLUMNS: usize = 16;
/// What a recursive relation's columns say counts so many times what those of others do.
const RECURSIVE: u32 = 4;

/// The copies of all lanes in their order; nothing if it is not about facts.
pub fn order(
    core: &Core,
    lanes: &Lanes,
    placement: &Placement,
    parts: &[Vec<RelId>],
) -> Option<Vec<LaneSlots>> {
    let mut facts = 0;
    for relation in &core.relations {
        match &relation.body {
            CoreBody::Model(_) => return None,
            CoreBody::Facts(rows) => facts += rows.len(),
            CoreBody::Rules { .. } => {}
        }
    }
    if facts < FEWEST_FACTS {
        return None;
    }
    let (blocks, block_of) = blocks(core, lanes, placement);
    let mut votes = vec![BTreeMap::new(); blocks.len()];
    for part in parts {
        let weight = if core.is_recursive(part) { RECURSIVE } else { 1 };
        for &at in part.iter().filter(|at| placement.columns[**at].len() <= MOST_COLUMNS) {
            let places = placement.columns[at].iter().filter_map(|place| block_of.get(place).copied());
            let places = places.collect::<Vec<_>>();
            for (at, &above) in places.iter().enumerate() {
                for &below in places[at + 1..].iter().filter(|below| **below != above) {
                    *votes[above].entry(below).or_default() += weight;
                }
            }
        }
    }
    let mut blocks = blocks.into_iter().map(Some).collect::<Vec<_>>();
    Some(sequence(&votes).into_iter().filter_map(|at| blocks[at].take()).collect())
}

/// The copies that are side by side, and which block each is in.
fn blocks(core: &Core, lanes: &Lanes, placement: &Placement) -> (Vec<LaneSlots>, BTreeMap<Place, usize>) {
    let places = placement.slots.iter().enumerate();
    let places = places.flat_map(|(lane, slots)| slots.iter().map(move |&slot| Place::Bits { lane, slot }));
    let places = places.collect::<Vec<_>>();
    let number = places.iter().enumerate().map(|(at, place)| (*place, at)).collect::<BTreeMap<_, _>>();
    let mut classes = Classes::new(places.len());
    let mut join = |left: &Place, right: &Place| {
        if let (Place::Bits { lane, .. }, Place::Bits { lane: other, .. }) = (left, right)
            && lane == other
        {
            classes.join(number[left], number[right]);
        }
    };
    for at in core.relations.ids() {
        let columns = &placement.columns[at];
        if let CoreBody::Facts(rows) = &core.relations[at].body {
            for (first, left) in columns.iter().enumerate() {
                for (second, right) in columns.iter().enumerate().skip(first + 1) {
                    if same_lane(left, right) && are_near(core, at, rows, (first, second)) {
                        join(left, right);
                    }
                }
            }
        }
        for (rule, vars) in core.rules(at).iter().zip(&placement.vars[at]) {
            for constraint in &rule.constraints {
                let mut compared = Vec::new();
                constraint.vars(&mut |var| compared.push(vars[var]));
                compared.iter().for_each(|left| compared.iter().for_each(|right| join(left, right)));
            }
            let atoms = rule.atoms.iter().map(|atom| (&atom.args, &placement.columns[atom.relation]));
            for (args, columns) in atoms.chain([(&rule.head, columns)]) {
                // One variable in two columns: they are equal.
                for (at, left) in args.iter().enumerate().filter(|(_, arg)| matches!(arg, Arg::Var(_))) {
                    let again = args.iter().enumerate().skip(at + 1).filter(|(_, right)| left == *right);
                    again.for_each(|(other, _)| join(&columns[at], &columns[other]));
                }
            }
        }
    }
    // Copies that only rules have go with the first of the others.
    let named = core.relations.ids().filter(|at| !core.is_auxiliary(*at));
    let named =
        named.flat_map(|at| &placement.columns[at]).copied().collect::<std::collections::BTreeSet<_>>();
    for (lane, slots) in placement.slots.iter().enumerate() {
        let at = |slot: usize| Place::Bits { lane, slot };
        if let Some(&first) = slots.iter().find(|slot| named.contains(&at(**slot))).or(slots.first()) {
            for &slot in slots.iter().filter(|slot| !named.contains(&at(**slot))) {
                classes.join(number[&at(first)], number[&at(slot)]);
            }
        }
    }
    let mut blocks: Vec<LaneSlots> = Vec::new();
    let (mut block_of, mut of_class) = (BTreeMap::new(), BTreeMap::new());
    for (at, place) in places.into_iter().enumerate() {
        let Place::Bits { lane, slot } = place else { continue };
        let block = *of_class.entry(classes.root(at)).or_insert_with(|| {
            let bits = 0..lanes.bits(&core.sorts, lane) as usize;
            blocks.push(LaneSlots { lane, sort: lanes.sorts[lane], bits, slots: Vec::new() });
            blocks.len() - 1
        });
        blocks[block].slots.push(slot);
        block_of.insert(place, block);
    }
    (blocks, block_of)
}

fn same_lane(left: &Place, right: &Place) -> bool {
    matches!((left, right), (Place::Bits { lane, .. }, Place::Bits { lane: other, .. }) if lane == other)
}

/// Whether the rows have near values in two columns: half of the bits are equal, from the first one on, in the mean.
fn are_near(core: &Core, at: RelId, rows: &[Vec<Value>], (left, right): (usize, usize)) -> bool {
    let sort = core.relations[at].columns[left].sort;
    let bits = core.sorts.bits(sort);
    let number = |value: &Value| match value {
        Value::Bits(_) => None,
        value => Some(code(&core.sorts, sort, value)),
    };
    let differing = rows.iter().filter_map(|row| Some(number(&row[left])? ^ number(&row[right])?));
    let differing =
        differing.map(|difference| u64::from(u64::BITS - difference.leading_zeros())).sum::<u64>();
    2 * differing <= u64::from(bits) * rows.len() as u64
}

/// An order for votes of some for being above others: next is always what the fewest votes of those left want further down,
/// and of these what most votes want up here.
fn sequence(votes: &[BTreeMap<usize, u32>]) -> Vec<usize> {
    let mut left = (0..votes.len()).collect::<Vec<_>>();
    let mut order = Vec::new();
    let vote = |above: usize, below: usize| votes[above].get(&below).copied().unwrap_or(0);
    while !left.is_empty() {
        let against = |at: usize| left.iter().map(|&other| vote(other, at)).sum::<u32>();
        let in_favour = |at: usize| left.iter().map(|&other| vote(at, other)).sum::<u32>();
        let best = left.iter().copied().min_by_key(|&at| (against(at), Reverse(in_favour(at)), at));
        let best = best.expect("something is left");
        left.retain(|other| *other != best);
        order.push(best);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_without_a_contradiction_are_heard() {
        let votes = |pairs: &[(usize, usize, u32)], count: usize| {
            let mut votes = vec![BTreeMap::new(); count];
            pairs.iter().for_each(|&(above, below, weight)| {
                votes[above].insert(below, weight);
            });
            sequence(&votes)
        };
        assert_eq!(votes(&[(2, 1, 1), (1, 0, 1)], 3), [2, 1, 0]);
        assert_eq!(votes(&[], 3), [0, 1, 2]);
        // The lighter vote of a contradiction is not.
        assert_eq!(votes(&[(0, 1, 1), (1, 0, 4), (1, 2, 1)], 3), [1, 0, 2]);
        assert_eq!(votes(&[], 0), Vec::<usize>::new());
    }
}
