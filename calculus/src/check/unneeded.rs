//! What nobody asks for.

use super::declare::{Declarations, Family, FamilySource};
use super::findings::Findings;
use super::names::mentions;
use super::tree::{Query, Verdict};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{File, ItemKind};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A definition that no query and no verdict needs. Used files are libraries: they may offer more.
pub(super) fn warn_unneeded(
    files: &[File],
    declarations: &Declarations,
    queries: &[Query],
    verdicts: &[Verdict],
    findings: &mut Findings,
) {
    let Some(main) = files.last() else { return };
    if queries.is_empty() && verdicts.is_empty() {
        let title = match main.items[..] {
            [] => "the file is empty: there is nothing to solve",
            _ => "the file asks for nothing: it has no query and no verdict",
        };
        findings.add(
            Diagnostic::warning("fp::nothing_to_do", title)
                .help("add a query, for example: query Answer(x: Node) = Reach(x);"),
        );
        return;
    }
    let needed = needed(files, declarations);
    for Family { name, span, source, .. } in &declarations.families {
        let own = span.file == main.id && !matches!(source, FamilySource::Offered(_));
        if !own || needed.contains(name) {
            continue;
        }
        findings.add(
            Diagnostic::warning("fp::unneeded", format!("`{name}` is never needed"))
                .label(*span, "no query or verdict depends on it")
                .help("it is checked but not solved; add a query for it, or remove it"),
        );
    }
}

/// The relations that queries and verdicts rest on by what the text says. Pruning does not count: with
/// other parameters it may go another way.
fn needed(files: &[File], declarations: &Declarations) -> BTreeSet<Rc<str>> {
    let mut needed = BTreeSet::new();
    let mut work = Vec::new();
    for item in files.iter().flat_map(|file| &file.items) {
        match &item.kind {
            ItemKind::Query { name, .. } | ItemKind::Trace { name, .. } => work.push(name.name.clone()),
            ItemKind::Verdict { condition: Some(condition), .. } => mentions(condition, &mut work),
            _ => {}
        }
    }
    while let Some(name) = work.pop() {
        let Some(family) = declarations.relation(&name) else { continue };
        // A relation that is given to a used file has another name there.
        if needed.insert(declarations.families[family].name.clone())
            && let FamilySource::Defined { clauses, .. } = declarations.families[family].source
        {
            clauses.iter().for_each(|clause| mentions(&clause.body, &mut work));
        }
    }
    needed
}
