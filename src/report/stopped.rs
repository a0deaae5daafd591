//! A command that was given up at a limit, before it had anything else to say.

use super::json::{SCHEMA, pretty};
use calculus::bdd::{Stop, StopReason};
use serde_json::{Value as Json, json};

/// The verdict of a run, as text.
pub fn verdict(stop: &Stop) -> String {
    format!("verdict: unknown ({stop})\n")
}

/// What another command has to say; `undone` says what is not done.
pub fn text(undone: &str, stop: &Stop) -> String {
    format!("unknown: {undone} ({stop})\n")
}

/// The object of a run, with all its keys; a trace and a profile were asked for, or not.
pub fn run(file: &str, model: Option<&str>, traced: bool, profiled: bool, stop: &Stop) -> String {
    let mut object = json!({
        "schema": SCHEMA, "file": file, "model": model, "verdict": "unknown", "message": null,
        "reason": stop.to_string(), "stop": object(stop), "params": {}, "steps": [], "queries": [],
        "warnings": [], "relations": [], "bdd": null, "time": {},
    });
    if traced {
        object["no_trace"] = "the verdict is unknown, not unsafe".into();
    }
    if profiled {
        // The times are the solver's own, and lost with it.
        object["profile"] = json!({ "seconds": null, "entries": [] });
    }
    pretty(&object)
}

/// The object of a model that is not read or not counted to the end.
pub fn model(name: &str, stop: &Stop) -> String {
    pretty(&json!({
        "schema": SCHEMA, "model": name, "verdict": "unknown", "reason": stop.to_string(), "stop": object(stop),
    }))
}

/// A stop as data; docs/json.md describes it.
pub fn object(stop: &Stop) -> Json {
    let limit = match stop.reason() {
        StopReason::Time { limit } => limit.map(|limit| limit.as_secs_f64()).into(),
        StopReason::Memory { limit } => limit.into(),
        StopReason::Nodes { limit } => limit.into(),
        StopReason::Interrupted => Json::Null,
    };
    let phase = stop.phase();
    json!({
        "reason": stop.reason().word(),
        "limit": limit,
        "phase": phase.doing,
        "relation": phase.relation.as_deref(),
    })
}
