//! An order of the variables in which those that affect each other are near.
//!
//! Variables that meet in a statement attract each other, less so in wide statements. The order is built from
//! one end: always the variable that is most attracted by those placed before, the recent ones counting most.

use crate::model::program::cfg::{Action, Cfg, Edge, Value};
use crate::model::program::resolve::program::{ProcedureId, Var};
use std::collections::BTreeMap;

/// The bit of each shared and of each own variable.
pub fn order(cfg: &Cfg, needed: &[ProcedureId]) -> (Vec<u16>, Vec<u16>) {
    let mut pull: BTreeMap<(Var, Var), f64> = BTreeMap::new();
    for edge in needed.iter().flat_map(|id| &cfg.flow(*id).edges) {
        let vars = together(cfg, edge);
        let weight = 1.0 / vars.len().max(1) as f64;
        // A statement that mentions everything says nothing about nearness.
        if vars.len() > 24 {
            continue;
        }
        for (at, a) in vars.iter().enumerate() {
            for b in &vars[at + 1..] {
                *pull.entry((*a, *b)).or_default() += weight;
            }
        }
    }
    let shared = arrange((0..cfg.shared.len() as u32).map(Var::Shared).collect(), &pull);
    let own = arrange((0..cfg.own.len() as u32).map(Var::Own).collect(), &pull);
    (shared, own)
}

/// The shared and own variables of an edge, sorted.
fn together(cfg: &Cfg, edge: &Edge) -> Vec<Var> {
    let mut vars = edge.guard.variables().collect::<Vec<_>>();
    match &edge.action {
        Action::Assign { values, constraint } => {
            for (var, value) in values {
                vars.push(*var);
                if let Value::Is(value) = value {
                    vars.extend(value.variables());
                }
            }
            vars.extend(constraint.iter().flat_map(|constraint| constraint.variables()));
        }
        Action::Call { arguments, .. } | Action::Start { arguments, .. } => {
            vars.extend(arguments.iter().flat_map(|argument| argument.variables()))
        }
        Action::Wake { .. } => {}
    }
    vars.retain(|var| !matches!(var, Var::Local(_)) && cfg.hold != Some(*var));
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// Positions for the variables, in the order of `vars`.
fn arrange(vars: Vec<Var>, pull: &BTreeMap<(Var, Var), f64>) -> Vec<u16> {
    let weight = |a: Var, b: Var| pull.get(&(a.min(b), a.max(b))).copied().unwrap_or(0.0);
    let mut scores = vec![0.0; vars.len()];
    let mut position = vec![u16::MAX; vars.len()];
    for place in 0..vars.len() {
        let open = (0..vars.len()).filter(|&at| position[at] == u16::MAX);
        // Among equals the first in the text.
        let best = open.fold(None, |best: Option<usize>, at| match best {
            Some(other) if scores[other] >= scores[at] => Some(other),
            _ => Some(at),
        });
        let Some(best) = best else { break };
        position[best] = place as u16;
        for (at, score) in scores.iter_mut().enumerate() {
            *score = *score * 0.5 + weight(vars[best], vars[at]);
        }
    }
    position
}
