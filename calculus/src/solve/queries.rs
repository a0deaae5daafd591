//! What is read off the relations at the end: the tuples of queries, and the sizes for the statistics.

use super::driver::{Ending, QueryAnswer};
use super::observer;
use super::samples::Sample;
use super::solver::Solver;
use super::statistics::Statistics;
use super::tuples::{self, Tuples};
use crate::bdd::Stop;
use crate::check::tree::{RelId, System};
use crate::elaborate::core::{RuleKind, Scalar};
use crate::space::value_of;
use num_bigint::BigUint;
use std::collections::BTreeSet;
use std::time::Duration;

impl Solver<'_> {
    /// Lists the queries that are solved. Listing can reach a limit too.
    pub fn answer_queries(&mut self, system: &System, mut ending: Ending) -> (Ending, Vec<QueryAnswer>) {
        let mut out = Vec::new();
        for (number, query) in system.queries.iter().enumerate() {
            let at = query.relation;
            let seen = match ending {
                Ending::Verdict { number, early: true, .. } => {
                    system.verdicts[number].condition == Some(query.relation)
                }
                _ => false,
            };
            let tuples = if seen && self.core.relations[at].columns.is_empty() {
                Some(Tuples { count: BigUint::from(1u32), rows: vec![Vec::new()] })
            } else if self.solved[at] || self.found_so_far(at, &ending) {
                match self.listed(at) {
                    Ok(tuples) => Some(tuples),
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

    /// The first tuples of a relation, and how many there are.
    fn listed(&self, at: RelId) -> Result<Tuples, Stop> {
        let scalars = &self.core.relations[at].columns;
        if let Some(set) = self.only_tuples(at) {
            let value =
                |(scalar, code): (&Scalar, &u32)| value_of(&self.space.sorts, scalar.sort, u64::from(*code));
            let first = set.first(self.settings.list).into_iter();
            let rows = first.map(|tuple| scalars.iter().zip(tuple).map(value).collect()).collect();
            return Ok(Tuples { count: set.len().into(), rows });
        }
        let (places, relation) = (&self.planner.placement.columns[at], &self.relations[at]);
        let count = tuples::count(&self.space, places, relation);
        Ok(Tuples { count, rows: tuples::first(&self.space, scalars, places, relation, self.settings.list)? })
    }

    /// After an early end, evaluates a query on what is known: where the error is, is known when it is seen. Whether
    /// there is something to show.
    fn found_so_far(&mut self, at: RelId, ending: &Ending) -> bool {
        let Ending::Verdict { early: true, .. } = ending else { return false };
        let positive =
            |at: RelId| self.core.atoms(at).all(|atom| !atom.negative || self.solved[atom.relation]);
        let mut seen = BTreeSet::from([at]);
        let mut work = vec![at];
        while let Some(next) = work.pop() {
            if !positive(next) || self.core.kind(next) == Some(RuleKind::Nu) {
                return false;
            }
            let unsolved = self.core.dependencies(next).into_iter().filter(|other| !self.solved[*other]);
            work.extend(unsolved.filter(|other| seen.insert(*other)));
        }
        let Ok(rows) = self.full(at) else { return false };
        self.relations[at].replace(rows);
        if let Some(explicit) = &mut self.explicit {
            explicit.has_rows[at] = true;
        }
        !self.relations[at].is_empty()
    }

    /// Statistics of the relations of the file that were touched. After a memory stop nothing new is built.
    pub fn collect_statistics(&mut self, system: &System, time: Duration) -> Statistics {
        let (mut relations, mut watched) = (Vec::new(), Vec::new());
        for (at, declared) in self.core.relations.ids().zip(&system.relations) {
            let mut stats = self.observer.statistics[at].clone();
            stats.span = declared.span;
            if !self.solved[at] && stats.rounds == 0 {
                if stats.clauses.iter().any(|clause| clause.rounds > 0) {
                    watched.push(stats);
                }
                continue;
            }
            // Facts that no rule came to.
            if self.settings.sizes && self.space.manager.check().is_ok() && self.is_unloaded(at) {
                let _ = self.need_rows(at);
            }
            let relation = &self.relations[at];
            stats.rows = relation.row_count();
            if let Some(set) = self.only_tuples(at) {
                (stats.rows, stats.tuples) = (set.len(), set.len().into());
            } else if self.settings.sizes {
                stats.tuples = match relation.has_all() {
                    // A limit struck before the first round of a greatest fixed point was over.
                    true => declared.columns.iter().map(|column| self.core.sorts.size(column.sort)).product(),
                    false => tuples::count(&self.space, &self.planner.placement.columns[at], relation),
                };
                stats.nodes = observer::nodes(relation, &self.space);
            }
            stats.complete = self.solved[at];
            if self.settings.samples {
                stats.samples.end(Sample { round: stats.rounds, rows: stats.rows, nodes: stats.nodes });
            }
            relations.push(stats);
        }
        let bdd = Some(self.space.manager.stats());
        Statistics { relations, watched, bdd, time, phases: self.observer.phases }
    }
}
