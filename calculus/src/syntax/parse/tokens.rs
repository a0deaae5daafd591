//! Mistakes that the tokens of an item show without any grammar.

use super::super::scan::{ITEM_WORDS, Token, TokenKind};
use super::Parsed;
use super::mistakes::{SYNTAX, UNCLOSED, shortened};
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::{FileId, Span};
use crate::texts;

/// Mistakes within a single token.
pub(super) fn lexical(file: FileId, tokens: &[Token<'_>]) -> Parsed<()> {
    tokens.iter().find_map(|token| bad_token(file, token)).map_or(Ok(()), |mistake| Err(mistake.into()))
}

fn bad_token(file: FileId, token: &Token<'_>) -> Option<Diagnostic> {
    let place = token.span(file);
    match token.kind {
        TokenKind::OpenText => Some(
            Diagnostic::error(UNCLOSED, "this text is not closed")
                .label(Span::new(file, token.end(), token.end()), "the line ends before a closing quote")
                .label(Span::new(file, token.start, token.start + 1), "opened here")
                .help("add a `\"`: a text ends on the line where it begins"),
        ),
        TokenKind::BlockComment => Some(
            Diagnostic::error(SYNTAX, "comments begin with `//` and end with their line")
                .label(Span::new(file, token.start, token.start + 2), "`/*` does not begin a comment")
                .help("begin each line of the comment with `//`"),
        ),
        TokenKind::Text => {
            let inner = &token.text[1..token.text.len() - 1];
            if let Some(at) = inner.find('\0') {
                let start = token.start + 1 + at;
                return Some(
                    Diagnostic::error(SYNTAX, "a text has no NUL character")
                        .label(Span::new(file, start, start + 1), "this one")
                        .help("remove it; files are text in UTF-8"),
                );
            }
            let mut characters = inner.char_indices();
            while let Some((at, c)) = characters.next() {
                if c == '\\'
                    && let Some((_, escaped)) = characters.next()
                    && texts::unescaped(escaped).is_none()
                {
                    let start = token.start + 1 + at;
                    let place = Span::new(file, start, start + 1 + escaped.len_utf8());
                    return Some(
                        Diagnostic::error(SYNTAX, format!("a text has no escape `\\{escaped}`"))
                            .label(place, "the escapes are `\\\"`, `\\\\`, `\\n`, `\\r` and `\\t`")
                            .help("write `\\\\` for a backslash"),
                    );
                }
            }
            None
        }
        TokenKind::Number if token.text.bytes().any(|b| !(b.is_ascii_digit() || b == b'_')) => Some(
            Diagnostic::error(
                "fp::bad_number",
                format!("`{}` is neither a number nor a name", shortened(token.text)),
            )
            .label(place, "a number consists of decimal digits, a name begins with a letter")
            .help(if token.text.starts_with("0x") || token.text.starts_with("0b") {
                "write the number with decimal digits"
            } else {
                "put a space or an operator between the number and what follows it"
            }),
        ),
        TokenKind::Number if token.text.ends_with('_') => Some(
            Diagnostic::error("fp::bad_number", "a number does not end with `_`")
                .label(place, "`_` separates digits: `1_000`")
                .help("remove the `_` at the end"),
        ),
        TokenKind::Stray => Some(stray(place, token.text)),
        _ => None,
    }
}

fn stray(place: Span, text: &str) -> Diagnostic {
    let help = match text {
        "∃" => "write `exists`",
        "∀" => "write `forall`",
        "∧" => "write `&`",
        "∨" => "write `|`",
        "¬" => "write `!`",
        "→" | "⇒" => "write `->`",
        "↔" | "⇔" => "write `<->`",
        "≤" => "write `<=`",
        "≥" => "write `>=`",
        "≠" => "write `!=`",
        "μ" | "µ" => "write `mu`",
        "ν" => "write `nu`",
        "′" | "’" => "write primes as `'`, directly after the name",
        "“" | "”" | "„" => "write `\"` around a text",
        "'" => "a prime is written directly after a name: `x'`; a text is written in double quotes",
        "^" => "conjunction is written `&`, and exclusive or `!(a <-> b)`",
        "#" => "comments begin with `//`",
        "\u{a0}" => "this is a non-breaking space; replace it with an ordinary space",
        _ if text.chars().all(char::is_alphanumeric) => {
            "names consist of the letters a to z and A to Z, digits, `_`, and primes at the end"
        }
        _ => "remove it",
    };
    // Escaped are those that leave no mark: blanks, controls, marks without width.
    let invisible = text.chars().all(|c| c.is_control() || c.is_whitespace() || c.escape_debug().len() > 2);
    let shown = if invisible { text.escape_unicode().to_string() } else { text.into() };
    Diagnostic::error(SYNTAX, format!("the character `{shown}` has no meaning here"))
        .label(place, "not a part of the language")
        .help(help)
}

/// An item begins with one of the words that begin items.
pub(super) fn beginning(file: FileId, tokens: &[Token<'_>]) -> Parsed<()> {
    let first = &tokens[0];
    if ITEM_WORDS.contains(&first.text) {
        return Ok(());
    }
    let place = first.span(file);
    if first.is(";") {
        return Err(Diagnostic::error(SYNTAX, "there is nothing before this `;`")
            .label(place, "no item ends here")
            .help("remove it")
            .into());
    }
    let title = format!("expected the beginning of an item, found `{}`", shortened(first.text));
    let mistake = Diagnostic::error(SYNTAX, title).label(place, "no item begins with this");
    let second = tokens.get(1);
    let help = if first.kind != TokenKind::Word {
        "is something missing before it, or is the `;` before it one too many?".into()
    } else if second.is_some_and(|second| second.kind == TokenKind::Word)
        && let Some(word) = nearest(first.text, ITEM_WORDS)
    {
        format!("did you mean `{word}`?")
    } else if second.is_some_and(|second| ["(", "[", "=", ":="].contains(&second.text)) {
        format!("a definition begins with `let`, `mu` or `nu`: `mu {}…`", shortened(first.text))
    } else {
        format!("items begin with {}", ITEM_WORDS.map(|word| format!("`{word}`")).join(", "))
    };
    Err(mistake.help(help).into())
}
