//! The tree of a file: a line for each item, clause and connective. What has no connective in it stays as it is written.

use super::count;
use calculus::syntax::ast::{BinaryOp, ClauseDecl, Expr, ExprKind, File, ItemKind, Quantifier, Unroll};
use calculus::syntax::expression;

pub fn ast(file: &File, text: &str) -> String {
    let mut out = String::new();
    for item in &file.items {
        let written = &text[item.span.start as usize..item.span.end as usize];
        let head = written.split('=').next().unwrap_or_default();
        match &item.kind {
            ItemKind::Definition(definition) => {
                // The condition of a kind may have a sign of equality.
                let condition = definition.alternative.as_ref().map(|one| one.condition.span.end);
                let from = condition.map_or(0, |end| (end - item.span.start) as usize);
                let end = written[from..].find('=').map_or(written.len(), |at| from + at);
                line(&mut out, 0, &one_line(&written[..end]));
                clauses(&mut out, &definition.clauses);
            }
            ItemKind::Query { clauses: all, .. } | ItemKind::Trace { clauses: all, .. } => {
                line(&mut out, 0, &one_line(head));
                clauses(&mut out, all);
            }
            ItemKind::Facts { rows, .. } => {
                line(&mut out, 0, &format!("{}: {}", one_line(head), count(rows.len(), "fact")));
            }
            _ => line(&mut out, 0, one_line(written).trim_end_matches(';')),
        }
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(out: &mut String, depth: usize, text: &str) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(text);
    out.push('\n');
}

fn clauses(out: &mut String, clauses: &[ClauseDecl]) {
    for (number, clause) in clauses.iter().enumerate() {
        let name = clause.label.as_ref().map_or((number + 1).to_string(), |label| label.name.to_string());
        line(out, 1, &format!("clause {name}"));
        tree(out, 2, &clause.body);
    }
}

fn tree(out: &mut String, depth: usize, expr: &Expr) {
    let mut below = |head: &str, parts: &[&Expr]| {
        line(out, depth, head);
        parts.iter().for_each(|part| tree(out, depth + 1, part));
    };
    match &expr.kind {
        ExprKind::And(parts) => below("and", &parts.iter().collect::<Vec<_>>()),
        ExprKind::Or(parts) => below("or", &parts.iter().collect::<Vec<_>>()),
        ExprKind::Not(inner) => below("not", &[inner]),
        ExprKind::Binary(BinaryOp::Iff, left, right) => below("iff", &[left, right]),
        ExprKind::Binary(BinaryOp::Implies, left, right) => below("implies", &[left, right]),
        ExprKind::Quantified { quantifier, binders, body } => {
            let word = match quantifier {
                Quantifier::Exists => "exists",
                Quantifier::Forall => "forall",
            };
            let names = binders.iter().map(|binder| binder.name.name.to_string()).collect::<Vec<_>>();
            below(&format!("{word} {}", names.join(", ")), &[body]);
        }
        ExprKind::Unrolled { unroll, indices, body } => {
            let word = match unroll {
                Unroll::Some => "some",
                Unroll::Each => "each",
            };
            let indices = indices.iter().map(|index| {
                format!("{} in {}..{}", index.name.name, expression(&index.lo), expression(&index.hi))
            });
            below(&format!("{word} {}", indices.collect::<Vec<_>>().join(", ")), &[body]);
        }
        _ => line(out, depth, &expression(expr)),
    }
}
