//! The messages of verdicts and requirements, with the values that they name.

use super::findings::{Checked, Findings};
use super::statics::Statics;
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::{Sources, Span};
use crate::syntax::ast::Text;

/// Replaces `{name}` and `{vocabulary.fact}` by their static values.
pub(super) fn interpolate(
    text: &Text,
    statics: Statics,
    sources: &Sources,
    findings: &mut Findings,
) -> Checked<String> {
    let mut out = String::new();
    let mut rest = text.text.as_str();
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}') else {
            let place = in_message(text, sources, &rest[open..]);
            return Err(findings.add(
                Diagnostic::error("fp::bad_message", "a `{` in this message is not closed")
                    .label(place, "a `}` is missing after this")
                    .help("write {rounds} to show the value of the parameter `rounds`"),
            ));
        };
        let name = &rest[open + 1..open + close];
        let value = match (statics.constants.get(name), name.split_once('.')) {
            // A value with a mistake of its own was reported where it stands.
            (Some(value), _) => Some((*value)?),
            (None, Some((vocabulary, fact))) => statics.declarations.fact_value(vocabulary, fact),
            (None, None) => None,
        };
        let Some(value) = value else {
            let place = in_message(text, sources, &rest[open..open + close + 1]);
            let known = statics.known(&[]);
            let help = match nearest(name, known.iter().map(|name| &**name)) {
                Some(near) => format!("did you mean `{{{near}}}`?"),
                None => "braces can only contain the name of a parameter, a constant or a fact of the model"
                    .into(),
            };
            let title = format!("there is no parameter or constant `{name}`");
            return Err(findings
                .add(Diagnostic::error("fp::unknown_name", title).label(place, "not defined").help(help)));
        };
        out.push_str(&value.to_string());
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The place of a part of a message, or of the message if escapes hide the part.
fn in_message(text: &Text, sources: &Sources, part: &str) -> Span {
    match sources.text(text.span).find(part) {
        Some(at) => {
            let start = text.span.start + at as u32;
            Span { start, end: start + part.len() as u32, ..text.span }
        }
        None => text.span,
    }
}
