//! The order of BDD variables that the solver begins with. Copies of one thing are a lane: bit after bit, its copies
//! side by side.

use super::super::WIDTH;
use super::super::table::wrap;
use super::count;
use calculus::check::tree::System;
use calculus::elaborate::core::Core;
use calculus::plan::{Planner, column_names, written_order};
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
    for &LaneSlots { lane, sort, ref bits, ref slots } in &lanes {
        if slots.is_empty() || bits.is_empty() {
            continue;
        }
        let last = variables + bits.len() * slots.len() - 1;
        let bits = match core.sorts.bits(sort) as usize {
            all if *bits == (0..all) => count(all, "bit"),
            all if bits.len() == 1 => format!("bit {} of {all}", bits.start),
            all => format!("bits {} to {} of {all}", bits.start, bits.end - 1),
        };
        let sort = core.sorts.show(sort);
        let copies = if slots.len() == 1 { "1 copy".into() } else { format!("{} copies", slots.len()) };
        let which = match last - variables {
            0 => format!("variable {last}"),
            _ => format!("variables {variables} to {last}"),
        };
        let _ = writeln!(out, "{which}: {sort}, {bits}, {copies}");
        for (number, &slot) in slots.iter().enumerate() {
            let here = Place::Bits { lane, slot };
            let names = relations()
                .flat_map(|at| column_names(system, core, at).into_iter().zip(&placement.columns[at]))
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
    let items = written_order(system, core, &placement, &lanes);
    if !items.is_empty() {
        let _ = writeln!(out, "hint order {};", items.join(", "));
    }
    let keys = relations()
        .flat_map(|at| column_names(system, core, at).into_iter().zip(&placement.columns[at]))
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
