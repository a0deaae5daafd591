//! A run as a trace.
//!
//! Both sides use it: a run that was found is written down, and a stored trace is true if there is a run that is written
//! down like that.

use super::system::{Configuration, Kind, System, Target, Transition};
use crate::model::moves::MetCondition;
use crate::model::trace::{
    Finish, Mobility, Repeat, Standing, Trace, TraceError, TraceState, TraceStep, TraceThread,
};
use calculus::span::{Sources, Span};

/// Transitions that were made, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Run<'a> {
    pub system: &'a System,
    pub sources: &'a Sources,
    /// The position of each thread; none for one that another thread made.
    pub origins: Vec<Option<usize>>,
    /// Where it begins, and what comes behind each step.
    pub configurations: Vec<Configuration>,
    pub steps: Vec<MadeStep>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MadeStep {
    /// Its number in the file.
    pub transition: usize,
    /// Nobody if all threads move.
    pub actor: Option<usize>,
    pub round: Option<i64>,
}

/// How a run ends.
pub(super) enum RunEnd<'a> {
    /// In a target.
    Target(&'a Target),
    Anywhere,
    /// The steps behind the first `from` ones are repeated. Conditions are met after so many steps.
    Repeat {
        from: usize,
        met: Vec<MetCondition>,
    },
}

impl Run<'_> {
    fn last(&self) -> &Configuration {
        &self.configurations[self.configurations.len() - 1]
    }

    /// The trace, if the run ends like that. Threads are listed in the order in which they first move; then come those
    /// that only are where they are.
    pub fn written(&self, end: &RunEnd) -> Option<Trace> {
        let mut listed = Vec::new();
        for thread in self.steps.iter().filter_map(|step| step.actor).chain(0..self.origins.len()) {
            if !listed.contains(&thread) {
                listed.push(thread);
            }
        }
        let moved =
            listed.iter().take_while(|thread| self.steps.iter().any(|step| step.actor == Some(**thread)));
        let mut covering = Vec::new();
        if let RunEnd::Target(target) = end {
            // Threads that moved come first, so that others are not told of without need.
            let last = listed.iter().map(|thread| self.last().threads[*thread]).collect();
            let last = Configuration { shared: self.last().shared, threads: last };
            let moved = moved.count();
            let at = target.covered(&last)?;
            covering = at.iter().map(|at| listed[*at]).collect::<Vec<_>>();
            let taken = |(number, thread): &(usize, usize)| *number < moved || covering.contains(thread);
            listed = listed.into_iter().enumerate().filter(taken).map(|(_, thread)| thread).collect();
            if listed.is_empty() {
                listed.push(0);
            }
        }
        let number = |thread: usize| listed.iter().position(|listed| *listed == thread).unwrap_or(0);
        let threads = self.names(&listed);
        let steps = self.steps.iter().zip(&self.configurations[1..]).map(|(step, now)| {
            let threads = listed.iter().map(|thread| now.threads[*thread]).collect();
            let now = Configuration { shared: now.shared, threads };
            let (line, text) = told(self.sources, &self.system.transitions[step.transition], &now);
            TraceStep {
                thread: step.actor.map_or(0, number),
                round: step.round,
                procedure: String::new(),
                depth: 0,
                line,
                text,
                changes: Vec::new(),
                configuration: None,
            }
        });
        let steps = steps.collect::<Vec<_>>();
        let finish = match end {
            RunEnd::Target(target) => Finish::Error(TraceError {
                thread: covering.first().map_or(0, |thread| number(*thread)),
                procedure: String::new(),
                line: steps.last().map_or(1, |step| step.line),
                text: target_text(self.sources, target.span),
            }),
            RunEnd::Anywhere => {
                let can = |thread| match self.can_move(self.last(), thread) {
                    true => Mobility::Can,
                    false => Mobility::Cannot,
                };
                Finish::State(self.standing(self.last(), &listed, &threads, can))
            }
            RunEnd::Repeat { from, met } => self.repeat(*from, met, &listed, &threads)?,
        };
        Some(Trace { threads, begin: Vec::new(), configuration: None, steps, finish })
    }

    fn repeat(
        &self,
        from: usize,
        met: &[MetCondition],
        listed: &[usize],
        threads: &[TraceThread],
    ) -> Option<Finish> {
        let last = self.steps.len();
        if from >= last || self.configurations[from] != self.configurations[last] {
            return None;
        }
        let moves = |thread: usize| {
            let (steps, states) = (&self.steps[from..], &self.configurations[from..last]);
            let could = states.iter().filter(|state| self.can_move(state, thread)).count();
            match could {
                _ if steps.iter().any(|step| step.actor == Some(thread)) => Mobility::Moves,
                0 => Mobility::CouldNever,
                could if could == states.len() => Mobility::CouldAlways,
                _ => Mobility::CouldSometimes,
            }
        };
        let state = self.standing(&self.configurations[from], listed, threads, moves);
        let met = met.iter().map(|met| (met, met.after));
        Some(Finish::Repeat(Repeat::new(from, last, state, met)))
    }

    fn can_move(&self, now: &Configuration, thread: usize) -> bool {
        let able = |transition: &&Transition| {
            transition.kind != Kind::All
                && !transition.does_nothing()
                && transition.shared.0 == now.shared
                && now.threads[thread] == Some(transition.local.0)
        };
        self.system.transitions.iter().any(|transition| able(&transition))
    }

    fn standing(
        &self,
        now: &Configuration,
        listed: &[usize],
        threads: &[TraceThread],
        moves: impl Fn(usize) -> Mobility,
    ) -> TraceState {
        let standing = listed.iter().zip(threads).map(|(thread, named)| Standing {
            name: named.name.clone(),
            position: named.position,
            status: match now.threads[*thread] {
                Some(local) => format!("at {local} in shared state {}", now.shared),
                None => "not started".into(),
            },
            own: Vec::new(),
            frames: Vec::new(),
            moves: moves(*thread),
        });
        let mut threads = standing.collect::<Vec<_>>();
        threads.sort_by_key(|thread| thread.position);
        TraceState { shared: Vec::new(), threads, configuration: None }
    }

    fn names(&self, listed: &[usize]) -> Vec<TraceThread> {
        let singles = self.system.initial.bounded.len();
        let (mut copies, mut made) = (0, 0);
        let named = listed.iter().map(|thread| match self.origins[*thread] {
            Some(position) if position <= singles => {
                TraceThread { name: format!("thread {position}"), position }
            }
            Some(_) => {
                copies += 1;
                TraceThread { name: format!("{COPY}{copies}"), position: singles + copies + made }
            }
            None => {
                made += 1;
                TraceThread { name: format!("{NEW}{made}"), position: singles + copies + made }
            }
        });
        named.collect()
    }
}

/// How the names of threads begin that are copies, and that others made.
pub(super) const COPY: &str = "copy ";
pub(super) const NEW: &str = "new ";

/// A step in words: the line, the transition, and what comes behind it.
pub(super) fn told(sources: &Sources, transition: &Transition, now: &Configuration) -> (usize, String) {
    let source = sources.get(transition.span.file);
    (source.line(transition.span), format!("{}: {}", source.excerpt(transition.span), now.shown()))
}

/// `target 1|25,25`
pub(super) fn target_text(sources: &Sources, span: Span) -> String {
    format!("target {}", sources.get(span.file).excerpt(span))
}
