//! The names that an expression mentions, wherever they stand in it.

use super::ast::{Expr, ExprKind, Ident, IndexBinder, SortExpr, SortKind};

/// Calls `see` for every name in an expression that stands for something else: not for fields, nor for the
/// variables and indices where they are bound.
pub fn mentioned(expr: &Expr, see: &mut dyn FnMut(&Ident)) {
    match &expr.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Text(_) => {}
        ExprKind::Name(name) => see(name),
        ExprKind::Field(inner, _) | ExprKind::Not(inner) | ExprKind::Negate(inner) => mentioned(inner, see),
        ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => all([&**left, right], see),
        ExprKind::Slice(base, lo, hi) => {
            all([Some(base), lo.as_ref(), hi.as_ref()].into_iter().flatten().map(|part| &**part), see)
        }
        ExprKind::Update(base, at, value) => all([&**base, at, value], see),
        ExprKind::With(base, settings) => {
            mentioned(base, see);
            all(settings.iter().map(|(_, value)| value), see);
        }
        ExprKind::Record(name, settings) => {
            see(name);
            all(settings.iter().map(|(_, value)| value), see);
        }
        ExprKind::Vector(parts) | ExprKind::And(parts) | ExprKind::Or(parts) => all(parts, see),
        ExprKind::Apply { name, indices, args } => {
            see(name);
            all(indices.iter().chain(args), see);
        }
        ExprKind::Instance { name, indices } => {
            see(name);
            all(indices, see);
        }
        ExprKind::Sort(sort) => mentioned_in_sort(sort, see),
        ExprKind::Comprehension { binders, body } | ExprKind::Quantified { binders, body, .. } => {
            let sorts = binders.iter().filter_map(|binder| binder.sort.as_ref());
            sorts.for_each(|sort| mentioned_in_sort(sort, see));
            mentioned(body, see);
        }
        ExprKind::Marked { by, at, atom, .. } => {
            all([by.as_ref(), at.as_ref(), Some(atom)].into_iter().flatten().map(|part| &**part), see)
        }
        ExprKind::Unrolled { indices, body, .. } => {
            indices.iter().for_each(|IndexBinder { lo, hi, .. }| all([lo, hi], see));
            mentioned(body, see);
        }
    }
}

fn mentioned_in_sort(sort: &SortExpr, see: &mut dyn FnMut(&Ident)) {
    match &sort.kind {
        SortKind::Bool => {}
        SortKind::Name(name) => see(name),
        SortKind::Range(lo, hi) => all([&**lo, hi], see),
        SortKind::Vector(element, lo, hi) => {
            mentioned_in_sort(element, see);
            all([&**lo, hi], see);
        }
    }
}

fn all<'e>(parts: impl IntoIterator<Item = &'e Expr>, see: &mut dyn FnMut(&Ident)) {
    parts.into_iter().for_each(|part| mentioned(part, see));
}
