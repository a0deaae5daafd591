//! What a program does that a file of equations says nothing about.
//!
//! Steps that make threads or move several of them are not in `step`. A file that follows `step` alone would miss them,
//! and its answers would be wrong; so it is refused. The same holds for targets over several threads.

use super::{BROADCAST, COVER, MOVE_ALL, PASSIVE, SPAWN, STEP, TARGET};
use calculus::vocabulary::Vocabulary;

/// A relation that a file would have to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheeded {
    /// What is wrong, in a sentence.
    pub title: String,
    /// The file that fits.
    pub help: String,
}

/// A relation with this name has tuples; a file that uses `follows` has to use `needs`.
struct Duty {
    name: &'static str,
    follows: &'static str,
    needs: &'static str,
    what: &'static str,
}

const DUTIES: [Duty; 4] = [
    Duty { name: SPAWN.name, follows: STEP.name, needs: SPAWN.name, what: "threads make others" },
    Duty {
        name: BROADCAST.name,
        follows: STEP.name,
        needs: PASSIVE.name,
        what: "some steps move all other threads",
    },
    Duty {
        name: MOVE_ALL.name,
        follows: STEP.name,
        needs: MOVE_ALL.name,
        what: "some steps are made by all threads together",
    },
    Duty {
        name: COVER.name,
        follows: TARGET.name,
        needs: COVER.name,
        what: "the target is about several threads together",
    },
];

/// What a file that uses some relations of a vocabulary leaves out.
pub fn unheeded(vocabulary: &Vocabulary, uses: impl Fn(&str) -> bool) -> Vec<Unheeded> {
    let has_tuples = |name: &str| {
        let mut named = vocabulary.relations.iter().filter(|relation| relation.name == name);
        named.any(|relation| relation.instances.iter().any(|rows| !rows.is_empty()))
    };
    let neglected = |duty: &&Duty| has_tuples(duty.name) && uses(duty.follows) && !uses(duty.needs);
    let told = DUTIES.iter().filter(neglected).map(|duty| Unheeded {
        title: format!(
            "{}, and this file has no equations for that: it does not use `{}`",
            duty.what, duty.needs
        ),
        help: "use views.fp, which is for any number of threads".into(),
    });
    told.collect()
}
