//! What hints say about the order of the diagrams' variables: `hint order Node, Reach.q, Step.s:0..3 + *;`

use super::declare::{Declarations, GlobalKind};
use super::findings::Findings;
use super::tree::{OrderPart, RelId, Relation};
use crate::diagnostic::{Diagnostic, nearest};
use crate::index::Id;
use crate::sort::Sorts;
use crate::syntax::ast::{Item, ItemKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// An order from outside, as names like those of hints. If there are any, hints do not count.
#[derive(Clone, Debug, Default)]
pub struct WishedOrder {
    /// The names, from the top down.
    pub names: Vec<String>,
    /// It was found for another value of a parameter: what is not there is left out.
    pub is_kept: bool,
}

/// The items in order.
pub(super) fn order<'i>(
    items: impl Iterator<Item = &'i Item>,
    wished: &WishedOrder,
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
    let names = match wished.names.is_empty() {
        true => hinted.flatten().map(|name| (name.name.to_string(), Some(name.span))).collect::<Vec<_>>(),
        false => wished.names.iter().map(|name| (name.clone(), None)).collect(),
    };
    let known = Known { declarations, relations, sorts };
    let mut out = Vec::new();
    for (name, span) in names {
        let mut item = Vec::new();
        for part in name.split('+').map(str::trim) {
            match known.parts(part) {
                Ok(found) => item.extend(found),
                Err(_) if wished.is_kept => {}
                Err(mistake) => {
                    findings.add(match span {
                        Some(span) => mistake.label(span, "not known"),
                        None => mistake,
                    });
                }
            }
        }
        // Only an order from outside can have it.
        if name.split('+').all(|part| part.trim() == "*") && !wished.is_kept {
            let title = "the order has a `*` that stands beside nothing".to_string();
            let help = "`Reach.x + *` stands for all copies of what `Reach.x` is a copy of";
            findings.add(Diagnostic::error("fp::bad_hint", title).help(help));
        }
        out.push(item);
    }
    out
}

/// What a name can mean.
struct Known<'a> {
    declarations: &'a Declarations<'a>,
    relations: &'a [Relation],
    sorts: &'a Sorts,
}

impl Known<'_> {
    /// What a name means: all scalar sorts of a sort, all scalars of a column or of a part of it, or some of their bits.
    fn parts(&self, text: &str) -> Result<Vec<OrderPart>, Diagnostic> {
        let sorts = self.sorts;
        if text == "*" {
            return Ok(vec![OrderPart::Others]);
        }
        let (name, wanted) = bits(text);
        let is_sort =
            self.declarations.get(name).is_some_and(|global| matches!(global.kind, GlobalKind::Sort(_)));
        if is_sort || name == "bool" {
            if wanted.is_some() {
                let title = format!("the order names bits of the sort `{name}`");
                let help = "bits are named by a column: `Reach.x:1 + *` is that bit of all copies";
                return Err(Diagnostic::error("fp::bad_hint", title).help(help));
            }
            let named = sorts.ids().filter(|sort| sorts.show(*sort) == name);
            return Ok(named.flat_map(|sort| sorts.leaves(sort)).map(OrderPart::Sort).collect());
        }
        let mut out = Vec::new();
        for (at, relation) in self.relations.iter().enumerate() {
            // A family without its indices stands for all of its instances.
            for title in BTreeSet::from([relation.name.to_string(), relation.title()]) {
                if !name.strip_prefix(&title).is_some_and(|rest| rest.starts_with('.')) {
                    continue;
                }
                let columns = relation.columns.iter();
                let leaves = columns.flat_map(|column| {
                    let names = sorts.leaf_names(&format!("{title}.{}", column.name), column.sort);
                    names.into_iter().zip(sorts.leaves(column.sort))
                });
                for (leaf, (_, sort)) in leaves.enumerate().filter(|(_, (leaf, _))| is_part(leaf, name)) {
                    let width = sorts.bits(sort) as usize;
                    let bits = wanted.clone().unwrap_or(0..width);
                    if bits.end > width || (bits.is_empty() && wanted.is_some()) {
                        return Err(no_such_bits(text, name, width));
                    }
                    out.push(OrderPart::Column { relation: RelId::from_index(at), leaf, bits });
                }
            }
        }
        if out.is_empty() { Err(self.nothing(name)) } else { Ok(out) }
    }

    fn nothing(&self, name: &str) -> Diagnostic {
        let sorts = self.declarations.names(|kind| matches!(kind, GlobalKind::Sort(_)));
        let columns = self.relations.iter().flat_map(|relation| {
            relation.columns.iter().map(|column| format!("{}.{}", relation.name, column.name))
        });
        let known = sorts.map(|name| name.to_string()).chain(columns).collect::<Vec<_>>();
        let help = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a sort, a column as in `Reach.x`, or a field of one as in `Reach.q.pc`".to_string(),
        };
        let title = format!("the order names `{name}`, which is no sort and no column");
        Diagnostic::error("fp::bad_hint", title).help(help)
    }
}

fn no_such_bits(text: &str, name: &str, width: usize) -> Diagnostic {
    let help = match width {
        0 => format!("`{name}` has no bits: it has one value"),
        1 => format!("`{name}` has one bit, 0"),
        _ => format!("`{name}` has the bits 0 to {}, the first being the most significant one", width - 1),
    };
    Diagnostic::error("fp::bad_hint", format!("the order names `{text}`, and there are no such bits"))
        .help(help)
}

/// A name and its bits: `Reach.x:2` has one, `Reach.x:2..4` has three, `Reach.x` does not say which.
fn bits(text: &str) -> (&str, Option<Range<usize>>) {
    let Some((name, bits)) = text.rsplit_once(':') else { return (text, None) };
    let (first, last) = bits.split_once("..").unwrap_or((bits, bits));
    match (first.trim().parse(), last.trim().parse::<usize>()) {
        (Ok(first), Ok(last)) => (name.trim(), Some(first..last.saturating_add(1))),
        _ => (text, None),
    }
}

/// Whether a leaf is what is named or a part of it.
fn is_part(leaf: &str, name: &str) -> bool {
    leaf.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
