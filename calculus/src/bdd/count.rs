//! How many assignments satisfy a function, exactly.

use super::ffi::{self, DdNode};
use super::{Bdd, Var};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

impl Bdd {
    /// How many assignments to exactly these variables satisfy the function, which must depend on no others.
    ///
    /// With the variables ranked 0 … n-1 from the top, let #f be the number of assignments to the variables from
    /// the rank of f's root on. For a node f = (v, low, high),
    ///
    /// #f = 2^(rank(low) - rank(v) - 1) · #low + 2^(rank(high) - rank(v) - 1) · #high,
    ///
    /// and #¬f = 2^(n - rank(f)) - #f. Constants have rank n. Nodes are visited children first, with a stack of
    /// our own, since diagrams may be deeper than the program's stack.
    pub fn count(&self, vars: &[Var]) -> BigUint {
        count_all([self], vars)
    }
}

/// The sum of what the functions count, over the same variables. What they share is counted once.
pub fn count_all<'a>(functions: impl IntoIterator<Item = &'a Bdd>, vars: &[Var]) -> BigUint {
    let mut counting: Option<Counting> = None;
    let mut sum = BigUint::ZERO;
    for function in functions {
        sum += counting.get_or_insert_with(|| Counting::new(function, vars)).count(function.node());
    }
    sum
}

struct Counting {
    /// By index of variable; `u64::MAX` for those that do not occur.
    rank: Vec<u64>,
    total: u64,
    /// #f for nodes f, without complement.
    known: FxHashMap<*mut DdNode, BigUint>,
}

impl Counting {
    fn new(function: &Bdd, vars: &[Var]) -> Counting {
        let mut by_level = vars.to_vec();
        by_level.sort_unstable_by_key(|&var| function.core.level(var));
        let mut rank = vec![u64::MAX; function.core.variable_count()];
        for (place, var) in (0..).zip(by_level) {
            assert!(rank[var.0 as usize] == u64::MAX, "counting: {var:?} is given twice");
            rank[var.0 as usize] = place;
        }
        Counting { rank, total: vars.len() as u64, known: FxHashMap::default() }
    }

    fn count(&mut self, root: *mut DdNode) -> BigUint {
        let mut pending = vec![ffi::regular(root)];
        while let Some(&node) = pending.last() {
            if is_constant(node) || self.known.contains_key(&node) {
                pending.pop();
                continue;
            }
            let (low, high) = children(node);
            let before = pending.len();
            for child in [low, high].map(ffi::regular) {
                if !is_constant(child) && !self.known.contains_key(&child) {
                    pending.push(child);
                }
            }
            if pending.len() == before {
                let below = self.rank_of(node) + 1;
                let number = self.number_from(below, low) + self.number_from(below, high);
                self.known.insert(node, number);
                pending.pop();
            }
        }
        self.number_from(0, root)
    }

    /// The number of assignments to the variables from `rank` on that satisfy what the edge leads to.
    fn number_from(&self, rank: u64, edge: *mut DdNode) -> BigUint {
        let node = ffi::regular(edge);
        let own = self.rank_of(node);
        let plain = if is_constant(node) { BigUint::from(1u32) } else { self.known[&node].clone() };
        let number = if ffi::is_complement(edge) {
            (BigUint::from(1u32) << (self.total - own)) - plain
        } else {
            plain
        };
        number << (own - rank)
    }

    fn rank_of(&self, node: *mut DdNode) -> u64 {
        if is_constant(node) {
            self.total
        } else {
            // SAFETY: nodes below a function with a handle stay valid while no operation runs, and none does.
            let var = Var(unsafe { ffi::Cudd_NodeReadIndex(node) });
            let rank = self.rank[var.0 as usize];
            assert!(rank != u64::MAX, "counting: the function depends on {var:?}, which is not given");
            rank
        }
    }
}

fn is_constant(node: *mut DdNode) -> bool {
    // SAFETY: as in `rank_of`.
    unsafe { ffi::Cudd_IsConstant(node) != 0 }
}

/// The edges of a node that is neither constant nor complemented.
fn children(node: *mut DdNode) -> (*mut DdNode, *mut DdNode) {
    // SAFETY: as in `rank_of`; the node is not constant.
    unsafe { (ffi::Cudd_E(node), ffi::Cudd_T(node)) }
}
