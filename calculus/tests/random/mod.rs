//! Random `.fp` files, as a proptest strategy that shrinks by taking definitions, clauses and operands away.

pub mod draft;
pub mod features;
mod formulas;
mod grow;
mod scope;
mod shrink;
mod terms;
mod text;

use draft::Draft;
pub use grow::Profile;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use scope::Dice;

/// The texts of random symbol sorts: inputs bring some of them, and constants others.
pub const TEXTS: [&str; 4] = ["Main.f$v1", "a b", "say \"x, y\"", "é\\"];

#[derive(Clone, Copy, Debug)]
pub struct Files(pub Profile);

impl Strategy for Files {
    type Tree = Shrinking;
    type Value = Draft;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let draft = grow::draft(self.0, &mut Dice::new(runner.new_rng()));
        Ok(Shrinking { trial: draft.clone(), best: draft, smaller: None, at: 0, tries: 0 })
    }
}

/// The smallest failing draft so far, and the one on trial.
#[derive(Debug)]
pub struct Shrinking {
    best: Draft,
    trial: Draft,
    smaller: Option<Vec<Draft>>,
    at: usize,
    /// Trials since the last success: a full sweep without one is the end.
    tries: usize,
}

impl Shrinking {
    fn next(&mut self) -> bool {
        let smaller = self.smaller.get_or_insert_with(|| shrink::smaller(&self.best));
        if self.tries >= smaller.len() {
            self.trial = self.best.clone();
            return false;
        }
        self.trial = smaller[self.at % smaller.len()].clone();
        self.at += 1;
        self.tries += 1;
        true
    }
}

impl ValueTree for Shrinking {
    type Value = Draft;

    fn current(&self) -> Draft {
        self.trial.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.tries > 0 {
            // The next candidate has moved into the place of the one that was taken.
            self.at = self.at.saturating_sub(1);
        }
        (self.best, self.smaller, self.tries) = (self.trial.clone(), None, 0);
        self.next()
    }

    fn complicate(&mut self) -> bool {
        self.next()
    }
}
