//! Which targets can be reached: within some rounds, or at all.

use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

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
    /// Each target that was reached, with a run to it: which thread executed which statement. No run to it has fewer
    /// rounds, and of those with as few none is shorter.
    pub targets: BTreeMap<(u32, u32), Vec<(usize, Span)>>,
    pub states: usize,
    /// Which limit cut the exploration short.
    pub limit: Option<&'static str>,
    /// The rounds that were allowed; one where they do not count.
    rounds: usize,
    /// The round in which the first target was reached.
    reached_in: Option<usize>,
    /// The first round that is not explored completely, because of a limit.
    limited_in: Option<usize>,
}

impl Exploration {
    pub fn verdict(&self) -> Reachability {
        self.within(self.rounds)
    }

    /// What the verdict would be with fewer rounds.
    pub fn within(&self, rounds: usize) -> Reachability {
        assert!(rounds <= self.rounds, "only {} rounds were allowed", self.rounds);
        let by_then = |round: Option<usize>| round.is_some_and(|round| round <= rounds);
        match (by_then(self.reached_in), by_then(self.limited_in)) {
            (true, _) => Reachability::Reached,
            (false, false) => Reachability::NotReached,
            (false, true) => Reachability::Limit,
        }
    }

    fn limited(&mut self, limit: &'static str, round: usize) {
        self.limit = Some(limit);
        self.limited_in.get_or_insert(round);
    }
}

/// A state with what the scheduler knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SearchNode {
    state: State,
    /// Who runs: without rounds, only set when that thread cannot be interrupted.
    running: Option<usize>,
}

/// The node before, and which thread did what there.
type Move = (usize, usize, Span);

/// Round by round: all nodes of a round come before those of the next one. What can be reached from a node in some rounds
/// can be reached from it in more, so a node counts in the first round in which it is met, and never again.
struct Search<'m, 'p> {
    machine: &'m Machine<'p>,
    limits: ExplorationLimits,
    found: Exploration,
    seen: FxHashSet<Rc<SearchNode>>,
    /// How each node was reached first.
    parents: Vec<Option<Move>>,
    queue: VecDeque<(usize, Rc<SearchNode>)>,
    round: usize,
    /// Where the next round begins.
    later: Vec<(SearchNode, Option<Move>)>,
}

impl Machine<'_> {
    /// Without a bound on context switches: breadth first over all states.
    pub fn explore(&self, limits: ExplorationLimits) -> Exploration {
        Search::new(self, limits).run(1, |search, node, _| search.free_successors(node))
    }

    /// Within `rounds` rounds: in each, every thread in the order of positions has one context, which may be empty.
    /// [`Exploration::within`] answers for fewer rounds too.
    pub fn explore_rounds(&self, rounds: usize, limits: ExplorationLimits) -> Exploration {
        Search::new(self, limits).run(rounds, |search, node, number| search.round_successors(node, number))
    }
}

impl<'m, 'p> Search<'m, 'p> {
    fn new(machine: &'m Machine<'p>, limits: ExplorationLimits) -> Search<'m, 'p> {
        let (found, seen, parents, queue) = Default::default();
        let initial = machine.initial().into_iter();
        let later = initial.map(|state| (SearchNode { state, running: Some(1) }, None)).collect();
        Search { machine, limits, found, seen, parents, queue, round: 0, later }
    }

    fn run(
        mut self,
        rounds: usize,
        successors: impl Fn(&mut Self, &SearchNode, usize) -> Vec<(SearchNode, usize, Span)>,
    ) -> Exploration {
        self.found.rounds = rounds;
        'rounds: for round in 1..=rounds {
            self.round = round;
            for (node, parent) in std::mem::take(&mut self.later) {
                self.visit(node, parent);
            }
            while let Some((number, node)) = self.queue.pop_front() {
                if !self.found.targets.is_empty() && !self.limits.all_targets {
                    break 'rounds;
                }
                if self.parents.len() >= self.limits.states {
                    self.found.limited("states", round);
                    break 'rounds;
                }
                for (next, thread, span) in successors(&mut self, &node, number) {
                    self.visit(next, Some((number, thread, span)));
                }
            }
        }
        self.found.states = self.parents.len();
        self.found
    }

    fn visit(&mut self, node: SearchNode, parent: Option<Move>) {
        let node = Rc::new(node);
        if !self.seen.insert(node.clone()) {
            return;
        }
        let number = self.parents.len();
        self.parents.push(parent);
        // Before `init` has ended the threads have not begun.
        let begun = if node.state.initializing() { 0..1 } else { 1..node.state.threads.len() };
        for thread in begun {
            if let Some(target) = self.machine.target(&node.state, thread) {
                let run = self.run_to(number);
                self.found.reached_in.get_or_insert(self.round);
                self.found.targets.entry((target.start, target.end)).or_insert(run);
            }
        }
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
                self.found.limited("stack depth", self.round);
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
                let mut node = SearchNode { state, running };
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

    /// The running thread moves, or its context ends: the last one of a round leads to the next round.
    fn round_successors(&mut self, node: &SearchNode, number: usize) -> Vec<(SearchNode, usize, Span)> {
        let (state, running) = (&node.state, node.running.unwrap_or(1));
        if !state.initializing() && running >= state.threads.len() {
            return Vec::new();
        }
        let thread = if state.initializing() { 0 } else { running };
        let steps = self.steps(state, thread).into_iter();
        let mut next: Vec<_> =
            steps.map(|(state, span)| (SearchNode { state, running: node.running }, thread, span)).collect();
        if state.initializing() || !self.machine.yields(state, running) {
            return next;
        }
        let switched = |running| SearchNode { state: state.clone(), running: Some(running) };
        if running + 1 < state.threads.len() {
            next.push((switched(running + 1), running + 1, Span::default()));
        } else if self.round < self.found.rounds {
            self.later.push((switched(1), Some((number, 1, Span::default()))));
        }
        next
    }
}
