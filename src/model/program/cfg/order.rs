//! Reverse postorder, and statements that no path leads to.

use super::*;
use crate::model::program::resolve::program::{Block, Form, Procedure};

/// Drops unreachable locations and numbers the others in reverse postorder; gives the new numbers.
pub fn renumber<C>(flow: &mut Flow<C>, roots: &[Loc]) -> Vec<Option<Loc>> {
    let successors = successors(flow);
    let mut visited = vec![false; flow.locations.len()];
    let mut order: Vec<Loc> = Vec::new();
    // The order is reversed at the end: the entry comes first, unless a sleeping thread begins before it.
    for root in roots.iter().rev().chain([&flow.entry]) {
        depth_first(*root, &successors, &mut visited, &mut order);
    }
    order.reverse();
    if !visited[flow.exit.index()] {
        order.push(flow.exit);
    }
    let mut numbers = vec![None; flow.locations.len()];
    for (number, loc) in order.iter().enumerate() {
        numbers[loc.index()] = Some(Loc(number as u32));
    }
    flow.locations = order.iter().map(|loc| flow.locations[loc.index()].clone()).collect();
    flow.edges.retain_mut(|edge| match (numbers[edge.from.index()], numbers[edge.to.index()]) {
        (Some(from), Some(to)) => {
            (edge.from, edge.to) = (from, to);
            true
        }
        _ => false,
    });
    flow.edges.sort_by_key(|edge| edge.from);
    flow.entry = numbers[flow.entry.index()].expect("the entry is a root");
    flow.exit = numbers[flow.exit.index()].expect("the exit is kept");
    numbers
}

fn successors<C>(flow: &Flow<C>) -> Vec<Vec<Loc>> {
    let mut successors = vec![Vec::new(); flow.locations.len()];
    for edge in &flow.edges {
        successors[edge.from.index()].push(edge.to);
    }
    successors
}

fn depth_first(root: Loc, successors: &[Vec<Loc>], visited: &mut [bool], order: &mut Vec<Loc>) {
    if std::mem::replace(&mut visited[root.index()], true) {
        return;
    }
    let mut path = vec![(root, 0)];
    while let Some((loc, next)) = path.last_mut() {
        match successors[loc.index()].get(*next) {
            Some(to) => {
                *next += 1;
                if !std::mem::replace(&mut visited[to.index()], true) {
                    path.push((*to, 0));
                }
            }
            None => {
                order.push(*loc);
                path.pop();
            }
        }
    }
}

/// One warning where each unreachable stretch begins.
pub fn warn_about_unreachable(
    procedure: &Procedure,
    begins: &[Loc],
    numbers: &[Option<Loc>],
    warnings: &mut Vec<Diagnostic>,
) {
    let reached = |id: &crate::model::program::StatementId| numbers[begins[id.0 as usize].index()].is_some();
    let mut work: Vec<(&Block, bool)> = vec![(&procedure.body, true)];
    while let Some((block, mut before)) = work.pop() {
        for id in block {
            let statement = procedure.statement(*id);
            let here = reached(id);
            if before && !here {
                warnings.push(
                    Diagnostic::warning("bp::unreachable", "no path leads to this statement")
                        .label(statement.span, format!("never executed in `{}`", procedure.name)),
                );
            }
            match &statement.form {
                Form::If { then, otherwise, .. } => work.extend([(then, here), (otherwise, here)]),
                Form::While { body, .. } => work.push((body, here)),
                _ => {}
            }
            before = here;
        }
    }
}
