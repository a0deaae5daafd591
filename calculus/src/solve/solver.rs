//! One run of the solver: which relations are needed, in which order, and when to stop.

use super::bind::{BoundPlan, bind};
use super::driver::{Ending, Settings};
use super::evaluate;
use super::explicit::ExplicitRelations;
use super::history::History;
use super::observer::Observer;
use super::possible::possible;
use super::watch::VerdictWatch;
use crate::bdd::{Bdd, Manager, Stop, Var};
use crate::check::tree::{RelId, System, VerdictKind};
use crate::elaborate::core::{Core, CoreBody, RuleId};
use crate::index::IdVec;
use crate::phase;
use crate::plan::Planner;
use crate::relation::{Key, Relation};
use crate::space::{Space, facts, rows};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::time::Instant;

/// Why the solver breaks off.
pub(super) enum Halt {
    Stop(Stop),
    /// The watched condition holds.
    Seen,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Halt::Stop(stop)
    }
}

/// A rule, the atom followed, and atoms left out, if any.
type BoundKey = (RuleId, Option<usize>, Option<Vec<usize>>);

pub(super) struct Solver<'a> {
    pub core: &'a Core,
    pub settings: &'a Settings,
    pub planner: Planner<'a>,
    pub space: Space,
    pub relations: IdVec<RelId, Relation>,
    pub solved: IdVec<RelId, bool>,
    bound: FxHashMap<BoundKey, BoundPlan>,
    /// The number of the component that is being solved, the first one being 1.
    pub component: usize,
    pub observer: Observer<'a>,
    /// What is remembered for derivations; nothing if none is wanted.
    pub history: Option<History>,
    /// What is solved on tuples; nothing if all is to be rows.
    pub explicit: Option<ExplicitRelations>,
}

impl<'a> Solver<'a> {
    /// A solver before it has solved anything, and the components in order. If it is to solve a relation that no rule
    /// mentions, that is its goal.
    pub fn new(
        core: &'a Core,
        settings: &'a Settings,
        goal: Option<RelId>,
    ) -> Result<(Solver<'a>, Vec<Vec<RelId>>), Stop> {
        let begin = Instant::now();
        let _planning = phase::enter_polling("planning");
        let planner = Planner::about(core, settings.frames, goal);
        let parts = planner.parts.clone();
        let planning = begin.elapsed();
        let limits = settings.limits.clone();
        let manager = Manager::new(crate::bdd::ManagerSettings { reorder: settings.reorder, limits })?;
        // What planning took is not to be told of what comes next.
        manager.check()?;
        let space = Space::new(manager, core.sorts.clone(), &planner.lanes, &core.woven)?;
        let mut observer = Observer::new(core, settings, parts.len());
        observer.phases.planning = planning;
        observer.phases.preparing = begin.elapsed() - planning;
        let solver = Solver {
            core,
            settings,
            planner,
            space,
            relations: core.relations.filled(Relation::default()),
            solved: core.relations.filled(false),
            bound: FxHashMap::default(),
            component: 0,
            observer,
            history: None,
            explicit: None,
        };
        Ok((solver, parts))
    }

    /// Decides the verdicts in order.
    pub fn run(&mut self, system: &System, parts: &[Vec<RelId>]) -> Result<Ending, Stop> {
        self.settle_impossible(system);
        for (number, verdict) in system.verdicts.iter().enumerate() {
            let Some(condition) = verdict.condition else {
                self.solve_queries(system, parts)?;
                return Ok(Ending::Verdict { number, kind: verdict.kind, early: false });
            };
            let watch = self.settings.early_stop.then_some(condition);
            match self.solve_for(condition, parts, watch) {
                Err(Halt::Stop(stop)) => return Err(stop),
                Err(Halt::Seen) => return Ok(Ending::Verdict { number, kind: verdict.kind, early: true }),
                Ok(()) => {}
            }
            if !self.is_empty(condition) {
                if !self.settings.early_stop || verdict.kind != VerdictKind::Unsafe {
                    self.solve_queries(system, parts)?;
                }
                let early = !system.queries.iter().all(|query| self.solved[query.relation]);
                return Ok(Ending::Verdict { number, kind: verdict.kind, early });
            }
        }
        self.solve_queries(system, parts)?;
        Ok(if system.verdicts.is_empty() { Ending::NoVerdicts } else { Ending::NoVerdictHolds })
    }

    /// Takes note of the conditions and queries that are empty whatever else holds: what they rest on need not be solved.
    fn settle_impossible(&mut self, system: &System) {
        let possible = possible(self.core);
        let conditions = system.verdicts.iter().filter_map(|verdict| verdict.condition);
        let goals = conditions.chain(system.queries.iter().map(|query| query.relation));
        for at in goals.filter(|at| !possible[*at] && self.core.is_defined(*at)).collect::<Vec<_>>() {
            self.solved[at] = true;
            self.set_no_tuples(at);
        }
    }

    fn solve_queries(&mut self, system: &System, parts: &[Vec<RelId>]) -> Result<(), Stop> {
        for query in &system.queries {
            match self.solve_for(query.relation, parts, None) {
                Err(Halt::Stop(stop)) => return Err(stop),
                Ok(()) | Err(Halt::Seen) => {}
            }
        }
        Ok(())
    }

    /// Solves the components that a relation rests on, in order.
    pub fn solve_for(&mut self, goal: RelId, parts: &[Vec<RelId>], watch: Option<RelId>) -> Result<(), Halt> {
        let needed = self.needed(goal);
        for (number, part) in parts.iter().enumerate() {
            if !part.iter().any(|&at| needed[at] && !self.solved[at]) {
                continue;
            }
            self.component = number + 1;
            self.observer.component(number + 1);
            let first = part.iter().find(|&&at| needed[at]).unwrap_or(&part[0]);
            let _solving = phase::enter_solving(&self.core.relations[*first].title);
            let watch = match watch {
                Some(goal) if self.is_semi_naive(part) => {
                    VerdictWatch::new(self.core, &self.solved, part, goal)
                }
                _ => VerdictWatch::default(),
            };
            self.solve_component(part, &watch)?;
            for &at in part.iter().chain(watch.complete()) {
                self.solved[at] = true;
                self.record(|history| history.settle(at));
            }
        }
        // Facts that are asked for themselves: no rule would need them.
        if self.is_unloaded(goal) {
            self.need_rows(goal)?;
        }
        Ok(())
    }

    /// Remembers something, if anything is to be remembered.
    pub fn record(&mut self, what: impl FnOnce(&mut History)) {
        if let Some(history) = &mut self.history {
            what(history);
        }
    }

    /// A relation and what it rests on, as far as that is not solved, and what these rest on.
    pub fn needed(&self, goal: RelId) -> IdVec<RelId, bool> {
        let mut needed = self.core.relations.filled(false);
        let mut work = vec![goal];
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut needed[at], true) && !self.solved[at] {
                work.extend(self.core.dependencies(at));
            }
        }
        needed
    }

    /// The bits of a relation's columns, in order.
    pub fn bits(&self, at: RelId) -> Vec<Var> {
        let places = &self.planner.placement.columns[at];
        places.iter().flat_map(|place| self.space.place_vars(*place)).copied().collect()
    }

    /// Loads a relation that is given, not defined.
    pub fn load(&mut self, at: RelId) -> Result<(), Stop> {
        let begin = Instant::now();
        let relation = &self.core.relations[at];
        let places = &self.planner.placement.columns[at];
        self.relations[at] = match &relation.body {
            CoreBody::Facts(rows) => {
                let load = || facts(&self.space, &relation.columns, places, rows);
                self.space.manager.without_reordering(load)?
            }
            CoreBody::Model(rows) => {
                rows::model(&self.space, &relation.columns, places, rows, self.settings.frames)?
            }
            CoreBody::Rules { .. } => return Ok(()),
        };
        self.observer.statistics[at].time += begin.elapsed();
        Ok(())
    }

    /// Begins another round of a relation: polls the limits and tells the progress.
    pub fn round(&mut self, at: RelId) -> Result<(), Stop> {
        self.space.manager.check()?;
        self.observer.round(at, &self.relations[at], &self.space);
        Ok(())
    }

    /// What a rule derives from the relations as they are, following `seed` if there is one.
    pub fn evaluate(
        &mut self,
        id: RuleId,
        seed: Option<(usize, &[(Key, Bdd)])>,
    ) -> Result<Vec<(Key, Bdd)>, Stop> {
        let rule = self.core.rule(id);
        for atom in &rule.atoms {
            self.need_rows(atom.relation)?;
        }
        let begin = self.observer.begin_clause(id);
        // The rows of the other atoms need not be looked up for a join with nothing.
        let from = seed.map(|(atom, _)| atom);
        let mut skip = Vec::new();
        for (position, atom) in rule.atoms.iter().enumerate() {
            let relation = &self.relations[atom.relation];
            if relation.has_all() {
                if atom.negative {
                    return Ok(Vec::new());
                }
                skip.push(position);
            } else if !atom.negative && from != Some(position) && relation.is_empty() {
                return Ok(Vec::new());
            }
        }
        let Solver { bound, space, relations, planner, .. } = self;
        let bound = match bound.entry((id, from, (!skip.is_empty()).then_some(skip))) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                let plan = planner.plan(id, from, place.key().2.as_deref().unwrap_or_default());
                place.insert(bind(space, relations, rule, &plan)?)
            }
        };
        let rows = evaluate::evaluate(space, relations, bound, seed.map(|(_, rows)| rows));
        debug_assert!(
            rows.iter().flatten().all(|(_, row)| self.is_over_columns(id.relation, row)),
            "a row of `{}` depends on more than its columns, in clause {} with seed {from:?}",
            self.core.relations[id.relation].title,
            rule.clause,
        );
        self.observer.end_clause(id, begin);
        rows
    }

    fn is_over_columns(&self, at: RelId, row: &Bdd) -> bool {
        let columns = self.bits(at);
        row.support().iter().all(|var| columns.contains(var))
    }

    /// Counts what a rule brought that was new.
    pub fn count_new(&mut self, rule: RuleId, new: &Bdd) {
        let Solver { observer, planner, space, .. } = self;
        let places = &planner.placement.columns[rule.relation];
        observer.brought(rule, new, || {
            places.iter().flat_map(|place| space.place_vars(*place)).copied().collect()
        });
    }
}
