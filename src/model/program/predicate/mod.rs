//! Predicates: conditions over the variables of one thread, `s == l`, or of two, `l != other.l`.
//!
//! They come from `--predicate`, or from the text of a C program, and may be written with the operators of C or of Boolean
//! programs. A name means the variable of this name wherever there is one. A predicate is false where one of its
//! variables does not exist: whatever a predicate means, abstraction by it is sound. A local that a predicate mentions
//! keeps its value to the end of its procedure; a value on its way ([`spoken`]) is there until it is used.

pub mod condition;
mod parse;
mod typing;

use super::resolve::program::{Expr, Op, Program};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::{FileId, Sources};

#[derive(Clone, Debug)]
pub struct Predicate {
    /// As it was written.
    pub text: String,
    /// The variables that it speaks of.
    pub names: Vec<Mention>,
    /// Over them: [`Op::Old`] of the i-th shared variable stands for the i-th name.
    pub code: Expr,
}

/// A variable by its name: of the thread itself, or of another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    pub name: String,
    pub other: bool,
}

/// A predicate as a text, before it is known what its names mean.
#[derive(Clone, Debug)]
pub struct PredicateText {
    pub text: String,
    /// Where it begins.
    pub file: FileId,
    pub start: u32,
}

impl Predicate {
    /// Whether it is about two threads.
    pub fn is_about_two(&self) -> bool {
        self.names.iter().any(|mention| mention.other)
    }

    /// The names that an operation stands for.
    pub fn mention(op: Op) -> Option<usize> {
        match op {
            Op::Old(super::Var::Shared(index)) => Some(index as usize),
            _ => None,
        }
    }
}

/// What predicates call a variable. A front end has variables that the text does not have, for values on their way: C's `.a@12'2`
/// is the second copy of `a@12`, the value that was read of `a` in line 12. The dot hides them everywhere else.
pub fn spoken(variable: &str) -> &str {
    let Some(made) = variable.strip_prefix('.') else { return variable };
    made.split_once('\'').map_or(made, |(name, _)| name)
}

/// Whether predicates may mean a variable of a graph by a name. What was inlined has the name of its procedure in front.
pub fn is_called(variable: &str, name: &str) -> bool {
    let is_made = variable.starts_with('.') || variable.contains("..");
    let known = if is_made { variable.split_once('\'').map_or(variable, |(name, _)| name) } else { variable };
    known.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Adds what the command line gives to the predicates of a program.
pub fn add_given(
    program: &mut Program,
    given: &[String],
    sources: &mut Sources,
) -> Result<(), Vec<Diagnostic>> {
    let texts = given.iter().map(|text| PredicateText {
        text: text.clone(),
        file: sources.add("--predicate", text.as_str()),
        start: 0,
    });
    add(program, &texts.collect::<Vec<_>>())
}

/// Adds predicates to a program. Two that mean the same are one.
pub fn add(program: &mut Program, texts: &[PredicateText]) -> Result<(), Vec<Diagnostic>> {
    let mut problems = Vec::new();
    for text in texts {
        match parse::parse(text).and_then(|tree| typing::resolve(program, text, &tree)) {
            Ok(predicate) => {
                let same = |known: &Predicate| {
                    known.names == predicate.names && known.code.code == predicate.code.code
                };
                if !program.predicates.iter().any(same) {
                    program.predicates.push(predicate);
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Whether a text is a predicate of a program.
pub fn is_predicate(program: &Program, text: &str) -> bool {
    let text = PredicateText { text: text.into(), file: FileId(0), start: 0 };
    parse::parse(&text).and_then(|tree| typing::resolve(program, &text, &tree)).is_ok()
}

/// The same for a program that was just read.
pub fn given(loaded: super::Loaded, given: &[String]) -> Result<super::Loaded, Rejection> {
    let super::Loaded { mut program, mut sources, warnings } = loaded;
    match add_given(&mut program, given, &mut sources) {
        Ok(()) => Ok(super::Loaded { program, sources, warnings }),
        Err(diagnostics) => Err(Rejection { sources, diagnostics }),
    }
}
