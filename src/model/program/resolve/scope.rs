//! What names mean where.

use std::collections::HashMap;

use super::domains::Domains;
use super::program::*;
use crate::model::program::ast::{self, Name, ProcedureKind};
use crate::model::program::dialect::Dialect;
use calculus::diagnostic::Diagnostic;

/// The names of a file outside procedure bodies.
pub struct Scope<'a> {
    shared: HashMap<&'a str, u32>,
    /// Per thread block.
    own: Vec<HashMap<&'a str, u32>>,
    /// File-level procedures, then those of each thread block.
    procedures: HashMap<&'a str, ProcedureId>,
    thread_procedures: Vec<HashMap<&'a str, ProcedureId>>,
    pub domains: Domains<'a>,
    shared_variables: Vec<Declared<'a>>,
    own_variables: Vec<Declared<'a>>,
}

/// A variable where it is declared.
pub struct Declared<'a> {
    pub name: &'a Name,
    pub domain: Domain,
}

impl<'a> Scope<'a> {
    pub fn new(file: &'a ast::File, problems: &mut Vec<Diagnostic>) -> Scope<'a> {
        let mut next_own = 0;
        let mut own = Vec::new();
        for thread in &file.threads {
            own.push(declare(thread.own.iter().map(|d| &d.name), next_own, "own variable", problems));
            next_own += thread.own.len() as u32;
        }
        let shared = declare(file.shared.iter().map(|d| &d.name), 0, "shared variable", problems);
        let domains = Domains::new(file, problems);
        let own_variables = file.threads.iter().flat_map(|thread| &thread.own);
        let mut scope = Scope {
            shared_variables: domains.declared(&file.shared).collect(),
            own_variables: domains.declared(own_variables).collect(),
            shared,
            own,
            procedures: HashMap::new(),
            thread_procedures: vec![HashMap::new(); file.threads.len()],
            domains,
        };
        let mut blocks: HashMap<&str, &Name> = HashMap::new();
        for (index, procedure) in file.procedures.iter().enumerate() {
            let id = ProcedureId(index as u32);
            let name = &procedure.name;
            let table = match (procedure.kind, procedure.thread) {
                (ProcedureKind::Procedure, Some(thread)) => &mut scope.thread_procedures[thread],
                (ProcedureKind::Procedure, None) => &mut scope.procedures,
                (ProcedureKind::InitBlock | ProcedureKind::ThreadBlock, _) => {
                    let key = if procedure.kind == ProcedureKind::InitBlock {
                        "init begin"
                    } else {
                        name.text.as_str()
                    };
                    if let Some(first) = blocks.insert(key, name) {
                        let what =
                            if procedure.kind == ProcedureKind::InitBlock { "block" } else { "thread" };
                        problems.push(twice(what, first, name));
                    }
                    continue;
                }
            };
            if let Some(first) = table.insert(name.text.as_str(), id) {
                problems.push(twice("procedure", &file.procedures[first.index()].name, name));
            }
        }
        scope
    }

    /// A procedure visible from a body in the given thread block.
    pub fn procedure(&self, thread: Option<usize>, name: &str) -> Option<ProcedureId> {
        let inner = thread.and_then(|thread| self.thread_procedures[thread].get(name));
        inner.or_else(|| self.procedures.get(name)).copied()
    }

    pub fn procedure_names(&self, thread: Option<usize>) -> impl Iterator<Item = &'a str> {
        let inner = thread.into_iter().flat_map(|thread| self.thread_procedures[thread].keys());
        inner.chain(self.procedures.keys()).copied()
    }

    pub fn variable(&self, thread: Option<usize>, name: &str) -> Option<Var> {
        let own = thread.and_then(|thread| self.own[thread].get(name)).map(|index| Var::Own(*index));
        own.or_else(|| self.shared.get(name).map(|index| Var::Shared(*index)))
    }

    /// Where a shared or own variable is declared.
    pub fn declared(&self, var: Var) -> Option<&Declared<'a>> {
        match var {
            Var::Shared(index) => self.shared_variables.get(index as usize),
            Var::Own(index) => self.own_variables.get(index as usize),
            Var::Local(_) => None,
        }
    }

    pub fn variable_names(&self, thread: Option<usize>) -> impl Iterator<Item = &'a str> {
        let own = thread.into_iter().flat_map(|thread| self.own[thread].keys());
        own.chain(self.shared.keys()).copied()
    }

    /// The variable that marks atomic sections in Getafix programs.
    pub fn getafix_atomic(&self, dialect: Dialect) -> Option<Var> {
        let index = self.shared.get("atomic").filter(|_| dialect == Dialect::Getafix)?;
        Some(Var::Shared(*index))
    }
}

/// Numbers declared names from `first` on; a second declaration of a name is a mistake.
pub fn declare<'a>(
    names: impl Iterator<Item = &'a Name>,
    first: u32,
    what: &str,
    problems: &mut Vec<Diagnostic>,
) -> HashMap<&'a str, u32> {
    let mut table: HashMap<&str, (u32, &Name)> = HashMap::new();
    for (index, name) in names.enumerate() {
        check_name(name, problems);
        match table.get(name.text.as_str()) {
            Some((_, earlier)) => problems.push(twice(what, earlier, name)),
            None => {
                table.insert(name.text.as_str(), (first + index as u32, name));
            }
        }
    }
    table.into_iter().map(|(name, (index, _))| (name, index)).collect()
}

pub fn check_name(name: &Name, problems: &mut Vec<Diagnostic>) {
    if matches!(name.text.as_str(), "T" | "F") {
        let title = format!("`{}` is a constant and cannot be declared", name.text);
        problems.push(
            Diagnostic::error("bp::reserved_name", title)
                .label(name.span, "declared here")
                .help("T and F are true and false in every Boolean program"),
        );
    } else if name.text == "_" {
        problems.push(
            Diagnostic::error("bp::reserved_name", "`_` cannot be declared")
                .label(name.span, "declared here")
                .help("on the left of an assignment, `_` throws a value away"),
        );
    } else if name.text.ends_with('$') {
        problems.push(
            Diagnostic::error("bp::reserved_name", format!("`{}` cannot be declared", name.text))
                .label(name.span, "declared here")
                .help("a name that ends with `$` means a variable of the other threads"),
        );
    }
}

pub fn twice(what: &str, first: &Name, second: &Name) -> Diagnostic {
    Diagnostic::error("bp::declared_twice", format!("the {what} `{}` is declared twice", second.text))
        .label(first.span, "first here")
        .label(second.span, "again here")
}
