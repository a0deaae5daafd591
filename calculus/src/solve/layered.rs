//! Solving in layers, and remembering them: what is new in a layer follows from the layers before it.
//!
//! The layer in which a tuple appears is the least height of its derivations inside its component. Rows are otherwise
//! followed one by one in an order that is often faster (see `component`), so this is done only when a derivation is
//! wanted. Where any derivation will do, and one was found in that other order, the search in layers is given up when it
//! has done more than the other one had to; then each row is a layer, in that order.

use super::component::{Beginning, Watch};
use super::solver::{Halt, Solver};
use super::statistics::Count;
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::RuleKind;
use crate::index::IdVec;
use crate::relation::{Key, Relation};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How much makes a layer.
#[derive(Clone, Debug, Default)]
pub(super) enum Pace {
    /// All that follows from the layers before.
    #[default]
    Full,
    /// The same, until more than this was done.
    Within(Effort),
    GivenUp,
    /// One row, in the order in which rows are followed when nothing is recorded.
    Row,
}

/// What a search has done, in numbers that do not depend on the diagrams: equal searches are given up at equal places.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// How many rows were followed.
    pub rows: u64,
    /// How many tuples were found.
    pub tuples: Count,
}

/// What happened in each layer. Layers are numbered through all components, in the order of solving.
#[derive(Default)]
pub(super) struct History {
    pace: Pace,
    log: Vec<Event>,
    /// New tuples of a row, by layer.
    added: FxHashMap<(RelId, Key), Vec<(u32, Bdd)>>,
    /// The layer of a relation that was evaluated at once.
    whole: FxHashMap<RelId, u32>,
    /// The layer after which nothing happened to a relation.
    settled: FxHashMap<RelId, u32>,
    layers: u32,
}

struct Event {
    layer: u32,
    relation: RelId,
    /// Tuples came, or (for what stands for the failure of a `forall`) went.
    came: bool,
    key: Key,
    tuples: Bdd,
}

impl History {
    pub fn new(pace: Pace) -> History {
        History { pace, ..History::default() }
    }

    pub fn is_given_up(&self) -> bool {
        matches!(self.pace, Pace::GivenUp)
    }

    /// Takes what was done from what may be done.
    fn spend(&mut self, done: &Effort) {
        if let Pace::Within(left) = &mut self.pace {
            if done.rows > left.rows || done.tuples > left.tuples {
                self.pace = Pace::GivenUp;
            } else {
                left.rows -= done.rows;
                left.tuples -= &done.tuples;
            }
        }
    }

    fn begin(&mut self) -> u32 {
        self.layers += 1;
        self.layers
    }

    fn came(&mut self, layer: u32, relation: RelId, key: &Key, tuples: &Bdd) {
        self.added.entry((relation, key.clone())).or_default().push((layer, tuples.clone()));
        self.log.push(Event { layer, relation, came: true, key: key.clone(), tuples: tuples.clone() });
    }

    fn went(&mut self, layer: u32, relation: RelId, key: &Key, tuples: &Bdd) {
        self.log.push(Event { layer, relation, came: false, key: key.clone(), tuples: tuples.clone() });
    }

    /// A place to come back to.
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets what came after a mark: it is done over.
    pub fn forget(&mut self, mark: usize) {
        for event in self.log.drain(mark..).filter(|event| event.came) {
            self.added.get_mut(&(event.relation, event.key)).and_then(Vec::pop);
        }
    }

    /// These relations have just been evaluated at once.
    pub fn evaluated(&mut self, relations: &[RelId]) {
        let layer = self.begin();
        relations.iter().for_each(|&relation| {
            self.whole.insert(relation, layer);
        });
    }

    /// A relation has been solved.
    pub fn settle(&mut self, relation: RelId) {
        self.settled.insert(relation, self.layers);
    }

    /// Whether a relation was solved before a layer: only then one can tell what is not in it.
    pub fn is_settled(&self, relation: RelId, layer: u32) -> bool {
        self.settled.get(&relation).is_some_and(|settled| *settled < layer)
    }

    /// The layer of the tuples (of one row) that came first, with those that came in it.
    pub fn first(&self, relation: RelId, key: &Key, among: &Bdd) -> Result<Option<(u32, Bdd)>, Stop> {
        for (layer, tuples) in self.added.get(&(relation, key.clone())).into_iter().flatten() {
            let here = tuples.and(among)?;
            if !here.is_zero() {
                return Ok(Some((*layer, here)));
            }
        }
        Ok(self.whole.get(&relation).map(|layer| (*layer, among.clone())))
    }

    /// Takes the relations back to what they were before a layer. Earlier layers can still be asked for.
    pub fn undo(&mut self, relations: &mut IdVec<RelId, Relation>, layer: u32) -> Result<(), Stop> {
        while let Some(event) = self.log.pop_if(|event| event.layer >= layer) {
            let relation = &mut relations[event.relation];
            if event.came {
                relation.remove(&event.key, &event.tuples)?;
            } else {
                relation.add(&event.key, &event.tuples)?;
            }
        }
        Ok(())
    }
}

/// Derived rows that wait for their layer: what is watched first, then as in `component`.
type Fresh = BTreeMap<(bool, Key, RelId), Bdd>;

impl Solver<'_> {
    /// Solves a component of least fixed points; stops after the layer in which the watched condition holds, or when it is
    /// given up.
    pub(super) fn layered(&mut self, part: &[RelId], watch: &Watch) -> Result<(), Halt> {
        let Beginning { shrinking, first, followers } = self.begin(part, watch)?;
        let mut fresh = Fresh::new();
        for rule in first {
            let rows = self.evaluate(rule, None)?;
            gather(&mut fresh, watch, rule.relation, rows)?;
        }
        loop {
            let layer = self.history.begin();
            let mut came: BTreeMap<RelId, Vec<(Key, Bdd)>> = BTreeMap::new();
            let mut seen = false;
            let taken = match self.history.pace {
                Pace::Row => fresh.pop_first().into_iter().collect(),
                _ => std::mem::take(&mut fresh),
            };
            for ((_, key, at), bits) in taken {
                let Some(new) = self.relations[at].add(&key, &bits)? else { continue };
                self.history.came(layer, at, &key, &new);
                seen |= watch.goal() == Some(at) && self.is_wanted(at, &key, &new)?;
                came.entry(at).or_default().push((key, new));
            }
            if !seen && matches!(self.history.pace, Pace::Within(_)) {
                let done = self.effort(&came);
                self.history.spend(&done);
            }
            if seen || self.history.is_given_up() {
                return Err(Halt::Seen);
            }
            if came.is_empty() && fresh.is_empty() {
                for &at in &shrinking {
                    let mut now = Relation::default();
                    now.replace(self.full(at)?);
                    let lost = self.relations[at].minus(&now)?;
                    for (key, tuples) in &lost {
                        self.relations[at].remove(key, tuples)?;
                        self.history.went(layer, at, key, tuples);
                    }
                    came.entry(at).or_default().extend(lost);
                }
            }
            for (at, rows) in came.iter().filter(|(_, rows)| !rows.is_empty()) {
                self.round(*at)?;
                for &(rule, atom) in followers.get(at).map_or(&[][..], Vec::as_slice) {
                    let rows = self.evaluate(rule, Some((atom, rows)))?;
                    gather(&mut fresh, watch, rule.relation, rows)?;
                }
            }
            if came.values().all(Vec::is_empty) && fresh.is_empty() {
                return Ok(());
            }
        }
    }

    /// What rows of some relations stand for.
    fn effort(&self, rows: &BTreeMap<RelId, Vec<(Key, Bdd)>>) -> Effort {
        let mut effort = Effort::default();
        for (&at, rows) in rows {
            let vars = self.bits(at);
            effort.rows += rows.len() as u64;
            effort.tuples += rows.iter().map(|(_, row)| row.count(&vars)).sum::<Count>();
        }
        effort
    }

    /// Begins anew with what is given.
    pub(super) fn restart(&mut self, pace: Pace) {
        self.history = History::new(pace);
        for at in self.core.relations.ids() {
            if self.core.is_defined(at) {
                self.relations[at].clear();
                self.solved[at] = false;
            } else if self.solved[at] {
                self.history.settle(at);
            }
        }
    }

    /// Evaluates a relation and what it rests on, as far as it is not solved, on what is known; only where more
    /// knowledge can only add. Whether it has tuples now.
    pub(super) fn evaluate_on_known(&mut self, goal: RelId, parts: &[Vec<RelId>]) -> Result<bool, Stop> {
        let needed = self.needed(goal);
        // Where solving stopped, something is known of all members already.
        let open = parts.iter().enumerate().filter(|(number, part)| {
            self.component != number + 1 && part.iter().any(|&at| needed[at] && !self.solved[at])
        });
        let open = open.map(|(_, part)| part).collect::<Vec<_>>();
        for part in &open {
            let inside = |at: RelId| self.solved[at] || part.contains(&at);
            let mut atoms = part.iter().flat_map(|&at| self.core.atoms(at));
            let fits = atoms.all(|atom| !atom.negative || inside(atom.relation));
            if !fits || part.iter().any(|&at| self.core.kind(at) == Some(RuleKind::Nu)) {
                return Ok(false);
            }
        }
        // What recursion has not begun with may be left out: mostly, what was seen does not rest on it.
        for recursive in [false, true] {
            for part in &open {
                if recursive || !self.core.is_recursive(part) {
                    self.solve_component(part, &Watch::default()).or_else(|halt| match halt {
                        Halt::Stop(stop) => Err(stop),
                        Halt::Seen => Ok(()),
                    })?;
                }
            }
            if !self.relations[goal].is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn gather(fresh: &mut Fresh, watch: &Watch, at: RelId, rows: Vec<(Key, Bdd)>) -> Result<(), Stop> {
    for (key, bits) in rows {
        match fresh.entry((watch.goal() != Some(at), key, at)) {
            Entry::Occupied(mut there) => {
                let both = there.get().or(&bits)?;
                there.insert(both);
            }
            Entry::Vacant(place) => {
                place.insert(bits);
            }
        }
    }
    Ok(())
}
