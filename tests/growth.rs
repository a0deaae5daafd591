//! The rows of a program grow with its text. Counted, not timed: twice the text has at most about twice the items.

use calculus::vocabulary::{BitExpr, Vocabulary};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::encode::encode;
use fpsolve::model::program::{Options, load};
use std::rc::Rc;

/// A size as large as the text, for a size of the program.
struct Shape {
    name: &'static str,
    text: fn(usize) -> String,
}

fn names(letter: char, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{letter}{at}")).collect()
}

fn declared(names: &[String]) -> String {
    format!("decl {};\n", names.join(", "))
}

/// Each variable becomes the opposite of the next one.
fn changes(names: &[String]) -> String {
    let next = names.iter().cycle().skip(1);
    names.iter().zip(next).map(|(name, next)| format!("{name} := !{next};\n")).collect()
}

fn any(names: &[String]) -> String {
    format!("assert({});\n", names.join(" | "))
}

fn body(text: &str) -> String {
    format!("void main() begin\n{text}end\n")
}

const SHAPES: [Shape; 10] = [
    Shape { name: "one disjunction", text: |n| body(&(declared(&names('l', n)) + &any(&names('l', n)))) },
    Shape {
        name: "locals that are all alive",
        text: |n| {
            let names = names('l', n);
            body(&(declared(&names) + &changes(&names) + &any(&names)))
        },
    },
    Shape {
        name: "shared variables",
        text: |n| {
            let names = names('g', n);
            declared(&names) + &body(&(changes(&names) + &any(&names)))
        },
    },
    Shape {
        name: "a loop over all",
        text: |n| {
            let names = names('l', n);
            body(&format!("{}while (*) do\n{}od\n{}", declared(&names), changes(&names), any(&names)))
        },
    },
    Shape {
        name: "ways out from where all are alive",
        text: |n| {
            let names = names('l', n);
            let out = names.iter().map(|name| format!("if ({name}) then return; fi\n")).collect::<String>();
            body(&(declared(&names) + &out + &any(&names)))
        },
    },
    Shape {
        name: "a choice between all",
        text: |n| {
            let names = names('l', n);
            let out = names.iter().map(|name| format!("if (*) then {name} := *; fi\n")).collect::<String>();
            body(&(declared(&names) + &out + &any(&names)))
        },
    },
    Shape {
        name: "calls where all are alive",
        text: |n| {
            let names = names('l', n);
            let calls = names.iter().map(|name| format!("{name} := p({name});\n")).collect::<String>();
            let callee = "bool p(a) begin if (*) then a := p(!a); fi return a; end\n";
            callee.to_string() + &body(&(declared(&names) + &calls + &any(&names)))
        },
    },
    Shape {
        name: "calls from a procedure without locals",
        text: |n| {
            let names = names('l', n);
            let wide = format!("void wide() begin\n{}{}end\n", declared(&names), any(&names));
            let narrow = "void p() begin if (*) then p(); fi end\n";
            wide + narrow + &body(&("p();\n".repeat(n) + "wide();\n"))
        },
    },
    Shape {
        name: "parameters",
        text: |n| {
            let (inside, outside) = (names('a', n), names('l', n));
            let again = format!("if (*) then p({}); fi\n", inside.join(", "));
            let callee = format!("void p({}) begin\n{again}{}end\n", inside.join(", "), any(&inside));
            callee + &body(&format!("{}p({});\n", declared(&outside), outside.join(", ")))
        },
    },
    Shape {
        name: "one assignment to all",
        text: |n| {
            let names = names('l', n);
            let values = names.iter().map(|name| format!("!{name}")).collect::<Vec<_>>();
            let all = format!("{} := {};\n", names.join(", "), values.join(", "));
            body(&(declared(&names) + &all + &any(&names)))
        },
    },
];

fn items(expr: &BitExpr) -> usize {
    1 + match expr {
        BitExpr::Const(_) | BitExpr::Bit(_) | BitExpr::Zeros(..) => 0,
        BitExpr::Not(inner) | BitExpr::Shared(inner) => items(inner),
        BitExpr::And(parts) | BitExpr::Or(parts) => parts.iter().map(items).sum(),
        BitExpr::Xor(left, right) => items(left) + items(right),
    }
}

/// All that is stored in the rows of the vocabulary.
fn stored(vocabulary: &Vocabulary) -> usize {
    let rows = vocabulary.relations.iter().flat_map(|relation| relation.instances.iter());
    let rows = rows.flat_map(|rows| rows.iter());
    rows.map(|row| 1 + row.fixed.len() + items(&row.core) + row.equal.len()).sum()
}

fn size(text: &str, simplify: bool) -> usize {
    let program = load("grown.bp", text, &Options::default()).expect("the program is right").program;
    let (cfg, _) = Cfg::build(&program);
    let (vocabulary, _) = encode(&program, &Rc::new(cfg), simplify, false, &Default::default())
        .expect("there are not too many variables");
    stored(&vocabulary)
}

#[test]
fn rows_grow_as_the_text_does() {
    for Shape { name, text } in &SHAPES {
        for simplify in [true, false] {
            let (once, twice) = (size(&text(200), simplify), size(&text(400), simplify));
            assert!(twice * 10 <= once * 22, "{name}, simplified: {simplify}: {once} items, then {twice}");
        }
    }
}
