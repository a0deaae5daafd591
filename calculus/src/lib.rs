//! A relational mu-calculus over finite sorts: text, checker and symbolic solver.

pub mod bdd;
pub mod diagnostic;
pub mod syntax;
