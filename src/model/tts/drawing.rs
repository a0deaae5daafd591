//! A thread transition system as a drawing for Graphviz.

use super::system::{Kind, System};
use std::collections::{BTreeMap, BTreeSet};

/// How many shared states an arrow names.
const MOST: usize = 3;

/// Shared states before and after.
type SharedChanges = BTreeSet<(u32, u32)>;

/// A node for each local state that occurs, and an arrow for all transitions between two, with their shared states. Arrows of
/// new threads are dashed, those of threads that others move dotted; local states of targets are red, initial ones bold.
pub fn transitions(system: &System) -> String {
    let mut arrows = BTreeMap::<(u32, u32, &str), SharedChanges>::new();
    for transition in &system.transitions {
        let style = match transition.kind {
            Kind::Step | Kind::Broadcast(_) => "solid",
            Kind::Spawn => "dashed",
            Kind::All => "dotted",
        };
        let (l, l2) = transition.local;
        arrows.entry((l, l2, style)).or_default().insert(transition.shared);
        if let Kind::Broadcast(transfers) = &transition.kind {
            for (from, to) in transfers {
                arrows.entry((*from, *to, "dotted")).or_default().insert(transition.shared);
            }
        }
    }
    let initial =
        system.initial.bounded.iter().chain(&system.initial.unbounded).copied().collect::<BTreeSet<_>>();
    let targets =
        system.targets.iter().flat_map(|target| target.threads.iter().copied()).collect::<BTreeSet<_>>();
    let mut locals = arrows.keys().flat_map(|(from, to, _)| [*from, *to]).collect::<BTreeSet<_>>();
    locals.extend(initial.iter().chain(&targets));
    let mut out = String::from(
        "digraph threads {\n  node [shape=circle, fontname=\"Courier\", fontsize=10, style=filled, fillcolor=white];\n  edge \
         [fontname=\"Courier\", fontsize=9, color=\"#555555\"];\n",
    );
    for local in locals {
        let wide = if initial.contains(&local) { ", penwidth=2" } else { "" };
        let red = if targets.contains(&local) { ", fillcolor=\"#f8c8c8\"" } else { "" };
        out += &format!("  n{local} [label=\"{local}\"{wide}{red}];\n");
    }
    for ((from, to, style), pairs) in &arrows {
        let mut named = pairs.iter().take(MOST).map(|(s, s2)| format!("{s}→{s2}")).collect::<Vec<_>>();
        if pairs.len() > MOST {
            named.push(format!("… {} more", pairs.len() - MOST));
        }
        out += &format!("  n{from} -> n{to} [style={style}, label=\"{}\"];\n", named.join("\\n"));
    }
    out + "}\n"
}
