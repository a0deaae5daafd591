//! From the core to plans: where columns and variables live, and for each rule one list of operations.
//!
//! Nothing here knows about decision diagrams: a place is a lane and a slot in it. A plan is final: what `--show plan`
//! prints is what runs.
//!
//! | file | what it decides |
//! |---|---|
//! | `lanes` | which scalars are copies of one thing |
//! | `placement` | which copy each column and variable has |
//! | `columns` | the order of their bits where definitions are over facts |
//! | `nearness`, `values`, `linear` | which bits should be near each other, and an order in which they are |
//! | `arrangement` | in which order their bits stand |
//! | `written` | an order as a hint |
//! | `order` | in which order atoms are joined, and when variables are forgotten |
//! | `rule` | the operations with the places of their variables |
//! | `frames` | which variables take over the place of others |
//! | `late` | what is forgotten one operation later |
//! | `growth` | which members of a component shrink while the others grow |

mod arrangement;
mod columns;
mod frames;
mod growth;
mod lanes;
mod late;
mod linear;
mod nearness;
mod operations;
mod order;
mod placement;
mod rule;
mod values;
mod written;

pub use growth::shrinking;
pub use operations::{
    AtomPlan, HeadPlan, KeySource, Operation, OperationKind, OutKey, Plan, Takeover, ViewPlan,
};
pub use order::{FanOut, RuleStepKind, explicit_steps};
pub use placement::Placement;
pub use rule::{Planner, RuleToPlan};
pub use written::{column_names, written_order};
