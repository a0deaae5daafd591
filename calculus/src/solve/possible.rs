//! Which relations can have tuples at all, judged by which of the given ones do.
//!
//! A rule derives nothing where one of its positive atoms is of a relation without tuples. So a relation that rests on an empty
//! one in each of its rules is empty, whatever else these rules mention: nothing of that need be solved. A program
//! without a target has no error, however hard it is to find out what its threads do.

use crate::check::tree::RelId;
use crate::elaborate::core::{Core, CoreBody, RuleId, RuleKind};
use crate::index::IdVec;

/// The relations that may have tuples. All others have none.
pub(super) fn possible(core: &Core) -> IdVec<RelId, bool> {
    let mut possible = core.relations.filled(false);
    // How many positive atoms of a rule are not known to be possible, and the rules that wait for a relation.
    let mut missing = core.relations.map(|(at, _)| vec![0usize; core.rules(at).len()]);
    let mut waiting = core.relations.filled(Vec::<RuleId>::new());
    let mut work = Vec::new();
    for at in core.relations.ids() {
        match &core.relations[at].body {
            CoreBody::Facts(rows) if rows.is_empty() => {}
            CoreBody::Model(rows) if rows.is_empty() => {}
            CoreBody::Facts(_) | CoreBody::Model(_) => work.push(at),
            // A greatest solution may rest on itself.
            CoreBody::Rules { kind: RuleKind::Nu, .. } => work.push(at),
            CoreBody::Rules { kind: RuleKind::Mu | RuleKind::Inline, .. } => {
                for id in core.rule_ids(at) {
                    let positive = core.rule(id).atoms.iter().filter(|atom| !atom.negative);
                    positive.clone().for_each(|atom| waiting[atom.relation].push(id));
                    missing[at][id.number] = positive.count();
                    if missing[at][id.number] == 0 {
                        work.push(at);
                    }
                }
            }
        }
    }
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut possible[at], true) {
            continue;
        }
        for id in &waiting[at] {
            let left = &mut missing[id.relation][id.number];
            *left -= 1;
            if *left == 0 {
                work.push(id.relation);
            }
        }
    }
    possible
}
