//! Expressions: order of operators and meaning of names.

use super::body::BodyResolver;
use super::program::*;
use super::scope::Declared;
use super::typing::{Goal, Kind, Operand};
use crate::model::program::ast::{self, Binary, Name, Token, TokenKind};
use calculus::diagnostic::Diagnostic;

/// Whether `'x` may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Primes {
    Allowed,
    Forbidden,
}

impl BodyResolver<'_> {
    /// A condition.
    pub fn expression(&mut self, expression: &ast::Expr, primes: Primes) -> Expr {
        let (resolved, whole) = self.operands(expression, primes);
        self.truth(&whole);
        resolved
    }

    /// What is assigned to a variable, a parameter or a result; anything where there is none.
    pub fn value(&mut self, expression: &ast::Expr, goal: Option<Goal>) -> Expr {
        let (mut resolved, whole) = self.operands(expression, Primes::Forbidden);
        match goal {
            Some(goal) => self.fit(&mut resolved.code, &whole, &goal),
            None => {
                if let Kind::Literal(2..) = whole.kind {
                    self.number(&mut resolved.code, &whole);
                }
            }
        }
        resolved
    }

    /// The operations of an expression, and what the whole of it is.
    fn operands(&mut self, expression: &ast::Expr, primes: Primes) -> (Expr, Operand) {
        let (mut code, mut stack) = (Vec::new(), Vec::new());
        for token in self.dialect.postfix(expression) {
            if let Some(operand) = self.operation(token, primes, &mut code, &mut stack) {
                stack.push(operand);
            }
        }
        let whole = stack.pop().expect("the grammar wants an operand");
        (Expr { code, span: expression.span }, whole)
    }

    fn operation(
        &mut self,
        token: &Token,
        primes: Primes,
        code: &mut Vec<Op>,
        stack: &mut Vec<Operand>,
    ) -> Option<Operand> {
        let at = code.len();
        let leaf = |kind: Kind| Operand { kind, span: token.span, at, declared: None };
        let (op, operand) = match &token.kind {
            TokenKind::Constant(value) => (Op::Constant(*value), leaf(Kind::Truth)),
            TokenKind::Number(value @ 0..=1) => (Op::Constant(*value == 1), leaf(Kind::Literal(*value))),
            TokenKind::Number(value) => (Op::Number(*value), leaf(Kind::Literal(*value))),
            TokenKind::Nondet => (Op::Nondet, leaf(Kind::Star)),
            TokenKind::Name(text) => {
                let op = if text.ends_with('$') { Op::Theirs } else { Op::Old };
                self.named(&Name { text: text.clone(), span: token.span }, op, at)
            }
            TokenKind::Primed(text) => {
                if primes == Primes::Forbidden {
                    self.problems.push(
                        Diagnostic::error("bp::primed_variable", format!("`'{text}` has no meaning here"))
                            .label(token.span, "means the value after the statement")
                            .help("primed variables are allowed only in `constrain`"),
                    );
                }
                let mut span = token.span;
                span.start += 1;
                let op = if text.ends_with('$') { Op::TheirsAfter } else { Op::New };
                let (op, operand) = self.named(&Name { text: text.clone(), span }, op, at);
                (op, Operand { span: token.span, ..operand })
            }
            TokenKind::Not | TokenKind::Negative => {
                let operand = stack.pop().expect("the grammar wants an operand");
                let span = token.span.to(operand.span);
                if token.kind == TokenKind::Not {
                    self.truth(&operand);
                    (Op::Not, Operand { span, ..leaf(Kind::Truth) })
                } else {
                    let interval = self.number(code, &operand);
                    let kind = interval.map_or(Kind::Unknown, |of| Kind::Number(Interval::only(0).minus(of)));
                    (Op::Negate, Operand { span, ..leaf(kind) })
                }
            }
            TokenKind::Schoose | TokenKind::Binary(_) => {
                let right = stack.pop().expect("the grammar wants two operands");
                let left = stack.pop().expect("the grammar wants two operands");
                let (op, kind) = self.binary(&token.kind, code, &left, &right);
                (op, Operand { span: left.span.to(right.span), ..leaf(kind) })
            }
            TokenKind::Open | TokenKind::Close => return None,
        };
        code.push(op);
        Some(operand)
    }

    /// A variable, or a name of an enumeration.
    fn named(&mut self, name: &Name, op: impl Fn(Var) -> Op, at: usize) -> (Op, Operand) {
        let operand = |kind, declared| Operand { kind, span: name.span, at, declared };
        if let Some(known) = self.scope.domains.name(&name.text) {
            let kind = Kind::Name(known.domain.clone());
            return (Op::Number(known.number), operand(kind, Some(known.first.span)));
        }
        let var = if name.text.ends_with('$') { self.of_others(name) } else { self.variable(name) };
        match var {
            Some(var) => {
                let Declared { name, domain } = self.declared(var);
                (op(var), operand(Kind::of(domain), Some(name.span)))
            }
            None => (Op::Constant(false), operand(Kind::Unknown, None)),
        }
    }

    fn binary(&mut self, token: &TokenKind, code: &mut [Op], left: &Operand, right: &Operand) -> (Op, Kind) {
        let logical = |this: &mut Self, op| {
            this.truth(left);
            this.truth(right);
            (op, Kind::Truth)
        };
        let ordered = |this: &mut Self, code: &mut [Op], op| {
            this.number(code, left);
            this.number(code, right);
            (op, Kind::Truth)
        };
        let TokenKind::Binary(operator) = token else { return logical(self, Op::Schoose) };
        let arithmetic = match operator {
            Binary::And => return logical(self, Op::And),
            Binary::Or => return logical(self, Op::Or),
            Binary::Xor => return logical(self, Op::Xor),
            Binary::Implies => return logical(self, Op::Implies),
            Binary::Less => return ordered(self, code, Op::Less),
            Binary::AtMost => return ordered(self, code, Op::AtMost),
            Binary::Greater => return ordered(self, code, Op::Greater),
            Binary::AtLeast => return ordered(self, code, Op::AtLeast),
            Binary::Equal | Binary::Differ => {
                self.compare(code, left, right);
                return (if *operator == Binary::Equal { Op::Equal } else { Op::Differ }, Kind::Truth);
            }
            Binary::Plus => Op::Plus,
            Binary::Minus => Op::Minus,
            Binary::Times => Op::Times,
            Binary::Modulo => Op::Modulo,
        };
        let interval = self.arithmetic(code, *operator, left, right);
        (arithmetic, interval.map_or(Kind::Unknown, Kind::Number))
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
            self.problems.push(super::passive::misplaced(name));
            return None;
        }
        let problem =
            Diagnostic::error("bp::undeclared_variable", format!("`{}` is not declared", name.text))
                .label(name.span, "no variable of this name is visible here");
        let names = self.locals.keys().copied().chain(self.scope.variable_names(self.thread));
        let names = names.chain(self.scope.domains.all_names());
        let otherwise = match name.text.as_str() {
            "true" | "TRUE" | "True" => "the constant is T or 1".to_string(),
            "false" | "FALSE" | "False" => "the constant is F or 0".to_string(),
            "_" => "`_` can only be assigned to".to_string(),
            text if text.split_once('-').is_some_and(|(left, _)| self.knows(left)) => {
                let (left, right) = text.split_once('-').unwrap_or((text, ""));
                format!("`-` can be part of a name: with spaces, `{left} - {right}` is a difference")
            }
            _ => self.elsewhere(&name.text),
        };
        self.problems.push(problem.suggest(&name.text, names, &otherwise));
        None
    }

    fn knows(&self, name: &str) -> bool {
        self.locals.contains_key(name) || self.scope.variable(self.thread, name).is_some()
    }

    /// Help for a name that is declared, but not where it is used.
    fn elsewhere(&self, name: &str) -> String {
        let is_local = |procedure: &&ast::Procedure| {
            procedure.locals.iter().any(|local| local.name.text == name)
                || procedure.parameters.iter().any(|parameter| parameter.name.text == name)
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
