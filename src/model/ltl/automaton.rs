//! From a formula to a Büchi automaton that accepts exactly the words that satisfy it.
//!
//! A tableau, built on the fly (Gerth, Peled, Vardi and Wolper; Couvreur). A place is a set of formulas that the rest of
//! the word must satisfy. Reading a letter, each formula is replaced by what it asks of this position and of the next:
//! a U b = b | a & X (a U b), a R b = b & (a | X (a R b)). An until that is put off for ever is not satisfied, so a run must
//! read, for each until, letters again and again at which it is not put off. A counter takes the untils in turn, and
//! makes one set of accepting places of these conditions.

use super::formula::Normal;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A Büchi automaton. Places are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    pub initial: BTreeSet<usize>,
    pub accepting: BTreeSet<usize>,
    /// Per place.
    pub edges: Vec<Vec<Edge>>,
}

/// The automaton reads a letter in which the literals hold, and goes on to a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Atoms, and whether they hold.
    pub letter: BTreeMap<usize, bool>,
    pub to: usize,
}

/// An automaton with more edges is not made.
pub const MAX_EDGES: usize = 100_000;

/// What a formula comes to, unless it is too large.
pub fn automaton(formula: &Normal) -> Option<Automaton> {
    let general = Tableau::build(formula)?;
    let counted = general.count()?;
    Some(counted.only_useful().merged())
}

/// One way to read a letter.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cover {
    letter: BTreeMap<usize, bool>,
    next: BTreeSet<Normal>,
    /// The untils that are put off.
    postponed: BTreeSet<Normal>,
}

impl Cover {
    /// Asks no more than another one, in every respect.
    fn covers(&self, other: &Cover) -> bool {
        self.letter.iter().all(|(atom, holds)| other.letter.get(atom) == Some(holds))
            && self.next.is_subset(&other.next)
            && self.postponed.is_subset(&other.postponed)
    }
}

/// All ways to satisfy a set of formulas now. `None` if there are too many.
fn covers(place: &BTreeSet<Normal>) -> Option<Vec<Cover>> {
    let mut done = BTreeSet::new();
    let mut work = vec![(place.iter().rev().cloned().collect::<Vec<_>>(), BTreeSet::new(), Cover::default())];
    let mut steps = 0;
    while let Some((mut open, mut seen, mut cover)) = work.pop() {
        steps += 1;
        if steps > MAX_EDGES {
            return None;
        }
        let Some(formula) = open.pop() else {
            done.insert(cover);
            continue;
        };
        if !seen.insert(formula.clone()) {
            work.push((open, seen, cover));
            continue;
        }
        match formula.clone() {
            Normal::Constant(true) => {}
            Normal::Constant(false) => continue,
            Normal::Literal(atom, holds) => {
                if *cover.letter.entry(atom).or_insert(holds) != holds {
                    continue;
                }
            }
            Normal::And(left, right) => open.extend([*right, *left]),
            Normal::Or(left, right) => {
                let mut other = (open.clone(), seen.clone(), cover.clone());
                other.0.push(*right);
                work.push(other);
                open.push(*left);
            }
            Normal::Next(inner) => {
                cover.next.insert(*inner);
            }
            Normal::Until(left, right) => {
                let mut later = (open.clone(), seen.clone(), cover.clone());
                later.0.push(*left);
                later.2.next.insert(formula.clone());
                later.2.postponed.insert(formula);
                work.push(later);
                open.push(*right);
            }
            Normal::Release(left, right) => {
                let mut later = (open.clone(), seen.clone(), cover.clone());
                later.0.push((*right).clone());
                later.2.next.insert(formula);
                work.push(later);
                open.extend([*right, *left]);
            }
        }
        work.push((open, seen, cover));
    }
    let done = done.into_iter().collect::<Vec<_>>();
    let redundant = |at: usize| {
        let covering = |other: usize| {
            let equal = done[at].covers(&done[other]);
            other != at && done[other].covers(&done[at]) && (!equal || other < at)
        };
        (0..done.len()).any(covering)
    };
    let kept = (0..done.len()).filter(|at| !redundant(*at)).collect::<Vec<_>>();
    Some(kept.into_iter().map(|at| done[at].clone()).collect())
}

/// A generalised automaton: an edge carries the untils that it puts off.
struct Tableau {
    /// Per place, which is a set of formulas; the first is where it begins.
    edges: Vec<Vec<(Edge, BTreeSet<usize>)>>,
    untils: usize,
}

impl Tableau {
    fn build(formula: &Normal) -> Option<Tableau> {
        let mut untils = BTreeMap::new();
        let first = BTreeSet::from([formula.clone()]);
        let mut places = vec![first.clone()];
        let mut numbers = HashMap::from([(first, 0)]);
        let (mut edges, mut count): (Vec<Vec<_>>, usize) = (Vec::new(), 0);
        while edges.len() < places.len() {
            let mut here = Vec::new();
            for cover in covers(&places[edges.len()])? {
                count += 1;
                if count > MAX_EDGES {
                    return None;
                }
                let to = *numbers.entry(cover.next.clone()).or_insert_with(|| {
                    places.push(cover.next);
                    places.len() - 1
                });
                let postponed = cover.postponed.into_iter().map(|until| {
                    let fresh = untils.len();
                    *untils.entry(until).or_insert(fresh)
                });
                here.push((Edge { letter: cover.letter, to }, postponed.collect()));
            }
            edges.push(here);
        }
        Some(Tableau { edges, untils: untils.len() })
    }

    /// The automaton with a counter: it stands at the until that is waited for, and behind the last one the place is
    /// accepting.
    fn count(&self) -> Option<Automaton> {
        let last = self.untils;
        let mut numbers = HashMap::from([((0, 0), 0)]);
        let mut places = vec![(0, 0)];
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        let mut made = 0;
        while edges.len() < places.len() {
            let (place, level) = places[edges.len()];
            let mut here = Vec::new();
            for (edge, postponed) in &self.edges[place] {
                let mut reached = if level == last { 0 } else { level };
                while reached < last && !postponed.contains(&reached) {
                    reached += 1;
                }
                let to = *numbers.entry((edge.to, reached)).or_insert_with(|| {
                    places.push((edge.to, reached));
                    places.len() - 1
                });
                here.push(Edge { letter: edge.letter.clone(), to });
                made += 1;
                if made > MAX_EDGES {
                    return None;
                }
            }
            edges.push(here);
        }
        let accepting = (0..places.len()).filter(|at| places[*at].1 == last).collect();
        Some(Automaton { initial: BTreeSet::from([0]), accepting, edges })
    }
}

impl Automaton {
    /// The places from which a word is accepted; the others, and those that cannot be reached, are left out.
    fn only_useful(&self) -> Automaton {
        let successors = self.edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect::<Vec<_>>());
        let successors = successors.collect::<Vec<_>>();
        let reached = |from: usize| {
            let mut seen = vec![false; successors.len()];
            let mut work = successors[from].clone();
            while let Some(place) = work.pop() {
                if !std::mem::replace(&mut seen[place], true) {
                    work.extend(&successors[place]);
                }
            }
            seen
        };
        let on_cycle =
            self.accepting.iter().copied().filter(|&place| reached(place)[place]).collect::<Vec<_>>();
        let mut useful = vec![false; successors.len()];
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (from, to) in successors.iter().enumerate() {
            to.iter().for_each(|&to| predecessors[to].push(from));
        }
        let mut work = on_cycle;
        while let Some(place) = work.pop() {
            if !std::mem::replace(&mut useful[place], true) {
                work.extend(&predecessors[place]);
            }
        }
        self.keep(&useful)
    }

    fn keep(&self, kept: &[bool]) -> Automaton {
        let mut number = vec![None; kept.len()];
        for (fresh, old) in (0..kept.len()).filter(|place| kept[*place]).enumerate() {
            number[old] = Some(fresh);
        }
        let renumber = |places: &BTreeSet<usize>| places.iter().filter_map(|place| number[*place]).collect();
        let edges = (0..kept.len()).filter(|place| kept[*place]).map(|place| {
            let kept = self.edges[place]
                .iter()
                .filter_map(|edge| Some(Edge { to: number[edge.to]?, ..edge.clone() }));
            kept.collect::<BTreeSet<_>>().into_iter().collect()
        });
        Automaton {
            initial: renumber(&self.initial),
            accepting: renumber(&self.accepting),
            edges: edges.collect(),
        }
    }

    /// Places that do the same are one place: the coarsest partition whose blocks have the same edges.
    fn merged(&self) -> Automaton {
        let mut block = (0..self.edges.len())
            .map(|place| usize::from(self.accepting.contains(&place)))
            .collect::<Vec<_>>();
        loop {
            let mut numbers = BTreeMap::new();
            let signature = |place: usize| {
                let edges = self.edges[place].iter().map(|edge| (&edge.letter, block[edge.to]));
                (block[place], edges.collect::<BTreeSet<_>>())
            };
            let finer = (0..block.len()).map(|place| {
                let fresh = numbers.len();
                *numbers.entry(signature(place)).or_insert(fresh)
            });
            let finer = finer.collect::<Vec<_>>();
            let count = numbers.len();
            let before = block.iter().collect::<BTreeSet<_>>().len();
            block = finer;
            if count == before {
                break;
            }
        }
        // Blocks are numbered by their first places.
        let mut edges = Vec::new();
        for (place, of) in block.iter().enumerate() {
            if *of == edges.len() {
                let to = self.edges[place].iter().map(|edge| Edge { to: block[edge.to], ..edge.clone() });
                edges.push(to.collect::<BTreeSet<_>>().into_iter().collect());
            }
        }
        let of = |places: &BTreeSet<usize>| places.iter().map(|place| block[*place]).collect();
        Automaton { initial: of(&self.initial), accepting: of(&self.accepting), edges }
    }
}
