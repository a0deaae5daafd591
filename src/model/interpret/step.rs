//! One step of one thread.

use super::Machine;
use super::eval::{Possible, eval};
use super::state::{Created, Frame, Pc, State, Status, ThreadState};
use crate::model::program::{Birth, Expr, Form, Start, Thread, Var};
use crate::model::trace::Change;
use calculus::span::Span;

/// A step and where it leads.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: usize,
    /// The statement; for waking up and leaving a procedure, what comes nearest to it.
    pub span: Span,
    pub state: State,
}

impl Machine<'_> {
    /// All steps of one thread. Scheduling is up to the caller, except that nobody moves before `init` has ended.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<Step> {
        if state.initializing() != (thread == 0) {
            return Vec::new();
        }
        let (span, states) = match state.threads[thread].status {
            Status::Running => self.run(state, thread),
            Status::Asleep(birth) => self.wake(state, thread, birth),
            Status::Unborn => return self.be_born(state, thread),
            Status::Ended | Status::Failed(_) => return Vec::new(),
        };
        self.finish(thread, span, states)
    }

    fn finish(&self, thread: usize, span: Span, states: Vec<State>) -> Vec<Step> {
        let settled = states.into_iter().flat_map(|state| self.settle(state));
        settled.map(|state| Step { thread, span, state }).collect()
    }

    /// What a step changed, in terms of the thread that made it.
    pub fn changes(&self, before: &State, step: &Step) -> Vec<Change> {
        self.changed(before, step).into_iter().map(|(_, change)| change).collect()
    }

    /// The same with the variables: those that the thread sees.
    pub fn changed(&self, before: &State, step: &Step) -> Vec<(Var, Change)> {
        let (old, new) = (&before.threads[step.thread], &step.state.threads[step.thread]);
        let mut variables: Vec<Var> = (0..self.program.shared.len() as u32).map(Var::Shared).collect();
        let procedure = new.frames.last().or(old.frames.last()).map(|top| top.procedure);
        if let Some(id) = procedure {
            variables.extend(self.program.procedure(id).own.clone().map(Var::Own));
        }
        if let Some(id) = procedure
            && old.frames.len() == new.frames.len()
        {
            variables.extend((0..self.program.procedure(id).locals.len() as u32).map(Var::Local));
        }
        let id = procedure.or(self.program.init).unwrap_or(crate::model::program::ProcedureId(0));
        let changed = variables.into_iter().filter_map(|var| {
            let value = step.state.read(step.thread, var);
            let variable = self.program.variable(id, var);
            let shown = || {
                let value = value.map(|value| variable.domain.show(value));
                (var, Change { variable: variable.name.clone(), value })
            };
            (before.read(step.thread, var) != value).then(shown)
        });
        changed.collect()
    }

    /// A copy of a replicated thread decides what it is: a template that runs from the start, or a thread that was made.
    fn be_born(&self, state: &State, thread: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        // Where others can move it, a copy has been there from the beginning.
        let started = |template: &&Thread| !self.broadcasts || template.start != Start::Entry;
        for template in self.program.replicated.iter().filter(started) {
            let states = match template.start {
                Start::Entry => {
                    let mut born = state.clone();
                    born.threads[thread] = self.running(self.entered(template.procedure));
                    vec![born]
                }
                Start::Sleeping(birth) => self.wake(state, thread, birth).1,
            };
            steps.extend(self.finish(thread, template.span, states));
        }
        steps
    }

    /// The position gets one of the threads that were made with this birth.
    fn wake(&self, state: &State, thread: usize, birth: u32) -> (Span, Vec<State>) {
        let span = self.program.procedure(self.program.births[birth as usize].procedure()).name_span;
        let mut woken = Vec::new();
        for (index, created) in state.created.iter().enumerate() {
            let again = index > 0 && state.created[index - 1] == *created;
            if again || created.birth != birth {
                continue;
            }
            let mut state = state.clone();
            let Created { frame, own, .. } = state.created.remove(index);
            state.threads[thread] = ThreadState { own, ..self.running(frame) };
            // Those for which no position is left are never scheduled.
            if !self.broadcasts {
                let births = std::mem::take(&mut state.created);
                for created in births {
                    self.add(&mut state, created);
                }
            }
            woken.push(state);
        }
        (span, woken)
    }

    /// A thread was made: one more of its kind, as far as there are positions for them. Whether it was added.
    fn add(&self, state: &mut State, created: Created) -> bool {
        let birth = created.birth;
        let positions = state.threads[1..].iter().filter(|other| match other.status {
            Status::Asleep(other) => other == birth,
            Status::Unborn => self.program.replicated.iter().any(|t| t.start == Start::Sleeping(birth)),
            _ => false,
        });
        // Those that others can move are all different.
        let same = |other: &&Created| match self.broadcasts {
            true => other.birth == birth,
            false => **other == created,
        };
        let added = state.created.iter().filter(same).count() < positions.count();
        if added {
            let at = state.created.partition_point(|other| *other < created);
            state.created.insert(at, created);
        }
        added
    }

    fn run(&self, state: &State, thread: usize) -> (Span, Vec<State>) {
        let top = state.threads[thread].frames.last().expect("a running thread has a frame");
        let procedure = self.program.procedure(top.procedure);
        match top.pc {
            Pc::Entry => {
                let first = self.orders[top.procedure.index()].entry();
                let states = self.enforce(vec![state.clone()], thread);
                (procedure.name_span, jump(states, thread, first))
            }
            Pc::Exit => (procedure.name_span, self.enforce(self.leave(state, thread), thread)),
            Pc::At(id) => {
                let statement = procedure.statement(id);
                let before = self.enforce(vec![state.clone()], thread);
                let after: Vec<State> =
                    before.into_iter().flat_map(|state| self.execute(state, thread, id)).collect();
                let entered = matches!(statement.form, Form::Call { .. });
                // The callee checks its own condition at its entry.
                (statement.span, if entered { after } else { self.enforce(after, thread) })
            }
        }
    }

    /// Keeps the states in which the condition of the top frame's procedure holds.
    fn enforce(&self, states: Vec<State>, thread: usize) -> Vec<State> {
        let mut kept = Vec::new();
        for state in states {
            let top = state.threads[thread].frames.last().map(|top| self.program.procedure(top.procedure));
            match top
                .filter(|procedure| self.enforced(procedure))
                .and_then(|procedure| procedure.enforce.as_ref())
            {
                None => kept.push(state),
                Some(condition) => kept.extend(
                    self.test(state, thread, condition)
                        .into_iter()
                        .filter_map(|(state, possible)| possible.yes.then_some(state)),
                ),
            }
        }
        kept
    }

    /// The values a condition can have, with open variables chosen.
    pub(super) fn test(&self, state: State, thread: usize, condition: &Expr) -> Vec<(State, Possible)> {
        let variables: Vec<Var> = condition.variables().collect();
        let domains = self.domains(&state, thread);
        let chosen = state.choose(thread, &variables, domains, &self.left_out).into_iter();
        let tested = chosen.map(|state| {
            let read = |var| state.read(thread, var);
            let possible = eval(condition, domains, read, read).truth();
            (state, possible)
        });
        tested.collect()
    }

    /// Leaves a procedure: the results go to the caller's variables; a thread that leaves its first procedure ends.
    fn leave(&self, state: &State, thread: usize) -> Vec<State> {
        let frames = &state.threads[thread].frames;
        let left = frames.last().expect("a running thread has a frame").procedure;
        let Some(caller) = frames.len().checked_sub(2).map(|below| &frames[below]) else {
            let mut state = state.clone();
            state.threads[thread].frames.pop();
            return vec![self.ended(state, thread)];
        };
        let Pc::At(call) = caller.pc else { return Vec::new() };
        let Form::Call { targets, .. } = &self.program.procedure(caller.procedure).statement(call).form
        else {
            return Vec::new();
        };
        let after = self.orders[caller.procedure.index()].after(call);
        let first_result = self.program.procedure(left).locals.len();
        let result = |index: usize| Var::Local((first_result + index) as u32);
        let domain = |target: Var| self.program.domain(caller.procedure, target);
        // A result that is open has its own values, not those of the variable.
        let is_narrow = |(index, target): &(usize, &Option<Var>)| {
            target.is_some_and(|target| domain(target) != self.program.domain(left, result(*index)))
        };
        let narrow = targets.iter().enumerate().filter(is_narrow).map(|(index, _)| result(index));
        let narrow = narrow.collect::<Vec<_>>();
        let mut returned = self.choose(state.clone(), thread, &narrow);
        for state in &mut returned {
            let frame = state.threads[thread].frames.pop().expect("a running thread has a frame");
            for (index, target) in targets.iter().enumerate() {
                if let Some(target) = target {
                    let value = frame.locals.get(first_result + index);
                    state.write(thread, *target, value.and_then(|value| domain(*target).stored(value)));
                }
            }
        }
        jump(returned, thread, after)
    }

    pub(super) fn ended(&self, mut state: State, thread: usize) -> State {
        let sections = state.threads[thread].sections;
        state.threads[thread] = self.thread(Status::Ended);
        state.threads[thread].sections = sections;
        state
    }

    /// `start_thread`: the creator goes on; the new thread has the creator's locals, or its arguments. A thread that others can
    /// move needs a position.
    pub(super) fn create(
        &self,
        mut state: State,
        thread: usize,
        birth: u32,
        arguments: &[Option<i64>],
    ) -> Vec<State> {
        let creator = &state.threads[thread];
        let (frame, own) = match self.program.births[birth as usize] {
            Birth::Goto { at, .. } => {
                let top = creator.frames.last().expect("a creator has a frame");
                (Frame { pc: Pc::At(at), ..top.clone() }, creator.own.clone())
            }
            Birth::Call { procedure } => {
                let mut frame = self.entered(procedure);
                arguments.iter().enumerate().for_each(|(index, value)| frame.locals.set(index, *value));
                (frame, self.thread(Status::Unborn).own)
            }
        };
        let added = self.add(&mut state, Created { birth, frame, own });
        if added || !self.broadcasts { vec![state] } else { Vec::new() }
    }
}

pub(super) fn jump(mut states: Vec<State>, thread: usize, pc: Pc) -> Vec<State> {
    for state in &mut states {
        if let Some(top) = state.threads[thread].frames.last_mut() {
            top.pc = pc;
        }
    }
    states
}
