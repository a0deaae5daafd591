//! Models: what a file other than the algorithm offers to it.

pub mod interpret;
pub mod program;
