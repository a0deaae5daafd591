//! From an instance with settled variables to checked terms and formulas; sort mistakes are found here.

use super::infer::Inference;
use super::instantiate::{Raw, RawKind, RawTerm, RawVar, Scope};
use super::statics::{Env, with_env};
use super::tree::{Clause, Comparison, Formula, RelId, Term, TermKind, Var, VarId};
use super::{Checked, Checker, Reported};
use crate::diagnostic::{Diagnostic, nearest};
use crate::sort::{Sort, SortId, Sorts, Value};
use crate::span::Span;
use crate::syntax::ast::{self, Ident, Quantifier};
use std::rc::Rc;

/// The sort a term must have, and the place that says so.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub sort: SortId,
    pub origin: Option<(Span, String)>,
}

pub(super) const FORMULAS: &str =
    "compare it with something, for example `x = 1`; only values of sort bool are formulas by themselves";

/// What building a formula needs to know of its surroundings.
struct Context<'s> {
    vars: &'s [RawVar],
}

impl<'a> Checker<'a> {
    /// The variables and clauses of one instance of a definition.
    pub(super) fn build_definition(
        &mut self,
        id: RelId,
        clauses: &[ast::Clause],
        env: &Env,
    ) -> Checked<(Vec<Var>, Vec<Clause>)> {
        let mut scope = Scope::new(env);
        for column in self.relations[id.0 as usize].columns.clone() {
            let span = column.span.unwrap_or_default();
            scope.declare(&Ident { name: column.name, span }, Some(column.sort), column.span);
        }
        let mut out = Vec::new();
        let mut failed = false;
        for (position, clause) in clauses.iter().enumerate() {
            match self.build_clause(clause, position, &mut scope) {
                // Clauses are disjuncts: a static one that holds hides those behind it.
                Ok(clause) if matches!(clause.body, Formula::Const(true)) => {
                    out.push(clause);
                    break;
                }
                Ok(clause) => out.push(clause),
                Err(Reported) => failed = true,
            }
        }
        if failed {
            return Err(Reported);
        }
        let vars = scope
            .vars
            .into_iter()
            // A variable that pruning left without any use has no sort, and no occurrence either.
            .map(|var| Var { name: var.name, sort: var.sort.unwrap_or(Sorts::BOOL), span: var.span })
            .collect();
        Ok((vars, out))
    }

    fn build_clause(&mut self, clause: &ast::Clause, position: usize, scope: &mut Scope) -> Checked<Clause> {
        let raw = self.formula(&clause.body, scope)?;
        Inference::run(&mut self.sorts, &self.relations, &mut scope.vars, &raw);
        let vars = scope.vars.clone();
        let body = self.build_formula(&raw, &Context { vars: &vars })?;
        let name = match &clause.label {
            Some(label) => label.name.clone(),
            None => Rc::from((position + 1).to_string()),
        };
        let span = clause.label.as_ref().map_or(clause.body.span, |label| label.span.to(clause.body.span));
        Ok(Clause { name, span, body })
    }

    fn build_all(&mut self, parts: &[Raw], context: &Context) -> Checked<Vec<Formula>> {
        let parts = parts.iter().map(|part| self.build_formula(part, context)).collect::<Vec<_>>();
        parts.into_iter().collect()
    }

    fn build_formula(&mut self, raw: &Raw, context: &Context) -> Checked<Formula> {
        Ok(match raw {
            Raw::Const(value) => Formula::Const(*value),
            Raw::Holds(term) => {
                let built = self.build_term(term, None, context)?;
                if built.sort != Sorts::BOOL {
                    let shown = self.sorts.show(built.sort);
                    let label = with_env(format!("this has sort {shown}"), &term.env);
                    return Err(self.report(
                        Diagnostic::error("fp::not_a_formula", "a formula is needed here")
                            .label(term.span, label)
                            .help(FORMULAS),
                    ));
                }
                Formula::Holds(built)
            }
            Raw::Compare(comparison, left, right, span) => {
                self.build_comparison(*comparison, left, right, *span, context)?
            }
            Raw::Atom(relation, args, span) => {
                let target = &self.relations[relation.0 as usize];
                let (title, declared) = (target.title(), target.span);
                let columns = target.columns.clone();
                let args = args
                    .iter()
                    .zip(columns)
                    .map(|(arg, column)| {
                        let shown = self.sorts.show(column.sort);
                        // A model's columns stand in no file; its `use` does.
                        let place = column.span.unwrap_or(declared);
                        let origin =
                            Some((place, format!("`{}` of `{title}` has sort {shown}", column.name)));
                        self.build_term(arg, Some(&Expected { sort: column.sort, origin }), context)
                    })
                    .collect::<Vec<_>>();
                Formula::Atom(*relation, args.into_iter().collect::<Checked<_>>()?, *span)
            }
            Raw::Not(inner) => Formula::Not(Box::new(self.build_formula(inner, context)?)),
            Raw::And(parts) => Formula::And(self.build_all(parts, context)?),
            Raw::Or(parts) => Formula::Or(self.build_all(parts, context)?),
            Raw::Implies(left, right) | Raw::Iff(left, right) => {
                let (left, right) = (self.build_formula(left, context), self.build_formula(right, context));
                let (left, right) = (Box::new(left?), Box::new(right?));
                if matches!(raw, Raw::Iff(..)) {
                    Formula::Iff(left, right)
                } else {
                    Formula::Implies(left, right)
                }
            }
            Raw::Quantified(quantifier, vars, body) => {
                let body = self.build_formula(body, context);
                // Without a sort and without a mistake the variable lost its uses by pruning: sorts are not
                // empty, so it can go.
                let vars = vars
                    .iter()
                    .copied()
                    .filter(|var| context.vars[var.0 as usize].sort.is_some())
                    .collect::<Vec<_>>();
                match (quantifier, vars.is_empty()) {
                    (_, true) => body?,
                    (Quantifier::Exists, _) => Formula::Exists(vars, Box::new(body?)),
                    (Quantifier::Forall, _) => Formula::Forall(vars, Box::new(body?)),
                }
            }
        })
    }

    fn build_comparison(
        &mut self,
        comparison: Comparison,
        left: &RawTerm,
        right: &RawTerm,
        span: Span,
        context: &Context,
    ) -> Checked<Formula> {
        // A number takes its sort from the other side.
        let left_first = !matches!(left.kind, RawKind::Int(_) | RawKind::Vector(_));
        let (first, second) = if left_first { (left, right) } else { (right, left) };
        let first_built = self.build_term(first, None, context)?;
        let origin = Some((first.span, format!("this has sort {}", self.sorts.show(first_built.sort))));
        let expected = Expected { sort: first_built.sort, origin };
        let second_built = self.build_term(second, Some(&expected), context)?;
        if comparison != Comparison::Eq
            && !matches!(self.sorts.get(first_built.sort), Sort::Range { .. } | Sort::Enum { .. })
        {
            let shown = self.sorts.show(first_built.sort);
            return Err(self.report(
                Diagnostic::error("fp::no_order", format!("values of sort {shown} have no order"))
                    .label(span, "compared here")
                    .help("only ranges and enums can be compared with < <= > >=; use = or !="),
            ));
        }
        let (left, right) =
            if left_first { (first_built, second_built) } else { (second_built, first_built) };
        Ok(Formula::Compare(comparison, left, right, span))
    }

    fn build_term(
        &mut self,
        term: &RawTerm,
        expected: Option<&Expected>,
        context: &Context,
    ) -> Checked<Term> {
        let built = self.build_part(term, expected, context)?;
        match expected {
            Some(expected) if expected.sort != built.sort => Err(self.mismatch(term, built.sort, expected)),
            _ => Ok(built),
        }
    }

    fn mismatch(&mut self, term: &RawTerm, found: SortId, expected: &Expected) -> Reported {
        let (found_shown, wanted) = (self.sorts.show(found), self.sorts.show(expected.sort));
        let title = format!("expected a value of sort {wanted}, found one of sort {found_shown}");
        let mut diagnostic = Diagnostic::error("fp::sort_mismatch", title)
            .label(term.span, with_env(format!("this has sort {found_shown}"), &term.env));
        if let Some((place, text)) = &expected.origin {
            diagnostic = diagnostic.label(*place, text.clone());
        }
        let help = match (self.sorts.get(found), self.sorts.get(expected.sort)) {
            (Sort::Vector { element: a, .. }, Sort::Vector { element: b, .. }) if a == b => {
                "the index ranges differ: take a slice, or compare element by element with `each`".to_string()
            }
            (Sort::Range { .. }, Sort::Range { .. }) => {
                "two ranges are one sort if they are the same named range, or both written in place with the same bounds".to_string()
            }
            (Sort::Record { fields, .. }, _) if fields.iter().any(|(_, sort)| *sort == expected.sort) => {
                let field = fields.iter().find(|(_, sort)| *sort == expected.sort).map(|(name, _)| name.clone());
                format!("a field has that sort: `.{}`", field.unwrap_or_default())
            }
            _ => self.values_help(expected.sort),
        };
        diagnostic = diagnostic.help(help);
        self.report(diagnostic)
    }

    fn build_part(
        &mut self,
        term: &RawTerm,
        expected: Option<&Expected>,
        context: &Context,
    ) -> Checked<Term> {
        Ok(match &term.kind {
            RawKind::Var(var) => self.build_var(*var, context)?,
            RawKind::Bool(value) => Term { kind: TermKind::Const(Value::Bool(*value)), sort: Sorts::BOOL },
            RawKind::Enum(sort, position) => {
                Term { kind: TermKind::Const(Value::Name(*position)), sort: *sort }
            }
            RawKind::Int(value) => self.build_int(term, *value, expected)?,
            RawKind::Field(base, name) => {
                let base = self.build_term(base, None, context)?;
                let (at, sort) = self.field_of(base.sort, name)?;
                Term { kind: TermKind::Field(Box::new(base), at), sort }
            }
            RawKind::Index(base, at) => {
                let raw = base;
                let base = self.build_term(base, None, context)?;
                let (element, lo, hi) = self.vector_of(base.sort, raw.span)?;
                if *at < lo || hi < *at {
                    return Err(self.no_element(term, raw, &format!("the index {at}"), (lo, hi), context));
                }
                Term { kind: TermKind::Element(Box::new(base), (*at - lo) as usize), sort: element }
            }
            RawKind::Slice(base, from, to) => {
                let raw = base;
                let base = self.build_term(base, None, context)?;
                let (element, lo, hi) = self.vector_of(base.sort, raw.span)?;
                let (from, to) = (from.unwrap_or(lo), to.unwrap_or(hi));
                if from < lo || to > hi || to < from.saturating_sub(1) {
                    let what = format!("the slice {from}..{to}");
                    return Err(self.no_element(term, raw, &what, (lo, hi), context));
                }
                let sort = self.sorts.intern(Sort::Vector { element, lo: from, hi: to });
                let (first, length) = ((from - lo) as usize, (to - from + 1) as usize);
                Term { kind: TermKind::Slice(Box::new(base), first, length), sort }
            }
            RawKind::Update(base, at, value) => {
                let raw = base;
                let base = self.build_term(base, expected, context)?;
                let (element, lo, hi) = self.vector_of(base.sort, raw.span)?;
                if *at < lo || hi < *at {
                    return Err(self.no_element(term, raw, &format!("the index {at}"), (lo, hi), context));
                }
                let origin = Some((raw.span, format!("its elements have sort {}", self.sorts.show(element))));
                let value = self.build_term(value, Some(&Expected { sort: element, origin }), context)?;
                let sort = base.sort;
                Term { kind: TermKind::With(Box::new(base), vec![((*at - lo) as usize, value)]), sort }
            }
            RawKind::With(base, fields) => {
                let base = self.build_term(base, expected, context)?;
                let sort = base.sort;
                let fields = self.build_fields(sort, fields, context)?;
                Term { kind: TermKind::With(Box::new(base), fields), sort }
            }
            RawKind::Record(sort, fields) => self.build_record(term.span, *sort, fields, context)?,
            RawKind::Vector(parts) => self.build_vector(term.span, parts, expected, context)?,
            RawKind::Concat(left, right) => self.build_concat(left, right, expected, context)?,
            RawKind::Shift(base, amount) => {
                let span = base.span;
                let base = self.build_term(base, expected, context)?;
                if !matches!(self.sorts.get(base.sort), Sort::Range { .. }) {
                    let shown = self.sorts.show(base.sort);
                    return Err(self.report(
                        Diagnostic::error(
                            "fp::no_arithmetic",
                            format!("nothing can be added to a value of sort {shown}"),
                        )
                        .label(span, format!("this has sort {shown}"))
                        .help("only ranges have + and -"),
                    ));
                }
                let sort = base.sort;
                Term { kind: TermKind::Shift(Box::new(base), *amount), sort }
            }
        })
    }

    fn build_var(&mut self, var: VarId, context: &Context) -> Checked<Term> {
        let declared = &context.vars[var.0 as usize];
        match declared.sort {
            Some(sort) => Ok(Term { kind: TermKind::Var(var), sort }),
            None => Err(self.report(
                Diagnostic::error("fp::open_sort", format!("the sort of `{}` is open", declared.name))
                    .label(declared.span, "nothing settles its sort")
                    .help(format!("write its sort: `{}: T`", declared.name)),
            )),
        }
    }

    fn build_int(&mut self, term: &RawTerm, value: i64, expected: Option<&Expected>) -> Checked<Term> {
        let (span, env) = (term.span, &term.env);
        let Some(expected) = expected else {
            return Err(self.report(
                Diagnostic::error("fp::open_sort", "the sort of this number is open")
                    .label(span, "which range is it of?")
                    .help("compare it with a variable, or use it as an argument"),
            ));
        };
        let shown = self.sorts.show(expected.sort);
        let mut diagnostic = match self.sorts.get(expected.sort) {
            Sort::Range { lo, hi, .. } if *lo <= value && value <= *hi => {
                return Ok(Term { kind: TermKind::Const(Value::Int(value)), sort: expected.sort });
            }
            Sort::Range { lo, hi, .. } => {
                Diagnostic::error("fp::out_of_range", format!("{value} is not in {shown}"))
                    .label(span, with_env(format!("this is {value}"), env))
                    .help(format!("its values are {lo}..{hi}"))
            }
            _ => Diagnostic::error("fp::sort_mismatch", format!("{value} is not a value of sort {shown}"))
                .label(span, with_env(format!("a number, where {shown} is needed"), env))
                .help(self.values_help(expected.sort)),
        };
        if let Some((place, text)) = &expected.origin {
            diagnostic = diagnostic.label(*place, text.clone());
        }
        Err(self.report(diagnostic))
    }

    pub(super) fn field_of(&mut self, record: SortId, name: &Ident) -> Checked<(usize, SortId)> {
        if let Some(found) = Inference::field(&self.sorts, record, &name.name) {
            return Ok(found);
        }
        let shown = self.sorts.show(record);
        let Sort::Record { fields, .. } = self.sorts.get(record) else {
            return Err(self.report(
                Diagnostic::error("fp::not_a_record", format!("values of sort {shown} have no fields"))
                    .label(name.span, format!("there is no `{}` in {shown}", name.name))
                    .help(match self.sorts.get(record) {
                        Sort::Vector { .. } => "its elements may have fields: `v[i].f`",
                        _ => "only records have fields",
                    }),
            ));
        };
        let help = match nearest(&name.name, fields.iter().map(|(field, _)| &**field)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let fields = fields.iter().map(|(field, _)| field.to_string()).collect::<Vec<_>>();
                format!("its fields are: {}", fields.join(", "))
            }
        };
        Err(self.report(
            Diagnostic::error("fp::unknown_name", format!("the record {shown} has no field `{}`", name.name))
                .label(name.span, "no such field")
                .help(help),
        ))
    }

    fn vector_of(&mut self, sort: SortId, span: Span) -> Checked<(SortId, i64, i64)> {
        if let Sort::Vector { element, lo, hi } = self.sorts.get(sort) {
            return Ok((*element, *lo, *hi));
        }
        let shown = self.sorts.show(sort);
        Err(self.report(
            Diagnostic::error("fp::not_a_vector", format!("a value of sort {shown} is not a vector"))
                .label(span, format!("this has sort {shown}"))
                .help("only vectors have indices, slices and `++`; `[x]` is a vector of one element"),
        ))
    }

    /// An index or a slice outside a vector: the use, and the vector it is used on.
    fn no_element(
        &mut self,
        term: &RawTerm,
        base: &RawTerm,
        what: &str,
        (lo, hi): (i64, i64),
        context: &Context,
    ) -> Reported {
        let (place, vector) = match &base.kind {
            RawKind::Var(var) => {
                let declared = &context.vars[var.0 as usize];
                (declared.span, format!("`{}`", declared.name))
            }
            _ => (base.span, "this".to_string()),
        };
        self.report(
            Diagnostic::error("fp::index_range", format!("{what} is not inside {lo}..{hi}"))
                .label(term.span, with_env(format!("{what}, of {lo}..{hi}"), &term.env))
                .label(place, format!("{vector} has the indices {lo}..{hi}"))
                .help(if term.env.is_empty() {
                    "a vector has the indices of its sort, both ends included"
                } else {
                    "a static condition before it can prune it: `i > 1 & …`"
                }),
        )
    }

    fn build_fields(
        &mut self,
        record: SortId,
        fields: &[(Ident, RawTerm)],
        context: &Context,
    ) -> Checked<Vec<(usize, Term)>> {
        let mut out: Vec<(usize, Term)> = Vec::new();
        for (name, value) in fields {
            let (at, sort) = self.field_of(record, name)?;
            if let Some(first) = out.iter().position(|(other, _)| *other == at) {
                return Err(self.report(
                    Diagnostic::error(
                        "fp::defined_twice",
                        format!("the field `{}` is given twice", name.name),
                    )
                    .label(name.span, "again here")
                    .label(fields[first].0.span, "first here")
                    .help("leave one of them out"),
                ));
            }
            let origin = Some((name.span, format!("`{}` has sort {}", name.name, self.sorts.show(sort))));
            out.push((at, self.build_term(value, Some(&Expected { sort, origin }), context)?));
        }
        Ok(out)
    }

    fn build_record(
        &mut self,
        span: Span,
        sort: SortId,
        fields: &[(Ident, RawTerm)],
        context: &Context,
    ) -> Checked<Term> {
        let mut built = self.build_fields(sort, fields, context)?;
        let Sort::Record { fields: declared, .. } = self.sorts.get(sort) else {
            let shown = self.sorts.show(sort);
            return Err(self.report(
                Diagnostic::error("fp::not_a_record", format!("{shown} is not a record"))
                    .label(span, "written as one")
                    .help(self.values_help(sort)),
            ));
        };
        let missing = declared
            .iter()
            .enumerate()
            .filter(|(at, _)| !built.iter().any(|(other, _)| other == at))
            .map(|(_, (name, _))| name.to_string())
            .collect::<Vec<_>>();
        if !missing.is_empty() {
            return Err(self.report(
                Diagnostic::error("fp::missing_field", format!("fields are missing: {}", missing.join(", ")))
                    .label(span, "in this record")
                    .help("to change some fields of a record, write { r with f = x }"),
            ));
        }
        built.sort_by_key(|(at, _)| *at);
        Ok(Term { kind: TermKind::Record(built.into_iter().map(|(_, term)| term).collect()), sort })
    }

    fn build_vector(
        &mut self,
        span: Span,
        parts: &[RawTerm],
        expected: Option<&Expected>,
        context: &Context,
    ) -> Checked<Term> {
        let wanted = expected.and_then(|expected| match self.sorts.get(expected.sort) {
            Sort::Vector { element, lo, .. } => Some((*element, *lo, expected.origin.clone())),
            _ => None,
        });
        let (element, lo, origin) = match wanted {
            Some(wanted) => wanted,
            None => {
                let Some(first) = parts.iter().find(|part| !matches!(part.kind, RawKind::Int(_))) else {
                    return Err(self.report(
                        Diagnostic::error("fp::open_sort", "the sort of this vector's elements is open")
                            .label(span, "which sort do they have?")
                            .help("compare it with a variable, or use it as an argument"),
                    ));
                };
                (self.build_term(first, None, context)?.sort, 1, None)
            }
        };
        let expected = Expected { sort: element, origin };
        let parts =
            parts.iter().map(|part| self.build_term(part, Some(&expected), context)).collect::<Vec<_>>();
        let parts = parts.into_iter().collect::<Checked<Vec<_>>>()?;
        let sort = self.sorts.intern(Sort::Vector { element, lo, hi: lo + parts.len() as i64 - 1 });
        Ok(Term { kind: TermKind::Vector(parts), sort })
    }

    fn build_concat(
        &mut self,
        left: &RawTerm,
        right: &RawTerm,
        expected: Option<&Expected>,
        context: &Context,
    ) -> Checked<Term> {
        // A literal on either side takes the element sort of the expected vector, or of the other side.
        let hint = |sort: SortId, origin: Option<(Span, String)>| Some(Expected { sort, origin });
        let wanted =
            expected.filter(|expected| matches!(self.sorts.get(expected.sort), Sort::Vector { .. })).cloned();
        let literal = |term: &RawTerm| matches!(term.kind, RawKind::Vector(_));
        let (left_term, right_term) = if literal(left) {
            let right_term = self.build_term(right, None, context)?;
            let sort = right_term.sort;
            self.vector_of(sort, right.span)?;
            (self.build_part(left, wanted.or_else(|| hint(sort, None)).as_ref(), context)?, right_term)
        } else {
            let left_term = self.build_term(left, None, context)?;
            let sort = left_term.sort;
            self.vector_of(sort, left.span)?;
            let expected = if literal(right) { hint(sort, None) } else { None };
            (left_term, self.build_part(right, expected.as_ref(), context)?)
        };
        let (element, lo, hi) = self.vector_of(left_term.sort, left.span)?;
        let (other, from, to) = self.vector_of(right_term.sort, right.span)?;
        if element != other {
            let origin = Some((left.span, format!("this is {}", self.sorts.show(left_term.sort))));
            return Err(self.mismatch(right, right_term.sort, &Expected { sort: left_term.sort, origin }));
        }
        let sort = self.sorts.intern(Sort::Vector { element, lo, hi: hi + (to - from + 1) });
        Ok(Term { kind: TermKind::Concat(Box::new(left_term), Box::new(right_term)), sort })
    }

    /// A constant of a fact row.
    pub(super) fn build_constant(&mut self, expr: &ast::Expr, expected: &Expected) -> Checked<Value> {
        let raw = self.term(expr, &mut Scope::default())?;
        let term = self.build_term(&raw, Some(expected), &Context { vars: &[] })?;
        constant(&term).ok_or(()).map_err(|()| self.report(
                Diagnostic::error("fp::not_static", "a fact needs a constant")
                    .label(expr.span, "not a constant")
                    .help("facts consist of numbers, true, false, names of enums, and records and vectors of them"),
            ))
    }
}

/// The value of a term without variables, if it is a plain constant.
fn constant(term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Const(value) => Some(value.clone()),
        TermKind::Record(parts) => parts.iter().map(constant).collect::<Option<_>>().map(Value::Record),
        TermKind::Vector(parts) => parts.iter().map(constant).collect::<Option<_>>().map(Value::Vector),
        _ => None,
    }
}
