//! The control flow of a program as a drawing for Graphviz.

use crate::model::program::cfg::{Action, Cfg, Edge, Flow, Target};
use std::fmt::Write;

/// The control flow of all procedures that are executed, a cluster for each. A node is a location, labelled with the
/// source line that begins there; targets are red, locations inside atomic sections grey.
pub fn control_flow(cfg: &Cfg) -> String {
    let mut out = String::from(
        "digraph program {\n  rankdir=TB;\n  fontname=\"Helvetica\";\n  node [shape=box, style=\"rounded,filled\", \
         fillcolor=white, fontname=\"Courier\", fontsize=10, margin=\"0.08,0.04\"];\n  edge [fontname=\"Courier\", \
         fontsize=9, color=\"#555555\"];\n",
    );
    for id in cfg.needed() {
        let flow = cfg.flow(id);
        let cluster = id.index();
        write_to(
            &mut out,
            format_args!("  subgraph cluster_{cluster} {{\n    label={};\n", quoted(&flow.name)),
        );
        out.push_str("    style=\"rounded\";\n    color=\"#999999\";\n");
        for at in 0..flow.locations.len() {
            write_to(&mut out, format_args!("    n{cluster}_{at} [{}];\n", node(cfg, flow, at)));
        }
        for edge in &flow.edges {
            let (from, to) = (edge.from.index(), edge.to.index());
            write_to(
                &mut out,
                format_args!("    n{cluster}_{from} -> n{cluster}_{to}{};\n", line(cfg, edge)),
            );
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn node(cfg: &Cfg, flow: &Flow, at: usize) -> String {
    let location = &flow.locations[at];
    if at == flow.exit.index() {
        return "label=\"end\", shape=oval".into();
    }
    let number = cfg.line(location.span);
    // The first line of the statement; what shares its line with others is shown alone.
    let range = location.span.start as usize..location.span.end as usize;
    let text = cfg.source.text.get(range).unwrap_or_default();
    let text = text.lines().next().unwrap_or_default().split("//").next().unwrap_or_default().trim();
    let labels = location.labels.iter().map(|label| format!("{label}: ")).collect::<String>();
    let text = match location.target {
        Some(Target::FailedAssert) => format!("{number}: assertion fails"),
        Some(Target::OutOfRange) => format!("{number}: out of range"),
        Some(Target::OutOfWidth) => format!("{number}: out of width"),
        _ if text.starts_with(&labels) => format!("{number}: {text}"),
        _ => format!("{number}: {labels}{text}"),
    };
    let colour = match (location.target, location.atomic) {
        (Some(_), _) => ", fillcolor=\"#f8c8c8\"",
        (None, true) => ", fillcolor=\"#e4e4e4\"",
        (None, false) => "",
    };
    let entry = if at == flow.entry.index() { ", penwidth=2" } else { "" };
    format!("label={}{colour}{entry}", quoted(&text))
}

/// Calls are drawn bold, with the name of the procedure; steps that make threads dashed.
fn line(cfg: &Cfg, edge: &Edge) -> String {
    match &edge.action {
        Action::Call { callee, .. } => {
            format!(" [style=bold, label={}]", quoted(&format!(" {}", cfg.flow(*callee).name)))
        }
        Action::Create(_) => " [style=dashed]".into(),
        Action::Assign { .. } => String::new(),
    }
}

/// A text in quotes, shortened to what fits in a box.
fn quoted(text: &str) -> String {
    const MOST: usize = 60;
    let mut short = text.chars().take(MOST).collect::<String>();
    if text.chars().count() > MOST {
        short.push('…');
    }
    format!("\"{}\"", short.replace('\\', "\\\\").replace('"', "\\\""))
}

fn write_to(out: &mut String, text: std::fmt::Arguments) {
    out.write_fmt(text).expect("a string takes everything");
}
