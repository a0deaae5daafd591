//! Which functions are in use. Every handle has a place here, so that samples of them can be looked at.

use super::ffi::DdNode;
use std::ptr::NonNull;

#[derive(Default)]
pub(super) struct Held {
    nodes: Vec<Option<NonNull<DdNode>>>,
    /// The places without a node.
    free: Vec<u32>,
}

impl Held {
    pub fn add(&mut self, node: NonNull<DdNode>) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = Some(node);
                place
            }
            None => {
                self.nodes.push(Some(node));
                u32::try_from(self.nodes.len() - 1).expect("there is no memory for so many handles")
            }
        }
    }

    pub fn remove(&mut self, place: u32) {
        self.nodes[place as usize] = None;
        self.free.push(place);
    }

    /// How many handles there are: no fewer than functions that are in use.
    pub fn count(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// So many of the nodes at most, evenly spread over the places.
    pub fn sample(&self, most: usize) -> Vec<NonNull<DdNode>> {
        self.nodes.iter().flatten().copied().step_by(self.count().div_ceil(most).max(1)).collect()
    }
}
