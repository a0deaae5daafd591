//! Whether a formula holds, and the value a term has, if it has one.

use super::{Oracle, TooLarge};
use calculus::check::number::{Arithmetic, Number};
use calculus::check::tree::{Comparison, Formula, Term, TermKind, Var, VarId};
use calculus::sort::{Sort, Value};

impl Oracle<'_> {
    pub(super) fn holds(
        &mut self,
        formula: &Formula,
        vars: &[Var],
        values: &mut Vec<Option<Value>>,
    ) -> Result<bool, TooLarge> {
        self.steps = self.steps.checked_sub(1).ok_or(TooLarge)?;
        Ok(match formula {
            Formula::Const(value) => *value,
            Formula::Holds(term) => self.value(term, values) == Some(Value::Bool(true)),
            Formula::Compare(comparison, left, right, _) => {
                let (left, right) = (self.value(left, values), self.value(right, values));
                left.zip(right).is_some_and(|(left, right)| match comparison {
                    Comparison::Eq => left == right,
                    Comparison::Lt => left < right,
                    Comparison::Le => left <= right,
                })
            }
            Formula::Atom(relation, args, _) => {
                let tuple = args.iter().map(|arg| self.value(arg, values)).collect::<Option<Vec<_>>>();
                tuple.is_some_and(|tuple| self.tables[relation.0 as usize].contains(&tuple))
            }
            Formula::Not(inner) => !self.holds(inner, vars, values)?,
            Formula::And(parts) => {
                for part in parts {
                    if !self.holds(part, vars, values)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(parts) => {
                for part in parts {
                    if self.holds(part, vars, values)? {
                        return Ok(true);
                    }
                }
                false
            }
            Formula::Implies(left, right) => {
                !self.holds(left, vars, values)? || self.holds(right, vars, values)?
            }
            Formula::Iff(left, right) => {
                self.holds(left, vars, values)? == self.holds(right, vars, values)?
            }
            Formula::Exists(bound, inner) => self.search(bound, inner, true, vars, values)?,
            Formula::Forall(bound, inner) => !self.search(bound, inner, false, vars, values)?,
        })
    }

    /// Whether some values of the bound variables make the formula come out as wanted.
    fn search(
        &mut self,
        bound: &[VarId],
        inner: &Formula,
        wanted: bool,
        vars: &[Var],
        values: &mut Vec<Option<Value>>,
    ) -> Result<bool, TooLarge> {
        let Some((first, rest)) = bound.split_first() else {
            return Ok(self.holds(inner, vars, values)? == wanted);
        };
        let var = first.0 as usize;
        for choice in 0..self.domains[&vars[var].sort].len() {
            values[var] = Some(self.domains[&vars[var].sort][choice].clone());
            if self.search(rest, inner, wanted, vars, values)? {
                return Ok(true);
            }
        }
        values[var] = None;
        Ok(false)
    }

    /// A term has no value if a part of it has none.
    fn value(&self, term: &Term, values: &[Option<Value>]) -> Option<Value> {
        let all =
            |terms: &[Term]| terms.iter().map(|term| self.value(term, values)).collect::<Option<Vec<_>>>();
        Some(match &term.kind {
            TermKind::Var(var) => {
                values[var.0 as usize].clone().expect("a variable is bound where it stands")
            }
            TermKind::Const(value) => value.clone(),
            TermKind::Field(base, at) | TermKind::Element(base, at) => {
                parts(self.value(base, values)?).swap_remove(*at)
            }
            TermKind::Slice(base, first, length) => {
                Value::Vector(parts(self.value(base, values)?)[*first..first + length].to_vec())
            }
            TermKind::Concat(left, right) => {
                let (left, right) = (self.value(left, values)?, self.value(right, values)?);
                Value::Vector([parts(left), parts(right)].concat())
            }
            TermKind::With(base, changes) => {
                let mut base = self.value(base, values)?;
                let (Value::Record(parts) | Value::Vector(parts)) = &mut base else {
                    panic!("{base:?} has no parts")
                };
                for (at, change) in changes {
                    parts[*at] = self.value(change, values)?;
                }
                base
            }
            TermKind::Record(parts) => Value::Record(all(parts)?),
            TermKind::Vector(parts) => Value::Vector(all(parts)?),
            TermKind::Number(number) => {
                let Sort::Range { lo, hi, .. } = self.system.sorts.get(term.sort) else {
                    panic!("a number of no range")
                };
                let number = self.number(number, values)?;
                let inside = i128::from(*lo) <= number && number <= i128::from(*hi);
                Value::Int(inside.then_some(number as i64)?)
            }
        })
    }

    /// An integer; it need not lie in any range.
    fn number(&self, number: &Number<Term>, values: &[Option<Value>]) -> Option<i128> {
        Some(match number {
            Number::Of(term) => match self.value(term, values)? {
                Value::Int(value) => i128::from(value),
                other => panic!("{other:?} is no number"),
            },
            Number::Static(value) => *value,
            Number::Apply(op, parts) => {
                arithmetic(*op, self.number(&parts[0], values)?, self.number(&parts[1], values)?)
            }
        })
    }
}

/// As the reference says it, and not as the program computes it.
pub fn arithmetic(op: Arithmetic, a: i128, b: i128) -> i128 {
    // The remainder is the number from 0 to |b| - 1 that makes a - remainder a multiple of b.
    let remainder = || (0..b.abs()).find(|rest| (a - rest) % b == 0).expect("b is not 0");
    match op {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Div => (a - remainder()) / b,
        Arithmetic::Rem => remainder(),
        Arithmetic::Min if a < b => a,
        Arithmetic::Max if a > b => a,
        Arithmetic::Min | Arithmetic::Max => b,
    }
}

fn parts(value: Value) -> Vec<Value> {
    match value {
        Value::Record(parts) | Value::Vector(parts) => parts,
        scalar => panic!("{scalar:?} has no parts"),
    }
}
