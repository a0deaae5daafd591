//! Syntax errors in our own words: what was expected, what stands there, and how to mend the frequent slips.

use super::super::ast::{FileId, Span};
use super::super::nesting::{Nesting, closing};
use super::super::scan::{self, ITEM_WORDS, RESERVED, Token, TokenKind};
use super::expected::{Expected, expected, list};
use super::{Parsed, Rule};
use crate::diagnostic::{Diagnostic, nearest};
use pest::error::{Error, ErrorVariant, InputLocation};

const SYNTAX: &str = "fp::syntax";
const UNCLOSED: &str = "fp::unclosed";

/// Where the grammar failed.
struct Failure<'a> {
    file: FileId,
    tokens: &'a [Token<'a>],
    /// The token that did not fit; the number of tokens if the item ended too early.
    at: usize,
    expected: Vec<Expected>,
    /// The innermost bracket that is open there, and whether it is ever closed.
    open: Option<(Token<'a>, bool)>,
}

/// Explains why pest refused the item, whose text begins at `start`.
pub(super) fn syntax(
    file: FileId,
    tokens: &[Token<'_>],
    nesting: &Nesting,
    start: usize,
    error: &Error<Rule>,
) -> Box<Diagnostic> {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let positives = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => &positives[..],
        ErrorVariant::CustomError { .. } => &[],
    };
    let at = tokens.partition_point(|token| token.end() <= start + at);
    let open = nesting.inside[at].map(|open| (tokens[open], !nesting.unclosed.contains(&open)));
    let failure = Failure { file, tokens, at, expected: expected(positives), open };
    failure.diagnostic().into()
}

impl<'a> Failure<'a> {
    fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = self
            .slip_of_spelling()
            .or_else(|| self.misplaced_label())
            .or_else(|| self.missing_dot())
            .or_else(|| self.unrolled())
            .or_else(|| self.bracket())
            .or_else(|| self.keyword_as_name())
            .or_else(|| self.missing_end())
            .unwrap_or_else(|| self.general());
        if let Some((open, false)) = self.open
            && diagnostic.code == SYNTAX
        {
            diagnostic.code = UNCLOSED;
            diagnostic =
                diagnostic.label(open.span(self.file), format!("this `{}` is not closed", open.text));
        }
        diagnostic
    }

    fn found(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn before(&self) -> Option<&'a Token<'a>> {
        self.at.checked_sub(1).map(|at| &self.tokens[at])
    }

    fn is_found(&self, text: &str) -> bool {
        self.found().is_some_and(|token| token.is(text))
    }

    fn expects(&self, sign: &'static str) -> bool {
        self.expected.contains(&Expected::Sign(sign))
    }

    fn expects_operator(&self) -> bool {
        self.expected.contains(&Expected::Operator)
    }

    /// The place of the token that did not fit, or of the last one if there is none.
    fn place(&self) -> Span {
        let token = self.found().or(self.tokens.last());
        token.map_or(scan::span(self.file, 0, 0), |token| token.span(self.file))
    }

    fn found_words(&self) -> String {
        match self.found() {
            None => "the end of the item".into(),
            Some(token) if RESERVED.contains(&token.text) => format!("the keyword `{}`", token.text),
            Some(token) => match token.kind {
                TokenKind::Text => "a text".into(),
                _ => format!("`{}`", shortened(token.text)),
            },
        }
    }

    fn general(&self) -> Diagnostic {
        let expected = list(&self.expected);
        let diagnostic =
            Diagnostic::error(SYNTAX, format!("expected {expected}, found {}", self.found_words()))
                .label(self.place(), format!("expected {expected}"));
        match self.general_help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn general_help(&self) -> Option<String> {
        let found = self.found();
        if found.is_some_and(|token| token.kind == TokenKind::Close)
            && self.before().is_some_and(|before| before.is(","))
        {
            return Some("leave out the comma, or add what should follow it".into());
        }
        if self.expects(",") && found.is_some_and(|f| matches!(f.kind, TokenKind::Word | TokenKind::Number)) {
            return Some("is a comma missing before it?".into());
        }
        if self.expects(";") && found.is_some_and(|f| f.first_on_line) {
            return Some("is a `;` missing at the end of the line before?".into());
        }
        if self.expects("..") && found.is_some_and(|f| f.is("]")) {
            return Some("the index range of a vector has both ends: `T[1..k]`".into());
        }
        if self.expects("with") {
            return Some("a record is changed like this: `{ r with f = x }`".into());
        }
        if self.tokens[0].is("verdict") && found.is_some_and(|f| f.kind == TokenKind::Text) {
            return Some("the message stands before the condition: `verdict safe \"…\" if Q;`".into());
        }
        if found.is_some_and(|f| f.is("..")) && self.open.is_some_and(|(open, _)| open.is("(")) {
            return Some(
                "a range that is part of a sort needs a name: `range Digit = 0..9;`, then `Digit[1..k]`"
                    .into(),
            );
        }
        if self.expected.contains(&Expected::Expression) && !self.expects(";") {
            let behind = self.before().map(|before| format!(" behind `{}`", shortened(before.text)));
            return Some(format!("is something missing{}?", behind.unwrap_or_default()));
        }
        if self.expects_operator()
            && found.is_some_and(|f| matches!(f.kind, TokenKind::Word | TokenKind::Number))
        {
            return Some("is an operator such as `&`, `|` or `=` missing before it?".into());
        }
        let example = example(self.tokens)?;
        Some(format!("for example: {example}"))
    }

    /// Signs and words of other languages.
    fn slip_of_spelling(&self) -> Option<Diagnostic> {
        let mut token = *self.found()?;
        // `not x` fails at `x` only, because `not` could be a name.
        if let Some(before) = self.before()
            && before.is("not")
            && token.kind == TokenKind::Word
        {
            token = *before;
        }
        let (meaning, ours) = match token.text {
            "==" => ("equality", "="),
            "=>" | "==>" | "-->" => ("implication", "->"),
            "<=>" => ("equivalence", "<->"),
            "<>" => ("inequality", "!="),
            "=<" => ("at most", "<="),
            "&&" | "and" | "/\\" => ("conjunction", "&"),
            "||" | "or" | "\\/" => ("disjunction", "|"),
            "~" | "not" => ("negation", "!"),
            ":=" if self.expects("=") => ("a definition", "="),
            ":=" if self.expects_operator() => ("equality", "="),
            _ => return None,
        };
        let diagnostic =
            Diagnostic::error(SYNTAX, format!("`{}` is no operator of the calculus", token.text))
                .label(token.span(self.file), format!("{meaning} is written `{ours}`"));
        Some(match token.text {
            ":=" => diagnostic.help("`:=` stands in updates only: `v[i := x]`"),
            _ => diagnostic.help(format!("write `{ours}`")),
        })
    }

    /// `(a | late: b)`, `a & late: b`
    fn misplaced_label(&self) -> Option<Diagnostic> {
        let colon = if self.is_found(":") { self.at } else { self.at + 2 };
        let label = self.tokens.get(colon.checked_sub(1)?)?;
        let is_label = label.kind == TokenKind::Word && self.tokens.get(colon)?.is(":");
        if !is_label || !self.expects_operator() || !(self.is_found(":") || self.is_found("|")) {
            return None;
        }
        let title = "only the clauses of a definition or a query have labels";
        let mut diagnostic =
            Diagnostic::error(SYNTAX, title).label(label.span(self.file), "this is no label of a clause");
        diagnostic = match self.open {
            Some((open, _)) => diagnostic.label(open.span(self.file), "it stands in this bracket"),
            None => diagnostic,
        };
        Some(diagnostic.help("a clause begins behind the `=` of its definition or a `|` outside all brackets; for a label further inside, make that part a definition of its own"))
    }

    /// The quantifier whose variables are being read.
    fn head(&self, words: [&str; 2]) -> Option<&'a Token<'a>> {
        let before = &self.tokens[..self.at];
        before.iter().rev().find(|token| words.contains(&token.text))
    }

    /// `exists x R(x)`, `forall x: R(x)`, `exists x in S. R(x)`
    fn missing_dot(&self) -> Option<Diagnostic> {
        if !self.expects(".") {
            return None;
        }
        let head = self.head(["exists", "forall"])?;
        let word = head.text;
        if self.is_found("in") {
            return Some(
                Diagnostic::error(SYNTAX, "the sort of a quantified variable stands behind a colon")
                    .label(self.place(), "write `:` here")
                    .label(head.span(self.file), "this quantifier's variables")
                    .help(format!("`{word} x: T. …`; only `some` and `each` are written with `in`")),
            );
        }
        let expected = list(&self.expected);
        let help = format!(
            "a dot and a blank separate the variables from the formula: `{word} x, y. …`, or with sorts `{word} x, y: T. …`"
        );
        Some(
            Diagnostic::error(SYNTAX, format!("the variables of this `{word}` do not end with a dot"))
                .label(self.place(), format!("expected {expected}"))
                .label(head.span(self.file), "this quantifier's variables")
                .help(help),
        )
    }

    /// `some i: R(i)`, `each i in 1..k. R(i)`
    fn unrolled(&self) -> Option<Diagnostic> {
        let head = self.head(["some", "each"])?;
        let word = head.text;
        // `1..3. v[i]` fails behind the dot only, because a name could follow it.
        let dot = self.before().filter(|before| before.is(".") && self.expected.contains(&Expected::Name));
        let open = self.tokens.iter().rev().skip_while(|token| token.start >= self.place().start as usize);
        let open = open.take_while(|token| token.start > head.start).all(|token| !token.is(":"));
        let mut place = self.place();
        let (title, label) = if self.expects("in") && !self.is_found("in") {
            (format!("the index of this `{word}` has no range"), "expected `in` and a range")
        } else if let Some(dot) = dot.filter(|_| open) {
            place = dot.span(self.file);
            (format!("the indices of this `{word}` do not end with a colon"), "expected `:`")
        } else {
            return None;
        };
        Some(
            Diagnostic::error(SYNTAX, title)
                .label(place, label)
                .label(head.span(self.file), "its indices stand here")
                .help(format!(
                    "write `{word} i in 1..k: …`; for a value that is not static, use `exists` or `forall`"
                )),
        )
    }

    fn bracket(&self) -> Option<Diagnostic> {
        let found = self.found();
        let ends = found.is_none_or(|token| token.is(";") || token.kind == TokenKind::Close);
        match (self.open, found) {
            (None, Some(found)) if found.kind == TokenKind::Close => Some(
                Diagnostic::error(UNCLOSED, format!("there is nothing that this `{}` closes", found.text))
                    .label(self.place(), "no bracket is open here")
                    .help("remove it, or add the bracket that it should close"),
            ),
            (Some((open, closed)), _)
                if ends && found.is_none_or(|found| closing(open.text) != found.text) =>
            {
                let closing = closing(open.text);
                let title = if closed || found.is_some_and(|f| f.kind == TokenKind::Close) {
                    format!("`{}` is closed by `{}`", open.text, found.map_or("", |found| found.text))
                } else {
                    format!("`{}` is not closed", open.text)
                };
                Some(
                    Diagnostic::error(UNCLOSED, title)
                        .label(self.place(), format!("expected {}", list(&self.expected)))
                        .label(open.span(self.file), "opened here")
                        .help(format!("add a `{closing}`")),
                )
            }
            _ => None,
        }
    }

    fn keyword_as_name(&self) -> Option<Diagnostic> {
        let found = self.found()?;
        if !RESERVED.contains(&found.text) || !self.expected.contains(&Expected::Name) {
            return None;
        }
        Some(
            Diagnostic::error(SYNTAX, format!("`{}` is a keyword and cannot be a name", found.text))
                .label(self.place(), "expected a name")
                .help(format!("for example `{0}_` or `{0}'`", found.text)),
        )
    }

    /// The item ended without its `;`.
    fn missing_end(&self) -> Option<Diagnostic> {
        if self.found().is_some() {
            return None;
        }
        if self.expects(";") {
            return Some(
                Diagnostic::error(SYNTAX, "a `;` is missing")
                    .label(self.place(), "the item should end behind this")
                    .help("every item ends with `;`; only behind an `enum` or a `record` may it be left out"),
            );
        }
        None
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// The form of an item, by the word it begins with.
fn example(tokens: &[Token<'_>]) -> Option<&'static str> {
    let word = if tokens[0].is("keyed") { tokens.get(1)? } else { &tokens[0] };
    Some(match word.text {
        "use" => "`use program;` or `use \"lib/init.fp\";`",
        "param" => "`param rounds = 4;` or `param rounds in 1..8 = 4;`",
        "const" => "`const last = rounds + 1;`",
        "enum" => "`enum Player { Eve, Adam }`",
        "range" => "`range Round = 1..rounds;`",
        "record" => "`record Game { who: Player, fresh: bool }`",
        "rel" => "`rel edge(x: Node, y: Node) = { (0, 1), (1, 2) };`",
        "input" => "`input edge(x: Node, y: Node);`",
        "let" | "mu" | "nu" => {
            "`mu Reach[i in 1..k](x: Node) = start: x = 0 | step: exists y. Reach[i](y) & edge(y, x);`"
        }
        "query" => "`query Hit = exists x. Reach(x);` or `query Where(x: Node) = Reach(x);`",
        "require" => "`require program.calls = 0 \"calls are left\";`",
        "verdict" => "`verdict unsafe if Hit;` or `verdict bounded \"no violation found\";`",
        "hint" => "`hint symbolic Pc;`",
        _ => return None,
    })
}

/// Mistakes within a single token.
pub(super) fn lexical(file: FileId, tokens: &[Token<'_>]) -> Parsed<()> {
    tokens.iter().find_map(|token| bad_token(file, token)).map_or(Ok(()), |mistake| Err(mistake.into()))
}

fn bad_token(file: FileId, token: &Token<'_>) -> Option<Diagnostic> {
    let place = token.span(file);
    match token.kind {
        TokenKind::OpenText => Some(
            Diagnostic::error(UNCLOSED, "this text is not closed")
                .label(scan::span(file, token.end(), token.end()), "the line ends before a closing quote")
                .label(scan::span(file, token.start, token.start + 1), "opened here")
                .help("add a `\"`; a text stands on one line"),
        ),
        TokenKind::BlockComment => Some(
            Diagnostic::error(SYNTAX, "comments begin with `//` and end with their line")
                .label(scan::span(file, token.start, token.start + 2), "`/*` begins no comment here")
                .help("begin each line of the comment with `//`"),
        ),
        TokenKind::Text => {
            let inner = &token.text[1..token.text.len() - 1];
            let mut characters = inner.char_indices();
            while let Some((at, c)) = characters.next() {
                if c == '\\'
                    && let Some((_, escaped)) = characters.next()
                    && !matches!(escaped, '"' | '\\')
                {
                    let start = token.start + 1 + at;
                    let place = scan::span(file, start, start + 1 + escaped.len_utf8());
                    return Some(
                        Diagnostic::error(SYNTAX, format!("a text has no escape `\\{escaped}`"))
                            .label(place, "the escapes are `\\\"` and `\\\\`")
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
                "put a blank or an operator between the number and what follows it"
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
        "′" | "’" => "write primes as `'`, directly behind the name",
        "“" | "”" | "„" => "write `\"` around a text",
        "'" => "a prime stands directly behind its name: `x'`; a text stands in double quotes",
        "#" => "comments begin with `//`",
        "\u{a0}" => "this is a non-breaking space; replace it with an ordinary blank",
        _ if text.chars().all(char::is_alphanumeric) => {
            "names consist of the letters a to z and A to Z, digits, `_`, and primes at the end"
        }
        _ => "remove it",
    };
    let plain = |c: char| matches!(c, '\'' | '"');
    let shown: String = if text.chars().all(plain) {
        text.into()
    } else {
        text.chars().flat_map(char::escape_debug).collect()
    };
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
