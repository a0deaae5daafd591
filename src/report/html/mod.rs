//! A run as one page that needs nothing else: the data as JSON inside it, and a script that draws them.
//!
//! The script puts every text into the page as text, never as markup; here the same is done for the few words that
//! stand in the page itself.

use super::{bytes, components, duration, profile};
use crate::explain::Traced;
use crate::model::ErrorPlace;
use crate::model::trace::Trace;
use crate::run::{Conclusion, Outcome, Settings, is_about_errors};
use calculus::bdd::Reorder;
use calculus::check::tree::VerdictKind;
use calculus::solve::{RelationStats, Strategy};
use calculus::sort::Value;
use calculus::span::Source;
use calculus::visible::visible;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What a page is made of.
pub struct PageReport<'a> {
    pub outcome: &'a Outcome,
    pub settings: &'a Settings,
    /// What it took to find the trace and explanations.
    pub explaining: Duration,
    pub traced: Option<&'a Traced>,
    /// The variables that each thread has of its own.
    pub own: &'a [String],
    /// All places of the model that count as errors.
    pub errors: &'a [ErrorPlace],
    /// What to do with a proof: words, and the command.
    pub checks: &'a [(String, String)],
}

/// The page.
pub fn page(report: &PageReport) -> String {
    let outcome = report.outcome;
    let conclusion = outcome.conclusion();
    let verdict = conclusion.word().unwrap_or("solved");
    let why = conclusion.why().unwrap_or_default();
    let subject = match &outcome.model {
        Some(model) => format!("{} on {}", outcome.file, model.name),
        None => outcome.file.clone(),
    };
    let title = format!("{verdict}: {subject}");
    let data = shown(data(report)).to_string().replace('<', "\\u003c");
    // One pass, so that nothing that was put in is looked at again.
    let mut out = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("a place in the page is closed");
        out.push_str(before);
        match name {
            "title" => out.push_str(&escaped(&title)),
            "verdict" => out.push_str(&escaped(verdict)),
            // A long path may go on in a new line behind a slash.
            "subject" => out.push_str(&escaped(&subject).replace('/', "/<wbr>")),
            "why" => out.push_str(&escaped(&why)),
            "style" => out.push_str(STYLE),
            "script" => out.push_str(SCRIPT),
            "data" => out.push_str(&data),
            _ => unreachable!("the page has no place {name}"),
        }
        rest = after;
    }
    out + rest
}

/// The same with pictures for the characters that change how others look. Each is as long as what it stands for.
fn shown(value: Json) -> Json {
    match value {
        Json::String(text) => visible(&text).into(),
        Json::Array(parts) => parts.into_iter().map(shown).collect(),
        Json::Object(parts) => parts.into_iter().map(|(key, part)| (key, shown(part))).collect(),
        other => other,
    }
}

fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn data(report: &PageReport) -> Json {
    let outcome = report.outcome;
    let file = |source: &Arc<Source>| json!({ "name": source.name, "text": &*source.text });
    let files = outcome.sources.iter().map(file);
    let program = outcome.model.as_ref().and_then(|model| model.sources.iter().next()).map(file);
    // Of the last step of deepening that solved it.
    let steps = outcome.before.iter().chain([&outcome.answer.statistics]);
    let solved = steps.flat_map(|step| &step.relations).filter(|relation| !relation.kept);
    let relations = solved.map(|relation| (&relation.title, relation)).collect::<BTreeMap<_, _>>();
    json!({
        "file": outcome.file,
        "queries": queries(outcome),
        "settings": settings(report),
        "trace": found(report).map(|trace| with_own(trace, report.own)),
        "no_trace": no_trace(report.traced),
        "proof": proof(report),
        "program": program,
        "relations": relations.into_values().map(relation).collect::<Vec<_>>(),
        "profile": profile::json(&profile::profile(outcome, report.explaining), &outcome.sources),
        "components": components::json(&components::components(&outcome.system)),
        "files": files.collect::<Vec<_>>(),
    })
}

fn found<'a>(report: &PageReport<'a>) -> Option<&'a Trace> {
    match report.traced {
        Some(Traced::Trace(trace)) => Some(trace),
        _ => None,
    }
}

fn with_own(trace: &Trace, own: &[String]) -> Json {
    let mut object = trace.to_json();
    object["own"] = own.into();
    object
}

/// What was proved, and how to check it. The places are only those of errors, if the verdict is about them.
fn proof(report: &PageReport) -> Option<Json> {
    let Conclusion::Verdict(VerdictKind::Safe, _) = report.outcome.conclusion() else { return None };
    let text = report.outcome.model.as_ref().and_then(|model| model.sources.iter().next());
    let line = |at: usize| text.and_then(|text| text.text.lines().nth(at - 1)).unwrap_or_default().trim();
    let place = |error: &ErrorPlace| json!({ "line": error.line, "procedure": error.procedure, "text": line(error.line) });
    let about = is_about_errors(&report.outcome.system);
    let places = report.errors.iter().filter(|_| about).map(place).collect::<Vec<_>>();
    Some(json!({ "places": places, "checks": report.checks }))
}

fn no_trace(traced: Option<&Traced>) -> Option<String> {
    match traced {
        Some(Traced::None(why)) => Some(why.clone()),
        Some(Traced::Wrong(what)) => {
            Some(format!("an internal error, the interpreter cannot follow the run ({what})"))
        }
        _ => None,
    }
}

fn relation(relation: &RelationStats) -> Json {
    let samples = relation.samples.taken().iter();
    json!({
        "name": relation.title,
        "seconds": relation.time.as_secs_f64(),
        "samples": samples.map(|sample| json!([sample.round, sample.rows, sample.nodes])).collect::<Vec<_>>(),
    })
}

fn queries(outcome: &Outcome) -> Json {
    let answers = outcome.queries().into_iter().map(|query| {
        let word = query.word().unwrap_or_else(|| "not computed".into());
        let (count, rows) = query.answer.as_ref().map_or(("0", &[][..]), |(count, rows)| (count, rows));
        let show = |row: &Vec<Value>| {
            let cells = query.columns.iter().zip(row).map(|(column, value)| outcome.show(column.sort, value));
            cells.collect::<Vec<_>>()
        };
        json!({
            "name": query.name,
            "answer": word,
            "columns": query.columns.iter().map(|column| &*column.name).collect::<Vec<_>>(),
            "rows": rows.iter().map(show).collect::<Vec<_>>(),
            "all": rows.len().to_string() == count,
        })
    });
    answers.collect()
}

/// What was asked for, and what it took, in pairs of words.
fn settings(report: &PageReport) -> Json {
    let PageReport { outcome, settings, .. } = report;
    let mut out = vec![json!(["fpsolve", env!("CARGO_PKG_VERSION")]), json!(["file", outcome.file])];
    out.extend(outcome.model.as_ref().map(|model| json!(["program", model.name])));
    out.extend(outcome.system.params.iter().map(|(name, value)| json!([name, value.to_string()])));
    for step in &outcome.steps {
        let word = step.conclusion.word().unwrap_or("none");
        out.push(json!([format!("step {}={}", step.param, step.value), word]));
    }
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    let strategy = match settings.strategy {
        Strategy::SemiNaive => "semi-naive",
        Strategy::Naive => "naive",
    };
    let reorder = match settings.reorder {
        Reorder::Auto => "auto",
        Reorder::Off => "off",
        Reorder::Always => "always",
    };
    out.push(json!(["strategy", strategy]));
    out.push(json!(["stop when the verdict is clear", yes(settings.early_stop)]));
    out.push(json!(["frames as equalities", yes(settings.frames)]));
    out.push(json!(["reordering of BDD variables", reorder]));
    out.extend(settings.limits.timeout.map(|limit| json!(["time limit", duration(limit)])));
    out.extend(settings.limits.memory.map(|limit| json!(["memory limit", bytes(limit)])));
    out.extend(settings.limits.max_nodes.map(|limit| json!(["limit of BDD nodes", limit.to_string()])));
    if let Some(bdd) = &outcome.answer.statistics.bdd {
        out.push(json!(["BDD variables", bdd.variables.to_string()]));
        out.push(json!(["BDD nodes at the peak", bdd.peak_nodes.to_string()]));
        out.push(json!(["memory of BDDs", bytes(bdd.memory_bytes)]));
    }
    out.into()
}
