//! What an analysis can say about the names in a program's text.

mod support;

use calculus::span::Source;
use support::{Treatment, run_file};

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
