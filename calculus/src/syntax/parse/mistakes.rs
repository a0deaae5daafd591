//! Syntax errors in our own words: what was expected, what stands there, and how to mend the frequent slips.

use super::super::nesting::{Nesting, closing};
use super::super::scan::{RESERVED, Token, TokenKind};
use super::Rule;
use super::expected::{Expected, expected, list};
use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Span};
use pest::error::{Error, ErrorVariant, InputLocation};

pub(super) const SYNTAX: &str = "fp::syntax";
pub(super) const UNCLOSED: &str = "fp::unclosed";
const QUANTIFIERS: [&str; 2] = ["exists", "forall"];

/// Where the grammar failed.
struct GrammarFailure<'a> {
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
    let failure = GrammarFailure { file, tokens, at, expected: expected(positives), open };
    failure.diagnostic().into()
}

impl<'a> GrammarFailure<'a> {
    fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = self
            .slip_of_spelling()
            .or_else(|| self.unrolled())
            .or_else(|| self.misplaced_label())
            .or_else(|| self.missing_dot())
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
        token.map_or(Span::new(self.file, 0, 0), |token| token.span(self.file))
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
        if self.is_found("in") && self.expects_operator() {
            return Some(
                "for a tuple of a relation write `R(x)`, for a value of a range `x >= 1 & x <= 3`".into(),
            );
        }
        if self.expects(";") && found.is_some_and(|f| f.first_on_line) {
            return Some("is a `;` missing at the end of the line before?".into());
        }
        if let Some(quantifier) = self.before().filter(|before| QUANTIFIERS.contains(&before.text)) {
            return Some(format!("variables follow: `{} x, y. …`", quantifier.text));
        }
        if self.is_found(".") && self.at >= 2 && self.tokens[self.at - 2].is("(") {
            return Some("only `exists` and `forall` bind variables: `exists x. …`".into());
        }
        if self.is_found("if") && !self.tokens[0].is("verdict") {
            return Some("write a case as `c & a | !c & b`".into());
        }
        if self.is_found(".") && self.tokens.get(self.at + 1).is_some_and(|next| next.kind == TokenKind::Word)
        {
            return Some("a field is written without spaces: `x.f`".into());
        }
        if self.expects("..") && self.is_found("]") {
            return Some("the index range of a vector has both ends: `T[1..k]`".into());
        }
        if self.expects("with") {
            return Some("a record is changed like this: `{ r with f = x }`".into());
        }
        if self.tokens[0].is("verdict") && found.is_some_and(|f| f.kind == TokenKind::Text) {
            return Some("the message comes before the condition: `verdict safe \"…\" if Q;`".into());
        }
        if self.is_found("..") && self.open.is_some_and(|(open, _)| open.is("(")) {
            let help =
                "a range that is part of a sort needs a name: `range Digit = 0..9;`, then `Digit[1..k]`";
            return Some(help.into());
        }
        let operand = |f: &Token<'_>| match f.kind {
            TokenKind::Word | TokenKind::Number | TokenKind::Open => true,
            _ => f.is("!"),
        };
        if self.expects_operator() && found.is_some_and(operand) {
            return Some("is an operator such as `&` missing before it?".into());
        }
        if self.expected.contains(&Expected::Expression) {
            return self
                .before()
                .map(|before| format!("is something missing after `{}`?", shortened(before.text)));
        }
        example(self.tokens).map(|example| format!("for example: {example}"))
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
            "," if self.open.is_none() && self.expects_operator() && !self.expects(",") => {
                ("conjunction", "&")
            }
            "||" | "or" | "\\/" => ("disjunction", "|"),
            "implies" if self.expects_operator() => ("implication", "->"),
            "iff" if self.expects_operator() => ("equivalence", "<->"),
            "xor" if self.expects_operator() => ("exclusive or", "!(a <-> b)"),
            "~" | "not" => ("negation", "!"),
            ":=" if self.expects("=") => ("a definition", "="),
            ":=" if self.expects_operator() => ("equality", "="),
            _ => return None,
        };
        let diagnostic =
            Diagnostic::error(SYNTAX, format!("`{}` is not an operator of this language", token.text))
                .label(token.span(self.file), format!("{meaning} is written `{ours}`"));
        Some(match token.text {
            ":=" => diagnostic.help("write `=`; only updates of a vector use `:=`: `v[i := x]`"),
            _ => diagnostic.help(format!("write `{ours}`")),
        })
    }

    /// `(a | late: b)`, `a & late: b`
    fn misplaced_label(&self) -> Option<Diagnostic> {
        let colon = if self.is_found(":") { self.at } else { self.at + 2 };
        let label = self.tokens.get(colon.checked_sub(1)?)?;
        let is_label = label.kind == TokenKind::Word && self.tokens.get(colon)?.is(":");
        // Where the grammar failed because of a label, it expected nothing but that there is none.
        let in_formula = self.expects_operator() || self.expected.is_empty();
        if !is_label || !in_formula || !(self.is_found(":") || self.is_found("|")) {
            return None;
        }
        let title = "only the clauses of a definition or a query have labels";
        let mut diagnostic =
            Diagnostic::error(SYNTAX, title).label(label.span(self.file), "no clause begins here");
        diagnostic = match self.open {
            Some((open, _)) => diagnostic.label(open.span(self.file), "it is inside this bracket"),
            None => diagnostic,
        };
        Some(diagnostic.help("a clause begins after the `=` of its definition, or after a `|` outside all brackets; to name a part further inside, define it with a `let` of its own"))
    }

    /// The quantifier whose variables are being read, and the tokens of these.
    fn head(&self, words: [&str; 2]) -> Option<(&'a Token<'a>, &'a [Token<'a>])> {
        let before = &self.tokens[..self.at];
        let at = before.iter().rposition(|token| words.contains(&token.text))?;
        Some((&before[at], &before[at + 1..]))
    }

    /// `exists x R(x)`, `forall x: R(x)`, `exists x: T.R(x)`, `exists x in S. R(x)`
    fn missing_dot(&self) -> Option<Diagnostic> {
        if !self.expects(".") {
            return None;
        }
        let (head, variables) = self.head(QUANTIFIERS)?;
        let word = head.text;
        let error = |title: String, place: Span, label: String| {
            Diagnostic::error(SYNTAX, title)
                .label(place, label)
                .label(head.span(self.file), "its variables come after this")
        };
        if self.is_found("in") {
            let title = "the sort of a quantified variable is written after a colon";
            let help = format!("`{word} x: T. …`; only `some` and `each` are written with `in`");
            return Some(error(title.into(), self.place(), "write `:` here".into()).help(help));
        }
        if let Some(at) = variables.iter().position(|token| token.is("."))
            && let (Some(sort), Some(field)) = (variables.get(at.wrapping_sub(1)), variables.get(at + 1))
        {
            let (sort, field) = (shortened(sort.text), shortened(field.text));
            let title = "a space is missing after the dot of a quantifier";
            let label = format!("this reads as `{sort}.{field}`, a field");
            let help = format!("write `{word} x: {sort}. {field}…`");
            return Some(error(title.into(), variables[at].span(self.file), label).help(help));
        }
        let title = format!("the variables of this `{word}` do not end with a dot");
        let help = format!("write a dot before the formula: `{word} x. …` or, with a sort, `{word} x: T. …`");
        let colon = variables.iter().position(|token| token.is(":"));
        let sort = colon.and_then(|colon| variables.get(colon + 1..colon + 3));
        if let Some([sort, open]) = sort
            && open.is("(")
        {
            let label = "a sort is expected after the colon";
            return Some(error(title, sort.span(self.file), label.into()).help(help));
        }
        Some(error(title, self.place(), format!("expected {}", list(&self.expected))).help(help))
    }

    /// `some i: R(i)`, `some i in S: R(i)`, `each i in 1..k. R(i)`
    fn unrolled(&self) -> Option<Diagnostic> {
        let (head, indices) = self.head(["some", "each"])?;
        let word = head.text;
        if indices.iter().any(|token| token.is(":")) {
            return None;
        }
        let (title, label) = if self.expects("in") && !self.is_found("in") {
            (format!("the index of this `{word}` has no range"), "expected `in` and a range")
        } else if self.expects("..") {
            (format!("the index of this `{word}` has no range"), "expected `..` and the upper end")
        } else if self.expects(":") && self.is_found(".") {
            (format!("the indices of this `{word}` do not end with a colon"), "expected `:`")
        } else {
            return None;
        };
        let help =
            format!("write `{word} i in 1..k: …`; for values that are not static, use `exists` or `forall`");
        Some(
            Diagnostic::error(SYNTAX, title)
                .label(self.place(), label)
                .label(head.span(self.file), "its indices come after this")
                .help(help),
        )
    }

    fn bracket(&self) -> Option<Diagnostic> {
        let found = self.found();
        let ends = found.is_none_or(|token| token.is(";") || token.kind == TokenKind::Close);
        match (self.open, found) {
            (None, Some(found)) if found.kind == TokenKind::Close => Some(
                Diagnostic::error(UNCLOSED, format!("this `{}` closes nothing", found.text))
                    .label(self.place(), "no bracket is open here")
                    .help("remove it, or add the bracket that it should close"),
            ),
            (Some((open, closed)), _)
                if ends && found.is_none_or(|found| closing(open.text) != found.text) =>
            {
                let closing = closing(open.text);
                let (title, help) = match found {
                    Some(found) if closed || found.kind == TokenKind::Close => (
                        format!("`{}` is closed by `{}`", open.text, found.text),
                        format!("write `{closing}` instead, or add it before"),
                    ),
                    _ => (format!("`{}` is not closed", open.text), format!("add a `{closing}`")),
                };
                Some(
                    Diagnostic::error(UNCLOSED, title)
                        .label(self.place(), format!("expected {}", list(&self.expected)))
                        .label(open.span(self.file), "opened here")
                        .help(help),
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
                    .label(self.place(), "the item should end after this")
                    .help(
                        "every item ends with `;`, which may be left out only after an `enum` or a `record`",
                    ),
            );
        }
        None
    }
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// The form of an item, by the word it begins with.
fn example(tokens: &[Token<'_>]) -> Option<&'static str> {
    let word = if tokens[0].is("keyed") { tokens.get(1)? } else { &tokens[0] };
    Some(match word.text {
        _ if tokens[0].is("keyed") => "`keyed enum Phase { Before, After }` or `keyed range Round = 1..4;`",
        "use" => {
            "`use program;`, `use \"lib/init.fp\";` or `use \"lib/closure.fp\" as up with T = Node, edge = arc;`"
        }
        "param" => "`param rounds = 4;` or `param rounds in 1..8 = 4;`",
        "const" => "`const last = rounds + 1;`",
        "enum" => "`enum Player { Eve, Adam }`",
        "range" => "`range Round = 1..rounds;`",
        "record" => "`record Game { who: Player, fresh: bool }`",
        "sort" => "`sort Symbol = State;`",
        "rel" => "`rel edge(x: Node, y: Node) = { (0, 1), (1, 2) };`",
        "input" => "`input edge(x: Node, y: Node);`",
        "let" => "`let R(x: T) = …;` or, for each index, `let R[i in 1..k](x: T) = …;`",
        "mu" => "`mu R(x: T) = …;` or, for each index, `mu R[i in 1..k](x: T) = …;`",
        "nu" => "`nu R(x: T) = …;` or, for each index, `nu R[i in 1..k](x: T) = …;`",
        "query" => "`query Hit = exists x. Reach(x);` or `query Where(x: Node) = Reach(x);`",
        "trace" => "`trace Run = exists q. Reach(q) & target(q);`",
        "require" => "`require program.calls = 0 \"calls are left\";`",
        "verdict" => "`verdict unsafe if Hit;` or `verdict bounded \"no violation found\";`",
        "hint" => "`hint symbolic Pc;`",
        _ => return None,
    })
}
