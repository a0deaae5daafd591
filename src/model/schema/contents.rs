//! What a front end fills in, and the vocabulary it makes.

use super::*;
use calculus::sort::Width;
use calculus::vocabulary::{
    Approximation, OfferedRecord, OfferedSort, OfferedSymbol, Row, Show, Vocabulary, Weave,
};
use std::rc::Rc;

/// Everything that a program offers.
#[derive(Default)]
pub struct Contents {
    /// How many control locations there are.
    pub locations: u64,
    /// The last line that has a statement.
    pub lines: u64,
    pub own_bits: u32,
    pub local_bits: u32,
    pub shared_bits: u32,
    pub facts: ProgramFacts,
    pub initial: Vec<Row>,
    /// Per position, from 0.
    pub start: Vec<Rc<[Row]>>,
    pub step: Vec<Row>,
    pub spawn: Vec<Row>,
    pub broadcast: Vec<Row>,
    pub passive: Vec<Row>,
    pub move_all: Vec<Row>,
    pub call: Vec<Row>,
    pub ret: Vec<Row>,
    pub exit: Vec<Row>,
    pub yields: Vec<Row>,
    pub pauses: Vec<Row>,
    pub target: Vec<Row>,
    /// Per thread of a target over several threads.
    pub cover: Vec<Rc<[Row]>>,
    pub cover_shared: Vec<Row>,
    /// Per position, from 0.
    pub reach_cfg: Vec<Rc<[Row]>>,
    /// Where the model differs from the program.
    pub approximations: Vec<Approximation>,
    /// The bits of numbers of different sorts that meet.
    pub woven: Vec<Weave>,
    pub line: Vec<Row>,
    pub assertion: Vec<Row>,
    pub code: Vec<Row>,
    pub texts: ProgramTexts,
    pub target_class: Vec<Row>,
    pub label: Vec<Row>,
    pub in_procedure: Vec<Row>,
    pub reads: Vec<Row>,
    pub writes: Vec<Row>,
    pub forgets: Vec<Row>,
    pub shared: Vec<Row>,
    pub uninitialised: Vec<Row>,
    pub waits: Vec<Row>,
    pub rests: Vec<Row>,
    pub synchronises: Vec<Row>,
    /// Per predicate about one thread.
    pub predicates: Vec<Rc<[Row]>>,
    /// Per predicate about two.
    pub predicates_of_two: Vec<Rc<[Row]>>,
    pub outline: Vec<Row>,
    pub mentioned: Vec<Row>,
    pub loop_heads: Vec<Row>,
}

/// The names in a program's text that are values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramTexts {
    pub variables: Vec<String>,
    pub labels: Vec<String>,
    pub procedures: Vec<String>,
}

/// Numbers that an algorithm may ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFacts {
    pub threads: usize,
    pub singles: usize,
    pub replicated: bool,
    pub recursive: bool,
    pub calls: usize,
    pub init: bool,
    pub spawns: bool,
    pub broadcasts: bool,
    /// A run may end because a value leaves its word, or the process ends.
    pub cuts: bool,
    /// How many threads a target over several threads has.
    pub cover: usize,
    /// How many variables are numbers.
    pub numbers: usize,
    /// How many predicates there are about one thread, and about two.
    pub predicates: usize,
    pub predicates2: usize,
}

impl ProgramFacts {
    pub const THREADS: &str = "threads";
    pub const REPLICATED: &str = "replicated";

    /// Name, value and meaning of each.
    pub fn list(&self) -> [(&'static str, i64, &'static str); 13] {
        let ProgramFacts { threads, singles, replicated, recursive, calls, init, spawns, .. } = *self;
        let ProgramFacts { broadcasts, cuts, cover, numbers, predicates, predicates2, .. } = *self;
        [
            (ProgramFacts::THREADS, threads as i64, "how many positions there are"),
            ("singles", singles as i64, "how many of them are single threads"),
            (
                ProgramFacts::REPLICATED,
                i64::from(replicated),
                "1 if the last position stands for any number of threads, else 0",
            ),
            ("recursive", i64::from(recursive), "1 if a procedure that is executed can call itself, else 0"),
            ("calls", calls as i64, "how many calls are left after inlining"),
            ("init", i64::from(init), "1 if there is an `init` block, else 0"),
            ("spawns", i64::from(spawns), "1 if there are steps that make threads (`spawn`), else 0"),
            (
                "broadcasts",
                i64::from(broadcasts),
                "1 if there are steps that move other threads too (`broadcast`, `move_all`), else 0",
            ),
            (
                "cuts",
                i64::from(cuts),
                "1 if runs may end because a value leaves its word or the process ends, else 0",
            ),
            ("cover", cover as i64, "how many threads a target over several threads has, 0 if there is none"),
            ("numbers", numbers as i64, "how many variables are numbers"),
            ("predicates", predicates as i64, "how many predicates about one thread there are"),
            ("predicates2", predicates2 as i64, "how many predicates about two threads there are"),
        ]
    }
}

impl Contents {
    /// The vocabulary, with values shown as the front end says.
    pub fn vocabulary(self, show: Rc<dyn Show>) -> Vocabulary {
        let one = |relation: &RelationSchema, rows: Vec<Row>| relation.offered(vec![rows.into()]);
        let field = |(name, sort): &(&str, &SortSchema)| (name.to_string(), sort.name.to_string());
        let facts = self.facts.list().map(|(name, value, _)| (name.to_string(), value)).to_vec();
        Vocabulary {
            name: NAME.into(),
            sorts: vec![
                offered(&PC, Width::Values(self.locations.max(1))),
                offered(&OWN, Width::Bits(self.own_bits)),
                offered(&LOCAL, Width::Bits(self.local_bits)),
                offered(&SHARED, Width::Bits(self.shared_bits)),
                // Lines are their own numbers, and there is no line 0.
                offered(&LINE, Width::Values(self.lines + 1)),
            ],
            symbols: vec![
                symbol(&VAR, self.texts.variables),
                symbol(&LABEL, self.texts.labels),
                symbol(&PROCEDURE, self.texts.procedures),
                symbol(&CLASS, CLASSES.map(String::from).to_vec()),
            ],
            records: vec![OfferedRecord {
                name: STATE.into(),
                fields: STATE_FIELDS.iter().map(field).collect(),
            }],
            facts,
            relations: vec![
                one(&INITIAL, self.initial),
                START.offered(self.start),
                one(&STEP, self.step),
                one(&SPAWN, self.spawn),
                one(&BROADCAST, self.broadcast),
                one(&PASSIVE, self.passive),
                one(&MOVE_ALL, self.move_all),
                one(&CALL, self.call),
                one(&RET, self.ret),
                one(&EXIT, self.exit),
                one(&YIELD, self.yields),
                one(&PAUSE, self.pauses),
                one(&TARGET, self.target),
                COVER.offered(self.cover),
                one(&COVER_SHARED, self.cover_shared),
                one(&TARGET_CLASS, self.target_class),
                REACH_CFG.offered(self.reach_cfg),
                one(&LINE_OF, self.line),
                one(&ASSERTION, self.assertion),
                one(&CODE, self.code),
                one(&LABEL_OF, self.label),
                one(&IN_PROCEDURE, self.in_procedure),
                one(&READS, self.reads),
                one(&WRITES, self.writes),
                one(&FORGETS, self.forgets),
                one(&SHARED_VAR, self.shared),
                one(&UNINITIALISED, self.uninitialised),
                one(&WAITS, self.waits),
                one(&RESTS, self.rests),
                one(&SYNCHRONISES, self.synchronises),
                PREDICATE.offered(self.predicates),
                PREDICATE_OF_TWO.offered(self.predicates_of_two),
                one(&OUTLINE, self.outline),
                one(&MENTIONED, self.mentioned),
                one(&LOOP_HEAD, self.loop_heads),
            ],
            approximations: self.approximations,
            woven: self.woven,
            show,
            chapter: None,
        }
    }
}

fn offered(sort: &SortSchema, width: Width) -> OfferedSort {
    OfferedSort { name: sort.name.into(), width, keyed: sort.keyed }
}

fn symbol(sort: &SortSchema, texts: Vec<String>) -> OfferedSymbol {
    OfferedSymbol { name: sort.name.into(), texts, complete: true, keyed: sort.keyed }
}
