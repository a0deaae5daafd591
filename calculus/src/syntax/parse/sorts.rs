//! Sorts, and what carries them: columns, fields, quantified variables, indices.

use super::super::ast::*;
use super::expressions::dotted;
use super::{Builder, MAX_DEPTH, Parsed, Rule, too_deep};
use crate::diagnostic::Diagnostic;
use pest::iterators::Pair;

/// A sort and the height of the expressions in it.
type Sorted = (SortExpr, usize);

impl Builder {
    /// `name`, or `name: sort`.
    fn binder(&self, pair: Pair<'_, Rule>) -> Parsed<(Ident, Option<Sorted>)> {
        let (mut name, mut sort) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(part)),
                Rule::sort => sort = Some(self.sort(part)?),
                _ => {}
            }
        }
        Ok((name.expect("the grammar wants a name"), sort))
    }

    /// The variables of a quantifier. In `x, y: T` both have the sort T.
    pub(super) fn binders<'i>(
        &self,
        pairs: impl Iterator<Item = Pair<'i, Rule>>,
    ) -> Parsed<(Vec<Binder>, usize)> {
        let (mut binders, mut height, mut open) = (Vec::new(), 0, 0);
        for pair in pairs {
            let (name, sort) = self.binder(pair)?;
            binders.push(Binder { name, sort: None });
            if let Some((sort, h)) = sort {
                height = height.max(h);
                for binder in &mut binders[open..] {
                    binder.sort = Some(sort.clone());
                }
                open = binders.len();
            }
        }
        Ok((binders, height))
    }

    /// Columns or fields: every one of them has a sort.
    pub(super) fn columns<'i>(
        &self,
        pairs: impl Iterator<Item = Pair<'i, Rule>>,
        what: &str,
    ) -> Parsed<Vec<ColumnDecl>> {
        let (binders, _) = self.binders(pairs.filter(|pair| pair.as_rule() == Rule::column))?;
        let sortless = |binder: &Binder| {
            Diagnostic::error("fp::syntax", format!("the {what} `{}` has no sort", binder.name.name))
                .label(binder.name.span, "what are its values?")
                .help(format!(
                    "write its sort after a colon: `{}: T`, or `x, y: T` for several",
                    binder.name.name
                ))
        };
        binders
            .into_iter()
            .map(|binder| match binder.sort {
                Some(sort) => Ok(ColumnDecl { name: binder.name, sort }),
                None => Err(sortless(&binder).into()),
            })
            .collect()
    }

    /// `i in lo..hi`
    pub(super) fn index_binder(&self, pair: Pair<'_, Rule>) -> Parsed<(IndexBinder, usize)> {
        let (mut name, mut ends, mut height) = (None, Vec::new(), 0);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(part)),
                Rule::sum => {
                    let built = self.expression(part)?;
                    height = height.max(built.height);
                    ends.push(built.expr);
                }
                _ => {}
            }
        }
        let (name, (lo, hi)) = name.zip(two(ends)).expect("the grammar wants `i in lo..hi`");
        Ok((IndexBinder { name, lo, hi }, height))
    }

    /// `i in lo..hi`, `T: sort` or `edge: rel(T, T)`
    pub(super) fn family_index(&self, pair: Pair<'_, Rule>) -> Parsed<FamilyIndex> {
        let span = self.span(&pair);
        let parts = pair.clone().into_inner().map(|part| part.as_rule()).collect::<Vec<_>>();
        if parts.contains(&Rule::kw_in) {
            return Ok(FamilyIndex::Number(self.index_binder(pair)?.0));
        }
        let mut parts = pair.into_inner().filter(|part| part.as_rule() != Rule::colon);
        let name = self.name(parts.next().expect("the grammar wants a name"));
        let kind = parts.next().expect("the grammar wants `sort` or `rel` behind the colon");
        if kind.as_rule() == Rule::kw_sort {
            return Ok(FamilyIndex::Sort(name));
        }
        let (mut indices, mut columns) = (Vec::new(), Vec::new());
        for part in kind.into_inner() {
            match part.as_rule() {
                Rule::name => indices.push(self.name(part)),
                Rule::sort => columns.push(self.sort(part)?.0),
                _ => {}
            }
        }
        Ok(FamilyIndex::Relation(RelationIndex { name, indices, columns, span }))
    }

    pub(super) fn sort(&self, pair: Pair<'_, Rule>) -> Parsed<Sorted> {
        let span = self.span(&pair);
        let (mut sums, mut height) = (Vec::new(), 0);
        let mut sort = None;
        for part in pair.into_inner() {
            let place = self.span(&part);
            match part.as_rule() {
                Rule::kw_bool => sort = Some(SortExpr { kind: SortKind::Bool, span: place }),
                Rule::name => sort = Some(SortExpr { kind: SortKind::Name(self.name(part)), span: place }),
                Rule::dimension => {
                    let mut ends = Vec::new();
                    for sum in part.into_inner().filter(|part| part.as_rule() == Rule::sum) {
                        let built = self.expression(sum)?;
                        height = height.max(built.height);
                        ends.push(built.expr);
                    }
                    let (of, (lo, hi)) = sort.zip(two(ends)).expect("the grammar wants `bool[lo..hi]`");
                    let span = of.span.to(place);
                    sort = Some(SortExpr {
                        kind: SortKind::Vector(Box::new(of), Box::new(lo), Box::new(hi)),
                        span,
                    });
                    height += 1;
                    if height > MAX_DEPTH {
                        return Err(too_deep(place));
                    }
                }
                Rule::sum => {
                    let built = self.expression(part)?;
                    height = height.max(built.height);
                    sums.push(built.expr);
                }
                _ => {}
            }
        }
        let kind = match (sort, sums.pop(), sums.pop()) {
            (Some(sort), _, _) => return Ok((sort, height)),
            (None, Some(hi), Some(lo)) => SortKind::Range(Box::new(lo), Box::new(hi)),
            (None, Some(expr), None) => return Ok((sort_of(expr)?, height)),
            (None, None, _) => unreachable!("the grammar wants a sort"),
        };
        Ok((SortExpr { kind, span }, height + 1))
    }
}

/// Reads `T` and `T[1..k]`, which look like expressions, as sorts.
pub(crate) fn sort_of(expr: Expr) -> Parsed<SortExpr> {
    if let Some(name) = dotted(&expr) {
        return Ok(SortExpr { kind: SortKind::Name(name), span: expr.span });
    }
    let kind = match expr.kind {
        ExprKind::Slice(of, Some(lo), Some(hi)) => SortKind::Vector(Box::new(sort_of(*of)?), lo, hi),
        kind => {
            let mut mistake = Diagnostic::error("fp::syntax", "this is not a sort")
                .label(expr.span, "expected a sort: `bool`, a name, `0..7` or `T[1..k]`");
            mistake.help = match kind {
                ExprKind::Index(of, _) => Some(match of.kind {
                    ExprKind::Name(name) => {
                        format!("the index range of a vector has both ends: `{}[1..k]`", name.name)
                    }
                    _ => "the index range of a vector has both ends: `T[1..k]`".into(),
                }),
                ExprKind::Slice(..) => Some("the index range of a vector has both ends: `T[1..k]`".into()),
                ExprKind::Int(_) => Some("a range has both ends, which it includes: `0..7`".into()),
                ExprKind::Apply { .. } => Some(
                    "a formula is separated from the quantified variables by a dot: `exists x. R(x)`".into(),
                ),
                ExprKind::Field(..) => {
                    Some("write a space after the dot that ends the variables: `exists x: T. R(x)`".into())
                }
                _ => Some("a range has both ends, which it includes: `0..7`".into()),
            };
            return Err(mistake.into());
        }
    };
    Ok(SortExpr { kind, span: expr.span })
}

/// A sort that looks like an expression, as an argument of a family does: `T`, `T[1..k]`, `bool`.
pub fn as_sort(expr: &Expr) -> Option<SortExpr> {
    match &expr.kind {
        ExprKind::Sort(sort) => Some(sort.clone()),
        _ => sort_of(expr.clone()).ok(),
    }
}

fn two<T>(mut list: Vec<T>) -> Option<(T, T)> {
    let second = list.pop()?;
    Some((list.pop()?, second))
}
