//! Tests of the built command.

mod batch;
mod comfort;
mod determinism;
mod json;
mod limits;
mod seen;
mod support;
