//! From text to syntax tree, and back.

pub mod ast;
mod nesting;
mod parse;
mod print;
mod same;
mod scan;

pub use parse::{MAX_DEPTH, parse};
pub use print::{expression, print};
pub use same::{same, same_expr, same_sort};

use crate::span::FileId;

/// The comments of a text, whether it can be parsed or not.
pub fn comments(id: FileId, text: &str) -> Vec<ast::Comment> {
    scan::tokens(id, text).1
}
