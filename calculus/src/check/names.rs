//! Names, numbers of arguments, and quantified variables, on the syntax alone.
//!
//! This pass sees all of the text, also what static conditions prune.

use super::Checker;
use super::globals::{FamilySource, GlobalKind};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    Clause, Expr, ExprKind, Ident, IndexBinder, Item, ItemKind, SortExpr, SortKind, Span,
};
use std::rc::Rc;

/// Names bound around an expression, inner ones last.
#[derive(Default)]
struct Scope {
    bound: Vec<Bound>,
}

struct Bound {
    name: Rc<str>,
    span: Span,
    used: bool,
}

impl<'a> Checker<'a> {
    /// Whether all names of all items hold.
    pub(super) fn check_names(&mut self, items: impl Iterator<Item = &'a Item>) -> bool {
        let before = self.diagnostics.len();
        for item in items {
            let scope = &mut Scope::default();
            match &item.kind {
                ItemKind::Definition(d) => {
                    for index in &d.indices {
                        self.bind_index(index, scope);
                    }
                    for column in &d.columns {
                        self.sort_names(&column.sort, scope);
                        self.bind(&column.name, scope);
                    }
                    self.clause_names(&d.clauses, scope);
                }
                ItemKind::Query { columns, clauses, .. } => {
                    for column in columns {
                        self.sort_names(&column.sort, scope);
                        self.bind(&column.name, scope);
                    }
                    self.clause_names(clauses, scope);
                }
                ItemKind::Facts { rows, .. } => {
                    rows.iter().flat_map(|row| &row.values).for_each(|value| self.expr_names(value, scope))
                }
                ItemKind::Verdict { condition: Some(condition), .. }
                | ItemKind::Require { condition, .. } => self.expr_names(condition, scope),
                _ => {}
            }
        }
        self.diagnostics.len() == before && !self.missing_vocabulary
    }

    fn clause_names(&mut self, clauses: &[Clause], scope: &mut Scope) {
        let mut labels: Vec<&Ident> = Vec::new();
        for clause in clauses {
            if let Some(label) = &clause.label {
                if let Some(first) = labels.iter().find(|first| first.name == label.name) {
                    self.report(
                        Diagnostic::error(
                            "fp::defined_twice",
                            format!("two clauses are called `{}`", label.name),
                        )
                        .label(label.span, "again here")
                        .label(first.span, "first here"),
                    );
                }
                labels.push(label);
            }
            self.expr_names(&clause.body, scope);
        }
    }

    fn bind(&mut self, name: &Ident, scope: &mut Scope) {
        let outer = scope.bound.iter().rev().find(|bound| bound.name == name.name).map(|bound| bound.span);
        let global = self.globals.get(&name.name).filter(|global| {
            matches!(
                global.kind,
                GlobalKind::Param { .. }
                    | GlobalKind::Const(_)
                    | GlobalKind::EnumValue { .. }
                    | GlobalKind::Vocabulary
            )
        });
        if let Some(first) = outer.or(global.map(|global| global.span)) {
            self.report(
                Diagnostic::error("fp::shadowed", format!("`{}` already means something here", name.name))
                    .label(name.span, "bound again here")
                    .label(first, "its first meaning")
                    .help("choose another name; primes are allowed, as in `x'`"),
            );
        }
        scope.bound.push(Bound { name: name.name.clone(), span: name.span, used: false });
    }

    fn bind_index(&mut self, index: &IndexBinder, scope: &mut Scope) {
        self.expr_names(&index.lo, scope);
        self.expr_names(&index.hi, scope);
        self.bind(&index.name, scope);
    }

    fn sort_names(&mut self, sort: &SortExpr, scope: &mut Scope) {
        match &sort.kind {
            SortKind::Bool | SortKind::Name(_) => {}
            SortKind::Range(lo, hi) => [lo, hi].into_iter().for_each(|end| self.expr_names(end, scope)),
            SortKind::Vector(element, lo, hi) => {
                self.sort_names(element, scope);
                [lo, hi].into_iter().for_each(|end| self.expr_names(end, scope));
            }
        }
    }

    fn expr_names(&mut self, expr: &Expr, scope: &mut Scope) {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) => {}
            ExprKind::Name(name) => self.name_use(name, scope),
            ExprKind::Field(base, field) => match &base.kind {
                ExprKind::Name(name)
                    if self.is_vocabulary(&name.name) && scope.find(&name.name).is_none() =>
                {
                    self.fact_use(name, field)
                }
                _ => self.expr_names(base, scope),
            },
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr_names(inner, scope),
            ExprKind::Index(base, at) => [base, at].into_iter().for_each(|part| self.expr_names(part, scope)),
            ExprKind::Slice(base, lo, hi) => {
                self.expr_names(base, scope);
                [lo, hi].into_iter().flatten().for_each(|end| self.expr_names(end, scope));
            }
            ExprKind::Update(base, at, value) => {
                [base, at, value].into_iter().for_each(|part| self.expr_names(part, scope))
            }
            ExprKind::With(base, fields) => {
                self.expr_names(base, scope);
                fields.iter().for_each(|(_, value)| self.expr_names(value, scope));
            }
            ExprKind::Record(_, fields) => fields.iter().for_each(|(_, value)| self.expr_names(value, scope)),
            ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => {
                parts.iter().for_each(|part| self.expr_names(part, scope))
            }
            ExprKind::Apply { name, indices, args } => {
                self.relation_use(expr.span, name, indices.len(), args.len());
                indices.iter().chain(args).for_each(|part| self.expr_names(part, scope));
            }
            ExprKind::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|side| self.expr_names(side, scope))
            }
            ExprKind::Quantified { binders, body, .. } => {
                let depth = scope.bound.len();
                for binder in binders {
                    if let Some(sort) = &binder.sort {
                        self.sort_names(sort, scope);
                    }
                    self.bind(&binder.name, scope);
                }
                self.expr_names(body, scope);
                for bound in scope.bound.split_off(depth) {
                    if !bound.used {
                        self.report(
                            Diagnostic::error(
                                "fp::unused_variable",
                                format!("`{}` is quantified but never used", bound.name),
                            )
                            .label(bound.span, "never used")
                            .help("remove it, or use it"),
                        );
                    }
                }
            }
            ExprKind::Unrolled { indices, body, .. } => {
                let depth = scope.bound.len();
                indices.iter().for_each(|index| self.bind_index(index, scope));
                self.expr_names(body, scope);
                scope.bound.truncate(depth);
            }
        }
    }

    pub(super) fn is_vocabulary(&self, name: &str) -> bool {
        self.globals.get(name).is_some_and(|global| matches!(global.kind, GlobalKind::Vocabulary))
    }

    fn name_use(&mut self, name: &Ident, scope: &mut Scope) {
        if let Some(at) = scope.find(&name.name) {
            scope.bound[at].used = true;
            return;
        }
        match self.globals.get(&name.name).map(|global| (global.kind.clone(), global.span)) {
            Some((GlobalKind::Param { .. } | GlobalKind::Const(_) | GlobalKind::EnumValue { .. }, _)) => {}
            Some((GlobalKind::Relation(family), _)) => self.relation_use_of(name.span, name, family, 0, 0),
            Some((GlobalKind::Sort(_) | GlobalKind::Vocabulary, span)) => {
                self.report(
                    Diagnostic::error("fp::not_a_value", format!("`{}` is not a value", name.name))
                        .label(name.span, "a value or formula is needed here")
                        .label(span, "defined here"),
                );
            }
            None => {
                let names = scope.bound.iter().map(|bound| bound.name.to_string());
                let names = names.chain(self.globals.keys().map(|name| name.to_string())).collect::<Vec<_>>();
                self.unknown("variable or value", name, names.iter().map(String::as_str).collect());
            }
        }
    }

    fn fact_use(&mut self, vocabulary: &Ident, fact: &Ident) {
        if self.fact_value(&vocabulary.name, &fact.name).is_some() {
            return;
        }
        let options = self.options;
        let known = options.model.iter().flat_map(|model| model.facts.iter().map(|(name, _)| name.as_str()));
        self.unknown(&format!("fact of `{}` called", vocabulary.name), fact, known.collect());
    }

    fn relation_use(&mut self, span: Span, name: &Ident, indices: usize, args: usize) {
        if matches!(&*name.name, "min" | "max") && !self.globals.contains_key(&name.name) {
            if args != 2 || indices != 0 {
                self.report(
                    Diagnostic::error("fp::wrong_arity", format!("`{}` takes two static numbers", name.name))
                        .label(span, "here"),
                );
            }
            return;
        }
        match self.globals.get(&name.name).map(|global| (global.kind.clone(), global.span)) {
            Some((GlobalKind::Relation(family), _)) => {
                self.relation_use_of(span, name, family, indices, args)
            }
            Some((_, defined)) => {
                self.report(
                    Diagnostic::error("fp::not_a_relation", format!("`{}` is not a relation", name.name))
                        .label(name.span, "used as a relation")
                        .label(defined, "defined here"),
                );
            }
            None => {
                let known = self.relation_names().into_iter().map(str::to_string).collect::<Vec<_>>();
                self.unknown("relation", name, known.iter().map(String::as_str).collect());
            }
        }
    }

    fn relation_use_of(&mut self, span: Span, name: &Ident, family: usize, indices: usize, args: usize) {
        let family = &self.families[family];
        let defined = family.span;
        let offered = matches!(family.source, FamilySource::Offered(_));
        let there = |count: usize, what: &str| {
            let from = if offered { "offered by the model" } else { "defined" };
            format!("{from} with {count} {what}{}", if count == 1 { "" } else { "s" })
        };
        let count = |count: usize, what: &str| match count {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        if indices != family.index_count {
            let label = there(family.index_count, "index").replace("indexs", "indices");
            let title = format!(
                "`{}` is used with {}",
                name.name,
                count(indices, "index").replace("indexs", "indices")
            );
            let diagnostic =
                Diagnostic::error("fp::wrong_indices", title).label(span, "here").label(defined, label);
            let example = if family.index_count == 0 {
                format!("{}(…)", name.name)
            } else {
                format!("{}[{}](…)", name.name, vec!["i"; family.index_count].join(", "))
            };
            self.report(diagnostic.help(format!("write {example}")));
        } else if args != family.column_count {
            let label = there(family.column_count, "column");
            let title = format!("`{}` is used with {}", name.name, count(args, "argument"));
            self.report(
                Diagnostic::error("fp::wrong_arity", title).label(span, "here").label(defined, label),
            );
        }
    }
}

impl Scope {
    fn find(&self, name: &str) -> Option<usize> {
        self.bound.iter().rposition(|bound| &*bound.name == name)
    }
}
