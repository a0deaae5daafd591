//! Questions about the tree that need no translation: what is called, what is changed, where threads are made.

use super::unit::Unit;
use lang_c::ast::{self, BinaryOperator, Expression, Statement, UnaryOperator};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::HashSet;

/// The name that is called, or the function that is meant: `f`, `&f`, `(void *(*)(void *))f`.
pub fn function_name(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Identifier(name) => Some(&name.node.name),
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
            function_name(&unary.node.operand.node)
        }
        Expression::Cast(cast) => function_name(&cast.node.expression.node),
        _ => None,
    }
}

/// All names that are called.
pub fn called(tree: &ast::TranslationUnit) -> HashSet<String> {
    let mut calls = Calls::default();
    calls.visit_translation_unit(tree);
    calls.names
}

#[derive(Default)]
struct Calls {
    names: HashSet<String>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast Span) {
        self.names.extend(function_name(&call.callee.node).map(String::from));
        visit::visit_call_expression(self, call, span);
    }
}

/// Whether a function is called where its result is used.
pub fn uses_result(tree: &ast::TranslationUnit, name: &str) -> bool {
    struct Results<'n> {
        name: &'n str,
        calls: usize,
        statements: usize,
        /// In `({ … })` the last statement is a result.
        inside: u32,
    }
    impl<'ast> Visit<'ast> for Results<'_> {
        fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast Span) {
            self.calls += usize::from(function_name(&call.callee.node) == Some(self.name));
            visit::visit_call_expression(self, call, span);
        }

        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            if let Statement::Expression(Some(expression)) = statement
                && let Expression::Call(call) = &expression.node
            {
                let is = self.inside == 0 && function_name(&call.node.callee.node) == Some(self.name);
                self.statements += usize::from(is);
            }
            visit::visit_statement(self, statement, span);
        }

        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let inside = u32::from(matches!(expression, Expression::Statement(_)));
            self.inside += inside;
            visit::visit_expression(self, expression, span);
            self.inside -= inside;
        }
    }
    let mut results = Results { name, calls: 0, statements: 0, inside: 0 };
    results.visit_translation_unit(tree);
    results.calls > results.statements
}

/// All calls, by the name that is called.
pub fn calls<'a>(tree: &'a ast::TranslationUnit, each: &mut dyn FnMut(&'a str, &'a [Node<Expression>])) {
    struct Each<'f, 'a>(&'f mut dyn FnMut(&'a str, &'a [Node<Expression>]));
    impl<'a> Visit<'a> for Each<'_, 'a> {
        fn visit_call_expression(&mut self, call: &'a ast::CallExpression, span: &'a Span) {
            if let Some(name) = function_name(&call.callee.node) {
                (self.0)(name, &call.arguments);
            }
            visit::visit_call_expression(self, call, span);
        }
    }
    Each(each).visit_translation_unit(tree);
}

pub fn calls_in(statement: &Statement, span: &Span) -> HashSet<String> {
    let mut calls = Calls::default();
    calls.visit_statement(statement, span);
    calls.names
}

/// Whether threads are made in a statement, or in what it calls.
pub fn makes_threads(unit: &Unit, statement: &Node<Statement>) -> bool {
    let mut seen: HashSet<String> = HashSet::new();
    let mut work = calls_in(&statement.node, &statement.span).into_iter().collect::<Vec<_>>();
    let mut labels = Labels::default();
    labels.visit_statement(&statement.node, &statement.span);
    if labels.asynchronous {
        return true;
    }
    while let Some(name) = work.pop() {
        if name == "pthread_create" {
            return true;
        }
        if let Some(function) = unit.functions.get(name.as_str())
            && seen.insert(name)
        {
            let body = &function.node.statement;
            work.extend(calls_in(&body.node, &body.span));
        }
    }
    false
}

#[derive(Default)]
struct Labels {
    asynchronous: bool,
}

impl<'ast> Visit<'ast> for Labels {
    fn visit_label(&mut self, label: &'ast ast::Label, _: &'ast Span) {
        if let ast::Label::Identifier(name) = label {
            self.asynchronous |= name.node.name.starts_with(super::statements::ASYNCHRONOUS);
        }
    }
}

/// Whether a name is assigned, counted, or its address taken.
pub fn changes(statement: &Node<Statement>, name: &str) -> bool {
    let mut changes = Changes { name, found: false };
    changes.visit_statement(&statement.node, &statement.span);
    changes.found
}

struct Changes<'n> {
    name: &'n str,
    found: bool,
}

impl Changes<'_> {
    fn is(&self, expression: &Expression) -> bool {
        matches!(expression, Expression::Identifier(name) if name.node.name == self.name)
    }
}

impl<'ast> Visit<'ast> for Changes<'_> {
    fn visit_unary_operator_expression(
        &mut self,
        unary: &'ast ast::UnaryOperatorExpression,
        span: &'ast Span,
    ) {
        let changes = matches!(
            unary.operator.node,
            UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::Address
        );
        self.found |= changes && self.is(&unary.operand.node);
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'ast ast::BinaryOperatorExpression,
        span: &'ast Span,
    ) {
        self.found |= assigns(&binary.operator.node) && self.is(&binary.lhs.node);
        visit::visit_binary_operator_expression(self, binary, span);
    }

    /// Another variable of the same name may be meant: better not to know.
    fn visit_declarator(&mut self, declarator: &'ast ast::Declarator, span: &'ast Span) {
        self.found |= super::unit::name_of(declarator) == Some(self.name);
        visit::visit_declarator(self, declarator, span);
    }

    fn visit_asm_statement(&mut self, _: &'ast ast::AsmStatement, _: &'ast Span) {
        self.found = true;
    }
}

pub fn assigns(operator: &BinaryOperator) -> bool {
    match operator {
        BinaryOperator::Assign
        | BinaryOperator::AssignMultiply
        | BinaryOperator::AssignDivide
        | BinaryOperator::AssignModulo
        | BinaryOperator::AssignPlus
        | BinaryOperator::AssignMinus
        | BinaryOperator::AssignShiftLeft
        | BinaryOperator::AssignShiftRight
        | BinaryOperator::AssignBitwiseAnd
        | BinaryOperator::AssignBitwiseXor
        | BinaryOperator::AssignBitwiseOr => true,
        BinaryOperator::Index
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Modulo
        | BinaryOperator::Plus
        | BinaryOperator::Minus
        | BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight
        | BinaryOperator::Less
        | BinaryOperator::Greater
        | BinaryOperator::LessOrEqual
        | BinaryOperator::GreaterOrEqual
        | BinaryOperator::Equals
        | BinaryOperator::NotEquals
        | BinaryOperator::BitwiseAnd
        | BinaryOperator::BitwiseXor
        | BinaryOperator::BitwiseOr
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr => false,
    }
}

/// The names in what is given to new threads: they must be visible there.
pub fn given_to_threads(statement: &Node<Statement>) -> HashSet<String> {
    let mut given = Given::default();
    given.visit_statement(&statement.node, &statement.span);
    given.names
}

#[derive(Default)]
struct Given {
    names: HashSet<String>,
    inside: bool,
}

impl<'ast> Visit<'ast> for Given {
    fn visit_call_expression(&mut self, call: &'ast ast::CallExpression, span: &'ast Span) {
        if function_name(&call.callee.node) == Some("pthread_create")
            && let Some(argument) = call.arguments.get(3)
        {
            self.inside = true;
            self.visit_expression(&argument.node, &argument.span);
            self.inside = false;
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_unary_operator_expression(
        &mut self,
        unary: &'ast ast::UnaryOperatorExpression,
        span: &'ast Span,
    ) {
        if self.inside && unary.operator.node == UnaryOperator::Address {
            let mut base = &unary.operand.node;
            loop {
                base = match base {
                    Expression::Identifier(name) => {
                        self.names.insert(name.node.name.clone());
                        break;
                    }
                    Expression::Member(member) => &member.node.expression.node,
                    Expression::BinaryOperator(binary)
                        if binary.node.operator.node == BinaryOperator::Index =>
                    {
                        &binary.node.lhs.node
                    }
                    _ => break,
                };
            }
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }
}

/// Whether a `goto` leads back to a label that stands before it.
pub fn jumps_back(statement: &Node<Statement>) -> bool {
    let mut jumps = Jumps::default();
    jumps.visit_statement(&statement.node, &statement.span);
    jumps.back
}

#[derive(Default)]
struct Jumps {
    labels: HashSet<String>,
    back: bool,
}

impl<'ast> Visit<'ast> for Jumps {
    fn visit_label(&mut self, label: &'ast ast::Label, span: &'ast Span) {
        if let ast::Label::Identifier(name) = label {
            self.labels.insert(name.node.name.clone());
        }
        visit::visit_label(self, label, span);
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        if let Statement::Goto(name) = statement {
            self.back |= self.labels.contains(&name.node.name);
        }
        visit::visit_statement(self, statement, span);
    }
}

/// Whether evaluating an expression needs nothing but reading variables, whatever these are.
pub fn is_plain(expression: &Expression) -> bool {
    match expression {
        Expression::Identifier(_) | Expression::Constant(_) | Expression::SizeOfTy(_) => true,
        Expression::UnaryOperator(unary) => match unary.node.operator.node {
            UnaryOperator::Plus
            | UnaryOperator::Minus
            | UnaryOperator::Complement
            | UnaryOperator::Negate => is_plain(&unary.node.operand.node),
            UnaryOperator::Indirection => matches!(unary.node.operand.node, Expression::Identifier(_)),
            _ => false,
        },
        Expression::Member(member) => is_plain(&member.node.expression.node),
        Expression::BinaryOperator(binary) => {
            let plain = matches!(
                binary.node.operator.node,
                BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Less
                    | BinaryOperator::Greater
                    | BinaryOperator::LessOrEqual
                    | BinaryOperator::GreaterOrEqual
                    | BinaryOperator::Equals
                    | BinaryOperator::NotEquals
            );
            plain && is_plain(&binary.node.lhs.node) && is_plain(&binary.node.rhs.node)
        }
        Expression::Cast(cast) => is_plain(&cast.node.expression.node),
        _ => false,
    }
}

/// The identifiers of an expression.
pub fn names(expression: &Expression, span: &Span) -> HashSet<String> {
    let mut names = Names::default();
    names.visit_expression(expression, span);
    names.0
}

#[derive(Default)]
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_identifier(&mut self, identifier: &'ast ast::Identifier, _: &'ast Span) {
        self.0.insert(identifier.name.clone());
    }
}

/// The largest number that the text of the functions writes, without a sign: as a literal, or computed from literals.
pub fn largest_literal(unit: &Unit) -> i128 {
    let mut literals = Literals(0);
    for function in unit.functions.values() {
        literals.visit_function_definition(&function.node, &function.span);
    }
    for variable in unit.variables.values() {
        if let Some(initializer) = variable.initializer {
            literals.visit_initializer(&initializer.node, &initializer.span);
        }
    }
    literals.0
}

struct Literals(i128);

impl<'ast> Visit<'ast> for Literals {
    fn visit_integer(&mut self, integer: &'ast ast::Integer, _: &'ast Span) {
        self.0 = self.0.max(super::constants::digits(integer).unwrap_or(0));
    }

    fn visit_binary_operator_expression(
        &mut self,
        binary: &'ast ast::BinaryOperatorExpression,
        span: &'ast Span,
    ) {
        let (left, right) = (written(&binary.lhs.node), written(&binary.rhs.node));
        let value =
            left.zip(right).and_then(|(left, right)| written_result(&binary.operator.node, left, right));
        self.0 = self.0.max(value.unwrap_or(0));
        visit::visit_binary_operator_expression(self, binary, span);
    }
}

/// The value of an expression of literals, as far as loops and sizes of arrays are written with it.
fn written(expression: &Expression) -> Option<i128> {
    match expression {
        Expression::Constant(constant) => match &constant.node {
            ast::Constant::Integer(integer) => super::constants::digits(integer),
            ast::Constant::Float(_) | ast::Constant::Character(_) => None,
        },
        Expression::BinaryOperator(binary) => {
            let binary = &binary.node;
            written_result(&binary.operator.node, written(&binary.lhs.node)?, written(&binary.rhs.node)?)
        }
        _ => None,
    }
}

fn written_result(operator: &BinaryOperator, left: i128, right: i128) -> Option<i128> {
    match operator {
        BinaryOperator::Plus => left.checked_add(right),
        BinaryOperator::Minus => left.checked_sub(right),
        BinaryOperator::Multiply => left.checked_mul(right),
        _ => None,
    }
}

/// The labels of the cases of a switch, not of those inside of it.
pub fn cases<'a>(statement: &'a Node<Statement>, out: &mut Vec<&'a Node<ast::Label>>) {
    match &statement.node {
        Statement::Labeled(labeled) => {
            if !matches!(labeled.node.label.node, ast::Label::Identifier(_)) {
                out.push(&labeled.node.label);
            }
            cases(&labeled.node.statement, out);
        }
        Statement::Compound(items) => {
            for item in items {
                if let ast::BlockItem::Statement(statement) = &item.node {
                    cases(statement, out);
                }
            }
        }
        Statement::If(conditional) => {
            cases(&conditional.node.then_statement, out);
            if let Some(otherwise) = &conditional.node.else_statement {
                cases(otherwise, out);
            }
        }
        Statement::While(repeated) => cases(&repeated.node.statement, out),
        Statement::DoWhile(repeated) => cases(&repeated.node.statement, out),
        Statement::For(repeated) => cases(&repeated.node.statement, out),
        Statement::Switch(_)
        | Statement::Expression(_)
        | Statement::Goto(_)
        | Statement::Continue
        | Statement::Break
        | Statement::Return(_)
        | Statement::Asm(_) => {}
    }
}

/// Whether there are labels or jumps to them.
pub fn has_labels(statement: &Node<Statement>) -> bool {
    let mut found = HasLabels::default();
    found.visit_statement(&statement.node, &statement.span);
    found.0
}

/// Whether an expression is what a pointer points to.
pub fn follows_a_pointer(expression: &Expression) -> bool {
    match expression {
        Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
        Expression::BinaryOperator(binary) => binary.node.operator.node == BinaryOperator::Index,
        Expression::Member(member) => {
            member.node.operator.node == ast::MemberOperator::Indirect
                || follows_a_pointer(&member.node.expression.node)
        }
        _ => false,
    }
}

/// The same, counting the cases of a switch, which may be one around it.
pub fn has_any_label(statement: &Node<Statement>) -> bool {
    let mut found = Vec::new();
    cases(statement, &mut found);
    !found.is_empty() || has_labels(statement)
}

#[derive(Default)]
struct HasLabels(bool);

impl<'ast> Visit<'ast> for HasLabels {
    fn visit_label(&mut self, label: &'ast ast::Label, _: &'ast Span) {
        self.0 |= matches!(label, ast::Label::Identifier(_));
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        self.0 |= matches!(statement, Statement::Goto(_));
        visit::visit_statement(self, statement, span);
    }
}

/// How often `return` stands in a statement.
pub fn returns(statement: &Node<Statement>) -> usize {
    let mut found = Returns::default();
    found.visit_statement(&statement.node, &statement.span);
    found.0
}

#[derive(Default)]
struct Returns(usize);

impl<'ast> Visit<'ast> for Returns {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        self.0 += usize::from(matches!(statement, Statement::Return(_)));
        visit::visit_statement(self, statement, span);
    }
}
