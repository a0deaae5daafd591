//! Who calls whom, and which procedures can call themselves.

use super::*;
use calculus::graph::components;

pub struct CallGraph {
    /// One entry per call edge.
    callees: Vec<Vec<ProcedureId>>,
    /// Strongly connected components in an order in which callees come first.
    components: Vec<Vec<ProcedureId>>,
    recursive: Vec<bool>,
}

impl CallGraph {
    pub fn new<C>(cfg: &Cfg<C>) -> CallGraph {
        let callee = |edge: &Edge<C>| match &edge.action {
            Action::Call { callee, .. } => Some(*callee),
            _ => None,
        };
        let callees: Vec<Vec<_>> =
            cfg.flows.iter().map(|flow| flow.edges.iter().filter_map(callee).collect()).collect();
        let indices = |node: usize| callees[node].iter().map(|callee: &ProcedureId| callee.index()).collect();
        let components: Vec<Vec<_>> = components(callees.len(), indices)
            .into_iter()
            .map(|members| members.into_iter().map(|member| ProcedureId(member as u32)).collect())
            .collect();
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
