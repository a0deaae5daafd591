//! What a thread is doing now, as data: for whoever has to say where it was when work was given up.
//!
//! Each room enters its phases itself. A phase lasts until its guard is dropped; then the one around it goes on. Another
//! thread may look on through a [`PhaseView`], since not all work can look at its own limits.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// What is being done, and for which relation of the file if it is part of solving one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// In words that follow "while": `reading the program`.
    pub doing: &'static str,
    /// The relation that is being solved.
    pub relation: Option<Arc<str>>,
    /// The work looks at the limits itself, and soon.
    pub polls: bool,
}

const SOLVING: &str = "solving";
/// Looking for a trace or an explanation.
pub const EXPLAINING: &str = "looking for a derivation";

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.relation {
            None => f.write_str(self.doing),
            Some(relation) if self.doing == SOLVING => write!(f, "solving {relation}"),
            Some(relation) => write!(f, "{} while solving {relation}", self.doing),
        }
    }
}

type Shared = Arc<Mutex<Phase>>;

thread_local! {
    static HERE: RefCell<Shared> = RefCell::default();
}

/// The phase of one thread, to be looked at from another.
#[derive(Clone, Debug)]
pub struct PhaseView(Shared);

impl PhaseView {
    /// What that thread is doing now.
    pub fn now(&self) -> Phase {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The phase of this thread, now and later.
pub fn view() -> PhaseView {
    HERE.with_borrow(|here| PhaseView(here.clone()))
}

/// What this thread is doing now.
pub fn now() -> Phase {
    view().now()
}

/// The phase before goes on when this is dropped.
#[derive(Debug)]
#[must_use = "a phase ends when its guard is dropped"]
pub struct Entered {
    before: Phase,
}

impl Drop for Entered {
    fn drop(&mut self) {
        replace(std::mem::take(&mut self.before));
    }
}

fn replace(phase: Phase) -> Phase {
    HERE.with_borrow(|here| {
        std::mem::replace(&mut *here.lock().unwrap_or_else(PoisonError::into_inner), phase)
    })
}

/// Is called with each phase that is entered, by the thread that enters it: failures on purpose are made there. Only
/// builds with the feature `faults` have it.
#[cfg(feature = "faults")]
pub static ENTERED: std::sync::OnceLock<fn(&Phase)> = std::sync::OnceLock::new();

fn begin(phase: Phase) -> Entered {
    #[cfg(feature = "faults")]
    let entered = phase.clone();
    let guard = Entered { before: replace(phase) };
    #[cfg(feature = "faults")]
    if let Some(fault) = ENTERED.get() {
        fault(&entered);
    }
    guard
}

/// Enters work that does not look at the limits.
pub fn enter(doing: &'static str) -> Entered {
    begin(Phase { doing, relation: None, polls: false })
}

/// Enters work that looks at the limits, as all work on diagrams does.
pub fn enter_polling(doing: &'static str) -> Entered {
    begin(Phase { doing, relation: None, polls: true })
}

/// Enters the solving of a relation, be it for its own sake or for an explanation.
pub fn enter_solving(relation: &str) -> Entered {
    let doing = if now().doing == EXPLAINING { EXPLAINING } else { SOLVING };
    begin(Phase { doing, relation: Some(relation.into()), polls: true })
}

/// Enters a part of the work on a relation, if one is being solved.
pub fn enter_part(doing: &'static str, polls: bool) -> Entered {
    let relation = now().relation;
    begin(Phase { doing, relation, polls })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_nest_and_can_be_watched() {
        let view = view();
        let outer = enter("reading the program");
        assert_eq!(view.now().to_string(), "reading the program");
        {
            let _solving = enter_solving("Reach[2]");
            assert_eq!(now().to_string(), "solving Reach[2]");
            let _part = enter_part("reordering the BDD variables", false);
            assert_eq!(view.now().to_string(), "reordering the BDD variables while solving Reach[2]");
            assert!(!now().polls);
        }
        assert_eq!(view.now().to_string(), "reading the program");
        drop(outer);
        assert_eq!(now(), Phase::default());
        std::thread::spawn(move || assert_eq!((view.now(), now()), Default::default())).join().unwrap();
    }
}
