//! What a tuple of the vocabulary says about a run: how it begins, who moves, and whether it ends at a target.

use super::{CALL, INITIAL, RET, START, STEP, StateLeaves, TARGET};
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
        state: [&'a Value; 3],
        /// Shared values before and after.
        before: &'a [bool],
        after: &'a [bool],
    },
    /// The run ends at a target.
    Target,
}

/// The move of `step(q, s, q', s')`, `call(q, s, e)` and `ret(q, x, sx, q', s')`: what it leads to, and the leaf of the
/// shared values before it.
const MOVES: [(&str, StateLeaves, u16); 3] = [
    (STEP.name, STEP.side("q'", "s'"), STEP.shared("s")),
    (CALL.name, CALL.side("e", "s"), CALL.shared("s")),
    (RET.name, RET.side("q'", "s'"), RET.shared("sx")),
];

/// Whether the tuples of a relation are moves.
pub(super) fn is_move(relation: &str) -> bool {
    MOVES.iter().any(|(name, ..)| *name == relation)
}

/// Reads a tuple of a relation as scalar leaves. Nothing if the relation tells nothing about runs.
pub fn event<'a>(relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
    let leaf = |leaf: u16| tuple.get(usize::from(leaf));
    let bits = |at: u16| match leaf(at) {
        Some(Value::Bits(bits)) => Some(bits.as_slice()),
        _ => None,
    };
    let state = |of: &StateLeaves| Some([leaf(of.pc)?, leaf(of.own)?, leaf(of.local)?]);
    if relation == TARGET.name {
        return Some(RunEvent::Target);
    }
    if relation == INITIAL.name {
        return Some(RunEvent::Initial { shared: bits(INITIAL.shared("s"))? });
    }
    if relation == START.name {
        let position = indices.first().copied().unwrap_or(0);
        return Some(RunEvent::Begin { position, state: state(&START.state("q"))? });
    }
    let (_, to, before) = MOVES.iter().find(|(name, ..)| *name == relation)?;
    Some(RunEvent::Move { state: state(to)?, before: bits(*before)?, after: bits(to.shared?)? })
}
