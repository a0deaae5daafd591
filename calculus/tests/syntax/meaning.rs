//! What a text means: precedence, scopes, clauses, shared sorts.

use crate::accept;
use calculus::span::Span;
use calculus::syntax::ast::*;
use calculus::syntax::expression;

/// Shows the grouping: every operator in parentheses.
fn grouped(expr: &Expr) -> String {
    let list = |operands: &[Expr], sign: &str| {
        format!("({})", operands.iter().map(grouped).collect::<Vec<_>>().join(sign))
    };
    match &expr.kind {
        ExprKind::And(operands) => list(operands, " & "),
        ExprKind::Or(operands) => list(operands, " | "),
        ExprKind::Not(inner) => format!("!{}", grouped(inner)),
        ExprKind::Negate(inner) => format!("-{}", grouped(inner)),
        ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", grouped(left), grouped(right)),
        ExprKind::Quantified { binders, body, .. } => {
            let names: Vec<_> = binders.iter().map(|binder| &*binder.name.name).collect();
            format!("[{}. {}]", names.join(" "), grouped(body))
        }
        ExprKind::Unrolled { body, .. } => format!("[: {}]", grouped(body)),
        _ => expression(expr),
    }
}

fn shown(text: &str) -> String {
    let file = accept(&format!("const c = {text};"));
    let ItemKind::Const { value, .. } = &file.items[0].kind else { unreachable!() };
    grouped(value)
}

fn clauses(text: &str) -> Vec<String> {
    let file = accept(&format!("mu R(x: T) = {text};"));
    let ItemKind::Definition(definition) = &file.items[0].kind else { unreachable!() };
    let show = |clause: &ClauseDecl| match &clause.label {
        Some(label) => format!("{}: {}", label.name, grouped(&clause.body)),
        None => grouped(&clause.body),
    };
    definition.clauses.iter().map(show).collect()
}

#[test]
fn operators_bind_as_documented() {
    assert_eq!(shown("a <-> b -> c | d & e = f"), "(a Iff (b Implies (c | (d & (e Eq f)))))");
    assert_eq!(shown("a -> b -> c"), "(a Implies (b Implies c))");
    assert_eq!(shown("a <-> b <-> c"), "((a Iff b) Iff c)");
    assert_eq!(shown("a - b - c * d % e"), "((a Sub b) Sub ((c Mul d) Rem e))");
    assert_eq!(shown("u ++ v ++ w = x ++ [y]"), "(((u Concat v) Concat w) Eq (x Concat [y]))");
    assert_eq!(shown("a<-b & c.d[1] >= 2"), "((a Lt -b) & (c.d[1] Ge 2))");
}

#[test]
fn negation_takes_the_next_operand_only() {
    assert_eq!(shown("!a & b"), "(!a & b)");
    assert_eq!(shown("!a = b"), "(!a Eq b)");
    assert_eq!(shown("!!R(x).f"), "!!R(x).f");
    assert_eq!(shown("!exists x. a & b"), "![x. (a & b)]");
}

#[test]
fn scopes_extend_to_the_right() {
    assert_eq!(shown("a & exists x. b | c -> d"), "(a & [x. ((b | c) Implies d)])");
    assert_eq!(shown("(exists x. b) | c"), "([x. b] | c)");
    assert_eq!(shown("a -> some i in 1..2: b <-> c"), "(a Implies [: (b Iff c)])");
    assert_eq!(shown("exists x: 0..k. R(x)"), "[x. R(x)]");
    assert_eq!(shown("exists x.R(x)"), "[x. R(x)]");
}

#[test]
fn chains_are_flat_and_parentheses_leave_no_trace() {
    assert_eq!(shown("a & (b & c) & d"), "(a & b & c & d)");
    assert_eq!(shown("((a | b) | (c))"), "(a | b | c)");
}

#[test]
fn labels_end_clauses_even_in_scopes() {
    assert_eq!(
        clauses("step: exists p. A(p) & B(p) | C | enter: D | leave: E"),
        ["step: [p. ((A(p) & B(p)) | C)]", "enter: D", "leave: E"]
    );
    assert_eq!(clauses("A | B | more: C"), ["(A | B)", "more: C"]);
    assert_eq!(clauses("| a: A -> B | b: C"), ["a: (A Implies B)", "b: C"]);
}

#[test]
fn without_labels_the_outer_disjuncts_are_the_clauses() {
    assert_eq!(clauses("A | B & C | D"), ["A", "(B & C)", "D"]);
    assert_eq!(clauses("| A | exists x. B | C"), ["A", "[x. (B | C)]"]);
    assert_eq!(clauses("(A | B)"), ["(A | B)"]);
    assert_eq!(clauses("(A | B) | C"), ["(A | B)", "C"]);
    assert_eq!(clauses("A | B -> C"), ["((A | B) Implies C)"]);
}

#[test]
fn names_share_the_next_sort() {
    let file = accept("input R(x, y: T, z: 0..3); query Q = exists a, b: T, c, d: U[1..2], e. R(a, b, c);");
    let ItemKind::Input { columns, .. } = &file.items[0].kind else { unreachable!() };
    assert!(matches!(&columns[0].sort.kind, SortKind::Name(name) if &*name.name == "T"));
    let ItemKind::Query { clauses, .. } = &file.items[1].kind else { unreachable!() };
    let ExprKind::Quantified { binders, .. } = &clauses[0].body.kind else { unreachable!() };
    let sorted: Vec<_> = binders.iter().map(|binder| binder.sort.is_some()).collect();
    assert_eq!(sorted, [true, true, true, true, false]);
}

#[test]
fn words_that_begin_items_are_names_elsewhere() {
    accept("param rel = 1; const use = rel + 1; enum input { query, hint }");
    accept(
        "mu range(keyed: enum) =\n  record(keyed)\n  | verdict: use &\n    input(keyed) & param = require;",
    );
}

#[test]
fn places_are_those_of_the_text() {
    let text = "// ä\nconst c = a + (b * 2);";
    let file = accept(text);
    let at = |span: Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(file.items[0].span), "const c = a + (b * 2);");
    let ItemKind::Const { value, .. } = &file.items[0].kind else { unreachable!() };
    let ExprKind::Binary(_, _, right) = &value.kind else { unreachable!() };
    assert_eq!(at(right.span), "b * 2");
}
