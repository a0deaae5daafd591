//! The vocabulary `program`, once: its sorts, facts and relations, with their columns and what they mean.
//!
//! A front end fills in [`Contents`] and takes leaf numbers from the relations here; traces read tuples with
//! [`event`]; `docs/programs.md` prints [`page::tables`]. No column position is written anywhere else. The vocabulary
//! `pushdown` is beside it, in the same form.

mod columns;
mod contents;
mod event;
pub mod page;
pub mod pushdown;
mod unheeded;

pub use columns::{ColumnKind, Family, RelationSchema, StateLeaves};
pub use contents::{Contents, ProgramFacts, ProgramTexts};
pub use event::{RunEvent, event};
pub use unheeded::{Unheeded, unheeded};

use ColumnKind::{Class, Label, Line, Pc, Procedure, Shared, State, Var};

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

/// Sorts of texts that the program brings.
pub const VAR: SortSchema = SortSchema {
    name: "Var",
    keyed: true,
    meaning: "a variable of the text, shared ones first, in quotes: `\"x\"`, and `\"main.x\"` or `\"worker.mine\"` for one of a procedure or of a thread block",
};
pub const LABEL: SortSchema = SortSchema {
    name: "Label",
    keyed: true,
    meaning: "a label of the text, in quotes: `\"L1\"`; procedures may have labels of the same name",
};
pub const PROCEDURE: SortSchema = SortSchema {
    name: "Procedure",
    keyed: true,
    meaning: "a procedure or a thread block, in quotes: `\"main\"`, and `\"worker.step\"` for one that stands in a thread block",
};
pub const CLASS: SortSchema = SortSchema {
    name: "Class",
    keyed: true,
    meaning: "a kind of target: `\"assert\"`, `\"label\"`, `\"range\"` or `\"width\"`",
};
/// The values of [`CLASS`].
pub const CLASSES: [&str; 4] = ["assert", "label", "range", "width"];

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
    meaning: "a failed `assert`, a value out of range, a label given with `--target`, or a label ERROR, error or SLIC_ERROR",
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
pub const TARGET_CLASS: RelationSchema = RelationSchema {
    name: "target_class",
    family: Family::One,
    columns: &[("q", State), ("c", Class)],
    meaning: "q is a target of this class: a failed `assert`, a value out of range, or a label",
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
pub const LABEL_OF: RelationSchema = RelationSchema {
    name: "label",
    family: Family::One,
    columns: &[("pc", Pc), ("l", Label)],
    meaning: "the statement that is executed next at pc has the label l",
};
pub const IN_PROCEDURE: RelationSchema = RelationSchema {
    name: "in_procedure",
    family: Family::One,
    columns: &[("pc", Pc), ("p", Procedure)],
    meaning: "pc is in the text of procedure p, in the procedure itself or where it was inlined",
};
pub const READS: RelationSchema = RelationSchema {
    name: "reads",
    family: Family::One,
    columns: &[("pc", Pc), ("v", Var)],
    meaning: "the step at pc looks at v",
};
pub const WRITES: RelationSchema = RelationSchema {
    name: "writes",
    family: Family::One,
    columns: &[("pc", Pc), ("v", Var)],
    meaning: "the step at pc gives v a value",
};
pub const FORGETS: RelationSchema = RelationSchema {
    name: "forgets",
    family: Family::One,
    columns: &[("pc", Pc), ("v", Var)],
    meaning: "after the step at pc the value of v means nothing: `dead v`, or a call, for the locals of the callee besides its parameters",
};
pub const SHARED_VAR: RelationSchema = RelationSchema {
    name: "shared",
    family: Family::One,
    columns: &[("v", Var)],
    meaning: "all threads see v, and it is not the variable `atomic` by which Getafix marks atomic sections",
};
pub const WAITS: RelationSchema = RelationSchema {
    name: "waits",
    family: Family::One,
    columns: &[("pc", Pc)],
    meaning: "a thread that cannot go on from pc waits for others; in C where a mutex is locked, and at joins, semaphores and barriers",
};
pub const RESTS: RelationSchema = RelationSchema {
    name: "rests",
    family: Family::One,
    columns: &[("pc", Pc)],
    meaning: "a thread at pc has ended or failed; in C it has ended, or was not made yet",
};
pub const SYNCHRONISES: RelationSchema = RelationSchema {
    name: "synchronises",
    family: Family::One,
    columns: &[("v", Var)],
    meaning: "v is shared and there for threads to wait for each other; in C an atomic variable, a mutex, a semaphore and the like",
};
pub const UNINITIALISED: RelationSchema = RelationSchema {
    name: "uninitialised",
    family: Family::One,
    columns: &[("v", Var)],
    meaning: "v is no parameter, and its declaration gives it no value: it begins with any",
};
pub const PREDICATE: RelationSchema = RelationSchema {
    name: "pred",
    family: Family::Predicates,
    columns: &[("q", State), ("s", Shared)],
    meaning: "the i-th predicate about one thread holds, i in 1..program.predicates; false where a variable of it does not exist",
};
pub const PREDICATE_OF_TWO: RelationSchema = RelationSchema {
    name: "pred2",
    family: Family::Predicates,
    columns: &[("q", State), ("p", State), ("s", Shared)],
    meaning: "the i-th predicate about two threads holds of one in q and another one in p, i in 1..program.predicates2",
};
pub const OUTLINE: RelationSchema = RelationSchema {
    name: "outline",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("k", State), ("o", Shared)],
    meaning: "k and o are q and s without their numbers: states with one outline differ in numbers only",
};
pub const MENTIONED: RelationSchema = RelationSchema {
    name: "mentioned",
    family: Family::One,
    columns: &[("q", State), ("s", Shared), ("k", State), ("o", Shared)],
    meaning: "k and o are q and s without the numbers that no predicate mentions",
};
pub const LOOP_HEAD: RelationSchema = RelationSchema {
    name: "loop_head",
    family: Family::One,
    columns: &[("pc", Pc)],
    meaning: "a step leads back to pc",
};
