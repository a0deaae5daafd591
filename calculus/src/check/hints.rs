//! Which sorts are kept as keys: `hint keyed S;`, `hint symbolic S;`, and the user's wishes, which come last.

use super::declare::GlobalKind;
use super::findings::Findings;
use super::sorts::{MAX_KEYS, SortTable, TOO_MANY_KEYS};
use super::statics::Statics;
use crate::diagnostic::{Diagnostic, nearest};
use crate::sort::{Sort, SortId, Sorts, Width};
use crate::span::Span;
use crate::syntax::ast::{Ident, Item, ItemKind};

pub(super) fn apply_hints<'i>(
    items: impl Iterator<Item = &'i Item>,
    wishes: &[(String, bool)],
    statics: Statics,
    table: &mut SortTable,
    findings: &mut Findings,
) {
    for item in items {
        if let ItemKind::Hint { kind, names } = &item.kind {
            apply_hint(kind, names, statics, table, findings);
        }
    }
    let declarations = statics.declarations;
    let is_sort = |kind: &GlobalKind| matches!(kind, GlobalKind::Sort(_));
    for (name, keyed) in wishes {
        let ident = Ident { name: name.as_str().into(), span: Span::default() };
        let chosen = match declarations.get(name) {
            Some(global) if is_sort(&global.kind) => match table.named(&ident, statics, findings) {
                Ok(sort) => choose_keyed(&mut table.sorts, sort, *keyed).is_ok(),
                Err(_) => true,
            },
            _ => false,
        };
        if !chosen {
            let sorts = declarations.names(is_sort).map(|sort| &**sort);
            let help = match nearest(name, sorts.filter(|sort| sort != name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "name a range, an enum, a symbol sort, or a numbered sort of the model".to_string(),
            };
            let title = format!("there is no sort `{name}` that can be keyed or symbolic");
            findings.add(Diagnostic::error("fp::bad_hint", title).help(help));
        }
    }
}

fn apply_hint(
    kind: &Ident,
    names: &[Ident],
    statics: Statics,
    table: &mut SortTable,
    findings: &mut Findings,
) {
    let keyed = match &*kind.name {
        "keyed" => true,
        "symbolic" => false,
        // It names columns too, which are known later.
        "order" => return,
        _ => {
            statics.declarations.unknown("hint", kind, ["keyed", "symbolic", "order"], findings);
            return;
        }
    };
    if names.is_empty() {
        findings.add(
            Diagnostic::error("fp::bad_hint", "the hint names no sort")
                .label(kind.span, "for which sorts?")
                .help(format!("name them after it: `hint {} Node;`", kind.name)),
        );
    }
    for name in names {
        let Ok(sort) = table.named(name, statics, findings) else { continue };
        if let Err((why, help)) = choose_keyed(&mut table.sorts, sort, keyed) {
            let title = format!("the hint `{}` does not apply to `{}`", kind.name, name.name);
            findings.add(Diagnostic::error("fp::bad_hint", title).label(name.span, why).help(help));
        }
    }
}

/// Why a hint does not apply to a sort, and what to do, if it does not.
fn choose_keyed(sorts: &mut Sorts, sort: SortId, keyed: bool) -> Result<(), (&'static str, &'static str)> {
    match sorts.get(sort) {
        Sort::Record { .. } | Sort::Vector { .. } => {
            return Err(("this sort has parts", "give the hint for the sorts of its parts"));
        }
        Sort::Opaque { width: Width::Bits(_), .. } if keyed => {
            let help = "only ranges, enums, symbols and numbered sorts of the model can be keys";
            return Err(("this sort is made of bits", help));
        }
        _ if keyed && sorts.scalar_size(sort) > Some(MAX_KEYS) => {
            return Err(("this sort has too many values", TOO_MANY_KEYS));
        }
        _ => {}
    }
    sorts.wish_keyed(sort, keyed);
    Ok(())
}
