//! Threads that change variables of others, `x$`: random programs by `views` against the explicit interpreter over growing
//! numbers of threads, and every run to an error executed again. Then what the words mean, one by one.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::Random;
use fpsolve::explain::{self, Traced};
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::trace::Verified;
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::{Request, Settings, files, offered, run};
use support::{Treatment, effort, interpreted, verdict};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 12_000, stack: 4, all_targets: false };

fn treatment(number: usize) -> Treatment {
    Treatment { inline: Inline::Always, reorder: false, naive: false, ..Treatment::number(number) }
}

/// A truth value of some of these names.
fn formula(random: &mut Random, names: &[&str], depth: usize) -> String {
    if depth == 0 || random.below(3) == 0 {
        return match random.below(8) {
            0 => "*".into(),
            1 => "T".into(),
            _ => names[random.below(names.len())].to_string(),
        };
    }
    let (left, right) = (formula(random, names, depth - 1), formula(random, names, depth - 1));
    match random.below(4) {
        0 => format!("!({left})"),
        1 => format!("({left} & {right})"),
        2 => format!("({left} != {right})"),
        _ => format!("({left} | {right})"),
    }
}

/// `x` and `y` are shared, `a` and `b` are those of each thread.
fn statement(random: &mut Random, atomic: bool) -> String {
    const MINE: [&str; 4] = ["x", "y", "a", "b"];
    const THEIRS: [&str; 6] = ["x", "a", "b", "a$", "b$", "a$"];
    let name = |random: &mut Random| MINE[random.below(4)];
    match random.below(if atomic { 10 } else { 9 }) {
        0 => format!("{} := {};", name(random), formula(random, &MINE, 1)),
        1 => format!("assume({});", formula(random, &MINE, 1)),
        2 => format!("assert({} | {});", formula(random, &MINE, 1), formula(random, &MINE, 1)),
        3 => format!("if ({}) then {} fi", formula(random, &MINE, 1), statement(random, false)),
        4 => format!("a$ := {};", formula(random, &THEIRS, 2)),
        5 => {
            let (mine, theirs) = (formula(random, &MINE, 1), formula(random, &THEIRS, 1));
            format!("{}, b$ := {mine}, {theirs};", name(random))
        }
        6 => {
            let relation = formula(random, &["'x", "x", "a$", "b$", "a", "'b"], 2);
            format!("x, b := *, * constrain {relation};")
        }
        7 => {
            let relation = formula(random, &["'a", "a", "a$", "'a$", "b$", "y"], 2);
            format!("a, a$ := {}, * constrain {relation};", formula(random, &MINE, 1))
        }
        8 => "skip;".into(),
        _ => format!("atomic_begin; {} {} atomic_end;", statement(random, false), statement(random, false)),
    }
}

fn body(random: &mut Random) -> String {
    let statements = (0..2 + random.below(4)).map(|_| format!("  {}\n", statement(random, true)));
    statements.collect()
}

/// Thread blocks with variables of their own; or SATABS' form, in which threads are started with a copy of the locals.
fn sample(random: &mut Random, starts: bool) -> String {
    let body = body(random);
    if starts {
        return format!(
            "decl x, y;\nvoid main() begin\n  decl a, b;\n  x, y, a, b := F, F, F, *;\nl1: start_thread goto l2;\n  goto l1;\nl2: skip;\n{body}\
             end_thread;\nend\n"
        );
    }
    let first = if random.below(2) == 0 { "decl a := F; decl b := F;" } else { "decl a, b;" };
    let (open, close) = if random.below(2) == 0 { ("  while (T) do\n", "  od\n") } else { ("", "") };
    let single = match random.below(3) {
        0 => format!("thread one begin\n  decl a, b;\n{}end\n", self::body(random)),
        _ => String::new(),
    };
    format!(
        "decl x, y;\ninit begin x, y := F, F; end\n{single}thread w* begin\n  {first}\n{open}{body}{close}end\n"
    )
}

/// The verdict with the smallest views that settle the program, and their size. The trace of an error is a run.
fn settled(text: &str, most: i64, about: &str) -> (&'static str, i64) {
    let options = ProgramOptions { spawns: true, ..ProgramOptions::default() };
    let model =
        program("program.bp", text, &options).unwrap_or_else(|rejection| panic!("{rejection}\n{about}"));
    for k in 1..=most {
        let file = files::find("views", &[]).expect("a bundled algorithm");
        let offered = offered(&model, &file).expect("a vocabulary");
        let params = [("k".to_string(), k)].into();
        let request = Request { params, model: Some(offered), ..Request::new(file) };
        let outcome = run(&request, &Settings::default()).expect("a run");
        match outcome.conclusion().word() {
            Some("unsafe") => {
                let traced = explain::trace(&request, &Settings::default(), &model, &outcome);
                let Ok(Some(Traced::Trace(trace))) = traced else { panic!("{traced:?}\n{about}") };
                assert_eq!(model.verify(&trace), Verified::Run, "{trace:#?}\n{about}");
                return ("unsafe", k);
            }
            Some("safe") => return ("safe", k),
            _ => {}
        }
    }
    ("unknown", most)
}

/// Whether some number of threads has an error; nothing if the interpreter gave up on all that it did not find.
fn explored(text: &str, most: usize) -> Option<bool> {
    let found = (0..=most).map(|copies| interpreted(text, copies, None, LIMITS)).collect::<Vec<_>>();
    if found.contains(&Some(true)) {
        return Some(true);
    }
    (!found.contains(&None)).then_some(false)
}

fn compare(seed: u64, cases: usize, starts: bool) -> (usize, usize, usize) {
    let mut random = Random(seed);
    let (mut errors, mut proofs, mut open) = (0, 0, 0);
    for number in 0..cases {
        let text = sample(&mut random, starts);
        let about = format!("program {number}\n{text}");
        let (found, k) = settled(&text, 2, &about);
        match found {
            // The run has k + 1 threads.
            "unsafe" => {
                errors += 1;
                assert_ne!(explored(&text, k as usize + 1), Some(false), "a wrong error, k = {k}: {about}");
            }
            "safe" => {
                proofs += 1;
                assert_ne!(explored(&text, 3), Some(true), "a missed error, k = {k}: {about}");
            }
            _ => open += 1,
        }
    }
    println!("{errors} errors, {proofs} proofs, {open} open");
    (errors, proofs, open)
}

#[test]
fn views_decide_random_broadcasts_like_the_interpreter() {
    let (errors, proofs, open) = compare(0x19_b0ad, effort::cases(60), false);
    assert!(effort::enough(errors, 10) && effort::enough(proofs, 10), "{errors}, {proofs}, {open}");
}

#[test]
fn views_decide_started_threads_that_change_each_other() {
    let (errors, proofs, open) = compare(0x19_5a7a, effort::cases(40), true);
    assert!(effort::enough(errors, 6) && effort::enough(proofs, 6), "{errors}, {proofs}, {open}");
}

/// A thread that was made has the values of its creator then, and not where it first moves.
#[test]
fn repro_a_thread_is_changed_before_it_moves() {
    let text = "void main() begin\n  decl a;\n  a := F;\n  start_thread goto l2;\n  a$ := T;\n  goto l3;\nl2: assert(!a);\nl3: skip;\nend\n";
    assert_eq!(settled(text, 2, text), ("unsafe", 1));
}

/// What the words mean, in programs with one error each, and what is safe but for it.
#[test]
fn each_word_means_what_it_says() {
    let cases = [
        // Every other thread gets the value, the running one does not.
        ("thread w* begin decl a := F; a$ := T; assert(!a); end", "unsafe"),
        ("thread w[1] begin decl a := F; a$ := T; assert(!a); end", "safe"),
        // `a` is that of the running thread, `a$` that of the other one.
        ("thread w* begin decl a := F; a$ := a; assert(!a); end", "safe"),
        ("thread w* begin decl a := F; a$ := a$; assert(!a); end", "safe"),
        ("thread w* begin decl a := F; a$ := !a$; assert(!a); end", "unsafe"),
        // A constraint about others must hold for each of them; without others it holds.
        ("thread w[1] begin decl a := F; skip; x := * constrain a$; assert(F); end decl x;", "unsafe"),
        ("decl x; thread w[2] begin decl a := F; x := * constrain a$; assert(F); end", "safe"),
        ("decl x; thread w[2] begin decl a := F; a := T; x := * constrain a$; assert(F); end", "unsafe"),
        // Its part about the running thread alone holds whether there are others or not.
        ("decl x; thread w[1] begin decl a := F; x := * constrain a$ & 'x; assert(x); end", "safe"),
        // A thread that has ended is none of the others.
        (
            "decl x; thread w[2] begin decl a := F; if (*) then x := * constrain a$; assert(F); fi end",
            "unsafe",
        ),
        // Threads of another kind have no such variable.
        (
            "decl x; thread v begin decl b := F; skip; skip; end thread w begin decl a := F; x := * constrain a$; assert(F); end",
            "unsafe",
        ),
    ];
    for (text, expected) in cases {
        let text = match text.strip_suffix(" decl x;") {
            Some(rest) => format!("decl x;\n{rest}\n"),
            None => format!("{text}\n"),
        };
        for k in 2..=3 {
            assert_eq!(
                verdict("views", &[("k", k)], &text, &treatment(k as usize)),
                expected,
                "k = {k}: {text}"
            );
        }
        let found = explored(&text, 3).expect("few states");
        assert_eq!(found, expected == "unsafe", "{text}");
    }
}

/// Other algorithms say what they cannot do.
#[test]
fn files_without_equations_for_it_refuse_broadcasts() {
    let text = "thread w[2] begin decl a := F; a$ := T; assert(!a); end\n";
    for algorithm in ["interleaving", "lazy_cba", "adequacy", "summaries"] {
        let refused = support::run(algorithm, &[], text, &treatment(0)).err().map(|found| found.to_string());
        assert!(refused.is_some(), "{algorithm}");
    }
}
