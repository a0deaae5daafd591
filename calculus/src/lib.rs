//! A relational mu-calculus over finite sorts: text, checker and symbolic solver.

pub mod bdd;
pub mod certify;
pub mod check;
pub mod diagnostic;
pub mod elaborate;
pub mod graph;
pub mod index;
pub mod phase;
pub mod plan;
pub mod relation;
pub mod show;
pub mod solve;
pub mod sort;
pub mod space;
pub mod span;
pub mod syntax;
pub mod vocabulary;
