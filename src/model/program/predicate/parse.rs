//! The text of a predicate as a tree. Operators bind as in C; those of Boolean programs (`=`, `&`, `|`) are known too.

use super::PredicateText;
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;

#[derive(Clone, Debug)]
pub struct Tree {
    pub node: Node,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Node {
    Constant(bool),
    Number(i64),
    Name { name: String, other: bool },
    Not(Box<Tree>),
    Negative(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    /// `&` of truth values, or of a number and a mask.
    BitAnd,
    Equal,
    Differ,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Modulo,
}

/// From the loosest to the tightest, the longer ones of those that begin alike first.
const OPERATORS: [(&str, Operator, u8); 17] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("|", Operator::Or, 3),
    ("&", Operator::BitAnd, 5),
    ("==", Operator::Equal, 6),
    ("!=", Operator::Differ, 6),
    ("<=", Operator::AtMost, 7),
    (">=", Operator::AtLeast, 7),
    ("=<", Operator::AtMost, 7),
    ("=", Operator::Equal, 6),
    ("<", Operator::Less, 7),
    (">", Operator::Greater, 7),
    ("+", Operator::Plus, 8),
    ("-", Operator::Minus, 8),
    ("*", Operator::Times, 9),
    ("%", Operator::Modulo, 9),
    ("^", Operator::Differ, 4),
];

/// Brackets and prefix operators may be this deep inside each other, and a text this long.
const DEEPEST: usize = 50;
const LONGEST: usize = 2_000;

pub fn parse(text: &PredicateText) -> Result<Tree, Diagnostic> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.text.len() > LONGEST {
        return Err(parser.mistake(0, LONGEST, "the predicate is too long", "make several of it"));
    }
    let tree = parser.binary(0)?;
    parser.blanks();
    if parser.at < text.text.len() {
        return Err(parser.unexpected("an operator, or the end"));
    }
    Ok(tree)
}

struct Parser<'a> {
    text: &'a PredicateText,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text.text[self.at..]
    }

    fn span(&self, from: usize, to: usize) -> Span {
        let place = |at: usize| self.text.start + at as u32;
        Span { file: self.text.file, start: place(from), end: place(to) }
    }

    fn mistake(&self, from: usize, to: usize, title: &str, help: &str) -> Diagnostic {
        let to = to.min(self.text.text.len()).max(from);
        Diagnostic::error("predicate::syntax", title).label(self.span(from, to), "here").help(help)
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        let title = format!("{expected} is expected here");
        let help =
            "a predicate is a condition, for example 's == l', 'l < t', or 'l != other.l' about two threads";
        self.mistake(self.at, end, &title, help)
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn binary(&mut self, least: u8) -> Result<Tree, Diagnostic> {
        let mut left = self.operand()?;
        loop {
            self.blanks();
            let rest = self.rest();
            let Some((text, operator, level)) = OPERATORS.iter().find(|(text, ..)| rest.starts_with(text))
            else {
                return Ok(left);
            };
            if *level <= least {
                return Ok(left);
            }
            self.at += text.len();
            let right = self.binary(*level)?;
            let span = left.span.to(right.span);
            left = Tree { node: Node::Binary(*operator, Box::new(left), Box::new(right)), span };
        }
    }

    fn operand(&mut self) -> Result<Tree, Diagnostic> {
        self.blanks();
        let start = self.at;
        self.depth += 1;
        if self.depth > DEEPEST {
            let title = format!("brackets and prefixes are more than {DEEPEST} deep inside each other");
            return Err(self.mistake(start, start + 1, &title, "make several predicates of it"));
        }
        let first = self.rest().chars().next();
        let node = match first {
            Some('(') => {
                self.at += 1;
                let inner = self.binary(0)?;
                self.blanks();
                if !self.rest().starts_with(')') {
                    return Err(self.unexpected("`)`"));
                }
                self.at += 1;
                inner.node
            }
            Some('!') => {
                self.at += 1;
                Node::Not(Box::new(self.operand()?))
            }
            Some('-') => {
                self.at += 1;
                Node::Negative(Box::new(self.operand()?))
            }
            Some(digit) if digit.is_ascii_digit() => self.number()?,
            Some(letter)
                if letter.is_alphabetic() || letter == '_' || self.number_behind(&['@']).is_some() =>
            {
                self.name()
            }
            _ => return Err(self.unexpected("a variable, a number or `(`")),
        };
        self.depth -= 1;
        Ok(Tree { node, span: self.span(start, self.at) })
    }

    fn word(&mut self, inside: impl Fn(char) -> bool) -> String {
        let word = self.rest().chars().take_while(|c| inside(*c)).collect::<String>();
        self.at += word.len();
        word
    }

    fn number(&mut self) -> Result<Node, Diagnostic> {
        let start = self.at;
        let word = self.word(|c| c.is_ascii_alphanumeric());
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let read = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        match read {
            Ok(value) if value < 1 << 40 => Ok(Node::Number(value)),
            Ok(_) => Err(self.mistake(start, self.at, "the number is too large", "numbers are below 2^40")),
            Err(_) => {
                Err(self.mistake(start, self.at, &format!("`{word}` is no number"), "write 12 or 0x0c"))
            }
        }
    }

    /// The digits behind one of these signs, with it.
    fn number_behind(&self, signs: &[char]) -> Option<String> {
        let behind = self.rest().strip_prefix(signs)?;
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| self.rest()[..=digits].to_string())
    }

    /// `x`, `x.field`, `x[2]`, and of another thread `other.x` or `x$`. With C also `x#2`, another variable of that name, and
    /// `x@12`, what was read of it in line 12.
    fn name(&mut self) -> Node {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        let mut name = self.word(letter);
        let other = name == "other" && self.rest().starts_with('.');
        if other {
            self.at += 1;
            name = self.word(letter);
        }
        loop {
            if let Some(number) = self.number_behind(&['#', '@']) {
                name.push_str(&number);
                self.at += number.len();
                continue;
            }
            let rest = self.rest();
            let index = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let index = index.filter(|(index, _)| index.bytes().all(|byte| byte.is_ascii_digit()));
            let field = rest.strip_prefix('.').and_then(|rest| rest.chars().next());
            match (index, field) {
                (Some((index, _)), _) => {
                    name.push_str(&format!("[{index}]"));
                    self.at += index.len() + 2;
                }
                (None, Some(first)) if letter(first) => {
                    self.at += 1;
                    name.push('.');
                    name.push_str(&self.word(letter));
                }
                _ => break,
            }
        }
        let theirs = self.rest().starts_with('$');
        self.at += usize::from(theirs);
        match name.as_str() {
            "T" | "true" | "TRUE" if !other && !theirs => Node::Constant(true),
            "F" | "false" | "FALSE" if !other && !theirs => Node::Constant(false),
            _ => Node::Name { name, other: other || theirs },
        }
    }
}
