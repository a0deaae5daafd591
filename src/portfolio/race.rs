//! Running the members of a portfolio.
//!
//! Nobody knows beforehand which member answers. So all of them run for a short time first, as many at once as there are
//! processors (the first one a little earlier), then those that have not ended for four times as long, and so on.
//! Starting anew costs a third at most; a member that never ends keeps no other from being tried.

use super::plan::Planned;
use super::{Cut, Member, Raced};
use crate::batch::Label;
use crate::batch::child::{self, ChildLimits, Ended};
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long each member runs at first, and how many times as long the next time.
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

/// Runs the members until one of them decides, all have ended, or time is over.
pub fn race(race: &Race, planned: &[Planned]) -> io::Result<Raced> {
    let members = planned.iter().map(|member| Member { algorithm: member.algorithm.clone(), ended: None });
    let mut raced = Raced { members: members.collect(), winner: None, cut: None };
    let mut slice = FIRST_SLICE;
    loop {
        let open = (0..planned.len()).filter(|&at| race.is_open(&raced.members[at])).collect::<Vec<_>>();
        if open.is_empty() || raced.winner.is_some() {
            break;
        }
        if let Some(cut) = race.cut() {
            raced.cut = Some(cut);
            break;
        }
        // Those that all run at once need not make room for others.
        let sliced = (!race.in_order && open.len() > race.jobs).then_some(slice);
        race.pass(planned, &open, sliced, &mut raced)?;
        slice = slice.saturating_mul(GROWTH);
    }
    if let Some(at) = raced.winner {
        race.look_for_a_trace(&planned[at], &mut raced.members[at])?;
    } else {
        raced.cut = raced.cut.or(race.cut());
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

fn decides(ended: &Ended) -> bool {
    // With words of this width there is no more to find out.
    matches!(ended.label, Label::Unsafe | Label::Safe) || ended.needs_larger_words()
}

impl Race<'_> {
    fn remaining(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.saturating_sub(self.begin.elapsed()))
    }

    fn cut(&self) -> Option<Cut> {
        if self.interrupt.load(Ordering::SeqCst) {
            return Some(Cut::Interrupt);
        }
        self.remaining().filter(Duration::is_zero).map(|_| Cut::Time)
    }

    /// Whether a member may still come to an answer: it was not started, or ended by its slice of time.
    fn is_open(&self, member: &Member) -> bool {
        match &member.ended {
            None => true,
            Some(ended) => ended.label == Label::Timeout && !self.in_order,
        }
    }

    /// Runs members for a while. Each has what is left of the time at most.
    fn pass(
        &self,
        planned: &[Planned],
        open: &[usize],
        slice: Option<Duration>,
        raced: &mut Raced,
    ) -> io::Result<()> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (found, failed) = (Mutex::new(Vec::new()), Mutex::new(None));
        let jobs = if self.in_order { 1 } else { self.jobs.min(open.len()) };
        let is_first = raced.members.iter().all(|member| member.ended.is_none());
        let work = |worker: usize| {
            let begin = Instant::now();
            // Until the first member has ended without a proof or an error.
            let waits = || worker > 0 && is_first && next.load(Ordering::SeqCst) < 2;
            while waits() && begin.elapsed() < HEAD_START && !stop.load(Ordering::SeqCst) {
                std::thread::sleep(POLL);
            }
            while !stop.load(Ordering::SeqCst) {
                let number = next.fetch_add(1, Ordering::SeqCst);
                let Some(&at) = open.get(number) else { break };
                let left = open.len() - number;
                match self.run(&planned[at], slice, left, &stop) {
                    Ok(None) => {}
                    Ok(Some(ended)) => {
                        if decides(&ended) {
                            stop.store(true, Ordering::SeqCst);
                        }
                        found.lock().unwrap_or_else(PoisonError::into_inner).push((at, ended));
                    }
                    Err(error) => {
                        stop.store(true, Ordering::SeqCst);
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let work = &work;
            let workers = (0..jobs).map(|worker| scope.spawn(move || work(worker))).collect::<Vec<_>>();
            while workers.iter().any(|worker| !worker.is_finished()) {
                if self.cut().is_some() {
                    stop.store(true, Ordering::SeqCst);
                }
                std::thread::sleep(POLL);
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        for (at, ended) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if raced.winner.is_none() && decides(&ended) {
                raced.winner = Some(at);
            }
            raced.members[at].ended = Some(ended);
        }
        Ok(())
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
