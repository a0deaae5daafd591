//! The type of an expression that computes something, told without translating it.

use super::lower::{Lower, Lowered, unsupported};
use super::types::{CType, IntType};
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The others are names of places: `type_of`.
    pub(super) fn computed_type(&mut self, expression: &'a Node<Expression>) -> Lowered<CType> {
        let span = self.span(expression);
        let unknown = || Err(unsupported(span, "the type of this is not known", "name the type"));
        let character = || CType::Int(IntType::new(8, true));
        match &expression.node {
            Expression::StringLiteral(_) => Ok(CType::Pointer(Rc::new(character()))),
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) | Expression::AlignOf(_) => {
                Ok(CType::Int(IntType::SIZE))
            }
            Expression::Member(member) => match self.type_of(&member.node.expression)? {
                CType::Pointer(to) => match &*to {
                    CType::Struct(of) => {
                        let name = &member.node.identifier.node.name;
                        let field = of.fields.iter().find(|(field, _)| field == name);
                        field.map_or_else(unknown, |(_, of)| Ok(of.clone()))
                    }
                    _ => unknown(),
                },
                _ => unknown(),
            },
            Expression::UnaryOperator(unary) => {
                let unary = &unary.node;
                match (&unary.operator.node, self.type_of(&unary.operand)?) {
                    (UnaryOperator::Negate, _) => Ok(CType::Int(IntType::INT)),
                    (UnaryOperator::Address, of) => Ok(CType::Pointer(Rc::new(of))),
                    (
                        UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement,
                        CType::Int(of),
                    ) => Ok(CType::Int(of.promoted())),
                    (_, of) => Ok(of),
                }
            }
            Expression::BinaryOperator(binary) => self.type_of_both(&binary.node),
            Expression::Conditional(conditional) => {
                let then = self.type_of(&conditional.node.then_expression)?;
                let otherwise = self.type_of(&conditional.node.else_expression)?;
                Ok(common(then, otherwise))
            }
            Expression::Comma(parts) => parts.last().map_or_else(unknown, |last| self.type_of(last)),
            Expression::Call(call) => self.type_of_call(&call.node, expression),
            _ => unknown(),
        }
    }

    fn type_of_both(&mut self, binary: &'a ast::BinaryOperatorExpression) -> Lowered<CType> {
        Ok(match &binary.operator.node {
            BinaryOperator::Less
            | BinaryOperator::Greater
            | BinaryOperator::LessOrEqual
            | BinaryOperator::GreaterOrEqual
            | BinaryOperator::Equals
            | BinaryOperator::NotEquals
            | BinaryOperator::LogicalAnd
            | BinaryOperator::LogicalOr => CType::Int(IntType::INT),
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => match self.type_of(&binary.lhs)? {
                CType::Int(of) => CType::Int(of.promoted()),
                of => of,
            },
            BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::BitwiseAnd
            | BinaryOperator::BitwiseXor
            | BinaryOperator::BitwiseOr => common(self.type_of(&binary.lhs)?, self.type_of(&binary.rhs)?),
            // Assignments have the type of what is assigned to; elements are places.
            _ => self.type_of(&binary.lhs)?,
        })
    }

    fn type_of_call(&mut self, call: &'a ast::CallExpression, whole: &'a Node<Expression>) -> Lowered<CType> {
        let span = self.span(whole);
        let Some(name) = super::scan::function_name(&call.callee.node) else {
            return Err(unsupported(span, "the type of this is not known", "name the type"));
        };
        let unit = self.unit;
        if let Some(function) = unit.functions.get(name) {
            return self.result_type(function);
        }
        if let Some(of) = super::library::any_number(name) {
            return Ok(CType::Int(of));
        }
        // An atomic operation gives what it is made on, or a truth value, which counts as an int too.
        let atomic = name.starts_with("__sync_") || name.starts_with("atomic_");
        if let (true, Some(place)) = (atomic, call.arguments.first()) {
            return Ok(match self.type_of(place)? {
                CType::Pointer(of) => (*of).clone(),
                of => of,
            });
        }
        match unit.prototypes.get(name) {
            Some(declared) => Ok(match self.declared_type(*declared)?.0 {
                CType::Function(result) => (*result).clone(),
                of => of,
            }),
            None => Ok(CType::Int(IntType::INT)),
        }
    }
}

/// The type of a number that is computed from both.
fn common(one: CType, other: CType) -> CType {
    match (one, other) {
        (CType::Int(one), CType::Int(other)) => CType::Int(one.common(other)),
        (CType::Int(_), other) => other,
        (one, _) => one,
    }
}
