//! A thread transition system: what the texts say, and its steps.
//!
//! Threads share one number, the *shared state*, and each has one of its own, its *local state*. This file is also the
//! explicit interpreter: traces are executed with it, and tests compare the solver with it. It knows nothing of the
//! encoding.

use calculus::span::Span;

/// A thread transition system with its question.
#[derive(Clone, Debug)]
pub struct System {
    /// Shared states are `0..shared`, local states `0..locals`.
    pub shared: u32,
    pub locals: u32,
    pub transitions: Vec<Transition>,
    pub initial: Initial,
    pub targets: Vec<Target>,
}

/// `s l -> s' l'` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub shared: (u32, u32),
    pub local: (u32, u32),
    pub kind: Kind,
    /// In the file of the transitions.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `s l -> s' l'`: a thread moves.
    Step,
    /// `s l -> s' l' a ~> b`: a thread moves, and every other one at an `a` goes to a `b` of that `a`; others stay.
    /// In order, without repetition, never empty.
    Broadcast(Vec<(u32, u32)>),
    /// `s l +> s' l'`: a thread stays where it is, and a new one begins at `l'`.
    Spawn,
    /// `s l ~> s' l'`: all threads at `l` go to `l'`; none of them makes the step.
    All,
}

/// Where runs begin: `0|1,1/2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    pub shared: u32,
    /// One thread each.
    pub bounded: Vec<u32>,
    /// Any number of threads each, in order, without repetition.
    pub unbounded: Vec<u32>,
    pub span: Span,
}

/// What must not happen: this shared state while threads are in these local states, each in a thread of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub shared: u32,
    /// In order.
    pub threads: Vec<u32>,
    pub span: Span,
}

/// The shared state and the local states of some threads. A thread that does not exist yet has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Configuration {
    pub shared: u32,
    pub threads: Vec<Option<u32>>,
}

impl Transition {
    /// A step that changes nothing: SATABS writes it where a thread is blocked.
    pub fn does_nothing(&self) -> bool {
        let stays = self.shared.0 == self.shared.1 && self.local.0 == self.local.1;
        stays && matches!(self.kind, Kind::Step | Kind::All)
    }

    /// Where another thread at `local` can be after it.
    pub fn passive(&self, local: u32) -> Vec<u32> {
        match &self.kind {
            Kind::Step | Kind::Spawn => vec![local],
            Kind::All if local == self.local.0 => vec![self.local.1],
            Kind::All => vec![local],
            Kind::Broadcast(transfers) => {
                let moved = transfers.iter().filter(|(from, _)| *from == local).map(|(_, to)| *to);
                let moved = moved.collect::<Vec<_>>();
                if moved.is_empty() { vec![local] } else { moved }
            }
        }
    }
}

impl Target {
    /// The threads of a configuration that cover it, one for each of its own.
    pub fn covered(&self, by: &Configuration) -> Option<Vec<usize>> {
        let mut taken = Vec::new();
        for wanted in &self.threads {
            let free = |(at, local): &(usize, &Option<u32>)| **local == Some(*wanted) && !taken.contains(at);
            taken.push(by.threads.iter().enumerate().find(free)?.0);
        }
        (by.shared == self.shared).then_some(taken)
    }
}

impl Configuration {
    /// `0|3,5`
    pub fn shown(&self) -> String {
        let threads = self.threads.iter().flatten().map(u32::to_string).collect::<Vec<_>>();
        format!("{}|{}", self.shared, threads.join(","))
    }

    /// Where a transition leads: `actor` makes it, or nobody; a thread that it makes is the one numbered `new`, if that
    /// one is to be followed. Nothing if it cannot be made.
    pub fn after(
        &self,
        transition: &Transition,
        actor: Option<usize>,
        new: Option<usize>,
    ) -> Vec<Configuration> {
        let acts = !matches!(transition.kind, Kind::All);
        let here = |actor: usize| self.threads[actor] == Some(transition.local.0);
        let ready = if acts { actor.is_some_and(here) } else { actor.is_none() };
        let makes = transition.kind == Kind::Spawn;
        if self.shared != transition.shared.0 || !ready || (new.is_some() && !makes) {
            return Vec::new();
        }
        let mut first = self.clone();
        first.shared = transition.shared.1;
        if let Some(actor) = actor.filter(|_| !makes) {
            first.threads[actor] = Some(transition.local.1);
        }
        if let Some(new) = new {
            if first.threads[new].is_some() {
                return Vec::new();
            }
            first.threads[new] = Some(transition.local.1);
        }
        let mut out = vec![first];
        for (thread, local) in self.threads.iter().enumerate() {
            let Some(local) = local.filter(|_| Some(thread) != actor) else { continue };
            let places = transition.passive(local);
            let moved = |configuration: &Configuration| {
                let moved = places.iter().map(|place| {
                    let mut moved = configuration.clone();
                    moved.threads[thread] = Some(*place);
                    moved
                });
                moved.collect::<Vec<_>>()
            };
            if places != [local] {
                out = out.iter().flat_map(moved).collect();
            }
        }
        out
    }

    /// All that can happen, with at most so many threads: the number of the transition, who makes it, and where it leads.
    pub fn successors(&self, system: &System, most: usize) -> Vec<(usize, Option<usize>, Configuration)> {
        let mut out = Vec::new();
        for (number, transition) in system.transitions.iter().enumerate() {
            let mut from = self.clone();
            let new = (transition.kind == Kind::Spawn && self.threads.len() < most).then(|| {
                from.threads.push(None);
                from.threads.len() - 1
            });
            let actors = match transition.kind {
                Kind::All => vec![None],
                _ => (0..self.threads.len()).map(Some).collect(),
            };
            for actor in actors {
                let next = from.after(transition, actor, new);
                out.extend(next.into_iter().map(|next| (number, actor, next)));
            }
        }
        out
    }
}
