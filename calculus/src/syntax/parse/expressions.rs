//! Operands: names, literals, brackets, and the postfixes behind them; sorts and binders.

use super::super::ast::*;
use super::{Builder, MAX_DEPTH, Parsed, Rule, too_deep};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::texts;
use pest::iterators::{Pair, Pairs};
use std::iter::Peekable;

/// A finished expression and the height of its tree.
pub(super) struct Built {
    pub expr: Expr,
    pub height: usize,
}

impl Built {
    fn leaf(kind: ExprKind, span: Span) -> Built {
        Built { expr: Expr { kind, span }, height: 1 }
    }

    /// A node above trees of at most this height; `place` is blamed if it is one too many.
    pub fn above(height: usize, kind: ExprKind, span: Span, place: Span) -> Parsed<Built> {
        if height >= MAX_DEPTH {
            return Err(too_deep(place));
        }
        Ok(Built { expr: Expr { kind, span }, height: height + 1 })
    }

    /// `a & b & c` or `a | b | c`. Operands in parentheses that are such chains themselves are spliced in.
    pub fn chain(operands: Vec<Built>, and: bool, place: Span) -> Parsed<Built> {
        let (mut all, mut height) = (Vec::with_capacity(operands.len()), 0);
        let span = match (operands.first(), operands.last()) {
            (Some(first), Some(last)) => first.expr.span.to(last.expr.span),
            _ => place,
        };
        for Built { expr, height: h } in operands {
            match (expr.kind, and) {
                (ExprKind::And(inner), true) | (ExprKind::Or(inner), false) => {
                    all.extend(inner);
                    height = height.max(h - 1);
                }
                (kind, _) => {
                    all.push(Expr { kind, span: expr.span });
                    height = height.max(h);
                }
            }
        }
        let kind = if and { ExprKind::And(all) } else { ExprKind::Or(all) };
        Built::above(height, kind, span, place)
    }
}

type FollowingPairs<'r, 'i> = &'r mut Peekable<Pairs<'i, Rule>>;

impl Builder {
    /// An operand and the postfixes that follow it in `rest`.
    pub(super) fn operand<'i>(&self, pair: Pair<'i, Rule>, rest: FollowingPairs<'_, 'i>) -> Parsed<Built> {
        let mut built = self.atom(pair)?;
        while let Some(postfix) = rest.next_if(|next| {
            matches!(next.as_rule(), Rule::field | Rule::bracket | Rule::call | Rule::by | Rule::at)
        }) {
            built = match postfix.as_rule() {
                Rule::field => self.field(built, postfix)?,
                Rule::call => self.apply(built.expr, Vec::new(), 0, postfix)?,
                Rule::by | Rule::at => self.marked(built, postfix)?,
                _ => self.bracket(built, postfix, rest)?,
            };
        }
        Ok(built)
    }

    fn atom(&self, pair: Pair<'_, Rule>) -> Parsed<Built> {
        let span = self.span(&pair);
        Ok(match pair.as_rule() {
            Rule::int => Built::leaf(ExprKind::Int(self.integer(&pair)?), span),
            Rule::text => Built::leaf(ExprKind::Text(self.text(&pair).text.into()), span),
            Rule::kw_true => Built::leaf(ExprKind::Bool(true), span),
            Rule::kw_false => Built::leaf(ExprKind::Bool(false), span),
            Rule::paren => {
                let inner = pair.into_inner().find(|part| part.as_rule() == Rule::expr);
                self.expression(inner.expect("parentheses hold one expression"))?
            }
            Rule::vector => {
                let (elements, height) = self.list(pair)?;
                Built::above(height, ExprKind::Vector(elements), span, span)?
            }
            Rule::with => {
                let (mut base, mut settings, mut height) = (None, Vec::new(), 0);
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::expr => {
                            let built = self.expression(part)?;
                            height = height.max(built.height);
                            base = Some(built.expr);
                        }
                        Rule::setting => settings.push(self.setting(part, &mut height)?),
                        _ => {}
                    }
                }
                let base = base.expect("the grammar wants a record before `with`");
                Built::above(height, ExprKind::With(Box::new(base), settings), span, span)?
            }
            Rule::record => {
                let (mut name, mut settings, mut height) = (None, Vec::new(), 0);
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::name => name = Some(self.name(part)),
                        Rule::field => name = name.map(|name| behind(&name, &self.field_name(&part))),
                        Rule::setting => settings.push(self.setting(part, &mut height)?),
                        _ => {}
                    }
                }
                let name = name.expect("the grammar wants a name before the brace");
                Built::above(height, ExprKind::Record(name, settings), span, span)?
            }
            Rule::name => Built::leaf(ExprKind::Name(self.name(pair)), span),
            rule => unreachable!("{rule:?} is no operand"),
        })
    }
    /// The expressions among the parts of a bracket, and the greatest of their heights.
    pub(super) fn list(&self, pair: Pair<'_, Rule>) -> Parsed<(Vec<Expr>, usize)> {
        let (mut list, mut height) = (Vec::new(), 0);
        for part in pair.into_inner().filter(|part| part.as_rule() == Rule::expr) {
            let built = self.expression(part)?;
            height = height.max(built.height);
            list.push(built.expr);
        }
        Ok((list, height))
    }

    fn setting(&self, pair: Pair<'_, Rule>, height: &mut usize) -> Parsed<(Ident, Expr)> {
        let (mut name, mut value) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(part)),
                Rule::expr => {
                    let built = self.expression(part)?;
                    *height = (*height).max(built.height);
                    value = Some(built.expr);
                }
                _ => {}
            }
        }
        Ok(name.zip(value).expect("the grammar wants `name = expression`"))
    }

    fn field(&self, base: Built, pair: Pair<'_, Rule>) -> Parsed<Built> {
        let (place, name) = (self.span(&pair), self.field_name(&pair));
        let span = base.expr.span.to(place);
        Built::above(base.height, ExprKind::Field(Box::new(base.expr), name), span, place)
    }

    /// Without its dot.
    fn field_name(&self, pair: &Pair<'_, Rule>) -> Ident {
        let place = self.span(pair);
        Ident { name: pair.as_str()[1..].into(), span: Span { start: place.start + 1, ..place } }
    }

    /// `R(t) by i` and `R(t) at k`.
    fn marked(&self, base: Built, pair: Pair<'_, Rule>) -> Parsed<Built> {
        let (place, rule) = (self.span(&pair), pair.as_rule());
        let value = pair.into_inner().find(|part| part.as_rule() == Rule::sum);
        let value = self.expression(value.expect("the grammar wants a number"))?;
        let height = base.height.max(value.height);
        let span = base.expr.span.to(place);
        let (mut by, mut at, atom) = match base.expr.kind {
            ExprKind::Marked { follow: None, by, at, atom } => (by, at, atom),
            kind => (None, None, Box::new(Expr { kind, span: base.expr.span })),
        };
        let (word, slot) = if rule == Rule::by { ("by", &mut by) } else { ("at", &mut at) };
        if slot.replace(Box::new(value.expr)).is_some() {
            return Err(Diagnostic::error("fp::syntax", format!("`{word}` is said twice"))
                .label(place, "a second time")
                .help("an atom has one `by` and one `at`: `step(p, r, q, s) by t at k`")
                .into());
        }
        Built::above(height, ExprKind::Marked { follow: None, by, at, atom }, span, place)
    }

    /// `v[e]`, a slice or an update; or the indices of an application, if arguments follow.
    fn bracket<'i>(&self, base: Built, pair: Pair<'i, Rule>, rest: FollowingPairs<'_, 'i>) -> Parsed<Built> {
        let place = self.span(&pair);
        let (mut lo, mut hi, mut more) = (None, None, Vec::new());
        let (mut slice, mut update) = (false, false);
        let mut height = base.height;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::dots => slice = true,
                Rule::assign => update = true,
                Rule::expr | Rule::comprehension | Rule::plain_sort => {
                    let built = self.argument(part)?;
                    height = height.max(built.height);
                    if slice || update {
                        hi = Some(built.expr);
                    } else if lo.is_none() {
                        lo = Some(built.expr);
                    } else {
                        more.push(built.expr);
                    }
                }
                _ => {}
            }
        }
        let span = base.expr.span.to(place);
        let boxed = Box::new;
        let kind = match (lo, hi) {
            (lo, hi) if slice => ExprKind::Slice(boxed(base.expr), lo.map(boxed), hi.map(boxed)),
            (Some(index), Some(value)) => ExprKind::Update(boxed(base.expr), boxed(index), boxed(value)),
            (Some(index), None) => {
                if dotted(&base.expr).is_some()
                    && let Some(call) = rest.next_if(|next| next.as_rule() == Rule::call)
                {
                    more.insert(0, index);
                    return self.apply(base.expr, more, height, call);
                }
                match (dotted(&base.expr), more.first()) {
                    (_, None) => ExprKind::Index(boxed(base.expr), boxed(index)),
                    (Some(name), Some(_)) => {
                        more.insert(0, index);
                        ExprKind::Instance { name, indices: more }
                    }
                    (None, Some(second)) => return Err(one_index(second).into()),
                }
            }
            (None, _) => unreachable!("the grammar wants an index or a slice"),
        };
        Built::above(height, kind, span, place)
    }

    /// What stands in the brackets behind a name.
    pub(super) fn argument(&self, pair: Pair<'_, Rule>) -> Parsed<Built> {
        let span = self.span(&pair);
        match pair.as_rule() {
            Rule::comprehension => {
                let (binders, body) =
                    pair.into_inner().partition::<Vec<_>, _>(|part| part.as_rule() == Rule::binder);
                let (binders, height) = self.binders(binders.into_iter())?;
                let body = body.into_iter().find(|part| part.as_rule() == Rule::expr);
                let body = self.expression(body.expect("the grammar wants a formula"))?;
                let kind = ExprKind::Comprehension { binders, body: Box::new(body.expr) };
                Built::above(height.max(body.height), kind, span, span)
            }
            Rule::plain_sort => {
                let (sort, height) = self.sort(pair)?;
                Built::above(height, ExprKind::Sort(sort), span, span)
            }
            _ => self.expression(pair),
        }
    }

    /// `R(t, …)` and `R[i, j](t, …)`.
    fn apply(&self, base: Expr, indices: Vec<Expr>, height: usize, pair: Pair<'_, Rule>) -> Parsed<Built> {
        let place = self.span(&pair);
        let span = base.span.to(place);
        let Some(name) = dotted(&base) else {
            let help = "write `R(x)` or `R[i](x)` with the name of a relation";
            return Err(Diagnostic::error("fp::syntax", "only a relation can be applied to columns")
                .label(place, "these are columns")
                .label(base.span, "but this is not the name of a relation")
                .help(help)
                .into());
        };
        let (args, h) = self.list(pair)?;
        Built::above(height.max(h), ExprKind::Apply { name, indices, args }, span, place)
    }

    pub(super) fn name(&self, pair: Pair<'_, Rule>) -> Ident {
        Ident { span: self.span(&pair), name: pair.as_str().into() }
    }

    fn integer(&self, pair: &Pair<'_, Rule>) -> Parsed<i64> {
        let digits: String = pair.as_str().chars().filter(char::is_ascii_digit).collect();
        digits.parse().map_err(|_| {
            Diagnostic::error("fp::bad_number", "this number is too large")
                .label(self.span(pair), format!("the largest is {}", i64::MAX))
                .help("ranges have at most 2^62 values, so a smaller one will do")
                .into()
        })
    }

    pub(super) fn text(&self, pair: &Pair<'_, Rule>) -> Text {
        let quoted = pair.as_str();
        let mut text = String::with_capacity(quoted.len());
        let mut characters = quoted[1..quoted.len() - 1].chars();
        while let Some(c) = characters.next() {
            text.extend(if c == '\\' { characters.next().and_then(texts::unescaped) } else { Some(c) });
        }
        Text { text, span: self.span(pair) }
    }
}

/// The name that an expression is: `R`, or `ctl.R`, which is that of a file behind a name.
pub(crate) fn dotted(expr: &Expr) -> Option<Ident> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Field(base, field) => Some(behind(&dotted(base)?, field)),
        _ => None,
    }
}

fn behind(base: &Ident, field: &Ident) -> Ident {
    Ident { name: format!("{}.{}", base.name, field.name).into(), span: base.span.to(field.span) }
}

/// `v[i, j]`, where v is a vector.
pub(crate) fn one_index(second: &Expr) -> Diagnostic {
    Diagnostic::error("fp::syntax", "a vector has one index")
        .label(second.span, "a second index")
        .help("an instance of a family is written with its columns: `R[i, j](x)`; `R[i, j]()` has none")
}
