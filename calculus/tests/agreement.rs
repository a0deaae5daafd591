//! The solver must agree with the oracle: on random files, and on cases that once went wrong.
//!
//! `FPSOLVE_TESTS` sets how many random files are tried, `FPSOLVE_SEED` chooses others.

mod bundled;
mod certificates;
mod chance;
mod derivations;
mod effort;
mod families;
mod models;
mod numbers;
mod oracle;
mod parity;
mod random;
mod treatments;

use calculus::bdd::Reorder;
use calculus::elaborate::elaborate;
use calculus::solve::{Explanation, Goal, Pattern, Progress, Settings, explain, solve};
use calculus::sort::Value;
use oracle::{Answers, TooLarge};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use random::draft::Draft;
use random::features::Features;
use random::{Files, Profile};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use treatments::{Keys, Rejected, Treatment, agree};

/// Steps the oracle may take for one file.
const STEPS: u64 = 2_000_000;

/// What became of the files of one test.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    rejected: usize,
    /// Their mistakes, and how often each occurred.
    reasons: std::collections::BTreeMap<String, usize>,
    too_large: usize,
    /// The check that is going on, or has failed.
    failing: Option<Check>,
    features: Features,
    certificates: certificates::Judged,
    derivations: derivations::Confirmed,
}

fn seed() -> u32 {
    std::env::var("FPSOLVE_SEED").map_or(0, |value| value.parse().expect("FPSOLVE_SEED is a number"))
}

/// Solver and oracle agree on random files of this kind.
fn agree_on(profile: Profile, kind: u8, cases: u32) -> Tally {
    let mut key = [kind; 32];
    key[..4].copy_from_slice(&seed().to_le_bytes());
    let config = Config {
        cases: effort::cases(cases as usize) as u32,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
    let tally = RefCell::new(Tally::default());
    let result = TestRunner::new_with_rng(config, rng).run(&Files(profile), |draft| one(&draft, &tally));
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, draft)) => panic!("{why}\n{}", draft.text()),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
    let tally = tally.into_inner();
    println!("{tally:#?}");
    assert!(tally.rejected * 10 < tally.files * 4, "too many files are rejected");
    assert!(tally.too_large * 20 < tally.files, "too many files are too large");
    // A part of the files need not have everything.
    if effort::is_fast() {
        return tally;
    }
    let judged = &tally.certificates;
    let kinds =
        [judged.true_claims, judged.false_claims, judged.forged, judged.broken, judged.staged, judged.nested];
    assert!(kinds.iter().all(|count| *count > 0), "few certificates of some kind");
    let told = &tally.derivations;
    let kinds = [told.open, told.facts, told.negated, told.cases, told.returns, told.assumed, told.ranked];
    assert!(kinds.iter().all(|count| *count > 0), "few explanations of some kind");
    tally
}

fn one(draft: &Draft, tally: &RefCell<Tally>) -> Result<(), TestCaseError> {
    let mut tally = tally.borrow_mut();
    tally.files += 1;
    let text = draft.text();
    let system = match treatments::checked(&text, None, Keys::AsWritten) {
        Ok(system) => system,
        Err(Rejected(why)) => {
            tally.rejected += 1;
            *tally.reasons.entry(why).or_default() += 1;
            return Ok(());
        }
    };
    let answers = match oracle::answers(&system, STEPS) {
        Ok(answers) => answers,
        Err(TooLarge) => {
            tally.too_large += 1;
            return Ok(());
        }
    };
    if let Some(Check::Certificates(seed)) = tally.failing {
        let judged = certificates::judge(&system, &answers, seed, &mut tally.certificates);
        return judged.map_err(TestCaseError::fail);
    }
    if let Some(Check::Derivations(seed)) = tally.failing {
        return derived(&text, seed, &mut tally.derivations);
    }
    if let Some(failing) = tally.failing {
        return failing.run(draft, &text, &answers);
    }
    tally.features.add(&system, &answers, STEPS);
    let mut checks = treatments::some(tally.files).map(Check::Treatment).collect::<Vec<_>>();
    if tally.files.is_multiple_of(4) {
        checks.push(Check::Parentheses);
    }
    if tally.files % 4 == 1 {
        checks.push(Check::Abstracted(tally.files));
    }
    if tally.files % 4 == 2 {
        checks.push(Check::Library(tally.files));
    }
    if tally.files.is_multiple_of(16) {
        let seed = tally.files as u64;
        tally.failing = Some(Check::Certificates(seed));
        certificates::judge(&system, &answers, seed, &mut tally.certificates).map_err(TestCaseError::fail)?;
        tally.failing = None;
    }
    if tally.files % 8 == 5 {
        let seed = tally.files / 8;
        tally.failing = Some(Check::Derivations(seed));
        derived(&text, seed, &mut tally.derivations)?;
        tally.failing = None;
    }
    for check in checks {
        // It stays there if the check fails, also by a panic: then smaller files undergo the same check.
        tally.failing = Some(check);
        check.run(draft, &text, &answers)?;
        tally.failing = None;
    }
    Ok(())
}

/// Its tuples have derivations, and others have none. The number chooses the treatment.
fn derived(text: &str, seed: usize, confirmed: &mut derivations::Confirmed) -> Result<(), TestCaseError> {
    let keys = [Keys::AsWritten, Keys::None, Keys::All][seed % 3];
    // Each explanation solves the file again, so there are fewer of them where that takes long.
    let (reorder, most) = if seed.is_multiple_of(8) { (Reorder::Always, 1) } else { (Reorder::Off, 6) };
    let Ok(system) = treatments::checked(text, None, keys) else { return Ok(()) };
    derivations::confirm(&system, (reorder, most, STEPS), confirmed).map_err(TestCaseError::fail)
}

/// One way to look at a file.
#[derive(Clone, Copy, Debug)]
enum Check {
    Treatment(Treatment),
    /// Parentheses that the precedences make superfluous change nothing.
    Parentheses,
    /// Definitions become families that are indexed by the relations they mention; the number chooses how.
    Abstracted(usize),
    /// Definitions move into a library; the number chooses what that leaves open.
    Library(usize),
    /// Claims have certificates if they are true; the number chooses how these are tampered with.
    Certificates(u64),
    /// Tuples are explained; the number chooses how.
    Derivations(usize),
}

impl Check {
    fn run(self, draft: &Draft, text: &str, answers: &Answers) -> Result<(), TestCaseError> {
        let result = match self {
            Check::Treatment(treatment) => treatments::compare(text, None, answers, treatment),
            Check::Parentheses => same_with_parentheses(draft, answers),
            Check::Abstracted(seed) => same_otherwise(&families::abstracted(text, seed), answers, seed),
            Check::Library(seed) => same_otherwise(&families::with_library(text, seed), answers, seed),
            Check::Certificates(_) | Check::Derivations(_) => unreachable!("they need the system"),
        };
        result.map_err(|why| TestCaseError::fail(format!("{self:?}: {why}")))
    }
}

/// A file in another form means the same.
fn same_otherwise(text: &str, expected: &Answers, seed: usize) -> Result<(), String> {
    for treatment in treatments::some(seed).take(2) {
        treatments::compare(text, None, expected, treatment)
            .map_err(|why| format!("{treatment:?}: {why}\n{text}"))?;
    }
    Ok(())
}

fn same_with_parentheses(draft: &Draft, expected: &Answers) -> Result<(), String> {
    let text = draft.parenthesized();
    let system = treatments::checked(&text, None, Keys::AsWritten)
        .map_err(|Rejected(why)| format!("{why}\n{text}"))?;
    match oracle::answers(&system, STEPS * 2) {
        Ok(answers) if answers.queries != expected.queries || answers.verdict != expected.verdict => {
            Err(format!("other answers for\n{text}"))
        }
        _ => Ok(()),
    }
}

/// Together the random files use everything the language has.
fn assert_rich(tally: &Tally, absent: &[&str]) {
    let missing = tally.features.missing();
    assert!(
        effort::is_fast() || missing.iter().all(|feature| absent.contains(feature)),
        "no random file has {missing:?}"
    );
}

#[test]
fn plain_files_agree() {
    let tally =
        agree_on(Profile { parts: 15, families: 0, together: 40, greatest: 25, deep: 0, symbols: 0 }, 1, 700);
    assert_rich(&tally, &["family", "kinds by index", "three blocks", "four blocks"]);
}

#[test]
fn files_of_records_and_vectors_agree() {
    let tally = agree_on(
        Profile { parts: 85, families: 10, together: 35, greatest: 25, deep: 0, symbols: 0 },
        2,
        500,
    );
    assert_rich(&tally, &["kinds by index", "three blocks", "four blocks"]);
}

#[test]
fn files_of_families_agree() {
    let tally = agree_on(
        Profile { parts: 25, families: 65, together: 40, greatest: 25, deep: 0, symbols: 0 },
        3,
        500,
    );
    assert_rich(&tally, &["three blocks", "four blocks"]);
}

#[test]
fn files_of_mixed_fixed_points_agree() {
    let tally =
        agree_on(Profile { parts: 15, families: 5, together: 85, greatest: 50, deep: 0, symbols: 0 }, 4, 500);
    assert_rich(&tally, &["kinds by index", "four blocks"]);
}

#[test]
fn files_of_deeply_nested_fixed_points_agree() {
    let tally = agree_on(
        Profile { parts: 15, families: 0, together: 50, greatest: 50, deep: 90, symbols: 0 },
        5,
        500,
    );
    assert_rich(&tally, &["family", "kinds by index"]);
}

#[test]
fn files_of_families_with_kinds_by_index_agree() {
    let tally = agree_on(
        Profile { parts: 5, families: 90, together: 85, greatest: 50, deep: 30, symbols: 0 },
        6,
        500,
    );
    assert_rich(&tally, &[]);
    assert!(effort::enough(tally.features.counts["kinds by index"], 25), "few kinds by index");
}

#[test]
fn files_of_texts_agree() {
    let profile = Profile { parts: 30, families: 15, together: 40, greatest: 25, deep: 0, symbols: 70 };
    let tally = agree_on(profile, 7, 500);
    let counts = &tally.features.counts;
    for feature in
        ["texts", "texts from inputs", "no text at all", "texts of a record or vector", "text as a key"]
    {
        let found = counts.get(feature).copied().unwrap_or(0);
        assert!(effort::enough(found, 10), "few files have {feature}: {found}");
    }
}

/// Tuples of all its relations are explained rightly, with and without keys.
fn explain_all(text: &str) {
    (0..3).for_each(|seed| {
        derived(text, seed, &mut Default::default()).unwrap_or_else(|why| panic!("{why}\n{text}"))
    });
}

/// Locations in a row, each with a loop that counts: location by location, the counter is full after one pass; in layers,
/// every location grows in every layer.
const COUNTING: &str = "keyed range Location = 0..300;
     range Count = 0..300;
     mu Reach(l: Location, c: Count) =
         start: l = 0 & c = 0
       | count: exists d. Reach(l, d) & c = d + 1
       | on: exists k. Reach(k, c) & l = k + 1;
     query Last = Reach(300, 300);
     query Never(c: Count) = Reach(300, c) & c < 0;";

/// How often a relation took up new rows while something was done.
fn rounds_of(what: impl FnOnce(&Settings)) -> u64 {
    let rounds = Rc::new(Cell::new(0));
    let told = rounds.clone();
    let progress = move |now: &Progress| told.set(told.get() + u64::from(now.clause.is_none()));
    what(&Settings { progress: Some(Rc::new(progress)), ..Settings::default() });
    rounds.get()
}

#[test]
fn repro_an_explanation_takes_little_more_than_solving() {
    let system =
        treatments::checked(COUNTING, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
    let (core, _) = elaborate(&system);
    let solving = rounds_of(|settings| {
        solve(&system, &core, settings);
    });
    assert!((600..1000).contains(&solving), "{solving}");
    let at =
        |name: &str| core.relations.entries().find(|(_, relation)| relation.title == name).expect(name).0;
    let there = vec![Pattern::Is(Value::Int(300)), Pattern::Is(Value::Int(300))];
    for (relation, pattern, is_there) in [("Reach", there, true), ("Never", vec![Pattern::Any], false)] {
        let goal = Goal::Tuple { relation: at(relation), pattern };
        let explaining = rounds_of(|settings| match explain(&core, settings, &goal) {
            // A derivation from (0, 0) to (300, 300) has 601 tuples, whatever the order.
            Explanation::Present(derivation) => assert!(is_there && derivation.nodes.len() == 601),
            Explanation::Absent(_) => assert!(!is_there),
            Explanation::TooMany => unreachable!("it is no strategy"),
            Explanation::Stopped(stop) => panic!("{stop}"),
        });
        // In layers alone it would be 90,000.
        assert!(explaining < 5 * solving, "{explaining} of {solving}");
    }
}

#[test]
fn inner_fixed_points_go_on_from_what_is_known() {
    let text = "range N = 0..30;
         let Next(x, y: N) = y = x + 1 | x = 30 & y = 0;
         mu X(x: N) = Y(x);
         nu Y(x: N) = Z(x);
         mu Z(x: N) =
             (exists y. Next(x, y) & (x = 10 | x = 20) & X(y))
           | (exists y. Next(x, y) & (x = 5 | x = 15 | x = 25) & Y(y))
           | (exists y. Next(x, y) & x < 29 & Z(y))
           | x = 29;
         query Q(x: N) = X(x);";
    let answers = agree(text);
    assert_eq!(answers.queries[0].len(), 30);
    let system = treatments::checked(text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
    let (core, _) = elaborate(&system);
    let rounds = |recycle: bool| {
        rounds_of(|settings| {
            solve(&system, &core, &Settings { recycle, ..settings.clone() });
        })
    };
    let (anew, recycled) = (rounds(false), rounds(true));
    assert!(recycled * 4 < anew * 3, "{recycled} of {anew}");
    explain_all(text);
}

#[test]
fn repro_what_is_absent_is_explained_without_listing_all_keys() {
    // Ten billion ways to choose three locations before the second atom is looked at.
    let text = "keyed range Location = 0..2199;
         rel One(l: Location) = { 7 };
         rel Edge(k, l: Location) = { (1, 2) };
         let Three(l: Location) = exists i, j, k. One(i) & Edge(i, j) & Edge(j, k) & Edge(k, l);
         query Any = exists l. Three(l);";
    let system = treatments::checked(text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
    let (core, _) = elaborate(&system);
    let (relation, _) =
        core.relations.entries().find(|(_, relation)| relation.title == "Three").expect("Three");
    let goal = Goal::Tuple { relation, pattern: vec![Pattern::Any] };
    let Explanation::Absent(attempts) = explain(&core, &Settings::default(), &goal) else { panic!("there") };
    assert_eq!(attempts.iter().map(|attempt| attempt.fails).collect::<Vec<_>>(), [Some(1)]);
}

#[test]
fn repro_a_negated_relation_that_is_not_solved_explains_nothing() {
    explain_all(
        "range S = 0..5;
         mu P(c: S) = c < 3 | P(c);
         query Yes = true;
         verdict unsafe if (Yes <-> false) | P(2);",
    );
}

#[test]
fn repro_a_negated_relation_that_is_taken_back_explains_nothing() {
    explain_all(
        "range S = 0..3;
         rel none() = { };
         mu P(c: S) = c = c | P(3) & P(c);
         query Q(c: S) = (P(c) <-> none) | true;",
    );
}

#[test]
fn repro_a_tuple_of_nested_fixed_points_does_not_explain_itself() {
    explain_all(
        "range S = 0..3;
         rel move(x, y: S) = { (0, 1), (1, 0), (1, 2), (2, 3) };
         mu Settle(x: S) = Avoid(x);
         nu Avoid(x: S) = forall y. move(x, y) -> Avoid(y) & (x != 0 | Settle(y));
         query Both(x: S) = Settle(x) & Avoid(x);",
    );
}

#[test]
fn repro_an_inner_fixed_point_is_explained_for_the_last_value_of_the_outer_one() {
    explain_all(
        "range S = 0..4;
         rel move(x, y: S) = { (0, 1), (1, 2), (2, 3), (3, 3), (4, 2), (2, 4) };
         nu Again(x: S) = Meet(x);
         mu Meet(x: S) = (x = 2 & exists y. move(x, y) & Again(y)) | exists y. move(x, y) & Meet(y);
         query Q(x: S) = Again(x);",
    );
}

#[test]
fn repro_a_settled_variable_keeps_its_shift() {
    agree(
        "range S = -1..1;
         query Q(c: S) = exists x. c > x - 1 & x = 1;
         query None(c: S) = exists x. c > x - 1 & x = -1;",
    );
}

#[test]
fn repro_a_declared_sort_goes_before_a_literal() {
    agree(
        "rel p(v: bool[0..1]) = { [true, false] };
         query Q = exists v. v = [true, false] & p(v);",
    );
}

#[test]
fn repro_a_static_disjunct_hides_the_clauses_behind_it() {
    let answers = agree(
        "range N = 1..3;
         let Low[i in 1..2](x: N) = x < i + 1;
         let Any[i in 1..3](x: N) = i = 1 | Low[i-1](x);
         query First(x: N) = Any[1](x);
         query Last(x: N) = Any[3](x);",
    );
    assert_eq!(answers.queries.iter().map(|tuples| tuples.len()).collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn a_term_has_no_value_if_a_part_has_none() {
    let answers = agree(
        "range N = 1..3;
         record R { f: N, g: N }
         query Back(x: N) = (x + 1) - 1 = x;
         query Other(r: R) = { r with f = r.f + 1 }.g = r.g;
         query Literal(x, y: N) = [x + 1, y][2] = y;
         query Overwritten(v: N[1..2]) = v[1 := v[1] - 1][1 := v[1]] = v;
         query Far(x: N) = x + 9223372036854775807 = x | !(x - 9223372036854775807 = x);
         query Not(x: N) = x + 1 != 2;
         query Atom(x: N) = !Back(x + 1);",
    );
    let sizes = answers.queries.iter().map(|tuples| tuples.len()).collect::<Vec<_>>();
    // What a number is computed from need not lie in a range: (x + 1) - 1 is x.
    assert_eq!(sizes, [3, 6, 6, 6, 3, 2, 1]);
}

#[test]
fn the_first_verdict_that_holds_is_the_answer() {
    let answers = agree(
        "range N = 0..9;
         mu Up(x: N) = x = 0 | exists y. Up(y) & x = y + 1;
         mu Down(x: N) = x = 9 | exists y. Down(y) & x = y - 1;
         query All(x: N) = Up(x) & Down(x);
         verdict unknown if !Up(9);
         verdict unsafe if Down(0) & Up(9);
         verdict safe if Up(1);
         verdict bounded;",
    );
    assert_eq!(answers.verdict, Some(1));
    assert_eq!(answers.rounds, 11);
}

#[test]
fn sorts_and_relations_without_choice_are_handled() {
    agree(
        "keyed enum One { Only }
         range Seven = 7..7;
         rel yes() = { () };
         rel no() = { };
         nu Both(x: One, n: Seven, v: One[1..0]) = (yes -> !no) & (x = Only <-> n = 7) & v = [] & Both(x, n, v[1..0]);
         mu Self[i in 1..2] = Self[i]() | i = 2 & yes;
         query Q(x: One, n: Seven, v: One[1..0]) = Both(x, n, v);
         query None(n: Seven) = n + 1 = n | n < n;
         query Twice = Self[2]() & !Self[1]();
         verdict safe if Twice & !(exists n. None(n));",
    );
}

/// The key of an explanation was computed as if it were a number, and got lost.
#[test]
fn repro_keys_that_are_no_numbers_are_computed() {
    explain_all(
        "keyed enum S { A, B }
         record R { f: S, g: S }
         let P(c: S, r: R) = exists x. c > A <-> R { f = x, g = r.f } = R { f = r.f, g = r.f };
         query Q(c: S, r: R) = P(c, r);",
    );
}

#[test]
fn numbers_of_every_kind_agree() {
    const SORTS: &str = "range N = -3..4;
         keyed range K = 0..5;
         record Pair { a: N, b: 0..2 }
         rel few(x: N) = { -3, 0, 2, 4 };";
    // A file each: what a treatment costs grows with the variables of the whole file.
    let files = [
        "query Sum(x, y, z: N) = z = x + y;
         query Atoms(x, y: N) = few(min(x, y) + 1) & !few(max(x, y) - 2 * x);",
        "query Less(x, y: N, k: K) = x - y * 2 < 2 - y & k = k * 3 % 4;
         query Halves(x: N, h: -2..2) = h = x / 2 & x % -3 = 1 | h = x / -2 & few(-x);",
        "query Keys(k, l: K) = l = (k + 4) % 6 | exists m: K. m = l / 2 & k = m + l;
         query Parts(p: Pair) = { p with a = p.a + p.b }.b = p.b & p.a * 0 = 0;",
        "mu Steps(k: K, x: N) = k = 0 & x = -3 | exists j, y. exists i: 0..1. Steps(j, y) & k = (j + 1) % 4 & i = j % 2 & x = y + i;
         query All(k: K, x: N) = Steps(k, x);
         query Mixed(k: K, i: 0..3, x: N) = x = i - 1 & few(x + i + 1) & k = i + i;",
    ];
    let answers = files.map(|file| agree(&format!("{SORTS}\n{file}")));
    let sizes = answers.iter().flat_map(|answers| &answers.queries);
    let sizes = sizes.map(|tuples| tuples.len()).collect::<Vec<_>>();
    assert_eq!((sizes.len(), sizes[0]), (8, 48));
    assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
}

#[test]
fn sums_of_a_million_values_are_no_enumeration() {
    let text = "range N = 0..1_048_575;
         mu Fibonacci(x, y: N) = x = 0 & y = 1 | exists z. Fibonacci(z, x) & y = z + x;
         query Last(x: N) = exists y. Fibonacci(x, y) & !exists z: N. z = x + y;
         query Triples(x, y, z: N) = x + y = z & z % 3 = 0 & min(x, y) > 5;
         query Halves(x, y: N) = y = x / 2;";
    let system = treatments::checked(text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
    let (core, _) = elaborate(&system);
    let answer = solve(&system, &core, &Settings::default());
    let counts = answer.queries.iter().flat_map(|query| &query.tuples).map(|tuples| tuples.count.to_string());
    let counts = counts.collect::<Vec<_>>();
    assert_eq!(counts, ["1", "183248267965", "1048576"]);
}
