//! Terms as lists of scalar operands.

use super::core::{Arg, Constraint, Operand, Scalar, Summand};
use super::scalars;
use crate::check::number::Number;
use crate::check::tree::{Term, TermKind, Var};
use crate::sort::{Sort, SortId, Sorts, Value};

/// Where the scalar leaves of each variable of an instance begin, in one numbering.
pub(crate) struct Leaves {
    first: Vec<usize>,
    pub scalars: Vec<Scalar>,
}

impl Leaves {
    pub fn new(sorts: &Sorts, vars: &[Var]) -> Self {
        let mut out = Leaves { first: Vec::new(), scalars: Vec::new() };
        for var in vars {
            out.first.push(out.scalars.len());
            out.scalars.extend(scalars(sorts, var.sort));
        }
        out
    }

    pub fn of(&self, var: usize, count: usize) -> std::ops::Range<usize> {
        self.first[var]..self.first[var] + count
    }

    /// A variable of the core only.
    pub fn fresh(&mut self, sort: SortId) -> usize {
        self.scalars.push(Scalar { sort, ordinal: 0 });
        self.scalars.len() - 1
    }
}

/// The scalar operands of a term. `defined` collects what must have a value for the term to have one, also
/// where the part itself is dropped (`{ r with f = x + 1 }.g`).
pub(crate) fn flatten(
    sorts: &Sorts,
    leaves: &Leaves,
    term: &Term,
    defined: &mut Vec<Constraint>,
) -> Vec<Operand> {
    match &term.kind {
        TermKind::Var(var) => leaves
            .of(var.0 as usize, sorts.leaf_count(term.sort))
            .map(|leaf| Operand::plain(Arg::Var(leaf), leaves.scalars[leaf].sort))
            .collect(),
        TermKind::Const(value) => {
            let mut scalars: Vec<Value> = Vec::new();
            Sorts::flatten(value, &mut scalars);
            let of = sorts.leaves(term.sort);
            scalars.into_iter().zip(of).map(|(value, sort)| Operand::plain(Arg::Const(value), sort)).collect()
        }
        TermKind::Field(base, at) => {
            let operands = flatten(sorts, leaves, base, defined);
            let (from, count) = part(sorts, base.sort, *at);
            operands[from..from + count].to_vec()
        }
        TermKind::Element(base, at) => {
            let operands = flatten(sorts, leaves, base, defined);
            let count = sorts.leaf_count(term.sort);
            operands[at * count..(at + 1) * count].to_vec()
        }
        TermKind::Slice(base, first, length) => {
            let operands = flatten(sorts, leaves, base, defined);
            let Sort::Vector { element, .. } = sorts.get(base.sort) else {
                unreachable!("a checked slice is of a vector")
            };
            let count = sorts.leaf_count(*element);
            operands[first * count..(first + length) * count].to_vec()
        }
        TermKind::Concat(left, right) => {
            let mut operands = flatten(sorts, leaves, left, defined);
            operands.extend(flatten(sorts, leaves, right, defined));
            operands
        }
        TermKind::With(base, changes) => {
            let mut operands = flatten(sorts, leaves, base, defined);
            for (at, value) in changes {
                let value = flatten(sorts, leaves, value, defined);
                let (from, _) = part(sorts, base.sort, *at);
                operands[from..from + value.len()].clone_from_slice(&value);
            }
            operands
        }
        TermKind::Record(parts) | TermKind::Vector(parts) => {
            parts.iter().flat_map(|part| flatten(sorts, leaves, part, defined)).collect()
        }
        TermKind::Number(number) => {
            // A value in it may be a part of a term with other numbers: `[x + 1, y][1] + 1`.
            let number = number.map(&mut |part| flatten(sorts, leaves, part, defined).swap_remove(0).number);
            let number = splice(&number);
            let operand = Operand { number, sort: term.sort };
            if operand.as_arg().is_none() {
                defined.push(Constraint::Defined(operand.clone()));
            }
            vec![operand]
        }
    }
}

/// A number of numbers.
fn splice(number: &Number<Number<Summand>>) -> Number<Summand> {
    match number {
        Number::Of(inner) => inner.clone(),
        Number::Static(value) => Number::Static(*value),
        Number::Apply(op, parts) => Number::apply(*op, splice(&parts[0]), splice(&parts[1])),
    }
}

/// Where the leaves of a record's field or a vector's element begin, and how many there are.
fn part(sorts: &Sorts, sort: SortId, at: usize) -> (usize, usize) {
    match sorts.get(sort) {
        Sort::Record { fields, .. } => {
            let from = fields[..at].iter().map(|(_, sort)| sorts.leaf_count(*sort)).sum();
            (from, sorts.leaf_count(fields[at].1))
        }
        Sort::Vector { element, .. } => {
            let count = sorts.leaf_count(*element);
            (at * count, count)
        }
        _ => unreachable!("only records and vectors have parts"),
    }
}
