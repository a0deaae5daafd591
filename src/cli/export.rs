//! `fpsolve export FILE.fp [MODEL] --to smt2|souffle`: the elaborated system for other solvers.

use super::arguments::{Input, Programs, Resources};
use super::output::{conclude, diagnose, print_file, refuse_output, reject, whole};
use super::solve::params;
use super::{Exit, algorithm};
use crate::export::{Language, export as exported};
use crate::run::{Facts, Request, behind_dots, check, files, handles_calls, offered};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use std::fs;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Export {
    /// The .fp file, the name of a bundled algorithm, or - for the standard input
    pub file: String,
    /// The model that the file is about: a Boolean program, MODEL.bp
    pub model: Option<String>,
    /// The language: Horn clauses in SMT-LIB (Z3, Eldarica, …), or Datalog for Soufflé
    #[arg(long, value_enum)]
    pub to: LanguageName,
    /// What to ask; by default smt2 asks the condition of the first verdict, and souffle all queries
    #[arg(long, value_name = "NAME")]
    pub query: Option<String>,
    /// Where to write it; to the standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub program: Programs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LanguageName {
    #[value(aliases = ["smt", "smtlib", "smt-lib", "smtlib2", "horn", "chc", "z3"])]
    Smt2,
    #[value(aliases = ["datalog", "dl", "soufflé"])]
    Souffle,
}

pub fn export(arguments: &Export) -> Exit {
    match written(arguments) {
        Ok(()) => Exit::Success,
        Err(rejection) => reject(&rejection, false),
    }
}

fn written(arguments: &Export) -> Result<(), Rejection> {
    let inputs = [Some(arguments.file.as_str()), arguments.model.as_deref()];
    refuse_output(&inputs, arguments.output.as_ref(), "the exported system", "-o")?;
    let file = algorithm::find(&arguments.file, arguments.model.as_deref())?;
    let options = arguments.program.options().for_file(handles_calls(&file)).naming(behind_dots(&file));
    let model = arguments.model.as_deref().map(|path| files::model(path, &options)).transpose()?;
    if let Some(model) = &model {
        diagnose(model.sources(), model.warnings());
    }
    let about = match &arguments.model {
        Some(model) => format!("{} on {model}", file.name),
        None => file.name.clone(),
    };
    let checked = check(&Request {
        params: params(&arguments.input)?,
        facts: arguments.input.facts.clone().map_or(Facts::None, Facts::Folder),
        model: model.as_ref().map(|model| offered(&**model, &file)).transpose()?,
        ..Request::new(file)
    });
    let checked = checked.map_err(|rejection| algorithm::without_model(&arguments.file, rejection))?;
    diagnose(&checked.sources, &checked.warnings);
    let language = match arguments.to {
        LanguageName::Smt2 => Language::Smt,
        LanguageName::Souffle => Language::Souffle,
    };
    let _exporting = phase::enter("writing the system for another solver");
    let text = exported(&checked, &about, language, arguments.query.as_deref());
    let text = text.map_err(|refusal| Rejection { sources: checked.sources, diagnostics: vec![refusal] })?;
    match &arguments.output {
        None => {
            conclude();
            print_file(&text);
        }
        Some(output) => whole(|| fs::write(output, &text)).map_err(|error| {
            let title = format!("cannot write `{}`: {}", output.display(), files::reason(&error));
            Diagnostic::error("fp::unwritable_file", title)
        })?,
    }
    Ok(())
}
