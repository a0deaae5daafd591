//! Slots: every symbolic column and every rule variable gets a copy of its lane's bits.
//!
//! Columns of one relation, and variables of one rule, need different slots of a lane. Where a variable has
//! the slot of the column it fills, nothing is renamed; columns are placed so that this happens often: each
//! column votes with the slots of the columns that its variable meets in relations placed before.

use super::lanes::Lanes;
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Core, Rule};
use crate::index::IdVec;
use crate::space::{LaneSlots, Place};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Where every scalar lives.
#[derive(Clone, Debug)]
pub struct Placement {
    /// For each relation and column.
    pub columns: IdVec<RelId, Vec<Place>>,
    /// For each relation, rule and symbolic variable; keys are numbered by variable.
    pub vars: IdVec<RelId, Vec<Vec<Place>>>,
    /// The lanes in the order their bits should have.
    pub lanes: Vec<usize>,
    /// For each lane, its slots in the order their bits should have, best neighbours side by side.
    pub slots: Vec<Vec<usize>>,
}

impl Placement {
    /// The copies of the lanes, those that belong together side by side.
    pub(super) fn usual(&self, core: &Core, lanes: &Lanes) -> Vec<LaneSlots> {
        let whole = |&lane: &usize| LaneSlots {
            lane,
            sort: lanes.sorts[lane],
            bits: 0..lanes.bits(&core.sorts, lane) as usize,
            slots: self.slots[lane].clone(),
        };
        self.lanes.iter().map(whole).collect()
    }
}

/// Wishes of scalars for slots: taken greedily by weight, each slot once.
#[derive(Default)]
struct Votes {
    weights: BTreeMap<(usize, usize), u32>,
}

impl Votes {
    fn add(&mut self, scalar: usize, slot: usize, weight: u32) {
        *self.weights.entry((scalar, slot)).or_default() += weight;
    }

    /// A slot for each scalar with a lane; slots differ within a lane.
    fn assign(self, lanes: &[Option<usize>]) -> Vec<Option<usize>> {
        let mut wishes = self.weights.into_iter().collect::<Vec<_>>();
        wishes.sort_by_key(|&((scalar, slot), weight)| (Reverse(weight), scalar, slot));
        let mut slots: Vec<Option<usize>> = vec![None; lanes.len()];
        let mut taken: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for ((scalar, slot), _) in wishes {
            let Some(lane) = lanes[scalar] else { continue };
            let taken = taken.entry(lane).or_default();
            if slots[scalar].is_none() && !taken.contains(&slot) {
                slots[scalar] = Some(slot);
                taken.push(slot);
            }
        }
        for (scalar, lane) in lanes.iter().enumerate() {
            let Some(lane) = lane else { continue };
            let taken = taken.entry(*lane).or_default();
            if slots[scalar].is_none() {
                let free = (0..).find(|slot| !taken.contains(slot));
                slots[scalar] = free;
                taken.extend(free);
            }
        }
        slots
    }
}

/// Places everything. `parts` lists the relations that are solved together, those that others rest on first.
pub fn place(core: &Core, lanes: &Lanes, parts: &[Vec<RelId>]) -> Placement {
    let mut columns = core.relations.filled(Vec::new());
    let mut placed = core.relations.filled(false);
    for at in parts.iter().flat_map(|part| widest_first(core, part)) {
        columns[at] = place_columns(core, lanes, at, &columns, &placed);
        placed[at] = true;
    }
    let vars = lanes.vars.map(|(at, lanes)| {
        let rules = core.rules(at).iter().zip(lanes);
        rules.map(|(rule, lanes)| place_vars(core, lanes, at, rule, &columns)).collect()
    });
    let slots = arrange(core, lanes, &columns, &vars);
    Placement { columns, vars, lanes: widest_last(core, lanes), slots }
}

/// Of relations that rest on each other the widest are placed first. Rows with many columns are many, and narrow ones are
/// made of them: these go to where the wide ones have their columns. What stands for a part of a formula goes last.
fn widest_first(core: &Core, part: &[RelId]) -> Vec<RelId> {
    let mut part = part.to_vec();
    part.sort_by_key(|&at| (core.is_auxiliary(at), Reverse(core.relations[at].columns.len())));
    part
}

/// The widest lane, mostly that of the shared variables, is below the others: what is wide depends on what is narrow,
/// shared variables on locations and locals. Lanes of one thread stay together.
fn widest_last(core: &Core, lanes: &Lanes) -> Vec<usize> {
    let mut order = (0..lanes.sorts.len()).collect::<Vec<_>>();
    let widest = order.iter().map(|&lane| lanes.bits(&core.sorts, lane)).max();
    order.sort_by_key(|&lane| Some(lanes.bits(&core.sorts, lane)) == widest);
    order
}

fn place_columns(
    core: &Core,
    lanes: &Lanes,
    at: RelId,
    columns: &IdVec<RelId, Vec<Place>>,
    placed: &IdVec<RelId, bool>,
) -> Vec<Place> {
    let mut votes = Votes::default();
    for rule in core.rules(at) {
        for atom in rule.atoms.iter().filter(|atom| placed[atom.relation]) {
            for (arg, place) in atom.args.iter().zip(&columns[atom.relation]) {
                let Place::Bits { lane, slot } = place else { continue };
                for (column, head) in rule.head.iter().enumerate() {
                    let same = lanes.columns[at][column] == Some(*lane);
                    if same && matches!(arg, Arg::Var(_)) && head == arg {
                        votes.add(column, *slot, 1);
                    }
                }
            }
        }
    }
    finish(votes.assign(&lanes.columns[at]), &lanes.columns[at])
}

/// How much a variable wants the slot of a column. What is derived is renamed in every round. Where the old state
/// of a step stands in its column, the new one can take that place over, so that the head needs no renaming either:
/// old states come before heads. Views of facts and models are made once: they only settle what is equal otherwise.
const DERIVED: u32 = 400;
const HEAD: u32 = 300;
const GIVEN: u32 = 1;

fn place_vars(
    core: &Core,
    lanes: &[Option<usize>],
    at: RelId,
    rule: &Rule,
    columns: &IdVec<RelId, Vec<Place>>,
) -> Vec<Place> {
    let mut votes = Votes::default();
    let mut wish = |args: &[Arg], places: &[Place], weight: u32| {
        for (arg, place) in args.iter().zip(places) {
            // Facts may have been placed in another lane.
            if let (Arg::Var(var), Place::Bits { lane, slot }) = (arg, place)
                && lanes[*var] == Some(*lane)
            {
                votes.add(*var, *slot, weight);
            }
        }
    };
    wish(&rule.head, &columns[at], HEAD);
    for atom in &rule.atoms {
        let weight = if core.is_defined(atom.relation) { DERIVED } else { GIVEN };
        wish(&atom.args, &columns[atom.relation], weight);
    }
    finish(votes.assign(lanes), lanes)
}

/// Scalars without a lane are keys, numbered among themselves.
fn finish(slots: Vec<Option<usize>>, lanes: &[Option<usize>]) -> Vec<Place> {
    let mut keys = 0..;
    slots
        .into_iter()
        .zip(lanes)
        .map(|(slot, lane)| match (slot, lane) {
            (Some(slot), Some(lane)) => Place::Bits { lane: *lane, slot },
            _ => Place::Key(keys.next().expect("an endless range")),
        })
        .collect()
}

/// The slots of each lane: those that hold the same leaf of a record or vector side by side.
fn arrange(
    core: &Core,
    lanes: &Lanes,
    columns: &IdVec<RelId, Vec<Place>>,
    vars: &IdVec<RelId, Vec<Vec<Place>>>,
) -> Vec<Vec<usize>> {
    let mut ordinals: Vec<BTreeMap<usize, u32>> = vec![BTreeMap::new(); lanes.sorts.len()];
    let mut see = |place: &Place, ordinal: u32| {
        if let Place::Bits { lane, slot } = place {
            ordinals[*lane].entry(*slot).or_insert(ordinal);
        }
    };
    for (places, relation) in columns.iter().zip(&core.relations) {
        places.iter().zip(&relation.columns).for_each(|(place, scalar)| see(place, scalar.ordinal));
    }
    for (at, of_relation) in vars.entries() {
        for (places, rule) in of_relation.iter().zip(core.rules(at)) {
            places.iter().zip(&rule.vars).for_each(|(place, scalar)| see(place, scalar.ordinal));
        }
    }
    ordinals
        .into_iter()
        .map(|slots| {
            let mut slots = slots.into_iter().collect::<Vec<_>>();
            slots.sort_by_key(|&(slot, ordinal)| (ordinal, slot));
            slots.into_iter().map(|(slot, _)| slot).collect()
        })
        .collect()
}
