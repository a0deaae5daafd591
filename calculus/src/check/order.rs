//! Which fixed points are inside which.
//!
//! The order of the text decides, as the reference says: an earlier definition is further out. An instance for
//! relations belongs where those relations are: `Attractor[{ x | Again(x) }]` is a formula about `Again`, so it is
//! inside `Again`, however early the file stands that defines `Attractor`.

use super::signatures::Signatures;
use super::tree::{Body, RelId, occurrences};
use crate::graph::components;
use crate::index::Id;
use crate::syntax::ast::DefKind;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a fixed point among the others: smaller is further out. One that is inside another begins with its key.
type NestingKey = Vec<i64>;

/// Gives the instances for relations their places.
pub(super) fn nest(signatures: &mut Signatures) {
    if signatures.origins.is_empty() {
        return;
    }
    let mut keys: Vec<Option<NestingKey>> = vec![None; signatures.relations.len()];
    for part in components(keys.len(), |at| signatures.outside(RelId::from_index(at))) {
        // In a cycle a `let` is known by what is outside of it, until the fixed points in it are known.
        let (lets, others) = part.into_iter().partition::<Vec<_>, _>(|&at| signatures.is_let(at));
        for at in lets.iter().chain(&others).chain(&lets) {
            keys[*at] = signatures.key(RelId::from_index(*at), &keys);
        }
    }
    let ranked = keys.iter().flatten().cloned().collect::<BTreeSet<_>>();
    let ranked = ranked.into_iter().zip(0..).collect::<BTreeMap<_, u32>>();
    for (relation, key) in signatures.relations.iter_mut().zip(&keys) {
        if let (Body::Defined { order, .. }, Some(key)) = (&mut relation.body, key) {
            *order = ranked[key];
        }
    }
}

impl Signatures {
    fn is_let(&self, at: usize) -> bool {
        matches!(self.relations[at].body, Body::Defined { kind: DefKind::Let, .. })
    }

    /// The relations whose places decide where this one is.
    fn outside(&self, id: RelId) -> Vec<usize> {
        let relations = match self.is_let(id.index()) {
            true => occurrences(&self.relations[id.index()]).iter().map(|found| found.relation).collect(),
            false => self.origins.get(&id).map_or(Vec::new(), |origin| origin.arguments.clone()),
        };
        relations.into_iter().map(|id| id.index()).collect()
    }

    /// The place of a fixed point; for a `let`, which is replaced by its formula, that of the innermost one in it.
    fn key(&self, id: RelId, keys: &[Option<NestingKey>]) -> Option<NestingKey> {
        let innermost = self.outside(id).into_iter().filter_map(|at| keys[at].as_ref()).max();
        match &self.relations[id.index()].body {
            Body::Facts(_) | Body::Model(_) => None,
            Body::Defined { kind: DefKind::Let, .. } => innermost.cloned(),
            // In a family, a smaller index is further out.
            Body::Defined { order, .. } => {
                let own = [&[i64::from(*order)][..], &self.relations[id.index()].numbers()].concat();
                match innermost {
                    Some(key) if key[0] > own[0] => Some([&key[..], &own].concat()),
                    _ => Some(own),
                }
            }
        }
    }
}
