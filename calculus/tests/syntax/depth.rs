//! Deep and long inputs: refused with a place or read, without native recursion and in linear time.

use crate::{accept, refuse};
use calculus::span::FileId;
use calculus::syntax::ast::{Expr, ExprKind, ItemKind};
use calculus::syntax::{MAX_DEPTH, parse, print, same};

/// A text with `n` levels of one kind of nesting.
fn nested(kind: &str, n: usize) -> String {
    let around = |open: &str, middle: &str, close: &str| {
        format!("query Q = {}{middle}{};", open.repeat(n), close.repeat(n))
    };
    match kind {
        "parentheses" => around("(", "a", ")"),
        "open parentheses" => around("(", "a", ""),
        "closing parentheses" => around("", "a", ")"),
        "wrong brackets" => around("(", "a", "]"),
        "a bad character" => around("(", "$", ")"),
        "missing operator" => around("(", "a b", ")"),
        "everything" => around("!a -> a | a & a = a ++ a + a * -(", "a", ")"),
        "applications" => around("f(a, ", "a", ")"),
        "instances" => around("f[1, ", "1", "](a)"),
        "indices" => around("v[", "1", "]"),
        "slices" => around("v[1..", "1", "]"),
        "updates" => around("v[1 := ", "1", "]"),
        "records" => around("G { x = ", "1", " }"),
        "settings" => around("{ r with x = ", "1", " }"),
        "bases" => around("{ ", "r", " with x = 1 }"),
        "sorts" => around("exists x: v[1..(", "a", ")]..3. a"),
        "rows" => format!("rel R(x: T) = {{ {}1{} }};", "(".repeat(n), ")".repeat(n)),
        "negations" => around("!", "a", ""),
        "minuses" => around("-", "a", ""),
        "quantifiers" => around("exists x, y: T. ", "a", ""),
        "unrollings" => around("some i in 1..3: ", "a", ""),
        "implications" => around("a -> ", "a", ""),
        "equivalences" => around("a <-> ", "a", ""),
        "sums" => around("a + ", "a", ""),
        "fields" => around("", "a", ".f"),
        "dimensions" => format!("input R(x: T{});", "[1..2]".repeat(n)),
        "bool dimensions" => format!("input R(x: bool{});", "[1..2]".repeat(n)),
        "items" => "const a = 1;\n".repeat(n),
        "broken items" => "const a = ;\n".repeat(n),
        "garbage" => "x ".repeat(n),
        _ => unreachable!("{kind}"),
    }
}

const LIMITED: [&str; 26] = [
    "parentheses",
    "open parentheses",
    "everything",
    "missing operator",
    "applications",
    "instances",
    "indices",
    "slices",
    "updates",
    "records",
    "settings",
    "bases",
    "sorts",
    "rows",
    "negations",
    "minuses",
    "quantifiers",
    "unrollings",
    "implications",
    "equivalences",
    "sums",
    "fields",
    "dimensions",
    "bool dimensions",
    "wrong brackets",
    "closing parentheses",
];

#[test]
fn nesting_below_the_limit_is_read_and_printed() {
    for kind in LIMITED {
        let n = match kind {
            "everything" => 10,
            "sorts" => 30,
            _ => MAX_DEPTH - 2,
        };
        let text = nested(kind, n);
        if ["open parentheses", "missing operator", "wrong brackets", "closing parentheses"].contains(&kind) {
            refuse(&text);
            continue;
        }
        let file = accept(&text);
        let printed = print(&file, &text);
        assert!(same(&file, &accept(&printed)), "{kind}");
    }
}

#[test]
fn too_many_levels_are_refused_with_their_place() {
    for kind in LIMITED {
        for n in [MAX_DEPTH + 1, 10_000] {
            for mistake in refuse(&nested(kind, n)) {
                let expected = match kind {
                    "closing parentheses" => "fp::unclosed",
                    _ => "fp::too_deep",
                };
                assert_eq!(mistake.code, expected, "{n} {kind}");
                assert_eq!(mistake.labels.len(), 1, "{n} {kind}");
            }
        }
    }
}

#[test]
fn a_million_levels_never_overflow_the_stack() {
    for kind in
        ["parentheses", "open parentheses", "wrong brackets", "negations", "quantifiers", "implications"]
    {
        assert_eq!(refuse(&nested(kind, 1_000_000))[0].code, "fp::too_deep", "{kind}");
    }
    refuse(&nested("garbage", 1_000_000));
    refuse(&nested("a bad character", 1_000_000));
}

#[test]
fn reading_and_formatting_fit_a_small_stack() {
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let done = small.spawn(nesting_below_the_limit_is_read_and_printed).expect("a thread starts");
    done.join().expect("no overflow");
}

#[test]
fn long_chains_are_flat() {
    for sign in ["&", "|"] {
        let text = format!("query Q = x & (a {sign} {}b);", format!("a {sign} ").repeat(100_000));
        let file = accept(&text);
        let ItemKind::Query { clauses, .. } = &file.items[0].kind else { unreachable!() };
        let ExprKind::And(operands) = &clauses[0].body.kind else { unreachable!() };
        let longest = match &operands[..] {
            [_, Expr { kind: ExprKind::Or(inner), .. }] => inner.len(),
            spliced => spliced.len(),
        };
        assert!(longest > 100_000);
        let printed = print(&file, &text);
        assert!(same(&file, &accept(&printed)));
    }
}

#[test]
fn many_items_take_linear_time() {
    assert_eq!(accept(&nested("items", 50_000)).items.len(), 50_000);
    assert_eq!(parse(FileId(0), &nested("broken items", 5_000)).map_err(|m| m.len()).err(), Some(5_000));
}
