//! Deep, huge and mangled programs end with a program or a diagnostic, never with a panic.

#[path = "../calculus/tests/effort/mod.rs"]
mod effort;
#[path = "robustness/mangled.rs"]
mod mangled;
mod mangling;

use calculus::diagnostic::Rejection;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::{ExplorationLimits, Machine, Reachability};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::encode::{MAX_BITS, check_globals};
use fpsolve::model::program::{Loaded, Options, load};
use fpsolve::report::diagnostics::{Medium, diagnostics};
use mangled::mangle;

fn read(text: &str) -> Result<Loaded, Rejection> {
    load("huge.bp", text, &Options::default())
}

fn verdict(loaded: &Loaded) -> Reachability {
    let limits = ExplorationLimits { states: 1_000_000, stack: 10, all_targets: false };
    Machine::new(&loaded.program, 1).explore(limits).verdict()
}

#[test]
fn a_chain_of_a_hundred_thousand_operators_is_read_and_evaluated() {
    for operator in [" & ", " | ", " ^ ", " = ", " => "] {
        let chain = vec!["a"; 100_000].join(operator);
        let loaded =
            read(&format!("decl a; void main() begin a := T; assume({chain}); end")).expect("it is fine");
        Cfg::build(&loaded.program);
        assert_eq!(verdict(&loaded), Reachability::NotReached);
    }
}

#[test]
fn a_hundred_thousand_statements_are_read_and_executed() {
    let body = "a := !a;\n".repeat(100_000);
    let loaded =
        read(&format!("decl a; void main() begin a := F; {body} assert(!a); end")).expect("it is fine");
    let (cfg, warnings) = Cfg::build(&loaded.program);
    assert!(warnings.is_empty());
    assert_eq!(cfg.flows[0].edges.len(), 100_003);
    assert_eq!(verdict(&loaded), Reachability::NotReached);
}

#[test]
fn ten_thousand_nested_parentheses_are_read() {
    let (open, close) = ("(".repeat(10_000), ")".repeat(10_000));
    let loaded =
        read(&format!("decl a; void main() begin a := T; assert({open}a{close}); end")).expect("it is fine");
    assert_eq!(verdict(&loaded), Reachability::NotReached);
    let negations = "!(".repeat(10_000);
    let loaded = read(&format!("decl a; void main() begin a := F; assert({negations}a{close}); end"))
        .expect("it is fine");
    assert_eq!(verdict(&loaded), Reachability::Reached);
    let choices = "schoose[".repeat(10_000);
    let ends = ", F]".repeat(10_000);
    read(&format!("decl a; void main() begin a := {choices}a{ends}; end")).expect("it is fine");
}

#[test]
fn ten_thousand_nested_blocks_are_read_and_executed() {
    let (open, close) = ("if (a) then ".repeat(10_000), " fi".repeat(10_000));
    let loaded = read(&format!("decl a; void main() begin a := T; {open} assert(F); {close} end"))
        .expect("it is fine");
    Cfg::build(&loaded.program);
    assert_eq!(verdict(&loaded), Reachability::Reached);
    let (open, close) = ("while (a) do ".repeat(10_000), " od".repeat(10_000));
    read(&format!("decl a; void main() begin {open} a := F {close} end")).expect("it is fine");
    let arms = "elsif (a) then skip; ".repeat(10_000);
    read(&format!("decl a; void main() begin if (a) then skip; {arms} fi end")).expect("it is fine");
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    for open in ["(", "!(", "schoose[", "if (a) then "] {
        let text = format!("decl a; void main() begin a := {}", open.repeat(200_000));
        let problems = read(&text).expect_err("it is too deep");
        assert_eq!(problems.diagnostics[0].code, "bp::too_deep");
    }
}

#[test]
fn unclosed_nesting_of_any_depth_is_refused() {
    for depth in [1, 10, 1_000, 19_000] {
        for open in ["(", "!(", "schoose[", "if (a) then ", "begin "] {
            let text = format!("decl a; void main() begin a := {}", open.repeat(depth));
            read(&text).expect_err("it is not closed");
        }
    }
}

#[test]
fn a_long_chain_of_calls_is_inlined() {
    let mut text = String::from("decl a; void main() begin a := F; p0(); assert(!a); end\n");
    for i in 0..2_000 {
        text.push_str(&format!("void p{i}() begin p{}(); end\n", i + 1));
    }
    text.push_str("void p2000() begin a := T; end");
    let loaded = read(&text).expect("it is fine");
    let (cfg, report) = inline(&Cfg::build(&loaded.program).0, Inline::Auto);
    assert!(cfg.facts().calls > 0 && !report.too_large.is_empty(), "the limit stops it");
}

#[test]
fn mangled_samples_cause_no_panic() {
    let samples = mangling::samples();
    samples.iter().for_each(|sample| assert!(read(sample).is_ok(), "{sample}"));
    mangle(&samples, effort::cases(20_000));
}

#[test]
fn as_many_variables_as_a_row_can_tell_apart_are_taken_and_one_more_is_refused() {
    let names = |count: usize| (0..count).map(|number| format!("v{number}")).collect::<Vec<_>>().join(",");
    let body = |count: usize| format!("v0 := T; assert(!v{});", count - 1);
    let globals = |count| format!("decl {}; void main() begin {} end", names(count), body(count));
    let few = read(&globals(MAX_BITS)).expect("it is fine");
    assert_eq!(check_globals(&Cfg::build(&few.program).0), Ok(()));
    let refused = |text: &str, simplify: bool| {
        let options = ProgramOptions { simplify, ..ProgramOptions::default() };
        program("many.bp", text, &options).err().map(|rejection| rejection.diagnostics[0].code)
    };
    assert_eq!(refused(&globals(MAX_BITS + 1), true), Some("bp::too_many_variables"));
    // Locals that are never alive together share a bit.
    let count = MAX_BITS + 1;
    let locals = format!("void main() begin decl {}; {} end", names(count), body(count));
    assert_eq!(refused(&locals, true), None);
    assert_eq!(refused(&locals, false), Some("bp::too_many_variables"));
}

#[test]
fn repro_a_mistake_in_a_very_long_line_is_told_in_words() {
    for blanks in [10, 70_000] {
        let text = format!("void main() begin {} x := T; end", " ".repeat(blanks));
        let rejection = read(&text).expect_err("there is no x");
        let told = diagnostics(&rejection.sources, &rejection.diagnostics, Medium::Plain);
        assert!(told.contains(&format!("huge.bp:1:{}", blanks + 20)), "{told}");
        assert!(told.len() < 1_000, "{} bytes", told.len());
    }
}
