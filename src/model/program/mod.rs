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
pub mod dialect;
pub mod encode;
mod parse;
pub mod predicate;
pub mod resolve;
mod scan;

pub use super::options::Options;
pub use dialect::Dialect;
pub use parse::{MEANINGS, is_plain_name};
pub use resolve::program::*;
pub use resolve::sections;

use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::span::{FileId, Sources};

/// A program without mistakes, and what is odd about it.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
    /// Its text, as the one file.
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
}

/// Reads a Boolean program: syntax, dialect, names, roles of the procedures.
pub fn load(name: &str, text: &str, options: &Options) -> Result<Loaded, Rejection> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let source = sources.get(file).clone();
    let parsing = phase::enter("parsing the program");
    let tree = parse::parse(file, text);
    drop(parsing);
    let _resolving = phase::enter("resolving the names of the program");
    match tree.and_then(|tree| resolve::resolve(source, tree, options)) {
        Ok((program, warnings)) => Ok(Loaded { program, sources, warnings }),
        Err(diagnostics) => Err(Rejection { sources, diagnostics }),
    }
}

/// Reads the syntax only.
pub fn parse_file(text: &str) -> Result<ast::File, Vec<Diagnostic>> {
    parse::parse(FileId::default(), text)
}
