//! A component of nested fixed points: its blocks, the components inside them, and what is known of each.
//!
//! The solution of an inner component is a function of the relations outside of it that it reads. The function is monotone:
//! let E and F be values of what it reads, and let E lie below F. Then its least solution for E lies below the least one
//! for F. So a least fixed point for F can be computed from the solution for E instead of from nothing; dually for a
//! greatest fixed point, which goes on from a solution for more. (Browne, Clarke, Jha, Long, Marrero: An improved
//! algorithm for the evaluation of fixpoint expressions.) Whether E lies below F is looked at each time, never inferred:
//! a wrong guess about which solution fits costs time, and no answer.
//!
//! Which solution to look at: in μX νY μZ, the block Y begins anew for each value of X. Its first value is the same each
//! time, its second one is larger for a larger X, and so on. So the solution of Z for the j-th value of Y is looked up
//! when Y has its j-th value again. In general the place of a solution is given by the rounds of the blocks of the other
//! kind around it. Blocks outside of all blocks of its own kind do not count: their rounds never come back.

use crate::bdd::Stop;
use crate::check::tree::RelId;
use crate::elaborate::core::{Core, CoreBody, RuleKind};
use crate::index::IdVec;
use crate::plan::shrinking;
use crate::relation::{Key, Relation, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

/// So many solutions of a component are kept at most: their diagrams stay in memory.
const KEPT: usize = 4096;

/// A component inside others, or the outermost one.
pub(super) struct Nest {
    pub members: Vec<RelId>,
    pub form: NestForm,
    /// What it mentions of the components around it.
    reads: Vec<RelId>,
    solutions: BTreeMap<Vec<u32>, Solution>,
}

/// How a component is solved.
pub(super) enum NestForm {
    /// It is one formula.
    Once,
    /// Least fixed points alone, by following what is new.
    Rounds,
    /// Guesses for a block, for each of which the rest is solved.
    Block {
        kind: RuleKind,
        block: Vec<RelId>,
        inner: Vec<Nest>,
        /// How often it was guessed the last time.
        rounds: u32,
    },
}

/// The values of the members for values of what is read.
struct Solution {
    reads: Vec<Snapshot>,
    members: Vec<Snapshot>,
}

/// Where a component begins.
pub(super) enum NestStart {
    /// From nothing, or from everything.
    Anew,
    /// From the values that its members have now. What is new in the relations that it reads (or what they lost, if they shrink
    /// while others grow) has not been followed yet.
    From(Vec<(RelId, Vec<(Key, crate::bdd::Bdd)>)>),
    /// Its members have their values already.
    Solved,
}

/// What is around a component while it is solved.
pub(super) struct Surroundings {
    /// Relations that shrink while the fixed points grow.
    shrinking: BTreeSet<RelId>,
    /// The kinds of the blocks from the outside in, each with the number of its round.
    rounds: Vec<(RuleKind, u32)>,
}

impl Surroundings {
    pub fn new(core: &Core, part: &[RelId]) -> Surroundings {
        Surroundings { shrinking: shrinking(core, part).into_iter().collect(), rounds: Vec::new() }
    }

    pub fn enter(&mut self, kind: RuleKind, round: u32) {
        self.rounds.push((kind, round));
    }

    pub fn leave(&mut self) {
        self.rounds.pop();
    }
}

impl Nest {
    /// The component with these members. `by_rounds` says whether one is solved by following what is new.
    pub fn new(core: &Core, members: &[RelId], by_rounds: &impl Fn(&[RelId]) -> bool) -> Nest {
        Nest::inside(core, members, &members.iter().copied().collect(), by_rounds)
    }

    fn inside(
        core: &Core,
        members: &[RelId],
        outermost: &BTreeSet<RelId>,
        by_rounds: &impl Fn(&[RelId]) -> bool,
    ) -> Nest {
        let read = members.iter().flat_map(|&at| core.dependencies(at)).collect::<BTreeSet<_>>();
        let reads = read.into_iter().filter(|at| outermost.contains(at) && !members.contains(at)).collect();
        let form = if !core.is_recursive(members) {
            NestForm::Once
        } else if by_rounds(members) {
            NestForm::Rounds
        } else {
            let (kind, block) = outer_block(core, members);
            let rest = members.iter().copied().filter(|at| !block.contains(at)).collect::<Vec<_>>();
            let inner = core.components_among(&rest).into_iter();
            let inner = inner.map(|part| Nest::inside(core, &part, outermost, by_rounds)).collect();
            NestForm::Block { kind, block, inner, rounds: 0 }
        };
        Nest { members: members.to_vec(), form, reads, solutions: BTreeMap::new() }
    }

    fn kind(&self) -> RuleKind {
        match self.form {
            NestForm::Once => RuleKind::Inline,
            NestForm::Rounds => RuleKind::Mu,
            NestForm::Block { kind, .. } => kind,
        }
    }

    /// The place of a solution.
    fn place(&self, around: &Surroundings) -> Vec<u32> {
        let own = self.kind();
        let inside = around.rounds.iter().skip_while(|(kind, _)| *kind != own);
        inside.filter(|(kind, _)| *kind != own).map(|(_, round)| *round).collect()
    }

    /// Gives the members the values of a solution that fits, if one is known.
    pub fn recall(
        &self,
        relations: &mut IdVec<RelId, Relation>,
        around: &Surroundings,
    ) -> Result<NestStart, Stop> {
        // Where there were fewer rounds the last time, the last one of them may fit.
        let Some((_, known)) = self.solutions.range(..=self.place(around)).next_back() else {
            return Ok(NestStart::Anew);
        };
        let mut changes = Vec::new();
        for (&at, before) in self.reads.iter().zip(&known.reads) {
            let now = relations[at].snapshot();
            if before.same(&now) {
                continue;
            }
            // Which of the two must have all tuples of the other.
            let up = match self.kind() {
                RuleKind::Inline => return Ok(NestStart::Anew),
                RuleKind::Mu => !around.shrinking.contains(&at),
                RuleKind::Nu => around.shrinking.contains(&at),
            };
            let (small, large) = if up { (before, &now) } else { (&now, before) };
            if !small.is_within(large)? {
                return Ok(NestStart::Anew);
            }
            match (&self.form, large.minus(small)?) {
                (NestForm::Rounds, Some(change)) => changes.push((at, change)),
                (NestForm::Rounds, None) => return Ok(NestStart::Anew),
                _ => changes.push((at, Vec::new())),
            }
        }
        for (&at, value) in self.members.iter().zip(&known.members) {
            relations[at].restore(value);
        }
        Ok(if changes.is_empty() { NestStart::Solved } else { NestStart::From(changes) })
    }

    /// Takes note that the members have the values of their solution.
    pub fn remember(&mut self, relations: &IdVec<RelId, Relation>, around: &Surroundings) {
        let mut place = self.place(around);
        if self.solutions.len() >= KEPT && !self.solutions.contains_key(&place) {
            return;
        }
        let values = |of: &[RelId]| of.iter().map(|&at| relations[at].snapshot()).collect();
        let solution = Solution { reads: values(&self.reads), members: values(&self.members) };
        let before = self.solutions.insert(place.clone(), solution);
        // If there are more rounds now than before, what fitted the last one fits those after it.
        if let (Some(before), Some(last)) = (before, place.last_mut()) {
            *last += 1;
            self.solutions.entry(place).or_insert(before);
        }
    }
}

/// The first definitions in the text, as far as they are of one kind. In a family, a smaller index stands before a larger
/// one, and relations have their ids in that order.
fn outer_block(core: &Core, members: &[RelId]) -> (RuleKind, Vec<RelId>) {
    let mut fixed = members
        .iter()
        .copied()
        .filter_map(|at| match &core.relations[at].body {
            CoreBody::Rules { kind: kind @ (RuleKind::Mu | RuleKind::Nu), order, .. } => {
                Some((*order, *kind, at))
            }
            _ => None,
        })
        .collect::<Vec<_>>();
    fixed.sort_by_key(|(order, _, at)| (*order, *at));
    let first = fixed[0].1;
    (first, fixed.into_iter().take_while(|(_, kind, _)| *kind == first).map(|(_, _, at)| at).collect())
}
