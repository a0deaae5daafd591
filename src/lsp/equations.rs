//! The names in a file of equations, from its tree. Columns, quantified variables and indices are seen inside what binds
//! them; everything else is seen by the whole file and by those that use it.

use super::outline::{Kind, Mention, Outline};
use calculus::span::Span;
use calculus::syntax::ast::{
    Binder, ClauseDecl, ColumnDecl, Expr, ExprKind, FamilyIndex, File, Ident, IndexBinder, Item, ItemKind,
    SortExpr, SortKind,
};
use std::rc::Rc;

pub fn outline(file: &File) -> Outline {
    let mut walk = Walk::default();
    file.items.iter().for_each(|item| walk.item(item));
    walk.out.settle();
    walk.out
}

/// The files that a file uses, each with the name it is used behind.
pub fn used(file: &File) -> impl Iterator<Item = (&str, Span, Option<&Ident>)> {
    file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::UseFile { path, name, .. } => Some((path.text.as_str(), path.span, name.as_ref())),
        _ => None,
    })
}

#[derive(Default)]
struct Walk {
    out: Outline,
    /// What is bound around the place that is looked at.
    bound: Vec<(Rc<str>, usize)>,
}

impl Walk {
    fn item(&mut self, item: &Item) {
        let whole = item.span;
        let global = |walk: &mut Walk, name: &Ident, kind| walk.global(name, kind, whole);
        match &item.kind {
            ItemKind::UseVocabulary { .. } => {}
            ItemKind::UseFile { fillings, .. } => {
                fillings.iter().for_each(|filling| self.expr(&filling.given))
            }
            ItemKind::Param { name, bounds, value } => {
                global(self, name, Kind::Constant);
                let bounds = bounds.iter().flat_map(|bounds| [Some(&bounds.lo), bounds.hi.as_ref()]);
                bounds.flatten().for_each(|bound| self.expr(bound));
                self.expr(value);
            }
            ItemKind::Const { name, value } => {
                global(self, name, Kind::Constant);
                self.expr(value);
            }
            ItemKind::Enum { name, values, .. } => {
                global(self, name, Kind::Sort);
                values.iter().for_each(|value| global(self, value, Kind::Value));
            }
            ItemKind::Range { name, lo, hi, .. } => {
                global(self, name, Kind::Sort);
                self.exprs([lo, hi]);
            }
            ItemKind::Symbol { name, .. } | ItemKind::OpenSort { name } => global(self, name, Kind::Sort),
            ItemKind::Record { name, fields } => {
                global(self, name, Kind::Sort);
                fields.iter().for_each(|field| self.sort(&field.sort));
            }
            ItemKind::Alias { name, sort } => {
                global(self, name, Kind::Sort);
                self.sort(sort);
            }
            ItemKind::OpenRelation { name, columns, .. } | ItemKind::Input { name, columns } => {
                global(self, name, Kind::Relation);
                columns.iter().for_each(|column| self.sort(&column.sort));
            }
            ItemKind::Facts { name, columns, rows } => {
                global(self, name, Kind::Relation);
                columns.iter().for_each(|column| self.sort(&column.sort));
                rows.iter().for_each(|row| self.exprs(&row.values));
            }
            ItemKind::Definition(definition) => {
                global(self, &definition.name, Kind::Relation);
                let begin = self.bound.len();
                definition.indices.iter().for_each(|index| self.family_index(index, whole));
                definition.alternative.iter().for_each(|other| self.expr(&other.condition));
                self.clauses(&definition.columns, &definition.clauses, whole);
                self.bound.truncate(begin);
            }
            ItemKind::Query { name, columns, clauses } => {
                global(self, name, Kind::Relation);
                self.clauses(columns, clauses, whole);
            }
            ItemKind::Trace { name, clauses } => {
                global(self, name, Kind::Relation);
                self.clauses(&[], clauses, whole);
            }
            ItemKind::Require { condition, .. } => self.expr(condition),
            ItemKind::Verdict { condition, .. } => {
                condition.iter().for_each(|condition| self.expr(condition))
            }
            ItemKind::Hint { names, .. } => names.iter().for_each(|name| self.mention(name)),
        }
    }

    fn global(&mut self, name: &Ident, kind: Kind, whole: Span) {
        self.out.declare(&name.name, kind, name.span, whole, None);
    }

    fn bind(&mut self, name: &Ident, kind: Kind, seen: Span) {
        let at = self.out.declare(&name.name, kind, name.span, name.span, Some(seen));
        self.bound.push((name.name.clone(), at));
    }

    /// A name, perhaps behind that of a file: `ctl.R` is a mention of `ctl.R` at its last part.
    fn mention(&mut self, name: &Ident) {
        let means = self.bound.iter().rev().find(|(known, _)| *known == name.name).map(|(_, at)| *at);
        let last = name.name.rsplit('.').next().map_or(0, str::len);
        let start = name.span.end.saturating_sub(u32::try_from(last).unwrap_or(0)).max(name.span.start);
        let span = Span { start, ..name.span };
        self.out.mentions.push(Mention { name: name.name.to_string(), span, means });
    }

    fn family_index(&mut self, index: &FamilyIndex, whole: Span) {
        match index {
            FamilyIndex::Number(binder) => self.index(binder, whole),
            FamilyIndex::Sort(name) => self.bind(name, Kind::Sort, whole),
            FamilyIndex::Relation(relation) => {
                relation.columns.iter().for_each(|sort| self.sort(sort));
                self.bind(&relation.name, Kind::Relation, whole);
            }
        }
    }

    fn index(&mut self, binder: &IndexBinder, seen: Span) {
        self.exprs([&binder.lo, &binder.hi]);
        self.bind(&binder.name, Kind::Variable, seen);
    }

    fn clauses(&mut self, columns: &[ColumnDecl], clauses: &[ClauseDecl], whole: Span) {
        let begin = self.bound.len();
        for column in columns {
            self.sort(&column.sort);
            self.bind(&column.name, Kind::Variable, whole);
        }
        clauses.iter().for_each(|clause| self.expr(&clause.body));
        self.bound.truncate(begin);
    }

    fn sort(&mut self, sort: &SortExpr) {
        match &sort.kind {
            SortKind::Bool => {}
            SortKind::Name(name) => self.mention(name),
            SortKind::Range(lo, hi) => self.exprs([&**lo, &**hi]),
            SortKind::Vector(element, lo, hi) => {
                self.sort(element);
                self.exprs([&**lo, &**hi]);
            }
        }
    }

    fn exprs<'e>(&mut self, all: impl IntoIterator<Item = &'e Expr>) {
        all.into_iter().for_each(|expr| self.expr(expr));
    }

    fn binders(&mut self, binders: &[Binder], body: &Expr, seen: Span) {
        let begin = self.bound.len();
        for binder in binders {
            binder.sort.iter().for_each(|sort| self.sort(sort));
            self.bind(&binder.name, Kind::Variable, seen);
        }
        self.expr(body);
        self.bound.truncate(begin);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Text(_) => {}
            ExprKind::Name(name) => self.mention(name),
            ExprKind::Field(base, _) => self.expr(base),
            ExprKind::Index(base, index) => self.exprs([&**base, &**index]),
            ExprKind::Slice(base, from, to) => {
                self.expr(base);
                self.exprs(from.iter().chain(to).map(|bound| &**bound));
            }
            ExprKind::Update(base, index, value) => self.exprs([&**base, &**index, &**value]),
            ExprKind::With(base, settings) => {
                self.expr(base);
                self.exprs(settings.iter().map(|(_, value)| value));
            }
            ExprKind::Record(name, settings) => {
                self.mention(name);
                self.exprs(settings.iter().map(|(_, value)| value));
            }
            ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => self.exprs(parts),
            ExprKind::Apply { name, indices, args } => {
                self.mention(name);
                self.exprs(indices.iter().chain(args));
            }
            ExprKind::Instance { name, indices } => {
                self.mention(name);
                self.exprs(indices);
            }
            ExprKind::Comprehension { binders, body } => self.binders(binders, body, expr.span),
            ExprKind::Sort(sort) => self.sort(sort),
            ExprKind::Marked { by, at, atom, .. } => {
                self.exprs(by.iter().chain(at).map(|number| &**number));
                self.expr(atom);
            }
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr(inner),
            ExprKind::Binary(_, left, right) => self.exprs([&**left, &**right]),
            ExprKind::Quantified { binders, body, .. } => self.binders(binders, body, expr.span),
            ExprKind::Unrolled { indices, body, .. } => {
                let begin = self.bound.len();
                indices.iter().for_each(|binder| self.index(binder, expr.span));
                self.expr(body);
                self.bound.truncate(begin);
            }
        }
    }
}
