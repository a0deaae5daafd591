//! Traces as JSON.

use super::{
    Change, Finish, Met, Mobility, Repeat, Standing, Trace, TraceError, TraceFrame, TraceState, TraceStep,
    TraceThread, TraceValue,
};
use serde_json::{Map, Value, json};

/// The keys of a trace.
const KEYS: [&str; 7] = ["threads", "begin", "configuration", "steps", "error", "end", "repeat"];

impl Trace {
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "threads": self.threads.iter().map(|thread| json!({
                "name": thread.name,
                "position": thread.position,
            })).collect::<Vec<_>>(),
            "begin": self.begin.iter().map(|(name, is)| json!({"variable": name, "value": is.as_ref().map(TraceValue::to_json)})).collect::<Vec<_>>(),
            "steps": self.steps.iter().map(TraceStep::to_json).collect::<Vec<_>>(),
        });
        configured(&mut object, &self.configuration);
        match &self.finish {
            Finish::Error(error) => {
                object["error"] = json!({
                    "thread": error.thread,
                    "procedure": error.procedure,
                    "line": error.line,
                    "text": error.text,
                });
            }
            Finish::State(state) => object["end"] = state.to_json(),
            Finish::Repeat(repeat) => {
                object["end"] = repeat.state.to_json();
                object["repeat"] = json!({
                    "from": repeat.from,
                    "conditions": repeat.conditions,
                    "met": repeat.met.iter().map(|met| json!({
                        "condition": met.condition,
                        "clause": met.clause,
                        "step": met.step,
                    })).collect::<Vec<_>>(),
                });
            }
        }
        object
    }
}

/// The configuration of a pushdown system, where there is one.
fn configured(object: &mut Value, configuration: &Option<String>) {
    if let Some(configuration) = configuration {
        object["configuration"] = json!(configuration);
    }
}

impl TraceStep {
    fn to_json(&self) -> Value {
        let mut object = json!({
            "thread": self.thread,
            "round": self.round,
            "procedure": self.procedure,
            "depth": self.depth,
            "line": self.line,
            "text": self.text,
            "changes": values(&self.changes),
        });
        configured(&mut object, &self.configuration);
        object
    }
}

impl TraceState {
    fn to_json(&self) -> Value {
        let frame = |frame: &TraceFrame| {
            json!({
                "procedure": frame.procedure,
                "line": frame.line,
                "text": frame.text,
                "locals": values(&frame.locals),
            })
        };
        let mut object = json!({
            "shared": values(&self.shared),
            "threads": self.threads.iter().map(|thread| json!({
                "name": thread.name,
                "position": thread.position,
                "status": thread.status,
                "own": values(&thread.own),
                "frames": thread.frames.iter().map(frame).collect::<Vec<_>>(),
                "moves": thread.moves.words(),
            })).collect::<Vec<_>>(),
        });
        configured(&mut object, &self.configuration);
        object
    }
}

impl TraceValue {
    fn to_json(&self) -> Value {
        match self {
            TraceValue::Number(value) => json!(value),
            TraceValue::Name(name) => json!(name),
        }
    }
}

fn values(changes: &[Change]) -> Value {
    changes
        .iter()
        .map(|change| json!({"variable": change.variable, "value": change.value.as_ref().map(TraceValue::to_json)}))
        .collect()
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

    /// A text that may be missing.
    fn optional(&self, key: &str) -> Result<Option<String>, String> {
        if self.keys.contains_key(key) { self.string(key).map(Some) } else { Ok(None) }
    }

    fn string(&self, key: &str) -> Result<String, String> {
        let text = self.get(key)?.as_str();
        text.map(String::from).ok_or_else(|| format!("`{key}` of {} is not a text", self.what))
    }

    /// The variables with their values in a list.
    fn changes(&self, key: &str, one: &str) -> Result<Vec<Change>, String> {
        let read = |(at, value)| change(format!("{one} {at} of {}", self.what), value);
        (1..).zip(self.list(key)?).map(|(at, value): (usize, _)| read((at, value))).collect()
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
        Value::String(name) => Some(TraceValue::Name(name.clone())),
        value => match value.as_i64() {
            Some(value) => Some(TraceValue::Number(value)),
            None => return Err(format!("`value` of {} is not a number, a name or null", object.what)),
        },
    };
    Ok(Change { variable: object.string("variable")?, value })
}

fn step(number: usize, value: &Value, threads: usize) -> Result<TraceStep, String> {
    let known = ["thread", "round", "procedure", "depth", "line", "text", "changes", "configuration"];
    let object = Object::new(format!("step {number}"), value, &known)?;
    let round = match object.get("round")? {
        Value::Null => None,
        round => Some(round.as_i64().ok_or_else(|| format!("`round` of step {number} is not a number"))?),
    };
    Ok(TraceStep {
        thread: object.thread(threads)?,
        round,
        procedure: object.string("procedure")?,
        depth: object.number("depth")?,
        line: object.number("line")?,
        text: object.string("text")?,
        changes: object.changes("changes", "change")?,
        configuration: object.optional("configuration")?,
    })
}

fn frame(what: String, value: &Value) -> Result<TraceFrame, String> {
    let object = Object::new(what, value, &["procedure", "line", "text", "locals"])?;
    Ok(TraceFrame {
        procedure: object.string("procedure")?,
        line: object.number("line")?,
        text: object.string("text")?,
        locals: object.changes("locals", "local")?,
    })
}

fn standing(number: usize, value: &Value) -> Result<Standing, String> {
    let known = ["name", "position", "status", "own", "frames", "moves"];
    let object = Object::new(format!("thread {number} of `end`"), value, &known)?;
    let frames = (1..).zip(object.list("frames")?);
    let frames = frames.map(|(at, value): (usize, _)| frame(format!("frame {at} of {}", object.what), value));
    let moves = object.string("moves")?;
    let moves = Mobility::ALL.into_iter().find(|mobility| mobility.words() == moves);
    Ok(Standing {
        name: object.string("name")?,
        position: object.number("position")?,
        status: object.string("status")?,
        own: object.changes("own", "own value")?,
        frames: frames.collect::<Result<_, _>>()?,
        moves: moves.ok_or_else(|| format!("`moves` of {} is not how a thread moves", object.what))?,
    })
}

fn state(value: &Value) -> Result<TraceState, String> {
    let object = Object::new("the end".into(), value, &["shared", "threads", "configuration"])?;
    let threads = (1..).zip(object.list("threads")?);
    let threads = threads.map(|(number, value)| standing(number, value));
    Ok(TraceState {
        shared: object.changes("shared", "shared value")?,
        threads: threads.collect::<Result<_, _>>()?,
        configuration: object.optional("configuration")?,
    })
}

fn repeat(state: TraceState, value: &Value) -> Result<Repeat, String> {
    let object = Object::new("the part that repeats".into(), value, &["from", "conditions", "met"])?;
    let conditions = object.list("conditions")?.iter().map(|name| {
        let text = name.as_str().map(String::from);
        text.ok_or_else(|| "a condition of the part that repeats is not a text".to_string())
    });
    let met = (1..).zip(object.list("met")?).map(|(number, value): (usize, _)| {
        let what = format!("condition {number} that is met");
        let object = Object::new(what, value, &["condition", "clause", "step"])?;
        let (condition, clause) = (object.string("condition")?, object.string("clause")?);
        Ok(Met { condition, clause, step: object.number("step")? })
    });
    Ok(Repeat {
        from: object.number("from")?,
        state,
        conditions: conditions.collect::<Result<_, String>>()?,
        met: met.collect::<Result<_, String>>()?,
    })
}

fn finish(trace: &Object, threads: usize) -> Result<Finish, String> {
    let there = |key: &str| trace.keys.contains_key(key);
    match (there("error"), there("end"), there("repeat")) {
        (true, false, false) => {
            let known = ["thread", "procedure", "line", "text"];
            let error = Object::new("the error".into(), trace.get("error")?, &known)?;
            Ok(Finish::Error(TraceError {
                thread: error.thread(threads)?,
                procedure: error.string("procedure")?,
                line: error.number("line")?,
                text: error.string("text")?,
            }))
        }
        (false, true, false) => Ok(Finish::State(state(trace.get("end")?)?)),
        (false, true, true) => Ok(Finish::Repeat(repeat(state(trace.get("end")?)?, trace.get("repeat")?)?)),
        (false, false, true) => Err("the trace has no `end`, to which it comes back".into()),
        (false, false, false) => Err("the trace has no `error` and no `end`".into()),
        (true, ..) => Err("the trace has an `error`, and so no `end` and no `repeat`".into()),
    }
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
        let trace = Object::new("the trace".into(), trace, &KEYS)?;
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
        Ok(Trace {
            begin: begin.collect::<Result<_, _>>()?,
            configuration: trace.optional("configuration")?,
            steps: steps.collect::<Result<_, _>>()?,
            finish: finish(&trace, threads.len())?,
            threads,
        })
    }
}
