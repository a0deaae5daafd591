//! Files that leave something open, and files behind names: puts full names into the trees of all files, and what
//! each used file is given in the place of what is open in it.

use super::load::LoadedFiles;
use super::qualify::{Definers, FullNames, Qualifier, defined_name};
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::{FileId, Span};
use crate::syntax::ast::{
    Binder, ClauseDecl, ColumnDecl, DefKind, Definition, Expr, ExprKind, File, Filling, Ident, Item, ItemKind,
};
use crate::syntax::{as_sort, dotted, same_expr};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A file, with who uses it.
pub(super) struct Unit {
    pub file: File,
    /// What its definitions have in front of their names: nothing, or a name and a dot for each file it is inside of.
    pub prefix: Rc<str>,
    pub user: Option<Rc<User>>,
}

/// The `use` through which a file was read.
pub(super) struct User {
    /// What the user's own definitions have in front of their names.
    pub prefix: Rc<str>,
    pub fillings: Vec<Filling>,
    pub place: Span,
    /// The `use` through which the user was read.
    pub outer: Option<Rc<User>>,
}

impl User {
    /// This `use`, and those around it, the innermost first.
    fn chain(&self) -> impl Iterator<Item = &User> {
        std::iter::successors(Some(self), |user| user.outer.as_deref())
    }
}

/// An open relation with what it is given.
#[derive(Debug)]
pub(super) struct FilledRelation {
    pub name: Ident,
    pub indices: Vec<Ident>,
    pub columns: Vec<ColumnDecl>,
    /// The name of the relation that it is.
    pub given: Ident,
    /// The `use` that gives it. What that brings in is about this relation.
    giver: Option<Span>,
}

/// Puts all files together.
pub(super) fn join(units: Vec<Unit>, errors: &mut Vec<Diagnostic>) -> LoadedFiles {
    let names = full_names(&units);
    only_open_things_are_given(&units, errors);
    let vocabulary = units.iter().flat_map(|unit| &unit.file.items);
    let vocabulary = vocabulary.into_iter().any(|item| matches!(item.kind, ItemKind::UseVocabulary { .. }));
    let mut program = LoadedFiles::default();
    let mut named = BTreeMap::new();
    let mut uses = Vec::new();
    for Unit { mut file, prefix, user } in units {
        let own = Qualifier { names: &names, prefix: &prefix };
        let user = user.as_deref();
        uses.extend(user.map(|user| (file.id, user.chain().map(|user| user.place).collect::<Vec<_>>())));
        let mut filler = Filler { own, user, vocabulary, errors, program: &mut program, named: &mut named };
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
    for (file, uses) in uses {
        let given =
            program.filled.iter().filter(|filled| filled.giver.is_some_and(|use_| uses.contains(&use_)));
        let names = given.map(|filled| filled.name.name.clone()).collect::<Vec<_>>();
        if !names.is_empty() {
            program.about.insert(file, names);
        }
    }
    program
}

fn full_names(units: &[Unit]) -> FullNames {
    let mut names = FullNames::default();
    for unit in units {
        if !unit.prefix.is_empty() {
            names.prefixes.insert(unit.prefix.clone());
        }
        for item in &unit.file.items {
            let open = matches!(item.kind, ItemKind::OpenSort { .. } | ItemKind::OpenRelation { .. });
            let mut define = |name: &Ident| {
                let full = format!("{}{}", unit.prefix, name.name).into();
                let files: &mut Definers = names.defined.entry(full).or_default();
                let files = if open { &mut files.openers } else { &mut files.definers };
                files.push(unit.file.id);
            };
            if let ItemKind::Enum { values, .. } = &item.kind {
                values.iter().for_each(&mut define);
            }
            defined_name(&mut item.clone()).iter().for_each(|name| define(name));
        }
    }
    names
}

/// What a `use` writes for something, in the user's names.
fn written(user: &User, names: &Qualifier, declared: &str) -> Option<Expr> {
    let filling = user.fillings.iter().find(|filling| *filling.name.name == *declared)?;
    let mut given = filling.given.clone();
    names.expr(&mut given, &mut Vec::new());
    Some(given)
}

/// A `use` gives what its file leaves open, or what a file does that this one uses without a name.
fn only_open_things_are_given(units: &[Unit], errors: &mut Vec<Diagnostic>) {
    for (user, prefix) in units.iter().filter_map(|unit| Some((unit.user.as_deref()?, &unit.prefix))) {
        let through = |unit: &&Unit| {
            let mut users = unit.user.iter().flat_map(|inner| inner.chain());
            unit.prefix == *prefix && users.any(|inner| inner.place == user.place)
        };
        let items = units.iter().filter(through).flat_map(|unit| &unit.file.items);
        let open = items.filter_map(|item| match &item.kind {
            ItemKind::OpenSort { name }
            | ItemKind::OpenRelation { name, .. }
            | ItemKind::Param { name, .. } => Some(&*name.name),
            _ => None,
        });
        let open = open.collect::<Vec<_>>();
        for (at, Filling { name, .. }) in user.fillings.iter().enumerate() {
            if let Some(first) = user.fillings[..at].iter().find(|first| first.name.name == name.name) {
                errors.push(
                    Diagnostic::error("fp::defined_twice", format!("`{}` is given twice", name.name))
                        .label(name.span, "again here")
                        .label(first.name.span, "first here")
                        .help("give it once"),
                );
            }
            if !open.contains(&&*name.name) {
                errors.push(not_open(name, &open));
            }
        }
    }
}

fn not_open(name: &Ident, open: &[&str]) -> Diagnostic {
    let help = match nearest(&name.name, open.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if open.is_empty() => "nothing is open in that file".into(),
        None => format!("it leaves open: {}", open.join(", ")),
    };
    Diagnostic::error("fp::not_open", format!("the file leaves no `{}` open", name.name))
        .label(name.span, "a sort or relation without a definition, or a parameter, can be given")
        .help(help)
}

struct Filler<'f> {
    own: Qualifier<'f>,
    user: Option<&'f User>,
    /// Some file uses a vocabulary, whose names are not known yet.
    vocabulary: bool,
    errors: &'f mut Vec<Diagnostic>,
    program: &'f mut LoadedFiles,
    /// What is open in some file and has been given.
    named: &'f mut BTreeMap<Rc<str>, (Ident, Expr)>,
}

impl Filler<'_> {
    /// What an item is once what it leaves open is given. `declared`: its name in the text of the file.
    fn filled(&mut self, item: Item, declared: Option<Rc<str>>) -> Option<Item> {
        let span = item.span;
        let kind = match item.kind {
            ItemKind::OpenSort { name } => self.sort(name, &declared?)?,
            ItemKind::OpenRelation { name, indices, columns } => {
                self.relation((name, indices, columns), &declared?)?
            }
            ItemKind::Param { name, bounds, value } => match self.number(&declared?) {
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

    /// The uses through which something can be given: the one of the file, and those around it as long as what is
    /// used there has the same names in front.
    fn users(&self) -> impl Iterator<Item = (&User, Qualifier<'_>)> {
        let mut inside = Some(self.own.prefix);
        let users = self.user.into_iter().flat_map(User::chain);
        users.map_while(move |user| {
            let open = inside.take()?;
            inside = (*user.prefix == *open).then_some(open);
            Some((user, Qualifier { names: self.own.names, prefix: &user.prefix }))
        })
    }

    /// What a user writes for a parameter.
    fn number(&self, declared: &str) -> Option<Expr> {
        self.users().find_map(|(user, names)| written(user, &names, declared))
    }

    /// What something is given, and by which `use`: what a user writes, or what has the same name there.
    fn given(&mut self, name: &Ident, declared: &str) -> Option<(Expr, Option<Span>)> {
        let known = |full: &str| {
            let files = self.own.names.defined.get(full);
            // What a user leaves open is passed on.
            let passes_on = |file: &FileId| self.users().any(|(user, _)| user.place.file == *file);
            files.is_some_and(|files| !files.definers.is_empty() || files.openers.iter().any(passes_on))
        };
        // The innermost user decides.
        let given = self.users().find_map(|(user, names)| {
            let full = names.own(declared);
            let given = written(user, &names, declared).map(Ok).or_else(|| known(&full).then_some(Err(full)));
            Some((given?, user.place))
        });
        let (meaning, giver) = match (given, self.user) {
            (Some((Ok(written), giver)), _) => return Some((written, Some(giver))),
            (Some((Err(name), giver)), _) => (name, Some(giver)),
            (None, Some(user)) if known(declared) || self.vocabulary => {
                (declared.into(), user.chain().last().map(|user| user.place))
            }
            (None, user) => {
                self.errors.push(unfilled(name, declared, user));
                return None;
            }
        };
        let span = self.user.map_or(name.span, |user| user.place);
        Some((Expr { kind: ExprKind::Name(Ident { name: meaning, span }), span }, giver))
    }

    /// Whether this is the first file that leaves this open. Another one must be given the same.
    fn is_first(&mut self, name: &Ident, given: &Expr) -> bool {
        let Some((first, before)) = self.named.get(&name.name) else {
            self.named.insert(name.name.clone(), (name.clone(), given.clone()));
            return true;
        };
        if !same_expr(before, given) {
            let title = format!("`{}` is given two different things", name.name);
            self.errors.push(
                Diagnostic::error("fp::filled_twice", title)
                    .label(name.span, "left open here")
                    .label(first.span, "and here")
                    .help("put one of the files behind a name: `use \"…\" as other with …;`"),
            );
        }
        false
    }

    fn sort(&mut self, name: Ident, declared: &str) -> Option<ItemKind> {
        let (given, _) = self.given(&name, declared)?;
        let Some(sort) = as_sort(&given) else {
            self.errors.push(
                Diagnostic::error("fp::not_a_sort", format!("`{declared}` needs a sort"))
                    .label(given.span, "this is not one")
                    .label(name.span, "left open here")
                    .help("give a sort by its name, `bool`, or a vector `T[1..k]`"),
            );
            return None;
        };
        // What has the same name is the same thing; and two files may leave the same thing open.
        let same = dotted(&given).is_some_and(|given| given.name == name.name);
        if same || !self.is_first(&name, &given) {
            return None;
        }
        Some(ItemKind::Alias { name, sort })
    }

    fn relation(
        &mut self,
        (name, indices, columns): (Ident, Vec<Ident>, Vec<ColumnDecl>),
        declared: &str,
    ) -> Option<ItemKind> {
        let (given, giver) = self.given(&name, declared)?;
        let (whole, first) = (dotted(&given), self.is_first(&name, &given));
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
        let given = whole.filter(|_| first).unwrap_or_else(|| name.clone());
        self.program.filled.push(FilledRelation { name, indices, columns, given, giver });
        made.filter(|_| first).map(ItemKind::Definition)
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
