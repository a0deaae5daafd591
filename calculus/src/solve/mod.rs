//! Solving: dependency components in order, least and greatest fixed points, limits and statistics.

mod absent;
mod bind;
mod component;
mod derive;
mod driver;
mod evaluate;
mod explain;
mod explicit;
mod history;
mod kept;
mod nest;
mod nested;
mod observer;
mod possible;
mod queries;
mod ranked;
mod restrict;
mod rounds;
mod samples;
mod solver;
mod statistics;
mod takeover;
mod tuples;
mod watch;

pub use absent::{Attempt, known_args};
pub use derive::{Case, Derivation, DerivationNode, Reason, Universal};
pub use driver::{Answer, Ending, Progress, QueryAnswer, Settings, Strategy, Tell, solve, solve_on};
pub use explain::{Explanation, Goal, Pattern, Player, STRATEGY_MOST, explain};
pub use explicit::Explicit;
pub use history::Effort;
pub use kept::Kept;
pub use restrict::text_order;
pub use samples::{Sample, Samples};
pub use statistics::{ClauseStats, Count, Phases, RelationStats, Statistics};
pub use tuples::Tuples;
