//! Harnesses: compiled, each fails as the run says, however often it is executed; and one that cannot fail says so.

use crate::chance::Random;
use crate::shown::{compiled, fails, made, run};
use crate::{effort, fpsolve, generator};
use std::path::Path;

#[test]
fn each_failing_program_fails_when_its_harness_runs() {
    let folder = tempfile::tempdir().unwrap();
    let every = if effort::is_fast() { 4 } else { 1 };
    for case in include_str!("failing.txt").split("\n=== ").skip(1).step_by(every) {
        let (head, source) = case.split_once('\n').unwrap();
        let (name, options) = head.split_once(' ').unwrap_or((head, ""));
        let path = folder.path().join(format!("{name}.c"));
        std::fs::write(&path, source).unwrap();
        let options = ["--quiet"].into_iter().chain(options.split_whitespace()).collect::<Vec<_>>();
        let binary = made(folder.path(), &path, &options).unwrap_or_else(|| panic!("{name} is not unsafe"));
        fails(&binary, 5);
    }
}

#[test]
fn random_errors_happen_when_their_harness_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x0bad_cafe_f00d_0001);
    let mut failed = 0;
    for number in 0..effort::cases(12) {
        let program = generator::concurrent(&mut random);
        let check = format!("assert(x != {} || y < {})", random.below(3), random.below(3));
        let path = folder.path().join(format!("p{number}.c"));
        std::fs::write(&path, format!("#define STEP\n#define CHECK {check}\n{program}")).unwrap();
        let options = ["interleaving", "--width", "4"];
        if let Some(binary) = made(folder.path(), &path, &options) {
            fails(&binary, 2);
            failed += 1;
        }
    }
    assert!(effort::enough(failed, 4), "only {failed} can fail");
}

#[test]
fn examples_are_as_they_say_and_harnesses_of_errors_fail() {
    let folder = tempfile::tempdir().unwrap();
    let tested = fpsolve(&["test", "examples/c"]);
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
    let mut failed = 0;
    for entry in std::fs::read_dir("examples/c").unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read_to_string(&path).unwrap().contains(": unsafe") {
            let options = ["interleaving", "--copies", "2", "--width", "4"];
            fails(&made(folder.path(), &path, &options).expect("it is unsafe"), 5);
            failed += 1;
        }
    }
    assert!(failed >= 2);
}

/// A program whose harness is changed so that the run does not end in an error.
#[test]
fn a_harness_that_reaches_no_error_says_so_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    let text = "#include <assert.h>\nint x, y;\nint main(void) { x = 1; assert(x == 0); y = 1; return 0; }\n";
    std::fs::write(&path, text).unwrap();
    let binary = made(folder.path(), &path, &["--quiet"]).unwrap();
    fails(&binary, 1);
    let harness = folder.path().join("x_harness.c");
    let written = std::fs::read_to_string(&harness).unwrap();
    for (from, to, why) in [
        ("FP_READ(x) == 0", "FP_READ(x) == 1", "main goes on after the last step"),
        ("FP_WRITE(x, 1)", "FP_READ(x)", "main makes another step than the next one of the run"),
        ("FP_WRITE(x, 1)", "FP_WRITE(y, 1)", "main makes a step with another variable"),
        ("FP_WRITE(x, 1)", "0", "main makes another step than the next one of the run"),
        ("FP_WRITE(x, 1)", "fp_stop()", "main ends"),
    ] {
        assert!(written.contains(from), "{written}");
        std::fs::write(&harness, written.replacen(from, to, 1)).unwrap();
        let (output, said) = run(&compiled(&harness));
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("the error was not reached: {why}")), "{said}");
    }
}

#[test]
fn a_harness_is_for_errors_of_c_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (path, harness) = (folder.path().join("x.c"), folder.path().join("h.c"));
    std::fs::write(&path, "void assert(int);\nint main(void) { assert(1); return 0; }\n").unwrap();
    let harness = harness.to_str().unwrap();
    let answer = fpsolve(&[path.to_str().unwrap(), "--harness", harness]);
    let told = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(answer.status.success() && told.contains("there is no run to an error"), "{told}");
    let answer = fpsolve(&["examples/concurrent/peterson.bp", "--harness", harness]);
    let told = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(answer.status.code() == Some(2) && told.contains("`--harness` is for C programs"), "{told}");
    assert!(!Path::new(harness).exists());
}

#[test]
fn repro_the_verdict_stands_where_no_harness_can_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let (path, harness) = (folder.path().join("x.c"), folder.path().join("h.c"));
    // The run is about a value of an array that has none.
    let text = "void assert(int);\nint main(void) { int a[2]; assert(a[1] == 0); return 0; }\n";
    std::fs::write(&path, text).unwrap();
    let (path, harness) = (path.to_str().unwrap(), harness.to_str().unwrap());
    for algorithm in [None, Some("interleaving")] {
        let arguments = algorithm.into_iter().chain([path, "--harness", harness]);
        let answer = fpsolve(&arguments.collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        let told = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert!(
            answer.status.code() == Some(1) && (said.contains("error: ") || said.contains("verdict: unsafe")),
            "{said}{told}"
        );
        assert!(told.contains("is not written: no harness can be made of this run"), "{told}");
        assert!(!Path::new(harness).exists());
    }
}

/// What the algorithm names keeps its values, and what nobody reads leaves its word.
#[test]
fn repro_what_nobody_reads_is_executed_for_a_harness() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options, text) in [
        (
            "loop",
            &["lazy_cba", "--set", "contexts=2", "--width", "4"][..],
            "int n;\nvoid *w(void *x) { n++; return 0; }\nint main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) \
             pthread_create(&t[i], 0, w, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); assert(n != 3); return 0; }\n",
        ),
        (
            "below",
            &["interleaving", "--width", "4"],
            "int n;\nunsigned char credits;\nvoid *w(void *x) { credits--; n++; return 0; }\nint main(void) { pthread_t t; \
             pthread_create(&t, 0, w, 0); n++; pthread_join(t, 0); assert(n == 2); return 0; }\n",
        ),
        (
            "constant",
            &["interleaving", "--width", "4"],
            "int n, ready;\nvoid *w(void *x) { ready = 1; n++; return 0; }\nint main(void) { pthread_t t; \
             pthread_create(&t, 0, w, 0); if (ready && 0) n = 5; if (ready || 1) n++; n += ready * 0; pthread_join(t, 0); \
             assert(n == 2); return 0; }\n",
        ),
    ] {
        let path = folder.path().join(format!("{name}.c"));
        std::fs::write(&path, format!("#include <pthread.h>\n#include <assert.h>\n{text}")).unwrap();
        fails(&made(folder.path(), &path, options).unwrap_or_else(|| panic!("{name} is safe")), 3);
    }
}

/// A function with too few arguments, also in a function that nobody calls, ended the harness with an internal error.
#[test]
fn repro_functions_with_too_few_arguments_are_refused_or_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("few.c");
    let path = path.to_str().unwrap();
    let harness = folder.path().join("h.c");
    let harness = harness.to_str().unwrap();
    for call in ["pthread_exit()", "__sync_lock_release()", "atomic_flag_clear()", "pthread_barrier_wait()"] {
        let program = |used: &str, unused: &str| {
            format!(
                "void assert(int);\nvoid pthread_exit();\nint x;\nvoid unused(void) {{ {unused}; }}\n\
                 int main(void) {{ x = 1; if (x == 2) {{ {used}; }} assert(x == 0); return 0; }}\n"
            )
        };
        std::fs::write(path, program(call, "x = 2")).unwrap();
        let answer = fpsolve(&[path, "--quiet", "--harness", harness]);
        let told = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert!(
            answer.status.code() == Some(2) && told.contains("takes 1 arguments and gets 0"),
            "{call}: {told}"
        );
        std::fs::write(path, program("x = 3", call)).unwrap();
        let answer = fpsolve(&[path, "--quiet", "--harness", harness]);
        let told = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert_eq!(answer.status.code(), Some(1), "{call}: {told}");
        assert!(std::fs::read_to_string(harness).unwrap().contains(call), "{call}");
    }
}
