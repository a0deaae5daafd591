//! An outcome as one JSON object; docs/json.md describes it. Everything that varies from run to run stands
//! under the one key `time`.

use super::diagnostics::place;
use super::stopped;
use crate::run::{Outcome, QueryResult, StepOutcome};
use calculus::diagnostic::{Diagnostic, Rejection, Severity};
use calculus::show;
use calculus::sort::{Sort, SortId, Value};
use calculus::span::Sources;
use calculus::visible::stand_in;
use calculus::vocabulary::ShownParts;
use serde_json::{Map, Value as Json, json};
use std::time::Duration;

/// Grows when a reader of the old form would misread the new one.
pub const SCHEMA: u32 = 2;

/// The object of a run, with its profile if that is wanted.
pub fn outcome(outcome: &Outcome) -> String {
    pretty(&object(outcome))
}

pub fn object(outcome: &Outcome) -> Json {
    let conclusion = outcome.conclusion();
    let mut warnings = Vec::new();
    if let Some(model) = &outcome.model {
        warnings.extend(model.warnings.iter().map(|warning| diagnostic(&model.sources, warning)));
    }
    warnings.extend(outcome.warnings.iter().map(|warning| diagnostic(&outcome.sources, warning)));
    let mut object = json!({
        "schema": SCHEMA,
        "file": outcome.file,
        "model": outcome.model.as_ref().map(|model| &model.name),
        "verdict": conclusion.word(),
        "message": conclusion.message(),
        "reason": conclusion.reason(),
        "stop": conclusion.stop().map(stopped::object),
        "params": outcome.system.params,
        "steps": outcome.steps.iter().map(step).collect::<Vec<_>>(),
        "queries": outcome.queries().iter().map(|query| self::query(outcome, query)).collect::<Vec<_>>(),
        "warnings": warnings,
        "relations": relations(outcome),
        "bdd": outcome.answer.statistics.bdd.as_ref().map(|bdd| json!({
            "variables": bdd.variables,
            "peak_nodes": bdd.peak_nodes,
            "memory_bytes": bdd.memory_bytes,
            "reorderings": bdd.reorderings,
            "garbage_collections": bdd.garbage_collections,
        })),
        "time": time(outcome),
    });
    if let Some(words) = outcome.model.as_ref().and_then(|model| model.words) {
        object["words"] = json!({ "bits": words.bits, "enough": words.enough });
    }
    object
}

fn step(step: &StepOutcome) -> Json {
    json!({
        "param": step.param,
        "value": step.value,
        "verdict": step.conclusion.word(),
        "solved": step.solved,
        "kept": step.kept,
    })
}

/// The object of a run that was refused.
pub fn rejection(rejection: &Rejection) -> String {
    let errors = rejection.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let title = errors.map(|d| d.title.as_str()).next().unwrap_or("the file was rejected");
    let diagnostics = rejection.diagnostics.iter().map(|d| diagnostic(&rejection.sources, d));
    pretty(&json!({
        "schema": SCHEMA,
        "error": title,
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    }))
}

pub fn pretty(object: &Json) -> String {
    let mut out = String::new();
    write(object, 0, 0, &mut out);
    out.push('\n');
    plain(out)
}

/// Writes characters that a terminal would obey as JSON escapes them: they stand in strings, and mean the same.
fn plain(text: String) -> String {
    let obeyed = |c: char| c != '\n' && stand_in(c).is_some();
    if !text.contains(obeyed) {
        return text;
    }
    let shown = text.chars().map(|c| if obeyed(c) { format!("\\u{:04x}", u32::from(c)) } else { c.into() });
    shown.collect()
}

/// Lines end here, where they can.
const MARGIN: usize = 100;

/// Writes a value on one line if it fits behind `taken` characters, else its parts on a line each: a tuple
/// stays a line. Objects within the outermost list or object may be one line, that one itself is not.
fn write(value: &Json, indent: usize, taken: usize, out: &mut String) {
    let flat = spaced(value);
    let parts: Vec<(String, &Json)> = match value {
        Json::Array(parts) => parts.iter().map(|part| (String::new(), part)).collect(),
        Json::Object(parts) => {
            parts.iter().map(|(key, part)| (format!("{}: ", Json::from(key.as_str())), part)).collect()
        }
        _ => Vec::new(),
    };
    if parts.is_empty() || (indent > 0 && taken + flat.chars().count() < MARGIN) {
        out.push_str(&flat);
        return;
    }
    let (open, close) = if value.is_array() { ('[', ']') } else { ('{', '}') };
    out.push(open);
    for (at, (key, part)) in parts.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 2));
        out.push_str(key);
        write(part, indent + 2, indent + 2 + key.chars().count(), out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

/// A value on one line, with blanks behind commas and colons.
fn spaced(value: &Json) -> String {
    match value {
        Json::Array(parts) => format!("[{}]", parts.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Json::Object(parts) if parts.is_empty() => "{}".into(),
        Json::Object(parts) => {
            let parts =
                parts.iter().map(|(key, part)| format!("{}: {}", Json::from(key.as_str()), spaced(part)));
            format!("{{ {} }}", parts.collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

fn query(outcome: &Outcome, query: &QueryResult) -> Json {
    let columns = query
        .columns
        .iter()
        .map(|column| json!({ "name": &*column.name, "sort": outcome.system.sorts.show(column.sort) }));
    let tuples = query.answer.as_ref().map(|(_, rows)| {
        let tuple = |row: &Vec<Value>| {
            query
                .columns
                .iter()
                .zip(row)
                .map(|(column, value)| self::value(outcome, column.sort, value))
                .collect()
        };
        rows.iter().map(tuple).collect::<Vec<Json>>()
    });
    let count = query.answer.as_ref().map(|(count, _)| count.clone());
    let complete =
        !query.partial && query.answer.as_ref().is_some_and(|(count, rows)| rows.len().to_string() == *count);
    let mut object = Map::new();
    object.insert("name".into(), query.name.into());
    if query.is_closed() {
        object.insert("holds".into(), count.as_ref().map(|count| count != "0").into());
    }
    object.insert("columns".into(), columns.collect());
    object.insert("count".into(), count.into());
    object.insert("tuples".into(), tuples.into());
    object.insert("complete".into(), complete.into());
    object.insert("partial".into(), query.partial.into());
    object.into()
}

/// Numbers, truth values, vectors and records as JSON has them; values of the model in their parts, if it tells them;
/// everything else in the words of the file or the model.
fn value(outcome: &Outcome, sort: SortId, value: &Value) -> Json {
    let system = &outcome.system;
    let (name, model) = (system.sorts.show(sort), system.vocabulary.as_ref());
    if let Some(parts) = model.and_then(|model| model.show.parts(&name, value)) {
        return self::parts(parts);
    }
    let own = model.and_then(|model| model.show.show(&name, value));
    match (system.sorts.get(sort), value) {
        _ if own.is_some() => own.into(),
        (_, Value::Bool(value)) => (*value).into(),
        (_, Value::Int(value)) => (*value).into(),
        (Sort::Record { fields, .. }, Value::Record(parts)) => {
            let parts = fields.iter().zip(parts);
            let parts =
                parts.map(|((name, sort), part)| (name.to_string(), self::value(outcome, *sort, part)));
            Json::Object(parts.collect())
        }
        (Sort::Vector { element, .. }, Value::Vector(parts)) => {
            parts.iter().map(|part| self::value(outcome, *element, part)).collect()
        }
        _ => show::field(&system.sorts, None, sort, value).into(),
    }
}

/// A value of the model in parts.
fn parts(parts: ShownParts) -> Json {
    match parts {
        ShownParts::Bool(value) => value.into(),
        ShownParts::Number(value) => value.into(),
        ShownParts::Text(text) => text.into(),
        ShownParts::List(list) => list.into_iter().map(self::parts).collect(),
        ShownParts::Object(named) => {
            Json::Object(named.into_iter().map(|(name, part)| (name, self::parts(part))).collect())
        }
    }
}

fn relations(outcome: &Outcome) -> Json {
    let relations = outcome.answer.statistics.relations.iter().map(|relation| {
        let clauses = relation.clauses.iter().map(|clause| {
            json!({
                "name": clause.name,
                "rounds": clause.rounds,
                "rows": clause.rows,
                "tuples": outcome.counted.then(|| clause.tuples.to_string()),
                "nodes": outcome.counted.then_some(clause.nodes),
            })
        });
        json!({
            "name": relation.title,
            "rounds": relation.rounds,
            "rows": relation.rows,
            "tuples": relation.tuples.to_string(),
            "nodes": relation.nodes,
            "complete": relation.complete,
            "kept": relation.kept,
            "clauses": clauses.collect::<Vec<_>>(),
        })
    });
    relations.collect()
}

/// All times, in seconds; those of relations and clauses in the order of `relations`.
fn time(outcome: &Outcome) -> Json {
    let seconds = |time: Duration| Json::from((time.as_secs_f64() * 1e6).round() / 1e6);
    let statistics = &outcome.answer.statistics;
    let relations = statistics.relations.iter().map(|relation| {
        let clauses = relation.clauses.iter().map(|clause| seconds(clause.time));
        json!({ "name": relation.title, "seconds": seconds(relation.time), "clauses": clauses.collect::<Vec<_>>() })
    });
    let bdd = statistics.bdd.as_ref();
    json!({
        "total": seconds(outcome.time),
        "solve": seconds(statistics.time),
        "reordering": bdd.map(|bdd| seconds(bdd.reordering_time)),
        "garbage_collection": bdd.map(|bdd| seconds(bdd.garbage_collection_time)),
        "relations": relations.collect::<Vec<_>>(),
    })
}

/// A mistake or warning: its first place in front, all its labelled places after that.
pub fn diagnostic(sources: &Sources, diagnostic: &Diagnostic) -> Json {
    let first = diagnostic.labels.first().map(|(span, _)| place(sources, *span));
    let labels = diagnostic.labels.iter().map(|(span, text)| {
        let (file, line, column) = place(sources, *span);
        json!({ "file": file, "line": line, "column": column, "text": text })
    });
    json!({
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "code": diagnostic.code,
        "message": diagnostic.title,
        "file": first.map(|(file, _, _)| file),
        "line": first.map(|(_, line, _)| line),
        "column": first.map(|(_, _, column)| column),
        "help": diagnostic.help,
        "labels": labels.collect::<Vec<_>>(),
    })
}
