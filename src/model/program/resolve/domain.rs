//! Which values a variable can have: truth values, a range of numbers, or one of some names.
//!
//! A value is a number everywhere: 0 and 1 are false and true, and names are counted from 0. How many bits it takes
//! is known here, which bits they are only in the encoding.

use crate::model::trace::TraceValue;
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    Bool,
    /// All numbers from `low` to `high`. A value outside of them is an error when it is assigned, or, where the range
    /// `wraps`, the number in it that differs from the value by a multiple of their count.
    Range {
        low: i64,
        high: i64,
        wraps: bool,
    },
    Names(Arc<[String]>),
}

impl Domain {
    pub fn low(&self) -> i64 {
        match self {
            Domain::Range { low, .. } => *low,
            Domain::Bool | Domain::Names(_) => 0,
        }
    }

    pub fn high(&self) -> i64 {
        match self {
            Domain::Bool => 1,
            Domain::Range { high, .. } => *high,
            Domain::Names(names) => names.len() as i64 - 1,
        }
    }

    pub fn values(&self) -> std::ops::RangeInclusive<i64> {
        self.low()..=self.high()
    }

    pub fn interval(&self) -> Interval {
        Interval { low: self.low().into(), high: self.high().into() }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.high().abs_diff(self.low()) + 1
    }

    /// How many bits tell them apart: none for a single value.
    pub fn bits(&self) -> u32 {
        u64::BITS - (self.count() - 1).leading_zeros()
    }

    /// Whether these bits have codes that are no value.
    pub fn has_gap(&self) -> bool {
        !self.count().is_power_of_two()
    }

    /// What a variable has after a value was assigned to it; nothing if the value is outside.
    pub fn stored(&self, value: i64) -> Option<i64> {
        match self {
            _ if self.values().contains(&value) => Some(value),
            Domain::Range { low, wraps: true, .. } => {
                let count = i128::from(self.count());
                Some((i128::from(*low) + (i128::from(value) - i128::from(*low)).rem_euclid(count)) as i64)
            }
            _ => None,
        }
    }

    /// Whether all values of an interval can be assigned.
    pub fn takes(&self, values: Interval) -> bool {
        matches!(self, Domain::Range { wraps: true, .. }) || self.interval().contains(values)
    }

    /// A value in the words of the program.
    pub fn show(&self, value: i64) -> TraceValue {
        match self {
            Domain::Names(names) => match usize::try_from(value).ok().and_then(|at| names.get(at)) {
                Some(name) => TraceValue::Name(name.clone()),
                None => TraceValue::Number(value),
            },
            Domain::Bool | Domain::Range { .. } => TraceValue::Number(value),
        }
    }

    /// The value that is written this way, if it is one of this domain.
    pub fn read(&self, text: &TraceValue) -> Option<i64> {
        match (self, text) {
            (Domain::Names(names), TraceValue::Name(text)) => {
                names.iter().position(|name| name == text).map(|at| at as i64)
            }
            (Domain::Bool | Domain::Range { .. }, TraceValue::Number(value)) => {
                self.values().contains(value).then_some(*value)
            }
            _ => None,
        }
    }

    /// `a truth value`, `a number from 0 to 3`, `one of { idle, busy }`
    pub fn words(&self) -> String {
        match self {
            Domain::Bool => "a truth value".into(),
            Domain::Range { .. } => self.interval().words(),
            Domain::Names(_) => format!("one of {self}"),
        }
    }
}

/// As it is declared.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Bool => f.write_str("bool"),
            Domain::Range { low, high, wraps } => {
                write!(f, "{low}..{high}{}", if *wraps { " mod" } else { "" })
            }
            Domain::Names(names) => write!(f, "{{ {} }}", names.join(", ")),
        }
    }
}

/// The numbers that an expression can be, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub low: i128,
    pub high: i128,
}

/// Numbers in expressions stay below this, so that neither they nor their sums leave 64 bits.
pub const LARGEST: i128 = 1 << 62;

impl Interval {
    pub fn only(value: i128) -> Interval {
        Interval { low: value, high: value }
    }

    pub fn contains(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether the numbers are small enough to compute with.
    pub fn fits(self) -> bool {
        Interval { low: -LARGEST, high: LARGEST }.contains(self)
    }

    pub fn plus(self, other: Interval) -> Interval {
        Interval { low: self.low + other.low, high: self.high + other.high }
    }

    pub fn minus(self, other: Interval) -> Interval {
        Interval { low: self.low - other.high, high: self.high - other.low }
    }

    pub fn times(self, other: Interval) -> Interval {
        let corners = [(self.low, other.low), (self.low, other.high), (self.high, other.low)];
        let corners = corners.map(|(left, right)| left * right);
        let last = self.high * other.high;
        Interval {
            low: corners.into_iter().fold(last, i128::min),
            high: corners.into_iter().fold(last, i128::max),
        }
    }

    /// The remainders of a division by a number greater than 0: never negative.
    pub fn modulo(self, divisor: i128) -> Interval {
        match self.low >= 0 && self.high < divisor {
            true => self,
            false => Interval { low: 0, high: divisor - 1 },
        }
    }

    /// The largest distance from 0.
    fn magnitude(self) -> i128 {
        self.low.abs().max(self.high.abs())
    }

    /// Rounded towards 0; 0 where the divisor is 0.
    pub fn quotient(self, divisor: Interval) -> Interval {
        // The smallest divisor gives the largest quotient.
        let least = match (divisor.low > 0, divisor.high < 0) {
            (true, _) => divisor.low,
            (_, true) => -divisor.high,
            _ => 1,
        };
        let (low, high) = (self.low.min(0) / least, self.high.max(0) / least);
        match (divisor.low >= 0, divisor.high <= 0) {
            (true, _) => Interval { low, high },
            (_, true) => Interval { low: -high, high: -low },
            _ => Interval { low: low.min(-high), high: high.max(-low) },
        }
    }

    /// What a quotient leaves: it has the sign of the dividend. 0 where the divisor is 0.
    pub fn remainder(self, divisor: Interval) -> Interval {
        let most = (divisor.magnitude() - 1).max(0);
        Interval { low: self.low.clamp(-most, 0), high: self.high.clamp(0, most) }
    }

    /// By so many bits to the right, rounded down.
    pub fn shifted(self, count: i128) -> Interval {
        let count = count.clamp(0, 127);
        Interval { low: self.low >> count, high: self.high >> count }
    }

    /// Bits of both in two's complement put together; `and` never has more than either.
    pub fn bitwise(self, other: Interval, and: bool) -> Interval {
        let small = [self, other].into_iter().filter(|one| one.low >= 0).map(|one| one.high).min();
        if let (true, Some(high)) = (and, small) {
            return Interval { low: 0, high };
        }
        let ends = [self.low, self.high, other.low, other.high];
        let bits = |value: i128| i128::BITS - (if value < 0 { !value } else { value }).leading_zeros();
        let size = 1 << ends.into_iter().map(bits).max().unwrap_or(0);
        let negative = self.low < 0 || other.low < 0;
        Interval { low: if negative { -size } else { 0 }, high: size - 1 }
    }

    pub fn words(self) -> String {
        match self.low == self.high {
            true => format!("the number {}", self.low),
            false => format!("a number from {} to {}", self.low, self.high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: i64, high: i64, wraps: bool) -> Domain {
        Domain::Range { low, high, wraps }
    }

    #[test]
    fn bits_are_as_few_as_tell_the_values_apart() {
        let bits = |low, high| range(low, high, false).bits();
        assert_eq!([bits(0, 0), bits(0, 1), bits(0, 2), bits(1, 4), bits(-2, 2)], [0, 1, 2, 2, 3]);
        assert_eq!(bits(i64::MIN, i64::MAX - 1), 64);
        assert!(range(0, 2, false).has_gap() && !range(5, 8, false).has_gap());
    }

    #[test]
    fn what_is_stored_is_in_the_range() {
        for (low, high) in [(0, 0), (0, 3), (0, 4), (-3, 2), (5, 9)] {
            for value in -40..40 {
                let (strict, wrapped) = (range(low, high, false), range(low, high, true));
                assert_eq!(strict.stored(value), (low <= value && value <= high).then_some(value));
                let stored = wrapped.stored(value).expect("it wraps");
                assert!(wrapped.values().contains(&stored), "{value} in {wrapped}");
                assert_eq!((stored - value).rem_euclid(high - low + 1), 0, "{value} in {wrapped}");
            }
        }
    }

    #[test]
    fn intervals_contain_what_is_computed() {
        let numbers = -4..=4_i128;
        let intervals = numbers.clone().flat_map(|low| (low..=4).map(move |high| Interval { low, high }));
        for (a, b) in intervals.clone().flat_map(|a| intervals.clone().map(move |b| (a, b))) {
            for (x, y) in (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| (x, y))) {
                assert!(a.plus(b).contains(Interval::only(x + y)));
                assert!(a.minus(b).contains(Interval::only(x - y)));
                assert!(a.times(b).contains(Interval::only(x * y)));
                if y > 0 {
                    assert!(a.modulo(y).contains(Interval::only(x.rem_euclid(y))));
                }
                if y != 0 {
                    assert!(a.quotient(b).contains(Interval::only(x / y)), "{x} / {y}");
                    assert!(a.remainder(b).contains(Interval::only(x % y)), "{x} rem {y}");
                }
                assert!(a.quotient(b).contains(Interval::only(0)) || !b.contains(Interval::only(0)));
                assert!(a.remainder(b).contains(Interval::only(0)));
                assert!(a.bitwise(b, true).contains(Interval::only(x & y)), "{x} & {y}");
                assert!(a.bitwise(b, false).contains(Interval::only(x | y)), "{x} | {y}");
                assert!(a.bitwise(b, false).contains(Interval::only(x ^ y)), "{x} ^ {y}");
            }
        }
    }
}
