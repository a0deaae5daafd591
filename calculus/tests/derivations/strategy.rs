//! Strategies, played against every answer: each move is one that its clause allows, and whoever plays on for ever comes
//! back to a greatest fixed point that is outside of all least ones that are met again and again.

use super::world::{Ranks, World};
use super::{Confirmed, Derived};
use calculus::check::tree::RelId;
use calculus::elaborate::core::{CoreBody, RuleKind};
use calculus::solve::{Derivation, Explanation, Goal, Pattern, Reason, Settings, explain};
use std::collections::BTreeSet;

/// Whether the strategy of a relation wins from all of its tuples.
pub fn confirm(world: &World, ranks: &Ranks, at: RelId, confirmed: &mut Confirmed) -> Result<(), String> {
    let pattern = vec![Pattern::Any; world.core.relations[at].columns.len()];
    let settings = Settings::default();
    let derivation = match explain(world.core, &settings, &Goal::Strategy { relation: at, pattern }) {
        Explanation::Present(derivation) => derivation,
        Explanation::Absent(_) if world.tables[at].is_empty() => return Ok(()),
        other => return Err(format!("there is none: {other:?}")),
    };
    let nodes = &derivation.nodes;
    let explained = nodes.iter().filter(|node| !matches!(node.reason, Reason::Assumed));
    let explained = explained.map(|node| (node.relation, &node.tuple)).collect::<BTreeSet<_>>();
    if let Some(left) = world.tables[at].iter().find(|tuple| !explained.contains(&(at, tuple))) {
        return Err(format!("it has no move at {left:?}"));
    }
    let derived = Derived { world, ranks, derivation: &derivation };
    for (number, node) in nodes.iter().enumerate() {
        if !matches!(node.reason, Reason::Assumed) {
            derived.step(node, confirmed).map_err(|what| format!("{what}: {node:?}"))?;
            continue;
        }
        let Some(by) = derivation.explained.get(&number).map(|by| &nodes[*by]) else {
            return Err(format!("it ends with {node:?}"));
        };
        confirmed.returns += 1;
        let same = by.relation == node.relation && by.tuple == node.tuple;
        if !same || matches!(by.reason, Reason::Assumed) {
            return Err(format!("{node:?} goes on with {by:?}"));
        }
    }
    confirmed.played += world.tables[at].len();
    wins(world, &derivation)
}

/// The moves that can follow a node.
fn next(derivation: &Derivation, number: usize) -> Vec<usize> {
    let number = derivation.explained.get(&number).copied().unwrap_or(number);
    let Reason::Rule { premises, universal, .. } = &derivation.nodes[number].reason else {
        return Vec::new();
    };
    let cases = universal.iter().flat_map(|universal| &universal.cases).map(|case| case.premise);
    premises.iter().flatten().copied().chain(cases).collect()
}

/// No play meets a least fixed point for ever, but one around it only for some time.
fn wins(world: &World, derivation: &Derivation) -> Result<(), String> {
    let nest = |at: RelId| match &world.core.relations[at].body {
        CoreBody::Rules { kind, order, .. } if matches!(kind, RuleKind::Mu | RuleKind::Nu) => {
            Some((*kind, (*order, at)))
        }
        _ => None,
    };
    for (number, node) in derivation.nodes.iter().enumerate() {
        let Some((RuleKind::Mu, order)) = nest(node.relation) else { continue };
        let part = world.part(node.relation);
        let inside = |number: &usize| {
            let at = derivation.nodes[*number].relation;
            part.contains(&at) && nest(at).is_none_or(|(_, other)| other >= order)
        };
        let same = |other: usize| {
            let other = &derivation.nodes[other];
            other.relation == node.relation && other.tuple == node.tuple
        };
        let mut seen = BTreeSet::new();
        let mut work = next(derivation, number);
        while let Some(other) = work.pop() {
            if !inside(&other) || !seen.insert(other) {
                continue;
            }
            if same(other) {
                return Err(format!("a play comes back to {node:?} in a least fixed point"));
            }
            work.extend(next(derivation, other));
        }
    }
    Ok(())
}
