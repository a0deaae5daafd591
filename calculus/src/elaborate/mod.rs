//! From the checked tree to the core.

pub mod core;
pub(crate) mod flatten;
mod normal;
mod rule;
mod unchanged;

use crate::check::tree::{Body, RelId, System};
use crate::diagnostic::Diagnostic;
use crate::index::{Id, IdVec};
use crate::sort::{SortId, Sorts, Value};
use core::{Core, CoreBody, CoreRelation, Scalar};
use normal::Normalizer;

pub use unchanged::unchanged;

/// The core of a system, with a warning for each clause that can never hold.
pub fn elaborate(system: &System) -> (Core, Vec<Diagnostic>) {
    let mut core = Core {
        sorts: system.sorts.clone(),
        relations: IdVec::new(),
        order: system.order.clone(),
        woven: system.woven().to_vec(),
    };
    for (at, relation) in system.relations.iter().enumerate() {
        let columns =
            relation.columns.iter().flat_map(|column| scalars(&system.sorts, column.sort)).collect();
        let body = match &relation.body {
            Body::Facts(rows) => CoreBody::Facts(rows.iter().map(|row| flat_row(row)).collect()),
            Body::Model(rows) => CoreBody::Model(rows.clone()),
            Body::Defined { kind, order, .. } => {
                CoreBody::Rules { kind: (*kind).into(), order: *order, rules: Vec::new() }
            }
        };
        let clauses = match &relation.body {
            Body::Defined { clauses, .. } => clauses.iter().map(|c| (c.name.clone(), c.span)).collect(),
            _ => Vec::new(),
        };
        let owner = RelId::from_index(at);
        core.relations.push(CoreRelation { title: relation.title(), columns, body, clauses, owner });
    }
    let mut contradictions = Contradictions::default();
    for id in core.relations.ids() {
        Normalizer::run(system, id, &mut core, &mut contradictions);
    }
    let warnings = contradictions.warnings();
    (core, warnings)
}

/// The scalar leaves of a sort.
fn scalars(sorts: &Sorts, sort: SortId) -> Vec<Scalar> {
    let leaves = sorts.leaves(sort).into_iter().zip(0..);
    leaves.map(|(sort, ordinal)| Scalar { sort, ordinal }).collect()
}

pub(crate) fn flat_row(row: &[Value]) -> Vec<Value> {
    let mut out = Vec::new();
    row.iter().for_each(|value| Sorts::flatten(value, &mut out));
    out
}

/// Which clauses contradict themselves in every instance. A clause that a static condition prunes does not.
#[derive(Default)]
pub(crate) struct Contradictions {
    clauses: std::collections::BTreeMap<crate::span::Span, (bool, String)>,
}

impl Contradictions {
    fn note(&mut self, span: crate::span::Span, title: &str, contradicts: bool) {
        let entry = self.clauses.entry(span).or_insert_with(|| (true, title.to_string()));
        entry.0 &= contradicts;
    }

    fn warnings(self) -> Vec<Diagnostic> {
        let contradictions = self.clauses.into_iter().filter(|(_, (contradicts, _))| *contradicts);
        contradictions
            .map(|(span, (_, title))| {
                Diagnostic::warning("fp::never_holds", format!("a clause of `{title}` can never hold"))
                    .label(span, "its conditions contradict each other")
                    .help("check the constants and comparisons in it")
            })
            .collect()
    }
}
