//! Files that leave something open, and files behind names: puts full names into the trees of all files, and what
//! each used file is given in the place of what is open in it.

use super::load::LoadedFiles;
use super::qualify::{FullNames, Qualifier, defined_name};
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::Span;
use crate::syntax::ast::{
    Binder, ClauseDecl, ColumnDecl, DefKind, Definition, Expr, ExprKind, File, Filling, Ident, Item, ItemKind,
};
use crate::syntax::{as_sort, dotted};
use std::rc::Rc;

/// A file, with who uses it.
pub(super) struct Unit {
    pub file: File,
    /// What its definitions have in front of their names: nothing, or a name and a dot for each file it is inside of.
    pub prefix: Rc<str>,
    pub user: Option<User>,
}

/// The `use` through which a file was read.
pub(super) struct User {
    /// What the user's own definitions have in front of their names.
    pub prefix: Rc<str>,
    pub fillings: Vec<Filling>,
    pub place: Span,
}

/// An open relation with what it is given.
#[derive(Debug)]
pub(super) struct FilledRelation {
    pub name: Ident,
    pub indices: Vec<Ident>,
    pub columns: Vec<ColumnDecl>,
    /// The name of the relation that it is.
    pub given: Ident,
}

/// Puts all files together.
pub(super) fn join(units: Vec<Unit>, errors: &mut Vec<Diagnostic>) -> LoadedFiles {
    let names = full_names(&units);
    let vocabulary = units.iter().flat_map(|unit| &unit.file.items);
    let vocabulary = vocabulary.into_iter().any(|item| matches!(item.kind, ItemKind::UseVocabulary { .. }));
    let mut program = LoadedFiles::default();
    for (at, unit) in units.into_iter().enumerate() {
        let Unit { mut file, prefix, user } = unit;
        let own = Qualifier { names: &names, prefix: &prefix };
        let outer = Qualifier { names: &names, prefix: user.as_ref().map_or("", |user| &user.prefix) };
        let mut filler =
            Filler { at, own, outer, user: user.as_ref(), vocabulary, errors, program: &mut program };
        filler.only_open_things_are_given(&mut file);
        let mut items = Vec::with_capacity(file.items.len());
        for mut item in std::mem::take(&mut file.items) {
            let declared = defined_name(&mut item).map(|name| name.name.clone());
            if !names.prefixes.is_empty() {
                filler.own.item(&mut item);
            }
            items.extend(filler.filled(item, declared));
        }
        file.items = items;
        program.files.push(file);
    }
    program
}

fn full_names(units: &[Unit]) -> FullNames {
    let mut names = FullNames::default();
    for (at, unit) in units.iter().enumerate() {
        if !unit.prefix.is_empty() {
            names.prefixes.insert(unit.prefix.clone());
        }
        for item in &unit.file.items {
            let mut define = |name: &Ident| {
                let full = format!("{}{}", unit.prefix, name.name).into();
                names.defined.entry(full).or_default().push(at);
            };
            if let ItemKind::Enum { values, .. } = &item.kind {
                values.iter().for_each(&mut define);
            }
            defined_name(&mut item.clone()).iter().for_each(|name| define(name));
        }
    }
    names
}

struct Filler<'f> {
    /// Which of the files it is.
    at: usize,
    own: Qualifier<'f>,
    /// The names of the user.
    outer: Qualifier<'f>,
    user: Option<&'f User>,
    /// Some file uses a vocabulary, whose names are not known yet.
    vocabulary: bool,
    errors: &'f mut Vec<Diagnostic>,
    program: &'f mut LoadedFiles,
}

impl Filler<'_> {
    fn only_open_things_are_given(&mut self, file: &mut File) {
        let Some(user) = self.user else { return };
        let open = |item: &mut Item| {
            let open = matches!(
                item.kind,
                ItemKind::OpenSort { .. } | ItemKind::OpenRelation { .. } | ItemKind::Param { .. }
            );
            defined_name(item).filter(|_| open).map(|name| name.name.clone())
        };
        let open = file.items.iter_mut().filter_map(open).collect::<Vec<_>>();
        for (at, Filling { name, .. }) in user.fillings.iter().enumerate() {
            if let Some(first) = user.fillings[..at].iter().find(|first| first.name.name == name.name) {
                self.errors.push(
                    Diagnostic::error("fp::defined_twice", format!("`{}` is given twice", name.name))
                        .label(name.span, "again here")
                        .label(first.name.span, "first here")
                        .help("give it once"),
                );
            }
            if open.contains(&name.name) {
                continue;
            }
            let help = match nearest(&name.name, open.iter().map(|name| &**name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if open.is_empty() => "nothing is open in that file".into(),
                None => format!("it leaves open: {}", open.join(", ")),
            };
            self.errors.push(
                Diagnostic::error("fp::not_open", format!("the file leaves no `{}` open", name.name))
                    .label(name.span, "a sort or relation without a definition, or a parameter, can be given")
                    .help(help),
            );
        }
    }

    /// What an item is once what it leaves open is given. `declared`: its name in the text of the file.
    fn filled(&mut self, item: Item, declared: Option<Rc<str>>) -> Option<Item> {
        let span = item.span;
        let kind = match item.kind {
            ItemKind::OpenSort { name } => self.sort(name, &declared?)?,
            ItemKind::OpenRelation { name, indices, columns } => {
                self.relation((name, indices, columns), &declared?)?
            }
            ItemKind::Param { name, bounds, value } => match self.written(&declared?) {
                Some(value) => {
                    self.program.given.insert(name.name.clone());
                    ItemKind::Param { name, bounds, value }
                }
                None => ItemKind::Param { name, bounds, value },
            },
            kind => kind,
        };
        Some(Item { kind, span })
    }

    /// What the user writes for something, in the user's names.
    fn written(&self, declared: &str) -> Option<Expr> {
        let fillings = &self.user?.fillings;
        let mut given = fillings.iter().find(|filling| *filling.name.name == *declared)?.given.clone();
        self.outer.expr(&mut given, &mut Vec::new());
        Some(given)
    }

    /// What something is given: what the user writes, or what has the same name there.
    fn given(&mut self, name: &Ident, declared: &str) -> Option<Expr> {
        if let Some(written) = self.written(declared) {
            return Some(written);
        }
        let known = |full: &str| {
            let files = self.outer.names.defined.get(full);
            files.is_some_and(|files| files.iter().any(|file| *file != self.at))
        };
        let inner = self.outer.own(declared);
        let meaning = match self.user {
            Some(_) if known(&inner) => inner,
            Some(_) if known(declared) || self.vocabulary => declared.into(),
            user => {
                self.errors.push(unfilled(name, declared, user));
                return None;
            }
        };
        let span = self.user.map_or(name.span, |user| user.place);
        Some(Expr { kind: ExprKind::Name(Ident { name: meaning, span }), span })
    }

    fn sort(&mut self, name: Ident, declared: &str) -> Option<ItemKind> {
        let given = self.given(&name, declared)?;
        let Some(sort) = as_sort(&given) else {
            self.errors.push(
                Diagnostic::error("fp::not_a_sort", format!("`{declared}` needs a sort"))
                    .label(given.span, "this is not one")
                    .label(name.span, "left open here")
                    .help("give a sort by its name, `bool`, or a vector `T[1..k]`"),
            );
            return None;
        };
        // What has the same name is the same thing.
        if dotted(&given).is_some_and(|given| given.name == name.name) {
            return None;
        }
        Some(ItemKind::Alias { name, sort })
    }

    fn relation(
        &mut self,
        (name, indices, columns): (Ident, Vec<Ident>, Vec<ColumnDecl>),
        declared: &str,
    ) -> Option<ItemKind> {
        let given = self.given(&name, declared)?;
        let whole = dotted(&given);
        let made = match &whole {
            Some(_) => None,
            None => match self.definition(&name, &indices, &columns, given) {
                Ok(made) => Some(made),
                Err(mistake) => {
                    self.errors.push(*mistake);
                    return None;
                }
            },
        };
        let given = whole.unwrap_or_else(|| name.clone());
        self.program.filled.push(FilledRelation { name, indices, columns, given });
        made.map(ItemKind::Definition)
    }

    /// A comprehension, or one relation of a family, is a definition of its own.
    fn definition(
        &self,
        name: &Ident,
        indices: &[Ident],
        columns: &[ColumnDecl],
        given: Expr,
    ) -> Result<Definition, Box<Diagnostic>> {
        let mistake = |label: &str, help: &str| {
            Diagnostic::error("fp::not_a_relation", format!("`{}` needs a relation", name.name))
                .label(given.span, label)
                .label(name.span, "left open here")
                .help(help)
                .into()
        };
        if !indices.is_empty() {
            let help = "define a family with the same number of indices, and give its name";
            return Err(mistake("this has no index", help));
        }
        let (columns, body) = match given.kind.clone() {
            ExprKind::Comprehension { binders, body } if binders.len() == columns.len() => {
                let column = |(Binder { name, sort }, declared): (Binder, &ColumnDecl)| ColumnDecl {
                    name,
                    sort: sort.unwrap_or_else(|| declared.sort.clone()),
                };
                (binders.into_iter().zip(columns).map(column).collect(), *body)
            }
            ExprKind::Comprehension { .. } => {
                let wanted = super::words::count(columns.len(), "column", "columns");
                return Err(mistake(
                    &format!("a relation with {wanted} is needed"),
                    "bind a variable for each",
                ));
            }
            kind => {
                let (relation, indices) = match kind {
                    ExprKind::Instance { name, indices } => (name, indices),
                    ExprKind::Index(base, index) => match dotted(&base) {
                        Some(name) => (name, vec![*index]),
                        None => return Err(mistake("this is not one", GIVE)),
                    },
                    _ => return Err(mistake("this is not one", GIVE)),
                };
                let arg = |column: &ColumnDecl| Expr {
                    kind: ExprKind::Name(column.name.clone()),
                    span: given.span,
                };
                let args = columns.iter().map(arg).collect();
                let kind = ExprKind::Apply { name: relation, indices, args };
                (columns.to_vec(), Expr { kind, span: given.span })
            }
        };
        let clauses = vec![ClauseDecl { label: None, body }];
        let (kind, alternative, indices) = (DefKind::Let, None, Vec::new());
        Ok(Definition { kind, alternative, name: name.clone(), indices, columns, clauses })
    }
}

const GIVE: &str = "give the name of a relation, one relation of a family `R[1]`, or `{ (x, y) | R(y, x) }`";

fn unfilled(name: &Ident, declared: &str, user: Option<&User>) -> Diagnostic {
    let title = format!("`{declared}` is left open, and nothing is given for it");
    let diagnostic = Diagnostic::error("fp::unfilled", title);
    match user {
        Some(user) => diagnostic
            .label(user.place, "this file leaves it open")
            .label(name.span, "here")
            .help(format!("give it: `use … with {declared} = …;`, or define `{declared}` in the using file")),
        None => diagnostic.label(name.span, "whoever uses this file says what it is").help(format!(
            "define it here; or use this file in another one: `use \"…\" with {declared} = …;`"
        )),
    }
}
