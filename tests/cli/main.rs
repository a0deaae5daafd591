//! Tests of the built command.

mod determinism;
mod json;
mod limits;
mod seen;
mod support;
