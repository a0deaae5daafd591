//! C programs: what they compute is what compiled programs compute, no schedule of a compiled program is missing, the
//! solver agrees with the interpreter, and what is not supported is refused with a message.

#[path = "../calculus/tests/chance/mod.rs"]
mod chance;
#[path = "../calculus/tests/effort/mod.rs"]
mod effort;
#[path = "c/generator.rs"]
mod generator;
#[path = "c/harness.rs"]
mod harness;
#[path = "c/recursion.rs"]
mod recursion;
#[path = "c/shown.rs"]
mod shown;
#[path = "c/translate.rs"]
mod translate;
#[path = "c/waiting.rs"]
mod waiting;
#[path = "c/widths.rs"]
mod widths;

use chance::Random;
use fpsolve::model::c::load;
use fpsolve::model::interpret::{ExplorationLimits, Machine, Reachability};
use fpsolve::model::options::{Options, Words};
use fpsolve::model::program::Program;
use fpsolve::report::diagnostics::{Medium, diagnostics};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

fn words(width: u32, left_out: bool) -> Options {
    let left_out = left_out.then(|| "values of some bits".to_string());
    Options { words: Words { width, left_out, ..Words::default() }, ..Options::default() }
}

fn translated(text: &str, options: &Options) -> Program {
    match load("random.c", text, options) {
        Ok((loaded, _)) => loaded.program,
        Err(rejection) => panic!("{rejection}\n{text}"),
    }
}

/// Whether an error, or with `cuts` also a value that leaves its word, can be reached.
fn reached(text: &str, width: u32, cuts: bool) -> Option<bool> {
    let program = translated(text, &words(width, !cuts));
    let limits = ExplorationLimits { states: 60_000, stack: 20, all_targets: false };
    match Machine::new(&program, 0).explore(limits).verdict() {
        Reachability::Reached => Some(true),
        Reachability::NotReached => Some(false),
        Reachability::Limit => None,
    }
}

/// The standard output of a program that the system's compiler makes.
fn compiled(folder: &Path, name: &str, text: &str, options: &[&str]) -> std::path::PathBuf {
    let (source, binary) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let made = Command::new("cc").args(options).arg("-o").arg(&binary).arg(&source).output().unwrap();
    assert!(made.status.success(), "{}\n{text}", String::from_utf8_lossy(&made.stderr));
    binary
}

fn output(command: &Path) -> String {
    let output = Command::new(command).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn values_are_those_of_compiled_programs() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let programs = (0..effort::cases(60)).map(|_| generator::sequential(&mut random)).collect::<Vec<_>>();
    // All of them in one file: the compiler is called once.
    let mut text = String::from("#include <stdio.h>\n");
    for (at, program) in programs.iter().enumerate() {
        let names =
            program.variables.iter().map(|name| format!("(long){name}")).collect::<Vec<_>>().join(", ");
        writeln!(text, "void f{at}(void) {{\n{}", program.body).unwrap();
        writeln!(text, "  printf(\"%ld %ld %ld %ld\\n\", {names});\n}}").unwrap();
    }
    text.push_str("int main(void) {\n");
    (0..programs.len()).for_each(|at| writeln!(text, "  f{at}();").unwrap());
    text.push_str("  return 0;\n}\n");
    let printed = output(&compiled(folder.path(), "all", &text, &["-w", "-fwrapv", "-O0"]));
    let (mut compared, mut refused) = (0, 0);
    for (program, line) in programs.iter().zip(printed.lines()) {
        let values = line.split(' ').collect::<Vec<_>>();
        let same =
            program.variables.iter().zip(&values).map(|(name, value)| format!("(long){name} == {value}"));
        let same = same.collect::<Vec<_>>().join(" && ");
        let whole = |check: &str| {
            format!("void assert(int);\nint main(void) {{\n{}  assert({check});\n}}\n", program.body)
        };
        let (right, wrong) = (whole(&same), whole(&format!("!({same})")));
        for width in [6, 32] {
            if let Err(rejection) = load("random.c", &right, &words(width, false)) {
                assert!(rejection.to_string().contains("too large"), "{rejection}\n{right}");
                refused += 1;
                continue;
            }
            assert_eq!(reached(&right, width, false), Some(false), "{width} bits, {line}\n{right}");
            if reached(&right, width, true) == Some(false) {
                assert_eq!(reached(&wrong, width, false), Some(true), "{width} bits, {line}\n{wrong}");
                compared += 1;
            }
        }
    }
    assert!(effort::is_fast() || refused < compared, "{refused} were refused");
    assert!(effort::enough(compared, 15), "only {compared} stayed inside their words");
}

/// The programs of a file, by name.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n=== ").skip(1).map(|case| case.split_once('\n').unwrap_or((case, "")))
}

#[test]
fn what_holds_when_it_is_compiled_holds_in_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/right.txt");
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, program) in cases(&std::fs::read_to_string(path).unwrap()) {
        let check = "#include <stdlib.h>\n#define CHECK(c) do { if (!(c)) exit(__LINE__); } while (0)\n";
        let text = format!("{check}{program}");
        let binary = compiled(folder.path(), name, &text, &["-w", "-fwrapv", "-pthread", "-O0"]);
        let ran = Command::new(&binary).output().unwrap();
        assert!(ran.status.success(), "{name} ends with {}", ran.status);
        let text = format!("void assert(int);\n#define CHECK(c) assert(c)\n{program}");
        if let Err(rejection) = load("right.c", &text, &words(32, false)) {
            wrong.push(format!("{name} is refused: {rejection}"));
            continue;
        }
        if reached(&text, 32, true) != Some(false) {
            wrong.push(format!(
                "{name}: {:?}, without values that leave words {:?}",
                reached(&text, 32, true),
                reached(&text, 32, false)
            ));
        }
        // Each check the other way round fails: it is executed.
        let parts = program.split("CHECK(").collect::<Vec<_>>();
        for at in (1..parts.len()).step_by(if effort::is_fast() { 4 } else { 1 }) {
            let (before, after) = (parts[..at].join("CHECK("), parts[at..].join("CHECK("));
            let checks = "void assert(int);\n#define CHECK(c) assert(c)\n#define WRONG(c) assert(!(c))\n";
            let found = reached(&format!("{checks}{before}WRONG({after}"), 32, false);
            if found != Some(true) {
                wrong.push(format!("{name}, check {at}: {found:?}"));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(effort::is_fast() || count > 200, "{count}");
}

/// However many threads share a barrier for two, they pass it in pairs, and one of each pair is told.
#[test]
fn threads_pass_a_barrier_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("barrier.c");
    let most = if effort::is_fast() { 3 } else { 4 };
    for threads in 1..=most {
        let create = "  pthread_create(&t, 0, f, 0);\n".repeat(threads);
        let found = |check: &str| {
            let program = format!(
                "#include <pthread.h>\nvoid assert(int);\npthread_barrier_t b; int came, passed, told;\n\
                 void *f(void *a) {{\n  __sync_fetch_and_add(&came, 1);\n  int r = pthread_barrier_wait(&b);\n\
                 __VERIFIER_atomic_begin(); passed++; if (r) told++; assert({check}); __VERIFIER_atomic_end();\n\
                 return 0;\n}}\n\
                 int main(void) {{\n  pthread_t t; pthread_barrier_init(&b, 0, 2);\n{create}  return 0;\n}}\n"
            );
            std::fs::write(&path, &program).unwrap();
            let path = path.to_str().unwrap();
            let answer = answer(&["interleaving", path, "--width", "4", "--format", "json"]);
            match answer["verdict"].as_str() {
                Some("unsafe") => true,
                Some("safe") => false,
                _ => panic!("{answer}\n{program}"),
            }
        };
        let pairs = threads / 2 * 2;
        assert!(!found(&format!("passed <= {pairs} && (passed + 1) / 2 * 2 <= came")), "{threads} threads");
        assert!(!found(&format!("passed != {pairs} || told == {}", pairs / 2)), "{threads} threads");
        assert_eq!(found(&format!("passed < {pairs}")), pairs > 0, "{threads} threads");
        // Either one of a pair may be told.
        assert_eq!([found("passed != 1 || told == 1"), found("passed != 1 || told == 0")], [pairs > 0; 2]);
    }
}

/// It had no bits, and so it never left its word.
#[test]
fn repro_an_overflow_of_a_variable_that_nobody_reads_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    let path = path.to_str().unwrap();
    let program = |last: &str| format!("int y;\nint main(void) {{ int x = 5; {last} y = -x; return 0; }}\n");
    for (last, expected) in [("x = x * 1000000000;", "unsafe"), ("x = x * 3;", "safe")] {
        std::fs::write(path, program(last)).unwrap();
        let answer = answer(&[path, "--check", "overflow", "--format", "json"]);
        assert_eq!(answer["verdict"], expected, "{answer}");
    }
}

#[test]
fn the_first_width_has_the_numbers_that_are_written() {
    let width = |condition: &str| {
        fpsolve::model::c::first_width(
            "x.c",
            &format!("int x;\nint main(void) {{ if ({condition}) x = 1; }}\n"),
        )
    };
    assert_eq!(width("x > 1"), 3);
    assert_eq!(width("x > 9"), 5);
    assert_eq!(width("x > 2 * 32"), 8, "64 is computed, and one more counts");
    assert_eq!(width("x > 2 * 16 - 1"), 7);
    assert_eq!(width("x > 100000"), 8);
}

/// What the statements between stand for when a program is compiled.
const NOISE: &str = "#include <sched.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
    #define STEP do { int r = rand() % 4; if (r == 0) sched_yield(); else if (r == 1) usleep(rand() % 60); } while (0)\n\
    #define CHECK printf(\"%d %d %d\\n\", x, y, f)\n";

#[test]
fn every_end_of_a_compiled_program_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut seen, mut checked) = (0, 0);
    for number in 0..effort::cases(12) {
        let program = generator::concurrent(&mut random);
        let noisy =
            format!("{NOISE}{}", program.replace("int l = 0;", "srand((unsigned)(size_t)&arg); int l = 0;"));
        let binary = compiled(folder.path(), &format!("p{number}"), &noisy, &["-w", "-pthread", "-O0"]);
        let ends = (0..25).map(|_| output(&binary).trim().to_string()).collect::<BTreeSet<_>>();
        seen += ends.len();
        for end in ends {
            let values = end.split(' ').collect::<Vec<_>>();
            let check = format!("assert(!(x == {} && y == {} && f == {}))", values[0], values[1], values[2]);
            let text = format!("#define STEP\n#define CHECK {check}\n{program}");
            let Some(found) = reached(&text, 8, false) else { continue };
            assert!(found, "{end} is an end of the compiled program\n{text}");
            checked += 1;
        }
    }
    assert!(effort::enough(checked, 10), "{checked} of {seen} ends were checked");
}

fn fpsolve(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fpsolve")).args(arguments).output().unwrap()
}

fn answer(arguments: &[&str]) -> Json {
    let output = fpsolve(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    serde_json::from_str(&text)
        .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_solver_finds_what_the_interpreter_finds() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut found = [0, 0];
    for number in 0..effort::cases(20) {
        let program = generator::concurrent(&mut random);
        let check = format!("assert(x != {} || y < {})", random.below(4), random.below(4));
        let text = format!("#define STEP\n#define CHECK {check}\n{program}");
        let path = folder.path().join(format!("p{number}.c"));
        std::fs::write(&path, &text).unwrap();
        let path = path.to_str().unwrap();
        let Some(expected) = reached(&text, 4, false) else { continue };
        let cut = reached(&text, 4, true);
        let answer = answer(&["interleaving", path, "--width", "4", "--trace", "--format", "json"]);
        let verdict = answer["verdict"].as_str().unwrap();
        match (expected, cut) {
            (true, _) => assert_eq!(verdict, "unsafe", "{text}"),
            (false, Some(true)) => assert_eq!(verdict, "bounded", "{text}"),
            (false, Some(false)) => assert_eq!(verdict, "safe", "{text}"),
            (false, None) => assert_ne!(verdict, "unsafe", "{text}"),
        }
        found[usize::from(expected)] += 1;
        if verdict == "unsafe" {
            let trace = folder.path().join(format!("p{number}.json"));
            std::fs::write(&trace, answer["trace"].to_string()).unwrap();
            let replayed = fpsolve(&["replay", path, trace.to_str().unwrap(), "--width", "4"]);
            let said = String::from_utf8_lossy(&replayed.stdout).into_owned();
            assert!(replayed.status.success(), "{said}{}\n{text}", String::from_utf8_lossy(&replayed.stderr));
        }
    }
    assert!(effort::enough(found[0], 2) && effort::enough(found[1], 2), "{found:?}");
}

#[test]
fn what_is_not_supported_has_its_message() {
    let cases = include_str!("bad/c.txt");
    let mut names = Vec::new();
    for (name, source) in self::cases(cases) {
        assert!(!names.contains(&name), "{name} occurs twice");
        names.push(name);
        let Err(rejection) = load("bad.c", source, &words(4, false)) else { panic!("{name} is accepted") };
        let text = diagnostics(&rejection.sources, &rejection.diagnostics, Medium::Plain);
        insta::assert_snapshot!(format!("c_{name}"), format!("{}\n\n{text}", source.trim_end()));
    }
    assert!(names.len() >= 30, "only {} bad programs", names.len());
}

/// A program that has one of most things.
const RICH: &str = include_str!("c/rich.c");

#[test]
fn mangled_programs_are_refused_or_read_and_nothing_else() {
    let mut random = Random(0x0dd0_1234_beef_cafe);
    let tokens =
        ["int", "(", ")", "{", "}", ";", "*", "&", "x", "1", "+", "while", "=", "[", "]", "return", ","];
    let right = cases(include_str!("c/right.txt")).map(|(_, program)| program).collect::<Vec<_>>();
    let mut read = 0;
    for _ in 0..effort::cases(600) {
        let mut text = if random.below(2) == 0 { RICH } else { right[random.below(right.len())] }.to_string();
        for _ in 0..1 + random.below(3) {
            let places = text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
            let at = places[random.below(places.len())];
            match random.below(3) {
                0 => text.insert_str(at, random.pick(&tokens)),
                1 => drop(text.remove(at)),
                _ => {
                    let end = places[random.below(places.len())];
                    let part = text[at.min(end)..at.max(end)].chars().take(30).collect::<String>();
                    text.insert_str(at, &part);
                }
            }
        }
        read += usize::from(load("mangled.c", &text, &words(4, false)).is_ok());
    }
    assert!(effort::enough(read, 10), "only {read} were read");
    load("rich.c", RICH, &words(4, false)).unwrap_or_else(|rejection| panic!("{rejection}"));
}

/// A program and what is to be answered with words of some bits.
fn verdict_of(text: &str, options: &[&str]) -> (String, Json) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prog.c");
    std::fs::write(&path, text).unwrap();
    let mut arguments = vec!["interleaving", path.to_str().unwrap(), "--format", "json"];
    arguments.extend(options);
    let answer = answer(&arguments);
    (answer["verdict"].as_str().unwrap_or_default().to_string(), answer)
}

#[test]
fn a_cut_weakens_safe_and_never_unsafe() {
    let counts = |limit: u32, check: &str| {
        format!("void assert(int);\nint x;\nint main(void) {{\n  while (x < {limit}) x++;\n  {check}\n}}\n")
    };
    // Words: enough or not; the program: right or wrong.
    for (limit, check, width, expected) in [
        (3, "assert(x == 3);", "3", "safe"),
        (3, "assert(x == 2);", "3", "unsafe"),
        (9, "assert(x == 9);", "3", "bounded"),
        (9, "assert(x == 8);", "3", "bounded"),
        (9, "assert(x == 9);", "3..", "safe"),
        (9, "assert(x == 8);", "3..", "unsafe"),
        (9, "assert(x == 9);", "3..4", "bounded"),
    ] {
        let (verdict, answer) = verdict_of(&counts(limit, check), &["--width", width]);
        assert_eq!(verdict, expected, "{limit} {check} {width}");
        if expected == "bounded" {
            let message = answer["message"].as_str().unwrap();
            assert!(message.contains("bits; line 4"), "{message}");
        }
    }
}

#[test]
fn values_from_outside_bound_a_proof_where_they_matter() {
    let program = |body: &str| {
        format!("int __VERIFIER_nondet_int(void);\nvoid assert(int);\nint main(void) {{\n{body}\n}}\n")
    };
    for (body, expected) in [
        ("if (__VERIFIER_nondet_int()) assert(1);", "safe"),
        ("int x = __VERIFIER_nondet_int(); if (x > 3) assert(x != 2);", "safe"),
        ("int x = __VERIFIER_nondet_int(); if (x > 3) assert(x < 1000);", "bounded"),
        ("int x = __VERIFIER_nondet_int(); int y = x; assert(y == x);", "bounded"),
        ("int x = __VERIFIER_nondet_int(); assert(x != 5);", "unsafe"),
        ("int x; assert(x < 1000);", "bounded"),
        ("int x; x = 1; assert(x == 1);", "safe"),
    ] {
        assert_eq!(verdict_of(&program(body), &["--width", "4"]).0, expected, "{body}");
    }
}

#[test]
fn errors_that_are_asked_for_are_found_and_no_others() {
    let main = |body: &str| {
        format!(
            "void assert(int);\nint __VERIFIER_nondet_int(void);\nint main(void) {{ {body} return 0; }}\n"
        )
    };
    let threads = |worker: &str, main: &str| {
        format!(
            "#include <pthread.h>\n#include <assert.h>\npthread_mutex_t m;\nint x;\n\
             void *w(void *a) {{ {worker} return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); {main} pthread_join(t, 0); assert(x < 5); return 0; }}\n"
        )
    };
    let critical = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    for (text, check, width, plain, checked) in [
        (main("signed char c = 127; c++; assert(c == -128);"), "overflow", "9", "safe", "safe"),
        (main("int x = 2147483647; x++; assert(x);"), "overflow", "32", "bounded", "unsafe"),
        (main("int x = 2147483647; x = x - 1; assert(x);"), "overflow", "32", "safe", "safe"),
        (main("int x = -2147483647 - 1; x = -x; assert(x);"), "overflow", "32", "bounded", "unsafe"),
        (main("unsigned x = 4294967295u; x++; assert(x == 0);"), "overflow", "32", "safe", "safe"),
        (
            main("int x = 1; if (__VERIFIER_nondet_int()) x = 2; x = 4 / (x - 1); assert(x == 4);"),
            "div",
            "5",
            "bounded",
            "unsafe",
        ),
        (
            main("int x = 1; if (__VERIFIER_nondet_int()) x = 2; x = 4 / x; assert(x >= 2);"),
            "div",
            "5",
            "safe",
            "safe",
        ),
        (main("int x = 0; if (x) x = 3 % x; assert(x == 0);"), "div", "5", "safe", "safe"),
        (main("int x = 0; x = 3 % x; assert(x == 0);"), "div", "5", "bounded", "unsafe"),
        (threads(critical, critical), "lock", "4", "safe", "safe"),
        (threads(critical, "pthread_mutex_unlock(&m);"), "lock", "4", "safe", "unsafe"),
        (threads("pthread_mutex_lock(&m); x++;", "x = 1;"), "lock", "4", "safe", "unsafe"),
        (
            threads(critical, "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);"),
            "lock",
            "4",
            "safe",
            "unsafe",
        ),
        (
            threads(critical, "if (!pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);"),
            "lock",
            "4",
            "safe",
            "safe",
        ),
        (
            threads(critical, "pthread_mutex_trylock(&m); pthread_mutex_unlock(&m);"),
            "lock",
            "4",
            "safe",
            "unsafe",
        ),
    ] {
        assert_eq!(verdict_of(&text, &["--width", width]).0, plain, "{text}");
        assert_eq!(
            verdict_of(&text, &["--width", width, "--check", check]).0,
            checked,
            "--check {check}: {text}"
        );
    }
}

/// The answer of the portfolio.
fn alone(text: &str, options: &[&str]) -> Json {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prog.c");
    std::fs::write(&path, text).unwrap();
    let mut arguments = vec![path.to_str().unwrap(), "--format", "json"];
    arguments.extend(options);
    answer(&arguments)
}

#[test]
fn differences_to_the_program_weaken_what_they_make_doubtful() {
    let havoc = |check: &str| {
        format!(
            "void assert(int);\nint f(int *p);\nint g;\nint main(void) {{ int x = 1, r = f(&x); assert({check}); return 0; }}\n"
        )
    };
    for (check, expected) in
        [("g == 0", "safe"), ("r != 2", "unknown"), ("x == 1", "unknown"), ("x == x", "bounded")]
    {
        let (verdict, answer) = verdict_of(&havoc(check), &["--width", "4", "--havoc", "f"]);
        assert_eq!(verdict, expected, "{check}");
        if verdict == "unknown" {
            assert!(answer["message"].as_str().unwrap().contains("line 4: what `f` returns"), "{answer}");
        }
    }
    let order = |expression: &str| {
        format!(
            "#include <stdatomic.h>\natomic_int a;\nvoid assert(int);\nint n, t[3];\nint f(void) {{ n++; return n; }}\nint g(int *p) {{ *p = 1; return 0; }}\n\
             int two(int a, int b) {{ return a; }}\n\
             int main(void) {{ int i = 0, r = 0; {expression}; assert(r < 7); return 0; }}\n"
        )
    };
    for (expression, expected) in [
        ("r = f() + n", "bounded"),
        ("r = n + f()", "bounded"),
        ("r = f() + f()", "bounded"),
        ("r = f() + i", "safe"),
        ("r = f() && n", "safe"),
        ("r = (f(), n)", "safe"),
        ("r = n ? f() : n", "safe"),
        ("r = f()", "safe"),
        ("n = f()", "safe"),
        ("r = two(i++, i)", "bounded"),
        ("r = two(i++, n)", "safe"),
        ("r = g(&i) + i", "bounded"),
        ("r = g(&i) + 1", "safe"),
        ("t[i] = i++", "bounded"),
        ("t[i++] = n", "safe"),
        ("t[i] = f()", "safe"),
        ("t[n] = f()", "bounded"),
        // Elements of one array all get one value.
        ("t[i] = t[i + 1] = 3", "safe"),
        ("t[n] = t[f()] = 3", "bounded"),
        ("t[i] = t[i + 1]++", "bounded"),
        ("r = (int)atomic_load(&a) + i", "safe"),
    ] {
        let (verdict, answer) = verdict_of(&order(expression), &["--width", "5"]);
        assert_eq!(verdict, expected, "{expression}: {answer}");
    }
}

#[test]
fn a_proof_counts_what_the_text_asserts() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint t[2], x;\nvoid same(int i) { assert(t[i] == 0); }\n\
                void *w(void *a) { x = 1; same(x); same(1 - x); return 0; }\n\
                int main(void) { pthread_t a, b; pthread_create(&a, 0, w, 0); pthread_create(&b, 0, w, 0); assert(x < 2); return 0; }\n";
    let message = alone(text, &["--width", "3"])["message"].as_str().unwrap().to_string();
    assert!(
        message.contains(": safe: 2 assertions and 1 further check (array indices) hold for any schedule"),
        "{message}"
    );
}

#[test]
fn a_broadcast_changes_the_variables_of_all_others() {
    let program = |check: &str| {
        format!(
            "#include <pthread.h>\n#include <assert.h>\n_Thread_local _Bool woken;\n_Bool sent;\n\
             void *w(void *a) {{ assert({check}); return 0; }}\n\
             int main(void) {{ pthread_t t; while (1) {{ pthread_create(&t, 0, w, 0); __VERIFIER_atomic_begin(); sent = 1;\n\
             __CPROVER_passive_broadcast: woken = 1;\n__VERIFIER_atomic_end(); assert(!woken); }} return 0; }}\n"
        )
    };
    assert_eq!(alone(&program("!woken || sent"), &[])["verdict"], "safe");
    assert_eq!(alone(&program("!woken"), &[])["verdict"], "unsafe");
}

#[test]
fn repro_threads_get_the_variables_that_one_macro_declares() {
    let text = "#include <pthread.h>\n#include <assert.h>\n#define DECLARE int a = 1, b = 2\nDECLARE;\n\
                void *w(void *p) { int v = *(int *)p; assert(v != 2); return 0; }\n\
                int main(void) { pthread_t t; while (1) { pthread_create(&t, 0, w, &a); pthread_create(&t, 0, w, &b); } }\n";
    assert_eq!(alone(text, &["--width", "3"])["verdict"], "unsafe");
}

/// C has the address behind the last element, and nothing is there.
#[test]
fn only_what_is_behind_the_last_element_is_an_error() {
    for (body, fails) in [
        ("int *end = t + 3; r = *(end - 1);", false),
        ("int *end = t + 3; r = *end;", true),
        ("int *end = t + 3; r = end[0];", true),
        ("int *end = t + 3; r = end[-4];", true),
        ("int *end = t + 3; r = end[-1 - r];", false),
        ("int *end = t + 3; r = end[-r];", true),
        ("int *end = t + 4;", true),
        ("int *end = &r + 1; r = end - 1 == &r;", false),
        ("int *end = &r + 1; end[0] = 1;", true),
        ("t[3] = 1;", true),
    ] {
        let text = format!("int t[3];\nint main(void) {{ int r = 0; {body} return r; }}\n");
        assert_eq!(reached(&text, 8, false), Some(fails), "{body}");
    }
}

#[test]
fn repro_an_assumption_takes_what_its_parameter_can_have() {
    let text = "extern void abort(void);\nvoid assert(int);\nvoid assume(char c) { if (!c) abort(); }\n\
                int main(void) { int x = 256; assume(x); assert(0); return 0; }\n";
    assert_eq!(reached(text, 16, false), Some(false));
}
