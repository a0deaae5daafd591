//! From syntax trees to the checked system: names, statics, sorts, positivity.
//!
//! Everything a reader can get wrong is found here, before anything is solved. The checker goes on after a
//! mistake, so that all of them are reported together. Families are instantiated here and not later, because
//! the sorts of an instance depend on its indices (`Shared[1..i]`).

mod build;
mod facts;
mod globals;
mod infer;
mod instantiate;
mod load;
mod names;
mod positivity;
mod statics;
pub mod tree;

pub use facts::FactsLoader;
pub use load::{Loader, Program, load};

use crate::diagnostic::{Diagnostic, Severity, Sources};
use crate::sort::Sorts;
use crate::syntax::ast::{Ident, Span};
use crate::vocabulary::Vocabulary;
use globals::{Family, Global};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tree::{Relation, System};

/// What a file is checked against.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// `--set NAME=INT`
    pub params: BTreeMap<String, i64>,
    pub model: Option<Vocabulary>,
    /// Finds the rows of an `input`.
    pub facts: Option<FactsLoader<'a>>,
    /// Sorts to keep as keys, or not, whatever the file says.
    pub keyed: Vec<(String, bool)>,
}

/// A checked system with its warnings, or the mistakes.
pub fn check(program: &mut Program, options: &Options) -> Result<(System, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut checker = Checker {
        options,
        sources: &mut program.sources,
        globals: BTreeMap::new(),
        families: Vec::new(),
        statics: BTreeMap::new(),
        sorts: Sorts::default(),
        named_sorts: BTreeMap::new(),
        relations: Vec::new(),
        diagnostics: Vec::new(),
        seen: BTreeSet::new(),
        missing_vocabulary: false,
        depth: 0,
        nodes: 0,
    };
    let system = checker.run(&program.files);
    let diagnostics = checker.diagnostics;
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match system {
        Some(system) if !failed => Ok((system, diagnostics)),
        _ => Err(diagnostics),
    }
}

/// A mistake has been reported; what depends on it is passed over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

type Checked<T> = Result<T, Reported>;

struct Checker<'a> {
    options: &'a Options<'a>,
    sources: &'a mut Sources,
    globals: BTreeMap<Rc<str>, Global<'a>>,
    families: Vec<Family<'a>>,
    /// Values of params and consts; `None` while they are being computed.
    statics: BTreeMap<Rc<str>, Option<Checked<i64>>>,
    sorts: Sorts,
    /// Sorts of named declarations; `None` while they are being computed.
    named_sorts: BTreeMap<Rc<str>, Option<Checked<crate::sort::SortId>>>,
    relations: Vec<Relation>,
    diagnostics: Vec<Diagnostic>,
    seen: BTreeSet<(&'static str, Span)>,
    /// A `use` failed: unknown names are most likely its names.
    missing_vocabulary: bool,
    /// How many parameters, constants and sorts are being computed inside each other.
    depth: usize,
    /// How many formula nodes all instances have; unrolling must not run away.
    nodes: usize,
}

/// How many values a sort may have whose columns are keys: a key that nothing binds is enumerated.
const MAX_KEYS: u64 = 1 << 24;

/// How many formula nodes all instances may have.
const MAX_NODES: usize = 4_000_000;

impl Checker<'_> {
    /// Reports a diagnostic, once per code and place: the instances of a family repeat mistakes.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let place = diagnostic.labels.first().map(|(span, _)| *span).unwrap_or_default();
        if diagnostic.labels.is_empty() || self.seen.insert((diagnostic.code, place)) {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    fn unknown(&mut self, what: &str, name: &Ident, known: Vec<&str>) -> Reported {
        let near = crate::diagnostic::nearest(&name.name, known.iter().copied()).map(str::to_string);
        let mut diagnostic =
            Diagnostic::error("fp::unknown_name", format!("there is no {what} `{}`", name.name))
                .label(name.span, "not defined");
        if let Some(near) = near {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if !known.is_empty() && known.len() <= 8 {
            diagnostic = diagnostic.help(format!("known here: {}", known.join(", ")));
        }
        if self.missing_vocabulary { Reported } else { self.report(diagnostic) }
    }
}
