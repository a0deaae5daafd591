//! The variables of a program's text as values: which text stands for which variable.
//!
//! A shared variable has its own name; one that belongs to a thread block or a procedure has that name in front:
//! `worker.mine`, `main.x`. What only the encoding has (requests for threads, depths of atomic sections, results on
//! their way) is not among them.

use crate::model::program::cfg::FlowFrame;
use crate::model::program::resolve::program::{ProcedureId, Program, Var, Variable};
use std::collections::BTreeSet;

/// The values of the sort of variables: shared ones, then own ones, then those of each procedure.
pub struct Variables {
    pub texts: Vec<String>,
    own: u64,
    own_count: u32,
    /// For each procedure, the number of its first variable, and how many it has.
    locals: Vec<(u64, u32)>,
}

impl Variables {
    pub fn new(program: &Program) -> Variables {
        let mut names = Names { program, taken: BTreeSet::new(), texts: Vec::new() };
        program.shared.iter().for_each(|variable| names.add(variable.name.clone(), variable));
        let own = names.texts.len() as u64;
        for (index, variable) in (0..).zip(&program.own) {
            names.add(format!("{}.{}", program.block_of(index), variable.name), variable);
        }
        let mut locals = Vec::new();
        for procedure in &program.procedures {
            locals.push((names.texts.len() as u64, procedure.locals.len() as u32));
            for variable in &procedure.locals {
                names.add(format!("{}.{}", procedure.qualified, variable.name), variable);
            }
        }
        Variables { texts: names.texts, own, own_count: program.own.len() as u32, locals }
    }

    /// The number of a variable as a frame sees it.
    pub fn number(&self, frame: &FlowFrame, var: Var) -> Option<u64> {
        match var {
            Var::Shared(index) => (u64::from(index) < self.own).then_some(index.into()),
            Var::Own(index) => (index < self.own_count).then_some(self.own + u64::from(index)),
            Var::Local(index) => self.local(frame.procedure, index.checked_sub(frame.base)?),
        }
    }

    /// The number of a procedure's own local.
    pub fn local(&self, procedure: ProcedureId, index: u32) -> Option<u64> {
        let (first, count) = self.locals[procedure.index()];
        (index < count).then_some(first + u64::from(index))
    }

    /// The variables that begin with any value, and are no parameters.
    pub fn uninitialised(&self, program: &Program) -> impl Iterator<Item = u64> + use<> {
        let given = program.shared.iter().chain(&program.own).map(|variable| variable.initial.is_some());
        let locals = program.procedures.iter().flat_map(|procedure| {
            let locals = (0..).zip(&procedure.locals);
            locals.map(|(index, local)| index < procedure.parameters || local.initial.is_some())
        });
        let given = given.chain(locals).collect::<Vec<_>>();
        (0..).zip(given).filter(|(_, given)| !given).map(|(variable, _)| variable)
    }

    /// The variables that all threads see, without Getafix's mark of atomic sections: it holds no data.
    pub fn shared(&self, program: &Program) -> impl Iterator<Item = u64> + use<> {
        let mark = match program.atomic_variable {
            Some(Var::Shared(index)) => Some(u64::from(index)),
            _ => None,
        };
        (0..self.own).filter(move |variable| Some(*variable) != mark)
    }
}

struct Names<'a> {
    program: &'a Program,
    taken: BTreeSet<String>,
    texts: Vec<String>,
}

impl Names<'_> {
    /// Two variables never have the same text.
    fn add(&mut self, text: String, variable: &Variable) {
        let line = self.program.source.line(variable.span);
        // Of what front ends make, only what predicates speak of has a name.
        let text = text.replace("..", ".");
        let text = if self.taken.contains(&text) { format!("{text} (line {line})") } else { text };
        self.taken.insert(text.clone());
        self.texts.push(text);
    }
}
