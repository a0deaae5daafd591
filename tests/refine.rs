//! Predicates that are found by refinement: each is needed for the run that it was found for, the proof with all of them holds,
//! and an error is one of the program. Names for values of C programs that are on their way.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::Random;
use calculus::bdd::Reorder;
use fpsolve::explain::{self, Traced};
use fpsolve::model::options::{Options, Words};
use fpsolve::model::program::predicate::is_predicate;
use fpsolve::model::registry::front_end;
use fpsolve::model::route::{Route, RouteStep, RouteThread};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::refine::{End, Question, Round, Sought, refine, refine_until, settles, still_has};
use fpsolve::run::{Request, Settings, files, handles_calls, offered, run};
use std::collections::BTreeMap;
use support::effort;

fn question<'a>(
    search: &str,
    params: &[(&str, i64)],
    (name, text): (&'a str, &str),
    width: u32,
) -> Question<'a> {
    let reading = Options { words: Words { width, ..Words::default() }, ..Options::default() };
    Question {
        search: files::find(search, &[]).expect("a bundled file"),
        params: params.iter().map(|(name, value)| (name.to_string(), *value)).collect::<BTreeMap<_, _>>(),
        program: name,
        text: text.into(),
        front_end: front_end(name).expect("a model"),
        options: ProgramOptions { reading, ..ProgramOptions::default() },
        settings: Settings { reorder: Reorder::Off, ..Settings::default() },
        rounds: 20,
        sought: Sought::Errors,
    }
}

fn refined(question: &mut Question) -> (End, Vec<Round>) {
    let mut rounds = Vec::new();
    let end = refine(question, &mut |round| rounds.push(round.clone()));
    (end.unwrap_or_else(|rejection| panic!("{rejection}")), rounds)
}

/// The verdict of an algorithm with the predicates that were found, at a width.
fn verdict(algorithm: &str, question: &Question, params: &[(&str, i64)], width: u32) -> &'static str {
    let file = files::find(algorithm, &[]).expect("a bundled file");
    let mut options = question.options.for_file(handles_calls(&file));
    options.reading.words.width = width;
    let model = files::read_model(question.front_end, question.program, &question.text, &options);
    let model: Box<dyn Model> = model.unwrap_or_else(|rejection| panic!("{rejection}"));
    let params = params.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let vocabulary = offered(&*model, &file).unwrap_or_else(|rejection| panic!("{rejection}"));
    let request = Request { params, model: Some(vocabulary), ..Request::new(file) };
    let outcome = run(&request, &Settings::default()).unwrap_or_else(|rejection| panic!("{rejection}"));
    outcome.conclusion().word().expect("an algorithm with verdicts")
}

/// Without any of the predicates that a round found, the abstraction has the run again; with all of them it has not.
fn each_is_needed(question: &mut Question, rounds: &[Round]) {
    let all = std::mem::take(&mut question.options.reading.predicates);
    let count = rounds.iter().map(|round| round.found.len()).sum::<usize>();
    let mut before = all[..all.len() - count].to_vec();
    for round in rounds {
        let mut ask = |predicates: Vec<String>| {
            question.options.reading.predicates = predicates;
            still_has(question, &round.route).unwrap_or_else(|rejection| panic!("{rejection}"))
        };
        for left_out in &round.found {
            let rest = round.found.iter().filter(|predicate| *predicate != left_out);
            let with = before.iter().chain(rest).cloned().collect();
            assert_eq!(ask(with), Some(true), "without {left_out}");
        }
        before.extend(round.found.iter().cloned());
        assert_eq!(ask(before.clone()), Some(false), "with {:?}", round.found);
    }
    assert_eq!(before, all);
    question.options.reading.predicates = all;
}

/// With 8 bits, or with 5 if little is to be tested: no predicates are needed for 4.
fn ticket() -> String {
    let last = if effort::is_fast() { 31 } else { 255 };
    format!(
        "decl s, t: 0..{last} := 0; decl inside := F;
thread worker* begin
  decl l: 0..{last} := 0;
  while (T) do
    atomic_begin; assume(t < {last}); l, t := t, t + 1; atomic_end;
    assume(s = l);
    assert(!inside); inside := T; inside := F;
    s := s + 1;
  od
end
"
    )
}

#[test]
fn the_predicates_of_the_ticket_lock_are_found() {
    let text = ticket();
    let mut question = question("seats_abstract", &[], ("ticket.bp", &text), 8);
    let mut rounds = Vec::new();
    // What few threads need is found first, as the command does it.
    for k in 1..=2 {
        question.params.insert("k".into(), k);
        let (end, more) = refined(&mut question);
        assert_eq!(end, End::NoError);
        rounds.extend(more);
    }
    assert!(rounds.len() > 1, "{rounds:?}");
    let found = &question.options.reading.predicates;
    assert!(found.iter().any(|predicate| predicate.contains("other.")), "about two threads: {found:?}");
    assert_eq!(verdict("views_abstract", &question, &[("k", 2)], 8), "safe");
    each_is_needed(&mut question, &rounds);
}

/// The form of C, proved for any number of threads with all its bits. Two threads and the one that makes them have no abstract
/// run any more after two rounds; views of two threads still have an error, so another thread takes part.
fn found_in_c(text: &str, width: u32) {
    let lines = text.lines().filter(|line| !line.contains("__CPROVER_predicate"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut question = question("seats_abstract", &[("k", 2)], ("ticket.c", &text), 5);
    let (end, mut rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    if effort::is_fast() {
        // Another thread takes most of the time.
        assert_eq!(rounds.len(), 2, "{rounds:?}");
        return each_is_needed(&mut question, &rounds);
    }
    let proof = files::find("views_abstract", &[]).expect("a bundled file");
    let two = BTreeMap::from([("k".to_string(), 2)]);
    let enough = |question: &Question| settles(question, &proof, &two);
    assert!(!enough(&question).expect("an answer"), "{rounds:?}");
    question.params.insert("k".into(), 3);
    let mut tell = |round: &Round| rounds.push(round.clone());
    let end = refine_until(&mut question, &mut tell, &mut |question| enough(question));
    assert_eq!(end.unwrap_or_else(|rejection| panic!("{rejection}")), End::Enough);
    assert_eq!(rounds.len(), 3, "{rounds:?}");
    assert_eq!(verdict("views_abstract", &question, &[("k", 2)], width), "safe");
    each_is_needed(&mut question, &rounds);
}

#[test]
fn the_predicates_of_the_ticket_lock_in_c_are_found() {
    found_in_c(include_str!("../examples/abstraction/ticket.c"), 32);
}

#[test]
fn the_predicates_of_the_ticket_lock_with_back_off_are_found() {
    found_in_c(include_str!("../examples/abstraction/ticket_backoff.c"), 32);
}

const COUNTER: &str = "#include <limits.h>
int s = 0;
void *thread(void *arg) {
  int m = 0, l = 0;
  _Bool done = 0;
  while (!done) {
    m = s;
    if (m == INT_MAX)
      return 0;
    l = m + 1;
    __VERIFIER_atomic_begin();
    if (s == m) {
      s = l;
      done = 1;
    }
    __VERIFIER_atomic_end();
  }
  assert(s > m);
  return 0;
}
int main() {
  pthread_t id;
  while (1)
    pthread_create(&id, 0, thread, 0);
}
";

/// What few bits show is proved with all of them.
#[test]
fn predicates_that_few_bits_show_prove_all_bits() {
    let mut question = question("seats_abstract", &[("k", 1)], ("counter.c", COUNTER), 5);
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    assert!(!rounds.is_empty());
    assert_eq!(verdict("views_abstract", &question, &[("k", 1)], 32), "safe");
    each_is_needed(&mut question, &rounds);
}

/// The loop is left after two rounds of 35 steps: farther than the abstract algorithms look for errors.
#[test]
fn an_error_behind_two_refinements_is_one_of_the_program() {
    let text = include_str!("../examples/abstraction/two_attempts.bp");
    let mut question = question("interleaving_abstract", &[], ("two_attempts.bp", text), 8);
    assert_eq!(verdict("interleaving_abstract", &question, &[], 8), "unknown");
    let (end, rounds) = refined(&mut question);
    let End::Real(steps) = end else { panic!("{end:?} after {rounds:?}") };
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    assert!(steps > 40, "{steps}");
    let found = verdict("interleaving_abstract", &question, &[("depth", steps as i64 + 1)], 8);
    assert_eq!(found, "unsafe");
    each_is_needed(&mut question, &rounds);
}

/// Without numbers nothing is left out, so the abstraction has the runs of the program.
#[test]
fn nothing_is_found_where_nothing_is_abstracted() {
    let text = "decl x := F; thread a begin x := T; assert(x); end thread b begin x := F; end";
    let mut question = question("interleaving_abstract", &[], ("flags.bp", text), 8);
    let (end, rounds) = refined(&mut question);
    assert_eq!((end, rounds), (End::NoError, Vec::new()), "the error is found at once");
    assert_eq!(verdict("interleaving_abstract", &question, &[], 8), "unsafe");
}

#[test]
fn rounds_are_limited() {
    let mut question = question("seats_abstract", &[("k", 2)], ("ticket.bp", &ticket()), 8);
    question.rounds = 1;
    let (end, rounds) = refined(&mut question);
    assert_eq!((end, rounds.len()), (End::Rounds, 1));
}

/// The names that a file with `use route;` sees, and what it is told without a run.
#[test]
fn a_route_is_a_chapter() {
    let text = "thread a begin decl x; x := T; end";
    let model = fpsolve::model::boolean::program("a.bp", text, &ProgramOptions::default());
    let model = model.unwrap_or_else(|rejection| panic!("{rejection}"));
    let thread = RouteThread { position: Some(1), from: 0 };
    let step = RouteStep { thread: 0, new: None, from: 0, to: 1 };
    let route = Route { threads: vec![thread], steps: vec![step, RouteStep { from: 1, to: 0, ..step }] };
    let file = calculus::span::Source::new(
        "route.fp",
        "use program; use route;
         query Sits(q: State) = sits[1](q);
         query There(i: 0..route.length) = there[1](i);
         query Goes(i: 0..route.length, a, b: Pc) = goes[route.seats](i, a, b);
         query Makes(i: 0..route.length) = makes[1](i);",
    );
    let mut vocabulary = model.vocabulary.clone();
    route.add_to(&mut vocabulary);
    let request = Request { model: Some(vocabulary), ..Request::new(file.clone()) };
    let outcome = run(&request, &Settings::default()).unwrap_or_else(|rejection| panic!("{rejection}"));
    let counts = outcome.queries().into_iter().map(|query| query.answer.map(|(count, _)| count));
    assert_eq!(counts.collect::<Option<Vec<_>>>().unwrap(), ["2", "3", "2", "0"]);
    assert_eq!(route.first(1).steps.len(), 1);
    assert!(offered(&model, &file).err().is_some_and(|rejection| rejection.is_about("fp::vocabulary")));
}

/// The interpreter tried all values of 32 bits for what the model leaves open because nobody reads it later.
#[test]
fn repro_wide_values_that_are_open_are_not_tried_one_by_one() {
    let text = "unsigned int __VERIFIER_nondet_uint();
int main() {
  unsigned int x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  int i;
  for (i = 0; i < x; i++)
    ;
  assert(i == x && (x == 0 || y <= x + 1));
}
";
    let mut question = question("interleaving_abstract", &[], ("open.c", text), 32);
    let (_, rounds) = refined(&mut question);
    assert!(rounds.len() < 20, "{rounds:?}");
    let file = files::find("interleaving_abstract", &[]).expect("a bundled file");
    let options = question.options.for_file(handles_calls(&file));
    let model = files::read_model(question.front_end, "open.c", text, &options);
    let model: Box<dyn Model> = model.unwrap_or_else(|rejection| panic!("{rejection}"));
    let vocabulary = offered(&*model, &file).unwrap_or_else(|rejection| panic!("{rejection}"));
    let request = Request { model: Some(vocabulary), ..Request::new(file) };
    let settings = Settings::default();
    let outcome = run(&request, &settings).unwrap_or_else(|rejection| panic!("{rejection}"));
    assert_eq!(outcome.conclusion().word(), Some("unsafe"));
    let traced = explain::trace(&request, &settings, &*model, &outcome);
    let traced = traced.unwrap_or_else(|rejection| panic!("{rejection}"));
    assert!(!matches!(traced, None | Some(Traced::Wrong(_))), "{traced:?}");
}

fn some_are_on_their_way(rounds: &[Round]) -> bool {
    rounds.iter().flat_map(|round| &round.found).any(|predicate| predicate.contains('@'))
}

/// One of the two numbers that are compared is read in a step of its own.
#[test]
fn a_value_that_was_read_and_not_yet_compared_has_a_name() {
    let text = include_str!("../examples/abstraction/pair.c");
    let mut question = question("seats_abstract", &[("k", 2)], ("pair.c", text), 5);
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    assert!(some_are_on_their_way(&rounds), "{rounds:?}");
    assert_eq!(verdict("views_abstract", &question, &[("k", 2)], 32), "safe");
    each_is_needed(&mut question, &rounds);
}

/// A lock that is a variable, and numbers that go around: three are read and written one by one.
#[test]
fn numbers_that_go_around_under_a_lock_stay_different() {
    let text = "int a, b, lock; int __VERIFIER_nondet_int(); void abort();
void __VERIFIER_atomic_take() { if (lock != 0) abort(); lock = 1; }
void *turn(void *arg) {
  while (1) {
    __VERIFIER_atomic_take();
    int old = a;
    a = b;
    b = old;
    lock = 0;
  }
}
int main() {
  pthread_t id;
  a = __VERIFIER_nondet_int();
  b = __VERIFIER_nondet_int();
  if (a == b)
    return 0;
  pthread_create(&id, 0, turn, 0);
  __VERIFIER_atomic_take();
  assert(a != b);
}
";
    let mut question = question("interleaving_abstract", &[], ("turn.c", text), 5);
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    assert!(some_are_on_their_way(&rounds), "{rounds:?}");
    if effort::is_fast() {
        return;
    }
    assert_eq!(verdict("interleaving_abstract", &question, &[], 32), "safe");
    each_is_needed(&mut question, &rounds);
}

/// What is written later outside of the lock is an error that the predicates lead to.
#[test]
fn an_error_of_values_on_their_way_is_one_of_the_program() {
    let text = "int a, b; int __VERIFIER_nondet_int(); pthread_mutex_t m;
void *set(void *arg) {
  int v = __VERIFIER_nondet_int();
  a = v;
  b = v;
}
void *look(void *arg) {
  if (a != b)
    assert(a == b);
}
int main() {
  pthread_t id;
  pthread_create(&id, 0, look, 0);
  while (1)
    pthread_create(&id, 0, set, 0);
}
";
    let mut question = question("seats_abstract", &[("k", 2)], ("late.c", text), 5);
    let (end, rounds) = refined(&mut question);
    let End::Real(steps) = end else { panic!("{end:?} after {rounds:?}") };
    let found = verdict("views_abstract", &question, &[("k", 2), ("depth", steps as i64 + 1)], 8);
    assert_eq!(found, "unsafe");
    each_is_needed(&mut question, &rounds);
}

/// A proof as long as no value leaves its word; then what shows that none does.
#[test]
fn that_no_value_leaves_its_word_is_found_too() {
    let text = "int n; pthread_mutex_t m;
void *count(void *arg) {
  pthread_mutex_lock(&m);
  n++;
  n--;
  pthread_mutex_unlock(&m);
}
int main() {
  pthread_t id;
  pthread_create(&id, 0, count, 0);
  pthread_mutex_lock(&m);
  assert(n > -2);
}
";
    let mut question = question("interleaving_abstract", &[], ("count.c", text), 5);
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    each_is_needed(&mut question, &rounds);
    assert_eq!(verdict("interleaving_abstract", &question, &[], 32), "bounded");
    if effort::is_fast() {
        return;
    }
    question.sought = Sought::LeftWords;
    question.options.reading.words.width = 32;
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    assert!(!rounds.is_empty());
    assert_eq!(verdict("interleaving_abstract", &question, &[], 32), "safe");
    each_is_needed(&mut question, &rounds);
}

/// One that counts without an end does leave it, and is followed there.
#[test]
fn a_value_that_can_leave_its_word_is_followed() {
    let text = "int n; int main() { while (1) { if (n == -1) assert(0); n = n + 1; } }";
    let mut question = question("interleaving_abstract", &[], ("up.c", text), 5);
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
    question.sought = Sought::LeftWords;
    let predicates = question.options.reading.predicates.len();
    let (end, more) = refined(&mut question);
    assert!(matches!(end, End::Real(_) | End::Rounds), "{end:?} after {rounds:?} and {more:?}");
    question.options.reading.predicates.truncate(predicates);
    assert_eq!(verdict("interleaving_abstract", &question, &[("depth", 4)], 5), "bounded");
}

#[test]
fn names_of_values_on_their_way_are_read_as_they_are_told() {
    let text = "int a, b, c[3]; struct { int next; } s; int __VERIFIER_nondet_int();
int twice() { return a + b; }
void *one(void *arg) {
  int x = __VERIFIER_nondet_int() % 3 * 3;
  if (a + b == a + b)
    { int x = c[b]; if (s.next == a) s.next = x; }
  return 0;
}
int main() {
  pthread_t id;
  pthread_create(&id, 0, one, 0);
  a = twice() + twice();
}
";
    let reading = Options { words: Words { width: 8, ..Words::default() }, ..Options::default() };
    let (loaded, _) =
        fpsolve::model::c::load("a.c", text, &reading).unwrap_or_else(|rejection| panic!("{rejection}"));
    let is_name = |name: &str| is_predicate(&loaded.program, &format!("{name} == 1"));
    for name in ["a@5", "a@5#2", "@5", "s.next@6", "c[]@6", "@4", "a@2", "other.a@5 + a@5", "x#2"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["a@6", "a@5#9", "a@", "@", "@5x", "a@b", "1", "b@", ".a@5", "a @5", "a@5'2", "x#3"] {
        assert!(!is_name(name), "{name}");
    }
}

/// A thread of a random program: reads, writes, comparisons, one statement a line.
fn statements(random: &mut Random, text: &mut String, local: &str) {
    const GLOBAL: [&str; 3] = ["x", "y", "z"];
    for _ in 0..2 + random.below(3) {
        let (one, other) = (GLOBAL[random.below(3)], GLOBAL[random.below(3)]);
        let number = random.below(3);
        let line = match random.below(10) {
            0 => format!("{one} = {other} + 1;"),
            1 => format!("{one} = {number};"),
            2 => format!("{one} = {other};"),
            3 => format!("{one} = {local};"),
            4 => format!("{local} = {one} + {other};"),
            5 => format!("if ({one} != {other}) {one} = {other} - {number};"),
            6 => format!("{local} = {one};"),
            7 => format!("if ({one} < {local}) {other} = {one} + {local};"),
            _ => {
                let comparison = ["==", "!=", "<=", "<"][random.below(4)];
                format!("assert({one} {comparison} {other} + {number});")
            }
        };
        text.push_str(&format!("  {line}\n"));
    }
}

fn random_program(random: &mut Random) -> String {
    let mut text = String::from("int x, y = 1, z = 2; void *t(void *arg) { int l = 0;\n");
    statements(random, &mut text, "l");
    text.push_str("}\nint main() { int m = 1; pthread_t id; pthread_create(&id, 0, t, 0);\n");
    statements(random, &mut text, "m");
    text.push_str("}\n");
    text
}

/// Predicates about variables of a random program, and about values on their way.
fn random_predicates(random: &mut Random, program: &fpsolve::model::program::Program) -> Vec<String> {
    let mut predicates: Vec<String> = Vec::new();
    let names = ["x", "y", "z", "l", "m"];
    for _ in 0..200 {
        let line = 2 + random.below(12);
        let way = format!("{}@{line}", ["x", "y", "z", ""][random.below(4)]);
        let left = if random.below(3) > 0 { way } else { names[random.below(5)].to_string() };
        let right = match random.below(6) {
            0 => random.below(3).to_string(),
            1 => "other.l".into(),
            _ => names[random.below(5)].into(),
        };
        let predicate = format!("{left} {} {right}", ["==", "<", "<="][random.below(3)]);
        if predicates.len() < 4 && is_predicate(program, &predicate) {
            predicates.push(predicate);
        }
    }
    predicates
}

/// Against the exact answer with as many bits: proofs hold, and errors are there.
#[test]
fn proofs_of_random_programs_by_values_on_their_way_are_never_wrong() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut safe, mut bounded, mut errors, mut open, mut ways) = (0, 0, 0, 0, 0);
    for number in 0..effort::cases(200) {
        let text = random_program(&mut random);
        let words = Words { width: 5, ..Words::default() };
        let reading = Options { words, ..Options::default() };
        let (loaded, _) = fpsolve::model::c::load("random.c", &text, &reading)
            .unwrap_or_else(|rejection| panic!("{rejection}\n{text}"));
        let mut question = question("interleaving_abstract", &[], ("random.c", &text), 5);
        // Words that are left are no errors.
        question.options.reading.words.left_out = Some("values outside".into());
        let error = verdict("interleaving", &question, &[], 5) == "unsafe";
        question.options.reading.words.left_out = None;
        let leaves = verdict("interleaving", &question, &[], 5) == "unsafe" && !error;
        let predicates = random_predicates(&mut random, &loaded.program);
        ways += usize::from(predicates.iter().any(|predicate| predicate.contains('@')));
        question.options.reading.predicates = predicates.clone();
        let found = verdict("interleaving_abstract", &question, &[], 5);
        let told = || format!("program {number}: {found} with {predicates:?}\n{text}");
        match found {
            "safe" => {
                assert!(!error && !leaves, "{}", told());
                safe += 1;
            }
            "bounded" => {
                assert!(!error, "{}", told());
                bounded += 1;
            }
            "unsafe" => {
                assert!(error || leaves, "{}", told());
                errors += 1;
            }
            _ => open += 1,
        }
    }
    println!("{safe} safe, {bounded} bounded, {errors} unsafe, {open} open; {ways} with values on their way");
    assert!(effort::enough(safe + bounded, 10), "only {safe} and {bounded} were proved");
    assert!(effort::enough(errors, 20), "only {errors} errors");
    assert!(effort::enough(ways, 100), "only {ways} have such predicates");
}
