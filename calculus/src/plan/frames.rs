//! Frames: what an edge of a model leaves alone is kept as equalities of bits. Where an atom of such a relation takes an
//! old state and gives a new one, the new one can go on in the old one's place, and most of its bits need no work.

use super::operations::Takeover;
use super::order::RuleStep;
use crate::elaborate::core::{Arg, Atom};
use crate::space::Place;
use crate::vocabulary::Row;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The pairs of columns that frames connect, most often connected first; nothing if there are no frames.
pub(super) fn framed_columns(rows: &[Row], columns: &[Place]) -> Option<Vec<(usize, usize)>> {
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let symbolic = |leaf: u16| matches!(columns[usize::from(leaf)], Place::Bits { .. });
    for run in rows.iter().flat_map(|row| &row.equal) {
        let (left, right) = (run.left.leaf, run.right.leaf);
        if symbolic(left) && symbolic(right) {
            *counts.entry((usize::from(left), usize::from(right))).or_default() += usize::from(run.count);
        }
    }
    let mut counts = counts.into_iter().collect::<Vec<_>>();
    counts.sort_by_key(|&(pair, count)| (Reverse(count), pair));
    (!counts.is_empty()).then(|| counts.into_iter().map(|(pair, _)| pair).collect())
}

/// The variables of an atom that can go on in the place of others: frames connect their columns, the old one is bound
/// before and forgotten here, the new one begins here.
pub(super) fn takeovers(
    atom: &Atom,
    framed: &[(usize, usize)],
    columns: &[Place],
    step: &RuleStep,
    alive: &[bool],
    places: &[Place],
) -> Vec<Takeover> {
    let lane = |column: usize| match columns[column] {
        Place::Bits { lane, .. } => Some(lane),
        Place::Key(_) => None,
    };
    let once = |var: usize| atom.args.iter().filter(|arg| **arg == Arg::Var(var)).count() == 1;
    let mut out: Vec<Takeover> = Vec::new();
    for (from, to) in framed.iter().flat_map(|&(left, right)| [(left, right), (right, left)]) {
        let (&Arg::Var(old), &Arg::Var(new)) = (&atom.args[from], &atom.args[to]) else { continue };
        let ends = alive[old] && step.forget.contains(&old);
        let begins = !alive[new] && !step.forget.contains(&new);
        let free = !out.iter().any(|other| other.old == old || other.new == new);
        if lane(from) == lane(to) && ends && begins && once(old) && once(new) && free {
            let (columns, places) = ((columns[from], columns[to]), (places[old], places[new]));
            out.push(Takeover { old, new, columns, places });
        }
    }
    out
}
