//! One component: relations that depend on each other, everything else being solved.
//!
//! A component of least fixed points is solved semi-naively. Its `mu` relations only grow. An auxiliary
//! relation that stands for the failure of a `forall` only shrinks while they grow; it is evaluated anew when
//! nothing grows any more, and what it lost is followed like new rows are.

use super::driver::Strategy;
use super::solver::{Halt, Solver};
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{Core, Rule, RuleId, RuleKind};
use crate::index::IdVec;
use crate::relation::{Key, Relation};
use rustc_hash::FxHashMap;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Non-recursive relations between a component and a verdict's condition, evaluated along with it so that the
/// condition is seen as soon as it holds.
#[derive(Default)]
pub(super) struct Watch {
    /// Relations with those of their rules that can be evaluated already.
    rules: BTreeMap<RelId, Vec<RuleId>>,
    /// Those with all of their rules.
    complete: Vec<RelId>,
    goal: Option<RelId>,
}

impl Watch {
    pub fn new(core: &Core, solved: &IdVec<RelId, bool>, part: &[RelId], goal: RelId) -> Watch {
        let mut watch = Watch::default();
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

/// New rows waiting to be followed, by key and relation: control flow is numbered so that loops settle
/// inside out. Rows without keys come last: what they gather from many rows is followed once, not once for each.
type Pending = BTreeMap<(bool, Key, RelId), Bdd>;

/// By the relation whose rows are followed: the rule and its atom.
pub(super) type Followers = BTreeMap<RelId, Vec<(RuleId, usize)>>;

/// How a component of least fixed points begins.
pub(super) struct Beginning {
    pub shrinking: Vec<RelId>,
    pub first: Vec<RuleId>,
    pub followers: Followers,
}

impl Solver<'_> {
    /// Solves a component; stops as soon as the watched condition holds.
    pub(super) fn solve_component(&mut self, part: &[RelId], watch: &Watch) -> Result<(), Halt> {
        if let [only] = part
            && !self.core.is_defined(*only)
        {
            self.round(*only)?;
            return Ok(self.load(*only)?);
        }
        if !self.core.is_recursive(part) {
            let rows = self.full(part[0])?;
            self.relations[part[0]].replace(rows);
            self.history.evaluated(part);
            Ok(())
        } else if self.is_semi_naive(part) && self.recording {
            self.layered(part, watch)
        } else if self.is_semi_naive(part) {
            self.semi_naive(part, watch)
        } else {
            Ok(self.nested(part)?)
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

    /// Empties what grows and fills what shrinks: the members that shrink, the rules to begin with, and those to follow.
    pub(super) fn begin(&mut self, part: &[RelId], watch: &Watch) -> Result<Beginning, Stop> {
        let shrinking = shrinking(self.core, part);
        let growing = part.iter().copied().filter(|at| !shrinking.contains(at)).collect::<Vec<_>>();
        for &at in growing.iter().chain(watch.rules.keys()) {
            self.relations[at].clear();
        }
        for &at in &shrinking {
            let rows = self.full(at)?;
            self.relations[at].replace(rows);
        }
        let (first, followers) = self.followers(part, &growing, watch);
        Ok(Beginning { shrinking, first, followers })
    }

    fn semi_naive(&mut self, part: &[RelId], watch: &Watch) -> Result<(), Halt> {
        let Beginning { shrinking, first, followers } = self.begin(part, watch)?;
        let mut pending = Pending::new();
        for rule in first {
            let rows = self.evaluate(rule, None)?;
            self.take_in(rule, rows, &mut pending, watch)?;
        }
        let mut stale: BTreeSet<RelId> = BTreeSet::new();
        loop {
            while let Some(((_, key, at), new)) = pending.pop_first() {
                self.round(at)?;
                stale.insert(at);
                let seed = [(key, new)];
                for &(rule, atom) in followers.get(&at).map_or(&[][..], Vec::as_slice) {
                    let rows = self.evaluate(rule, Some((atom, &seed)))?;
                    self.take_in(rule, rows, &mut pending, watch)?;
                }
            }
            for &at in &shrinking {
                if self.core.dependencies(at).is_disjoint(&stale) {
                    continue;
                }
                let mut now = Relation::default();
                now.replace(self.full(at)?);
                let lost = self.relations[at].minus(&now)?;
                if lost.is_empty() {
                    continue;
                }
                stale.insert(at);
                self.relations[at].replace(now.rows().map(|(key, row)| (key.clone(), row.clone())).collect());
                for &(rule, atom) in followers.get(&at).map_or(&[][..], Vec::as_slice) {
                    let rows = self.evaluate(rule, Some((atom, &lost)))?;
                    self.take_in(rule, rows, &mut pending, watch)?;
                }
            }
            stale.clear();
            if pending.is_empty() {
                return Ok(());
            }
        }
    }

    /// The rules to begin with, which rest on nothing that grows, and those to follow.
    fn followers(&self, part: &[RelId], growing: &[RelId], watch: &Watch) -> (Vec<RuleId>, Followers) {
        let mut followers = Followers::new();
        let mut first = Vec::new();
        let all = growing.iter().flat_map(|&at| self.core.rule_ids(at));
        let watched = watch.rules.values().flatten().copied();
        let members = part.iter().copied().chain(watch.rules.keys().copied()).collect::<BTreeSet<_>>();
        let empty = |at: RelId| growing.contains(&at) || watch.rules.contains_key(&at);
        for rule in all.chain(watched) {
            let atoms = &self.core.rule(rule).atoms;
            if !atoms.iter().any(|atom| empty(atom.relation)) {
                first.push(rule);
            }
            for (position, atom) in atoms.iter().enumerate() {
                if members.contains(&atom.relation) {
                    followers.entry(atom.relation).or_default().push((rule, position));
                }
            }
        }
        (first, followers)
    }

    /// Adds what a rule derived; what is new waits to be followed.
    fn take_in(
        &mut self,
        rule: RuleId,
        rows: Vec<(Key, Bdd)>,
        pending: &mut Pending,
        watch: &Watch,
    ) -> Result<(), Halt> {
        let at = rule.relation;
        for (key, bits) in rows {
            let Some(new) = self.relations[at].add(&key, &bits)? else { continue };
            self.count_new(rule, &new);
            if watch.goal == Some(at) {
                return Err(Halt::Seen);
            }
            match pending.entry((key.is_empty(), key, at)) {
                Entry::Occupied(mut waiting) => {
                    let both = waiting.get().or(&new)?;
                    waiting.insert(both);
                }
                Entry::Vacant(place) => {
                    place.insert(new);
                }
            }
        }
        Ok(())
    }
}

/// The members of a component of least fixed points that shrink while the others grow, those that others rest on
/// first.
pub fn shrinking(core: &Core, part: &[RelId]) -> Vec<RelId> {
    // Growing relations are reached from `mu` through an even number of negations.
    let mut shrinks: BTreeMap<RelId, bool> = BTreeMap::new();
    let is_mu = |at: RelId| core.kind(at) == Some(RuleKind::Mu);
    let mut work = part.iter().filter(|at| is_mu(**at)).map(|at| (*at, false)).collect::<Vec<_>>();
    while let Some((at, shrinking)) = work.pop() {
        if shrinks.insert(at, shrinking).is_some() {
            continue;
        }
        for atom in core.atoms(at) {
            if part.contains(&atom.relation) && !shrinks.contains_key(&atom.relation) {
                work.push((atom.relation, shrinking != atom.negative));
            }
        }
    }
    let members =
        shrinks.into_iter().filter(|(_, shrinking)| *shrinking).map(|(at, _)| at).collect::<Vec<_>>();
    core.components_among(&members).into_iter().flatten().collect()
}
