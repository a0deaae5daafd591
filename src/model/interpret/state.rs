//! Explicit states, compact and hashable.

use crate::model::program::{Domain, ProcedureId, StatementId, Var, Variable};
use calculus::span::Span;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Values of variables; one that was never looked at since it became arbitrary is open (`None`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Values {
    /// Two bits per variable: open, 0, 1, or another number.
    words: Box<[u64]>,
    /// The other numbers, with the variables that have them, in order. Most variables are truth values.
    others: Box<[(u32, i64)]>,
}

const OPEN: u64 = 0;
const ZERO: u64 = 1;
const ANOTHER: u64 = 2;
const ONE: u64 = 3;

impl Values {
    /// All open.
    pub fn open(n: usize) -> Values {
        Values { words: vec![0; n.div_ceil(32)].into(), others: Box::default() }
    }

    pub fn initial(variables: &[Variable]) -> Values {
        let mut values = Values::open(variables.len());
        for (index, variable) in variables.iter().enumerate() {
            values.set(index, variable.initial);
        }
        values
    }

    pub fn get(&self, index: usize) -> Option<i64> {
        match self.words[index / 32] >> (index % 32 * 2) & 3 {
            ZERO => Some(0),
            ONE => Some(1),
            ANOTHER => {
                let at = self.others.binary_search_by_key(&(index as u32), |(var, _)| *var).ok()?;
                Some(self.others[at].1)
            }
            _ => None,
        }
    }

    pub fn set(&mut self, index: usize, value: Option<i64>) {
        let (shift, var) = (index % 32 * 2, index as u32);
        let before = self.words[index / 32] >> shift & 3;
        let code = match value {
            None => OPEN,
            Some(0) => ZERO,
            Some(1) => ONE,
            Some(_) => ANOTHER,
        };
        let word = &mut self.words[index / 32];
        *word = *word & !(3 << shift) | code << shift;
        if before == ANOTHER || code == ANOTHER {
            let mut others = std::mem::take(&mut self.others).into_vec();
            others.retain(|(other, _)| *other != var);
            if let Some(value) = value.filter(|_| code == ANOTHER) {
                others.insert(others.partition_point(|(other, _)| *other < var), (var, value));
            }
            self.others = others.into();
        }
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
    /// An assertion at this place failed, or a value was outside of a range.
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

/// More ways to choose values are not tried one by one. If there are more, so many states get several values.
const MOST_CHOICES: u64 = 1 << 20;
const FEW_CHOICES: usize = 1 << 10;

impl State {
    /// A variable as the top frame of a thread sees it.
    pub fn read(&self, thread: usize, var: Var) -> Option<i64> {
        let this = &self.threads[thread];
        match var {
            Var::Shared(index) => self.shared.get(index as usize),
            Var::Own(index) => this.own.get(index as usize),
            Var::Local(index) => this.frames.last().and_then(|top| top.locals.get(index as usize)),
        }
    }

    pub fn write(&mut self, thread: usize, var: Var, value: Option<i64>) {
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

    /// All ways to choose values for those of the variables that are open. If they are too many, some of them; then it is noted
    /// that others are left out.
    pub fn choose<'d>(
        self,
        thread: usize,
        variables: &[Var],
        domain: impl Fn(Var) -> &'d Domain,
        left_out: &Cell<bool>,
    ) -> Vec<State> {
        let mut states = vec![self];
        for var in variables {
            if states[0].read(thread, *var).is_some() {
                continue;
            }
            let with = |value: i64| {
                let mut chosen = states.clone();
                chosen.iter_mut().for_each(|state| state.write(thread, *var, Some(value)));
                chosen
            };
            let domain = domain(*var);
            states = if states.len() as u64 <= MOST_CHOICES / domain.count() {
                domain.values().flat_map(with).collect()
            } else {
                left_out.set(true);
                let (low, high) = (domain.low(), domain.high());
                let few = BTreeSet::from([low, -1, 0, 1, 2, high].map(|value| value.clamp(low, high)));
                few.into_iter().take(if states.len() < FEW_CHOICES { 6 } else { 1 }).flat_map(with).collect()
            };
        }
        states
    }

    pub fn initializing(&self) -> bool {
        self.threads[0].status != Status::Ended
    }
}
