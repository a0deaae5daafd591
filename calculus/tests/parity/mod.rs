//! Parity games of any number of priorities are one equation; Zielonka's recursive algorithm must agree with it.

mod zielonka;

use crate::oracle::{self, Answers, Tuples};
use crate::treatments::{self, Keys};
use crate::{STEPS, effort, explain_all};
use calculus::elaborate::{core::Core, elaborate};
use calculus::solve::{Derivation, Explanation, Goal, Pattern, Reason, Settings, explain};
use calculus::sort::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use zielonka::{Game, Nodes};

/// `Win` is for Even, `Lose` is the same equation for Odd. The largest priority that occurs again and again decides, so it is
/// the outermost fixed point.
const EQUATIONS: &str = "
    let To[p in 0..top](x: Node) =
        even: priority(x, p) & owner(x, Even) & (exists y. edge(x, y) & Win[top - p](y))
      | odd:  priority(x, p) & owner(x, Odd) & forall y. edge(x, y) -> Win[top - p](y);
    nu if (top - i) % 2 = 0 else mu Win[i in 0..top](x: Node) =
        i < top & Win[i+1](x) | i = top & some p in 0..top: To[p](x);

    mu if (top - i) % 2 = 0 else nu Lose[i in 0..top](x: Node) =
        i < top & Lose[i+1](x)
      | i = top & some p in 0..top: priority(x, p) & (
            owner(x, Odd) & (exists y. edge(x, y) & Lose[top - p](y))
          | owner(x, Even) & forall y. edge(x, y) -> Lose[top - p](y));

    query EvenWins(x: Node) = Win[0](x);
    query OddWins(x: Node) = Lose[0](x);
";

/// The game as a file.
fn text(game: &Game) -> String {
    let top = game.priority.iter().max().expect("a node");
    let mut out = format!("enum Player {{ Even, Odd }} range Node = 0..{};", game.owner.len() - 1);
    write!(out, "const top = {top}; range Priority = 0..top;").expect("a text");
    let rows = |rows: Vec<String>| rows.join(", ");
    let each = |row: &dyn Fn(usize) -> String| rows((0..game.owner.len()).map(row).collect());
    let owner = each(&|x| format!("({x}, {})", ["Even", "Odd"][game.owner[x]]));
    let priority = each(&|x| format!("({x}, {})", game.priority[x]));
    let edges = game.edges.iter().enumerate();
    let edges = edges.flat_map(|(x, ends)| ends.iter().map(move |y| format!("({x}, {y})"))).collect();
    let edges = rows(edges);
    write!(
        out,
        "rel owner(x: Node, who: Player) = {{ {owner} }};
         rel priority(x: Node, p: Priority) = {{ {priority} }};
         rel edge(x, y: Node) = {{ {edges} }};{EQUATIONS}"
    )
    .expect("a text");
    out
}

fn answers(winners: [Nodes; 2]) -> Answers {
    let tuples = |nodes: Nodes| nodes.into_iter().map(|x| vec![Value::Int(x as i64)]).collect::<Tuples>();
    Answers {
        queries: winners.into_iter().map(tuples).collect(),
        verdict: None,
        rounds: 0,
        worded: vec![None, None],
    }
}

/// A game with six priorities, which both players may win somewhere.
fn game(seed: u64) -> Game {
    let mut state = seed;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let nodes = 4 + below(12);
    let mut game = Game::default();
    for _ in 0..nodes {
        game.owner.push(below(2));
        game.priority.push(below(6));
        // One in sixteen is a dead end, where its owner loses.
        let degree = if below(16) == 0 { 0 } else { 1 + below(3) };
        game.edges.push((0..degree).map(|_| below(nodes)).collect());
    }
    game.priority[0] = 5;
    game
}

#[test]
fn parity_games_agree_with_zielonka() {
    let (mut mixed, mut compared) = (0, 0);
    for case in 0..effort::cases(100) {
        let game = game(case as u64 + 1);
        let winners = game.winners();
        assert_eq!(winners[0].len() + winners[1].len(), game.owner.len());
        mixed += usize::from(winners.iter().all(|nodes| !nodes.is_empty()));
        let (text, expected) = (text(&game), answers(winners));
        let system =
            treatments::checked(&text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
        if let Ok(found) = oracle::answers(&system, STEPS) {
            assert_eq!(found.queries, expected.queries, "{text}");
            compared += 1;
        }
        for treatment in treatments::some(case) {
            if let Err(why) = treatments::compare(&text, None, &expected, treatment) {
                panic!("{treatment:?}: {why}\n{text}");
            }
        }
    }
    println!("{mixed} games have two winners, {compared} were compared with the oracle");
    assert!(effort::enough(mixed, 30) && effort::enough(compared, 50), "{mixed} {compared}");
}

#[test]
fn tuples_of_parity_games_are_explained() {
    (1..=effort::cases(30).div_ceil(10) as u64).for_each(|seed| explain_all(&text(&game(seed))));
}

/// The strategies of both players, played against every answer: the graph of all plays has no cycle whose largest priority
/// is the opponent's.
#[test]
fn strategies_of_parity_games_win() {
    for case in 0..effort::cases(100) {
        let game = game(case as u64 + 1);
        let text = text(&game);
        let system =
            treatments::checked(&text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
        let (core, _) = elaborate(&system);
        for (player, winners) in game.winners().into_iter().enumerate() {
            let title = ["Win[0]", "Lose[0]"][player];
            let relation = core.relations.ids().find(|at| core.relations[*at].title == title);
            let relation = relation.expect("it is there");
            let goal = Goal::Strategy { relation, pattern: vec![Pattern::Any] };
            match explain(&core, &Settings::default(), &goal) {
                Explanation::Present(strategy) => {
                    let plays = Plays { game: &game, player, core: &core, strategy: &strategy };
                    let begins = |x: &usize| {
                        strategy
                            .nodes
                            .iter()
                            .any(|node| node.relation == relation && node.tuple == [Value::Int(*x as i64)])
                    };
                    assert!(winners.iter().all(begins), "{text}");
                    plays.expect_moves(&text);
                    plays.expect_won(&text);
                }
                Explanation::Absent(_) if winners.is_empty() => {}
                other => panic!("{other:?}\n{text}"),
            }
        }
    }
}

/// What can happen when a player follows a strategy.
struct Plays<'a> {
    game: &'a Game,
    player: usize,
    core: &'a Core,
    strategy: &'a Derivation,
}

impl Plays<'_> {
    /// The player has one move at each of their nodes, and the opponent has all.
    fn expect_moves(&self, text: &str) {
        let top = self.game.priority.iter().max().expect("a node");
        for (number, node) in self.strategy.nodes.iter().enumerate() {
            let title = &self.core.relations[node.relation].title;
            let moves = title.starts_with("To[") || *title == format!("Lose[{top}]");
            if !moves || matches!(node.reason, Reason::Assumed) {
                continue;
            }
            let x = self.place(number);
            let ends = self.next(number).into_iter().map(|next| self.place(next)).collect::<Nodes>();
            let all = self.game.edges[x].iter().copied().collect::<Nodes>();
            match self.game.owner[x] == self.player {
                true => assert!(ends.len() == 1 && ends.is_subset(&all), "{x}: {ends:?}\n{text}"),
                false => assert_eq!(ends, all, "{x}\n{text}"),
            }
        }
    }

    fn expect_won(&self, text: &str) {
        for number in 0..self.strategy.nodes.len() {
            let bound = self.priority(number);
            if bound.is_none_or(|bound| bound % 2 == self.player) {
                continue;
            }
            let begin = self.strategy.explained.get(&number).copied().unwrap_or(number);
            let (mut seen, mut work) = (BTreeSet::new(), self.next(begin));
            while let Some(at) = work.pop() {
                assert_ne!(at, begin, "a play comes back with priority {bound:?}\n{text}");
                if self.priority(at) <= bound && seen.insert(at) {
                    work.extend(self.next(at));
                }
            }
        }
    }

    /// What can follow, where it is explained.
    fn next(&self, number: usize) -> Vec<usize> {
        let Reason::Rule { premises, universal, .. } = &self.strategy.nodes[number].reason else {
            return Vec::new();
        };
        let cases = universal.iter().flat_map(|universal| &universal.cases).map(|case| case.premise);
        let all = premises.iter().flatten().copied().chain(cases);
        let all = all.filter(|next| self.priority(*next).is_some());
        all.map(|next| self.strategy.explained.get(&next).copied().unwrap_or(next)).collect()
    }

    /// The priority of the node of the game that a tuple is about; facts are about none.
    fn priority(&self, number: usize) -> Option<usize> {
        let node = &self.strategy.nodes[number];
        (!matches!(node.reason, Reason::Fact)).then(|| self.game.priority[self.place(number)])
    }

    fn place(&self, number: usize) -> usize {
        let [Value::Int(x)] = self.strategy.nodes[number].tuple[..] else { panic!("it is no node") };
        x as usize
    }
}
