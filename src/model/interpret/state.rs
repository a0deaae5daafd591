//! Explicit states, compact and hashable.

use crate::model::program::{ProcedureId, StatementId, Var, Variable};
use calculus::span::Span;

/// Values of variables; one that was never looked at since it became arbitrary is open (`None`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Values {
    /// Two bits per variable: known, value.
    words: Box<[u64]>,
}

impl Values {
    /// All open.
    pub fn open(n: usize) -> Values {
        Values { words: vec![0; n.div_ceil(32)].into() }
    }

    pub fn initial(variables: &[Variable]) -> Values {
        let mut values = Values::open(variables.len());
        for (index, variable) in variables.iter().enumerate() {
            values.set(index, variable.initial);
        }
        values
    }

    pub fn get(&self, index: usize) -> Option<bool> {
        let bits = self.words[index / 32] >> (index % 32 * 2) & 3;
        (bits & 1 == 1).then_some(bits & 2 == 2)
    }

    pub fn set(&mut self, index: usize, value: Option<bool>) {
        let shift = index % 32 * 2;
        let bits = value.map_or(0, |value| 1 | u64::from(value) << 1);
        let word = &mut self.words[index / 32];
        *word = *word & !(3 << shift) | bits << shift;
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    pub shared: Values,
    /// By position; 0 is `init`.
    pub threads: Vec<ThreadState>,
    /// Threads that were made and have not yet been scheduled, sorted. Equal ones are counted as far as there are
    /// positions for them.
    pub created: Vec<Created>,
}

/// A thread that was made, where it begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Created {
    pub birth: u32,
    pub frame: Frame,
    pub own: Values,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadState {
    pub status: Status,
    /// The top is last.
    pub frames: Vec<Frame>,
    pub own: Values,
    /// How many `atomic_begin` wait for their `atomic_end`.
    pub sections: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// A copy of a replicated template that has not yet decided which.
    Unborn,
    /// Waits for a thread that a `start_thread` with this birth makes.
    Asleep(u32),
    Running,
    Ended,
    /// An assertion at this place failed.
    Failed(Span),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    pub procedure: ProcedureId,
    pub pc: Pc,
    /// Locals, then results.
    pub locals: Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pc {
    /// Before the first statement of a procedure with `enforce`.
    Entry,
    /// Before this statement; in a caller's frame, inside this call.
    At(StatementId),
    /// At the end, results computed.
    Exit,
}

impl State {
    /// A variable as the top frame of a thread sees it.
    pub fn read(&self, thread: usize, var: Var) -> Option<bool> {
        let this = &self.threads[thread];
        match var {
            Var::Shared(index) => self.shared.get(index as usize),
            Var::Own(index) => this.own.get(index as usize),
            Var::Local(index) => this.frames.last().and_then(|top| top.locals.get(index as usize)),
        }
    }

    pub fn write(&mut self, thread: usize, var: Var, value: Option<bool>) {
        let this = &mut self.threads[thread];
        match var {
            Var::Shared(index) => self.shared.set(index as usize, value),
            Var::Own(index) => this.own.set(index as usize, value),
            Var::Local(index) => {
                if let Some(top) = this.frames.last_mut() {
                    top.locals.set(index as usize, value);
                }
            }
        }
    }

    /// All ways to choose values for those of the variables that are open.
    pub fn choose(self, thread: usize, variables: &[Var]) -> Vec<State> {
        let mut states = vec![self];
        for var in variables {
            if states[0].read(thread, *var).is_some() {
                continue;
            }
            let mut chosen = states.clone();
            states.iter_mut().for_each(|state| state.write(thread, *var, Some(false)));
            chosen.iter_mut().for_each(|state| state.write(thread, *var, Some(true)));
            states.append(&mut chosen);
        }
        states
    }

    pub fn initializing(&self) -> bool {
        self.threads[0].status != Status::Ended
    }
}
