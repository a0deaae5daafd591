//! The strategy of an arbiter, played: with twenty clients it is for far too many states to list, so it is asked move by
//! move, against clients that ask at random.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::Random;
use calculus::check::tree::RelId;
use calculus::elaborate::core::{Arg, Core, Rule};
use calculus::index::Id;
use calculus::solve::{Player, Reason};
use calculus::sort::Value;
use calculus::span::Source;
use fpsolve::run::{CheckedFile, Request, Settings, check};
use std::path::Path;
use support::effort;

/// For each client: does it ask, has it the grant?
type Lines = Vec<(bool, bool)>;

fn arbiter(clients: usize) -> CheckedFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/calculus/arbiter.fp");
    let text = std::fs::read_to_string(&path).expect("the example");
    let params = [("clients".to_string(), clients as i64)].into();
    let request = Request { params, ..Request::new(Source::new("arbiter.fp", text)) };
    check(&request).expect("the example has no mistakes")
}

fn flat(lines: &Lines) -> Vec<Value> {
    lines.iter().flat_map(|(asks, granted)| [Value::Bool(*asks), Value::Bool(*granted)]).collect()
}

fn lines(flat: &[Value]) -> Lines {
    flat.chunks(2).map(|line| (line[0] == Value::Bool(true), line[1] == Value::Bool(true))).collect()
}

fn title(core: &Core, at: RelId) -> &str {
    &core.relations[at].title
}

/// What a rule's variables are, as far as one of its atoms says it.
fn assigned(rule: &Rule, atom: usize, tuple: &[Value]) -> Vec<Option<Value>> {
    let mut values = vec![None; rule.vars.len()];
    for (arg, value) in rule.atoms[atom].args.iter().zip(tuple) {
        match arg {
            Arg::Var(var) => values[*var] = Some(value.clone()),
            Arg::Const(own) => assert_eq!(own, value),
        }
    }
    values
}

fn args(args: &[Arg], values: &[Option<Value>]) -> Vec<Value> {
    let value = |arg: &Arg| match arg {
        Arg::Var(var) => values[*var].clone().expect("the atom settles it"),
        Arg::Const(value) => value.clone(),
    };
    args.iter().map(value).collect()
}

/// Clients ask, go on asking until they are granted, and give the grant back sooner or later.
fn asks(random: &mut Random, state: &Lines) -> Lines {
    let next = |(asks, granted): &(bool, bool)| match (asks, granted) {
        (false, false) => random.below(3) == 0,
        (true, true) => random.below(2) == 0,
        (asks, _) => *asks,
    };
    state.iter().map(next).collect::<Vec<_>>().into_iter().map(|asks| (asks, false)).collect()
}

/// Plays so many moves; how often each client was served.
fn play(clients: usize, moves: usize, seed: u64) -> Vec<usize> {
    let CheckedFile { system, core, .. } = arbiter(clients);
    let settings = Settings::default();
    let first = system.relations.iter().position(|relation| relation.title() == "Z[1]").expect("there is Z");
    let first = RelId::from_index(first);
    let mut player = Player::new(&core, &settings, first).expect("it is solved");
    let mut random = Random(seed);
    let (mut mode, mut state) = (first, vec![(false, false); clients]);
    let mut served = vec![0; clients];
    let mut moved = 0;
    while moved < moves {
        let found = player.choose(mode, &flat(&state)).expect("no limit");
        let found = found.unwrap_or_else(|| panic!("{} is lost at {state:?}", title(&core, mode)));
        let Reason::Rule { number, .. } = &found.nodes[0].reason else { panic!("it is explained") };
        let rule = &core.rules(mode)[*number];
        let in_game =
            |at: RelId| ["X[", "Y[", "Z[", "Forces["].iter().any(|name| title(&core, at).starts_with(name));
        if let Some(next) = rule.atoms.iter().find(|atom| !atom.negative && in_game(atom.relation)) {
            let goal = rule.atoms.iter().find(|atom| title(&core, atom.relation).starts_with("Served["));
            if let Some(goal) = goal {
                let name = title(&core, goal.relation);
                let client: usize = name["Served[".len()..name.len() - 1].parse().expect("a number");
                assert!(state[client - 1].0 == state[client - 1].1, "{name} does not hold in {state:?}");
                served[client - 1] += 1;
            }
            mode = next.relation;
            continue;
        }
        // Whatever the clients ask is one case of the `forall`.
        let fails = rule.atoms.iter().find(|atom| atom.negative).expect("a `forall`");
        let asked = asks(&mut random, &state);
        let [case] = core.rules(fails.relation) else { panic!("one rule has the cases") };
        let asking =
            case.atoms.iter().position(|atom| title(&core, atom.relation) == "Asks").expect("its guard");
        let values = assigned(case, asking, &[flat(&state), flat(&asked)].concat());
        let answered = case.atoms.iter().find(|atom| atom.negative).expect("what is answered");
        let answer = player.choose(answered.relation, &args(&answered.args, &values)).expect("no limit");
        let answer = answer.unwrap_or_else(|| panic!("no answer to {asked:?} in {state:?}"));
        let Reason::Rule { number, values, .. } = &answer.nodes[0].reason else { panic!("it is explained") };
        let rule = &core.rules(answered.relation)[*number];
        let next = rule.atoms.iter().find(|atom| in_game(atom.relation)).expect("how it goes on");
        let values = values.iter().cloned().map(Some).collect::<Vec<_>>();
        let after = lines(&args(&next.args, &values));
        for ((before, asked), after) in state.iter().zip(&asked).zip(&after) {
            assert_eq!(asked.0, after.0, "the arbiter changes what is asked");
            assert!(asked.0 != before.1 || after.1 == before.1, "a grant changes without need");
        }
        assert!(after.iter().filter(|line| line.1).count() <= 1, "two grants: {after:?}");
        (mode, state) = (next.relation, after);
        moved += 1;
    }
    served
}

#[test]
fn an_arbiter_for_three_clients_serves_each_again_and_again() {
    for seed in 1..=5 {
        let served = play(3, effort::cases(150), seed);
        assert!(served.iter().all(|times| *times >= effort::cases(150) / 30), "{served:?}");
    }
}

#[test]
fn an_arbiter_for_twenty_clients_serves_each() {
    let served = play(20, effort::cases(600), 0x2468_ace0_1357_9bdf);
    assert!(effort::is_fast() || served.iter().all(|times| *times >= 2), "{served:?}");
}
