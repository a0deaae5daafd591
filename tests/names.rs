//! What an analysis can say about the names in a program's text.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, singles};
use calculus::span::Source;
use fpsolve::model::program::cfg::inline::Inline;
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
