//! Bits for the locals of all flows. Those that are never needed at the same time have the same ones, and bits of the same
//! significance stand together.
//!
//! Wide numbers have tracks: two of one track have the same bits for the same significance, in every flow. So what meets one of
//! them can have its bits beside theirs ([`super::weave`]); if the third bit of one number were the fifth one of another,
//! no order would be good for both.

use super::weave::WIDE;
use crate::model::program::cfg::liveness::{self, Locals};

/// What the locals of a flow need.
pub struct Needs {
    pub widths: Vec<u32>,
    /// For each local those that are alive somewhere where it is.
    together: Vec<Locals>,
    /// Locals that have bits of their own, even if nobody reads them.
    alone: Locals,
}

impl Needs {
    pub fn new(widths: Vec<u32>, live: &[Locals], alone: Locals) -> Needs {
        let together = together(widths.len(), live);
        Needs { widths, together, alone }
    }

    fn count(&self) -> usize {
        self.widths.len()
    }

    /// Whether a local shares bits: some path reads it.
    fn shares(&self, local: usize) -> bool {
        self.together[local].iter().next().is_some() && !self.alone.contains(local as u32)
    }

    fn is_wide(&self, local: usize) -> bool {
        self.widths[local] >= WIDE && self.shares(local)
    }

    /// For each wide local the first track on which no other one is that is alive with it.
    fn tracks(&self) -> Vec<Option<usize>> {
        let mut tracks: Vec<Option<usize>> = vec![None; self.count()];
        for local in (0..self.count()).filter(|local| self.is_wide(*local)) {
            let taken =
                self.together[local].iter().filter_map(|other| tracks[other as usize]).collect::<Vec<_>>();
            tracks[local] = (0..).find(|track| !taken.contains(track));
        }
        tracks
    }
}

/// For each track its bits, from the least significant one on.
pub struct Tracks(Vec<Vec<u32>>);

impl Tracks {
    /// The tracks of all flows, as wide as the widest number on each, and with their bits interleaved.
    pub fn of(flows: &[Needs]) -> Tracks {
        let mut widths: Vec<u32> = Vec::new();
        for needs in flows {
            for (track, width) in needs.tracks().into_iter().zip(&needs.widths) {
                let Some(track) = track else { continue };
                widths.resize(widths.len().max(track + 1), 0);
                widths[track] = widths[track].max(*width);
            }
        }
        Tracks(interleaved(&widths))
    }

    /// The bits of each local that needs any. Small ones get the first bits that no local has with which they are alive
    /// somewhere: all of them their first bits, then all their second ones, and so on.
    pub fn bits(&self, needs: &Needs) -> Vec<Option<Vec<u32>>> {
        let of_track = |(local, track): (usize, Option<usize>)| match track {
            Some(track) => Some(self.0[track].iter().copied().take(needs.widths[local] as usize).collect()),
            None => needs.shares(local).then(Vec::new),
        };
        let mut bits: Vec<Option<Vec<u32>>> = needs.tracks().into_iter().enumerate().map(of_track).collect();
        // Which bits are taken, by the round in which that was found out.
        let most =
            self.0.iter().map(|track| track.len() as u32).chain(needs.widths.iter().copied()).sum::<u32>();
        let mut taken = vec![usize::MAX; most as usize];
        let mut round = 0;
        for significance in 0..WIDE {
            let small = |local: &usize| needs.widths[*local] > significance && !needs.is_wide(*local);
            for local in (0..needs.count()).filter(small) {
                if bits[local].is_none() {
                    continue;
                }
                // Those that have no bits yet take none.
                let near = needs.together[local].iter().filter_map(|other| bits[other as usize].as_ref());
                near.flatten().for_each(|bit| taken[*bit as usize] = round);
                let free = (0..).find(|bit| taken[*bit as usize] != round);
                bits[local].iter_mut().for_each(|bits| bits.extend(free));
                round += 1;
            }
        }
        let first = bits.iter().flatten().flatten().map(|bit| bit + 1).max().unwrap_or(0);
        let alone = needs.alone.iter().map(|local| needs.widths[local as usize]).collect::<Vec<_>>();
        for (local, own) in needs.alone.iter().zip(interleaved(&alone)) {
            bits[local as usize] = Some(own.into_iter().map(|bit| first + bit).collect());
        }
        bits
    }
}

/// Bits that are nobody else's.
pub fn own(widths: &[u32]) -> Vec<Option<Vec<u32>>> {
    interleaved(widths).into_iter().map(Some).collect()
}

/// The first bits of all, then the second ones of those that have them, and so on.
fn interleaved(widths: &[u32]) -> Vec<Vec<u32>> {
    let mut bits = vec![Vec::new(); widths.len()];
    let mut next = 0;
    for significance in 0..widths.iter().copied().max().unwrap_or(0) {
        for (bits, _) in bits.iter_mut().zip(widths).filter(|(_, width)| **width > significance) {
            bits.push(next);
            next += 1;
        }
    }
    bits
}

/// For each local the locals that are alive somewhere where it is. Neighbouring locations differ in little: two locals that
/// were both alive at the one before are known to be together.
fn together(count: usize, live: &[Locals]) -> Vec<Locals> {
    let mut together = vec![Locals::none(count); count];
    let mut before = &Locals::none(count);
    for locals in live {
        for local in locals.without(before).iter() {
            together[local as usize].add(locals);
        }
        before = locals;
    }
    liveness::make_symmetric(&mut together);
    together
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The locals that are alive at each location.
    fn needs(widths: &[u32], live: &[&[u32]]) -> Needs {
        let set = |locals: &&[u32]| {
            let mut set = Locals::none(widths.len());
            locals.iter().for_each(|local| set.insert(*local));
            set
        };
        let live = live.iter().map(set).collect::<Vec<_>>();
        Needs::new(widths.to_vec(), &live, Locals::none(widths.len()))
    }

    #[test]
    fn wide_numbers_have_one_place_for_each_significance() {
        // Two numbers that are alive together, one that is alive alone, and a flag beside that one.
        let flow = needs(&[6, 6, 8, 1], &[&[0, 1], &[2, 3], &[]]);
        let other = needs(&[8], &[&[0]]);
        let tracks = Tracks::of(&[flow, other]);
        let flow = needs(&[6, 6, 8, 1], &[&[0, 1], &[2, 3], &[]]);
        let bits = tracks.bits(&flow);
        let [one, two, alone, flag] = &bits[..] else { panic!("four locals") };
        let (one, two, alone) = (one.as_ref().unwrap(), two.as_ref().unwrap(), alone.as_ref().unwrap());
        assert_eq!(one[..], alone[..6], "they are on one track");
        assert_eq!(*alone, tracks.bits(&needs(&[8], &[&[0]]))[0].clone().unwrap(), "in another flow, too");
        assert!(one.iter().all(|bit| !two.contains(bit)));
        assert!(!alone.contains(&flag.as_ref().unwrap()[0]));
    }

    #[test]
    fn small_locals_share_bits_if_they_are_not_alive_together() {
        let flow = needs(&[1, 2, 1, 1], &[&[0, 1], &[2], &[]]);
        let bits = Tracks::of(&[]).bits(&flow);
        assert_eq!(bits, [Some(vec![0]), Some(vec![1, 2]), Some(vec![0]), None]);
    }
}
