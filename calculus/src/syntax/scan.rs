//! The lexical look at a file before it is parsed: its comments, and its tokens cut into items.
//!
//! The tokens serve three purposes that a grammar serves badly: a mistake in one item does not reach the
//! next, bracket nesting is limited before anything recurses, and an error can speak of whole words and of
//! the bracket that was left open.

use super::ast::Comment;
use crate::span::{FileId, Span};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    /// A text in double quotes.
    Text,
    /// A text that its line ends before its closing quote.
    OpenText,
    Open,
    Close,
    Symbol,
    /// `/* … */`, which the language does not have.
    BlockComment,
    /// A character that no token begins with.
    Stray,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: TokenKind,
    pub text: &'t str,
    pub start: usize,
    /// Nothing but blanks stands before it on its line.
    pub first_on_line: bool,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start, self.end())
    }

    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

pub(super) const RESERVED: [&str; 13] =
    ["exists", "forall", "some", "each", "true", "false", "in", "if", "with", "let", "mu", "nu", "bool"];

pub(super) const ITEM_WORDS: [&str; 19] = [
    "use", "param", "const", "keyed", "enum", "range", "symbol", "record", "sort", "rel", "input", "let",
    "mu", "nu", "query", "trace", "require", "verdict", "hint",
];

/// The longest first. Slips such as `==` are tokens, so that an error shows them whole.
const SYMBOLS: [&str; 25] = [
    "<->", "<=>", "==>", "-->", "=>", "==", "=<", "<=", ">=", "!=", "<>", "->", "&&", "||", "++", ":=", "::",
    "..", "/\\", "\\/", "&", "|", "!", "=", "<",
];
const SINGLE: &str = ">+-*/%.:,;~";

pub(super) fn tokens(file: FileId, source: &str) -> (Vec<Token<'_>>, Vec<Comment>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    // A byte order mark at the very start is no part of the text.
    let mut at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut first_on_line = true;
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if c == '\n' {
            first_on_line = true;
            at += 1;
            continue;
        }
        if matches!(c, ' ' | '\t' | '\r') {
            at += 1;
            continue;
        }
        if rest.starts_with("//") {
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let text = line.trim_end();
            comments.push(Comment {
                text: text.to_owned(),
                span: Span::new(file, at, at + text.len()),
                own_line: first_on_line,
            });
            at += line.len();
            continue;
        }
        let (kind, length) = token(rest, c);
        tokens.push(Token { kind, text: &rest[..length], start: at, first_on_line });
        first_on_line = false;
        at += length;
    }
    (tokens, comments)
}

/// The token at the start of `rest`, which begins with `c`: its kind and its length in bytes.
fn token(rest: &str, c: char) -> (TokenKind, usize) {
    let length = |part: fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
    if c.is_ascii_alphabetic() || c == '_' {
        let word = length(|c| c.is_ascii_alphanumeric() || c == '_');
        let primes = rest[word..].bytes().take_while(|&b| b == b'\'').count();
        return (TokenKind::Word, word + primes);
    }
    if c.is_ascii_digit() {
        return (TokenKind::Number, length(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\''));
    }
    match c {
        '(' | '[' | '{' => return (TokenKind::Open, 1),
        ')' | ']' | '}' => return (TokenKind::Close, 1),
        '"' => return quoted(rest),
        _ => {}
    }
    if rest.starts_with("/*") {
        return (TokenKind::BlockComment, rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return (TokenKind::Symbol, symbol.len());
    }
    let kind = if SINGLE.contains(c) { TokenKind::Symbol } else { TokenKind::Stray };
    (kind, c.len_utf8())
}

fn quoted(rest: &str) -> (TokenKind, usize) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return (TokenKind::OpenText, rest[..at].trim_end().len()),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (TokenKind::Text, at + 1),
            _ => {}
        }
    }
    (TokenKind::OpenText, rest.trim_end().len())
}

/// Cuts the tokens into items. An item ends behind its `;`, behind the last brace of an `enum` or a `record`,
/// and in any case before a line that begins the next item.
pub(super) fn items(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    let mut at = 0;
    while at < tokens.len() {
        // No item consists of its first word.
        if at > start + 1 && begins_item(tokens, at) {
            items.push(start..at);
            (start, depth) = (at, 0);
        }
        let token = &tokens[at];
        at += 1;
        let mut ended = token.is(";");
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.is("}") && ends_with_brace(&tokens[start..]) {
                    at += usize::from(tokens.get(at).is_some_and(|next| next.is(";")));
                    ended = true;
                }
            }
            _ => {}
        }
        if ended {
            items.push(start..at);
            (start, depth) = (at, 0);
        }
    }
    if start < tokens.len() {
        items.push(start..tokens.len());
    }
    items
}

fn ends_with_brace(item: &[Token<'_>]) -> bool {
    let word = if item[0].is("keyed") { item.get(1) } else { item.first() };
    word.is_some_and(|word| word.is("enum") || word.is("record"))
}

/// At the start of a line, two words of which the first begins items: no expression contains that. Behind the condition
/// of `mu if … else`, a name and `else` are two words.
fn begins_item(tokens: &[Token<'_>], at: usize) -> bool {
    let token = &tokens[at];
    if !token.first_on_line || !ITEM_WORDS.contains(&token.text) {
        return false;
    }
    let Some(next) = tokens.get(at + 1) else { return false };
    let word = next.kind == TokenKind::Word && !RESERVED.contains(&next.text) && !next.is("else");
    match token.text {
        "let" => true,
        // `mu if … else` may end its line.
        "mu" | "nu" => !tokens[at - 1].is("else"),
        // `require x = use "…"` is no reason to refuse `use` as a name.
        "use" => word || next.kind == TokenKind::Text && tokens[at - 1].kind != TokenKind::Symbol,
        "keyed" => ["enum", "range", "symbol"].contains(&next.text),
        _ => word,
    }
}
