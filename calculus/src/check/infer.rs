//! The sorts of quantified variables, from where they are used.
//!
//! Known sorts flow through the formula until nothing changes: from columns to arguments, from one side of a
//! comparison to the other, from a vector to its elements. What is still open then is a mistake.

use super::instantiate::{Raw, RawKind, RawTerm, RawVar};
use super::tree::Relation;
use crate::sort::{Sort, SortId, Sorts};
use crate::span::Span;

pub(super) struct Inference<'a> {
    pub sorts: &'a mut Sorts,
    pub relations: &'a [Relation],
    pub vars: &'a mut Vec<RawVar>,
    changed: bool,
    /// Whether a vector literal settles a sort. Its index range is a guess, so whatever is declared comes first.
    literals: bool,
}

impl<'a> Inference<'a> {
    pub fn run(sorts: &'a mut Sorts, relations: &'a [Relation], vars: &'a mut Vec<RawVar>, formula: &Raw) {
        let mut inference = Inference { sorts, relations, vars, changed: true, literals: false };
        for literals in [false, true] {
            (inference.literals, inference.changed) = (literals, true);
            while std::mem::take(&mut inference.changed) {
                inference.formula(formula);
            }
        }
    }

    fn formula(&mut self, formula: &Raw) {
        match formula {
            Raw::Const(_) => {}
            Raw::Holds(term) => {
                self.expect(term, Sorts::BOOL, None);
                self.visit(term);
            }
            Raw::Compare(_, left, right, _) => {
                if let Some(sort) = self.known(left) {
                    self.expect(right, sort, Some(left.span));
                }
                if let Some(sort) = self.known(right) {
                    self.expect(left, sort, Some(right.span));
                }
                self.visit(left);
                self.visit(right);
            }
            Raw::Atom(relation, args, _) => {
                let relations = self.relations;
                for (arg, column) in args.iter().zip(&relations[relation.0 as usize].columns) {
                    self.expect(arg, column.sort, column.span);
                    self.visit(arg);
                }
            }
            Raw::Not(inner) | Raw::Quantified(_, _, inner) => self.formula(inner),
            Raw::And(parts) | Raw::Or(parts) => parts.iter().for_each(|part| self.formula(part)),
            Raw::Implies(left, right) | Raw::Iff(left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    /// Lets what is known of a term flow into its parts.
    fn visit(&mut self, term: &RawTerm) {
        if let Some(sort) = self.known(term) {
            self.expect(term, sort, None);
        }
        match &term.kind {
            RawKind::Field(base, _) | RawKind::Index(base, _) | RawKind::Slice(base, ..) => self.visit(base),
            RawKind::Update(base, _, value) => {
                self.visit(base);
                self.visit(value);
            }
            RawKind::With(base, fields) => {
                self.visit(base);
                fields.iter().for_each(|(_, value)| self.visit(value));
            }
            RawKind::Record(_, fields) => fields.iter().for_each(|(_, value)| self.visit(value)),
            RawKind::Vector(parts) => parts.iter().for_each(|part| self.visit(part)),
            RawKind::Concat(left, right) => {
                self.visit(left);
                self.visit(right);
            }
            RawKind::Shift(base, _) => self.visit(base),
            RawKind::Var(_) | RawKind::Int(_) | RawKind::Bool(_) | RawKind::Enum(..) => {}
        }
    }

    fn vector(&mut self, sort: SortId) -> Option<(SortId, i64, i64)> {
        match self.sorts.get(sort) {
            Sort::Vector { element, lo, hi } => Some((*element, *lo, *hi)),
            _ => None,
        }
    }

    pub fn field(sorts: &Sorts, record: SortId, name: &str) -> Option<(usize, SortId)> {
        let Sort::Record { fields, .. } = sorts.get(record) else { return None };
        fields.iter().enumerate().find(|(_, (field, _))| &**field == name).map(|(at, (_, sort))| (at, *sort))
    }

    /// The sort of a term, as far as it is settled by now.
    fn known(&mut self, term: &RawTerm) -> Option<SortId> {
        match &term.kind {
            RawKind::Var(var) => self.vars[var.0 as usize].sort,
            RawKind::Int(_) => None,
            RawKind::Bool(_) => Some(Sorts::BOOL),
            RawKind::Enum(sort, _) | RawKind::Record(sort, _) => Some(*sort),
            RawKind::Field(base, name) => {
                let base = self.known(base)?;
                Self::field(self.sorts, base, &name.name).map(|(_, sort)| sort)
            }
            RawKind::Index(base, _) => {
                let base = self.known(base)?;
                self.vector(base).map(|(element, ..)| element)
            }
            RawKind::Slice(base, lo, hi) => {
                let base = self.known(base)?;
                let (element, first, last) = self.vector(base)?;
                let (lo, hi) = (lo.unwrap_or(first), hi.unwrap_or(last));
                (first <= lo && hi <= last && lo <= hi.saturating_add(1))
                    .then(|| self.sorts.intern(Sort::Vector { element, lo, hi }))
            }
            RawKind::Update(base, ..) | RawKind::With(base, _) | RawKind::Shift(base, _) => self.known(base),
            RawKind::Vector(_) if !self.literals => None,
            RawKind::Vector(parts) => {
                let element = parts.iter().find_map(|part| self.known(part))?;
                Some(self.sorts.intern(Sort::Vector { element, lo: 1, hi: parts.len() as i64 }))
            }
            RawKind::Concat(left, right) => {
                let (left, right) = (self.known(left)?, self.known(right)?);
                let (element, lo, hi) = self.vector(left)?;
                let (_, from, to) = self.vector(right)?;
                Some(self.sorts.intern(Sort::Vector { element, lo, hi: hi + (to - from + 1) }))
            }
        }
    }

    /// A term that must have this sort.
    fn expect(&mut self, term: &RawTerm, sort: SortId, origin: Option<Span>) {
        match &term.kind {
            RawKind::Var(var) => {
                let var = &mut self.vars[var.0 as usize];
                if var.sort.is_none() {
                    (var.sort, var.origin, self.changed) = (Some(sort), origin, true);
                }
            }
            RawKind::Update(base, _, value) => {
                self.expect(base, sort, origin);
                if let Some((element, ..)) = self.vector(sort) {
                    self.expect(value, element, origin);
                }
            }
            RawKind::With(base, fields) => {
                self.expect(base, sort, origin);
                self.expect_fields(fields, sort, origin);
            }
            RawKind::Record(_, fields) => self.expect_fields(fields, sort, origin),
            RawKind::Vector(parts) => {
                if let Some((element, ..)) = self.vector(sort) {
                    parts.iter().for_each(|part| self.expect(part, element, origin));
                }
            }
            RawKind::Concat(left, right) => self.expect_concat(left, right, sort, origin),
            RawKind::Shift(base, _) => self.expect(base, sort, origin),
            RawKind::Int(_)
            | RawKind::Bool(_)
            | RawKind::Enum(..)
            | RawKind::Field(..)
            | RawKind::Index(..)
            | RawKind::Slice(..) => {}
        }
    }

    fn expect_fields(
        &mut self,
        fields: &[(crate::syntax::ast::Ident, RawTerm)],
        record: SortId,
        origin: Option<Span>,
    ) {
        for (name, value) in fields {
            if let Some((_, sort)) = Self::field(self.sorts, record, &name.name) {
                self.expect(value, sort, origin);
            }
        }
    }

    /// The length of one side settles the other side.
    fn expect_concat(&mut self, left: &RawTerm, right: &RawTerm, sort: SortId, origin: Option<Span>) {
        let Some((element, lo, hi)) = self.vector(sort) else { return };
        if let Some(length) = self.length(right) {
            let hi = hi - length;
            if hi >= lo - 1 {
                let left_sort = self.sorts.intern(Sort::Vector { element, lo, hi });
                self.expect(left, left_sort, origin);
            }
        }
        if let Some(length) = self.length(left) {
            let lo = lo + length;
            if hi >= lo - 1 {
                let right_sort = self.sorts.intern(Sort::Vector { element, lo, hi });
                self.expect(right, right_sort, origin);
            }
        }
    }

    fn length(&mut self, term: &RawTerm) -> Option<i64> {
        if let RawKind::Vector(parts) = &term.kind {
            return Some(parts.len() as i64);
        }
        let sort = self.known(term)?;
        self.vector(sort).map(|(_, lo, hi)| hi - lo + 1)
    }
}
