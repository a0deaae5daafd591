//! Solving: dependency components in order, least and greatest fixed points, limits and statistics.

mod component;
mod derive;
mod driver;
mod evaluate;
mod kept;
mod layered;
mod nested;
mod observer;
mod queries;
mod rule;
mod samples;
mod solver;
mod statistics;
mod tuples;

pub use component::shrinking;
pub use derive::{
    Attempt, Derivation, Explanation, Goal, Node, Pattern, Reason, explain, known_args, text_order,
};
pub use driver::{Answer, Ending, Progress, QueryAnswer, Settings, Strategy, Tell, solve, solve_on};
pub use kept::Kept;
pub use layered::Effort;
pub use samples::{Sample, Samples};
pub use statistics::{ClauseStats, Count, Phases, RelationStats, Statistics};
pub use tuples::Tuples;
