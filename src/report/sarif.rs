//! An outcome as SARIF 2.1.0, which code hosts and editors show beside the text: a result for each error that is
//! reached, at the line of the label or assertion.

use super::diagnostics::place;
use super::json::pretty;
use crate::model::{ErrorKind, ErrorPlace, Model};
use crate::run::{Conclusion, Outcome};
use calculus::bdd::Stop;
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::{Diagnostic, Rejection, Severity};
use calculus::sort::{Sort, SortId, Value};
use calculus::span::Sources;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub const RULE: &str = "unsafe";

/// What a run found; `about` is its model, if it has one.
pub fn outcome(outcome: &Outcome, about: Option<&dyn Model>, exit: u8) -> String {
    let conclusion = outcome.conclusion();
    let mut notes =
        outcome.warnings.iter().map(|warning| notification(&outcome.sources, warning)).collect::<Vec<_>>();
    if let Some(model) = &outcome.model {
        notes.extend(model.warnings.iter().map(|warning| notification(&model.sources, warning)));
    }
    let results = match &conclusion {
        Conclusion::Verdict(VerdictKind::Unsafe, message) => results(outcome, about, message.as_deref()),
        _ => Vec::new(),
    };
    let mut told = Vec::new();
    if let (true, Some(word)) = (results.is_empty(), conclusion.word()) {
        let why = conclusion.why();
        let text = why.map_or(word.to_string(), |why| format!("{word}: {why}"));
        let level = if word == "unknown" { "warning" } else { "note" };
        told.push(json!({ "level": level, "message": { "text": text } }));
    }
    let properties = json!({
        "file": outcome.file,
        "verdict": conclusion.word(),
        "params": outcome.system.params,
    });
    log(true, exit, results, notes, told, properties)
}

/// The mistakes that kept a run from being made.
pub fn rejection(rejection: &Rejection, exit: u8) -> String {
    let notes = rejection.diagnostics.iter().map(|mistake| notification(&rejection.sources, mistake));
    log(false, exit, Vec::new(), notes.collect(), Vec::new(), json!({}))
}

/// A run that ended at a limit without telling more.
pub fn stopped(file: &str, stop: &Stop, exit: u8) -> String {
    let told = json!({ "level": "warning", "message": { "text": format!("unknown: {stop}") } });
    log(true, exit, Vec::new(), Vec::new(), vec![told], json!({ "file": file, "verdict": "unknown" }))
}

/// A document with these results, and what was noticed besides.
pub fn log(
    successful: bool,
    exit: u8,
    results: Vec<Json>,
    configuration: Vec<Json>,
    execution: Vec<Json>,
    properties: Json,
) -> String {
    let rule = json!({
        "id": RULE,
        "name": "ErrorReached",
        "shortDescription": { "text": "A run reaches an error" },
        "fullDescription": {
            "text": "Some run of the program reaches a label that must not be reached, or makes an assertion fail.",
        },
        "defaultConfiguration": { "level": "error" },
    });
    let driver = json!({ "name": "fpsolve", "version": env!("CARGO_PKG_VERSION"), "rules": [rule] });
    let invocation = json!({
        "executionSuccessful": successful,
        "exitCode": exit,
        "toolConfigurationNotifications": configuration,
        "toolExecutionNotifications": execution,
    });
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
            "properties": properties,
        }],
    }))
}

/// A result for each line with an error that the answers name; one without a line if they name none.
fn results(outcome: &Outcome, model: Option<&dyn Model>, message: Option<&str>) -> Vec<Json> {
    let because = |text: &str| {
        let params = outcome.system.params.iter().map(|(name, value)| format!(", {name} = {value}"));
        let found = format!("{text} (found by {}{})", outcome.file, params.collect::<String>());
        message.map_or(found.clone(), |message| format!("{found}: {message}"))
    };
    let result = |text: &str, location: Json| {
        json!({
            "ruleId": RULE,
            "ruleIndex": 0,
            "level": "error",
            "message": { "text": because(text) },
            "locations": [location],
        })
    };
    let name = outcome.model.as_ref().map_or(outcome.file.as_str(), |model| &model.name);
    let named = model.map_or_else(Vec::new, |model| reached(outcome, model));
    let all = model.map_or_else(Vec::new, |model| model.errors());
    let (named, all) = (by_place(named), by_place(all));
    // Where there is but one error, it is that one.
    let lines = if named.is_empty() && all.len() == 1 { all.clone() } else { named };
    if lines.is_empty() {
        let location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(name) } } });
        let mut result = result("A run reaches an error", location);
        if !all.is_empty() {
            let candidates = all.keys().map(|at| json!({ "physicalLocation": physical(name, *at) }));
            result["relatedLocations"] = candidates.collect();
        }
        return vec![result];
    }
    let results = lines.into_iter().map(|(at, error)| {
        let text = match error.kind {
            ErrorKind::FailedAssert => "This assertion can fail",
            ErrorKind::FailedCheck => "This can go wrong",
            ErrorKind::OutOfRange => "A value here can be out of range",
            ErrorKind::OutOfWidth => "A value here can leave the words of the model",
            ErrorKind::Label => "A run reaches this label",
        };
        let location = json!({
            "physicalLocation": physical(name, at),
            "logicalLocations": [{ "name": error.procedure, "kind": "function" }],
        });
        result(text, location)
    });
    results.collect()
}

fn physical(file: &str, (line, column): (usize, usize)) -> Json {
    json!({
        "artifactLocation": { "uri": uri(file) },
        "region": { "startLine": line, "startColumn": column },
    })
}

/// Errors by their lines and columns, each once.
fn by_place(errors: Vec<ErrorPlace>) -> BTreeMap<(usize, usize), ErrorPlace> {
    errors.into_iter().map(|error| ((error.line, error.column), error)).collect()
}

/// The errors that the tuples of queries name.
pub fn reached(outcome: &Outcome, model: &dyn Model) -> Vec<ErrorPlace> {
    let mut out = Vec::new();
    for query in outcome.queries() {
        for row in query.answer.iter().flat_map(|(_, rows)| rows) {
            for (column, value) in query.columns.iter().zip(row) {
                errors(outcome, model, column.sort, value, &mut out);
            }
        }
    }
    out
}

/// The errors that a value mentions.
fn errors(outcome: &Outcome, model: &dyn Model, sort: SortId, value: &Value, out: &mut Vec<ErrorPlace>) {
    match (outcome.system.sorts.get(sort), value) {
        (Sort::Opaque { name, .. }, value) => out.extend(model.error_at(name, value)),
        (Sort::Record { fields, .. }, Value::Record(parts)) => {
            let parts = fields.iter().zip(parts);
            parts.for_each(|((_, sort), part)| errors(outcome, model, *sort, part, out));
        }
        (Sort::Vector { element, .. }, Value::Vector(parts)) => {
            parts.iter().for_each(|part| errors(outcome, model, *element, part, out));
        }
        _ => {}
    }
}

fn notification(sources: &Sources, diagnostic: &Diagnostic) -> Json {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    let mut out = json!({
        "level": level,
        "descriptor": { "id": diagnostic.code },
        "message": { "text": format!("{}{help}", diagnostic.title) },
    });
    if let Some((span, _)) = diagnostic.labels.first() {
        let (file, line, column) = place(sources, *span);
        out["locations"] = json!([{ "physicalLocation": physical(file, (line, column)) }]);
    }
    out
}

/// A path as a reference: relative paths stay relative, so that a host finds the file in its tree.
pub fn uri(path: &str) -> String {
    let prefix = if path.starts_with('/') { "file://" } else { "" };
    let path = path.strip_prefix("./").unwrap_or(path).replace('\\', "/");
    let mut out = String::from(prefix);
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
