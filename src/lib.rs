//! fpsolve: models, runs and reports around the calculus.

pub mod model;
