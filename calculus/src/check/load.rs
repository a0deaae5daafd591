//! Reads a file and all files it uses, each once.

use crate::diagnostic::{Diagnostic, MAX_MISTAKES, Severity, more};
use crate::span::{Sources, Span};
use crate::syntax::ast::{File, ItemKind};
use crate::syntax::parse;

/// Finds the file that `use "path"` means in a file of the given name: the name to call it by, and its text.
/// The error says in a few words why there is none.
pub type Loader<'a> = &'a dyn Fn(&str, &str) -> Result<(String, String), String>;

/// The files in the order of their definitions: a used file stands before its first user.
#[derive(Debug, Default)]
pub struct LoadedFiles {
    /// The texts, for diagnostics.
    pub sources: Sources,
    /// Their trees; the last one is the file that was asked for.
    pub files: Vec<File>,
}

/// Reads `text` and what it uses. All syntax errors of all files are reported together.
pub fn load(name: &str, text: &str, loader: Loader) -> (LoadedFiles, Vec<Diagnostic>) {
    let mut program = LoadedFiles::default();
    let mut errors = Vec::new();
    let mut loaded = Vec::new();
    visit(name.to_string(), text.to_string(), loader, &mut program, &mut loaded, &mut errors);
    if errors.len() > MAX_MISTAKES {
        errors.truncate(MAX_MISTAKES);
        errors.push(more(Severity::Error));
    }
    (program, errors)
}

fn visit(
    name: String,
    text: String,
    loader: Loader,
    program: &mut LoadedFiles,
    loaded: &mut Vec<String>,
    errors: &mut Vec<Diagnostic>,
) {
    loaded.push(name.clone());
    let id = program.sources.add(name.clone(), text.as_str());
    let file = match parse(id, &text) {
        Ok(file) => file,
        Err(found) => return errors.extend(found),
    };
    for item in &file.items {
        let ItemKind::UseFile { path } = &item.kind else { continue };
        match loader(&name, &path.text) {
            Ok((used, _)) if loaded.contains(&used) => {}
            Ok((used, text)) if loaded.len() < 1000 => visit(used, text, loader, program, loaded, errors),
            Ok(_) => errors.push(unreadable(path.span, &path.text, "more than 1,000 files are used")),
            Err(why) => errors.push(unreadable(path.span, &path.text, &why)),
        }
    }
    program.files.push(file);
}

fn unreadable(span: Span, path: &str, why: &str) -> Diagnostic {
    Diagnostic::error("fp::unreadable_file", format!("cannot use \"{path}\""))
        .label(span, why)
        .help("a path is relative to the file that uses it; the bundled algorithms are searched after that")
}
