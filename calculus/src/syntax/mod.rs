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
