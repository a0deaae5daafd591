//! Functions of C that call themselves: procedures where there is one thread, inlined where there are several.

use super::{alone, reached, verdict_of};

#[test]
fn functions_that_call_themselves_are_decided() {
    let one = |check: &str| {
        format!(
            "void assert(int);\nint d;\nint f(int n) {{ d++; return n > 0 ? n + f(n - 1) : 0; }}\nint main(void) {{ int r = f(3); assert({check}); return 0; }}\n"
        )
    };
    for (check, expected) in [("r == 6", "safe"), ("d == 4", "safe"), ("r + d < 10", "unsafe")] {
        assert_eq!(alone(&one(check), &["--width", "5"])["verdict"], expected, "{check}");
    }
    let two = |check: &str| {
        format!(
            "#include <pthread.h>\n#include <assert.h>\nint x;\n\
             int f(int n) {{ if (n == 0) return 0; x = x + 1; return n + f(n - 1); }}\n\
             void *w(void *a) {{ int r = f(1); return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); f(1); pthread_join(t, 0); assert({check}); return 0; }}\n"
        )
    };
    assert_eq!(alone(&two("x == 2"), &["--width", "4"])["verdict"], "unsafe");
    // With threads they are inlined.
    assert_eq!(verdict_of(&two("x == 2"), &["--width", "4"]).0, "unsafe");
    assert_eq!(verdict_of(&two("x <= 2"), &["--width", "4"]).0, "safe");
    // Algorithms that need programs without calls say so of one thread.
    let none = verdict_of(&one("r == 6"), &[]);
    assert!(none.1["error"].is_string() || none.0.is_empty());
}

#[test]
fn calls_that_are_too_deep_leave_the_model() {
    let program = |least: usize| {
        format!(
            "#include <pthread.h>\n#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void);\nunsigned char x;\n\
             void f(void) {{ x++; if (__VERIFIER_nondet_bool()) f(); else assert(x < {least}); }}\n\
             void *w(void *a) {{ f(); return 0; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return 0; }}\n"
        )
    };
    // 16 calls with 8 bits.
    for (least, width, cuts, found) in [
        (16, 8, false, true),
        (17, 8, false, false),
        (17, 8, true, true),
        (17, 9, false, true),
        (18, 9, false, true),
    ] {
        assert_eq!(reached(&program(least), width, cuts), Some(found), "{least} calls with {width} bits");
    }
    let (verdict, answer) = verdict_of(&program(17), &["--width", "8"]);
    assert_eq!(verdict, "bounded");
    assert!(
        answer["message"].as_str().unwrap().contains("calls of `f` are more than 16 deep inside each other"),
        "{answer}"
    );
    assert_eq!(alone(&program(17), &["--width", "8.."])["verdict"], "unsafe");
}
