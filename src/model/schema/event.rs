//! What a tuple of the vocabulary says about a run: a thread begins, or it moves.

use super::{CALL, RET, START, STEP, StateLeaves};
use calculus::sort::Value;

/// What a tuple tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent<'a> {
    /// A thread at this position begins.
    Begin { position: i64 },
    /// A thread goes on to a state (location, own and local values).
    Move {
        state: [&'a Value; 3],
        /// Shared values before and after.
        before: &'a [bool],
        after: &'a [bool],
    },
}

/// The move of `step(q, s, q', s')`, `call(q, s, e)` and `ret(q, x, sx, q', s')`: what it leads to, and the leaf of the
/// shared values before it.
const MOVES: [(&str, StateLeaves, u16); 3] = [
    (STEP.name, STEP.side("q'", "s'"), STEP.shared("s")),
    (CALL.name, CALL.side("e", "s"), CALL.shared("s")),
    (RET.name, RET.side("q'", "s'"), RET.shared("sx")),
];

/// Reads a tuple of a relation as scalar leaves. Nothing if the relation tells nothing about runs.
pub fn event<'a>(relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
    if relation == START.name {
        return Some(RunEvent::Begin { position: indices.first().copied().unwrap_or(0) });
    }
    let (_, to, before) = MOVES.iter().find(|(name, ..)| *name == relation)?;
    let leaf = |leaf: u16| tuple.get(usize::from(leaf));
    let bits = |at: u16| match leaf(at) {
        Some(Value::Bits(bits)) => Some(bits.as_slice()),
        _ => None,
    };
    Some(RunEvent::Move {
        state: [leaf(to.pc)?, leaf(to.own)?, leaf(to.local)?],
        before: bits(*before)?,
        after: bits(to.shared?)?,
    })
}
