//! The moves of a run, as `explain` reads them from a derivation and a model executes them.

use calculus::sort::Value;

/// A thread that takes part in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// 0 is `init`; nothing for a thread that another one made.
    pub position: Option<i64>,
    /// How the file names it with `by`, if not by its position.
    pub seat: Option<i64>,
    /// Location, own and local values with which it begins.
    pub state: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Index into [`Moves::parts`]; nothing if all threads move and none of them makes the step.
    pub part: Option<usize>,
    /// The part that is made with it.
    pub new: Option<usize>,
    pub round: Option<i64>,
    /// Location, own and local values after it, nothing where the program does not move; shared values after it.
    pub state: Vec<Value>,
    pub shared: Vec<bool>,
    /// Shared values before it.
    pub before: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
pub struct Moves {
    pub parts: Vec<Part>,
    /// The shared values with which it all begins, if the derivation tells them.
    pub initial: Option<Vec<bool>>,
    pub moves: Vec<Move>,
    pub end: MovesEnd,
}

/// Where the moves lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MovesEnd {
    /// Wherever they end.
    #[default]
    Anywhere,
    /// A thread is at a target then.
    Target,
    /// The moves behind the first `from` ones are repeated forever.
    Repeat { from: usize, met: Vec<MetCondition> },
}

/// A condition that holds again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetCondition {
    /// The least fixed point, and the clause by which it comes to the greatest one around it.
    pub condition: String,
    pub clause: String,
    /// After so many moves.
    pub after: usize,
}
