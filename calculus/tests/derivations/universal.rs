//! The cases of a `forall`: each holds, and none is left out.

use super::world::{World, holds, pattern, tuple};
use calculus::elaborate::core::Rule;
use calculus::solve::{DerivationNode, Universal};
use calculus::sort::Value;
use std::collections::BTreeSet;

/// Where a rule has more assignments, whether all cases are there is not asked.
const MOST: usize = 20_000;

/// Whether a tuple is not in the relation of a negated atom for the reasons that are told. How many cases there are.
pub fn confirm(
    world: &World,
    nodes: &[DerivationNode],
    (rule, values): (&Rule, &[Option<Value>]),
    universal: &Universal,
) -> Result<usize, String> {
    let (core, atom) = (world.core, &rule.atoms[universal.atom]);
    let absent = tuple(atom, values).into_iter().map(Some).collect::<Vec<_>>();
    if !atom.negative {
        return Err("cases are told for an atom that is not negated".into());
    }
    let mut told = BTreeSet::new();
    for case in &universal.cases {
        let rule = core.rules(atom.relation).get(case.rule).ok_or("no such rule")?;
        let values = case.values.iter().cloned().map(Some).collect::<Vec<_>>();
        if !allowed(world, rule, &values) || pattern(&rule.head, &values) != absent {
            return Err(format!("{case:?} is no case"));
        }
        let premise = &nodes[case.premise];
        let mut missing = rule.atoms.iter().filter(|atom| atom.negative);
        let holds = |tuple: Vec<Value>, relation| premise.relation == relation && premise.tuple == tuple;
        if !missing.any(|atom| holds(tuple(atom, &values), atom.relation)) {
            return Err(format!("{case:?} does not keep the case from failing"));
        }
        if !told.insert((case.rule, case.values.clone())) {
            return Err(format!("{case:?} is told twice"));
        }
    }
    for (number, rule) in core.rules(atom.relation).iter().enumerate() {
        if universal.more || !rule.atoms.iter().any(|atom| atom.negative) {
            continue;
        }
        for values in assignments(world, rule).into_iter().flatten() {
            let known = values.iter().cloned().map(Some).collect::<Vec<_>>();
            let is_case = pattern(&rule.head, &known) == absent && allowed(world, rule, &known);
            if is_case && !told.contains(&(number, values.clone())) {
                return Err(format!("the case {values:?} is left out"));
            }
        }
    }
    Ok(told.len())
}

/// Whether the conditions of a rule hold, and its atoms that are not negated.
fn allowed(world: &World, rule: &Rule, values: &[Option<Value>]) -> bool {
    let mut atoms = rule.atoms.iter().filter(|atom| !atom.negative);
    rule.constraints.iter().all(|constraint| holds(&world.core.sorts, constraint, values))
        && atoms.all(|atom| world.tables[atom.relation].contains(&tuple(atom, values)))
}

fn assignments(world: &World, rule: &Rule) -> Option<Vec<Vec<Value>>> {
    let mut all = vec![Vec::new()];
    for var in &rule.vars {
        let values = world.core.sorts.values(var.sort);
        if all.len() * values.len() > MOST {
            return None;
        }
        let extended = all.iter().flat_map(|before: &Vec<Value>| {
            values.iter().map(|value| before.iter().chain([value]).cloned().collect())
        });
        all = extended.collect();
    }
    Some(all)
}
