//! Nested fixed points, as in hierarchical Boolean equation systems: an earlier definition is the outer one.
//!
//! The outermost block of a component is guessed (nothing for `mu`, everything for `nu`), the rest is solved
//! for that guess, the block is evaluated once, and this is repeated until it does not change. Relations that
//! only stand for a formula belong to no block: they are solved with the rest.

use super::solver::{Halt, Solver};
use super::watch::VerdictWatch;
use crate::check::tree::RelId;
use crate::elaborate::core::{CoreBody, RuleKind};
use crate::relation::Relation;

impl Solver<'_> {
    pub(super) fn nested(&mut self, part: &[RelId]) -> Result<(), Halt> {
        let block = self.outermost(part);
        let rest = part.iter().copied().filter(|at| !block.contains(at)).collect::<Vec<_>>();
        let inner = self.core.components_among(&rest);
        for &at in &block {
            match self.core.kind(at) {
                Some(RuleKind::Nu) => self.relations[at].become_all(),
                _ => self.relations[at].clear(),
            }
        }
        // What is remembered of the rest is how it was solved for the last guess.
        let mark = self.history.as_ref().map_or(0, |history| history.mark());
        loop {
            self.record(|history| history.forget(mark));
            for members in &inner {
                members.iter().for_each(|&at| self.relations[at].clear());
                self.solve_component(members, &VerdictWatch::default())?;
            }
            let mut next = Vec::new();
            for &at in &block {
                let mut relation = Relation::default();
                relation.replace(self.full(at)?);
                next.push(relation);
            }
            if block.iter().zip(&next).all(|(&at, relation)| self.relations[at].same(relation)) {
                self.record(|history| history.evaluated(&block));
                return Ok(());
            }
            for (&at, relation) in block.iter().zip(next) {
                self.relations[at]
                    .replace(relation.rows().map(|(key, row)| (key.clone(), row.clone())).collect());
            }
        }
    }

    /// The first definitions in the text, as far as they are of one kind.
    fn outermost(&self, part: &[RelId]) -> Vec<RelId> {
        let mut fixed = part
            .iter()
            .copied()
            .filter_map(|at| match &self.core.relations[at].body {
                CoreBody::Rules { kind: kind @ (RuleKind::Mu | RuleKind::Nu), order, .. } => {
                    Some((*order, *kind, at))
                }
                _ => None,
            })
            .collect::<Vec<_>>();
        fixed.sort_by_key(|(order, ..)| *order);
        let first = fixed[0].1;
        fixed.into_iter().take_while(|(_, kind, _)| *kind == first).map(|(_, _, at)| at).collect()
    }
}
