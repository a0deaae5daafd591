//! Which bits of a new state go on in the places of the old one, for a row with a frame.
//!
//! A takeover lets a variable of a rule go on in the place of another. Of a row, those bits can do so that its frame
//! keeps and of whose new copies nothing else is said. The others move. Frames are runs, and they are compared as
//! runs: the work for a row is what it changes, not what it leaves alone.

use crate::bdd::Var;
use crate::relation::EqualRun;
use rustc_hash::FxHashMap;

/// Pairs of bits: one that moves and its place, or two that are equal.
type BitPairs = Vec<(Var, Var)>;

/// The takeovers of an atom, bit by bit.
pub struct Takeovers {
    all: Vec<TakeoverBits>,
    /// Where the bits of the relation's columns stand.
    standing: FxHashMap<Var, TakenBit>,
}

struct TakeoverBits {
    /// Bits of the old and of the new column, in the relation.
    columns: Vec<(Var, Var)>,
    /// The same bits in the rule's places: old, new.
    places: Vec<(Var, Var)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct TakenBit {
    takeover: usize,
    bit: usize,
    new: bool,
}

/// That a row says something of neighbouring bits of a new column.
struct Mention {
    first: usize,
    end: usize,
    /// No more than that they equal the old ones.
    keeps: bool,
}

impl Takeovers {
    /// Each takeover as the pairs of bits of its columns and of its places.
    pub fn new(all: impl Iterator<Item = (Vec<(Var, Var)>, Vec<(Var, Var)>)>) -> Takeovers {
        let all = all.map(|(columns, places)| TakeoverBits { columns, places }).collect::<Vec<_>>();
        let mut standing = FxHashMap::default();
        for (takeover, of) in all.iter().enumerate() {
            for (bit, &(old, new)) in of.columns.iter().enumerate() {
                standing.insert(old, TakenBit { takeover, bit, new: false });
                standing.insert(new, TakenBit { takeover, bit, new: true });
            }
        }
        Takeovers { all, standing }
    }

    /// The old bits in the rule's places.
    pub fn old_places(&self) -> impl Iterator<Item = Var> {
        self.all.iter().flat_map(|of| of.places.iter().map(|(old, _)| *old))
    }

    /// The bits that move for a row, as places, and the equalities of its frame that then must be said. `touched` are
    /// the bits of which the row speaks without its frame.
    pub fn moves(&self, touched: &[Var], frame: &[EqualRun]) -> (BitPairs, BitPairs) {
        let mut mentions = self.all.iter().map(|_| Vec::new()).collect::<Vec<Vec<Mention>>>();
        let mut rest = Vec::new();
        for at in touched.iter().filter_map(|var| self.standing.get(var)).filter(|at| at.new) {
            mentions[at.takeover].push(Mention { first: at.bit, end: at.bit + 1, keeps: false });
        }
        for run in frame {
            let sides = [run.left(), run.right()].map(|side| Some(*self.standing.get(side.first()?)?));
            let count = run.left().len();
            let mention = |at: TakenBit, keeps| Mention { first: at.bit, end: at.bit + count, keeps };
            if let [Some(left), Some(right)] = sides
                && (left.takeover, left.bit, left.new) == (right.takeover, right.bit, !right.new)
            {
                mentions[left.takeover].push(mention(left, true));
                continue;
            }
            for at in sides.into_iter().flatten().filter(|at| at.new) {
                mentions[at.takeover].push(mention(at, false));
            }
            rest.extend(run.pairs());
        }
        let mut moves = Vec::new();
        for (of, mentions) in self.all.iter().zip(&mentions) {
            for (first, end, kept) in moving(of.places.len(), mentions) {
                moves.extend_from_slice(&of.places[first..end]);
                if kept {
                    rest.extend_from_slice(&of.columns[first..end]);
                }
            }
        }
        (moves, rest)
    }
}

/// The bits, from first to end, that are not mentioned exactly once to be kept; and whether one of several mentions
/// keeps them.
fn moving(width: usize, mentions: &[Mention]) -> Vec<(usize, usize, bool)> {
    let mut edges = mentions
        .iter()
        .flat_map(|at| [(at.first, 1, i64::from(at.keeps)), (at.end, -1, -i64::from(at.keeps))])
        .chain([(width, 0, 0)])
        .collect::<Vec<(usize, i64, i64)>>();
    edges.sort_unstable_by_key(|(at, ..)| *at);
    let (mut out, mut from) = (Vec::new(), 0);
    let (mut spoken, mut keeping) = (0, 0);
    for (at, more, keeps) in edges {
        if from < at && (spoken, keeping) != (1, 1) {
            out.push((from, at, keeping > 0));
        }
        from = at;
        spoken += more;
        keeping += keeps;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stay_that_are_only_said_to_stay() {
        let mention = |(first, end, keeps)| Mention { first, end, keeps };
        let moving = |mentions: &[(usize, usize, bool)]| {
            moving(10, &mentions.iter().copied().map(mention).collect::<Vec<_>>())
        };
        assert_eq!(moving(&[]), [(0, 10, false)]);
        assert_eq!(moving(&[(0, 10, true)]), []);
        assert_eq!(moving(&[(0, 4, true), (5, 10, true)]), [(4, 5, false)]);
        assert_eq!(moving(&[(0, 10, true), (3, 4, false)]), [(3, 4, true)]);
        assert_eq!(moving(&[(0, 6, true), (4, 10, true)]), [(4, 6, true)]);
        assert_eq!(moving(&[(2, 4, false), (9, 10, true)]), [(0, 2, false), (2, 4, false), (4, 9, false)]);
    }
}
