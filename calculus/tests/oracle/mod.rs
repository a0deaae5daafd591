//! The oracle: what a checked file means, computed from the definition and nothing else.
//!
//! It walks the checked tree over explicit sets of tuples. Quantifiers try every value; a `mu` starts from
//! nothing and a `nu` from everything, and both repeat their equations until nothing changes; where they are
//! mixed, the inner ones start afresh for every value of the outer ones. It shares no code with the solver.

mod components;
mod formula;
mod model;

use calculus::check::tree::{Body, RelId, Relation, System};
use calculus::sort::{Sort, SortId, Value};
use calculus::syntax::ast::DefKind;
pub use components::reaches;
pub use formula::arithmetic;
use std::collections::{BTreeMap, BTreeSet};

pub type Tuples = BTreeSet<Vec<Value>>;

/// What a file means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The tuples of each query, as values of the columns' sorts.
    pub queries: Vec<Tuples>,
    /// The position of the first verdict that holds.
    pub verdict: Option<usize>,
    /// The most rounds a fixed point took.
    pub rounds: usize,
    /// The tuples of each query in words, where a query has texts: numbers of texts mean nothing in another file.
    pub worded: Vec<Option<BTreeSet<Vec<String>>>>,
}

/// The scalars of a tuple of a relation, with texts for their numbers; nothing for a relation without texts.
pub fn words(system: &System, relation: RelId, tuple: &[Value]) -> Option<Vec<String>> {
    let columns = &system.relations[relation.0 as usize].columns;
    let leaves = columns.iter().flat_map(|column| system.sorts.leaves(column.sort)).collect::<Vec<_>>();
    let is_text = |leaf: &SortId| matches!(system.sorts.get(*leaf), Sort::Symbol { .. });
    if !leaves.iter().any(is_text) {
        return None;
    }
    let word = |(leaf, value): (&SortId, &Value)| match value {
        Value::Name(number) if is_text(leaf) => {
            system.sorts.texts(*leaf).iter().nth(*number as usize).expect("a text").to_string()
        }
        other => format!("{other:?}"),
    };
    Some(leaves.iter().zip(tuple).map(word).collect())
}

/// The scalars of a tuple.
pub fn flat(tuple: &[Value]) -> Vec<Value> {
    let parts = |value: &Value| match value {
        Value::Record(parts) | Value::Vector(parts) => flat(parts),
        scalar => vec![scalar.clone()],
    };
    tuple.iter().flat_map(parts).collect()
}

/// The file is too large for explicit sets.
#[derive(Clone, Copy, Debug)]
pub struct TooLarge;

/// The answers of a system, found within so many steps.
pub fn answers(system: &System, steps: u64) -> Result<Answers, TooLarge> {
    answers_nested(system, steps, false)
}

/// The answers if mixed fixed points were nested the other way round: wrong ones, where nesting matters.
pub fn answers_inside_out(system: &System, steps: u64) -> Result<Answers, TooLarge> {
    answers_nested(system, steps, true)
}

fn answers_nested(system: &System, steps: u64, inside_out: bool) -> Result<Answers, TooLarge> {
    let mut oracle = Oracle::new(system, steps, inside_out);
    let wanted = system.queries.iter().map(|query| query.relation);
    for relation in wanted.chain(system.verdicts.iter().filter_map(|verdict| verdict.condition)) {
        oracle.solve(relation.0 as usize)?;
    }
    let holds = |condition: RelId| !oracle.tables[condition.0 as usize].is_empty();
    Ok(Answers {
        queries: system.queries.iter().map(|q| oracle.tables[q.relation.0 as usize].clone()).collect(),
        verdict: system.verdicts.iter().position(|verdict| verdict.condition.is_none_or(holds)),
        rounds: oracle.rounds,
        worded: system.queries.iter().map(|q| oracle.worded(q.relation)).collect(),
    })
}

/// The tuples of every relation.
pub fn tables(system: &System, steps: u64) -> Result<Vec<Tuples>, TooLarge> {
    let mut oracle = Oracle::new(system, steps, false);
    (0..system.relations.len()).try_for_each(|at| oracle.solve(at))?;
    Ok(oracle.tables)
}

struct Oracle<'s> {
    system: &'s System,
    /// The relations that each relation reaches through its definition, in one or more steps.
    reaches: Vec<BTreeSet<usize>>,
    domains: BTreeMap<SortId, Vec<Value>>,
    tables: Vec<Tuples>,
    solved: Vec<bool>,
    rounds: usize,
    steps: u64,
    inside_out: bool,
}

impl<'s> Oracle<'s> {
    fn worded(&self, relation: RelId) -> Option<BTreeSet<Vec<String>>> {
        let columns = &self.system.relations[relation.0 as usize].columns;
        let has_texts = columns.iter().any(|column| self.system.sorts.has_texts(column.sort));
        let tuples = self.tables[relation.0 as usize].iter();
        has_texts.then(|| tuples.filter_map(|tuple| words(self.system, relation, &flat(tuple))).collect())
    }

    fn new(system: &'s System, steps: u64, inside_out: bool) -> Self {
        let mut domains = BTreeMap::new();
        for relation in &system.relations {
            let vars = match &relation.body {
                Body::Defined { vars, .. } => vars.iter().map(|var| var.sort).collect(),
                _ => Vec::new(),
            };
            for sort in vars.into_iter().chain(relation.columns.iter().map(|column| column.sort)) {
                domains.entry(sort).or_insert_with(|| system.sorts.values(sort));
            }
        }
        Oracle {
            system,
            reaches: components::reaches(system),
            domains,
            tables: vec![Tuples::new(); system.relations.len()],
            solved: vec![false; system.relations.len()],
            rounds: 0,
            steps,
            inside_out,
        }
    }

    /// Solves a relation's component after everything it rests on.
    fn solve(&mut self, at: usize) -> Result<(), TooLarge> {
        if self.solved[at] {
            return Ok(());
        }
        let component = self.component(at);
        for relation in self.reaches[at].clone() {
            if !component.contains(&relation) {
                self.solve(relation)?;
            }
        }
        if self.reaches[at].contains(&at) {
            let lets = self.lets(&component);
            let mut blocks = self.blocks(&component);
            if self.inside_out {
                blocks.reverse();
            }
            self.nest(&blocks, &lets)?;
        } else {
            self.tables[at] = self.evaluate(at)?;
        }
        component.iter().for_each(|&member| self.solved[member] = true);
        Ok(())
    }

    /// Iterates the outermost block; for each of its values the blocks inside it start afresh.
    fn nest(&mut self, blocks: &[Vec<usize>], lets: &[usize]) -> Result<(), TooLarge> {
        let Some((block, inner)) = blocks.split_first() else {
            for &at in lets {
                self.tables[at] = self.evaluate(at)?;
            }
            return Ok(());
        };
        let least = self.kind(block[0]) == Some(DefKind::Mu);
        for &at in block {
            self.tables[at] = if least { Tuples::new() } else { self.everything(at)? };
        }
        for round in 1.. {
            self.rounds = self.rounds.max(round);
            self.nest(inner, lets)?;
            let next = block.iter().map(|&at| self.evaluate(at)).collect::<Result<Vec<_>, _>>()?;
            let mut stable = true;
            for (&at, next) in block.iter().zip(next) {
                let (small, large) =
                    if least { (&self.tables[at], &next) } else { (&next, &self.tables[at]) };
                assert!(small.is_subset(large), "{} is not monotone", self.relation(at).title());
                stable &= next == self.tables[at];
                self.tables[at] = next;
            }
            if stable {
                break;
            }
        }
        Ok(())
    }

    fn relation(&self, at: usize) -> &'s Relation {
        &self.system.relations[at]
    }

    fn kind(&self, at: usize) -> Option<DefKind> {
        match &self.relation(at).body {
            Body::Defined { kind, .. } => Some(*kind),
            _ => None,
        }
    }

    /// Every tuple of a relation's columns.
    fn everything(&mut self, at: usize) -> Result<Tuples, TooLarge> {
        let mut tuples = vec![Vec::new()];
        for column in &self.relation(at).columns {
            let domain = &self.domains[&column.sort];
            self.steps = self.steps.checked_sub((tuples.len() * domain.len()) as u64).ok_or(TooLarge)?;
            let longer = |tuple: &Vec<Value>| {
                let tuple = tuple.clone();
                domain.iter().map(move |value| [tuple.as_slice(), std::slice::from_ref(value)].concat())
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        Ok(tuples.into_iter().collect())
    }

    /// The tuples a relation's own definition gives it, with every other relation as it is now.
    fn evaluate(&mut self, at: usize) -> Result<Tuples, TooLarge> {
        match &self.relation(at).body {
            Body::Facts(rows) => Ok(rows.iter().cloned().collect()),
            Body::Model(rows) => {
                let mut tuples = self.everything(at)?;
                tuples.retain(|tuple| {
                    model::contains(&self.system.sorts, &self.relation(at).columns, rows, tuple)
                });
                Ok(tuples)
            }
            Body::Defined { vars, clauses, .. } => {
                let mut out = Tuples::new();
                for tuple in self.everything(at)? {
                    let mut values = tuple.iter().cloned().map(Some).collect::<Vec<_>>();
                    values.resize(vars.len(), None);
                    for clause in clauses {
                        if self.holds(&clause.body, vars, &mut values)? {
                            out.insert(tuple);
                            break;
                        }
                    }
                }
                Ok(out)
            }
        }
    }
}
