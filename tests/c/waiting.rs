//! Deadlocks and data races of C programs: known programs, and random ones beside an exploration that knows nothing of fpsolve.

use super::{alone, answer, chance::Random, effort};
use std::collections::BTreeSet;
use std::fmt::Write;

fn verdict(algorithm: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prog.c");
    std::fs::write(&path, text).unwrap();
    let answer = answer(&[algorithm, path.to_str().unwrap(), "--format", "json"]);
    answer["verdict"].as_str().unwrap_or_else(|| panic!("{answer}\n{text}")).to_string()
}

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
                    pthread_mutex_t a, b;\nsem_t s;\natomic_int z;\nint x, y, t[4];\n";

/// A program in which `main` makes two threads; `{}` is what `main` does then.
fn program(one: &str, two: &str, then: &str) -> String {
    format!(
        "{HEAD}void *one(void *p) {{ {one} return 0; }}\nvoid *two(void *p) {{ {two} return 0; }}\n\
         int main(void) {{\n  pthread_t f, g;\n  sem_init(&s, 0, 0);\n  pthread_create(&f, 0, one, 0);\n  \
         pthread_create(&g, 0, two, 0);\n  {then}\n  return 0;\n}}\n"
    )
}

const JOIN: &str = "pthread_join(f, 0); pthread_join(g, 0);";
const BOTH: &str =
    "pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);";
const OTHER: &str =
    "pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);";

#[test]
fn who_waits_for_ever_is_found_and_who_is_stopped_is_not() {
    let cases = [
        (BOTH, OTHER, JOIN, "unsafe"),
        (BOTH, BOTH, JOIN, "safe"),
        // The process ends with `main`, whoever waits; it goes on if `main` leaves it by `pthread_exit`.
        (BOTH, OTHER, "", "safe"),
        (BOTH, OTHER, "pthread_exit(0);", "unsafe"),
        (BOTH, BOTH, "pthread_exit(0);", "safe"),
        ("pthread_mutex_lock(&a);", "", "pthread_mutex_lock(&a); pthread_join(f, 0);", "unsafe"),
        ("pthread_mutex_lock(&a); exit(0);", "", "pthread_mutex_lock(&a); pthread_join(f, 0);", "unsafe"),
        ("pthread_mutex_lock(&a); exit(0);", "", "pthread_join(f, 0);", "safe"),
        ("pthread_mutex_lock(&a); pthread_mutex_lock(&a);", "", JOIN, "unsafe"),
        ("sem_wait(&s);", "sem_post(&s);", JOIN, "safe"),
        ("sem_wait(&s); sem_wait(&s);", "sem_post(&s);", JOIN, "unsafe"),
        // Who looks again and again does not wait.
        ("while (x == 0) ;", "", JOIN, "safe"),
        // Values beyond the first width are needed to come to the mistake.
        (
            "int i = 0; while (i < 300) i++; pthread_mutex_lock(&a);",
            "",
            "pthread_join(f, 0); pthread_mutex_lock(&a);",
            "unsafe",
        ),
        ("int i = 0; while (i < 300) i++; pthread_mutex_lock(&a);", "", JOIN, "safe"),
    ];
    for (one, two, then, expected) in cases {
        let text = program(one, two, then);
        assert_eq!(verdict("deadlock", &text), expected, "{text}");
    }
}

#[test]
fn accesses_at_the_same_time_are_found() {
    let locked = "pthread_mutex_lock(&a); x = x + 1; pthread_mutex_unlock(&a);";
    let cases = [
        (locked, locked, "", "safe"),
        (locked, "x = 1;", "", "unsafe"),
        (locked, "pthread_mutex_lock(&b); x = 1; pthread_mutex_unlock(&b);", "", "unsafe"),
        (locked, locked, "pthread_join(f, 0); pthread_join(g, 0); x = 5;", "safe"),
        (locked, locked, "pthread_join(f, 0); x = 5;", "unsafe"),
        // Both only read, or nobody reads at all.
        ("y = x;", "if (x) ;", "", "safe"),
        ("x = 1;", "x = 2;", "", "unsafe"),
        // Atomic variables, and elements that are not the same.
        ("z = 1;", "z = z + 1;", "", "safe"),
        ("int i = 1; t[i] = 1;", "int i = 2; t[i] = 1;", "", "safe"),
        ("int i = 1; t[i] = 1;", "int i = 1; t[i] = 1;", "", "unsafe"),
        ("x = 1; z = 1;", "if (z == 1) x = 2;", "", "safe"),
        ("z = 1; x = 1;", "if (z == 1) x = 2;", "", "unsafe"),
        ("int i = 0; while (i < 300) i++; x = 1;", "x = 2;", "", "unsafe"),
        ("int i = 0; while (i < 300) i++; x = 1;", "y = 2;", "", "safe"),
    ];
    for (one, two, then, expected) in cases {
        let text = program(one, two, then);
        assert_eq!(verdict("race", &text), expected, "{text}");
    }
}

#[test]
fn portfolios_tell_deadlocks_and_races() {
    let also = |text: &str, name: &str| alone(text, &["--also", name])["also"][0]["verdict"].clone();
    let bad = program(&format!("{BOTH} x = 1;"), &format!("{OTHER} x = 2;"), JOIN);
    let good = program(BOTH, BOTH, JOIN);
    assert_eq!(also(&bad, "deadlock"), "unsafe");
    assert_eq!(also(&bad, "race"), "unsafe");
    assert_eq!(also(&good, "deadlock"), "safe");
    assert_eq!(also(&good, "race"), "safe");
}

#[derive(Clone, Copy)]
enum Op {
    Lock(usize),
    Unlock(usize),
    Write(usize),
    Read(usize),
}

impl Op {
    fn text(self) -> String {
        match self {
            Op::Lock(mutex) => format!("pthread_mutex_lock(&m{mutex});"),
            Op::Unlock(mutex) => format!("pthread_mutex_unlock(&m{mutex});"),
            Op::Write(var) => format!("v{var} = 1;"),
            Op::Read(var) => format!("if (v{var}) ;"),
        }
    }
}

fn random(random: &mut Random) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut held = Vec::new();
    for _ in 0..random.below(5) + 2 {
        ops.push(match random.below(4) {
            0 | 1 => {
                let mutex = random.below(3);
                held.push(mutex);
                Op::Lock(mutex)
            }
            2 => Op::Write(random.below(2)),
            _ => Op::Read(random.below(2)),
        });
        if random.below(3) == 0
            && let Some(mutex) = held.pop()
        {
            ops.push(Op::Unlock(mutex));
        }
    }
    // Some mutexes are kept.
    while let Some(mutex) = held.pop() {
        if random.below(5) > 0 {
            ops.push(Op::Unlock(mutex));
        }
    }
    ops
}

/// Whether the two sequences can come to a deadlock, and to a race.
fn explored(sequences: [&[Op]; 2]) -> (bool, bool) {
    let (mut deadlock, mut race) = (false, false);
    let mut seen = BTreeSet::new();
    let mut work = vec![([0, 0], [false; 3])];
    while let Some((at, held)) = work.pop() {
        if !seen.insert((at, held)) {
            continue;
        }
        let next = |thread: usize| sequences[thread].get(at[thread]).copied();
        let mut moves = false;
        for thread in 0..2 {
            let mut held = held;
            match next(thread) {
                None => continue,
                Some(Op::Lock(mutex)) if held[mutex] => continue,
                Some(Op::Lock(mutex)) => held[mutex] = true,
                Some(Op::Unlock(mutex)) => held[mutex] = false,
                Some(Op::Write(_) | Op::Read(_)) => {}
            }
            moves = true;
            let mut at = at;
            at[thread] += 1;
            work.push((at, held));
        }
        deadlock |= !moves && (next(0).is_some() || next(1).is_some());
        race |= match (next(0), next(1)) {
            (Some(Op::Write(x)), Some(Op::Write(y) | Op::Read(y))) => x == y,
            (Some(Op::Read(x)), Some(Op::Write(y))) => x == y,
            _ => false,
        };
    }
    (deadlock, race)
}

#[test]
fn random_programs_deadlock_and_race_as_they_do_by_hand() {
    let mut source = Random(0x51f1_5eed_0bad_cafe);
    let mut kinds = BTreeSet::new();
    for _ in 0..effort::cases(80) {
        let threads = [random(&mut source), random(&mut source)];
        let body = |ops: &[Op]| ops.iter().map(|op| op.text()).collect::<Vec<_>>().join(" ");
        let mut text = String::from("#include <pthread.h>\npthread_mutex_t m0, m1, m2;\nint v0, v1;\n");
        for (name, ops) in ["one", "two"].iter().zip(&threads) {
            writeln!(text, "void *{name}(void *p) {{ {} return 0; }}", body(ops)).unwrap();
        }
        text.push_str(
            "int main(void) {\n  pthread_t f, g;\n  pthread_create(&f, 0, one, 0);\n  \
             pthread_create(&g, 0, two, 0);\n  pthread_join(f, 0);\n  pthread_join(g, 0);\n  return 0;\n}\n",
        );
        let (deadlock, race) = explored([&threads[0], &threads[1]]);
        let word = |found: bool| if found { "unsafe" } else { "safe" };
        assert_eq!(verdict("deadlock", &text), word(deadlock), "deadlock of\n{text}");
        assert_eq!(verdict("race", &text), word(race), "race of\n{text}");
        kinds.insert((deadlock, race));
    }
    assert!(effort::is_fast() || kinds.len() == 4, "only {kinds:?}");
}

#[test]
fn what_is_asked_of_runs_that_may_be_cut_is_refused_or_bounded() {
    // Whether the last line is reached depends on values beyond any small width.
    let text = program("int i = 0; while (i < 300) i++; x = 1;", "", "");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prog.c");
    std::fs::write(&path, &text).unwrap();
    for algorithm in ["coverage", "uninitialised"] {
        let refused = answer(&[algorithm, path.to_str().unwrap(), "--format", "json"]);
        assert_eq!(refused["diagnostics"][0]["code"], "fp::refused", "{refused}");
    }
    // A file of one's own that looks at states only, not at targets: what it proves holds within the width.
    let file = folder.path().join("own.fp");
    std::fs::write(&file, "use program;\nuse \"lib/product.fp\";\nquery X = some t in 1..n: exists q, s. Reach[t](q, s) & s.x = 1;\nverdict unsafe if X;\nverdict safe;\n").unwrap();
    let own = answer(&[file.to_str().unwrap(), path.to_str().unwrap(), "--width", "4", "--format", "json"]);
    assert_eq!(own["verdict"], "bounded", "{own}");
}
