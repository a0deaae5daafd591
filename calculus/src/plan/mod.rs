//! How rules are evaluated: where columns and variables live, and in which order atoms are joined.
//!
//! Nothing here knows about decision diagrams: a place is a lane and a slot in it, a step says which variables
//! it binds and which it may forget.

mod lanes;
mod order;
mod placement;

pub use lanes::Lanes;
pub use order::{KeySource, OutKey, Step, StepKind, plan_rule};
pub use placement::{Placement, place};
