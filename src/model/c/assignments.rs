//! Expressions that change variables: assignments and counting.

use super::lower::{Entity, Lower, Lowered, unsupported};
use super::types::{CType, IntType};
use super::value::{Number, Place, Value};
use crate::model::program::Form;
use calculus::span::Span;
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// `x++` and the like: a read and a write, unless the variable is atomic.
    pub(super) fn counted(
        &mut self,
        operand: &'a Node<Expression>,
        operator: BinaryOperator,
        post: bool,
        span: Span,
    ) -> Lowered<Value> {
        let place = self.place(operand)?;
        let (old, new) = self.changed(&place, &operator, Value::int(1), true, span)?;
        Ok(if post { old } else { new })
    }

    /// Reads a variable, computes, and writes the result: the values before and after, if they are wanted.
    pub fn changed(
        &mut self,
        place: &Place,
        operator: &BinaryOperator,
        by: Value,
        wanted: bool,
        span: Span,
    ) -> Lowered<(Value, Value)> {
        let CType::Int(of) = place.of else {
            let title = format!("{} is changed", place.of.words());
            return Err(unsupported(
                span,
                title,
                "count numbers, and use indices instead of moving pointers",
            ));
        };
        let section = of.atomic && self.atomic == 0;
        let begin = section.then(|| self.emit(Form::AtomicBegin, span));
        let done = self.changed_here(place, operator, by, wanted, span);
        if begin.is_some_and(|begin| !self.emitter.is_one_step(begin)) {
            self.end_atomic(span);
        }
        done
    }

    pub(super) fn changed_here(
        &mut self,
        place: &Place,
        operator: &BinaryOperator,
        by: Value,
        wanted: bool,
        span: Span,
    ) -> Lowered<(Value, Value)> {
        let CType::Int(of) = place.of else { return Ok((Value::Void, Value::Void)) };
        let one_step = self.atomic > 0 || of.atomic;
        if one_step {
            self.atomic += 1;
        }
        let mut old = self.load(place.clone(), span)?;
        if wanted || place.is_shared() && !one_step {
            old = self.settled_value(old, span);
        }
        let (left, right) = (self.number(old.clone(), span)?, self.number(by, span)?);
        let new = self.arithmetic(operator, left, right, span)?;
        let mut new = self.kept(Value::Number(new), of, span)?;
        let local = !place.is_shared() && place.indices.is_empty();
        if wanted && !local {
            new = self.settled_value(new, span);
        }
        self.store(place, new.clone(), span)?;
        if one_step {
            self.atomic -= 1;
        }
        if wanted && local {
            new = self.load(place.clone(), span)?;
        }
        Ok((old, new))
    }

    /// An expression whose value nobody needs.
    pub fn effect(&mut self, expression: &'a Node<Expression>) -> Lowered<()> {
        let span = self.span(expression);
        match &expression.node {
            Expression::BinaryOperator(binary) => {
                let binary = &binary.node;
                if binary.operator.node == BinaryOperator::Assign {
                    return self.assignment(binary, false, span).map(drop);
                }
                if let Some(operator) = compound_operator(&binary.operator.node) {
                    return self.compound(operator, binary, false, span).map(drop);
                }
            }
            Expression::UnaryOperator(unary) => {
                let operator = match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => Some(BinaryOperator::Plus),
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => Some(BinaryOperator::Minus),
                    _ => None,
                };
                if let Some(operator) = operator {
                    let place = self.place(&unary.node.operand)?;
                    return self.changed(&place, &operator, Value::int(1), false, span).map(drop);
                }
            }
            Expression::Comma(parts) => return parts.iter().try_for_each(|part| self.effect(part)),
            _ => {}
        }
        self.value(expression).map(drop)
    }

    /// A value as a variable of a type keeps it, to be used again.
    pub(super) fn kept(&mut self, value: Value, of: IntType, span: Span) -> Lowered<Value> {
        match self.stored(value, of, span)? {
            Value::Number(number) => {
                let number = self.converted(number, of, span)?;
                Ok(Value::Number(Number { of, ..number }))
            }
            value => Ok(value),
        }
    }

    pub(super) fn assignment(
        &mut self,
        binary: &'a ast::BinaryOperatorExpression,
        wanted: bool,
        span: Span,
    ) -> Lowered<Value> {
        if self.binds_pointer(binary)? {
            return Ok(Value::Void);
        }
        self.one_order_of_sides(binary, span);
        // The left side first where it does something.
        let place = self.place(&binary.lhs)?;
        let mut value = self.value(&binary.rhs)?;
        // A value that is used again is not read again.
        if wanted && value.shared() {
            value = self.settled_value(value, span);
        }
        self.store(&place, value.clone(), span)?;
        match (&place.of, value) {
            (CType::Int(_), value) if !wanted => Ok(value),
            (CType::Int(_), _) if !place.is_shared() && place.indices.is_empty() => self.load(place, span),
            (CType::Int(of), Value::Number(number)) if of.truth => {
                Ok(Value::Truth(number.differs_from_zero()))
            }
            (CType::Int(of), Value::Number(number)) => {
                let of = *of;
                Ok(Value::Number(self.converted(number, of, span)?))
            }
            (_, value) => Ok(value),
        }
    }

    /// The place is found first, and then the value: that matters where one of them changes what the other one needs.
    fn one_order_of_sides(&mut self, binary: &'a ast::BinaryOperatorExpression, span: Span) {
        let is_assignment = |expression: &Expression| match expression {
            Expression::BinaryOperator(binary) => binary.node.operator.node == BinaryOperator::Assign,
            _ => false,
        };
        if binary.operator.node == BinaryOperator::Assign && is_assignment(&binary.rhs.node) {
            self.one_order_of_chain(&binary.lhs, &binary.rhs, span);
        } else if !matches!(binary.lhs.node, Expression::Identifier(_)) {
            self.one_order_of([&*binary.lhs, &*binary.rhs], span);
        }
    }

    /// Assigning to a pointer is only known not to matter if it has the value already.
    pub(super) fn binds_pointer(&mut self, binary: &'a ast::BinaryOperatorExpression) -> Lowered<bool> {
        let Expression::Identifier(name) = &binary.lhs.node else { return Ok(false) };
        let span = self.span(&*binary.lhs);
        let Entity::Value(Value::Pointer(known)) = self.entity(&name.node.name, span)? else {
            return Ok(false);
        };
        let value = self.value(&binary.rhs)?;
        let Value::Pointer(given) = value else { return Ok(false) };
        Ok(self.same_pointer(&known, &given, span)?.known() == Some(true))
    }

    pub(super) fn compound(
        &mut self,
        operator: BinaryOperator,
        binary: &'a ast::BinaryOperatorExpression,
        wanted: bool,
        span: Span,
    ) -> Lowered<Value> {
        self.one_order_of_sides(binary, span);
        let place = self.place(&binary.lhs)?;
        let by = self.value(&binary.rhs)?;
        let by = if wanted || by.shared() { self.settled_value(by, span) } else { by };
        Ok(self.changed(&place, &operator, by, wanted, span)?.1)
    }
}

/// What a compound assignment computes.
pub(super) fn compound_operator(operator: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::AssignMultiply => BinaryOperator::Multiply,
        BinaryOperator::AssignDivide => BinaryOperator::Divide,
        BinaryOperator::AssignModulo => BinaryOperator::Modulo,
        BinaryOperator::AssignPlus => BinaryOperator::Plus,
        BinaryOperator::AssignMinus => BinaryOperator::Minus,
        BinaryOperator::AssignShiftLeft => BinaryOperator::ShiftLeft,
        BinaryOperator::AssignShiftRight => BinaryOperator::ShiftRight,
        BinaryOperator::AssignBitwiseAnd => BinaryOperator::BitwiseAnd,
        BinaryOperator::AssignBitwiseXor => BinaryOperator::BitwiseXor,
        BinaryOperator::AssignBitwiseOr => BinaryOperator::BitwiseOr,
        _ => return None,
    })
}
