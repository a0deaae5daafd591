//! One component: relations that depend on each other, everything else being solved.
//!
//! A component of least fixed points is solved semi-naively. Its `mu` relations only grow. An auxiliary
//! relation that stands for the failure of a `forall` only shrinks while they grow; it is evaluated anew when
//! nothing grows any more, and what it lost is followed like new rows are.

use super::driver::{Halt, Solver, Strategy, dependencies};
use crate::bdd::{Bdd, Stop};
use crate::elaborate::core::{Core, CoreBody, RuleKind};
use crate::graph::components;
use crate::relation::{Key, Relation};
use rustc_hash::FxHashMap;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Non-recursive relations between a component and a verdict's condition, evaluated along with it so that the
/// condition is seen as soon as it holds.
#[derive(Default)]
pub(super) struct Watch {
    /// Relations with those of their rules that can be evaluated already.
    rules: BTreeMap<usize, Vec<usize>>,
    /// Those with all of their rules.
    complete: Vec<usize>,
    goal: Option<usize>,
}

impl Watch {
    pub fn new(core: &Core, solved: &[bool], part: &[usize], goal: usize) -> Watch {
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
            for at in 0..core.relations.len() {
                if solved[at] || part.contains(&at) || dependencies(core, at).contains(&at) {
                    continue;
                }
                let CoreBody::Rules { kind: RuleKind::Inline, rules, .. } = &core.relations[at].body else {
                    continue;
                };
                let usable = |rule: &crate::elaborate::core::Rule| {
                    rule.atoms.iter().all(|atom| {
                        let other = atom.relation.0 as usize;
                        solved[other] || (known.contains(&other) && !atom.negative)
                    })
                };
                let ready = (0..rules.len()).filter(|&number| usable(&rules[number])).collect::<Vec<_>>();
                let touches = ready.iter().any(|&number| {
                    rules[number].atoms.iter().any(|atom| known.contains(&(atom.relation.0 as usize)))
                });
                if touches {
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
                work.extend(dependencies(core, at));
            }
        }
        watch.rules.retain(|at, _| useful.contains(at));
        for (&at, ready) in &watch.rules {
            let CoreBody::Rules { rules, .. } = &core.relations[at].body else { continue };
            // Complete only if everything below it is.
            let below = dependencies(core, at).into_iter().all(|d| solved[d] || part.contains(&d));
            if ready.len() == rules.len() && below {
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

    pub fn complete(&self) -> &[usize] {
        &self.complete
    }

    pub fn goal(&self) -> Option<usize> {
        self.goal
    }
}

/// New rows waiting to be followed, by key and relation: control flow is numbered so that loops settle
/// inside out. Rows without keys come last: what they gather from many rows is followed once, not once for each.
type Pending = BTreeMap<(bool, Key, usize), Bdd>;

/// By the relation whose rows are followed: head, rule, atom.
pub(super) type Followers = BTreeMap<usize, Vec<(usize, usize, usize)>>;

/// How a component of least fixed points begins.
pub(super) struct Beginning {
    pub shrinking: Vec<usize>,
    pub first: Vec<(usize, usize)>,
    pub followers: Followers,
}

impl Solver<'_> {
    /// Solves a component; stops as soon as the watched condition holds.
    pub(super) fn solve_component(&mut self, part: &[usize], watch: &Watch) -> Result<(), Halt> {
        if let [only] = part
            && !matches!(self.core.relations[*only].body, CoreBody::Rules { .. })
        {
            self.round(*only)?;
            return Ok(self.load(*only)?);
        }
        if !self.is_recursive(part) {
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

    pub(super) fn is_recursive(&self, part: &[usize]) -> bool {
        part.len() > 1 || dependencies(self.core, part[0]).contains(&part[0])
    }

    /// Whether a component's new rows are followed one by one.
    pub(super) fn is_semi_naive(&self, part: &[usize]) -> bool {
        let least = part.iter().all(|&at| self.kind(at) != RuleKind::Nu);
        least && self.settings.strategy == Strategy::SemiNaive && self.is_recursive(part)
    }

    /// All rows that the rules of a relation derive from the relations as they are.
    pub(super) fn full(&mut self, at: usize) -> Result<FxHashMap<Key, Bdd>, Stop> {
        self.round(at)?;
        let mut out = Relation::default();
        for number in 0..self.rules(at).len() {
            for (key, bits) in self.evaluate(at, number, None)? {
                if let Some(new) = out.add(&key, &bits)? {
                    self.count_new(at, number, &new);
                }
            }
        }
        Ok(out.rows().map(|(key, row)| (key.clone(), row.clone())).collect())
    }

    /// Empties what grows and fills what shrinks: the members that shrink, the rules to begin with, and those to follow.
    pub(super) fn begin(&mut self, part: &[usize], watch: &Watch) -> Result<Beginning, Stop> {
        let shrinking = self.shrinking(part);
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

    fn semi_naive(&mut self, part: &[usize], watch: &Watch) -> Result<(), Halt> {
        let Beginning { shrinking, first, followers } = self.begin(part, watch)?;
        let mut pending = Pending::new();
        for (at, number) in first {
            let rows = self.evaluate(at, number, None)?;
            self.take_in(at, number, rows, &mut pending, watch)?;
        }
        let mut stale: BTreeSet<usize> = BTreeSet::new();
        loop {
            while let Some(((_, key, at), new)) = pending.pop_first() {
                self.round(at)?;
                stale.insert(at);
                let seed = [(key, new)];
                for &(head, number, atom) in followers.get(&at).map_or(&[][..], Vec::as_slice) {
                    let rows = self.evaluate(head, number, Some((atom, &seed)))?;
                    self.take_in(head, number, rows, &mut pending, watch)?;
                }
            }
            for &at in &shrinking {
                if !dependencies(self.core, at).iter().any(|other| stale.contains(other)) {
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
                for &(head, number, atom) in followers.get(&at).map_or(&[][..], Vec::as_slice) {
                    let rows = self.evaluate(head, number, Some((atom, &lost)))?;
                    self.take_in(head, number, rows, &mut pending, watch)?;
                }
            }
            stale.clear();
            if pending.is_empty() {
                return Ok(());
            }
        }
    }

    /// The rules to begin with (head, rule), which rest on nothing that grows, and those to follow.
    fn followers(
        &self,
        part: &[usize],
        growing: &[usize],
        watch: &Watch,
    ) -> (Vec<(usize, usize)>, Followers) {
        let mut followers = Followers::new();
        let mut first = Vec::new();
        let all = growing.iter().map(|&at| (at, (0..self.rules(at).len()).collect::<Vec<_>>()));
        let watched = watch.rules.iter().map(|(&at, rules)| (at, rules.clone()));
        let members = part.iter().copied().chain(watch.rules.keys().copied()).collect::<BTreeSet<_>>();
        let empty = |at: usize| growing.contains(&at) || watch.rules.contains_key(&at);
        for (at, numbers) in all.chain(watched) {
            for number in numbers {
                let atoms = &self.rules(at)[number].atoms;
                if !atoms.iter().any(|atom| empty(atom.relation.0 as usize)) {
                    first.push((at, number));
                }
                for (position, atom) in atoms.iter().enumerate() {
                    let other = atom.relation.0 as usize;
                    if members.contains(&other) {
                        followers.entry(other).or_default().push((at, number, position));
                    }
                }
            }
        }
        (first, followers)
    }

    /// Adds what a rule derived; what is new waits to be followed.
    fn take_in(
        &mut self,
        at: usize,
        number: usize,
        rows: Vec<(Key, Bdd)>,
        pending: &mut Pending,
        watch: &Watch,
    ) -> Result<(), Halt> {
        for (key, bits) in rows {
            let Some(new) = self.relations[at].add(&key, &bits)? else { continue };
            self.count_new(at, number, &new);
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

    pub(super) fn shrinking(&self, part: &[usize]) -> Vec<usize> {
        shrinking(self.core, part)
    }
}

/// The members of a component of least fixed points that shrink while the others grow, those that others rest on
/// first.
pub fn shrinking(core: &Core, part: &[usize]) -> Vec<usize> {
    // Growing relations are reached from `mu` through an even number of negations.
    let mut shrinks: BTreeMap<usize, bool> = BTreeMap::new();
    let is_mu = |at: usize| matches!(core.relations[at].body, CoreBody::Rules { kind: RuleKind::Mu, .. });
    let mut work = part.iter().filter(|at| is_mu(**at)).map(|at| (*at, false)).collect::<Vec<_>>();
    while let Some((at, shrinking)) = work.pop() {
        if shrinks.insert(at, shrinking).is_some() {
            continue;
        }
        let CoreBody::Rules { rules, .. } = &core.relations[at].body else { continue };
        for atom in rules.iter().flat_map(|rule| &rule.atoms) {
            let other = atom.relation.0 as usize;
            if part.contains(&other) && !shrinks.contains_key(&other) {
                work.push((other, shrinking != atom.negative));
            }
        }
    }
    let members =
        shrinks.into_iter().filter(|(_, shrinking)| *shrinking).map(|(at, _)| at).collect::<Vec<_>>();
    let position = |at: usize| members.iter().position(|&member| member == at);
    let inside = |node: usize| dependencies(core, members[node]).into_iter().filter_map(position).collect();
    components(members.len(), inside).into_iter().flatten().map(|node| members[node]).collect()
}
