//! What programs mean: dialects, roles, atomic sections, creation of threads, rounds.

mod support;
mod agreement {
    pub mod executor;
}

use agreement::executor::Executor;
use fpsolve::model::interpret::{ExplorationLimits, Machine, Reachability};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::{Dialect, Options, Program, load};

fn program(text: &str, options: &Options) -> Program {
    load("test.bp", text, options).unwrap_or_else(|problems| panic!("{problems}")).program
}

fn reached(text: &str, options: &Options, copies: usize) -> bool {
    let program = program(text, options);
    Machine::new(&program, copies).explore(ExplorationLimits::default()).verdict() == Reachability::Reached
}

fn rounds_needed(text: &str, copies: usize) -> Option<usize> {
    let program = program(text, &Options::default());
    let machine = Machine::new(&program, copies);
    (1..6).find(|rounds| {
        machine.explore_rounds(*rounds, ExplorationLimits::default()).verdict() == Reachability::Reached
    })
}

fn dialect(dialect: Dialect) -> Options {
    Options { dialect: Some(dialect), ..Options::default() }
}

#[test]
fn operators_bind_as_the_dialect_says() {
    // Usual: a & (b = c); SATABS: (a & b) = c.
    let text = "decl a, b, c; void main() begin a, b, c := F, T, F; assert(!(a & b = c)); end";
    assert!(!reached(text, &dialect(Dialect::Bebop), 0));
    assert!(reached(text, &dialect(Dialect::Satabs), 0));
    // Usual: T | (T ^ T); SATABS: (T | T) ^ T.
    let text = "void main() begin assert(T | T ^ T); end";
    assert!(!reached(text, &dialect(Dialect::Getafix), 0));
    assert!(reached(text, &dialect(Dialect::Satabs), 0));
    // Implication is to the right in both: F => (F => F).
    for any in Dialect::ALL {
        assert!(!reached("void main() begin assert(F => F => F); end", &dialect(any), 0));
    }
}

/// Getafix makes an equation of each value, so a variable that is assigned twice must get the same value twice.
#[test]
fn repro_several_values_of_one_variable_must_agree_in_getafix_programs() {
    let reached = |condition: &str, right: &str| {
        let text = format!(
            "decl a, b; void init() begin a := F; endinit: skip; end \
             void main() begin assume({condition}); a, b, a := {right}; SLIC_ERROR: skip; end"
        );
        let interpreted = reached(&text, &dialect(Dialect::Getafix), 0);
        let (cfg, _) = Cfg::build(&program(&text, &dialect(Dialect::Getafix)));
        let (never, auto) = (inline(&cfg, Inline::Never).0, inline(&cfg, Inline::Auto).0);
        for cfg in [never, auto] {
            let targets = Executor::new(&cfg, 0, None).targets(1_000, 4).expect("it is small");
            assert_eq!(!targets.is_empty(), interpreted, "{text}");
        }
        interpreted
    };
    assert!(reached("b", "T, F, b") && !reached("!b", "T, F, b"));
    assert!(reached("T", "T, F, *") && reached("T", "*, F, T"));
    assert!(!reached("T", "T, F, F"));
    let text = "decl a; void main() begin a, a := T, T; end";
    for other in [Dialect::Bebop, Dialect::Satabs, Dialect::Fpsolve] {
        assert!(load("test.bp", text, &dialect(other)).is_err());
    }
}

#[test]
fn dialects_are_detected() {
    let detected = |text: &str| program(text, &Options::default()).dialect;
    assert_eq!(detected("void main() begin skip; end"), Dialect::Bebop);
    assert_eq!(detected("void main() begin end_thread; end"), Dialect::Satabs);
    assert_eq!(detected("void main() begin 0: skip; end"), Dialect::Satabs);
    assert_eq!(detected("thread main begin skip; end"), Dialect::Fpsolve);
    assert_eq!(
        detected("void init() begin endinit: skip; end void main() begin skip; end"),
        Dialect::Getafix
    );
}

#[test]
fn init_runs_to_its_end_before_any_thread() {
    let text = "decl a; init begin a := F; a := T; end thread t begin assert(a); end";
    assert!(!reached(text, &Options::default(), 0));
    let text = "decl a, atomic; void init() begin atomic := F; a := T; endinit: skip; a := F; end
        void thread1() begin assert(a); end";
    assert!(!reached(text, &Options::default(), 0), "what follows endinit is not executed");
}

#[test]
fn atomic_sections_are_not_interrupted() {
    let text = |begin: &str, end: &str| {
        format!(
            "decl a, atomic; void init() begin a := F; atomic := F; endinit: skip; end
             void thread1() begin {begin} a := T; a := F; {end} end
             void thread2() begin assert(!a); end
             void callee() begin a := T; a := F; end"
        )
    };
    assert!(reached(&text("", ""), &Options::default(), 0));
    assert!(!reached(&text("atomic := T;", "atomic := F;"), &Options::default(), 0));
    assert!(!reached(&text("atomic_begin;", "atomic_end;"), &Options::default(), 0));
    let called = text("", "").replace("begin  a := T; a := F;  end", "begin callee(); end");
    assert!(!reached(&called, &Options::default(), 0), "Getafix calls procedures in one step");
    let roles = Options {
        thread: vec!["thread1".into(), "thread2".into()],
        init: Some("init".into()),
        ..dialect(Dialect::Bebop)
    };
    assert!(reached(&called, &roles, 0), "others do not");
}

#[test]
fn a_started_thread_has_its_creators_locals() {
    let text = "void main() begin decl l; l := *; start_thread goto L; end_thread; L: assert(l); end";
    assert!(reached(text, &Options::default(), 1));
    let text = "void main() begin decl l; l := T; start_thread goto L; l := F; end_thread; L: assert(l); end";
    assert!(!reached(text, &Options::default(), 1));
    let text = "void f(x) begin assert(x); end void main() begin start_thread f(T); end";
    assert!(!reached(text, &Options::default(), 2));
}

#[test]
fn started_threads_are_replicated_unless_copies_are_given() {
    let text = "void f() begin skip; end void main() begin start_thread f(); start_thread f(); end";
    let facts = |options: &Options| Cfg::build(&program(text, options)).0.facts();
    let any = facts(&Options::default());
    assert_eq!((any.threads, any.singles, any.replicated), (2, 1, true));
    let fixed = facts(&Options { copies: Some(2), ..Options::default() });
    assert_eq!(
        (fixed.threads, fixed.singles, fixed.replicated),
        (5, 5, false),
        "main, and two copies per statement"
    );
}

#[test]
fn rounds_count_the_contexts_of_each_thread() {
    // The first thread must see what the second did: a second round.
    let text = "decl a; init begin a := F; end
        thread one begin assert(!a); end
        thread two begin a := T; end";
    assert_eq!(rounds_needed(text, 0), Some(2));
    // Ping-pong.
    let text = "decl a, b; init begin a, b := F, F; end
        thread one begin assume(a); b := T; assume(!a); assert(F); end
        thread two begin a := T; assume(b); a := F; end";
    assert_eq!(rounds_needed(text, 0), Some(3));
    // Copies stand in order: three of them in one round.
    let text = "decl a, b; init begin a, b := F, F; end
        thread t* begin if (!a) then a := T; elsif (!b) then b := T; else ERROR: skip; fi; end";
    assert_eq!(rounds_needed(text, 2), None);
    assert_eq!(rounds_needed(text, 3), Some(1));
}

#[test]
fn roles_can_be_given() {
    let text = "decl a; void setup() begin a := F; end void flip() begin assert(!a); a := T; end";
    let one = Options { init: Some("setup".into()), thread: vec!["flip".into()], ..Options::default() };
    assert!(!reached(text, &one, 0));
    let many = Options { init: Some("setup".into()), replicate: vec!["flip".into()], ..Options::default() };
    assert!(!reached(text, &many, 1) && reached(text, &many, 2));
}

#[test]
fn recursion_stays_and_other_calls_are_inlined() {
    let text = "decl a; bool f(x) begin if (x) then x := f(!x); fi; return x; end
        void g() begin a := f(a); end void main() begin g(); g(); end";
    let (cfg, _) = Cfg::build(&program(text, &Options::default()));
    assert_eq!((cfg.facts().calls, cfg.facts().recursive), (4, true));
    let (inlined, report) = inline(&cfg, Inline::Auto);
    assert_eq!((inlined.facts().calls, report.inlined), (3, 2), "f calls itself, and main calls it twice");
    let (none, _) = inline(&cfg, Inline::Never);
    assert_eq!(none.facts(), cfg.facts());
}

/// The inner `atomic_end` closes the inner section only.
#[test]
fn repro_atomic_sections_nest() {
    let check = |inner: &str| {
        format!(
            "decl a := F; void locked() begin atomic_begin; skip; atomic_end; end \
             thread one begin atomic_begin; a := T; {inner} a := F; atomic_end; end \
             thread two begin assert(!a); end"
        )
    };
    let nested = [
        "atomic_begin; skip; atomic_end;",
        "locked();",
        "locked(); locked();",
        "atomic_begin; locked(); atomic_end;",
    ];
    for inner in nested {
        let text = check(inner);
        assert!(!reached(&text, &Options::default(), 0), "{text}");
        for algorithm in ["interleaving", "k_induction"] {
            for inline in [Inline::Never, Inline::Auto, Inline::Always] {
                let treatment = support::Treatment { inline, ..support::Treatment::default() };
                if inline == Inline::Never && text.contains("locked();") {
                    continue;
                }
                assert_eq!(
                    support::verdict(algorithm, &[], &text, &treatment),
                    "safe",
                    "{algorithm}\n{text}"
                );
            }
        }
        let treatment = support::Treatment { inline: Inline::Never, ..support::Treatment::default() };
        assert_eq!(support::verdict("lazy_cba", &[("contexts", 3)], &text, &treatment), "bounded", "{text}");
    }
    // Everything is closed: the other thread sees what is between.
    let text = check("atomic_begin; atomic_end; atomic_end;");
    assert!(reached(&text, &Options::default(), 0));
    assert_eq!(support::verdict("interleaving", &[], &text, &support::Treatment::default()), "unsafe");
}
