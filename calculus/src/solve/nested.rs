//! Nested fixed points, as in hierarchical Boolean equation systems: an earlier definition is the outer one.
//!
//! The outermost block of a component is guessed (nothing for `mu`, everything for `nu`), the rest is solved
//! for that guess, the block is evaluated once, and this is repeated until it does not change. Relations that
//! only stand for a formula belong to no block: they are solved with the rest. Inner components go on from
//! what is known of them, where that is sound: see `nest`.

use super::nest::{Nest, NestForm, NestStart, Surroundings};
use super::solver::{Halt, Solver};
use super::watch::VerdictWatch;
use crate::check::tree::RelId;
use crate::elaborate::core::RuleKind;
use crate::relation::Relation;

impl Solver<'_> {
    pub(super) fn nested(&mut self, part: &[RelId]) -> Result<(), Halt> {
        let mut nest = Nest::new(self.core, part, &|members| self.is_semi_naive(members));
        let mut around = Surroundings::new(self.core, part);
        match self.history {
            Some(_) => self.record_nest(&mut nest, &mut around),
            None => self.solve_nest(&mut nest, &mut around),
        }
    }

    pub(super) fn solve_nest(&mut self, nest: &mut Nest, around: &mut Surroundings) -> Result<(), Halt> {
        let recycle = self.settings.recycle;
        let start = if recycle { nest.recall(&mut self.relations, around)? } else { NestStart::Anew };
        match (start, &mut nest.form) {
            (NestStart::Solved, _) => return Ok(()),
            (_, NestForm::Once) => {
                let rows = self.full(nest.members[0])?;
                self.relations[nest.members[0]].replace(rows);
            }
            (start, NestForm::Rounds) => self.semi_naive(&nest.members, &VerdictWatch::default(), start)?,
            (start, NestForm::Block { kind, block, inner, rounds }) => {
                if matches!(start, NestStart::Anew) {
                    self.guess(*kind, block);
                }
                *rounds = self.iterate(*kind, block, inner, around)?;
            }
        }
        if recycle {
            nest.remember(&self.relations, around);
        }
        Ok(())
    }

    /// The value that a block begins with when nothing is known of it.
    fn guess(&mut self, kind: RuleKind, block: &[RelId]) {
        for &at in block {
            match kind {
                RuleKind::Nu => self.relations[at].become_all(),
                _ => self.relations[at].clear(),
            }
        }
    }

    /// Evaluates a block until it does not change. The number of the last round.
    fn iterate(
        &mut self,
        kind: RuleKind,
        block: &[RelId],
        inner: &mut [Nest],
        around: &mut Surroundings,
    ) -> Result<u32, Halt> {
        for round in 0.. {
            around.enter(kind, round);
            for nest in &mut *inner {
                self.solve_nest(nest, around)?;
            }
            around.leave();
            let mut next = Vec::new();
            for &at in block {
                let mut relation = Relation::default();
                relation.replace(self.full(at)?);
                next.push(relation);
            }
            if block.iter().zip(&next).all(|(&at, relation)| self.relations[at].same(relation)) {
                return Ok(round);
            }
            for (&at, relation) in block.iter().zip(next) {
                self.relations[at].restore(&relation.snapshot());
            }
        }
        unreachable!("a fixed point of finite sorts is reached")
    }

    /// Solves a component so that derivations can be read from the history: how the inner components came about for
    /// the last value of the block, from nothing. What leads to that value is no part of it.
    fn record_nest(&mut self, nest: &mut Nest, around: &mut Surroundings) -> Result<(), Halt> {
        let is_ranked = self.history.as_ref().is_some_and(|history| history.is_ranked());
        if is_ranked && matches!(nest.form, NestForm::Block { kind: RuleKind::Mu, .. }) {
            return self.record_ranks(nest, around);
        }
        if let NestForm::Block { .. } = nest.form {
            let history = self.history.take();
            let solved = self.solve_nest(nest, around);
            self.history = history;
            solved?;
        }
        match &mut nest.form {
            NestForm::Once => {
                let rows = self.full(nest.members[0])?;
                self.relations[nest.members[0]].replace(rows);
                self.record(|history| history.evaluated(&nest.members));
            }
            NestForm::Rounds => self.semi_naive(&nest.members, &VerdictWatch::default(), NestStart::Anew)?,
            NestForm::Block { kind, block, inner, rounds } => {
                around.enter(*kind, *rounds);
                for nest in inner {
                    self.record_nest(nest, around)?;
                }
                around.leave();
                self.record(|history| history.evaluated(block));
            }
        }
        Ok(())
    }
}
