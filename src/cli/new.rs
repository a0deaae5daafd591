//! `fpsolve new NAME.fp`: a file to begin with, which runs as it is.

use super::Exit;
use super::output::{print, reject};
use crate::run::files;
use calculus::diagnostic::Diagnostic;
use std::fs::File;
use std::io::{self, Write};

#[derive(Debug, clap::Args)]
pub struct New {
    /// The file to write, NAME.fp; a file that exists is left alone
    #[arg(value_name = "NAME.fp")]
    pub file: String,
    /// Begin with an algorithm for Boolean programs
    #[arg(long)]
    pub program: bool,
}

const EQUATIONS: &str = include_str!("new/equations.fp");
const PROGRAM: &str = include_str!("new/program.fp");

pub fn new(arguments: &New) -> Exit {
    match written(arguments) {
        Ok(()) => {
            let (name, model) = (&arguments.file, if arguments.program { " PROG.bp" } else { "" });
            print(&format!("wrote {name}; try: fpsolve {name}{model}\n"));
            Exit::Success
        }
        Err(mistake) => reject(&mistake.into(), false),
    }
}

fn written(arguments: &New) -> Result<(), Diagnostic> {
    let name = &arguments.file;
    if !name.ends_with(".fp") {
        return Err(Diagnostic::error(
            "fp::usage",
            format!("`{name}` is not a name for a file of equations"),
        )
        .help(format!("end it with .fp: fpsolve new {name}.fp")));
    }
    let text = if arguments.program { PROGRAM } else { EQUATIONS };
    // Only a file that was not there before is opened.
    let written = File::create_new(name).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists => "it exists already".into(),
            io::ErrorKind::NotFound => "its folder does not exist".into(),
            _ => files::reason(&error),
        };
        Diagnostic::error("fp::unwritable_file", format!("cannot write `{name}`: {why}"))
    })
}
