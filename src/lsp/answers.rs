//! What is asked about names: where they are declared and mentioned, and which there are.

use super::document::{Document, UsedFile};
use super::outline::{Kind, Named, Outline};
use super::text;
use calculus::check::tree::Body;
use calculus::span::Span;
use calculus::syntax::parse;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// The words that begin something, for completions.
const WORDS: [&str; 30] = [
    "use", "param", "const", "enum", "range", "symbol", "record", "sort", "rel", "input", "let", "mu", "nu",
    "query", "trace", "require", "verdict", "hint", "exists", "forall", "some", "each", "true", "false",
    "bool", "given", "within", "outside", "unsafe", "safe",
];

fn location(uri: &str, content: &str, span: Span) -> Json {
    json!({ "uri": uri, "range": text::range(content, span) })
}

/// The address of a used file; bundled ones have none.
fn address(used: &UsedFile) -> Option<String> {
    (!used.name.contains(':')).then(|| text::uri(&used.name))
}

/// Where a used file declares a name of its user.
pub fn declared<'d>(document: &'d Document, name: &str) -> Option<(&'d UsedFile, usize)> {
    document.used.iter().find_map(|used| {
        let inside = name.strip_prefix(used.prefix.as_str())?;
        Some((used, used.outline.global(inside)?))
    })
}

pub fn definition(document: &Document, uri: &str, at: usize) -> Json {
    match document.outline.at(at) {
        Some((Named::Own(at), _)) => location(uri, &document.text, document.outline.declarations[at].span),
        Some((Named::Foreign(name), _)) => match declared(document, name) {
            Some((used, at)) => address(used)
                .map_or(Json::Null, |uri| location(&uri, &used.text, used.outline.declarations[at].span)),
            None => Json::Null,
        },
        None => Json::Null,
    }
}

/// A text with the places of a name in it.
struct Places<'d> {
    uri: String,
    content: &'d str,
    spans: Vec<Span>,
}

/// All places of the name at a place: in its text, in the file that declares it, and in the open texts that use that file.
fn places<'d>(
    documents: &'d BTreeMap<String, Document>,
    document: &'d Document,
    uri: &str,
    at: usize,
) -> Option<(Vec<Places<'d>>, Option<Span>)> {
    let (named, _) = document.outline.at(at)?;
    let mut out = Vec::new();
    // The file that declares it, by its address, and its name there.
    let (home, name) = match named {
        Named::Own(at) => {
            let spans = document.outline.places(at);
            out.push(Places { uri: uri.into(), content: &document.text, spans });
            let declaration = &document.outline.declarations[at];
            if declaration.seen.is_some() {
                return Some((out, Some(declaration.span)));
            }
            (uri.to_string(), declaration.name.clone())
        }
        Named::Foreign(name) => match declared(document, name) {
            None => {
                let spans = document.outline.foreign(name);
                return Some((vec![Places { uri: uri.into(), content: &document.text, spans }], None));
            }
            Some((used, at)) => {
                let home = address(used)?;
                // An open text is newer than the file.
                let (outline, content) = documents
                    .get(&home)
                    .map_or((&used.outline, used.text.as_str()), |open| (&open.outline, open.text.as_str()));
                let name = used.outline.declarations[at].name.clone();
                let spans = outline.global(&name).map_or(Vec::new(), |at| outline.places(at));
                out.push(Places { uri: home.clone(), content, spans });
                (home, name)
            }
        },
    };
    for (other, open) in documents.iter().filter(|(other, _)| **other != home) {
        let uses = open.used.iter().filter(|used| address(used).as_deref() == Some(&home));
        let spans = uses.flat_map(|used| open.outline.foreign(&format!("{}{name}", used.prefix)));
        let spans = spans.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
        if !spans.is_empty() {
            out.push(Places { uri: other.clone(), content: &open.text, spans });
        }
    }
    let own = match named {
        Named::Own(at) => Some(document.outline.declarations[at].span),
        Named::Foreign(_) => None,
    };
    Some((out, own))
}

pub fn references(
    documents: &BTreeMap<String, Document>,
    document: &Document,
    uri: &str,
    at: usize,
    own: bool,
) -> Json {
    let Some((places, declaration)) = places(documents, document, uri, at) else { return Json::Null };
    let all = places
        .iter()
        .flat_map(|Places { uri, content, spans }| spans.iter().map(move |span| (uri, content, *span)));
    let kept = all.filter(|(place, _, span)| own || **place != uri || Some(*span) != declaration);
    kept.map(|(uri, content, span)| location(uri, content, span)).collect()
}

pub fn renamable(document: &Document, at: usize) -> Json {
    match document.outline.at(at) {
        Some((Named::Own(_), span)) => text::range(&document.text, span),
        Some((Named::Foreign(name), span))
            if declared(document, name).is_some_and(|(used, _)| address(used).is_some()) =>
        {
            text::range(&document.text, span)
        }
        _ => Json::Null,
    }
}

/// The edits that give another name to what stands at a place. The error says why there are none.
pub fn rename(
    documents: &BTreeMap<String, Document>,
    document: &Document,
    uri: &str,
    at: usize,
    name: &str,
) -> Result<Json, String> {
    if renamable(document, at).is_null() {
        return Err("this name is not declared in a file that can be changed".into());
    }
    let letters = name.trim_end_matches('\'');
    let word = !letters.is_empty()
        && letters.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        && !letters.starts_with(|letter: char| letter.is_ascii_digit());
    let reserved = parse(Default::default(), &format!("const {name} = 0;")).is_err();
    if !word || (reserved && document.path.ends_with(".fp")) {
        return Err(format!("`{name}` is not a name"));
    }
    let (places, _) = places(documents, document, uri, at).ok_or("there is no name here")?;
    let taken = |outline: &Outline| outline.declarations.iter().any(|known| known.name == name);
    if taken(&document.outline) {
        return Err(format!("`{name}` is declared already"));
    }
    let changes = places.iter().map(|Places { uri, content, spans }| {
        let edits = spans.iter().map(|span| json!({ "range": text::range(content, *span), "newText": name }));
        (uri.clone(), edits.collect::<Json>())
    });
    Ok(json!({ "changes": changes.collect::<serde_json::Map<_, _>>() }))
}

pub fn completion(document: &Document, at: usize) -> Json {
    let mut items: BTreeMap<String, Json> = BTreeMap::new();
    let item = |name: &str, kind: u32| json!({ "label": name, "kind": kind });
    if document.path.ends_with(".fp") {
        items.extend(WORDS.iter().map(|word| (word.to_string(), item(word, 14))));
    }
    for used in &document.used {
        for known in used.outline.declarations.iter().filter(|known| known.seen.is_none()) {
            let name = format!("{}{}", used.prefix, known.name);
            items.insert(name.clone(), item(&name, known.kind.completion()));
        }
    }
    if let Some((checked, _)) = &document.checked {
        for relation in checked.system.relations.iter().filter(|one| matches!(one.body, Body::Model(_))) {
            items.insert(relation.name.to_string(), item(&relation.name, Kind::Relation.completion()));
        }
        if let Some(vocabulary) = &checked.system.vocabulary {
            let named = vocabulary.relations.iter().map(|one| (&one.name, Kind::Relation));
            for (name, kind) in named.chain(vocabulary.sorts.iter().map(|one| (&one.name, Kind::Sort))) {
                items.insert(name.to_string(), item(name, kind.completion()));
            }
        }
    }
    for known in document.outline.visible(at) {
        items.insert(known.name.clone(), item(&known.name, known.kind.completion()));
    }
    items.into_values().collect()
}

pub fn symbols(document: &Document) -> Json {
    let all = document.outline.declarations.iter();
    let top = all.filter(|known| known.seen.is_none() && known.kind != Kind::Value);
    let symbol = |name: &str, kind: Kind, whole: Span, span: Span, children: Json| {
        json!({
            "name": name, "kind": kind.symbol(), "children": children,
            "range": text::range(&document.text, whole), "selectionRange": text::range(&document.text, span),
        })
    };
    let nested = |whole: Span| {
        let labels = document.outline.declarations.iter();
        let labels = labels.filter(|known| known.kind == Kind::Label && known.seen == Some(whole));
        labels.map(|known| symbol(&known.name, known.kind, known.whole, known.span, json!([]))).collect()
    };
    top.map(|known| symbol(&known.name, known.kind, known.whole, known.span, nested(known.whole))).collect()
}
