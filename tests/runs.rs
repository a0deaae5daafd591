//! Runs that end anywhere, runs that go on forever, and rounds that are counted from another one: each is compared with
//! an explicit search, replayed, and asked of the oracle.

mod agreement {
    pub mod generator;
}
mod support;
mod forging {
    pub mod forgeries;
    pub mod oracle;
}
mod searching {
    pub mod search;
}

use agreement::generator::{Random, singles};
use calculus::span::Source;
use forging::forgeries::forgeries;
use forging::oracle::may_be_true;
use fpsolve::explain::{self, Traced};
use fpsolve::model::boolean::{BooleanProgram, program};
use fpsolve::model::trace::{Finish, Mobility, Trace, Verified};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::report::{json, trace};
use fpsolve::run::{files, run};
use searching::search::Search;
use std::collections::BTreeMap;
use support::{Treatment, effort, request};

fn model(text: &str) -> BooleanProgram {
    program("program.bp", text, &ProgramOptions::default())
        .unwrap_or_else(|rejection| panic!("{rejection}\n{text}"))
}

/// The verdict of a file, and what became of its trace.
fn traced(file: Source, params: &[(&str, i64)], text: &str) -> (Option<&'static str>, Option<Traced>) {
    let (request, solving) = request(file, params, text, &Treatment::default())
        .unwrap_or_else(|rejection| panic!("{rejection:#?}\n{text}"));
    let outcome = run(&request, &solving).unwrap_or_else(|rejection| panic!("{rejection:#?}\n{text}"));
    let traced = explain::trace(&request, &solving, &model(text), &outcome);
    let traced = traced.unwrap_or_else(|rejection| panic!("{rejection:#?}\n{text}"));
    (outcome.conclusion().word(), traced)
}

/// The run of a file that must have one, stored and verified.
fn run_of(file: Source, params: &[(&str, i64)], text: &str) -> Trace {
    match traced(file, params, text).1 {
        Some(Traced::Trace(trace)) => {
            assert_eq!(stored(&trace, text), Ok(()), "{text}\n{trace:#?}");
            trace
        }
        other => panic!("{other:?}\n{text}"),
    }
}

fn stored(trace: &Trace, text: &str) -> Result<(), String> {
    let read = Trace::from_json(&json::pretty(&trace.to_json()))?;
    assert_eq!(&read, trace, "what is read is what was written");
    match model(text).verify(&read) {
        Verified::Run => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn bundled(name: &str) -> Source {
    files::find(name, &[]).expect("it is bundled")
}

/// Turns of one thread, whose only round is 1, and pairs of rounds made of them.
const ROUNDS: &str = "use program;
use \"lib/init.fp\";
param pairs in 1.. = 1;

mu Turn[t in 1..2](p: State, r: Shared, q: State, s: Shared) =
    stay: p = q & r = s
  | go:   exists o, x. Turn[t](p, r, o, x) & step(o, x, q, s) by t at 1;

let Round(p: State[1..2], r: Shared, q: State[1..2], s: Shared) =
  exists x. within Turn[1](p[1], r, q[1], x) at 1 & yield(q[1], x) & within Turn[2](p[2], x, q[2], s) at 1
            & yield(q[2], s);
let Pair(p: State[1..2], r: Shared, q: State[1..2], s: Shared) =
  exists o, x. within Round(p, r, o, x) at 1 & within Round(o, x, q, s) at 2;

mu Pairs[k in 0..pairs](q: State[1..2], s: Shared) =
    start: k = 0 & Init(s) & start[1](q[1]) & start[2](q[2])
  | pair:  k > 0 & exists p, r. Pairs[k-1](p, r) & within Pair(p, r, q, s) at 2 * k - 1;

query Hit = some i in 1..2: exists q, s. Pairs[pairs](q, s) & target(q[i]);
verdict unsafe if Hit;
verdict bounded;
";

/// Each thread waits for the other, three times.
const PING_PONG: &str = "decl turn := F;
thread a begin
turn := T; assume(!turn); turn := T; assume(!turn); turn := T; assume(!turn); ERROR: skip;
end
thread b begin
assume(turn); turn := F; assume(turn); turn := F; assume(turn); turn := F;
end
";

#[test]
fn rounds_inside_within_are_counted_from_its_own() {
    let file = |text: String| Source::new("rounds.fp".to_string(), text);
    let trace = run_of(file(ROUNDS.into()), &[("pairs", 2)], PING_PONG);
    let rounds = trace.steps.iter().map(|step| step.round.expect("a round")).collect::<Vec<_>>();
    assert!(rounds.is_sorted() && rounds.last() == Some(&4), "{rounds:?}");
    // Without it, all moves of the first thread come first.
    let loose = ROUNDS.replace(" at 2 * k - 1", "");
    let (_, traced) = traced(file(loose), &[("pairs", 2)], PING_PONG);
    assert!(matches!(traced, Some(Traced::Wrong(_))), "{traced:?}");
}

/// Two threads that never end: they wait, take and give again and again.
fn looping(random: &mut Random) -> String {
    let mut text = String::from("decl a, b := F;\n");
    for name in ["one", "two"] {
        text.push_str(&format!("thread {name} begin\nwhile (T) do\n"));
        for _ in 0..1 + random.below(3) {
            text.push_str(match random.below(9) {
                0 => "a := T;\n",
                1 => "b := F;\n",
                2 => "a := !b;\n",
                3 => "assume(a);\n",
                4 => "assume(!b);\n",
                5 => "a := T constrain (!a);\n",
                6 => "b := T constrain (!b);\n",
                7 => "if (*) then a := F; fi\n",
                _ => "atomic_begin; b := a; a := F; atomic_end;\n",
            });
        }
        text.push_str("od\nend\n");
    }
    text
}

/// With labels at the first and the last statement of each loop.
fn labelled(text: &str) -> String {
    text.replace("do\n", "do\nrequest: ").replace("od\n", "served: skip;\nod\n")
}

/// A run exists just if the search finds one, and is a run for everybody.
fn agrees(
    (algorithm, param): (&str, Option<(&str, i64)>),
    text: &str,
    (search, expected): (&Search, bool),
    counts: &mut BTreeMap<&'static str, usize>,
) -> bool {
    let params = param.into_iter().collect::<Vec<_>>();
    let (verdict, found) = traced(bundled(algorithm), &params, text);
    let word = if expected { "unsafe" } else { "safe" };
    assert_eq!(verdict, Some(word), "{algorithm} {params:?}\n{text}");
    if !expected {
        assert!(found.is_none(), "{found:?}");
        return false;
    }
    let Some(Traced::Trace(found)) = found else { panic!("{algorithm} {params:?}: {found:?}\n{text}") };
    assert_eq!(stored(&found, text), Ok(()), "{algorithm} {params:?}\n{text}\n{found:#?}");
    let read = model(text);
    assert!(search.has_run(&found), "{algorithm} {params:?}\n{text}\n{found:#?}");
    check_end(algorithm, param, &found, text);
    // The oracle refuses a run in which an open variable changes before anybody looks at it.
    let enough = counts.values().sum::<usize>() > 1500;
    if !enough && found.steps.len() < 12 && may_be_true(&read.program, &found) == Some(true) {
        for forged in forgeries(&read.program, &found) {
            let told = &forged.trace;
            assert!(stored(told, text).is_err(), "{}\n{text}\n{found:#?}\n{told:#?}", forged.kind);
            *counts.entry(forged.kind).or_default() += 1;
        }
    }
    true
}

/// What the trace itself says about its end: nobody can move, or a thread that has not ended stands still.
fn check_end(algorithm: &str, param: Option<(&str, i64)>, found: &Trace, text: &str) {
    match &found.finish {
        Finish::State(end) => {
            assert!(end.threads.iter().all(|thread| thread.moves == Mobility::Cannot), "{text}\n{found:#?}");
            assert!(end.threads.iter().any(|thread| thread.status == "running"), "{text}\n{found:#?}");
        }
        Finish::Repeat(repeat) => {
            let waits = |thread: &&_| {
                let thread: &fpsolve::model::trace::Standing = thread;
                thread.status != "ended" && thread.moves != Mobility::Moves
            };
            let stands = repeat.state.threads.iter().any(|thread| waits(&thread));
            assert!(algorithm == "liveness" || stands, "{text}\n{found:#?}");
            if algorithm == "liveness" || param == Some(("fair", 1)) {
                let ignored =
                    repeat.state.threads.iter().find(|thread| thread.moves == Mobility::CouldAlways);
                assert!(ignored.is_none(), "{text}\n{found:#?}");
                // One for each thread, and in `liveness` for each that ran last.
                let most = if algorithm == "liveness" { 4 } else { 2 };
                let conditions = repeat.conditions.len();
                assert!((2..=most).contains(&conditions), "{conditions}\n{text}\n{found:#?}");
            }
        }
        Finish::Error(error) => panic!("{error:?}\n{text}"),
    }
}

#[test]
fn runs_to_anywhere_and_forever_agree_with_a_search() {
    let mut random = Random(0x1357_9bdf_2468_ace1);
    let (mut counts, mut found) = (BTreeMap::new(), [0; 5]);
    for number in 0..effort::cases(120) {
        let text = match number % 2 {
            0 => singles(&mut random, 2, false),
            _ => labelled(&looping(&mut random)),
        };
        let model = model(&text);
        let Some(search) = Search::new(&model.program) else { continue };
        let cases = [
            ("deadlock", Some(("inside", 0)), search.has_deadlock(false)),
            ("deadlock", Some(("inside", 1)), search.has_deadlock(true)),
            ("starvation", Some(("fair", 0)), search.starves(false)),
            ("starvation", Some(("fair", 1)), search.starves(true)),
            ("liveness", None, search.is_unserved()),
        ];
        let cases = cases.into_iter().filter(|case| case.0 != "liveness" || number % 2 == 1);
        for (at, (algorithm, param, expected)) in cases.enumerate() {
            found[at] += usize::from(agrees((algorithm, param), &text, (&search, expected), &mut counts));
        }
    }
    println!("runs {found:?}, forgeries {counts:#?}");
    assert!(effort::is_fast() || found.iter().all(|found| *found > 10), "{found:?}");
    for kind in ["shared value at the end", "who can move", "another part repeats", "condition not met"] {
        assert!(effort::is_fast() || counts.contains_key(kind), "{kind} is missing: {counts:?}");
    }
}

/// Examples that have no error in one line, with what is printed of them.
#[test]
fn runs_of_the_examples_replay() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/concurrent");
    let mut out = String::new();
    for (name, algorithm, params) in [
        ("two_locks.bp", "deadlock", &[][..]),
        ("turn_lock.bp", "starvation", &[("fair", 0)]),
        ("spin_lock_pair.bp", "starvation", &[("fair", 1)]),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).expect("an example");
        let found = run_of(bundled(algorithm), params, &text);
        out.push_str(&format!("== {name} {algorithm}\n{}\n", trace::trace(&found, name)));
    }
    insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("runs", out);
    });
}

const LOOP: &str = "thread a begin\nwhile (T) do skip; od\nend\n";

fn forever(trace: &str, verdict: &str) -> Source {
    let text = format!(
        "use program;\nnu Forever(q: State, s: Shared) = exists p, r. step(q, s, p, r) & Forever(p, r);\n\
         query Goes = exists q, s. start[1](q) & Forever(q, s);\n{trace}{verdict}"
    );
    Source::new("forever.fp".to_string(), text)
}

#[test]
fn a_trace_is_about_any_answer_of_a_file_without_an_unsafe_verdict() {
    let item = "trace Run = exists q, s. start[1](q) & Forever(q, s);\n";
    for verdict in ["verdict safe if Goes;\n", ""] {
        let found = run_of(forever(item, verdict), &[], LOOP);
        assert!(matches!(found.finish, Finish::Repeat(_)), "{found:?}");
        let (_, none) = traced(forever("", verdict), &[], LOOP);
        assert!(none.is_none(), "{none:?}");
    }
    let (_, none) = traced(forever(item, "verdict unsafe if !Goes;\nverdict safe;\n"), &[], LOOP);
    assert!(none.is_none(), "{none:?}");
    let (_, none) = traced(forever(item, ""), &[], "thread a begin skip; end\n");
    assert!(matches!(&none, Some(Traced::None(why)) if why == "`trace Run` does not hold"), "{none:?}");
}

/// The least fixed point around a greatest one has no height that is remembered.
#[test]
fn what_alternates_the_other_way_is_refused() {
    let text = "use program;
mu Some(q: State, s: Shared) = All(q, s);
nu All(q: State, s: Shared) = exists p, r. step(q, s, p, r) & (target(p) & All(p, r) | !target(p) & Some(p, r));
query Goes = exists q, s. start[1](q) & All(q, s);
trace Run = exists q, s. start[1](q) & All(q, s);
verdict unsafe if Goes;
";
    let file = || Source::new("other.fp".to_string(), text.to_string());
    let (verdict, found) = traced(file(), &[], "thread a begin\nskip;\nskip;\nERROR: goto ERROR;\nend\n");
    assert_eq!(verdict, Some("unsafe"));
    assert!(
        matches!(&found, Some(Traced::None(why)) if why.contains("least fixed point `Some`")),
        "{found:?}"
    );
    // Where the least one is not needed, there is a run.
    let found = run_of(file(), &[], "thread a begin\nskip;\nERROR: goto ERROR;\nend\n");
    assert!(matches!(found.finish, Finish::Repeat(_)), "{found:?}");
}
