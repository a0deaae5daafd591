//! k-induction: what it proves is true, what it refutes is false, and it needs exactly as many epochs as lemma 3.1
//! says, computed with explicit sets from the tables of the model.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, singles};
use calculus::sort::Value;
use calculus::span::Source;
use fpsolve::model::interpret::ExplorationLimits;
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::run::deepen::{Deepening, deepen};
use fpsolve::run::{Outcome, Settings, files, run};
use std::collections::{BTreeSet, HashMap, VecDeque};
use support::{Treatment, effort, interpreted, request, run_file, verdict};

const LIMITS: ExplorationLimits = ExplorationLimits { states: 15_000, stack: 5, all_targets: false };

fn treatment(number: usize) -> Treatment {
    Treatment { inline: Inline::Always, ..Treatment::number(number) }
}

fn file() -> Source {
    files::find("k_induction", &[]).expect("it is bundled")
}

/// The file with something changed: the text must stand in it once.
fn changed(file: Source, from: &str, to: &str) -> Source {
    assert_eq!(file.text.matches(from).count(), 1, "{from}");
    Source::new(file.name, file.text.replace(from, to))
}

/// A closed query is true, or an open one has tuples.
fn holds(outcome: &Outcome, query: &str) -> bool {
    let queries = outcome.queries();
    let query = queries.iter().find(|one| one.name == query).expect("a query");
    !["false", "0 tuples"].contains(&query.word().expect("an answer").as_str())
}

fn rows(outcome: &Outcome, query: &str) -> Vec<Vec<Value>> {
    let queries = outcome.queries();
    let query = queries.iter().find(|one| one.name == query).expect("a query");
    query.answer.as_ref().expect("an answer").1.clone()
}

fn literal(random: &mut Random) -> &'static str {
    ["a", "b", "!a", "!b", "m", "!m"][random.below(6)]
}

/// Waits for something and does something, at once or one after the other.
fn hand_over(random: &mut Random) -> String {
    let target = ["a", "b", "a", "b", "m"][random.below(5)];
    let value = ["T", "F", "T", "F", "m", "a"][random.below(6)];
    let (wait, act) = (format!("assume({});", literal(random)), format!("{target} := {value};"));
    match random.below(6) {
        0 => format!("atomic_begin; {wait} {act} atomic_end;\n"),
        1 => format!("if ({}) then {act} fi\n", literal(random)),
        2 => format!("while (*) do {wait} {act} od\n"),
        3 => format!("{act}\n"),
        _ => format!("{wait} {act}\n"),
    }
}

/// Threads that wait for each other, and check something now and then: an error may be several epochs away.
fn waiting(random: &mut Random, threads: usize, most: usize) -> String {
    let mut text = String::from("decl a, b;\ninit begin a, b := F, F; end\n");
    for thread in 0..threads {
        let mut body = (0..1 + random.below(most)).map(|_| hand_over(random)).collect::<String>();
        if thread == 0 || random.below(3) == 0 {
            body += &format!("assert({} | {});\n", literal(random), literal(random));
        }
        text += &format!("thread t{thread} begin decl m := F;\n{body}end\n");
    }
    text
}

#[test]
fn verdicts_on_random_threads_are_those_of_the_interpreter() {
    compare_verdicts(Random(0x6a09_e667_f3bc_c908));
}

#[test]
fn verdicts_on_other_random_threads_are_those_of_the_interpreter() {
    compare_verdicts(Random(0xbb67_ae85_84ca_a73b));
}

fn compare_verdicts(mut random: Random) {
    let (mut refuted, mut proved, mut open) = (0, 0, 0);
    let backward = "\nquery Backward =
        exists q, s. (each i in 1..n: start[i](q[i])) & Init(s) & Back[k, 1](q, s);\n";
    for number in 0..effort::cases(150) {
        let threads = 2 + number % 2;
        let text = match number % 3 {
            0 => singles(&mut random, threads, false),
            _ => waiting(&mut random, threads, 4),
        };
        let (k, envelope) = ([1, 1, 2, 3][number / 2 % 4], 1 + number / 3 % 3);
        let treatment = Treatment { early_stop: false, ..treatment(number) };
        let about = format!("program {number}, k = {k}, envelope {envelope}, {treatment:?}\n{text}");
        let file = Source::new(file().name, format!("{}{backward}", file().text));
        let params = [("k", k as i64), ("envelope", envelope as i64)];
        let (request, solving) = request(file, &params, &text, &treatment).expect("a program");
        let outcome = run(&request, &Settings { list: 0, ..solving }).expect("a run");
        let found = outcome.conclusion().word();
        if let Some(expected) = interpreted(&text, 0, Some(k), LIMITS) {
            assert_eq!(found == Some("unsafe"), expected, "{about}");
        }
        // The base case, forward and backward.
        assert_eq!(holds(&outcome, "Hit"), holds(&outcome, "Backward"), "{about}");
        assert_eq!(holds(&outcome, "Hit"), holds(&outcome, "Where"), "{about}");
        match found {
            Some("unsafe") => refuted += 1,
            Some("safe") => {
                assert!(!holds(&outcome, "Blocking"), "{about}");
                assert_ne!(interpreted(&text, 0, None, LIMITS), Some(true), "{about}");
                proved += 1;
            }
            _ => {
                assert!(holds(&outcome, "Blocking"), "{about}");
                open += 1;
            }
        }
    }
    assert!(
        effort::enough(refuted, 25) && effort::enough(proved, 25) && effort::enough(open, 5),
        "{refuted} refuted, {proved} proved, {open} open"
    );
}

type Local = Vec<Value>;

/// The tables of a program: what the vocabulary offers, row by row.
struct Tables {
    steps: HashMap<(Value, Value), Vec<(Value, Value)>>,
    yields: BTreeSet<(Value, Value)>,
    targets: BTreeSet<Value>,
    starts: Vec<Vec<Value>>,
    flow: Vec<Vec<Value>>,
    init: Vec<Value>,
    shared: Vec<Value>,
    fails: bool,
}

/// All threads, the shared state, and who runs.
type Node = (Local, Value, usize);

impl Tables {
    fn new(text: &str, threads: usize) -> Tables {
        let mut file = String::from(
            "use program;
             use \"lib/init.fp\";
             query Steps(q: State, s: Shared, q': State, s': Shared) = step(q, s, q', s');
             query Yields(q: State, s: Shared) = yield(q, s);
             query Targets(q: State) = target(q);
             query Initial(s: Shared) = Init(s);
             query All(s: Shared) = s = s;
             query Fails = InitFails;
             hint symbolic Pc;\n",
        );
        for t in 1..=threads {
            file += &format!("query Start{t}(q: State) = start[{t}](q);\n");
            file += &format!("query Flow{t}(q: State) = reach_cfg[{t}](q);\n");
        }
        let file = Source::new("tables.fp", file);
        let treatment = Treatment { inline: Inline::Always, ..Treatment::default() };
        let outcome = run_file(file, &[], text, &treatment).expect("tables");
        let column = |query: &str| rows(&outcome, query).into_iter().map(|row| row[0].clone()).collect();
        let mut steps: HashMap<_, Vec<_>> = HashMap::new();
        for row in rows(&outcome, "Steps") {
            let [q, s, p, r] = <[Value; 4]>::try_from(row).expect("four columns");
            steps.entry((q, s)).or_default().push((p, r));
        }
        Tables {
            steps,
            yields: rows(&outcome, "Yields")
                .into_iter()
                .map(|row| (row[0].clone(), row[1].clone()))
                .collect(),
            targets: rows(&outcome, "Targets").into_iter().map(|row| row[0].clone()).collect(),
            starts: (1..=threads).map(|t| column(&format!("Start{t}"))).collect(),
            flow: (1..=threads).map(|t| column(&format!("Flow{t}"))).collect(),
            init: column("Initial"),
            shared: column("All"),
            fails: holds(&outcome, "Fails"),
        }
    }

    /// All vectors with an element of each set.
    fn product(sets: &[Vec<Value>]) -> Vec<Local> {
        let extend = |parts: Vec<Local>, set: &Vec<Value>| {
            let with = |part: &Local| {
                set.iter().map(|one| part.iter().chain([one]).cloned().collect()).collect::<Vec<_>>()
            };
            parts.iter().flat_map(with).collect()
        };
        sets.iter().fold(vec![Vec::new()], extend)
    }

    fn together(locals: &[Local], shared: &[Value]) -> BTreeSet<(Local, Value)> {
        locals.iter().flat_map(|q| shared.iter().map(|s| (q.clone(), s.clone()))).collect()
    }

    fn first(&self) -> BTreeSet<(Local, Value)> {
        Tables::together(&Tables::product(&self.starts), &self.init)
    }

    /// The paper's envelope, where threads can be switched.
    fn control(&self) -> BTreeSet<(Local, Value)> {
        let somewhere = self.yields.iter().map(|(q, _)| q).collect::<BTreeSet<_>>();
        let stand = |set: &Vec<Value>| set.iter().filter(|q| somewhere.contains(q)).cloned().collect();
        let sets = self.flow.iter().map(stand).collect::<Vec<_>>();
        let mut all = Tables::together(&Tables::product(&sets), &self.shared);
        let last = sets.len() - 1;
        all.retain(|(q, s)| self.yields.contains(&(q[last].clone(), s.clone())));
        all.extend(self.first());
        all
    }

    /// What follows, and whether another epoch begins with it.
    fn next(&self, (q, s, t): &Node) -> Vec<(Node, usize)> {
        let here = (q[*t].clone(), s.clone());
        let mut next = Vec::new();
        for (p, r) in self.steps.get(&here).into_iter().flatten() {
            let mut q = q.clone();
            q[*t] = p.clone();
            next.push(((q, r.clone(), *t), 0));
        }
        if self.yields.contains(&here) {
            let last = t + 1 == q.len();
            next.push(((q.clone(), s.clone(), (t + 1) % q.len()), usize::from(last)));
        }
        next
    }

    /// For each node that can come after an epoch begins in one of these states: within how many epochs a target
    /// can be met, if at all.
    fn distances(&self, from: &BTreeSet<(Local, Value)>) -> HashMap<Node, Option<usize>> {
        let mut numbers: HashMap<Node, usize> = HashMap::new();
        let mut nodes: Vec<Node> = Vec::new();
        let mut number = |node: Node, nodes: &mut Vec<Node>| {
            *numbers.entry(node.clone()).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        for (q, s) in from {
            number((q.clone(), s.clone(), 0), &mut nodes);
        }
        let mut before: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut at = 0;
        while at < nodes.len() {
            for (node, cost) in self.next(&nodes[at].clone()) {
                let to = number(node, &mut nodes);
                before.resize(before.len().max(to + 1), Vec::new());
                before[to].push((at, cost));
            }
            at += 1;
        }
        before.resize(nodes.len(), Vec::new());
        // Breadth first, backward; what begins another epoch goes to the end of the queue.
        let mut distance = vec![None; nodes.len()];
        let mut queue = VecDeque::new();
        for (at, (q, _, t)) in nodes.iter().enumerate() {
            if self.targets.contains(&q[*t]) {
                queue.push_back((at, 1));
            }
        }
        while let Some((at, epochs)) = queue.pop_front() {
            if distance[at].is_some() {
                continue;
            }
            distance[at] = Some(epochs);
            for &(other, cost) in &before[at] {
                match cost {
                    0 => queue.push_front((other, epochs)),
                    _ => queue.push_back((other, epochs + 1)),
                }
            }
        }
        nodes.into_iter().zip(distance).collect()
    }
}

/// The states that the file takes for its envelope.
fn envelope(text: &str, level: i64) -> BTreeSet<(Local, Value)> {
    let query = "\nquery Of(q: State[1..n], s: Shared) = Envelope(q, s);\n";
    let file = Source::new(file().name, format!("{}{query}", file().text));
    let treatment = Treatment { inline: Inline::Always, early_stop: false, ..Treatment::default() };
    let outcome = run_file(file, &[("k", 1), ("envelope", level)], text, &treatment).expect("a run");
    let pair = |row: Vec<Value>| match &row[0] {
        Value::Vector(q) => (q.clone(), row[1].clone()),
        other => panic!("{other:?} is no vector"),
    };
    rows(&outcome, "Of").into_iter().map(pair).collect()
}

/// Algorithm 1: the verdict, and the epochs it took.
fn deepened(text: &str, level: i64, treatment: &Treatment) -> (&'static str, i64) {
    let (request, solving) = request(file(), &[("envelope", level)], text, treatment).expect("a program");
    let solving = Settings { list: 0, ..solving };
    let deepening = Deepening { param: "k".into(), first: 1, last: Some(40) };
    let outcome = deepen(&request, &deepening, &solving, &mut |_| {}).expect("a run");
    let last = outcome.steps.last().expect("a step");
    (outcome.conclusion().word().expect("a verdict"), last.value)
}

#[test]
fn the_least_k_is_that_of_lemma_3_1() {
    let mut random = Random(0xbb67_ae85_84ca_a73b);
    let (mut proved, mut refuted, mut beyond, mut smaller) = (0, 0, 0, 0);
    for number in 0..effort::cases(100) {
        let threads = 2 + usize::from(number % 5 == 4);
        let text = match number % 5 {
            0 => singles(&mut random, threads, false),
            4 => waiting(&mut random, threads, 2),
            _ => waiting(&mut random, threads, 4),
        };
        let tables = Tables::new(&text, threads);
        let control = tables.control();
        if control.len() > 5_000 || tables.fails {
            continue;
        }
        assert_eq!(control, envelope(&text, 1), "the envelope of program {number}\n{text}");
        let distances = tables.distances(&control);
        let at = |(q, s): &(Local, Value)| distances[&(q.clone(), s.clone(), 0)];
        let first = tables.first().iter().filter_map(at).min();
        let mut least = Vec::new();
        for level in 1..=3 {
            let about = format!("program {number}, envelope {level}\n{text}");
            let states = if level == 1 { control.clone() } else { envelope(&text, level) };
            assert!(states.is_subset(&control) && tables.first().is_subset(&states), "{about}");
            // It is closed: an epoch can begin wherever all threads can be switched.
            let closed = if level == 1 { &distances } else { &tables.distances(&states) };
            for (q, s, _) in closed.keys().filter(|(_, _, t)| *t == 0) {
                let switched = q.iter().all(|one| tables.yields.contains(&(one.clone(), s.clone())));
                assert!(!switched || states.contains(&(q.clone(), s.clone())), "{q:?} {s:?}, {about}");
            }
            let expected = match first {
                Some(epochs) => ("unsafe", epochs),
                None => ("safe", states.iter().filter_map(at).max().unwrap_or(1)),
            };
            let found = deepened(&text, level, &Treatment { reorder: false, ..treatment(number) });
            assert_eq!(found, (expected.0, expected.1 as i64), "{about}");
            least.push(expected.1);
        }
        refuted += usize::from(first.is_some());
        proved += usize::from(first.is_none());
        beyond += usize::from(first.is_none() && least[0] > 1);
        smaller += usize::from(least[2] < least[0]);
    }
    assert!(effort::enough(proved, 30) && effort::enough(refuted, 15), "{proved} proved, {refuted} refuted");
    assert!(
        effort::enough(beyond, 8) && effort::enough(smaller, 8),
        "{beyond} need more than one epoch, {smaller} fewer with data"
    );
}

/// An error inside an atomic section, where the thread cannot wait for the next epoch.
const ATOMIC: &str = "decl x;
thread one begin atomic_begin; ERROR: assume(F); atomic_end; end
thread two begin skip; end
";

#[test]
fn repro_an_error_inside_an_atomic_section_is_met() {
    for envelope in 1..=3 {
        let params = [("k", 1), ("envelope", envelope)];
        assert_eq!(verdict("k_induction", &params, ATOMIC, &Treatment::default()), "unsafe");
    }
}

/// Lemma 3.2 of the paper does not hold with atomic sections: errors looked for where epochs begin are not enough.
#[test]
fn errors_where_epochs_begin_are_not_all_errors() {
    let hit = "(some j in 1..k, t in 1..n: exists q, s. Reach[j, t](q, s) & target(q[t])) | InitFails";
    let begins = "(some j in 1..k, i in 1..n: exists q, s. Reach[j, n](q, s) & yield(q[n], s) & target(q[i])) | InitFails";
    let paper = changed(file(), hit, begins);
    let paper = changed(paper, "target: target(q[t]) &", "target: t = 1 & (some i in 1..n: target(q[i])) &");
    let outcome = run_file(paper, &[("k", 1)], ATOMIC, &Treatment::default()).expect("a run");
    assert_eq!(outcome.conclusion().word(), Some("safe"));
}

/// Programs at the edges of an epoch, with the verdict and the least k.
#[test]
fn threads_that_fail_at_once_or_never_move_are_decided() {
    let cases = [
        // The last thread begins at an error, and nobody else moves.
        ("thread one begin assume(F); end thread two begin ERROR: skip; end", ("unsafe", 1)),
        // Before any thread has begun.
        ("decl x; init begin x := F; assert(x); end thread one begin skip; end", ("unsafe", 1)),
        // The first thread has ended when the second needs it.
        (
            "decl x; init begin x := F; end thread one begin skip; end thread two begin assume(x); ERROR: skip; end",
            ("safe", 1),
        ),
        // In the order of the file one epoch is enough, against it another one begins.
        (
            "decl x; init begin x := F; end thread one begin x := T; end thread two begin assert(!x); end",
            ("unsafe", 1),
        ),
        (
            "decl x; init begin x := F; end thread one begin assert(!x); end thread two begin x := T; end",
            ("unsafe", 2),
        ),
        // A thread that is stuck in an atomic section lets nobody else run.
        (
            "decl x; init begin x := F; end
             thread one begin atomic_begin; x := T; assume(!x); atomic_end; end
             thread two begin assert(!x); end",
            ("safe", 1),
        ),
    ];
    for (text, expected) in cases {
        for level in 1..=3 {
            let found = deepened(text, level, &Treatment { inline: Inline::Always, ..Treatment::default() });
            let unbounded = interpreted(text, 0, None, LIMITS).expect("a small program");
            assert_eq!(unbounded, expected.0 == "unsafe", "{text}");
            assert_eq!(found.0, expected.0, "envelope {level}: {text}");
            // A stronger envelope may need fewer epochs for a proof.
            assert!(found.1 == expected.1 || level > 1 && found.0 == "safe", "{found:?}, {level}: {text}");
        }
    }
}

#[test]
fn deepening_keeps_what_it_has() {
    let text = files::find("examples/concurrent/szymanski.bp", &[]).expect("an example").text;
    let (request, solving) = request(file(), &[], &text, &Treatment::default()).expect("a program");
    let deepening = Deepening { param: "k".into(), first: 1, last: Some(8) };
    let outcome = deepen(&request, &deepening, &solving, &mut |_| {}).expect("a run");
    // Forward one more epoch of two threads, backward another; the rest are the queries and the verdicts.
    for step in &outcome.steps[1..] {
        let names = 4 + 4;
        assert!(step.solved <= names, "{step:?}");
        assert!(step.kept >= 4 * (step.value as usize - 1), "{step:?}");
    }
    assert!(outcome.steps.len() > 3);
}
