//! Explicit evaluation: a component over sparse facts is solved on tuples, as a Datalog engine does it.
//!
//! Diagrams are small where there is structure. The edges of a random graph have none: a diagram has a node for nearly each
//! bit of each edge, and a join visits all of them, while a loop over an index only sees what it derives. So a component
//! whose rules read facts, or what was made of facts in this way, is tried on tuples first. A derivation takes some
//! nanoseconds; if there are more of them than a bound, diagrams do better, and the component begins again with those:
//! what was lost is a fraction of a second. All that counts is counted, so that equal runs choose equally.
//!
//! A definition may have far more tuples than anybody asks for. Where it is only asked about, its rules stand in the place of
//! its name (`unfold`), and what asks is explicit without it.
//!
//! Tuples become rows as soon as a rule is evaluated on diagrams that mentions their relation, and not before.

mod choice;
mod join;
mod program;
mod unfold;

use super::solver::{Halt, Solver};
use super::watch::VerdictWatch;
use crate::bdd::Stop;
use crate::check::tree::RelId;
use crate::elaborate::core::{Core, CoreBody};
use crate::index::IdVec;
use crate::phase;
use crate::relation::TupleSet;
use crate::sort::Sorts;
use crate::space::code;
pub use choice::Explicit;
use join::Sets;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The explicit relations of a run.
pub(super) struct ExplicitRelations {
    /// All numbered sorts as keys: what explicit rules are planned with.
    sorts: Sorts,
    pub tuples: Sets,
    /// Whether a relation depends on itself, by way of others or not.
    recursive: IdVec<RelId, bool>,
    /// Whether the rows of a relation, as diagrams, are up to date.
    pub has_rows: IdVec<RelId, bool>,
}

/// So many facts are read between two looks at the limits.
const POLL: usize = 4096;

/// What a clause did: how often it was evaluated, what it brought, and how long it took.
#[derive(Clone, Copy, Default)]
pub(super) struct ClauseWork {
    pub rounds: u64,
    pub tuples: u64,
    pub time: Duration,
}

impl ExplicitRelations {
    pub fn new(core: &Core) -> ExplicitRelations {
        let mut sorts = core.sorts.clone();
        for sort in core.sorts.ids().filter(|sort| choice::is_numbered(&core.sorts, *sort)) {
            sorts.set_keyed(sort, true);
        }
        let mut recursive = core.relations.filled(false);
        for part in core.components().iter().filter(|part| core.is_recursive(part)) {
            part.iter().for_each(|&at| recursive[at] = true);
        }
        ExplicitRelations {
            sorts,
            recursive,
            tuples: core.relations.filled(None),
            has_rows: core.relations.filled(true),
        }
    }

    /// The sizes of the sorts of a relation's columns.
    fn sizes(&self, core: &Core, at: RelId) -> Vec<u64> {
        let columns = core.relations[at].columns.iter();
        columns
            .map(|column| self.sorts.scalar_size(column.sort).expect("explicit sorts are numbered"))
            .collect()
    }
}

impl Solver<'_> {
    /// Solves a component on tuples, if that promises to be better; whether it did.
    pub(super) fn solve_explicitly(&mut self, part: &[RelId], watch: &VerdictWatch) -> Result<bool, Halt> {
        let Some(mut explicit) = self.explicit.take() else { return Ok(false) };
        let solved = match self.explicit_rules(&explicit, part, watch) {
            Some((rules, bound)) => self.solve_on_tuples(&mut explicit, (part, &rules), watch, bound),
            None => Ok(false),
        };
        if let Ok(false) = solved {
            for &at in part.iter().chain(watch.rules.keys()) {
                (explicit.tuples[at], explicit.has_rows[at]) = (None, true);
            }
        }
        self.explicit = Some(explicit);
        solved
    }

    /// Has the tuples of a relation. What is defined has them since it was solved.
    fn need_tuples(&mut self, explicit: &mut ExplicitRelations, at: RelId) -> Result<(), Stop> {
        if explicit.tuples[at].is_some() {
            return Ok(());
        }
        let CoreBody::Facts(rows) = &self.core.relations[at].body else {
            unreachable!("only facts and what is made of them is explicit")
        };
        let _reading = phase::enter_solving(&self.core.relations[at].title);
        let begin = Instant::now();
        let mut tuples = TupleSet::new(explicit.sizes(self.core, at));
        let (columns, mut tuple) = (&self.core.relations[at].columns, Vec::new());
        for (number, row) in rows.iter().enumerate() {
            if number.is_multiple_of(POLL) {
                self.space.manager.check()?;
            }
            tuple.clear();
            tuple.extend(
                row.iter()
                    .zip(columns)
                    .map(|(value, column)| code(&explicit.sorts, column.sort, value) as u32),
            );
            tuples.add(&tuple);
        }
        explicit.tuples[at] = Some(Rc::new(tuples));
        self.observer.statistics[at].time += begin.elapsed();
        Ok(())
    }

    /// Has the rows of a relation, as diagrams: of facts that were not loaded, or of explicit tuples.
    pub(super) fn need_rows(&mut self, at: RelId) -> Result<(), Stop> {
        let Some(explicit) = &mut self.explicit else { return Ok(()) };
        if std::mem::replace(&mut explicit.has_rows[at], true) {
            return Ok(());
        }
        let _making = phase::enter_solving(&self.core.relations[at].title);
        let made = match &explicit.tuples[at] {
            None => self.load(at),
            Some(tuples) => {
                let places = &self.planner.placement.columns[at];
                let make = || crate::space::tuples(&self.space, places, tuples);
                let made = self.space.manager.without_reordering(make);
                made.map(|made| self.relations[at].restore(&made.snapshot()))
            }
        };
        if let (Err(_), Some(explicit)) = (&made, &mut self.explicit) {
            explicit.has_rows[at] = false;
        }
        made
    }

    /// Has the rows of all relations that are solved, as far as the limits allow it: for what comes after the run.
    pub(super) fn make_rows(&mut self) {
        for at in self.core.relations.ids() {
            if self.solved[at] && self.need_rows(at).is_err() {
                self.solved[at] = false;
            }
        }
    }

    /// The tuples of a relation that has no rows.
    pub(super) fn only_tuples(&self, at: RelId) -> Option<&TupleSet> {
        let explicit = self.explicit.as_ref()?;
        explicit.tuples[at].as_deref().filter(|_| !explicit.has_rows[at])
    }

    /// Whether a relation is given by facts that nobody needed so far.
    pub(super) fn is_unloaded(&self, at: RelId) -> bool {
        self.explicit.as_ref().is_some_and(|explicit| explicit.tuples[at].is_none() && !explicit.has_rows[at])
    }

    /// Knows that a relation without rows has no tuples either, so that others that mention it can still be explicit.
    pub(super) fn set_no_tuples(&mut self, at: RelId) {
        let columns = &self.core.relations[at].columns;
        if let Some(explicit) = &mut self.explicit
            && columns.iter().all(|column| choice::is_numbered(&self.core.sorts, column.sort))
        {
            explicit.tuples[at] = Some(Rc::new(TupleSet::new(explicit.sizes(self.core, at))));
        }
    }

    /// Whether a relation has no tuples.
    pub(super) fn is_empty(&self, at: RelId) -> bool {
        self.only_tuples(at).map_or_else(|| self.relations[at].is_empty(), TupleSet::is_empty)
    }
}

impl ExplicitRelations {
    fn set(&self, at: RelId) -> &TupleSet {
        self.tuples[at].as_ref().expect("what a component mentions is explicit")
    }
}
