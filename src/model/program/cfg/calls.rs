//! Who calls whom, and which procedures can call themselves.

use super::*;

pub struct CallGraph {
    /// One entry per call edge.
    callees: Vec<Vec<ProcedureId>>,
    /// Strongly connected components in an order in which callees come first.
    components: Vec<Vec<ProcedureId>>,
    recursive: Vec<bool>,
}

impl CallGraph {
    pub fn new(cfg: &Cfg) -> CallGraph {
        let callee = |edge: &Edge| match &edge.action {
            Action::Call { callee, .. } => Some(*callee),
            _ => None,
        };
        let callees: Vec<Vec<_>> =
            cfg.flows.iter().map(|flow| flow.edges.iter().filter_map(callee).collect()).collect();
        let components = components(&callees);
        let mut recursive = vec![false; callees.len()];
        for component in &components {
            for id in component {
                recursive[id.index()] = component.len() > 1 || callees[id.index()].contains(id);
            }
        }
        CallGraph { callees, components, recursive }
    }

    pub fn callees(&self, id: ProcedureId) -> &[ProcedureId] {
        &self.callees[id.index()]
    }

    pub fn recursive(&self, id: ProcedureId) -> bool {
        self.recursive[id.index()]
    }

    /// All procedures, callees before their callers where there is no recursion.
    pub fn callees_first(&self) -> impl Iterator<Item = ProcedureId> + '_ {
        self.components.iter().flatten().copied()
    }

    pub fn reachable(&self, roots: impl Iterator<Item = ProcedureId>) -> Vec<ProcedureId> {
        let mut reached = vec![false; self.callees.len()];
        let mut work: Vec<ProcedureId> = roots.collect();
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut reached[id.index()], true) {
                work.extend(&self.callees[id.index()]);
            }
        }
        (0..reached.len()).filter(|index| reached[*index]).map(|index| ProcedureId(index as u32)).collect()
    }
}

/// Tarjan's algorithm with an explicit stack: chains of calls may be as long as the program.
fn components(callees: &[Vec<ProcedureId>]) -> Vec<Vec<ProcedureId>> {
    const NEW: u32 = u32::MAX;
    let n = callees.len();
    let (mut number, mut low, mut open) = (vec![NEW; n], vec![0u32; n], vec![false; n]);
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..n {
        if number[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if *edge == 0 {
                (number[node], low[node], open[node]) = (next, next, true);
                next += 1;
                stack.push(node);
            }
            match callees[node].get(*edge) {
                Some(callee) => {
                    *edge += 1;
                    let callee = callee.index();
                    if number[callee] == NEW {
                        path.push((callee, 0));
                    } else if open[callee] {
                        low[node] = low[node].min(number[callee]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((caller, _)) = path.last() {
                        low[*caller] = low[*caller].min(low[node]);
                    }
                    if low[node] == number[node] {
                        let start =
                            stack.iter().rposition(|member| *member == node).expect("it is on the stack");
                        let members: Vec<usize> = stack.drain(start..).collect();
                        members.iter().for_each(|member| open[*member] = false);
                        found.push(members.into_iter().map(|member| ProcedureId(member as u32)).collect());
                    }
                }
            }
        }
    }
    found
}
