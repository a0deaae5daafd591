//! `fpsolve sequentialize PROG.bp --contexts K [-o OUT.bp]`: a concurrent program as a sequential one.

use super::Exit;
use super::arguments::{Programs, Resources};
use super::output::{conclude, diagnose, print_file, refuse_output, reject, whole};
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use clap::Args;
use std::fs;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Sequentialize {
    /// The concurrent program, PROG.bp
    #[arg(value_name = "PROG")]
    pub file: String,
    /// How many contexts each thread has
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub contexts: u8,
    /// Where to write the sequential program; to the standard output by default
    #[arg(short, long, value_name = "OUT.bp")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub program: Programs,
}

pub fn sequentialize(arguments: &Sequentialize) -> Exit {
    match written(arguments) {
        Ok(()) => Exit::Success,
        Err(rejection) => reject(&rejection, false),
    }
}

fn written(arguments: &Sequentialize) -> Result<(), Rejection> {
    let (text, front_end) = files::model_text(&arguments.file)?;
    let Some(sequential) = front_end.sequential else {
        let title = format!("`{}` is {}: it cannot be made sequential", arguments.file, front_end.what);
        return Err(Diagnostic::error("fp::usage", title).into());
    };
    refuse_output(&[Some(&arguments.file)], arguments.output.as_ref(), "its sequential program", "-o")?;
    let options = arguments.program.options().reading;
    let made = sequential(&arguments.file, &text, &options, usize::from(arguments.contexts))?;
    diagnose(&made.sources, &made.warnings);
    match &arguments.output {
        None => {
            conclude();
            print_file(&made.text);
        }
        Some(output) => whole(|| fs::write(output, &made.text)).map_err(|error| {
            let title = format!("cannot write `{}`: {}", output.display(), files::reason(&error));
            Diagnostic::error("fp::unwritable_file", title)
        })?,
    }
    Ok(())
}
