//! Threads are made at once: `start_thread` never waits, wherever it stands, and too few copies never give a proof.
//!
//! The interpreter, in which a new thread simply exists, is compared with the algorithms, for which creation is a handshake
//! in shared variables. Disagreements of any of these kinds fail: an `unsafe` without a run that the interpreter
//! follows; `safe` where the interpreter reaches a target; with a fixed number of copies `interleaving` not `unsafe`
//! where the interpreter reaches a target; and within bounds large enough for every hand-over, a target that is missed.
//! `FPSOLVE_TESTS` sets how many random programs are tried, `FPSOLVE_SEED` chooses others.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, creating};
use calculus::bdd::Reorder;
use fpsolve::explain::{self, Traced};
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::program::{Options, load};
use fpsolve::model::trace::Verified;
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::deepen::{Deepening, deepen};
use fpsolve::run::{Outcome, Request, Settings, files, handles_calls, run};
use support::{effort, interpreted_with};

/// A program with a number of copies of what it starts, or any number.
struct Case<'a> {
    text: &'a str,
    copies: Option<u32>,
}

impl Case<'_> {
    /// The verdict of an algorithm, which may be deepened. An `unsafe` one has a run that the interpreter follows.
    fn verdict(&self, algorithm: &str, setting: &str) -> String {
        let outcome = self.outcome(algorithm, setting);
        outcome.conclusion().word().expect("an algorithm with verdicts").into()
    }

    fn outcome(&self, algorithm: &str, setting: &str) -> Outcome {
        let text = self.text;
        let file = files::find(algorithm, &[]).unwrap_or_else(|rejection| panic!("{rejection:?}"));
        let reading = Options { copies: self.copies, ..Options::default() };
        let options = ProgramOptions { reading, ..ProgramOptions::default() }.for_file(handles_calls(&file));
        let model = program("program.bp", text, &options).unwrap_or_else(|rejection| panic!("{rejection}"));
        let model_of = Some(model.vocabulary.clone());
        let mut request = Request { model: model_of, certificate: true, ..Request::new(file) };
        let settings = Settings { reorder: Reorder::Off, sizes: false, ..Settings::default() };
        let outcome = if setting.contains("..") {
            let deepening = Deepening::parse(setting).expect("a range");
            deepen(&request, &deepening, &settings, &mut |_| {})
        } else {
            if let Some((name, value)) = setting.split_once('=') {
                request.params.insert(name.into(), value.parse().expect("a number"));
            }
            run(&request, &settings)
        };
        let outcome = outcome.unwrap_or_else(|rejection| panic!("{algorithm}: {rejection:#?}\n{text}"));
        let word = outcome.conclusion().word();
        assert_eq!(outcome.certificate.is_some(), word == Some("safe"), "{algorithm}\n{text}");
        match explain::trace(&request, &settings, &model, &outcome) {
            Ok(None) => assert_ne!(word, Some("unsafe")),
            Ok(Some(Traced::Trace(trace))) => {
                assert_eq!(model.verify(&trace), Verified::Run, "{algorithm}: {trace:#?}\n{text}");
            }
            other => panic!("{algorithm} {setting}: {other:?}\n{text}"),
        }
        outcome
    }

    /// Whether the interpreter reaches a target, with so many threads that are not there from the beginning.
    fn reached(&self, made: usize, rounds: Option<usize>) -> Option<bool> {
        let options = Options { copies: self.copies, ..Options::default() };
        let limits = ExplorationLimits { states: 20_000, stack: 6, all_targets: false };
        interpreted_with(&options, self.text, made, rounds, limits)
    }
}

const TWO_IN_A_SECTION: &str = "void main() begin atomic_begin; start_thread goto L; start_thread goto L; atomic_end; \
                                assert(F); L: skip; end";

#[test]
fn repro_two_threads_made_in_one_atomic_section_do_not_stop_their_creator() {
    let called = "void w() begin skip; end void main() begin atomic_begin; start_thread w(); start_thread w(); \
                  atomic_end; assert(F); end";
    for text in [TWO_IN_A_SECTION, called] {
        for copies in [0, 1, 2] {
            let case = Case { text, copies: Some(copies) };
            for (algorithm, setting) in [
                ("interleaving", ""),
                ("k_induction", "k=2"),
                ("lazy_cba", "contexts=1"),
                ("eager_cba", "contexts=1"),
                ("product_cba", "contexts=1"),
                ("linear_interfaces", "rounds=1"),
                ("adequacy", "rounds=1..3"),
            ] {
                assert_eq!(
                    case.verdict(algorithm, setting),
                    "unsafe",
                    "{algorithm}, {copies} copies: {text}"
                );
            }
        }
        let any = Case { text, copies: None };
        for (algorithm, setting) in [
            ("linear_interfaces", "rounds=1"),
            ("linear_interfaces_calls", "rounds=1"),
            ("adequacy", "rounds=1..3"),
        ] {
            assert_eq!(any.verdict(algorithm, setting), "unsafe", "{algorithm}: {text}");
        }
    }
}

/// Both new threads have to run: one waits for what the other does.
#[test]
fn repro_all_threads_made_in_one_atomic_section_can_run() {
    let text = "decl a := F, b := F; void w(x) begin if (x) then a := T; else assume(a); b := T; fi end \
                void main() begin atomic_begin; start_thread w(T); start_thread w(F); atomic_end; assert(!b); end";
    assert_eq!(Case { text, copies: Some(1) }.verdict("interleaving", ""), "unsafe");
    assert_eq!(Case { text, copies: Some(1) }.verdict("lazy_cba", "contexts=4"), "unsafe");
    assert_eq!(Case { text, copies: None }.verdict("linear_interfaces", "rounds=4"), "unsafe");
    let held = "decl a := F; void w() begin assert(F); end \
                void main() begin atomic_begin; start_thread w(); assume(a); atomic_end; end";
    assert_eq!(
        Case { text: held, copies: Some(1) }.verdict("interleaving", ""),
        "safe",
        "the section never ends"
    );
}

#[test]
fn repro_too_few_copies_are_no_proof() {
    let text = "decl a := F; void w(x) begin if (x) then a := T; fi end \
                void main() begin start_thread w(F); start_thread w(T); assert(!a); end";
    let verdicts = [0, 1, 2].map(|copies| Case { text, copies: Some(copies) }.verdict("interleaving", ""));
    assert_eq!(verdicts, ["bounded", "unsafe", "unsafe"], "each statement has a copy of its own");
    let looping =
        "void w() begin skip; end void main() begin while (*) do start_thread w(); od assert(T); end";
    let outcome = Case { text: looping, copies: Some(1) }.outcome("adequacy", "rounds=1..6");
    let conclusion = outcome.conclusion();
    assert_eq!(conclusion.word(), Some("bounded"));
    assert!(outcome.steps.len() < 6, "more rounds do not bring more copies");
    let message = conclusion.message().expect("a reason");
    assert!(message.ends_with("; at most 1 copy of the started thread `w`"), "{message}");
    assert!(outcome.certificate.is_none());
    let fixed =
        "void w() begin skip; end void main() begin start_thread w(); start_thread w(); assert(T); end";
    assert_eq!(Case { text: fixed, copies: Some(1) }.verdict("interleaving", ""), "safe", "two are enough");
}

/// A file with equations for `spawn` gets steps that make threads, and no handshake.
#[test]
fn threads_that_are_made_at_once_do_what_the_interpreter_does() {
    let mut random = Random(0x5eed_0f5e_a75e_a751);
    let (mut compared, mut reaching) = (0, 0);
    for _ in 0..effort::cases(60) {
        let text = creating(&mut random);
        let case = Case { text: &text, copies: None };
        let Some(reached) = case.reached(2, None) else { continue };
        let singles =
            load("program.bp", &text, &Options::default()).expect("a program").program.singles.len();
        let verdict = case.verdict("tests/tts/product.fp", &format!("seats={}", singles + 2));
        assert_eq!(verdict == "unsafe", reached, "{verdict}\n{text}");
        compared += 1;
        reaching += usize::from(reached);
    }
    assert!(effort::enough(compared, 40) && effort::enough(reaching, 10), "{reaching} of {compared}");
}

#[test]
fn repro_what_a_thread_that_is_made_at_once_reaches_is_checked() {
    let text =
        "decl a := F; void main() begin while (T) do start_thread goto L; od L: a := T; assert(!a); end";
    for spawns in [false, true] {
        let model = program("program.bp", text, &ProgramOptions { spawns, ..ProgramOptions::default() });
        let warnings = model.unwrap_or_else(|rejection| panic!("{rejection}")).warnings;
        assert!(warnings.iter().all(|warning| warning.code != "bp::never_checked"), "{warnings:#?}");
    }
}

#[test]
fn repro_a_section_in_which_threads_are_made_costs_no_seat_and_no_wait() {
    let case = Case { text: TWO_IN_A_SECTION, copies: None };
    assert_eq!(case.verdict("tests/tts/product.fp", "seats=1"), "unsafe");
    let handed = "decl a := F; void w(x) begin assert(!x | !a); end \
                  void main() begin atomic_begin; start_thread w(T); a := T; atomic_end; end";
    assert_eq!(Case { text: handed, copies: None }.verdict("tests/tts/product.fp", "seats=2"), "unsafe");
    let held = "decl a := F; void w() begin assert(F); end \
                void main() begin atomic_begin; start_thread w(); assume(a); atomic_end; end";
    assert_eq!(Case { text: held, copies: None }.verdict("tests/tts/product.fp", "seats=2"), "bounded");
}

#[test]
fn repro_init_makes_no_threads() {
    let text = "void w() begin skip; end init begin start_thread w(); start_thread w(); end \
                thread a begin assert(F); end";
    let problems = load("program.bp", text, &Options::default()).expect_err("refused");
    assert_eq!(problems.diagnostics.len(), 2);
    assert!(problems.diagnostics.iter().all(|problem| problem.code == "bp::start_in_init"));
}

#[test]
fn random_programs_that_make_threads_have_the_interpreters_verdicts() {
    let seed = std::env::var("FPSOLVE_SEED")
        .map_or(0, |value| value.parse::<u64>().expect("FPSOLVE_SEED is a number"));
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x1234_5678_9abc_def1));
    let (mut runs, mut reaching, mut proofs, mut weakened) = (0, 0, 0, 0);
    for _ in 0..effort::cases(60) {
        let text = creating(&mut random);
        let (one, any) = (Case { text: &text, copies: Some(1) }, Case { text: &text, copies: None });
        let (Some(by_one), Some(by_two)) = (one.reached(0, None), any.reached(2, None)) else { continue };
        let interleaving = one.verdict("interleaving", "");
        assert_eq!(interleaving == "unsafe", by_one, "{interleaving}\n{text}");
        let mut verdicts = vec![interleaving];
        let mut see = |case: &Case, algorithm: &str, setting: &str, reaches: bool| {
            let verdict = case.verdict(algorithm, setting);
            assert!(verdict != "safe" || !reaches, "{algorithm} {setting}\n{text}");
            assert!(verdict != "unsafe" || case.copies.is_none() || reaches, "{algorithm} {setting}\n{text}");
            verdicts.push(verdict.clone());
            verdict
        };
        see(&one, "k_induction", "k=1..2", by_one || by_two);
        see(&one, "product_cba", "contexts=2", by_one);
        see(&one, "lazy_cba", "contexts=2", by_one);
        see(&any, "adequacy", "rounds=1..2", by_two);
        see(&any, "linear_interfaces_calls", "rounds=2", by_two);
        // One thread is made and runs: that is one context for it to wake up in, and one more for its creator.
        if any.reached(1, Some(1)) == Some(true) {
            let verdict = see(&any, "linear_interfaces", "rounds=3", true);
            assert_eq!(verdict, "unsafe", "linear_interfaces\n{text}");
        }
        runs += verdicts.len();
        reaching += usize::from(by_one || by_two);
        proofs += usize::from(verdicts.iter().any(|verdict| verdict == "safe"));
        weakened += usize::from(verdicts[0] == "bounded");
        assert!(
            !verdicts.iter().any(|verdict| verdict == "safe") || !(by_one || by_two),
            "{verdicts:?}\n{text}"
        );
    }
    println!(
        "{runs} runs: {reaching} programs reach a target, {proofs} are proved safe, {weakened} have too few copies"
    );
    let many = effort::enough(reaching, 15) && effort::enough(proofs, 5) && effort::enough(weakened, 5);
    assert!(many, "{reaching}, {proofs}, {weakened} of {runs} runs");
}
