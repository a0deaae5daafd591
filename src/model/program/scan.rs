//! A quick look at the tokens before the grammar sees them: brackets and blocks must match, and not too deeply.
//!
//! The grammar recurses once per level, so the depth found here sizes the stack it gets. A mismatch is told with both of
//! its places, which a grammar cannot do: it only sees that something is missing at the end.

use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Source, Span};

/// Deeper nesting than this is refused.
pub const MAX_DEPTH: usize = 20_000;

/// What the scan found out: nesting depth, and where the items of the file end.
pub struct Scan {
    pub depth: usize,
    /// Byte ranges of the declarations and procedures.
    pub items: Vec<Span>,
}

struct OpenBracket {
    what: &'static str,
    span: Span,
}

pub fn scan(file: FileId, text: &str) -> Result<Scan, Diagnostic> {
    if !Source::fits(text) {
        return Err(Diagnostic::error("bp::too_long", "the program is larger than 4 GiB"));
    }
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut found = Scan { depth: 0, items: Vec::new() };
    let mut item_start = None;
    let mut position = 0;
    while let Some((word, span)) = next(file, text, &mut position)? {
        let start = *item_start.get_or_insert(span.start);
        if let Some(what) = opener(word) {
            open.push(OpenBracket { what, span });
            found.depth = found.depth.max(open.len());
            if open.len() > MAX_DEPTH {
                return Err(too_deep(span));
            }
        } else if let Some((what, closes)) = closer(word) {
            match open.pop() {
                Some(top) if top.what == closes => {}
                top => return Err(mismatch(what, closes, span, top)),
            }
        }
        if word == ";"
            && let Some(top) = open.pop_if(|top| matches!(top.what, "(" | "["))
        {
            return Err(mismatch(word, "", span, Some(top)));
        }
        if open.is_empty() && (word == ";" || word == "end") {
            found.items.push(Span { start, ..span });
            item_start = None;
        }
    }
    match open.pop() {
        Some(top) => Err(unclosed(&top)),
        None => {
            if let Some(start) = item_start {
                found.items.push(Span::new(file, start as usize, text.len()));
            }
            Ok(found)
        }
    }
}

fn opener(word: &str) -> Option<&'static str> {
    ["(", "[", "begin", "if", "while"].into_iter().find(|what| *what == word)
}

fn closer(word: &str) -> Option<(&'static str, &'static str)> {
    let pairs = [(")", "("), ("]", "["), ("end", "begin"), ("fi", "if"), ("od", "while")];
    pairs.into_iter().find(|(what, _)| *what == word)
}

fn closing(opened: &str) -> &'static str {
    match opened {
        "(" => ")",
        "[" => "]",
        "begin" => "end",
        "if" => "fi",
        _ => "od",
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        "bp::too_deep",
        format!("more than {MAX_DEPTH} parentheses and blocks inside each other"),
    )
    .label(span, "one too many")
    .help("split the expression with the help of a local variable, or the procedure with a call")
}

fn mismatch(what: &str, closes: &str, span: Span, top: Option<OpenBracket>) -> Diagnostic {
    let bracket = matches!(what, ")" | "]");
    let Some(top) = top.filter(|top| !bracket || matches!(top.what, "(" | "[")) else {
        let problem = Diagnostic::error("bp::unbalanced", format!("`{what}` closes nothing"))
            .label(span, format!("there is no open `{closes}`"));
        return if bracket {
            problem
        } else {
            problem.help(format!("`{what}` is a reserved word; is the `{closes}` before it missing?"))
        };
    };
    let wanted = closing(top.what);
    if what == ";" {
        return Diagnostic::error("bp::unbalanced", format!("`{}` is not closed in its statement", top.what))
            .label(top.span, "opened here")
            .label(span, format!("expected `{wanted}` before this"));
    }
    Diagnostic::error("bp::unbalanced", format!("`{}` is closed by `{what}`", top.what))
        .label(top.span, "opened here")
        .label(span, format!("expected `{wanted}`"))
        .help(format!("`{}` ends with `{wanted}`", top.what))
}

fn unclosed(top: &OpenBracket) -> Diagnostic {
    let wanted = closing(top.what);
    Diagnostic::error("bp::unbalanced", format!("`{}` is never closed", top.what))
        .label(top.span, "opened here")
        .help(format!("`{}` ends with `{wanted}`", top.what))
}

/// The next word or sign after blanks and comments.
fn next<'a>(
    file: FileId,
    text: &'a str,
    position: &mut usize,
) -> Result<Option<(&'a str, Span)>, Diagnostic> {
    loop {
        let rest = &text[*position..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}', '\u{feff}']).len();
        *position += blank;
        let rest = &text[*position..];
        if rest.starts_with("//") {
            *position += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(length) => *position += length + 4,
                None => {
                    let place = Span::new(file, *position, *position + 2);
                    return Err(Diagnostic::error("bp::unclosed_comment", "the comment never ends")
                        .label(place, "begins here")
                        .help("close it with `*/`"));
                }
            }
        } else if let Some(first) = rest.chars().next() {
            let start = *position;
            let length = token_length(rest, first);
            check_character(file, first, start)?;
            *position += length;
            return Ok(Some((&rest[..length], Span::new(file, start, start + length))));
        } else {
            return Ok(None);
        }
    }
}

fn token_length(rest: &str, first: char) -> usize {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
    if word(first) {
        return rest.find(|c| !word(c)).unwrap_or(rest.len());
    }
    if first == '{' {
        let line = rest.find('\n').unwrap_or(rest.len());
        return rest[..line].find('}').map_or(1, |end| end + 1);
    }
    first.len_utf8()
}

/// Said where someone divides.
const NO_DIVISION: &str = "numbers have `+`, `-`, `*` and `%`; predicates are quoted with braces: {x/2>0}";

fn check_character(file: FileId, first: char, start: usize) -> Result<(), Diagnostic> {
    if first.is_ascii_alphanumeric() || "_$(){}[]<>,;:=!~&|^*?'-+%.".contains(first) {
        return Ok(());
    }
    let place = Span::new(file, start, start + first.len_utf8());
    let shown = if first.is_control() { first.escape_unicode().to_string() } else { first.to_string() };
    let problem = Diagnostic::error("bp::character", format!("`{shown}` means nothing here"))
        .label(place, "not a character of Boolean programs");
    Err(match first {
        '"' | '`' => problem.help("names of predicates are quoted with braces: {x>0}"),
        '#' => problem.help("write comments after `//`, or between `/*` and `*/`"),
        '/' => problem.help(NO_DIVISION),
        _ => problem,
    })
}
