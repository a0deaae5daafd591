//! Records and vectors, and what they are made of.

use super::super::findings::Checked;
use super::super::instantiate::{OpenKind, OpenTerm};
use super::super::tree::{Term, TermKind};
use super::super::words::values_help;
use super::{ExpectedSort, Typing};
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, SortId};
use crate::span::Span;
use crate::syntax::ast::Ident;

impl Typing<'_> {
    pub fn fields(&mut self, record: SortId, fields: &[(Ident, OpenTerm)]) -> Checked<Vec<(usize, Term)>> {
        let mut out: Vec<(usize, Term)> = Vec::new();
        for (name, value) in fields {
            let (at, sort) = self.field_of(record, name)?;
            if let Some(first) = out.iter().position(|(other, _)| *other == at) {
                return Err(self.findings.add(
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
            out.push((at, self.term(value, Some(&ExpectedSort { sort, origin }))?));
        }
        Ok(out)
    }

    pub fn record(&mut self, span: Span, sort: SortId, fields: &[(Ident, OpenTerm)]) -> Checked<Term> {
        let mut built = self.fields(sort, fields)?;
        let Sort::Record { fields: declared, .. } = self.sorts.get(sort) else {
            let shown = self.sorts.show(sort);
            return Err(self.findings.add(
                Diagnostic::error("fp::not_a_record", format!("{shown} is not a record"))
                    .label(span, "written as one")
                    .help(values_help(self.sorts, sort)),
            ));
        };
        let missing = declared
            .iter()
            .enumerate()
            .filter(|(at, _)| !built.iter().any(|(other, _)| other == at))
            .map(|(_, (name, _))| name.to_string())
            .collect::<Vec<_>>();
        if !missing.is_empty() {
            return Err(self.findings.add(
                Diagnostic::error("fp::missing_field", format!("fields are missing: {}", missing.join(", ")))
                    .label(span, "in this record")
                    .help("to change some fields of a record, write { r with f = x }"),
            ));
        }
        built.sort_by_key(|(at, _)| *at);
        Ok(Term { kind: TermKind::Record(built.into_iter().map(|(_, term)| term).collect()), sort })
    }

    pub fn vector(
        &mut self,
        span: Span,
        parts: &[OpenTerm],
        expected: Option<&ExpectedSort>,
    ) -> Checked<Term> {
        let wanted = expected.and_then(|expected| match self.sorts.get(expected.sort) {
            Sort::Vector { element, lo, .. } => Some((*element, *lo, expected.origin.clone())),
            _ => None,
        });
        let (element, lo, origin) = match wanted {
            Some(wanted) => wanted,
            None => {
                let settled = |part: &&OpenTerm| !matches!(part.kind, OpenKind::Int(_));
                let plain =
                    |part: &&OpenTerm| settled(part) && !matches!(part.kind, OpenKind::Arithmetic(..));
                let Some(first) = parts.iter().find(plain).or(parts.iter().find(settled)) else {
                    return Err(self.findings.add(
                        Diagnostic::error("fp::open_sort", "the sort of this vector's elements is not known")
                            .label(span, "nothing determines their sort")
                            .help("compare it with a variable, or use it as an argument"),
                    ));
                };
                (self.term(first, None)?.sort, 1, None)
            }
        };
        let expected = ExpectedSort { sort: element, origin };
        let parts = parts.iter().map(|part| self.term(part, Some(&expected))).collect::<Vec<_>>();
        let parts = parts.into_iter().collect::<Checked<Vec<_>>>()?;
        let sort = self.sorts.intern(Sort::Vector { element, lo, hi: lo + parts.len() as i64 - 1 });
        Ok(Term { kind: TermKind::Vector(parts), sort })
    }

    pub fn concat(
        &mut self,
        left: &OpenTerm,
        right: &OpenTerm,
        expected: Option<&ExpectedSort>,
    ) -> Checked<Term> {
        // A literal on either side takes the element sort of the expected vector, or of the other side.
        let hint = |sort: SortId, origin: Option<(Span, String)>| Some(ExpectedSort { sort, origin });
        let wanted =
            expected.filter(|expected| matches!(self.sorts.get(expected.sort), Sort::Vector { .. })).cloned();
        let literal = |term: &OpenTerm| matches!(term.kind, OpenKind::Vector(_));
        let (left_term, right_term) = if literal(left) {
            let right_term = self.term(right, None)?;
            let sort = right_term.sort;
            self.vector_of(sort, right.span)?;
            (self.part(left, wanted.or_else(|| hint(sort, None)).as_ref())?, right_term)
        } else {
            let left_term = self.term(left, None)?;
            let sort = left_term.sort;
            self.vector_of(sort, left.span)?;
            let expected = if literal(right) { hint(sort, None) } else { None };
            (left_term, self.part(right, expected.as_ref())?)
        };
        let (element, lo, hi) = self.vector_of(left_term.sort, left.span)?;
        let (other, from, to) = self.vector_of(right_term.sort, right.span)?;
        if element != other {
            let origin = Some((left.span, format!("this is {}", self.sorts.show(left_term.sort))));
            return Err(self.mismatch(
                right,
                right_term.sort,
                &ExpectedSort { sort: left_term.sort, origin },
            ));
        }
        let sort = self.sorts.intern(Sort::Vector { element, lo, hi: hi + (to - from + 1) });
        Ok(Term { kind: TermKind::Concat(Box::new(left_term), Box::new(right_term)), sort })
    }
}
