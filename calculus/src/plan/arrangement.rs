//! The order of all bits: what hints name first, then the rest.
//!
//! A hint may name a copy, or some of its bits, or ask for all copies that no other item names (`+ *`). What it names has its
//! bits side by side, the copies of one bit being neighbours.

use super::lanes::Lanes;
use super::placement::Placement;
use super::{columns, nearness};
use crate::check::tree::{OrderPart, RelId};
use crate::elaborate::core::Core;
use crate::space::{LaneSlots, Place, runs};
use std::collections::BTreeMap;

/// The order of what hints do not name: that of columns over facts, or one in which what a step is about is near, or else
/// lane after lane.
pub fn usual(core: &Core, lanes: &Lanes, placement: &Placement, parts: &[Vec<RelId>]) -> Vec<LaneSlots> {
    let found = columns::order(core, lanes, placement, parts);
    let found = found.or_else(|| nearness::order(core, lanes, placement, parts));
    found.unwrap_or_else(|| placement.usual(core, lanes))
}

/// One bit of some copies of a lane.
struct BitCopies {
    lane: usize,
    bit: usize,
    slots: Vec<usize>,
    /// With all copies of it that nobody names.
    others: bool,
}

/// The bits of all lanes, from the top of the diagrams down. `usual` is the order of what hints do not name.
pub fn arrange(core: &Core, lanes: &Lanes, placement: &Placement, usual: &[LaneSlots]) -> Vec<LaneSlots> {
    // For each lane and bit, the copies that have no place yet.
    let widths = (0..lanes.sorts.len()).map(|lane| lanes.bits(&core.sorts, lane) as usize);
    let mut left = widths
        .zip(&placement.slots)
        .map(|(width, slots)| vec![slots.clone(); width])
        .collect::<Vec<Vec<Vec<usize>>>>();
    let mut out = Vec::new();
    for item in &core.order {
        let others = item.contains(&OrderPart::Others);
        let named = named(item, lanes, placement, &mut left).into_iter();
        out.extend(named.map(|((lane, bit), slots)| BitCopies { lane, bit, slots, others }));
    }
    for copies in out.iter_mut().filter(|copies| copies.others) {
        let unnamed = std::mem::take(&mut left[copies.lane][copies.bit]);
        insert(&mut copies.slots, &unnamed, &placement.slots[copies.lane]);
    }
    for LaneSlots { lane, bits, slots, .. } in usual {
        for bit in bits.clone() {
            let (slots, rest) = left[*lane][bit].iter().partition(|slot| slots.contains(slot));
            left[*lane][bit] = rest;
            out.push(BitCopies { lane: *lane, bit, slots, others: false });
        }
    }
    let out = out.into_iter().filter(|copies| !copies.slots.is_empty());
    let mut runs = runs(out.map(|BitCopies { lane, bit, slots, .. }| LaneSlots {
        lane,
        sort: lanes.sorts[lane],
        bits: bit..bit + 1,
        slots,
    }));
    // Copies without bits are to be known, too.
    for (lane, &sort) in lanes.sorts.iter().enumerate().filter(|(lane, _)| left[*lane].is_empty()) {
        runs.push(LaneSlots { lane, sort, bits: 0..0, slots: placement.slots[lane].clone() });
    }
    runs
}

/// The copies of bits that an item names and none before it did.
fn named(
    item: &[OrderPart],
    lanes: &Lanes,
    placement: &Placement,
    left: &mut [Vec<Vec<usize>>],
) -> BTreeMap<(usize, usize), Vec<usize>> {
    let mut named: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for part in item {
        match part {
            OrderPart::Sort(sort) => {
                for lane in (0..lanes.sorts.len()).filter(|&lane| lanes.sorts[lane] == *sort) {
                    for (bit, slots) in left[lane].iter_mut().enumerate() {
                        named.entry((lane, bit)).or_default().append(slots);
                    }
                }
            }
            OrderPart::Column { relation, leaf, bits } => {
                if let Place::Bits { lane, slot } = placement.columns[*relation][*leaf] {
                    for bit in bits.clone() {
                        let slots = &mut left[lane][bit];
                        if let Some(at) = slots.iter().position(|other| *other == slot) {
                            named.entry((lane, bit)).or_default().push(slots.remove(at));
                        }
                    }
                }
            }
            OrderPart::Others => {}
        }
    }
    named
}

/// Inserts further copies, each behind the one that is before it in `order`.
fn insert(slots: &mut Vec<usize>, more: &[usize], order: &[usize]) {
    for slot in more {
        let before = order.iter().take_while(|other| *other != slot);
        let behind = before.filter_map(|other| slots.iter().position(|there| there == other)).last();
        slots.insert(behind.map_or(0, |at| at + 1), *slot);
    }
}
