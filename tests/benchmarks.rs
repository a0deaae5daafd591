//! The programs under ../shared/benchmarks, read in place; without that folder these tests say so and pass.

mod benchmarks {
    pub mod algorithms;
    pub mod front_end;
    pub mod interpreter;
    pub mod manifest;
}
