//! What is told about a text: its mistakes and how to mend them, what a name is, sorts that are not written, runs.

use super::document::{Document, Language, UsedFile};
use super::outline::{Declaration, Kind, Named};
use super::runs::{COMMAND, Run};
use super::{answers, text};
use calculus::check::tree::{Body, Relation};
use calculus::diagnostic::{Diagnostic, Severity};
use calculus::span::Span;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The place of a mistake in the text itself: its own first place there, else where the text begins.
fn place(document: &Document, found: &Diagnostic) -> Option<Span> {
    let here = |span: &Span| document.sources.get(span.file).name == document.path;
    found.labels.iter().map(|(span, _)| *span).find(here)
}

pub fn mistakes(document: &Document, uri: &str) -> Json {
    let all = document.findings.iter().map(|found| {
        let content = &document.text;
        let at = place(document, found);
        let range = at.map_or(
            json!({ "start": text::position(content, 0), "end": text::position(content, 0) }),
            |span| text::range(content, span),
        );
        let first = found.labels.first().filter(|(span, _)| Some(*span) == at).map(|(_, label)| label);
        let words = [Some(&found.title), first.filter(|label| !label.is_empty()), found.help.as_ref()];
        let message = words.into_iter().flatten().cloned().collect::<Vec<_>>().join("\n");
        let others = found.labels.iter().filter(|(span, _)| Some(*span) != at);
        let related = others.filter_map(|(span, label)| {
            let source = document.sources.get(span.file);
            let file = if source.name == document.path { uri.to_string() } else { text::uri(&source.name) };
            let bundled = source.name != document.path && source.name.contains(':');
            let location = json!({ "uri": file, "range": text::range(&source.text, *span) });
            (!bundled).then(|| json!({ "location": location, "message": label }))
        });
        json!({
            "range": range,
            "severity": if found.severity == Severity::Error { 1 } else { 2 },
            "code": found.code,
            "source": "fpsolve",
            "message": message,
            "relatedInformation": related.collect::<Vec<_>>(),
        })
    });
    all.collect()
}

/// The name that a mistake suggests in place of what is written.
fn suggested(found: &Diagnostic) -> Option<&str> {
    found.help.as_deref()?.strip_prefix("did you mean `")?.strip_suffix("`?")
}

pub fn actions(document: &Document, uri: &str, range: &Json) -> Json {
    let content = &document.text;
    let (start, end) = (text::offset(content, &range["start"]), text::offset(content, &range["end"]));
    let all = document.findings.iter().filter_map(|found| {
        let (name, span) = (suggested(found)?, place(document, found)?);
        let meets = span.start as usize <= end && start <= span.end as usize;
        let written = content.get(span.start as usize..span.end as usize)?;
        // The mistake may be about more than the name, `Reech(x)`: then the name is what it begins with.
        let length = written.find(|letter: char| !(letter.is_alphanumeric() || "_'.".contains(letter)));
        let length = u32::try_from(length.unwrap_or(written.len())).ok().filter(|length| *length > 0)?;
        let span = Span { end: span.start + length, ..span };
        let edit = json!({ "range": text::range(content, span), "newText": name });
        meets.then(|| {
            json!({
                "title": format!("Write `{name}`"), "kind": "quickfix", "isPreferred": true,
                "edit": { "changes": { uri: [edit] } },
            })
        })
    });
    all.collect()
}

pub fn formatting(document: &Document) -> Json {
    match document.formatted() {
        Some(formatted) if formatted != document.text => {
            json!([{ "range": text::all(&document.text), "newText": formatted }])
        }
        Some(_) => json!([]),
        None => Json::Null,
    }
}

/// So many lines of a definition are shown.
const LINES: usize = 12;

/// A definition as it is written; of a procedure what stands before its body.
fn shown(content: &str, known: &Declaration) -> String {
    let whole = content.get(known.whole.start as usize..known.whole.end as usize).unwrap_or(&known.name);
    if known.kind == Kind::Procedure {
        let end = whole.find("begin").unwrap_or(whole.len());
        return whole[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let lines = whole.lines().take(LINES).collect::<Vec<_>>().join("\n");
    if whole.lines().count() > LINES { lines + "\n…" } else { lines }
}

/// The comment right above a definition.
fn comment(content: &str, known: &Declaration) -> Option<String> {
    let above = content.get(..known.whole.start as usize)?.trim_end_matches([' ', '\t']).lines().rev();
    let plain = |line: &str| {
        Some(line.strip_prefix("//").filter(|rest| !rest.starts_with(['!', '@']))?.trim().to_string())
    };
    let mut lines = above.map_while(plain).collect::<Vec<_>>();
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// The first line of what a file says about itself.
fn title(content: &str) -> Option<&str> {
    content.lines().next()?.strip_prefix("//!").map(str::trim)
}

pub fn hover(document: &Document, at: usize, run: Option<&Arc<Run>>) -> Json {
    let Some((named, span)) = document.outline.at(at) else { return Json::Null };
    let mut lines = Vec::new();
    let language = if document.language == Language::Equations { "fp" } else { "bp" };
    let mut code = |what: String| lines.push(format!("```{language}\n{what}\n```"));
    let name = match named {
        Named::Own(number) => {
            let known = &document.outline.declarations[number];
            match sort_of(document, known.span) {
                Some(sort) => code(format!("{}: {sort}", known.name)),
                None => {
                    code(shown(&document.text, known));
                    lines.extend(comment(&document.text, known));
                }
            }
            known.name.clone()
        }
        Named::Foreign(name) => {
            let declared = answers::declared(document, name);
            if let Some((used, number)) = declared {
                let known = &used.outline.declarations[number];
                code(shown(&used.text, known));
                lines.extend(comment(&used.text, known));
                lines.extend(about(used));
            } else if let Some(offered) = offered(document, name) {
                code(offered);
                lines.push("offered by the model".into());
            } else {
                return Json::Null;
            }
            name.to_string()
        }
    };
    lines.extend(run.and_then(|run| solved(run.outcome.as_ref()?, &name)));
    json!({
        "contents": { "kind": "markdown", "value": lines.join("\n\n") },
        "range": text::range(&document.text, span),
    })
}

fn about(used: &UsedFile) -> Option<String> {
    Some(format!("{}: {}", used.name, title(&used.text)?))
}

/// A relation of the model with its columns.
fn offered(document: &Document, name: &str) -> Option<String> {
    let (checked, _) = document.checked.as_ref()?;
    let offered = |one: &&Relation| *one.name == *name && matches!(one.body, Body::Model(_));
    let relation = checked.system.relations.iter().find(offered)?;
    let columns = relation.columns.iter();
    let columns =
        columns.map(|column| format!("{}: {}", column.name, checked.system.sorts.show(column.sort)));
    Some(format!("{name}({})", columns.collect::<Vec<_>>().join(", ")))
}

/// The sort of the variable that is declared at a place, if the checker has seen this very text.
fn sort_of(document: &Document, span: Span) -> Option<String> {
    let (checked, content) = document.checked.as_ref().filter(|(_, content)| *content == document.text)?;
    let system = &checked.system;
    let same = |other: &Span| {
        (other.start, other.end) == (span.start, span.end)
            && checked.sources.get(other.file).text.as_ref() == content.as_str()
    };
    let vars = system.relations.iter().filter_map(|relation| match &relation.body {
        Body::Defined { vars, .. } => Some(vars),
        _ => None,
    });
    let found = vars.flatten().find(|var| same(&var.span))?;
    Some(system.sorts.show(found.sort))
}

/// What the last run found out about a relation.
fn solved(outcome: &Json, name: &str) -> Option<String> {
    let named = |one: &&Json| {
        let title = one["name"].as_str().unwrap_or_default();
        title == name || title.strip_prefix(name).is_some_and(|rest| rest.starts_with('['))
    };
    let relations = outcome["relations"].as_array()?.iter().filter(named);
    let counts = relations
        .filter_map(|one| Some((one["name"].as_str()?, one["tuples"].as_str()?)))
        .map(|(name, count)| format!("{name}: {}", counted(count)));
    let mut lines = counts.take(10).collect::<Vec<_>>();
    let query = outcome["queries"].as_array().and_then(|all| all.iter().find(|one| one["name"] == *name));
    if let Some(holds) = query.and_then(|query| query["holds"].as_bool()) {
        lines = vec![format!("{name}: {holds}")];
    } else {
        let tuples = query.and_then(|query| query["tuples"].as_array());
        let tuples = tuples.into_iter().flatten().filter_map(Json::as_array).take(5);
        let shown = tuples.map(|tuple| tuple.iter().map(words).collect::<Vec<_>>().join(", "));
        lines.extend(shown.map(|tuple| format!("`{tuple}`")));
    }
    (!lines.is_empty()).then(|| lines.join("  \n"))
}

fn counted(count: &str) -> String {
    format!("{count} {}", if count == "1" { "tuple" } else { "tuples" })
}

/// A value of an answer as somebody would say it: of a place its name, of a state where it is and its variables.
fn words(value: &Json) -> String {
    let field = |(name, value): (&String, &Json)| match name.as_str() {
        "pc" => words(value),
        _ => format!("{name}={}", words(value)),
    };
    match value {
        Json::String(text) => text.clone(),
        Json::Array(parts) => format!("[{}]", parts.iter().map(words).collect::<Vec<_>>().join(", ")),
        Json::Object(fields) => match (&fields.get("name"), fields.contains_key("line")) {
            (Some(Json::String(name)), true) => name.clone(),
            _ => fields.iter().map(field).collect::<Vec<_>>().join(" "),
        },
        _ => value.to_string(),
    }
}

/// The sorts of variables that are written without one.
pub fn inlays(document: &Document, range: &Json) -> Json {
    let content = &document.text;
    let (start, end) = (text::offset(content, &range["start"]), text::offset(content, &range["end"]));
    let inside = |span: Span| start <= span.start as usize && span.end as usize <= end;
    let variables =
        document.outline.declarations.iter().filter(|known| known.seen.is_some() && inside(known.span));
    let unsorted = variables.filter(|known| !has_sort(content, known.span));
    let hints = unsorted.filter_map(|known| {
        let sort = sort_of(document, known.span)?;
        let position = text::position(content, known.span.end as usize);
        Some(json!({ "position": position, "label": format!(": {sort}"), "kind": 1 }))
    });
    hints.collect()
}

/// Whether a sort is written for a variable: `x: T`, or `x, y: T`, where it stands behind the last one.
fn has_sort(content: &str, span: Span) -> bool {
    let rest = content.get(span.end as usize..).unwrap_or_default();
    let mut rest = rest.trim_start();
    while let Some(next) = rest.strip_prefix(',') {
        let next = next.trim_start();
        rest = next
            .trim_start_matches(|letter: char| letter.is_alphanumeric() || "_'".contains(letter))
            .trim_start();
    }
    rest.starts_with(':') || rest.starts_with("in ")
}

pub fn lenses(document: &Document, uri: &str, run: Option<&Arc<Run>>) -> Json {
    let line = |line: u64| json!({ "line": line, "character": 0 });
    let top = json!({ "start": line(0), "end": line(0) });
    let button = |title: String| json!({ "range": top, "command": { "title": title, "command": COMMAND, "arguments": [uri] } });
    let Some(run) = run else { return json!([button("run".into())]) };
    let Some(outcome) = &run.outcome else { return json!([button("running …".into())]) };
    let verdict = outcome["verdict"].as_str().or(outcome["error"].as_str()).unwrap_or("no verdict");
    let mut out = vec![button(format!("run again: {verdict} ({:.2} s)", run.seconds))];
    for query in outcome["queries"].as_array().into_iter().flatten() {
        let Some(known) = query["name"].as_str().and_then(|name| document.outline.global(name)) else {
            continue;
        };
        let said = match (query["holds"].as_bool(), query["count"].as_str()) {
            (Some(holds), _) => holds.to_string(),
            (None, Some(count)) => counted(count),
            (None, None) => "open".into(),
        };
        let range = text::range(&document.text, document.outline.declarations[known].span);
        out.push(json!({ "range": range, "command": { "title": said, "command": "" } }));
    }
    out.into()
}
