//! What an assignment makes of all other threads: `x$ := e constrain c`.
//!
//! Every other thread that has the variables and has not ended takes part, also one that was made and not scheduled yet.

use super::Machine;
use super::eval::{Evaluated, eval_by};
use super::state::{Frame, Pc, State, Status, Values};
use crate::model::program::{Op, Others, Start, Var};

/// A thread that others move.
#[derive(Clone, Copy)]
enum Other {
    /// At a position.
    Thread(usize),
    /// In [`State::created`].
    Created(usize),
}

impl Other {
    /// The frame at the bottom of its stack, and its own variables.
    fn values(self, state: &mut State) -> (&mut Frame, &mut Values) {
        match self {
            Other::Thread(at) => {
                let thread = &mut state.threads[at];
                (&mut thread.frames[0], &mut thread.own)
            }
            Other::Created(at) => {
                let created = &mut state.created[at];
                (&mut created.frame, &mut created.own)
            }
        }
    }

    fn read(self, state: &State, var: Var) -> Option<i64> {
        let (frame, own) = match self {
            Other::Thread(at) => (&state.threads[at].frames[0], &state.threads[at].own),
            Other::Created(at) => (&state.created[at].frame, &state.created[at].own),
        };
        match var {
            Var::Shared(index) => state.shared.get(index as usize),
            Var::Own(index) => own.get(index as usize),
            Var::Local(index) => frame.locals.get(index as usize),
        }
    }

    fn write(self, state: &mut State, var: Var, value: Option<i64>) {
        let (frame, own) = self.values(state);
        match var {
            Var::Shared(_) => {}
            Var::Own(index) => own.set(index as usize, value),
            Var::Local(index) => frame.locals.set(index as usize, value),
        }
    }
}

impl Machine<'_> {
    /// The running thread went from the old state to the new one: all that the others can do meanwhile.
    pub(super) fn move_others(&self, old: &State, new: State, thread: usize, others: &Others) -> Vec<State> {
        // A value of its own was outside of a range: then nobody else moves.
        if new.threads[thread].status != Status::Running {
            return vec![new];
        }
        let bears = |frame: &Frame| others.bearers.contains(&frame.procedure);
        let stands = |at: &usize| {
            let other = &new.threads[*at];
            let ends = matches!(other.frames[..], [Frame { pc: Pc::Exit, .. }]);
            other.status == Status::Running && *at != thread && !ends
        };
        let at_positions = (1..new.threads.len()).filter(stands);
        let at_positions = at_positions.filter(|at| bears(&new.threads[*at].frames[0])).map(Other::Thread);
        let created = (0..new.created.len()).filter(|at| bears(&new.created[*at].frame)).map(Other::Created);
        let moved = at_positions.chain(created).collect::<Vec<_>>();
        let mut states = vec![new];
        for other in moved {
            states = states
                .into_iter()
                .flat_map(|new| self.move_other((old, thread), new, other, others))
                .collect();
        }
        states.iter_mut().for_each(|state| state.created.sort_unstable());
        states
    }

    /// What can become of one of them.
    fn move_other(
        &self,
        (old, thread): (&State, usize),
        new: State,
        other: Other,
        others: &Others,
    ) -> Vec<State> {
        let domains = self.domains(old, thread);
        let theirs = others.theirs().collect::<Vec<_>>();
        let choose = |state: State, vars: &[Var]| {
            let mut states = vec![state];
            for var in vars {
                let chosen = states.into_iter().flat_map(|state| match other.read(&state, *var) {
                    Some(_) => vec![state],
                    None => {
                        let with = |value: i64| {
                            let mut state = state.clone();
                            other.write(&mut state, *var, Some(value));
                            state
                        };
                        domains(*var).values().map(with).collect::<Vec<_>>()
                    }
                });
                states = chosen.collect();
            }
            states
        };
        let read_theirs = others.expressions().flat_map(|expression| &expression.code);
        let looked_at = read_theirs.filter_map(|op| match op {
            Op::Theirs(var) => Some(*var),
            Op::TheirsAfter(var) if !others.variables.contains(var) => Some(*var),
            _ => None,
        });
        let looked_at = looked_at.collect::<Vec<_>>();
        let mut out = Vec::new();
        for before in choose(new, &looked_at) {
            let read = |after: &State, op: Op| match op {
                Op::Old(var) => old.read(thread, var),
                Op::New(var) => before.read(thread, var),
                Op::Theirs(var) => other.read(&before, var),
                Op::TheirsAfter(var) => other.read(after, var),
                _ => None,
            };
            let mut after = before.clone();
            for (var, value) in others.variables.iter().zip(&others.values) {
                let value = match eval_by(value, domains, |op| read(&before, op)) {
                    Evaluated::Truth(possible) => possible.certain().map(i64::from),
                    Evaluated::Number(number) => domains(*var).stored(number),
                };
                other.write(&mut after, *var, value);
            }
            match &others.constrain {
                None => out.push(after),
                Some(constraint) => out.extend(
                    choose(after, &theirs)
                        .into_iter()
                        .filter(|after| eval_by(constraint, domains, |op| read(after, op)).truth().yes),
                ),
            }
        }
        out
    }

    /// All that the copies can be which run from the beginning; the others wait for threads that are made.
    pub(super) fn decided(&self, state: State) -> Vec<State> {
        let (first, mut states) = (1 + self.program.singles.len(), vec![state]);
        let templates = &self.program.replicated;
        let waits = templates.iter().any(|template| template.start != Start::Entry);
        for at in first..first + self.copies {
            let decided = states.iter().flat_map(|state| {
                let running = templates.iter().filter(|template| template.start == Start::Entry);
                let running = running.map(|template| {
                    let mut state = state.clone();
                    state.threads[at] = self.running(self.entered(template.procedure));
                    state
                });
                running.chain(waits.then(|| state.clone())).collect::<Vec<_>>()
            });
            states = decided.collect();
        }
        states
    }
}
