//! The plan of each rule: once from nothing, and in a component of least fixed points once for each atom whose new rows
//! are followed. A relation that shrinks while others grow is evaluated as a whole; what it lost is followed like new
//! rows are. What is printed is what the solver runs.

use super::core::RuleWords;
use calculus::check::tree::System;
use calculus::elaborate::core::{Core, Rule, RuleKind};
use calculus::plan::{AtomPlan, Operation, OperationKind, Plan, Planner, shrinking};
use calculus::space::Place;
use std::fmt::Write;

pub fn plan(system: &System, core: &Core) -> String {
    let planner = Planner::new(core, true);
    let mut out = String::new();
    for part in &planner.parts {
        let least = part.iter().all(|&at| core.kind(at) != Some(RuleKind::Nu));
        let shrinking = if least { shrinking(core, part) } else { part.clone() };
        for id in part.iter().flat_map(|&at| core.rule_ids(at)) {
            let (at, rule) = (id.relation, core.rule(id));
            let words = RuleWords::new(system, core, at, rule);
            let _ = writeln!(out, "{}: {} :- {}", core.clause_name(at, rule), words.head(at), words.body());
            let inside =
                |atom: &usize| !shrinking.contains(&at) && part.contains(&rule.atoms[*atom].relation);
            let seeds = (0..rule.atoms.len()).filter(inside).map(Some);
            for seed in [None].into_iter().chain(seeds) {
                let _ = match seed.map(|seed| rule.atoms[seed].relation) {
                    None => writeln!(out, "  from nothing:"),
                    Some(relation) => writeln!(out, "  following {}:", core.relations[relation].title),
                };
                let plan = planner.plan(id, seed, &[]);
                for (number, operation) in plan.operations.iter().enumerate() {
                    let _ = writeln!(out, "    {} {}", number + 1, line(&words, rule, operation));
                }
                if let Some(moved) = written(&words, &plan) {
                    let _ =
                        writeln!(out, "    {} write {}{moved}", plan.operations.len() + 1, words.head(at));
                }
            }
        }
    }
    out
}

/// An operation with what is done to variables on the way.
fn line(words: &RuleWords, rule: &Rule, operation: &Operation) -> String {
    let mut out = match &operation.kind {
        OperationKind::Atom(plan) => atom(words, rule, plan),
        OperationKind::Condition { constraint, .. } => {
            format!("keep where {}", words.constraint(&rule.constraints[*constraint]))
        }
        OperationKind::Domain { var, .. } => format!("let {} be anything", words.var(*var)),
        OperationKind::Compute { constraint, var, .. } => {
            format!("compute {} from {}", words.var(*var), words.constraint(&rule.constraints[*constraint]))
        }
    };
    let mut forgotten = operation.forget.iter().map(|(var, _)| *var).collect::<Vec<_>>();
    if let OperationKind::Atom(plan) = &operation.kind {
        out.push_str(&renamed(words, &plan.view.rename));
        for taken in plan.takeovers.iter().flatten() {
            let _ = write!(out, "; {} takes the place of {}", words.var(taken.new), words.var(taken.old));
        }
        forgotten.extend(plan.view.forget.iter().map(|(var, _)| *var));
        forgotten.sort_unstable();
        forgotten.dedup();
    }
    out + &listed(words, "forget", &forgotten)
}

fn atom(words: &RuleWords, rule: &Rule, plan: &AtomPlan) -> String {
    let atom = &rule.atoms[plan.atom];
    let text = words.atom(atom);
    let positive = text.trim_start_matches("not ");
    match (plan.followed, atom.negative) {
        (true, true) => format!("take the lost rows of {positive}"),
        (true, false) => format!("take the new rows of {positive}"),
        (false, true) => format!("remove {positive}"),
        (false, false) => format!("join {positive}"),
    }
}

/// How the head is written, if that takes any work.
fn written(words: &RuleWords, plan: &Plan) -> Option<String> {
    let moved = renamed(words, &plan.head.rename);
    let works = !moved.is_empty() || !plan.head.constants.is_empty() || !plan.head.equal.is_empty();
    works.then_some(moved)
}

/// The variables that move to other bits.
fn renamed(words: &RuleWords, pairs: &[(usize, Place, Place)]) -> String {
    let moved = pairs.iter().filter(|(_, from, to)| from != to).map(|(var, ..)| *var).collect::<Vec<_>>();
    listed(words, "rename", &moved)
}

fn listed(words: &RuleWords, what: &str, vars: &[usize]) -> String {
    match vars {
        [] => String::new(),
        vars => {
            format!("; {what} {}", vars.iter().map(|var| words.var(*var)).collect::<Vec<_>>().join(", "))
        }
    }
}
