//! Moves executed by the explicit interpreter.
//!
//! The interpreter knows nothing of the solver's states: it executes the program's text. A move says which thread goes
//! on, to which place, and what the variables are there; the interpreter has to be able to go there in one step, and to
//! have these values. The graph has some places that the text has not, so that a move may be no step at all.

use super::BooleanProgram;
use super::destination::{Destination, shared_values};
use super::words::{births, steps};
use super::write::{PathEnd, write};
use crate::model::interpret::{Machine, Pc, State, Step};
use crate::model::moves::{MetCondition, Move, Moves, MovesEnd, Part};
use crate::model::program::cfg::PlaceInText;
use crate::model::trace::{Finish, Mismatch, NotReplayed, Repeat, Trace};
use std::collections::{BTreeMap, HashSet};

/// States that the moves leave open at the same time; values that nobody reads make few of them.
const MOST: usize = 256;

/// A part that repeats is executed so often: values that nobody reads may need some turns until they come back.
const TURNS: usize = 64;

/// One state of the interpreter on the way, and how it came there.
pub(super) struct Visit {
    /// With the values that the moves say filled in.
    pub state: State,
    /// The visit before.
    pub from: Option<usize>,
    pub how: How,
    pub round: Option<i64>,
    /// How many moves were made by then.
    pub made: usize,
}

/// What led from one visit to the next.
pub(super) enum How {
    /// No step: a move filled in what was open, or the run begins here.
    Filled,
    /// A copy of a replicated thread decided what it is: no step of the program.
    Born(usize),
    /// A step of the program, before the move filled in what it left open.
    Step(Step),
}

struct Execution<'a> {
    model: &'a BooleanProgram,
    machine: Machine<'a>,
    /// Where the threads begin that others made and that did not move yet, by their numbers.
    asleep: BTreeMap<usize, Destination>,
    /// The interpreter's number of each part: `init`, singles, then copies in the order in which they started.
    threads: Vec<usize>,
    /// Who moved last.
    before: Option<usize>,
    made: usize,
    visits: Vec<Visit>,
    /// The visits that can be the present one.
    now: Vec<usize>,
}

/// Executes the moves and writes the run down.
pub fn replay(model: &BooleanProgram, moves: &Moves) -> Result<Trace, NotReplayed> {
    let singles = model.program.singles.len();
    let single = |part: &Part| part.position.map(|at| at as usize).filter(|at| *at <= singles);
    let copies = moves.parts.iter().filter(|part| single(part).is_none()).count();
    let machine = Machine::new(&model.program, copies);
    let mut next_copy = singles;
    let threads = moves.parts.iter().map(|part| {
        single(part).unwrap_or_else(|| {
            next_copy += 1;
            next_copy
        })
    });
    let threads = threads.collect::<Vec<_>>();
    let first = |state| Visit { state, from: None, how: How::Filled, round: None, made: 0 };
    let mut visits = machine.initial().into_iter().map(first).collect::<Vec<_>>();
    // What nobody has looked at yet is what the first move says.
    if let Some(before) = moves.moves.first().map(|made| &made.before).or(moves.initial.as_ref()) {
        let said = shared_values(model, before);
        for visit in &mut visits {
            for (index, said) in said.iter().enumerate() {
                let value = visit.state.shared.get(index).unwrap_or(*said);
                visit.state.shared.set(index, Some(value));
            }
        }
    }
    let now = (0..visits.len()).collect();
    let made = moves.parts.iter().zip(&threads).filter(|(part, _)| part.position.is_none());
    let asleep =
        made.filter_map(|(part, thread)| Some((*thread, Destination::new(model, &part.state, &[])?)));
    let asleep = asleep.collect();
    let this = Execution { model, machine, asleep, threads, before: None, made: 0, visits, now };
    let left_out = this.machine.left_out();
    this.run(moves).map_err(|mismatch| match left_out.get() {
        true => NotReplayed::Unknown("numbers have too many values to execute it".into()),
        false => mismatch.into(),
    })
}

impl Execution<'_> {
    fn run(mut self, moves: &Moves) -> Result<Trace, Mismatch> {
        if moves.end != MovesEnd::Target {
            self.fill_idle(moves);
        }
        self.make(&moves.moves)?;
        if moves.parts.iter().any(|part| part.position != Some(0)) {
            self.finish_init();
        }
        match &moves.end {
            MovesEnd::Target => self.end_at_target(),
            MovesEnd::Anywhere => self.end_anywhere(),
            MovesEnd::Repeat { from, met } => self.end_again(&moves.moves[*from..], *from, met),
        }
    }

    /// Threads that never move stay as they began: what they have is what their `start` says.
    fn fill_idle(&mut self, moves: &Moves) {
        let parts = moves.parts.iter().zip(&self.threads).enumerate();
        let idle = parts.filter(|(at, _)| moves.moves.iter().all(|made| made.part != Some(*at)));
        let idle = idle.filter_map(|(_, (part, &thread))| {
            Some((Destination::new(self.model, &part.state, &[])?, thread))
        });
        let idle = idle.collect::<Vec<_>>();
        for at in &mut self.now {
            let mut state = self.visits[*at].state.clone();
            for (start, thread) in &idle {
                state = start.reach(&state, *thread).unwrap_or(state);
            }
            self.visits.push(Visit { state, from: Some(*at), how: How::Filled, round: None, made: 0 });
            *at = self.visits.len() - 1;
        }
    }

    /// Makes moves, one after the other.
    fn make(&mut self, moves: &[Move]) -> Result<(), Mismatch> {
        for made in moves {
            let number = self.made + 1;
            let mismatch = |what: &str| Mismatch { number, what: what.into() };
            // A thread that leaves its last procedure has ended, and that is no step.
            if made.state.is_empty() {
                self.made += 1;
                continue;
            }
            let Some(part) = made.part else { return Err(mismatch("a step of the program has a thread")) };
            let thread = self.threads[part];
            let Some(target) = Destination::new(self.model, &made.state, &made.shared) else {
                return Err(mismatch("the state has no meaning in the program"));
            };
            // Waiting for each other is no step of the program: a creator and its thread do both steps later.
            if target.place == PlaceInText::Handover {
                self.made += 1;
                continue;
            }
            let before = self.before.filter(|before| *before != thread && *before != 0);
            if before.is_some_and(|before| !self.switch(before)) {
                return Err(mismatch("another thread moves inside an atomic section"));
            }
            if thread != 0 {
                self.finish_init();
            }
            self.wake(thread, made.round);
            self.made += 1;
            self.advance(thread, made.round, |state| target.reach(state, thread));
            if self.now.is_empty() {
                return Err(mismatch(&format!("no step leads to {}", target.name)));
            }
            self.before = Some(thread);
        }
        Ok(())
    }

    /// A thread that another one made gets its position where it first moves.
    fn wake(&mut self, thread: usize, round: Option<i64>) {
        if let Some(begin) = self.asleep.remove(&thread) {
            // Others may have changed its values since it was made.
            let changed = self.model.program.broadcasts();
            self.advance(thread, round, |state| match changed {
                true => begin.is_place_of(state, thread).then(|| state.clone()),
                false => begin.reach(state, thread),
            });
        }
    }

    /// Whether another thread may go on; drops the states in which it may not.
    fn switch(&mut self, thread: usize) -> bool {
        let (machine, visits) = (&self.machine, &self.visits);
        self.now.retain(|at| machine.yields(&visits[*at].state, thread));
        !self.now.is_empty()
    }

    /// `init` leaves its procedure; the graph has no move for that.
    fn finish_init(&mut self) {
        let at_end = |state: &State| {
            let top = state.threads[0].frames.last();
            state.initializing() && top.is_none_or(|top| top.pc == Pc::Exit)
        };
        if self.now.iter().any(|at| at_end(&self.visits[*at].state)) {
            self.advance(0, None, |state| (!state.initializing()).then(|| state.clone()));
        }
    }

    /// One step of a thread, or none, to a state that `reach` accepts and completes.
    fn advance(&mut self, thread: usize, round: Option<i64>, reach: impl Fn(&State) -> Option<State>) {
        let (mut seen, mut next, made) = (HashSet::new(), Vec::new(), self.made);
        for at in std::mem::take(&mut self.now) {
            let state = self.visits[at].state.clone();
            let mut offer = |visits: &mut Vec<Visit>, from: usize, reached: Option<State>, how: How| {
                let Some(state) = reached.filter(|state| next.len() < MOST && seen.insert(state.clone()))
                else {
                    return;
                };
                next.push(visits.len());
                visits.push(Visit { state, from: Some(from), how, round, made });
            };
            // A copy that is not born yet is born first.
            let mut from = vec![(at, state.clone())];
            for born in births(&self.machine, &state, thread) {
                let how = How::Born(thread);
                self.visits.push(Visit { state: born.clone(), from: Some(at), how, round, made });
                from.push((self.visits.len() - 1, born));
            }
            for (at, state) in from {
                for step in steps(&self.machine, &state, thread) {
                    offer(&mut self.visits, at, reach(&step.state), How::Step(step));
                }
                offer(&mut self.visits, at, reach(&state), How::Filled);
            }
        }
        self.now = next;
    }

    /// The run that ends at a target.
    fn end_at_target(mut self) -> Result<Trace, Mismatch> {
        let target = |this: &Self, at: usize| {
            let state = &this.visits[at].state;
            let begun = if state.initializing() { 0..1 } else { 1..state.threads.len() };
            begun.into_iter().find_map(|thread| Some((thread, this.machine.target(state, thread)?)))
        };
        let mut found = self.now.iter().find_map(|&at| Some((at, target(&self, at)?)));
        // One of the threads that were made and did not move may stand at the target.
        let asleep = self.asleep.keys().copied().collect::<Vec<_>>();
        for thread in asleep {
            if found.is_none() {
                let before = self.now.clone();
                self.wake(thread, None);
                found = self.now.iter().find_map(|&at| Some((at, target(&self, at)?)));
                self.now = before;
            }
        }
        if found.is_none() {
            // A copy that stands at a target from the beginning has not moved yet.
            let singles = self.model.program.singles.len();
            for thread in self.threads.clone().into_iter().filter(|thread| *thread > singles) {
                for at in self.now.clone() {
                    for state in births(&self.machine, &self.visits[at].state, thread) {
                        let (how, made) = (How::Born(thread), self.made);
                        self.visits.push(Visit { state, from: Some(at), how, round: None, made });
                        let last = self.visits.len() - 1;
                        found = found.or_else(|| Some((last, target(&self, last)?)));
                    }
                }
            }
        }
        let Some((at, (thread, span))) = found else {
            return Err(Mismatch {
                number: self.visits.len(),
                what: "the run ends, and at no target".into(),
            });
        };
        write(&self.machine, &self.path(at), &PathEnd::Target(thread, span))
    }

    /// The run that ends where it ends.
    fn end_anywhere(self) -> Result<Trace, Mismatch> {
        let Some(&at) = self.now.first() else {
            return Err(Mismatch { number: self.made, what: "the program cannot begin".into() });
        };
        write(&self.machine, &self.path(at), &PathEnd::Anywhere)
    }

    /// The run whose last moves are repeated, until a state comes back.
    fn end_again(mut self, moves: &[Move], from: usize, met: &[MetCondition]) -> Result<Trace, Mismatch> {
        let mut heads = vec![from];
        for turn in 0..TURNS {
            heads.push(self.made);
            for &at in &self.now {
                let path = self.path(at);
                let state =
                    |made: usize| path.iter().rfind(|visit| visit.made <= made).map(|visit| &visit.state);
                let Some(begin) = (0..=turn).rfind(|&head| state(heads[head]) == state(self.made)) else {
                    continue;
                };
                // Every turn meets the same conditions.
                let turns = (begin..=turn).flat_map(|turn| {
                    let later = turn * moves.len();
                    met.iter().map(move |met| MetCondition { after: met.after + later, ..met.clone() })
                });
                let end = PathEnd::Repeat { from: heads[begin], met: &turns.collect::<Vec<_>>() };
                let written = write(&self.machine, &path, &end)?;
                if let Finish::Repeat(Repeat { from, .. }) = written.finish
                    && from == written.steps.len()
                {
                    return Err(Mismatch {
                        number: self.made,
                        what: "the part that repeats has no step of the program".into(),
                    });
                }
                return Ok(written);
            }
            self.make(moves)?;
        }
        Err(Mismatch { number: self.made, what: "the part that repeats does not come back".into() })
    }

    /// The visits that lead to one.
    fn path(&self, at: usize) -> Vec<&Visit> {
        let mut path = vec![at];
        while let Some(from) = self.visits[path[path.len() - 1]].from {
            path.push(from);
        }
        path.reverse();
        path.into_iter().map(|at| &self.visits[at]).collect()
    }
}
