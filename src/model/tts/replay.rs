//! Runs executed by the explicit interpreter: moves of the solver, and stored traces.
//!
//! Where other threads can choose what a broadcast makes of them, several configurations are followed at the same time.

use super::layout::{Layout, Place, SharedPlace};
use super::run::{COPY, MadeStep, NEW, Run, RunEnd, target_text, told};
use super::system::{Configuration, Kind, System};
use crate::model::moves::{MetCondition, Move, Moves, MovesEnd, Part};
use crate::model::trace::{Finish, Mismatch, Trace, TraceStep, Verified};
use calculus::sort::Value;
use calculus::span::Sources;
use std::collections::HashSet;

/// Configurations that are followed at the same time.
const MOST: usize = 10_000;

/// A configuration on the way, and how it came there.
struct Visit {
    now: Configuration,
    before: Option<(usize, MadeStep)>,
}

/// The runs that are followed.
pub(super) struct Execution<'a> {
    system: &'a System,
    sources: &'a Sources,
    origins: Vec<Option<usize>>,
    visits: Vec<Visit>,
    present: Vec<usize>,
}

/// A move of a part, or of all threads, to these states; the part that is made with it.
struct Wanted {
    actor: Option<usize>,
    /// Its number and where it begins.
    new: Option<(usize, u32)>,
    local: Option<u32>,
    shared: u32,
    /// What else the transition does, where the move says it.
    kind: Option<Kind>,
    swept: Option<(u32, u32)>,
    round: Option<i64>,
}

impl<'a> Execution<'a> {
    fn new(
        system: &'a System,
        sources: &'a Sources,
        origins: Vec<Option<usize>>,
        begin: impl IntoIterator<Item = Configuration>,
    ) -> Execution<'a> {
        let visits = begin.into_iter().map(|now| Visit { now, before: None }).collect::<Vec<_>>();
        let present = (0..visits.len()).collect();
        Execution { system, sources, origins, visits, present }
    }

    /// The run to a visit.
    fn run(&self, at: usize) -> Run<'a> {
        let (mut configurations, mut steps, mut at) = (vec![self.visits[at].now.clone()], Vec::new(), at);
        while let Some((before, step)) = self.visits[at].before {
            steps.push(step);
            configurations.push(self.visits[before].now.clone());
            at = before;
        }
        configurations.reverse();
        steps.reverse();
        let Execution { system, sources, .. } = *self;
        Run { system, sources, origins: self.origins.clone(), configurations, steps }
    }

    /// Goes on with all steps that `offers` has for a configuration. False if there are too many.
    fn advance(&mut self, offers: impl Fn(&Configuration) -> Vec<(MadeStep, Configuration)>) -> bool {
        let (mut seen, mut next) = (HashSet::new(), Vec::new());
        for from in std::mem::take(&mut self.present) {
            for (step, now) in offers(&self.visits[from].now) {
                if seen.insert(now.clone()) {
                    next.push(self.visits.len());
                    self.visits.push(Visit { now, before: Some((from, step)) });
                }
            }
        }
        self.present = next;
        self.present.len() <= MOST
    }
}

/// Executes the moves of the solver and writes the run down.
pub(super) fn replay(
    system: &System,
    layout: &Layout,
    sources: &Sources,
    moves: &Moves,
) -> Result<Trace, Mismatch> {
    let begin = |part: &Part| match (part.position, part.state.first()) {
        (Some(_), Some(Value::Name(pc))) => u32::try_from(*pc).ok(),
        _ => None,
    };
    let threads = moves.parts.iter().map(begin).collect();
    let origins = moves.parts.iter().map(|part| part.position.map(|at| at as usize)).collect();
    let begin = Configuration { shared: system.initial.shared, threads };
    let mut execution = Execution::new(system, sources, origins, [begin]);
    let mut reader = Reader { layout, places: vec![None; moves.parts.len()], between: false };
    // A thread stays in a target whatever others do, so the moves may go on: the run ends where it comes to one.
    let is_done = |execution: &Execution| {
        let covered = |at: &usize| {
            let now = &execution.visits[*at].now;
            system.targets.iter().any(|target| target.covered(now).is_some())
        };
        moves.end == MovesEnd::Target && execution.present.iter().any(covered)
    };
    // How many steps of the file there are after each number of moves.
    let mut steps = vec![0];
    for (number, made) in (1..).zip(&moves.moves) {
        if is_done(&execution) {
            break;
        }
        let mismatch = |what: String| Mismatch { number, what };
        let wanted = reader.wanted(made, &moves.parts).map_err(|what| mismatch(what.into()))?;
        steps.push(steps[number - 1] + usize::from(wanted.is_some()));
        let Some(wanted) = wanted else { continue };
        let few = execution.advance(|now| wanted.offers(system, now));
        if execution.present.is_empty() {
            let there = wanted.local.map(|local| format!("local state {local} and ")).unwrap_or_default();
            return Err(mismatch(format!("no transition leads to {there}shared state {}", wanted.shared)));
        }
        if !few {
            return Err(mismatch("too many configurations fit to the moves".into()));
        }
    }
    let met = |met: &[MetCondition]| {
        let met = met
            .iter()
            .map(|met| MetCondition { after: steps[met.after.min(moves.moves.len())], ..met.clone() });
        met.collect::<Vec<_>>()
    };
    let ends = match &moves.end {
        MovesEnd::Target => system.targets.iter().map(RunEnd::Target).collect(),
        MovesEnd::Anywhere => vec![RunEnd::Anywhere],
        MovesEnd::Repeat { from, met: conditions } => {
            vec![RunEnd::Repeat { from: steps[(*from).min(moves.moves.len())], met: met(conditions) }]
        }
    };
    let runs = execution.present.iter().map(|at| execution.run(*at)).collect::<Vec<_>>();
    let written = runs.iter().find_map(|run| ends.iter().find_map(|end| run.written(end)));
    written.ok_or_else(|| Mismatch {
        number: moves.moves.len(),
        what: match moves.end {
            MovesEnd::Target => "the run ends, and in no target".into(),
            _ => "the part that repeats does not come back".into(),
        },
    })
}

/// What the moves say in the terms of the file.
struct Reader<'a> {
    layout: &'a Layout,
    /// Where the parts are in the vocabulary, as far as they moved.
    places: Vec<Option<Place>>,
    /// The shared value stands for no state of the file.
    between: bool,
}

impl Reader<'_> {
    /// Nothing if the move is no step of the file.
    fn wanted(&mut self, made: &Move, parts: &[Part]) -> Result<Option<Wanted>, &'static str> {
        let was_between = self.between;
        let (shared, swept) = match self.layout.shared_place(&made.shared) {
            SharedPlace::Shared(shared) => (shared, None),
            SharedPlace::Between(shared, moved) => (shared, Some(moved)),
            SharedPlace::Nothing => return Err("there is no such shared state"),
        };
        self.between = swept.is_some();
        let new = made.new.map(|new| match parts[new].state.first() {
            Some(Value::Name(pc)) => Ok((new, *pc as u32)),
            _ => Err("the new thread is nowhere"),
        });
        let (actor, new, round) = (made.part, new.transpose()?, made.round);
        let wanted = Wanted { actor, new, local: None, shared, kind: None, swept, round };
        let Some(part) = made.part else { return Ok((!was_between).then_some(wanted)) };
        let Some(Value::Name(pc)) = made.state.first() else { return Err("the thread is nowhere") };
        let place = self.layout.place(*pc);
        let was = self.places[part].replace(place.clone());
        if matches!(was, Some(Place::Between(..))) {
            return Ok(None);
        }
        Ok(match place {
            Place::Target => None,
            Place::Local(local) => Some(Wanted { local: Some(local), ..wanted }),
            Place::Between(local, transfers) => {
                Some(Wanted { local: Some(local), kind: Some(Kind::Broadcast(transfers)), ..wanted })
            }
        })
    }
}

impl Wanted {
    /// The transitions that do that, and where they lead.
    fn offers(&self, system: &System, now: &Configuration) -> Vec<(MadeStep, Configuration)> {
        let mut out = Vec::new();
        for (transition, made) in system.transitions.iter().enumerate() {
            let fits = made.shared == (now.shared, self.shared)
                && self.kind.as_ref().is_none_or(|kind| *kind == made.kind)
                && self.swept.is_none_or(|swept| swept == made.local)
                && (made.kind == Kind::Spawn) == self.new.is_some()
                && self.new.is_none_or(|(_, local)| local == made.local.1)
                && !made.does_nothing();
            if fits {
                let next = now.after(made, self.actor, self.new.map(|(new, _)| new)).into_iter();
                let next =
                    next.filter(|next| self.actor.is_none_or(|actor| next.threads[actor] == self.local));
                let step = MadeStep { transition, actor: self.actor, round: self.round };
                out.extend(next.map(|next| (step, next)));
            }
        }
        out
    }
}

/// Whether a stored trace is a run of the system, and all that it says is true.
pub(super) fn verify(system: &System, sources: &Sources, trace: &Trace) -> Verified {
    match verified(system, sources, trace) {
        Ok(()) => Verified::Run,
        Err(verified) => verified,
    }
}

fn wrong(number: usize, what: impl Into<String>) -> Verified {
    Verified::NoRun(Mismatch { number, what: what.into() })
}

fn verified(system: &System, sources: &Sources, trace: &Trace) -> Result<(), Verified> {
    let (origins, begin) = beginnings(system, trace)?;
    let mut execution = Execution::new(system, sources, origins, begin);
    for (number, step) in (1..).zip(&trace.steps) {
        let few = execution.advance(|now| steps_told(system, sources, now, step));
        if execution.present.is_empty() {
            return Err(wrong(number, format!("line {} cannot be executed as the trace says", step.line)));
        }
        if !few {
            return Err(Verified::Undecided(number));
        }
    }
    let ends = match &trace.finish {
        Finish::Error(error) => {
            let told = system.targets.iter().filter(|target| target_text(sources, target.span) == error.text);
            told.map(RunEnd::Target).collect()
        }
        Finish::State(_) => vec![RunEnd::Anywhere],
        Finish::Repeat(repeat) => {
            if let Some(met) =
                repeat.met.iter().find(|met| met.step <= repeat.from || met.step > trace.steps.len())
            {
                let what = format!("`{}` is met outside the part that repeats", met.condition);
                return Err(wrong(met.step, what));
            }
            let met = repeat.met.iter().map(|met| MetCondition {
                condition: met.condition.clone(),
                clause: met.clause.clone(),
                after: met.step,
            });
            vec![RunEnd::Repeat { from: repeat.from, met: met.collect() }]
        }
    };
    let runs = execution.present.iter().map(|at| execution.run(*at)).collect::<Vec<_>>();
    let written =
        runs.iter().flat_map(|run| ends.iter().filter_map(|end| run.written(end))).collect::<Vec<_>>();
    match written.iter().any(|written| written == trace) {
        true => Ok(()),
        false if written.is_empty() => {
            Err(wrong(trace.steps.len(), "the run does not end as the trace says"))
        }
        false => Err(wrong(
            trace.steps.len(),
            "the run is one, and the trace tells its threads or its end otherwise",
        )),
    }
}

/// Where the threads of a trace come from, and all ways in which the run can begin.
fn beginnings(system: &System, trace: &Trace) -> Result<(Vec<Option<usize>>, Vec<Configuration>), Verified> {
    let initial = &system.initial;
    let singles = initial.bounded.len();
    let mut origins = Vec::new();
    let mut begin = vec![Configuration { shared: initial.shared, threads: Vec::new() }];
    for thread in &trace.threads {
        let places =
            match (thread.position.checked_sub(1).and_then(|at| initial.bounded.get(at)), &thread.name) {
                (Some(local), _) => vec![Some(*local)],
                (None, name) if name.starts_with(COPY) => {
                    initial.unbounded.iter().copied().map(Some).collect()
                }
                (None, name) if name.starts_with(NEW) => vec![None],
                _ => return Err(wrong(0, format!("there is no thread `{}`", thread.name))),
            };
        origins.push((!thread.name.starts_with(NEW)).then_some(thread.position.min(singles + 1)));
        if begin.len() * places.len() > MOST {
            return Err(Verified::Undecided(0));
        }
        let with = |from: &Configuration, place: &Option<u32>| {
            let mut with = from.clone();
            with.threads.push(*place);
            with
        };
        begin = begin.iter().flat_map(|from| places.iter().map(move |place| with(from, place))).collect();
    }
    Ok((origins, begin))
}

/// The steps that are told like this one.
fn steps_told(
    system: &System,
    sources: &Sources,
    now: &Configuration,
    step: &TraceStep,
) -> Vec<(MadeStep, Configuration)> {
    let mut out = Vec::new();
    for (transition, made) in system.transitions.iter().enumerate() {
        if sources.get(made.span.file).line(made.span) != step.line || made.does_nothing() {
            continue;
        }
        let actor = (made.kind != Kind::All).then_some(step.thread);
        let unborn = (0..now.threads.len()).filter(|thread| now.threads[*thread].is_none());
        let mut new = vec![None];
        new.extend(unborn.map(Some).filter(|_| made.kind == Kind::Spawn));
        for new in new {
            let next = now.after(made, actor, new).into_iter();
            let next = next.filter(|next| told(sources, made, next) == (step.line, step.text.clone()));
            out.extend(next.map(|next| (MadeStep { transition, actor, round: step.round }, next)));
        }
    }
    out
}
