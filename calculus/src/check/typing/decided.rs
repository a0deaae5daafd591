//! Comparisons with a static number that the range decides: in `range P = 1..n`, `p > 0` always holds.
//!
//! That is no mistake: in instances of families, and for some parameters, it happens by itself. Where the numbers are written in
//! the text, there is a warning.

use super::super::instantiate::{OpenKind, OpenTerm};
use super::super::tree::{Comparison, Formula, Term, TermKind};
use super::Typing;
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, Value};

impl Typing<'_> {
    /// What `term` compared with a number outside its range is. `term_first`: the term stands on the left.
    pub(super) fn decided(
        &mut self,
        comparison: Comparison,
        term: &Term,
        (side, number): (&OpenTerm, &OpenTerm),
        term_first: bool,
    ) -> Option<Formula> {
        let (&OpenKind::Int(value), &Sort::Range { lo, hi, .. }) = (&number.kind, self.sorts.get(term.sort))
        else {
            return None;
        };
        let holds = |of: i64| {
            let (left, right) = if term_first { (of, value) } else { (value, of) };
            match comparison {
                Comparison::Eq => left == right,
                Comparison::Lt => left < right,
                Comparison::Le => left <= right,
            }
        };
        let inside = lo <= value && value <= hi;
        // Beyond its range a number has no value, which is easily forgotten: `x + y > 9` in 0..9.
        let is_never = comparison != Comparison::Eq && !holds(lo) && !holds(hi);
        if inside && (is_total(term) || !is_never) {
            return None;
        }
        let holds = holds(lo);
        if number.is_literal && !self.varying.contains(&term.sort) {
            self.warn_decided(term, (side, number), value, holds);
        }
        Some(match holds {
            false => Formula::Const(false),
            true if is_total(term) => Formula::Const(true),
            // It holds wherever the term has a value.
            true => {
                let last = Term { kind: TermKind::Const(Value::Int(hi)), sort: term.sort };
                Formula::Compare(Comparison::Le, term.clone(), last, side.span)
            }
        })
    }

    fn warn_decided(&mut self, term: &Term, (side, number): (&OpenTerm, &OpenTerm), value: i64, holds: bool) {
        let shown = self.sorts.show(term.sort);
        let title = match holds {
            true if is_total(term) => "the comparison always holds",
            true => "the comparison holds wherever its number has a value",
            false => "the comparison never holds",
        };
        let range = match self.sorts.get(term.sort) {
            Sort::Range { name: Some(_), lo, hi, .. } => format!("this has sort {shown}, {lo}..{hi}"),
            _ => format!("this has sort {shown}"),
        };
        let help = match is_total(term) {
            true => "compare with a value of the range, or leave the comparison out",
            false => {
                "a number has no value outside its range; for a wider one write `exists z: 0..99. z = x + y & …`"
            }
        };
        self.findings.add(
            Diagnostic::warning("fp::decided", title)
                .label(number.span, format!("this is {value}"))
                .label(side.span, range)
                .help(help),
        );
    }
}

/// Whether a term always has a value: nothing is computed in it.
fn is_total(term: &Term) -> bool {
    match &term.kind {
        TermKind::Var(_) | TermKind::Const(_) => true,
        TermKind::Field(base, _) | TermKind::Element(base, _) | TermKind::Slice(base, ..) => is_total(base),
        TermKind::Concat(left, right) => is_total(left) && is_total(right),
        TermKind::With(base, changes) => is_total(base) && changes.iter().all(|(_, value)| is_total(value)),
        TermKind::Record(parts) | TermKind::Vector(parts) => parts.iter().all(is_total),
        TermKind::Number(_) => false,
    }
}
