//! Reads a file and all files it uses.
//!
//! A file that is used is read once, and what it defines is shared. One that is used behind a name (`as ctl`), or
//! that leaves sorts and relations open, is read once for each name that its own definitions get in front of them.

use super::modules::{self, Unit, User};
use crate::diagnostic::{Diagnostic, limited};
use crate::span::{FileId, Sources, Span};
use crate::syntax::ast::{File, Filling, Ident, ItemKind, Text};
use crate::syntax::{parse, same_fillings};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

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
    /// The open relations of used files, with what they are given.
    pub(super) filled: Vec<modules::FilledRelation>,
    /// The relations that a used file is about: those that it and the files around it leave open, by their full names.
    pub(super) about: BTreeMap<FileId, Vec<Rc<str>>>,
    /// The parameters that a used file is given.
    pub(super) given: BTreeSet<Rc<str>>,
}

/// Reads `text` and what it uses. All syntax errors of all files are reported together.
pub fn load(name: &str, text: &str, loader: Loader) -> (LoadedFiles, Vec<Diagnostic>) {
    let mut loading = Loading::new(loader);
    loading.visit(name.to_string(), text.to_string(), "".into(), None, &mut Vec::new());
    let Loading { sources, units, mut errors, .. } = loading;
    let mut program = modules::join(units, &mut errors);
    program.sources = sources;
    (program, limited(errors))
}

/// The vocabularies that the files use, each where it is first named.
pub fn vocabularies(program: &LoadedFiles) -> Vec<(Rc<str>, Span)> {
    let mut out: Vec<(Rc<str>, Span)> = Vec::new();
    for item in program.files.iter().flat_map(|file| &file.items) {
        if let ItemKind::UseVocabulary { name } = &item.kind
            && out.iter().all(|(known, _)| *known != name.name)
        {
            out.push((name.name.clone(), name.span));
        }
    }
    out
}

struct Loading<'l> {
    loader: Loader<'l>,
    sources: Sources,
    units: Vec<Unit>,
    seen: Vec<SeenFile>,
    /// Whether files leave something open, by their names.
    open: BTreeMap<String, bool>,
    errors: Vec<Diagnostic>,
}

/// A file that is being read or was.
struct SeenFile {
    name: String,
    /// What its definitions have in front of their names.
    prefix: Rc<str>,
    fillings: Vec<Filling>,
    /// Where it was used first.
    place: Option<Span>,
}

impl<'l> Loading<'l> {
    fn new(loader: Loader<'l>) -> Loading<'l> {
        let (sources, units, seen, open, errors) = Default::default();
        Loading { loader, sources, units, seen, open, errors }
    }

    /// `inside`: the files that are being read, each used by the one before.
    fn visit(
        &mut self,
        name: String,
        text: String,
        prefix: Rc<str>,
        user: Option<Rc<User>>,
        inside: &mut Vec<String>,
    ) {
        let fillings = user.as_ref().map_or_else(Vec::new, |user| user.fillings.clone());
        let place = user.as_ref().map(|user| user.place);
        self.seen.push(SeenFile { name: name.clone(), prefix: prefix.clone(), fillings, place });
        let id = self.sources.add(name.clone(), text.as_str());
        let file = match parse(id, &text) {
            Ok(file) => file,
            Err(found) => return self.errors.extend(found),
        };
        inside.push(name.clone());
        for item in &file.items {
            if let ItemKind::UseFile { path, name: behind, fillings } = &item.kind {
                let user = User {
                    prefix: prefix.clone(),
                    fillings: fillings.clone(),
                    place: path.span,
                    outer: user.clone(),
                };
                self.used(&name, user, path, behind.as_ref(), inside);
            }
        }
        inside.pop();
        self.units.push(Unit { file, prefix, user });
    }

    fn used(&mut self, by: &str, user: User, path: &Text, behind: Option<&Ident>, inside: &mut Vec<String>) {
        let (outer, fillings) = (&user.prefix, &user.fillings);
        let (name, text) = match (self.loader)(by, &path.text) {
            Ok(found) => found,
            Err(why) => return self.errors.push(unreadable(path.span, &path.text, &why)),
        };
        let prefix: Rc<str> = match behind {
            Some(behind) => format!("{outer}{}.", behind.name).into(),
            None if !outer.is_empty() && (!fillings.is_empty() || self.is_open(&name, &text)) => {
                outer.clone()
            }
            None => "".into(),
        };
        if let Some(seen) = self.seen.iter().find(|seen| seen.name == name && seen.prefix == prefix) {
            let says_nothing = behind.is_none() && fillings.is_empty();
            if !says_nothing && !same_fillings(fillings, &seen.fillings) {
                self.errors.push(filled_twice(path, seen.place));
            }
            return;
        }
        let taken = self.seen.iter().find(|seen| behind.is_some() && seen.prefix == prefix);
        if let Some((seen, behind)) = taken.zip(behind) {
            return self.errors.push(
                Diagnostic::error("fp::defined_twice", format!("`{}` is defined twice", behind.name))
                    .label(behind.span, "another file gets this name")
                    .label(seen.place.unwrap_or(path.span), "first used here")
                    .help("put each file behind a name of its own"),
            );
        }
        if inside.contains(&name) {
            let why = "it is used by itself, behind ever longer names";
            return self.errors.push(unreadable(path.span, &path.text, why));
        }
        if self.seen.len() >= 1000 {
            return self.errors.push(unreadable(path.span, &path.text, "more than 1,000 files are used"));
        }
        self.visit(name, text, prefix, Some(Rc::new(user)), inside);
    }

    /// Whether a file leaves something open, or uses one that does. What is wrong with it is said when it is read.
    fn is_open(&mut self, name: &str, text: &str) -> bool {
        if let Some(open) = self.open.get(name) {
            return *open;
        }
        // A file that is used by itself is no more open for that.
        self.open.insert(name.to_string(), false);
        let items = parse(FileId::default(), text).map(|file| file.items).unwrap_or_default();
        let open = items.iter().any(|item| match &item.kind {
            ItemKind::OpenSort { .. } | ItemKind::OpenRelation { .. } => true,
            ItemKind::UseFile { path, name: None, .. } => {
                (self.loader)(name, &path.text).is_ok_and(|(used, text)| self.is_open(&used, &text))
            }
            _ => false,
        });
        self.open.insert(name.to_string(), open);
        open
    }
}

fn filled_twice(path: &Text, first: Option<Span>) -> Diagnostic {
    let title = format!("\"{}\" is used twice, and given different things", path.text);
    Diagnostic::error("fp::filled_twice", title)
        .label(path.span, "used again here")
        .label(first.unwrap_or(path.span), "first used here")
        .help(format!("put one of them behind a name: `use \"{}\" as other with …;`", path.text))
}

fn unreadable(span: Span, path: &str, why: &str) -> Diagnostic {
    Diagnostic::error("fp::unreadable_file", format!("cannot use \"{path}\""))
        .label(span, why)
        .help("a path is relative to the file that uses it; the bundled algorithms are searched after that")
}
