//! Numbers that are computed from variables, bit by bit: adders, comparisons, multiplication and division by a constant.

use super::{Place, Space};
use crate::bdd::{Bdd, Stop};
use crate::check::number::{Arithmetic, Number};
use crate::elaborate::core::{Arg, Operand, Summand};
use crate::sort::Sort;

/// A number: `lo` and what the bits say, the most significant first. It is right where all variables have values of their
/// sorts; for other patterns the bits mean nothing.
struct Computed {
    lo: i128,
    hi: i128,
    bits: Vec<Bdd>,
}

/// How many bits it takes to count to this number.
fn width(last: i128) -> usize {
    (i128::BITS - last.leading_zeros()) as usize
}

impl Space {
    /// The code of an operand in its sort, and when it has a value.
    pub(super) fn computed(
        &self,
        operand: &Operand,
        place: &impl Fn(usize) -> Place,
    ) -> Result<(Vec<Bdd>, Bdd), Stop> {
        let Sort::Range { lo, hi, .. } = self.sorts.get(operand.sort) else {
            unreachable!("only ranges have arithmetic")
        };
        let (first, last) = (i128::from(*lo), i128::from(*hi));
        let own = self.sorts.bits(operand.sort) as usize;
        let number = self.number(&operand.number, place)?;
        if last < number.lo || number.hi < first {
            return Ok((self.constant_bits(own, 0), self.manager.zero()));
        }
        let mut defined = self.manager.one();
        if number.lo < first {
            defined = defined.and(&self.at_least(&number.bits, (first - number.lo) as u128)?)?;
        }
        if last < number.hi {
            defined = defined.and(&self.at_most(&number.bits, (last - number.lo) as u128)?)?;
        }
        let mut vars = Vec::new();
        operand.vars(&mut |var| vars.push(var));
        for var in vars {
            if let Place::Bits { lane, slot } = place(var) {
                defined = defined.and(&self.valid(lane, slot)?)?;
            }
        }
        // Where there is a value, its code fits: nothing is lost by counting modulo the width.
        Ok((self.plus(&self.resized(&number.bits, own), number.lo - first)?, defined))
    }

    fn number(&self, number: &Number<Summand>, place: &impl Fn(usize) -> Place) -> Result<Computed, Stop> {
        let constant = |value: i128| Computed { lo: value, hi: value, bits: Vec::new() };
        Ok(match number {
            Number::Static(value) => constant(*value),
            Number::Of(part) => {
                let (lo, hi) = part.bounds(&self.sorts);
                match part.arg {
                    Arg::Const(_) => constant(lo),
                    Arg::Var(var) => {
                        let Place::Bits { lane, slot } = place(var) else {
                            unreachable!("keys are replaced by their values before")
                        };
                        let bits = self.vars(lane, slot).iter().map(|&var| self.manager.var(var)).collect();
                        Computed { lo, hi, bits }
                    }
                }
            }
            Number::Apply(op, parts) => {
                let (a, b) = (self.number(&parts[0], place)?, self.number(&parts[1], place)?);
                match op {
                    Arithmetic::Add => self.sum(&a, &b)?,
                    Arithmetic::Sub => self.sum(&a, &self.negated(&b)?)?,
                    Arithmetic::Mul if b.lo < 0 => self.multiple(&self.negated(&a)?, -b.lo)?,
                    Arithmetic::Mul => self.multiple(&a, b.lo)?,
                    Arithmetic::Div if b.lo < 0 => self.negated(&self.divided(&a, -b.lo)?.0)?,
                    Arithmetic::Div => self.divided(&a, b.lo)?.0,
                    Arithmetic::Rem => self.divided(&a, b.lo.abs())?.1,
                    Arithmetic::Min => self.chosen(&a, &b, i128::min)?,
                    Arithmetic::Max => self.chosen(&a, &b, i128::max)?,
                }
            }
        })
    }

    fn sum(&self, a: &Computed, b: &Computed) -> Result<Computed, Stop> {
        let (lo, hi) = (a.lo + b.lo, a.hi + b.hi);
        let bits =
            self.add(&self.resized(&a.bits, width(hi - lo)), &self.resized(&b.bits, width(hi - lo)))?;
        Ok(Computed { lo, hi, bits })
    }

    /// `-(lo + n)` is `-hi + (hi - lo - n)`, and `-n` is the complement of `n`, plus 1.
    fn negated(&self, a: &Computed) -> Result<Computed, Stop> {
        let complement = a.bits.iter().map(Bdd::not).collect::<Vec<_>>();
        Ok(Computed { lo: -a.hi, hi: -a.lo, bits: self.plus(&complement, a.hi - a.lo + 1)? })
    }

    /// The product with a positive constant: the sum of what its digits shift.
    fn multiple(&self, a: &Computed, by: i128) -> Result<Computed, Stop> {
        let (lo, hi) = (a.lo * by, a.hi * by);
        let width = width(hi - lo);
        let mut bits = self.constant_bits(width, 0);
        for digit in (0..width.min(127)).filter(|digit| by >> digit & 1 == 1) {
            let zeros = self.constant_bits(digit, 0);
            let shifted = a.bits.iter().cloned().chain(zeros).collect::<Vec<_>>();
            bits = self.add(&bits, &self.resized(&shifted, width))?;
        }
        Ok(Computed { lo, hi, bits })
    }

    /// Quotient and remainder by a positive constant, as by hand: digit by digit, from the left.
    fn divided(&self, a: &Computed, by: i128) -> Result<(Computed, Computed), Stop> {
        // lo + n is a multiple of the divisor and a number that is not negative.
        let (whole, rest) = (a.lo.div_euclid(by), a.lo.rem_euclid(by));
        let last = rest + (a.hi - a.lo);
        let digits = self.plus(&self.resized(&a.bits, width(last)), rest)?;
        // The remainder so far is less than the divisor; one digit more makes it less than twice that.
        let wide = width(2 * by - 1);
        let mut remainder = self.constant_bits(wide, 0);
        let mut quotient = Vec::new();
        for digit in digits {
            remainder.remove(0);
            remainder.push(digit);
            let fits = self.at_least(&remainder, by as u128)?;
            let less = self.plus(&remainder, -by)?;
            remainder = self.either(&fits, &less, &remainder)?;
            quotient.push(fits);
        }
        let count = last / by;
        let quotient = Computed { lo: whole, hi: whole + count, bits: self.resized(&quotient, width(count)) };
        let greatest = last.min(by - 1);
        let remainder = Computed { lo: 0, hi: greatest, bits: self.resized(&remainder, width(greatest)) };
        Ok((quotient, remainder))
    }

    /// The smaller of two, or the greater: `which` says so of numbers.
    fn chosen(&self, a: &Computed, b: &Computed, which: fn(i128, i128) -> i128) -> Result<Computed, Stop> {
        let (from, to) = (a.lo.min(b.lo), a.hi.max(b.hi));
        let counted =
            |side: &Computed| self.plus(&self.resized(&side.bits, width(to - from)), side.lo - from);
        let (one, other) = (counted(a)?, counted(b)?);
        let first = match which(0, 1) {
            0 => self.less(&one, &other, true)?,
            _ => self.less(&other, &one, true)?,
        };
        let (lo, hi) = (which(a.lo, b.lo), which(a.hi, b.hi));
        let bits = self.plus(&self.either(&first, &one, &other)?, from - lo)?;
        Ok(Computed { lo, hi, bits: self.resized(&bits, width(hi - lo)) })
    }

    /// Bit by bit the first where the condition holds, and the second elsewhere.
    fn either(&self, condition: &Bdd, yes: &[Bdd], no: &[Bdd]) -> Result<Vec<Bdd>, Stop> {
        yes.iter().zip(no).map(|(yes, no)| condition.ite(yes, no)).collect()
    }

    /// With zeros in front, or without the digits in front.
    fn resized(&self, bits: &[Bdd], width: usize) -> Vec<Bdd> {
        let zeros = width.saturating_sub(bits.len());
        let kept = &bits[bits.len().saturating_sub(width)..];
        self.constant_bits(zeros, 0).into_iter().chain(kept.iter().cloned()).collect()
    }

    /// The sum, modulo the width.
    fn add(&self, a: &[Bdd], b: &[Bdd]) -> Result<Vec<Bdd>, Stop> {
        let mut carry = self.manager.zero();
        let mut out = Vec::new();
        for (a, b) in a.iter().zip(b).rev() {
            let half = a.xor(b)?;
            out.push(half.xor(&carry)?);
            carry = a.and(b)?.or(&half.and(&carry)?)?;
        }
        out.reverse();
        Ok(out)
    }
}
