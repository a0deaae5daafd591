//! Conditions as predicates can say them, in a form in which equal ones are equal: `s - l = 0`, `l - t + 1 <= 0`.
//!
//! Which predicates there are is a question of what is proved, not of what is true. So a number that wraps around is taken for
//! one that does not, and what has no such form is left out.

use super::{Mention, Predicate};
use crate::model::program::resolve::program::{Op, Var};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A term over variables, as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term<V> {
    Truth(bool),
    Number(i64),
    Variable(V),
    /// Anything: a choice, or a value after a statement.
    Unknown,
    Apply(Op, Vec<Term<V>>),
}

/// A sum of variables with factors, and a number, that is 0, or at most 0. The first factor is positive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Condition<V: Ord> {
    pub sum: BTreeMap<V, i64>,
    pub constant: i64,
    pub is_equation: bool,
}

/// A sum of variables with factors, and a number.
type Sum<V> = (BTreeMap<V, i64>, i64);

/// Numbers that wrap around do so at one as large as this.
const WRAPS: i64 = 1 << 7;
/// A factor or a number that is larger is not interesting.
const LARGE: i64 = 1 << 40;

impl<V: Clone + Ord> Term<V> {
    /// A postfix expression as a tree.
    pub fn of(code: &[Op], variable: impl Fn(Var) -> V) -> Term<V> {
        let mut stack = Vec::new();
        for op in code {
            let term = match op {
                Op::Constant(value) => Term::Truth(*value),
                Op::Number(value) => Term::Number(*value),
                Op::Old(var) => Term::Variable(variable(*var)),
                Op::New(_) | Op::Theirs(_) | Op::TheirsAfter(_) | Op::Nondet => Term::Unknown,
                op => {
                    let operands = stack.split_off(stack.len().saturating_sub(op.operands()));
                    Term::Apply(*op, operands)
                }
            };
            stack.push(term);
        }
        stack.pop().unwrap_or(Term::Unknown)
    }

    /// The same with values in place of variables.
    pub fn with(&self, value: &dyn Fn(&V) -> Option<Term<V>>) -> Term<V> {
        match self {
            Term::Variable(variable) => value(variable).unwrap_or_else(|| self.clone()),
            Term::Apply(op, operands) => {
                Term::Apply(*op, operands.iter().map(|operand| operand.with(value)).collect())
            }
            _ => self.clone(),
        }
    }

    /// How many parts it has, or more than `most`.
    pub fn size(&self, most: usize) -> usize {
        let (mut size, mut work) = (0, vec![self]);
        while let Some(term) = work.pop() {
            size += 1;
            if size > most {
                break;
            }
            if let Term::Apply(_, operands) = term {
                work.extend(operands);
            }
        }
        size
    }

    /// Whether it is a number; a variable is if this says so.
    fn is_number(&self, variable: &dyn Fn(&V) -> bool) -> bool {
        match self {
            Term::Truth(_) => false,
            Term::Number(_) => true,
            Term::Unknown => false,
            Term::Variable(name) => variable(name),
            Term::Apply(op, operands) => match op {
                Op::And | Op::Or | Op::Xor => operands.iter().any(|operand| operand.is_number(variable)),
                Op::Negate | Op::Plus | Op::Minus | Op::Times | Op::Modulo => true,
                Op::Quotient | Op::Remainder | Op::ShiftRight => true,
                _ => false,
            },
        }
    }

    /// The comparisons of numbers in a condition.
    pub fn comparisons(&self, is_number: &dyn Fn(&V) -> bool) -> Vec<Term<V>> {
        let (mut found, mut work) = (Vec::new(), vec![self]);
        while let Some(term) = work.pop() {
            let Term::Apply(op, operands) = term else { continue };
            match op {
                Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => found.push(term.clone()),
                Op::Equal | Op::Differ if operands.iter().any(|operand| operand.is_number(is_number)) => {
                    found.push(term.clone());
                }
                _ => work.extend(operands.iter().rev()),
            }
        }
        found
    }

    /// The equations that hold where a condition does.
    pub fn equations(&self) -> Vec<(&Term<V>, &Term<V>)> {
        let (mut found, mut work) = (Vec::new(), vec![(self, true)]);
        while let Some((term, holds)) = work.pop() {
            let Term::Apply(op, operands) = term else { continue };
            match (op, operands.as_slice(), holds) {
                (Op::Not, [inner], _) => work.push((inner, !holds)),
                (Op::And, [left, right], true) | (Op::Or, [left, right], false) => {
                    work.extend([(right, holds), (left, holds)]);
                }
                (Op::Equal, [left, right], true) | (Op::Differ, [left, right], false) => {
                    found.push((left, right));
                }
                _ => {}
            }
        }
        found
    }

    /// As a sum of variables, if it is one.
    pub fn sum(&self) -> Option<Sum<V>> {
        let number = |value: i64| (value.abs() < LARGE).then(|| (BTreeMap::new(), value));
        match self {
            Term::Number(value) => number(*value),
            Term::Variable(name) => Some((BTreeMap::from([(name.clone(), 1)]), 0)),
            Term::Truth(_) | Term::Unknown => None,
            Term::Apply(op, operands) => {
                let parts = operands.iter().map(Term::sum).collect::<Option<Vec<_>>>()?;
                match (op, parts.as_slice()) {
                    (Op::Negate, [inner]) => added(&number(0)?, inner, -1),
                    (Op::Plus, [left, right]) => added(left, right, 1),
                    (Op::Minus, [left, right]) => added(left, right, -1),
                    (Op::Times, [(none, factor), sum] | [sum, (none, factor)]) if none.is_empty() => {
                        added(&number(0)?, sum, *factor)
                    }
                    // Around where it wraps, it is another one.
                    (Op::Modulo, [sum, (none, divisor)]) if none.is_empty() && *divisor >= WRAPS => {
                        Some(sum.clone())
                    }
                    _ => None,
                }
            }
        }
    }
}

/// One sum and the other one, with a factor.
fn added<V: Clone + Ord>((left, first): &Sum<V>, (right, second): &Sum<V>, factor: i64) -> Option<Sum<V>> {
    let mut sum = left.clone();
    for (name, value) in right {
        let entry = sum.entry(name.clone()).or_insert(0);
        *entry = entry.checked_add(value.checked_mul(factor)?).filter(|value| value.abs() < LARGE)?;
    }
    sum.retain(|_, value| *value != 0);
    let constant = first.checked_add(second.checked_mul(factor)?)?;
    (constant.abs() < LARGE).then_some((sum, constant))
}

impl<V: Clone + Ord> Condition<V> {
    /// What a comparison or its negation says; nothing if it says nothing about variables, or has another form.
    pub fn of(comparison: &Term<V>) -> Option<Condition<V>> {
        let Term::Apply(op, operands) = comparison else { return None };
        let [left, right] = operands.as_slice() else { return None };
        let difference = added(&left.sum()?, &right.sum()?, -1)?;
        let (less, is_equation) = match op {
            Op::Equal | Op::Differ => (0, true),
            // x < y and its negation, x >= y, are both x - y + 1 <= 0.
            Op::Less | Op::AtLeast => (1, false),
            Op::AtMost | Op::Greater => (0, false),
            _ => return None,
        };
        Condition { sum: difference.0, constant: difference.1 + less, is_equation }.positive()
    }

    /// The same, or its negation, with a positive first factor.
    fn positive(self) -> Option<Condition<V>> {
        let (_, first) = self.sum.iter().next()?;
        if *first > 0 {
            return Some(self);
        }
        let sum = self.sum.into_iter().map(|(name, factor)| (name, -factor)).collect();
        let constant = if self.is_equation { -self.constant } else { 1 - self.constant };
        Some(Condition { sum, constant, ..self })
    }

    /// The same about other names; nothing if one of them has none.
    pub fn renamed<W: Clone + Ord>(&self, name: impl Fn(&V) -> Option<W>) -> Option<Condition<W>> {
        let mut sum = BTreeMap::new();
        for (variable, factor) in &self.sum {
            *sum.entry(name(variable)?).or_insert(0) += factor;
        }
        sum.retain(|_, factor| *factor != 0);
        Condition { sum, constant: self.constant, is_equation: self.is_equation }.positive()
    }
}

impl Condition<Mention> {
    /// What a predicate says, if it is a single comparison.
    pub fn of_predicate(predicate: &Predicate) -> Option<Condition<Mention>> {
        let name = |var| match Predicate::mention(Op::Old(var)) {
            Some(index) => predicate.names[index].clone(),
            None => Mention { name: String::new(), other: false },
        };
        let mut term = Term::of(&predicate.code.code, name);
        while let Term::Apply(Op::Not, operands) = &term {
            term = operands.first()?.clone();
        }
        Condition::of(&term)
    }

    /// As `--predicate` reads it.
    pub fn text(&self) -> String {
        let side = |sign: i64| {
            let parts =
                self.sum.iter().filter(|(_, factor)| factor.signum() == sign).map(|(mention, factor)| {
                    let name =
                        if mention.other { format!("other.{}", mention.name) } else { mention.name.clone() };
                    if factor.abs() == 1 { name } else { format!("{} * {name}", factor.abs()) }
                });
            parts.collect::<Vec<_>>().join(" + ")
        };
        let (mut left, mut right) = (side(1), side(-1));
        let mut constant = self.constant;
        let mut operator = if self.is_equation { "==" } else { "<=" };
        if !self.is_equation && constant > 0 {
            (operator, constant) = ("<", constant - 1);
        }
        let longer = if constant > 0 { &mut left } else { &mut right };
        if constant != 0 || longer.is_empty() {
            let sign = if longer.is_empty() { "" } else { " + " };
            let _ = write!(longer, "{sign}{}", constant.abs());
        }
        if right.is_empty() {
            right = "0".into();
        }
        format!("{left} {operator} {right}")
    }
}
