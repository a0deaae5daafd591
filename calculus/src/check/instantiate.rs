//! One instance of a definition: statics decided and pruned, `some` and `each` unrolled, names resolved.
//! Sorts of variables are still open.

use super::build::FORMULAS;
use super::globals::{Global, GlobalKind};
use super::statics::{Env, Static, with_env};
use super::tree::{Comparison, Mark, RelId, Site, VarId};
use super::{Checked, Checker, MAX_NODES, Reported};
use crate::diagnostic::Diagnostic;
use crate::sort::SortId;
use crate::span::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Follow, Ident, Quantifier, Unroll};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(super) enum Raw {
    Const(bool),
    Holds(RawTerm),
    Compare(Comparison, RawTerm, RawTerm, Span),
    Atom(RelId, Vec<RawTerm>, Site),
    Not(Box<Raw>),
    And(Vec<Raw>),
    Or(Vec<Raw>),
    Implies(Box<Raw>, Box<Raw>),
    Iff(Box<Raw>, Box<Raw>),
    Quantified(Quantifier, Vec<VarId>, Box<Raw>),
}

#[derive(Clone, Debug)]
pub(super) struct RawTerm {
    pub kind: RawKind,
    pub span: Span,
    /// The indices around it, to say with which values a mistake happens.
    pub env: Rc<Env>,
}

#[derive(Clone, Debug)]
pub(super) enum RawKind {
    Var(VarId),
    Int(i64),
    Bool(bool),
    Enum(SortId, u64),
    Field(Box<RawTerm>, Ident),
    Index(Box<RawTerm>, i64),
    Slice(Box<RawTerm>, Option<i64>, Option<i64>),
    Update(Box<RawTerm>, i64, Box<RawTerm>),
    With(Box<RawTerm>, Vec<(Ident, RawTerm)>),
    Record(SortId, Vec<(Ident, RawTerm)>),
    Vector(Vec<RawTerm>),
    Concat(Box<RawTerm>, Box<RawTerm>),
    Shift(Box<RawTerm>, i64),
}

/// A variable of the instance; its sort is inferred later unless it is written.
#[derive(Clone, Debug)]
pub(super) struct RawVar {
    pub name: Rc<str>,
    pub span: Span,
    pub sort: Option<SortId>,
    /// Where the sort comes from.
    pub origin: Option<Span>,
}

/// What is in scope: static indices and variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub env: Vec<(Rc<str>, i64)>,
    /// The same, shared by the terms that are made under it.
    shared: Option<Rc<Env>>,
    pub bound: Vec<(Rc<str>, VarId)>,
    pub vars: Vec<RawVar>,
}

impl Scope {
    pub fn new(env: &Env) -> Scope {
        Scope { env: env.to_vec(), ..Scope::default() }
    }

    fn shared_env(&mut self) -> Rc<Env> {
        self.shared.get_or_insert_with(|| self.env.as_slice().into()).clone()
    }

    pub fn declare(&mut self, name: &Ident, sort: Option<SortId>, origin: Option<Span>) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(RawVar { name: name.name.clone(), span: name.span, sort, origin });
        self.bound.push((name.name.clone(), id));
        id
    }

    fn var(&self, name: &str) -> Option<VarId> {
        self.bound.iter().rev().find(|(bound, _)| &**bound == name).map(|(_, id)| *id)
    }
}

impl<'a> Checker<'a> {
    fn is_static(&self, expr: &Expr, scope: &Scope) -> bool {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) => true,
            ExprKind::Name(name) => {
                scope.var(&name.name).is_none()
                    && (scope.env.iter().any(|(index, _)| *index == name.name)
                        || self.globals.get(&name.name).is_some_and(|global| {
                            matches!(global.kind, GlobalKind::Param { .. } | GlobalKind::Const(_))
                        }))
            }
            ExprKind::Field(base, _) => matches!(&base.kind, ExprKind::Name(name)
                if scope.var(&name.name).is_none() && self.is_vocabulary(&name.name)),
            ExprKind::Apply { name, indices, args } => {
                matches!(&*name.name, "min" | "max")
                    && !self.globals.contains_key(&name.name)
                    && indices.is_empty()
                    && args.iter().all(|arg| self.is_static(arg, scope))
            }
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.is_static(inner, scope),
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                parts.iter().all(|part| self.is_static(part, scope))
            }
            ExprKind::Binary(op, left, right) => {
                *op != BinaryOp::Concat && self.is_static(left, scope) && self.is_static(right, scope)
            }
            _ => false,
        }
    }

    pub(super) fn formula(&mut self, expr: &Expr, scope: &mut Scope) -> Checked<Raw> {
        self.nodes += 1;
        if self.nodes > MAX_NODES + 1 {
            return Err(Reported);
        }
        if self.nodes > MAX_NODES {
            return Err(self.report(
                Diagnostic::error(
                    "fp::too_many_instances",
                    "the definitions unroll to more than 1,000,000 parts",
                )
                .label(expr.span, "while unrolling this")
                .help("make the ranges of indices smaller, or use a variable of a range sort instead"),
            ));
        }
        if self.is_static(expr, scope) {
            return Ok(Raw::Const(self.static_bool(expr, &scope.env)?));
        }
        match &expr.kind {
            ExprKind::And(parts) => {
                self.connect(parts.iter(), true, scope, |checker, part, scope| checker.formula(part, scope))
            }
            ExprKind::Or(parts) => {
                self.connect(parts.iter(), false, scope, |checker, part, scope| checker.formula(part, scope))
            }
            ExprKind::Unrolled { unroll, indices, body } => {
                for index in indices {
                    self.no_variable(&index.lo, scope)?;
                    self.no_variable(&index.hi, scope)?;
                }
                let tuples = self.index_tuples(indices, &mut scope.env)?;
                self.connect(tuples.into_iter(), *unroll == Unroll::Each, scope, |checker, tuple, scope| {
                    let depth = scope.env.len();
                    scope.env.extend(tuple);
                    scope.shared = None;
                    let part = checker.formula(body, scope);
                    scope.env.truncate(depth);
                    scope.shared = None;
                    part
                })
            }
            ExprKind::Not(inner) => Ok(match self.formula(inner, scope)? {
                Raw::Const(value) => Raw::Const(!value),
                inner => Raw::Not(Box::new(inner)),
            }),
            ExprKind::Binary(BinaryOp::Implies, left, right) => match self.formula(left, scope) {
                Ok(Raw::Const(false)) => Ok(Raw::Const(true)),
                Ok(Raw::Const(true)) => self.formula(right, scope),
                left => {
                    let right = self.formula(right, scope);
                    Ok(Raw::Implies(Box::new(left?), Box::new(right?)))
                }
            },
            ExprKind::Binary(BinaryOp::Iff, left, right) => {
                let (left, right) = (self.formula(left, scope), self.formula(right, scope));
                Ok(Raw::Iff(Box::new(left?), Box::new(right?)))
            }
            ExprKind::Binary(op, left, right) => self.comparison(expr, *op, left, right, scope),
            ExprKind::Quantified { quantifier, binders, body } => {
                let depth = scope.bound.len();
                let mut ids = Vec::new();
                for binder in binders {
                    let sort = binder.sort.as_ref().map(|sort| self.sort(sort, &scope.env)).transpose()?;
                    ids.push(scope.declare(&binder.name, sort, binder.sort.as_ref().map(|sort| sort.span)));
                }
                let body = self.formula(body, scope);
                scope.bound.truncate(depth);
                Ok(match body? {
                    Raw::Const(value) => Raw::Const(value),
                    body => Raw::Quantified(*quantifier, ids, Box::new(body)),
                })
            }
            ExprKind::Marked { follow, by, at, atom } => {
                self.marked(expr.span, *follow, [by, at], atom, scope)
            }
            ExprKind::Apply { name, indices, args } => self.atom(expr.span, name, indices, args, scope),
            ExprKind::Name(name) if scope.var(&name.name).is_none() => match self.globals.get(&name.name) {
                Some(Global { kind: GlobalKind::Relation(_), .. }) => {
                    self.atom(expr.span, name, &[], &[], scope)
                }
                _ => Err(self.not_a_formula(expr.span)),
            },
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                Ok(Raw::Holds(self.term(expr, scope)?))
            }
            _ => Err(self.not_a_formula(expr.span)),
        }
    }

    /// An atom that says how its derivation belongs to a run.
    fn marked(
        &mut self,
        span: Span,
        follow: Option<Follow>,
        [by, at]: [&Option<Box<Expr>>; 2],
        atom: &Expr,
        scope: &mut Scope,
    ) -> Checked<Raw> {
        let mut number =
            |value: &Option<Box<Expr>>| value.as_ref().map(|value| self.index(value, scope)).transpose();
        let (by, at) = (number(by), number(at));
        match self.formula(atom, scope)? {
            Raw::Atom(relation, args, site) => {
                let mark = Mark { follow, by: by?, at: at? };
                Ok(Raw::Atom(relation, args, Site { mark, ..site }))
            }
            _ => Err(self.report(
                Diagnostic::error(
                    "fp::not_an_atom",
                    "`given`, `within`, `outside`, `by` and `at` belong to an atom",
                )
                .label(span, "this is not one")
                .help("write them at a relation: `given R(x)`, `step(p, r, q, s) by t at k`"),
            )),
        }
    }

    fn not_a_formula(&mut self, span: Span) -> Reported {
        self.report(
            Diagnostic::error("fp::not_a_formula", "a formula is needed here")
                .label(span, "this is a value")
                .help(FORMULAS),
        )
    }

    /// A conjunction (or disjunction) of parts, in order: a static part that decides it hides the parts
    /// behind it. Mistakes in several parts are all reported.
    fn connect<T>(
        &mut self,
        parts: impl Iterator<Item = T>,
        all: bool,
        scope: &mut Scope,
        mut one: impl FnMut(&mut Self, T, &mut Scope) -> Checked<Raw>,
    ) -> Checked<Raw> {
        let mut out = Vec::new();
        let mut failed = None;
        for part in parts {
            match one(self, part, scope) {
                Ok(Raw::Const(value)) if value != all => return failed.map_or(Ok(Raw::Const(value)), Err),
                Ok(Raw::Const(_)) => {}
                Ok(part) => out.push(part),
                Err(reported) => failed = Some(reported),
            }
        }
        match (failed, out.len()) {
            (Some(reported), _) => Err(reported),
            (None, 0) => Ok(Raw::Const(all)),
            (None, 1) => Ok(out.remove(0)),
            (None, _) => Ok(if all { Raw::And(out) } else { Raw::Or(out) }),
        }
    }

    fn comparison(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        scope: &mut Scope,
    ) -> Checked<Raw> {
        let (comparison, swap, negate) = match op {
            BinaryOp::Eq => (Comparison::Eq, false, false),
            BinaryOp::Ne => (Comparison::Eq, false, true),
            BinaryOp::Lt => (Comparison::Lt, false, false),
            BinaryOp::Le => (Comparison::Le, false, false),
            BinaryOp::Gt => (Comparison::Lt, true, false),
            BinaryOp::Ge => (Comparison::Le, true, false),
            _ => return Err(self.not_a_formula(expr.span)),
        };
        let (left, right) = (self.term(left, scope), self.term(right, scope));
        let (mut left, mut right) = (left?, right?);
        if swap {
            std::mem::swap(&mut left, &mut right);
        }
        let raw = Raw::Compare(comparison, left, right, expr.span);
        Ok(if negate { Raw::Not(Box::new(raw)) } else { raw })
    }

    fn atom(
        &mut self,
        span: Span,
        name: &Ident,
        indices: &[Expr],
        args: &[Expr],
        scope: &mut Scope,
    ) -> Checked<Raw> {
        let Some(Global { kind: GlobalKind::Relation(family), .. }) = self.globals.get(&name.name) else {
            return Err(self.not_a_formula(span));
        };
        let family = *family;
        let values = indices.iter().map(|index| self.index(index, scope)).collect::<Vec<_>>();
        let args = args.iter().map(|arg| self.term(arg, scope)).collect::<Vec<_>>();
        let values = values.into_iter().collect::<Checked<Vec<_>>>()?;
        if self.families[family].broken {
            return Err(Reported);
        }
        let Some(&id) = self.families[family].instances.get(&values) else {
            return Err(self.no_instance(family, &values, indices, scope));
        };
        let site = Site { span, mark: Mark::default() };
        Ok(Raw::Atom(id, args.into_iter().collect::<Checked<_>>()?, site))
    }

    fn no_instance(&mut self, family: usize, values: &[i64], indices: &[Expr], scope: &Scope) -> Reported {
        let family = &self.families[family];
        let shown = values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let there = match (family.instances.keys().next(), family.instances.keys().next_back()) {
            (Some(first), Some(last)) if first.len() == 1 => format!("defined for {}..{}", first[0], last[0]),
            (Some(_), _) => format!("defined for {} index values", family.instances.len()),
            _ => "its index range is empty".to_string(),
        };
        let place =
            indices.first().map_or(family.span, |first| first.span.to(indices[indices.len() - 1].span));
        let diagnostic =
            Diagnostic::error("fp::index_range", format!("there is no `{}[{shown}]`", family.name))
                .label(place, with_env(format!("this is {shown}"), &scope.env))
                .label(family.span, there)
                .help(if scope.env.is_empty() {
                    "the instances of a family are those of its index ranges, both ends included"
                } else {
                    "a static condition before it prunes it: `i > 1 & R[i-1](…)`"
                });
        self.report(diagnostic)
    }

    /// A static number in the scope of variables.
    fn index(&mut self, expr: &Expr, scope: &Scope) -> Checked<i64> {
        self.no_variable(expr, scope)?;
        self.static_int(expr, &scope.env)
    }

    /// A variable where a static number is needed is not unknown, but not known before solving either.
    fn no_variable(&mut self, expr: &Expr, scope: &Scope) -> Checked<()> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let Some(var) = scope.var(&name.name) else { return Ok(()) };
                let declared = scope.vars[var.0 as usize].span;
                Err(self.report(
                    Diagnostic::error(
                        "fp::not_static",
                        format!("the value of `{}` is not known before solving", name.name),
                    )
                    .label(name.span, "a static number is needed here")
                    .label(declared, "this is a variable")
                    .help("for each value there can be a case: `some i in 1..k: x = i & R[i](…)`"),
                ))
            }
            ExprKind::Negate(inner) => self.no_variable(inner, scope),
            ExprKind::Binary(_, left, right) => {
                self.no_variable(left, scope)?;
                self.no_variable(right, scope)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn term(&mut self, expr: &Expr, scope: &mut Scope) -> Checked<RawTerm> {
        let span = expr.span;
        let kind = if self.is_static(expr, scope) {
            match self.static_value(expr, &scope.env)? {
                Static::Int(value) => RawKind::Int(value),
                Static::Bool(value) => RawKind::Bool(value),
            }
        } else {
            self.term_kind(expr, scope)?
        };
        Ok(RawTerm { kind, span, env: scope.shared_env() })
    }

    fn boxed(&mut self, expr: &Expr, scope: &mut Scope) -> Checked<Box<RawTerm>> {
        self.term(expr, scope).map(Box::new)
    }

    fn term_kind(&mut self, expr: &Expr, scope: &mut Scope) -> Checked<RawKind> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(var) = scope.var(&name.name) {
                    return Ok(RawKind::Var(var));
                }
                match self.globals.get(&name.name).map(|global| global.kind.clone()) {
                    Some(GlobalKind::EnumValue { sort, position }) => {
                        RawKind::Enum(self.sort_named(&Ident { name: sort, span: name.span })?, position)
                    }
                    _ => return Err(self.not_a_term(expr.span)),
                }
            }
            ExprKind::Field(base, field) => RawKind::Field(self.boxed(base, scope)?, field.clone()),
            ExprKind::Index(base, at) => {
                let (base, at) = (self.boxed(base, scope), self.index(at, scope));
                RawKind::Index(base?, at?)
            }
            ExprKind::Slice(base, lo, hi) => {
                let base = self.boxed(base, scope)?;
                let lo = lo.as_ref().map(|lo| self.index(lo, scope)).transpose()?;
                let hi = hi.as_ref().map(|hi| self.index(hi, scope)).transpose()?;
                RawKind::Slice(base, lo, hi)
            }
            ExprKind::Update(base, at, value) => {
                let (base, at) = (self.boxed(base, scope), self.index(at, scope));
                let value = self.boxed(value, scope);
                RawKind::Update(base?, at?, value?)
            }
            ExprKind::With(base, fields) => {
                RawKind::With(self.boxed(base, scope)?, self.fields(fields, scope)?)
            }
            ExprKind::Record(name, fields) => {
                RawKind::Record(self.sort_named(name)?, self.fields(fields, scope)?)
            }
            ExprKind::Vector(parts) => {
                let parts = parts.iter().map(|part| self.term(part, scope)).collect::<Vec<_>>();
                RawKind::Vector(parts.into_iter().collect::<Checked<_>>()?)
            }
            ExprKind::Binary(BinaryOp::Concat, left, right) => {
                let (left, right) = (self.boxed(left, scope), self.boxed(right, scope));
                RawKind::Concat(left?, right?)
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
                let (base, amount) = match (self.is_static(right, scope), self.is_static(left, scope)) {
                    (true, _) => (left, right),
                    (false, true) if *op == BinaryOp::Add => (right, left),
                    _ => return Err(self.two_variables(expr.span)),
                };
                let (base, amount) = (self.boxed(base, scope), self.static_int(amount, &scope.env));
                RawKind::Shift(base?, if *op == BinaryOp::Add { amount? } else { amount?.saturating_neg() })
            }
            ExprKind::Negate(_) | ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem, ..) => {
                return Err(self.two_variables(expr.span));
            }
            _ => return Err(self.not_a_term(expr.span)),
        })
    }

    fn fields(&mut self, fields: &[(Ident, Expr)], scope: &mut Scope) -> Checked<Vec<(Ident, RawTerm)>> {
        let fields = fields
            .iter()
            .map(|(name, value)| Ok((name.clone(), self.term(value, scope)?)))
            .collect::<Vec<_>>();
        fields.into_iter().collect()
    }

    fn not_a_term(&mut self, span: Span) -> Reported {
        self.report(
            Diagnostic::error("fp::not_a_term", "a value is needed here")
                .label(span, "this is a formula")
                .help("formulas are joined with `<->`, values compared with `=`"),
        )
    }

    fn two_variables(&mut self, span: Span) -> Reported {
        self.report(
            Diagnostic::error(
                "fp::no_arithmetic",
                "only a static number can be added to or subtracted from a value",
            )
            .label(span, "this is not of the form x + 1 or x - 1")
            .help("define the relation you need, for example by recursion over x + 1"),
        )
    }
}
