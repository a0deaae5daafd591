//! From text to syntax tree, and back.

pub mod ast;
mod mentioned;
mod nesting;
mod parse;
mod print;
mod same;
mod scan;

pub use mentioned::mentioned;
pub use parse::{MAX_DEPTH, as_sort, parse};
pub(crate) use parse::{dotted, one_index};
pub use print::{expression, print};
pub use same::{same, same_expr, same_fillings, same_sort};

use crate::span::FileId;

/// The comments of a text, whether it can be parsed or not.
pub fn comments(id: FileId, text: &str) -> Vec<ast::Comment> {
    scan::tokens(id, text).1
}
