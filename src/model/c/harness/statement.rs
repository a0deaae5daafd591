//! Statements of the text: where expressions are in them.

use super::super::scan;
use super::text::{Edit, Meaning, Text};
use lang_c::ast::{self, BlockItem, Expression, ForInitializer, Statement};
use lang_c::span::Node;
use std::collections::HashMap;

impl<'a> Text<'a> {
    pub fn statement(&mut self, statement: &'a Node<Statement>, edits: &mut Vec<Edit>) {
        match &statement.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node, edits),
            Statement::Compound(items) => {
                self.scopes.push(HashMap::new());
                self.given.push(scan::given_to_threads(statement));
                items.iter().for_each(|item| self.item(item, edits));
                self.given.pop();
                self.scopes.pop();
            }
            Statement::Expression(None)
            | Statement::Goto(_)
            | Statement::Continue
            | Statement::Break
            | Statement::Return(None)
            | Statement::Asm(_) => {}
            Statement::Expression(Some(expression)) => {
                let text = self.effect(expression);
                edits.push((expression.span.start, expression.span.end, text));
            }
            Statement::If(conditional) => {
                self.edit(&conditional.node.condition, edits);
                self.statement(&conditional.node.then_statement, edits);
                if let Some(otherwise) = &conditional.node.else_statement {
                    self.statement(otherwise, edits);
                }
            }
            Statement::Switch(switch) => {
                self.edit(&switch.node.expression, edits);
                self.statement(&switch.node.statement, edits);
            }
            Statement::While(repeated) => {
                self.edit(&repeated.node.expression, edits);
                self.statement(&repeated.node.statement, edits);
            }
            Statement::DoWhile(repeated) => {
                self.statement(&repeated.node.statement, edits);
                self.edit(&repeated.node.expression, edits);
            }
            Statement::For(repeated) => self.counting(&repeated.node, edits),
            Statement::Return(Some(value)) => match self.begins {
                // Nobody looks at what a thread returns.
                true => {
                    let text = self.effect(value);
                    edits.push((value.span.start, value.span.end, text));
                }
                false => self.edit(value, edits),
            },
        }
    }

    fn item(&mut self, item: &'a Node<BlockItem>, edits: &mut Vec<Edit>) {
        match &item.node {
            BlockItem::Declaration(declaration) => self.declaration(declaration, edits),
            BlockItem::StaticAssert(_) => {}
            BlockItem::Statement(statement) => self.statement(statement, edits),
        }
    }

    fn edit(&mut self, expression: &'a Node<Expression>, edits: &mut Vec<Edit>) {
        let text = self.value(expression);
        edits.push((expression.span.start, expression.span.end, text));
    }

    fn counting(&mut self, repeated: &'a ast::ForStatement, edits: &mut Vec<Edit>) {
        self.scopes.push(HashMap::new());
        self.given.push(scan::given_to_threads(&repeated.statement));
        match &repeated.initializer.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
            ForInitializer::Expression(expression) => {
                let text = self.effect(expression);
                edits.push((expression.span.start, expression.span.end, text));
            }
            ForInitializer::Declaration(declaration) => self.counter(declaration, edits),
        }
        if let Some(condition) = &repeated.condition {
            self.edit(condition, edits);
        }
        if let Some(step) = &repeated.step {
            let text = self.effect(step);
            edits.push((step.span.start, step.span.end, text));
        }
        self.statement(&repeated.statement, edits);
        self.given.pop();
        self.scopes.pop();
    }

    /// No statement can stand behind a declaration that is a part of a loop, but another variable can.
    fn counter(&mut self, declaration: &'a Node<ast::Declaration>, edits: &mut Vec<Edit>) {
        let made = self.declared(declaration, edits);
        if let Some(last) = declaration.node.declarators.last() {
            let end = self.end(last.span);
            let made = made.iter().map(|(at, name)| format!(", fp_made_{at} = (FP_OBJECT({at}, {name}), 0)"));
            edits.push((end, end, made.collect()));
        }
    }

    fn labeled(&mut self, labeled: &'a ast::LabeledStatement, edits: &mut Vec<Edit>) {
        if let ast::Label::Identifier(name) = &labeled.label.node {
            let name = &name.node.name;
            if name.starts_with(super::super::statements::ASYNCHRONOUS) {
                return self.asynchronous(&labeled.statement, edits);
            }
            if self.errors.contains(name) {
                let (start, end) = (labeled.statement.span.start, self.end(labeled.statement.span));
                edits.push((start, start, format!("{{ fp_error(\"the label {name}\", __LINE__); ")));
                self.statement(&labeled.statement, edits);
                edits.push((end, end, " }".into()));
                return;
            }
        }
        self.statement(&labeled.statement, edits);
    }

    /// `__CPROVER_ASYNC_1: f(x);` is executed by a new thread.
    fn asynchronous(&mut self, statement: &'a Node<Statement>, edits: &mut Vec<Edit>) {
        if let Statement::Expression(Some(expression)) = &statement.node
            && let Expression::Call(call) = &expression.node
            && let Some(name) = super::super::scan::function_name(&call.node.callee.node)
        {
            let argument = call.node.arguments.first().map_or("0".into(), |argument| self.value(argument));
            let text = format!(
                "({{ pthread_t fp_new; FP_CREATE(&fp_new, 0, (void *(*)(void *)){name}, (long)({argument})); }})"
            );
            edits.push((expression.span.start, expression.span.end, text));
        }
    }

    /// Whether others may see what a place means.
    pub fn sees(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Identifier(name) => self.meaning(&name.node.name) == Some(Meaning::Shared),
            Expression::Member(member) => match member.node.operator.node {
                ast::MemberOperator::Direct => self.sees(&member.node.expression.node),
                ast::MemberOperator::Indirect => true,
            },
            Expression::BinaryOperator(binary) if binary.node.operator.node == ast::BinaryOperator::Index => {
                match &binary.node.lhs.node {
                    Expression::Identifier(name) => self.meaning(&name.node.name) != Some(Meaning::Own),
                    base => self.sees(base),
                }
            }
            Expression::UnaryOperator(unary) => unary.node.operator.node == ast::UnaryOperator::Indirection,
            _ => false,
        }
    }
}
