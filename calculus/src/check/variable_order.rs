//! What hints say about the order of the diagrams' variables: `hint order Node, Reach.q;`

use super::declare::{Declarations, GlobalKind};
use super::findings::Findings;
use super::tree::{OrderPart, RelId, Relation};
use crate::diagnostic::{Diagnostic, nearest};
use crate::index::Id;
use crate::sort::Sorts;
use crate::span::Span;
use crate::syntax::ast::{Item, ItemKind};
use std::collections::BTreeSet;

/// The items in order. `wished` are the user's, and if there are any, hints do not count.
pub(super) fn order<'i>(
    items: impl Iterator<Item = &'i Item>,
    wished: &[String],
    declarations: &Declarations,
    relations: &[Relation],
    sorts: &Sorts,
    findings: &mut Findings,
) -> Vec<Vec<OrderPart>> {
    if findings.mistakes() > 0 {
        return Vec::new();
    }
    let hinted = items.filter_map(|item| match &item.kind {
        ItemKind::Hint { kind, names } if &*kind.name == "order" => Some(names),
        _ => None,
    });
    let names = match wished.is_empty() {
        true => hinted.flatten().map(|name| (name.name.to_string(), Some(name.span))).collect::<Vec<_>>(),
        false => wished.iter().map(|name| (name.clone(), None)).collect(),
    };
    let mut out = Vec::new();
    for (name, span) in names {
        let mut item = Vec::new();
        for part in name.split('+').map(str::trim) {
            let found = parts(part, declarations, relations, sorts);
            if found.is_empty() {
                findings.add(nothing(part, span, declarations, relations));
            }
            item.extend(found);
        }
        out.push(item);
    }
    out
}

/// What a name means: all scalar sorts of a sort, or all scalars of a column or of a part of it.
fn parts(name: &str, declarations: &Declarations, relations: &[Relation], sorts: &Sorts) -> Vec<OrderPart> {
    let is_sort = declarations.get(name).is_some_and(|global| matches!(global.kind, GlobalKind::Sort(_)));
    if is_sort || name == "bool" {
        let named = sorts.ids().filter(|sort| sorts.show(*sort) == name);
        return named.flat_map(|sort| sorts.leaves(sort)).map(OrderPart::Sort).collect();
    }
    let mut out = Vec::new();
    for (at, relation) in relations.iter().enumerate() {
        // A family without its indices stands for all of its instances.
        for title in BTreeSet::from([relation.name.to_string(), relation.title()]) {
            let within = name.strip_prefix(&title).is_some_and(|rest| rest.starts_with('.'));
            let columns = relation.columns.iter().filter(|_| within);
            let leaves =
                columns.flat_map(|column| sorts.leaf_names(&format!("{title}.{}", column.name), column.sort));
            let named = leaves.enumerate().filter(|(_, leaf)| is_part(leaf, name));
            let relation = RelId::from_index(at);
            out.extend(named.map(|(leaf, _)| OrderPart::Column { relation, leaf }));
        }
    }
    out
}

/// Whether a leaf is what is named or a part of it.
fn is_part(leaf: &str, name: &str) -> bool {
    leaf.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn nothing(
    name: &str,
    span: Option<Span>,
    declarations: &Declarations,
    relations: &[Relation],
) -> Diagnostic {
    let sorts = declarations.names(|kind| matches!(kind, GlobalKind::Sort(_))).map(|name| name.to_string());
    let columns = relations.iter().flat_map(|relation| {
        relation.columns.iter().map(|column| format!("{}.{}", relation.name, column.name))
    });
    let known = sorts.chain(columns).collect::<Vec<_>>();
    let help = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name a sort, a column as in `Reach.x`, or a field of one as in `Reach.q.pc`".to_string(),
    };
    let title = format!("the order names `{name}`, which is no sort and no column");
    let found = Diagnostic::error("fp::bad_hint", title).help(help);
    match span {
        Some(span) => found.label(span, "not known"),
        None => found,
    }
}
