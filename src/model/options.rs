//! What the command line may say about a model.

pub use super::ltl::FormulaText;
use calculus::span::{FileId, Source, Sources};
use std::collections::BTreeSet;

/// How a Boolean program is read and encoded.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    pub reading: Options,
    pub inline: Inline,
    /// Leave out dead locals.
    pub simplify: bool,
    /// Steps that make threads are offered as such. Otherwise there are threads that sleep until they are started, for
    /// files without equations for such steps.
    pub spawns: bool,
    /// The file looks at which variables are read and written.
    pub accesses: bool,
    /// The file abstracts from numbers.
    pub outlines: bool,
    /// The variables that a file may write behind a dot: they keep their values.
    pub named: BTreeSet<String>,
    /// The formula that runs are checked for.
    pub formula: Option<FormulaText>,
}

/// What a file has equations for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handles {
    pub calls: bool,
    pub spawns: bool,
    pub accesses: bool,
    pub outlines: bool,
}

impl ProgramOptions {
    /// The same for a file: one with rules for calls does not need them inlined.
    pub fn for_file(&self, handles: Handles) -> ProgramOptions {
        let inline = match self.inline {
            Inline::Auto if handles.calls => Inline::Sparing,
            inline => inline,
        };
        let Handles { spawns, accesses, outlines, .. } = handles;
        ProgramOptions { inline, spawns, accesses, outlines, ..self.clone() }
    }

    /// The same for a file in which these names stand behind dots.
    pub fn naming(self, named: BTreeSet<String>) -> ProgramOptions {
        ProgramOptions { named, ..self }
    }
}

impl Default for ProgramOptions {
    fn default() -> Self {
        ProgramOptions {
            reading: Options::default(),
            inline: Inline::default(),
            simplify: true,
            spawns: false,
            accesses: false,
            outlines: false,
            named: BTreeSet::new(),
            formula: None,
        }
    }
}

/// Roles, targets and dialect; the default leaves everything to the file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The procedure that runs once, before the threads.
    pub init: Option<String>,
    /// The procedures that are single threads, instead of those the dialect names.
    pub thread: Vec<String>,
    /// The procedures of which any number of copies run.
    pub replicate: Vec<String>,
    /// Labels (`L` or `procedure:L`) whose reaching is a target, besides failing assertions and ERROR labels.
    pub target: Vec<String>,
    /// The dialect; detected from the file when absent.
    pub dialect: Option<Dialect>,
    /// How many copies of a thread each `start_thread` can start; any number when absent.
    pub copies: Option<u32>,
    /// The configuration in which runs begin, in place of the file that says it.
    pub initial: Option<String>,
    /// The files that stand beside the model's and belong to it.
    pub beside: Vec<Source>,
    /// How numbers of C are modelled.
    pub words: Words,
    /// Predicates that numbers are abstracted by.
    pub predicates: Vec<String>,
}

/// The numbers of a C program in its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// How many bits a number has.
    pub width: u32,
    /// Where a value leaves its word, the run ends: at a target of the class `width`, unless it is said here in words what is
    /// left out.
    pub left_out: Option<String>,
    /// What else counts as an error.
    pub checks: Vec<Check>,
    /// Functions without a body that return anything.
    pub havoc: Vec<String>,
}

impl Words {
    /// The smallest width that makes sense, and the largest that is supported.
    pub const LEAST: u32 = 2;
    pub const MOST: u32 = 32;

    pub fn checks(&self, check: Check) -> bool {
        self.checks.contains(&check)
    }
}

impl Default for Words {
    fn default() -> Words {
        Words { width: 8, left_out: None, checks: Vec::new(), havoc: Vec::new() }
    }
}

/// What counts as an error of a C program if it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A signed number overflows.
    Overflow,
    /// A division by zero.
    Division,
    /// A mutex is unlocked that the thread does not hold, or held where it ends.
    Lock,
}

impl Options {
    /// The text that says where runs begin: `--initial`, or the file beside the model's with this ending.
    pub(super) fn initial_text(&self, ending: &str, sources: &mut Sources) -> Option<FileId> {
        match &self.initial {
            Some(text) => Some(sources.add("--initial", text.as_str())),
            None => self.text_beside(ending, sources),
        }
    }

    /// The texts that say where runs must not end: each `--target`, or the file beside the model's with this ending.
    pub(super) fn target_texts(&self, ending: &str, sources: &mut Sources) -> Vec<FileId> {
        match self.target.as_slice() {
            [] => self.text_beside(ending, sources).into_iter().collect(),
            texts => texts.iter().map(|text| sources.add("--target", text.as_str())).collect(),
        }
    }

    fn text_beside(&self, ending: &str, sources: &mut Sources) -> Option<FileId> {
        let end = format!(".{ending}");
        let found = self.beside.iter().find(|source| source.name.ends_with(&end))?;
        Some(sources.add(found.name.clone(), found.text.clone()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SLAM's Bebop, WALi, duet: procedures, `main` is the only thread.
    Bebop,
    /// SATABS, boppo, boom, ucob: `start_thread`, `atomic_begin`; loosest operators are `=`, `!=`, `=>`.
    Satabs,
    /// Getafix: `init` up to `endinit`, procedures `thread…`, atomic sections by the shared variable `atomic`.
    Getafix,
    /// Our own: `init begin … end`, `thread name* begin … end`.
    Fpsolve,
}

/// Which calls are replaced by the procedure's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Inline {
    Never,
    /// Up to [`Inline::AUTO_LIMIT`] edges in all.
    #[default]
    Auto,
    /// Up to [`Inline::SPARING_LIMIT`] edges: for files that have rules for calls. Small programs are solved faster without
    /// summaries, large ones are not.
    Sparing,
    /// Up to [`Inline::ALWAYS_LIMIT`] edges.
    Always,
}

impl Inline {
    pub const SPARING_LIMIT: usize = 300;
    pub const AUTO_LIMIT: usize = 50_000;
    pub const ALWAYS_LIMIT: usize = 5_000_000;
}
