//! Names to indices, and every check that needs no control flow.
//!
//! All mistakes of a file are collected; a statement with a mistake is resolved as `skip` so that the rest can be checked.

pub mod program;

mod body;
mod expression;
mod roles;
mod scope;

use std::sync::Arc;

use super::Loaded;
use super::ast;
use super::diagnostic::{Problem, Problems, Severity};
use super::dialect::Dialect;
use super::options::Options;
use super::source::Source;
use program::*;
use scope::Scope;

pub fn resolve(source: Arc<Source>, file: ast::File, options: &Options) -> Result<Loaded, Problems> {
    let dialect = options.dialect.unwrap_or_else(|| Dialect::detect(&file));
    let mut problems = Vec::new();
    let scope = Scope::new(&source, &file, &mut problems);
    let mut births = Vec::new();
    let procedures = (0..file.procedures.len())
        .map(|index| body::procedure(&source, &file, &scope, dialect, index, &mut births, &mut problems))
        .collect();
    let mut program = Program {
        dialect,
        detected: options.dialect.is_none(),
        shared: file.shared.iter().map(scope::variable).collect(),
        own: file.threads.iter().flat_map(|thread| &thread.own).map(scope::variable).collect(),
        procedures,
        init: None,
        singles: Vec::new(),
        replicated: Vec::new(),
        births: births.iter().map(|(birth, _)| birth.clone()).collect(),
        atomic_variable: scope.getafix_atomic(dialect),
        source,
    };
    roles::assign(&mut program, &file, options, &births, &mut problems);
    roles::refuse_ends_in_init(&program, &mut problems);
    roles::mark_targets(&mut program, options, &mut problems);
    problems
        .sort_by_key(|problem: &Problem| (problem.labels.first().map(|label| label.0.start), problem.code));
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err(Problems { problems });
    }
    Ok(Loaded { program, warnings: problems })
}
