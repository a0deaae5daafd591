//! The vocabulary `pushdown`, once: its sorts, facts and relations, with their columns and what they mean.
//!
//! A front end fills in [`PushdownContents`]. Threads are counted from 1. Every stack ends with the bottom `-`, which is
//! never popped: so no thread can lose its stack, and a rule from the empty stack pushes onto the bottom.

use super::columns::ColumnKind::{Pattern, Result, Shared, Symbol};
use super::{Family, RelationSchema, SortSchema};
use calculus::sort::Width;
use calculus::vocabulary::{Approximation, OfferedRecord, OfferedSort, Row, Show, Vocabulary};
use std::rc::Rc;

/// The name after `use`.
pub const NAME: &str = "pushdown";

pub const SHARED: SortSchema = SortSchema {
    name: "Shared",
    keyed: false,
    meaning: "the control state, which all threads share: numbered values or bits",
};
pub const PC: SortSchema = SortSchema {
    name: "Pc",
    keyed: true,
    meaning: "the location of a stack symbol; keyed unless the file says `hint symbolic Pc;` or the user `--symbolic Pc`",
};
pub const LOCAL: SortSchema = SortSchema {
    name: "Local",
    keyed: false,
    meaning: "the data of a stack symbol; no bits if there is a `Pc` for each symbol",
};
pub const RESULT: SortSchema = SortSchema {
    name: "Result",
    keyed: false,
    meaning: "what a pop hands down besides the control state; one value if it hands nothing down",
};
pub const PATTERN: SortSchema =
    SortSchema { name: "Pattern", keyed: false, meaning: "the number of a target" };

/// The record that is a stack symbol.
pub const SYMBOL: &str = "Symbol";
/// Its fields, in the order of their leaves.
pub const SYMBOL_FIELDS: [(&str, &SortSchema); 2] = [("pc", &PC), ("loc", &LOCAL)];
pub const SYMBOL_MEANING: &str = "a stack symbol; the same symbol in two threads is the same value";

/// The leaves of a stack symbol in a relation's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolLeaves {
    pub pc: u16,
    pub local: u16,
}

pub const INITIAL: RelationSchema = RelationSchema {
    name: "initial",
    family: Family::One,
    columns: &[("s", Shared)],
    meaning: "the control states in which a run begins",
};
pub const START: RelationSchema = RelationSchema {
    name: "start",
    family: Family::Threads,
    columns: &[("a", Symbol), ("e", Symbol)],
    meaning: "thread t begins with a on top; e names this level of its initial stack",
};
pub const REST: RelationSchema = RelationSchema {
    name: "rest",
    family: Family::Threads,
    columns: &[("e", Symbol), ("c", Symbol), ("e'", Symbol)],
    meaning: "under the level e of the initial stack is c; e' names its level",
};
pub const OVERWRITE: RelationSchema = RelationSchema {
    name: "overwrite",
    family: Family::Threads,
    columns: &[("s", Shared), ("a", Symbol), ("s'", Shared), ("b", Symbol)],
    meaning: "a rule: s with a on top becomes s' with b in place of a",
};
pub const PUSH: RelationSchema = RelationSchema {
    name: "push",
    family: Family::Threads,
    columns: &[("s", Shared), ("a", Symbol), ("s'", Shared), ("b", Symbol), ("c", Symbol)],
    meaning: "a rule: s with a on top becomes s' with c in place of a, and b on top of it",
};
pub const POP: RelationSchema = RelationSchema {
    name: "pop",
    family: Family::Threads,
    columns: &[("s", Shared), ("a", Symbol), ("s'", Shared), ("y", Result)],
    meaning: "a rule: s with a on top becomes s', a is taken away, and y is handed down",
};
pub const MERGE: RelationSchema = RelationSchema {
    name: "merge",
    family: Family::Threads,
    columns: &[("s", Shared), ("y", Result), ("c", Symbol), ("s'", Shared), ("a", Symbol)],
    meaning: "y comes down to c in s: the control state becomes s', and a takes the place of c; if nothing is handed down, `s' = s & a = c`",
};
pub const EMPTY: RelationSchema = RelationSchema {
    name: "empty",
    family: Family::One,
    columns: &[("a", Symbol)],
    meaning: "a is `-`, the bottom of every stack",
};
pub const TARGET: RelationSchema = RelationSchema {
    name: "target",
    family: Family::One,
    columns: &[("i", Pattern), ("s", Shared)],
    meaning: "the control states of target i",
};
pub const TARGET_TOP: RelationSchema = RelationSchema {
    name: "target_top",
    family: Family::Threads,
    columns: &[("i", Pattern), ("a", Symbol)],
    meaning: "the symbols that thread t has on top in target i",
};

/// All relations, in the order of the documentation.
pub const RELATIONS: [&RelationSchema; 10] =
    [&INITIAL, &START, &REST, &OVERWRITE, &PUSH, &POP, &MERGE, &EMPTY, &TARGET, &TARGET_TOP];

/// The relations that `by` and `at` can mark: moves of a run and what completes one, and threads that begin.
const MOVES: [&str; 5] = [START.name, OVERWRITE.name, PUSH.name, POP.name, MERGE.name];

/// Everything that a pushdown system offers. Families have an entry for each thread.
pub struct PushdownContents {
    /// How many locations there are, with the bottom and the names of levels.
    pub locations: u64,
    pub local_bits: u32,
    pub shared: Width,
    pub result: Width,
    /// At least 1.
    pub patterns: u64,
    pub initial: Vec<Row>,
    pub start: Vec<Rc<[Row]>>,
    pub rest: Vec<Rc<[Row]>>,
    pub overwrite: Vec<Rc<[Row]>>,
    pub push: Vec<Rc<[Row]>>,
    pub pop: Vec<Rc<[Row]>>,
    pub merge: Vec<Rc<[Row]>>,
    pub empty: Vec<Row>,
    pub target: Vec<Row>,
    pub target_top: Vec<Rc<[Row]>>,
    /// Where the model differs from the program.
    pub approximations: Vec<Approximation>,
}

/// Numbers that an algorithm may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushdownFacts {
    pub threads: usize,
    pub patterns: u64,
    pub shared: u64,
    pub atomic: bool,
}

impl PushdownFacts {
    /// Name, value and meaning of each.
    pub fn list(&self) -> [(&'static str, i64, &'static str); 4] {
        let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        [
            ("threads", self.threads as i64, "how many threads there are"),
            ("patterns", number(self.patterns), "how many targets there are, at least 1"),
            ("shared", number(self.shared), "how many control states there are, 0 if they are bits"),
            (
                "atomic",
                i64::from(self.atomic),
                "1 if there are states in which no other thread may go on though it could, else 0",
            ),
        ]
    }
}

impl PushdownContents {
    fn facts(&self) -> PushdownFacts {
        PushdownFacts {
            threads: self.start.len(),
            patterns: self.patterns.max(1),
            shared: match self.shared {
                Width::Values(values) => values,
                Width::Bits(_) => 0,
            },
            // Where threads must not be interrupted, the control state says so, and the rules of the others ask it.
            atomic: false,
        }
    }

    /// The vocabulary, with values shown as the front end says.
    pub fn vocabulary(self, show: Rc<dyn Show>) -> Vocabulary {
        let facts = self.facts();
        let offered = |relation: &RelationSchema, instances: Vec<Rc<[Row]>>| {
            relation.marked(instances, MOVES.contains(&relation.name))
        };
        let one = |relation: &RelationSchema, rows: Vec<Row>| offered(relation, vec![rows.into()]);
        let sort = |sort: &SortSchema, width: Width| OfferedSort {
            name: sort.name.into(),
            width,
            keyed: sort.keyed,
        };
        let fields = SYMBOL_FIELDS.iter().map(|(name, sort)| (name.to_string(), sort.name.to_string()));
        Vocabulary {
            name: NAME.into(),
            sorts: vec![
                sort(&SHARED, self.shared),
                sort(&PC, Width::Values(self.locations.max(1))),
                sort(&LOCAL, Width::Bits(self.local_bits)),
                sort(&RESULT, self.result),
                sort(&PATTERN, Width::Values(facts.patterns)),
            ],
            symbols: Vec::new(),
            records: vec![OfferedRecord { name: SYMBOL.into(), fields: fields.collect() }],
            facts: facts.list().map(|(name, value, _)| (name.to_string(), value)).to_vec(),
            relations: vec![
                one(&INITIAL, self.initial),
                offered(&START, self.start),
                offered(&REST, self.rest),
                offered(&OVERWRITE, self.overwrite),
                offered(&PUSH, self.push),
                offered(&POP, self.pop),
                offered(&MERGE, self.merge),
                one(&EMPTY, self.empty),
                one(&TARGET, self.target),
                offered(&TARGET_TOP, self.target_top),
            ],
            approximations: self.approximations,
            woven: Vec::new(),
            show,
            chapter: None,
        }
    }
}
