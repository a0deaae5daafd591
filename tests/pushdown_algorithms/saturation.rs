//! Explicit saturation: what a pushdown system with one stack can reach, as an automaton over stacks (Schwoon). It shares
//! nothing with the equations.

use super::system::{BOTTOM, Rule, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// A state of an automaton over stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A control state.
    Control(usize),
    /// For each rule that pushes: its new control state and top.
    Pushed(usize, Symbol),
    /// Of the automaton that was given.
    Given(usize),
}

type Edges = BTreeSet<(Node, Symbol, Node)>;

/// An automaton that reads stacks from their tops. It accepts at any node with no symbol left: every stack ends with the
/// bottom, and no edge leaves what an edge with the bottom leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stacks {
    /// From 0, which no edge leads to.
    pub edges: BTreeSet<(usize, Symbol, usize)>,
}

impl Stacks {
    /// One stack.
    pub fn word(word: &[Symbol]) -> Stacks {
        Stacks { edges: word.iter().enumerate().map(|(at, symbol)| (at, *symbol, at + 1)).collect() }
    }

    pub fn tops(&self) -> BTreeSet<Symbol> {
        self.edges.iter().filter(|(from, ..)| *from == 0).map(|(_, symbol, _)| *symbol).collect()
    }
}

/// What can be reached from a control state with some stacks: for each control state, the stacks.
pub fn reach(rules: &[Rule], start: usize, stacks: &Stacks) -> BTreeMap<usize, Stacks> {
    let given = |node: usize| if node == 0 { Node::Control(start) } else { Node::Given(node) };
    let mut edges: Edges = stacks.edges.iter().map(|(from, a, to)| (given(*from), *a, given(*to))).collect();
    // The control state has lost its symbol: it stands where the edge led.
    let mut silent: BTreeSet<(Node, Node)> = BTreeSet::new();
    loop {
        let before = (edges.len(), silent.len());
        for rule in rules {
            let from = Node::Control(rule.from);
            let ends = readable(&edges, &silent, from, rule.top);
            for end in ends {
                let to = Node::Control(rule.to);
                match rule.word[..] {
                    [] => {
                        silent.insert((to, end));
                    }
                    [symbol] => {
                        edges.insert((to, symbol, end));
                    }
                    [top, under] => {
                        let middle = Node::Pushed(rule.to, top);
                        edges.insert((to, top, middle));
                        edges.insert((middle, under, end));
                    }
                    _ => unreachable!("a rule has at most two symbols"),
                }
            }
        }
        if before == (edges.len(), silent.len()) {
            break;
        }
    }
    let controls = edges.iter().map(|(from, ..)| *from).chain(silent.iter().map(|(from, _)| *from));
    let controls = controls.filter_map(|node| match node {
        Node::Control(state) => Some(state),
        _ => None,
    });
    let controls = controls.collect::<BTreeSet<_>>();
    let of = |state: usize| (state, extract(&edges, &silent, Node::Control(state)));
    controls.into_iter().map(of).filter(|(_, stacks)| !stacks.edges.is_empty()).collect()
}

/// Where an edge with this symbol leads, also behind a silent one.
fn readable(edges: &Edges, silent: &BTreeSet<(Node, Node)>, from: Node, symbol: Symbol) -> Vec<Node> {
    let ends = silent.iter().filter(|(node, _)| *node == from).map(|(_, end)| *end);
    let starts = ends.chain([from]).collect::<BTreeSet<_>>();
    let found = edges.iter().filter(|(node, a, _)| starts.contains(node) && *a == symbol);
    found.map(|(.., end)| *end).collect()
}

/// The stacks that are read from a control state, with nodes numbered in the order in which they are come to.
fn extract(edges: &Edges, silent: &BTreeSet<(Node, Node)>, from: Node) -> Stacks {
    let mut numbers = BTreeMap::new();
    let mut work = vec![(None, 0)];
    let mut out = Stacks::default();
    while let Some((node, number)) = work.pop() {
        let starts = match node {
            Some(node) => BTreeSet::from([node]),
            None => silent.iter().filter(|(at, _)| *at == from).map(|(_, end)| *end).chain([from]).collect(),
        };
        for (_, symbol, end) in edges.iter().filter(|(at, ..)| starts.contains(at)) {
            let fresh = numbers.len() + 1;
            let to = *numbers.entry(*end).or_insert_with(|| {
                work.push((Some(*end), fresh));
                fresh
            });
            out.edges.insert((number, *symbol, to));
        }
    }
    out
}

/// The heads that can be reached from a configuration.
pub fn heads(rules: &[Rule], start: usize, stack: &[Symbol]) -> BTreeSet<(usize, Symbol)> {
    let reached = reach(rules, start, &Stacks::word(stack));
    reached.iter().flat_map(|(state, stacks)| stacks.tops().into_iter().map(|top| (*state, top))).collect()
}

/// Whether a run can apply rules to accepting heads again and again: a head is reached that comes back to itself with an
/// accepting one on the way, whatever is below. A control state is doubled to remember that one was there.
pub fn repeats(
    rules: &[Rule],
    shared: usize,
    (start, stack): (usize, &[Symbol]),
    accepting: impl Fn(usize, Symbol) -> bool,
) -> bool {
    let mut flagged = Vec::new();
    for rule in rules {
        for flag in 0..2 {
            let after = if flag == 1 || accepting(rule.from, rule.top) { shared } else { 0 };
            let (from, to) = (rule.from + flag * shared, rule.to + after);
            flagged.push(Rule { from, to, ..rule.clone() });
        }
    }
    heads(rules, start, stack).into_iter().any(|(state, top)| {
        // What is below the head is an end that no rule is for: the bottom is one that rules are for.
        let below = usize::MAX;
        let stack = if top == BOTTOM { vec![BOTTOM] } else { vec![top, below] };
        heads(&flagged, state, &stack).contains(&(state + shared, top))
    })
}
