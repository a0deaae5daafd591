//! What is told and counted while the solver works: progress, statistics, samples. Nothing here changes an answer.

use super::driver::{Progress, Settings, Tell};
use super::explicit::ClauseWork;
use super::samples::Sample;
use super::statistics::{ClauseStats, Phases, RelationStats};
use crate::bdd::{Bdd, Var};
use crate::check::tree::RelId;
use crate::elaborate::core::{Core, CoreRelation, RuleId};
use crate::index::IdVec;
use crate::relation::Relation;
use crate::space::Space;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) struct Observer<'a> {
    core: &'a Core,
    /// Time and count what clauses do.
    clauses: bool,
    samples: bool,
    pub statistics: IdVec<RelId, RelationStats>,
    pub phases: Phases,
    listener: Option<Listener>,
}

/// Who wants to know what is being done.
struct Listener {
    tell: Tell,
    /// The names of relations and their clauses, made once.
    names: IdVec<RelId, (Arc<str>, Vec<Arc<str>>)>,
    now: Progress,
}

/// How many nodes the rows of a relation have together; everything is one.
pub fn nodes(relation: &Relation, space: &Space) -> usize {
    if relation.has_all() {
        return 1;
    }
    space.manager.shared_node_count(relation.rows().map(|(_, row)| row))
}

impl Listener {
    fn new(core: &Core, components: usize, tell: Tell) -> Listener {
        let names = core.relations.map(|(_, relation)| {
            let clauses = relation.clauses.iter().map(|(name, _)| Arc::from(&**name));
            (Arc::from(relation.title.as_str()), clauses.collect())
        });
        let relation = Arc::from("");
        let now = Progress { relation, clause: None, component: 0, components, round: 0, rows: 0, nodes: 0 };
        Listener { tell, names, now }
    }
}

impl<'a> Observer<'a> {
    pub fn new(core: &'a Core, settings: &Settings, components: usize) -> Observer<'a> {
        let tell = settings.progress.clone();
        Observer {
            core,
            clauses: settings.clauses,
            samples: settings.samples,
            statistics: core.relations.map(|(_, relation)| nothing_yet(relation)),
            phases: Phases::default(),
            listener: tell.map(|tell| Listener::new(core, components, tell)),
        }
    }

    /// Another component is being solved, the first one being number 1.
    pub fn component(&mut self, number: usize) {
        if let Some(listener) = &mut self.listener {
            listener.now.component = number;
        }
    }

    /// A relation begins another round.
    pub fn round(&mut self, at: RelId, relation: &Relation, space: &Space) {
        self.statistics[at].rounds += 1;
        if self.samples && !self.core.is_auxiliary(at) {
            self.sample(at, relation, space);
        }
        if let Some(Listener { tell, names, now }) = &mut self.listener {
            now.relation = names[self.core.relations[at].owner].0.clone();
            now.clause = None;
            now.round = self.statistics[at].rounds;
            now.rows = relation.row_count();
            now.nodes = space.manager.stats().live_nodes;
            tell(now);
        }
    }

    /// The same on tuples, of which there are so many.
    pub fn explicit_round(&mut self, at: RelId, tuples: usize) {
        let stats = &mut self.statistics[at];
        stats.rounds += 1;
        let round = stats.rounds - 1;
        if self.samples && !self.core.is_auxiliary(at) && stats.samples.wants(round) {
            stats.samples.take(Sample { round, rows: tuples, nodes: 0 });
        }
        if let Some(Listener { tell, names, now }) = &mut self.listener {
            now.relation = names[self.core.relations[at].owner].0.clone();
            now.clause = None;
            (now.round, now.rows) = (self.statistics[at].rounds, tuples);
            tell(now);
        }
    }

    /// A rule has been evaluated on tuples, as often as it was.
    pub fn worked(&mut self, rule: RuleId, work: ClauseWork) {
        let owner = self.core.relations[rule.relation].owner;
        let stats = &mut self.statistics[owner];
        let time = if self.clauses { work.time } else { Duration::ZERO };
        stats.time += time;
        let Some(clause) = stats.clauses.get_mut(self.core.rule(rule).clause) else { return };
        clause.time += time;
        if rule.relation == owner {
            clause.rounds += work.rounds;
            clause.rows += work.tuples;
            clause.tuples += if self.clauses { work.tuples } else { 0 };
        }
    }

    fn sample(&mut self, at: RelId, relation: &Relation, space: &Space) {
        let stats = &mut self.statistics[at];
        let round = stats.rounds - 1;
        if stats.samples.wants(round) {
            let begin = Instant::now();
            let nodes = nodes(relation, space);
            stats.samples.take(Sample { round, rows: relation.row_count(), nodes });
            self.phases.counting += begin.elapsed();
        }
    }

    /// A rule is about to be evaluated, which may take long: it is told before.
    pub fn begin_clause(&mut self, rule: RuleId) -> Option<Instant> {
        if let Some(Listener { tell, names, now }) = &mut self.listener {
            let (relation, clauses) = &names[self.core.relations[rule.relation].owner];
            now.relation = relation.clone();
            now.clause = clauses.get(self.core.rule(rule).clause).cloned();
            tell(now);
        }
        self.clauses.then(Instant::now)
    }

    /// A rule has been evaluated. An auxiliary relation's belongs to the clause that it is a part of.
    pub fn end_clause(&mut self, rule: RuleId, begin: Option<Instant>) {
        let owner = self.core.relations[rule.relation].owner;
        let stats = &mut self.statistics[owner];
        let elapsed = begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        stats.time += elapsed;
        if let Some(clause) = stats.clauses.get_mut(self.core.rule(rule).clause) {
            clause.rounds += u64::from(rule.relation == owner);
            clause.time += elapsed;
        }
    }

    /// A rule brought a row something new. The bits are those of the relation's columns.
    pub fn brought(&mut self, rule: RuleId, new: &Bdd, bits: impl FnOnce() -> Vec<Var>) {
        if self.core.is_auxiliary(rule.relation) {
            return;
        }
        let clause = self.core.rule(rule).clause;
        let Some(stats) = self.statistics[rule.relation].clauses.get_mut(clause) else { return };
        stats.rows += 1;
        if self.clauses {
            let begin = Instant::now();
            stats.tuples += new.count(&bits());
            stats.nodes = stats.nodes.max(new.node_count());
            self.phases.counting += begin.elapsed();
        }
    }

    /// What evaluating clauses and loading facts took so far.
    pub fn evaluation_time(&self) -> Duration {
        self.statistics.iter().map(|relation| relation.time).sum()
    }
}

fn nothing_yet(relation: &CoreRelation) -> RelationStats {
    let clause = |(name, span): &(Rc<str>, _)| ClauseStats {
        name: name.to_string(),
        span: *span,
        ..Default::default()
    };
    RelationStats {
        title: relation.title.clone(),
        clauses: relation.clauses.iter().map(clause).collect(),
        ..RelationStats::default()
    }
}
