//! Names to indices, and every check that needs no control flow.
//!
//! All mistakes of a file are collected; a statement with a mistake is resolved as `skip` so that the rest can be checked.

pub mod domain;
pub mod program;

mod body;
mod domains;
mod expression;
mod passive;
mod roles;
mod scope;
pub mod sections;
mod typing;

use std::sync::Arc;

use super::ast;
use super::dialect::Dialect;
use crate::model::options::Options;
use calculus::diagnostic::{Diagnostic, Severity};
use calculus::span::Source;
use program::*;
use scope::Scope;

/// The program and its warnings; or its mistakes, with the warnings.
pub fn resolve(
    source: Arc<Source>,
    file: ast::File,
    options: &Options,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let dialect = options.dialect.unwrap_or_else(|| Dialect::detect(&file));
    let mut problems = Vec::new();
    let scope = Scope::new(&file, &mut problems);
    let mut births = Vec::new();
    let procedures = (0..file.procedures.len())
        .map(|index| body::procedure(&file, &source, &scope, dialect, index, &mut births, &mut problems))
        .collect();
    let mut program = Program {
        dialect,
        detected: options.dialect.is_none(),
        shared: file.shared.iter().map(|shared| scope.domains.variable(shared)).collect(),
        own: file
            .threads
            .iter()
            .flat_map(|thread| &thread.own)
            .map(|own| scope.domains.variable(own))
            .collect(),
        procedures,
        init: None,
        singles: Vec::new(),
        replicated: Vec::new(),
        births: births.iter().map(|(birth, _)| birth.clone()).collect(),
        atomic_variable: scope.getafix_atomic(dialect),
        section_depth: 0,
        outside: Outside::Error,
        synchronisation: None,
        approximations: Vec::new(),
        predicates: Vec::new(),
        source,
    };
    program.atomic_variable = program.atomic_variable.filter(|var| match var {
        Var::Shared(index) => program.shared[*index as usize].domain == Domain::Bool,
        _ => false,
    });
    roles::assign(&mut program, &file, options, &births, &mut problems);
    roles::refuse_threads_in_init(&program, &mut problems);
    passive::find_bearers(&mut program, &mut problems);
    roles::mark_targets(&mut program, options, &mut problems);
    if !problems.iter().any(|problem| problem.severity == Severity::Error) {
        let sections = sections::Sections::of(&program);
        program.section_depth = sections.deepest();
        problems.extend(sections.problems());
    }
    problems.sort_by_key(|problem: &Diagnostic| {
        (problem.labels.first().map(|label| label.0.start), problem.code)
    });
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(problems);
    }
    Ok((program, problems))
}
