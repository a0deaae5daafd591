//! A run of a program in its own words.

mod json;

use super::moves::MetCondition;
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub threads: Vec<TraceThread>,
    /// Shared variables and their values where the run begins; those that do not matter have none.
    pub begin: Vec<(String, Option<TraceValue>)>,
    /// Where the run of a pushdown system begins: the control state and the stacks.
    pub configuration: Option<String>,
    pub steps: Vec<TraceStep>,
    pub finish: Finish,
}

/// Where a run ends, if it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// At a target: the line, and what is wrong there.
    Error(TraceError),
    /// In this state.
    State(TraceState),
    /// Never: its last steps are repeated.
    Repeat(Repeat),
}

/// Where all threads stand, and what the variables are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceState {
    /// Shared variables; those that do not matter have no value.
    pub shared: Vec<Change>,
    /// The single threads and the copies that moved, by position; `init` alone as long as it runs.
    pub threads: Vec<Standing>,
    /// The control state and the stacks of a pushdown system, in place of these.
    pub configuration: Option<String>,
}

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub name: String,
    pub position: usize,
    /// `running`, `ended`, `failed` or `not started`.
    pub status: String,
    /// The variables of its own.
    pub own: Vec<Change>,
    /// From the bottom of its stack.
    pub frames: Vec<TraceFrame>,
    pub moves: Mobility,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFrame {
    pub procedure: String,
    pub line: usize,
    pub text: String,
    pub locals: Vec<Change>,
}

/// Whether a thread moves where the run ends, or in the part that repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// It can make a step at the end.
    Can,
    Cannot,
    /// It makes a step of the part that repeats.
    Moves,
    /// It makes none, and could wherever another thread may be scheduled.
    CouldAlways,
    /// It could at some of these places.
    CouldSometimes,
    /// It could at none of them.
    CouldNever,
}

impl Mobility {
    pub const ALL: [Mobility; 6] = [
        Mobility::Can,
        Mobility::Cannot,
        Mobility::Moves,
        Mobility::CouldAlways,
        Mobility::CouldSometimes,
        Mobility::CouldNever,
    ];

    pub fn words(self) -> &'static str {
        match self {
            Mobility::Can => "can move",
            Mobility::Cannot => "cannot move",
            Mobility::Moves => "moves",
            Mobility::CouldAlways => "could always move",
            Mobility::CouldSometimes => "could sometimes move",
            Mobility::CouldNever => "could never move",
        }
    }
}

/// The part of a run that is repeated forever: the steps behind the first `from` ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    pub from: usize,
    /// Where it begins, and comes back to.
    pub state: TraceState,
    /// What has to happen again and again, as the file calls it.
    pub conditions: Vec<String>,
    pub met: Vec<Met>,
}

impl Repeat {
    /// The part from this step on of a run with `last` steps. Each condition comes with the number of steps after which it
    /// is met.
    pub(super) fn new<'a>(
        from: usize,
        last: usize,
        state: TraceState,
        met: impl IntoIterator<Item = (&'a MetCondition, usize)>,
    ) -> Repeat {
        let met = met.into_iter().map(|(met, after)| {
            // What is met where the part begins is met where it ends.
            let step = if after > from { after } else { last };
            Met { condition: met.condition.clone(), clause: met.clause.clone(), step }
        });
        let mut met = met.collect::<Vec<_>>();
        met.sort_by_key(|met| met.step);
        met.dedup();
        let conditions = met.iter().map(|met| met.condition.clone()).collect::<BTreeSet<_>>();
        Repeat { from, state, conditions: conditions.into_iter().collect(), met }
    }
}

/// With which step a condition is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    pub condition: String,
    /// The clause of the file by which it is met.
    pub clause: String,
    /// Counted from 1.
    pub step: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceThread {
    pub name: String,
    /// Positions as the algorithm numbers them; 0 is `init`.
    pub position: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Index into [`Trace::threads`].
    pub thread: usize,
    pub round: Option<i64>,
    pub procedure: String,
    /// Frames below the one that moves.
    pub depth: usize,
    pub line: usize,
    pub text: String,
    pub changes: Vec<Change>,
    /// The control state and the stacks of a pushdown system after it.
    pub configuration: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    pub thread: usize,
    pub procedure: String,
    pub line: usize,
    pub text: String,
}

/// A variable with a new value; none if it became arbitrary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub variable: String,
    pub value: Option<TraceValue>,
}

/// A value as it is written in the program: truth values are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceValue {
    Number(i64),
    /// Of an enumeration.
    Name(String),
}

impl From<bool> for TraceValue {
    fn from(value: bool) -> TraceValue {
        TraceValue::Number(value.into())
    }
}

impl fmt::Display for TraceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceValue::Number(value) => write!(f, "{value}"),
            TraceValue::Name(name) => f.write_str(name),
        }
    }
}

/// A move that the interpreter cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Counted from 1; 0 if it is about no single move.
    pub number: usize,
    pub what: String,
}

/// Why there is no trace of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReplayed {
    /// It is no run of the program.
    Wrong(Mismatch),
    /// It is not known whether it is one, and why.
    Unknown(String),
}

impl From<Mismatch> for NotReplayed {
    fn from(mismatch: Mismatch) -> NotReplayed {
        NotReplayed::Wrong(mismatch)
    }
}

/// What became of a stored trace that was executed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// It is a run, and ends as it says.
    Run,
    /// The first thing that it says and that is not so.
    NoRun(Mismatch),
    /// Too many states fit to what it says, from this step on.
    Undecided(usize),
}

impl Trace {
    /// Whether the part that repeats has steps, no rounds, and meets each of its conditions.
    pub(super) fn repeats_well(&self, repeat: &Repeat) -> Result<(), Mismatch> {
        let wrong = |number: usize, what: String| Err(Mismatch { number, what });
        let last = self.steps.len();
        if repeat.from >= last {
            return wrong(0, "no step repeats".into());
        }
        if self.steps.iter().any(|step| step.round.is_some()) {
            return wrong(0, "a run that repeats has no rounds".into());
        }
        for (at, condition) in repeat.conditions.iter().enumerate() {
            if repeat.conditions[..at].contains(condition) {
                return wrong(0, format!("the condition `{condition}` stands there twice"));
            }
            if repeat.met.iter().all(|met| met.condition != *condition) {
                return wrong(0, format!("the part that repeats never meets `{condition}`"));
            }
        }
        for met in &repeat.met {
            if !repeat.conditions.contains(&met.condition) {
                return wrong(0, format!("there is no condition `{}`", met.condition));
            }
            if met.step <= repeat.from || met.step > last {
                return wrong(met.step, format!("`{}` is met outside the part that repeats", met.condition));
            }
        }
        Ok(())
    }

    /// Whether it tells of configurations of a pushdown system.
    pub(super) fn has_configurations(&self) -> bool {
        let end = match &self.finish {
            Finish::Error(_) => false,
            Finish::State(state) | Finish::Repeat(Repeat { state, .. }) => state.configuration.is_some(),
        };
        end || self.configuration.is_some() || self.steps.iter().any(|step| step.configuration.is_some())
    }
}
