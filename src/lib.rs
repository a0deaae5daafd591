//! fpsolve: models, runs and reports around the calculus.
//!
//! | folder | what it does |
//! |---|---|
//! | `bundled` | the algorithms that come with the binary |
//! | `model` | what a program offers to an algorithm, and the explicit interpreter |
//! | `run` | one run: a file, a model and settings give a verdict, answers and statistics |
//! | `explain` | derivations and the runs they stand for |
//! | `report` | outcomes and diagnostics as text and as JSON |
//! | `batch` | many runs, each in a process of its own: rows, results, summary |
//! | `portfolio` | several algorithms for one program, by a plan: the first proof or error ends it |
//! | `refine` | predicates from runs that only an abstraction has |
//! | `export` | the elaborated system for other solvers |
//! | `lsp` | a server for editors |
//! | `cli` | the command line; the only place that prints or exits |

pub mod batch;
pub mod bundled;
pub mod cli;
pub mod explain;
pub mod export;
pub mod lsp;
pub mod model;
pub mod portfolio;
pub mod refine;
pub mod report;
pub mod run;
