//! Tests of the built command.

mod batch;
mod certificates;
mod children;
mod comfort;
mod determinism;
mod documents;
mod edges;
#[path = "../../calculus/tests/effort/mod.rs"]
mod effort;
mod explain;
mod faults;
mod json;
mod limits;
mod lsp;
mod orders;
mod phases;
mod portfolio;
mod repl;
mod seen;
mod slips;
mod support;
mod symbols;
mod terminal;
