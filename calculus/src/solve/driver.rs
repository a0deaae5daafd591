//! One run of the solver: which relations are needed, in which order, and when to stop.

use super::component::Watch;
use super::derive::Pattern;
use super::evaluate;
use super::kept::Kept;
use super::layered::History;
use super::rule::{Ready, Workshop};
use super::samples::{Sample, Samples};
use super::statistics::{ClauseStats, Phases, RelationStats, Statistics};
use super::tuples::{self, Tuples};
use crate::bdd::{Bdd, Limits, Manager, Reorder, Stop};
use crate::check::tree::{RelId, System, VerdictKind};
use crate::elaborate::core::{Core, CoreBody, Rule, RuleKind};
use crate::graph::components;
use crate::phase;
use crate::plan::{Lanes, Placement, place};
use crate::relation::{Key, Relation};
use crate::space::{Space, rows};
use crate::span::Span;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    #[default]
    SemiNaive,
    Naive,
}

/// How to solve. None of it changes an answer; limits may keep it from being found.
#[derive(Clone)]
pub struct Settings {
    pub strategy: Strategy,
    pub early_stop: bool,
    /// Keep what an edge of a model leaves alone as equalities, not in BDDs.
    pub frames: bool,
    pub reorder: Reorder,
    pub limits: Limits,
    /// Count the tuples each clause brings, and the time it takes; costs time.
    pub clauses: bool,
    /// Count the tuples and nodes of all relations at the end; costs time.
    pub sizes: bool,
    /// Sample how the relations grow.
    pub samples: bool,
    /// How many tuples of an open query to list.
    pub list: usize,
    /// Is told what is being done.
    pub progress: Option<Rc<dyn Fn(&Progress)>>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            strategy: Strategy::SemiNaive,
            early_stop: true,
            frames: true,
            reorder: Reorder::Auto,
            limits: Limits::default(),
            clauses: false,
            sizes: true,
            samples: false,
            list: 20,
            progress: None,
        }
    }
}

/// What is being done right now.
#[derive(Clone, Debug)]
pub struct Progress {
    pub relation: Arc<str>,
    /// The clause that is being evaluated.
    pub clause: Option<Arc<str>>,
    pub component: usize,
    pub components: usize,
    pub round: u64,
    pub rows: usize,
    pub nodes: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Answer {
    pub ending: Ending,
    pub queries: Vec<QueryAnswer>,
    pub statistics: Statistics,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The position of the verdict that holds; `early` if it was seen before everything was solved.
    Verdict {
        number: usize,
        kind: VerdictKind,
        early: bool,
    },
    /// The file has verdicts, and none holds.
    NoVerdictHolds,
    /// The file has no verdicts.
    NoVerdicts,
    Stopped(Stop),
}

#[derive(Clone, Debug)]
pub struct QueryAnswer {
    pub query: usize,
    /// Nothing if the run ended before the query was solved.
    pub tuples: Option<Tuples>,
    /// The verdict was clear before: these are the tuples that what is known so far gives, and there may be more.
    pub partial: bool,
}

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

struct Telling {
    names: Vec<(Arc<str>, Vec<Arc<str>>)>,
    now: Progress,
}

impl Telling {
    fn new(core: &Core, components: usize) -> Telling {
        let names = core.relations.iter().map(|relation| {
            let clauses = relation.clauses.iter().map(|(name, _)| Arc::from(&**name));
            (Arc::from(relation.title.as_str()), clauses.collect())
        });
        let relation = Arc::from("");
        let now = Progress { relation, clause: None, component: 0, components, round: 0, rows: 0, nodes: 0 };
        Telling { names: names.collect(), now }
    }
}

/// Relation, rule, the atom followed, and atoms left out, if any.
type ReadyKey = (usize, usize, Option<usize>, Option<Vec<usize>>);

pub(super) struct Solver<'a> {
    pub core: &'a Core,
    pub settings: &'a Settings,
    pub placement: Placement,
    pub space: Space,
    pub relations: Vec<Relation>,
    pub solved: Vec<bool>,
    ready: FxHashMap<ReadyKey, Ready>,
    pub statistics: Vec<RelationStats>,
    pub component: usize,
    /// What was told last, with the names of all relations and their clauses; nothing if nobody listens.
    telling: Option<Telling>,
    pub phases: Phases,
    /// Solve in layers and remember them.
    pub recording: bool,
    pub history: History,
    /// What the watched condition is to look like, if it has columns.
    pub wanted: Option<Vec<Pattern>>,
}

/// Solves a system: decides its verdicts in order, and answers its queries.
pub fn solve<'a>(system: &System, core: &'a Core, settings: &'a Settings) -> Answer {
    solve_with(system, core, settings, None)
}

/// Solves a system after others that share definitions with it: what those solved is not solved again.
pub fn solve_on<'a>(system: &System, core: &'a Core, settings: &'a Settings, kept: &mut Kept) -> Answer {
    solve_with(system, core, settings, Some(kept))
}

fn solve_with<'a>(
    system: &System,
    core: &'a Core,
    settings: &'a Settings,
    mut kept: Option<&mut Kept>,
) -> Answer {
    let begin = Instant::now();
    let (mut solver, parts) = match Solver::new(core, settings) {
        Ok(ready) => ready,
        Err(stop) => {
            let queries = (0..system.queries.len())
                .map(|query| QueryAnswer { query, tuples: None, partial: false })
                .collect();
            return Answer { ending: Ending::Stopped(stop), queries, statistics: Statistics::default() };
        }
    };
    let brought = kept.as_mut().map_or(Ok(()), |kept| kept.bring(&mut solver));
    let ending = brought.and_then(|()| solver.run(system, &parts)).unwrap_or_else(Ending::Stopped);
    let ran = Instant::now();
    // What is evaluated for the queries only now counts for their clauses.
    let evaluated = solver.evaluation_time();
    let listing = phase::enter_polling("listing tuples");
    let (ending, queries) = solver.answer_queries(system, ending);
    drop(listing);
    let counted = Instant::now();
    let evaluated = solver.evaluation_time() - evaluated;
    solver.phases.listing += (counted - ran).saturating_sub(evaluated);
    let time = begin.elapsed();
    let _counting = phase::enter_polling("counting tuples");
    let mut statistics = solver.collect_statistics(system, time);
    statistics.phases.counting += counted.elapsed();
    statistics.time = begin.elapsed();
    if let Some(kept) = kept {
        kept.remember(&solver);
    }
    Answer { ending, queries, statistics }
}

fn empty_statistics(relation: &crate::elaborate::core::CoreRelation) -> RelationStats {
    let clauses = relation.clauses.iter().map(|(name, span)| ClauseStats {
        name: name.to_string(),
        span: *span,
        ..Default::default()
    });
    RelationStats {
        title: relation.title.clone(),
        span: Span::default(),
        rounds: 0,
        rows: 0,
        tuples: BigUint::ZERO,
        nodes: 0,
        samples: Samples::default(),
        time: Duration::ZERO,
        complete: false,
        kept: false,
        clauses: clauses.collect(),
    }
}

/// The relations that a relation's rules mention.
pub(super) fn dependencies(core: &Core, at: usize) -> Vec<usize> {
    let CoreBody::Rules { rules, .. } = &core.relations[at].body else { return Vec::new() };
    let all = rules.iter().flat_map(|rule| &rule.atoms).map(|atom| atom.relation.0 as usize);
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

impl<'a> Solver<'a> {
    /// A solver before it has solved anything, and the components in order.
    pub fn new(core: &'a Core, settings: &'a Settings) -> Result<(Solver<'a>, Vec<Vec<usize>>), Stop> {
        let begin = Instant::now();
        let _planning = phase::enter_polling("planning");
        let lanes = Lanes::new(core);
        let parts = components(core.relations.len(), |at| dependencies(core, at));
        let placement = place(core, &lanes, &parts);
        let planning = begin.elapsed();
        let manager =
            Manager::new(crate::bdd::Settings { reorder: settings.reorder, limits: settings.limits.clone() });
        let space = Space::new(manager, core.sorts.clone(), &placement.arrangement(&lanes))?;
        let count = core.relations.len();
        let telling = settings.progress.is_some().then(|| Telling::new(core, parts.len()));
        let solver = Solver {
            core,
            settings,
            placement,
            space,
            relations: vec![Relation::default(); count],
            solved: vec![false; count],
            ready: FxHashMap::default(),
            statistics: core.relations.iter().map(empty_statistics).collect(),
            component: 0,
            telling,
            phases: Phases { planning, preparing: begin.elapsed() - planning, ..Phases::default() },
            recording: false,
            history: History::default(),
            wanted: None,
        };
        Ok((solver, parts))
    }

    fn run(&mut self, system: &System, parts: &[Vec<usize>]) -> Result<Ending, Stop> {
        for (number, verdict) in system.verdicts.iter().enumerate() {
            let Some(condition) = verdict.condition else {
                self.solve_queries(system, parts)?;
                return Ok(Ending::Verdict { number, kind: verdict.kind, early: false });
            };
            let watch = self.settings.early_stop.then_some(condition.0 as usize);
            match self.solve_for(condition, parts, watch) {
                Err(Halt::Stop(stop)) => return Err(stop),
                Err(Halt::Seen) => return Ok(Ending::Verdict { number, kind: verdict.kind, early: true }),
                Ok(()) => {}
            }
            if !self.relations[condition.0 as usize].is_empty() {
                if !self.settings.early_stop || verdict.kind != VerdictKind::Unsafe {
                    self.solve_queries(system, parts)?;
                }
                let early = !system.queries.iter().all(|query| self.solved[query.relation.0 as usize]);
                return Ok(Ending::Verdict { number, kind: verdict.kind, early });
            }
        }
        self.solve_queries(system, parts)?;
        Ok(if system.verdicts.is_empty() { Ending::NoVerdicts } else { Ending::NoVerdictHolds })
    }

    fn solve_queries(&mut self, system: &System, parts: &[Vec<usize>]) -> Result<(), Stop> {
        for query in &system.queries {
            match self.solve_for(query.relation, parts, None) {
                Err(Halt::Stop(stop)) => return Err(stop),
                Ok(()) | Err(Halt::Seen) => {}
            }
        }
        Ok(())
    }

    /// Solves the components that a relation rests on, in order.
    pub fn solve_for(&mut self, goal: RelId, parts: &[Vec<usize>], watch: Option<usize>) -> Result<(), Halt> {
        let mut needed = vec![false; self.core.relations.len()];
        let mut work = vec![goal.0 as usize];
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut needed[at], true) && !self.solved[at] {
                work.extend(dependencies(self.core, at));
            }
        }
        for (number, part) in parts.iter().enumerate() {
            if !part.iter().any(|&at| needed[at] && !self.solved[at]) {
                continue;
            }
            self.component = number + 1;
            let first = part.iter().find(|&&at| needed[at]).unwrap_or(&part[0]);
            let _solving = phase::enter_solving(&self.core.relations[*first].title);
            let watch = match watch {
                Some(goal) if self.is_semi_naive(part) => Watch::new(self.core, &self.solved, part, goal),
                _ => Watch::default(),
            };
            self.solve_component(part, &watch)?;
            for &at in part.iter().chain(watch.complete()) {
                self.solved[at] = true;
                self.history.settle(at);
            }
        }
        Ok(())
    }

    pub fn rules(&self, at: usize) -> &'a [Rule] {
        match &self.core.relations[at].body {
            CoreBody::Rules { rules, .. } => rules,
            _ => &[],
        }
    }

    pub fn kind(&self, at: usize) -> RuleKind {
        match &self.core.relations[at].body {
            CoreBody::Rules { kind, .. } => *kind,
            _ => RuleKind::Inline,
        }
    }

    /// Loads a relation that is given, not defined.
    pub fn load(&mut self, at: usize) -> Result<(), Stop> {
        let begin = Instant::now();
        let relation = &self.core.relations[at];
        let places = &self.placement.columns[at];
        self.relations[at] = match &relation.body {
            CoreBody::Facts(rows) => rows::facts(&self.space, &relation.columns, places, rows)?,
            CoreBody::Model(rows) => {
                rows::model(&self.space, &relation.columns, places, rows, self.settings.frames)?
            }
            CoreBody::Rules { .. } => return Ok(()),
        };
        self.statistics[at].time += begin.elapsed();
        Ok(())
    }

    /// What a rule derives from the relations as they are, following `seed` if there is one.
    pub fn evaluate(
        &mut self,
        at: usize,
        number: usize,
        seed: Option<(usize, &[(Key, Bdd)])>,
    ) -> Result<Vec<(Key, Bdd)>, Stop> {
        self.tell_clause(at, number);
        let begin = self.settings.clauses.then(Instant::now);
        let rule = &self.rules(at)[number];
        // The rows of the other atoms need not be made ready for a join with nothing.
        let from = seed.map(|(atom, _)| atom);
        let mut skip = Vec::new();
        for (position, atom) in rule.atoms.iter().enumerate() {
            let relation = &self.relations[atom.relation.0 as usize];
            if relation.is_top() {
                if atom.negative {
                    return Ok(Vec::new());
                }
                skip.push(position);
            } else if !atom.negative && from != Some(position) && relation.is_empty() {
                return Ok(Vec::new());
            }
        }
        let Solver { ready, space, relations, placement, core, .. } = self;
        let ready = match ready.entry((at, number, from, (!skip.is_empty()).then_some(skip))) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(place) => {
                let (places, columns) = (&placement.vars[at][number], &placement.columns);
                let sorts = core.relations[at].columns.iter().map(|column| column.sort);
                let head = columns[at].iter().copied().zip(sorts).collect::<Vec<_>>();
                let skip = place.key().3.clone().unwrap_or_default();
                place.insert(
                    Workshop { space, relations, columns, core }.make(&head, rule, places, from, &skip)?,
                )
            }
        };
        let rows = evaluate::evaluate(space, relations, ready, seed.map(|(_, rows)| rows));
        debug_assert!(
            rows.iter().flatten().all(|(_, row)| self.is_over_columns(at, row)),
            "a row of `{}` depends on more than its columns, in clause {} with seed {from:?}",
            self.core.relations[at].title,
            rule.clause,
        );
        let owner = self.core.relations[at].owner.0 as usize;
        let stats = &mut self.statistics[owner];
        let elapsed = begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        stats.time += elapsed;
        if let Some(clause) = stats.clauses.get_mut(rule.clause) {
            clause.rounds += u64::from(at == owner);
            clause.time += elapsed;
        }
        rows
    }

    fn is_over_columns(&self, at: usize, row: &Bdd) -> bool {
        let columns = &self.placement.columns[at];
        row.support()
            .iter()
            .all(|var| columns.iter().any(|place| self.space.place_vars(*place).contains(var)))
    }

    /// Counts what a clause brought that was new.
    pub fn count_new(&mut self, at: usize, number: usize, new: &Bdd) {
        if self.core.relations[at].owner.0 as usize != at {
            return;
        }
        let clause = self.rules(at)[number].clause;
        let counts = self.settings.clauses.then(|| {
            let begin = Instant::now();
            let vars =
                self.placement.columns[at].iter().flat_map(|place| self.space.place_vars(*place).to_vec());
            let counts = (new.count(&vars.collect::<Vec<_>>()), new.node_count());
            self.phases.counting += begin.elapsed();
            counts
        });
        let Some(stats) = self.statistics[at].clauses.get_mut(clause) else { return };
        stats.rows += 1;
        if let Some((tuples, nodes)) = counts {
            stats.tuples += tuples;
            stats.nodes = stats.nodes.max(nodes);
        }
    }

    /// What evaluating clauses and loading facts took so far.
    fn evaluation_time(&self) -> Duration {
        self.statistics.iter().map(|relation| relation.time).sum()
    }

    /// Begins another round of a relation: polls the limits and tells the progress.
    pub fn round(&mut self, at: usize) -> Result<(), Stop> {
        self.space.manager.check()?;
        self.statistics[at].rounds += 1;
        if self.settings.samples && self.core.relations[at].owner.0 as usize == at {
            self.sample(at);
        }
        if let Some(telling) = &mut self.telling {
            let owner = self.core.relations[at].owner.0 as usize;
            telling.now.relation = telling.names[owner].0.clone();
            telling.now.clause = None;
            telling.now.component = self.component;
            telling.now.round = self.statistics[at].rounds;
            telling.now.rows = self.relations[at].row_count();
            telling.now.nodes = self.space.manager.stats().live_nodes;
            self.tell();
        }
        Ok(())
    }

    fn sample(&mut self, at: usize) {
        let round = self.statistics[at].rounds - 1;
        if self.statistics[at].samples.wants(round) {
            let begin = Instant::now();
            let relation = &self.relations[at];
            let nodes = self.space.manager.shared_node_count(relation.rows().map(|(_, row)| row));
            self.statistics[at].samples.take(Sample { round, rows: relation.row_count(), nodes });
            self.phases.counting += begin.elapsed();
        }
    }

    /// The clause may take long, so it is told before.
    fn tell_clause(&mut self, at: usize, number: usize) {
        if self.telling.is_none() {
            return;
        }
        let (owner, clause) = (self.core.relations[at].owner.0 as usize, self.rules(at)[number].clause);
        if let Some(telling) = &mut self.telling {
            let (relation, clauses) = &telling.names[owner];
            telling.now.relation = relation.clone();
            telling.now.clause = clauses.get(clause).cloned();
            self.tell();
        }
    }

    fn tell(&mut self) {
        if let (Some(tell), Some(telling)) = (&self.settings.progress, &self.telling) {
            tell(&telling.now);
        }
    }

    /// Lists the queries that are solved. Listing can reach a limit too.
    fn answer_queries(&mut self, system: &System, mut ending: Ending) -> (Ending, Vec<QueryAnswer>) {
        let mut out = Vec::new();
        for (number, query) in system.queries.iter().enumerate() {
            let at = query.relation.0 as usize;
            let seen = match ending {
                Ending::Verdict { number, early: true, .. } => {
                    system.verdicts[number].condition == Some(query.relation)
                }
                _ => false,
            };
            let tuples = if seen && self.core.relations[at].columns.is_empty() {
                Some(Tuples { count: BigUint::from(1u32), rows: vec![Vec::new()] })
            } else if self.solved[at] || self.found_so_far(at, &ending) {
                let places = &self.placement.columns[at];
                let relation = &self.relations[at];
                let count = tuples::count(&self.space, places, relation);
                let scalars = &self.core.relations[at].columns;
                match tuples::first(&self.space, scalars, places, relation, self.settings.list) {
                    Ok(rows) => Some(Tuples { count, rows }),
                    Err(stop) => {
                        if !matches!(ending, Ending::Stopped(_)) {
                            ending = Ending::Stopped(stop);
                        }
                        None
                    }
                }
            } else {
                None
            };
            let partial = tuples.is_some() && !seen && !self.solved[at];
            out.push(QueryAnswer { query: number, tuples, partial });
        }
        (ending, out)
    }

    /// After an early end, evaluates a query on what is known: where the error is, is known when it is seen. Whether
    /// there is something to show.
    fn found_so_far(&mut self, at: usize, ending: &Ending) -> bool {
        let Ending::Verdict { early: true, .. } = ending else { return false };
        let positive = |at: usize| {
            let mut atoms = self.rules(at).iter().flat_map(|rule| &rule.atoms);
            atoms.all(|atom| !atom.negative || self.solved[atom.relation.0 as usize])
        };
        let mut seen = BTreeSet::from([at]);
        let mut work = vec![at];
        while let Some(next) = work.pop() {
            if !positive(next) || self.kind(next) == RuleKind::Nu {
                return false;
            }
            let unsolved = dependencies(self.core, next).into_iter().filter(|other| !self.solved[*other]);
            work.extend(unsolved.filter(|other| seen.insert(*other)));
        }
        let Ok(rows) = self.full(at) else { return false };
        self.relations[at].replace(rows);
        !self.relations[at].is_empty()
    }

    /// Statistics of the relations of the file that were touched. After a memory stop nothing new is built.
    fn collect_statistics(&mut self, system: &System, time: Duration) -> Statistics {
        let (mut relations, mut watched) = (Vec::new(), Vec::new());
        for at in 0..system.relations.len() {
            let mut stats = self.statistics[at].clone();
            stats.span = system.relations[at].span;
            if !self.solved[at] && stats.rounds == 0 {
                if stats.clauses.iter().any(|clause| clause.rounds > 0) {
                    watched.push(stats);
                }
                continue;
            }
            let relation = &self.relations[at];
            stats.rows = relation.row_count();
            if self.settings.sizes {
                stats.tuples = tuples::count(&self.space, &self.placement.columns[at], relation);
                stats.nodes = self.space.manager.shared_node_count(relation.rows().map(|(_, row)| row));
            }
            stats.complete = self.solved[at];
            if self.settings.samples {
                stats.samples.end(Sample { round: stats.rounds, rows: stats.rows, nodes: stats.nodes });
            }
            relations.push(stats);
        }
        let bdd = Some(self.space.manager.stats());
        Statistics { relations, watched, bdd, time, phases: self.phases }
    }
}
