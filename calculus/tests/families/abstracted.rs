//! A file in another form: each definition becomes a `let` that is indexed by the relations it mentions, and an
//! instance of that. It means the same.

use calculus::span::{FileId, Span};
use calculus::syntax::ast::{
    Binder, ClauseDecl, ColumnDecl, DefKind, Definition, Expr, ExprKind, FamilyIndex, Ident, IndexBinder,
    Item, ItemKind, RelationIndex, SortExpr,
};
use calculus::syntax::{mentioned, parse, print};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number chooses which relations are given as comprehensions.
pub fn abstracted(text: &str, seed: usize) -> String {
    let mut file = parse(FileId(0), text).expect("the file was read before");
    let mut columns: BTreeMap<Rc<str>, Vec<SortExpr>> = BTreeMap::new();
    for item in &file.items {
        if let Some((name, sorts)) = relation(&item.kind) {
            columns.insert(name, sorts);
        }
    }
    let mut items = Vec::new();
    for item in file.items {
        match item.kind {
            ItemKind::Definition(definition) if !definition.columns.is_empty() => {
                let split = split(definition, &columns, seed + items.len());
                items
                    .extend(split.map(|one| Item { kind: ItemKind::Definition(one), span: Span::default() }));
            }
            kind => items.push(Item { kind, span: item.span }),
        }
    }
    file.items = items;
    file.comments.clear();
    print(&file, "")
}

/// A relation without indices, and the sorts of its columns.
fn relation(item: &ItemKind) -> Option<(Rc<str>, Vec<SortExpr>)> {
    let (name, columns) = match item {
        ItemKind::Facts { name, columns, .. }
        | ItemKind::Input { name, columns }
        | ItemKind::Query { name, columns, .. } => (name, columns),
        ItemKind::Definition(d) if d.indices.is_empty() => (&d.name, &d.columns),
        _ => return None,
    };
    Some((name.name.clone(), columns.iter().map(|column| column.sort.clone()).collect()))
}

fn split(definition: Definition, columns: &BTreeMap<Rc<str>, Vec<SortExpr>>, seed: usize) -> [Definition; 2] {
    let mut used = Vec::new();
    for clause in &definition.clauses {
        mentioned(&clause.body, &mut |name| {
            if columns.get(&name.name).is_some_and(|sorts| !sorts.is_empty()) && !used.contains(&name.name) {
                used.push(name.name.clone());
            }
        });
    }
    let name = ident(&format!("Of_{}", definition.name.name));
    let mut indices = definition.indices.clone();
    let mut arguments = definition.indices.iter().map(|index| named(&index.name().name)).collect::<Vec<_>>();
    let mut clauses = definition.clauses.clone();
    for (at, relation) in used.iter().enumerate() {
        let (own, sorts) = (format!("Given_{at}"), columns[relation].clone());
        clauses.iter_mut().for_each(|clause| rename(&mut clause.body, relation, &own));
        let wanted =
            RelationIndex { name: ident(&own), indices: vec![], columns: sorts, span: Span::default() };
        indices.push(FamilyIndex::Relation(wanted));
        arguments.push(match (seed + at) % 3 {
            0 => comprehension(relation, columns[relation].len()),
            _ => named(relation),
        });
    }
    let args = definition.columns.iter().map(|ColumnDecl { name, .. }| named(&name.name)).collect();
    let body = expr(ExprKind::Apply { name: name.clone(), indices: arguments, args });
    let family = Definition {
        kind: DefKind::Let,
        alternative: None,
        name,
        indices,
        columns: definition.columns.clone(),
        clauses,
    };
    [family, Definition { clauses: vec![ClauseDecl { label: None, body }], ..definition }]
}

/// `{ (c0, c1) | R(c0, c1) }`
pub fn comprehension(relation: &str, columns: usize) -> Expr {
    let names = (0..columns).map(|at| format!("column_{at}")).collect::<Vec<_>>();
    let binders = names.iter().map(|name| Binder { name: ident(name), sort: None }).collect();
    let args = names.iter().map(|name| named(name)).collect();
    let body = expr(ExprKind::Apply { name: ident(relation), indices: Vec::new(), args });
    expr(ExprKind::Comprehension { binders, body: Box::new(body) })
}

pub fn ident(name: &str) -> Ident {
    Ident { name: name.into(), span: Span::default() }
}

pub fn named(name: &str) -> Expr {
    expr(ExprKind::Name(ident(name)))
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

/// Calls a relation by another name. No variable of a random file has the name of a relation.
pub fn rename(expr: &mut Expr, from: &str, to: &str) {
    let all = |parts: &mut [Expr]| parts.iter_mut().for_each(|part| rename(part, from, to));
    match &mut expr.kind {
        ExprKind::Apply { name, args, .. } => {
            if &*name.name == from {
                *name = ident(to);
            }
            all(args);
        }
        ExprKind::Name(name) if &*name.name == from => *name = ident(to),
        ExprKind::And(parts) | ExprKind::Or(parts) => all(parts),
        ExprKind::Not(inner) | ExprKind::Quantified { body: inner, .. } => rename(inner, from, to),
        ExprKind::Unrolled { indices, body, .. } => {
            indices.iter_mut().for_each(|IndexBinder { lo, hi, .. }| {
                rename(lo, from, to);
                rename(hi, from, to);
            });
            rename(body, from, to);
        }
        ExprKind::Marked { atom, .. } => rename(atom, from, to),
        ExprKind::Binary(_, left, right) => {
            rename(left, from, to);
            rename(right, from, to);
        }
        _ => {}
    }
}
