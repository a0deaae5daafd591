//! Literal facts as a relation: sorted, then built from their common beginnings, so that each node is made once.
//!
//! A row becomes its key and the bits of its other columns, in the order of the diagrams. Sorted rows are a tree: those
//! that agree in the first bits stand together. The diagram is made of the tree from the leaves upwards, each node by
//! one look at the unique table. That is linear in what is read; joining the diagrams of single rows is not.

use super::{Place, Space, code};
use crate::bdd::{Bdd, Stop, Var};
use crate::elaborate::core::Scalar;
use crate::relation::{Key, Relation, TupleSet};
use crate::sort::Value;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The bits of a row, 64 in a word, the first one on top.
type Words = SmallVec<[u64; 2]>;

/// So many rows are read between two looks at the limits.
const POLL: usize = 4096;

/// Rows of values as a relation.
pub fn facts(
    space: &Space,
    scalars: &[Scalar],
    places: &[Place],
    rows: &[Vec<Value>],
) -> Result<Relation, Stop> {
    let levels = Levels::new(space, places);
    let rows = rows.iter().map(|row| {
        levels.row(
            places,
            row.iter().zip(scalars).map(|(value, scalar)| match value {
                Value::Bits(bits) => Coded::Bits(bits),
                value => Coded::Number(code(&space.sorts, scalar.sort, value)),
            }),
        )
    });
    levels.relation(space, rows)
}

/// Tuples of codes as a relation.
pub fn tuples(space: &Space, places: &[Place], set: &TupleSet) -> Result<Relation, Stop> {
    let levels = Levels::new(space, places);
    let row = |tuple: &[u32]| levels.row(places, tuple.iter().map(|code| Coded::Number(u64::from(*code))));
    levels.relation(space, (0..set.len()).map(|number| row(set.tuple(number))))
}

/// A value: its number, or the bits of one that has none.
enum Coded<'v> {
    Number(u64),
    Bits(&'v [bool]),
}

/// The variables of the symbolic columns in the order of the diagrams.
struct Levels {
    vars: Vec<Var>,
    /// Of each column, the positions of its bits among the variables.
    positions: Vec<Vec<usize>>,
}

impl Levels {
    fn new(space: &Space, places: &[Place]) -> Levels {
        let columns = places.iter().map(|place| space.place_vars(*place));
        let mut vars = columns.clone().flatten().copied().collect::<Vec<_>>();
        let mut levels = vec![0; space.manager.variable_count()];
        for (level, var) in space.manager.order().into_iter().enumerate() {
            levels[var.0 as usize] = level;
        }
        vars.sort_unstable_by_key(|var| levels[var.0 as usize]);
        for (position, var) in vars.iter().enumerate() {
            levels[var.0 as usize] = position;
        }
        let positions = columns.map(|bits| bits.iter().map(|var| levels[var.0 as usize]).collect()).collect();
        Levels { vars, positions }
    }

    fn row<'v>(&self, places: &[Place], values: impl Iterator<Item = Coded<'v>>) -> (Key, Words) {
        let mut words: Words = smallvec![0; self.vars.len().div_ceil(64)];
        let mut keys = SmallVec::<[u32; 4]>::new();
        for ((value, place), positions) in values.zip(places).zip(&self.positions) {
            let mut set = |position: usize, bit: u64| words[position / 64] |= bit << (63 - position % 64);
            match (place, value) {
                (Place::Key(_), Coded::Number(code)) => keys.push(code as u32),
                (Place::Key(_), Coded::Bits(_)) => unreachable!("keys have numbers"),
                (Place::Bits { .. }, Coded::Bits(bits)) => {
                    positions.iter().zip(bits).for_each(|(&position, bit)| set(position, u64::from(*bit)));
                }
                (Place::Bits { .. }, Coded::Number(code)) => {
                    let bits = (0..positions.len()).rev().map(|bit| code >> bit & 1);
                    positions.iter().zip(bits).for_each(|(&position, bit)| set(position, bit));
                }
            }
        }
        (keys.into_iter().collect(), words)
    }

    /// The rows as a relation.
    fn relation(
        &self,
        space: &Space,
        rows: impl ExactSizeIterator<Item = (Key, Words)>,
    ) -> Result<Relation, Stop> {
        let mut sorted = Vec::with_capacity(rows.len());
        for (number, row) in rows.enumerate() {
            if number % POLL == POLL - 1 {
                space.manager.check()?;
            }
            sorted.push(row);
        }
        sorted.sort_unstable();
        let mut relation = Relation::default();
        let mut builder = Builder { space, vars: &self.vars, ends: FxHashMap::default() };
        for of_key in sorted.chunk_by(|(left, _), (right, _)| left == right) {
            relation.add(&of_key[0].0, &builder.tree(of_key, 0)?)?;
        }
        Ok(relation)
    }
}

struct Builder<'s> {
    space: &'s Space,
    vars: &'s [Var],
    /// The diagrams of single rows from some position on, by what is left of their last word.
    ends: FxHashMap<(usize, u64), Bdd>,
}

fn bit(words: &Words, position: usize) -> bool {
    words[position / 64] >> (63 - position % 64) & 1 == 1
}

impl Builder<'_> {
    /// The diagram of sorted rows that agree in all bits before a position. There is a row.
    fn tree(&mut self, rows: &[(Key, Words)], position: usize) -> Result<Bdd, Stop> {
        let (first, last) = (&rows[0].1, &rows[rows.len() - 1].1);
        let Some(word) = (0..first.len()).find(|&word| first[word] != last[word]) else {
            return self.end(first, position);
        };
        let differs = word * 64 + (first[word] ^ last[word]).leading_zeros() as usize;
        let (low, high) = rows.split_at(rows.partition_point(|(_, words)| !bit(words, differs)));
        let (low, high) = (self.tree(low, differs + 1)?, self.tree(high, differs + 1)?);
        let branch = self.node(differs, &low, &high)?;
        self.above(first, position..differs, branch)
    }

    /// One row from a position on. Most ends of rows are those of other rows too.
    fn end(&mut self, words: &Words, position: usize) -> Result<Bdd, Stop> {
        let last_word = self.vars.len().saturating_sub(1) / 64 * 64;
        let left = |position: usize| (position, words[position / 64] << (position % 64));
        let mut known = position.max(last_word);
        let mut end = self.space.manager.one();
        while known < self.vars.len() {
            if let Some(there) = self.ends.get(&left(known)) {
                end = there.clone();
                break;
            }
            known += 1;
        }
        for position in (position.max(last_word)..known).rev() {
            end = self.above(words, position..position + 1, end)?;
            self.ends.insert(left(position), end.clone());
        }
        self.above(words, position..last_word, end)
    }

    /// A diagram below those bits of a row.
    fn above(&self, words: &Words, positions: Range<usize>, below: Bdd) -> Result<Bdd, Stop> {
        let (mut out, zero) = (below, self.space.manager.zero());
        for position in positions.rev() {
            let (low, high) = if bit(words, position) { (&zero, &out) } else { (&out, &zero) };
            out = self.node(position, low, high)?;
        }
        Ok(out)
    }

    fn node(&self, position: usize, low: &Bdd, high: &Bdd) -> Result<Bdd, Stop> {
        self.space.manager.var(self.vars[position]).ite(high, low)
    }
}
