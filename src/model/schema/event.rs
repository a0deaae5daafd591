//! What a tuple of the vocabulary says about a run: how it begins, who moves, and whether it ends at a target.

use super::{
    BROADCAST, CALL, COVER, COVER_SHARED, INITIAL, MOVE_ALL, PASSIVE, RET, SPAWN, START, STEP, StateLeaves,
    TARGET,
};
use calculus::sort::Value;
use std::borrow::Cow;

/// What a tuple tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent<'a> {
    /// The run begins with these shared values.
    Initial { shared: Cow<'a, [bool]> },
    /// A thread at this position begins, in this state (location, own and local values).
    Begin { position: i64, state: Vec<Value> },
    /// A thread goes on to a state (location, own and local values).
    Move {
        /// Who it is, if the tuple says it.
        position: Option<i64>,
        /// Where it was.
        from: Vec<Value>,
        state: Vec<Value>,
        /// Shared values before and after.
        before: Cow<'a, [bool]>,
        after: Cow<'a, [bool]>,
        /// Where a thread begins that is made with this step.
        new: Option<Vec<Value>>,
    },
    /// Where the last move of the thread at a position leads, if its own tuple did not say it.
    Completes { position: i64, state: Vec<Value>, before: Vec<bool>, after: Vec<bool> },
    /// All threads move, and none of them makes the step. Shared values before and after; where one of them was, and where
    /// it goes.
    MoveAll { before: Cow<'a, [bool]>, after: Cow<'a, [bool]>, from: Vec<Value>, state: Vec<Value> },
    /// Another thread is moved with the step that was told last: where it was, and where it goes.
    Moved { from: Vec<Value>, state: Vec<Value> },
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

/// Whether `by` and `at` can mark the tuples of a relation: moves, threads that begin, and threads that others move.
pub(super) fn can_be_marked(relation: &str) -> bool {
    [START.name, MOVE_ALL.name, PASSIVE.name].contains(&relation)
        || MOVES.iter().any(|(name, ..)| *name == relation)
}

/// Reads a tuple of a relation as scalar leaves. Nothing if the relation tells nothing about runs.
pub fn event<'a>(relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
    let leaf = |leaf: u16| tuple.get(usize::from(leaf));
    let bits = |at: u16| match leaf(at) {
        Some(Value::Bits(bits)) => Some(Cow::Borrowed(bits.as_slice())),
        _ => None,
    };
    let state =
        |of: &StateLeaves| Some([leaf(of.pc)?, leaf(of.own)?, leaf(of.local)?].map(Value::clone).to_vec());
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
        let (from, state) = (state(&MOVE_ALL.state("p"))?, state(&MOVE_ALL.state("p'"))?);
        return Some(RunEvent::MoveAll { before, after, from, state });
    }
    if relation == PASSIVE.name {
        return Some(RunEvent::Moved {
            from: state(&PASSIVE.state("p"))?,
            state: state(&PASSIVE.state("p'"))?,
        });
    }
    let (_, from, to) = MOVES.iter().find(|(name, ..)| *name == relation)?;
    let new = if relation == SPAWN.name { Some(state(&SPAWN.state("n"))?) } else { None };
    let (before, after) = (bits(from.shared?)?, bits(to.shared?)?);
    Some(RunEvent::Move { position: None, from: state(from)?, state: state(to)?, before, after, new })
}
