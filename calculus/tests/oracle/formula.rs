//! Whether a formula holds, and the value a term has, if it has one.

use super::{Oracle, TooLarge};
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
            TermKind::Shift(base, amount) => {
                let Sort::Range { lo, hi, .. } = self.system.sorts.get(term.sort) else {
                    panic!("a shift of no range")
                };
                let Value::Int(base) = self.value(base, values)? else { panic!("a shift of no number") };
                Value::Int(base.checked_add(*amount).filter(|sum| lo <= sum && sum <= hi)?)
            }
        })
    }
}

fn parts(value: Value) -> Vec<Value> {
    match value {
        Value::Record(parts) | Value::Vector(parts) => parts,
        scalar => panic!("{scalar:?} has no parts"),
    }
}
