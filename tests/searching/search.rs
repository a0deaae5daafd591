//! An explicit search: all states of a program with all values chosen, and who ran last.

use fpsolve::model::interpret::{Machine, Pc, State, Status, Values};
use fpsolve::model::program::Program;
use std::collections::{BTreeSet, HashMap};

/// Larger programs are left out.
const MOST: usize = 60_000;

/// A state, who ran last, and its steps: who, and where they lead.
struct Node {
    state: State,
    running: usize,
    steps: Vec<(usize, usize)>,
}

pub struct Search<'p> {
    program: &'p Program,
    machine: Machine<'p>,
    nodes: Vec<Node>,
}

impl<'p> Search<'p> {
    /// Nothing if there are too many states.
    pub fn new(program: &'p Program) -> Option<Search<'p>> {
        let mut search = Search { program, machine: Machine::new(program, 0), nodes: Vec::new() };
        let mut numbers = HashMap::new();
        let mut work = Vec::new();
        for state in search.begun() {
            for running in 1..state.threads.len() {
                search.number(&mut numbers, &mut work, (state.clone(), running));
            }
        }
        while let Some(at) = work.pop() {
            let (state, running) = (search.nodes[at].state.clone(), search.nodes[at].running);
            for thread in 1..state.threads.len() {
                if thread != running && !search.machine.yields(&state, running) {
                    continue;
                }
                for next in search.next(&state, thread) {
                    let to = search.number(&mut numbers, &mut work, (next, thread));
                    search.nodes[at].steps.push((thread, to));
                }
            }
            if search.nodes.len() > MOST {
                return None;
            }
        }
        Some(search)
    }

    fn number(
        &mut self,
        numbers: &mut HashMap<(State, usize), usize>,
        work: &mut Vec<usize>,
        node: (State, usize),
    ) -> usize {
        *numbers.entry(node.clone()).or_insert_with(|| {
            self.nodes.push(Node { state: node.0, running: node.1, steps: Vec::new() });
            work.push(self.nodes.len() - 1);
            self.nodes.len() - 1
        })
    }

    /// The states in which `init` has ended.
    fn begun(&self) -> Vec<State> {
        let mut seen = BTreeSet::new();
        let mut work = self.machine.initial().into_iter().flat_map(|s| self.chosen(s)).collect::<Vec<_>>();
        let mut begun = Vec::new();
        while let Some(state) = work.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if state.initializing() {
                let steps = self.machine.steps(&state, 0);
                work.extend(steps.into_iter().flat_map(|step| self.chosen(step.state)));
            } else {
                begun.push(state);
            }
        }
        begun
    }

    /// The states with all values chosen.
    fn chosen(&self, state: State) -> Vec<State> {
        let mut all = vec![state.clone()];
        let mut choose = |count: usize, values: &dyn Fn(&mut State) -> &mut Values| {
            for at in 0..count {
                all = std::mem::take(&mut all)
                    .into_iter()
                    .flat_map(|mut state| match values(&mut state).get(at) {
                        Some(_) => vec![state],
                        None => {
                            let mut other = state.clone();
                            values(&mut state).set(at, Some(false));
                            values(&mut other).set(at, Some(true));
                            vec![state, other]
                        }
                    })
                    .collect();
            }
        };
        choose(self.program.shared.len(), &|state| &mut state.shared);
        for (at, thread) in state.threads.iter().enumerate() {
            choose(self.program.own.len(), &|state| &mut state.threads[at].own);
            for (depth, frame) in thread.frames.iter().enumerate() {
                let procedure = self.program.procedure(frame.procedure);
                let count = procedure.locals.len() + procedure.results as usize;
                choose(count, &|state| &mut state.threads[at].frames[depth].locals);
            }
        }
        all
    }

    /// Where a thread can go; one that stands at the end of its first procedure has ended.
    fn next(&self, state: &State, thread: usize) -> Vec<State> {
        match self.has_ended(state, thread) {
            true => Vec::new(),
            false => {
                let steps = self.machine.steps(state, thread).into_iter();
                steps.flat_map(|step| self.chosen(step.state)).collect()
            }
        }
    }

    fn has_ended(&self, state: &State, thread: usize) -> bool {
        let this = &state.threads[thread];
        match &this.frames[..] {
            [] => this.status == Status::Ended,
            [only] => this.status == Status::Running && only.pc == Pc::Exit,
            _ => false,
        }
    }

    fn waits(&self, state: &State, thread: usize) -> bool {
        !self.has_ended(state, thread) && self.machine.target(state, thread).is_none()
    }

    pub fn has_deadlock(&self) -> bool {
        self.nodes.iter().any(|node| {
            let waits = |thread: usize| self.waits(&node.state, thread);
            node.steps.is_empty() && (1..node.state.threads.len()).any(waits)
        })
    }

    /// Whether a thread can stand still forever while others move forever.
    pub fn starves(&self, fair: bool) -> bool {
        let threads = self.program.singles.len();
        (1..=threads).any(|thread| {
            let others = |at: usize| self.nodes[at].steps.iter().filter(move |(by, _)| *by != thread);
            let parts = calculus::graph::components(self.nodes.len(), |at| {
                others(at).map(|(_, to)| *to).collect::<Vec<_>>()
            });
            parts.iter().any(|part| {
                let inside = part.iter().copied().collect::<BTreeSet<_>>();
                let moves = part.iter().flat_map(|&at| others(at)).filter(|(_, to)| inside.contains(to));
                let movers = moves.map(|(by, _)| *by).collect::<BTreeSet<_>>();
                // A thread that stands still in one state of the part stands still in all of them.
                !movers.is_empty()
                    && self.waits(&self.nodes[part[0]].state, thread)
                    && (!fair || (1..=threads).all(|c| movers.contains(&c) || self.is_unable(part, c)))
            })
        })
    }

    /// Whether a thread cannot move somewhere in a part, where it may be scheduled.
    fn is_unable(&self, part: &[usize], thread: usize) -> bool {
        part.iter().map(|&at| &self.nodes[at]).any(|node| {
            self.machine.yields(&node.state, node.running) && self.next(&node.state, thread).is_empty()
        })
    }
}
