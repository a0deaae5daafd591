//! The explicit interpreter: executes the resolved tree one step at a time, with real call stacks.
//!
//! It shares the parser and the resolved tree with the rest and nothing after that: it is what the symbolic side is
//! compared with. A variable whose value nobody has looked at yet has none ([`state::Values`]): the choice is made when it is
//! first read, which gives the same runs as choosing early and far fewer states.
//!
//! Threads are numbered by position: 0 is `init`, then the singles in the order of the file, then the given number of
//! copies of replicated threads. A copy decides which template it is when it is first scheduled.
//!
//! Where threads change or look at variables of others ([`others`]), a copy is there from the beginning, and decides then.
//!
//! `start_thread` never waits: from then on the new thread exists ([`state::State::created`]). It gets a position when it is
//! first scheduled; one that finds none is never scheduled.

mod eval;
pub mod explore;
mod order;
mod others;
pub mod state;
mod statement;
mod step;

pub use explore::{Exploration, ExplorationLimits, Reachability};
pub use state::{Frame, Pc, State, Status, ThreadState, Values};
pub use step::Step;

use super::program::{Domain, Procedure, ProcedureId, Program, Start, Var};
use order::Order;
use std::cell::Cell;
use std::rc::Rc;

/// A program with a fixed number of threads.
pub struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) orders: Vec<Order>,
    copies: usize,
    /// Threads change or look at variables of others.
    broadcasts: bool,
    /// Values were left out because they are too many.
    pub(crate) left_out: Rc<Cell<bool>>,
}

impl<'p> Machine<'p> {
    /// `copies` counts the copies of all replicated templates together.
    pub fn new(program: &'p Program, copies: usize) -> Machine<'p> {
        let orders = program.procedures.iter().map(Order::new).collect();
        let copies = if program.replicated.is_empty() { 0 } else { copies };
        Machine { program, orders, copies, broadcasts: program.broadcasts(), left_out: Rc::default() }
    }

    /// Whether not all values were tried, because they are too many. Then what was not found may be there.
    pub fn left_out(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.left_out)
    }

    /// Positions, `init` (0) not counted.
    pub fn threads(&self) -> usize {
        self.program.singles.len() + self.copies
    }

    /// The states in which execution begins.
    pub fn initial(&self) -> Vec<State> {
        let init = match self.program.init {
            Some(id) => self.running(self.entered(id)),
            None => self.thread(Status::Ended),
        };
        let mut threads = vec![init];
        for single in &self.program.singles {
            threads.push(match single.start {
                Start::Entry => self.running(self.entered(single.procedure)),
                Start::Sleeping(birth) => self.thread(Status::Asleep(birth)),
            });
        }
        threads.extend((0..self.copies).map(|_| self.thread(Status::Unborn)));
        let shared = Values::initial(&self.program.shared);
        let begin = self.settle(State { shared, threads, created: Vec::new() });
        if self.broadcasts {
            begin.into_iter().flat_map(|state| self.decided(state)).collect()
        } else {
            begin
        }
    }

    pub(crate) fn thread(&self, status: Status) -> ThreadState {
        ThreadState { status, frames: Vec::new(), own: Values::initial(&self.program.own), sections: 0 }
    }

    pub(crate) fn running(&self, frame: Frame) -> ThreadState {
        ThreadState { frames: vec![frame], ..self.thread(Status::Running) }
    }

    /// A new frame at the entry of a procedure: declared initial values, everything else open.
    pub(crate) fn entered(&self, id: ProcedureId) -> Frame {
        let procedure = self.program.procedure(id);
        let mut locals = Values::open(procedure.locals.len() + procedure.results.len());
        for (index, local) in procedure.locals.iter().enumerate() {
            locals.set(index, local.initial);
        }
        let pc = if self.enforced(procedure) { Pc::Entry } else { self.orders[id.index()].entry() };
        Frame { procedure: id, pc, locals }
    }

    pub(crate) fn enforced(&self, procedure: &Procedure) -> bool {
        procedure.enforce.as_ref().is_some_and(|enforce| enforce.as_constant() != Some(true))
    }

    /// Whether another thread may be scheduled while this one stands where it stands.
    pub fn yields(&self, state: &State, thread: usize) -> bool {
        let this = &state.threads[thread];
        let inside = this.sections > 0
            || this.frames.last().is_some_and(|top| self.program.procedure(top.procedure).atomic);
        let held = self.program.atomic_variable.is_some_and(|var| state.read(thread, var) == Some(1));
        !inside && !held
    }

    /// Whether this thread stands at a target: after a failed assertion, after a value outside of a range, or at an error
    /// label.
    pub fn target(&self, state: &State, thread: usize) -> Option<calculus::span::Span> {
        let this = &state.threads[thread];
        match (this.status, this.frames.last()) {
            (Status::Failed(span), _) => Some(span),
            (Status::Running, Some(Frame { procedure, pc: Pc::At(id), .. })) => {
                let statement = self.program.procedure(*procedure).statement(*id);
                statement.target.then_some(statement.span)
            }
            _ => None,
        }
    }

    /// What everybody looks at all the time is chosen at once: the variable that marks atomic sections.
    pub(crate) fn settle(&self, state: State) -> Vec<State> {
        let atomic: Vec<_> = self.program.atomic_variable.into_iter().collect();
        self.choose(state, 0, &atomic)
    }

    /// All ways to choose values for variables that the top frame of a thread sees.
    pub(crate) fn choose(&self, state: State, thread: usize, variables: &[Var]) -> Vec<State> {
        let domains = self.domains(&state, thread);
        state.choose(thread, variables, domains, &self.left_out)
    }

    /// The values of the variables that the top frame of a thread sees.
    pub(crate) fn domains(
        &self,
        state: &State,
        thread: usize,
    ) -> impl Fn(Var) -> &'p Domain + Copy + use<'p> {
        let program = self.program;
        let top = state.threads[thread].frames.last().map_or(ProcedureId(0), |top| top.procedure);
        move |var| program.domain(top, var)
    }
}
