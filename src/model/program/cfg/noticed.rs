//! Where a thread has just done what other threads can notice.
//!
//! What a thread does with variables of its own alone can as well be done later, when it is scheduled again: whatever
//! others do meanwhile, it has the same effect. So another thread need only be scheduled where this one begins, and right
//! behind an edge that reads or writes a shared variable or ends an atomic section. No shared state and no target is
//! lost by that, and no run needs more contexts. (Pairs of places where two threads are at the same time are lost.)
//! That nobody holds is part of every guard; it does not count as reading a shared variable.

use super::*;

/// For each flow and location. Calls count as noticed.
pub fn noticed_behind(cfg: &Cfg) -> Vec<Vec<bool>> {
    let mut out: Vec<Vec<bool>> = cfg.flows.iter().map(|flow| vec![false; flow.locations.len()]).collect();
    for (id, start) in cfg.roots() {
        out[id.index()][start.index()] = true;
    }
    // Where threads change each other's variables, others notice every step.
    let broadcasts = cfg.flows.iter().any(|flow| flow.edges.iter().any(|edge| edge.others().is_some()));
    for (number, flow) in cfg.flows.iter().enumerate() {
        for edge in &flow.edges {
            if let Action::Call { callee, .. } = edge.action {
                out[callee.index()][cfg.flow(callee).entry.index()] = true;
            }
            if broadcasts || is_noticed(cfg, flow, edge) {
                out[number][edge.to.index()] = true;
            }
        }
    }
    out
}

fn is_noticed(cfg: &Cfg, flow: &Flow, edge: &Edge) -> bool {
    let Action::Assign { values, constraint, .. } = &edge.action else { return true };
    let ends = flow.locations[edge.from.index()].atomic && !flow.locations[edge.to.index()].atomic;
    let shared = |var: Var| matches!(var, Var::Shared(_));
    let read =
        |value: &AssignedValue| matches!(value, AssignedValue::Is(value) if value.variables().any(shared));
    ends || edge.guard.variables().any(|var| shared(var) && cfg.hold != Some(var))
        || values.iter().any(|(var, value)| shared(*var) || cfg.yield_unless.contains(var) || read(value))
        || constraint.iter().flat_map(|constraint| constraint.variables()).any(shared)
}
