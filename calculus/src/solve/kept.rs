//! What a run has solved, taken along to a run of a system that shares definitions: a parameter was raised.

use super::driver::Solver;
use crate::bdd::{Stop, Stored, Var};
use crate::elaborate::core::{Core, CoreBody};
use crate::elaborate::unchanged;
use crate::relation::StoredRelation;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Solved relations outside of any BDD manager. Empty before the first run.
#[derive(Default)]
pub struct Kept {
    core: Option<Core>,
    relations: Vec<Option<Rc<StoredRelation>>>,
}

impl Kept {
    /// Gives the solver the relations that it would solve to the same.
    pub(super) fn bring(&mut self, solver: &mut Solver) -> Result<(), Stop> {
        let Some(old) = &self.core else { return Ok(()) };
        let mut relations = vec![None; solver.core.relations.len()];
        for (at, before) in unchanged(old, solver.core).into_iter().enumerate() {
            let Some(kept) = before.and_then(|before| self.relations[before].clone()) else { continue };
            let now = bits(solver, at);
            let to = kept.vars.iter().copied().zip(now).collect::<FxHashMap<_, _>>();
            let rows = kept.rows.restore(&solver.space.manager, |var| to[&var])?;
            solver.relations[at].replace(kept.keys.iter().cloned().zip(rows).collect());
            solver.solved[at] = true;
            solver.statistics[at].kept = true;
            relations[at] = Some(kept);
        }
        self.relations = relations;
        self.core = None;
        Ok(())
    }

    /// What the last run solved the relations of the core to, as far as it did.
    pub fn solutions(&self) -> &[Option<Rc<StoredRelation>>] {
        &self.relations
    }

    /// Remembers what the solver has solved.
    pub(super) fn remember(&mut self, solver: &Solver) {
        self.relations.resize(solver.core.relations.len(), None);
        for (at, kept) in self.relations.iter_mut().enumerate() {
            let is_defined = matches!(solver.core.relations[at].body, CoreBody::Rules { .. });
            if kept.is_some() || !is_defined || !solver.solved[at] || solver.relations[at].is_top() {
                continue;
            }
            let rows = solver.relations[at].sorted();
            *kept = Some(Rc::new(StoredRelation {
                keys: rows.iter().map(|(key, _)| (*key).clone()).collect(),
                rows: Stored::new(rows.iter().map(|(_, row)| *row)),
                vars: bits(solver, at),
            }));
        }
        self.core = Some(solver.core.clone());
    }
}

/// The bits of a relation's columns, in order.
fn bits(solver: &Solver, at: usize) -> Vec<Var> {
    let places = &solver.placement.columns[at];
    places.iter().flat_map(|place| solver.space.place_vars(*place).to_vec()).collect()
}
