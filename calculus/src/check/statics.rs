//! Static values: numbers and truth values that are known before solving.

use super::arguments::Argument;
use super::declare::{Declarations, GlobalKind};
use super::findings::{Checked, Findings, Reported};
use super::names::two_numbers;
use super::words::kind_words;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Ident, IndexBinder};
use std::collections::BTreeMap;
use std::rc::Rc;

const STATIC_VALUES: &str = "static values are numbers, parameters, constants, indices and facts of the model, \
                             with + - * / % min max";

/// How many values the indices of one definition may have.
const MAX_INDICES: usize = 200_000;

/// Indices in scope with their values, inner ones last.
pub(super) type Env = [(Rc<str>, Argument)];

/// The values of the indices of one instance.
type Indices = Vec<(Rc<str>, Argument)>;

/// The values of parameters and constants, of those without a mistake at least.
pub(super) type Constants = BTreeMap<Rc<str>, Checked<i64>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Static {
    Int(i64),
    Bool(bool),
}

/// What static expressions are evaluated with, besides the indices.
#[derive(Clone, Copy)]
pub(super) struct Statics<'s, 'a> {
    pub declarations: &'s Declarations<'a>,
    pub constants: &'s Constants,
}

impl Statics<'_, '_> {
    pub fn int(self, expr: &Expr, env: &Env, findings: &mut Findings) -> Checked<i64> {
        match self.value(expr, env, findings)? {
            Static::Int(value) => Ok(value),
            Static::Bool(_) => Err(findings.add(
                Diagnostic::error("fp::not_static", "a number is needed here")
                    .label(expr.span, "this is true or false")
                    .help(STATIC_VALUES),
            )),
        }
    }

    pub fn bool(self, expr: &Expr, env: &Env, findings: &mut Findings) -> Checked<bool> {
        match self.value(expr, env, findings)? {
            Static::Bool(value) => Ok(value),
            Static::Int(value) => Err(findings.add(
                Diagnostic::error("fp::not_a_formula", "a formula is needed here")
                    .label(expr.span, format!("this is the number {value}"))
                    .help("compare it with something, for example `i = 1`"),
            )),
        }
    }

    pub fn value(self, expr: &Expr, env: &Env, findings: &mut Findings) -> Checked<Static> {
        use Static::{Bool, Int};
        Ok(match &expr.kind {
            ExprKind::Bool(value) => Bool(*value),
            ExprKind::Int(value) => Int(*value),
            ExprKind::Name(name) => Int(self.name(name, env, findings)?),
            ExprKind::Field(base, fact) => Int(self.fact(expr, base, fact, findings)?),
            ExprKind::Negate(inner) => {
                let value = self.int(inner, env, findings)?.checked_neg();
                Int(value.ok_or_else(|| findings.add(overflow(expr.span)))?)
            }
            ExprKind::Not(inner) => Bool(!self.bool(inner, env, findings)?),
            ExprKind::And(parts) => {
                for part in parts {
                    if !self.bool(part, env, findings)? {
                        return Ok(Bool(false));
                    }
                }
                Bool(true)
            }
            ExprKind::Or(parts) => {
                for part in parts {
                    if self.bool(part, env, findings)? {
                        return Ok(Bool(true));
                    }
                }
                Bool(false)
            }
            ExprKind::Apply { name, indices, args } if indices.is_empty() && args.len() == 2 => {
                let (a, b) = (&args[0], &args[1]);
                match &*name.name {
                    "min" => Int(self.int(a, env, findings)?.min(self.int(b, env, findings)?)),
                    "max" => Int(self.int(a, env, findings)?.max(self.int(b, env, findings)?)),
                    _ => return Err(findings.add(not_static(expr.span, "this is a formula"))),
                }
            }
            ExprKind::Apply { name, .. } if matches!(&*name.name, "min" | "max") => {
                return Err(findings.add(two_numbers(expr.span, name)));
            }
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, [left, right], env, findings)?,
            _ => return Err(findings.add(not_static(expr.span, "this is not known before solving"))),
        })
    }

    fn name(self, name: &Ident, env: &Env, findings: &mut Findings) -> Checked<i64> {
        match env.iter().rev().find(|(index, _)| *index == name.name) {
            Some((_, Argument::Number(value))) => return Ok(*value),
            Some((_, Argument::Sort(..))) => {
                return Err(findings.add(not_static(name.span, "this is a sort")));
            }
            Some((_, Argument::Relation(..))) => {
                return Err(findings.add(not_static(name.span, "this is a relation")));
            }
            None => {}
        }
        match self.declarations.get(&name.name).map(|global| &global.kind) {
            // What has no value depends on itself, which is reported, or comes later and is computed then.
            Some(GlobalKind::Param { .. } | GlobalKind::Const(_)) => {
                self.constants.get(&name.name).copied().unwrap_or(Err(Reported))
            }
            Some(kind) => {
                let label = format!("this is {}", kind_words(kind));
                Err(findings.add(not_static(name.span, &label)))
            }
            None => {
                let known = self.known(env);
                let known = known.iter().map(|name| &**name);
                Err(self.declarations.unknown("parameter, constant or index", name, known, findings))
            }
        }
    }

    fn fact(self, expr: &Expr, base: &Expr, fact: &Ident, findings: &mut Findings) -> Checked<i64> {
        let declarations = self.declarations;
        if let ExprKind::Name(vocabulary) = &base.kind
            && let Some(value) = declarations.fact_value(&vocabulary.name, &fact.name)
        {
            return Ok(value);
        }
        if declarations.missing_names {
            return Err(Reported);
        }
        Err(match &base.kind {
            ExprKind::Name(name) if declarations.is_vocabulary(&name.name) => {
                declarations.unknown_fact(name, fact, findings)
            }
            ExprKind::Name(name) if declarations.get(&name.name).is_none() => {
                declarations.unknown("vocabulary", name, [], findings)
            }
            _ => findings.add(not_static(expr.span, "this is not a fact of the model")),
        })
    }

    fn binary(
        self,
        expr: &Expr,
        op: BinaryOp,
        [left, right]: [&Expr; 2],
        env: &Env,
        findings: &mut Findings,
    ) -> Checked<Static> {
        use BinaryOp as Op;
        if matches!(op, Op::Implies | Op::Iff) {
            let left = self.bool(left, env, findings)?;
            return Ok(Static::Bool(match op {
                Op::Implies => !left || self.bool(right, env, findings)?,
                _ => left == self.bool(right, env, findings)?,
            }));
        }
        let (a, b) = (self.int(left, env, findings)?, self.int(right, env, findings)?);
        let number = match op {
            Op::Eq => return Ok(Static::Bool(a == b)),
            Op::Ne => return Ok(Static::Bool(a != b)),
            Op::Lt => return Ok(Static::Bool(a < b)),
            Op::Le => return Ok(Static::Bool(a <= b)),
            Op::Gt => return Ok(Static::Bool(a > b)),
            Op::Ge => return Ok(Static::Bool(a >= b)),
            Op::Add => a.checked_add(b),
            Op::Sub => a.checked_sub(b),
            Op::Mul => a.checked_mul(b),
            Op::Div | Op::Rem if b == 0 => {
                return Err(findings.add(division_by_zero(right.span)));
            }
            Op::Div => a.checked_div_euclid(b),
            // Only the division can overflow: `MIN / -1`.
            Op::Rem => Some(a.wrapping_rem_euclid(b)),
            Op::Concat | Op::Implies | Op::Iff => {
                return Err(findings.add(not_static(expr.span, "this is not a number")));
            }
        };
        number.map(Static::Int).ok_or_else(|| findings.add(overflow(expr.span)))
    }

    /// Everything that has a static value here.
    pub fn known(self, env: &Env) -> Vec<Rc<str>> {
        let constant = |kind: &GlobalKind| matches!(kind, GlobalKind::Param { .. } | GlobalKind::Const(_));
        let numbers = env.iter().filter(|(_, value)| matches!(value, Argument::Number(_)));
        numbers.map(|(name, _)| name).chain(self.declarations.names(constant)).cloned().collect()
    }

    /// All values of nested indices: in `i in 1..k, j in 1..i` the second range depends on the first index.
    pub fn index_tuples(
        self,
        indices: &[IndexBinder],
        env: &mut Vec<(Rc<str>, Argument)>,
        findings: &mut Findings,
    ) -> Checked<Vec<Indices>> {
        let Some((first, rest)) = indices.split_first() else { return Ok(vec![Vec::new()]) };
        let (lo, hi) = (self.int(&first.lo, env, findings)?, self.int(&first.hi, env, findings)?);
        if hi.saturating_sub(lo) >= MAX_INDICES as i64 {
            let title = format!("the index `{}` has more than 200,000 values", first.name.name);
            let place = first.lo.span.to(first.hi.span);
            return Err(findings.add(too_many(title, place, &format!("this is {lo}..{hi}"))));
        }
        let mut out = Vec::new();
        for value in lo..=hi {
            env.push((first.name.name.clone(), Argument::Number(value)));
            let inner = self.index_tuples(rest, env, findings);
            env.pop();
            for tail in inner? {
                let first = (first.name.name.clone(), Argument::Number(value));
                out.push([first].into_iter().chain(tail).collect());
            }
            if out.len() > MAX_INDICES {
                let place = first.name.span.to(indices[indices.len() - 1].hi.span);
                let title = "the indices have more than 200,000 values together";
                return Err(findings.add(too_many(title.to_string(), place, "these indices")));
            }
        }
        Ok(out)
    }
}

fn too_many(title: String, place: Span, label: &str) -> Diagnostic {
    Diagnostic::error("fp::too_many_instances", title).label(place, label).help(
        "make the ranges or the parameters smaller, or use a variable of a range sort instead of an index",
    )
}

fn not_static(span: Span, label: &str) -> Diagnostic {
    Diagnostic::error("fp::not_static", "a number known before solving is needed here")
        .label(span, label)
        .help(STATIC_VALUES)
}

/// Whether a static expression consists of numbers only: nothing changes its value but the text itself.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Negate(inner) => is_literal(inner),
        ExprKind::Binary(_, left, right) => is_literal(left) && is_literal(right),
        _ => false,
    }
}

pub(super) fn division_by_zero(divisor: Span) -> Diagnostic {
    Diagnostic::error("fp::static_arithmetic", "division by zero")
        .label(divisor, "this is 0")
        .help("the divisor must not be 0; for example, divide by `max(1, …)`")
}

fn overflow(span: Span) -> Diagnostic {
    Diagnostic::error("fp::static_arithmetic", "the value does not fit into 64 bits")
        .label(span, "computed here")
        .help(format!("static numbers lie in {}..{}", i64::MIN, i64::MAX))
}
