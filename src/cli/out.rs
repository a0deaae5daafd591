//! `--out DIR`: the complete answers of open queries, each in a file of its own.

use super::arguments::{OutFormat, Run};
use super::output::diagnose;
use crate::explain::Explained;
use crate::report::rows::{lines, rows};
use crate::report::strategy;
use crate::run::{Outcome, files};
use calculus::check::FactsForm;
use calculus::diagnostic::Diagnostic;
use calculus::solve::Explanation;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A file that is to be written, and all of its text.
pub struct AnswerFile {
    path: PathBuf,
    text: String,
    /// What the path is for.
    help: &'static str,
}

const FOLDER: &str = "--out names a folder in which files can be made";

/// Makes the folder before anything is solved: nobody should wait for answers that cannot be written.
pub fn prepare(arguments: &Run) -> Result<(), Diagnostic> {
    let Some(folder) = &arguments.out else { return Ok(()) };
    if folder.exists() && !folder.is_dir() {
        let title = format!("cannot write answers into `{}`: this is a file", folder.display());
        return Err(Diagnostic::error("fp::unwritable_file", title).help("--out names a folder"));
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error).help(FOLDER))
}

/// The files of all answers. A run that was given up has none: its answers are not complete.
pub fn answer_files(arguments: &Run, outcome: &Outcome) -> Result<Vec<AnswerFile>, Diagnostic> {
    let Some(folder) = &arguments.out else { return Ok(Vec::new()) };
    if let Some(stop) = outcome.conclusion().stop() {
        let title = format!("nothing was written to `{}`: {stop}", folder.display());
        let help = "the answers are complete only without a limit that is reached; raise it";
        diagnose(&outcome.sources, &[Diagnostic::warning("fp::unwritable_file", title).help(help)]);
        return Ok(Vec::new());
    }
    let (form, ending, other) = match arguments.out_format {
        OutFormat::Facts => (FactsForm::Tabs, "facts", "csv"),
        OutFormat::Csv => (FactsForm::Csv, "csv", "facts"),
    };
    let mut files = Vec::new();
    for query in outcome.complete_queries().iter().filter(|query| !query.is_closed()) {
        let other = folder.join(format!("{}.{other}", query.name));
        if other.exists() {
            let title = format!("`{}` is there already: an input reads one of both files", other.display());
            return Err(Diagnostic::error("fp::unwritable_file", title)
                .help("nothing was written; remove it, or name another folder"));
        }
        let path = folder.join(format!("{}.{ending}", query.name));
        files.push(AnswerFile { path, text: rows(outcome, query, form)?, help: FOLDER });
    }
    Ok(files)
}

/// The files of all strategies: `RELATION.CLAUSE.facts`.
pub fn strategy_files(arguments: &Run, strategies: &[Explained]) -> Result<Vec<AnswerFile>, Diagnostic> {
    let Some(folder) = &arguments.out else { return Ok(Vec::new()) };
    let (form, ending) = match arguments.out_format {
        OutFormat::Facts => (FactsForm::Tabs, "facts"),
        OutFormat::Csv => (FactsForm::Csv, "csv"),
    };
    let mut files = Vec::new();
    for Explained { checked, explanation, .. } in strategies {
        let Explanation::Present(found) = explanation else { continue };
        for table in strategy::tables(checked, found) {
            let title = format!("{}.{}", table.relation, table.clause);
            // Brackets and commas of families are no part of a file's name.
            let title = title.replace(['[', ']', ',', ' ', '{', '}', '(', ')', '|', '/'], "_");
            let text = lines(&checked.system, (&title, &table.columns), table.rows.iter(), form)?;
            let path = folder.join(format!("{title}.{ending}"));
            files.push(AnswerFile { path, text, help: FOLDER });
        }
    }
    Ok(files)
}

/// The order of BDD variables at the end of the run. A run that was given up has one, unless it never came to solving.
pub fn order_file(arguments: &Run, outcome: &Outcome) -> Option<AnswerFile> {
    let path = arguments.save_order.clone()?;
    let items = outcome.answer.order.as_ref()?;
    let mut text = String::from("// The order of BDD variables, from the top down.\n");
    if !items.is_empty() {
        text += &format!("hint order\n  {};\n", items.join(",\n  "));
    }
    Some(AnswerFile { path, text, help: "--save-order names a file in a folder in which files can be made" })
}

/// Writes the files. Each is there as a whole or not at all.
pub fn write(files: &[AnswerFile]) -> Result<(), Diagnostic> {
    for AnswerFile { path, text, help } in files {
        let mut part = path.clone().into_os_string();
        part.push(format!(".{}.part", std::process::id()));
        let written = fs::write(&part, text).and_then(|()| fs::rename(&part, path));
        written.map_err(|error| {
            let _ = fs::remove_file(&part);
            unwritable(path, &error).help(*help)
        })?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let title = format!("cannot write `{}`: {}", path.display(), files::reason(error));
    Diagnostic::error("fp::unwritable_file", title)
}
