//! Places as editors count them: lines from 0, columns in units of UTF-16. And the names of files as editors write them.

use calculus::span::Span;
use serde_json::{Value as Json, json};

/// The place of a byte of a text.
pub fn position(text: &str, offset: usize) -> Json {
    let before = &text[..offset.min(text.len())];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

pub fn range(text: &str, span: Span) -> Json {
    json!({ "start": position(text, span.start as usize), "end": position(text, span.end as usize) })
}

/// The whole of a text.
pub fn all(text: &str) -> Json {
    json!({ "start": position(text, 0), "end": position(text, text.len()) })
}

/// The byte that an editor means. A place behind the end of a line or of the text is that end.
pub fn offset(text: &str, position: &Json) -> usize {
    let number = |key: &str| usize::try_from(position[key].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
    let (line, character) = (number("line"), number("character"));
    let Some(rest) = text.split_inclusive('\n').nth(line) else { return text.len() };
    let start = rest.as_ptr() as usize - text.as_ptr() as usize;
    let rest = rest.trim_end_matches(['\n', '\r']);
    let mut units = 0;
    let at = rest.char_indices().find(|(_, letter)| {
        let reached = units >= character;
        units += letter.len_utf16();
        reached
    });
    start + at.map_or(rest.len(), |(at, _)| at)
}

/// The file that an address of an editor means: `file:///home/a%20b.fp`.
pub fn path(uri: &str) -> String {
    let rest = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = Vec::new();
    let mut rest = rest.bytes();
    while let Some(byte) = rest.next() {
        let code = match byte {
            b'%' => {
                let two = rest.clone().take(2).collect::<Vec<_>>();
                str::from_utf8(&two).ok().and_then(|two| u8::from_str_radix(two, 16).ok())
            }
            _ => None,
        };
        if code.is_some() {
            rest.nth(1);
        }
        bytes.push(code.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The address of a file.
pub fn uri(path: &str) -> String {
    let absolute = std::path::absolute(path).map_or(path.into(), |path| path.to_string_lossy().into_owned());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let letters = absolute.bytes().map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}", letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_editors_do() {
        let text = "a𝛍b\nsecond\r\n\nüx";
        for (offset_, line, character) in
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (6, 0, 4), (7, 1, 0), (13, 1, 6), (15, 2, 0), (18, 3, 1)]
        {
            let place = json!({ "line": line, "character": character });
            assert_eq!((position(text, offset_), offset(text, &place)), (place.clone(), offset_));
        }
        assert_eq!(offset(text, &json!({ "line": 1, "character": 99 })), 13);
        assert_eq!(offset(text, &json!({ "line": 99, "character": 0 })), text.len());
    }

    #[test]
    fn addresses_are_files() {
        assert_eq!(path("file:///home/a%20b/%C3%BC.fp"), "/home/a b/ü.fp");
        assert_eq!(path(&uri("/x/a b%ü'.fp")), "/x/a b%ü'.fp");
        assert_eq!(path("file:///50%"), "/50%");
    }
}
