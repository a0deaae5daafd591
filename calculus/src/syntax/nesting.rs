//! How the brackets of an item match, and what nests deeper than any tree may be high.
//!
//! Both are read off the tokens: a text of a million open parentheses, negations or quantifiers is refused
//! here, before a parser looks at it.

use super::scan::{Token, TokenKind};

pub(super) struct Nesting {
    /// The first token that opens a level too deep.
    pub too_deep: Option<usize>,
    /// For each token, and for the end, the innermost bracket that is open before it.
    pub inside: Vec<Option<usize>>,
    /// Brackets that are never closed by one of their kind.
    pub unclosed: Vec<usize>,
}

/// What has been seen between the brackets that enclose a place.
#[derive(Default)]
struct BracketLevel {
    /// Quantifiers that reach to here.
    scopes: usize,
    /// `->` that nest to the right.
    implications: usize,
    /// Prefixes directly before this place.
    prefixes: usize,
    /// Between a quantifier and the end of its variables.
    head: bool,
}

pub(super) fn nesting(item: &[Token<'_>], limit: usize) -> Nesting {
    let mut open: Vec<usize> = Vec::new();
    let mut opened = [0usize; 3];
    let mut levels = vec![BracketLevel::default()];
    let mut result =
        Nesting { too_deep: None, inside: Vec::with_capacity(item.len() + 1), unclosed: Vec::new() };
    for (at, token) in item.iter().enumerate() {
        result.inside.push(open.last().copied());
        match token.kind {
            TokenKind::Open => {
                open.push(at);
                opened[shape(token.text)] += 1;
                levels.push(BracketLevel::default());
            }
            // A bracket that is open further out was meant; those inside it were forgotten.
            TokenKind::Close if opened[shape(token.text)] > 0 => {
                while let Some(top) = open.pop() {
                    opened[shape(item[top].text)] -= 1;
                    levels.pop();
                    if shape(item[top].text) == shape(token.text) {
                        break;
                    }
                    result.unclosed.push(top);
                }
            }
            _ => {
                if let Some(level) = levels.last_mut() {
                    level.see(&item[at..]);
                }
            }
        }
        let deepest = levels.last().map_or(0, |level| level.depth().max(open.len()));
        if deepest > limit && result.too_deep.is_none() {
            result.too_deep = Some(at);
        }
    }
    result.inside.push(open.last().copied());
    result.unclosed.extend(open);
    result
}

impl BracketLevel {
    fn depth(&self) -> usize {
        self.scopes.max(self.implications).max(self.prefixes)
    }

    fn see(&mut self, rest: &[Token<'_>]) {
        self.prefixes = if matches!(rest[0].text, "!" | "-") { self.prefixes + 1 } else { 0 };
        match rest[0].text {
            "exists" | "forall" | "some" | "each" => {
                self.scopes += 1;
                self.head = true;
            }
            "." | ":" => self.head = false,
            "->" => self.implications += 1,
            "<->" => self.implications = 0,
            // What is separated by these does not nest.
            "," | ":=" | ".." if !self.head => *self = BracketLevel::default(),
            "|" if rest.get(2).is_some_and(|colon| colon.is(":")) => *self = BracketLevel::default(),
            _ => {}
        }
    }
}

fn shape(bracket: &str) -> usize {
    match bracket {
        "(" | ")" => 0,
        "[" | "]" => 1,
        _ => 2,
    }
}

pub(super) fn closing(open: &str) -> &'static str {
    [")", "]", "}"][shape(open)]
}
