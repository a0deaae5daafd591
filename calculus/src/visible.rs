//! What can be shown to people as it is.
//!
//! Names, messages and source texts come from files that somebody else may have written. A terminal obeys some of their
//! characters: escape sequences move its cursor, change its title or hide text, and marks of direction make text read
//! differently from what it says. Each such character is shown as one that stands for it, as compilers do, so that columns stay.

use std::borrow::Cow;

/// The text with a picture for each character that a terminal would obey. Line breaks and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| matches!(c, '\n' | '\t') || stand_in(c).is_none()) {
        return text.into();
    }
    let mut rest = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = rest.next() {
        let line_break = c == '\n' || (c == '\r' && rest.peek() == Some(&'\n'));
        let shown = if line_break || c == '\t' { None } else { stand_in(c) };
        out.push(shown.unwrap_or(c));
    }
    out.into()
}

/// What stands for a character that is not to be obeyed; nothing for all others.
pub fn stand_in(c: char) -> Option<char> {
    match c {
        // The pictures of the control characters have their order: `␛` for ESC.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        // More control characters, marks of direction, and line breaks that only some programs know.
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => Some('\u{fffd}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_has_a_picture() {
        assert_eq!(visible("a\u{1b}[31mb\u{7}\u{7f}\r"), "a␛[31mb␇␡␍");
        assert_eq!(visible("\u{9b}31m \u{202e}evil\u{2066}"), "\u{fffd}31m \u{fffd}evil\u{fffd}");
    }

    #[test]
    fn everything_else_stays() {
        let text = "line\r\n\tα ∧ β → “γ”\n";
        assert_eq!(visible(text), text);
        assert!(matches!(visible("plain\n\ttext"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_is_left_to_obey() {
        let all = (0..0x3000).filter_map(char::from_u32).collect::<String>();
        let shown = visible(&all).into_owned();
        assert!(shown.chars().all(|c| matches!(c, '\n' | '\t') || stand_in(c).is_none()));
        assert_eq!(shown.chars().count(), all.chars().count(), "columns stay");
    }
}
