//! Where the threads are inside atomic sections.
//!
//! A statement that is always inside needs no place to yield; if one is sometimes inside and sometimes not (a procedure
//! called from both), the sequential program has a flag for it.

use crate::model::program::{ProcedureId, Program, StatementId, sections};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Outside,
    Inside,
    Both,
}

pub struct ThreadSections(sections::Sections);

impl ThreadSections {
    /// Of threads that begin with these procedures.
    pub fn new(program: &Program, roots: impl Iterator<Item = ProcedureId>) -> ThreadSections {
        let roots = roots.map(|id| (id, sections::entry(program.procedure(id))));
        ThreadSections(sections::Sections::new(program, roots))
    }

    /// Before a statement.
    pub fn before(&self, id: ProcedureId, statement: StatementId) -> Section {
        section(self.0.before(id, statement))
    }

    /// When a procedure is left.
    pub fn exit(&self, id: ProcedureId) -> Section {
        section(self.0.exit(id))
    }

    /// Whether the flag is needed.
    pub fn mixed(&self) -> bool {
        self.0.mixed()
    }
}

fn section((outside, inside): (bool, bool)) -> Section {
    match (outside, inside) {
        (_, false) => Section::Outside,
        (false, true) => Section::Inside,
        (true, true) => Section::Both,
    }
}
