//! What becomes of a file on its way to the solver, stage by stage: the tree of the text, the rules of the core, the
//! steps in which rules are evaluated, and the order of BDD variables.

mod ast;
mod core;
mod order;
mod plan;

use calculus::sort::{Sort, SortId, Sorts};

pub use ast::ast;
pub use core::core;
pub use order::order;
pub use plan::plan;

/// What each scalar leaf of a value is called: `q.pc`, `u[2]`.
fn leaves(sorts: &Sorts, name: &str, sort: SortId) -> Vec<String> {
    match sorts.get(sort) {
        Sort::Record { fields, .. } => {
            fields.iter().flat_map(|(field, sort)| leaves(sorts, &format!("{name}.{field}"), *sort)).collect()
        }
        Sort::Vector { element, lo, hi } => {
            (*lo..=*hi).flat_map(|at| leaves(sorts, &format!("{name}[{at}]"), *element)).collect()
        }
        _ => vec![name.into()],
    }
}

/// `1 row`, `3 rows`
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
