//! Which relations depend on each other, and how mixed fixed points are nested.

use super::Oracle;
use calculus::check::tree::{Body, Formula, System};
use calculus::syntax::ast::DefKind;
use std::collections::BTreeSet;

/// For each relation those its definition leads to, by one step or more.
pub fn reaches(system: &System) -> Vec<BTreeSet<usize>> {
    let mut reaches = system.relations.iter().map(|relation| mentioned(&relation.body)).collect::<Vec<_>>();
    loop {
        let mut grown = false;
        for at in 0..reaches.len() {
            let further = reaches[at].iter().flat_map(|&next| reaches[next].clone()).collect::<Vec<_>>();
            let before = reaches[at].len();
            reaches[at].extend(further);
            grown |= reaches[at].len() > before;
        }
        if !grown {
            return reaches;
        }
    }
}

fn mentioned(body: &Body) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    if let Body::Defined { clauses, .. } = body {
        clauses.iter().for_each(|clause| mention(&clause.body, &mut out));
    }
    out
}

fn mention(formula: &Formula, out: &mut BTreeSet<usize>) {
    match formula {
        Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..) => {}
        Formula::Atom(relation, ..) => {
            out.insert(relation.0 as usize);
        }
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| mention(part, out)),
        Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => mention(inner, out),
        Formula::Implies(left, right) | Formula::Iff(left, right) => {
            mention(left, out);
            mention(right, out);
        }
    }
}

impl Oracle<'_> {
    /// A relation and those that depend on it and on which it depends.
    pub(super) fn component(&self, at: usize) -> Vec<usize> {
        let mutual = |&other: &usize| {
            other == at || (self.reaches[at].contains(&other) && self.reaches[other].contains(&at))
        };
        (0..self.reaches.len()).filter(mutual).collect()
    }

    /// The fixed points of a component, outermost first: neighbours of the same kind are one block.
    pub(super) fn blocks(&self, component: &[usize]) -> Vec<Vec<usize>> {
        let mut members = Vec::new();
        for &at in component {
            if let Body::Defined { kind: kind @ (DefKind::Mu | DefKind::Nu), order, .. } =
                self.relation(at).body
            {
                members.push((order, &self.relation(at).indices, at, kind));
            }
        }
        // In a family, a smaller index is the outer one.
        members.sort_unstable_by_key(|&(order, indices, ..)| (order, indices));
        members
            .chunk_by(|(.., before), (.., after)| before == after)
            .map(|block| block.iter().map(|&(_, _, at, _)| at).collect())
            .collect()
    }

    /// The `let`s of a component, each after the `let`s it mentions.
    pub(super) fn lets(&self, component: &[usize]) -> Vec<usize> {
        let mut waiting =
            component.iter().copied().filter(|&at| self.kind(at) == Some(DefKind::Let)).collect::<Vec<_>>();
        let mut out = Vec::new();
        while !waiting.is_empty() {
            let ready =
                |&at: &usize| mentioned(&self.relation(at).body).iter().all(|other| !waiting.contains(other));
            let (now, later): (Vec<_>, Vec<_>) = waiting.iter().copied().partition(ready);
            assert!(!now.is_empty(), "a let defined by itself passed the checker");
            out.extend(now);
            waiting = later;
        }
        out
    }
}
