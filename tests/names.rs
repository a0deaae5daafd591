//! What an analysis can say about the names in a program's text.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, singles, words};
use calculus::span::Source;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::run::{Request, specimen};
use std::collections::BTreeSet;
use support::{Treatment, effort, run_file};

/// All tuples of the query `Q`, in words.
fn answers(equations: &str, program: &str, treatment: &Treatment) -> Vec<String> {
    let outcome = run_file(Source::new("names.fp", equations), &[], program, treatment)
        .unwrap_or_else(|rejection| panic!("{rejection}"));
    let queries = outcome.queries();
    let (system, query) = (&outcome.system, &queries[0]);
    let (_, rows) = query.answer.as_ref().expect("it was solved");
    let row = |row: &Vec<calculus::sort::Value>| {
        let shown = query.columns.iter().zip(row).map(|(column, value)| {
            calculus::show::value(&system.sorts, system.vocabulary.as_ref(), column.sort, value)
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(row).collect()
}

const PROGRAM: &str = "decl x, y := F;
decl z;
init begin x := T; end
void inc(a, b) begin
  decl t, u := T;
  t := a & u;
  x := t | b;
  dead t;
  return;
end
bool get() begin return x & y; end
thread worker begin
  decl mine;
  void inner(k) begin mine := k; end
  L1: mine := *;
  inc(mine, z);
  z := get();
  inner(x);
  y, x := x, y constrain ('x | 'y);
  assert(!mine);
  ERROR: skip;
end
thread other* begin skip; L1: x := schoose[y, F]; end
";

/// The answer of one query for a program, whether or not calls are inlined and locals simplified.
fn always(columns: &str, formula: &str) -> Vec<String> {
    let equations = format!("use program; query Q({columns}) = {formula};");
    let first = answers(&equations, PROGRAM, &Treatment::default());
    for number in 1..4 {
        let mut again = answers(&equations, PROGRAM, &Treatment::number(number));
        again.sort();
        let mut sorted = first.clone();
        sorted.sort();
        assert_eq!(again, sorted, "{formula} with treatment {number}");
    }
    first
}

#[test]
fn steps_read_what_the_text_says() {
    let read = always("n: Line, v: Var", "exists pc. reads(pc, v) & line(pc, n)");
    let lines = "6 inc.a,6 inc.u,7 inc.b,7 inc.t,11 x,11 y,14 worker.inner.k,16 z,16 worker.mine,18 x,19 x,19 y,\
                 20 worker.mine,23 y";
    assert_eq!(read.join(","), lines);
}

#[test]
fn steps_write_what_the_text_says() {
    let written = always("n: Line, v: Var", "exists pc. writes(pc, v) & line(pc, n)");
    let lines = "3 x,6 inc.t,7 x,8 inc.t,14 worker.mine,15 worker.mine,16 inc.a,16 inc.b,18 worker.inner.k,19 x,19 y,\
                 23 x";
    // The result of `get` is written behind its end, which may be a place of its own or not.
    let written = written.into_iter().filter(|pair| pair != "11 z").collect::<Vec<_>>();
    assert_eq!(written.join(","), lines);
    let declared = always("v: Var", "exists pc. writes(pc, v) & forall n. !line(pc, n)");
    assert!(declared.contains(&"inc.u".to_string()), "{declared:?}");
}

#[test]
fn values_mean_nothing_after_dead_and_in_new_frames() {
    let forgotten = always("n: Line, v: Var", "exists pc. forgets(pc, v) & line(pc, n)");
    assert_eq!(forgotten.join(","), "8 inc.t,16 inc.t,16 inc.u");
    assert_eq!(always("v: Var", "uninitialised(v)").join(","), "x,z,worker.mine,inc.t");
}

#[test]
fn texts_are_values() {
    assert_eq!(always("v: Var", "shared(v)").join(","), "x,y,z");
    assert_eq!(always("l: Label, n: Line", "exists pc. label(pc, l) & line(pc, n)").len(), 3);
    assert_eq!(always("n: Line", "exists pc. label(pc, \"L1\") & line(pc, n)").join(","), "15,23");
    let inner = "exists pc. in_procedure(pc, \"worker.inner\") & line(pc, n)";
    assert_eq!(always("n: Line", inner).join(","), "14");
    let failed = "exists q. target_class(q, c) & q.pc = pc";
    assert_eq!(always("pc: Pc, c: Class", failed).join(","), "worker:21 label,worker:20 failed assert");
    assert_eq!(always("c: Class", "c = \"range\" & forall q. !target_class(q, c)").join(","), "range");
}

#[test]
fn a_text_that_the_program_does_not_have_is_a_mistake() {
    let equations = "use program; query Q(pc: Pc) = writes(pc, \"worker.mien\");";
    let file = Source::new("names.fp", equations);
    let rejection =
        run_file(file, &[], PROGRAM, &Treatment::default()).map(|_| ()).expect_err("no such variable");
    let said = rejection.diagnostics[0].clone();
    assert_eq!(
        (said.code, said.title.as_str()),
        ("fp::unknown_name", "the model has no Var \"worker.mien\"")
    );
    let help = said.help.expect("there is help");
    assert!(
        help.starts_with("did you mean \"worker.mine\"? the values of Var in the model are: \"x\", "),
        "{help}"
    );
}

#[test]
fn variables_are_fields() {
    assert_eq!(always("b: bool", "exists s. initial(s) & s.y = b").join(","), "false");
    assert_eq!(always("b: bool", "exists s. initial(s) & s.z = b").join(","), "false,true");
    // Only procedures that have the variable give it a value.
    let having = |name: &str| {
        let found = always(
            "p: Procedure",
            &format!("exists q: State, pc. q.pc = pc & q.{name} & in_procedure(pc, p)"),
        );
        let same = always(
            "p: Procedure",
            &format!("exists q: State, pc. q.pc = pc & q.{name} = q.{name} & in_procedure(pc, p)"),
        );
        assert_eq!(found, same, "{name}");
        found.join(",")
    };
    assert_eq!([having("k"), having("mine"), having("t")], ["worker.inner", "worker.inner,worker", "inc"]);
    // The value is there where the text has it, even if nobody reads it any more.
    let at = "exists q, s, p, r. step(q, s, p, r) & q.pc = pc & reads(pc, \"inc.t\")";
    assert_eq!(always("pc: Pc", &format!("{at} & q.t & p.t")).len(), 1);
    assert_eq!(always("pc: Pc", &format!("{at} & (q.t & p.t = false | q.t = false & p.t)")).len(), 0);
}

#[test]
fn a_variable_that_the_program_does_not_have_is_a_mistake() {
    for (formula, title, help) in [
        ("s.lokc", "a value of sort Shared has no `lokc` in this model", "it has: x, y, z"),
        (
            "q.mien",
            "a value of sort State has no `mien` in this model",
            "did you mean `mine`? it has: pc, own, loc, mine, ",
        ),
        ("s.mine", "a value of sort Shared has no `mine` in this model", "it has: x, y, z"),
    ] {
        let equations = format!("use program; query Q = exists q, s, p, r. step(q, s, p, r) & {formula};");
        let file = Source::new("names.fp", equations);
        let rejection =
            run_file(file, &[], PROGRAM, &Treatment::default()).map(|_| ()).expect_err("a mistake");
        let said = rejection.diagnostics[0].clone();
        assert_eq!((said.code, said.title.as_str()), ("fp::unknown_name", title));
        let helped = said.help.expect("there is help");
        assert!(helped.starts_with(help), "{helped}");
    }
}

/// Where the threads can be with which values of the variables, and the steps that change what they do not write.
const VALUES: &str = "use program;
use \"lib/product.fp\";
query Q(t: 1..n, pc: Pc, a, m: bool) =
    some i in 1..n: t = i & exists q, s. Reach[i](q, s) & q[i].pc = pc & s.a = a & q[i].m = m;
query Odd(pc: Pc) =
    exists q, s, p, r. step(q, s, p, r) & q.pc = pc
      & (!(s.a = r.a) & !writes(pc, \"a\") | !(s.b = r.b) & !writes(pc, \"b\"));
query Lying(pc: Pc) =
    some i in 1..n: exists q, s, p, r. Reach[i](q, s) & step(q[i], s, p, r) & q[i].pc = pc & (q[i].m & p.m = false | q[i].m = false & p.m)
      & !exists v. !shared(v) & (writes(pc, v) | forgets(pc, v));
";

#[test]
fn values_of_variables_do_not_depend_on_what_is_simplified() {
    let mut random = Random(0xbb67_ae85_84ca_a73b);
    let mut rows = 0;
    for number in 0..effort::cases(60) {
        let text = singles(&mut random, 2, number % 2 == 0);
        let of = |simplify: bool| {
            let treatment = Treatment { inline: Inline::Always, simplify, ..Treatment::default() };
            run_file(Source::new("values.fp", VALUES), &[], &text, &treatment)
        };
        // A program with recursive procedures is refused.
        let (Ok(simple), Ok(plain)) = (of(true), of(false)) else { continue };
        let (simple, plain) = (simple.queries(), plain.queries());
        let answer = |query: &fpsolve::run::QueryResult| query.answer.clone().expect("it was solved");
        assert_eq!(answer(&simple[0]), answer(&plain[0]), "{text}");
        rows += answer(&simple[0]).1.len();
        for queries in [&simple, &plain] {
            assert_eq!((answer(&queries[1]).0, answer(&queries[2]).0), ("0".into(), "0".into()), "{text}");
        }
    }
    assert!(effort::enough(rows, 500), "{rows}");
}

/// Numbers and names, shared and of threads. `x` is a number in one procedure and another one elsewhere; `y` is of two kinds.
const NUMBERS: &str = "decl n: 0..5 := 0;
decl k: -2..3 mod := -2;
decl state: { idle, busy, done } := idle;
decl one: 4..4 := 4;
void count(x: 3..9, y) begin skip; n := x - 3; end
thread worker begin
  decl mode: { idle, busy, done };
  mode := busy;
  state := mode;
  count(5, T);
  k := k - 1;
end
thread other begin
  decl x: -1..2;
  decl y: 0..1;
  x, y := 2, 0;
  n := 4;
  x := -1;
end
";

#[test]
fn numbers_and_names_are_fields() {
    let reached = |formula: &str, columns: &str| {
        let equations = format!(
            "use program; use \"lib/product.fp\";
             query Q({columns}) = some t in 1..n: exists q, s. Reach[t](q, s) & {formula};"
        );
        let first = answers(&equations, NUMBERS, &Treatment::default());
        for number in 1..6 {
            let treatment = Treatment { inline: Inline::Always, ..Treatment::number(number) };
            assert_eq!(answers(&equations, NUMBERS, &treatment), first, "{formula}, treatment {number}");
        }
        first.join(",")
    };
    assert_eq!(reached("s.n = v", "v: 0..5"), "0,2,4");
    assert_eq!(reached("s.k = v", "v: Shared.k"), "-2,3");
    assert_eq!(reached("s.state = v", "v: Shared.state"), "idle,busy");
    assert_eq!(reached("s.one = v", "v: Shared.one"), "4");
    assert_eq!(reached("q[t].mode = v", "v: State.mode"), "idle,busy,done");
    // Enumerations with the same names are one sort.
    assert_eq!(reached("s.state = q[t].mode & s.state = v", "v: State.mode"), "idle,busy");
    // The numbers of both procedures are in one range.
    assert_eq!(reached("q[t].x = v", "v: State.x"), "-1,0,1,2,5");
    assert_eq!(reached("q[t].x = v & in_procedure(q[t].pc, \"count\")", "v: -1..9"), "5");
    assert_eq!(reached("s.n + 1 < 4 & s.state = \"busy\" & s.n = v", "v: 0..5"), "0,2");
    assert_eq!(reached("s.state != \"idle\" & s.n > 3 & s.k = v", "v: Shared.k"), "-2,3");
}

#[test]
fn values_that_a_variable_does_not_have_are_told() {
    let said = |formula: &str| {
        let equations = format!("use program; query Q = exists q, s, p, r. step(q, s, p, r) & {formula};");
        let file = Source::new("names.fp", equations);
        match run_file(file, &[], NUMBERS, &Treatment::default()) {
            Err(rejection) => rejection.diagnostics[0].clone(),
            Ok(outcome) => outcome.warnings[0].clone(),
        }
    };
    for (formula, code, title, help) in [
        (
            "s.state = \"bsuy\"",
            "fp::unknown_name",
            "the model has no { idle, busy, done } \"bsuy\"",
            "did you mean \"busy\"? ",
        ),
        ("s.n = 9", "fp::decided", "the comparison never holds", "compare with a value of the range"),
        ("s.state = 1", "fp::sort_mismatch", "1 is not a value of sort { idle, busy, done }", ""),
        ("s.n", "fp::not_a_formula", "a formula is needed here", ""),
        (
            "q.y",
            "fp::unknown_name",
            "a value of sort State has no `y` in this model",
            "it has: pc, own, loc, mode, x, y (no: its variables are of several kinds)",
        ),
    ] {
        let found = said(formula);
        assert_eq!((found.code, found.title.as_str()), (code, title), "{formula}");
        let helped = found.help.unwrap_or_default();
        assert!(helped.starts_with(help), "{formula}: {helped}");
    }
}

#[test]
fn fields_of_any_kind_are_checked_without_a_model() {
    let formulas = [
        "s.n = 3",
        "s.n < q.m",
        "s.n + 1 = 4",
        "s.n + q.m < 4",
        "s.state = \"busy\"",
        "q.x",
        "s.n = v",
        "exists k: 0..9. k = s.n + 1",
    ];
    for formula in formulas {
        let equations = format!(
            "use program; query Q(v: Shared.n) = exists q, s, p, r. step(q, s, p, r) & s.n = v & {formula};"
        );
        let file = Source::new("names.fp", equations);
        let request = Request { model: Some(specimen(&file)), ..Request::new(file) };
        let checked =
            fpsolve::run::check(&request).unwrap_or_else(|rejection| panic!("{formula}: {rejection}"));
        assert!(checked.warnings.iter().all(|warning| warning.code != "fp::decided"), "{formula}");
    }
}

/// The values of variables by their fields, and as states are shown.
#[test]
fn fields_have_the_values_that_are_shown() {
    const FIELDS: &str = "use program; use \"lib/product.fp\";
        query S(s: Shared) = some t in 1..n: exists q. Reach[t](q, s);
        query K(k: Shared.k) = some t in 1..n: exists q, s. Reach[t](q, s) & s.k = k;
        query Z(z: -1..2) = some t in 1..n: exists q, s. Reach[t](q, s) & s.z = z;
        query C(c: Shared.c) = some t in 1..n: exists q, s. Reach[t](q, s) & s.c = c;";
    let mut random = Random(0x3c6e_f372_fe94_f82b);
    let mut values = 0;
    for number in 0..effort::cases(30) {
        let text = words(&mut random, 1 + number % 2, false, false);
        let treatment = Treatment { reorder: false, inline: Inline::Always, ..Treatment::number(number) };
        let outcome = run_file(Source::new("fields.fp", FIELDS), &[], &text, &treatment);
        let outcome = outcome.unwrap_or_else(|rejection| panic!("{rejection}\n{text}"));
        let queries = outcome.queries();
        let shown = |at: usize| {
            let (_, rows) = queries[at].answer.as_ref().expect("it was solved");
            rows.iter().map(|row| outcome.show(queries[at].columns[0].sort, &row[0])).collect::<BTreeSet<_>>()
        };
        for (at, name) in [(1, "k="), (2, "z="), (3, "c=")] {
            let states = shown(0);
            let parts = states.iter().flat_map(|state| state.split(' '));
            let expected = parts.filter_map(|part| part.strip_prefix(name)).map(str::to_string);
            let expected = expected.collect::<BTreeSet<_>>();
            values += expected.len();
            assert_eq!(shown(at), expected, "{name} in\n{text}");
        }
    }
    assert!(effort::enough(values, 60), "{values}");
}
