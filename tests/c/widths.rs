//! At any width a run is one of the C program, or it is cut where a value leaves its word, and that is noticed: also
//! where narrow words would make what is done with the value a constant.

use crate::chance::Random;
use crate::{alone, compiled, effort, generator, output, words};
use fpsolve::model::c::{load, narrow};
use fpsolve::model::interpret::{ExplorationLimits, Machine, Reachability};
use fpsolve::model::options::Check;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Whether an error, or with `cuts` also a value that leaves its word, can be reached in what is solved.
fn reached(text: &str, width: u32, cuts: bool) -> Result<Option<bool>, String> {
    reached_with(text, &[], width, cuts)
}

fn reached_with(text: &str, checks: &[Check], width: u32, cuts: bool) -> Result<Option<bool>, String> {
    let mut options = words(width, !cuts);
    options.words.checks = checks.to_vec();
    let loaded = load("random.c", text, &options).map_err(|rejection| rejection.to_string())?;
    let mut program = loaded.0.program;
    narrow(&mut program, &BTreeSet::new(), false);
    let limits = ExplorationLimits { states: 60_000, stack: 20, all_targets: false };
    Ok(match Machine::new(&program, 0).explore(limits).verdict() {
        Reachability::Reached => Some(true),
        Reachability::NotReached => Some(false),
        Reachability::Limit => None,
    })
}

/// Programs in which the only use of a variable needs more bits than small words have, and whether they fail.
const SINGLE_USES: [(&str, &str, bool); 22] = [
    ("int us;", "for (int i = 0; i < 30; i++) us += 50; assert(us / 1000 == 0);", true),
    ("int us;", "for (int i = 0; i < 30; i++) us += 50; assert(us / 1000 == 1);", false),
    ("unsigned short s; int h[3];", "s -= 3; h[s >> 14]++;", true),
    ("unsigned short s; int h[1];", "s -= 3; h[s >> 14]++;", true),
    ("unsigned short s; int h[4];", "s -= 3; h[s >> 14]++;", false),
    ("unsigned short s; int h[3];", "s -= 3; int l = h[s >> 14];", true),
    ("unsigned u;", "u--; assert((u >> 31) == 0);", true),
    ("unsigned u;", "u--; assert((u >> 31) == 1);", false),
    ("unsigned u;", "u--; assert(u / 2147483648u == 0);", true),
    ("unsigned u;", "u--; assert(u / 2147483648u == 1);", false),
    (
        "unsigned u;",
        "u -= 5; switch (u >> 30) { case 0: assert(0); break; case 3: break; default: assert(0); }",
        false,
    ),
    ("unsigned u;", "u -= 5; switch (u >> 30) { case 0: break; case 3: assert(0); }", true),
    ("unsigned u; int a[4];", "u -= 5; a[u >> 30] = 1; assert(a[3] == 1);", false),
    ("unsigned u;", "u--; if (u >> 20) assert(0);", true),
    ("unsigned u;", "u--; unsigned v = u >> 20 ? 1 : 2; assert(v == 1);", false),
    ("unsigned u;", "u--; assert(((u >> 16) & 255) == 255);", false),
    ("int n = 1;", "for (int i = 0; i < 20; i++) n = n * 2; assert(n / 65536 == 0);", true),
    ("int n = 1; int a[2];", "for (int i = 0; i < 20; i++) n = n * 2; a[n / 100000] = 1;", true),
    ("unsigned u;", "u--; assert(!(u >> 31 && 1));", true),
    ("unsigned u;", "u--; for (unsigned i = 0; i < u >> 29; i++) assert(i < 6);", true),
    ("unsigned char c;", "c--; assert(c >> 7 == 1);", false),
    ("unsigned long n = 1;", "for (int i = 0; i < 20; i++) n = n + n; assert((n >> 16) == 0);", true),
];

#[test]
fn repro_a_value_that_leaves_its_word_is_noticed_whatever_is_done_with_it() {
    for (shared, body, fails) in SINGLE_USES {
        for shared_too in [true, false] {
            let (outside, inside) = if shared_too { (shared, "") } else { ("", shared) };
            // What is in a function has no first value.
            let inside = inside.replace("u;", "u = 0;").replace("us;", "us = 0;").replace("s;", "s = 0;");
            let inside =
                inside.replace("c;", "c = 0;").replace("];", "] = { 0 };").replace("u = 0 = 0", "u = 0");
            let text =
                format!("void assert(int);\n{outside}\nint main(void) {{ {inside} {body} return 0; }}\n");
            for width in (3..=10).step_by(if effort::is_fast() { 4 } else { 1 }) {
                let found = reached(&text, width, false).unwrap();
                let cut = reached(&text, width, true).unwrap();
                match fails {
                    true => assert_eq!(cut, Some(true), "{width} bits: the error is not noticed\n{text}"),
                    false => assert_eq!(found, Some(false), "{width} bits: there is no error\n{text}"),
                }
            }
        }
    }
}

#[test]
fn repro_errors_behind_large_numbers_are_found_by_the_portfolio() {
    for (shared, body, fails) in SINGLE_USES.into_iter().step_by(if effort::is_fast() { 9 } else { 1 }) {
        let text = format!("void assert(int);\n{shared}\nint main(void) {{ {body} return 0; }}\n");
        let expected = if fails { "unsafe" } else { "safe" };
        assert_eq!(alone(&text, &["--timeout", "60s"])["verdict"], expected, "{text}");
    }
}

#[test]
fn repro_checks_are_made_where_narrow_words_would_do_without() {
    let main = |body: &str| format!("void assert(int);\nint main(void) {{ {body} return 0; }}\n");
    for (body, check, fails) in [
        ("unsigned u = 0; u--; int x = 7 / (3 - (int)(u >> 30));", Check::Division, true),
        ("unsigned u = 0; u--; int x = 7 / (4 - (int)(u >> 30));", Check::Division, false),
        ("int x = 2147483647; int y = x + 1;", Check::Overflow, true),
        ("int x = 65536; int y = x * x;", Check::Overflow, true),
        ("int x = 1; for (int i = 0; i < 20; i++) x = x * 2; int y = x * x;", Check::Overflow, true),
        ("int x = 1; for (int i = 0; i < 3; i++) x = x * 2; int y = x * x;", Check::Overflow, false),
    ] {
        let text = main(body);
        for width in [3, 4, 7, 10, 32] {
            let found = match reached_with(&text, &[check], width, false) {
                Err(why) if why.contains("too large") => continue,
                found => found.unwrap(),
            };
            let cut = reached_with(&text, &[check], width, true).unwrap();
            match fails {
                true => {
                    assert_eq!(cut, Some(true), "{width} bits, {check:?}: the error is not noticed\n{text}")
                }
                false => assert_eq!(found, Some(false), "{width} bits, {check:?}: there is no error\n{text}"),
            }
            assert!(!fails || width < 32 || found == Some(true), "{check:?}: {text}");
        }
    }
}

#[test]
fn both_ways_of_a_condition_have_one_type() {
    for (condition, holds) in [
        ("(1 ? -1 : 0u) > 0", true),
        ("(0 ? 0u : -1) > 0", true),
        ("(1 ? -1 : 0) > 0", false),
        ("(c ? -1 : 0u) > 0", true),
        ("(c ? n : u) > 0", true),
        ("(1 ? n : u) > 0", true),
        ("(1 ? n : u + 1) > 0", true),
        ("(1 ? n : n < u) > 0", false),
        ("(1 ? n : (char)u) > 0", false),
        ("(1 ? n : f()) > 0", true),
        ("(1 ? 2 : sizeof(int)) > -1", false),
        ("(1 ? c : u) - 2 > 0", true),
        ("(1 ? c : n) - 2 > 0", false),
        ("-1 < sizeof(int)", false),
        ("-1 < (int)sizeof(int)", true),
    ] {
        let text = format!(
            "void assert(int);\nunsigned f(void) {{ return 1; }}\n\
             int main(void) {{ _Bool c = 1; int n = -1; unsigned u = 0; assert({condition}); return 0; }}\n"
        );
        let found = reached(&text, 32, true);
        assert_eq!(found, Ok(Some(!holds)), "{condition}");
    }
    let text =
        "void assert(int);\nenum { A = (1 ? -1 : 0u) > 0 };\nint main(void) { assert(A == 1); return 0; }\n";
    assert_eq!(reached(text, 8, true), Ok(Some(false)));
}

#[test]
fn runs_are_those_of_compiled_programs_or_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(0x5eed_0f1a_26e0_0001);
    let programs = (0..effort::cases(120)).map(|_| generator::large(&mut random)).collect::<Vec<_>>();
    let mut text = String::from("#include <stdio.h>\n");
    for (at, (program, conditions)) in programs.iter().enumerate() {
        writeln!(text, "void f{at}(void) {{\n{}", program.body).unwrap();
        let shown =
            conditions.iter().map(|condition| format!("({condition})")).collect::<Vec<_>>().join(", ");
        writeln!(text, "  printf(\"%d %d %d\\n\", {shown});\n}}").unwrap();
    }
    text.push_str("int main(void) {\n");
    (0..programs.len()).for_each(|at| writeln!(text, "  f{at}();").unwrap());
    text.push_str("  return 0;\n}\n");
    let printed = output(&compiled(folder.path(), "large", &text, &["-w", "-fwrapv", "-O0"]));
    let (mut exact, mut cut, mut refused) = (0, 0, 0);
    for ((program, conditions), line) in programs.iter().zip(printed.lines()) {
        for (condition, value) in conditions.iter().zip(line.split(' ')) {
            let not = |turned: bool| if turned { "!" } else { "" };
            let whole = |turned: bool| {
                let check = format!("assert({}({condition}))", not(turned));
                format!("void assert(int);\nint main(void) {{\n{}  {check};\n}}\n", program.body)
            };
            let (right, wrong) = (whole(value == "0"), whole(value != "0"));
            for width in [3, 4, 5, 7, 10, 17, 32] {
                let found = match reached(&right, width, false) {
                    Ok(found) => found,
                    Err(why) => {
                        assert!(why.contains("too large"), "{why}\n{right}");
                        refused += 1;
                        continue;
                    }
                };
                assert_eq!(found, Some(false), "{width} bits, {line}\n{right}");
                assert_eq!(reached(&wrong, width, true), Ok(Some(true)), "{width} bits, {line}\n{wrong}");
                match reached(&wrong, width, false) {
                    Ok(Some(true)) => exact += 1,
                    _ => cut += 1,
                }
            }
        }
    }
    assert!(
        effort::enough(exact, 200) && effort::enough(cut, 200),
        "{exact} exact, {cut} cut, {refused} refused"
    );
}

#[test]
fn repro_bounds_without_a_sign_do_not_bound_negative_numbers() {
    for (condition, of, fails) in [
        ("x >= 0u && x <= 5", "int", true),
        ("x >= 0 && x <= 5", "int", false),
        ("x < 6u", "int", false),
        ("x >= 0u && x <= 5", "long", false),
        ("x < 6u", "uint", false),
    ] {
        let text = format!(
            "void assert(int);\nvoid __VERIFIER_assume(int);\n{0} __VERIFIER_nondet_{1}(void);\n\
             int main(void) {{ {0} x = __VERIFIER_nondet_{1}(); __VERIFIER_assume({condition}); assert(x + 50 < 60); return 0; }}\n",
            if of == "uint" { "unsigned" } else { of },
            of
        )
        .replace("x + 50 < 60", if fails { "x > -50" } else { "x < 6" });
        let (found, cut) = (reached(&text, 5, false), reached(&text, 5, true));
        match fails {
            true => assert_eq!(cut, Ok(Some(true)), "{condition}"),
            false => assert_eq!(found, Ok(Some(false)), "{condition}"),
        }
    }
}

/// Who leaves where a number is too large does so for one that stands for all others; a word must have such a number.
#[test]
fn numbers_that_a_program_turns_away_need_no_wide_words() {
    for (condition, leaves, of, check, fails) in [
        ("x < 0 || x > 5", "return 0", "int", "x < 6", false),
        ("x < 0 || x > 5", "{ return 0; }", "int", "x < 5", true),
        ("0 > x || 5 <= x", "return (int)0", "int", "x < 5", false),
        ("x > 15u", "return 0", "unsigned", "x < 16", false),
        ("x > 3", "abort()", "unsigned", "x <= 3", false),
    ] {
        let text = format!(
            "void assert(int);\nvoid abort(void);\n{of} __VERIFIER_nondet_{of}(void);\nint y;\n\
             int f(void) {{ {of} x = __VERIFIER_nondet_{of}(); if ({condition}) {leaves}; assert({check}); y = x; return x; }}\n\
             int main(void) {{ int r = f(); assert(y == r || y == 0); return 0; }}\n"
        );
        assert_eq!(reached(&text, 6, true), Ok(Some(fails)), "{text}");
        assert_eq!(reached(&text, 6, false), Ok(Some(fails)), "{text}");
    }
    // These may be other numbers than those of the word: what is not there does something, or is looked at.
    for (condition, rest) in [
        ("x > 7", "return 0; y = 1"),
        ("x < 0 || x > 2", "return x"),
        ("x < 0 || x > 2", "y = x"),
        ("x < 0 || y > 2", "return 0"),
        ("x < 0 && x > 2", "return 0"),
    ] {
        let text = format!(
            "void assert(int);\nint __VERIFIER_nondet_int(void);\nunsigned __VERIFIER_nondet_uint(void);\nint y;\n\
             int f(void) {{ {} x = __VERIFIER_nondet_{}(); if ({condition}) {rest}; y = x; return x & 1; }}\n\
             int main(void) {{ int r = f(); assert(r < 10 && y < 100); return 0; }}\n",
            if condition == "x > 7" { "unsigned" } else { "int" },
            if condition == "x > 7" { "uint" } else { "int" },
        );
        assert_eq!(reached(&text, if condition == "x > 7" { 3 } else { 5 }, true), Ok(Some(true)), "{text}");
    }
}

#[test]
fn headers_that_are_not_used_and_messages_to_the_terminal_are_no_mistakes() {
    let text = "#include <assert.h>\n#include <inttypes.h>\n#include <stdio.h>\n#include <string.h>\n#include <time.h>\n\
                struct pair { char c; int n; } pairs[3];\nint all[sizeof(pairs) / sizeof(pairs[0])];\n\
                void set(int *p) { if (p != NULL) *p = 1; }\n\
                int main(void) { int x = 0; set(NULL); set(&x); fprintf(stderr, \"%\" PRIu32, (uint32_t)x); assert(x); all[2] = 1; return 0; }\n";
    assert_eq!(reached(text, 4, true), Ok(Some(false)));
}
