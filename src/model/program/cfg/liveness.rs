//! Which locals matter at a location: those that some path reads before it writes them.

use super::*;
use crate::model::program::resolve::program::Birth;

/// A set of locals of one flow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locals(Vec<u64>);

impl Locals {
    fn none(n: usize) -> Locals {
        Locals(vec![0; n.div_ceil(64)])
    }

    pub fn contains(&self, local: u32) -> bool {
        self.0[local as usize / 64] >> (local % 64) & 1 == 1
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.0.len() as u32 * 64).filter(|local| self.contains(*local))
    }

    fn insert(&mut self, local: u32) {
        self.0[local as usize / 64] |= 1 << (local % 64);
    }

    fn remove(&mut self, local: u32) {
        self.0[local as usize / 64] &= !(1 << (local % 64));
    }

    /// Whether anything was added.
    fn add(&mut self, other: &Locals) -> bool {
        let before = self.clone();
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
        *self != before
    }
}

/// Live locals per location, as the least solution of
/// `live(q) = union over edges q -> r of reads(edge) + (live(r) - writes(edge))`, with the results live at the exit.
/// An abstract start edge that copies locals reads what is live where the new thread begins.
pub fn live_locals(flow: &Flow, births: &[Birth], begins: impl Fn(u32) -> Option<Loc>) -> Vec<Locals> {
    let mut live = vec![Locals::none(flow.locals.len()); flow.locations.len()];
    for result in &flow.results {
        if let Var::Local(result) = result {
            live[flow.exit.index()].insert(*result);
        }
    }
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); flow.locations.len()];
    for (index, edge) in flow.edges.iter().enumerate() {
        incoming[edge.to.index()].push(index);
        if let Some(begin) = copies_locals(edge, births, &begins) {
            incoming[begin.index()].push(index);
        }
    }
    let mut work: Vec<usize> = (0..flow.edges.len()).collect();
    while let Some(index) = work.pop() {
        let edge = &flow.edges[index];
        let mut before = live[edge.to.index()].clone();
        transfer(edge, &mut before);
        if let Some(begin) = copies_locals(edge, births, &begins) {
            before.add(&live[begin.index()]);
        }
        if live[edge.from.index()].add(&before) {
            work.extend(&incoming[edge.from.index()]);
        }
    }
    live
}

fn copies_locals(edge: &Edge, births: &[Birth], begins: &impl Fn(u32) -> Option<Loc>) -> Option<Loc> {
    match &edge.action {
        Action::Start { birth, .. } => {
            matches!(births[*birth as usize], Birth::Goto { .. }).then(|| begins(*birth)).flatten()
        }
        _ => None,
    }
}

fn transfer(edge: &Edge, live: &mut Locals) {
    let mut reads: Vec<&Expr> = vec![&edge.guard];
    match &edge.action {
        Action::Assign { values, constraint } => {
            for (var, value) in values {
                if let Var::Local(local) = var {
                    live.remove(*local);
                }
                if let Value::Is(value) = value {
                    reads.push(value);
                }
            }
            reads.extend(constraint);
            // A new value that was not assigned is the old one.
            let assigned = |var: Var| values.iter().any(|(assigned, _)| *assigned == var);
            for op in constraint.iter().flat_map(|constraint| &constraint.code) {
                if let Op::New(var @ Var::Local(local)) = op
                    && !assigned(*var)
                {
                    live.insert(*local);
                }
            }
        }
        Action::Call { arguments, targets, .. } => {
            for target in targets {
                if let Some(Var::Local(local)) = target {
                    live.remove(*local);
                }
            }
            reads.extend(arguments);
        }
        Action::Start { arguments, .. } => reads.extend(arguments),
        // A thread that wakes up gets all its locals from its creator, or begins at an entry.
        Action::Wake { .. } => live.0.fill(0),
    }
    for op in reads.into_iter().flat_map(|expression| &expression.code) {
        if let Op::Old(Var::Local(local)) = op {
            live.insert(*local);
        }
    }
}
