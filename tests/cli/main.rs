//! Tests of the built command.

mod certificates;
mod determinism;
mod json;
mod limits;
mod seen;
mod support;
