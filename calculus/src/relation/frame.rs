//! Frames: the bits that a row leaves as they are.
//!
//! One assignment touches few bits, and the others need no BDD. They are kept as runs of neighbours, so that a frame is
//! as large as what the row changes, not as what it leaves alone.

use crate::bdd::{Bdd, Stop, Var};
use std::rc::Rc;

/// The runs of one row.
pub type FrameEqualities = Rc<[EqualRun]>;

/// Neighbouring bits of a column that equal neighbouring bits of another one, one by one.
#[derive(Clone, Debug)]
pub struct EqualRun {
    left: (Rc<[Var]>, usize),
    right: (Rc<[Var]>, usize),
    count: usize,
}

impl EqualRun {
    /// So many bits, each side given by the bits of its column and by the position of its first bit.
    pub fn new(left: (&Rc<[Var]>, u16), right: (&Rc<[Var]>, u16), count: u16) -> EqualRun {
        let side = |(column, first): (&Rc<[Var]>, u16)| (Rc::clone(column), usize::from(first));
        EqualRun { left: side(left), right: side(right), count: count.into() }
    }

    pub fn left(&self) -> &[Var] {
        &self.left.0[self.left.1..][..self.count]
    }

    pub fn right(&self) -> &[Var] {
        &self.right.0[self.right.1..][..self.count]
    }

    /// The bits, pair by pair.
    pub fn pairs(&self) -> impl Iterator<Item = (Var, Var)> {
        self.left().iter().copied().zip(self.right().iter().copied())
    }
}

/// All equal bits of a frame.
pub fn pairs(frame: &[EqualRun]) -> Vec<(Var, Var)> {
    frame.iter().flat_map(EqualRun::pairs).collect()
}

/// A BDD and the equality of pairs of bits, conjoined from the bottom of the order upwards.
pub fn conjoin(core: &Bdd, pairs: &[(Var, Var)]) -> Result<Bdd, Stop> {
    let manager = core.manager();
    let mut out = core.clone();
    for (left, right) in pairs.iter().rev() {
        out = manager.var(*left).iff(&manager.var(*right))?.and(&out)?;
    }
    Ok(out)
}
