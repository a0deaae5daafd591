//! Which components are solved on tuples.

use super::super::driver::Strategy;
use super::super::solver::Solver;
use super::super::watch::VerdictWatch;
use super::ExplicitRelations;
use super::unfold::{is_only_asked, unfold};
use crate::check::tree::RelId;
use crate::elaborate::core::{CoreBody, Rule, RuleId, RuleKind};
use crate::sort::{SortId, Sorts};
use std::borrow::Cow;

/// When components are solved on tuples instead of diagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explicit {
    /// Where they read sparse facts; not those with sorts that the file or the user wants symbolic.
    #[default]
    Auto,
    /// Wherever they can be, until so many tuples and values have been looked at.
    Within(u64),
    /// Nowhere.
    Never,
}

/// So much may be looked at before a component is given to diagrams.
const MOST_LOOKS: u64 = 1 << 28;

/// So much may be looked at for each tuple that a definition rests on, if rules only ask whether it has some tuple.
const LOOKS_FOR_QUESTIONS: u64 = 64;

/// Fewer facts are not worth another way.
const FEW_FACTS: usize = 256;

/// Facts are dense if they are more than this part of all tuples.
const DENSE: u64 = 16;

/// Whether the values of a sort have numbers that fit a code.
pub(super) fn is_numbered(sorts: &Sorts, sort: SortId) -> bool {
    use crate::sort::Sort::{Record, Vector};
    let is_scalar = !matches!(sorts.get(sort), Record { .. } | Vector { .. });
    is_scalar && sorts.scalar_size(sort).is_some_and(|size| size <= u64::from(u32::MAX))
}

/// The rules of a component, where definitions without tuples of their own are put in the place of their names.
pub(super) type ExplicitRules<'a> = Vec<(RuleId, Cow<'a, Rule>)>;

impl<'a> Solver<'a> {
    /// The rules of a component if it is to be tried on tuples, and how much may be looked at then.
    pub(super) fn explicit_rules(
        &self,
        explicit: &ExplicitRelations,
        part: &[RelId],
        watch: &VerdictWatch,
    ) -> Option<(ExplicitRules<'a>, u64)> {
        if self.settings.strategy != Strategy::SemiNaive || self.history.is_some() {
            return None;
        }
        let is_recursive = self.core.is_recursive(part);
        let is_member = |at: RelId| part.contains(&at) || watch.rules.contains_key(&at);
        let (mut all_keyed, mut promising) = (true, false);
        for &at in part.iter().chain(watch.rules.keys()) {
            if is_recursive && self.core.kind(at) == Some(RuleKind::Nu) {
                return None;
            }
            all_keyed &= self.may_be_explicit(at)?;
        }
        let ids =
            part.iter().flat_map(|&at| self.core.rule_ids(at)).chain(watch.rules.values().flatten().copied());
        let mut rules = Vec::new();
        for id in ids {
            let has_tuples =
                |at: RelId| is_member(at) || explicit.tuples[at].is_some() || self.core.is_facts(at);
            let is_recursive = |at: RelId| explicit.recursive[at];
            let unfolded = unfold(self.core, self.core.rule(id), &has_tuples, &is_recursive)?;
            rules.extend(unfolded.into_iter().map(|rule| (id, rule)));
        }
        for (_, rule) in &rules {
            if !rule.vars.iter().all(|var| is_numbered(&self.core.sorts, var.sort)) {
                return None;
            }
            for atom in &rule.atoms {
                if is_member(atom.relation) {
                    if atom.negative {
                        return None;
                    }
                    continue;
                }
                all_keyed &= self.may_be_explicit(atom.relation)?;
                promising |= self.is_promising(explicit, atom.relation)?;
            }
        }
        let bound = match self.settings.explicit {
            Explicit::Never => return None,
            Explicit::Within(bound) => bound,
            Explicit::Auto if !promising => return None,
            Explicit::Auto if all_keyed => u64::MAX,
            Explicit::Auto => MOST_LOOKS,
        };
        let bound = match part {
            [at] if watch.rules.is_empty() && is_only_asked(self.core, *at, is_recursive) => {
                bound.min(self.worth_of_questions(explicit, *at))
            }
            _ => bound,
        };
        Some((rules, bound))
    }

    /// What the tuples of a definition may cost if rules only ask whether some tuple is there: they can do without.
    fn worth_of_questions(&self, explicit: &ExplicitRelations, at: RelId) -> u64 {
        let sizes = self.core.atoms(at).map(|atom| match &self.core.relations[atom.relation].body {
            CoreBody::Facts(rows) => rows.len() as u64,
            _ => explicit.tuples[atom.relation].as_ref().map_or(0, |set| set.len() as u64),
        });
        sizes.sum::<u64>().saturating_mul(LOOKS_FOR_QUESTIONS)
    }

    /// Whether the columns of a relation can be explicit, and then whether they are keys anyway.
    fn may_be_explicit(&self, at: RelId) -> Option<bool> {
        let sorts = &self.core.sorts;
        let columns = &self.core.relations[at].columns;
        let everywhere = matches!(self.settings.explicit, Explicit::Within(_));
        let can_be =
            |sort: SortId| is_numbered(sorts, sort) && (everywhere || !sorts.is_wished_symbolic(sort));
        columns
            .iter()
            .all(|column| can_be(column.sort))
            .then(|| columns.iter().all(|column| sorts.is_keyed(column.sort)))
    }

    /// Whether what a component reads has tuples, and then whether following them promises something.
    fn is_promising(&self, explicit: &ExplicitRelations, at: RelId) -> Option<bool> {
        if explicit.tuples[at].is_some() {
            return Some(true);
        }
        let CoreBody::Facts(rows) = &self.core.relations[at].body else { return None };
        let sizes = explicit.sizes(self.core, at);
        let all = sizes.iter().fold(1u64, |product, size| product.saturating_mul(*size));
        let is_dense = sizes.len() > 1 && (rows.len() as u64).saturating_mul(DENSE) > all;
        Some(rows.len() >= FEW_FACTS && !is_dense)
    }
}
