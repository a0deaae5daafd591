//! Where threads wait for each other, and by which variables.
//!
//! In Boolean programs every statement may wait. C has functions for that; a thread that cannot go on elsewhere is in a run
//! that ends there, because a value leaves its word or the process ends.

use super::places::values;
use super::rows::Rows;
use crate::model::program::cfg::{Loc, PlaceInText, Role};
use crate::model::program::resolve::program::{ProcedureId, Program, StatementId};
use crate::model::schema::{RESTS, RelationSchema, WAITS};
use calculus::vocabulary::Row;
use std::collections::BTreeSet;

pub struct Waiting<'a> {
    pub program: &'a Program,
    pub rows: &'a Rows<'a>,
}

impl Waiting<'_> {
    /// `waits(pc)`
    pub fn waits(&self) -> Vec<Row> {
        match &self.program.synchronisation {
            None => {
                let rests = self.resting();
                let all = self.rows.numbered().map(|(_, _, pc)| pc);
                row_each(&WAITS, all.filter(|pc| !rests.contains(pc)))
            }
            Some(synchronisation) => row_each(&WAITS, self.before(&synchronisation.waits).into_iter()),
        }
    }

    /// `rests(pc)`
    pub fn rests(&self) -> Vec<Row> {
        row_each(&RESTS, self.resting().into_iter())
    }

    /// The shared variables of `synchronises(v)`
    pub fn variables(&self) -> impl Iterator<Item = u64> + use<> {
        let known = self.program.synchronisation.as_ref();
        known.map(|known| known.variables.clone()).unwrap_or_default().into_iter().map(u64::from)
    }

    fn resting(&self) -> BTreeSet<u64> {
        let cfg = self.rows.cfg;
        let pc = |role: &Role, loc: Loc| self.rows.layout.pc(role.flow, loc);
        match &self.program.synchronisation {
            None => {
                let ends = self.rows.numbered().filter(|(id, loc, _)| {
                    let flow = cfg.flow(*id);
                    flow.exit == *loc || flow.locations[loc.index()].target.is_some()
                });
                ends.map(|(_, _, pc)| pc).collect()
            }
            Some(synchronisation) => {
                // Where `main` ends, the process does.
                let others = cfg.singles.iter().skip(1).chain(&cfg.replicated);
                let ends = others.clone().map(|role| pc(role, cfg.flow(role.flow).exit));
                let asleep = others.clone().filter(|role| role.asleep).map(|role| pc(role, role.start));
                ends.chain(asleep).chain(self.before(&synchronisation.rests)).collect()
            }
        }
    }

    /// The locations from which these statements are executed next.
    fn before(&self, statements: &BTreeSet<(ProcedureId, StatementId)>) -> BTreeSet<u64> {
        let found = self.rows.numbered().filter(|(id, loc, _)| {
            let flow = self.rows.cfg.flow(*id);
            let location = &flow.locations[loc.index()];
            let procedure = flow.frames[location.frame as usize].procedure;
            matches!(location.place, PlaceInText::Before(at) if statements.contains(&(procedure, at)))
        });
        found.map(|(_, _, pc)| pc).collect()
    }
}

fn row_each(relation: &RelationSchema, pcs: impl Iterator<Item = u64>) -> Vec<Row> {
    pcs.map(|pc| values(vec![(relation.pc("pc"), pc)])).collect()
}
