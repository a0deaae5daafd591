//! The file of equations that a command line names, and what was probably meant where it names something else.

use super::arguments::COMMANDS;
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
    let title = format!("`{program}` is a program, where the algorithm is expected");
    Diagnostic::error("fp::usage", title)
        .help(format!("one program at a time: fpsolve {program}; `fpsolve batch` runs many"))
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
