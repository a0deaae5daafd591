//! The vocabulary `program`, once: its sorts, facts and relations, with their columns and what they mean.
//!
//! A front end fills in [`Contents`] and takes leaf numbers from the relations here; traces read tuples with
//! [`event`]; `docs/programs.md` prints [`page::tables`]. No column position is written anywhere else.

mod columns;
mod contents;
mod event;
pub mod page;
mod unheeded;

pub use columns::{ColumnKind, Family, RelationSchema, StateLeaves};
pub use contents::{Contents, ProgramFacts};
pub use event::{RunEvent, event};
pub use unheeded::{Unheeded, unheeded};

use ColumnKind::{Line, Pc, Shared, State};

/// The name after `use`.
pub const NAME: &str = "program";

/// A sort of the vocabulary.
pub struct SortSchema {
    pub name: &'static str,
    /// Values are explicit keys unless a file or the user says otherwise.
    pub keyed: bool,
    pub meaning: &'static str,
}

pub const PC: SortSchema = SortSchema {
    name: "Pc",
    keyed: true,
    meaning: "a control location; keyed unless the file says `hint symbolic Pc;` or the user `--symbolic Pc`",
};
pub const SHARED: SortSchema =
    SortSchema { name: "Shared", keyed: false, meaning: "the values of the variables that all threads see" };
pub const OWN: SortSchema = SortSchema {
    name: "Own",
    keyed: false,
    meaning: "the values of the variables that all procedures of one thread see",
};
pub const LOCAL: SortSchema =
    SortSchema { name: "Local", keyed: false, meaning: "the values of a procedure's parameters and locals" };

pub const LINE: SortSchema =
    SortSchema { name: "Line", keyed: true, meaning: "a line of the program's text, counted from 1" };

/// The record that says where a thread is.
pub const STATE: &str = "State";
/// Its fields, in the order of their leaves.
pub const STATE_FIELDS: [(&str, &SortSchema); 3] = [("pc", &PC), ("own", &OWN), ("loc", &LOCAL)];
pub const STATE_MEANING: &str = "where a thread is";

pub const INITIAL: RelationSchema = RelationSchema {
    name: "initial",
    family: Family::One,
    columns: &[("s", Shared)],
    meaning: "the shared values that the declarations allow before anything has run",
};
pub const START: RelationSchema = RelationSchema {
    name: "start",
    family: Family::Positions,
    columns: &[("q", State)],
    meaning: "a thread at position t begins in q; `start[0]` is the `init` block",
};
pub const STEP: RelationSchema = RelationSchema {
    name: "step",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("q'", State), ("s'", Shared)],
    meaning: "one step inside a procedure",
};
pub const SPAWN: RelationSchema = RelationSchema {
    name: "spawn",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("q'", State), ("s'", Shared), ("n", State)],
    meaning: "a step from q to q' with which a new thread begins in n",
};
pub const BROADCAST: RelationSchema = RelationSchema {
    name: "broadcast",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("q'", State), ("s'", Shared)],
    meaning: "a step with which all other threads move too, as `passive` says; it cannot be made if one of them is at a p without p'",
};
pub const PASSIVE: RelationSchema = RelationSchema {
    name: "passive",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("q'", State), ("s'", Shared), ("p", State), ("p'", State)],
    meaning: "while a thread makes the broadcast from q to q', another one goes from p to p'; who stays is in it too",
};
pub const MOVE_ALL: RelationSchema = RelationSchema {
    name: "move_all",
    family: Family::One,
    columns: &[("s", Shared), ("s'", Shared), ("p", State), ("p'", State)],
    meaning: "the shared values change from s to s', no thread makes that step, and every thread goes from p to p'; who stays is in it too",
};
pub const CALL: RelationSchema = RelationSchema {
    name: "call",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("e", State)],
    meaning: "q calls; the callee begins in e: arguments evaluated, other locals arbitrary, own variables copied",
};
pub const RET: RelationSchema = RelationSchema {
    name: "ret",
    family: Family::One,
    columns: &[("q", State), ("x", State), ("sx", Shared), ("q'", State), ("s'", Shared)],
    meaning: "the call made in q returns from exit state x with shared values sx, and goes on in q' with s'",
};
pub const EXIT: RelationSchema = RelationSchema {
    name: "exit",
    family: Family::One,
    columns: &[("q", State)],
    meaning: "q is at the exit of its procedure",
};
pub const YIELD: RelationSchema = RelationSchema {
    name: "yield",
    family: Family::One,
    columns: &[("q", State), ("s", Shared)],
    meaning: "another thread may be scheduled here",
};
pub const PAUSE: RelationSchema = RelationSchema {
    name: "pause",
    family: Family::One,
    columns: &[("q", State), ("s", Shared)],
    meaning: "the same, and q is where a thread begins or right after something that others can notice",
};
pub const TARGET: RelationSchema = RelationSchema {
    name: "target",
    family: Family::One,
    columns: &[("q", State)],
    meaning: "a failed `assert`, a label given with `--target`, or a label ERROR, error or SLIC_ERROR",
};
pub const COVER: RelationSchema = RelationSchema {
    name: "cover",
    family: Family::Cover,
    columns: &[("q", State)],
    meaning: "a target over several threads, i in 1..program.cover: the i-th of them is in q, each in a thread of its own",
};
pub const COVER_SHARED: RelationSchema = RelationSchema {
    name: "cover_shared",
    family: Family::One,
    columns: &[("s", Shared)],
    meaning: "the shared values of that target",
};
pub const REACH_CFG: RelationSchema = RelationSchema {
    name: "reach_cfg",
    family: Family::Positions,
    columns: &[("q", State)],
    meaning: "q's location is reachable in the control flow of thread t, whatever the data",
};
pub const LINE_OF: RelationSchema = RelationSchema {
    name: "line",
    family: Family::One,
    columns: &[("pc", Pc), ("n", Line)],
    meaning: "a statement that begins in line n is executed next at pc, in the procedure itself or where it was inlined",
};
pub const ASSERTION: RelationSchema = RelationSchema {
    name: "assertion",
    family: Family::One,
    columns: &[("pc", Pc)],
    meaning: "an `assert` is executed next at pc",
};
pub const CODE: RelationSchema = RelationSchema {
    name: "code",
    family: Family::One,
    columns: &[("n", Line)],
    meaning: "a statement begins in line n, whether or not the control flow leads there",
};
