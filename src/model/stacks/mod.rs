//! A program as a pushdown system: the vocabulary `pushdown` made of the rows of `program`.
//!
//! A stack symbol is the state of a procedure: its location, and its own and local values as data. A call leaves the state
//! of the caller under the one of the callee, and `merge` gives it the results. So `overwrite` is `step`, `push` is `call`,
//! `pop` is `exit`, and `merge` is `ret`.
//!
//! Two things are not rules of a thread alone. Inside an atomic section the other threads must not move, and before the end
//! of `init` nobody else may. Both stand in the control state, as *who alone may move*: the rules of a thread ask it, and
//! leave it as the state after them demands. `init` runs on the stack of the first thread, above a symbol that becomes its
//! first state.

mod moves;
mod rows;
mod show;

use super::schema::pushdown::PushdownContents;
use super::schema::{
    self, BROADCAST, EXIT, INITIAL, LOCAL, MOVE_ALL, OWN, PC, ProgramFacts, REACH_CFG, RET, SHARED, SPAWN,
    START, TARGET, YIELD,
};
use calculus::diagnostic::Diagnostic;
use calculus::sort::{Value, Width};
use calculus::vocabulary::{BitExpr, Row, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who is the only one that may move, as bits behind those of the shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    Nobody,
    Init,
    /// Counted from 1.
    Thread(usize),
}

/// Where everything of a program is in its pushdown system.
#[derive(Clone, Debug)]
pub struct Translation {
    pub threads: usize,
    pub own_bits: u16,
    pub local_bits: u16,
    pub shared_bits: u16,
    /// The locations of the program; behind them are the bottom, the symbol under `init`, and the names of levels.
    pub locations: u64,
    /// There is an `init` block.
    pub init: bool,
    /// Some states of threads are no places for others to go on.
    pub sections: bool,
    /// The locations where procedures end. A result says which of them it is from.
    exits: Vec<u64>,
    /// When another thread may go on at a location of the program.
    yields: BTreeMap<u64, Vec<BitExpr>>,
    /// The locations that each thread can come to, those of `init` with the first one.
    reach: Vec<BTreeSet<u64>>,
}

/// How many bits numbers below this one take.
fn bits(values: u64) -> u16 {
    (u64::BITS - values.saturating_sub(1).leading_zeros()) as u16
}

/// The rows of a relation of the program, or of one of a family.
fn rows_of<'v>(program: &'v Vocabulary, name: &str, index: i64) -> &'v [Row] {
    let relation = program.relations.iter().find(|relation| relation.name == name);
    let instance = relation.and_then(|relation| {
        let first = relation.index.map_or(0, |(first, _)| first);
        relation.instances.get(usize::try_from(index - first).ok()?)
    });
    instance.map_or(&[], |rows| rows)
}

/// The location that a row fixes at a leaf.
fn location(row: &Row, leaf: u16) -> Option<u64> {
    row.fixed.iter().find_map(|(at, value)| match value {
        Value::Name(pc) if *at == leaf => Some(*pc),
        _ => None,
    })
}

impl Translation {
    /// A mistake if the program has something that no stack can say.
    pub fn new(program: &Vocabulary) -> Result<Translation, Diagnostic> {
        let fact =
            |name: &str| program.facts.iter().find(|(fact, _)| fact == name).map_or(0, |(_, value)| *value);
        if fact(ProgramFacts::REPLICATED) != 0 {
            let title = "a pushdown system has a fixed number of threads, and this program any number";
            return Err(Diagnostic::error("bp::replicated", title).help(
                "fix the number: `thread name[2]` in the program, or --copies for threads that it starts",
            ));
        }
        let makes = [SPAWN.name, BROADCAST.name, MOVE_ALL.name];
        if makes.iter().any(|name| !rows_of(program, name, 0).is_empty()) {
            let title = "a pushdown system has no steps that make threads or move several of them";
            return Err(Diagnostic::error("bp::replicated", title).help("use views.fp"));
        }
        let width =
            |name: &str| match program.sorts.iter().find(|sort| sort.name == name).map(|sort| sort.width) {
                Some(Width::Bits(bits)) => u64::from(bits),
                Some(Width::Values(values)) => values,
                None => 0,
            };
        let (own, local, shared) = (width(OWN.name), width(LOCAL.name), width(SHARED.name));
        if own + local + 64 > u64::from(u16::MAX) || shared + 64 > u64::from(u16::MAX) {
            let title = "the program has too many variables for a pushdown system";
            return Err(
                Diagnostic::error("bp::too_many_variables", title).help("use an algorithm for programs")
            );
        }
        let threads = usize::try_from(fact(ProgramFacts::THREADS)).unwrap_or(0);
        let init = fact("init") != 0;
        let exits = rows_of(program, EXIT.name, 0).iter().filter_map(|row| location(row, EXIT.state("q").pc));
        let mut exits = exits.collect::<Vec<_>>();
        exits.sort_unstable();
        let reach = |position: usize| {
            let rows = rows_of(program, REACH_CFG.name, position as i64).iter();
            rows.filter_map(|row| location(row, REACH_CFG.state("q").pc)).collect::<BTreeSet<_>>()
        };
        let reach = (1..=threads).map(|thread| {
            let mut all = reach(thread);
            if thread == 1 && init {
                all.extend(reach(0));
            }
            all
        });
        let mut yields: BTreeMap<u64, Vec<BitExpr>> = BTreeMap::new();
        for row in rows_of(program, YIELD.name, 0) {
            if let Some(pc) = location(row, YIELD.state("q").pc) {
                yields.entry(pc).or_default().push(row.core.clone());
            }
        }
        let reach = reach.collect::<Vec<_>>();
        let free = |pc: &u64| {
            yields.get(pc).is_some_and(|cores| cores.iter().any(|core| matches!(core, BitExpr::Const(true))))
        };
        let sections = threads > 1 && reach.iter().flatten().any(|pc| !free(pc));
        Ok(Translation {
            threads,
            own_bits: own as u16,
            local_bits: local as u16,
            shared_bits: shared as u16,
            locations: width(PC.name),
            init,
            sections,
            exits,
            yields,
            reach,
        })
    }

    /// How many bits say who alone may move.
    fn alone_bits(&self) -> u16 {
        match (self.init, self.sections) {
            (false, false) => 0,
            (init, sections) => bits(1 + u64::from(init) + if sections { self.threads as u64 } else { 0 }),
        }
    }

    /// Its number, if it is ever said.
    fn code(&self, alone: Alone) -> Option<u64> {
        match alone {
            Alone::Nobody => Some(0),
            Alone::Init => self.init.then_some(1),
            Alone::Thread(thread) => self.sections.then_some(u64::from(self.init) + thread as u64),
        }
    }

    fn bottom(&self) -> u64 {
        self.locations
    }

    /// What is under `init`.
    fn waiting(&self) -> u64 {
        self.locations + 1
    }

    /// The name of a level of an initial stack, from its top.
    fn level(&self, level: u64) -> u64 {
        self.locations + 2 + level
    }

    fn data_bits(&self) -> u16 {
        self.own_bits + self.local_bits
    }

    /// How many bits of a result say where it is from.
    fn exit_bits(&self) -> u16 {
        bits(self.exits.len() as u64)
    }
}

/// The vocabulary `pushdown` of a program.
pub fn pushdown(program: &Vocabulary) -> Result<Vocabulary, Diagnostic> {
    let plan = Translation::new(program)?;
    let threads = 1..=plan.threads;
    let instances = |rows: &dyn Fn(usize) -> Vec<Row>| threads.clone().map(|t| Rc::from(rows(t))).collect();
    let rows = |name: &str, thread: usize| rows_of(program, name, thread as i64);
    let contents = PushdownContents {
        locations: plan.level(3),
        local_bits: plan.data_bits().into(),
        shared: Width::Bits((plan.shared_bits + plan.alone_bits()).into()),
        result: Width::Bits((plan.exit_bits() + plan.data_bits()).into()),
        patterns: plan.threads as u64,
        initial: rows(INITIAL.name, 0).iter().map(|row| plan.initial(row)).collect(),
        start: instances(&|thread| {
            let begin = if thread == 1 && plan.init { 0 } else { thread };
            rows(START.name, begin).iter().map(|row| plan.start(row)).collect()
        }),
        rest: instances(&|thread| plan.rest(thread)),
        overwrite: instances(&|thread| {
            let own = rows(schema::STEP.name, 0).iter();
            own.filter_map(|row| plan.overwrite(thread, row)).collect()
        }),
        push: instances(&|thread| {
            rows(schema::CALL.name, 0).iter().filter_map(|row| plan.push(thread, row)).collect()
        }),
        pop: instances(&|thread| rows(EXIT.name, 0).iter().filter_map(|row| plan.pop(thread, row)).collect()),
        merge: instances(&|thread| {
            let returns = rows(RET.name, 0).iter().filter_map(|row| plan.merge(thread, row));
            let begins = if thread == 1 && plan.init { rows(START.name, 1) } else { Default::default() };
            let begins = begins.iter().map(|row| plan.init_ends(row));
            returns.chain(begins).chain([plan.at_bottom()]).collect()
        }),
        empty: vec![plan.empty()],
        target: match rows(TARGET.name, 0) {
            [] => Vec::new(),
            _ => threads.clone().map(|thread| plan.target(thread)).collect(),
        },
        target_top: instances(&|thread| plan.target_tops(thread, rows(TARGET.name, 0))),
        approximations: program.approximations.clone(),
    };
    let show = show::Words { plan: plan.clone(), program: Rc::clone(&program.show) };
    Ok(contents.vocabulary(Rc::new(show)))
}
