//! Nested fixed points, recorded so that a strategy can be read from the history.
//!
//! Let a greatest fixed point be inside a least one. What is in the least one has a rank: the round in which it came. A
//! strategy must lead to ever lower ranks, so all rounds are recorded, each with what the fixed points inside gain in
//! it. What a greatest fixed point gains comes at once, and may rest on itself: it is looked at when the round is over.

use super::nest::{Nest, NestForm, Surroundings};
use super::solver::{Halt, Solver};
use crate::bdd::Stop;
use crate::check::tree::RelId;
use crate::elaborate::core::RuleKind;
use crate::plan::shrinking;
use crate::relation::Relation;

impl Solver<'_> {
    /// Records how the blocks of a component grow, from nothing.
    pub(super) fn record_ranks(&mut self, nest: &mut Nest, around: &mut Surroundings) -> Result<(), Halt> {
        nest.members.iter().for_each(|&at| self.relations[at].clear());
        self.record_onwards(nest, around)
    }

    /// Records what a component gains since it was recorded the last time.
    fn record_onwards(&mut self, nest: &mut Nest, around: &mut Surroundings) -> Result<(), Halt> {
        if let NestForm::Block { kind: RuleKind::Nu, .. } = nest.form {
            return self.record_greatest(nest, around);
        }
        match &mut nest.form {
            NestForm::Once => {
                self.record_layer(&nest.members)?;
            }
            NestForm::Rounds => {
                let shrinking = shrinking(self.core, &nest.members);
                let growing = nest.members.iter().copied().filter(|at| !shrinking.contains(at));
                let growing = growing.collect::<Vec<_>>();
                self.record_layer(&shrinking)?;
                while self.record_layer(&growing)? {
                    self.record_layer(&shrinking)?;
                }
            }
            NestForm::Block { kind, block, inner, .. } => {
                for round in 0.. {
                    around.enter(*kind, round);
                    for nest in &mut *inner {
                        self.record_onwards(nest, around)?;
                    }
                    around.leave();
                    if !self.record_layer(block)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Evaluates relations at once, and records what changed. Whether something did.
    fn record_layer(&mut self, members: &[RelId]) -> Result<bool, Stop> {
        let mut changes = Vec::new();
        for &at in members {
            let mut now = Relation::default();
            now.replace(self.full(at)?);
            let (came, went) = (now.minus(&self.relations[at])?, self.relations[at].minus(&now)?);
            if !came.is_empty() || !went.is_empty() {
                changes.push((at, now, came, went));
            }
        }
        let changed = !changes.is_empty();
        if changed {
            self.record(|history| history.begin_layer());
        }
        for (at, now, came, went) in changes {
            self.record(|history| {
                came.iter().for_each(|(key, tuples)| history.record_added(at, key, tuples));
                history.record_lost(at, &went);
            });
            self.relations[at].restore(&now.snapshot());
        }
        Ok(changed)
    }

    /// A greatest fixed point inside of a least one: what it gains is there before what rests on it.
    fn record_greatest(&mut self, nest: &mut Nest, around: &mut Surroundings) -> Result<(), Halt> {
        let before = nest.members.iter().map(|&at| (at, self.relations[at].snapshot())).collect::<Vec<_>>();
        let history = self.history.take();
        let solved = self.solve_nest(nest, around);
        self.history = history;
        solved?;
        let NestForm::Block { kind, block, inner, rounds } = &mut nest.form else { return Ok(()) };
        let mut layer = 0;
        self.record(|history| {
            history.begin_layer();
            layer = history.layers();
        });
        for (at, before) in before {
            if !block.contains(&at) {
                self.relations[at].restore(&before);
                continue;
            }
            // Everything, as rows.
            let rows = self.full(at)?;
            self.relations[at].replace(rows);
            let mut old = Relation::default();
            old.restore(&before);
            let came = self.relations[at].minus(&old)?;
            self.record(|history| {
                came.iter().for_each(|(key, tuples)| history.record_added(at, key, tuples));
            });
        }
        around.enter(*kind, *rounds);
        for nest in inner {
            self.record_onwards(nest, around)?;
        }
        around.leave();
        self.record(|history| history.look_later(layer));
        Ok(())
    }
}
