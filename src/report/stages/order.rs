//! The order of BDD variables that the solver begins with. Copies of one thing are a lane: bit after bit, its copies
//! side by side.

use super::super::WIDTH;
use super::super::table::wrap;
use super::count;
use calculus::check::tree::{RelId, System};
use calculus::elaborate::core::Core;
use calculus::index::Id;
use calculus::plan::Planner;
use calculus::space::{LaneSlots, Place};
use std::fmt::Write;

/// How many columns of a copy are named.
const NAMED: usize = 6;

pub fn order(system: &System, core: &Core) -> String {
    let Planner { placement, lanes, .. } = Planner::new(core, true);
    // Those of the file, without auxiliary ones.
    let relations = || core.relations.ids().take(system.relations.len());
    let mut out = String::new();
    let mut variables = 0;
    for &LaneSlots { lane, sort, ref slots } in &lanes {
        let bits = core.sorts.bits(sort) as usize;
        if slots.is_empty() || bits == 0 {
            continue;
        }
        let sort = core.sorts.show(sort);
        let last = variables + bits * slots.len() - 1;
        let copies = if slots.len() == 1 { "1 copy".into() } else { format!("{} copies", slots.len()) };
        let which = match last - variables {
            0 => format!("variable {last}"),
            _ => format!("variables {variables} to {last}"),
        };
        let _ = writeln!(out, "{which}: {sort}, {}, {copies}", count(bits, "bit"));
        for (number, &slot) in slots.iter().enumerate() {
            let here = Place::Bits { lane, slot };
            let names = relations()
                .flat_map(|at| columns(system, core, at).into_iter().zip(&placement.columns[at]))
                .filter(|(_, place)| **place == here)
                .map(|(name, _)| name)
                .collect::<Vec<_>>();
            let more = names.len().saturating_sub(NAMED);
            let mut shown = names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
            if more > 0 {
                let _ = write!(shown, " and {more} more");
            }
            if shown.is_empty() {
                shown.push_str("variables of rules");
            }
            let _ = writeln!(out, "  copy {}: {shown}", number + 1);
        }
        variables = last + 1;
    }
    out.push_str(&hint(&lanes, |place| {
        let named =
            relations().flat_map(|at| columns(system, core, at).into_iter().zip(&placement.columns[at]));
        named.into_iter().find(|(_, other)| **other == place).map(|(name, _)| name)
    }));
    let keys = relations()
        .flat_map(|at| columns(system, core, at).into_iter().zip(&placement.columns[at]))
        .filter(|(_, place)| matches!(place, Place::Key(_)))
        .map(|(name, _)| name)
        .collect::<Vec<_>>();
    if !keys.is_empty() {
        out.push_str("keys, not in BDDs:\n");
        for line in wrap(&keys.join(", "), WIDTH - 2) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// The same order as a hint. Copies that only variables of rules have follow by themselves.
fn hint(lanes: &[LaneSlots], name: impl Fn(Place) -> Option<String>) -> String {
    let item = |&LaneSlots { lane, ref slots, .. }: &LaneSlots| {
        let names = slots.iter().filter_map(|&slot| name(Place::Bits { lane, slot }));
        names.collect::<Vec<_>>().join(" + ")
    };
    let items = lanes.iter().map(item).filter(|item| !item.is_empty()).collect::<Vec<_>>();
    match items.is_empty() {
        true => String::new(),
        false => format!("hint order {};\n", items.join(", ")),
    }
}

/// The names of a relation's scalar columns: `Reach.x`, and `Reach.q.pc` for a part of a record.
fn columns(system: &System, core: &Core, at: RelId) -> Vec<String> {
    let title = &core.relations[at].title;
    let columns = system.relations[at.index()].columns.iter();
    columns
        .flat_map(|column| system.sorts.leaf_names(&format!("{title}.{}", column.name), column.sort))
        .collect()
}
