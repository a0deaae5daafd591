//! One component: relations that depend on each other, everything else being solved.

use super::driver::Strategy;
use super::nest::NestStart;
use super::solver::{Halt, Solver};
use super::watch::VerdictWatch;
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::RuleKind;
use crate::relation::{Key, Relation};
use rustc_hash::FxHashMap;

impl Solver<'_> {
    /// Solves a component; stops as soon as the watched condition holds.
    pub(super) fn solve_component(&mut self, part: &[RelId], watch: &VerdictWatch) -> Result<(), Halt> {
        if let [only] = part
            && !self.core.is_defined(*only)
        {
            self.round(*only)?;
            // Facts are loaded as rows when a rule needs them so.
            if let Some(explicit) = self.explicit.as_mut().filter(|_| self.core.is_facts(*only)) {
                explicit.has_rows[*only] = false;
                return Ok(());
            }
            return Ok(self.load(*only)?);
        }
        if self.solve_explicitly(part, watch)? {
            return Ok(());
        }
        if !self.core.is_recursive(part) {
            let rows = self.full(part[0])?;
            self.relations[part[0]].replace(rows);
            self.record(|history| history.evaluated(part));
            Ok(())
        } else if self.is_semi_naive(part) {
            self.semi_naive(part, watch, NestStart::Anew)
        } else {
            self.nested(part)
        }
    }

    /// Whether a component's new rows are followed one by one.
    pub(super) fn is_semi_naive(&self, part: &[RelId]) -> bool {
        let least = part.iter().all(|&at| self.core.kind(at) != Some(RuleKind::Nu));
        least && self.settings.strategy == Strategy::SemiNaive && self.core.is_recursive(part)
    }

    /// All rows that the rules of a relation derive from the relations as they are.
    pub(super) fn full(&mut self, at: RelId) -> Result<FxHashMap<Key, Bdd>, Stop> {
        self.round(at)?;
        let mut out = Relation::default();
        for rule in self.core.rule_ids(at) {
            for (key, bits) in self.evaluate(rule, None)? {
                if let Some(new) = out.add(&key, &bits)? {
                    self.count_new(rule, &new);
                }
            }
        }
        Ok(out.rows().map(|(key, row)| (key.clone(), row.clone())).collect())
    }
}
