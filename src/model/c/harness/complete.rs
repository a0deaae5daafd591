//! A run of the whole program for one of the program with fewer variables and steps.
//!
//! What is solved leaves out what nobody reads ([`super::super::narrow`]). The text does it nevertheless, and others may notice
//! that: so it is put in again. A statement that was left out is executed where its thread comes to it, which is just before the next one
//! that was kept. Nothing of the run depends on when that is.

use crate::model::boolean::verify::Executed;
use crate::model::interpret::{Machine, Pc, State, Status, Values};
use crate::model::program::{Block, Domain, Form, Procedure, Program, StatementId};
use std::collections::HashSet;

/// More statements in a row are not left out.
const MOST_IDLE: usize = 2_000;

/// The same run with all statements. `failing` is the position of the thread that comes to the error.
pub fn completed(
    whole: &Program,
    narrow: &Program,
    steps: &[Executed],
    failing: usize,
) -> Option<Vec<Executed>> {
    let most = steps.iter().map(|step| step.thread).max().unwrap_or(0);
    let machine = Machine::new(whole, most.saturating_sub(whole.singles.len()));
    let kept = narrow.procedures.iter().map(kept).collect();
    let begin = machine.initial().into_iter().next()?;
    let mut walk = Walk { machine: &machine, narrow, kept, now: begin, out: Vec::new() };
    for step in steps {
        walk.step(step)?;
    }
    let last = steps.last()?;
    if let Some(goal) = pc(&last.after, failing)
        && last.after.threads[failing].status == Status::Running
    {
        walk.idle(failing, goal)?;
    }
    Some(walk.out)
}

struct Walk<'a> {
    machine: &'a Machine<'a>,
    narrow: &'a Program,
    /// Of each procedure the statements that are there.
    kept: Vec<HashSet<StatementId>>,
    now: State,
    out: Vec<Executed>,
}

fn kept(procedure: &Procedure) -> HashSet<StatementId> {
    fn walk(procedure: &Procedure, block: &Block, out: &mut HashSet<StatementId>) {
        for id in block {
            out.insert(*id);
            match &procedure.statement(*id).form {
                Form::If { then, otherwise, .. } => {
                    walk(procedure, then, out);
                    walk(procedure, otherwise, out);
                }
                Form::While { body, .. } => walk(procedure, body, out),
                _ => {}
            }
        }
    }
    let mut out = HashSet::new();
    walk(procedure, &procedure.body, &mut out);
    out
}

fn pc(state: &State, thread: usize) -> Option<Pc> {
    state.threads.get(thread)?.frames.last().map(|top| top.pc)
}

impl Walk<'_> {
    fn step(&mut self, step: &Executed) -> Option<()> {
        let thread = step.thread;
        if let Some(goal) = pc(&step.before, thread) {
            self.idle(thread, goal)?;
        }
        let before = self.now.clone();
        let told = self.out.len();
        for made in self.machine.steps(&before, thread) {
            let Some(after) = self.agreed(made.state, step) else { continue };
            // The statements behind it lead to where the run goes on.
            self.now = after.clone();
            let there = match (pc(&step.after, thread), step.after.threads[thread].status) {
                (Some(goal), Status::Running) => self.idle(thread, goal).is_some(),
                _ => true,
            };
            self.out.truncate(told);
            if there {
                self.now = after.clone();
                self.out.push(Executed { thread, before, after });
                return Some(());
            }
        }
        None
    }

    /// Executes what was left out, up to a place.
    fn idle(&mut self, thread: usize, goal: Pc) -> Option<()> {
        for _ in 0..MOST_IDLE {
            let top = self.now.threads[thread].frames.last()?;
            if top.pc == goal {
                return Some(());
            }
            let Pc::At(id) = top.pc else { return None };
            if self.kept[top.procedure.index()].contains(&id) {
                return None;
            }
            let steps = self.machine.steps(&self.now, thread).into_iter();
            let after =
                steps.map(|step| step.state).find(|after| after.threads[thread].status == Status::Running)?;
            let before = std::mem::replace(&mut self.now, after.clone());
            self.out.push(Executed { thread, before, after });
        }
        None
    }

    /// The state with the values of the run, as far as the run has them; nothing if it has others.
    fn agreed(&self, mut state: State, step: &Executed) -> Option<State> {
        let (thread, told) = (step.thread, &step.after);
        let (this, that) = (&mut state.threads[thread], &told.threads[thread]);
        let failed = |status| matches!(status, Status::Failed(_));
        if failed(this.status) != failed(that.status) || this.frames.len() != that.frames.len() {
            return None;
        }
        let narrow = self.narrow;
        let shared = narrow.shared.iter().map(|variable| &variable.domain);
        agree(&mut state.shared, &told.shared, shared)?;
        agree(&mut this.own, &that.own, narrow.own.iter().map(|variable| &variable.domain))?;
        if let (Some(mine), Some(told)) = (this.frames.last_mut(), that.frames.last()) {
            if mine.procedure != told.procedure {
                return None;
            }
            let locals = narrow.procedure(told.procedure).locals.iter().map(|local| &local.domain);
            agree(&mut mine.locals, &told.locals, locals)?;
        }
        Some(state)
    }
}

fn agree<'d>(mine: &mut Values, told: &Values, domains: impl Iterator<Item = &'d Domain>) -> Option<()> {
    for (at, domain) in domains.enumerate() {
        // What has one value is what nobody reads.
        if *domain != Domain::Bool && domain.low() == domain.high() {
            continue;
        }
        match (mine.get(at), told.get(at)) {
            (None, value) => mine.set(at, value),
            (Some(mine), Some(told)) if mine != told => return None,
            _ => {}
        }
    }
    Some(())
}
