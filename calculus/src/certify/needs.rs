//! What a verdict rests on: which relations, and from which side each must be bounded.
//!
//! That a condition does not hold is shown by a set that includes its relation and is empty; that it holds, by a
//! set inside its relation that is not. A relation that is used positively is bounded from the same side as its
//! user, one that is used under a negation from the other side.

use crate::check::tree::{Body, RelId, System, occurrences};
use crate::graph::components;
use crate::syntax::ast::DefKind;

/// From where a set bounds a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The set has all tuples of the relation.
    Upper,
    /// The relation has all tuples of the set.
    Lower,
}

impl Side {
    /// The side that a negation makes of it.
    pub fn other(self) -> Side {
        match self {
            Side::Upper => Side::Lower,
            Side::Lower => Side::Upper,
        }
    }

    /// `upper` or `lower`
    pub fn word(self) -> &'static str {
        match self {
            Side::Upper => "upper",
            Side::Lower => "lower",
        }
    }
}

/// A component of the dependency graph that the verdict rests on.
#[derive(Clone, Debug)]
pub(super) struct NeededComponent {
    pub sides: Vec<Side>,
    /// The fixed points of a recursive component, outermost first. None if there is no recursion.
    pub blocks: Vec<FixedPoints>,
    /// The relations that stand for a formula, each after those that it mentions; without recursion, the only one.
    pub plain: Vec<usize>,
}

/// Neighbours in the text of the same kind: their fixed points are taken together.
#[derive(Clone, Debug)]
pub(super) struct FixedPoints {
    /// `mu`, not `nu`.
    pub least: bool,
    pub members: Vec<usize>,
}

/// The components that the verdict at this position rests on, each after those that it mentions.
pub(super) fn needs(system: &System, verdict: usize) -> Vec<NeededComponent> {
    let uses = system.relations.iter().map(occurrences).collect::<Vec<_>>();
    let mut sides = vec![Vec::new(); uses.len()];
    let conditions = system.verdicts[..=verdict].iter().enumerate();
    let mut work = conditions
        .filter_map(|(at, one)| Some((one.condition?, if at < verdict { Side::Upper } else { Side::Lower })))
        .collect::<Vec<_>>();
    while let Some((RelId(at), side)) = work.pop() {
        let known: &mut Vec<Side> = &mut sides[at as usize];
        if known.contains(&side) {
            continue;
        }
        known.push(side);
        for used in &uses[at as usize] {
            work.push((used.relation, if used.positive { side } else { side.other() }));
        }
    }
    let mentions = |at: usize| uses[at].iter().map(|used| used.relation.0 as usize).collect::<Vec<_>>();
    let parts = components(uses.len(), mentions).into_iter().filter(|part| !sides[part[0]].is_empty());
    parts
        .map(|part| {
            // Inside a component all occurrences are positive: its members are needed from the same sides.
            let of_part = [Side::Upper, Side::Lower].into_iter().filter(|side| sides[part[0]].contains(side));
            let sides = of_part.collect();
            let recursive = part.len() > 1 || mentions(part[0]).contains(&part[0]);
            if !recursive {
                return NeededComponent { sides, blocks: Vec::new(), plain: part };
            }
            let plain =
                part.iter().copied().filter(|&at| kind(system, at) == Some(DefKind::Let)).collect::<Vec<_>>();
            let position = |at: usize| plain.iter().position(|&other| other == at);
            let below = |node: usize| mentions(plain[node]).into_iter().filter_map(position).collect();
            let plain =
                components(plain.len(), below).into_iter().flatten().map(|node| plain[node]).collect();
            NeededComponent { sides, blocks: blocks(system, &part), plain }
        })
        .collect()
}

fn kind(system: &System, at: usize) -> Option<DefKind> {
    match &system.relations[at].body {
        Body::Defined { kind, .. } => Some(*kind),
        _ => None,
    }
}

fn blocks(system: &System, part: &[usize]) -> Vec<FixedPoints> {
    let mut members = Vec::new();
    for &at in part {
        if let Body::Defined { kind: kind @ (DefKind::Mu | DefKind::Nu), order, .. } =
            system.relations[at].body
        {
            members.push((order, at, kind));
        }
    }
    members.sort_unstable_by_key(|&(order, at, _)| (order, at));
    members
        .chunk_by(|(.., before), (.., after)| before == after)
        .map(|block| FixedPoints {
            least: block[0].2 == DefKind::Mu,
            members: block.iter().map(|&(_, at, _)| at).collect(),
        })
        .collect()
}
