//! Late forgetting: what the first operation was to forget is forgotten by the second one, in one pass over the diagram,
//! where that joins with rows of a model. Each of these speaks of one statement, so that the diagram stays small.

use super::operations::{OperationKind, Plan};
use crate::elaborate::core::{Core, CoreBody};

/// Moves what the followed atom forgets to the operation after it, if that is a join with a model and the variables of the
/// followed atom have the places of its columns: then no other variable has them.
pub(super) fn forget_late(core: &Core, plan: &mut Plan) {
    let [first, second, ..] = plan.operations.as_mut_slice() else { return };
    let (OperationKind::Atom(seed), OperationKind::Atom(next)) = (&mut first.kind, &second.kind) else {
        return;
    };
    let is_small = !next.negative && matches!(core.relations[next.relation].body, CoreBody::Model(_));
    let is_in_place = seed.view.equal.is_empty()
        && seed.view.rename.iter().all(|(_, column, place)| column == place)
        && seed.view.forget.iter().all(|column| first.forget.contains(column));
    if !seed.followed || !is_small || !is_in_place {
        return;
    }
    let mut late = std::mem::take(&mut seed.view.forget);
    for forgotten in first.forget.drain(..).chain(second.forget.drain(..)) {
        if !late.contains(&forgotten) {
            late.push(forgotten);
        }
    }
    second.forget = late;
}
