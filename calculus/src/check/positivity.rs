//! Recursion: inside a component every occurrence must be positive, and `let` may not be recursive by itself.

use super::findings::Findings;
use super::tree::{Body, Occurrence, Relation, occurrences};
use crate::diagnostic::Diagnostic;
use crate::graph::components;
use crate::span::Span;
use crate::syntax::ast::DefKind;
use std::collections::VecDeque;

const NEGATIVE: &str = "fp::negative_recursion";

pub(super) fn check_positivity(relations: &[Relation], findings: &mut Findings) {
    let uses = relations.iter().map(occurrences).collect::<Vec<_>>();
    let successors = |node: usize| uses[node].iter().map(|o| o.relation.0 as usize).collect::<Vec<_>>();
    let parts = components(relations.len(), successors);
    let mut component_of = vec![0; relations.len()];
    for (at, part) in parts.iter().enumerate() {
        part.iter().for_each(|&node| component_of[node] = at);
    }
    for node in 0..relations.len() {
        for occurrence in &uses[node] {
            let target = occurrence.relation.0 as usize;
            let known = findings.has(NEGATIVE, occurrence.span);
            if !occurrence.positive && !known && component_of[node] == component_of[target] {
                findings.add(negative_recursion(relations, node, occurrence, &uses));
            }
        }
    }
    let is_let = |node: usize| matches!(relations[node].body, Body::Defined { kind: DefKind::Let, .. });
    let lets = |node: usize| {
        if is_let(node) { successors(node).into_iter().filter(|&n| is_let(n)).collect() } else { Vec::new() }
    };
    let cyclic = components(relations.len(), lets)
        .into_iter()
        .filter(|part| part.len() > 1 || lets(part[0]).contains(&part[0]))
        .collect::<Vec<_>>();
    for part in cyclic {
        let relation = &relations[part[0]];
        let (title, span) = (relation.title(), relation.span);
        let back = uses[part[0]].iter().find(|o| part.contains(&(o.relation.0 as usize))).map(|o| o.span);
        findings.add(
            Diagnostic::error("fp::recursive_let", format!("`{title}` is defined in terms of itself"))
                .label(back.unwrap_or(span), "this depends on it again")
                .label(span, "a `let` or a query cannot be recursive")
                .help("write `mu` for the least solution, or `nu` for the greatest one"),
        );
    }
}

fn negative_recursion(
    relations: &[Relation],
    node: usize,
    occurrence: &Occurrence,
    uses: &[Vec<Occurrence>],
) -> Diagnostic {
    let target = occurrence.relation.0 as usize;
    let chain = chain(target, node, uses);
    let title = relations[target].title();
    let names = chain.iter().map(|&(node, _)| relations[node].title()).collect::<Vec<_>>();
    let from = relations[node].title();
    let what = if chain.len() == 1 {
        format!("`{from}` depends on its own negation")
    } else {
        format!("`{from}` depends on the negation of `{title}`, which depends on it")
    };
    let mut diagnostic =
        Diagnostic::error(NEGATIVE, what).label(occurrence.span, "this occurrence is negative");
    for (from, span) in &chain {
        if let Some(span) = span {
            diagnostic = diagnostic.label(*span, format!("`{}` depends on this", relations[*from].title()));
        }
    }
    if chain.len() == 1 {
        diagnostic = diagnostic.label(relations[node].span, "inside its own definition");
    }
    diagnostic.help(format!(
        "the chain is {} -> !{title}; inside a recursion every occurrence must be positive: under an even number of negations (the left side of `->` counts as one) and not under `<->`",
        names.join(" -> ")
    ))
}

/// A shortest way from one relation to another, each with the place that leads to the next.
fn chain(from: usize, to: usize, uses: &[Vec<Occurrence>]) -> Vec<(usize, Option<Span>)> {
    let mut before: Vec<Option<(usize, Span)>> = vec![None; uses.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for occurrence in &uses[node] {
            let next = occurrence.relation.0 as usize;
            if next != from && before[next].is_none() {
                before[next] = Some((node, occurrence.span));
                queue.push_back(next);
            }
        }
    }
    let mut out = vec![(to, None)];
    let mut at = to;
    while at != from {
        let Some((previous, span)) = before[at] else { break };
        out.push((previous, Some(span)));
        at = previous;
    }
    out.reverse();
    out
}
