//! Predicate abstraction: random programs with random predicates, against the explicit interpreter; what predicates are
//! needed for; mistakes in predicates; numbers of many bits.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, words};
use calculus::diagnostic::Rejection;
use fpsolve::explain::{self, Traced};
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::options::{Inline, Options, Words};
use fpsolve::model::program::load;
use fpsolve::model::registry::front_end;
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::certificate::{CertificateFile, CertifiedSubject, Failure, certify};
use fpsolve::run::{Outcome, Request, Settings, files, handles_calls, offered, run};
use support::{effort, interpreted};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 12_000, stack: 4, all_targets: false };

struct Asked {
    outcome: Outcome,
    request: Request,
    model: Box<dyn Model>,
}

fn ask(
    algorithm: &str,
    params: &[(&str, i64)],
    (name, text): (&str, &str),
    predicates: &[&str],
    width: u32,
) -> Result<Asked, Rejection> {
    let file = files::find(algorithm, &[])?;
    let reading = Options {
        predicates: predicates.iter().map(|text| text.to_string()).collect(),
        words: Words { width, ..Words::default() },
        ..Options::default()
    };
    let inline = if algorithm == "summaries_abstract" { Inline::Never } else { Inline::Always };
    let options = ProgramOptions { reading, inline, ..ProgramOptions::default() };
    let options = options.for_file(handles_calls(&file));
    let model = files::read_model(front_end(name).expect("a model"), name, text, &options)?;
    let params = params.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let request = Request { params, model: Some(offered(&*model, &file)?), ..Request::new(file) };
    let outcome = run(&request, &Settings::default())?;
    Ok(Asked { outcome, request, model })
}

fn verdict(algorithm: &str, program: (&str, &str), predicates: &[&str], width: u32) -> &'static str {
    let asked = ask(algorithm, &[], program, predicates, width);
    let asked = asked.unwrap_or_else(|rejection| panic!("{rejection}"));
    asked.outcome.conclusion().word().expect("an algorithm with verdicts")
}

/// Some predicates over the variables of a random program.
fn predicates(random: &mut Random, single: bool, replicated: bool) -> Vec<&'static str> {
    let mut all = vec![
        "i < z",
        "i = z",
        "k <= 2",
        "i + 1 = z",
        "z = -1",
        "z < 0 | i = 3",
        "i % 2 = 0",
        "k = i + z",
        "c = red",
        "(i & 1) == 0 && a",
        "i >= 1",
    ];
    if single {
        all.extend(["w = i", "w > 1", "w != other.w", "w < other.w & i < 2", "w - 1 = z"]);
    }
    if replicated {
        all.extend(["v = i", "v < other.v", "v = z", "v != other.v | i = v"]);
    }
    let count = 1 + random.below(3);
    (0..count).map(|_| all[random.below(all.len())]).collect()
}

/// Whether some number of copies has an error; nothing if the interpreter gave up.
fn explored(text: &str, most: usize) -> Option<bool> {
    let found = (0..=most).map(|copies| interpreted(text, copies, None, LIMITS)).collect::<Vec<_>>();
    if found.contains(&Some(true)) {
        return Some(true);
    }
    (!found.contains(&None)).then_some(false)
}

#[test]
fn abstractions_of_random_programs_are_never_safe_where_there_is_an_error() {
    let mut random = Random(0x6c62_272e_07bb_0142);
    let (mut safe, mut errors, mut open) = (0, 0, 0);
    for number in 0..effort::cases(500) {
        let (algorithm, singles, replicated, calls) = match number % 3 {
            0 => ("interleaving_abstract", 1 + number / 3 % 2, false, false),
            1 => ("views_abstract", number / 3 % 2, true, number / 3 % 4 == 0),
            _ => ("summaries_abstract", 1, false, true),
        };
        let text = words(&mut random, singles, replicated, calls);
        let predicates = predicates(&mut random, singles > 0, replicated);
        let params: &[(&str, i64)] = match algorithm {
            "views_abstract" => &[("k", 1), ("depth", 12)],
            "interleaving_abstract" => &[("depth", 12)],
            _ => &[],
        };
        let asked = match ask(algorithm, params, ("random.bp", &text), &predicates, 8) {
            Ok(asked) => asked,
            // Recursive programs are refused by all but one.
            Err(rejection) if rejection.is_about("fp::refused") => continue,
            Err(rejection) => panic!("{rejection}\n{text}"),
        };
        let found = asked.outcome.conclusion().word().expect("a verdict");
        let Some(expected) = explored(&text, if replicated { 2 } else { 0 }) else { continue };
        match (found, expected) {
            ("safe", true) => panic!("program {number}, {algorithm} {predicates:?}: wrong\n{text}"),
            ("unsafe", false) if !replicated => panic!("program {number}, {algorithm}: no error\n{text}"),
            ("safe", _) => safe += 1,
            ("unsafe", _) => errors += 1,
            _ => open += 1,
        }
    }
    println!("{safe} safe, {errors} unsafe, {open} open");
    assert!(effort::enough(safe, 10), "only {safe} were proved");
    assert!(effort::enough(errors, 20), "only {errors} errors were found");
    assert!(effort::enough(open, 20), "only {open} were left open");
}

const TICKET: &str = "decl s, t: 0..255 := 0; decl inside := F;
thread worker* begin
  decl l: 0..255;
  while (T) do
    atomic_begin; assume(t < 255); l, t := t, t + 1; atomic_end;
    assume(s = l);
    assert(!inside); inside := T; inside := F;
    s := s + 1;
  od
end
";
const NEEDED: [&str; 4] = ["s = l", "l < t", "s < t", "l != other.l"];

#[test]
fn the_ticket_lock_is_safe_for_any_number_of_threads() {
    assert_eq!(verdict("views_abstract", ("ticket.bp", TICKET), &NEEDED, 8), "safe");
}

/// `x$` is the variable of the other thread too, and C's operators mean the same.
#[test]
fn predicates_may_be_written_in_both_ways() {
    let other = ["s == l", "l<t", "!(t <= s)", "l != l$"];
    assert_eq!(verdict("views_abstract", ("ticket.bp", TICKET), &other, 8), "safe");
}

#[test]
fn the_ticket_lock_needs_each_of_its_predicates() {
    for left_out in NEEDED {
        let rest = NEEDED.into_iter().filter(|predicate| *predicate != left_out).collect::<Vec<_>>();
        let found = ask("views_abstract", &[("depth", 6)], ("ticket.bp", TICKET), &rest, 8);
        let found = found.unwrap_or_else(|rejection| panic!("{rejection}")).outcome;
        assert_eq!(found.conclusion().word(), Some("unknown"), "without {left_out}");
    }
}

/// A value outside of its range is an error of a Boolean program, for these algorithms as for all others.
#[test]
fn repro_a_value_that_leaves_its_range_is_an_error() {
    let text = TICKET.replace("assume(t < 255); ", "");
    let found = ask("views_abstract", &[("depth", 6)], ("ticket.bp", &text), &NEEDED, 8);
    let found = found.unwrap_or_else(|rejection| panic!("{rejection}")).outcome;
    assert_eq!(found.conclusion().word(), Some("unknown"), "it is more than six steps away");
    let few = text.replace("0..255", "0..1");
    assert_eq!(verdict("views_abstract", ("ticket.bp", &few), &NEEDED, 8), "unsafe");
    let one = few.replace("worker*", "worker");
    assert_eq!(verdict("interleaving_abstract", ("ticket.bp", &one), &NEEDED, 8), "unsafe");
    let main = "decl x, y: 0..3 := 0; void main() begin while (*) do x := x + 1; y := x; od end";
    assert_eq!(verdict("summaries_abstract", ("main.bp", main), &["x = y"], 8), "unknown");
}

#[test]
fn an_error_is_a_run_that_replays() {
    let text =
        TICKET.replace("atomic_begin; assume(t < 255); l, t := t, t + 1; atomic_end;", "l := t; t := t + 1;");
    // Two threads are enough, and few numbers.
    let few = text.replace("0..255", "0..7");
    let threads = few.replace("worker*", "worker[2]");
    for (algorithm, params, text) in [
        ("views_abstract", &[("k", 1), ("depth", 14)][..], few),
        ("interleaving_abstract", &[("depth", 14)], threads),
    ] {
        let asked = ask(algorithm, params, ("ticket.bp", &text), &NEEDED, 8);
        let Asked { outcome, request, model } = asked.unwrap_or_else(|rejection| panic!("{rejection}"));
        assert_eq!(outcome.conclusion().word(), Some("unsafe"), "{algorithm}");
        let traced = explain::trace(&request, &Settings::default(), &*model, &outcome);
        match traced.unwrap_or_else(|rejection| panic!("{rejection}")) {
            Some(Traced::Trace(trace)) => assert!(!trace.steps.is_empty()),
            _ => panic!("{algorithm}: no trace"),
        }
    }
}

#[test]
fn some_threads_and_predicates_about_two_of_them() {
    let text = TICKET.replace("worker*", "worker[2]");
    assert_eq!(verdict("interleaving_abstract", ("ticket.bp", &text), &NEEDED, 8), "safe");
    // A single thread has no other one: the predicate is there, and about nobody.
    let one = TICKET.replace("worker*", "worker");
    assert_eq!(verdict("interleaving_abstract", ("ticket.bp", &one), &NEEDED, 8), "safe");
    assert_eq!(verdict("views_abstract", ("ticket.bp", &one), &NEEDED, 8), "safe");
}

const COUNTER: &str = "decl x, y: 0..60000 := 0;
void main() begin
  while (*) do
    assume(x < 60000);
    x := x + 1;
    follow();
  od
  assert(x = y);
end
void follow() begin y := y + 1; end
";

#[test]
fn summaries_know_predicates_before_and_after_a_call() {
    let both = ["x = y", "x = y + 1"];
    assert_eq!(verdict("summaries_abstract", ("counter.bp", COUNTER), &both, 8), "safe");
    assert_eq!(verdict("summaries_abstract", ("counter.bp", COUNTER), &both[..1], 8), "unknown");
    // Without predicates nothing is known of numbers.
    assert_eq!(verdict("summaries_abstract", ("counter.bp", COUNTER), &[], 8), "unknown");
}

#[test]
fn recursion_ends() {
    let text = "decl x, y: 0..60000 := 0;
        void main() begin down(); assert(x = y); end
        void down() begin
          if (* & x < 60000) then x := x + 1; down(); y := y + 1; fi
        end";
    assert_eq!(verdict("summaries_abstract", ("down.bp", text), &["x = y", "y <= x"], 8), "unknown");
}

const TICKET_C: &str = "int s = 0, t = 0;
_Bool inside = 0;
_Thread_local int l;
void *worker(void *arg) {
  __CPROVER_predicate(l != other.l);
  while (1) {
    __VERIFIER_atomic_begin();
    l = t;
    t = t + 1;
    __VERIFIER_atomic_end();
    while (s != l)
      ;
    assert(!inside);
    inside = 1;
    inside = 0;
    s = s + 1;
  }
}
int main() {
  pthread_t id;
  while (1)
    pthread_create(&id, 0, worker, 0);
}
";

/// A signed number may overflow: the verdict says so. The text of a C program may have predicates.
#[test]
fn the_ticket_lock_in_c() {
    let rest = ["s == l", "l < t", "s < t"];
    assert_eq!(verdict("views_abstract", ("ticket.c", TICKET_C), &rest, 5), "bounded");
}

/// Words that meet take turns in diagrams: all 32 bits of three of them are compared here.
#[test]
fn whole_words_are_compared_in_small_diagrams() {
    let query = "use program;
        query Some = exists q, s. pred[1](q, s) & pred[2](q, s) & !pred[3](q, s);
        query Step = exists q, s, p, r. step(q, s, p, r) & pred[1](q, s) & !pred[1](p, r);";
    let file = calculus::span::Source::new("words.fp", query);
    let reading = Options {
        predicates: ["s == l", "l < t", "t - s < 3"].map(String::from).to_vec(),
        words: Words { width: 32, ..Words::default() },
        ..Options::default()
    };
    let options = ProgramOptions { reading, ..ProgramOptions::default() };
    let model = files::read_model(front_end("t.c").expect("C"), "t.c", TICKET_C, &options);
    let model = model.unwrap_or_else(|rejection| panic!("{rejection}"));
    let request =
        Request { model: Some(offered(&*model, &file).expect("the vocabulary")), ..Request::new(file) };
    let mut settings = Settings::default();
    settings.limits.max_nodes = Some(50_000);
    let outcome = run(&request, &settings).unwrap_or_else(|rejection| panic!("{rejection}"));
    let found = outcome.answer.queries.iter().map(|query| query.tuples.is_some()).collect::<Vec<_>>();
    assert_eq!(found, [true, true], "with few nodes");
}

#[test]
fn mistakes_in_predicates_have_a_place() {
    let cases = [
        ("s == x", "predicate::unknown_name"),
        ("other.m = s", "predicate::unknown_name"),
        ("inside + 1 = s", "predicate::type"),
        ("inside = s", "predicate::type"),
        ("1 < 2", "predicate::type"),
        ("other.l = 3", "predicate::type"),
        ("s * t = l", "predicate::product"),
        ("s % t = 1", "predicate::product"),
        ("(s & 5) = 1", "predicate::product"),
        ("s ==", "predicate::syntax"),
        ("(s == l", "predicate::syntax"),
        ("s = l)", "predicate::syntax"),
        ("", "predicate::syntax"),
        ("s = 99999999999999999999", "predicate::syntax"),
        ("s $ t", "predicate::syntax"),
    ];
    for (text, code) in cases {
        let options = Options { predicates: vec![text.into()], ..Options::default() };
        let options = ProgramOptions { reading: options, ..ProgramOptions::default() };
        match fpsolve::model::boolean::program("ticket.bp", TICKET, &options) {
            Ok(_) => panic!("`{text}` is taken"),
            Err(rejection) => {
                assert!(rejection.is_about(code), "{text}: {rejection}");
                let mistake = &rejection.diagnostics[0];
                assert!(!mistake.labels.is_empty(), "{text} has no place");
            }
        }
    }
}

#[test]
fn deep_and_long_predicates_are_refused() {
    let nested = format!("{}s{} = l", "(".repeat(100), ")".repeat(100));
    let long = format!("s = l{}", " + 1".repeat(1_000));
    for text in [nested, long] {
        let options = Options { predicates: vec![text], ..Options::default() };
        let options = ProgramOptions { reading: options, ..ProgramOptions::default() };
        let refused = fpsolve::model::boolean::program("ticket.bp", TICKET, &options);
        assert!(refused.err().is_some_and(|rejection| rejection.is_about("predicate::syntax")));
    }
}

/// Predicates change nothing for other files, and two that mean the same are one.
#[test]
fn predicates_are_counted_once() {
    let loaded =
        load("ticket.bp", TICKET, &Options::default()).unwrap_or_else(|problems| panic!("{problems}"));
    let given = ["s = l", "s == l", "l != other.l"].map(String::from);
    let loaded = fpsolve::model::program::predicate::given(loaded, &given);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}"));
    let texts = loaded.program.predicates.iter().map(|predicate| predicate.text.as_str()).collect::<Vec<_>>();
    assert_eq!(texts, ["s = l", "l != other.l"]);
}

/// The dual-reference program of the thesis knows of each thread whether a predicate holds with *all* others.
const DUAL: [&str; 4] = ["s = l", "t > l & t > other.l", "l != other.l", "s < t"];

fn thesis() -> String {
    TICKET.replace("s, t: 0..255 := 0", "s, t: 0..255 := 1").replace("l: 0..255;", "l: 0..255 := 0;")
}

#[test]
fn the_ticket_lock_as_a_dual_reference_program() {
    let text = thesis();
    assert_eq!(verdict("dual_reference", ("ticket.bp", &text), &DUAL, 8), "safe");
    for left_out in DUAL {
        let rest = DUAL.into_iter().filter(|predicate| *predicate != left_out).collect::<Vec<_>>();
        assert_eq!(
            verdict("dual_reference", ("ticket.bp", &text), &rest, 8),
            "unknown",
            "without {left_out}"
        );
    }
    // A single thread is none of its programs.
    let one = text.replace("worker*", "worker");
    let refused = ask("dual_reference", &[], ("ticket.bp", &one), &DUAL, 8);
    assert!(refused.err().is_some_and(|rejection| rejection.is_about("fp::refused")));
}

/// Each predicate by itself: `x = y` and `x = 0` behind `x, y := y, x` depend on each other.
#[test]
fn cartesian_abstraction_forgets_what_predicates_have_to_do_with_each_other() {
    let text = "decl x, y: 0..20000 := 0; thread one begin
        while (T) do
          atomic_begin; if (*) then x, y := 0, 0; else x, y := 1, 1; fi atomic_end;
          assert(x = 0 & y = 0 | x != 0 & y != 0);
        od
      end";
    let both = ["x = 0", "y = 0"];
    assert_eq!(verdict("views_abstract", ("pair.bp", text), &both, 8), "safe");
    assert_eq!(verdict("views_cartesian", ("pair.bp", text), &both, 8), "unknown");
    assert_eq!(verdict("views_cartesian", ("pair.bp", text), &["(x = 0) = (y = 0)", "x = 0"], 8), "safe");
}

#[test]
fn variants_of_the_thesis_are_never_wrong_and_cartesian_abstraction_never_proves_more() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    // How often nothing, blurring alone, the dual-reference program alone, and both prove a program.
    let (mut proved, mut cartesian, mut wrong) = ([0; 4], 0, 0);
    for number in 0..effort::cases(200) {
        let text = words(&mut random, 0, true, false);
        let predicates = predicates(&mut random, false, true);
        let k = [("k", 1 + number as i64 % 2)];
        let word = |algorithm: &str, params: &[(&str, i64)]| {
            let asked = ask(algorithm, params, ("random.bp", &text), &predicates, 8);
            let asked = asked.unwrap_or_else(|rejection| panic!("{algorithm}: {rejection}\n{text}"));
            asked.outcome.conclusion().word().expect("a verdict")
        };
        let blurred = word("views_abstract", &[k[0], ("depth", 4)]) == "safe";
        let product = word("views_cartesian", &k) == "safe";
        let dual = word("dual_reference", &k) == "safe";
        assert!(
            blurred || !product,
            "program {number} {predicates:?}: Cartesian abstraction proves more\n{text}"
        );
        let Some(expected) = explored(&text, 2) else { continue };
        assert!(!(expected && blurred), "program {number} {predicates:?}: blurring is wrong\n{text}");
        assert!(
            !(expected && dual),
            "program {number} {predicates:?}: the dual-reference program is wrong\n{text}"
        );
        proved[usize::from(blurred) + 2 * usize::from(dual)] += 1;
        cartesian += usize::from(product);
        wrong += usize::from(expected);
    }
    let [none, blur, dual, both] = proved;
    println!(
        "{none} open ({wrong} have an error), {blur} by blurring alone, {dual} by dual references alone, {both} by both"
    );
    println!("{cartesian} by Cartesian abstraction");
    assert!(effort::enough(both, 5), "only {both} were proved by both");
    assert!(effort::enough(wrong, 20), "only {wrong} have an error");
}

/// A blurred set is an inductive invariant, and the predicates are the proof for people.
#[test]
fn proofs_by_predicates_have_certificates() {
    let threads = TICKET.replace("worker*", "worker[2]");
    for (algorithm, name, text, predicates) in [
        ("views_abstract", "ticket.bp", TICKET, &NEEDED[..]),
        ("interleaving_abstract", "ticket.bp", &threads, &NEEDED),
        ("summaries_abstract", "counter.bp", COUNTER, &["x = y", "x = y + 1"]),
        ("dual_reference", "ticket.bp", &thesis(), &DUAL),
    ] {
        let asked = ask(algorithm, &[], (name, text), predicates, 8);
        let Asked { request, .. } = asked.unwrap_or_else(|rejection| panic!("{rejection}"));
        let making = Request { certificate: true, ..request.clone() };
        let outcome = run(&making, &Settings::default()).unwrap_or_else(|rejection| panic!("{rejection}"));
        let certificate =
            outcome.certificate.as_ref().expect("asked for").as_ref().expect("no limit").clone();
        let written = CertificateFile { subject: CertifiedSubject::of_outcome(&outcome), certificate }.text();
        let checked = |text: &str| certify(text, &request, None, &Settings::default());
        let certified = checked(&written).unwrap_or_else(|failure| panic!("{algorithm}: {failure:?}"));
        let message = certified.message.expect("the predicates");
        for predicate in predicates {
            assert!(message.contains(predicate), "{algorithm}: {predicate} is not in `{message}`");
            assert!(
                written.contains(&format!("{predicate:?}")),
                "{algorithm}: {predicate} is not in the text"
            );
        }
        // Other predicates than those of the proof, and other ones for people.
        let fewer = ask(algorithm, &[], (name, text), &predicates[1..], 8);
        let fewer = fewer.unwrap_or_else(|rejection| panic!("{rejection}")).request;
        let refused = certify(&written, &fewer, None, &Settings::default());
        assert!(matches!(refused, Err(Failure::Refused(_))), "{algorithm}: other predicates");
        let renamed = written.replacen(predicates[0], "s = s", 1);
        assert!(matches!(checked(&renamed), Err(Failure::Refused(_))), "{algorithm}: told wrongly");
        // An upper bound without its tuples.
        let mut damaged: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        for bound in damaged["bounds"].as_array_mut().expect("a list") {
            for stage in bound["stages"].as_array_mut().expect("a list") {
                stage["values"]
                    .as_array_mut()
                    .expect("a list")
                    .iter_mut()
                    .for_each(|value| *value = 0.into());
            }
        }
        let refused = checked(&damaged.to_string());
        assert!(matches!(refused, Err(Failure::Refused(_))), "{algorithm}: nothing is reached");
    }
}

/// Two ways to say the same about 32 bits agree, and both can hold and fail.
#[test]
fn predicates_about_whole_words_mean_what_they_say() {
    let cases = [
        ("s == l", "!(s < l) & !(l < s)"),
        ("s < t", "!(t <= s)"),
        ("s + 1 == t", "t - s = 1"),
        ("l - s = 5", "l == s + 5"),
        ("t >= 70000", "!(t < 70000)"),
        ("(l & 255) == 3", "l % 256 < 4 & 2 < l % 256"),
        ("s == l && l < t", "s = l & s < t & l < t"),
        ("s < l || t < s", "!(l <= s & s <= t)"),
        ("l == 2147483647", "l > 2147483646"),
    ];
    for (text, same) in cases {
        let query = "use program;
            query Holds = exists q, s. pred[1](q, s);
            query Fails = exists q, s. step(q, s, q, s) & !pred[1](q, s);
            query Differs = exists q, s. pred[1](q, s) & !pred[2](q, s) | !pred[1](q, s) & pred[2](q, s);";
        let file = calculus::span::Source::new("same.fp", query);
        let reading = Options {
            predicates: vec![text.into(), same.into()],
            words: Words { width: 32, ..Words::default() },
            ..Options::default()
        };
        let options = ProgramOptions { reading, ..ProgramOptions::default() };
        let model = files::read_model(front_end("t.c").expect("C"), "t.c", TICKET_C, &options);
        let model = model.unwrap_or_else(|rejection| panic!("{text}: {rejection}"));
        let model = Some(offered(&*model, &file).expect("the vocabulary"));
        let outcome = run(&Request { model, ..Request::new(file) }, &Settings::default());
        let outcome = outcome.unwrap_or_else(|rejection| panic!("{text}: {rejection}"));
        let found = outcome.queries().iter().map(|query| query.word()).collect::<Vec<_>>();
        let expected = ["true", "true", "false"].map(|word| Some(word.to_string()));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn products_in_the_program_are_refused_at_their_place() {
    let text = TICKET_C.replace("s = s + 1", "s = s * t");
    let refused = ask("views_abstract", &[], ("ticket.c", &text), &["s == l"], 32);
    let Err(rejection) = refused else { panic!("a product of 64 bits is taken") };
    assert!(rejection.is_about("c::unsupported"), "{rejection}");
    let (span, _) = rejection.diagnostics[0].labels[0];
    let line = 1 + text[..text.find("s * t").expect("it is there")].matches('\n').count();
    assert_eq!(rejection.sources.line(span), line);
    // By a constant it is small.
    let text = TICKET_C.replace("s = s + 1", "s = s * 3");
    let found = ask("views_abstract", &[("depth", 3)], ("ticket.c", &text), &["s == l"], 32);
    assert_eq!(
        found.unwrap_or_else(|rejection| panic!("{rejection}")).outcome.conclusion().word(),
        Some("unknown")
    );
}

/// A thread transition system has no numbers, so nothing is forgotten of it.
#[test]
fn repro_thread_transition_systems_are_their_own_outlines() {
    let text = "2 3\n0 0 -> 1 1\n1 1 -> 0 2\n";
    for (target, expected) in [("0|2", "unsafe"), ("1|2", "unsafe"), ("1|0", "unsafe"), ("0|1", "safe")] {
        let file = files::find("views_abstract", &[]).expect("bundled");
        let reading =
            Options { initial: Some("0/0".into()), target: vec![target.into()], ..Options::default() };
        let options = ProgramOptions { reading, ..ProgramOptions::default() }.for_file(handles_calls(&file));
        let model = files::read_model(front_end("x.tts").expect("a model"), "x.tts", text, &options);
        let model = model.unwrap_or_else(|rejection| panic!("{rejection}"));
        let model = Some(offered(&*model, &file).expect("the vocabulary"));
        let outcome = run(&Request { model, ..Request::new(file) }, &Settings::default());
        let outcome = outcome.unwrap_or_else(|rejection| panic!("{rejection}"));
        assert_eq!(outcome.conclusion().word(), Some(expected), "{target}");
    }
}
