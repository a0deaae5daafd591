//! Whatever a file contains, it is answered: with a diagnostic or a result, soon, and without a panic. Tests
//! run on threads with small stacks, so a recursion that follows the input shows.

use calculus::check::{self, FactsFile, Options, tree::System};
use calculus::diagnostic::Diagnostic;
use calculus::elaborate::{self, core::Core};
use calculus::solve::{Settings, solve};
use calculus::syntax::MAX_DEPTH;
use effort::cases;
use std::fmt::Write;
use std::time::{Duration, Instant};

mod effort;

type Built = Result<(System, Core), Vec<Diagnostic>>;

fn build(text: &str) -> Built {
    build_with(text, &Options::default())
}

fn build_with(text: &str, options: &Options) -> Built {
    let begin = Instant::now();
    let (mut program, mistakes) = check::load("case.fp", text, &|_, _| Err("no such file".into()));
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let built = check::check(&mut program, options).map(|(system, _)| {
        let (core, _) = elaborate::elaborate(&system);
        (system, core)
    });
    // Generous, for machines that do other things as well; what it catches takes minutes.
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    built
}

/// The codes of the mistakes; none if the file is accepted.
fn codes(text: &str) -> Vec<&'static str> {
    build(text).err().unwrap_or_default().iter().map(|mistake| mistake.code).collect()
}

/// How many tuples the first query has.
fn count(text: &str) -> String {
    let (system, core) = build(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let answer = solve(&system, &core, &Settings { list: 0, ..Default::default() });
    answer.queries[0].tuples.as_ref().expect("a query without limits is solved").count.to_string()
}

fn lines(numbers: impl Iterator<Item = usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(|number| line(number) + "\n").collect()
}

#[test]
fn nothing_is_a_file_too() {
    for text in ["", "\n", "\u{feff}", "// only this", "//! only\n//@ comments\n\n", "\r\n\t \r\n"] {
        assert_eq!(codes(text), [""; 0], "{text:?}");
    }
}

#[test]
fn odd_characters_are_explained() {
    for c in ["\0", "\u{1}", "\u{7f}", "\u{fffd}", "\u{202e}", "\u{1f980}", "\u{301}", "\u{2028}", "é", "\\"]
    {
        for text in [c.to_string(), format!("query Q{c} = true;"), format!("query Q = {c}true;")] {
            let mistakes = build(&text).err().unwrap_or_default();
            assert_eq!(mistakes.len(), 1, "{text:?}");
            let place = mistakes[0].labels[0].0;
            assert!(text.is_char_boundary(place.start as usize) && text.is_char_boundary(place.end as usize));
        }
    }
    // In comments and messages they are fine.
    assert_eq!(codes("// \u{202e}\0é\nquery Q = true;\nverdict safe \"é \u{1f980}\" if Q;"), [""; 0]);
}

#[test]
fn carriage_returns_are_blanks() {
    assert_eq!(count("range N = 0..3;\r\nquery Q(x: N) =\r\n  x = 1\r\n  | x = 2;\r\n"), "2");
}

#[test]
fn long_chains_are_flat() {
    for sign in [" & ", " | "] {
        let chain = vec!["x"; 100_000].join(sign);
        assert_eq!(codes(&format!("query Q(x: bool) = {chain};")), [""; 0]);
    }
    let chain = lines(0..20_000, |n| format!("  & p({}, y)", n % 4));
    assert_eq!(
        codes(&format!("rel p(x, y: 0..3) = {{ (0, 1) }};\nquery Q(y: 0..3) = y = 1\n{chain};")),
        [""; 0]
    );
}

#[test]
fn long_chains_of_variables_are_inferred() {
    let vars = (0..1_000).map(|n| format!("x{n}")).collect::<Vec<_>>();
    let equal = vars.windows(2).map(|pair| pair.join(" = ")).collect::<Vec<_>>().join(" & ");
    let text = format!("query Q(y: 0..3) = exists {}. {equal} & {} = y;", vars.join(", "), vars[999]);
    assert_eq!(count(&text), "4");
}

#[test]
fn repro_equivalences_do_not_multiply() {
    // Each `<->` needs both sides twice, so a chain was worked out 2^n times.
    let vars = (0..12).map(|n| format!("x{n}")).collect::<Vec<_>>();
    let text = format!("query Q({}: bool) = {};", vars.join(", "), vars.join(" <-> "));
    assert_eq!(count(&text), (1 << 11).to_string());
    let atoms = vars.iter().map(|x| format!("p({x})")).collect::<Vec<_>>();
    let facts = "rel p(x: 0..2) = { 0, 1 };";
    let text = format!("{facts}\nquery Q({}: 0..2) = {};", vars.join(", "), atoms.join(" <-> "));
    // As many assignments with an even number of atoms false as (2+1)^12 and (2-1)^12 say.
    assert_eq!(count(&text), 3u64.pow(12).div_ceil(2).to_string());
    let nested = atoms.iter().fold("p(y)".to_string(), |inner, atom| format!("({atom} <-> !({inner}))"));
    assert_eq!(codes(&format!("{facts}\nquery Q({}, y: 0..2) = {nested};", vars.join(", "))), [""; 0]);
    let long = vec!["x"; MAX_DEPTH - 10].join(" <-> ");
    assert_eq!(count(&format!("query Q(x: bool) = {long};")), "2");
    let long = vec!["p(x)"; MAX_DEPTH - 10].join(" <-> ");
    assert_eq!(count(&format!("{facts}\nquery Q(x: 0..2) = {long};")), "3");
}

#[test]
fn deep_formulas_are_refused_or_solved() {
    for depth in [MAX_DEPTH / 2 - 5, MAX_DEPTH + 50, 20_000] {
        let wanted: &[&str] = if depth < MAX_DEPTH { &[] } else { &["fp::too_deep"] };
        for (open, close) in [("(", ")"), ("!", ""), ("x -> ", ""), ("!(x & ", ")"), ("(x | ", ")")] {
            let text = format!("query Q(x: bool) = {}x{};", open.repeat(depth), close.repeat(depth));
            assert_eq!(codes(&text), wanted, "{open} {depth}");
        }
        let quantifiers = (0..depth).fold(String::new(), |mut out, n| {
            write!(out, "{} y{n}: bool. y{n} & ", if n % 2 == 0 { "exists" } else { "forall" }).unwrap();
            out
        });
        assert_eq!(codes(&format!("query Q(x: bool) = {quantifiers}x;")), wanted, "{depth}");
    }
}

#[test]
fn repro_records_in_records_do_not_overflow() {
    let record = |n: usize| format!("record R{n} {{ inner: R{}, x: bool }}", n + 1);
    let last = "record R1000 { x: bool }\n";
    let query = "query Q(r: R0) = r.x;\n";
    for text in
        [lines(0..1_000, record) + last + query, format!("{last}{}{query}", lines((0..1_000).rev(), record))]
    {
        let found = codes(&text);
        assert!(!found.is_empty() && found.iter().all(|code| *code == "fp::too_deep"), "{found:?}");
    }
    assert_eq!(codes(&(lines(950..1_000, record) + last + "query Q(r: R950) = r.x;")), [""; 0]);
    let deeper = lines(0..50_000, |n| format!("record S{n} {{ inner: S{}, x: bool }}", n + 1));
    assert!(!codes(&(deeper + "record S50000 { x: bool }\nquery Q(s: S0) = s.x;")).is_empty());
}

#[test]
fn repro_records_that_double_are_counted() {
    let double = lines(1..60, |n| format!("record R{n} {{ a, b: R{} }}", n - 1));
    let text = format!("record R0 {{ x: bool }}\n{double}query Q(r: R59) = r = r;");
    let found = codes(&text);
    assert!(!found.is_empty() && found.iter().all(|code| *code == "fp::sort_too_large"), "{found:?}");
}

#[test]
fn repro_constants_of_constants_do_not_overflow() {
    let back = lines(1..20_000, |n| format!("const c{n} = c{} + 1;", n - 1));
    assert_eq!(count(&format!("const c0 = 0;\n{back}query Q(x: 0..c19999) = x < c19999;")), "19999");
    let forth = lines(0..20_000, |n| format!("const c{n} = c{} + 1;", n + 1));
    let found = codes(&format!("{forth}const c20000 = 0;\nquery Q(x: 0..c0) = x = 0;"));
    assert!(
        !found.is_empty() && found.iter().all(|code| ["fp::too_deep", "fp::more"].contains(code)),
        "{found:?}"
    );
}

#[test]
fn repro_vectors_at_the_ends_of_the_integers_do_not_overflow() {
    const ENDS: [&str; 4] =
        ["9223372036854775807", "-9223372036854775807 - 1", "-9223372036854775807", "4611686018427387905"];
    for end in ENDS {
        for text in [
            format!("query Q(v: bool[({end})..({end})]) = v ++ v = v ++ v;"),
            format!("query Q(v: bool[({end})..({end})]) = v = [true];"),
            format!("query Q(v: bool[({end})..({end})]) = exists w. v = w ++ [true];"),
            format!("query Q(v: bool[1..3]) = v[({end})..] = v[..({end})];"),
            format!("query Q(v: bool[1..3]) = v[{end}] & v[..{end}] = v[({end})..({end})];"),
        ] {
            assert!(!codes(&text).is_empty(), "{text}");
        }
    }
    let far = "4611686018427387904";
    assert_eq!(
        count(&format!(
            "query Q(v: bool[{far}..{far}], w: bool[1..1]) = exists u. u = v ++ w & u = v ++ [true];"
        )),
        "2"
    );
}

#[test]
fn large_sorts_are_symbolic_or_refused() {
    let range = "range R = 0..4_611_686_018_427_387_903;\n";
    assert_eq!(count(&format!("{range}query Q(x: R) = true;")), (1u64 << 62).to_string());
    assert_eq!(count(&format!("{range}query Q(x, y: R) = x = 5 & y = x + 1;")), "1");
    assert_eq!(count(&format!("{range}query Q(x: R) = exists y. y = x + 4_611_686_018_427_387_903;")), "1");
    let ends = "range R = -9_223_372_036_854_775_807 - 1..-4_611_686_018_427_387_905;\n";
    assert_eq!(
        count(&format!("{ends}query Q(x: R) = exists y: R. y = x - 1;")),
        ((1u64 << 62) - 1).to_string()
    );
    for sort in [
        "bool[1..1000000000000]",
        "bool[1..10000][1..10000]",
        "0..4611686018427387904",
        "bool[-9..9223372036854775807]",
    ] {
        assert_eq!(codes(&format!("query Q(x: {sort}) = x = x;")), ["fp::sort_too_large"], "{sort}");
    }
    let (keys, _) = ((1u64 << 24) - 1, ());
    assert_eq!(codes(&format!("keyed range K = 0..{keys};\nquery Q(x: K) = x = 1;")), [""; 0]);
}

#[test]
fn shifts_by_enormous_numbers_have_no_value() {
    for shift in ["9223372036854775807", "(-9223372036854775807 - 1)", "4611686018427387904"] {
        for sign in ["+", "-"] {
            assert_eq!(count(&format!("query Q(x, y: 0..3) = y = x {sign} {shift} {sign} {shift};")), "0");
            assert_eq!(count(&format!("query Q(x: 0..3) = !(x = x {sign} {shift});")), "4");
        }
    }
}

#[test]
fn families_and_unrollings_are_limited() {
    for text in [
        "let R[i in 1..200_000, j in 1..200_000](x: bool) = x;",
        "let R[i in -9_223_372_036_854_775_807..9_223_372_036_854_775_807](x: bool) = x;",
        "let R[i in 1..100_000](x: bool) = some j in 1..100_000: x;",
        "query Q(x: bool) = each i in 1..100_000, j in i..100_000: x;",
    ] {
        assert_eq!(codes(text), ["fp::too_many_instances"], "{text}");
    }
    let text =
        "let R[i in 1..100_000](x: bool) = i = 1 & x | i > 1 & R[i-1](x);\nquery Q(x: bool) = R[100_000](x);";
    assert_eq!(codes(text), [""; 0]);
}

#[test]
fn repro_many_negative_occurrences_are_one_mistake() {
    let text = "mu R[i in 1..20_000](x: bool) = i > 1 & !R[i-1](x) | i = 1 & R[20_000](x);\nquery Q(x: bool) = R[1](x);";
    assert_eq!(codes(text), ["fp::negative_recursion"]);
}

#[test]
fn files_may_use_each_other() {
    let file = |name: &str| match name {
        "a.fp" => Ok("use \"b.fp\"; use \"a.fp\"; let A(x: bool) = B(x);".to_string()),
        "b.fp" => Ok("use \"a.fp\"; use \"case.fp\"; let B(x: bool) = x;".to_string()),
        "case.fp" => Ok("use \"a.fp\"; query Q(x: bool) = A(x);".to_string()),
        _ => Err("no such file".to_string()),
    };
    let text = file("case.fp").unwrap();
    let (mut program, mistakes) =
        check::load("case.fp", &text, &|_, path| file(path).map(|text| (path.to_string(), text)));
    assert_eq!((mistakes.len(), program.files.len()), (0, 3));
    assert!(check::check(&mut program, &Options::default()).is_ok());
}

#[test]
fn a_file_that_uses_ever_more_files_is_refused() {
    let next = |_: &str, path: &str| {
        let number: usize = path.parse().map_err(|_| "not a number".to_string())?;
        Ok((path.to_string(), format!("use \"{}\";", number + 1)))
    };
    let (_, mistakes) = check::load("0", "use \"1\";", &next);
    assert_eq!(mistakes.len(), 1);
    assert_eq!(mistakes[0].code, "fp::unreadable_file");
}

#[test]
fn many_facts_are_read_fast() {
    let count = cases(100_000);
    let rows = (0..count).map(|n| format!("{n}\t{}\n", n / 7)).collect::<String>();
    let read = |_: &str| Ok(FactsFile::named("edge.facts", rows.clone()));
    let options = Options { facts: Some(&read), ..Default::default() };
    let text = "range N = 0..99_999;\ninput edge(x, y: N);\nquery Q(x, y: N) = edge(x, y);";
    let (system, core) = build_with(text, &options).expect("the rows fit");
    let answer = solve(&system, &core, &Settings { list: 0, ..Default::default() });
    assert_eq!(answer.queries[0].tuples.as_ref().unwrap().count.to_string(), count.to_string());
    let rows = lines(0..count, |n| format!("({n}, {}),", n / 7));
    let text =
        format!("range N = 0..99_999;\nrel edge(x, y: N) = {{ {rows} }};\nquery Q(x, y: N) = edge(x, y);");
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn repro_more_inputs_than_16_bits_count() {
    let inputs = lines(0..70_000, |n| format!("input i{n}(x: bool);"));
    let read = |name: &str| Ok(FactsFile::named(format!("{name}.facts"), "true\nfalse\n"));
    let options = Options { facts: Some(&read), ..Default::default() };
    assert!(build_with(&format!("{inputs}query Q(x: bool) = i69999(x);"), &options).is_ok());
}

/// Five megabytes, or half of one in the fast profile.
fn five_megabytes() -> usize {
    cases(5 << 20)
}

#[test]
fn five_megabytes_of_definitions_are_read() {
    let definitions = lines(0..cases(32_000), |n| {
        format!("let A{n}(x: 0..9, y: bool) = x = {} & y | x = 0 & !y; // {n:0120}", n % 10)
    });
    assert!(definitions.len() > five_megabytes());
    assert_eq!(codes(&(definitions + "query Q(x: 0..9) = A7(x, true);")), [""; 0]);
}

#[test]
fn five_megabytes_of_mistakes_are_read() {
    let unknown = lines(0..cases(50_000), |n| format!("let A{n}(x: bool) = unknown_relation_{n:080}(x, y);"));
    assert!(unknown.len() > five_megabytes());
    assert_eq!(codes(&unknown).len(), 101);
    let broken = lines(0..cases(200_000), |n| format!("let A{n}(x: bool) = x &;"));
    assert_eq!(codes(&broken).len(), 101);
}

#[test]
fn five_megabytes_in_one_piece_are_read() {
    assert_eq!(codes(&"// nothing\n".repeat(five_megabytes() / 11)), [""; 0]);
    let name = "x".repeat(five_megabytes());
    assert_eq!(codes(&format!("query {name} = {name}y;")), ["fp::unknown_name"]);
    assert_eq!(codes(&format!("query Q = {};", "9".repeat(five_megabytes()))), ["fp::bad_number"]);
    assert_eq!(
        codes(&format!("query Q = true;\nverdict safe \"{}\" if Q;", "{".repeat(five_megabytes()))),
        ["fp::bad_message"]
    );
}

#[test]
fn a_report_of_a_large_file_is_cheap() {
    let text = "// nothing\n".repeat(500_000) + "query Q = x;";
    let (mut program, _) = check::load("case.fp", &text, &|_, _| Err("no such file".into()));
    let mistakes = check::check(&mut program, &Options::default()).expect_err("x is unknown");
    let begin = Instant::now();
    for _ in 0..1_000 {
        mistakes[0].render(&program.sources);
    }
    assert!(begin.elapsed() < Duration::from_secs(1));
}

/// A greatest fixed point inside another one has everything when its first round begins.
#[test]
fn repro_the_size_of_everything_is_sampled() {
    let text = "range N = 0..5;
        nu Outer(x: N) = Middle(x);
        mu Middle(x: N) = Inner(x) | exists y: N. y = x + 1 & Middle(y);
        nu Inner(x: N) = x != 3 & (Inner(x) | Middle(x)) & Outer(x);
        query Q(x: N) = Outer(x);";
    let (system, core) = build(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    for recycle in [false, true] {
        let settings = Settings { samples: true, sizes: true, recycle, ..Settings::default() };
        let answer = solve(&system, &core, &settings);
        assert!(answer.statistics.relations.iter().any(|relation| &*relation.title == "Inner"));
    }
}
