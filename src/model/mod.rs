//! Models: what a file other than the algorithm offers to it.
//!
//! | file or folder | what it is |
//! |---|---|
//! | `mod.rs`, `about.rs` | the trait that every front end implements, and what it says about a model |
//! | `moves.rs`, `route.rs`, `trace.rs` | a run as the solver sees it, its control flow alone, and as it is told |
//! | `options.rs` | what the command line may say about a model |
//! | `schema` | the vocabulary `program`: names, columns, meaning |
//! | `program` | Boolean programs: from the text to the vocabulary |
//! | `ltl` | formulas of linear temporal logic, as automata |
//! | `interpret` | explicit execution, for traces and as the oracle of tests |
//! | `sequentialize` | a concurrent program as a sequential one |
//! | `boolean` | Boolean programs as a model: these four behind the trait |
//! | `c` | C programs with threads as a model: translated to resolved programs |
//! | `stacks` | a program as a pushdown system |
//! | `pds` | pushdown systems as a model |
//! | `tts` | thread transition systems as a model |
//! | `registry.rs` | the front ends, by the ending of a file |

pub mod about;
pub mod boolean;
pub mod c;
pub mod interpret;
pub mod ltl;
pub mod moves;
pub mod options;
pub mod pds;
pub mod program;
pub mod registry;
pub mod route;
pub mod schema;
pub mod sequentialize;
pub mod stacks;
pub mod trace;
pub mod tts;

pub use about::{Description, ErrorKind, ErrorPlace, ProcedureSize, ThreadRules};
pub use options::ProgramOptions;

use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::sort::Value;
use calculus::span::Sources;
use calculus::vocabulary::{BitExpr, Vocabulary};
use moves::Moves;
use options::{FormulaText, Options};
use route::{Offered, Route};
use schema::RunEvent;
use trace::{NotReplayed, Trace, Verified};

/// What a front end makes of a text. A run, its reports and its explanations know no more of a model than this.
pub trait Model {
    /// Its sorts, facts and relations, and how its values print.
    fn vocabulary(&self) -> &Vocabulary;

    /// The names of the other vocabularies that it offers.
    fn others(&self) -> &'static [&'static str] {
        &[]
    }

    /// One of the others. A mistake if this model has something that the vocabulary has no place for.
    fn other(&self, _name: &str) -> Option<Result<Vocabulary, Diagnostic>> {
        None
    }

    /// The texts that it was read from.
    fn sources(&self) -> &Sources;

    /// What is odd about the texts.
    fn warnings(&self) -> &[Diagnostic];

    /// What `fpsolve model` shows besides the vocabulary.
    fn description(&self) -> Description;

    /// A drawing for Graphviz.
    fn drawing(&self) -> String;

    /// The variables that each thread has of its own.
    fn own_variables(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why a value can leave its word in a line.
    fn left_word(&self, _line: usize) -> Option<String> {
        None
    }

    /// All places in the texts that count as errors.
    fn errors(&self) -> Vec<ErrorPlace> {
        Vec::new()
    }

    /// The error that a value of one of its sorts stands at.
    fn error_at(&self, _sort: &str, _value: &Value) -> Option<ErrorPlace> {
        None
    }

    /// What a tuple of one of its relations tells about a run.
    fn event<'a>(&self, relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>>;

    /// The formula that its runs are checked for.
    fn formula(&self) -> Option<&FormulaText> {
        None
    }

    /// What an atom of a formula means. Nothing if formulas are not about such models.
    fn atom(&self, _atom: &ltl::Atom) -> Option<ltl::Meaning> {
        None
    }

    /// The states of a vocabulary that are not a part of the runs that formulas are about, as a condition on the leaves of
    /// `ltl_letter`.
    fn silent(&self, _vocabulary: &Vocabulary) -> Option<BitExpr> {
        None
    }

    /// The same of a relation of one of its other vocabularies.
    fn other_event(
        &self,
        _vocabulary: &str,
        _relation: &str,
        _indices: &[i64],
        _tuple: &[Value],
    ) -> Option<RunEvent<'static>> {
        None
    }

    /// Predicates that may tell a run of an abstraction from the runs of the model, the most promising first. The last step
    /// of the run is the first one that the model cannot make.
    fn predicates_against(&self, _route: &Route) -> Vec<Offered> {
        Vec::new()
    }

    /// Executes the moves of a run, independently of the solver, and writes the run down.
    fn replay(&self, moves: &Moves) -> Result<Trace, NotReplayed>;

    /// Whether a stored trace is a run, and all that it says is true: to the error, to the state at its end, or around
    /// the part that repeats.
    fn verify(&self, trace: &Trace) -> Verified;
}

/// Takes a file's name and text to the model that it describes, or to its mistakes.
pub type ReadModel = fn(&str, &str, &ProgramOptions) -> Result<Box<dyn Model>, Rejection>;

/// Takes a file's name and text to a sequential program for a number of contexts.
pub type MakeSequential = fn(&str, &str, &Options, usize) -> Result<Sequential, Rejection>;

/// Takes a file's name and text to a width of words.
pub type FirstWidth = fn(&str, &str) -> u32;

/// Takes a file's name and text, and a run to an error, to a program that shows this run when it is compiled.
pub type MakeHarness = fn(&str, &str, &Options, &Trace) -> Result<String, Rejection>;

/// Takes a file's name and text to a Boolean program.
pub type Translate = fn(&str, &str, &Options) -> Result<(String, Sources), Rejection>;

/// What reads one kind of model.
pub struct FrontEnd {
    /// The endings of its files, without the dot.
    pub endings: &'static [&'static str],
    /// `a Boolean program`
    pub what: &'static str,
    /// The endings of files that it reads too if they stand beside.
    pub beside: &'static [&'static str],
    pub read: ReadModel,
    /// The sequential program that decides it for a number of contexts per thread, if there is such a thing.
    pub sequential: Option<MakeSequential>,
    /// The width of words to begin with, if its numbers are words of some width.
    pub first_width: Option<FirstWidth>,
    /// The program that shows a run, if there is such a thing.
    pub harness: Option<MakeHarness>,
    /// The Boolean program that says the same, if it is made of another language.
    pub translate: Option<Translate>,
}

/// A sequential program, and what is odd about the one that it was made of.
#[derive(Debug)]
pub struct Sequential {
    pub text: String,
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
}
