//! `--harness OUT.c`: the run to the error of a C program, as a program.

use super::arguments::{Document, Run};
use super::output::{diagnose, print, refuse_output, whole};
use crate::model::trace::Trace;
use crate::report::shell_word;
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::Sources;
use std::fs;

/// Whether a harness can be made of what is checked: known before anything is solved.
pub fn check(arguments: &Run, name: Option<&str>) -> Result<(), Rejection> {
    if arguments.harness.is_none() {
        return Ok(());
    }
    refuse_output(&[arguments.file.as_deref(), name], arguments.harness.as_ref(), "a harness", "--harness")?;
    let front_end = name.map(files::model_text).transpose()?.map(|(_, front_end)| front_end);
    match front_end {
        Some(front_end) if front_end.harness.is_some() => Ok(()),
        _ => Err(Diagnostic::error("fp::usage", "`--harness` is for C programs")
            .help("`--trace` prints the run of any program")
            .into()),
    }
}

/// What is said behind the answer: how to use the harness, or why there is none.
#[derive(Default)]
pub struct Told {
    words: String,
    warning: Option<Diagnostic>,
}

impl Told {
    pub fn tell(&self, document: Document) {
        if document == Document::Text {
            print(&self.words);
        }
        diagnose(&Sources::default(), self.warning.as_slice());
    }
}

/// Writes the harness of a run, if one can be made. `bits` is the width of the words in which the run was found.
pub fn write(
    arguments: &Run,
    name: &str,
    bits: Option<u32>,
    trace: Option<&Trace>,
) -> Result<Told, Rejection> {
    let Some(path) = &arguments.harness else { return Ok(Told::default()) };
    let warned =
        |title: String| Told { warning: Some(Diagnostic::warning("c::harness", title)), ..Told::default() };
    let Some(trace) = trace else {
        return Ok(warned(format!("there is no run to an error, so `{}` is not written", path.display())));
    };
    let (text, front_end) = files::model_text(name)?;
    let Some(harness) = front_end.harness else { return Ok(Told::default()) };
    let mut options = arguments.program.options_for(name).reading;
    options.words.width = bits.unwrap_or(options.words.width);
    // The answer stands without it.
    let made = match harness(name, &text, &options, trace) {
        Ok(made) => made,
        Err(rejection) => {
            let why = rejection.diagnostics.first().map_or("", |problem| problem.title.as_str());
            return Ok(warned(format!("`{}` is not written: {why}", path.display())));
        }
    };
    whole(|| fs::write(path, &made)).map_err(|error| {
        let title = format!("cannot write `{}`: {}", path.display(), files::reason(&error));
        Diagnostic::error("fp::unwritable_file", title)
    })?;
    let shown = shell_word(&path.to_string_lossy());
    // It says itself how it is compiled.
    let command = made.split_once("To see the error: ").and_then(|(_, rest)| rest.split_once(" THIS_FILE.c"));
    let command = command.map_or("cc -w -pthread", |(command, _)| command);
    let words = format!("to see the error happen: {command} {shown} -o harness && ./harness\n");
    Ok(Told { words, warning: None })
}
