//! The dialects: how they are recognised and how their operators bind.

use std::fmt;
use std::str::FromStr;

use super::ast::{self, Binary, TokenKind};
pub use crate::model::options::Dialect;

impl Dialect {
    pub const ALL: [Dialect; 4] = [Dialect::Bebop, Dialect::Satabs, Dialect::Getafix, Dialect::Fpsolve];

    /// The dialect of a file, by the forms that occur in one dialect only.
    pub fn detect(file: &ast::File) -> Dialect {
        let shared_atomic = file.shared.iter().any(|declaration| declaration.name.text == "atomic");
        let init =
            file.procedures.iter().any(|p| p.kind == ast::ProcedureKind::Procedure && p.name.text == "init");
        if file.features.thread_blocks || file.features.init_block || file.features.domains {
            Dialect::Fpsolve
        } else if init && (shared_atomic || file.features.end_init) {
            Dialect::Getafix
        } else if file.features.satabs {
            Dialect::Satabs
        } else {
            Dialect::Bebop
        }
    }

    /// How tightly an operator binds, and whether it associates to the right.
    ///
    /// Getafix, WALi, IJIT: `!  = !=  &  ^  |  =>`. The yacc grammar of SATABS: `!  &  |  ^  = != =>`, the last three on one
    /// level and to the right. Arithmetic, which only fpsolve has, binds tighter than all of them.
    pub fn binding(self, operator: Binary) -> (u8, bool) {
        match (self, operator) {
            (_, Binary::Times | Binary::Modulo) => (8, false),
            (_, Binary::Plus | Binary::Minus) => (7, false),
            (_, Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast) => (6, false),
            (Dialect::Satabs, Binary::And) => (5, false),
            (Dialect::Satabs, Binary::Or) => (4, false),
            (Dialect::Satabs, Binary::Xor) => (3, false),
            (Dialect::Satabs, _) => (2, true),
            (_, Binary::Equal | Binary::Differ) => (5, false),
            (_, Binary::And) => (4, false),
            (_, Binary::Xor) => (3, false),
            (_, Binary::Or) => (2, false),
            (_, Binary::Implies) => (1, true),
        }
    }

    /// Puts an expression into postfix order (precedence climbing without recursion: Dijkstra's shunting yard).
    pub fn postfix(self, expression: &ast::Expr) -> Vec<&ast::Token> {
        let mut output = Vec::with_capacity(expression.tokens.len());
        let mut waiting: Vec<&ast::Token> = Vec::new();
        for token in &expression.tokens {
            match &token.kind {
                TokenKind::Constant(_)
                | TokenKind::Number(_)
                | TokenKind::Name(_)
                | TokenKind::Primed(_)
                | TokenKind::Nondet
                | TokenKind::Schoose => output.push(token),
                TokenKind::Not | TokenKind::Negative | TokenKind::Open => waiting.push(token),
                TokenKind::Close => {
                    while let Some(operator) = waiting.pop() {
                        if operator.kind == TokenKind::Open {
                            break;
                        }
                        output.push(operator);
                    }
                }
                TokenKind::Binary(operator) => {
                    while let Some(earlier) =
                        waiting.pop_if(|earlier| self.goes_first(&earlier.kind, *operator))
                    {
                        output.push(earlier);
                    }
                    waiting.push(token);
                }
            }
        }
        output.extend(waiting.into_iter().rev());
        output
    }

    fn goes_first(self, earlier: &TokenKind, operator: Binary) -> bool {
        let (level, right) = self.binding(operator);
        match earlier {
            TokenKind::Not | TokenKind::Negative => true,
            TokenKind::Binary(earlier) => {
                let earlier = self.binding(*earlier).0;
                earlier > level || earlier == level && !right
            }
            _ => false,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Bebop => "bebop",
            Dialect::Satabs => "satabs",
            Dialect::Getafix => "getafix",
            Dialect::Fpsolve => "fpsolve",
        })
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Dialect, String> {
        let known = Dialect::ALL.into_iter().find(|dialect| dialect.to_string() == text);
        known.ok_or_else(|| format!("unknown dialect `{text}`: bebop, satabs, getafix or fpsolve"))
    }
}
