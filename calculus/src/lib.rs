//! A relational mu-calculus over finite sorts: text, checker and symbolic solver.
//!
//! A file defines relations by equations, as least (`mu`) or greatest (`nu`) solutions, and asks for some of them. Nothing
//! here knows about programs: a model that a file may `use` is a [`vocabulary`] of sorts and relations. The language is
//! described in `REFERENCE.md`.
//!
//! # From a text to an answer
//!
//! ```
//! use calculus::check::{self, Options};
//! use calculus::elaborate::elaborate;
//! use calculus::solve::{Ending, Settings, solve};
//! use calculus::sort::Value;
//!
//! let text = "
//!     range Node = 0..3;
//!     rel edge(x: Node, y: Node) = { (0, 1), (1, 2), (3, 0) };
//!     mu Reach(x: Node) =
//!           begin: x = 0
//!         | step: exists y. Reach(y) & edge(y, x);
//!     query Reached(x: Node) = Reach(x);
//!     query Far = Reach(3);
//!     verdict unsafe if Far;
//!     verdict safe;
//! ";
//!
//! // Reads the file and the files that it uses; here there are none.
//! let (mut program, mistakes) = check::load("reach.fp", text, &|_, _| Err("no such file".into()));
//! assert!(mistakes.is_empty());
//!
//! // Checks names, sorts and recursion. All mistakes are found together, each with places and a way out.
//! let (system, warnings) = check::check(&mut program, &Options::default()).expect("no mistakes");
//! assert!(warnings.is_empty());
//!
//! // Turns equations into rules, and solves them.
//! let (core, _warnings) = elaborate(&system);
//! let answer = solve(&system, &core, &Settings::default());
//!
//! assert!(matches!(answer.ending, Ending::Verdict { number: 1, .. }), "safe: 3 is not reached");
//! let reached = answer.queries[0].tuples.as_ref().expect("no limit was reached");
//! let nodes = [0, 1, 2].map(|node| vec![Value::Int(node)]);
//! assert_eq!(reached.rows, nodes);
//! ```
//!
//! # The rooms
//!
//! | module | from | to |
//! |---|---|---|
//! | [`span`], [`diagnostic`] | | places in texts; what is wrong there, below everything |
//! | [`syntax`] | text | a tree of what is written, and back |
//! | [`check`] | trees | the checked [system](check::tree::System): every instance, names and sorts decided |
//! | [`elaborate`] | the system | the [core](elaborate::core::Core): rules over scalars |
//! | [`plan`] | the core | where columns live, and in which order atoms are joined |
//! | [`solve`] | plans | an [answer](solve::Answer), statistics, derivations |
//! | [`certify`] | the system | a proof of `safe` that is checked without the solver |
//! | [`space`], [`bdd`] | | bits of columns, and decision diagrams: the only unsafe code |

#![warn(missing_docs)]

pub mod bdd;
pub mod certify;
pub mod check;
pub mod diagnostic;
pub mod elaborate;
pub mod graph;
pub mod index;
pub mod phase;
pub mod plan;
pub(crate) mod relation;
pub mod show;
pub mod solve;
pub mod sort;
pub mod space;
pub mod span;
pub mod syntax;
pub mod texts;
pub mod visible;
pub mod vocabulary;
