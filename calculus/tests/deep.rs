use calculus::syntax::{ast::FileId, parse};
use std::time::Instant;

#[test]
fn deep() {
    let n = |k: usize, s: &str| s.repeat(k);
    let mut cases: Vec<(String, String)> = Vec::new();
    for k in [150usize, 199, 200, 201, 10_000, 1_000_000] {
        cases.push((format!("parens {k}"), format!("query Q = {}a{};", n(k, "("), n(k, ")"))));
        cases.push((
            format!("mixed parens {k}"),
            format!("query Q = {}a{};", n(k, "a -> a | a & a = a ++ a + a * -("), n(k, ")")),
        ));
        cases.push((format!("open parens {k}"), format!("query Q = {}a;", n(k, "("))));
        cases.push((format!("calls {k}"), format!("query Q = {}a{};", n(k, "f("), n(k, ")"))));
        cases.push((format!("index {k}"), format!("query Q = {}1{};", n(k, "v["), n(k, "]"))));
        cases.push((format!("slices {k}"), format!("query Q = {}1{};", n(k, "v[1.."), n(k, "]"))));
        cases.push((format!("records {k}"), format!("query Q = {}1{};", n(k, "v { x = "), n(k, "}"))));
        cases.push((format!("with {k}"), format!("query Q = {}1{};", n(k, "{ v with x = "), n(k, "}"))));
        cases.push((format!("with left {k}"), format!("query Q = {}v{};", n(k, "{ "), n(k, " with x = 1}"))));
        cases.push((format!("nots {k}"), format!("query Q = {}a;", n(k, "!"))));
        cases.push((format!("minus {k}"), format!("query Q = {}a;", n(k, "-"))));
        cases.push((format!("exists {k}"), format!("query Q = {}a;", n(k, "exists x. "))));
        cases.push((format!("some {k}"), format!("query Q = {}a;", n(k, "some x in 1..3: "))));
        cases.push((format!("implies {k}"), format!("query Q = {}a;", n(k, "a -> "))));
        cases.push((format!("iff {k}"), format!("query Q = {}a;", n(k, "a <-> "))));
        cases.push((format!("and {k}"), format!("query Q = {}a;", n(k, "a & "))));
        cases.push((format!("or {k}"), format!("query Q = {}a;", n(k, "a | "))));
        cases.push((format!("plus {k}"), format!("const Q = {}a;", n(k, "a + "))));
        cases.push((format!("fields {k}"), format!("const Q = a{};", n(k, ".a"))));
        cases.push((format!("indices {k}"), format!("const Q = a{};", n(k, "[1]"))));
        cases.push((format!("dims {k}"), format!("input Q(x: T{});", n(k, "[1..2]"))));
        cases.push((format!("bool dims {k}"), format!("input Q(x: bool{});", n(k, "[1..2]"))));
        cases.push((
            format!("sorts {k}"),
            format!("query Q = {}1..2. a{};", n(k, "exists x: v[1..("), n(k, ")]..3. a")),
        ));
        cases.push((format!("bad in parens {k}"), format!("query Q = {}a $ b{};", n(k, "("), n(k, ")"))));
        cases.push((
            format!("bad in rows {k}"),
            format!("rel Q(x: T) = {{ {}a b{} }};", n(k, "("), n(k, ")")),
        ));
        cases.push((format!("columns {k}"), format!("input Q({} z: T);", n(k, "x, "))));
        cases.push((format!("items {k}"), n(k.min(100_000), "const a = 1;\n")));
        cases.push((format!("bad items {k}"), n(k.min(20_000), "const a = ;\n")));
        cases.push((format!("enums {k}"), format!("enum E {{ {} x }}", n(k, "x, "))));
        cases.push((format!("closers {k}"), n(k, ")")));
        cases.push((format!("open-close {k}"), format!("{}{}", n(k, "("), n(k, "]"))));
        cases.push((format!("garbage {k}"), n(k, "x ")));
    }
    for (name, text) in cases {
        let t = Instant::now();
        let r = parse(FileId(0), &text);
        let parsed = t.elapsed();
        let s = match &r {
            Ok(f) => format!("ok {}", f.items.len()),
            Err(m) => format!("{} {:?} {}", m.len(), m[0].code, m[0].title),
        };
        drop(r);
        println!("{name}: {parsed:?} {:?} {}", t.elapsed(), &s[..s.len().min(100)]);
    }
}
