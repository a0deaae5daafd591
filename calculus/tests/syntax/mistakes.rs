//! Frequent slips, and the words in which they are refused. Each snapshot shows the text and the report.

use crate::{refuse, rendered};

fn reports(texts: &[&str]) -> String {
    let report = |text: &&str| format!("{text}\n{}\n", rendered(text, &refuse(text)));
    texts.iter().map(report).collect::<Vec<_>>().join("\n════════\n")
}

macro_rules! mistakes {
    ($($name:ident: [$($text:expr),* $(,)?];)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(reports(&[$($text),*]));
            }
        )*
    };
}

mistakes! {
    operators_of_other_languages: [
        "query Q = x == y;",
        "query Q = A && B;",
        "query Q = A || B;",
        "query Q = A and B;",
        "query Q = A or B;",
        "query Q = not A;",
        "query Q = A & ~B;",
        "query Q = A => B;",
        "query Q = A <=> B;",
        "query Q = a <> b & c =< d;",
        "const c := 3;",
        "query Q(x: T) := R(x);",
        "query Q = x := y;",
        "query Q = ∃x. R(x) ∧ S(x);",
    ];
    operators_and_operands: [
        "query Q = a = b = c;",
        "query Q = x = exists y. R(y);",
        "query Q = A & ;",
        "query Q = & A;",
        "query Q = A B;",
        "query Q = R(x)(y);",
        "query Q = R(x)[i, j];",
        "query Q = ;",
        "query Q = A !B;",
    ];
    missing_semicolons: [
        "param rounds = 4\nparam depth = 2;\n",
        "mu R(x: T) =\n    start: A(x)\n  | step: B(x)\n\nquery Q = R(1);\n",
        "query Q = exists x. R(x)",
        "query Q = R(1)\n  S(2);",
        "query Q = R(1);;",
    ];
    quantifiers: [
        "query Q = exists x R(x);",
        "query Q = exists x, y: T R(x, y);",
        "query Q = forall x: R(x) & S(x);",
        "query Q = forall x: R(x);",
        "query Q = exists x: T.R(x) & S(x);",
        "query Q = exists x in 1..3. R(x);",
        "query Q = exists. R(x);",
        "query Q = exists R(x). S(x);",
        "query Q = some i: R(i);",
        "query Q = each i in 1..k. R[i](x);",
        "query Q = some i in S: R(i);",
        "query Q = exists x: T[3]. R(x);",
    ];
    brackets: [
        "mu R(x: T) = (A(x) & B(x);\n",
        "mu R(x: T = A(x);",
        "query Q = R(x, (y + 1);",
        "query Q = R(x]) & A;",
        "query Q = A & B);",
        "query Q = v[1..2 & A;",
        "enum Player { Eve, Adam\nquery Q = true;",
        "rel edge(x: T) = { (0), (1, 2 };",
        "query Q = (A | B\n\nmu S(x: T) = R(x);\n",
        "query Q = R(x, y,);",
        "query Q = R(x y);",
    ];
    texts_and_characters: [
        "require a = 0 \"no calls;\nquery Q = R(1);\n",
        "use \"a\\b.fp\";",
        "/* A block\n   comment; */\nquery Q = R(1);",
        "query Q = A; # a comment",
        "query Q = 'a';",
        "query Q = Größe(x);",
        "const a = 12ab;",
        "const a = 99999999999999999999;",
        "const a = 1_;",
    ];
    names_and_labels: [
        "mu in(x: T) = R(x);",
        "query Q = exists some. R(some);",
        "enum Answer { true, false }",
        "mu R(x: T) = (a: A(x) | b: B(x));",
        "mu R(x: T) = start: A(x) & (B(x) | late: C(x));",
        "mu R(x: T) = A(x) & late: C(x);",
        "verdict unsafe if A | late: B;",
        "mu R(x) = A(x);",
        "record Game { who: Player, fresh }",
        "mu R(x: T, y) = A(x);",
    ];
    items: [
        "R(x: T) = A(x);",
        "def R(x: T) = A(x);",
        "qurey Q = true;",
        "Mu R(x: T) = A(x);",
        "( A );",
        "use;",
        "use lib/init.fp;",
        "param rounds 4;",
        "param rounds in 1..8;",
        "param rounds in 4 = 4;",
        "const last;",
        "enum Player {}",
        "enum Player = { Eve, Adam };",
        "range Round = 1;",
        "range Round 1..4;",
        "record Game = { who: Player };",
        "rel edge[i in 1..2](x: T);",
        "sort Symbol = ;",
        "use \"x.fp\" as;",
        "use \"x.fp\" with;",
        "use \"x.fp\" with push;",
        "use program as p;",
        "rel edge = { (0, 1) };",
        "input edge;",
        "mu R[i](x: T) = A(x);",
        "mu R(x: T);",
        "query Q;",
        "require a = 0;",
        "verdict;",
        "verdict unsafe when Hit;",
        "verdict unsafe Hit;",
        "hint symbolic Pc Node;",
        "keyed record G { x: T }",
    ];
    several_at_once: [
        "param rounds = ;\nmu R(x: T) = A(x) &&\n  B(x);\nquery Q = R(1);\nlet S(x) = (A(x);\nverdict safe if Q\n",
    ];
}
