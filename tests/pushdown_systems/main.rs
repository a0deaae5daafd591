//! Pushdown systems: the vocabulary says what the files say, analyses find what exploration finds, every trace is a run,
//! and no forged trace is. Programs have the same answers as pushdown systems.

mod random;
#[path = "../support/mod.rs"]
mod support;

use calculus::span::Source;
use fpsolve::explain::{self, Traced};
use fpsolve::model::pds::{PushdownSystem, system};
use fpsolve::model::trace::{Finish, Trace, Verified};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::{Outcome, Request, Settings, files, offered, run};
use random::{Numbers, Random};
use std::collections::BTreeSet;
use support::effort::{cases, enough};

fn model(random: &Random) -> PushdownSystem {
    let (rules, initial, targets) = random.texts();
    let mut options = ProgramOptions::default();
    options.reading.beside = vec![Source::new("random.init", initial), Source::new("random.spec", targets)];
    system("random.pds", &rules, &options).unwrap_or_else(|mistakes| panic!("{mistakes}\n{rules}"))
}

fn request(model: &dyn Model, file: Source, params: &[(&str, i64)], symbolic: bool) -> Request {
    Request {
        params: params.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        model: Some(offered(model, &file).expect("the vocabulary")),
        keyed: if symbolic { vec![("Pc".into(), false)] } else { Vec::new() },
        ..Request::new(file)
    }
}

fn settings() -> Settings {
    Settings { list: usize::MAX, early_stop: false, ..Settings::default() }
}

fn solved(request: &Request) -> Outcome {
    run(request, &settings()).unwrap_or_else(|rejection| panic!("{rejection:#?}"))
}

/// The tuples of a query, as they print.
fn tuples(outcome: &Outcome, name: &str) -> BTreeSet<String> {
    let queries = outcome.complete_queries();
    let query = queries.iter().find(|query| query.name == name).expect("a query");
    let (_, rows) = query.answer.as_ref().expect("an answer");
    let show = |row: &Vec<_>| {
        let values = query.columns.iter().zip(row).map(|(column, value)| outcome.show(column.sort, value));
        values.collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(show).collect()
}

/// Every relation has the tuples that the files say, whether symbols are keys or bits.
#[test]
fn the_vocabulary_says_what_the_files_say() {
    for seed in 0..cases(300) as u64 {
        let random = Random::new(seed, 3);
        let model = model(&random);
        let mut text = "use pushdown;\n\
                        query Initial(s: Shared) = initial(s);\n\
                        query Empty(a: Symbol) = empty(a);\n\
                        query Target(s: Shared) = exists i. target(i, s);\n"
            .to_string();
        for t in 1..=random.threads.len() {
            text += &format!(
                "query Start{t}(a: Symbol) = exists e. start[{t}](a, e);\n\
                 query Stack{t}(a, b: Symbol) = (exists e, e'. start[{t}](a, e) & rest[{t}](e, b, e'))\n\
                 | exists e, e', e''. rest[{t}](e, a, e') & rest[{t}](e', b, e'');\n\
                 query Overwrite{t}(s: Shared, a: Symbol, s': Shared, b: Symbol) = overwrite[{t}](s, a, s', b);\n\
                 query Push{t}(s: Shared, a: Symbol, s': Shared, b, c: Symbol) = push[{t}](s, a, s', b, c);\n\
                 query Pop{t}(s: Shared, a: Symbol, s': Shared) = exists y. pop[{t}](s, a, s', y);\n\
                 query Odd{t}(s: Shared) = exists y, c, s', a. merge[{t}](s, y, c, s', a) & (s != s' | a != c);\n\
                 query Merge{t}(s: Shared, c: Symbol) = exists y. merge[{t}](s, y, c, s, c);\n"
            );
        }
        let request = request(&model, Source::new("all.fp", text), &[], seed % 2 == 1);
        let outcome = solved(&request);
        let set = |texts: Vec<String>| texts.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(tuples(&outcome, "Initial"), set(vec![random.initial.0.to_string()]), "{seed}");
        assert_eq!(tuples(&outcome, "Empty"), set(vec!["-".into()]), "{seed}");
        let targets = random.targets.iter().flat_map(|(shared, _)| match shared {
            Some(shared) => *shared..*shared + 1,
            None => 0..random.states,
        });
        assert_eq!(tuples(&outcome, "Target"), targets.map(|state| state.to_string()).collect(), "{seed}");
        for (t, rules) in (1..).zip(&random.threads) {
            let (mut overwrite, mut push, mut pop) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
            for (from, top, to, word) in rules {
                match (top, word.as_slice()) {
                    (None, [pushed]) => push.insert(format!("{from} - {to} {pushed} -")),
                    (Some(top), []) => pop.insert(format!("{from} {top} {to}")),
                    (Some(top), [next]) => overwrite.insert(format!("{from} {top} {to} {next}")),
                    (Some(top), [pushed, under]) => {
                        push.insert(format!("{from} {top} {to} {pushed} {under}"))
                    }
                    other => panic!("{other:?}"),
                };
            }
            assert_eq!(tuples(&outcome, &format!("Overwrite{t}")), overwrite, "{seed}");
            assert_eq!(tuples(&outcome, &format!("Push{t}")), push, "{seed}");
            assert_eq!(tuples(&outcome, &format!("Pop{t}")), pop, "{seed}");
            assert!(tuples(&outcome, &format!("Odd{t}")).is_empty(), "{seed}");
            let bottom = tuples(&outcome, &format!("Merge{t}"));
            assert!((0..random.states).all(|state| bottom.contains(&format!("{state} -"))), "{seed}");
            let stack = random.initial.1[t - 1].iter().map(u32::to_string).chain(["-".into()]);
            let stack = stack.collect::<Vec<_>>();
            assert_eq!(tuples(&outcome, &format!("Start{t}")), set(vec![stack[0].clone()]), "{seed}");
            let pairs = stack.windows(2).map(|two| two.join(" ")).collect();
            assert_eq!(tuples(&outcome, &format!("Stack{t}")), pairs, "{seed}");
        }
    }
}

/// The run behind an unsafe verdict.
fn traced(request: &Request, model: &dyn Model, outcome: &Outcome) -> Trace {
    match explain::trace(request, &settings(), model, outcome).expect("an explanation") {
        Some(Traced::Trace(trace)) => trace,
        other => panic!("{other:?}"),
    }
}

/// The trace is a run, also when it was stored and read again; and nothing else that looks like it is one.
fn expect_run(model: &PushdownSystem, trace: &Trace, seed: u64) {
    assert_eq!(model.verify(trace), Verified::Run, "{seed}");
    let stored = trace.to_json().to_string();
    let read = Trace::from_json(&stored).expect("a trace");
    assert_eq!(read, *trace, "{seed}");
    for (number, forged) in forgeries(trace, &mut Numbers(seed)).into_iter().enumerate() {
        if forged != *trace {
            let verified = model.verify(&forged);
            assert!(
                matches!(verified, Verified::NoRun(_)),
                "{seed}, forgery {number}: {verified:?}\n{stored}"
            );
        }
    }
}

/// Traces with one lie each.
fn forgeries(trace: &Trace, numbers: &mut Numbers) -> Vec<Trace> {
    let mut out = Vec::new();
    let mut forge = |lie: &mut dyn FnMut(&mut Trace)| {
        let mut forged = trace.clone();
        lie(&mut forged);
        out.push(forged);
    };
    forge(&mut |trace| trace.configuration = Some("7 | 1".into()));
    forge(&mut |trace| trace.configuration = None);
    forge(&mut |trace| trace.begin.push(("x".into(), Some(true.into()))));
    forge(&mut |trace| drop(trace.threads.pop()));
    if let Finish::Error(error) = &trace.finish {
        let text = format!("{}0", error.text);
        forge(&mut |trace| {
            if let Finish::Error(error) = &mut trace.finish {
                error.text.clone_from(&text);
            }
        });
    }
    if !trace.steps.is_empty() {
        let at = numbers.below(trace.steps.len() as u64) as usize;
        forge(&mut |trace| trace.steps[at].configuration = Some("0 | -".into()));
        forge(&mut |trace| trace.steps[at].configuration = None);
        forge(&mut |trace| trace.steps[at].line += 1000);
        forge(&mut |trace| trace.steps[at].text.push('0'));
        forge(&mut |trace| trace.steps[at].depth += 1);
        forge(&mut |trace| trace.steps[at].procedure.push('f'));
        forge(&mut |trace| trace.steps[at].round = Some(-1));
    }
    out
}

/// Whatever exploration finds within some rounds, the analysis finds; and what it finds is a run.
#[test]
fn rounds_find_what_exploration_finds() {
    let (mut found, mut deep) = (0, 0);
    for seed in 0..cases(300) as u64 {
        let random = Random::new(1000 + seed, 3);
        let model = model(&random);
        for rounds in 1..=2 {
            let file = files::find("cba", &[]).expect("an algorithm");
            let request = request(&model, file, &[("rounds", rounds)], seed % 3 == 0);
            let outcome = solved(&request);
            let explored = random.in_rounds(rounds as usize, 4);
            let reached = explored.iter().any(|at| random.is_target(at));
            match outcome.conclusion().word() {
                Some("unsafe") => {
                    let trace = traced(&request, &model, &outcome);
                    expect_run(&model, &trace, seed);
                    assert!(trace.steps.iter().all(|step| step.round.is_some_and(|at| at <= rounds)));
                    found += 1;
                    deep += usize::from(trace.steps.len() > 1);
                }
                Some("bounded") => assert!(!reached, "seed {seed}, {rounds} rounds: {:?}", random.texts()),
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(enough(found, 90) && enough(deep, 15), "{found} runs, {deep} of several steps");
}

/// With bounded stacks both see the same visible states, and agree whether the bound matters.
#[test]
fn bounded_stacks_have_the_visible_states_of_exploration() {
    for seed in 0..cases(300) as u64 {
        let random = Random::new(5000 + seed, 2);
        let model = model(&random);
        let depth = 2 + (seed % 2) as i64;
        let file = files::find("stacks", &[]).expect("an algorithm");
        let request = request(&model, file, &[("depth", depth)], true);
        let outcome = solved(&request);
        let (explored, deeper) = random.explored(depth as usize);
        let visible = explored.iter().map(|(shared, stacks)| {
            let tops = stacks.iter().map(|stack| stack.first().map_or("-".into(), u32::to_string));
            format!("{shared} [{}]", tops.collect::<Vec<_>>().join(", "))
        });
        let visible = visible.collect::<BTreeSet<_>>();
        assert_eq!(tuples(&outcome, "Visible"), visible, "seed {seed}, depth {depth}: {:?}", random.texts());
        let reached = explored.iter().any(|at| random.is_target(at));
        let word = outcome.conclusion().word();
        let expected = if reached {
            "unsafe"
        } else if deeper {
            "bounded"
        } else {
            "safe"
        };
        assert_eq!(word, Some(expected), "seed {seed}, depth {depth}: {:?}", random.texts());
        if reached {
            expect_run(&model, &traced(&request, &model, &outcome), seed);
        }
    }
}

/// One thread, both ways: forwards and backwards agree, and what exploration finds they find.
#[test]
fn one_stack_forwards_and_backwards() {
    let mut found = 0;
    for seed in 0..cases(300) as u64 {
        let random = Random::new(9000 + seed, 1);
        let model = model(&random);
        let (explored, _) = random.explored(5);
        let reached = explored.iter().any(|at| random.is_target(at));
        for algorithm in ["post_star", "pre_star"] {
            let file = files::find(algorithm, &[]).expect("an algorithm");
            let request = request(&model, file, &[], seed % 2 == 0);
            let outcome = solved(&request);
            match outcome.conclusion().word() {
                Some("unsafe") => {
                    expect_run(&model, &traced(&request, &model, &outcome), seed);
                    found += 1;
                }
                Some("safe") => assert!(!reached, "{algorithm}, seed {seed}: {:?}", random.texts()),
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(enough(found, 120), "{found} runs");
}

/// Texts that were damaged are read or refused, with places inside the texts, and nothing breaks.
#[test]
fn damaged_files_are_refused_or_read() {
    let (mut refused, mut read) = (0, 0);
    for seed in 0..cases(3000) as u64 {
        let random = Random::new(seed % 50, 3);
        let (rules, initial, targets) = random.texts();
        let mut numbers = Numbers(seed);
        let mut texts = [rules, initial, targets].map(String::into_bytes);
        for _ in 0..1 + numbers.below(3) {
            let text = &mut texts[[0, 0, 0, 1, 2][numbers.below(5) as usize]];
            let at = numbers.below(text.len() as u64 + 1) as usize;
            match numbers.below(3) {
                0 if at < text.len() => drop(text.remove(at)),
                1 => text.insert(at, b"0123456789-> \n#|,.*PDA"[numbers.below(22) as usize]),
                _ => text.truncate(text.len().max(1) - 1),
            }
        }
        let [rules, initial, targets] = texts.map(|text| String::from_utf8(text).expect("ASCII"));
        let mut options = ProgramOptions::default();
        options.reading.beside =
            vec![Source::new("random.init", initial), Source::new("random.spec", targets)];
        let (sources, diagnostics) = match system("random.pds", &rules, &options) {
            Ok(model) => {
                read += 1;
                (model.sources().clone(), model.warnings().to_vec())
            }
            Err(rejection) => {
                refused += 1;
                assert!(!rejection.diagnostics.is_empty());
                (rejection.sources, rejection.diagnostics)
            }
        };
        for (span, _) in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
            assert!(sources.get(span.file).text.get(span.start as usize..span.end as usize).is_some());
        }
    }
    assert!(enough(refused, 500) && enough(read, 500), "{refused} refused, {read} read");
}

/// Examples of programs that are fast as pushdown systems, with the bound that decides them.
const PROGRAMS: [(&str, i64); 13] = [
    ("concurrent/peterson_bug.bp", 2),
    ("concurrent/bluetooth1.bp", 2),
    ("concurrent/readers_writers_bug.bp", 2),
    ("concurrent/pump.bp", 2),
    ("concurrent/two_locks.bp", 2),
    ("concurrent/spin_lock_pair.bp", 2),
    ("concurrent/lock_pair.bp", 2),
    ("concurrent/turn_lock.bp", 2),
    ("concurrent/constant_flag.bp", 2),
    ("concurrent/recursive_lock.bp", 2),
    ("concurrent/recursive_lock_bug.bp", 2),
    ("concurrent/peterson_once.bp", 2),
    ("concurrent/relay.bp", 2),
];

fn example(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    std::fs::read_to_string(path).expect("an example")
}

/// With their atomic sections and `init` blocks in the control state, programs with threads have the same answers, and the
/// traces are runs of the program.
#[test]
fn programs_with_threads_have_the_same_answers_as_pushdown_systems() {
    let mut unsafe_ones = 0;
    for (name, rounds) in PROGRAMS {
        let text = example(name);
        let model = fpsolve::model::boolean::program(name, &text, &ProgramOptions::default()).expect(name);
        for rounds in 1..=rounds {
            let file = files::find("cba", &[]).expect("an algorithm");
            let request = request(&model, file, &[("rounds", rounds)], false);
            let outcome = run(&request, &Settings::default()).expect(name);
            let expected =
                support::verdict("lazy_cba", &[("contexts", rounds)], &text, &support::Treatment::default());
            let word = outcome.conclusion().word().expect("a verdict");
            assert_eq!(word == "unsafe", expected == "unsafe", "{name}, {rounds} rounds");
            if word == "unsafe" {
                unsafe_ones += 1;
                let trace = traced(&request, &model, &outcome);
                assert_eq!(model.verify(&trace), Verified::Run, "{name}");
            }
        }
    }
    assert!(unsafe_ones > 2, "{unsafe_ones}");
}

/// What `init` and atomic sections do to others: the text, and within how many rounds an error is reached.
const SMALL: [(&str, Option<i64>); 7] = [
    // A failing `init`.
    ("decl g; init begin g := F; assert(g); end thread a begin skip; end thread b begin skip; end", Some(1)),
    // Nobody is anywhere before the end of `init`.
    ("decl g; init begin assume(F); end thread a begin skip; end thread b begin ERROR: skip; end", None),
    ("decl g; init begin g := T; end thread a begin skip; end thread b begin assert(g); end", None),
    ("decl g; init begin g := T; end thread a begin g := F; end thread b begin assert(g); end", Some(1)),
    ("decl g; init begin g := T; end thread a begin assert(g); end thread b begin g := F; end", Some(2)),
    // Nobody sees what happens inside an atomic section.
    (
        "decl g; init begin g := F; end thread a begin atomic_begin; g := T; g := F; atomic_end; end
         thread b begin assert(!g); end",
        None,
    ),
    // Who ends inside one keeps all others from running.
    (
        "decl g; init begin g := F; end thread a begin atomic_begin; g := T; end
         thread b begin assert(!g); end",
        None,
    ),
];

#[test]
fn init_and_atomic_sections_are_kept_apart_from_other_threads() {
    for (text, needed) in SMALL {
        let model =
            fpsolve::model::boolean::program("small.bp", text, &ProgramOptions::default()).expect(text);
        for (algorithm, bound) in [("cba", "rounds"), ("stacks", "depth")] {
            for value in 2..=3 {
                let file = files::find(algorithm, &[]).expect("an algorithm");
                let request = request(&model, file, &[(bound, value)], false);
                let outcome = run(&request, &Settings::default()).expect(text);
                let is_unsafe = outcome.conclusion().word() == Some("unsafe");
                assert_eq!(is_unsafe, needed.is_some(), "{algorithm} {value}: {text}");
                if is_unsafe {
                    let trace = traced(&request, &model, &outcome);
                    assert_eq!(model.verify(&trace), Verified::Run, "{text}");
                }
            }
        }
        let request = request(&model, files::find("cba", &[]).expect("an algorithm"), &[("rounds", 1)], true);
        let outcome = run(&request, &Settings::default()).expect(text);
        assert_eq!(outcome.conclusion().word() == Some("unsafe"), needed == Some(1), "{text}");
    }
}

/// A program with any number of threads is refused, with the place where the vocabulary is asked for.
#[test]
fn any_number_of_threads_is_refused() {
    let text = "thread a* begin skip; end";
    let model = fpsolve::model::boolean::program("many.bp", text, &ProgramOptions::default()).expect(text);
    let refused = offered(&model, &files::find("cba", &[]).expect("an algorithm")).expect_err("refused");
    assert!(refused.is_about("bp::replicated") && !refused.diagnostics[0].labels.is_empty());
}

/// The examples of sequential programs, whose calls are kept.
#[test]
fn sequential_programs_have_the_same_answers_as_pushdown_systems() {
    use fpsolve::model::options::Inline;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/programs");
    let names = files::walk(&[folder.to_string_lossy().into_owned()], &["bp"]).expect("examples");
    let (mut checked, mut unsafe_ones) = (0, 0);
    for name in names {
        let text = std::fs::read_to_string(&name).expect("an example");
        let options = ProgramOptions { inline: Inline::Never, ..ProgramOptions::default() };
        let model = fpsolve::model::boolean::program(&name, &text, &options).expect("a program");
        let treatment = support::Treatment { inline: Inline::Never, ..support::Treatment::default() };
        let expected = support::verdict("summaries", &[], &text, &treatment);
        let request = request(&model, files::find("post_star", &[]).expect("an algorithm"), &[], false);
        let outcome = run(&request, &Settings::default()).expect("an answer");
        assert_eq!(outcome.conclusion().word(), Some(expected), "{name}");
        checked += 1;
        if expected == "unsafe" {
            unsafe_ones += 1;
            let trace = traced(&request, &model, &outcome);
            assert_eq!(model.verify(&trace), Verified::Run, "{name}");
        }
    }
    assert!(checked > 15 && unsafe_ones > 5, "{checked} programs, {unsafe_ones} unsafe");
}

/// Verdicts about targets that nobody named are about nothing, and say so.
#[test]
fn a_system_without_a_target_has_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("none.pds");
    std::fs::write(&path, "1\nPDA 1 2\n0 1 -> 0 2\n").expect("a file");
    let run = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fpsolve"));
        let output = command.arg("post_star").arg(&path).args(["--initial", "0|1"]).args(more).output();
        String::from_utf8(output.expect("the command starts").stderr).expect("text")
    };
    assert!(run(&[]).contains("pds::no_target"));
    assert!(!run(&["--target", "0|2"]).contains("pds::no_target"));
}
