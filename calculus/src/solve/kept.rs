//! What a run has solved, taken along to a run of a system that shares definitions: a parameter was raised.

use super::solver::Solver;
use crate::bdd::{Stop, Stored};
use crate::check::tree::RelId;
use crate::elaborate::core::Core;
use crate::elaborate::unchanged;
use crate::index::IdVec;
use crate::relation::StoredRelation;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Solved relations outside of any BDD manager. Empty before the first run.
#[derive(Default)]
pub struct Kept {
    core: Option<Core>,
    relations: IdVec<RelId, Option<Rc<StoredRelation>>>,
}

impl Kept {
    /// Gives the solver the relations that it would solve to the same.
    pub(super) fn bring(&mut self, solver: &mut Solver) -> Result<(), Stop> {
        let Some(old) = &self.core else { return Ok(()) };
        let mut relations = solver.core.relations.filled(None);
        for (at, before) in unchanged(old, solver.core).entries() {
            let Some(kept) = before.and_then(|before| self.relations[before].clone()) else { continue };
            let now = solver.bits(at);
            let to = kept.vars.iter().copied().zip(now).collect::<FxHashMap<_, _>>();
            let rows = kept.rows.restore(&solver.space.manager, |var| to[&var])?;
            solver.relations[at].replace(kept.keys.iter().cloned().zip(rows).collect());
            solver.solved[at] = true;
            solver.observer.statistics[at].kept = true;
            relations[at] = Some(kept);
        }
        self.relations = relations;
        self.core = None;
        Ok(())
    }

    /// What the last run solved the relations of the core to, as far as it did.
    pub fn solutions(&self) -> &[Option<Rc<StoredRelation>>] {
        self.relations.as_slice()
    }

    /// Remembers what the solver has solved.
    pub(super) fn remember(&mut self, solver: &Solver) {
        self.relations = solver.core.relations.map(|(at, _)| {
            let kept = self.relations.get(at).cloned().flatten();
            let is_defined = solver.core.is_defined(at);
            if kept.is_some() || !is_defined || !solver.solved[at] || solver.relations[at].has_all() {
                return kept;
            }
            let rows = solver.relations[at].sorted();
            Some(Rc::new(StoredRelation {
                keys: rows.iter().map(|(key, _)| (*key).clone()).collect(),
                rows: Stored::new(rows.iter().map(|(_, row)| *row)),
                vars: solver.bits(at),
            }))
        });
        self.core = Some(solver.core.clone());
    }
}
