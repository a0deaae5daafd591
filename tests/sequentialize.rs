//! The sequential program reaches an error just if the concurrent one does within the contexts.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, threads};
use calculus::check::tree::VerdictKind;
use calculus::span::Source;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::{ExplorationLimits, Machine, Reachability};
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::program::{Dialect, Options, load};
use fpsolve::model::sequentialize::sequentialize;
use fpsolve::run::{Conclusion, Request, Settings, files, run};
use std::path::Path;
use std::process::Command;
use support::{Treatment, effort, solve};

/// The sequential program, which every dialect reads in the same way.
fn sequential(text: &str, options: &Options, contexts: usize) -> String {
    let loaded = load("concurrent.bp", text, options).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let made = sequentialize(&loaded.program, contexts).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let read = |dialect| {
        let options = Options { dialect, ..Options::default() };
        load("sequential.bp", &made, &options).unwrap_or_else(|problems| panic!("{problems}\n{made}")).program
    };
    let detected = read(None);
    assert_eq!(detected.dialect, Dialect::Bebop, "{made}");
    for dialect in [Dialect::Satabs, Dialect::Getafix] {
        let other = read(Some(dialect));
        let meaning = |program: &fpsolve::model::program::Program| {
            let bodies = program.procedures.iter().map(|procedure| format!("{:?}", procedure.statements));
            bodies.collect::<Vec<_>>()
        };
        assert_eq!(meaning(&detected), meaning(&other), "{dialect}\n{made}");
    }
    made
}

/// What the interpreter finds; nothing if the program is too large for it.
fn interpreted(text: &str, options: &Options, contexts: usize) -> Option<bool> {
    let loaded = load("random.bp", text, options).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let limits = ExplorationLimits { states: 40_000, stack: 8, all_targets: false };
    let machine = Machine::new(&loaded.program, 0);
    match machine.explore_rounds(contexts, limits).verdict() {
        Reachability::Reached => Some(true),
        Reachability::NotReached => Some(false),
        Reachability::Limit => None,
    }
}

/// What `lazy_cba` finds.
fn lazily(text: &str, options: &Options, contexts: usize) -> bool {
    let options = ProgramOptions { reading: options.clone(), ..ProgramOptions::default() };
    let model = program("concurrent.bp", text, &options).unwrap_or_else(|rejection| panic!("{rejection}"));
    let file: Source = files::find("lazy_cba", &[]).expect("it is bundled");
    let params = [("contexts".to_string(), contexts as i64)].into();
    let request = Request { params, model: Some(model.vocabulary), ..Request::new(file) };
    let outcome = run(&request, &Settings::default()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    matches!(outcome.conclusion(), Conclusion::Verdict(VerdictKind::Unsafe, _))
}

/// The text with another name for a variable.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split_inclusive(|c| !word(c)).map(|part| match part.strip_prefix(from) {
        Some(rest) if !rest.starts_with(word) => format!("{to}{rest}"),
        _ => part.to_string(),
    });
    words.collect()
}

#[test]
fn random_programs_are_decided_like_the_interpreter_and_lazy_cba_decide_them() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut compared, mut reached) = (0, 0);
    let programs = effort::cases(150);
    for number in 0..programs {
        let contexts = 1 + number % 3;
        let mut text = threads(&mut random, 2 + number / 3 % 2, number % 2 == 0);
        let mut options = Options::default();
        // Getafix marks atomic sections by a shared variable, and other procedures are called in one step.
        if number % 5 == 4 {
            text = renamed(&text, "c", "atomic");
            options.dialect = Some(Dialect::Getafix);
        }
        let made = sequential(&text, &options, contexts);
        let Some(expected) = interpreted(&text, &options, contexts) else { continue };
        compared += 1;
        reached += usize::from(expected);
        // A summary per procedure is worth more than the calls that inlining saves, once there are many copies.
        let inline = if contexts < 3 { Inline::Auto } else { Inline::Never };
        let found = solve("summaries", &made, &Treatment { inline, ..Treatment::default() });
        assert_eq!(found, expected, "program {number}, {contexts} contexts\n{text}\n{made}");
        let lazy = lazily(&text, &options, contexts);
        assert_eq!(lazy, expected, "program {number}, {contexts} contexts, lazy_cba\n{text}");
    }
    assert!(compared >= programs * 2 / 3, "only {compared} programs were small enough");
    assert!(
        reached >= programs / 5 && compared - reached >= programs / 5,
        "{reached} of {compared} reach a target"
    );
}

/// Two workers take a lock that is tested and set in two steps.
const LOCK: &str = "\
decl lock, busy;

init begin
  lock, busy := F, F;
end

bool acquire() begin
  if (lock) then return F; fi
  lock := T;
  return T;
end

thread worker[2] begin
  decl mine;
  mine := acquire();
  if (mine) then
    assert(!busy);
    atomic_begin; busy := T; busy := !busy; atomic_end;
    lock := mine & busy;
  fi
end
";

#[test]
fn a_program_reads_well() {
    insta::assert_snapshot!(sequential(LOCK, &Options::default(), 2));
}

/// Statements that random programs do not have, and each number of contexts up to which nothing is found.
#[test]
fn special_forms_are_decided_like_the_interpreter_decides_them() {
    let programs = [
        // An error in the middle of an atomic section; the second thread must have run before it.
        "decl x; init begin x := F; end thread one begin atomic_begin; assume(x); assert(!x); atomic_end; end
         thread two begin x := T; end",
        // Nobody runs after a thread that ended inside a section.
        "decl x; init begin x := F; end thread one begin x := T; atomic_begin; end_thread; end
         thread two begin assert(!x); end",
        "decl x; init begin x := F; end thread one begin atomic_begin; x := T; end
         thread two begin assert(!x); end",
        // A thread may stop in a loop that never ends, and in a recursion.
        "decl x; init begin x := F; end thread one begin x := T; L: goto L; end thread two begin assert(!x); end",
        "decl x; init begin x := F; end void f() begin f(); end thread one begin x := T; f(); end
         thread two begin assert(!x); end",
        // Results are assigned in a later context than they were computed in.
        "decl x, y; init begin x, y := F, F; end bool f() begin return !x; end
         thread one begin x := f(); assert(!x | !y); end thread two begin y := T; assume(x); x := F; end",
        // Values of declarations; own variables of two copies; a constraint as a statement.
        "decl x := T; thread one[2] begin decl m := F; if (m) then ERROR: skip; fi m := T; constrain 'x = !x & 'm = m;
         end thread two begin assert(x); assume(!x); assume(x); assert(F); end",
        // `init` fails.
        "decl x; void f() begin assert(x); end init begin f(); end thread one begin skip; end",
        // A procedure inside and outside of sections.
        "decl x, y; init begin x, y := F, F; end void f() begin x := T; x := F; end
         thread one begin atomic_begin; f(); atomic_end; y := T; f(); end thread two begin assert(!x | !y); assert(!x); end",
        // Labels that mean something, quoted names, names that are taken.
        "decl {x>0}, done, k_1; init begin {x>0}, done, k_1 := F, F, F; end
         thread yield begin decl error; 1: error: if (!done) then ASYNC_1: skip; goto ASYNC_1, 1; fi end
         thread main begin {x>0} := *; k_1 := schoose[{x>0}, !{x>0} & schoose[done, *]]; assert(k_1); end",
    ];
    for text in programs {
        for contexts in 1..=3 {
            let options = Options::default();
            let expected = interpreted(text, &options, contexts).expect("it is small");
            let made = sequential(text, &options, contexts);
            let found = solve("summaries", &made, &Treatment::default());
            assert_eq!(found, expected, "{contexts} contexts\n{text}\n{made}");
            assert_eq!(lazily(text, &options, contexts), expected, "{contexts} contexts, lazy_cba\n{text}");
        }
    }
}

/// The second thread never gets a turn, and the sequential program insisted on giving it one.
#[test]
fn repro_an_error_where_the_atomic_variable_is_true_needs_no_other_thread() {
    let text = "decl x, atomic := T; thread one begin assert(!atomic); end thread two begin x := T; end";
    let options = Options { dialect: Some(Dialect::Getafix), ..Options::default() };
    for contexts in 1..=2 {
        assert_eq!(interpreted(text, &options, contexts), Some(true));
        assert!(solve("summaries", &sequential(text, &options, contexts), &Treatment::default()));
    }
}

/// Runs the command in a folder with the given file; what it says on the standard error, and whether it succeeds.
fn command(folder: &Path, file: &str, text: &str, arguments: &str) -> (String, bool) {
    std::fs::write(folder.join(file), text).expect("the folder can be written to");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fpsolve"));
    command.current_dir(folder).arg("sequentialize").arg(file).args(arguments.split_whitespace());
    let output = command.output().expect("the command starts");
    (String::from_utf8(output.stderr).expect("the output is text"), output.status.success())
}

#[test]
fn a_number_of_threads_that_is_not_fixed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let replicated = "decl x;\nthread one begin x := T; end\nthread many* begin assert(x); end\n";
    let started = "decl x;\nvoid f() begin assert(x); end\nvoid main() begin start_thread f(); end\n";
    let refusals = [
        command(folder.path(), "replicated.bp", replicated, "--contexts 2"),
        command(folder.path(), "started.bp", started, "--contexts 2 --copies 1"),
        command(folder.path(), "mistaken.bp", "decl x;\nthread one begin y := T; end\n", "--contexts 2"),
        command(folder.path(), "fine.bp", LOCK, "--contexts 0"),
    ];
    assert!(refusals.iter().all(|(_, succeeded)| !succeeded), "{refusals:?}");
    insta::assert_snapshot!(refusals.map(|(said, _)| said).join("\n"));
}

#[test]
fn the_program_itself_is_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let (said, succeeded) = command(folder.path(), "lock.bp", LOCK, "--contexts 2 -o ./lock.bp");
    assert!(!succeeded && said.contains("`lock.bp` would be overwritten"), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path().join("lock.bp")).expect("it is there"), LOCK);
    let (said, succeeded) = command(folder.path(), "lock.bp", LOCK, "--contexts 2 -o made.bp");
    assert!(succeeded && said.is_empty(), "{said}");
    let made = std::fs::read_to_string(folder.path().join("made.bp")).expect("it was written");
    assert_eq!(made, sequential(LOCK, &Options::default(), 2).replace("concurrent.bp", "lock.bp"));
}
