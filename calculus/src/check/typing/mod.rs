//! From an instance whose variables have sorts to checked terms and formulas; sort mistakes are found here.

mod compound;
mod decided;
mod infer;
mod numbers;
mod open;
mod terms;

pub(super) use infer::infer;

use super::findings::{Checked, Findings, Reported};
use super::instantiate::{FORMULAS, OpenFormula, OpenKind, OpenTerm, OpenVar};
use super::tree::{Column, Comparison, Formula, RelId, Relation, Site, Term, TermKind, VarId};
use super::words::{values_help, with_env};
use crate::diagnostic::Diagnostic;
use crate::index::Id;
use crate::sort::{Sort, SortId, Sorts};
use crate::span::Span;
use crate::vocabulary::Vocabulary;
use std::collections::BTreeSet;

/// The sort a term must have, and the place that says so.
#[derive(Clone, Debug)]
pub(super) struct ExpectedSort {
    pub sort: SortId,
    pub origin: Option<(Span, String)>,
}

pub(super) struct Typing<'s> {
    pub sorts: &'s mut Sorts,
    /// The ranges whose bounds depend on parameters, indices or the model.
    pub varying: &'s BTreeSet<SortId>,
    pub relations: &'s [Relation],
    pub vars: &'s [OpenVar],
    pub findings: &'s mut Findings,
    pub model: Option<&'s Vocabulary>,
    /// The variables for what stands behind dots; they come behind the others.
    pub added: Vec<OpenVar>,
    /// Those of them that no formula binds yet.
    pub behind_dots: Vec<BehindDot>,
}

/// A term whose value a relation of the model gives, in the place of which a variable stands.
pub(super) struct BehindDot {
    var: VarId,
    relation: RelId,
    owner: Term,
    span: Span,
}

impl Typing<'_> {
    fn all(&mut self, parts: &[OpenFormula]) -> Checked<Vec<Formula>> {
        let parts = parts.iter().map(|part| self.formula(part)).collect::<Vec<_>>();
        parts.into_iter().collect()
    }

    /// A formula without parts gets what stands behind dots in it: `s.x` is the y with `S.x(s, y)`. Where there is none,
    /// the formula is false, as it is with a number outside of its range.
    pub fn formula(&mut self, formula: &OpenFormula) -> Checked<Formula> {
        let built = self.plain(formula)?;
        if self.behind_dots.is_empty() {
            return Ok(built);
        }
        let given = std::mem::take(&mut self.behind_dots);
        let vars = given.iter().map(|term| term.var).collect();
        let atom = |term: BehindDot| {
            let value = Term {
                kind: TermKind::Var(term.var),
                sort: self.relations[term.relation.index()].columns[1].sort,
            };
            let site = Site { span: term.span, ..Site::default() };
            Formula::Atom(term.relation, vec![term.owner, value], site)
        };
        let parts = given.into_iter().map(atom).chain([built]).collect();
        Ok(Formula::Exists(vars, Box::new(Formula::And(parts))))
    }

    fn plain(&mut self, formula: &OpenFormula) -> Checked<Formula> {
        Ok(match formula {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Holds(term) => {
                let built = self.term(term, None)?;
                if built.sort != Sorts::BOOL {
                    let shown = self.sorts.show(built.sort);
                    let label = with_env(format!("this has sort {shown}"), &term.env);
                    return Err(self.findings.add(
                        Diagnostic::error("fp::not_a_formula", "a formula is needed here")
                            .label(term.span, label)
                            .help(FORMULAS),
                    ));
                }
                Formula::Holds(built)
            }
            Formula::Compare(comparison, left, right, span) => {
                self.comparison(*comparison, left, right, *span)?
            }
            Formula::Atom(relation, args, site) => self.atom(*relation, args, *site)?,
            Formula::Not(inner) => Formula::Not(Box::new(self.formula(inner)?)),
            Formula::And(parts) => Formula::And(self.all(parts)?),
            Formula::Or(parts) => Formula::Or(self.all(parts)?),
            Formula::Implies(left, right) | Formula::Iff(left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                let (left, right) = (Box::new(left?), Box::new(right?));
                match formula {
                    Formula::Iff(..) => Formula::Iff(left, right),
                    _ => Formula::Implies(left, right),
                }
            }
            Formula::Exists(vars, body) | Formula::Forall(vars, body) => {
                let body = self.formula(body)?;
                // Without a sort and without a mistake the variable lost its uses by pruning: sorts are not
                // empty, so it can go.
                let sorted = |var: &VarId| self.vars[var.0 as usize].sort.is_some();
                let vars = vars.iter().copied().filter(sorted).collect::<Vec<_>>();
                match formula {
                    _ if vars.is_empty() => body,
                    Formula::Exists(..) => Formula::Exists(vars, Box::new(body)),
                    _ => Formula::Forall(vars, Box::new(body)),
                }
            }
        })
    }

    fn atom(&mut self, relation: RelId, args: &[OpenTerm], site: Site) -> Checked<Formula> {
        let target = &self.relations[relation.0 as usize];
        let arg = |(arg, column): (&OpenTerm, &Column)| {
            let shown = self.sorts.show(column.sort);
            // A model's columns stand in no file; its `use` does.
            let place = column.span.unwrap_or(target.span);
            let what = format!("`{}` of `{}` has sort {shown}", column.name, target.title());
            self.term(arg, Some(&ExpectedSort { sort: column.sort, origin: Some((place, what)) }))
        };
        let args = args.iter().zip(&target.columns).map(arg).collect::<Vec<_>>();
        Ok(Formula::Atom(relation, args.into_iter().collect::<Checked<_>>()?, site))
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        left: &OpenTerm,
        right: &OpenTerm,
        span: Span,
    ) -> Checked<Formula> {
        // A number takes its sort from the other side.
        let open = |term: &OpenTerm| match term.kind {
            OpenKind::Int(_) | OpenKind::Text(_) => 3,
            OpenKind::Vector(_) => 2,
            OpenKind::Field(..) if self.needs_model(term) => 2,
            OpenKind::Arithmetic(..) => 1,
            _ => 0,
        };
        let left_first = open(left) < open(right) || open(left) == open(right) && open(left) < 2;
        let (first, second) = if left_first { (left, right) } else { (right, left) };
        let own = match (&left.kind, &right.kind) {
            (OpenKind::Arithmetic(..), OpenKind::Arithmetic(..)) => {
                Some(ExpectedSort { sort: self.compared_range(left, right)?, origin: None })
            }
            _ if self.needs_model(first) => self.wanted(comparison, second),
            _ => None,
        };
        let first_built = self.term(first, own.as_ref())?;
        let origin = Some((first.span, format!("this has sort {}", self.sorts.show(first_built.sort))));
        let expected = ExpectedSort { sort: first_built.sort, origin };
        if let Some(decided) = self.decided(comparison, &first_built, (first, second), left_first) {
            return Ok(decided);
        }
        let second_built = self.term(second, Some(&expected))?;
        if comparison != Comparison::Eq
            && !matches!(self.sorts.get(first_built.sort), Sort::Range { .. } | Sort::Enum { .. })
        {
            let shown = self.sorts.show(first_built.sort);
            return Err(self.findings.add(
                Diagnostic::error("fp::no_order", format!("values of sort {shown} have no order"))
                    .label(span, "compared here")
                    .help("only ranges and enums can be compared with < <= > >=; use = or !="),
            ));
        }
        let (left, right) =
            if left_first { (first_built, second_built) } else { (second_built, first_built) };
        Ok(Formula::Compare(comparison, left, right, span))
    }

    pub fn term(&mut self, term: &OpenTerm, expected: Option<&ExpectedSort>) -> Checked<Term> {
        let built = self.part(term, expected)?;
        match expected {
            Some(expected) if expected.sort != built.sort => Err(self.mismatch(term, built.sort, expected)),
            _ => Ok(built),
        }
    }

    fn mismatch(&mut self, term: &OpenTerm, found: SortId, expected: &ExpectedSort) -> Reported {
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
            (Sort::Symbol { .. }, Sort::Symbol { .. }) => {
                format!("two symbol sorts are different, even with equal texts; for one sort with two names write `sort {wanted} = {found_shown};`")
            }
            (Sort::Record { fields, .. }, _) if fields.iter().any(|(_, sort)| *sort == expected.sort) => {
                let field = fields.iter().find(|(_, sort)| *sort == expected.sort).map(|(name, _)| name.clone());
                format!("a field has that sort: `.{}`", field.unwrap_or_default())
            }
            _ => values_help(self.sorts, expected.sort),
        };
        diagnostic = diagnostic.help(help);
        self.findings.add(diagnostic)
    }
}
