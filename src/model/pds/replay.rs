//! The moves of a derivation, executed and written down.

use super::PushdownSystem;
use super::configuration::shown;
use super::interpret::repeats;
use super::system::{Configuration, Right, Rule, Target, Top};
use crate::model::moves::{Moves, MovesEnd};
use crate::model::schema::pushdown::{INITIAL, OVERWRITE, POP, PUSH, START, SymbolLeaves, TARGET};
use crate::model::schema::{RelationSchema, RunEvent};
use crate::model::trace::{Finish, Mismatch, Repeat, Trace, TraceError, TraceState, TraceStep, TraceThread};
use calculus::sort::Value;
use std::collections::HashMap;

/// The relations whose tuples are rules.
const RULES: [&RelationSchema; 3] = [&OVERWRITE, &PUSH, &POP];

/// What a tuple tells about a run. The state after a move is the number of its relation and its tuple: the rule that is
/// applied. What a pop hands down to stays as it is.
pub fn event(relation: &str, indices: &[i64], tuple: &[Value]) -> Option<RunEvent<'static>> {
    let position = indices.first().copied();
    if relation == INITIAL.name {
        return Some(RunEvent::Initial { shared: Vec::new().into() });
    }
    if relation == START.name {
        return Some(RunEvent::Begin { position: position?, state: tuple.to_vec() });
    }
    if relation == TARGET.name {
        return Some(RunEvent::Target);
    }
    let kind = RULES.iter().position(|rule| rule.name == relation)?;
    let state = [Value::Name(kind as u64)].into_iter().chain(tuple.iter().cloned()).collect();
    let (before, after) = (Vec::new().into(), Vec::new().into());
    Some(RunEvent::Move { position, from: Vec::new(), state, before, after, new: None })
}

/// An executed run.
pub(super) struct Run {
    /// The configurations, the first one included.
    pub at: Vec<Configuration>,
    /// Who moved from each to the next.
    pub movers: Vec<usize>,
}

pub fn replay(model: &PushdownSystem, moves: &Moves) -> Result<Trace, Mismatch> {
    let system = &model.system;
    let known = system.threads.iter().map(|thread| {
        let rules = thread.rules.iter().rev().map(|rule| (rule.meaning(), rule));
        rules.collect::<HashMap<_, _>>()
    });
    let known = known.collect::<Vec<_>>();
    let mut run = Run { at: vec![system.initial.clone()], movers: Vec::new() };
    let mut steps = Vec::new();
    for (number, made) in (1..).zip(&moves.moves) {
        let mismatch = |what: String| Mismatch { number, what };
        let position = made.part.and_then(|part| moves.parts[part].position).unwrap_or(0);
        let thread = usize::try_from(position - 1).unwrap_or(usize::MAX);
        let meaning = model.rule_meant(&made.state).filter(|_| thread < known.len());
        let Some(rule) = meaning.and_then(|meaning| known[thread].get(&meaning)) else {
            return Err(mismatch(format!("thread {} has no such rule", thread.saturating_add(1))));
        };
        let at = &run.at[run.at.len() - 1];
        let after = rule
            .apply(thread, at)
            .ok_or_else(|| mismatch(format!("thread {} cannot apply `{rule}` in {at}", thread + 1)))?;
        steps.push(step(model, thread, made.round, rule, &after));
        run.at.push(after);
        run.movers.push(thread);
    }
    let last = &run.at[run.at.len() - 1];
    let number = steps.len();
    let finish = match &moves.end {
        MovesEnd::Target => {
            let found = system.targets.iter().find(|target| target.holds(last));
            let no_target = Mismatch { number, what: format!("the run ends in {last}, which is no target") };
            Finish::Error(model.reached(found.ok_or(no_target)?))
        }
        MovesEnd::Anywhere => Finish::State(state(last)),
        MovesEnd::Repeat { from, .. } if !repeats(&run.at[*from..], &run.movers[*from..]) => {
            return Err(Mismatch { number, what: "the part that repeats does not come back".into() });
        }
        MovesEnd::Repeat { from, met } => {
            let met = met.iter().map(|met| (met, met.after));
            Finish::Repeat(Repeat::new(*from, number, state(&run.at[*from]), met))
        }
    };
    let threads = model.trace_threads();
    Ok(Trace { threads, begin: Vec::new(), configuration: Some(run.at[0].to_string()), steps, finish })
}

pub(super) fn state(at: &Configuration) -> TraceState {
    TraceState { shared: Vec::new(), threads: Vec::new(), configuration: Some(at.to_string()) }
}

pub(super) fn step(
    model: &PushdownSystem,
    thread: usize,
    round: Option<i64>,
    rule: &Rule,
    after: &Configuration,
) -> TraceStep {
    TraceStep {
        thread,
        round,
        procedure: String::new(),
        depth: 0,
        line: model.sources.line(rule.span),
        text: rule.to_string(),
        changes: Vec::new(),
        configuration: Some(after.to_string()),
    }
}

impl PushdownSystem {
    /// All threads, whether they move or not.
    pub(super) fn trace_threads(&self) -> Vec<TraceThread> {
        let threads = (1..=self.system.threads.len())
            .map(|position| TraceThread { name: format!("thread {position}"), position });
        threads.collect()
    }

    /// A target, as the end of a run.
    pub(super) fn reached(&self, target: &Target) -> TraceError {
        let (line, text) = (self.sources.line(target.span), shown(target, &self.sources));
        TraceError { thread: 0, procedure: String::new(), line, text }
    }

    /// The rule that a move stands for.
    fn rule_meant(&self, state: &[Value]) -> Option<(u32, Top, u32, Right)> {
        let (Value::Name(kind), tuple) = state.split_first()? else { return None };
        let rule = *RULES.get(usize::try_from(*kind).ok()?)?;
        let control = |leaf: u16| match tuple.get(usize::from(leaf))? {
            Value::Name(state) => u32::try_from(*state).ok(),
            _ => None,
        };
        let top = |leaves: SymbolLeaves| match tuple.get(usize::from(leaves.pc))? {
            Value::Name(location) => self.layout.top(*location),
            _ => None,
        };
        let symbol = |leaves: SymbolLeaves| match top(leaves)? {
            Top::Symbol(symbol) => Some(symbol),
            Top::Bottom => None,
        };
        let right = match rule.name {
            name if name == OVERWRITE.name => Right::Overwrite(symbol(OVERWRITE.symbol("b"))?),
            name if name == POP.name => Right::Pop,
            _ => match top(PUSH.symbol("c"))? {
                Top::Bottom => Right::Overwrite(symbol(PUSH.symbol("b"))?),
                Top::Symbol(under) => Right::Push(symbol(PUSH.symbol("b"))?, under),
            },
        };
        Some((control(rule.shared("s"))?, top(rule.symbol("a"))?, control(rule.shared("s'"))?, right))
    }
}
