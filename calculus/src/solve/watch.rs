//! What is watched while a component is solved, so that a verdict is seen as soon as it holds.

use crate::check::tree::RelId;
use crate::elaborate::core::{Core, Rule, RuleId, RuleKind};
use crate::index::IdVec;
use std::collections::{BTreeMap, BTreeSet};

/// Non-recursive relations between a component and a verdict's condition, evaluated along with it so that the
/// condition is seen as soon as it holds.
#[derive(Default)]
pub(super) struct VerdictWatch {
    /// Relations with those of their rules that can be evaluated already.
    pub rules: BTreeMap<RelId, Vec<RuleId>>,
    /// Those with all of their rules.
    complete: Vec<RelId>,
    goal: Option<RelId>,
}

impl VerdictWatch {
    pub fn new(core: &Core, solved: &IdVec<RelId, bool>, part: &[RelId], goal: RelId) -> VerdictWatch {
        let mut watch = VerdictWatch::default();
        if part.contains(&goal) {
            watch.goal = Some(goal);
            return watch;
        }
        let mut known = part.iter().copied().collect::<BTreeSet<_>>();
        // Relations are added while something new depends only on what is known, and only positively on what
        // is not final.
        loop {
            let before = watch.rules.clone();
            for at in core.relations.ids() {
                if solved[at] || part.contains(&at) || core.kind(at) != Some(RuleKind::Inline) {
                    continue;
                }
                if core.is_recursive(&[at]) {
                    continue;
                }
                let usable = |rule: &Rule| {
                    rule.atoms.iter().all(|atom| {
                        solved[atom.relation] || (known.contains(&atom.relation) && !atom.negative)
                    })
                };
                let touches = |rule: &Rule| rule.atoms.iter().any(|atom| known.contains(&atom.relation));
                let ready = core.rule_ids(at).filter(|&id| usable(core.rule(id))).collect::<Vec<_>>();
                if ready.iter().any(|&id| touches(core.rule(id))) {
                    watch.rules.insert(at, ready);
                    known.insert(at);
                }
            }
            if watch.rules == before {
                break;
            }
        }
        // Only what leads to the goal is worth evaluating.
        let mut useful = BTreeSet::new();
        let mut work = vec![goal];
        while let Some(at) = work.pop() {
            if watch.rules.contains_key(&at) && useful.insert(at) {
                work.extend(core.dependencies(at));
            }
        }
        watch.rules.retain(|at, _| useful.contains(at));
        for (&at, ready) in &watch.rules {
            // Complete only if everything below it is.
            let below = core.dependencies(at).into_iter().all(|d| solved[d] || part.contains(&d));
            if ready.len() == core.rules(at).len() && below {
                watch.complete.push(at);
            }
        }
        watch.goal = watch.rules.contains_key(&goal).then_some(goal);
        if watch.goal.is_none() {
            watch.rules.clear();
            watch.complete.clear();
        }
        watch
    }

    pub fn complete(&self) -> &[RelId] {
        &self.complete
    }

    pub fn goal(&self) -> Option<RelId> {
        self.goal
    }
}
