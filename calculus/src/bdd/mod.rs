//! Binary decision diagrams: safe handles over CUDD, and the only unsafe code of the project.
//!
//! A [`Manager`] owns the diagrams; a [`Bdd`] is one Boolean function in it, counted by reference. Functions are
//! unique: two handles are equal exactly when their functions are. The order of the variables may change under
//! any operation, so nothing here depends on it but speed.
//!
//! Everything that can create nodes returns `Result<_, Stop>`. A [`Stop`] means that a limit was reached (see
//! [`Limits`]); the operation is given up, while all handles obtained before stay valid, and the statistics can
//! be read. Mistakes of the caller (handles of two managers in one operation, an unknown variable) panic.
//!
//! | file | what it decides |
//! |---|---|
//! | `ffi` | the C functions used, as CUDD 3.0.0 declares them |
//! | `core` | one CUDD manager: how operations start and end, what CUDD calls back |
//! | `limits` | deadline, memory, nodes, interruption |
//! | `manager` | settings, constants, variables, statistics |
//! | `order` | groups of variables, reordering |
//! | `handle` | reference counting, identity and shape of a function |
//! | `ops` | the Boolean operations |
//! | `cube` | prepared sets of variables and prepared renamings |
//! | `count`, `assignments` | how many, and which ones |
//! | `stored` | functions outside of any manager |

mod assignments;
mod core;
mod count;
mod cube;
mod ffi;
mod handle;
mod held;
mod limits;
mod manager;
mod ops;
mod order;
mod stored;

pub use assignments::Assignments;
pub use count::count_all;
pub use cube::{Cube, Renaming};
pub use handle::Bdd;
pub use limits::{Limits, Stop, StopReason, resident_bytes};
pub use manager::{Manager, ManagerSettings, Stats};
pub use order::Reorder;
pub use stored::Stored;

/// A variable, by its number in order of creation. The number never changes; the place in the order does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    fn from_index(index: impl TryInto<u32>) -> Var {
        Var(index.try_into().ok().expect("CUDD numbers variables from 0"))
    }

    fn index(self) -> std::ffi::c_int {
        std::ffi::c_int::try_from(self.0).expect("variables are numbered by C ints")
    }
}
