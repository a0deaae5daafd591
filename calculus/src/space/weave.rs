//! The order of the bits of all lanes before anything is solved. Bits of different sorts take turns where the model says
//! that they meet.

use super::LaneSlots;
use crate::sort::{Sort, SortId, Sorts};
use crate::vocabulary::Weave;
use std::collections::BTreeMap;

/// The entries with the numbers of their bits, from the top of the order to the bottom, each once.
pub fn sequence(sorts: &Sorts, lanes: &[LaneSlots], woven: &[Weave]) -> Vec<(usize, usize)> {
    let named = |sort: SortId| match sorts.get(sort) {
        Sort::Opaque { name, .. } => Some(name.to_string()),
        _ => None,
    };
    let mut entries: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (entry, lane) in lanes.iter().enumerate().filter(|(_, lane)| !lane.slots.is_empty()) {
        if let Some(name) = named(lane.sort) {
            entries.entry(name).or_default().push(entry);
        }
    }
    // The entry where each weave is.
    let mut place = Vec::new();
    let mut weave_of = BTreeMap::new();
    for (number, weave) in woven.iter().enumerate() {
        let has = |sort: &str, bit: u16| {
            let entries = entries.get(sort).into_iter().flatten().copied();
            entries.filter(move |entry| lanes[*entry].bits.contains(&usize::from(bit)))
        };
        place.push(weave.iter().flat_map(|(sort, bit)| has(sort, *bit)).max());
        weave_of.extend(weave.iter().map(|(sort, bit)| ((sort.as_str(), usize::from(*bit)), number)));
    }
    let mut out = Vec::new();
    for (entry, lane) in lanes.iter().enumerate() {
        let name = named(lane.sort).filter(|_| !lane.slots.is_empty());
        for bit in lane.bits.clone() {
            match name.as_ref().and_then(|name| weave_of.get(&(name.as_str(), bit))) {
                None => out.push((entry, bit)),
                Some(weave) if place[*weave] == Some(entry) => {
                    // The others of the weave find that it is there.
                    place[*weave] = None;
                    let here = woven[*weave].iter().flat_map(|(sort, bit)| {
                        let entries = entries.get(sort).into_iter().flatten();
                        let bit = usize::from(*bit);
                        let those = entries.filter(move |entry| lanes[**entry].bits.contains(&bit));
                        those.map(move |entry| (*entry, bit))
                    });
                    out.extend(here);
                }
                Some(_) => {}
            }
        }
    }
    out
}
