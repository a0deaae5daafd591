//! Bits as runs of neighbours: what an edge leaves alone is as short as what it changes.

use super::bits::{and, not};
use calculus::vocabulary::{Bit, BitExpr, EqualBits};
use std::collections::BTreeSet;

/// The bits of one leaf that an edge does something to.
#[derive(Default)]
pub struct Changed(BTreeSet<u16>);

impl Changed {
    pub fn add(&mut self, bit: u16) {
        self.0.insert(bit);
    }

    pub fn contains(&self, bit: u16) -> bool {
        self.0.contains(&bit)
    }

    /// The bits in order.
    pub fn bits(&self) -> Vec<u16> {
        self.0.iter().copied().collect()
    }

    /// All other bits are the same in both leaves, which have so many.
    pub fn others_stay(self, from: u16, to: u16, width: u32, equal: &mut Vec<EqualBits>) {
        let run = |(first, count): (u16, u16)| EqualBits {
            left: Bit { leaf: from, bit: first },
            right: Bit { leaf: to, bit: first },
            count,
        };
        equal.extend(gaps(self.0, width).into_iter().map(run));
    }
}

/// The runs of bits below `width` that are not among these, which are sorted.
fn gaps(bits: impl IntoIterator<Item = u16>, width: u32) -> Vec<(u16, u16)> {
    let width = u16::try_from(width).expect("the bits were counted before");
    let (mut out, mut next) = (Vec::new(), 0);
    // No position is the last number of 16 bits, so one can be added.
    for (bit, behind) in bits.into_iter().map(|bit| (bit, bit + 1)).chain([(width, width)]) {
        if next < bit {
            out.push((next, bit - next));
        }
        next = behind;
    }
    out
}

/// Some bits of a leaf, given as sorted bits.
pub enum Of {
    These(Vec<u16>),
    /// All but these, of so many.
    Others(Vec<u16>, u32),
}

/// The bits are 0, besides what holds already.
pub fn zero(mut core: BitExpr, leaf: u16, bits: Of) -> BitExpr {
    let runs = match bits {
        Of::These(bits) => neighbours(bits),
        Of::Others(bits, width) => gaps(bits, width),
    };
    for (bit, count) in runs {
        let first = Bit { leaf, bit };
        core = and(core, if count == 1 { not(BitExpr::Bit(first)) } else { BitExpr::Zeros(first, count) });
    }
    core
}

/// Sorted bits as runs.
fn neighbours(bits: Vec<u16>) -> Vec<(u16, u16)> {
    let mut out: Vec<(u16, u16)> = Vec::new();
    for bit in bits {
        match out.last_mut() {
            Some((first, count)) if *first + *count == bit => *count += 1,
            _ => out.push((bit, 1)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_what_is_left_over() {
        assert_eq!(gaps(vec![], 0), []);
        assert_eq!(gaps(vec![], 5), [(0, 5)]);
        assert_eq!(gaps(vec![0, 2, 4], 5), [(1, 1), (3, 1)]);
        assert_eq!(gaps(vec![1, 2], 5), [(0, 1), (3, 2)]);
        let last = u16::MAX - 1;
        assert_eq!(gaps(vec![last], u16::MAX.into()), [(0, last)]);
    }

    #[test]
    fn neighbours_are_put_together() {
        assert_eq!(neighbours(vec![]), []);
        assert_eq!(neighbours(vec![0, 1, 2, 5, 7, 8]), [(0, 3), (5, 1), (7, 2)]);
    }
}
