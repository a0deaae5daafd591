//! Which relations grow and which shrink while the fixed points of a component grow.

use crate::check::tree::RelId;
use crate::elaborate::core::{Core, RuleKind};
use std::collections::BTreeMap;

/// The members of a component that shrink while its fixed points grow, those that others rest on first.
pub fn shrinking(core: &Core, part: &[RelId]) -> Vec<RelId> {
    // Growing relations are reached from fixed points through an even number of negations.
    let mut shrinks: BTreeMap<RelId, bool> = BTreeMap::new();
    let is_fixed = |at: RelId| matches!(core.kind(at), Some(RuleKind::Mu | RuleKind::Nu));
    let mut work = part.iter().filter(|at| is_fixed(**at)).map(|at| (*at, false)).collect::<Vec<_>>();
    while let Some((at, shrinking)) = work.pop() {
        if shrinks.insert(at, shrinking).is_some() {
            continue;
        }
        for atom in core.atoms(at) {
            if part.contains(&atom.relation) && !shrinks.contains_key(&atom.relation) {
                work.push((atom.relation, shrinking != atom.negative));
            }
        }
    }
    let members =
        shrinks.into_iter().filter(|(_, shrinking)| *shrinking).map(|(at, _)| at).collect::<Vec<_>>();
    core.components_among(&members).into_iter().flatten().collect()
}
