//! An open text: its tree, its names, its mistakes. What a broken text cannot tell is remembered from before.

use super::outline::Outline;
use super::{equations, programs};
use crate::model::registry;
use crate::run::files::{Files, read_model};
use crate::run::{CheckedFile, Facts, Request, check, specimen};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::{FileId, Source, Sources};
use calculus::syntax;
use calculus::syntax::ast;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A text that an editor shows.
pub struct Document {
    pub path: String,
    pub text: String,
    pub language: Language,
    /// The names of the last text without syntax errors.
    pub outline: Outline,
    /// The files that it uses, and those that they use.
    pub used: Vec<UsedFile>,
    /// What the checker knows of the last text without mistakes, and that text.
    pub checked: Option<(CheckedFile, String)>,
    /// What is wrong with the text as it is now.
    pub sources: Sources,
    pub findings: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Equations,
    Program,
}

/// A file that is used.
pub struct UsedFile {
    /// What its definitions have in front of their names: `ctl.`
    pub prefix: String,
    /// A path, or `bundled:…`.
    pub name: String,
    pub text: String,
    pub outline: Outline,
}

impl Document {
    pub fn open(path: String, text: String) -> Document {
        let language = if path.ends_with(".fp") { Language::Equations } else { Language::Program };
        let (outline, used, checked, sources, findings) = Default::default();
        let mut document = Document { path, text, language, outline, used, checked, sources, findings };
        document.look();
        document
    }

    pub fn change(&mut self, text: String) {
        self.text = text;
        self.look();
    }

    fn look(&mut self) {
        // A bug in the checker must not end the server: the editor would lose everything else, too.
        let looked = catch_unwind(AssertUnwindSafe(|| match self.language {
            Language::Equations => self.look_at_equations(),
            Language::Program => self.look_at_program(),
        }));
        if looked.is_err() {
            self.findings.clear();
        }
    }

    fn look_at_equations(&mut self) {
        if let Ok(tree) = syntax::parse(FileId::default(), &self.text) {
            self.outline = equations::outline(&tree);
            self.used.clear();
            used(&self.path, &tree, "", &mut self.used);
        }
        let file = Source::new(self.path.clone(), self.text.as_str());
        let model = Some(specimen(&file));
        let request = Request { facts: Facts::Empty, model, specimen: true, ..Request::new(file) };
        match check(&request) {
            Ok(checked) => {
                self.sources = checked.sources.clone();
                self.findings = checked.warnings.clone();
                self.checked = Some((checked, self.text.clone()));
            }
            Err(Rejection { sources, diagnostics }) => {
                self.sources = sources;
                self.findings = diagnostics;
            }
        }
    }

    fn look_at_program(&mut self) {
        if let Ok(tree) = crate::model::program::parse_file(&self.text) {
            self.outline = programs::outline(&tree);
        }
        let Some(front_end) = registry::front_end(&self.path) else { return };
        match read_model(front_end, &self.path, &self.text, &Default::default()) {
            Ok(model) => {
                self.sources = model.sources().clone();
                self.findings = model.warnings().to_vec();
            }
            Err(Rejection { sources, diagnostics }) => {
                self.sources = sources;
                self.findings = diagnostics;
            }
        }
    }

    /// The text in the house style, if it has one and no syntax errors.
    pub fn formatted(&self) -> Option<String> {
        let tree =
            (self.language == Language::Equations).then(|| syntax::parse(FileId::default(), &self.text))?;
        Some(syntax::print(&tree.ok()?, &self.text))
    }
}

/// The files that a file uses, each once for each name that it is used behind.
fn used(user: &str, tree: &ast::File, prefix: &str, out: &mut Vec<UsedFile>) {
    for (path, _, behind) in equations::used(tree) {
        let Ok((name, text)) = Files::default().used(user, path) else { continue };
        let prefix = behind.map_or(prefix.into(), |behind| format!("{prefix}{}.", behind.name));
        let known = out.iter().any(|known| known.name == name && known.prefix == prefix);
        if let Ok(tree) = syntax::parse(FileId::default(), &text)
            && !known
        {
            let outline = equations::outline(&tree);
            out.push(UsedFile { prefix: prefix.clone(), name: name.clone(), text, outline });
            used(&name, &tree, &prefix, out);
        }
    }
}
