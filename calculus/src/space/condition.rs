//! The BDDs of conditions: comparisons, and sums with a constant, bit by bit. Other arithmetic is in `number`.

use super::{Place, Space, encode};
use crate::bdd::{Bdd, Stop};
use crate::check::tree::Comparison;
use crate::elaborate::core::{Arg, Constraint, Operand};

impl Space {
    /// A condition without keys. A comparison holds only of values of the sorts.
    pub fn condition(&self, constraint: &Constraint, place: &impl Fn(usize) -> Place) -> Result<Bdd, Stop> {
        Ok(match constraint {
            Constraint::Const(value) => self.manager.constant(*value),
            Constraint::Defined(operand) => self.operand(operand, place)?.1,
            Constraint::Compare(comparison, left, right) => {
                let (left, left_defined) = self.operand(left, place)?;
                let (right, right_defined) = self.operand(right, place)?;
                let holds = match comparison {
                    Comparison::Eq => self.equal_bits(&left, &right)?,
                    Comparison::Lt => self.less(&left, &right, false)?,
                    Comparison::Le => self.less(&left, &right, true)?,
                };
                holds.and(&left_defined)?.and(&right_defined)?
            }
            Constraint::Not(inner) => self.condition(inner, place)?.not(),
            Constraint::And(parts) => {
                let mut out = self.manager.one();
                for part in parts {
                    out = out.and(&self.condition(part, place)?)?;
                }
                out
            }
            Constraint::Or(parts) => {
                let mut out = self.manager.zero();
                for part in parts {
                    out = out.or(&self.condition(part, place)?)?;
                }
                out
            }
        })
    }

    /// The bits of an operand, and when it has a value.
    fn operand(&self, operand: &Operand, place: &impl Fn(usize) -> Place) -> Result<(Vec<Bdd>, Bdd), Stop> {
        let var = match operand.as_arg() {
            None => return self.computed(operand, place),
            Some(Arg::Const(value)) => {
                let code = encode(&self.sorts, operand.sort, value);
                let bits = code.into_iter().map(|bit| self.manager.constant(bit)).collect();
                return Ok((bits, self.manager.one()));
            }
            Some(Arg::Var(var)) => *var,
        };
        let Place::Bits { lane, slot } = place(var) else {
            unreachable!("keys are replaced by their values before")
        };
        let bits = self.vars(lane, slot).iter().map(|&var| self.manager.var(var)).collect();
        Ok((bits, self.valid(lane, slot)?))
    }

    pub(super) fn constant_bits(&self, width: usize, value: u128) -> Vec<Bdd> {
        (0..width).rev().map(|bit| self.manager.constant(value >> bit & 1 == 1)).collect()
    }

    pub(super) fn at_most(&self, bits: &[Bdd], value: u128) -> Result<Bdd, Stop> {
        self.less(bits, &self.constant_bits(bits.len(), value), true)
    }

    pub(super) fn at_least(&self, bits: &[Bdd], value: u128) -> Result<Bdd, Stop> {
        self.less(&self.constant_bits(bits.len(), value), bits, true)
    }

    fn equal_bits(&self, left: &[Bdd], right: &[Bdd]) -> Result<Bdd, Stop> {
        let mut out = self.manager.one();
        for (a, b) in left.iter().zip(right).rev() {
            out = a.iff(b)?.and(&out)?;
        }
        Ok(out)
    }

    /// `left < right`, or `left <= right`.
    pub(super) fn less(&self, left: &[Bdd], right: &[Bdd], or_equal: bool) -> Result<Bdd, Stop> {
        let mut out = self.manager.constant(or_equal);
        for (a, b) in left.iter().zip(right).rev() {
            out = a.iff(b)?.and(&out)?.or(&b.and_not(a)?)?;
        }
        Ok(out)
    }

    /// The sum with a constant, modulo the width.
    pub(super) fn plus(&self, bits: &[Bdd], amount: i128) -> Result<Vec<Bdd>, Stop> {
        let mut carry = self.manager.zero();
        let mut out = Vec::new();
        for (position, bit) in bits.iter().rev().enumerate() {
            let add = amount >> position.min(127) & 1 == 1;
            let sum = bit.xor(&carry)?;
            out.push(if add { sum.not() } else { sum });
            carry = if add { bit.or(&carry)? } else { bit.and(&carry)? };
        }
        out.reverse();
        Ok(out)
    }
}
