//! Portfolios: a program that is named alone is given to several algorithms, each in a process of its own. The first
//! proof or error ends the run.
//!
//! Which algorithms these are is data: a plan, see `algorithms/portfolio.plan`. No algorithm is known by name here.

pub mod answer;
pub mod plan;
pub mod race;

use crate::batch::child::Ended;
use crate::batch::plan::BatchAlgorithm;

/// What a portfolio is run for. Without a goal both count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    Bug,
    Proof,
}

/// One algorithm of a portfolio, and what it came to.
#[derive(Clone, Debug)]
pub struct Member {
    pub algorithm: BatchAlgorithm,
    /// Nothing if it was not started, or ended because another one had decided.
    pub ended: Option<Ended>,
}

/// Why a portfolio ended before its members did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Time,
    Interrupt,
}

/// What a portfolio came to.
#[derive(Clone, Debug)]
pub struct Raced {
    pub members: Vec<Member>,
    /// The member whose answer counts: a proof or an error; or, if there is none, the strongest answer.
    pub winner: Option<usize>,
    pub cut: Option<Cut>,
}

impl Raced {
    /// The answer that counts.
    pub fn answer(&self) -> Option<(&BatchAlgorithm, &Ended)> {
        let member = &self.members[self.winner?];
        Some((&member.algorithm, member.ended.as_ref()?))
    }
}
