//! `fpsolve translate PROG.c [-o OUT.bp]`: a C program as a Boolean program with ranges.

use super::Exit;
use super::arguments::{Programs, Resources};
use super::output::{conclude, print_file, refuse_output, reject, whole};
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use clap::Args;
use std::fs;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Translate {
    /// The C program, PROG.c or PROG.i
    #[arg(value_name = "PROG")]
    pub file: String,
    /// Where to write the Boolean program; to the standard output by default
    #[arg(short, long, value_name = "OUT.bp")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub program: Programs,
}

pub fn translate(arguments: &Translate) -> Exit {
    match written(arguments) {
        Ok(()) => Exit::Success,
        Err(rejection) => reject(&rejection, false),
    }
}

fn written(arguments: &Translate) -> Result<(), Rejection> {
    let (text, front_end) = files::model_text(&arguments.file)?;
    let Some(translate) = front_end.translate else {
        let title = format!("`{}` is {}: only C programs are translated", arguments.file, front_end.what);
        return Err(Diagnostic::error("fp::usage", title).into());
    };
    refuse_output(&[Some(&arguments.file)], arguments.output.as_ref(), "its translation", "-o")?;
    let options = arguments.program.options_for(&arguments.file).reading;
    let (made, _) = translate(&arguments.file, &text, &options)?;
    match &arguments.output {
        None => {
            conclude();
            print_file(&made);
        }
        Some(output) => whole(|| fs::write(output, &made)).map_err(|error| {
            let title = format!("cannot write `{}`: {}", output.display(), files::reason(&error));
            Diagnostic::error("fp::unwritable_file", title)
        })?,
    }
    Ok(())
}
