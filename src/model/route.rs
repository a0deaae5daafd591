//! The control flow of a run: which thread goes from which location to which, without any values.
//!
//! A run of an abstraction has values that no run of the program has. Its control flow can be followed with real values, and
//! with those of other abstractions: files that say `use route;` know it as a chapter of the vocabulary.

use super::moves::Moves;
use super::schema::{PC, START, STATE};
use calculus::sort::Value;
use calculus::vocabulary::{BitExpr, OfferedRelation, Row, Vocabulary};
use std::rc::Rc;

/// The name of the chapter.
pub const NAME: &str = "route";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The threads that take part.
    pub threads: Vec<RouteThread>,
    pub steps: Vec<RouteStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteThread {
    /// The position that it begins at; nothing if another thread makes it.
    pub position: Option<i64>,
    /// It is there after so many steps.
    pub from: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteStep {
    /// Index into [`Route::threads`].
    pub thread: usize,
    /// The thread that is made.
    pub new: Option<usize>,
    /// Numbers of locations.
    pub from: u64,
    pub to: u64,
}

/// A predicate that may take a run from an abstraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    pub text: String,
    /// The larger, the less it may help against other runs.
    pub special: u32,
}

fn location(state: &[Value]) -> Option<u64> {
    match state.first() {
        Some(Value::Name(pc)) => Some(*pc),
        _ => None,
    }
}

impl Route {
    /// The control flow of a run, up to the first of these locations. Nothing if threads move each other. The `init` block has
    /// ended before the threads begin: it is no part of it.
    pub fn of(moves: &Moves, is_last: impl Fn(u64) -> bool) -> Option<Route> {
        let is_thread = |part: usize| moves.parts[part].position != Some(0);
        let kept = (0..moves.parts.len()).filter(|part| is_thread(*part)).collect::<Vec<_>>();
        let number = |part: usize| kept.binary_search(&part).ok();
        let thread = |part: &usize| RouteThread { position: moves.parts[*part].position, from: 0 };
        let mut route = Route { threads: kept.iter().map(thread).collect(), steps: Vec::new() };
        let mut places =
            kept.iter().map(|part| location(&moves.parts[*part].state)).collect::<Option<Vec<_>>>()?;
        for made in &moves.moves {
            let Some(thread) = number(made.part?) else { continue };
            let to = location(&made.state)?;
            let new = made.new.and_then(number);
            let from = std::mem::replace(&mut places[thread], to);
            route.steps.push(RouteStep { thread, new, from, to });
            if let Some(new) = new {
                route.threads[new].from = route.steps.len();
            }
            if is_last(to) {
                break;
            }
        }
        (!route.threads.is_empty()).then_some(route)
    }

    /// The first part of it.
    pub fn first(&self, steps: usize) -> Route {
        Route { threads: self.threads.clone(), steps: self.steps[..steps.min(self.steps.len())].to_vec() }
    }

    /// Makes it known to files as the chapter `route`.
    ///
    /// | name | meaning |
    /// |---|---|
    /// | `route.length`, `route.seats` | how many steps and threads it has |
    /// | `sits[t](q)` | the t-th thread begins in q; where one that is made is before does not matter |
    /// | `there[t](i)` | it is there after i steps |
    /// | `goes[t](i, a, b)` | it makes the i-th step, from a to b |
    /// | `makes[t](i)` | it is made by the i-th step |
    pub fn add_to(&self, vocabulary: &mut Vocabulary) {
        let (seats, length) = (self.threads.len(), self.steps.len());
        let start = vocabulary.relations.iter().find(|relation| relation.name == START.name);
        let begins = |position: Option<i64>| -> Option<Rc<[Row]>> {
            let begins = &start?.instances;
            let at = position.map_or(Some(begins.len() - 1), |position| usize::try_from(position).ok());
            begins.get(at?).cloned()
        };
        let sits = self.threads.iter().map(|thread| begins(thread.position).unwrap_or_default()).collect();
        let there = self
            .threads
            .iter()
            .map(|thread| (thread.from..=length).map(|i| number(0, i)).collect())
            .collect();
        let each_thread = |rows: &dyn Fn(usize, &RouteStep) -> Option<Row>| {
            let row = |thread: usize, (at, step): (usize, &RouteStep)| {
                let mut row = rows(thread, step)?;
                row.fixed.insert(0, (0, Value::Int(at as i64 + 1)));
                Some(row)
            };
            let of = |thread| self.steps.iter().enumerate().filter_map(|step| row(thread, step)).collect();
            (0..seats).map(of).collect::<Vec<Rc<[Row]>>>()
        };
        let goes = each_thread(&|thread, step| {
            let ends = vec![(1, Value::Name(step.from)), (2, Value::Name(step.to))];
            (step.thread == thread).then(|| Row { fixed: ends, ..everything() })
        });
        let makes = each_thread(&|thread, step| (step.new == Some(thread)).then(everything));
        let numbers = format!("0..{length}");
        let family = |name: &str, columns: &[(&str, &str)], instances: Vec<Rc<[Row]>>| OfferedRelation {
            name: name.into(),
            index: Some((1, instances.len() as i64)),
            columns: columns.iter().map(|(name, sort)| (name.to_string(), sort.to_string())).collect(),
            instances,
            moves: false,
        };
        let relations = vec![
            family("sits", &[("q", STATE)], sits),
            family("there", &[("i", &numbers)], there),
            family("goes", &[("i", &numbers), ("a", PC.name), ("b", PC.name)], goes),
            family("makes", &[("i", &numbers)], makes),
        ];
        let facts = [("length", length), ("seats", seats)];
        let facts = facts.map(|(name, value)| (name.to_string(), value as i64)).to_vec();
        vocabulary.add(NAME, facts, Vec::new(), relations);
    }

    /// A small one, to check files without a run.
    pub fn specimen() -> Route {
        let thread = RouteThread { position: Some(1), from: 0 };
        Route { threads: vec![thread], steps: vec![RouteStep { thread: 0, new: None, from: 0, to: 0 }] }
    }
}

/// Every tuple.
fn everything() -> Row {
    Row { fixed: Vec::new(), core: BitExpr::Const(true), equal: Vec::new() }
}

/// The tuple of one number.
fn number(leaf: u16, value: usize) -> Row {
    Row { fixed: vec![(leaf, Value::Int(value as i64))], ..everything() }
}
