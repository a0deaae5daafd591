//! An explicit search: all states of a program with all values chosen, and who ran last.

use fpsolve::model::interpret::{Machine, Pc, State, Status, Values};
use fpsolve::model::program::{Domain, Program, Variable};
use fpsolve::model::trace::{Change, Finish, Trace, TraceState, TraceStep};
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
    /// Where the threads begin.
    begins: Vec<bool>,
}

impl<'p> Search<'p> {
    /// Nothing if there are too many states.
    pub fn new(program: &'p Program) -> Option<Search<'p>> {
        let mut search =
            Search { program, machine: Machine::new(program, 0), nodes: Vec::new(), begins: Vec::new() };
        let mut numbers = HashMap::new();
        let mut work = Vec::new();
        for state in search.begun() {
            for running in 1..state.threads.len() {
                search.number(&mut numbers, &mut work, (state.clone(), running));
            }
        }
        let begins = search.nodes.len();
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
        search.begins = (0..search.nodes.len()).map(|at| at < begins).collect();
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
        let mut choose = |domains: Vec<&Domain>, values: &dyn Fn(&mut State) -> &mut Values| {
            for (at, domain) in domains.into_iter().enumerate() {
                all = std::mem::take(&mut all)
                    .into_iter()
                    .flat_map(|mut state| match values(&mut state).get(at) {
                        Some(_) => vec![state],
                        None => {
                            let with = |value| {
                                let mut state = state.clone();
                                values(&mut state).set(at, Some(value));
                                state
                            };
                            domain.values().map(with).collect()
                        }
                    })
                    .collect();
            }
        };
        let domains = |variables: &'p [Variable]| variables.iter().map(|variable| &variable.domain);
        choose(domains(&self.program.shared).collect(), &|state| &mut state.shared);
        for (at, thread) in state.threads.iter().enumerate() {
            choose(domains(&self.program.own).collect(), &|state| &mut state.threads[at].own);
            for (depth, frame) in thread.frames.iter().enumerate() {
                let procedure = self.program.procedure(frame.procedure);
                let locals = domains(&procedure.locals).chain(&procedure.results).collect();
                choose(locals, &|state| &mut state.threads[at].frames[depth].locals);
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

    /// Whether some thread waits and none can go on. `inside`: whoever blocks inside a section stops all others.
    pub fn has_deadlock(&self, inside: bool) -> bool {
        (0..self.nodes.len()).any(|at| self.is_halted(at, inside))
    }

    fn is_halted(&self, at: usize, inside: bool) -> bool {
        let Node { state, running, steps } = &self.nodes[at];
        let mut threads = 1..state.threads.len();
        threads.clone().any(|thread| self.waits(state, thread))
            && match self.machine.yields(state, *running) {
                true => threads.all(|thread| !self.passes(at, thread)),
                false => steps.is_empty() && (inside || self.has_ended(state, *running)),
            }
    }

    /// Whether a thread can come to a place where others may run, or to its end.
    fn passes(&self, at: usize, thread: usize) -> bool {
        let own = |at: usize| self.nodes[at].steps.iter().filter(|(by, _)| *by == thread).map(|(_, to)| *to);
        let (mut seen, mut work) = (BTreeSet::new(), own(at).collect::<Vec<_>>());
        while let Some(at) = work.pop() {
            let state = &self.nodes[at].state;
            let is_over = !self.waits(state, thread) || state.threads[thread].status != Status::Running;
            if is_over || self.machine.yields(state, thread) {
                return true;
            }
            if seen.insert(at) {
                work.extend(own(at));
            }
        }
        false
    }

    /// Whether a thread can stand at `request` and never come to `served`.
    pub fn is_unserved(&self) -> bool {
        let threads = self.program.singles.len();
        (1..=threads).any(|thread| {
            let served = |at: usize| self.is_at(&self.nodes[at].state, thread, "served");
            let next = |at: usize| {
                let steps = if served(at) { &[][..] } else { &self.nodes[at].steps };
                steps.iter().filter(|(_, to)| !served(*to))
            };
            let asks = (0..self.nodes.len()).filter(|&at| !served(at));
            let asks = asks.filter(|&at| self.is_at(&self.nodes[at].state, thread, "request"));
            let mut work = asks.collect::<Vec<_>>();
            let mut behind = BTreeSet::new();
            while let Some(at) = work.pop() {
                if behind.insert(at) {
                    work.extend(next(at).map(|(_, to)| *to));
                }
            }
            let mut stuck = behind.iter().filter(|&&at| self.waits(&self.nodes[at].state, thread));
            let parts = calculus::graph::components(self.nodes.len(), |at| {
                next(at).map(|(_, to)| *to).collect::<Vec<_>>()
            });
            let mut parts = parts.iter().filter(|part| behind.contains(&part[0]));
            stuck.any(|&at| self.is_halted(at, false))
                || parts.any(|part| {
                    let inside = part.iter().copied().collect::<BTreeSet<_>>();
                    let moves = part.iter().flat_map(|&at| next(at)).filter(|(_, to)| inside.contains(to));
                    let movers = moves.map(|(by, _)| *by).collect::<BTreeSet<_>>();
                    !movers.is_empty()
                        && (1..=threads).all(|c| movers.contains(&c) || self.is_unable(part, c))
                })
        })
    }

    /// Whether a thread stands at a label.
    fn is_at(&self, state: &State, thread: usize, label: &str) -> bool {
        let Some(top) = state.threads[thread].frames.last() else { return false };
        let Pc::At(id) = top.pc else { return false };
        let statement = self.program.procedure(top.procedure).statement(id);
        statement.labels.iter().any(|found| found == label)
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

    /// Whether a trace without copies can be walked: with its threads, lines and values to the state that it tells, and
    /// around its last part to the very same state. Values on the way that it does not tell may be any.
    pub fn has_run(&self, trace: &Trace) -> bool {
        let all = (0..self.nodes.len()).filter(|&at| self.begins[at]).collect::<BTreeSet<_>>();
        match &trace.finish {
            Finish::Error(_) => false,
            Finish::State(end) => {
                let last = self.walk(trace, &trace.steps, all);
                last.into_iter().any(|at| self.is_told(&self.nodes[at].state, end))
            }
            Finish::Repeat(repeat) => {
                let (stem, around) = trace.steps.split_at(repeat.from);
                let begin = self.walk(trace, stem, all).into_iter();
                let mut begin = begin.filter(|&at| self.is_told(&self.nodes[at].state, &repeat.state));
                begin.any(|at| {
                    // Who ran last may be another thread the first time; then it is the same the second time.
                    let once = self.walk(trace, around, BTreeSet::from([at]));
                    let same = |other: &usize| self.nodes[*other].state == self.nodes[at].state;
                    let once = once.into_iter().filter(same).collect::<BTreeSet<_>>();
                    !around.is_empty() && !self.walk(trace, around, once.clone()).is_disjoint(&once)
                })
            }
        }
    }

    /// The nodes behind some steps.
    fn walk(&self, trace: &Trace, steps: &[TraceStep], mut now: BTreeSet<usize>) -> BTreeSet<usize> {
        for step in steps {
            let thread = trace.threads[step.thread].position;
            // `init` is over before the search begins.
            if thread == 0 {
                continue;
            }
            let here =
                now.into_iter().filter(|&at| self.line(&self.nodes[at].state, thread) == Some(step.line));
            let next = here.flat_map(|at| self.nodes[at].steps.iter().filter(|(by, _)| *by == thread));
            let next = next.map(|(_, to)| *to);
            now = next.filter(|&to| self.has_values(&self.nodes[to].state, thread, &step.changes)).collect();
        }
        now
    }

    fn line(&self, state: &State, thread: usize) -> Option<usize> {
        let top = state.threads[thread].frames.last()?;
        let procedure = self.program.procedure(top.procedure);
        let start = match top.pc {
            Pc::Entry => procedure.name_span.start,
            Pc::At(id) => procedure.statement(id).span.start,
            Pc::Exit => procedure.span.end - 3,
        };
        Some(self.program.source.text[..start as usize].matches('\n').count() + 1)
    }

    /// Whether variables that a thread sees have these values.
    fn has_values(&self, state: &State, thread: usize, told: &[Change]) -> bool {
        let this = &state.threads[thread];
        told.iter().filter(|change| change.value.is_some()).all(|change| {
            let shared = self.program.shared.iter().position(|variable| variable.name == change.variable);
            let Some(top) = this.frames.last() else { return shared.is_some() };
            let procedure = self.program.procedure(top.procedure);
            let named = |variable: &&str| **variable == change.variable;
            let local = procedure.locals.iter().position(|local| named(&local.name.as_str()));
            let mut own = procedure.own.clone().map(|at| at as usize);
            let own = own.find(|at| named(&self.program.own[*at].name.as_str()));
            let shown = |variables: &[Variable], at: usize, value: Option<i64>| {
                value.map(|value| variables[at].domain.show(value))
            };
            let values = [
                local.map(|at| shown(&procedure.locals, at, top.locals.get(at))),
                own.map(|at| shown(&self.program.own, at, this.own.get(at))),
                shared.map(|at| shown(&self.program.shared, at, state.shared.get(at))),
            ];
            values.into_iter().flatten().any(|value| value == change.value)
        })
    }

    /// Whether a state is the one that is told, as far as it has values.
    fn is_told(&self, state: &State, told: &TraceState) -> bool {
        told.threads.iter().all(|told_thread| {
            let (at, frames) = (told_thread.position, &told_thread.frames);
            let top = frames.last();
            state.threads[at].frames.len() == frames.len()
                && self.line(state, at) == top.map(|top| top.line)
                && self.has_values(state, at, &told.shared)
                && self.has_values(state, at, &told_thread.own)
                && top.is_none_or(|top| self.has_values(state, at, &top.locals))
        })
    }

    /// Whether a thread cannot move somewhere in a part, where it may be scheduled.
    fn is_unable(&self, part: &[usize], thread: usize) -> bool {
        part.iter().any(|&at| {
            let node = &self.nodes[at];
            self.machine.yields(&node.state, node.running) && !self.passes(at, thread)
        })
    }
}
