//! Where the threads are inside atomic sections, by control flow alone.
//!
//! A statement that is always inside needs no place to yield; if one is sometimes inside and sometimes not (a procedure
//! called from both), the sequential program has a flag for it.

use crate::model::program::{Block, Form, Procedure, ProcedureId, Program, StatementId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Outside,
    Inside,
    Both,
}

const OUTSIDE: u8 = 1;
const INSIDE: u8 = 2;

/// For each procedure, for each statement and then for its exit, the flags with which threads get there.
pub struct Sections(Vec<Vec<u8>>);

/// A place in a procedure: a statement, or as many as there are for its exit.
type StatementPlace = (usize, usize);

impl Sections {
    pub fn new(program: &Program, roots: impl Iterator<Item = ProcedureId>) -> Sections {
        let places = |procedure: &Procedure| vec![0; procedure.statements.len() + 1];
        let mut sections = Sections(program.procedures.iter().map(places).collect());
        let after: Vec<_> = program.procedures.iter().map(after).collect();
        let mut returns: Vec<Vec<StatementPlace>> = vec![Vec::new(); program.procedures.len()];
        for (index, procedure) in program.procedures.iter().enumerate() {
            for (statement, after) in procedure.statements.iter().zip(&after[index]) {
                if let Form::Call { callee, .. } = statement.form {
                    returns[callee.index()].push((index, *after));
                }
            }
        }
        let entry = |id: ProcedureId| {
            let procedure = program.procedure(id);
            (id.index(), first(&procedure.body, procedure.statements.len()))
        };
        let mut work: Vec<(StatementPlace, u8)> = roots.map(|id| (entry(id), OUTSIDE)).collect();
        while let Some(((index, place), flags)) = work.pop() {
            let known = &mut sections.0[index][place];
            if *known | flags == *known {
                continue;
            }
            *known |= flags;
            let flags = *known;
            let procedure = &program.procedures[index];
            let Some(statement) = procedure.statements.get(place) else {
                work.extend(returns[index].iter().map(|place| (*place, flags)));
                continue;
            };
            let next = after[index][place];
            let mut go = |place: usize, flags: u8| work.push(((index, place), flags));
            match &statement.form {
                Form::Call { callee, .. } => work.push((entry(*callee), flags)),
                Form::Return(_) => go(procedure.statements.len(), flags),
                Form::Goto(places) => places.iter().for_each(|place| go(place.0 as usize, flags)),
                Form::If { then, otherwise, .. } => {
                    go(first(then, next), flags);
                    go(first(otherwise, next), flags);
                }
                Form::While { body, .. } => {
                    go(first(body, place), flags);
                    go(next, flags);
                }
                Form::AtomicBegin => go(next, INSIDE),
                Form::AtomicEnd => go(next, OUTSIDE),
                Form::EndThread => {}
                _ => go(next, flags),
            }
        }
        sections
    }

    /// Before a statement.
    pub fn before(&self, id: ProcedureId, statement: StatementId) -> Section {
        section(self.0[id.index()][statement.0 as usize])
    }

    /// When a procedure is left.
    pub fn exit(&self, id: ProcedureId) -> Section {
        section(self.0[id.index()].last().copied().unwrap_or(OUTSIDE))
    }

    /// Whether the flag is needed.
    pub fn mixed(&self) -> bool {
        self.0.iter().flatten().any(|flags| section(*flags) == Section::Both)
    }
}

fn section(flags: u8) -> Section {
    match flags {
        INSIDE => Section::Inside,
        flags if flags == INSIDE | OUTSIDE => Section::Both,
        _ => Section::Outside,
    }
}

fn first(block: &Block, follow: usize) -> usize {
    block.first().map_or(follow, |id| id.0 as usize)
}

/// What follows each statement in the text; after the body of a loop comes the loop.
fn after(procedure: &Procedure) -> Vec<usize> {
    let exit = procedure.statements.len();
    let mut after = vec![exit; exit];
    let mut work: Vec<(&Block, usize)> = vec![(&procedure.body, exit)];
    while let Some((block, follow)) = work.pop() {
        for (position, id) in block.iter().enumerate() {
            let place = id.0 as usize;
            after[place] = block.get(position + 1).map_or(follow, |next| next.0 as usize);
            match &procedure.statement(*id).form {
                Form::If { then, otherwise, .. } => {
                    work.extend([(then, after[place]), (otherwise, after[place])]);
                }
                Form::While { body, .. } => work.push((body, place)),
                _ => {}
            }
        }
    }
    after
}
