//! The components of a system: relations that depend on each other and are solved together, in order.

use super::WIDTH;
use super::table::wrap;
use calculus::check::tree::{Body, System, occurrences};
use calculus::graph::components as strongly_connected;
use calculus::syntax::ast::DefKind;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write;

pub struct Component {
    /// The names of its relations, in the order of the file.
    pub members: Vec<String>,
    pub kind: ComponentKind,
    /// A member depends on a member.
    pub recursive: bool,
    /// The components it rests on directly, and whether a negation leads there.
    pub rests_on: BTreeMap<usize, bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Facts, inputs and relations of the model.
    Given,
    Let,
    Mu,
    Nu,
    /// Least and greatest fixed points that depend on each other.
    Nested,
}

impl ComponentKind {
    pub fn word(self) -> &'static str {
        match self {
            ComponentKind::Given => "given",
            ComponentKind::Let => "let",
            ComponentKind::Mu => "mu",
            ComponentKind::Nu => "nu",
            ComponentKind::Nested => "nested",
        }
    }
}

/// Every component stands behind those it rests on. The given instances of a family are one component.
pub fn components(system: &System) -> Vec<Component> {
    let relations = &system.relations;
    let given = |at: usize| !matches!(relations[at].body, Body::Defined { .. });
    let on = |at: usize| occurrences(&relations[at]).into_iter().map(|seen| seen.relation.0 as usize);
    let parts = strongly_connected(relations.len(), |at| on(at).collect());
    let mut out: Vec<Component> = Vec::new();
    let mut number = vec![0; relations.len()];
    let mut families: BTreeMap<&str, usize> = BTreeMap::new();
    for part in &parts {
        let (first, next) = (part[0], out.len());
        if given(first)
            && let Some(&family) = families.get(&*relations[first].name)
        {
            number[first] = family;
            out[family].members.push(relations[first].title());
            continue;
        }
        part.iter().for_each(|&at| number[at] = next);
        if given(first) {
            families.insert(&relations[first].name, next);
        }
        let mut rests_on = BTreeMap::new();
        for seen in part.iter().flat_map(|&at| occurrences(&relations[at])) {
            let other = seen.relation.0 as usize;
            if !part.contains(&other) {
                *rests_on.entry(number[other]).or_default() |= !seen.positive;
            }
        }
        let recursive = part.iter().any(|&at| on(at).any(|other| part.contains(&other)));
        let members = part.iter().map(|&at| relations[at].title()).collect();
        out.push(Component { members, kind: kind(system, part), recursive, rests_on });
    }
    out
}

fn kind(system: &System, part: &[usize]) -> ComponentKind {
    let has = |wanted: DefKind| {
        part.iter()
            .any(|&at| matches!(&system.relations[at].body, Body::Defined { kind, .. } if *kind == wanted))
    };
    match (has(DefKind::Mu), has(DefKind::Nu), has(DefKind::Let)) {
        (true, true, _) => ComponentKind::Nested,
        (true, false, _) => ComponentKind::Mu,
        (false, true, _) => ComponentKind::Nu,
        (false, false, true) => ComponentKind::Let,
        (false, false, false) => ComponentKind::Given,
    }
}

impl Component {
    /// The members in few words: instances of a family together, as far as they follow one another.
    pub fn shown(&self) -> Vec<String> {
        let mut out: Vec<(String, Vec<&str>)> = Vec::new();
        for member in &self.members {
            let (name, index) = member.split_once('[').unwrap_or((member, ""));
            match out.last_mut() {
                Some((last, indices)) if last == name => indices.push(index),
                _ => out.push((name.into(), vec![index])),
            }
        }
        let shown = out.into_iter().map(|(name, indices)| match indices.as_slice() {
            [""] => name,
            [only] => format!("{name}[{only}"),
            [first, .., last] => format!("{name}[{}] … [{last}", first.trim_end_matches(']')),
            [] => name,
        });
        shown.collect()
    }
}

pub fn json(parts: &[Component]) -> Json {
    let parts = parts.iter().map(|part| {
        let rests_on = part.rests_on.iter();
        json!({
            "members": part.members,
            "shown": part.shown(),
            "kind": part.kind.word(),
            "recursive": part.recursive,
            "rests_on": rests_on.map(|(at, negative)| json!({ "component": at, "negative": negative }))
                .collect::<Vec<_>>(),
        })
    });
    parts.collect()
}

/// A paragraph for each component, in the order of solving.
pub fn text(parts: &[Component]) -> String {
    let mut out = String::new();
    for (number, part) in parts.iter().enumerate() {
        let recursive = if part.recursive { ", recursive" } else { "" };
        let (names, kind) = (part.shown().join(", "), part.kind.word());
        let _ = writeln!(out, "{:>4}  {names}: {kind}{recursive}", number + 1);
        let on = part.rests_on.iter().map(|(on, negative)| {
            let not = if *negative { "not " } else { "" };
            format!("{not}{} ({})", parts[*on].shown().join(", "), on + 1)
        });
        let on = on.collect::<Vec<_>>().join("; ");
        if !on.is_empty() {
            for line in wrap(&format!("depends on {on}"), WIDTH - 6) {
                let _ = writeln!(out, "      {line}");
            }
        }
    }
    out
}

/// A drawing for Graphviz: what others rest on is on top; negations are red.
pub fn dot(parts: &[Component]) -> String {
    let mut out = String::from(
        "digraph components {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, \
         fontname=\"Courier\", fontsize=10];\n  edge [color=\"#555555\"];\n",
    );
    for (number, part) in parts.iter().enumerate() {
        let look = match (part.kind, part.recursive) {
            (ComponentKind::Given, _) => ", style=\"rounded,dashed\"",
            (_, true) => ", penwidth=2, color=\"#1f5fbf\"",
            _ => "",
        };
        let label = part.shown().join("\\n").replace('"', "\\\"");
        let _ = writeln!(out, "  c{} [label=\"{label}\"{look}];", number + 1);
    }
    for (number, part) in parts.iter().enumerate() {
        for (on, negative) in &part.rests_on {
            let look = if *negative { " [style=dashed, color=\"#b3261e\"]" } else { "" };
            let _ = writeln!(out, "  c{} -> c{}{look};", on + 1, number + 1);
        }
    }
    out.push_str("}\n");
    out
}
