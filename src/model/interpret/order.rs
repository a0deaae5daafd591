//! Which statement comes after which in the text.

use super::state::Pc;
use crate::model::program::{Block, Form, Procedure, StatementId};

/// Successors of the statements of one procedure, by structure alone.
pub struct Order {
    entry: Pc,
    after: Vec<Pc>,
}

impl Order {
    pub fn new(procedure: &Procedure) -> Order {
        let mut order = Order {
            entry: first(&procedure.body, Pc::Exit),
            after: vec![Pc::Exit; procedure.statements.len()],
        };
        let mut work: Vec<(&Block, Pc)> = vec![(&procedure.body, Pc::Exit)];
        while let Some((block, follow)) = work.pop() {
            for (position, id) in block.iter().enumerate() {
                let after = block.get(position + 1).map_or(follow, |next| Pc::At(*next));
                order.after[id.0 as usize] = after;
                match &procedure.statement(*id).form {
                    Form::If { then, otherwise, .. } => work.extend([(then, after), (otherwise, after)]),
                    Form::While { body, .. } => work.push((body, Pc::At(*id))),
                    _ => {}
                }
            }
        }
        order
    }

    pub fn entry(&self) -> Pc {
        self.entry
    }

    pub fn after(&self, id: StatementId) -> Pc {
        self.after[id.0 as usize]
    }
}

/// Where a block begins, if it is empty where it leads.
pub fn first(block: &Block, follow: Pc) -> Pc {
    block.first().map_or(follow, |id| Pc::At(*id))
}
