//! Every `unsafe` verdict of the bundled algorithms has a run, and the explicit interpreter can follow it.

mod agreement {
    pub mod generator;
}
mod support;
mod forging {
    pub mod forgeries;
    pub mod oracle;
}

use agreement::generator::{Random, calling, parameterized, sequential, singles, threads};
use calculus::solve::Statistics;
use calculus::span::Source;
use forging::forgeries::{another, error, forgeries};
use forging::oracle::may_be_true;
use fpsolve::explain::{self, Traced};
use fpsolve::model::Model;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::{BooleanProgram, program};
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::trace::{Change, Finish, Trace, TraceStep, Verified};
use fpsolve::report::json;
use fpsolve::run::deepen::deepen;
use fpsolve::run::expectation::{Subject, expectations_of_program};
use fpsolve::run::{Outcome, files, handles_calls, run};
use std::collections::BTreeMap;
use std::path::Path;
use support::{Treatment, effort, request};

/// The trace that a bundled algorithm gives, if its verdict is `unsafe`. There must also be one if nothing may be spent
/// on a low derivation, so that the order of the search is remembered instead.
fn traced(algorithm: &str, params: &[(&str, i64)], text: &str, treatment: &Treatment) -> Option<Trace> {
    let file = files::find(algorithm, &[]).unwrap_or_else(|rejection| panic!("{rejection:?}"));
    let (request, solving) = request(file, params, text, treatment)
        .unwrap_or_else(|rejection| panic!("{algorithm}: {rejection:#?}\n{text}"));
    let mut outcome =
        run(&request, &solving).unwrap_or_else(|rejection| panic!("{algorithm}: {rejection:#?}\n{text}"));
    let options = ProgramOptions {
        inline: treatment.inline,
        simplify: treatment.simplify,
        ..ProgramOptions::default()
    };
    let model = program("program.bp", text, &options).unwrap_or_else(|rejection| panic!("{rejection}"));
    let trace = |outcome: &Outcome| {
        let traced = explain::trace(&request, &solving, &model, outcome);
        match traced.unwrap_or_else(|rejection| panic!("{rejection:#?}\n{text}")) {
            None => None,
            Some(Traced::Trace(trace)) => Some(trace),
            Some(other) => panic!("{algorithm} with {params:?} under {treatment:?}: {other:?}\n{text}"),
        }
    };
    let lowest = trace(&outcome);
    outcome.answer.statistics = Statistics::default();
    let remembered = trace(&outcome);
    assert_eq!(remembered.is_some(), lowest.is_some(), "{algorithm} with {params:?}\n{text}");
    for trace in lowest.iter().chain(&remembered) {
        assert_eq!(stored(trace, &model), Ok(()), "{algorithm} with {params:?}\n{text}\n{trace:#?}");
    }
    lowest
}

/// Whether a trace is a run of the program after it was written down and read again.
fn stored(trace: &Trace, model: &BooleanProgram) -> Result<(), String> {
    let read = Trace::from_json(&json::pretty(&trace.to_json()))?;
    assert_eq!(&read, trace, "what is read is what was written");
    match model.verify(&read) {
        Verified::Run => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// Traces of many random programs; of the full number, a quarter and more must have one.
fn many(
    programs: usize,
    seed: u64,
    program: impl Fn(&mut Random, usize) -> String,
    algorithms: impl Fn(usize) -> Vec<(&'static str, Vec<(&'static str, i64)>, Inline)>,
) {
    let programs = effort::cases(programs);
    let mut random = Random(seed);
    let (mut found, mut tried) = (0, 0);
    for number in 0..programs {
        let text = program(&mut random, number);
        for (algorithm, params, inline) in algorithms(number) {
            let treatment = Treatment::number(number);
            let symbolic = treatment.symbolic && params.iter().all(|(_, value)| *value < 3);
            // Reordering all the time is slow: only two programs, with one round or context.
            let reorder = number % 60 == 9 && number < 100;
            let treatment = Treatment { inline, symbolic, reorder, ..treatment };
            tried += 1;
            found += usize::from(traced(algorithm, &params, &text, &treatment).is_some());
        }
    }
    assert!(effort::is_fast() || found > tried / 4, "only {found} of {tried} are unsafe");
}

const INLINE: [Inline; 3] = [Inline::Never, Inline::Auto, Inline::Always];

#[test]
fn runs_of_sequential_programs_replay() {
    many(
        500,
        0x1111_2222_3333_4445,
        |random, _| sequential(random),
        |number| {
            let file = ["summaries", "summaries_eager"][number % 2];
            vec![(file, vec![], INLINE[number % 3])]
        },
    );
}

#[test]
fn runs_within_contexts_replay() {
    many(
        500,
        0x7777_1234_3333_4445,
        |random, number| singles(random, 2 + number % 2, false),
        |number| {
            let contexts = vec![("contexts", 1 + number as i64 % 3)];
            let eager = vec![("contexts", 1 + number as i64 % 2)];
            match number % 2 {
                0 => vec![("lazy_cba", contexts, Inline::Auto), ("interleaving", vec![], Inline::Always)],
                _ => vec![("eager_cba", eager, Inline::Auto), ("product_cba", contexts, Inline::Always)],
            }
        },
    );
}

#[test]
fn runs_with_calls_within_contexts_replay() {
    let program = |random: &mut Random, number: usize| match number % 2 {
        0 => singles(random, 2, true),
        _ => calling(random, false),
    };
    many(120, 0x5555_1234_9333_4441, program, |number| {
        let contexts = vec![("contexts", 1 + number as i64 % 3)];
        vec![("lazy_cba", contexts, Inline::Never), ("eager_cba", vec![("contexts", 1)], Inline::Never)]
    });
}

#[test]
fn runs_of_any_number_of_threads_replay() {
    many(
        500,
        0x3333_9999_3333_4447,
        |random, _| parameterized(random, false),
        |number| {
            let rounds = vec![("rounds", 1 + number as i64 % 3)];
            let file = ["linear_interfaces", "linear_interfaces_calls"][number % 2];
            vec![(file, rounds, Inline::Always)]
        },
    );
}

#[test]
fn runs_of_any_number_of_threads_with_calls_replay() {
    let program = |random: &mut Random, number: usize| match number % 2 {
        0 => parameterized(random, true),
        _ => calling(random, true),
    };
    many(100, 0x3333_9999_1333_5557, program, |number| {
        vec![("linear_interfaces_calls", vec![("rounds", 1 + number as i64 % 2)], Inline::Never)]
    });
}

/// A summary without its history lets a callee go on where only another caller could (see tests/contexts.rs): the
/// verdict is wrong, and the interpreter cannot follow the run.
#[test]
fn a_wrong_verdict_has_no_run() {
    let text = "decl started, x, z;
init begin started, x, z := F, F, F; end
void f() begin if (*) then f(); fi assume(x); end
thread one begin atomic_begin; assume(!started); z := T; atomic_end; x := T; end
void watch() begin decl m; atomic_begin; started := T; m := z; atomic_end; z := F; f(); assert(m); end
thread two begin watch(); end
";
    let file = files::find("lazy_cba", &[]).expect("it is bundled");
    let tied = "within Summary[t, k, i](g0, c, h, x, gx)";
    let loose = "(exists b. within Summary[t, k, i](b, c, h, x, gx) & b[i + 1..] = g0[i + 1..])";
    let paper = Source::new(file.name, file.text.replace(tied, loose));
    let (request, solving) =
        request(paper, &[("contexts", 2)], text, &Treatment::default()).expect("it has no mistakes");
    let outcome = run(&request, &solving).expect("it has no mistakes");
    let model =
        program("program.bp", text, &ProgramOptions::default()).unwrap_or_else(|_| panic!("no mistakes"));
    let traced = explain::trace(&request, &solving, &model, &outcome).expect("it was checked before");
    assert!(matches!(traced, Some(Traced::Wrong(_) | Traced::None(_))), "{traced:?}");
}

/// The traces of the examples in a folder: one for each algorithm and setting that finds an error.
fn examples(folder: &str) -> Vec<(String, Trace, BooleanProgram)> {
    let mut out = Vec::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(folder);
    for name in files::walk(&[path.to_string_lossy().into_owned()], &["bp"]).expect("there are examples") {
        let text = std::fs::read_to_string(&name).expect("an example");
        for line in expectations_of_program(&text) {
            let expectation = line.meaning.expect("a meaning");
            let settings = expectation.settings;
            if expectation.subject != Subject::Verdict || expectation.expected != "unsafe" {
                continue;
            }
            let algorithm = files::find(settings.algorithm.as_deref().expect("an algorithm"), &[]);
            let algorithm = algorithm.expect("a bundled algorithm");
            let options = ProgramOptions::default().for_file(handles_calls(&algorithm));
            let treatment = Treatment { inline: options.inline, ..Treatment::default() };
            let params = settings.params.iter().map(|(name, value)| (name.as_str(), *value));
            let (request, solving) =
                request(algorithm, &params.collect::<Vec<_>>(), &text, &treatment).expect("a model");
            let outcome = match &settings.deepen {
                None => run(&request, &solving),
                Some(deepening) => deepen(&request, deepening, &solving, &mut |_| {}),
            };
            let outcome = outcome.unwrap_or_else(|rejection| panic!("{name}: {rejection:#?}"));
            let options = ProgramOptions { simplify: treatment.simplify, ..options };
            let model =
                program(&name, &text, &options).unwrap_or_else(|rejection| panic!("{name}: {rejection}"));
            let about = format!("{name}: {}", line.text);
            match explain::trace(&request, &solving, &model, &outcome) {
                Ok(Some(Traced::Trace(trace))) => out.push((about, trace, model)),
                other => panic!("{about}: {other:?}"),
            }
        }
    }
    out
}

#[test]
fn stored_traces_of_sequential_examples_are_runs_and_most_others_are_not() {
    expect_runs("programs", 25);
}

#[test]
fn stored_traces_of_concurrent_examples_are_runs_and_most_others_are_not() {
    expect_runs("concurrent", 40);
}

#[test]
fn stored_traces_of_parameterized_examples_are_runs_and_most_others_are_not() {
    expect_runs("parameterized", 35);
}

/// Stored traces of the examples are accepted. Of those that were tampered with, some may be runs too, by chance; what
/// cannot be one is refused, and so are most of the others.
fn expect_runs(folder: &str, least: usize) {
    let examples = examples(folder);
    assert!(examples.len() > least, "only {} runs of the examples have traces", examples.len());
    let (mut values, mut dropped, mut swapped) = ((0, 0), (0, 0), (0, 0));
    for (about, trace, model) in &examples {
        assert_eq!(stored(trace, model), Ok(()), "{about}");
        let count = |sum: &mut (usize, usize), other: &Trace| {
            sum.0 += 1;
            sum.1 += usize::from(stored(other, model).is_err());
        };
        let wrong = |what: &str, change: &dyn Fn(&mut Trace)| {
            let mut other = trace.clone();
            change(&mut other);
            assert!(stored(&other, model).is_err(), "{about}: {what} is accepted");
        };
        let lines = model.program.source.text.lines().count();
        if matches!(trace.finish, Finish::Error(_)) {
            wrong("an error in another line", &|other| error(other).line = lines + 1);
        }
        // Of long traces some steps are enough.
        let steps = if effort::is_fast() { 4 } else { 20 };
        for at in (0..trace.steps.len()).step_by(1 + trace.steps.len() / steps) {
            wrong("a step in no line", &|other| other.steps[at].line = lines + 1);
            wrong("a step in a deeper frame", &|other| other.steps[at].depth += 1);
            wrong("a change of no variable", &|other| {
                other.steps[at]
                    .changes
                    .push(Change { variable: "no variable".into(), value: Some(true.into()) });
            });
            let mut other = trace.clone();
            if let Some(change) = other.steps[at].changes.first_mut().filter(|change| change.value.is_some())
            {
                change.value = change.value.as_ref().map(another);
                count(&mut values, &other);
            }
            let mut other = trace.clone();
            other.steps.remove(at);
            count(&mut dropped, &other);
            let Some(next) = trace.steps.get(at + 1) else { continue };
            let names = trace.steps[at].changes.iter().map(|change| &change.variable);
            if trace.steps[at].thread != next.thread
                && names.clone().any(|name| next.text.contains(name.as_str()))
            {
                let mut other = trace.clone();
                other.steps.swap(at, at + 1);
                count(&mut swapped, &other);
            }
        }
    }
    println!("values {values:?}, dropped {dropped:?}, swapped {swapped:?}");
    for (what, (tried, refused)) in [("values", values), ("dropped", dropped), ("swapped", swapped)] {
        // Steps of one thread are not swapped.
        if (what, folder) != ("swapped", "programs") {
            assert!(tried > 0 && 2 * refused > tried, "{what}: {refused} of {tried} are refused");
        }
    }
}

/// The run is right, and told wrongly: `m` must be 1 where `T = m` holds.
#[test]
fn repro_a_condition_on_an_open_local_is_told_with_its_value() {
    let text = "decl a, b;\nthread t0 begin decl m;\na := m;\nreturn;\nL0: skip;  L0b: a := T;\nend\n\
                thread many0* begin decl m;\nif ((!(T) | (T = m))) then ERROR: skip; fi;\nend\n";
    let trace = traced("linear_interfaces", &[("rounds", 3)], text, &Treatment::default()).expect("an error");
    let model = program("program.bp", text, &ProgramOptions::default())
        .unwrap_or_else(|rejection| panic!("{rejection}"));
    assert_eq!(stored(&trace, &model), Ok(()), "{trace:#?}");
}

fn model(text: &str) -> BooleanProgram {
    program("program.bp", text, &ProgramOptions::default())
        .unwrap_or_else(|rejection| panic!("{rejection}\n{text}"))
}

/// Each kind of forgery is refused, whatever the program: thousands of them.
#[test]
fn forged_traces_are_refused() {
    let mut random = Random(0x0f0f_1234_5678_9abd);
    let mut counts = BTreeMap::<&str, usize>::new();
    for number in 0..effort::cases(120) {
        let contexts = vec![("contexts", 2)];
        let (text, algorithm, params) = match number % 4 {
            0 => (sequential(&mut random), "summaries", vec![]),
            1 => (singles(&mut random, 2, false), "lazy_cba", contexts),
            2 => (threads(&mut random, 2, false), "interleaving", vec![]),
            _ => (parameterized(&mut random, false), "linear_interfaces", vec![("rounds", 2)]),
        };
        let inline = if number % 4 == 0 { Inline::Never } else { Inline::Always };
        let treatment = Treatment { inline, ..Treatment::default() };
        let Some(trace) = traced(algorithm, &params, &text, &treatment) else { continue };
        let model = model(&text);
        if trace.steps.len() > if effort::is_fast() { 10 } else { 30 } {
            continue;
        }
        let Some(possible) = may_be_true(&model.program, &trace) else { continue };
        assert!(possible, "{text}\n{trace:#?}");
        for forged in forgeries(&model.program, &trace) {
            let told = &forged.trace;
            assert!(stored(told, &model).is_err(), "{}\n{text}\n{trace:#?}\n{told:#?}", forged.kind);
            *counts.entry(forged.kind).or_default() += 1;
        }
    }
    println!("{} forgeries are refused: {counts:#?}", counts.values().sum::<usize>());
    assert!(effort::is_fast() || counts.values().sum::<usize>() >= 500, "{counts:?}");
    assert!(effort::is_fast() || counts.len() >= 24, "a kind of forgery is missing: {counts:?}");
}

/// A trace with the steps of a run, told as they are: `(thread, line, text)`.
fn told(
    threads: &[(&str, usize)],
    begin: &[(&str, u8)],
    steps: &[(usize, usize, &str)],
    error: (usize, usize, &str),
) -> String {
    let json = serde_json::json!({
        "threads": threads.iter().map(|(name, position)| serde_json::json!({"name": name, "position": position})).collect::<Vec<_>>(),
        "begin": begin.iter().map(|(name, value)| serde_json::json!({"variable": name, "value": value})).collect::<Vec<_>>(),
        "steps": steps.iter().map(|(thread, line, text)| serde_json::json!({
            "thread": thread, "round": null, "procedure": threads[*thread].0, "depth": 0, "line": line,
            "text": text, "changes": [],
        })).collect::<Vec<_>>(),
        "error": { "thread": error.0, "procedure": threads[error.0].0, "line": error.1, "text": error.2 },
    });
    json.to_string()
}

#[test]
fn repro_changes_without_a_value_replay() {
    for assignment in ["s := b", "b := *"] {
        let text = format!(
            "decl s; void main() begin decl b; skip; if (s) then {assignment}; fi dead b; assert(F); end"
        );
        for inline in INLINE {
            let treatment = Treatment { inline, ..Treatment::default() };
            let trace = traced("summaries", &[], &text, &treatment).expect("an error");
            assert_eq!(stored(&trace, &model(&text)), Ok(()), "{trace:#?}");
        }
    }
}

#[test]
fn repro_nothing_is_reached_before_init_has_ended() {
    let trace = told(&[("a", 1)], &[], &[], (0, 2, "thread a begin ERROR: skip; end"));
    let trace = Trace::from_json(&trace).expect("a trace");
    let never = model("init begin assume(F); end\nthread a begin ERROR: skip; end\n");
    assert!(stored(&trace, &never).is_err());
    let at_once = model("\nthread a begin ERROR: skip; end\n");
    assert_eq!(stored(&trace, &at_once), Ok(()));
}

#[test]
fn repro_nobody_moves_inside_an_atomic_section_of_another_thread() {
    let text = |begin: &str| {
        format!(
            "decl x := F;\nthread a begin\n{begin}; skip;\natomic_end; end\nthread b begin\nassert(x); end\n"
        )
    };
    for (begin, runs) in [("atomic_begin", false), ("skip", true)] {
        let steps = [(0, 3, begin), (1, 6, "assert(x)")];
        let trace = told(&[("a", 1), ("b", 2)], &[("x", 0)], &steps, (1, 6, "assert(x); end"));
        let trace = Trace::from_json(&trace).expect("a trace");
        let verified = stored(&trace, &model(&text(begin)));
        assert_eq!(verified.is_ok(), runs, "{verified:?}");
    }
}

/// Programs in which one thread has a section, and another one waits for `x` and goes on. It is a thread of its own, a copy,
/// or one that is started before the section or inside it, at a procedure or at a label.
const SECTIONS: [(&str, &str, &str); 6] = [
    (
        "thread a begin\nBEGIN;\nx := T;\nskip;\nEND;\nCHECK\nend\nthread b begin\nMOVE\nend\n",
        "lazy_cba",
        "contexts",
    ),
    (
        "thread a begin\nBEGIN;\nx := T;\nskip;\nEND;\nCHECK\nend\nthread b* begin\nMOVE\nend\n",
        "linear_interfaces",
        "rounds",
    ),
    (
        "void w() begin\nMOVE\nend\nvoid main() begin\nstart_thread w();\nBEGIN;\nx := T;\nskip;\nEND;\nCHECK\nend\n",
        "linear_interfaces",
        "rounds",
    ),
    (
        "void w() begin\nMOVE\nend\nvoid main() begin\nBEGIN;\nstart_thread w();\nx := T;\nskip;\nEND;\nCHECK\nend\n",
        "linear_interfaces",
        "rounds",
    ),
    (
        "void main() begin\nstart_thread goto L;\nBEGIN;\nx := T;\nskip;\nEND;\nCHECK\nreturn;\nL: MOVE\nend\n",
        "linear_interfaces",
        "rounds",
    ),
    (
        "void main() begin\nBEGIN;\nstart_thread goto L;\nx := T;\nskip;\nEND;\nCHECK\nreturn;\nL: MOVE\nend\n",
        "linear_interfaces",
        "rounds",
    ),
];

/// The trace with all that others do moved right behind `x := T`, inside the section. If the error is theirs, the trace ends
/// there.
fn moved_into_the_section(trace: &Trace) -> Trace {
    let opens = |step: &&TraceStep| step.text == "x := T";
    let inside = trace.steps.iter().find(opens).expect("the section is entered").thread;
    let (own, others) = trace.steps.iter().cloned().partition::<Vec<_>, _>(|step| step.thread == inside);
    assert!(!others.is_empty(), "the other thread moves");
    let at = own.iter().position(|step| opens(&step)).expect("it is there") + 1;
    let rest = if error(&mut trace.clone()).thread == inside { &own[at..] } else { &[] };
    let steps = own[..at].iter().chain(&others).chain(rest);
    let steps = steps.map(|step| TraceStep { round: None, ..step.clone() }).collect();
    Trace { steps, ..trace.clone() }
}

/// Only the section keeps these steps out: where it is none, the same trace is a run.
#[test]
fn steps_moved_into_an_atomic_section_of_another_thread_are_refused() {
    for (form, algorithm, bound) in SECTIONS {
        // The error is of the thread with the section, or of the other one, which then is where the trace ends.
        for (check, moves) in [("assert(!g);", "assume(x); g := T;"), ("skip;", "assume(x); assert(!x);")] {
            let text = |begin: &str, end: &str| {
                let form = form.replace("BEGIN", begin).replace("END", end);
                format!("decl g := F, x := F;\n{}", form.replace("CHECK", check).replace("MOVE", moves))
            };
            let with = text("atomic_begin", "atomic_end");
            let trace = traced(algorithm, &[(bound, 3)], &with, &Treatment::default()).expect("an error");
            let forged = moved_into_the_section(&trace);
            let why = stored(&forged, &model(&with)).expect_err("no run");
            assert!(why.contains("moves inside an atomic section of another thread"), "{why}\n{with}");
            let mut free = forged.clone();
            for step in &mut free.steps {
                step.text = step.text.replace("atomic_begin", "skip").replace("atomic_end", "skip");
            }
            assert_eq!(stored(&free, &model(&text("skip", "skip"))), Ok(()), "{with}\n{free:#?}");
        }
    }
}

#[test]
fn every_key_of_a_stored_trace_is_known_and_there() {
    let text = "decl x := F;\nvoid main() begin\nx := T;\nassert(!x);\nend\n";
    let trace = traced("summaries", &[], text, &Treatment::default()).expect("an error");
    let whole = trace.to_json();
    let places = ["", "/threads/0", "/begin/0", "/steps/0", "/steps/0/changes/0", "/error"];
    let mut tried = 0;
    for place in places {
        let keys = whole.pointer(place).and_then(|part| part.as_object()).expect("an object");
        for key in keys.keys().cloned().chain(["more".into()]) {
            let mut changed = whole.clone();
            let object = changed.pointer_mut(place).and_then(|part| part.as_object_mut()).expect("an object");
            let expected = match object.remove(&key) {
                Some(_) => format!("no `{key}`"),
                None => {
                    object.insert(key.clone(), 1.into());
                    format!("unknown key `{key}`")
                }
            };
            let why = Trace::from_json(&changed.to_string()).expect_err("it is not complete");
            assert!(why.contains(&expected), "{why}");
            tried += 1;
        }
    }
    assert_eq!(tried, 4 + 2 + 2 + 7 + 2 + 4 + places.len());
}
