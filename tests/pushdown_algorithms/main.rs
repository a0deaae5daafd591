//! The algorithms for pushdown systems and linear temporal logic, on random systems, against explicit saturation, Qadeer
//! and Rehof's iteration, exploration with bounded stacks and direct evaluation of formulas, which were written apart.
//!
//! `FPSOLVE_TESTS` sets how many systems are tried.

#[path = "../../calculus/tests/effort/mod.rs"]
mod effort;
mod formulas;
mod rounds;
mod saturation;
mod system;
mod threads;

use calculus::solve::Settings;
use calculus::span::Source;
use fpsolve::model::options::FormulaText;
use fpsolve::model::{Model, ProgramOptions, pds};
use fpsolve::run::examine::{CaseResult, examine};
use fpsolve::run::{Outcome, Request, files, offered, run};
use rounds::Visible;
use std::collections::BTreeSet;
use system::{BOTTOM, Random, System};

/// A run of an algorithm on a system.
struct Case<'a> {
    system: &'a System,
    formula: Option<String>,
}

impl Case<'_> {
    fn model(&self) -> Box<dyn Model> {
        let mut options = ProgramOptions::default();
        options.reading.initial = Some(self.system.initial());
        options.reading.target = vec![self.system.wanted()];
        options.formula = self.formula.clone().map(|text| FormulaText { name: "--ltl".into(), text });
        let model = pds::system("random.pds", &self.system.text(), &options);
        Box::new(model.unwrap_or_else(|rejection| panic!("{rejection}\n{}", self.system.told())))
    }

    fn run(&self, model: &dyn Model, algorithm: &str, params: &[(&str, i64)]) -> Outcome {
        self.run_file(model, files::find(algorithm, &[]).expect("the algorithm is bundled"), params)
    }

    fn run_file(&self, model: &dyn Model, file: Source, params: &[(&str, i64)]) -> Outcome {
        let request = Request {
            model: Some(offered(model, &file).expect("it is offered")),
            params: params.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
            ..Request::new(file)
        };
        let settings = Settings { list: usize::MAX, early_stop: false, ..Settings::default() };
        run(&request, &settings).unwrap_or_else(|rejection| panic!("{rejection}"))
    }
}

fn word(outcome: &Outcome) -> &'static str {
    outcome.conclusion().word().expect("all files have verdicts")
}

/// The shared states and tops of a query `NAME(s, a)` or `NAME(s, v)`.
fn visible(outcome: &Outcome, name: &str) -> BTreeSet<Visible> {
    let queries = outcome.complete_queries();
    let query = queries.iter().find(|query| query.name == name).expect("the query is there");
    let (_, rows) = query.answer.as_ref().expect("it is solved");
    let number = |text: &str| if text == "-" { BOTTOM } else { text.parse().expect("a number") };
    let read = |row: &Vec<calculus::sort::Value>| {
        let shown = |at: usize| outcome.show(query.columns[at].sort, &row[at]);
        let tops = shown(1);
        let tops = tops.trim_matches(['[', ']']).split(", ").map(number).collect();
        (number(&shown(0)), tops)
    };
    rows.iter().map(read).collect()
}

#[test]
fn post_star_and_pre_star_find_what_saturation_finds() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let cases = effort::cases(300);
    let mut hits = 0;
    for number in 0..cases {
        let system = System::random(&mut random, 1);
        let heads = saturation::heads(&system.threads[0], system.start, &system.stacks[0]);
        let hit = heads.iter().any(|(state, top)| system.is_target(*state, &[*top]));
        hits += usize::from(hit);
        let expected = if hit { "unsafe" } else { "safe" };
        let case = Case { system: &system, formula: None };
        let model = case.model();
        let about = format!("system {number}\n{}", system.told());
        let forwards = case.run(&*model, "post_star", &[]);
        assert_eq!(word(&forwards), expected, "post_star, {about}");
        let found = visible(&forwards, "Visible").into_iter().map(|(state, tops)| (state, tops[0]));
        assert_eq!(found.collect::<BTreeSet<_>>(), heads, "post_star, {about}");
        let backwards = case.run(&*model, "pre_star", &[]);
        assert_eq!(word(&backwards), expected, "pre_star, {about}");
        // From a head a target can be reached above what is below, or it is one of those from which it cannot.
        let can = visible(&backwards, "Can").into_iter().map(|(state, tops)| (state, tops[0]));
        let can = can.collect::<BTreeSet<_>>();
        for (state, top) in heads.iter().filter(|(_, top)| *top != BOTTOM) {
            let above = saturation::heads(&system.threads[0], *state, &[*top, usize::MAX]);
            let meets =
                above.iter().any(|(state, top)| *top != usize::MAX && system.is_target(*state, &[*top]));
            assert_eq!(can.contains(&(*state, *top)), meets, "pre_star, head {state} {top}, {about}");
        }
    }
    assert!(effort::enough(hits, 60), "{hits} of {cases} targets are reached");
}

#[test]
fn buchi_finds_the_runs_that_meet_targets_for_ever() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let cases = effort::cases(300);
    let mut repeating = 0;
    for number in 0..cases {
        let system = System::random(&mut random, 1);
        let begin = (system.start, &system.stacks[0][..]);
        let accepting = |state: usize, top: usize| system.is_target(state, &[top]);
        let repeats = saturation::repeats(&system.threads[0], system.shared, begin, accepting);
        repeating += usize::from(repeats);
        let case = Case { system: &system, formula: None };
        let found = case.run(&*case.model(), "buchi", &[]);
        let expected = if repeats { "unsafe" } else { "safe" };
        assert_eq!(word(&found), expected, "system {number}\n{}", system.told());
    }
    assert!(effort::enough(repeating, 30), "{repeating} of {cases} repeat");
}

#[test]
fn threads_show_within_rounds_what_the_iteration_of_qadeer_and_rehof_shows() {
    let mut random = Random(0x0dd0_beef_1234_5679);
    let cases = effort::cases(300);
    let (mut compared, mut converged, mut proved, mut hits) = (0, 0, 0, 0);
    for number in 0..cases {
        let threads = 2 + usize::from(random.one_in(4));
        let system = System::random(&mut random, threads);
        let given = 1 + random.below(2);
        let Some(shown) = rounds::rounds(&system, given + 3) else { continue };
        compared += 1;
        let case = Case { system: &system, formula: None };
        let model = case.model();
        let about = format!("system {number}, {given} rounds\n{}", system.told());
        let meets =
            |seen: &BTreeSet<Visible>| seen.iter().any(|(state, tops)| system.is_target(*state, tops));
        let (within, later) = (&shown[given - 1], &shown[given + 2]);
        let params = [("rounds", given as i64)];
        let bounded = case.run(&*model, "cba", &params);
        let hit = meets(within);
        hits += usize::from(hit);
        assert_eq!(word(&bounded), if hit { "unsafe" } else { "bounded" }, "cba, {about}");
        let tall = [("rounds", given as i64), ("tall", 1 + random.below(2) as i64)];
        let unbounded = case.run(&*model, "cuba", &tall);
        assert_eq!(&visible(&unbounded, "All"), within, "cuba, {about}");
        assert_eq!(word(&unbounded) == "unsafe", hit, "cuba, {about}");
        if word(&unbounded) == "safe" {
            converged += 1;
            assert_eq!(later, within, "cuba, {about}");
        }
        let induction = case.run(&*model, "k_induction_stacks", &tall);
        assert_eq!(word(&induction) == "unsafe", hit, "k_induction_stacks, {about}");
        if word(&induction) == "safe" {
            proved += 1;
            assert!(!meets(later), "k_induction_stacks, {about}");
        }
    }
    let found =
        format!("{compared} of {cases} compared, {hits} unsafe, {converged} converged, {proved} proved");
    assert!(effort::enough(compared, 150) && effort::enough(hits, 25), "{found}");
    assert!(effort::enough(converged, 50) && effort::enough(proved, 50), "{found}");
}

#[test]
fn stacks_show_what_exploration_with_bounded_stacks_shows() {
    let mut random = Random(0x5eed_5eed_5eed_5eed);
    let cases = effort::cases(300);
    let (mut compared, mut proved, mut enough) = (0, 0, 0);
    for number in 0..cases {
        let threads = 1 + random.below(3);
        let system = System::random(&mut random, threads);
        let depth = 2 + random.below(2);
        let (Some((seen, deeper)), Some((later, _))) =
            (rounds::explore(&system, depth), rounds::explore(&system, depth + 3))
        else {
            continue;
        };
        compared += 1;
        let about = format!("system {number}, depth {depth}\n{}", system.told());
        let meets =
            |seen: &BTreeSet<Visible>| seen.iter().any(|(state, tops)| system.is_target(*state, tops));
        let case = Case { system: &system, formula: None };
        let model = case.model();
        let found = case.run(&*model, "stacks", &[("depth", depth as i64)]);
        assert_eq!(visible(&found, "Visible"), seen, "stacks, {about}");
        let expected = match (meets(&seen), deeper) {
            (true, _) => "unsafe",
            (false, true) => "bounded",
            (false, false) => "safe",
        };
        enough += usize::from(!deeper);
        assert_eq!(word(&found), expected, "stacks, {about}");
        let tall = 1 + random.below(2) as i64;
        let found = case.run(&*model, "cuba_depth", &[("depth", depth as i64), ("tall", tall)]);
        assert_eq!(word(&found) == "unsafe", meets(&seen), "cuba_depth, {about}");
        if word(&found) == "safe" {
            proved += 1;
            assert_eq!(later, seen, "cuba_depth, {about}");
        }
    }
    let found = format!("{compared} of {cases} compared, {enough} deep enough, {proved} proved");
    assert!(
        effort::enough(compared, 150) && effort::enough(proved, 45) && effort::enough(enough, 45),
        "{found}"
    );
}

/// Two pops bring 3 to the top; a stack that is cut off must not look safe.
#[test]
fn repro_an_initial_stack_is_not_cut_off() {
    let rule = |top, word: &[usize]| system::Rule { from: 0, top, to: 0, word: word.to_vec() };
    let system = System {
        shared: 1,
        threads: vec![vec![rule(1, &[]), rule(2, &[])]],
        start: 0,
        stacks: vec![vec![1, 2, 3, BOTTOM]],
        target: (0, vec![Some(3)]),
    };
    let case = Case { system: &system, formula: None };
    let model = case.model();
    assert_eq!(word(&case.run(&*model, "stacks", &[("depth", 2)])), "bounded");
    assert_eq!(word(&case.run(&*model, "stacks", &[("depth", 3)])), "unsafe");
    assert_eq!(word(&case.run(&*model, "cuba_depth", &[("depth", 2)])), "unknown");
    assert_eq!(word(&case.run(&*model, "cuba_depth", &[("depth", 3)])), "unsafe");
    for algorithm in ["post_star", "pre_star", "cba", "cuba"] {
        assert_eq!(word(&case.run(&*model, algorithm, &[])), "unsafe", "{algorithm}");
    }
}

/// What the examples with formulas say they answer.
#[test]
fn examples_with_formulas_answer_as_they_say() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ltl");
    let names =
        files::walk(&[folder.to_string_lossy().into_owned()], &["bp", "pds"]).expect("there are examples");
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        let file = files::find(&name, &[]).expect("an example");
        let examination = examine(&file, &Settings::default, &[]);
        assert!(!examination.cases.is_empty(), "{name} has no expectations");
        for one in examination.cases {
            assert_eq!(one.result, CaseResult::Met, "{name}:{} {}", one.line, one.text);
        }
    }
}

/// A file of a user's own: the stacks of the set are read by an automaton over the symbols of the target, the bottom, and
/// all others, with places 0 to 2.
fn regular(edges: &BTreeSet<(usize, usize, usize)>, ends: &BTreeSet<usize>) -> String {
    const CLASSES: [&str; 3] = ["Wanted(a)", "empty(a) & !Wanted(a)", "!empty(a) & !Wanted(a)"];
    let any = |parts: Vec<String>| if parts.is_empty() { "false & x = x".into() } else { parts.join(" | ") };
    let next = edges.iter().map(|(from, class, to)| format!("x = {from} & {} & y = {to}", CLASSES[*class]));
    let first = edges.iter().filter(|(from, ..)| *from == 0);
    let first = first.map(|(_, class, to)| format!("{} & x = {to}", CLASSES[*class]));
    let end = ends.iter().map(|place| format!("x = {place}"));
    format!(
        "use pushdown;\nrange P = 0..2;\nlet Wanted(a: Symbol) = exists i. target_top[1](i, a);\n\
         let First(s: Shared, a: Symbol, x: P) = (exists i. target(i, s)) & a = a & ({});\n\
         let Next(x: P, a: Symbol, y: P) = a = a & y = y & ({});\nlet End(x: P) = {};\n\
         use \"pushdown/lib/regular.fp\" with Place = P, goal_first = First, goal_next = Next, goal_end = End;\n\
         query Hit = Reached;\nverdict unsafe if Hit;\nverdict safe;\n",
        any(first.collect()),
        any(next.collect()),
        any(end.collect()),
    )
}

#[test]
fn regular_sets_are_reached_if_saturation_meets_them() {
    let mut random = Random(0x2222_1111_4444_3333);
    let cases = effort::cases(300);
    let mut hits = 0;
    for number in 0..cases {
        let system = System::random(&mut random, 1);
        let edges = (0..2 + random.below(6)).map(|_| (random.below(3), random.below(3), random.below(3)));
        let edges = edges.collect::<BTreeSet<_>>();
        let ends = (0..1 + random.below(2)).map(|_| random.below(3)).collect::<BTreeSet<_>>();
        let class = |symbol: usize| match () {
            () if system.is_target(system.target.0, &[symbol]) => 0,
            () if symbol == BOTTOM => 1,
            () => 2,
        };
        let reached =
            saturation::reach(&system.threads[0], system.start, &saturation::Stacks::word(&system.stacks[0]));
        // Both automata read the same stack: the stacks that are reached, and those of the set.
        let hit = reached.get(&system.target.0).is_some_and(|stacks| {
            let (mut seen, mut work) = (BTreeSet::new(), vec![(0, 0)]);
            while let Some(now) = work.pop() {
                if seen.insert(now) {
                    for (_, symbol, to) in stacks.edges.iter().filter(|(from, ..)| *from == now.0) {
                        let next =
                            edges.iter().filter(|(from, read, _)| (*from, *read) == (now.1, class(*symbol)));
                        work.extend(next.map(|(.., place)| (*to, *place)));
                    }
                }
            }
            let last = |node: usize| stacks.edges.iter().all(|(from, ..)| *from != node);
            seen.into_iter().any(|(node, place)| last(node) && ends.contains(&place))
        });
        hits += usize::from(hit);
        let case = Case { system: &system, formula: None };
        let text = regular(&edges, &ends);
        let file = Source::new("regular.fp", text.as_str());
        let found = case.run_file(&*case.model(), file, &[]);
        let expected = if hit { "unsafe" } else { "safe" };
        assert_eq!(word(&found), expected, "system {number}\n{}{text}", system.told());
    }
    assert!(
        effort::enough(hits, 15) && effort::enough(cases - hits, 30),
        "{hits} of {cases} sets are reached"
    );
}
