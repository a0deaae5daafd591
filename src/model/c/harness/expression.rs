//! Expressions of the text, with a call where others may notice what they do.
//!
//! C leaves open which operand comes first. The model evaluates from left to right, and so does the text: where more than
//! one operand does something that others may notice, the first one is kept in a variable.

use super::text::{Edit, Text};
use lang_c::ast::{self, BinaryOperator, Expression, MemberOperator, UnaryOperator};
use lang_c::span::{Node, Span};

impl<'a> Text<'a> {
    /// An expression whose value is used.
    pub fn value(&mut self, expression: &'a Node<Expression>) -> String {
        let span = expression.span;
        if self.sees(&expression.node) {
            let place = self.place(expression);
            let read = match self.structure(&expression.node) {
                Some(structure) => self.copied(structure, place.trim_end()),
                None => format!("FP_READ({})", place.trim_end()),
            };
            return self.spaced(span, read);
        }
        match &expression.node {
            Expression::Identifier(_)
            | Expression::Constant(_)
            | Expression::StringLiteral(_)
            | Expression::GenericSelection(_)
            | Expression::CompoundLiteral(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_)
            | Expression::VaArg(_) => self.source(span).into(),
            Expression::Member(_) => self.place(expression),
            Expression::Call(call) => self.call(&call.node, span),
            Expression::UnaryOperator(unary) => self.unary(expression, &unary.node),
            Expression::Cast(cast) => {
                let void = self.source(cast.node.type_name.span).trim() == "void";
                let inner = match void {
                    true => self.effect(&cast.node.expression),
                    false => self.value(&cast.node.expression),
                };
                self.with(span, [(cast.node.expression.span, inner)])
            }
            Expression::BinaryOperator(binary) => self.binary(expression, &binary.node),
            Expression::Conditional(conditional) => {
                let parts = [
                    &conditional.node.condition,
                    &conditional.node.then_expression,
                    &conditional.node.else_expression,
                ];
                let parts = parts.map(|part| (part.span, self.value(part)));
                self.with(span, parts)
            }
            Expression::Comma(parts) => {
                let last = parts.len() - 1;
                let parts = parts.iter().enumerate().map(|(at, part)| {
                    let text = if at == last { self.value(part) } else { self.effect(part) };
                    (part.span, text)
                });
                let parts = parts.collect::<Vec<_>>();
                self.with(span, parts)
            }
            Expression::Statement(statement) => {
                let mut edits = Vec::new();
                self.scopes.push(Default::default());
                self.in_parentheses(statement, &mut edits);
                self.scopes.pop();
                self.spliced(span, edits)
            }
        }
    }

    /// `({ … })`: the last statement is the value.
    fn in_parentheses(&mut self, statement: &'a Node<ast::Statement>, edits: &mut Vec<Edit>) {
        if let ast::Statement::Compound(items) = &statement.node
            && let Some((last, others)) = items.split_last()
            && let ast::BlockItem::Statement(Node { node: ast::Statement::Expression(Some(value)), .. }) =
                &last.node
        {
            for item in others {
                match &item.node {
                    ast::BlockItem::Declaration(declaration) => self.declaration(declaration, edits),
                    ast::BlockItem::StaticAssert(_) => {}
                    ast::BlockItem::Statement(statement) => self.statement(statement, edits),
                }
            }
            let text = self.value(value);
            edits.push((value.span.start, value.span.end, text));
            return;
        }
        self.statement(statement, edits);
    }

    /// An expression whose value nobody uses: a variable that it names is not read.
    pub fn effect(&mut self, expression: &'a Node<Expression>) -> String {
        match &expression.node {
            place if self.sees(place) => self.place(expression),
            Expression::Cast(cast) => {
                let inner = self.effect(&cast.node.expression);
                self.with(expression.span, [(cast.node.expression.span, inner)])
            }
            _ => self.value(expression),
        }
    }

    /// A place in memory, without what is there.
    pub fn place(&mut self, expression: &'a Node<Expression>) -> String {
        let span = expression.span;
        match &expression.node {
            Expression::Identifier(_) => self.source(span).into(),
            Expression::Member(member) => {
                let inner = match member.node.operator.node {
                    MemberOperator::Direct => self.place(&member.node.expression),
                    MemberOperator::Indirect => self.value(&member.node.expression),
                };
                self.with(span, [(member.node.expression.span, inner)])
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                let (base, index) = (&binary.node.lhs, &binary.node.rhs);
                let array = self.place(base);
                let plain = array.trim_end() == self.source(base.span).trim_end()
                    && matches!(
                        base.node,
                        Expression::Identifier(_) | Expression::Member(_) | Expression::BinaryOperator(_)
                    );
                let at = self.value(index);
                let at = match (&index.node, plain) {
                    (Expression::Constant(_), _) | (_, false) => at,
                    _ => format!("FP_INDEX({}, {})", array.trim_end(), at.trim_end()),
                };
                self.with(span, [(base.span, array), (index.span, at)])
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                let inner = self.value(&unary.node.operand);
                self.with(span, [(unary.node.operand.span, inner)])
            }
            _ => self.value(expression),
        }
    }

    /// The text of a span with other texts for its parts.
    pub fn with(&self, span: Span, parts: impl IntoIterator<Item = (Span, String)>) -> String {
        let edits = parts.into_iter().map(|(span, text)| (span.start, span.end, text)).collect();
        self.spliced(span, edits)
    }

    /// A text in place of a span, with the spaces behind it.
    pub fn spaced(&self, span: Span, text: String) -> String {
        let source = self.source(span);
        let behind = &source[self.end(span) - span.start..];
        // As many lines as before.
        let lines = |text: &str| text.matches('\n').count();
        let missing = lines(source).saturating_sub(lines(&text) + lines(behind));
        format!("{text}{}{behind}", "\n".repeat(missing))
    }

    /// Whether others may notice that an expression is evaluated.
    pub fn noticed(&self, expression: &Node<Expression>, text: &str) -> bool {
        text != self.source(expression.span) || !super::super::scan::is_plain(&expression.node)
    }

    fn unary(&mut self, expression: &'a Node<Expression>, unary: &'a ast::UnaryOperatorExpression) -> String {
        let counts = match unary.operator.node {
            UnaryOperator::PostIncrement => Some(("fp_old", "+")),
            UnaryOperator::PostDecrement => Some(("fp_old", "-")),
            UnaryOperator::PreIncrement => Some(("fp_new", "+")),
            UnaryOperator::PreDecrement => Some(("fp_new", "-")),
            _ => None,
        };
        let inner = match unary.operator.node {
            UnaryOperator::Address => self.place(&unary.operand),
            _ if counts.is_some() => self.place(&unary.operand),
            _ => self.value(&unary.operand),
        };
        match counts {
            Some((result, operator)) if self.sees(&unary.operand.node) => {
                let text = format!("FP_CHANGE({result}, {}, {operator}, 1)", inner.trim_end());
                self.spaced(expression.span, text)
            }
            _ => self.with(expression.span, [(unary.operand.span, inner)]),
        }
    }

    fn binary(
        &mut self,
        expression: &'a Node<Expression>,
        binary: &'a ast::BinaryOperatorExpression,
    ) -> String {
        let (left, right, span) = (&binary.lhs, &binary.rhs, expression.span);
        let operator = &binary.operator.node;
        if *operator == BinaryOperator::Index {
            return self.place(expression);
        }
        if *operator == BinaryOperator::Assign
            || super::super::assignments::compound_operator(operator).is_some()
        {
            let place = self.place(left);
            if self.sees(&left.node)
                && let Some(structure) = self.structure(&left.node)
                && self.structure(&right.node).is_some()
            {
                let from = self.place(right);
                return self.spaced(span, self.assigned(structure, place.trim_end(), from.trim_end()));
            }
            let value = self.value(right);
            if !self.sees(&left.node) {
                return self.with(span, [(left.span, place), (right.span, value)]);
            }
            let (place, value) = (place.trim_end(), value.trim_end());
            let written = self.source(binary.operator.span).trim();
            let text = match written.strip_suffix('=') {
                Some("") | None => format!("FP_WRITE({place}, {value})"),
                Some(operator) => format!("FP_CHANGE(fp_new, {place}, {operator}, {value})"),
            };
            return self.spaced(span, text);
        }
        let (first, second) = (self.value(left), self.value(right));
        let lazy = matches!(operator, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr);
        if !lazy && self.noticed(left, &first) && self.noticed(right, &second) {
            let operator = self.source(binary.operator.span).trim();
            let text = format!("FP_ORDER({}, {operator}, {})", first.trim_end(), second.trim_end());
            return self.spaced(span, text);
        }
        self.with(span, [(left.span, first), (right.span, second)])
    }
}
