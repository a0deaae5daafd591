//! The round loop: a component of least fixed points, solved semi-naively.
//!
//! Rules derive rows; what is new in them is added to its relation; what was added is followed: the rules that mention the
//! relation are evaluated for these rows alone. Two orders are possible. One row after another, by key, each being added
//! as soon as it is derived, is often the faster one. In layers, all that follows from the layers before is added at
//! once, so that the layer of a tuple is the least height of its derivations.
//!
//! The `mu` relations of a component only grow. An auxiliary relation that stands for the failure of a `forall` only
//! shrinks while they grow; it is evaluated anew when nothing grows any more, and what it lost is followed like new rows
//! are.

use super::history::{Effort, SearchOrder};
use super::nest::NestStart;
use super::solver::{Halt, Solver};
use super::watch::VerdictWatch;
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{CoreBody, RuleId};
use crate::plan::shrinking;
use crate::relation::{Key, Relation};
use smallvec::{SmallVec, smallvec};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that wait, by key and relation: to be followed in the order of rows, to be added in layers. Control flow is
/// numbered so that loops settle inside out. Rows without keys come last: what they gather from many rows is followed
/// once, not once for each.
type WaitingRows = BTreeMap<(Turn, Key, RelId), Bdd>;

/// When a row is followed. A row without keys has two turns: the rules that lead from its relation to itself settle
/// first, and only then the others follow all that came of it at once. A wide join is not repeated for each small
/// difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// With keys, by all rules.
    Keyed,
    /// Without keys, by the rules of the loop inside.
    Inner,
    /// Without keys, by the others.
    Outer,
}

/// Rows that were added, or lost, and are to be followed now. Mostly there is one.
type Recent = SmallVec<[(RelId, Turn, SmallVec<[(Key, Bdd); 1]>); 1]>;

/// By the relation whose rows are followed: the rule and its atom.
type Followers = BTreeMap<RelId, Vec<Follower>>;

#[derive(Clone, Copy)]
struct Follower {
    rule: RuleId,
    atom: usize,
    /// It belongs to the loop inside, or is watched.
    is_inner: bool,
}

impl Follower {
    fn has_turn(&self, turn: Turn) -> bool {
        turn == Turn::Keyed || self.is_inner == (turn == Turn::Inner)
    }
}

impl Solver<'_> {
    /// Solves a component. Stops when the watched condition holds, in layers after the whole layer; or when the search is
    /// given up.
    pub(super) fn semi_naive(
        &mut self,
        part: &[RelId],
        watch: &VerdictWatch,
        start: NestStart,
    ) -> Result<(), Halt> {
        let shrinking = shrinking(self.core, part);
        let growing = part.iter().copied().filter(|at| !shrinking.contains(at)).collect::<Vec<_>>();
        // What changed outside is followed as if it belonged to the component.
        let (is_anew, changes) = match start {
            NestStart::Solved => return Ok(()),
            NestStart::Anew => (true, Vec::new()),
            NestStart::From(changes) => (false, changes),
        };
        let changed = changes.iter().map(|(at, _)| *at).collect::<Vec<_>>();
        let (first, followers) = self.followers(part, &growing, &changed, watch);
        let mut waiting = WaitingRows::new();
        let changes = changes.into_iter().map(|(at, rows)| (at, Turn::Keyed, rows.into()));
        let mut recent = changes.collect::<Recent>();
        let mut stale = changed.into_iter().collect::<BTreeSet<_>>();
        if is_anew {
            for &at in growing.iter().chain(watch.rules.keys()) {
                self.relations[at].clear();
            }
            for &at in &shrinking {
                let rows = self.full(at)?;
                self.relations[at].replace(rows);
            }
            for rule in first {
                let rows = self.evaluate(rule, None)?;
                self.derived(rule, rows, &mut waiting, watch)?;
            }
        } else {
            let lost = self.shrink(&shrinking, &mut stale)?;
            recent.extend(lost);
        }
        loop {
            for (at, turn, rows) in &recent {
                let followers = followers.get(at).map_or(&[][..], Vec::as_slice);
                for follower in followers.iter().filter(|follower| follower.has_turn(*turn)) {
                    let rows = self.evaluate(follower.rule, Some((follower.atom, rows)))?;
                    self.derived(follower.rule, rows, &mut waiting, watch)?;
                }
            }
            recent = self.next(&mut waiting, watch)?;
            for (at, turn, rows) in &recent {
                let others = followers.get(at).map_or(&[][..], Vec::as_slice);
                if *turn == Turn::Inner && others.iter().any(|follower| follower.has_turn(Turn::Outer)) {
                    wait(&mut waiting, (Turn::Outer, *at), rows)?;
                }
            }
            for (at, ..) in recent.iter().filter(|(_, turn, _)| *turn != Turn::Outer) {
                self.round(*at)?;
                stale.insert(*at);
            }
            if recent.is_empty() {
                recent = self.shrink(&shrinking, &mut stale)?;
            }
            if recent.is_empty() {
                return Ok(());
            }
        }
    }

    /// The rules to begin with, which rest on nothing that grows, and those to follow.
    fn followers(
        &self,
        part: &[RelId],
        growing: &[RelId],
        changed: &[RelId],
        watch: &VerdictWatch,
    ) -> (Vec<RuleId>, Followers) {
        let mut followers = Followers::new();
        let mut first = Vec::new();
        let all = growing.iter().flat_map(|&at| self.core.rule_ids(at));
        let watched = watch.rules.values().flatten().copied();
        let members = part.iter().chain(changed).chain(watch.rules.keys()).copied().collect::<BTreeSet<_>>();
        // The steps of a model are short, and the rules about them settle by themselves.
        let of_model = self.core.relations.iter().any(|given| matches!(given.body, CoreBody::Model(_)));
        let empty = |at: RelId| growing.contains(&at) || watch.rules.contains_key(&at);
        for rule in all.chain(watched) {
            let atoms = &self.core.rule(rule).atoms;
            if !atoms.iter().any(|atom| empty(atom.relation)) {
                first.push(rule);
            }
            for (position, atom) in atoms.iter().enumerate() {
                if members.contains(&atom.relation) {
                    let others = atoms.iter().enumerate().filter(|(at, _)| *at != position);
                    let mut others = others.map(|(_, atom)| atom.relation);
                    let is_loop = rule.relation == atom.relation && !others.any(|at| members.contains(&at));
                    let is_inner = is_loop || of_model || watch.rules.contains_key(&rule.relation);
                    let follower = Follower { rule, atom: position, is_inner };
                    followers.entry(atom.relation).or_default().push(follower);
                }
            }
        }
        (first, followers)
    }

    fn order(&self) -> SearchOrder {
        self.history.as_ref().map_or(SearchOrder::Rows, |history| history.order())
    }

    /// Takes what a rule derived: adds it, or keeps it for the next layer.
    fn derived(
        &mut self,
        rule: RuleId,
        rows: Vec<(Key, Bdd)>,
        waiting: &mut WaitingRows,
        watch: &VerdictWatch,
    ) -> Result<(), Halt> {
        let at = rule.relation;
        let order = self.order();
        for (key, bits) in rows {
            let bits = match order {
                SearchOrder::Layers => bits,
                SearchOrder::Rows => {
                    let Some(new) = self.relations[at].add(&key, &bits)? else { continue };
                    self.count_new(rule, &new);
                    self.record(|history| history.record_added_alone(at, &key, &new));
                    if watch.goal() == Some(at) && self.is_wanted(at, &key, &new)? {
                        return Err(Halt::Seen);
                    }
                    new
                }
            };
            let turn = if key.is_empty() { Turn::Inner } else { Turn::Keyed };
            wait(waiting, (turn, at), &[(key, bits)])?;
        }
        Ok(())
    }

    /// What is to be followed next: the first row that waits, or all that is new in the next layer.
    fn next(&mut self, waiting: &mut WaitingRows, watch: &VerdictWatch) -> Result<Recent, Halt> {
        if self.order() == SearchOrder::Rows {
            let first = waiting.pop_first();
            let is_new = first.as_ref().is_some_and(|((turn, ..), _)| *turn != Turn::Outer);
            self.record(|history| history.follow(u64::from(is_new)));
            let first = first.map(|((turn, key, at), new)| (at, turn, smallvec![(key, new)]));
            return Ok(first.into_iter().collect());
        }
        let mut came: BTreeMap<RelId, SmallVec<[(Key, Bdd); 1]>> = BTreeMap::new();
        let mut seen = false;
        self.record(|history| history.begin_layer());
        for ((_, key, at), bits) in std::mem::take(waiting) {
            let Some(new) = self.relations[at].add(&key, &bits)? else { continue };
            self.record(|history| history.record_added(at, &key, &new));
            seen |= watch.goal() == Some(at) && self.is_wanted(at, &key, &new)?;
            came.entry(at).or_default().push((key, new));
        }
        let recent = came.into_iter().map(|(at, rows)| (at, Turn::Keyed, rows)).collect::<Recent>();
        if seen || self.is_given_up_after(&recent) {
            return Err(Halt::Seen);
        }
        Ok(recent)
    }

    /// Whether a search in layers has done more than it may, with these rows.
    fn is_given_up_after(&mut self, recent: &Recent) -> bool {
        if !self.history.as_ref().is_some_and(|history| history.is_bounded()) {
            return false;
        }
        let mut effort = Effort::default();
        for (at, _, rows) in recent {
            let bits = self.bits(*at);
            effort.rows += rows.len() as u64;
            effort.tuples += rows.iter().map(|(_, row)| row.count(&bits)).sum::<super::Count>();
        }
        self.history.as_mut().is_some_and(|history| history.spend(&effort))
    }

    /// Evaluates anew what shrinks, where something that it rests on is stale: what was lost.
    fn shrink(&mut self, shrinking: &[RelId], stale: &mut BTreeSet<RelId>) -> Result<Recent, Stop> {
        let mut recent = Recent::new();
        for &at in shrinking {
            if self.core.dependencies(at).is_disjoint(stale) {
                continue;
            }
            let mut now = Relation::default();
            now.replace(self.full(at)?);
            let lost = self.relations[at].minus(&now)?;
            if !lost.is_empty() {
                stale.insert(at);
                self.relations[at].replace(now.rows().map(|(key, row)| (key.clone(), row.clone())).collect());
                self.record(|history| history.record_removed(at, &lost));
                recent.push((at, Turn::Keyed, lost.into()));
            }
        }
        stale.clear();
        Ok(recent)
    }
}

/// Lets rows wait, with those that wait already.
fn wait(waiting: &mut WaitingRows, (turn, at): (Turn, RelId), rows: &[(Key, Bdd)]) -> Result<(), Stop> {
    for (key, bits) in rows {
        match waiting.entry((turn, key.clone(), at)) {
            Entry::Occupied(mut there) => {
                let both = there.get().or(bits)?;
                there.insert(both);
            }
            Entry::Vacant(place) => {
                place.insert(bits.clone());
            }
        }
    }
    Ok(())
}
