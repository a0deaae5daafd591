//! The front ends, by the ending of a file. A new one is a folder beside `boolean` and a line here.

use super::schema::pushdown;
use super::{FrontEnd, boolean, c, pds, tts};
use calculus::vocabulary::Vocabulary;
use std::collections::BTreeSet;

pub const FRONT_ENDS: &[FrontEnd] = &[boolean::FRONT_END, c::FRONT_END, pds::FRONT_END, tts::FRONT_END];

/// The front end for a file, by its name.
pub fn front_end(name: &str) -> Option<&'static FrontEnd> {
    let reads = |ending: &&str| name.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.'));
    FRONT_ENDS.iter().find(|front_end| front_end.endings.iter().any(reads))
}

/// The endings of all models.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FRONT_ENDS.iter().flat_map(|front_end| front_end.endings.iter().copied())
}

/// `.bp or .nbp`
pub fn endings_in_words() -> String {
    endings().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(" or ")
}

/// What is said where something else was named.
pub fn in_words() -> String {
    let kinds = FRONT_ENDS.iter().map(|front_end| {
        let endings = front_end.endings.iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>();
        format!("{}: a file with the ending {}", front_end.what, endings.join(" or "))
    });
    format!("a model is {}", kinds.collect::<Vec<_>>().join("; or "))
}

/// A small model that offers everything a file can ask for, to check files without a model. Its vocabulary has this
/// name if there is one, and what the file names behind dots.
pub fn specimen(name: &str, named: &BTreeSet<String>) -> Vocabulary {
    match name {
        pushdown::NAME => pds::specimen(),
        _ => boolean::specimen(named),
    }
}
