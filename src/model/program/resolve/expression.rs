//! Expressions: order of operators and meaning of names.

use super::body::BodyResolver;
use super::program::*;
use crate::model::program::ast::{self, Binary, Name, TokenKind};
use calculus::diagnostic::Diagnostic;

/// Whether `'x` may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Primes {
    Allowed,
    Forbidden,
}

impl BodyResolver<'_> {
    pub fn expression(&mut self, expression: &ast::Expr, primes: Primes) -> Expr {
        let mut code = Vec::new();
        for token in self.dialect.postfix(expression) {
            code.push(match &token.kind {
                TokenKind::Constant(value) => Op::Constant(*value),
                TokenKind::Nondet => Op::Nondet,
                TokenKind::Not => Op::Not,
                TokenKind::Schoose => Op::Schoose,
                TokenKind::Binary(Binary::And) => Op::And,
                TokenKind::Binary(Binary::Or) => Op::Or,
                TokenKind::Binary(Binary::Xor) => Op::Xor,
                TokenKind::Binary(Binary::Equal) => Op::Equal,
                TokenKind::Binary(Binary::Differ) => Op::Differ,
                TokenKind::Binary(Binary::Implies) => Op::Implies,
                TokenKind::Name(text) => self
                    .variable(&Name { text: text.clone(), span: token.span })
                    .map_or(Op::Constant(false), Op::Old),
                TokenKind::Primed(text) => {
                    if primes == Primes::Forbidden {
                        self.problems.push(
                            Diagnostic::error(
                                "bp::primed_variable",
                                format!("`'{text}` has no meaning here"),
                            )
                            .label(token.span, "means the value after the statement")
                            .help("primed variables are allowed only in `constrain`"),
                        );
                    }
                    let mut span = token.span;
                    span.start += 1;
                    self.variable(&Name { text: text.clone(), span }).map_or(Op::Constant(false), Op::New)
                }
                TokenKind::Open | TokenKind::Close => continue,
            });
        }
        Expr { code, span: expression.span }
    }

    pub fn expressions(&mut self, expressions: &[ast::Expr]) -> Vec<Expr> {
        expressions.iter().map(|expression| self.expression(expression, Primes::Forbidden)).collect()
    }

    /// A variable that is read or written; `None` after a reported mistake.
    pub fn variable(&mut self, name: &Name) -> Option<Var> {
        if let Some(index) = self.locals.get(name.text.as_str()) {
            return Some(Var::Local(*index));
        }
        let found = self.scope.variable(self.thread, &name.text);
        if found.is_some() {
            return found;
        }
        if !self.reported.insert(name.text.clone()) {
            return None;
        }
        if name.text.ends_with('$') {
            self.problems.push(super::scope::passive(name));
            return None;
        }
        let problem =
            Diagnostic::error("bp::undeclared_variable", format!("`{}` is not declared", name.text))
                .label(name.span, "no variable of this name is visible here");
        let names = self.locals.keys().copied().chain(self.scope.variable_names(self.thread));
        let otherwise = match name.text.as_str() {
            "true" | "TRUE" | "True" => "the constant is T or 1".to_string(),
            "false" | "FALSE" | "False" => "the constant is F or 0".to_string(),
            "_" => "`_` can only be assigned to".to_string(),
            _ => self.elsewhere(&name.text),
        };
        self.problems.push(problem.suggest(&name.text, names, &otherwise));
        None
    }

    /// Help for a name that is declared, but not where it is used.
    fn elsewhere(&self, name: &str) -> String {
        let is_local = |procedure: &&ast::Procedure| {
            procedure.locals.iter().any(|local| local.name.text == name)
                || procedure.parameters.iter().any(|parameter| parameter.text == name)
        };
        if let Some(procedure) = self.file.procedures.iter().find(is_local) {
            return format!("`{name}` is a local variable of `{}`", procedure.name.text);
        }
        if let Some(thread) = self.file.threads.iter().find(|t| t.own.iter().any(|own| own.name.text == name))
        {
            return format!(
                "`{name}` belongs to the thread `{}`; only it and its procedures see it",
                thread.name.text
            );
        }
        if self.scope.procedure(self.thread, name).is_some() {
            return format!("`{name}` is a procedure: call it in a statement of its own, `x := {name}(…);`");
        }
        format!("declare it with `decl {name};` at the beginning of the file or of the procedure")
    }
}
