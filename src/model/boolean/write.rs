//! An executed run as a trace.
//!
//! The visits have the values that the solver chose early, as soon as a variable becomes arbitrary. A trace tells a
//! value where the run needs it: the path is walked once more, and what nobody has looked at stays open.

use super::replay::{How, Visit};
use super::words::{births, changes, steps, tell_apart, thread_name, words};
use crate::model::interpret::{Machine, State, Values};
use crate::model::program::{ProcedureId, Program};
use crate::model::trace::{Mismatch, Trace, TraceError, TraceStep, TraceThread};
use calculus::span::Span;

/// The trace of a path of visits, at the end of which a thread stands at a target.
pub(super) fn write(
    machine: &Machine,
    path: &[&Visit],
    thread: usize,
    target: Span,
) -> Result<Trace, Mismatch> {
    let program = machine.program;
    let mut movers: Vec<usize> = Vec::new();
    let mut told: Vec<TraceStep> = Vec::new();
    let mut now = path[0].state.clone();
    for visit in &path[1..] {
        let lost = || Mismatch { number: told.len() + 1, what: "the run cannot be written down".into() };
        match &visit.how {
            How::Filled => {}
            How::Born(thread) => {
                let mut born = births(machine, &now, *thread).into_iter();
                now = born.find(|born| is_open_form(program, born, &visit.state)).ok_or_else(lost)?;
            }
            How::Step(made) => {
                let mut made = steps(machine, &now, made.thread).into_iter().filter(|step| {
                    step.span == made.span && is_open_form(program, &step.state, &visit.state)
                });
                let step = made.next().ok_or_else(lost)?;
                let words = words(program, &now, &step).ok_or_else(lost)?;
                let (changes, after) = changes(program, &now, &step, |_, read| read(&visit.state));
                let number = numbered(&mut movers, step.thread);
                // `init` runs before all rounds.
                let round = visit.round.filter(|_| step.thread != 0);
                told.push(TraceStep::new(number, round, words, changes));
                now = after;
            }
        }
    }
    let number = numbered(&mut movers, thread);
    let procedure = now.threads[thread].frames.last().map(|top| top.procedure);
    let names = movers.iter().map(|&mover| thread_name(program, mover, bottom(path, mover)));
    let names = tell_apart(&names.collect::<Vec<_>>()).into_iter().zip(movers);
    let begin = program.shared.iter().enumerate();
    let begin = begin.map(|(at, variable)| (variable.name.clone(), path[0].state.shared.get(at)));
    Ok(Trace {
        begin: begin.collect(),
        steps: told,
        error: TraceError::new(program, number, procedure, target),
        threads: names.map(|(name, position)| TraceThread { name, position }).collect(),
    })
}

/// The procedure at the bottom of a thread's stack, when it first has one.
fn bottom(path: &[&Visit], thread: usize) -> Option<ProcedureId> {
    path.iter().find_map(|visit| visit.state.threads[thread].frames.first().map(|frame| frame.procedure))
}

fn numbered(movers: &mut Vec<usize>, thread: usize) -> usize {
    movers.iter().position(|mover| *mover == thread).unwrap_or_else(|| {
        movers.push(thread);
        movers.len() - 1
    })
}

/// Whether two states differ only in values that are open in the first.
fn is_open_form(program: &Program, open: &State, full: &State) -> bool {
    let within = |open: &Values, full: &Values, count: usize| {
        (0..count).all(|at| open.get(at).is_none_or(|value| full.get(at) == Some(value)))
    };
    within(&open.shared, &full.shared, program.shared.len())
        && open.threads.iter().zip(&full.threads).all(|(open, full)| {
            (open.status, open.sections, open.frames.len()) == (full.status, full.sections, full.frames.len())
                && within(&open.own, &full.own, program.own.len())
                && open.frames.iter().zip(&full.frames).all(|(open, full)| {
                    let procedure = program.procedure(open.procedure);
                    let locals = procedure.locals.len() + procedure.results as usize;
                    (open.procedure, open.pc) == (full.procedure, full.pc)
                        && within(&open.locals, &full.locals, locals)
                })
        })
}
