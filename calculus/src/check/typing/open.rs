//! Fields whose sort only a model knows, in a file that is checked without one: they are of the sort that their place wants.

use super::super::instantiate::{OpenKind, OpenTerm};
use super::super::tree::Comparison;
use super::infer::{field, is_open, offered_field};
use super::{ExpectedSort, Typing};
use crate::sort::{Sort, SortId};

impl Typing<'_> {
    /// Whether the term is such a field.
    pub(super) fn needs_model(&self, term: &OpenTerm) -> bool {
        let OpenKind::Field(base, name) = &term.kind else { return false };
        let Some(base) = self.settled(base) else { return false };
        let offered = offered_field(self.sorts, self.relations, base, &name.name);
        field(self.sorts, base, &name.name).is_none()
            && offered.is_some_and(|(_, sort)| is_open(self.sorts, sort))
    }

    /// The sort of what stands before a dot.
    fn settled(&self, term: &OpenTerm) -> Option<SortId> {
        match &term.kind {
            OpenKind::Var(var) => self.vars.get(var.0 as usize)?.sort,
            OpenKind::Field(base, name) => {
                field(self.sorts, self.settled(base)?, &name.name).map(|(_, sort)| sort)
            }
            OpenKind::Index(base, _) => match self.sorts.get(self.settled(base)?) {
                Sort::Vector { element, .. } => Some(*element),
                _ => None,
            },
            OpenKind::Update(base, ..) | OpenKind::With(base, _) => self.settled(base),
            _ => None,
        }
    }

    /// What such a field is compared with: a number, a text, or anything else.
    pub(super) fn wanted(&mut self, comparison: Comparison, other: &OpenTerm) -> Option<ExpectedSort> {
        let mut symbols =
            self.sorts.ids().filter(|sort| matches!(self.sorts.get(*sort), Sort::Symbol { .. }));
        let sort = match other.kind {
            OpenKind::Text(_) => symbols.find(|sort| !self.sorts.has_complete_texts(*sort))?,
            OpenKind::Int(_) => self.any_number(),
            _ if comparison != Comparison::Eq => self.any_number(),
            _ => return None,
        };
        Some(ExpectedSort { sort, origin: None })
    }

    /// A range for numbers that nothing is known about.
    pub(super) fn any_number(&mut self) -> SortId {
        self.sorts.intern(Sort::Range { name: None, lo: -(1 << 40), hi: 1 << 40 })
    }
}
