//! fpsolve: models, runs and reports around the calculus.
