//! Statements. Structured ones keep their structure where conditions are plain; all others become jumps.

use super::emit::Label;
use super::lower::{Around, Entity, Lower, Lowered, MOST_STATEMENTS, Refusal, mistake, unsupported};
use super::types::CType;
use super::value::{Number, Truth, Value};
use crate::model::program::{Form, Interval, Op};
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;
use lang_c::ast::{self, BinaryOperator, BlockItem, Expression, ForInitializer, Statement, UnaryOperator};
use lang_c::span::Node;

/// Labels of SATABS: the statement behind them is executed by a new thread.
pub const ASYNCHRONOUS: &str = "__CPROVER_ASYNC_";
/// A loop that makes threads is unrolled up to so often.
const MOST_TURNS: i128 = 64;

/// A loop with a counter: `for (i = first; i < last; i++)`
struct Counted<'a> {
    name: &'a str,
    first: i128,
    last: i128,
    step: i128,
}

/// The cases of a switch, with their labels.
#[derive(Default)]
struct Cases {
    values: Vec<(i128, i128, Label)>,
    otherwise: Option<Label>,
}

impl<'a> Lower<'a> {
    /// Translates a statement; what is refused is remembered, and the rest goes on.
    pub fn statement(&mut self, statement: &'a Node<Statement>) {
        if self.emitter.statements.len() > MOST_STATEMENTS {
            let span = self.span(statement);
            let title =
                format!("the program has more than {MOST_STATEMENTS} steps when all calls are inlined");
            self.refuse(unsupported(span, title, "make it smaller"));
            return;
        }
        if let Err(refusal) = self.attempt(statement) {
            self.refuse(refusal);
        }
    }

    fn attempt(&mut self, statement: &'a Node<Statement>) -> Lowered<()> {
        let span = self.span(statement);
        match &statement.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node, span),
            Statement::Compound(items) => {
                self.scope();
                self.items(items);
                self.leave_scope();
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(expression)) => self.effect(expression),
            Statement::If(conditional) => self.conditional_statement(&conditional.node, span),
            Statement::Switch(switch) => self.switch(&switch.node, span),
            Statement::While(repeated) => {
                self.repeat(Some(&repeated.node.expression), None, &repeated.node.statement)
            }
            Statement::DoWhile(repeated) => self.repeat_first(&repeated.node, span),
            Statement::For(repeated) => self.counting(&repeated.node, span),
            Statement::Goto(name) => {
                let label = self.named_label(&name.node.name);
                self.emitter.goto(label, span);
                Ok(())
            }
            Statement::Continue => {
                let next = self.frame().loops.iter().rev().find_map(|around| around.next);
                let next = next.ok_or_else(|| mistake(span, "there is no loop around this", "`continue`"))?;
                self.emitter.goto(next, span);
                Ok(())
            }
            Statement::Break => {
                let end = self.frame().loops.last().map(|around| around.end);
                let end = end.ok_or_else(|| mistake(span, "there is no loop around this", "`break`"))?;
                self.emitter.goto(end, span);
                Ok(())
            }
            Statement::Return(value) => self.leave(value.as_deref(), span),
            Statement::Asm(_) => {
                Err(unsupported(span, "assembly is not supported", "write what it does in C"))
            }
        }
    }

    /// The parts of a block. Numbers that nobody knows, and that the next statement bounds, are inside these bounds.
    pub fn items(&mut self, items: &'a [Node<BlockItem>]) {
        for (at, item) in items.iter().enumerate() {
            self.bounded_next = items.get(at + 1).and_then(|next| self.bound_by(item, next));
            self.item(item);
            self.bounded_next = None;
        }
    }

    fn item(&mut self, item: &'a Node<BlockItem>) {
        match &item.node {
            BlockItem::Declaration(declaration) => {
                if let Err(refusal) = self.local_declaration(declaration) {
                    self.refuse(refusal);
                    for declarator in &declaration.node.declarators {
                        let name = super::unit::name_of(&declarator.node.declarator.node);
                        name.into_iter().for_each(|name| self.declare(name, Entity::Refused));
                    }
                }
            }
            BlockItem::StaticAssert(_) => {}
            BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    /// `({ … })`: its value is that of the last expression.
    pub fn statement_expression(&mut self, statement: &'a Node<Statement>) -> Lowered<Value> {
        if self.frames.is_empty() {
            return Err(mistake(
                self.span(statement),
                "statements stand in functions",
                "outside of all functions",
            ));
        }
        let Statement::Compound(items) = &statement.node else {
            self.attempt(statement)?;
            return Ok(Value::Void);
        };
        self.scope();
        let mut value = Ok(Value::Void);
        for (at, item) in items.iter().enumerate() {
            match &item.node {
                BlockItem::Statement(Node { node: Statement::Expression(Some(last)), .. })
                    if at + 1 == items.len() =>
                {
                    let span = self.span(&**last);
                    value = self.value(last).map(|value| self.settled_value(value, span));
                }
                _ => self.item(item),
            }
        }
        self.leave_scope();
        value
    }

    pub fn named_label(&mut self, name: &str) -> Label {
        if let Some(label) = self.frame().labels.get(name) {
            return *label;
        }
        let label = self.emitter.label();
        self.frame().labels.insert(name.into(), label);
        label
    }

    fn labeled(&mut self, labeled: &'a ast::LabeledStatement, span: Span) -> Lowered<()> {
        match &labeled.label.node {
            ast::Label::Identifier(name) => {
                let name = &name.node.name;
                if name.starts_with(ASYNCHRONOUS) {
                    return self.asynchronous(&labeled.statement, span);
                }
                if name.starts_with("__CPROVER_passive_broadcast") {
                    return self.passive(&labeled.statement, span);
                }
                let label = self.named_label(name);
                if self.emitter.is_placed(label) {
                    return Err(mistake(span, format!("the label `{name}` stands twice"), "again here"));
                }
                self.emitter.name(name);
                self.emitter.place(label);
            }
            // The switch around it has prepared these.
            ast::Label::Case(_) | ast::Label::CaseRange(_) | ast::Label::Default => {
                let key = case_key(labeled.label.span.start);
                match self.frame().labels.get(&key).copied() {
                    Some(label) => self.emitter.place(label),
                    None => return Err(mistake(span, "there is no switch around this", "a case")),
                }
            }
        }
        self.statement(&labeled.statement);
        Ok(())
    }

    fn conditional_statement(&mut self, conditional: &'a ast::IfStatement, span: Span) -> Lowered<()> {
        let place = self.span(&*conditional.condition);
        let condition = self.condition(&conditional.condition)?;
        // A branch that is never taken may still have labels that are jumped to.
        let reserved = self.emitter.reserve(place);
        let lives = |statement: &Node<Statement>, taken: bool| {
            condition.known() != Some(!taken) || super::scan::has_any_label(statement)
        };
        self.emitter.open();
        if lives(&conditional.then_statement, true) {
            self.statement(&conditional.then_statement);
        }
        let then = self.emitter.close(span);
        self.emitter.open();
        if let Some(otherwise) = conditional.else_statement.as_ref().filter(|it| lives(it, false)) {
            self.statement(otherwise);
        }
        let otherwise = self.emitter.close(span);
        self.emitter.put(reserved, Form::If { condition: condition.expression(place), then, otherwise });
        Ok(())
    }

    /// `while` and `for` without its beginning.
    fn repeat(
        &mut self,
        condition: Option<&'a Node<Expression>>,
        step: Option<&'a Node<Expression>>,
        body: &'a Node<Statement>,
    ) -> Lowered<()> {
        let span = condition.map_or_else(|| self.span(body), |condition| self.span(condition));
        let (again, end) = (self.emitter.label(), self.emitter.label());
        // Without a step, `continue` leads to the condition.
        let next = if step.is_some() { self.emitter.label() } else { again };
        self.looping += 1;
        self.emitter.place(again);
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        let holds = match condition.map(|condition| self.condition(condition)).transpose() {
            Ok(holds) => holds.unwrap_or(Truth::constant(true)),
            Err(refusal) => {
                self.emitter.close(span);
                self.emitter.put(reserved, Form::Skip);
                self.looping -= 1;
                return Err(refusal);
            }
        };
        let plain = self.emitter.is_empty();
        let around = Around { next: Some(next), end };
        if plain {
            self.emitter.close(span);
            self.emitter.open();
        } else {
            // The condition takes steps: they are executed in front of every turn.
            let steps = self.emitter.close(span);
            self.emitter.put(reserved, Form::Skip);
            self.emitter.append(steps);
            let branch = self.emitter.reserve(span);
            self.emitter.open();
            self.turn(around, step, body, next);
            self.emitter.goto(again, span);
            let then = self.emitter.close(span);
            self.emitter
                .put(branch, Form::If { condition: holds.expression(span), then, otherwise: Vec::new() });
            self.looping -= 1;
            self.emitter.place_used(end);
            return Ok(());
        }
        self.turn(around, step, body, next);
        let body = self.emitter.close(span);
        self.emitter.put(reserved, Form::While { condition: holds.expression(span), body });
        self.looping -= 1;
        self.emitter.place_used(end);
        Ok(())
    }

    fn turn(
        &mut self,
        around: Around,
        step: Option<&'a Node<Expression>>,
        body: &'a Node<Statement>,
        next: Label,
    ) {
        self.frame().loops.push(around);
        self.statement(body);
        self.frame().loops.pop();
        let Some(step) = step else { return };
        self.emitter.place_used(next);
        if let Err(refusal) = self.effect(step) {
            self.refuse(refusal);
        }
    }

    fn repeat_first(&mut self, repeated: &'a ast::DoWhileStatement, span: Span) -> Lowered<()> {
        let (again, next, end) = (self.emitter.label(), self.emitter.label(), self.emitter.label());
        self.looping += 1;
        self.emitter.place(again);
        self.turn(Around { next: Some(next), end }, None, &repeated.statement, next);
        self.emitter.place_used(next);
        let holds = self.condition(&repeated.expression);
        self.looping -= 1;
        let holds = holds?;
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        self.emitter.goto(again, span);
        let then = self.emitter.close(span);
        self.emitter
            .put(reserved, Form::If { condition: holds.expression(span), then, otherwise: Vec::new() });
        self.emitter.place_used(end);
        Ok(())
    }

    fn counting(&mut self, repeated: &'a ast::ForStatement, span: Span) -> Lowered<()> {
        let unrolled = match super::scan::makes_threads(self.unit, &repeated.statement) && !self.replicated {
            true => self.counted_loop(repeated),
            false => None,
        };
        self.scope();
        let done = self.counting_here(repeated, unrolled, span);
        self.leave_scope();
        done
    }

    fn counting_here(
        &mut self,
        repeated: &'a ast::ForStatement,
        unrolled: Option<Counted<'a>>,
        span: Span,
    ) -> Lowered<()> {
        match &repeated.initializer.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
            ForInitializer::Expression(expression) => self.effect(expression)?,
            ForInitializer::Declaration(declaration) => self.local_declaration(declaration)?,
        }
        let Some(Counted { name, first, last, step }) = unrolled else {
            return self.repeat(repeated.condition.as_deref(), repeated.step.as_deref(), &repeated.statement);
        };
        let Entity::Object(object) = self.entity(name, span)? else {
            return Err(mistake(span, "the counter is no variable", "this loop"));
        };
        let CType::Int(of) = object.of else {
            return Err(mistake(span, "the counter is no number", "this loop"));
        };
        if !of.interval().contains(Interval { low: first, high: last }) {
            let title = "a loop that makes threads counts over the end of its type";
            return Err(unsupported(span, title, "count with an int"));
        }
        let end = self.emitter.label();
        let mut value = first;
        let place = super::value::Place::whole(&object);
        while value < last {
            let next = self.emitter.label();
            self.scope();
            self.declare(name, Entity::Constant(value, of));
            self.frame().loops.push(Around { next: Some(next), end });
            self.statement(&repeated.statement);
            self.frame().loops.pop();
            self.leave_scope();
            self.emitter.place_used(next);
            value += step;
            self.store(&place, Value::Number(Number::constant(value, of)), span)?;
        }
        self.emitter.place_used(end);
        Ok(())
    }

    /// Whether a loop counts from one constant to another, and nothing else changes its counter.
    fn counted_loop(&mut self, repeated: &'a ast::ForStatement) -> Option<Counted<'a>> {
        let identifier = |expression: &'a Expression| match expression {
            Expression::Identifier(name) => Some(name.node.name.as_str()),
            _ => None,
        };
        let (name, first, declared) = match &repeated.initializer.node {
            ForInitializer::Expression(expression) => match &expression.node {
                Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Assign => {
                    (identifier(&binary.node.lhs.node)?, &*binary.node.rhs, false)
                }
                _ => return None,
            },
            ForInitializer::Declaration(declaration) => match &declaration.node.declarators[..] {
                [only] => match only.node.initializer.as_ref().map(|initializer| &initializer.node) {
                    Some(ast::Initializer::Expression(value)) => {
                        (super::unit::name_of(&only.node.declarator.node)?, &**value, true)
                    }
                    _ => return None,
                },
                _ => return None,
            },
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => return None,
        };
        let first = self.is_constant(first)?;
        let Expression::BinaryOperator(condition) = &repeated.condition.as_ref()?.node else { return None };
        let bound = self.is_constant(&condition.node.rhs)?;
        let last = match (identifier(&condition.node.lhs.node)? == name, &condition.node.operator.node) {
            (true, BinaryOperator::Less) => bound,
            (true, BinaryOperator::LessOrEqual) => bound + 1,
            (true, BinaryOperator::NotEquals) if bound >= first => bound,
            _ => return None,
        };
        let step = match &repeated.step.as_ref()?.node {
            Expression::UnaryOperator(unary)
                if matches!(
                    unary.node.operator.node,
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement
                ) && identifier(&unary.node.operand.node)? == name =>
            {
                1
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == BinaryOperator::AssignPlus
                    && identifier(&binary.node.lhs.node)? == name =>
            {
                self.is_constant(&binary.node.rhs).filter(|step| *step == 1)?
            }
            _ => return None,
        };
        let local =
            declared || matches!(self.lookup(name), Some(Entity::Object(object)) if object.unit.is_some());
        let small = last - first <= MOST_TURNS && first >= 0;
        let safe = local && small && !super::scan::changes(&repeated.statement, name);
        // A jump into or out of the body is between copies of it.
        let jumps = super::scan::has_labels(&repeated.statement);
        (safe && !jumps).then_some(Counted { name, first, last, step })
    }

    fn switch(&mut self, switch: &'a ast::SwitchStatement, span: Span) -> Lowered<()> {
        let value = self.value(&switch.expression)?;
        let number = self.number(value, span)?;
        let of = number.of.promoted();
        let number = self.converted(number, of, span)?;
        let number = self.settled(number, span);
        let mut found = Vec::new();
        super::scan::cases(&switch.statement, &mut found);
        let mut cases = Cases::default();
        for label in found {
            let place = self.emitter.label();
            match &label.node {
                ast::Label::Case(value) => {
                    let value = super::constants::wrapped(self.constant(value)?, of);
                    cases.values.push((value, value, place));
                }
                ast::Label::CaseRange(range) => {
                    let (low, high) = (self.constant(&range.node.low)?, self.constant(&range.node.high)?);
                    cases.values.push((low, high, place));
                }
                ast::Label::Default => cases.otherwise = Some(place),
                ast::Label::Identifier(_) => {}
            }
            self.frame().labels.insert(case_key(label.span.start), place);
        }
        let end = self.emitter.label();
        for (low, high, label) in &cases.values {
            let at_least = number.clone().compared(Op::AtLeast, Number::constant(*low, of));
            let at_most = number.clone().compared(Op::AtMost, Number::constant(*high, of));
            let here = match low == high {
                true => number.clone().compared(Op::Equal, Number::constant(*low, of)),
                false => at_least.combined(Op::And, at_most),
            };
            let label = *label;
            let reserved = self.emitter.reserve(span);
            self.emitter.open();
            self.emitter.goto(label, span);
            let then = self.emitter.close(span);
            self.emitter
                .put(reserved, Form::If { condition: here.expression(span), then, otherwise: Vec::new() });
        }
        self.emitter.goto(cases.otherwise.unwrap_or(end), span);
        self.frame().loops.push(Around { next: None, end });
        self.statement(&switch.statement);
        self.frame().loops.pop();
        self.emitter.place_used(end);
        Ok(())
    }

    fn leave(&mut self, value: Option<&'a Node<Expression>>, span: Span) -> Lowered<()> {
        let result = self.frame().result.clone();
        if let Some(value) = value {
            let place = self.span(value);
            match result {
                Some((var, CType::Int(of))) => {
                    let value = self.value(value)?;
                    let value = self.stored(value, of, place)?;
                    self.write(var, value, place)?;
                }
                Some((_, of)) => {
                    let title = format!("a function that returns {} is not supported", of.words());
                    return Err(unsupported(
                        span,
                        title,
                        "return a number, and change variables by their address",
                    ));
                }
                None => self.effect(value)?,
            }
        }
        let end = self.frame().end;
        self.emitter.goto(end, span);
        Ok(())
    }

    /// A label that nothing stands at.
    pub fn check_labels(&mut self, labels: Vec<(String, Label)>, span: Span) {
        for (name, label) in labels {
            if !self.emitter.is_placed(label) {
                if !name.starts_with('\u{0}') {
                    let problem: Refusal = Box::new(
                        Diagnostic::error("c::mistake", format!("there is no label `{name}`"))
                            .label(span, "jumped to here"),
                    );
                    self.refuse(problem);
                }
                self.emitter.place(label);
            }
        }
    }
}

/// The name under which a switch keeps the label of a case.
fn case_key(offset: usize) -> String {
    format!("\u{0}{offset}")
}
