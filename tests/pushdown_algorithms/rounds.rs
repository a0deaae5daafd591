//! What several pushdown threads can do within some rounds, explicitly: Qadeer and Rehof's iteration over sets of
//! configurations, each a shared state with an automaton for each stack. And exploration with stacks of bounded depth.

use super::saturation::{Stacks, reach};
use super::system::{Rule, Symbol, System};
use std::collections::BTreeSet;

/// A shared state, and the symbols on top.
pub type Visible = (usize, Vec<Symbol>);

/// The visible states within 1, 2, … rounds. Nothing if there are too many sets of configurations.
pub fn rounds(system: &System, most: usize) -> Option<Vec<BTreeSet<Visible>>> {
    let stacks = system.stacks.iter().map(|word| Stacks::word(word)).collect::<Vec<_>>();
    let mut sets = BTreeSet::from([(system.start, stacks)]);
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for _ in 0..most {
        for (thread, rules) in system.threads.iter().enumerate() {
            let mut next = BTreeSet::new();
            for (shared, stacks) in &sets {
                for (reached, stack) in reach(rules, *shared, &stacks[thread]) {
                    let mut stacks = stacks.clone();
                    stacks[thread] = stack;
                    next.insert((reached, stacks));
                }
            }
            if next.len() > 3_000 {
                return None;
            }
            sets = next;
            sets.iter().for_each(|(shared, stacks)| seen.extend(visible(*shared, stacks)));
        }
        out.push(seen.clone());
    }
    Some(out)
}

fn visible(shared: usize, stacks: &[Stacks]) -> Vec<Visible> {
    let mut all = vec![Vec::new()];
    for stack in stacks {
        let tops = stack.tops();
        let longer = |prefix: &Vec<Symbol>| {
            tops.iter().map(|top| prefix.iter().copied().chain([*top]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(|tops| (shared, tops)).collect()
}

/// The visible states with stacks of at most so many symbols besides the bottom, and whether a deeper one was wanted.
pub fn explore(system: &System, depth: usize) -> Option<(BTreeSet<Visible>, bool)> {
    let fits = |stack: &Vec<Symbol>| stack.len() <= depth + 1;
    let (mut seen, mut out, mut deeper) = (BTreeSet::new(), BTreeSet::new(), false);
    if !system.stacks.iter().all(fits) {
        return Some((out, true));
    }
    let mut work = vec![(system.start, system.stacks.clone())];
    while let Some((shared, stacks)) = work.pop() {
        if !seen.insert((shared, stacks.clone())) {
            continue;
        }
        if seen.len() > 30_000 {
            return None;
        }
        out.insert((shared, stacks.iter().map(|stack| stack[0]).collect::<Vec<_>>()));
        for (thread, rules) in system.threads.iter().enumerate() {
            let here = |rule: &&Rule| rule.from == shared && rule.top == stacks[thread][0];
            for rule in rules.iter().filter(here) {
                let mut stacks = stacks.clone();
                stacks[thread].splice(..1, rule.word.iter().copied());
                if fits(&stacks[thread]) {
                    work.push((rule.to, stacks));
                } else {
                    deeper = true;
                }
            }
        }
    }
    Some((out, deeper))
}
