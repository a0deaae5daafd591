//! Which numbers of the vocabulary stand for which states, and how they print.
//!
//! Local states are locations and shared states are shared values, by their own numbers. Behind them come those that the file
//! has not.
//!
//! - `passive` knows a broadcast by where its thread is before and after it. If two broadcasts agree in that and move other
//!   threads differently, the second one leads to a location of its own. Nobody else is scheduled there, and a step leads on.
//! - `move_all` knows a transition by its shared states alone. If two agree in that, the second leads to a shared state of its own,
//!   from which the only way leads on.
//! - A target of one thread, or of none, is a location: whoever is in the target can go there. If a thread is only ever
//!   *brought* to a local state together with the target's shared state, that local state itself is the target.

use super::system::{Kind, System, Target};
use crate::model::schema;
use calculus::sort::Value;
use calculus::vocabulary::Show;
use std::collections::BTreeMap;

/// What a location stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Local(u32),
    /// Behind a broadcast with these transfers, before this local state.
    Between(u32, Vec<(u32, u32)>),
    /// In a target.
    Target,
}

/// What a shared value stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharedPlace {
    Shared(u32),
    /// Behind the transition with which all threads at a local state go to another, before this shared state.
    Between(u32, (u32, u32)),
    /// Bits that mean nothing.
    Nothing,
}

/// Local states before and after, of the threads that others move.
type Transfers = Vec<(u32, u32)>;

pub struct Layout {
    pub locals: u32,
    pub shared: u32,
    /// The locations behind the local states.
    pub places: Vec<Place>,
    /// The shared values behind the shared states.
    pub shared_places: Vec<SharedPlace>,
    /// Bits of a location, and of the shared values.
    pub pc_bits: u16,
    pub shared_bits: u16,
    /// The first broadcast for each way of its thread.
    broadcasts: BTreeMap<(u32, u32, u32, u32), Transfers>,
    /// The same for transitions of all threads.
    sweeps: BTreeMap<(u32, u32), (u32, u32)>,
}

impl Layout {
    pub fn new(system: &System) -> Layout {
        let mut this = Layout {
            locals: system.locals,
            shared: system.shared,
            places: Vec::new(),
            shared_places: Vec::new(),
            pc_bits: 0,
            shared_bits: 0,
            broadcasts: BTreeMap::new(),
            sweeps: BTreeMap::new(),
        };
        for transition in &system.transitions {
            let ((s, s2), (l, l2)) = (transition.shared, transition.local);
            match &transition.kind {
                Kind::Broadcast(transfers) => {
                    let first = this.broadcasts.entry((s, l, s2, l2)).or_insert_with(|| transfers.clone());
                    let between = Place::Between(l2, transfers.clone());
                    if first != transfers && !this.places.contains(&between) {
                        this.places.push(between);
                    }
                }
                Kind::All if !transition.does_nothing() => {
                    let first = *this.sweeps.entry((s, s2)).or_insert((l, l2));
                    let between = SharedPlace::Between(s2, (l, l2));
                    if first != (l, l2) && !this.shared_places.contains(&between) {
                        this.shared_places.push(between);
                    }
                }
                _ => {}
            }
        }
        if system.targets.iter().any(|target| target.threads.len() < 2 && !is_local(system, target)) {
            this.places.push(Place::Target);
        }
        this.pc_bits = bits(this.locations());
        this.shared_bits = bits(this.shared + this.shared_places.len() as u32);
        this
    }

    pub fn locations(&self) -> u32 {
        self.locals + self.places.len() as u32
    }

    /// The location that stands for a target.
    pub fn target(&self) -> Option<u32> {
        let at = self.places.iter().position(|place| *place == Place::Target)?;
        Some(self.locals + at as u32)
    }

    /// The locations at which nobody else is scheduled, with where they lead and what was moved before.
    pub fn between(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (self.locals..).zip(&self.places).filter_map(|(number, place)| match place {
            Place::Between(to, _) => Some((number, *to)),
            _ => None,
        })
    }

    /// The shared values between two, with where they lead.
    pub fn shared_between(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (self.shared..).zip(&self.shared_places).filter_map(|(number, place)| match place {
            SharedPlace::Between(to, _) => Some((number, *to)),
            _ => None,
        })
    }

    /// The location that a broadcast leads to.
    pub fn behind(&self, (s, l, s2, l2): (u32, u32, u32, u32), transfers: &[(u32, u32)]) -> u32 {
        if self.broadcasts.get(&(s, l, s2, l2)).is_some_and(|first| first == transfers) {
            return l2;
        }
        let is =
            |place: &Place| matches!(place, Place::Between(to, moved) if *to == l2 && moved == transfers);
        let at = self.places.iter().position(is).expect("every broadcast has a place behind it");
        self.locals + at as u32
    }

    /// The shared value that a transition of all threads leads to.
    pub fn shared_behind(&self, (s, s2): (u32, u32), moved: (u32, u32)) -> u32 {
        if self.sweeps.get(&(s, s2)) == Some(&moved) {
            return s2;
        }
        let between = SharedPlace::Between(s2, moved);
        let at = self.shared_places.iter().position(|place| *place == between);
        self.shared + at.expect("every transition of all threads has a place behind it") as u32
    }

    pub fn place(&self, location: u64) -> Place {
        match u32::try_from(location).ok().filter(|local| *local < self.locals) {
            Some(local) => Place::Local(local),
            None => {
                let at = usize::try_from(location).ok().map(|at| at - self.locals as usize);
                at.and_then(|at| self.places.get(at)).cloned().unwrap_or(Place::Target)
            }
        }
    }

    pub fn shared_place(&self, bits: &[bool]) -> SharedPlace {
        let number = bits.iter().fold(0, |number, bit| number << 1 | u32::from(*bit));
        if number < self.shared {
            return SharedPlace::Shared(number);
        }
        let place = self.shared_places.get((number - self.shared) as usize);
        place.cloned().unwrap_or(SharedPlace::Nothing)
    }
}

/// Bits for so many values.
fn bits(count: u32) -> u16 {
    (u32::BITS - count.saturating_sub(1).leading_zeros()) as u16
}

/// Whether threads are brought to the local state of a target only together with its shared state.
pub fn is_local(system: &System, target: &Target) -> bool {
    let [local] = target.threads[..] else { return false };
    let begins = system.initial.bounded.iter().chain(&system.initial.unbounded).any(|at| *at == local);
    let brings = system.transitions.iter().filter(|transition| {
        let moved = match &transition.kind {
            Kind::Broadcast(transfers) => transfers.iter().any(|(_, to)| *to == local),
            _ => false,
        };
        moved || transition.local.1 == local
    });
    let mut brings = brings.map(|transition| transition.shared.1);
    (!begins || system.initial.shared == target.shared) && brings.all(|shared| shared == target.shared)
}

impl Show for Layout {
    fn show(&self, sort: &str, value: &Value) -> Option<String> {
        match value {
            Value::Name(pc) if sort == schema::PC.name => Some(match self.place(*pc) {
                Place::Local(local) => local.to_string(),
                Place::Between(local, _) => format!("before {local}"),
                Place::Target => "target".into(),
            }),
            Value::Bits(bits) if sort == schema::SHARED.name => Some(match self.shared_place(bits) {
                SharedPlace::Shared(shared) => shared.to_string(),
                SharedPlace::Between(shared, _) => format!("before {shared}"),
                SharedPlace::Nothing => "none".into(),
            }),
            Value::Record(parts) if sort == schema::STATE => self.show(schema::PC.name, parts.first()?),
            _ => None,
        }
    }
}
