//! The order of evaluation: C leaves it open in which order operands and arguments are evaluated, and the translation goes
//! from left to right. Where one of them changes what another one reads or changes, that is said: other orders are left out.

use super::lower::Lower;
use super::unit::Unit;
use calculus::span::Span as Place;
use lang_c::ast::{self, BinaryOperator, Expression, Statement, UnaryOperator};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::HashSet;

/// Functions of the library that only read what they get the address of.
const READING: [&str; 2] = ["atomic_load", "atomic_load_explicit"];

/// What evaluating something may touch, by the names of variables.
#[derive(Default)]
struct Effects {
    reads: HashSet<String>,
    changes: HashSet<String>,
    /// Something is changed that a pointer points to.
    changes_targets: bool,
    /// Functions with a body that are called.
    calls: HashSet<String>,
}

impl Effects {
    fn changes(&mut self, place: &Expression) {
        match place {
            Expression::Identifier(name) => drop(self.changes.insert(name.node.name.clone())),
            Expression::Member(member) => {
                let direct = member.node.operator.node == ast::MemberOperator::Direct;
                self.changes_targets |= !direct;
                self.changes(&member.node.expression.node);
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.changes(&binary.node.lhs.node);
            }
            _ => self.changes_targets = true,
        }
    }

    fn does_nothing(&self) -> bool {
        self.changes.is_empty() && !self.changes_targets
    }

    fn changes_what_is_in(&self, other: &Effects) -> bool {
        let touched = |name: &String| other.reads.contains(name) || other.changes.contains(name);
        let anything = !other.reads.is_empty() || !other.does_nothing();
        self.changes.iter().any(touched) || self.changes_targets && anything
    }
}

impl<'ast> Visit<'ast> for Effects {
    fn visit_identifier(&mut self, identifier: &'ast ast::Identifier, _: &'ast Span) {
        self.reads.insert(identifier.name.clone());
    }

    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast Span) {
        if let Some(name) = super::scan::function_name(&call.callee.node) {
            self.calls.insert(name.into());
        }
        let called = super::scan::function_name(&call.callee.node);
        let only_reads = called.is_some_and(|name| READING.contains(&name));
        // What a function gets the address of, it may change.
        for argument in call.arguments.iter().filter(|_| !only_reads) {
            if let Expression::UnaryOperator(unary) = &argument.node
                && unary.node.operator.node == UnaryOperator::Address
            {
                self.changes(&unary.node.operand.node);
            }
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_unary_operator_expression(
        &mut self,
        unary: &'ast ast::UnaryOperatorExpression,
        span: &'ast Span,
    ) {
        if matches!(
            unary.operator.node,
            UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
        ) {
            self.changes(&unary.operand.node);
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'ast ast::BinaryOperatorExpression,
        span: &'ast Span,
    ) {
        let assigns = binary.operator.node == BinaryOperator::Assign
            || super::assignments::compound_operator(&binary.operator.node).is_some();
        if assigns {
            self.changes(&binary.lhs.node);
        }
        visit::visit_binary_operator_expression(self, binary, span);
    }
}

/// What finding a place touches: what is there is not read.
fn effects_of_place(unit: &Unit, place: &Node<Expression>) -> Vec<Effects> {
    match &place.node {
        Expression::Identifier(_) => Vec::new(),
        Expression::Member(member) if member.node.operator.node == ast::MemberOperator::Direct => {
            effects_of_place(unit, &member.node.expression)
        }
        Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
            let mut parts = effects_of_place(unit, &binary.node.lhs);
            parts.push(effects(unit, &binary.node.rhs));
            parts
        }
        _ => vec![effects(unit, place)],
    }
}

/// What an expression and the functions that it calls may touch.
fn effects(unit: &Unit, expression: &Node<Expression>) -> Effects {
    let mut all = Effects::default();
    all.visit_expression(&expression.node, &expression.span);
    let mut work = all.calls.iter().cloned().collect::<Vec<_>>();
    let mut seen: HashSet<String> = HashSet::new();
    while let Some(name) = work.pop() {
        let Some(function) = unit.functions.get(name.as_str()).filter(|_| seen.insert(name)) else {
            continue;
        };
        let mut inside = Effects::default();
        let body: &Node<Statement> = &function.node.statement;
        inside.visit_statement(&body.node, &body.span);
        // Other names are those of its own variables.
        let global = |name: &String| unit.variables.contains_key(name.as_str());
        all.reads.extend(inside.reads.into_iter().filter(global));
        all.changes.extend(inside.changes.into_iter().filter(global));
        all.changes_targets |= inside.changes_targets;
        work.extend(inside.calls);
    }
    all
}

impl Lower<'_> {
    /// Says so if it makes a difference in which order these are evaluated.
    pub fn one_order_of<'n>(&mut self, parts: impl IntoIterator<Item = &'n Node<Expression>>, place: Place) {
        let parts = parts.into_iter().map(|part| effects(self.unit, part)).collect::<Vec<_>>();
        self.one_order(&parts, place);
    }

    /// The same for `a = b = c`. Where both are one variable, both get the same value.
    pub fn one_order_of_chain(&mut self, to: &Node<Expression>, value: &Node<Expression>, place: Place) {
        let mut parts = effects_of_place(self.unit, to);
        parts.push(effects(self.unit, value));
        self.one_order(&parts, place);
    }

    fn one_order(&mut self, parts: &[Effects], place: Place) {
        let busy = |effects: &Effects| !effects.does_nothing();
        if !parts.iter().any(busy) {
            return;
        }
        for (at, one) in parts.iter().enumerate() {
            for other in &parts[at + 1..] {
                if one.changes_what_is_in(other) || other.changes_what_is_in(one) {
                    let why =
                        "the order of evaluation matters, and only that from left to right is looked at";
                    self.fewer_runs.insert(place, why.into());
                    return;
                }
            }
        }
    }
}
