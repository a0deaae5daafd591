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
mod vacuous;
mod verdicts;
mod words;

pub use facts::FactsLoader;
pub use load::{Loader, Program, load};
pub use names::mentions_relation;

use crate::diagnostic::{Diagnostic, MAX_MISTAKES, Severity, more};
use crate::sort::Sorts;
use crate::span::{Sources, Span};
use crate::syntax::ast::Ident;
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
        mistakes: 0,
        warnings: 0,
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
    /// How many there are, those that are not kept included.
    mistakes: usize,
    warnings: usize,
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

const TOO_MANY_KEYS: &str =
    "at most 2^24 values can be keys, because a key that nothing binds is enumerated; leave it symbolic";

/// How many formula nodes all instances may have.
const MAX_NODES: usize = 1_000_000;

impl Checker<'_> {
    /// Reports a diagnostic, once per code and place: the instances of a family repeat mistakes.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let place = diagnostic.labels.first().map(|(span, _)| *span).unwrap_or_default();
        let new = diagnostic.labels.is_empty() || self.seen.insert((diagnostic.code, place));
        if !new {
            return Reported;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.mistakes,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_MISTAKES {
            self.diagnostics.push(diagnostic);
        } else if *count == MAX_MISTAKES + 1 {
            self.diagnostics.push(more(diagnostic.severity));
        }
        Reported
    }

    fn unknown(&mut self, what: &str, name: &Ident, known: Vec<&str>) -> Reported {
        if self.mistakes > MAX_MISTAKES {
            return Reported;
        }
        let near = crate::diagnostic::nearest(&name.name, known.iter().copied()).map(str::to_string);
        let label = match what {
            "verdict" | "hint" => format!("no such {what}"),
            "parameter, constant or index" => "nothing static has this name".to_string(),
            _ => "not defined".to_string(),
        };
        let offered = self.options.model.as_ref().is_some_and(|model| *model.name == *name.name);
        let help = if let Some(near) = near {
            format!("did you mean `{near}`?")
        } else if offered {
            format!("the model offers it: add `use {};`", name.name)
        } else if !known.is_empty() && known.len() <= 8 {
            format!("known here: {}", known.join(", "))
        } else {
            match what {
                "relation" => "define it with `rel`, `input`, `let`, `mu` or `nu`",
                "sort" => "define it with `enum`, `range` or `record`",
                "variable or value" => "bind it with `exists` or `forall`, or make it a column",
                "vocabulary" => "facts of a model need its vocabulary: `use program;`",
                _ => "define it with `param` or `const`",
            }
            .to_string()
        };
        let title = format!("there is no {what} `{}`", name.name);
        let diagnostic = Diagnostic::error("fp::unknown_name", title).label(name.span, label).help(help);
        if self.missing_vocabulary { Reported } else { self.report(diagnostic) }
    }
}
