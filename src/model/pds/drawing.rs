//! The rules of a pushdown system as a drawing for Graphviz.

use super::system::{Right, System, Top};
use std::collections::BTreeSet;

/// A cluster for each thread. A node is a head: a control state with a symbol on top. An edge is a rule; a push is bold and
/// says what stays below, and a pop leads to the control state alone, with any symbol on top.
pub fn heads(system: &System) -> String {
    let mut out = String::from(
        "digraph pushdown {\n  rankdir=LR;\n  fontname=\"Helvetica\";\n  node [shape=box, style=\"rounded,filled\", \
         fillcolor=white, fontname=\"Courier\", fontsize=10, margin=\"0.08,0.04\"];\n  edge [fontname=\"Courier\", \
         fontsize=9, color=\"#555555\"];\n",
    );
    for (number, thread) in (1..).zip(&system.threads) {
        out += &format!("  subgraph cluster_{number} {{\n    label=\"thread {number}\";\n");
        out += "    style=\"rounded\";\n    color=\"#999999\";\n";
        let node = |state: u32, top: Option<Top>| {
            let top = top.map_or("*".into(), |top| top.to_string());
            (format!("\"{number}: {state} {top}\""), format!("{state} | {top}"))
        };
        let (mut nodes, mut edges) = (BTreeSet::new(), BTreeSet::new());
        for rule in &thread.rules {
            let (to, label) = match rule.right {
                Right::Pop => (None, " [style=dashed]".to_string()),
                Right::Overwrite(next) if rule.top == Top::Bottom => {
                    (Some(Top::Symbol(next)), " [style=bold, label=\" -\"]".into())
                }
                Right::Overwrite(next) => (Some(Top::Symbol(next)), String::new()),
                Right::Push(pushed, under) => {
                    (Some(Top::Symbol(pushed)), format!(" [style=bold, label=\" {under}\"]"))
                }
            };
            let (from, to) = (node(rule.from, Some(rule.top)), node(rule.to, to));
            edges.insert(format!("    {} -> {}{label};\n", from.0, to.0));
            nodes.extend([from, to]);
        }
        let begin = node(system.initial.shared, Some(system.initial.top(number - 1)));
        nodes.insert(begin.clone());
        for (name, label) in nodes {
            let first = if name == begin.0 { ", penwidth=2" } else { "" };
            out += &format!("    {name} [label=\"{label}\"{first}];\n");
        }
        edges.iter().for_each(|edge| out += edge);
        out += "  }\n";
    }
    out + "}\n"
}
