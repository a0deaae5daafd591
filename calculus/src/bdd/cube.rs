//! What operations need over and over, prepared once: sets of variables and renamings.

use super::{Bdd, Var};
use std::cell::RefCell;
use std::ffi::c_int;

/// A set of variables to quantify; see [`Manager::cube`](super::Manager::cube).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    pub(super) vars: Vec<Var>,
    pub(super) product: Bdd,
}

impl Cube {
    /// The variables in order of creation.
    pub fn vars(&self) -> &[Var] {
        &self.vars
    }

    /// Whether it has no variables.
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }
}

/// A simultaneous replacement of variables by variables.
#[derive(Clone, Debug)]
pub struct Renaming {
    /// Sorted by the variable replaced; none by itself.
    pairs: Vec<(Var, Var)>,
    /// For each variable what replaces it, for CUDD; extended when the manager has more variables.
    table: RefCell<Vec<c_int>>,
}

impl Renaming {
    /// Replaces each first variable by the second. Pairs of equal variables are fine; so are permutations, and
    /// several variables replaced by the same one, which become equal.
    pub fn new(pairs: impl IntoIterator<Item = (Var, Var)>) -> Renaming {
        let mut pairs: Vec<(Var, Var)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        for pair in pairs.windows(2) {
            assert!(pair[0].0 != pair[1].0, "a renaming replaces {:?} twice", pair[0].0);
        }
        pairs.retain(|(from, to)| from != to);
        Renaming { pairs, table: RefCell::default() }
    }

    /// The pairs of different variables.
    pub fn pairs(&self) -> &[(Var, Var)] {
        &self.pairs
    }

    /// Whether nothing is replaced.
    pub fn is_identity(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Gives `work` the replacement of each of `size` variables.
    pub(super) fn with_table<T>(&self, size: usize, work: impl FnOnce(&mut [c_int]) -> T) -> T {
        let mut mentioned = self.pairs.iter().flat_map(|&(from, to)| [from, to]);
        if let Some(unknown) = mentioned.find(|var| var.0 as usize >= size) {
            panic!("a renaming mentions {unknown:?}, which the manager does not have");
        }
        let mut table = self.table.borrow_mut();
        if table.len() < size {
            let first_new = table.len();
            table.extend((first_new..size).map(|index| Var::from_index(index).index()));
            for (from, to) in &self.pairs {
                table[from.0 as usize] = to.index();
            }
        }
        work(&mut table)
    }
}
