//! A run of a program in its own words.

use serde_json::{Map, Value, json};

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

/// A variable with a new value; none if it became arbitrary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub variable: String,
    pub value: Option<bool>,
}

/// A move that the interpreter cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Counted from 1.
    pub number: usize,
    pub what: String,
}

/// What became of a stored trace that was executed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// It is a run to an error.
    Run,
    /// The first thing that it says and that is not so.
    NoRun(Mismatch),
    /// Too many states fit to what it says, from this step on.
    Undecided(usize),
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

/// An object of which every key has to be known and is read once.
struct Object<'a> {
    /// What it is, in words.
    what: String,
    keys: &'a Map<String, Value>,
}

impl<'a> Object<'a> {
    fn new(what: String, value: &'a Value, known: &[&str]) -> Result<Object<'a>, String> {
        let keys = value.as_object().ok_or_else(|| format!("{what} is not an object"))?;
        if let Some(unknown) = keys.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(format!("{what} has an unknown key `{unknown}`"));
        }
        Ok(Object { what, keys })
    }

    fn get(&self, key: &str) -> Result<&'a Value, String> {
        self.keys.get(key).ok_or_else(|| format!("{} has no `{key}`", self.what))
    }

    fn list(&self, key: &str) -> Result<&'a Vec<Value>, String> {
        self.get(key)?.as_array().ok_or_else(|| format!("`{key}` of {} is not a list", self.what))
    }

    fn number(&self, key: &str) -> Result<usize, String> {
        let number = self.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
        number
            .map(|number| number as usize)
            .ok_or_else(|| format!("`{key}` of {} is not a number", self.what))
    }

    fn string(&self, key: &str) -> Result<String, String> {
        let text = self.get(key)?.as_str();
        text.map(String::from).ok_or_else(|| format!("`{key}` of {} is not a text", self.what))
    }

    /// The index of a thread.
    fn thread(&self, threads: usize) -> Result<usize, String> {
        let thread = self.number("thread")?;
        if thread < threads { Ok(thread) } else { Err(format!("{}: there is no thread {thread}", self.what)) }
    }
}

fn change(what: String, value: &Value) -> Result<Change, String> {
    let object = Object::new(what, value, &["variable", "value"])?;
    let value = match object.get("value")? {
        Value::Null => None,
        value if value.as_u64() == Some(0) => Some(false),
        value if value.as_u64() == Some(1) => Some(true),
        _ => return Err(format!("`value` of {} is not 0, 1 or null", object.what)),
    };
    Ok(Change { variable: object.string("variable")?, value })
}

fn step(number: usize, value: &Value, threads: usize) -> Result<TraceStep, String> {
    let known = ["thread", "round", "procedure", "depth", "line", "text", "changes"];
    let object = Object::new(format!("step {number}"), value, &known)?;
    let round = match object.get("round")? {
        Value::Null => None,
        round => Some(round.as_i64().ok_or_else(|| format!("`round` of step {number} is not a number"))?),
    };
    let changes = object.list("changes")?.iter().enumerate();
    let changes = changes.map(|(at, value)| change(format!("change {} of step {number}", at + 1), value));
    Ok(TraceStep {
        thread: object.thread(threads)?,
        round,
        procedure: object.string("procedure")?,
        depth: object.number("depth")?,
        line: object.number("line")?,
        text: object.string("text")?,
        changes: changes.collect::<Result<_, _>>()?,
    })
}

impl Trace {
    /// Reads what [`Trace::to_json`] writes, alone or inside the object of a run; or says what is missing or unknown.
    pub fn from_json(text: &str) -> Result<Trace, String> {
        let object: Value =
            serde_json::from_str(text).map_err(|error| format!("this is not JSON: {error}"))?;
        if let Some(why) = object.get("no_trace") {
            return Err(format!("it has no trace: {}", why.as_str().unwrap_or("it does not say why")));
        }
        let trace = object.get("trace").unwrap_or(&object);
        let trace = Object::new("the trace".into(), trace, &["threads", "begin", "steps", "error"])?;
        let threads = (1..).zip(trace.list("threads")?).map(|(number, value): (usize, _)| {
            let object = Object::new(format!("thread {number}"), value, &["name", "position"])?;
            Ok(TraceThread { name: object.string("name")?, position: object.number("position")? })
        });
        let threads = threads.collect::<Result<Vec<_>, String>>()?;
        let begin = (1..).zip(trace.list("begin")?);
        let begin =
            begin.map(|(number, value): (usize, _)| change(format!("value {number} of `begin`"), value));
        let begin = begin.map(|change| change.map(|change| (change.variable, change.value)));
        let steps = (1..).zip(trace.list("steps")?);
        let steps = steps.map(|(number, value)| step(number, value, threads.len()));
        let known = ["thread", "procedure", "line", "text"];
        let error = Object::new("the error".into(), trace.get("error")?, &known)?;
        Ok(Trace {
            begin: begin.collect::<Result<_, _>>()?,
            steps: steps.collect::<Result<_, _>>()?,
            error: TraceError {
                thread: error.thread(threads.len())?,
                procedure: error.string("procedure")?,
                line: error.number("line")?,
                text: error.string("text")?,
            },
            threads,
        })
    }
}
