//! Boolean programs: text, syntax tree, names resolved, control-flow graph.
//!
//! ```text
//! text --scan--> --pest--> ast --resolve--> Program --cfg--> Cfg --inline--> Cfg
//! ```
//!
//! `load` takes a text to a resolved [`Program`]; [`cfg::Cfg::build`] takes that to flat control-flow graphs. The explicit
//! interpreter starts from the resolved program too, and shares nothing after it.

pub mod ast;
pub mod cfg;
pub mod diagnostic;
pub mod dialect;
pub mod encode;
pub mod options;
mod parse;
pub mod resolve;
mod scan;
pub mod source;

pub use diagnostic::{Problem, Problems, Severity};
pub use dialect::Dialect;
pub use options::Options;
pub use resolve::program::*;
pub use source::{Source, Span};

use std::sync::Arc;

/// A program without mistakes, and what is odd about it.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
    pub warnings: Vec<Problem>,
}

/// Reads a Boolean program: syntax, dialect, names, roles of the procedures.
pub fn load(name: &str, text: &str, options: &Options) -> Result<Loaded, Problems> {
    let source = Arc::new(Source::new(name, text));
    let file = parse::parse(&source)?;
    resolve::resolve(source, file, options)
}

/// Reads the syntax only.
pub fn parse_file(name: &str, text: &str) -> Result<ast::File, Problems> {
    parse::parse(&Arc::new(Source::new(name, text)))
}
