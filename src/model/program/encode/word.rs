//! Numbers as bits: circuits for arithmetic and comparison.
//!
//! A number is kept with the interval it lies in, in two's complement with as few bits as the interval needs (no sign
//! where nothing is negative). Sums, differences and products are computed modulo a power of two that is large enough
//! for the result, so no operation ever overflows.

use super::bits::{and, not, or, shared, xor};
use crate::model::program::resolve::program::{Domain, Interval};
use calculus::vocabulary::BitExpr;

/// A number: its bits from the least significant one on.
#[derive(Clone, Debug)]
pub struct Word {
    interval: Interval,
    bits: Vec<BitExpr>,
}

/// How many bits an interval needs, with a sign if it has negative numbers.
fn width(interval: Interval) -> usize {
    let magnitude = |value: i128| {
        (u128::BITS - (if value < 0 { !value } else { value } as u128).leading_zeros()) as usize
    };
    let bits = magnitude(interval.low).max(magnitude(interval.high));
    bits + usize::from(interval.low < 0)
}

/// Bit by bit, with a carry into the first.
fn sum(left: &[BitExpr], right: &[BitExpr], mut carry: BitExpr) -> Vec<BitExpr> {
    let mut out = Vec::new();
    for (a, b) in left.iter().zip(right) {
        let odd = shared(xor(a.clone(), b.clone()));
        out.push(shared(xor(odd.clone(), carry.clone())));
        carry = shared(or(and(a.clone(), b.clone()), and(odd, carry)));
    }
    out
}

impl Word {
    pub fn constant(value: i128) -> Word {
        let interval = Interval::only(value);
        let bits = (0..width(interval)).map(|at| BitExpr::Const(value >> at & 1 == 1)).collect();
        Word { interval, bits }
    }

    /// The largest number that it can be: what it is, if it is constant.
    pub fn known(&self) -> i128 {
        self.interval.high
    }

    /// A value of a domain, from the bits of its code: values are counted from the lowest one.
    pub fn of(domain: &Domain, code: Vec<BitExpr>) -> Word {
        let interval = Interval { low: 0, high: i128::from(domain.count()) - 1 };
        let code = Word { interval, bits: code };
        match domain.low() {
            0 => code,
            low => code.plus(&Word::constant(low.into())),
        }
    }

    /// The bits of the code of a value that lies in a domain, or wraps into it.
    pub fn code(&self, domain: &Domain) -> Vec<BitExpr> {
        let offset = match domain.low() {
            0 => self.clone(),
            low => self.minus(&Word::constant(low.into())),
        };
        let offset = match domain {
            Domain::Range { wraps: true, .. } => offset.modulo(domain.count().into()),
            _ => offset,
        };
        offset.extended(domain.bits() as usize)
    }

    /// The bit at a place, however large.
    fn bit(&self, at: usize) -> BitExpr {
        match self.bits.get(at) {
            Some(bit) => bit.clone(),
            None if self.interval.low < 0 => self.bits.last().cloned().unwrap_or(BitExpr::Const(true)),
            None => BitExpr::Const(false),
        }
    }

    /// So many bits of it: with more copies of the sign, or without the highest ones.
    fn extended(&self, width: usize) -> Vec<BitExpr> {
        (0..width).map(|at| self.bit(at)).collect()
    }

    pub fn plus(&self, other: &Word) -> Word {
        let interval = self.interval.plus(other.interval);
        let width = width(interval);
        let bits = sum(&self.extended(width), &other.extended(width), BitExpr::Const(false));
        Word { interval, bits }
    }

    pub fn minus(&self, other: &Word) -> Word {
        let interval = self.interval.minus(other.interval);
        let width = width(interval);
        let other = other.extended(width).into_iter().map(not).collect::<Vec<_>>();
        Word { interval, bits: sum(&self.extended(width), &other, BitExpr::Const(true)) }
    }

    pub fn negated(&self) -> Word {
        Word::constant(0).minus(self)
    }

    pub fn times(&self, other: &Word) -> Word {
        let interval = self.interval.times(other.interval);
        let width = width(interval);
        // Zeros of a constant cost nothing.
        let constant = self.interval.low == self.interval.high;
        let (left, right) = if constant { (other, self) } else { (self, other) };
        let mut bits = vec![BitExpr::Const(false); width];
        for at in 0..width {
            let digit = right.bit(at);
            if matches!(digit, BitExpr::Const(false)) {
                continue;
            }
            let row = left.extended(width - at).into_iter().map(|bit| shared(and(digit.clone(), bit)));
            let row = row.collect::<Vec<_>>();
            let high = sum(&bits[at..], &row, BitExpr::Const(false));
            bits.truncate(at);
            bits.extend(high);
        }
        Word { interval, bits }
    }

    /// The remainder of a division by a number greater than 0.
    pub fn modulo(&self, divisor: i128) -> Word {
        let interval = self.interval.modulo(divisor);
        if interval == self.interval {
            return self.clone();
        }
        if divisor.count_ones() == 1 {
            return Word { interval, bits: self.extended(divisor.trailing_zeros() as usize) };
        }
        // A multiple is added so that nothing is negative, and multiples are taken away, the largest first.
        let lift = (-self.interval.low.min(0) + divisor - 1) / divisor * divisor;
        let mut rest = self.plus(&Word::constant(lift));
        let mut multiple = divisor;
        while multiple * 2 <= rest.interval.high {
            multiple *= 2;
        }
        while multiple >= divisor {
            let less = rest.less(&Word::constant(multiple));
            let smaller = rest.minus(&Word::constant(multiple));
            let high = rest.interval.high.min(multiple - 1);
            let interval = Interval { low: 0, high };
            let bits = (0..width(interval)).map(|at| choose(&less, rest.bit(at), smaller.bit(at)));
            rest = Word { interval, bits: bits.collect() };
            multiple /= 2;
        }
        Word { interval, bits: rest.extended(width(interval)) }
    }

    /// Bit by bit, in two's complement.
    pub fn bitwise(&self, other: &Word, is_and: bool, op: fn(BitExpr, BitExpr) -> BitExpr) -> Word {
        let interval = self.interval.bitwise(other.interval, is_and);
        let bits = (0..width(interval)).map(|at| shared(op(self.bit(at), other.bit(at)))).collect();
        Word { interval, bits }
    }

    /// Without its lowest bits.
    pub fn shifted(&self, count: i128) -> Word {
        let interval = self.interval.shifted(count);
        let bits = (0..width(interval)).map(|at| self.bit(at + count as usize)).collect();
        Word { interval, bits }
    }

    /// Whether it is negative.
    fn sign(&self) -> BitExpr {
        if self.interval.low < 0 { self.bit(self.bits.len()) } else { BitExpr::Const(false) }
    }

    /// The distance from 0.
    fn magnitude(&self) -> Word {
        if self.interval.low >= 0 {
            return self.clone();
        }
        let interval = Interval { low: 0, high: self.interval.low.abs().max(self.interval.high) };
        Word { interval, bits: choose_bits(&self.sign(), &self.negated(), self, width(interval)) }
    }

    /// The quotient rounded towards 0, and what it leaves: both are 0 where the divisor is 0. By hand, digit for digit.
    pub fn divided(&self, other: &Word) -> (Word, Word) {
        let (dividend, divisor) = (self.magnitude(), other.magnitude());
        let nonzero = shared(not(divisor.equal(&Word::constant(0))));
        // What is left is smaller than the divisor, and one digit is appended to it.
        let size = divisor.bits.len() + 1;
        let mut left = Word { interval: Interval { low: 0, high: (1 << size) - 1 }, bits: Vec::new() };
        left.bits = vec![BitExpr::Const(false); size];
        let mut quotient = vec![BitExpr::Const(false); dividend.bits.len()];
        for at in (0..dividend.bits.len()).rev() {
            let mut bits = vec![dividend.bit(at)];
            bits.extend_from_slice(&left.bits[..size - 1]);
            left.bits = bits;
            let digit = shared(not(left.less(&divisor)));
            let less = left.minus(&divisor);
            left.bits = choose_bits(&digit, &less, &left, size);
            quotient[at] = and(nonzero.clone(), digit);
        }
        let quotient =
            Word { interval: Interval { low: 0, high: (1 << quotient.len()) - 1 }, bits: quotient };
        let remainder =
            left.extended(size).into_iter().map(|bit| shared(and(nonzero.clone(), bit))).collect();
        let remainder = Word { interval: left.interval, bits: remainder };
        let signed = |word: Word, negative: BitExpr, interval: Interval| {
            let bits = choose_bits(&shared(negative), &word.negated(), &word, width(interval));
            Word { interval, bits }
        };
        let opposite = xor(self.sign(), other.sign());
        let interval = self.interval.quotient(other.interval);
        let quotient = signed(quotient, opposite, interval);
        (quotient, signed(remainder, self.sign(), self.interval.remainder(other.interval)))
    }

    pub fn less(&self, other: &Word) -> BitExpr {
        let difference = self.minus(other);
        match difference.interval {
            Interval { high: ..0, .. } => BitExpr::Const(true),
            Interval { low: 0.., .. } => BitExpr::Const(false),
            _ => difference.bits.last().cloned().unwrap_or(BitExpr::Const(false)),
        }
    }

    pub fn equal(&self, other: &Word) -> BitExpr {
        let width = self.bits.len().max(other.bits.len()) + 1;
        let pairs = self.extended(width).into_iter().zip(other.extended(width));
        pairs.map(|(a, b)| not(xor(a, b))).fold(BitExpr::Const(true), and)
    }
}

fn choose(condition: &BitExpr, yes: BitExpr, no: BitExpr) -> BitExpr {
    shared(or(and(condition.clone(), yes), and(not(condition.clone()), no)))
}

/// So many bits of one or of the other word.
fn choose_bits(condition: &BitExpr, yes: &Word, no: &Word, width: usize) -> Vec<BitExpr> {
    (0..width).map(|at| choose(condition, yes.bit(at), no.bit(at))).collect()
}

/// Whether bits are the code of a value: fewer codes than all may be values.
pub fn valid(domain: &Domain, code: &[BitExpr]) -> BitExpr {
    if !domain.has_gap() {
        return BitExpr::Const(true);
    }
    let interval = Interval { low: 0, high: (1 << domain.bits()) - 1 };
    Word { interval, bits: code.to_vec() }.less(&Word::constant(domain.count().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calculus::vocabulary::Bit;

    fn evaluate(expr: &BitExpr, value: &dyn Fn(Bit) -> bool) -> bool {
        match expr {
            BitExpr::Const(value) => *value,
            BitExpr::Bit(bit) => value(*bit),
            BitExpr::Zeros(first, count) => first.run(*count).all(|bit| !value(bit)),
            BitExpr::Not(inner) => !evaluate(inner, value),
            BitExpr::And(parts) => parts.iter().all(|part| evaluate(part, value)),
            BitExpr::Or(parts) => parts.iter().any(|part| evaluate(part, value)),
            BitExpr::Xor(left, right) => evaluate(left, value) != evaluate(right, value),
            BitExpr::Shared(inner) => evaluate(inner, value),
        }
    }

    fn read(bits: &[BitExpr], value: &dyn Fn(Bit) -> bool) -> i64 {
        bits.iter().enumerate().map(|(at, bit)| i64::from(evaluate(bit, value)) << at).sum()
    }

    fn variable(domain: &Domain, leaf: u16) -> Word {
        let code = (0..domain.bits() as u16).map(|bit| BitExpr::Bit(Bit { leaf, bit }));
        Word::of(domain, code.collect())
    }

    fn number(word: &Word, value: &dyn Fn(Bit) -> bool) -> i128 {
        let unsigned = i128::from(read(&word.bits, value));
        let negative = word.interval.low < 0 && word.bits.last().is_some_and(|sign| evaluate(sign, value));
        if negative { unsigned - (1 << word.bits.len()) } else { unsigned }
    }

    #[test]
    fn circuits_compute_what_arithmetic_does() {
        let domains = [(0, 0), (0, 1), (0, 5), (1, 4), (-3, 2), (-4, -2), (6, 9), (0, 7)];
        let domains = domains.map(|(low, high)| Domain::Range { low, high, wraps: false });
        for (a, b) in domains.iter().flat_map(|a| domains.iter().map(move |b| (a, b))) {
            let (left, right) = (variable(a, 0), variable(b, 1));
            let words = [left.plus(&right), left.minus(&right), left.times(&right), left.negated()];
            let (less, equal) = (left.less(&right), left.equal(&right));
            let together = [(true, and as fn(_, _) -> _), (false, or), (false, xor)];
            let together = together.map(|(is_and, op)| left.bitwise(&right, is_and, op));
            let (quotient, remainder) = left.divided(&right);
            let shifted = [0, 1, 2, 3, 4, 5].map(|count| left.minus(&right).shifted(count));
            let remainders = [1, 2, 3, 4, 5, 7].map(|divisor| (divisor, left.minus(&right).modulo(divisor)));
            for (x, y) in a.values().flat_map(|x| b.values().map(move |y| (x, y))) {
                let value = |bit: Bit| {
                    let code = if bit.leaf == 0 { x - a.low() } else { y - b.low() };
                    code >> bit.bit & 1 == 1
                };
                let expected = [x + y, x - y, x * y, -x];
                for (word, expected) in words.iter().zip(expected) {
                    assert_eq!(number(word, &value), expected.into(), "{x} in {a}, {y} in {b}");
                    assert!(word.interval.contains(Interval::only(expected.into())));
                }
                let expected =
                    [x & y, x | y, x ^ y, x.checked_div(y).unwrap_or(0), x.checked_rem(y).unwrap_or(0)];
                let words = together.iter().chain([&quotient, &remainder]);
                for (count, word) in shifted.iter().enumerate() {
                    assert_eq!(number(word, &value), i128::from((x - y) >> count), "({x} - {y}) >> {count}");
                }
                for (at, (word, expected)) in words.zip(expected).enumerate() {
                    assert_eq!(
                        number(word, &value),
                        expected.into(),
                        "{x} in {a}, {y} in {b}, operator {at}"
                    );
                }
                assert_eq!(evaluate(&less, &value), x < y, "{x} < {y}");
                assert_eq!(evaluate(&equal, &value), x == y, "{x} = {y}");
                for (divisor, word) in &remainders {
                    let expected = (x - y).rem_euclid(*divisor as i64);
                    assert_eq!(number(word, &value), expected.into(), "({x} - {y}) % {divisor}");
                }
            }
        }
    }

    #[test]
    fn codes_are_those_of_the_values_that_are_stored() {
        let from = Domain::Range { low: -9, high: 13, wraps: false };
        for (low, high) in [(0, 3), (0, 4), (-2, 5), (1, 6), (2, 2)] {
            let domain = Domain::Range { low, high, wraps: true };
            let code = variable(&from, 0).code(&domain);
            assert_eq!(code.len(), domain.bits() as usize);
            for x in from.values() {
                let value = |bit: Bit| (x - from.low()) >> bit.bit & 1 == 1;
                let stored = domain.stored(x).expect("it wraps");
                assert_eq!(read(&code, &value), stored - low, "{x} in {domain}");
            }
        }
    }

    #[test]
    fn valid_codes_are_as_many_as_values() {
        for high in 0..20 {
            let domain = Domain::Range { low: 0, high, wraps: false };
            let code = (0..domain.bits() as u16).map(|bit| BitExpr::Bit(Bit { leaf: 0, bit }));
            let valid = valid(&domain, &code.collect::<Vec<_>>());
            for x in 0..1_i64 << domain.bits() {
                assert_eq!(evaluate(&valid, &|bit| x >> bit.bit & 1 == 1), x <= high, "{x} in {domain}");
            }
        }
    }
}
