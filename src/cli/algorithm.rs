//! The file of equations that a command line names, and what was probably meant where it names something else.

use super::arguments::COMMANDS;
use crate::model::ProgramOptions;
use crate::model::schema::ProgramFacts;
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::Source;
use std::path::Path;

/// Words that other tools begin a run with.
const RUNNING: [&str; 4] = ["solve", "run", "verify", "analyze"];

/// The file to run on a model.
pub fn find(name: &str, model: Option<&str>) -> Result<Source, Diagnostic> {
    if is_program(name) {
        return Err(program_in_front(name, model));
    }
    let found = files::find(name, &COMMANDS);
    found.map_err(|mistake| match name {
        "help" => mistake.help("`fpsolve --help` explains the arguments"),
        _ if RUNNING.contains(&name) => mistake.help("a run has no command: `fpsolve FILE [MODEL]`"),
        _ => mistake,
    })
}

/// The file for a command that is about equations only.
pub fn find_alone(name: &str) -> Result<Source, Diagnostic> {
    if is_program(name) {
        let title = format!("`{name}` is a Boolean program, not a file of equations");
        let help = format!("`fpsolve model {name}` checks a program and shows what it offers");
        return Err(Diagnostic::error("fp::usage", title).help(help));
    }
    files::find(name, &COMMANDS)
}

fn is_program(name: &str) -> bool {
    files::is_model(name) && Path::new(name).is_file()
}

fn program_in_front(program: &str, model: Option<&str>) -> Diagnostic {
    if let Some(algorithm) = model.filter(|model| !files::is_model(model)) {
        let title = format!("`{program}` is a Boolean program, where the algorithm is expected");
        return Diagnostic::error("fp::usage", title)
            .help(format!("the algorithm comes first: fpsolve {algorithm} {program}"));
    }
    let title = format!("`{program}` is a Boolean program, and no algorithm is named");
    let help = match suitable(program) {
        Some((algorithm, kind)) => {
            format!("for {kind}: fpsolve {algorithm} {program}; `fpsolve list` shows all algorithms")
        }
        None => format!("name one before it: fpsolve ALGORITHM {program}; `fpsolve list` shows them"),
    };
    Diagnostic::error("fp::usage", title).help(help)
}

/// A bundled algorithm for a program, and for what kind of programs it is. Nothing if the program has mistakes.
fn suitable(program: &str) -> Option<(&'static str, &'static str)> {
    let model = files::model(program, &ProgramOptions::default()).ok()?;
    let vocabulary = model.vocabulary();
    let fact = |name: &str| vocabulary.facts.iter().find(|(fact, _)| fact == name).map(|(_, value)| *value);
    Some(match (fact(ProgramFacts::REPLICATED)?, fact(ProgramFacts::THREADS)?) {
        (0, 1) => ("summaries", "a sequential program"),
        (0, _) => ("lazy_cba", "a program with threads"),
        _ => ("adequacy", "a program with any number of threads"),
    })
}

/// A model that is missing is told once: where the file itself asks for it, not in those that it uses.
pub fn without_model(name: &str, mut rejection: Rejection) -> Rejection {
    if rejection.diagnostics.iter().all(|mistake| mistake.code == "fp::no_model")
        && let Some(last) = rejection.diagnostics.pop()
    {
        rejection.diagnostics = vec![last.help(format!("name a program after it: fpsolve {name} PROG.bp"))];
    }
    rejection
}
