//! Terms of an instance.

use super::super::declare::GlobalKind;
use super::super::findings::Checked;
use super::super::names::two_numbers;
use super::super::number::Arithmetic;
use super::super::statics::{Static, division_by_zero, is_literal};
use super::{Instantiation, OpenKind, OpenTerm};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Ident};
use crate::syntax::one_index;

impl Instantiation<'_, '_> {
    pub fn term(&mut self, expr: &Expr) -> Checked<OpenTerm> {
        let span = expr.span;
        let kind = if self.is_static(expr) {
            match self.statics.value(expr, &self.scope.env, self.findings)? {
                Static::Int(value) => OpenKind::Int(value),
                Static::Bool(value) => OpenKind::Bool(value),
            }
        } else {
            self.term_kind(expr)?
        };
        Ok(OpenTerm { kind, span, is_literal: is_literal(expr), env: self.scope.shared_env() })
    }

    fn boxed(&mut self, expr: &Expr) -> Checked<Box<OpenTerm>> {
        self.term(expr).map(Box::new)
    }

    fn term_kind(&mut self, expr: &Expr) -> Checked<OpenKind> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(var) = self.scope.var(&name.name) {
                    return Ok(OpenKind::Var(var));
                }
                match self.statics.declarations.get(&name.name).map(|global| &global.kind) {
                    Some(GlobalKind::EnumValue { sort, position }) => {
                        let sort = Ident { name: sort.clone(), span: name.span };
                        OpenKind::Enum(self.table.named(&sort, self.statics, self.findings)?, *position)
                    }
                    _ => return Err(self.findings.add(not_a_term(expr))),
                }
            }
            ExprKind::Text(text) => OpenKind::Text(text.clone()),
            ExprKind::Field(base, field) => OpenKind::Field(self.boxed(base)?, field.clone()),
            ExprKind::Index(base, at) => {
                let (base, at) = (self.boxed(base), self.index(at));
                OpenKind::Index(base?, at?)
            }
            ExprKind::Slice(base, lo, hi) => {
                let base = self.boxed(base)?;
                let lo = lo.as_ref().map(|lo| self.index(lo)).transpose()?;
                let hi = hi.as_ref().map(|hi| self.index(hi)).transpose()?;
                OpenKind::Slice(base, lo, hi)
            }
            ExprKind::Update(base, at, value) => {
                let (base, at) = (self.boxed(base), self.index(at));
                let value = self.boxed(value);
                OpenKind::Update(base?, at?, value?)
            }
            ExprKind::With(base, fields) => OpenKind::With(self.boxed(base)?, self.fields(fields)?),
            ExprKind::Record(name, fields) => {
                OpenKind::Record(self.table.named(name, self.statics, self.findings)?, self.fields(fields)?)
            }
            ExprKind::Vector(parts) => {
                let parts = parts.iter().map(|part| self.term(part)).collect::<Vec<_>>();
                OpenKind::Vector(parts.into_iter().collect::<Checked<_>>()?)
            }
            ExprKind::Binary(BinaryOp::Concat, left, right) => {
                let (left, right) = (self.boxed(left), self.boxed(right));
                OpenKind::Concat(left?, right?)
            }
            ExprKind::Binary(op, left, right) => {
                let op = match op {
                    BinaryOp::Add => Arithmetic::Add,
                    BinaryOp::Sub => Arithmetic::Sub,
                    BinaryOp::Mul => Arithmetic::Mul,
                    BinaryOp::Div => Arithmetic::Div,
                    BinaryOp::Rem => Arithmetic::Rem,
                    _ => return Err(self.findings.add(not_a_term(expr))),
                };
                self.arithmetic(op, left, right)?
            }
            ExprKind::Negate(inner) => {
                let inner = self.term(inner)?;
                let zero = OpenTerm { kind: OpenKind::Int(0), is_literal: true, ..inner.clone() };
                OpenKind::Arithmetic(Arithmetic::Sub, Box::new([zero, inner]))
            }
            ExprKind::Apply { name, args, .. } if self.is_function(name) && args.len() == 2 => {
                let op = if &*name.name == "min" { Arithmetic::Min } else { Arithmetic::Max };
                self.arithmetic(op, &args[0], &args[1])?
            }
            ExprKind::Apply { name, .. } if self.is_function(name) => {
                return Err(self.findings.add(two_numbers(expr.span, name)));
            }
            ExprKind::Instance { indices, .. } => {
                return Err(self.findings.add(one_index(indices.get(1).unwrap_or(expr))));
            }
            ExprKind::Comprehension { .. } | ExprKind::Sort(_) => {
                return Err(self.findings.add(only_an_argument(expr.span)));
            }
            _ => return Err(self.findings.add(not_a_term(expr))),
        })
    }

    fn arithmetic(&mut self, op: Arithmetic, left: &Expr, right: &Expr) -> Checked<OpenKind> {
        let parts = [self.term(left), self.term(right)];
        let [a, b] = parts;
        let (a, b) = (a?, b?);
        let is_number = |term: &OpenTerm| matches!(term.kind, OpenKind::Int(_));
        match op {
            Arithmetic::Mul if !is_number(&a) && !is_number(&b) => {
                Err(self.findings.add(two_variables(op, left.span, right.span)))
            }
            Arithmetic::Div | Arithmetic::Rem => match b.kind {
                OpenKind::Int(0) => Err(self.findings.add(division_by_zero(right.span))),
                OpenKind::Int(_) => Ok(OpenKind::Arithmetic(op, Box::new([a, b]))),
                _ => Err(self.findings.add(two_variables(op, left.span, right.span))),
            },
            _ => Ok(OpenKind::Arithmetic(op, Box::new([a, b]))),
        }
    }

    fn fields(&mut self, fields: &[(Ident, Expr)]) -> Checked<Vec<(Ident, OpenTerm)>> {
        let fields =
            fields.iter().map(|(name, value)| Ok((name.clone(), self.term(value)?))).collect::<Vec<_>>();
        fields.into_iter().collect()
    }
}

fn not_a_term(expr: &Expr) -> Diagnostic {
    let help = match &expr.kind {
        ExprKind::Not(_) => "`!` negates only what is next to it: write `!(x = y)` or `x != y`",
        _ => "join formulas with `<->`, and compare values with `=`",
    };
    Diagnostic::error("fp::not_a_term", "a value is needed here")
        .label(expr.span, "this is a formula")
        .help(help)
}

fn only_an_argument(span: Span) -> Diagnostic {
    Diagnostic::error("fp::not_a_term", "a value is needed here")
        .label(span, "this can only be an argument of a family")
        .help("families take sorts and relations in brackets: `Closure[Node, { (x, y) | edge(y, x) }](a, b)`")
}

/// A product of two variables, or a division by one.
fn two_variables(op: Arithmetic, left: Span, right: Span) -> Diagnostic {
    let (title, label) = match op {
        Arithmetic::Mul => ("a factor of a product must be a static number", "this is not static either"),
        _ => ("only a static number can divide", "this is not known before solving"),
    };
    let diagnostic = Diagnostic::error("fp::no_arithmetic", title).label(right, label);
    let (place, case) = match op {
        Arithmetic::Mul => ("this is not static", "x * i"),
        _ => ("this is divided", "x / i"),
    };
    diagnostic
        .label(left, place)
        .help(format!("with few values there can be a case for each: `some i in 1..k: y = i & z = {case}`"))
}
