//! One instance of a definition: statics decided and pruned, `some` and `each` unrolled, names resolved.
//! Sorts of variables are still open.

mod arguments;
mod open;
mod terms;

pub(super) use open::{InstanceScope, OpenFormula, OpenKind, OpenTerm, OpenVar};

use super::arguments::{Argument, RelationArgument};
use super::findings::{Checked, Findings, Reported};
use super::signatures::Signatures;
use super::sorts::SortTable;
use super::statics::Statics;
use super::tree::{Comparison, Formula, Mark, RelId, Site, VarId};
use super::words::with_env;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::syntax::ast::{BinaryOp, Binder, Expr, ExprKind, Follow, Ident, Quantifier, Unroll};
use crate::syntax::one_index;

pub(super) const FORMULAS: &str =
    "compare it with something, for example `x = 1`; only values of sort bool are formulas by themselves";

/// How many parts of formulas all instances may have; unrolling must not run away.
const MAX_PARTS: usize = 1_000_000;

pub(super) struct Instantiation<'s, 'a> {
    pub statics: Statics<'s, 'a>,
    pub signatures: &'s mut Signatures,
    pub table: &'s mut SortTable,
    pub findings: &'s mut Findings,
    /// How many parts of formulas there are so far, in all instances.
    pub parts: &'s mut usize,
    pub scope: InstanceScope,
    /// The relation whose formula this is.
    pub inside: Option<RelId>,
}

impl Instantiation<'_, '_> {
    fn is_static(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) => true,
            ExprKind::Name(name) => {
                self.scope.var(&name.name).is_none()
                    && match self.scope.argument(&name.name) {
                        Some(argument) => matches!(argument, Argument::Number(_)),
                        None => self.statics.declarations.is_constant(&name.name),
                    }
            }
            ExprKind::Field(base, _) => matches!(&base.kind, ExprKind::Name(name)
                if self.scope.var(&name.name).is_none() && self.statics.declarations.is_vocabulary(&name.name)),
            ExprKind::Apply { name, indices, args } => {
                self.is_function(name) && indices.is_empty() && args.iter().all(|arg| self.is_static(arg))
            }
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.is_static(inner),
            ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().all(|part| self.is_static(part)),
            ExprKind::Binary(op, left, right) => {
                *op != BinaryOp::Concat && self.is_static(left) && self.is_static(right)
            }
            _ => false,
        }
    }

    /// `min` and `max`, as long as no definition has the name.
    fn is_function(&self, name: &Ident) -> bool {
        matches!(&*name.name, "min" | "max") && self.statics.declarations.get(&name.name).is_none()
    }

    /// Counts a part of a formula.
    fn count(&mut self, place: Span) -> Checked<()> {
        *self.parts += 1;
        match *self.parts {
            ..=MAX_PARTS => Ok(()),
            number if number > MAX_PARTS + 1 => Err(Reported),
            _ => Err(self.findings.add(
                Diagnostic::error(
                    "fp::too_many_instances",
                    "the definitions unroll to more than 1,000,000 parts",
                )
                .label(place, "while unrolling this")
                .help("make the ranges of indices smaller, or use a variable of a range sort instead"),
            )),
        }
    }

    pub fn formula(&mut self, expr: &Expr) -> Checked<OpenFormula> {
        self.count(expr.span)?;
        if self.is_static(expr) {
            return Ok(Formula::Const(self.statics.bool(expr, &self.scope.env, self.findings)?));
        }
        match &expr.kind {
            ExprKind::And(parts) => self.connect(parts.iter(), true, |pass, part| pass.formula(part)),
            ExprKind::Or(parts) => self.connect(parts.iter(), false, |pass, part| pass.formula(part)),
            ExprKind::Unrolled { unroll, indices, body } => {
                for index in indices {
                    self.no_variable(&index.lo)?;
                    self.no_variable(&index.hi)?;
                }
                let tuples = self.statics.index_tuples(indices, &mut self.scope.env, self.findings)?;
                self.connect(tuples.into_iter(), *unroll == Unroll::Each, |pass, tuple| {
                    let depth = pass.scope.env.len();
                    pass.scope.enter(tuple);
                    let part = pass.formula(body);
                    pass.scope.leave(depth);
                    part
                })
            }
            ExprKind::Not(inner) => Ok(match self.formula(inner)? {
                Formula::Const(value) => Formula::Const(!value),
                inner => Formula::Not(Box::new(inner)),
            }),
            ExprKind::Binary(BinaryOp::Implies, left, right) => match self.formula(left) {
                Ok(Formula::Const(false)) => Ok(Formula::Const(true)),
                Ok(Formula::Const(true)) => self.formula(right),
                left => {
                    let right = self.formula(right);
                    Ok(Formula::Implies(Box::new(left?), Box::new(right?)))
                }
            },
            ExprKind::Binary(BinaryOp::Iff, left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                Ok(Formula::Iff(Box::new(left?), Box::new(right?)))
            }
            ExprKind::Binary(op, left, right) => self.comparison(expr, *op, left, right),
            ExprKind::Quantified { quantifier, binders, body } => self.quantified(*quantifier, binders, body),
            ExprKind::Marked { follow, by, at, atom } => self.marked(expr.span, *follow, [by, at], atom),
            ExprKind::Apply { name, indices, args } => self.atom(expr.span, name, indices, args),
            ExprKind::Name(name) if self.scope.var(&name.name).is_none() => {
                self.atom(expr.span, name, &[], &[])
            }
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                Ok(Formula::Holds(self.term(expr)?))
            }
            ExprKind::Instance { indices, .. } => {
                Err(self.findings.add(one_index(indices.get(1).unwrap_or(expr))))
            }
            _ => Err(self.findings.add(not_a_formula(expr.span))),
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binders: &[Binder],
        body: &Expr,
    ) -> Checked<OpenFormula> {
        let depth = self.scope.bound.len();
        let mut vars = Vec::new();
        for Binder { name, sort } in binders {
            let origin = sort.as_ref().map(|sort| sort.span);
            let env = &self.scope.env;
            let resolve = |sort| self.table.resolve(sort, env, self.statics, self.findings);
            let sort = sort.as_ref().map(resolve).transpose()?;
            vars.push(self.scope.declare(name, sort, origin));
        }
        let body = self.formula(body);
        self.scope.bound.truncate(depth);
        Ok(match (body?, quantifier) {
            // Where there is no value, nothing exists and everything holds for all.
            (Formula::Const(value), _)
                if value == (quantifier == Quantifier::Forall) || !self.may_be_empty(&vars) =>
            {
                Formula::Const(value)
            }
            (body, Quantifier::Exists) => Formula::Exists(vars, Box::new(body)),
            (body, Quantifier::Forall) => Formula::Forall(vars, Box::new(body)),
        })
    }

    /// Whether one of these variables is said to be of a sort that may have no value.
    fn may_be_empty(&self, vars: &[VarId]) -> bool {
        let sorts = vars.iter().filter_map(|var| self.scope.vars[var.0 as usize].sort);
        sorts.into_iter().any(|sort| self.table.sorts.has_texts(sort))
    }

    /// An atom that says how its derivation belongs to a run.
    fn marked(
        &mut self,
        span: Span,
        follow: Option<Follow>,
        [by, at]: [&Option<Box<Expr>>; 2],
        atom: &Expr,
    ) -> Checked<OpenFormula> {
        let mut number =
            |value: &Option<Box<Expr>>| value.as_ref().map(|value| self.index(value)).transpose();
        let (by, at) = (number(by), number(at));
        match self.formula(atom)? {
            Formula::Atom(relation, args, site) => {
                let mark = Mark { follow, by: by?, at: at? };
                Ok(Formula::Atom(relation, args, Site { mark, ..site }))
            }
            _ => Err(self.findings.add(
                Diagnostic::error(
                    "fp::not_an_atom",
                    "`given`, `within`, `outside`, `by` and `at` belong to an atom",
                )
                .label(span, "this is not an atom")
                .help("write them with a relation: `given R(x)`, `step(p, r, q, s) by t at k`"),
            )),
        }
    }

    /// A conjunction (or disjunction) of parts, in order: a static part that decides it hides the parts
    /// behind it. Mistakes in several parts are all reported.
    fn connect<T>(
        &mut self,
        parts: impl Iterator<Item = T>,
        all: bool,
        mut one: impl FnMut(&mut Self, T) -> Checked<OpenFormula>,
    ) -> Checked<OpenFormula> {
        let mut out = Vec::new();
        let mut failed = None;
        for part in parts {
            match one(self, part) {
                Ok(Formula::Const(value)) if value != all => {
                    return failed.map_or(Ok(Formula::Const(value)), Err);
                }
                Ok(Formula::Const(_)) => {}
                Ok(part) => out.push(part),
                Err(reported) => failed = Some(reported),
            }
        }
        match (failed, out.len()) {
            (Some(reported), _) => Err(reported),
            (None, 0) => Ok(Formula::Const(all)),
            (None, 1) => Ok(out.remove(0)),
            (None, _) => Ok(if all { Formula::And(out) } else { Formula::Or(out) }),
        }
    }

    fn comparison(&mut self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Checked<OpenFormula> {
        let (comparison, swap, negate) = match op {
            BinaryOp::Eq => (Comparison::Eq, false, false),
            BinaryOp::Ne => (Comparison::Eq, false, true),
            BinaryOp::Lt => (Comparison::Lt, false, false),
            BinaryOp::Le => (Comparison::Le, false, false),
            BinaryOp::Gt => (Comparison::Lt, true, false),
            BinaryOp::Ge => (Comparison::Le, true, false),
            _ => return Err(self.findings.add(not_a_formula(expr.span))),
        };
        let (left, right) = (self.term(left), self.term(right));
        let (mut left, mut right) = (left?, right?);
        if swap {
            std::mem::swap(&mut left, &mut right);
        }
        let compared = Formula::Compare(comparison, left, right, expr.span);
        Ok(if negate { Formula::Not(Box::new(compared)) } else { compared })
    }

    fn atom(&mut self, span: Span, name: &Ident, indices: &[Expr], args: &[Expr]) -> Checked<OpenFormula> {
        let id = self.relation(span, name, indices);
        let args = args.iter().map(|arg| self.term(arg)).collect::<Vec<_>>();
        let site = Site { span, mark: Mark::default() };
        Ok(Formula::Atom(id?, args.into_iter().collect::<Checked<_>>()?, site))
    }

    /// The relation that a name with these indices stands for.
    fn relation(&mut self, span: Span, name: &Ident, indices: &[Expr]) -> Checked<RelId> {
        let (family, mut values) = match self.scope.argument(&name.name) {
            Some(Argument::Relation(RelationArgument::One(id), _)) => return Ok(*id),
            Some(Argument::Relation(RelationArgument::Family { family, given }, _)) => {
                (*family, given.clone())
            }
            Some(_) => return Err(self.findings.add(not_a_formula(span))),
            None => match self.statics.declarations.relation(&name.name) {
                Some(family) => (family, Vec::new()),
                None => return Err(self.findings.add(not_a_formula(span))),
            },
        };
        if self.statics.declarations.families[family].is_generic() {
            return self.generic(span, family, indices);
        }
        let given = indices.iter().map(|index| self.index(index).map(Argument::Number)).collect::<Vec<_>>();
        values.extend(given.into_iter().collect::<Checked<Vec<_>>>()?);
        self.instance(family, &values, indices)
    }

    /// An instance of a family that is indexed by numbers.
    fn instance(&mut self, family: usize, values: &[Argument], indices: &[Expr]) -> Checked<RelId> {
        let instances = &self.signatures.instances[family];
        if instances.broken {
            return Err(Reported);
        }
        match instances.by_indices.get(values) {
            Some(id) => Ok(*id),
            None => Err(self.no_instance(family, values, indices)),
        }
    }

    fn no_instance(&mut self, family: usize, values: &[Argument], indices: &[Expr]) -> Reported {
        let instances = &self.signatures.instances[family].by_indices;
        let family = &self.statics.declarations.families[family];
        let shown = values.iter().map(|value| value.index().to_string()).collect::<Vec<_>>().join(", ");
        let there = match (instances.keys().next(), instances.keys().next_back()) {
            (Some(first), Some(last)) if first.len() == 1 => {
                format!("defined for {}..{}", first[0].index(), last[0].index())
            }
            (Some(_), _) => format!("defined for {} index values", instances.len()),
            _ => "its index range is empty".to_string(),
        };
        let place =
            indices.first().map_or(family.span, |first| first.span.to(indices[indices.len() - 1].span));
        let diagnostic =
            Diagnostic::error("fp::index_range", format!("there is no `{}[{shown}]`", family.name))
                .label(place, with_env(format!("this is {shown}"), &self.scope.env))
                .label(family.span, there)
                .help(if self.scope.env.is_empty() {
                    "the instances of a family are those of its index ranges, both ends included"
                } else {
                    "exclude this case with a static condition before it, such as `i > 1 & R[i-1](…)`"
                });
        self.findings.add(diagnostic)
    }

    /// A static number in the scope of variables.
    fn index(&mut self, expr: &Expr) -> Checked<i64> {
        self.no_variable(expr)?;
        self.statics.int(expr, &self.scope.env, self.findings)
    }

    /// A variable where a static number is needed is not unknown, but not known before solving either.
    fn no_variable(&mut self, expr: &Expr) -> Checked<()> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let Some(var) = self.scope.var(&name.name) else { return Ok(()) };
                let declared = self.scope.vars[var.0 as usize].span;
                Err(self.findings.add(
                    Diagnostic::error(
                        "fp::not_static",
                        format!("the value of `{}` is not known before solving", name.name),
                    )
                    .label(name.span, "a static number is needed here")
                    .label(declared, "this is a variable")
                    .help("make a case for each value: `some i in 1..k: x = i & R[i](…)`"),
                ))
            }
            ExprKind::Negate(inner) => self.no_variable(inner),
            ExprKind::Binary(_, left, right) => {
                self.no_variable(left)?;
                self.no_variable(right)
            }
            _ => Ok(()),
        }
    }
}

fn not_a_formula(span: Span) -> Diagnostic {
    Diagnostic::error("fp::not_a_formula", "a formula is needed here")
        .label(span, "this is a value")
        .help(FORMULAS)
}
