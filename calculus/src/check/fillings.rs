//! Whether the relations that used files are given have the columns that the files want.

use super::arguments::Argument;
use super::findings::Findings;
use super::modules::FilledRelation;
use super::signatures::{Signatures, resolve_columns};
use super::sorts::SortTable;
use super::statics::Statics;
use super::tree::Column;
use super::words::count;
use crate::diagnostic::Diagnostic;
use std::rc::Rc;

pub(super) fn check_fillings(
    filled: &[FilledRelation],
    statics: Statics,
    signatures: &Signatures,
    table: &mut SortTable,
    findings: &mut Findings,
) {
    for filled in filled {
        let Some(family) = statics.declarations.relation(&filled.given.name) else { continue };
        if let Some(wrong) = wrong_shape(filled, family, statics) {
            findings.add(wrong);
            continue;
        }
        for (indices, id) in &signatures.instances[family].by_indices {
            let named = filled.indices.iter().zip(indices);
            let env = named.map(|(name, index)| (name.name.clone(), index.clone())).collect::<Vec<_>>();
            let Ok(wanted) = resolve_columns(&filled.columns, &env, statics, table, findings) else { break };
            let relation = &signatures.relations[crate::index::Id::index(*id)];
            if !relation.columns.iter().map(|column| column.sort).eq(wanted.iter().map(|column| column.sort))
            {
                let title = format!("`{}` has other columns than `{}`", relation.title(), filled.name.name);
                findings.add(wrong(filled, title, &env, [&relation.columns, &wanted], table));
                break;
            }
        }
    }
}

/// Without looking at sorts.
fn wrong_shape(filled: &FilledRelation, family: usize, statics: Statics) -> Option<Diagnostic> {
    let given = &statics.declarations.families[family];
    let FilledRelation { name, indices, columns, .. } = filled;
    let (has, wanted) = if given.is_generic() {
        ("relations or sorts as indices".to_string(), "numbers only".to_string())
    } else if given.index_count != indices.len() {
        let words = |number| count(number, "index", "indices");
        (words(given.index_count), words(indices.len()))
    } else if given.column_count != columns.len() {
        let words = |number| count(number, "column", "columns");
        (words(given.column_count), words(columns.len()))
    } else {
        return None;
    };
    Some(
        Diagnostic::error("fp::wrong_filling", format!("`{}` cannot be `{}`", filled.given.name, name.name))
            .label(filled.given.span, format!("it has {has}"))
            .label(name.span, format!("left open with {wanted}"))
            .help("give a relation of the same form, or a comprehension: `{ (x, y) | … }`"),
    )
}

fn wrong(
    filled: &FilledRelation,
    title: String,
    env: &[(Rc<str>, Argument)],
    [given, wanted]: [&[Column]; 2],
    table: &SortTable,
) -> Diagnostic {
    let shown = |columns: &[Column]| {
        let sorts = columns.iter().map(|column| table.sorts.show(column.sort)).collect::<Vec<_>>();
        format!("({})", sorts.join(", "))
    };
    let label = super::words::with_env(format!("left open with {}", shown(wanted)), env);
    Diagnostic::error("fp::wrong_filling", title)
        .label(filled.given.span, format!("given with {}", shown(given)))
        .label(filled.name.span, label)
        .help("give a relation with these sorts, or other sorts for those that the file leaves open")
}
