//! Numbers that are computed: `x + y`, `x % 4`, `min(x, y)`.
//!
//! A number is of the range of its place: of the column that it is an argument of, of the other side of a comparison. Where
//! that side is a number too, both are of the range that their values have in common.

use super::super::findings::{Checked, Reported};
use super::super::instantiate::{OpenKind, OpenTerm};
use super::super::number::Number;
use super::super::tree::{Term, TermKind};
use super::super::words::with_env;
use super::infer::common;
use super::{ExpectedSort, Typing};
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, SortId};
use crate::span::Span;

/// The ranges of the values in a number, each with its place.
type Ranges = Vec<(SortId, Span)>;

impl Typing<'_> {
    pub fn number(&mut self, term: &OpenTerm, expected: Option<&ExpectedSort>) -> Checked<Term> {
        let mut ranges = Ranges::new();
        let number = self.parts(term, &mut ranges)?;
        let sort = match expected {
            Some(expected) if self.is_range(expected.sort) => expected.sort,
            Some(expected) => {
                let found = ranges.first().map_or_else(|| self.any_number(), |(range, _)| *range);
                return Err(self.mismatch(term, found, expected));
            }
            None => self.own_range(&ranges)?,
        };
        let shared = |one: SortId| self.is_named(one) && self.is_named(sort) && one != sort;
        if let Some(&(other, place)) = ranges.iter().find(|(one, _)| shared(*one)) {
            let first = ranges.iter().find(|(one, _)| *one == sort).map(|(_, place)| *place);
            let origin = expected.and_then(|expected| expected.origin.clone());
            let shown = format!("this has sort {}", self.sorts.show(sort));
            return Err(self.two_names((other, place), sort, origin.or(first.map(|first| (first, shown)))));
        }
        let bounds = |part: &Term| match self.sorts.get(part.sort) {
            Sort::Range { lo, hi, .. } => (i128::from(*lo), i128::from(*hi)),
            _ => unreachable!("only ranges have arithmetic"),
        };
        if number.bounds(&bounds).is_none() {
            return Err(self.findings.add(
                Diagnostic::error("fp::static_arithmetic", "the number can become too large to be computed")
                    .label(term.span, with_env("beyond 2^100".into(), &term.env))
                    .help("multiply by smaller numbers, or make the ranges smaller"),
            ));
        }
        Ok(Term { kind: TermKind::Number(Box::new(number)), sort })
    }

    /// The range that two numbers are compared in.
    pub fn compared_range(&mut self, left: &OpenTerm, right: &OpenTerm) -> Checked<SortId> {
        let mut ranges = Ranges::new();
        self.parts(left, &mut ranges)?;
        self.parts(right, &mut ranges)?;
        self.own_range(&ranges)
    }

    fn parts(&mut self, term: &OpenTerm, ranges: &mut Ranges) -> Checked<Number<Term>> {
        match &term.kind {
            OpenKind::Int(value) => Ok(Number::Static(i128::from(*value))),
            OpenKind::Arithmetic(op, parts) => {
                let (left, right) = (self.parts(&parts[0], ranges), self.parts(&parts[1], ranges));
                Ok(Number::Apply(*op, Box::new([left?, right?])))
            }
            _ if self.needs_model(term) => {
                let expected = ExpectedSort { sort: self.any_number(), origin: None };
                Ok(Number::Of(self.term(term, Some(&expected))?))
            }
            _ => {
                let built = self.term(term, None)?;
                if !self.is_range(built.sort) {
                    let shown = self.sorts.show(built.sort);
                    let title = format!("nothing can be computed of a value of sort {shown}");
                    return Err(self.findings.add(
                        Diagnostic::error("fp::no_arithmetic", title)
                            .label(term.span, format!("this has sort {shown}"))
                            .help("only ranges have + - * / % min max"),
                    ));
                }
                ranges.push((built.sort, term.span));
                Ok(Number::Of(built))
            }
        }
    }

    fn own_range(&mut self, ranges: &Ranges) -> Checked<SortId> {
        if ranges.is_empty() {
            return Ok(self.any_number());
        }
        if let Some(range) = common(self.sorts, ranges.iter().map(|(range, _)| *range)) {
            return Ok(range);
        }
        let named = ranges.iter().filter(|(range, _)| self.is_named(*range)).copied().collect::<Vec<_>>();
        if let Some(&(first, place)) = named.first() {
            let other = named.iter().find(|(range, _)| *range != first).copied().unwrap_or(named[0]);
            let shown = format!("this has sort {}", self.sorts.show(first));
            return Err(self.two_names(other, first, Some((place, shown))));
        }
        let title = "the range of this number is open: it is computed of different ones";
        let mut diagnostic = Diagnostic::error("fp::open_sort", title);
        let mut seen = Vec::new();
        for &(range, place) in ranges {
            if !seen.contains(&range) {
                seen.push(range);
                diagnostic = diagnostic.label(place, format!("this has sort {}", self.sorts.show(range)));
            }
        }
        Err(self.findings.add(diagnostic.help("name it: `exists z: 0..9. z = x + y & …`")))
    }

    fn two_names(
        &mut self,
        (found, place): (SortId, Span),
        wanted: SortId,
        origin: Option<(Span, String)>,
    ) -> Reported {
        let (found, wanted) = (self.sorts.show(found), self.sorts.show(wanted));
        let title = format!("a number is computed of {found} and {wanted}");
        let mut diagnostic = Diagnostic::error("fp::sort_mismatch", title)
            .label(place, format!("this has sort {found}"))
            .help("two named ranges do not mix; a range that is written in place goes with any other");
        if let Some((place, text)) = origin {
            diagnostic = diagnostic.label(place, text);
        }
        self.findings.add(diagnostic)
    }

    pub fn is_range(&self, sort: SortId) -> bool {
        matches!(self.sorts.get(sort), Sort::Range { .. })
    }

    fn is_named(&self, sort: SortId) -> bool {
        matches!(self.sorts.get(sort), Sort::Range { name: Some(_), .. })
    }
}
