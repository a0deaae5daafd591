//! Outcomes and diagnostics as text and as JSON: values in, strings out.

pub mod derivation;
pub mod diagnostics;
pub mod dot;
pub mod json;
pub mod model;
pub mod sarif;
pub mod statistics;
pub mod table;
pub mod text;
pub mod trace;
mod units;

pub use units::{bytes, duration};

/// How wide text may be where no terminal says.
pub const WIDTH: usize = 100;
