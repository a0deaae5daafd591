//! The sorts of quantified variables, from where they are used.
//!
//! Known sorts flow through the formula until nothing changes: from columns to arguments, from one side of a
//! comparison to the other, from a vector to its elements. What is still open then is a mistake.

use super::super::instantiate::{OpenFormula, OpenKind, OpenTerm, OpenVar};
use super::super::tree::{Body, Formula, RelId, Relation};
use crate::sort::{Sort, SortId, Sorts};
use crate::span::Span;
use crate::syntax::ast::Ident;
use crate::vocabulary::OPEN_SORT;

/// Settles the sorts of the variables of a formula, as far as it says what they are.
pub(in crate::check) fn infer(
    formula: &OpenFormula,
    vars: &mut [OpenVar],
    relations: &[Relation],
    sorts: &mut Sorts,
) {
    let mut inference = Inference { sorts, relations, vars, changed: true, guess: Guess::Nothing };
    for guess in [Guess::Nothing, Guess::Numbers, Guess::Literals] {
        (inference.guess, inference.changed) = (guess, true);
        while std::mem::take(&mut inference.changed) {
            inference.formula(formula);
        }
    }
}

struct Inference<'a> {
    sorts: &'a mut Sorts,
    relations: &'a [Relation],
    vars: &'a mut [OpenVar],
    changed: bool,
    guess: Guess,
}

/// What may settle a sort although it only suggests it. Whatever is declared comes first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Guess {
    Nothing,
    /// What a number is computed from may be of other ranges than the number.
    Numbers,
    /// The index range of a vector literal is open too.
    Literals,
}

impl Inference<'_> {
    fn formula(&mut self, formula: &OpenFormula) {
        match formula {
            Formula::Const(_) => {}
            Formula::Holds(term) => {
                self.expect(term, Sorts::BOOL, None);
                self.visit(term);
            }
            Formula::Compare(_, left, right, _) => {
                if let Some(sort) = self.known(left) {
                    self.expect(right, sort, Some(left.span));
                }
                if let Some(sort) = self.known(right) {
                    self.expect(left, sort, Some(right.span));
                }
                self.visit(left);
                self.visit(right);
            }
            Formula::Atom(relation, args, _) => {
                let relations = self.relations;
                for (arg, column) in args.iter().zip(&relations[relation.0 as usize].columns) {
                    self.expect(arg, column.sort, column.span);
                    self.visit(arg);
                }
            }
            Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => {
                self.formula(inner)
            }
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| self.formula(part)),
            Formula::Implies(left, right) | Formula::Iff(left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    /// Lets what is known of a term flow into its parts.
    fn visit(&mut self, term: &OpenTerm) {
        if let Some(sort) = self.known(term) {
            self.expect(term, sort, None);
        }
        match &term.kind {
            OpenKind::Field(base, _) | OpenKind::Index(base, _) | OpenKind::Slice(base, ..) => {
                self.visit(base)
            }
            OpenKind::Update(base, _, value) => {
                self.visit(base);
                self.visit(value);
            }
            OpenKind::With(base, fields) => {
                self.visit(base);
                fields.iter().for_each(|(_, value)| self.visit(value));
            }
            OpenKind::Record(_, fields) => fields.iter().for_each(|(_, value)| self.visit(value)),
            OpenKind::Vector(parts) => parts.iter().for_each(|part| self.visit(part)),
            OpenKind::Concat(left, right) => {
                self.visit(left);
                self.visit(right);
            }
            OpenKind::Arithmetic(_, parts) => parts.iter().for_each(|part| self.visit(part)),
            OpenKind::Var(_)
            | OpenKind::Int(_)
            | OpenKind::Bool(_)
            | OpenKind::Text(_)
            | OpenKind::Enum(..) => {}
        }
    }

    fn vector(&mut self, sort: SortId) -> Option<(SortId, i64, i64)> {
        match self.sorts.get(sort) {
            Sort::Vector { element, lo, hi } => Some((*element, *lo, *hi)),
            _ => None,
        }
    }

    /// The sort of a term, as far as it is settled by now.
    fn known(&mut self, term: &OpenTerm) -> Option<SortId> {
        match &term.kind {
            OpenKind::Var(var) => self.vars[var.0 as usize].sort,
            OpenKind::Int(_) | OpenKind::Text(_) => None,
            OpenKind::Bool(_) => Some(Sorts::BOOL),
            OpenKind::Enum(sort, _) | OpenKind::Record(sort, _) => Some(*sort),
            OpenKind::Field(base, name) => {
                let base = self.known(base)?;
                let own = field(self.sorts, base, &name.name).map(|(_, sort)| sort);
                let sort =
                    own.or_else(|| Some(offered_field(self.sorts, self.relations, base, &name.name)?.1))?;
                match (is_open(self.sorts, sort), self.guess) {
                    (false, _) => Some(sort),
                    (true, Guess::Literals) => Some(Sorts::BOOL),
                    (true, _) => None,
                }
            }
            OpenKind::Index(base, _) => {
                let base = self.known(base)?;
                self.vector(base).map(|(element, ..)| element)
            }
            OpenKind::Slice(base, lo, hi) => {
                let base = self.known(base)?;
                let (element, first, last) = self.vector(base)?;
                let (lo, hi) = (lo.unwrap_or(first), hi.unwrap_or(last));
                (first <= lo && hi <= last && lo <= hi.saturating_add(1))
                    .then(|| self.sorts.intern(Sort::Vector { element, lo, hi }))
            }
            OpenKind::Update(base, ..) | OpenKind::With(base, _) => self.known(base),
            OpenKind::Arithmetic(..) if self.guess < Guess::Numbers => None,
            OpenKind::Arithmetic(_, parts) => {
                let [left, right] = [&parts[0], &parts[1]].map(|part| self.known(part));
                match (left, right) {
                    (Some(left), Some(right)) => common(self.sorts, [left, right]),
                    (left, right) => left.or(right),
                }
            }
            OpenKind::Vector(_) if self.guess < Guess::Literals => None,
            OpenKind::Vector(parts) => {
                let element = parts.iter().find_map(|part| self.known(part))?;
                Some(self.sorts.intern(Sort::Vector { element, lo: 1, hi: parts.len() as i64 }))
            }
            OpenKind::Concat(left, right) => {
                let (left, right) = (self.known(left)?, self.known(right)?);
                let (element, lo, hi) = self.vector(left)?;
                let (_, from, to) = self.vector(right)?;
                Some(self.sorts.intern(Sort::Vector { element, lo, hi: hi + (to - from + 1) }))
            }
        }
    }

    /// A term that must have this sort.
    fn expect(&mut self, term: &OpenTerm, sort: SortId, origin: Option<Span>) {
        match &term.kind {
            OpenKind::Var(var) => {
                let var = &mut self.vars[var.0 as usize];
                if var.sort.is_none() {
                    (var.sort, var.origin, self.changed) = (Some(sort), origin, true);
                }
            }
            OpenKind::Update(base, _, value) => {
                self.expect(base, sort, origin);
                if let Some((element, ..)) = self.vector(sort) {
                    self.expect(value, element, origin);
                }
            }
            OpenKind::With(base, fields) => {
                self.expect(base, sort, origin);
                self.expect_fields(fields, sort, origin);
            }
            OpenKind::Record(_, fields) => self.expect_fields(fields, sort, origin),
            OpenKind::Vector(parts) => {
                if let Some((element, ..)) = self.vector(sort) {
                    parts.iter().for_each(|part| self.expect(part, element, origin));
                }
            }
            OpenKind::Concat(left, right) => self.expect_concat(left, right, sort, origin),
            OpenKind::Arithmetic(_, parts) => {
                if self.guess >= Guess::Numbers {
                    parts.iter().for_each(|part| self.expect(part, sort, origin));
                }
            }
            OpenKind::Int(_)
            | OpenKind::Bool(_)
            | OpenKind::Text(_)
            | OpenKind::Enum(..)
            | OpenKind::Field(..)
            | OpenKind::Index(..)
            | OpenKind::Slice(..) => {}
        }
    }

    fn expect_fields(&mut self, fields: &[(Ident, OpenTerm)], record: SortId, origin: Option<Span>) {
        for (name, value) in fields {
            if let Some((_, sort)) = field(self.sorts, record, &name.name) {
                self.expect(value, sort, origin);
            }
        }
    }

    /// The length of one side settles the other side.
    fn expect_concat(&mut self, left: &OpenTerm, right: &OpenTerm, sort: SortId, origin: Option<Span>) {
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

    fn length(&mut self, term: &OpenTerm) -> Option<i64> {
        if let OpenKind::Vector(parts) = &term.kind {
            return Some(parts.len() as i64);
        }
        let sort = self.known(term)?;
        self.vector(sort).map(|(_, lo, hi)| hi - lo + 1)
    }
}

/// The range that numbers computed from values of these are of, where nothing else says it: the named one, or the one
/// that is the only one.
pub(super) fn common(sorts: &Sorts, ranges: impl IntoIterator<Item = SortId>) -> Option<SortId> {
    let named = |sort: SortId| matches!(sorts.get(sort), Sort::Range { name: Some(_), .. });
    let ranges = ranges.into_iter().collect::<Vec<_>>();
    let of = match ranges.iter().copied().find(|sort| named(*sort)) {
        Some(name) => return ranges.iter().all(|sort| *sort == name || !named(*sort)).then_some(name),
        None => *ranges.first()?,
    };
    ranges.iter().all(|sort| *sort == of).then_some(of)
}

/// The position and the sort of a field.
pub(super) fn field(sorts: &Sorts, record: SortId, name: &str) -> Option<(usize, SortId)> {
    let Sort::Record { fields, .. } = sorts.get(record) else { return None };
    fields.iter().enumerate().find(|(_, (field, _))| &**field == name).map(|(at, (_, sort))| (at, *sort))
}

/// Whether only a model knows what the values are, and there is none.
pub(super) fn is_open(sorts: &Sorts, sort: SortId) -> bool {
    matches!(sorts.get(sort), Sort::Opaque { name, .. } if **name == *OPEN_SORT)
}

/// The relation by which the model gives a value of a sort what stands behind a dot, and the sort of that.
pub(super) fn offered_field(
    sorts: &Sorts,
    relations: &[Relation],
    base: SortId,
    name: &str,
) -> Option<(RelId, SortId)> {
    let (Sort::Opaque { name: of, .. } | Sort::Record { name: of, .. }) = sorts.get(base) else {
        return None;
    };
    let is_field = |relation: &Relation| {
        let behind = relation.name.strip_prefix(&**of).and_then(|rest| rest.strip_prefix('.'));
        behind == Some(name) && matches!(relation.body, Body::Model(_))
    };
    let at = relations.iter().position(is_field)?;
    let [owner, value] = &relations[at].columns[..] else { return None };
    (owner.sort == base).then_some((RelId(at as u32), value.sort))
}
