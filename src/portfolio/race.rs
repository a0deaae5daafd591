//! Running the members of a portfolio.
//!
//! Nobody knows beforehand which member answers. The first one of the plan begins a little earlier and keeps a processor to
//! itself until it ends: it is the one that answers most often, and it is never cut off. The others share the other
//! processors: each runs for a short time at first, those that have not ended for four times as long, and so on. Starting anew
//! costs a third at most; a member that never ends keeps no other from being tried.

use super::plan::Planned;
use super::{Cut, Member, Raced};
use crate::batch::Label;
use crate::batch::child::{self, ChildLimits, Ended};
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a member that shares a processor runs at first, and how many times as long the next time.
const FIRST_SLICE: Duration = Duration::from_secs(1);
const GROWTH: u32 = 4;
const POLL: Duration = Duration::from_millis(5);
/// How long the first member runs alone. Most programs are small, and whatever runs beside it costs as much again.
const HEAD_START: Duration = Duration::from_millis(200);

/// How to run the members.
pub struct Race<'a> {
    /// The command that runs an algorithm.
    pub command: &'a Path,
    pub program: &'a str,
    /// Options that every member is given.
    pub options: &'a [String],
    /// How many run at once.
    pub jobs: usize,
    /// When the portfolio began, and how long it may take.
    pub begin: Instant,
    pub timeout: Option<Duration>,
    /// For each member.
    pub memory: Option<u64>,
    /// One after another, each to its end: then which one answers does not depend on time.
    pub in_order: bool,
    pub interrupt: &'a AtomicBool,
}

/// What the workers share.
struct Course {
    raced: Raced,
    /// The members that wait, and for how long each runs next.
    waiting: VecDeque<(usize, Duration)>,
    running: usize,
    failed: Option<io::Error>,
}

/// Runs the members until one of them decides, all have ended, or time is over.
pub fn race(race: &Race, planned: &[Planned]) -> io::Result<Raced> {
    let members = planned.iter().map(|member| Member { algorithm: member.algorithm.clone(), ended: None });
    let raced = Raced { members: members.collect(), winner: None, cut: None };
    let waiting = (0..planned.len()).map(|at| (at, FIRST_SLICE)).collect();
    let course = Mutex::new(Course { raced, waiting, running: 0, failed: None });
    race.run_all(planned, &course);
    let Course { mut raced, failed, .. } = course.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(at) = raced.winner {
        race.look_for_a_trace(&planned[at], &mut raced.members[at])?;
    } else {
        raced.cut = race.cut();
        let strength = |member: &Member| match member.ended.as_ref().map(|ended| ended.label) {
            Some(Label::Bounded) => 2,
            Some(Label::Unknown) => 1,
            _ => 0,
        };
        // Of equal ones the first.
        let best = (0..raced.members.len()).rev().max_by_key(|&at| strength(&raced.members[at]));
        raced.winner = best.filter(|&at| strength(&raced.members[at]) > 0);
    }
    Ok(raced)
}

fn hold(course: &Mutex<Course>) -> MutexGuard<'_, Course> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

fn decides(ended: &Ended) -> bool {
    // With words of this width there is no more to find out.
    matches!(ended.label, Label::Unsafe | Label::Safe) || ended.needs_larger_words()
}

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}

impl Race<'_> {
    fn remaining(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.saturating_sub(self.begin.elapsed()))
    }

    fn cut(&self) -> Option<Cut> {
        if is_set(self.interrupt) {
            return Some(Cut::Interrupt);
        }
        self.remaining().filter(Duration::is_zero).map(|_| Cut::Time)
    }

    /// Runs the members, as many at a time as may run at once, until there is nothing more to run or to find out.
    fn run_all(&self, planned: &[Planned], course: &Mutex<Course>) {
        let stop = AtomicBool::new(false);
        let jobs = if self.in_order { 1 } else { self.jobs.min(planned.len()) };
        std::thread::scope(|scope| {
            let stop = &stop;
            let work = move |worker: usize| {
                // Until the first member has ended without a proof or an error.
                let first_is_running = || hold(course).raced.members[0].ended.is_none();
                let begin = Instant::now();
                while worker > 0 && begin.elapsed() < HEAD_START && first_is_running() && !is_set(stop) {
                    std::thread::sleep(POLL);
                }
                self.work(planned, course, stop);
            };
            let workers = (0..jobs).map(|worker| scope.spawn(move || work(worker))).collect::<Vec<_>>();
            while workers.iter().any(|worker| !worker.is_finished()) {
                if self.cut().is_some() {
                    stop.store(true, Ordering::SeqCst);
                }
                std::thread::sleep(POLL);
            }
        });
    }

    /// Runs one waiting member after another.
    fn work(&self, planned: &[Planned], course: &Mutex<Course>, stop: &AtomicBool) {
        while !is_set(stop) {
            let mut held = hold(course);
            let Some((at, slice)) = held.waiting.pop_front() else {
                if held.running == 0 {
                    break;
                }
                // One that is running now may come back.
                drop(held);
                std::thread::sleep(POLL);
                continue;
            };
            held.running += 1;
            let left = held.waiting.len() + 1;
            // Where nothing waits, nothing needs room.
            let keeps_its_place = self.in_order || left == 1 || (at == 0 && self.jobs > 1);
            drop(held);
            let sliced = (!keeps_its_place).then_some(slice);
            let ran = self.run(&planned[at], sliced, left, stop);
            let mut held = hold(course);
            held.running -= 1;
            match ran {
                Ok(None) => {}
                Ok(Some(ended)) => {
                    if decides(&ended) {
                        stop.store(true, Ordering::SeqCst);
                        held.raced.winner.get_or_insert(at);
                    } else if ended.label == Label::Timeout && sliced.is_some() && self.cut().is_none() {
                        held.waiting.push_back((at, slice.saturating_mul(GROWTH)));
                    }
                    held.raced.members[at].ended = Some(ended);
                }
                Err(error) => {
                    stop.store(true, Ordering::SeqCst);
                    held.failed = Some(error);
                }
            }
        }
    }

    /// Where the slice of time was enough for an error but not for the run that leads to it, there is more time now.
    fn look_for_a_trace(&self, planned: &Planned, member: &mut Member) -> io::Result<()> {
        let has_trace =
            |ended: &Ended| ended.answer.as_ref().is_some_and(|answer| !answer["trace"].is_null());
        let lacks = |ended: &&Ended| ended.label == Label::Unsafe && !has_trace(ended);
        if member.ended.as_ref().filter(lacks).is_none() || self.cut().is_some() {
            return Ok(());
        }
        let again = self.run(planned, None, 1, self.interrupt)?;
        if let Some(again) = again.filter(has_trace) {
            member.ended = Some(again);
        }
        Ok(())
    }

    /// Runs one member; `left` are to be run in the time that remains, this one included.
    fn run(
        &self,
        member: &Planned,
        slice: Option<Duration>,
        left: usize,
        stop: &AtomicBool,
    ) -> io::Result<Option<Ended>> {
        let part = if self.in_order { u32::try_from(left).unwrap_or(u32::MAX) } else { 1 };
        let remaining = self.remaining().map(|remaining| remaining / part);
        let slice = slice.map(|slice| slice.saturating_mul(member.share));
        let timeout = [remaining, slice].into_iter().flatten().min();
        let mut command = Command::new(self.command);
        command.args(member.algorithm.arguments()).args(self.options).args(["--trace", "--format=json"]);
        command.args(timeout.map(|timeout| format!("--timeout={}ms", timeout.as_millis().max(1))));
        command.args(self.memory.map(|memory| format!("--memory={memory}b")));
        command.args(["--end-with-stdin", "--", &member.algorithm.file, self.program]);
        child::run(&mut command, ChildLimits { timeout, memory: self.memory }, stop)
    }
}
