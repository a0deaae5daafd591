//! What becomes of a file on its way to the solver, stage by stage: the tree of the text, the rules of the core, the
//! steps in which rules are evaluated, and the order of BDD variables.

mod ast;
mod core;
mod order;
mod plan;

pub use ast::ast;
pub use core::core;
pub use order::order;
pub use plan::plan;

/// `1 row`, `3 rows`
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
