//! Functions outside of any manager: written down node by node, to be built again in another one.

use super::{Bdd, Manager, Stop, Var};
use rustc_hash::FxHashMap;

/// Some functions that share nodes. A number means a function: 0 is false, 1 is true, and n + 2 is the node at
/// position n, whose children have smaller numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// A variable, and what is left where it is false and where it is true.
    pub nodes: Vec<(Var, usize, usize)>,
    /// The numbers of the functions that were stored, in order.
    pub functions: Vec<usize>,
}

impl Stored {
    /// Writes functions of one manager down.
    pub fn new<'a>(functions: impl IntoIterator<Item = &'a Bdd>) -> Stored {
        let mut stored = Stored::default();
        let mut known = FxHashMap::default();
        for function in functions {
            let number = stored.add(function, &mut known);
            stored.functions.push(number);
        }
        stored
    }

    /// Writes the nodes of a function, children first; diagrams may be deeper than the program's stack.
    fn add(&mut self, function: &Bdd, known: &mut FxHashMap<usize, usize>) -> usize {
        let mut pending = vec![function.clone()];
        while let Some(top) = pending.last() {
            let id = top.node_id();
            match top.children() {
                _ if known.contains_key(&id) => drop(pending.pop()),
                None => {
                    known.insert(id, usize::from(top.is_one()));
                    pending.pop();
                }
                Some((var, low, high)) => match (known.get(&low.node_id()), known.get(&high.node_id())) {
                    (Some(&low), Some(&high)) => {
                        self.nodes.push((var, low, high));
                        known.insert(id, self.nodes.len() + 1);
                        pending.pop();
                    }
                    (at_low, _) => pending.push(if at_low.is_none() { low } else { high }),
                },
            }
        }
        known[&function.node_id()]
    }

    /// The functions in a manager, over other variables.
    pub fn restore(&self, manager: &Manager, var: impl Fn(Var) -> Var) -> Result<Vec<Bdd>, Stop> {
        let mut known = vec![manager.zero(), manager.one()];
        for &(at, low, high) in &self.nodes {
            let node = manager.var(var(at)).ite(&known[high], &known[low])?;
            known.push(node);
        }
        Ok(self.functions.iter().map(|&number| known[number].clone()).collect())
    }
}
