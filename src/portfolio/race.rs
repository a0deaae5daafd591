//! Running the members of a portfolio.
//!
//! Nobody knows beforehand which member answers. The first one of the plan begins a little earlier and keeps a processor to
//! itself until it ends: it is the one that answers most often. The others take turns on the other processors. Who has had a
//! turn is held back and later goes on where it was, so nothing is computed twice, and a member that never ends keeps no
//! other from being tried.

use super::plan::Planned;
use super::{Cut, Member, Raced};
use crate::batch::Label;
use crate::batch::child::{self, ChildLimits, Ended, Reins};
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a turn is.
const TURN: Duration = Duration::from_secs(1);
/// How often is looked for the end of a turn and for an interrupt.
const POLL: Duration = Duration::from_millis(10);
/// How long the first member runs alone. Most programs are small, and whatever runs beside it costs as much again.
const HEAD_START: Duration = Duration::from_millis(200);
/// How long members whose time is over have to say what they know.
const LAST_WORDS: Duration = Duration::from_millis(500);

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

/// Whose turn it is.
struct Turns<'a> {
    planned: &'a [Planned],
    reins: &'a [Reins],
    jobs: usize,
    in_order: bool,
    begin: Instant,
    begun: Vec<bool>,
    waiting: VecDeque<usize>,
    /// The members that run, and when their turns are over.
    running: Vec<(usize, Instant)>,
}

impl<'a> Turns<'a> {
    fn new(race: &Race, planned: &'a [Planned], reins: &'a [Reins]) -> Turns<'a> {
        Turns {
            planned,
            reins,
            jobs: if race.in_order { 1 } else { race.jobs },
            in_order: race.in_order,
            begin: Instant::now(),
            begun: vec![false; planned.len()],
            waiting: (0..planned.len()).collect(),
            running: Vec::new(),
        }
    }

    /// Whether a member runs to its end without being held back.
    fn keeps_its_processor(&self, at: usize) -> bool {
        self.in_order || (at == 0 && self.jobs > 1)
    }

    /// Gives free processors, and those of members whose turns are over, to members that wait. Says which are to begin.
    fn give(&mut self) -> Vec<usize> {
        let now = Instant::now();
        for (at, until) in std::mem::take(&mut self.running) {
            if now >= until && !self.waiting.is_empty() && !self.keeps_its_processor(at) {
                self.reins[at].hold_back();
                self.waiting.push_back(at);
            } else {
                self.running.push((at, until));
            }
        }
        let first_alone = self.begin.elapsed() < HEAD_START && self.running.iter().any(|(at, _)| *at == 0);
        let places = if first_alone { 1 } else { self.jobs };
        let mut beginning = Vec::new();
        while self.running.len() < places
            && let Some(at) = self.waiting.pop_front()
        {
            self.running.push((at, now + TURN.saturating_mul(self.planned[at].share)));
            if std::mem::replace(&mut self.begun[at], true) {
                self.reins[at].let_go();
            } else {
                beginning.push(at);
            }
            if self.begin.elapsed() < HEAD_START && at == 0 {
                break;
            }
        }
        beginning
    }

    fn end(&mut self, at: usize) {
        self.running.retain(|(other, _)| *other != at);
        self.waiting.retain(|other| *other != at);
    }

    /// Members that have begun and not ended.
    fn alive(&self) -> usize {
        self.running.len() + self.waiting.iter().filter(|at| self.begun[**at]).count()
    }
}

/// Runs the members until one of them decides, all have ended, or time is over.
pub fn race(race: &Race, planned: &[Planned]) -> io::Result<Raced> {
    let members = planned.iter().map(|member| Member { algorithm: member.algorithm.clone(), ended: None });
    let mut raced = Raced { members: members.collect(), winner: None, cut: None };
    race.run_all(planned, &mut raced)?;
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

fn decides(ended: &Ended) -> bool {
    // With words of this width there is no more to find out.
    matches!(ended.label, Label::Unsafe | Label::Safe) || ended.needs_larger_words()
}

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}

type Told = (usize, io::Result<Option<Ended>>);

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
    fn run_all(&self, planned: &[Planned], raced: &mut Raced) -> io::Result<()> {
        let stop = AtomicBool::new(false);
        let reins = planned.iter().map(|_| Reins::default()).collect::<Vec<_>>();
        let mut turns = Turns::new(self, planned, &reins);
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            while raced.winner.is_none() && self.cut().is_none() {
                for at in turns.give() {
                    let (sender, stop, reins) = (sender.clone(), &stop, &reins[at]);
                    let left = turns.waiting.len() + 1;
                    // Nobody listens only if the race is over.
                    scope.spawn(move || {
                        let _ = sender.send((at, self.run(&planned[at], reins, left, stop)));
                    });
                }
                if turns.alive() == 0 {
                    break;
                }
                if let Err(error) = hear(&receiver, POLL, &mut turns, raced) {
                    stop.store(true, Ordering::SeqCst);
                    return Err(error);
                }
            }
            let told = self.end(&receiver, &stop, &mut turns, raced);
            stop.store(true, Ordering::SeqCst);
            told
        })
    }

    /// Ends what still runs. What members have found out counts also where another one was faster.
    fn end(
        &self,
        receiver: &Receiver<Told>,
        stop: &AtomicBool,
        turns: &mut Turns,
        raced: &mut Raced,
    ) -> io::Result<()> {
        let begin = Instant::now();
        let out_of_time = raced.winner.is_none() && self.cut() == Some(Cut::Time);
        if out_of_time {
            turns.reins.iter().for_each(Reins::let_go);
        }
        while turns.alive() > 0 {
            if !out_of_time || begin.elapsed() > LAST_WORDS {
                stop.store(true, Ordering::SeqCst);
            }
            hear(receiver, POLL, turns, raced)?;
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
        let again = self.run(planned, &Reins::default(), 1, self.interrupt)?;
        if let Some(again) = again.filter(has_trace) {
            member.ended = Some(again);
        }
        Ok(())
    }

    /// Runs one member; `left` are to be run in the time that remains, this one included.
    fn run(
        &self,
        member: &Planned,
        reins: &Reins,
        left: usize,
        stop: &AtomicBool,
    ) -> io::Result<Option<Ended>> {
        let part = if self.in_order { u32::try_from(left).unwrap_or(u32::MAX) } else { 1 };
        let timeout = self.remaining().map(|remaining| remaining / part);
        let mut command = Command::new(self.command);
        // Who abstracts numbers needs no small ones.
        let small = |option: &&String| member.algorithm.refine.is_some() && option.starts_with("--width=");
        let options = self.options.iter().filter(|option| !small(option));
        command.args(member.algorithm.arguments()).args(options).args(["--trace", "--format=json"]);
        command.args(timeout.map(|timeout| format!("--timeout={}ms", timeout.as_millis().max(1))));
        command.args(self.memory.map(|memory| format!("--memory={memory}b")));
        command.args(["--end-with-stdin", "--", &member.algorithm.file, self.program]);
        child::run_held(&mut command, ChildLimits { timeout, memory: self.memory }, reins, stop)
    }
}

/// Waits for a member to end.
fn hear(receiver: &Receiver<Told>, most: Duration, turns: &mut Turns, raced: &mut Raced) -> io::Result<()> {
    let (at, told) = match receiver.recv_timeout(most) {
        Ok(told) => told,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
    };
    turns.end(at);
    if let Some(ended) = told? {
        if decides(&ended) {
            raced.winner.get_or_insert(at);
        }
        raced.members[at].ended = Some(ended);
    }
    Ok(())
}
