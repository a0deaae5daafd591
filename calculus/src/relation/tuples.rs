//! Explicit relations: tuples of codes, without diagrams.
//!
//! The tuples stand in the order in which they came, so that those that came since some time are a range. Whether one is
//! there is looked up in one bit for each possible tuple, or in a hash table if there are too many. An index keeps, for
//! the codes of some columns, the codes of the others side by side.

use super::Key;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::ops::Range;

/// So many bits are kept at most for looking tuples up: 8 MiB.
const MOST_BITS: u64 = 1 << 26;

/// A sort with so many values gets a place for each of them in an index over one column.
const MOST_PLACES: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct TupleSet {
    /// How many values the sort of each column has.
    sizes: Vec<u64>,
    count: usize,
    codes: Vec<u32>,
    members: Members,
    indexes: Vec<TupleIndex>,
}

#[derive(Clone, Debug)]
enum Members {
    /// A bit for each tuple there could be, by its number: the first column counts most.
    Bits(Vec<u64>),
    /// The same numbers in a hash table, plus 1; the number of slots is a power of two.
    Packed(Vec<u64>),
    /// If those are too large: the places of tuples in the order in which they came, counted from 1.
    Table(Vec<u32>),
}

/// So many slots, one line of the processor's cache, are for tuples that differ in the last column alone: often these come
/// one after another.
const BLOCK: u64 = 8;

#[derive(Clone, Debug)]
struct TupleIndex {
    columns: Vec<usize>,
    /// The other columns, in order.
    rest: Vec<usize>,
    groups: Groups,
}

#[derive(Clone, Debug)]
enum Groups {
    /// By the code of the one column.
    Places(Vec<Vec<u32>>),
    Hashed(FxHashMap<Key, Vec<u32>>),
}

impl TupleSet {
    /// No tuples; the columns have so many values. A code must be below 2^32.
    pub fn new(sizes: Vec<u64>) -> TupleSet {
        let all = sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        let members = match all {
            Some(all) if all <= MOST_BITS => Members::Bits(vec![0; all.div_ceil(64) as usize]),
            Some(_) => Members::Packed(vec![0; 16]),
            _ => Members::Table(vec![0; 16]),
        };
        TupleSet { sizes, count: 0, codes: Vec::new(), members, indexes: Vec::new() }
    }

    pub fn width(&self) -> usize {
        self.sizes.len()
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The codes of some tuples, one after another.
    pub fn codes(&self, tuples: Range<usize>) -> &[u32] {
        &self.codes[tuples.start * self.width()..tuples.end * self.width()]
    }

    pub fn tuple(&self, number: usize) -> &[u32] {
        self.codes(number..number + 1)
    }

    pub fn contains(&self, tuple: &[u32]) -> bool {
        match &self.members {
            Members::Bits(words) => {
                let number = self.number(tuple);
                words[number / 64] >> (number % 64) & 1 == 1
            }
            Members::Packed(slots) => slots[packed_slot(slots, self.number(tuple) as u64)] != 0,
            Members::Table(slots) => slots[self.slot(slots, tuple)] != 0,
        }
    }

    /// Adds a tuple; whether it is new.
    pub fn add(&mut self, tuple: &[u32]) -> bool {
        match &self.members {
            Members::Bits(words) => {
                let number = self.number(tuple);
                let (word, bit) = (number / 64, 1 << (number % 64));
                if words[word] & bit != 0 {
                    return false;
                }
                if let Members::Bits(words) = &mut self.members {
                    words[word] |= bit;
                }
            }
            Members::Packed(slots) => {
                let number = self.number(tuple) as u64;
                let slot = packed_slot(slots, number);
                if slots[slot] != 0 {
                    return false;
                }
                if let Members::Packed(slots) = &mut self.members {
                    slots[slot] = number + 1;
                }
            }
            Members::Table(slots) => {
                let slot = self.slot(slots, tuple);
                if slots[slot] != 0 {
                    return false;
                }
                let own = u32::try_from(self.count + 1).expect("fewer than 2^32 tuples fit into memory");
                if let Members::Table(slots) = &mut self.members {
                    slots[slot] = own;
                }
            }
        }
        self.codes.extend_from_slice(tuple);
        self.count += 1;
        self.indexes.iter_mut().for_each(|index| index.insert(tuple));
        self.grow();
        true
    }

    /// The number of a tuple among all there could be.
    fn number(&self, tuple: &[u32]) -> usize {
        let codes = tuple.iter().zip(&self.sizes);
        codes.fold(0, |number, (&code, &size)| number * size as usize + code as usize)
    }

    /// The slot of a tuple, or the free one where it belongs.
    fn slot(&self, slots: &[u32], tuple: &[u32]) -> usize {
        let mut hasher = FxHasher::default();
        tuple.iter().for_each(|code| hasher.write_u32(*code));
        let mask = slots.len() - 1;
        let mut slot = hasher.finish() as usize & mask;
        loop {
            match slots[slot] {
                0 => return slot,
                own if self.tuple(own as usize - 1) == tuple => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// A third of the slots is free at least.
    fn grow(&mut self) {
        let is_full = |slots: usize| self.count * 3 >= slots * 2;
        match &mut self.members {
            Members::Packed(slots) if is_full(slots.len()) => {
                let mut larger = vec![0; slots.len() * 2];
                for &own in slots.iter().filter(|own| **own != 0) {
                    let slot = packed_slot(&larger, own - 1);
                    larger[slot] = own;
                }
                *slots = larger;
            }
            Members::Table(slots) if is_full(slots.len()) => {
                let mut larger = vec![0; slots.len() * 2];
                for number in 0..self.count {
                    let slot = self.slot(&larger, self.tuple(number));
                    larger[slot] = number as u32 + 1;
                }
                self.members = Members::Table(larger);
            }
            _ => {}
        }
    }

    /// The number of the index over these columns, some of all, made if there is none.
    pub fn index(&mut self, columns: &[usize]) -> usize {
        if let Some(at) = self.indexes.iter().position(|index| index.columns == columns) {
            return at;
        }
        let groups = match columns {
            [only] if self.sizes[*only] <= MOST_PLACES => {
                Groups::Places(vec![Vec::new(); self.sizes[*only] as usize])
            }
            _ => Groups::Hashed(FxHashMap::default()),
        };
        let rest = (0..self.width()).filter(|column| !columns.contains(column)).collect();
        let mut index = TupleIndex { columns: columns.to_vec(), rest, groups };
        (0..self.count).for_each(|number| index.insert(self.tuple(number)));
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The codes of the other columns of all tuples that have these codes in the columns of an index.
    pub fn matching(&self, index: usize, codes: &[u32]) -> &[u32] {
        match &self.indexes[index].groups {
            Groups::Places(groups) => &groups[codes[0] as usize],
            Groups::Hashed(groups) => {
                groups.get(&codes.iter().copied().collect::<Key>()).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// How many tuples there are for each choice of codes in some columns, in the mean, if these have nothing to do with each
    /// other.
    pub fn fan_out(&self, columns: &[usize]) -> u64 {
        let count = self.count as u64;
        let choices = columns.iter().map(|&column| self.distinct(column)).fold(1, u64::saturating_mul);
        count.div_ceil(choices.clamp(1, count.max(1)))
    }

    /// How many codes a column has.
    fn distinct(&self, column: usize) -> u64 {
        let codes = self.codes.iter().skip(column).step_by(self.width());
        if self.sizes[column] > MOST_PLACES {
            return codes.collect::<rustc_hash::FxHashSet<_>>().len() as u64;
        }
        let mut seen = vec![false; self.sizes[column] as usize];
        codes.map(|&code| u64::from(!std::mem::replace(&mut seen[code as usize], true))).sum()
    }

    /// The first tuples in the order of their codes.
    pub fn first(&self, limit: usize) -> Vec<&[u32]> {
        let mut tuples = (0..self.count).map(|number| self.tuple(number)).collect::<Vec<_>>();
        if limit < tuples.len() {
            tuples.select_nth_unstable(limit);
            tuples.truncate(limit);
        }
        tuples.sort_unstable();
        tuples
    }
}

/// The slot of a tuple with this number, or the free one where it belongs.
fn packed_slot(slots: &[u64], number: u64) -> usize {
    /// Spreads what differs in low bits over the high ones.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mask = slots.len() - 1;
    let block = (number / BLOCK).wrapping_mul(SPREAD).rotate_left(24) / BLOCK * BLOCK;
    let mut slot = (block | (number % BLOCK)) as usize & mask;
    loop {
        match slots[slot] {
            0 => return slot,
            own if own == number + 1 => return slot,
            _ => slot = (slot + 1) & mask,
        }
    }
}

impl TupleIndex {
    fn insert(&mut self, tuple: &[u32]) {
        let group = match &mut self.groups {
            Groups::Places(groups) => &mut groups[tuple[self.columns[0]] as usize],
            Groups::Hashed(groups) => {
                let key = self.columns.iter().map(|&column| tuple[column]).collect::<Key>();
                groups.entry(key).or_default()
            }
        };
        group.extend(self.rest.iter().map(|&column| tuple[column]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// In bits, in a table of numbers and in a table of tuples: clumps, tuples that come twice, and tuples that never come.
    #[test]
    fn a_set_has_the_tuples_that_were_added() {
        for sizes in [vec![64, 64, 64], vec![1 << 20, 1 << 12, 1 << 14], vec![1 << 32, 1 << 20, 1 << 32]] {
            let mut state = 1u64;
            let mut random = move |below: u64| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) % below
            };
            let (mut set, mut slow) = (TupleSet::new(sizes.clone()), BTreeSet::new());
            for _ in 0..3_000 {
                let first =
                    [random(sizes[0]), random(sizes[1]), random(sizes[2] / 2)].map(|code| code as u32);
                for more in 0..random(12) as u32 {
                    let tuple = [first[0], first[1], first[2] + more];
                    assert_eq!(set.contains(&tuple), slow.contains(&tuple));
                    assert_eq!(set.add(&tuple), slow.insert(tuple));
                }
            }
            assert_eq!(set.len(), slow.len());
            assert!(slow.iter().all(|tuple| set.contains(tuple)));
            assert_eq!(set.first(10), slow.iter().take(10).collect::<Vec<_>>());
            for _ in 0..3_000 {
                let tuple = [random(sizes[0]), random(sizes[1]), random(sizes[2])].map(|code| code as u32);
                assert_eq!(set.contains(&tuple), slow.contains(&tuple));
            }
            let index = set.index(&[0]);
            let first = slow.iter().next().expect("there are some")[0];
            let of_first = slow.iter().filter(|tuple| tuple[0] == first).count();
            assert_eq!(set.matching(index, &[first]).len(), 2 * of_first);
            let firsts = slow.iter().map(|tuple| tuple[0]).collect::<BTreeSet<_>>().len();
            assert_eq!(set.fan_out(&[0]), slow.len().div_ceil(firsts) as u64);
            assert_eq!(set.fan_out(&[]), slow.len() as u64);
        }
    }
}
