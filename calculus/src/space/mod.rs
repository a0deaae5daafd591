//! The bits of every lane and slot, and the BDDs of values and equalities over them.
//!
//! A lane is a class of scalars that are copies of one thing, a slot is one of the copies. The planner and the certifier
//! each choose lanes and slots in their own way; both make them here.

mod code;
mod condition;
mod facts;
mod number;
pub(crate) mod rows;
pub mod weave;

pub(crate) use code::{code, decode, encode, value_of};
pub(crate) use facts::{facts, tuples};

use crate::bdd::{Bdd, Cube, Manager, Stop, Var};
use crate::sort::{SortId, Sorts, Value};
use crate::vocabulary::Weave;
use std::ops::Range;

/// Where a scalar column lives: at a position of the key, or in a slot of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// At this position of the key.
    Key(usize),
    /// In bits: a copy of a lane.
    Bits {
        /// Which lane.
        lane: usize,
        /// Which of its copies.
        slot: usize,
    },
}

/// Some bits of some copies of one lane, or all of them: those that are neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneSlots {
    /// The number of the lane.
    pub lane: usize,
    /// The scalar sort of each copy.
    pub sort: SortId,
    /// Which of its bits, the most significant being the first.
    pub bits: Range<usize>,
    /// The slots in the order that their bits should have: neighbours here are neighbours there.
    pub slots: Vec<usize>,
}

/// Neighbouring bits of the same copies as one entry.
pub(crate) fn runs(entries: impl IntoIterator<Item = LaneSlots>) -> Vec<LaneSlots> {
    let mut out: Vec<LaneSlots> = Vec::new();
    for entry in entries {
        match out.last_mut() {
            Some(last)
                if last.lane == entry.lane
                    && last.bits.end == entry.bits.start
                    && last.slots == entry.slots =>
            {
                last.bits.end = entry.bits.end;
            }
            _ => out.push(entry),
        }
    }
    out
}

/// The bits of all lanes, in one manager.
pub(crate) struct Space {
    /// Where the bits are variables.
    pub manager: Manager,
    /// The sorts of all scalars.
    pub sorts: Sorts,
    /// For each lane and slot the bits, the most significant first.
    bits: Vec<Vec<Vec<Var>>>,
    lane_sorts: Vec<SortId>,
}

impl Space {
    /// Makes the variables: entry after entry as they are given, bit after bit, the copies of one bit side by side as a
    /// group. Each bit of each slot of a lane is in one entry. Bits that are woven are where the last of their sorts is.
    pub fn new(manager: Manager, sorts: Sorts, lanes: &[LaneSlots], woven: &[Weave]) -> Result<Space, Stop> {
        let count = lanes.iter().map(|lane| lane.lane + 1).max().unwrap_or(0);
        let mut made: Vec<Vec<Vec<Option<Var>>>> = vec![Vec::new(); count];
        let mut lane_sorts = vec![Sorts::BOOL; count];
        for LaneSlots { lane, sort, slots, .. } in lanes {
            lane_sorts[*lane] = *sort;
            let copies = &mut made[*lane];
            let last = slots.iter().max().map_or(0, |slot| slot + 1);
            copies.resize(copies.len().max(last), vec![None; sorts.bits(*sort) as usize]);
        }
        for (entry, bit) in weave::sequence(&sorts, lanes, woven) {
            let LaneSlots { lane, slots, .. } = &lanes[entry];
            let group = if slots.is_empty() { Vec::new() } else { manager.new_group(slots.len())? };
            slots.iter().zip(group).for_each(|(&slot, var)| made[*lane][slot][bit] = Some(var));
        }
        let all = |bits: Vec<Option<Var>>| bits.into_iter().flatten().collect::<Vec<_>>();
        let bits = made.into_iter().map(|copies| copies.into_iter().map(all).collect()).collect();
        Ok(Space { manager, sorts, bits, lane_sorts })
    }

    /// The bits of a slot, the most significant first.
    pub fn vars(&self, lane: usize, slot: usize) -> &[Var] {
        &self.bits[lane][slot]
    }

    /// The same; a key has none.
    pub fn place_vars(&self, place: Place) -> &[Var] {
        match place {
            Place::Key(_) => &[],
            Place::Bits { lane, slot } => self.vars(lane, slot),
        }
    }

    /// The bits as they stand now, from the top of the diagrams down.
    pub fn order(&self) -> Vec<LaneSlots> {
        let mut places = vec![None; self.manager.variable_count()];
        for (lane, copies) in self.bits.iter().enumerate() {
            for (slot, bits) in copies.iter().enumerate() {
                bits.iter()
                    .enumerate()
                    .for_each(|(bit, var)| places[var.0 as usize] = Some((lane, slot, bit)));
            }
        }
        let mut out = Vec::new();
        let mut seen = vec![false; places.len()];
        for var in self.manager.order() {
            if seen[var.0 as usize] {
                continue;
            }
            let group = self.manager.group_of(var);
            group.iter().for_each(|member| seen[member.0 as usize] = true);
            let places = group.iter().filter_map(|member| places[member.0 as usize]).collect::<Vec<_>>();
            if let Some(&(lane, _, bit)) = places.first() {
                let slots = places.iter().map(|(_, slot, _)| *slot).collect();
                out.push(LaneSlots { lane, sort: self.lane_sorts[lane], bits: bit..bit + 1, slots });
            }
        }
        runs(out)
    }

    /// The bits of several places together.
    pub fn cube(&self, places: impl IntoIterator<Item = Place>) -> Result<Cube, Stop> {
        let vars = places.into_iter().flat_map(|place| self.place_vars(place).to_vec()).collect::<Vec<_>>();
        self.manager.cube(&vars)
    }

    /// The slot holds a value of the sort, not a pattern that encodes none.
    pub fn valid(&self, lane: usize, slot: usize) -> Result<Bdd, Stop> {
        let sort = self.lane_sorts[lane];
        let bits = self.vars(lane, slot);
        match self.sorts.scalar_size(sort) {
            // A symbol sort without texts has no bits either.
            Some(0) => Ok(self.manager.zero()),
            Some(size) if size < 1u64 << bits.len() => {
                let bits = bits.iter().map(|&var| self.manager.var(var)).collect::<Vec<_>>();
                self.at_most(&bits, u128::from(size - 1))
            }
            _ => Ok(self.manager.one()),
        }
    }

    /// The slot holds this value.
    pub fn is_value(&self, lane: usize, slot: usize, value: &Value) -> Result<Bdd, Stop> {
        let code = encode(&self.sorts, self.lane_sorts[lane], value);
        let mut out = self.manager.one();
        for (&var, bit) in self.vars(lane, slot).iter().zip(code).rev() {
            out = out.and(&self.manager.literal(var, bit))?;
        }
        Ok(out)
    }

    /// Both slots hold the same pattern.
    pub fn equal(&self, lane: usize, left: usize, right: usize) -> Result<Bdd, Stop> {
        let pairs = self.vars(lane, left).iter().zip(self.vars(lane, right));
        let mut out = self.manager.one();
        for (&a, &b) in pairs.rev() {
            out = self.manager.var(a).iff(&self.manager.var(b))?.and(&out)?;
        }
        Ok(out)
    }
}
