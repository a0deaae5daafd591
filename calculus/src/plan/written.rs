//! An order as `hint order` has it: columns of the file that stand for copies.
//!
//! `Reach.x` is one copy, `Reach.x + *` all copies of the same thing, and `Reach.x:2 + *` one bit of all of them. Copies that only
//! variables of rules have cannot be named: they go with the others of their bits.

use super::placement::Placement;
use crate::check::tree::{RelId, System};
use crate::elaborate::core::Core;
use crate::index::Id;
use crate::space::{LaneSlots, Place};
use std::collections::BTreeMap;

/// The names of a relation's scalar columns: `Reach.x`, and `Reach.q.pc` for a part of a record.
pub fn column_names(system: &System, core: &Core, at: RelId) -> Vec<String> {
    let title = &core.relations[at].title;
    let columns = system.relations[at.index()].columns.iter();
    columns
        .flat_map(|column| system.sorts.leaf_names(&format!("{title}.{}", column.name), column.sort))
        .collect()
}

/// The items of a hint that gives this order.
pub fn written_order(
    system: &System,
    core: &Core,
    placement: &Placement,
    order: &[LaneSlots],
) -> Vec<String> {
    // The first column of each copy. Those of the file, without auxiliary ones.
    let mut names: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for at in core.relations.ids().take(system.relations.len()) {
        let places = placement.columns[at].iter();
        for (place, name) in places.zip(column_names(system, core, at)) {
            if let Place::Bits { lane, slot } = place {
                names.entry((*lane, *slot)).or_insert(name);
            }
        }
    }
    let item = |LaneSlots { lane, sort, bits, slots }: &LaneSlots| {
        let bits = match core.sorts.bits(*sort) as usize {
            all if *bits == (0..all) => String::new(),
            _ if bits.len() == 1 => format!(":{}", bits.start),
            _ => format!(":{}..{}", bits.start, bits.end - 1),
        };
        let mut named = slots.iter().filter_map(|slot| names.get(&(*lane, *slot))).collect::<Vec<_>>();
        let are_all = slots.len() == placement.slots[*lane].len();
        let others = named.len() < slots.len() || (are_all && slots.len() > 1);
        if are_all {
            named.truncate(1);
        }
        let copies = named.into_iter().map(|name| format!("{name}{bits}")).collect::<Vec<_>>();
        match copies.is_empty() {
            true => None,
            false => Some(copies.join(" + ") + if others { " + *" } else { "" }),
        }
    };
    order.iter().filter(|part| !part.bits.is_empty()).filter_map(item).collect()
}
