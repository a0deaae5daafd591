//! The text of a formula: `G (lock -> F unlock)`.
//!
//! From the tightest: `!` `X` `F` `G`; `U` `W` `R` `M`, to the right; `&`; `|`; `->`, to the right; `<->`. The signs of
//! other tools (`&&`, `||`, `[]`, `<>`, `~`, `/\`, `\/`, `=>`, `<=>`) mean the same. A comment goes from `//` or `#` to
//! the end of its line.

use super::formula::{Connective, Formula};
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Span};

/// Deeper nesting than this is refused.
const MAX_DEPTH: usize = 200;

/// What a formula says of one position: a name, perhaps of a thread, perhaps compared with a value.
#[derive(Clone, Debug)]
pub struct Atom {
    /// `worker` in `worker@CS`
    pub thread: Option<String>,
    pub name: String,
    /// `= 3` in `state = 3`
    pub value: Option<(Compared, String)>,
    pub span: Span,
}

/// How a name is compared with a value. The other comparisons are the opposite of one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    Equal,
    Less,
    AtMost,
}

impl Atom {
    fn same(&self, other: &Atom) -> bool {
        (&self.thread, &self.name, &self.value) == (&other.thread, &other.name, &other.value)
    }

    /// The value that it is equal to, if it is compared with one. Whose values have no order, asks for this.
    pub fn equal(&self) -> Result<Option<&str>, Diagnostic> {
        match &self.value {
            None => Ok(None),
            Some((Compared::Equal, value)) => Ok(Some(value)),
            Some(_) => {
                let title = format!("values of `{}` have no order", self.name);
                let problem = Diagnostic::error("ltl::value", title).label(self.span, "compared here");
                Err(problem.help("only numbers are compared with < <= > >=; use = or !="))
            }
        }
    }
}

/// A formula, with its atoms in the order in which they first occur.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub formula: Formula,
    pub atoms: Vec<Atom>,
}

pub fn parse(file: FileId, text: &str) -> Result<Parsed, Diagnostic> {
    let tokens = tokens(file, text)?;
    // What is missing at the end is told at the last token.
    let end = tokens.last().map_or(Span::new(file, 0, text.len()), |token| token.span);
    let mut parser = Parser { tokens, at: 0, depth: 0, end, atoms: Vec::new() };
    let formula = parser.iff()?;
    match parser.peek() {
        None => Ok(Parsed { formula, atoms: parser.atoms }),
        Some(token) if token.text == ")" => {
            Err(syntax("a bracket that nothing opens", token.span, "no `(` before this one"))
        }
        Some(token) => Err(syntax("an operator is missing", token.span, "not expected here")
            .help("join formulas with `&`, `|`, `->`, `<->`, `U`, `W`, `R` or `M`")),
    }
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    span: Span,
    kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    /// A name or a number, or a name in quotes, which is no operator.
    Word,
    Quoted,
    Sign,
}

/// The longer one first where one begins with another.
const SIGNS: [&str; 26] = [
    "<->", "<=>", "->", "=>", "<>", "[]", "&&", "||", "/\\", "\\/", "!=", "==", "<=", ">=", "&", "|", "!",
    "~", "(", ")", "=", "<", ">", "@", "-", "\u{ac}",
];

fn tokens(file: FileId, text: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, kind) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") || first == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first == '"' {
            let Some(length) = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'))
            else {
                let span = Span::new(file, at, at + 1);
                return Err(syntax("a quote that is not closed", span, "the name begins here"));
            };
            let span = Span::new(file, at, at + length + 2);
            tokens.push(Token { text: &rest[1..=length], span, kind: TokenKind::Quoted });
            at += length + 2;
            continue;
        } else if is_word(first) {
            (rest.find(|c| !is_word(c)).unwrap_or(rest.len()), TokenKind::Word)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (sign.len(), TokenKind::Sign)
        } else {
            let span = Span::new(file, at, at + first.len_utf8());
            return Err(syntax(&format!("`{first}` has no meaning in a formula"), span, "this one")
                .help("a formula has names, `! X F G`, `U W R M`, `& | -> <->` and brackets"));
        };
        let span = Span::new(file, at, at + length);
        tokens.push(Token { text: &rest[..length], span, kind });
        at += length;
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\'')
}

fn syntax(title: &str, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error("ltl::syntax", title).label(span, label)
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    end: Span,
    atoms: Vec<Atom>,
}

type Parse = Result<Formula, Diagnostic>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    /// Goes on behind the next token if it is one of these.
    fn take(&mut self, texts: &[&str]) -> Option<Token<'a>> {
        let token =
            self.peek().filter(|token| token.kind != TokenKind::Quoted && texts.contains(&token.text))?;
        self.at += 1;
        Some(token)
    }

    fn iff(&mut self) -> Parse {
        let mut left = self.implies()?;
        while self.take(&["<->", "<=>"]).is_some() {
            left = both(Connective::Iff, left, self.implies()?);
        }
        Ok(left)
    }

    fn implies(&mut self) -> Parse {
        let left = self.or()?;
        match self.take(&["->", "=>"]) {
            Some(token) => {
                let right = self.deeper(token.span, Parser::implies)?;
                Ok(both(Connective::Implies, left, right))
            }
            None => Ok(left),
        }
    }

    fn or(&mut self) -> Parse {
        let mut left = self.and()?;
        while self.take(&["|", "||", "\\/"]).is_some() {
            left = both(Connective::Or, left, self.and()?);
        }
        Ok(left)
    }

    fn and(&mut self) -> Parse {
        let mut left = self.until()?;
        while self.take(&["&", "&&", "/\\"]).is_some() {
            left = both(Connective::And, left, self.until()?);
        }
        Ok(left)
    }

    fn until(&mut self) -> Parse {
        let left = self.unary()?;
        let Some(token) = self.take(&["U", "W", "R", "M", "V"]) else { return Ok(left) };
        let connective = match token.text {
            "U" => Connective::Until,
            "W" => Connective::WeakUntil,
            "M" => Connective::StrongRelease,
            _ => Connective::Release,
        };
        let right = self.deeper(token.span, Parser::until)?;
        Ok(both(connective, left, right))
    }

    fn unary(&mut self) -> Parse {
        let Some(token) = self.take(&["!", "~", "\u{ac}", "X", "F", "<>", "G", "[]"]) else {
            return self.primary();
        };
        let inner = Box::new(self.deeper(token.span, Parser::unary)?);
        Ok(match token.text {
            "X" => Formula::Next(inner),
            "F" | "<>" => Formula::Finally(inner),
            "G" | "[]" => Formula::Globally(inner),
            _ => Formula::Not(inner),
        })
    }

    fn primary(&mut self) -> Parse {
        if let Some(open) = self.take(&["("]) {
            let inner = self.deeper(open.span, Parser::iff)?;
            return match self.take(&[")"]) {
                Some(_) => Ok(inner),
                None => {
                    let missing = match self.peek() {
                        Some(token) => (token.span, "`)` is missing before this"),
                        None => (self.end, "`)` is missing behind this"),
                    };
                    let problem = syntax("a bracket that is not closed", open.span, "it is opened here");
                    Err(problem.label(missing.0, missing.1))
                }
            };
        }
        if let Some(constant) = self.take(&["true", "false"]) {
            return Ok(Formula::Constant(constant.text == "true"));
        }
        self.atom()
    }

    /// `NAME`, `THREAD@NAME`, either with `= VALUE` or another comparison.
    fn atom(&mut self) -> Parse {
        let first = self.word("a formula is missing")?;
        let (thread, name) = match self.take(&["@"]) {
            Some(_) => (Some(first), self.word("a label is missing")?),
            None => (None, first),
        };
        let mut span = thread.unwrap_or(name).span.to(name.span);
        // `n >= 3` is the opposite of `n < 3`.
        let sign = self.take(&["=", "==", "!=", "<", "<=", ">", ">="]).map(|sign| match sign.text {
            "!=" => (Compared::Equal, false),
            "<" => (Compared::Less, true),
            ">=" => (Compared::Less, false),
            "<=" => (Compared::AtMost, true),
            ">" => (Compared::AtMost, false),
            _ => (Compared::Equal, true),
        });
        let value = match sign {
            Some((compared, _)) => {
                let (value, place) = self.value()?;
                span = span.to(place);
                Some((compared, value))
            }
            None => None,
        };
        let thread = thread.map(|thread| thread.text.to_string());
        let atom = Atom { thread, name: name.text.into(), value, span };
        let known = self.atoms.iter().position(|known| known.same(&atom));
        let number = known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        });
        let formula = Formula::Atom(number);
        Ok(match sign {
            Some((_, false)) => Formula::Not(Box::new(formula)),
            _ => formula,
        })
    }

    /// `busy`, `3`, `-3`, or `-` alone.
    fn value(&mut self) -> Result<(String, Span), Diagnostic> {
        let Some(dash) = self.take(&["-"]) else {
            let word = self.word("a value is missing")?;
            return Ok((word.text.to_string(), word.span));
        };
        let number = |token: &Token| {
            token.span.start == dash.span.end && token.text.starts_with(|c: char| c.is_ascii_digit())
        };
        Ok(match self.peek().filter(number) {
            Some(number) => {
                self.at += 1;
                (format!("-{}", number.text), dash.span.to(number.span))
            }
            None => (dash.text.to_string(), dash.span),
        })
    }

    fn word(&mut self, missing: &str) -> Result<Token<'a>, Diagnostic> {
        const OPERATORS: [&str; 8] = ["X", "F", "G", "U", "W", "R", "M", "V"];
        let Some(token) = self.peek() else {
            return Err(syntax(missing, self.end, "the formula ends here").help("such as: G (p -> F q)"));
        };
        let operator = token.kind == TokenKind::Word && OPERATORS.contains(&token.text);
        if token.kind == TokenKind::Sign || operator {
            let problem = syntax(missing, token.span, "not expected here");
            let help =
                format!("a name that is written like an operator stands in quotes: \"{}\"", token.text);
            return Err(if operator { problem.help(help) } else { problem });
        }
        self.at += 1;
        Ok(token)
    }

    fn deeper(&mut self, span: Span, parse: fn(&mut Self) -> Parse) -> Parse {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let title = format!("the formula is nested more than {MAX_DEPTH} deep");
            return Err(syntax(&title, span, "too deep"));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }
}

fn both(connective: Connective, left: Formula, right: Formula) -> Formula {
    Formula::Both(connective, Box::new(left), Box::new(right))
}
