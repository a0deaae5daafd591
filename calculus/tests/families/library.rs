//! A file in another form: its definitions move into a library that leaves relations and sorts open, and the rest
//! uses it. It means the same.

use super::abstracted::{comprehension, ident, named, rename};
use crate::treatments::LIBRARY;
use calculus::span::{FileId, Span};
use calculus::syntax::ast::{Definition, Expr, FamilyIndex, File, Filling, Item, ItemKind, Text};
use calculus::syntax::{parse, print};

/// Both texts, the user's first. The number chooses how many definitions move, what is open, how it is given, and whether
/// the library is behind a name. If not all definitions move, the last ones do, and the others are open: the library
/// is about relations that may rest on it.
pub fn with_library(text: &str, seed: usize) -> String {
    let mut user = parse(FileId(0), text).expect("the file was read before");
    user.comments.clear();
    let mut library = File { id: FileId(1), items: Vec::new(), comments: Vec::new() };
    let mut fillings = Vec::new();
    let stay = staying(&user, seed);
    for (at, item) in user.items.iter().enumerate() {
        let (open, given) = match &item.kind {
            ItemKind::Facts { name, columns, .. } => {
                let open = ItemKind::OpenRelation {
                    name: name.clone(),
                    indices: Vec::new(),
                    columns: columns.clone(),
                };
                let given = match (seed + at) % 5 {
                    0 | 1 if !columns.is_empty() => comprehension(&name.name, columns.len()),
                    _ => named(&name.name),
                };
                (open, (name.clone(), given))
            }
            ItemKind::Range { name, .. } | ItemKind::Record { name, .. } => {
                (ItemKind::OpenSort { name: name.clone() }, (name.clone(), named(&name.name)))
            }
            ItemKind::Definition(definition) if at < stay => {
                let Definition { name, indices, columns, .. } = definition;
                let index = |index: &FamilyIndex| match index {
                    FamilyIndex::Number(index) => index.name.clone(),
                    _ => unreachable!("random families have numbers"),
                };
                let open = ItemKind::OpenRelation {
                    name: name.clone(),
                    indices: indices.iter().map(index).collect(),
                    columns: columns.clone(),
                };
                let given = match (seed + at) % 3 {
                    0 if !columns.is_empty() && indices.is_empty() => {
                        comprehension(&name.name, columns.len())
                    }
                    _ => named(&name.name),
                };
                (open, (name.clone(), given))
            }
            _ => continue,
        };
        // What is not open is seen all the same.
        if (seed + at).is_multiple_of(3) && !matches!(item.kind, ItemKind::Definition(_)) {
            continue;
        }
        library.items.push(placed(open));
        let written = !matches!(given.1.kind, calculus::syntax::ast::ExprKind::Name(_));
        if written && behind(seed) || !(seed + at).is_multiple_of(4) && behind(seed) {
            fillings.push(Filling { name: given.0, given: given.1 });
        }
    }
    let (mut moved, mut kept) = (Vec::new(), Vec::new());
    for (at, item) in user.items.into_iter().enumerate() {
        let moves = at >= stay && matches!(item.kind, ItemKind::Definition(_));
        if moves { &mut moved } else { &mut kept }.push(item);
    }
    if behind(seed) {
        for item in &moved {
            let ItemKind::Definition(definition) = &item.kind else { continue };
            let (from, to) = (&definition.name.name, format!("lib.{}", definition.name.name));
            kept.iter_mut().flat_map(formulas).for_each(|formula| rename(formula, from, &to));
        }
    }
    library.items.extend(moved);
    let path = Text { text: "library.fp".into(), span: Span::default() };
    let name = behind(seed).then(|| ident("lib"));
    kept.insert(0, placed(ItemKind::UseFile { path, name, fillings }));
    user.items = kept;
    format!("{}{LIBRARY}{}", print(&user, ""), print(&library, ""))
}

/// The definitions before this item stay with the user.
fn staying(user: &File, seed: usize) -> usize {
    let defined = user.items.iter().enumerate();
    let defined = defined.filter(|(_, item)| matches!(item.kind, ItemKind::Definition(_)));
    let defined = defined.map(|(at, _)| at).collect::<Vec<_>>();
    if (seed / 4).is_multiple_of(2) || defined.is_empty() { 0 } else { defined[seed / 8 % defined.len()] }
}

fn behind(seed: usize) -> bool {
    !(seed / 4).is_multiple_of(3)
}

fn placed(kind: ItemKind) -> Item {
    Item { kind, span: Span::default() }
}

fn formulas(item: &mut Item) -> Vec<&mut Expr> {
    match &mut item.kind {
        ItemKind::Definition(definition) => {
            definition.clauses.iter_mut().map(|clause| &mut clause.body).collect()
        }
        ItemKind::Query { clauses, .. } | ItemKind::Trace { clauses, .. } => {
            clauses.iter_mut().map(|clause| &mut clause.body).collect()
        }
        ItemKind::Verdict { condition, .. } => condition.iter_mut().collect(),
        _ => Vec::new(),
    }
}
