//! An executed run as a trace.
//!
//! The visits have the values that the solver chose early, as soon as a variable becomes arbitrary. A trace tells a
//! value where the run needs it: the path is walked once more, and what nobody has looked at stays open.

use super::replay::{How, Visit};
use super::standing::{Around, is_open_form, mobility, standing};
use super::words::{births, changes, steps, tell_apart, thread_name, words};
use crate::model::interpret::{Machine, State};
use crate::model::moves::MetCondition;
use crate::model::program::ProcedureId;
use crate::model::trace::{Finish, Mismatch, Repeat, Trace, TraceError, TraceStep, TraceThread};
use calculus::span::Span;
use std::collections::BTreeMap;

/// How a path ends.
pub(super) enum PathEnd<'a> {
    /// A thread stands at a target.
    Target(usize, Span),
    /// In its last state.
    Anywhere,
    /// What comes behind the first `from` moves is repeated. Conditions are met in it.
    Repeat { from: usize, met: &'a [MetCondition] },
}

/// A path that is walked once more.
struct Writer<'a> {
    machine: &'a Machine<'a>,
    movers: Vec<usize>,
    told: Vec<TraceStep>,
    now: State,
    /// Who moved last, as if the first thread had been interrupted when `init` ended.
    running: usize,
    /// How many steps there are after each number of moves.
    steps: BTreeMap<usize, usize>,
    around: Option<(usize, Around)>,
}

/// The trace of a path of visits.
pub(super) fn write(machine: &Machine, path: &[&Visit], end: &PathEnd) -> Result<Trace, Mismatch> {
    let (now, told) = (path[0].state.clone(), Vec::new());
    let (steps, around) = (BTreeMap::from([(0, 0)]), None);
    let mut writer = Writer { machine, movers: Vec::new(), told, now, running: 1, steps, around };
    for (at, visit) in path.iter().enumerate() {
        if let PathEnd::Repeat { from, .. } = end
            && writer.around.is_none()
            && path.get(at + 1).is_some_and(|next| next.made > *from)
        {
            writer.visit(visit)?;
            writer.begin_again(visit);
        } else {
            writer.visit(visit)?;
        }
        writer.steps.insert(visit.made, writer.told.len());
    }
    writer.end(path, end)
}

impl Writer<'_> {
    fn lost(&self) -> Mismatch {
        Mismatch { number: self.told.len() + 1, what: "the run cannot be written down".into() }
    }

    fn visit(&mut self, visit: &Visit) -> Result<(), Mismatch> {
        let (machine, program) = (self.machine, self.machine.program);
        match &visit.how {
            How::Filled => {}
            How::Born(thread) => {
                let mut born = births(machine, &self.now, *thread).into_iter();
                let born = born.find(|born| is_open_form(program, born, &visit.state));
                self.now = born.ok_or_else(|| self.lost())?;
            }
            How::Step(made) => {
                let mut made = steps(machine, &self.now, made.thread).into_iter().filter(|step| {
                    step.span == made.span && is_open_form(program, &step.state, &visit.state)
                });
                let step = made.next().ok_or_else(|| self.lost())?;
                let words = words(program, &self.now, &step).ok_or_else(|| self.lost())?;
                let (changes, after) = changes(program, &self.now, &step, |_, read| read(&visit.state));
                let number = numbered(&mut self.movers, step.thread);
                // `init` runs before all rounds.
                let round = visit.round.filter(|_| step.thread != 0);
                self.told.push(TraceStep::new(number, round, words, changes));
                self.now = after;
                if step.thread != 0 {
                    self.running = step.thread;
                }
                if let Some((_, around)) = &mut self.around {
                    around.note(machine, &self.now, step.thread);
                }
            }
        }
        Ok(())
    }

    /// From here on the run repeats itself: all values that the moves say are told.
    fn begin_again(&mut self, visit: &Visit) {
        self.now = visit.state.clone();
        self.around = Some((self.told.len(), Around::new(self.now.clone())));
    }

    fn end(mut self, path: &[&Visit], end: &PathEnd) -> Result<Trace, Mismatch> {
        let (machine, program) = (self.machine, self.machine.program);
        let error = match end {
            PathEnd::Target(thread, target) => {
                let number = numbered(&mut self.movers, *thread);
                let procedure = self.now.threads[*thread].frames.last().map(|top| top.procedure);
                Some(TraceError::new(program, number, procedure, *target))
            }
            _ => None,
        };
        let names = self.movers.iter().map(|&mover| thread_name(program, mover, bottom(path, mover)));
        let names = tell_apart(&names.collect::<Vec<_>>());
        let named = self.movers.iter().copied().zip(names.iter().cloned()).collect::<Vec<_>>();
        let finish = match (error, end, &self.around) {
            (Some(error), ..) => Finish::Error(error),
            (None, PathEnd::Repeat { met, .. }, Some((from, around))) => {
                if !around.comes_back(machine, &self.now, self.running) {
                    return Err(self.lost());
                }
                let state = standing(program, &around.begin, &named, |thread| around.mobility(thread));
                let made = |moves| self.steps.range(..=moves).next_back().map_or(0, |(_, steps)| *steps);
                let met = met.iter().map(|met| (met, made(met.after)));
                Finish::Repeat(Repeat::new(*from, self.told.len(), state, met))
            }
            _ => {
                let last = &path[path.len() - 1].state;
                let moves = mobility(machine, last, self.running);
                Finish::State(standing(program, last, &named, moves))
            }
        };
        let begin = program.shared.iter().enumerate();
        let begin = begin.map(|(at, variable)| {
            let value = path[0].state.shared.get(at).map(|value| variable.domain.show(value));
            (variable.name.clone(), value)
        });
        let threads = names.into_iter().zip(self.movers);
        Ok(Trace {
            begin: begin.collect(),
            configuration: None,
            steps: self.told,
            finish,
            threads: threads.map(|(name, position)| TraceThread { name, position }).collect(),
        })
    }
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
