//! algorithms/ltl_threads.fp on random programs, against the states that the explicit interpreter comes to: some strongly
//! connected part of them, with the automaton beside them, must be accepting, and fair to each thread.

use super::formulas::{random_formula, text};
use super::system::Random;
use super::{effort, word};
use calculus::solve::Settings;
use fpsolve::model::boolean;
use fpsolve::model::interpret::{Machine, State};
use fpsolve::model::ltl::automaton::{Automaton, Edge};
use fpsolve::model::ltl::formula::Formula;
use fpsolve::model::ltl::{Basic, Code, check, syntax};
use fpsolve::model::options::FormulaText;
use fpsolve::model::program::{Domain, Options, Program, Var, load};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::{Request, files, offered, run};
use std::collections::BTreeMap;

const NAMES: [&str; 3] = ["x", "y", "z"];

fn statements(random: &mut Random, depth: usize, out: &mut String) {
    for _ in 0..1 + random.below(3) {
        let (left, right) = (NAMES[random.below(3)], NAMES[random.below(3)]);
        match random.below(if depth == 0 { 5 } else { 7 }) {
            0 => *out += &format!("{left} := !{right}; "),
            1 => *out += &format!("{left} := *; "),
            2 => *out += &format!("assume({left} | !{right}); "),
            3 => *out += &format!("{left} := {right}; "),
            4 => *out += "skip; ",
            kind => {
                let (head, end) = if kind == 5 { ("if (*) then ", "fi ") } else { ("while (", "od ") };
                *out += head;
                if kind == 6 {
                    *out += &format!("{left}) do ");
                }
                statements(random, depth - 1, out);
                *out += end;
            }
        }
    }
}

/// Two threads over three shared variables, each of which may go round for ever.
fn program(random: &mut Random) -> String {
    let mut out = "decl x, y, z; init begin x, y, z := F, F, F; end\n".to_string();
    for name in ["one", "two"] {
        out += &format!("thread {name} begin ");
        let forever = !random.one_in(3);
        out += if forever { "while (T) do " } else { "" };
        statements(random, 2, &mut out);
        out += if forever { "od end\n" } else { "end\n" };
    }
    out
}

/// The states behind `init`, and where each thread can go from each of them.
struct Graph {
    states: Vec<State>,
    first: Vec<usize>,
    /// Per state: the thread, and where it leads.
    moves: Vec<Vec<(usize, usize)>>,
}

fn explore(program: &Program) -> Option<Graph> {
    let machine = Machine::new(program, 0);
    let shared = (0..program.shared.len() as u32).map(Var::Shared).collect::<Vec<_>>();
    let mut begin = Vec::new();
    let mut initials = machine.initial();
    while let Some(state) = initials.pop() {
        if state.initializing() {
            initials.extend(machine.steps(&state, 0).into_iter().map(|step| step.state));
        } else {
            begin.extend(state.choose(1, &shared, |_| &Domain::Bool, &Default::default()));
        }
    }
    let mut numbers = BTreeMap::new();
    let mut graph = Graph { states: Vec::new(), first: Vec::new(), moves: Vec::new() };
    let mut number = |state: State, states: &mut Vec<State>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    for state in begin {
        let at = number(state, &mut graph.states);
        graph.first.push(at);
    }
    while graph.moves.len() < graph.states.len() {
        if graph.states.len() > 400 {
            return None;
        }
        let state = graph.states[graph.moves.len()].clone();
        let mut moves = Vec::new();
        for thread in 1..=machine.threads() {
            for step in machine.steps(&state, thread) {
                for next in step.state.choose(thread, &shared, |_| &Domain::Bool, &Default::default()) {
                    moves.push((thread, number(next, &mut graph.states)));
                }
            }
        }
        graph.moves.push(moves);
    }
    Some(graph)
}

/// The strongly connected component of each node, by Kosaraju's two searches.
fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let search = |edges: &[Vec<usize>], start: usize, seen: &mut Vec<bool>, done: &mut Vec<usize>| {
        let mut work = vec![(start, 0)];
        seen[start] = true;
        while let Some((node, at)) = work.pop() {
            match edges[node].get(at) {
                None => done.push(node),
                Some(&to) => {
                    work.push((node, at + 1));
                    if !seen[to] {
                        seen[to] = true;
                        work.push((to, 0));
                    }
                }
            }
        }
    };
    let (mut seen, mut order) = (vec![false; next.len()], Vec::new());
    for node in 0..next.len() {
        if !seen[node] {
            search(next, node, &mut seen, &mut order);
        }
    }
    let mut back = vec![Vec::new(); next.len()];
    next.iter().enumerate().for_each(|(from, to)| to.iter().for_each(|to| back[*to].push(from)));
    let (mut seen, mut component) = (vec![false; next.len()], vec![0; next.len()]);
    for node in order.into_iter().rev() {
        if !seen[node] {
            let mut part = Vec::new();
            search(&back, node, &mut seen, &mut part);
            part.into_iter().for_each(|member| component[member] = node);
        }
    }
    component
}

/// Whether a run of the graph is accepted; with `fair`, a weakly fair one.
fn accepted(graph: &Graph, automaton: &Automaton, holds: &dyn Fn(&State, usize) -> bool, fair: bool) -> bool {
    let places = automaton.edges.len();
    if places == 0 {
        return false;
    }
    let (mut next, mut movers) = (vec![Vec::new(); graph.states.len() * places], Vec::new());
    for (at, state) in graph.states.iter().enumerate() {
        let fits = |edge: &&Edge| edge.letter.iter().all(|(fact, value)| holds(state, *fact) == *value);
        for place in 0..places {
            for edge in automaton.edges[place].iter().filter(fits) {
                let from = at * places + place;
                // A run that has ended stays, which is fair to everybody.
                let stay = [(0, at)];
                let moves = if graph.moves[at].is_empty() { &stay[..] } else { &graph.moves[at] };
                for (thread, to) in moves {
                    next[from].push(to * places + edge.to);
                    movers.push((from, *thread, to * places + edge.to));
                }
            }
        }
    }
    let mut reached = vec![false; next.len()];
    let mut work = Vec::new();
    graph.first.iter().for_each(|at| work.extend(automaton.initial.iter().map(|place| at * places + place)));
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            work.extend(&next[node]);
        }
    }
    let component = components(&next);
    let good = |of: usize| {
        let members = (0..next.len()).filter(|node| component[*node] == of).collect::<Vec<_>>();
        let inner = movers.iter().filter(|(from, _, to)| component[*from] == of && component[*to] == of);
        let inner = inner.collect::<Vec<_>>();
        let unable =
            |thread: usize, node: usize| graph.moves[node / places].iter().all(|(mover, _)| *mover != thread);
        let served = |thread: usize| {
            inner.iter().any(|(_, mover, _)| *mover == thread)
                || members.iter().any(|node| unable(thread, *node))
        };
        !inner.is_empty()
            && reached[of]
            && members.iter().any(|node| automaton.accepting.contains(&(node % places)))
            && (!fair || (1..=2).all(served))
    };
    let mut all = component.clone();
    all.sort_unstable();
    all.dedup();
    all.into_iter().any(good)
}

/// Formulas without `X`: how a statement is cut into steps is not the interpreter's affair.
fn without_next(formula: Formula) -> Formula {
    let of = |inner: Box<Formula>| Box::new(without_next(*inner));
    match formula {
        Formula::Next(inner) => Formula::Finally(of(inner)),
        Formula::Not(inner) => Formula::Not(of(inner)),
        Formula::Finally(inner) => Formula::Finally(of(inner)),
        Formula::Globally(inner) => Formula::Globally(of(inner)),
        Formula::Both(connective, left, right) => Formula::Both(connective, of(left), of(right)),
        other => other,
    }
}

#[test]
fn ltl_threads_finds_the_runs_that_violate_a_formula() {
    let mut random = Random(0x4321_4321_abcd_abcd);
    let (mut compared, mut violated, mut saved) = (0, 0, 0);
    for number in 0..effort::cases(300) {
        let source = program(&mut random);
        let size = 2 + random.below(6);
        let formula = without_next(random_formula(&mut random, size, 3));
        let formula = text(&formula, &|atom| NAMES[atom].into());
        let loaded = load("random.bp", &source, &Options::default());
        let loaded = loaded.unwrap_or_else(|rejection| panic!("{rejection}\n{source}"));
        let Some(graph) = explore(&loaded.program) else { continue };
        compared += 1;
        let given = FormulaText { name: "--ltl".into(), text: formula.clone() };
        let index = |name: &str| NAMES.iter().position(|known| *known == name).expect("a variable") as u16;
        let meaning = |atom: &syntax::Atom| Ok(vec![(Basic::Shared(Code::set(index(&atom.name))), true)]);
        let checked = check(&given, &meaning).expect("a formula");
        let holds = |state: &State, fact: usize| match &checked.basics[fact] {
            Basic::Shared(code) => state.shared.get(usize::from(code.bits[0])) == Some(1),
            other => panic!("no such fact: {other:?}"),
        };
        let options = ProgramOptions { formula: Some(given), ..ProgramOptions::default() };
        let model = boolean::program("random.bp", &source, &options).expect("a program");
        let mut verdicts = Vec::new();
        for fair in [false, true] {
            let file = files::find("ltl_threads", &[]).expect("it is bundled");
            let request = Request {
                model: Some(offered(&model as &dyn Model, &file).expect("it is offered")),
                params: BTreeMap::from([("fair".to_string(), i64::from(fair))]),
                ..Request::new(file)
            };
            let outcome =
                run(&request, &Settings::default()).unwrap_or_else(|rejection| panic!("{rejection}"));
            let expected = accepted(&graph, &checked.violations, &holds, fair);
            let expected = if expected { "unsafe" } else { "safe" };
            assert_eq!(word(&outcome), expected, "program {number}, fair {fair}, {formula}\n{source}");
            verdicts.push(expected);
        }
        violated += usize::from(verdicts[0] == "unsafe");
        saved += usize::from(verdicts == ["unsafe", "safe"]);
    }
    let found = format!("{compared} compared, {violated} violated, {saved} of them only by unfair schedules");
    assert!(
        effort::enough(compared, 180) && effort::enough(violated, 90) && effort::enough(saved, 3),
        "{found}"
    );
}
