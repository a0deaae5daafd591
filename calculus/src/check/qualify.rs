//! Names in files that are used behind a name: what such a file defines gets the name and a dot in front.
//!
//! A name in it means what is bound around it, else what the file defines, else what everybody sees.

use crate::span::FileId;
use crate::syntax::ast::{
    Binder, ClauseDecl, ColumnDecl, Definition, Expr, ExprKind, FamilyIndex, Ident, IndexBinder, Item,
    ItemKind, SortExpr, SortKind,
};
use crate::syntax::dotted;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What the names of all files are, with all that stands in front of them.
#[derive(Default)]
pub(super) struct FullNames {
    /// Each with the files that define it, and those that leave it open.
    pub defined: BTreeMap<Rc<str>, Definers>,
    /// What stands in front of the names of files, each with a dot at its end.
    pub prefixes: BTreeSet<Rc<str>>,
}

/// The files that define a name, and those that leave it open.
#[derive(Default)]
pub(super) struct Definers {
    pub definers: Vec<FileId>,
    pub openers: Vec<FileId>,
}

/// The names of one file.
pub(super) struct Qualifier<'n> {
    pub names: &'n FullNames,
    pub prefix: &'n str,
}

/// What is bound around a place.
type BoundNames = Vec<Rc<str>>;

/// The name that an item defines, if it defines one; the values of an enum are defined beside it.
pub(super) fn defined_name(item: &mut Item) -> Option<&mut Ident> {
    match &mut item.kind {
        ItemKind::Param { name, .. }
        | ItemKind::Const { name, .. }
        | ItemKind::Enum { name, .. }
        | ItemKind::Range { name, .. }
        | ItemKind::Record { name, .. }
        | ItemKind::Alias { name, .. }
        | ItemKind::OpenSort { name }
        | ItemKind::Symbol { name, .. }
        | ItemKind::OpenRelation { name, .. }
        | ItemKind::Facts { name, .. }
        | ItemKind::Input { name, .. }
        | ItemKind::Definition(Definition { name, .. })
        | ItemKind::Query { name, .. }
        | ItemKind::Trace { name, .. } => Some(name),
        ItemKind::UseVocabulary { .. }
        | ItemKind::UseFile { .. }
        | ItemKind::Require { .. }
        | ItemKind::Verdict { .. }
        | ItemKind::Hint { .. } => None,
    }
}

impl Qualifier<'_> {
    /// The full name of what the file itself defines.
    pub fn own(&self, name: &str) -> Rc<str> {
        format!("{}{name}", self.prefix).into()
    }

    /// The full name that a name in the file means, if it is another one.
    fn meaning(&self, name: &str) -> Option<Rc<str>> {
        let inner = self.own(name);
        match name.rfind('.') {
            // `program.threads` is no name of a file.
            Some(dot) => {
                let known = |full: &str, length| self.names.prefixes.contains(&full[..length]);
                let own = known(&inner, self.prefix.len() + dot + 1).then_some(inner);
                own.or_else(|| known(name, dot + 1).then(|| name.into()))
            }
            None => self.names.defined.contains_key(&inner).then_some(inner),
        }
    }

    fn name(&self, name: &mut Ident, bound: &BoundNames) {
        if !bound.contains(&name.name)
            && let Some(meaning) = self.meaning(&name.name)
        {
            name.name = meaning;
        }
    }

    /// A sort or a column, `Reach.q`, or several of them: what stands before the first dot may be a name of the file.
    fn hint_name(&self, name: &mut Ident) {
        let full = |part: &str| {
            let (first, rest) = part.split_at(part.find('.').unwrap_or(part.len()));
            let own = self.meaning(part).or_else(|| Some(format!("{}{rest}", self.meaning(first)?).into()));
            own.map_or_else(|| part.to_string(), |own: Rc<str>| own.to_string())
        };
        name.name = name.name.split(" + ").map(full).collect::<Vec<_>>().join(" + ").into();
    }

    /// All names in an item, that of what it defines included.
    pub fn item(&self, item: &mut Item) {
        if let Some(name) = defined_name(item) {
            name.name = self.own(&name.name);
        }
        let bound = &mut BoundNames::new();
        match &mut item.kind {
            ItemKind::UseVocabulary { .. } | ItemKind::OpenSort { .. } | ItemKind::Symbol { .. } => {}
            ItemKind::UseFile { name, .. } => {
                name.iter_mut().for_each(|name| name.name = self.own(&name.name));
            }
            ItemKind::Param { bounds, value, .. } => {
                self.expr(value, bound);
                if let Some(bounds) = bounds {
                    self.expr(&mut bounds.lo, bound);
                    bounds.hi.iter_mut().for_each(|hi| self.expr(hi, bound));
                }
            }
            ItemKind::Const { value, .. } => self.expr(value, bound),
            ItemKind::Enum { values, .. } => {
                values.iter_mut().for_each(|value| value.name = self.own(&value.name));
            }
            ItemKind::Range { lo, hi, .. } => [lo, hi].into_iter().for_each(|end| self.expr(end, bound)),
            ItemKind::Record { fields, .. } => {
                fields.iter_mut().for_each(|field| self.sort(&mut field.sort, bound));
            }
            ItemKind::Alias { sort, .. } => self.sort(sort, bound),
            ItemKind::OpenRelation { indices, columns, .. } => {
                bound.extend(indices.iter().map(|index| index.name.clone()));
                self.columns(columns, bound);
            }
            ItemKind::Facts { columns, rows, .. } => {
                self.columns(columns, &mut BoundNames::new());
                rows.iter_mut().flat_map(|row| &mut row.values).for_each(|value| self.expr(value, bound));
            }
            ItemKind::Input { columns, .. } => self.columns(columns, bound),
            ItemKind::Definition(definition) => self.definition(definition, bound),
            ItemKind::Query { columns, clauses, .. } => {
                self.columns(columns, bound);
                self.clauses(clauses, bound);
            }
            ItemKind::Trace { clauses, .. } => self.clauses(clauses, bound),
            ItemKind::Require { condition, message } => {
                self.expr(condition, bound);
                message.text = self.message(&message.text);
            }
            ItemKind::Verdict { message, condition, .. } => {
                condition.iter_mut().for_each(|condition| self.expr(condition, bound));
                message.iter_mut().for_each(|message| message.text = self.message(&message.text));
            }
            ItemKind::Hint { names, .. } => names.iter_mut().for_each(|name| self.hint_name(name)),
        }
    }

    /// The names in the braces of a message.
    fn message(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, name, after)) = rest.split_once('{').and_then(|(before, behind)| {
            let (name, after) = behind.split_once('}')?;
            Some((before, name, after))
        }) {
            let meaning = self.meaning(name);
            out.extend([before, "{", meaning.as_deref().unwrap_or(name), "}"]);
            rest = after;
        }
        out + rest
    }

    fn definition(&self, definition: &mut Definition, bound: &mut BoundNames) {
        for index in &mut definition.indices {
            match index {
                FamilyIndex::Number(index) => self.index(index, bound),
                FamilyIndex::Sort(name) => bound.push(name.name.clone()),
                FamilyIndex::Relation(index) => {
                    index.columns.iter_mut().for_each(|sort| self.sort(sort, bound));
                    bound.push(index.name.name.clone());
                }
            }
        }
        if let Some(alternative) = &mut definition.alternative {
            self.expr(&mut alternative.condition, bound);
        }
        self.columns(&mut definition.columns, bound);
        self.clauses(&mut definition.clauses, bound);
    }

    pub fn columns(&self, columns: &mut [ColumnDecl], bound: &mut BoundNames) {
        for column in columns {
            self.sort(&mut column.sort, bound);
            bound.push(column.name.name.clone());
        }
    }

    fn clauses(&self, clauses: &mut [ClauseDecl], bound: &mut BoundNames) {
        clauses.iter_mut().for_each(|clause| self.expr(&mut clause.body, bound));
    }

    fn index(&self, index: &mut IndexBinder, bound: &mut BoundNames) {
        self.expr(&mut index.lo, bound);
        self.expr(&mut index.hi, bound);
        bound.push(index.name.name.clone());
    }

    fn binders(&self, binders: &mut [Binder], bound: &mut BoundNames) {
        for binder in binders {
            binder.sort.iter_mut().for_each(|sort| self.sort(sort, bound));
            bound.push(binder.name.name.clone());
        }
    }

    fn sort(&self, sort: &mut SortExpr, bound: &mut BoundNames) {
        match &mut sort.kind {
            SortKind::Bool => {}
            SortKind::Name(name) => self.name(name, bound),
            SortKind::Range(lo, hi) => [lo, hi].into_iter().for_each(|end| self.expr(end, bound)),
            SortKind::Vector(element, lo, hi) => {
                self.sort(element, bound);
                [lo, hi].into_iter().for_each(|end| self.expr(end, bound));
            }
        }
    }

    /// All names in an expression.
    pub fn expr(&self, expr: &mut Expr, bound: &mut BoundNames) {
        match &mut expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Text(_) => {}
            ExprKind::Name(name) => self.name(name, bound),
            ExprKind::Field(..) => self.field(expr, bound),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr(inner, bound),
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|side| self.expr(side, bound));
            }
            ExprKind::Slice(base, lo, hi) => {
                [Some(base), lo.as_mut(), hi.as_mut()]
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.expr(part, bound));
            }
            ExprKind::Update(base, at, value) => {
                [base, at, value].into_iter().for_each(|part| self.expr(part, bound));
            }
            ExprKind::With(base, settings) => {
                self.expr(base, bound);
                settings.iter_mut().for_each(|(_, value)| self.expr(value, bound));
            }
            ExprKind::Record(name, settings) => {
                self.name(name, bound);
                settings.iter_mut().for_each(|(_, value)| self.expr(value, bound));
            }
            ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => {
                parts.iter_mut().for_each(|part| self.expr(part, bound));
            }
            ExprKind::Apply { name, indices, args } => {
                self.name(name, bound);
                indices.iter_mut().chain(args).for_each(|part| self.expr(part, bound));
            }
            ExprKind::Instance { name, indices } => {
                self.name(name, bound);
                indices.iter_mut().for_each(|part| self.expr(part, bound));
            }
            ExprKind::Sort(sort) => self.sort(sort, bound),
            ExprKind::Comprehension { binders, body } | ExprKind::Quantified { binders, body, .. } => {
                let outer = bound.len();
                self.binders(binders, bound);
                self.expr(body, bound);
                bound.truncate(outer);
            }
            ExprKind::Marked { by, at, atom, .. } => {
                [by.as_mut(), at.as_mut(), Some(atom)]
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.expr(part, bound));
            }
            ExprKind::Unrolled { indices, body, .. } => {
                let outer = bound.len();
                indices.iter_mut().for_each(|index| self.index(index, bound));
                self.expr(body, bound);
                bound.truncate(outer);
            }
        }
    }

    /// A field of a record, a fact of the model, or the name of something in a file behind a name.
    fn field(&self, expr: &mut Expr, bound: &mut BoundNames) {
        let whole = dotted(expr).filter(|name| {
            let first = name.name.split('.').next().unwrap_or_default();
            !bound.iter().any(|bound| **bound == *first)
        });
        match whole.and_then(|name| Some((self.meaning(&name.name)?, name.span))) {
            Some((name, span)) => expr.kind = ExprKind::Name(Ident { name, span }),
            None => {
                let ExprKind::Field(base, _) = &mut expr.kind else { return };
                self.expr(base, bound);
            }
        }
    }
}
