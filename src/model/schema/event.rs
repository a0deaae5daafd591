//! What a tuple of the vocabulary says about a run: how it begins, who moves, and whether it ends at a target.

use super::{
    BROADCAST, CALL, COVER, COVER_SHARED, INITIAL, MOVE_ALL, RET, SPAWN, START, STEP, StateLeaves, TARGET,
};
use calculus::sort::Value;

/// What a tuple tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent<'a> {
    /// The run begins with these shared values.
    Initial { shared: &'a [bool] },
    /// A thread at this position begins, in this state (location, own and local values).
    Begin { position: i64, state: [&'a Value; 3] },
    /// A thread goes on to a state (location, own and local values).
    Move {
        /// Where it was.
        from: [&'a Value; 3],
        state: [&'a Value; 3],
        /// Shared values before and after.
        before: &'a [bool],
        after: &'a [bool],
        /// Where a thread begins that is made with this step.
        new: Option<[&'a Value; 3]>,
    },
    /// All threads move, and none of them makes the step. Shared values before and after.
    MoveAll { before: &'a [bool], after: &'a [bool] },
    /// The run ends at a target.
    Target,
}

/// The moves of a thread, `step(q, s, q', s')` and the like: where it was and what it leads to, each with its shared
/// values.
const MOVES: [(&str, StateLeaves, StateLeaves); 5] = [
    (STEP.name, STEP.side("q", "s"), STEP.side("q'", "s'")),
    (SPAWN.name, SPAWN.side("q", "s"), SPAWN.side("q'", "s'")),
    (BROADCAST.name, BROADCAST.side("q", "s"), BROADCAST.side("q'", "s'")),
    (CALL.name, CALL.side("q", "s"), CALL.side("e", "s")),
    (RET.name, RET.side("x", "sx"), RET.side("q'", "s'")),
];

/// Whether `by` and `at` can mark the tuples of a relation: moves, and threads that begin.
pub(super) fn can_be_marked(relation: &str) -> bool {
    relation == START.name || relation == MOVE_ALL.name || MOVES.iter().any(|(name, ..)| *name == relation)
}

/// Reads a tuple of a relation as scalar leaves. Nothing if the relation tells nothing about runs.
pub fn event<'a>(relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
    let leaf = |leaf: u16| tuple.get(usize::from(leaf));
    let bits = |at: u16| match leaf(at) {
        Some(Value::Bits(bits)) => Some(bits.as_slice()),
        _ => None,
    };
    let state = |of: &StateLeaves| Some([leaf(of.pc)?, leaf(of.own)?, leaf(of.local)?]);
    if [TARGET.name, COVER.name, COVER_SHARED.name].contains(&relation) {
        return Some(RunEvent::Target);
    }
    if relation == INITIAL.name {
        return Some(RunEvent::Initial { shared: bits(INITIAL.shared("s"))? });
    }
    if relation == START.name {
        let position = indices.first().copied().unwrap_or(0);
        return Some(RunEvent::Begin { position, state: state(&START.state("q"))? });
    }
    if relation == MOVE_ALL.name {
        let (before, after) = (bits(MOVE_ALL.shared("s"))?, bits(MOVE_ALL.shared("s'"))?);
        return Some(RunEvent::MoveAll { before, after });
    }
    let (_, from, to) = MOVES.iter().find(|(name, ..)| *name == relation)?;
    let new = if relation == SPAWN.name { Some(state(&SPAWN.state("n"))?) } else { None };
    let (before, after) = (bits(from.shared?)?, bits(to.shared?)?);
    Some(RunEvent::Move { from: state(from)?, state: state(to)?, before, after, new })
}
