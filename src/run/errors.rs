//! Whether a file asks for errors: a run of a C program ends where a value leaves its word, and this place is a target. So
//! only a file whose verdict `unsafe` follows from targets sees it.

use calculus::check::tree::{Body, RelId, System, VerdictKind, occurrences};
use std::collections::BTreeSet;

/// Whether a verdict `unsafe` has a relation of the model as a condition that makes it true, not one that forbids it.
pub fn asks_for(system: &System, name: &str) -> bool {
    let begin = system.verdicts.iter().filter(|verdict| verdict.kind == VerdictKind::Unsafe);
    let mut work = begin.filter_map(|verdict| Some((verdict.condition?, true))).collect::<Vec<_>>();
    let mut seen = BTreeSet::<(RelId, bool)>::new();
    while let Some((at, positive)) = work.pop() {
        if !seen.insert((at, positive)) {
            continue;
        }
        let relation = &system.relations[at.0 as usize];
        if positive && matches!(relation.body, Body::Model(_)) && *relation.name == *name {
            return true;
        }
        let mentioned = occurrences(relation).into_iter();
        work.extend(mentioned.map(|one| (one.relation, one.positive == positive)));
    }
    false
}
