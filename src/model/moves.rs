//! The moves of a run, as `explain` reads them from a derivation and a model executes them.

use calculus::sort::Value;

/// A thread that takes part in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// 0 is `init`.
    pub position: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Index into [`Moves::parts`].
    pub part: usize,
    pub round: Option<i64>,
    /// Location, own and local values after it; shared values after it.
    pub state: Vec<Value>,
    pub shared: Vec<bool>,
    /// Shared values before it.
    pub before: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
pub struct Moves {
    pub parts: Vec<Part>,
    pub moves: Vec<Move>,
}
