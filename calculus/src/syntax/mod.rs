//! From text to syntax tree, and back.

pub mod ast;
mod parse;
mod scan;

pub use parse::{MAX_DEPTH, parse};
