//! Predicates that are found by refinement: each is needed for the run that it was found for, the proof with all of them holds,
//! and an error is one of the program.

#[path = "../calculus/tests/effort/mod.rs"]
mod effort;

use fpsolve::explain::{self, Traced};
use fpsolve::model::options::{Options, Words};
use fpsolve::model::registry::front_end;
use fpsolve::model::route::{Route, RouteStep, RouteThread};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::refine::{End, Question, Round, refine, refine_until, settles, still_has};
use fpsolve::run::{Request, Settings, files, handles_calls, offered, run};
use std::collections::BTreeMap;

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
        settings: Settings::default(),
        rounds: 20,
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
    let mut before: Vec<String> = Vec::new();
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

const TICKET: &str = "decl s, t: 0..255 := 0; decl inside := F;
thread worker* begin
  decl l: 0..255 := 0;
  while (T) do
    atomic_begin; assume(t < 255); l, t := t, t + 1; atomic_end;
    assume(s = l);
    assert(!inside); inside := T; inside := F;
    s := s + 1;
  od
end
";

#[test]
fn the_predicates_of_the_ticket_lock_are_found() {
    let mut question = question("seats_abstract", &[("k", 2)], ("ticket.bp", TICKET), 8);
    let (end, rounds) = refined(&mut question);
    assert_eq!(end, End::NoError);
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
    if !effort::is_fast() {
        found_in_c(include_str!("../examples/abstraction/ticket_backoff.c"), 32);
    }
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

/// The loop is left after two rounds of 22 steps: farther than the abstract algorithms look for errors.
#[test]
fn an_error_behind_two_refinements_is_one_of_the_program() {
    let skips = "skip; ".repeat(20);
    let text = format!(
        "void main() begin decl n: 0..1000 := 0; while (n < 2) do n := n + 1; {skips} od assert(F); end"
    );
    let mut question = question("interleaving_abstract", &[], ("late.bp", &text), 8);
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
    let mut question = question("seats_abstract", &[("k", 2)], ("ticket.bp", TICKET), 8);
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
