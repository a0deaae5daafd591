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

impl Trace {
    /// Reads what [`Trace::to_json`] writes; or says what is missing.
    pub fn from_json(text: &str) -> Result<Trace, String> {
        let object: Value = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
        // The whole output of a run has the trace inside it.
        let object = object.get("trace").unwrap_or(&object);
        let list = |object: &Value, key: &str| {
            object[key].as_array().cloned().ok_or_else(|| format!("it has no list `{key}`"))
        };
        let number = |object: &Value, key: &str| {
            let number = object[key].as_u64().filter(|number| *number < 1 << 32);
            number.map(|number| number as usize).ok_or_else(|| format!("`{key}` is not a number"))
        };
        let string = |object: &Value, key: &str| {
            object[key].as_str().map(String::from).ok_or_else(|| format!("`{key}` is not a text"))
        };
        let change = |object: &Value| {
            let value = match object["value"].as_u64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                None if object["value"].is_null() => None,
                _ => return Err("`value` is not 0, 1 or null".to_string()),
            };
            Ok(Change { variable: string(object, "variable")?, value })
        };
        let (listed_threads, listed_steps) = (list(object, "threads")?, list(object, "steps")?);
        let threads = listed_threads.iter().map(|thread| {
            Ok(TraceThread { name: string(thread, "name")?, position: number(thread, "position")? })
        });
        let threads = threads.collect::<Result<Vec<_>, String>>()?;
        let thread = |object: &Value| {
            let thread = number(object, "thread")?;
            if thread < threads.len() { Ok(thread) } else { Err(format!("there is no thread {thread}")) }
        };
        let steps = listed_steps.iter().map(|step| {
            Ok(TraceStep {
                thread: thread(step)?,
                round: step["round"].as_i64(),
                procedure: string(step, "procedure")?,
                depth: number(step, "depth")?,
                line: number(step, "line")?,
                text: string(step, "text")?,
                changes: list(step, "changes")?.iter().map(change).collect::<Result<_, String>>()?,
            })
        });
        let steps = steps.collect::<Result<_, String>>()?;
        let begin = list(object, "begin")?.iter().map(change).collect::<Result<Vec<_>, _>>()?;
        let error = &object["error"];
        Ok(Trace {
            begin: begin.into_iter().map(|change| (change.variable, change.value)).collect(),
            steps,
            error: TraceError {
                thread: thread(error)?,
                procedure: string(error, "procedure")?,
                line: number(error, "line")?,
                text: string(error, "text")?,
            },
            threads,
        })
    }
}
