//! Thread creation as an edge of its own: the creator goes on, and from then on the new thread is there.
//!
//! Nobody waits and no shared variable is needed, so it costs no context and works inside atomic sections too. A file must
//! have equations for it ([`crate::model::schema::SPAWN`]). Other files get the [`handshake`].

use super::handshake::{handed, read, without_edges};
use super::*;
use crate::model::program::resolve::program::Birth;

/// Makes a [`Spawn`] of each edge that creates a thread. There are no threads that sleep.
pub fn lower(draft: Cfg<Creation>, program: &Program) -> Cfg {
    let births = 0..program.births.len() as u32;
    let variables = births.clone().map(|birth| handed(&draft, program, birth)).collect::<Vec<_>>();
    let begins = births.map(|birth| {
        let procedure = program.births[birth as usize].procedure();
        let wakes = |edge: &&Edge<Creation>| {
            matches!(edge.action, Action::Create(Creation::Wake { birth: woken }) if woken == birth)
        };
        let edge = draft.flow(procedure).edges.iter().find(wakes);
        (procedure, edge.expect("every birth has an edge that wakes its threads").to)
    });
    let begins = begins.collect();
    let (mut cfg, edges) = without_edges(draft);
    cfg.births = begins;
    cfg.singles.retain(|role| !role.asleep);
    cfg.replicated.retain(|role| !role.asleep);
    for (flow, edges) in cfg.flows.iter_mut().zip(edges) {
        for Edge { from, to, guard, action, span } in edges {
            let action = match action {
                Action::Create(Creation::Start { birth, arguments }) => {
                    let variables = variables[birth as usize].clone();
                    let values = match &program.births[birth as usize] {
                        Birth::Call { .. } => arguments,
                        Birth::Goto { .. } => variables.iter().map(|var| read(*var, span)).collect(),
                    };
                    Action::Create(Spawn { birth, variables, values })
                }
                Action::Create(Creation::Wake { .. }) => continue,
                Action::Assign { values, constraint, others } => {
                    Action::Assign { values, constraint, others }
                }
                Action::Call { callee, arguments, targets } => Action::Call { callee, arguments, targets },
            };
            flow.edges.push(Edge { from, to, guard, action, span });
        }
        flow.edges.sort_by_key(|edge| edge.from);
    }
    cfg
}
