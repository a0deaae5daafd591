//! The texts of a symbol sort, and how a text is written where other signs stand around it.

use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Texts, numbered in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    list: Vec<Rc<str>>,
    numbers: FxHashMap<Rc<str>, u64>,
}

impl Texts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text with this number.
    pub fn get(&self, number: u64) -> Option<&str> {
        self.list.get(number as usize).map(|text| &**text)
    }

    /// The number of a text that is there.
    pub fn number(&self, text: &str) -> Option<u64> {
        self.numbers.get(text).copied()
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|text| &**text)
    }

    /// The number of a text; the next one if the text is new.
    pub(crate) fn add(&mut self, text: &str) -> u64 {
        if let Some(number) = self.number(text) {
            return number;
        }
        let (number, text) = (self.list.len() as u64, Rc::<str>::from(text));
        self.numbers.insert(text.clone(), number);
        self.list.push(text);
        number
    }
}

/// The text in quotes, as the language writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What stands for the character behind a backslash in quotes.
pub fn unescaped(escape: char) -> Option<char> {
    match escape {
        '"' | '\\' => Some(escape),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        _ => None,
    }
}

/// The text that a text in quotes stands for; nothing if it is not written as one.
pub fn unquoted(text: &str) -> Option<String> {
    let mut inner = text.strip_prefix('"')?.chars();
    let mut out = String::new();
    loop {
        match inner.next()? {
            '"' => return inner.as_str().is_empty().then_some(out),
            '\\' => out.push(unescaped(inner.next()?)?),
            c => out.push(c),
        }
    }
}

/// The text as it is shown to people: as it stands, or in quotes if it would not be seen where it ends.
pub fn shown(text: &str) -> String {
    let separates = |c: char| c.is_whitespace() || c.is_control() || "\"\\,()[]{}".contains(c);
    let plain = !text.is_empty() && text != "_" && !text.contains(separates);
    if plain { text.to_string() } else { quoted(text) }
}

/// The text that is meant by one that may be in quotes.
pub fn meant(text: &str) -> Option<String> {
    if text.starts_with('"') { unquoted(text) } else { Some(text.to_string()) }
}

/// Cuts a text at a separator that stands outside of brackets and quotes; a text of blanks has no parts.
pub fn split_outside(text: &str, separator: char) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let (mut depth, mut start, mut out) = (0usize, 0, Vec::new());
    let (mut in_quotes, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_quotes => escaped = true,
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                out.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_from_its_quotes() {
        for text in ["", "a", "a b", "tab\there", "two\r\nlines", "\"", "\\", "\\n", "é⊥", "\u{1b}"] {
            assert_eq!(unquoted(&quoted(text)).as_deref(), Some(text));
            assert_eq!(meant(&shown(text)).as_deref(), Some(text));
        }
        for wrong in ["a", "\"a", "a\"", "\"a\" ", "\"\\x\"", "\"\\\"", "\""] {
            assert_eq!(unquoted(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_clear_needs_no_quotes() {
        assert_eq!(shown("Main.f$v137"), "Main.f$v137");
        assert_eq!(shown("<java.util.List: add>"), "\"<java.util.List: add>\"");
        assert_eq!([shown(""), shown("_"), shown("a,b")], ["\"\"", "\"_\"", "\"a,b\""]);
    }

    #[test]
    fn separators_in_brackets_and_quotes_do_not_count() {
        assert_eq!(split_outside("a, [b, c], \"d, \\\"]\", e", ',').len(), 4);
        assert!(split_outside(" ", ',').is_empty());
    }

    #[test]
    fn a_text_has_one_number() {
        let mut texts = Texts::default();
        assert_eq!([texts.add("b"), texts.add("a"), texts.add("b")], [0, 1, 0]);
        assert_eq!((texts.len(), texts.number("a"), texts.get(0)), (2, Some(1), Some("b")));
    }
}
