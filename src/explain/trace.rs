//! A run of a program in its own words.

use crate::model::interpret::Change;
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub threads: Vec<TraceThread>,
    /// Shared variables and their values where the run begins; those that do not matter have none.
    pub begin: Vec<(String, Option<bool>)>,
    pub steps: Vec<TraceStep>,
    /// The line at which the run ends, and what is wrong there.
    pub error: TraceError,
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
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    pub thread: usize,
    pub procedure: String,
    pub line: usize,
    pub text: String,
}

impl Trace {
    pub fn to_json(&self) -> Value {
        let value = |value: Option<bool>| value.map(u8::from);
        json!({
            "threads": self.threads.iter().map(|thread| json!({
                "name": thread.name,
                "position": thread.position,
            })).collect::<Vec<_>>(),
            "begin": self.begin.iter().map(|(name, is)| json!({"variable": name, "value": value(*is)})).collect::<Vec<_>>(),
            "steps": self.steps.iter().map(|step| json!({
                "thread": step.thread,
                "round": step.round,
                "procedure": step.procedure,
                "depth": step.depth,
                "line": step.line,
                "text": step.text,
                "changes": step.changes.iter().map(|change| json!({
                    "variable": change.variable,
                    "value": value(change.value),
                })).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "error": {
                "thread": self.error.thread,
                "procedure": self.error.procedure,
                "line": self.error.line,
                "text": self.error.text,
            },
        })
    }
}
