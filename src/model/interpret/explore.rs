//! Which targets can be reached: within some rounds, or at all.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::Machine;
use super::state::State;
use calculus::span::Span;

/// Where to give up.
#[derive(Clone, Copy, Debug)]
pub struct ExplorationLimits {
    pub states: usize,
    /// Frames of one thread.
    pub stack: usize,
    /// Go on after the first target, to find all of them.
    pub all_targets: bool,
}

impl Default for ExplorationLimits {
    fn default() -> ExplorationLimits {
        ExplorationLimits { states: 1_000_000, stack: 100, all_targets: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reachability {
    Reached,
    NotReached,
    /// A limit was hit before anything was reached.
    Limit,
}

#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Each target that was reached, with a shortest run to it: which thread executed which statement.
    pub targets: BTreeMap<(u32, u32), Vec<(usize, Span)>>,
    pub states: usize,
    /// Which limit cut the exploration short.
    pub limit: Option<&'static str>,
}

impl Exploration {
    pub fn verdict(&self) -> Reachability {
        match (self.targets.is_empty(), self.limit) {
            (false, _) => Reachability::Reached,
            (true, None) => Reachability::NotReached,
            (true, Some(_)) => Reachability::Limit,
        }
    }
}

/// A state with what the scheduler knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SearchNode {
    state: State,
    /// Who runs: without rounds, only set when that thread cannot be interrupted.
    running: Option<usize>,
    round: usize,
}

struct Search<'m, 'p> {
    machine: &'m Machine<'p>,
    limits: ExplorationLimits,
    found: Exploration,
    numbers: HashMap<SearchNode, usize>,
    /// How each node was reached first.
    parents: Vec<Option<(usize, usize, Span)>>,
    queue: VecDeque<(usize, SearchNode)>,
}

impl Machine<'_> {
    /// Without a bound on context switches: breadth first over all states.
    pub fn explore(&self, limits: ExplorationLimits) -> Exploration {
        Search::new(self, limits).run(|search, node| search.free_successors(node))
    }

    /// Within `rounds` rounds: in each, every thread in the order of positions has one context, which may be empty.
    pub fn explore_rounds(&self, rounds: usize, limits: ExplorationLimits) -> Exploration {
        Search::new(self, limits).run(|search, node| search.round_successors(node, rounds))
    }
}

impl<'m, 'p> Search<'m, 'p> {
    fn new(machine: &'m Machine<'p>, limits: ExplorationLimits) -> Search<'m, 'p> {
        let (found, numbers, parents, queue) = Default::default();
        Search { machine, limits, found, numbers, parents, queue }
    }

    fn run(
        mut self,
        successors: impl Fn(&mut Self, &SearchNode) -> Vec<(SearchNode, usize, Span)>,
    ) -> Exploration {
        for state in self.machine.initial() {
            self.visit(SearchNode { state, running: Some(1), round: 1 }, None);
        }
        while let Some((number, node)) = self.queue.pop_front() {
            if !self.found.targets.is_empty() && !self.limits.all_targets {
                break;
            }
            if self.parents.len() >= self.limits.states {
                self.found.limit = Some("states");
                break;
            }
            for (next, thread, span) in successors(&mut self, &node) {
                self.visit(next, Some((number, thread, span)));
            }
        }
        self.found.states = self.parents.len();
        self.found
    }

    fn visit(&mut self, node: SearchNode, parent: Option<(usize, usize, Span)>) {
        if self.numbers.contains_key(&node) {
            return;
        }
        let number = self.parents.len();
        self.parents.push(parent);
        // Before `init` has ended the threads have not begun.
        let begun = if node.state.initializing() { 0..1 } else { 1..node.state.threads.len() };
        for thread in begun {
            if let Some(target) = self.machine.target(&node.state, thread) {
                let run = self.run_to(number);
                self.found.targets.entry((target.start, target.end)).or_insert(run);
            }
        }
        self.numbers.insert(node.clone(), number);
        self.queue.push_back((number, node));
    }

    fn run_to(&self, mut number: usize) -> Vec<(usize, Span)> {
        let mut run = Vec::new();
        while let Some((parent, thread, span)) = self.parents[number] {
            if span != Span::default() {
                run.push((thread, span));
            }
            number = parent;
        }
        run.reverse();
        run
    }

    fn steps(&mut self, state: &State, thread: usize) -> Vec<(State, Span)> {
        let mut kept = Vec::new();
        for step in self.machine.steps(state, thread) {
            if step.state.threads[thread].frames.len() > self.limits.stack {
                self.found.limit = Some("stack depth");
            } else {
                kept.push((step.state, step.span));
            }
        }
        kept
    }

    /// Any thread moves, unless the one that moved last is inside an atomic section.
    fn free_successors(&mut self, node: &SearchNode) -> Vec<(SearchNode, usize, Span)> {
        let state = &node.state;
        let candidates = match node.running {
            _ if state.initializing() => 0..1,
            Some(thread) if !self.yields(state, thread) => thread..thread + 1,
            _ => 1..state.threads.len(),
        };
        let mut next = Vec::new();
        for thread in candidates {
            for (state, span) in self.steps(state, thread) {
                let held = if thread == 0 { Some(1) } else { Some(thread) };
                let running = held.filter(|thread| !self.yields(&state, *thread));
                let mut node = SearchNode { state, running, round: 0 };
                self.sort_copies(&mut node);
                next.push((node, thread, span));
            }
        }
        next
    }

    fn yields(&self, state: &State, thread: usize) -> bool {
        thread >= state.threads.len() || self.machine.yields(state, thread)
    }

    /// Copies of replicated threads are interchangeable.
    fn sort_copies(&self, node: &mut SearchNode) {
        let first = 1 + self.machine.program.singles.len();
        if node.running.is_none_or(|thread| thread < first) {
            node.state.threads[first..].sort_unstable();
        }
    }

    /// The running thread moves, or its context ends.
    fn round_successors(&mut self, node: &SearchNode, rounds: usize) -> Vec<(SearchNode, usize, Span)> {
        let (state, running) = (&node.state, node.running.unwrap_or(1));
        if state.initializing() {
            let steps = self.steps(state, 0).into_iter();
            return steps.map(|(state, span)| (SearchNode { state, ..node.clone() }, 0, span)).collect();
        }
        if running >= state.threads.len() {
            return Vec::new();
        }
        let steps = self.steps(state, running).into_iter();
        let mut next: Vec<_> =
            steps.map(|(state, span)| (SearchNode { state, ..node.clone() }, running, span)).collect();
        if self.machine.yields(state, running) {
            let last = running + 1 == state.threads.len();
            let (running, round) = if last { (1, node.round + 1) } else { (running + 1, node.round) };
            if round <= rounds {
                let switched = SearchNode { state: state.clone(), running: Some(running), round };
                next.push((switched, running, Span::default()));
            }
        }
        next
    }
}
