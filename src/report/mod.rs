//! Outcomes and diagnostics as text, JSON and HTML: values in, strings out.

pub mod components;
pub mod derivation;
pub mod diagnostics;
pub mod html;
pub mod json;
pub mod model;
pub mod profile;
pub mod rows;
pub mod sarif;
pub mod stages;
pub mod statistics;
pub mod stopped;
pub mod strategy;
pub mod table;
pub mod text;
pub mod trace;
mod units;

pub use units::{bytes, duration, shell_word};

/// How wide text may be where no terminal says.
pub const WIDTH: usize = 100;
