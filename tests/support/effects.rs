//! What threads do to the shared state, context by context, in the runs of the explicit interpreter.

use calculus::sort::{Sort, Value};
use fpsolve::model::interpret::{Machine, State, Values};
use fpsolve::model::program::{ProcedureId, Program, Var};
use fpsolve::run::Outcome;
use std::cell::Cell;
use std::collections::BTreeSet;

/// What each thread did to the shared state in its first `contexts` contexts, in some run: the thread, what its
/// contexts began with, and what they left.
pub type Effects = BTreeSet<(usize, Vec<String>, Vec<String>)>;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    state: State,
    running: usize,
    /// For each thread, what its contexts began with and left; the last one is not over.
    log: Vec<(Vec<Values>, Vec<Values>)>,
}

/// The effects of all runs, and the shared states in which `contexts` contexts can end.
pub fn explored(program: &Program, copies: usize, contexts: usize) -> Option<(Effects, BTreeSet<String>)> {
    let machine = Machine::new(program, copies);
    let threads = machine.threads();
    let shared = (0..program.shared.len() as u32).map(Var::Shared).collect::<Vec<_>>();
    let domain = |var: Var| program.domain(ProcedureId(0), var);
    let show = |values: &Values| {
        let parts = program.shared.iter().enumerate().map(|(index, variable)| {
            let value = values.get(index).expect("it was chosen");
            format!("{}={}", variable.name, variable.domain.show(value))
        });
        parts.collect::<Vec<_>>().join(" ")
    };
    let (mut effects, mut ends) = (Effects::new(), BTreeSet::new());
    let mut seen = BTreeSet::new();
    let mut work = Vec::new();
    let mut initials = machine.initial();
    let mut known = BTreeSet::new();
    // The states in which `init` ends.
    while let Some(state) = initials.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        if state.initializing() {
            initials.extend(machine.steps(&state, 0).into_iter().map(|step| step.state));
            continue;
        }
        for state in state.choose(1, &shared, domain, &Cell::default()) {
            let mut log = vec![(Vec::new(), Vec::new()); threads + 1];
            log[1].0.push(state.shared.clone());
            work.push(Node { state, running: 1, log });
        }
    }
    while let Some(node) = work.pop() {
        if !seen.insert(node.clone()) {
            continue;
        }
        if seen.len() > 30_000 || node.state.threads.iter().any(|thread| thread.frames.len() > 4) {
            return None;
        }
        for step in machine.steps(&node.state, node.running) {
            for state in step.state.choose(node.running, &shared, domain, &Cell::default()) {
                work.push(Node { state, ..node.clone() });
            }
        }
        if !machine.yields(&node.state, node.running) {
            continue;
        }
        let mut next = node.clone();
        let (begun, left) = &mut next.log[node.running];
        left.push(node.state.shared.clone());
        effects.insert((node.running, begun.iter().map(show).collect(), left.iter().map(show).collect()));
        if node.running == threads && left.len() == contexts {
            ends.insert(show(&node.state.shared));
            continue;
        }
        next.running = node.running % threads + 1;
        next.log[next.running].0.push(node.state.shared.clone());
        work.push(next);
    }
    Some((effects, ends))
}

/// Vectors of shared states as the tool shows them.
pub fn vectors(outcome: &Outcome, query: &str) -> BTreeSet<Vec<Vec<String>>> {
    let queries = outcome.queries();
    let query = queries.iter().find(|one| one.name == query).expect("a query");
    let (_, rows) = query.answer.as_ref().expect("an answer");
    let element = |column: usize, value: &Value| match value {
        Value::Vector(parts) => {
            let Sort::Vector { element: sort, .. } = *outcome.system.sorts.get(query.columns[column].sort)
            else {
                panic!("a vector has the sort of one")
            };
            parts.iter().map(|part| outcome.show(sort, part)).collect()
        }
        value => vec![outcome.show(query.columns[column].sort, value)],
    };
    rows.iter().map(|row| row.iter().enumerate().map(|(at, value)| element(at, value)).collect()).collect()
}
