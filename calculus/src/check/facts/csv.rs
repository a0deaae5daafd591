//! Records of CSV, as RFC 4180 describes them.
//!
//! A field is taken as it stands, or it is in double quotes: then it may have commas, line breaks and quotes in it, each
//! quote written twice. What is neither is a mistake, and not guessed at.

use super::Field;
use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Span};
use std::borrow::Cow;

/// Reads the record that begins at `at`, which moves behind it. Behind a mistake it moves to the next line.
pub(super) fn record<'t>(
    file: FileId,
    text: &'t str,
    at: &mut usize,
) -> Result<Vec<Field<'t>>, Box<Diagnostic>> {
    let mut fields = Vec::new();
    loop {
        let field = field(file, text, at).map_err(|mistake| {
            *at = text[*at..].find('\n').map_or(text.len(), |end| *at + end + 1);
            Box::new(mistake)
        })?;
        fields.push(field);
        match text.as_bytes().get(*at) {
            Some(b',') => *at += 1,
            _ => {
                *at += line_break(&text[*at..]);
                return Ok(fields);
            }
        }
    }
}

/// How long the line break is that a text begins with.
fn line_break(rest: &str) -> usize {
    if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) }
}

fn ends_field(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(',') || line_break(rest) > 0 || rest == "\r"
}

fn field<'t>(file: FileId, text: &'t str, at: &mut usize) -> Result<Field<'t>, Diagnostic> {
    let start = *at;
    if text[start..].starts_with('"') {
        return quoted(file, text, at);
    }
    let rest = &text[start..];
    let end = rest.find([',', '\n']).unwrap_or(rest.len());
    let at_end_of_line = !rest[end..].starts_with(',');
    let field = &rest[..end];
    let field = if at_end_of_line { field.strip_suffix('\r').unwrap_or(field) } else { field };
    if let Some(quote) = field.find('"') {
        let place = Span::new(file, start + quote, start + quote + 1);
        return Err(Diagnostic::error("fp::bad_fact", "a quote inside a field that is not in quotes")
            .label(place, "this quote")
            .help(
                "write the whole field in double quotes, and each quote in it twice: `\"say \"\"yes\"\"\"`",
            ));
    }
    *at = start + end;
    Ok(Field { text: field.into(), place: Span::new(file, start, start + field.len()) })
}

fn quoted<'t>(file: FileId, text: &'t str, at: &mut usize) -> Result<Field<'t>, Diagnostic> {
    let start = *at;
    let (mut end, mut doubled) = (start + 1, false);
    loop {
        let Some(quote) = text[end..].find('"') else {
            let line = text[start..].find('\n').map_or(text.len(), |end| start + end);
            *at = text.len();
            return Err(Diagnostic::error("fp::bad_fact", "a field in quotes is not closed")
                .label(Span::new(file, start, line), "opened here, and open until the end of the file")
                .help("close it with a second quote; a quote inside of it is written twice"));
        };
        end += quote + 1;
        if !text[end..].starts_with('"') {
            break;
        }
        (end, doubled) = (end + 1, true);
    }
    let inner = &text[start + 1..end - 1];
    if !ends_field(&text[end..]) {
        let line = text[end..].find('\n').map_or(text.len(), |line| end + line);
        *at = end;
        return Err(Diagnostic::error("fp::bad_fact", "something stands behind a field in quotes")
            .label(Span::new(file, end, line), "a comma or the end of the line belongs here")
            .label(Span::new(file, end - 1, end), "this quote closes the field")
            .help("a quote inside a field in quotes is written twice"));
    }
    *at = end + usize::from(&text[end..] == "\r");
    let field = if doubled { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) };
    Ok(Field { text: field, place: Span::new(file, start, end) })
}
