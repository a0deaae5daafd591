//! Why a tuple is in a relation, or is not: the search that is remembered, and what is read from it.

use super::absent::Attempt;
use super::derive::{Derivation, Reading};
use super::driver::Settings;
use super::history::{Effort, History, SearchOrder};
use super::solver::{Halt, Solver};
use super::tuples;
use super::watch::VerdictWatch;
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{Core, RuleKind};
use crate::phase;
use crate::relation::{Key, Relation};
use crate::sort::Value;
use crate::space::{Place, code};

/// A scalar column of a tuple that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Whatever it is.
    Any,
    /// This value.
    Is(Value),
    /// For an opaque sort of bits.
    Bits(Vec<Option<bool>>),
}

/// What to explain.
#[derive(Clone, Debug)]
pub enum Goal {
    /// The first tuple like this.
    Tuple {
        /// The relation that it should be in.
        relation: RelId,
        /// One for each scalar column.
        pattern: Vec<Pattern>,
    },
    /// The run that a verdict's condition stands for: the relation `run` is evaluated when `condition` holds.
    /// Premises that are given are no part of it. With what it took to find the condition, explaining it does not take
    /// much more; then derivations are not always the lowest ones.
    Run {
        /// The condition of the verdict.
        condition: RelId,
        /// The relation whose derivation is the run.
        run: RelId,
        /// What finding the condition took, if that is known.
        found: Option<Effort>,
    },
    /// A strategy for all tuples like this: each is explained, and all that it rests on, whatever a `forall` asks for.
    Strategy {
        /// The relation that they are in.
        relation: RelId,
        /// One for each scalar column.
        pattern: Vec<Pattern>,
    },
}

/// A strategy is for no more tuples than these, which are looked at one by one.
pub const STRATEGY_MOST: usize = 100_000;

/// A search in layers that follows no more rows and finds no more tuples than this is not given up.
const SMALL: (u64, u32) = (1_000, 1_000_000);

/// What can be said about a goal.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// It is there, because of this.
    Present(Derivation),
    /// No such tuple; with one attempt per rule if it was asked for in full.
    Absent(Vec<Attempt>),
    /// A strategy for so many tuples is not listed: more than [`STRATEGY_MOST`].
    TooMany,
    /// A limit was reached before that was known.
    Stopped(Stop),
}

/// Explains a tuple of a system: solves what it rests on, in layers, and reads its derivation of least height. Where
/// layers take more than finding the tuple did, the derivation is read from the order in which it was found.
pub fn explain<'a>(core: &'a Core, settings: &'a Settings, goal: &Goal) -> Explanation {
    let _explaining = phase::enter_polling(phase::EXPLAINING);
    let about = match goal {
        Goal::Tuple { relation, .. } | Goal::Strategy { relation, .. } => Some(*relation),
        Goal::Run { .. } => None,
    };
    let mut ready = match Solver::new(core, settings, about) {
        Ok(ready) => ready,
        Err(stop) => return Explanation::Stopped(stop),
    };
    let (solver, parts) = (&mut ready.0, &ready.1);
    solver.explain(goal, parts).unwrap_or_else(Explanation::Stopped)
}

/// Plays a strategy, move by move, where it is for too many tuples to list.
pub struct Player<'a> {
    solver: Solver<'a>,
    parts: Vec<Vec<RelId>>,
}

impl<'a> Player<'a> {
    /// Solves what a relation rests on, and remembers how.
    pub fn new(core: &'a Core, settings: &'a Settings, relation: RelId) -> Result<Player<'a>, Stop> {
        let (mut solver, parts) = Solver::new(core, settings, Some(relation))?;
        solver.solve_ranked(relation, &parts)?;
        Ok(Player { solver, parts })
    }

    /// The rule by which a tuple is there, and what it rests on, which is not explained. Nothing if it is not there.
    pub fn choose(&mut self, relation: RelId, tuple: &[Value]) -> Result<Option<Derivation>, Stop> {
        self.solver.redo()?;
        if !self.solver.is_there(relation, tuple)? {
            return Ok(None);
        }
        let layer = self.solver.came(relation, tuple)?;
        self.solver.derive(vec![(relation, layer, tuple.to_vec())], &self.parts, Reading::MOVE).map(Some)
    }
}

/// A small search may take more than finding the tuple did: the lowest derivation is worth it.
fn at_least_small(found: Effort) -> Effort {
    Effort { rows: found.rows.max(SMALL.0), tuples: found.tuples.max(SMALL.1.into()) }
}

impl Solver<'_> {
    fn solve_ranked(&mut self, relation: RelId, parts: &[Vec<RelId>]) -> Result<(), Stop> {
        self.restart(History::ranked());
        match self.solve_for(relation, parts, None) {
            Err(Halt::Stop(stop)) => Err(stop),
            Ok(()) | Err(Halt::Seen) => Ok(()),
        }
    }

    fn explain(&mut self, goal: &Goal, parts: &[Vec<RelId>]) -> Result<Explanation, Stop> {
        match goal {
            Goal::Tuple { relation, pattern } => {
                let wanted = || Some(pattern.clone());
                self.restart(History::new(SearchOrder::Rows, wanted()));
                self.solve_recorded(*relation, parts)?;
                if self.earliest(*relation, pattern)?.is_none() {
                    let known = self.known(*relation, pattern);
                    return Ok(Explanation::Absent(self.attempts(&mut vec![(*relation, known)])?));
                }
                let found = self.effort();
                self.restart(History::within(found, wanted()));
                self.solve_recorded(*relation, parts)?;
                if self.is_given_up() {
                    self.restart(History::new(SearchOrder::Rows, wanted()));
                    self.solve_recorded(*relation, parts)?;
                }
                self.derivation(*relation, pattern, parts, Reading::EXPLANATION)
            }
            Goal::Strategy { relation, pattern } => {
                self.solve_ranked(*relation, parts)?;
                self.strategy(*relation, pattern, parts)
            }
            Goal::Run { condition, run, found } => {
                self.restart(match found {
                    Some(found) => History::within(at_least_small(found.clone()), None),
                    None => History::new(SearchOrder::Layers, None),
                });
                self.solve_run(*condition, *run, parts)?;
                if self.is_given_up() {
                    self.restart(History::new(SearchOrder::Rows, None));
                    self.solve_run(*condition, *run, parts)?;
                }
                self.derivation(*run, &[], parts, Reading::RUN)
            }
        }
    }

    /// The derivation of the first tuple that matches.
    fn derivation(
        &mut self,
        at: RelId,
        pattern: &[Pattern],
        parts: &[Vec<RelId>],
        reading: Reading,
    ) -> Result<Explanation, Stop> {
        match self.earliest(at, pattern)? {
            Some((layer, tuple)) => {
                Ok(Explanation::Present(self.derive(vec![(at, layer, tuple)], parts, reading)?))
            }
            None => Ok(Explanation::Absent(Vec::new())),
        }
    }

    /// The derivations of all tuples that match, together.
    fn strategy(
        &mut self,
        at: RelId,
        pattern: &[Pattern],
        parts: &[Vec<RelId>],
    ) -> Result<Explanation, Stop> {
        let mut matching = Relation::default();
        let relation = &self.relations[at];
        let mut rows = Vec::new();
        for (key, _) in relation.sorted() {
            let bits = self.matching(at, key, &relation.expanded(key)?, pattern)?;
            if !bits.is_zero() {
                rows.push((key.clone(), bits));
            }
        }
        matching.replace(rows.into_iter().collect());
        let (scalars, places) = (&self.core.relations[at].columns, &self.planner.placement.columns[at]);
        if tuples::count(&self.space, places, &matching) > STRATEGY_MOST.into() {
            return Ok(Explanation::TooMany);
        }
        let tuples = tuples::first(&self.space, scalars, places, &matching, STRATEGY_MOST)?;
        let mut roots = Vec::new();
        for tuple in tuples {
            roots.push((at, self.came(at, &tuple)?, tuple));
        }
        if roots.is_empty() {
            return Ok(Explanation::Absent(Vec::new()));
        }
        Ok(Explanation::Present(self.derive(roots, parts, Reading::STRATEGY)?))
    }

    fn is_given_up(&self) -> bool {
        self.history.as_ref().is_some_and(History::is_given_up)
    }

    /// What a search in layers may do for a tuple that was found in the order of rows: as much as was done for that. A
    /// small search is never given up.
    fn effort(&self) -> Effort {
        let defined = self.core.relations.ids().filter(|&at| self.core.is_defined(at));
        let count =
            |at: RelId| tuples::count(&self.space, &self.planner.placement.columns[at], &self.relations[at]);
        let found = Effort {
            rows: self.history.as_ref().map_or(0, History::followed),
            tuples: defined.map(count).sum(),
        };
        at_least_small(found)
    }

    /// Solves until a condition holds, and then a relation.
    fn solve_run(&mut self, condition: RelId, run: RelId, parts: &[Vec<RelId>]) -> Result<(), Stop> {
        self.solve_recorded(condition, parts)?;
        let done = self.is_given_up() || run == condition || self.evaluate_on_known(run, parts)?;
        if done { Ok(()) } else { self.solve_recorded(run, parts) }
    }

    /// Begins anew with what is given.
    fn restart(&mut self, history: History) {
        self.history = Some(history);
        for at in self.core.relations.ids() {
            if self.core.is_defined(at) {
                self.relations[at].clear();
                self.solved[at] = false;
            } else if self.solved[at] {
                self.record(|history| history.settle(at));
            }
        }
    }

    /// Evaluates a relation and what it rests on, as far as it is not solved, on what is known; only where more
    /// knowledge can only add. Whether it has tuples now.
    fn evaluate_on_known(&mut self, goal: RelId, parts: &[Vec<RelId>]) -> Result<bool, Stop> {
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
                    self.solve_component(part, &VerdictWatch::default()).or_else(|halt| match halt {
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

    fn solve_recorded(&mut self, goal: RelId, parts: &[Vec<RelId>]) -> Result<(), Stop> {
        match self.solve_for(goal, parts, Some(goal)) {
            Err(Halt::Stop(stop)) => Err(stop),
            Ok(()) | Err(Halt::Seen) => Ok(()),
        }
    }

    /// Whether new tuples of the goal are those that are asked for.
    pub(super) fn is_wanted(&self, at: RelId, key: &Key, tuples: &Bdd) -> Result<bool, Stop> {
        match self.history.as_ref().and_then(|history| history.wanted.as_ref()) {
            Some(pattern) => Ok(!self.matching(at, key, tuples, pattern)?.is_zero()),
            None => Ok(true),
        }
    }

    /// The tuples of a row that match.
    fn matching(&self, at: RelId, key: &Key, tuples: &Bdd, pattern: &[Pattern]) -> Result<Bdd, Stop> {
        let scalars = &self.core.relations[at].columns;
        let mut bits = tuples.clone();
        for ((pattern, place), scalar) in pattern.iter().zip(&self.planner.placement.columns[at]).zip(scalars)
        {
            match (pattern, place) {
                (Pattern::Any, _) | (Pattern::Bits(_), Place::Key(_)) => {}
                (Pattern::Is(value), Place::Key(position)) => {
                    if u64::from(key[*position]) != code(&self.space.sorts, scalar.sort, value) {
                        return Ok(self.space.manager.zero());
                    }
                }
                (Pattern::Is(value), Place::Bits { lane, slot }) => {
                    bits = bits.and(&self.space.is_value(*lane, *slot, value)?)?;
                }
                (Pattern::Bits(wanted), Place::Bits { lane, slot }) => {
                    for (var, wanted) in self.space.vars(*lane, *slot).iter().zip(wanted) {
                        if let Some(wanted) = wanted {
                            bits = bits.and(&self.space.manager.literal(*var, *wanted))?;
                        }
                    }
                }
            }
        }
        Ok(bits)
    }

    /// The least tuple among the first ones that match, with its layer.
    pub(super) fn earliest(&self, at: RelId, pattern: &[Pattern]) -> Result<Option<(u32, Vec<Value>)>, Stop> {
        let relation = &self.relations[at];
        let mut best: Option<(u32, Vec<(Key, Bdd)>)> = None;
        for (key, _) in relation.sorted() {
            let bits = self.matching(at, key, &relation.expanded(key)?, pattern)?;
            if bits.is_zero() {
                continue;
            }
            let (layer, first) = self.first(at, key, &bits)?.unwrap_or((0, bits));
            match &mut best {
                Some((least, rows)) if *least == layer => rows.push((key.clone(), first)),
                Some((least, _)) if *least < layer => {}
                _ => best = Some((layer, vec![(key.clone(), first)])),
            }
        }
        let Some((layer, rows)) = best else { return Ok(None) };
        let mut some = Relation::default();
        some.replace(rows.into_iter().collect());
        let scalars = &self.core.relations[at].columns;
        let tuple = tuples::first(&self.space, scalars, &self.planner.placement.columns[at], &some, 1)?.pop();
        Ok(tuple.map(|tuple| (layer, tuple)))
    }
}
