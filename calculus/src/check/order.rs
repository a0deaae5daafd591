//! Which fixed points are inside which.
//!
//! The order of the text decides, as the reference says: an earlier definition is further out. An instance for
//! relations belongs where those relations are: `Attractor[{ x | Again(x) }]` is a formula about `Again`, so it is
//! inside `Again`, however early the file stands that defines `Attractor`. A used file is such a formula too, about what
//! it is given: `use "attractor.fp" with goal = { x | Again(x) };`.

use super::declare::Declarations;
use super::signatures::Signatures;
use super::tree::{Body, RelId, Relation, occurrences};
use crate::graph::components;
use crate::index::Id;
use crate::span::FileId;
use crate::syntax::ast::DefKind;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The place of a fixed point among the others: smaller is further out. One that is inside another begins with its key.
type NestingKey = Vec<i64>;

/// Gives the instances for relations their places, and those of files that are given relations.
pub(super) fn nest(
    signatures: &mut Signatures,
    declarations: &Declarations,
    about: &BTreeMap<FileId, Vec<Rc<str>>>,
) {
    if signatures.origins.is_empty() && about.is_empty() {
        return;
    }
    let nesting = FixedPoints { signatures, files: given(signatures, declarations, about) };
    let mut keys: Vec<Option<NestingKey>> = vec![None; nesting.len()];
    for part in components(keys.len(), |at| nesting.outside(at)) {
        // In a cycle a `let` is known by what is outside of it, until the fixed points in it are known.
        let (lets, others) = part.into_iter().partition::<Vec<_>, _>(|&at| nesting.is_let(at));
        for at in lets.iter().chain(&others).chain(&lets) {
            keys[*at] = nesting.key(*at, &keys);
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

/// The relations that each file is given.
fn given(
    signatures: &Signatures,
    declarations: &Declarations,
    about: &BTreeMap<FileId, Vec<Rc<str>>>,
) -> Vec<(FileId, Vec<usize>)> {
    let instances = |name: &Rc<str>| {
        let family = declarations.relation(name).map(|family| &signatures.instances[family].by_indices);
        family.into_iter().flat_map(|instances| instances.values().map(|id| id.index()))
    };
    about.iter().map(|(file, names)| (*file, names.iter().flat_map(instances).collect())).collect()
}

/// The relations, and behind them what each file is given, as if it were one relation.
struct FixedPoints<'s> {
    signatures: &'s Signatures,
    /// In the order of the files.
    files: Vec<(FileId, Vec<usize>)>,
}

impl FixedPoints<'_> {
    fn relations(&self) -> &[Relation] {
        &self.signatures.relations
    }

    fn len(&self) -> usize {
        self.relations().len() + self.files.len()
    }

    /// A `let`, or what a file is given: known by what it stands for.
    fn is_let(&self, at: usize) -> bool {
        let relation = self.relations().get(at);
        relation.is_none_or(|found| matches!(found.body, Body::Defined { kind: DefKind::Let, .. }))
    }

    /// What decides where this one is.
    fn outside(&self, at: usize) -> Vec<usize> {
        let Some(relation) = self.relations().get(at) else {
            return self.files[at - self.relations().len()].1.clone();
        };
        if self.is_let(at) {
            return occurrences(relation).iter().map(|found| found.relation.index()).collect();
        }
        let origin = self.signatures.origins.get(&RelId::from_index(at));
        let arguments = origin.into_iter().flat_map(|origin| origin.arguments.iter().map(|id| id.index()));
        let file = self.files.binary_search_by_key(&relation.span.file, |(file, _)| *file);
        arguments.chain(file.ok().map(|file| self.relations().len() + file)).collect()
    }

    /// The place of a fixed point; for a `let`, which is replaced by its formula, that of the innermost one in it.
    fn key(&self, at: usize, keys: &[Option<NestingKey>]) -> Option<NestingKey> {
        let innermost = self.outside(at).into_iter().filter_map(|at| keys[at].as_ref()).max();
        let Some(relation) = self.relations().get(at) else { return innermost.cloned() };
        match &relation.body {
            Body::Facts(_) | Body::Model(_) => None,
            Body::Defined { kind: DefKind::Let, .. } => innermost.cloned(),
            // In a family, a smaller index is further out.
            Body::Defined { order, .. } => {
                let own = [&[i64::from(*order)][..], &relation.numbers()].concat();
                match innermost {
                    Some(key) if key[0] > own[0] => Some([&key[..], &own].concat()),
                    _ => Some(own),
                }
            }
        }
    }
}
