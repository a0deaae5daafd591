//! Expressions: what they do, in order from left to right, and what their value is.

use super::lower::{Entity, Lower, Lowered, mistake, refused_before, unsupported};
use super::types::{CType, IntType};
use super::value::{Number, Place, Pointer, Truth, Value};
use crate::model::program::{Block, Domain, Form, Interval, Op};
use calculus::span::Span;
use lang_c::ast::{self, BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;

impl<'a> Lower<'a> {
    /// The value of an expression; what it does is emitted.
    pub fn value(&mut self, expression: &'a Node<Expression>) -> Lowered<Value> {
        let span = self.span(expression);
        let refused =
            |what: &str, help: &str| Err(unsupported(span, format!("{what} are not supported"), help));
        match &expression.node {
            Expression::Identifier(name) => self.named(&name.node.name, span),
            Expression::Constant(constant) => {
                let (value, of) = self.literal(constant)?;
                Ok(Value::Number(Number::constant(value, of)))
            }
            Expression::StringLiteral(_) => Ok(Value::Pointer(Pointer::Text)),
            Expression::GenericSelection(_) => refused("generic selections", "write what is selected"),
            Expression::Member(_) => {
                let place = self.place(expression)?;
                self.load(place, span)
            }
            Expression::Call(call) => self.call(&call.node, span),
            Expression::CompoundLiteral(_) => refused("compound literals", "declare a variable"),
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => {
                let value = self.constant(expression)?;
                Ok(Value::Number(Number::constant(value, IntType::SIZE)))
            }
            Expression::AlignOf(_) => refused("alignments", "write the number"),
            Expression::UnaryOperator(unary) => self.unary(&unary.node, span),
            Expression::Cast(cast) => self.cast(&cast.node, span),
            Expression::BinaryOperator(binary) => self.binary(expression, &binary.node, span),
            Expression::Conditional(conditional) => self.conditional(&conditional.node, span),
            Expression::Comma(parts) => {
                let mut value = Value::Void;
                for part in parts.iter() {
                    value = self.value(part)?;
                }
                Ok(value)
            }
            Expression::OffsetOf(_) => refused("offsets of members", "use the member"),
            Expression::VaArg(_) => {
                refused("functions with any number of arguments", "give each its own function")
            }
            Expression::Statement(statement) => self.statement_expression(statement),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Lowered<Value> {
        match self.entity(name, span)? {
            Entity::Object(object) => self.load(Place::whole(&object), span),
            Entity::Constant(value, of) => Ok(Value::Number(Number::constant(value, of))),
            Entity::Value(value) => Ok(value),
            Entity::Type(_) => Err(mistake(span, format!("`{name}` is a type"), "a value is needed")),
            Entity::Refused => Err(refused_before(span)),
            Entity::Unbound => Err(unsupported(
                span,
                format!("the pointer `{name}` has no value that is known"),
                "give it the address of a variable where it is declared",
            )),
        }
    }

    pub fn number(&mut self, value: Value, span: Span) -> Lowered<Number> {
        match value {
            Value::Number(number) => Ok(number),
            Value::Truth(truth) => {
                if let Some(value) = truth.known() {
                    return Ok(Number::constant(value.into(), IntType::INT));
                }
                let domain = Domain::Range { low: 0, high: 1, wraps: false };
                let var = self.temporary(domain.clone(), span);
                self.write(var, Value::Truth(truth), span)?;
                Ok(Number::temporary(var, &domain, IntType::INT))
            }
            Value::Pointer(Pointer::Null) => Ok(Number::constant(0, IntType::LONG)),
            Value::Pointer(_) => Err(unsupported(
                span,
                "computing with addresses is not supported",
                "compare pointers with NULL only",
            )),
            Value::Aggregate(_) | Value::Void => {
                Err(mistake(span, format!("a number is needed, and this is {}", value.words()), "used here"))
            }
        }
    }

    pub fn truth(&mut self, value: Value, span: Span) -> Lowered<Truth> {
        match value {
            Value::Truth(truth) => Ok(truth),
            Value::Number(number) => Ok(number.differs_from_zero()),
            Value::Pointer(Pointer::Null) => Ok(Truth::constant(false)),
            Value::Pointer(_) => Ok(Truth::constant(true)),
            Value::Aggregate(_) | Value::Void => Err(mistake(
                span,
                format!("a condition is needed, and this is {}", value.words()),
                "used here",
            )),
        }
    }

    /// A condition: its value, and nothing else of it.
    pub fn condition(&mut self, expression: &'a Node<Expression>) -> Lowered<Truth> {
        let span = self.span(expression);
        match &expression.node {
            // Any number is a condition that may hold or not.
            Expression::Call(call) if self.is_any_number(&call.node) => {
                Ok(Truth { code: vec![Op::Nondet], shared: false })
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
                Ok(self.condition(&unary.node.operand)?.negated())
            }
            _ => {
                let value = self.value(expression)?;
                self.truth(value, span)
            }
        }
    }

    fn unary(&mut self, unary: &'a ast::UnaryOperatorExpression, span: Span) -> Lowered<Value> {
        match unary.operator.node {
            UnaryOperator::PostIncrement => self.counted(&unary.operand, BinaryOperator::Plus, true, span),
            UnaryOperator::PostDecrement => self.counted(&unary.operand, BinaryOperator::Minus, true, span),
            UnaryOperator::PreIncrement => self.counted(&unary.operand, BinaryOperator::Plus, false, span),
            UnaryOperator::PreDecrement => self.counted(&unary.operand, BinaryOperator::Minus, false, span),
            UnaryOperator::Address => {
                if let Expression::Identifier(name) = &unary.operand.node
                    && let Entity::Value(Value::Pointer(Pointer::Function(name))) =
                        self.entity(&name.node.name, span)?
                {
                    return Ok(Value::Pointer(Pointer::Function(name)));
                }
                let place = self.place(&unary.operand)?;
                Ok(Value::Pointer(Pointer::To(place)))
            }
            UnaryOperator::Indirection => {
                let pointer = self.value(&unary.operand)?;
                let place = self.target(pointer, span)?;
                self.load(place, span)
            }
            UnaryOperator::Plus => {
                let value = self.value(&unary.operand)?;
                let number = self.number(value, span)?;
                let of = number.of.promoted();
                Ok(Value::Number(self.converted(number, of, span)?))
            }
            UnaryOperator::Minus => {
                let value = self.value(&unary.operand)?;
                let number = self.number(value, span)?;
                Ok(Value::Number(self.negative(number, span)?))
            }
            UnaryOperator::Complement => {
                let value = self.value(&unary.operand)?;
                let number = self.number(value, span)?;
                Ok(Value::Number(self.complement(number, span)?))
            }
            UnaryOperator::Negate => Ok(Value::Truth(self.condition(&unary.operand)?.negated())),
        }
    }

    fn cast(&mut self, cast: &'a ast::CastExpression, span: Span) -> Lowered<Value> {
        let of = self.type_name(&cast.type_name)?;
        let value = self.value(&cast.expression)?;
        match (of, value) {
            (CType::Void, _) => Ok(Value::Void),
            (CType::Int(of), Value::Truth(truth)) if of.truth => Ok(Value::Truth(truth)),
            (CType::Int(of), value) if of.truth => Ok(Value::Truth(self.truth(value, span)?)),
            (CType::Int(of), value) => {
                let number = self.number(value, span)?;
                Ok(Value::Number(self.converted(number, of, span)?))
            }
            (CType::Pointer(to), value @ Value::Pointer(_)) => self.pointing(value, &to, span),
            // A number that travels as a pointer, to a thread and back.
            (CType::Pointer(_), Value::Number(number)) => {
                if number.known() == Some(0) {
                    return Ok(Value::Pointer(Pointer::Null));
                }
                Ok(Value::Number(self.converted(number, IntType::LONG, span)?))
            }
            (CType::Pointer(_), Value::Truth(truth)) => {
                Ok(Value::Number(self.number(Value::Truth(truth), span)?))
            }
            (CType::Thread, value @ Value::Number(_)) => Ok(value),
            (of, _) => {
                let title = format!("a conversion to {} is not supported", of.words());
                Err(unsupported(span, title, "convert between numbers, and between pointers"))
            }
        }
    }

    /// Whether other threads see what an expression reads.
    fn reads_shared(&mut self, expression: &'a Node<Expression>) -> bool {
        let names = super::scan::names(&expression.node, &expression.span);
        names.iter().any(|name| match self.entity(name, Span::default()) {
            Ok(Entity::Object(object)) => Place::whole(&object).is_shared(),
            Ok(Entity::Value(Value::Pointer(Pointer::To(place)) | Value::Aggregate(place))) => {
                place.is_shared()
            }
            Ok(Entity::Value(value)) => value.shared(),
            Ok(_) => false,
            Err(_) => true,
        })
    }

    /// Both operands: the left one is read first, and at most one read is left to the statement that uses them.
    fn operands(
        &mut self,
        left: &'a Node<Expression>,
        right: &'a Node<Expression>,
        span: Span,
    ) -> Lowered<(Value, Value)> {
        self.one_order_of([left, right], span);
        let mut first = self.value(left)?;
        let apart = !super::scan::is_plain(&right.node)
            || first.shared() && self.atomic == 0 && self.reads_shared(right);
        if apart {
            first = self.settled_value(first, span);
        }
        let second = self.value(right)?;
        Ok((first, second))
    }

    fn binary(
        &mut self,
        expression: &'a Node<Expression>,
        binary: &'a ast::BinaryOperatorExpression,
        span: Span,
    ) -> Lowered<Value> {
        match &binary.operator.node {
            BinaryOperator::Index => {
                let place = self.place(expression)?;
                self.load(place, span)
            }
            operator @ (BinaryOperator::Plus | BinaryOperator::Minus) => {
                let (left, right) = self.operands(&binary.lhs, &binary.rhs, span)?;
                match (left, right, operator) {
                    (Value::Pointer(pointer), right, _) if !matches!(right, Value::Pointer(_)) => {
                        let by = self.number(right, span)?;
                        let by =
                            if *operator == BinaryOperator::Minus { self.negative(by, span)? } else { by };
                        Ok(Value::Pointer(self.moved(pointer, by, span)?))
                    }
                    (left, Value::Pointer(pointer), BinaryOperator::Plus)
                        if !matches!(left, Value::Pointer(_)) =>
                    {
                        let by = self.number(left, span)?;
                        Ok(Value::Pointer(self.moved(pointer, by, span)?))
                    }
                    (left, right, operator) => self.computed(operator, left, right, span),
                }
            }
            operator @ (BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::ShiftLeft
            | BinaryOperator::ShiftRight
            | BinaryOperator::BitwiseAnd
            | BinaryOperator::BitwiseXor
            | BinaryOperator::BitwiseOr) => {
                let (left, right) = self.operands(&binary.lhs, &binary.rhs, span)?;
                self.computed(operator, left, right, span)
            }
            BinaryOperator::Less => self.ordered(Op::Less, binary, span),
            BinaryOperator::Greater => self.ordered(Op::Greater, binary, span),
            BinaryOperator::LessOrEqual => self.ordered(Op::AtMost, binary, span),
            BinaryOperator::GreaterOrEqual => self.ordered(Op::AtLeast, binary, span),
            BinaryOperator::Equals => {
                let (left, right) = self.operands(&binary.lhs, &binary.rhs, span)?;
                Ok(Value::Truth(self.equal(left, right, span)?))
            }
            BinaryOperator::NotEquals => {
                let (left, right) = self.operands(&binary.lhs, &binary.rhs, span)?;
                Ok(Value::Truth(self.equal(left, right, span)?.negated()))
            }
            BinaryOperator::LogicalAnd => self.connected(Op::And, binary, span),
            BinaryOperator::LogicalOr => self.connected(Op::Or, binary, span),
            BinaryOperator::Assign => self.assignment(binary, true, span),
            operator @ (BinaryOperator::AssignMultiply
            | BinaryOperator::AssignDivide
            | BinaryOperator::AssignModulo
            | BinaryOperator::AssignPlus
            | BinaryOperator::AssignMinus
            | BinaryOperator::AssignShiftLeft
            | BinaryOperator::AssignShiftRight
            | BinaryOperator::AssignBitwiseAnd
            | BinaryOperator::AssignBitwiseXor
            | BinaryOperator::AssignBitwiseOr) => {
                let operator = super::assignments::compound_operator(operator).expect("it is one of these");
                self.compound(operator, binary, true, span)
            }
        }
    }

    fn computed(
        &mut self,
        operator: &BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let shared = left.shared();
        let left = self.number(left, span)?;
        // Making a number of a truth value may take a step, before which the left one is read.
        let left = match (&right, shared && self.atomic == 0) {
            (Value::Truth(truth), true) if truth.known().is_none() => self.settled(left, span),
            _ => left,
        };
        let right = self.number(right, span)?;
        Ok(Value::Number(self.arithmetic(operator, left, right, span)?))
    }

    fn ordered(&mut self, op: Op, binary: &'a ast::BinaryOperatorExpression, span: Span) -> Lowered<Value> {
        let (left, right) = self.operands(&binary.lhs, &binary.rhs, span)?;
        let left = self.number(left, span)?;
        let left = match &right {
            Value::Truth(truth) if truth.known().is_none() => self.settled(left, span),
            _ => left,
        };
        let right = self.number(right, span)?;
        Ok(Value::Truth(self.comparison(op, left, right, span)?))
    }

    pub fn equal(&mut self, left: Value, right: Value, span: Span) -> Lowered<Truth> {
        match (left, right) {
            (Value::Truth(left), Value::Truth(right)) => {
                let shared = left.shared || right.shared;
                Ok(Truth { code: super::value::joined(left.code, right.code, Op::Equal), shared })
            }
            (Value::Truth(truth), Value::Number(number)) | (Value::Number(number), Value::Truth(truth))
                if number.known().is_some() =>
            {
                Ok(match number.known() {
                    Some(0) => truth.negated(),
                    Some(1) => truth,
                    _ => {
                        self.settled_truth(truth, span);
                        Truth::constant(false)
                    }
                })
            }
            (Value::Pointer(left), Value::Pointer(right)) => self.same_pointer(&left, &right, span),
            (Value::Pointer(pointer), Value::Number(number))
            | (Value::Number(number), Value::Pointer(pointer)) => match (pointer, number.known()) {
                (Pointer::Null, _) => Ok(number.equals_zero()),
                (_, Some(0)) => Ok(Truth::constant(false)),
                _ => Err(unsupported(span, "an address is compared with a number", "compare it with NULL")),
            },
            (left, right) => {
                let left = self.number(left, span)?;
                let left = match &right {
                    Value::Truth(truth) if truth.known().is_none() => self.settled(left, span),
                    _ => left,
                };
                let right = self.number(right, span)?;
                self.comparison(Op::Equal, left, right, span)
            }
        }
    }

    pub fn same_pointer(&mut self, left: &Pointer, right: &Pointer, span: Span) -> Lowered<Truth> {
        match (left, right) {
            (Pointer::Null, Pointer::Null) => Ok(Truth::constant(true)),
            (Pointer::Null, _) | (_, Pointer::Null) => Ok(Truth::constant(false)),
            (Pointer::To(left), Pointer::To(right))
                if left.indices.is_empty() && right.indices.is_empty() =>
            {
                let same = std::rc::Rc::ptr_eq(&left.object, &right.object) && left.offset == right.offset;
                Ok(Truth::constant(same))
            }
            _ => Err(unsupported(span, "these pointers cannot be compared", "compare them with NULL")),
        }
    }

    /// `&&` and `||`: the right operand is evaluated only if the left one leaves the answer open.
    fn connected(&mut self, op: Op, binary: &'a ast::BinaryOperatorExpression, span: Span) -> Lowered<Value> {
        let left = self.condition(&binary.lhs)?;
        let ends = op == Op::Or;
        if left.known() == Some(ends) {
            return Ok(Value::Truth(left));
        }
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        let right = match self.condition(&binary.rhs) {
            Ok(right) => right,
            Err(refusal) => {
                self.emitter.close(span);
                return Err(refusal);
            }
        };
        let two_reads = left.shared && right.shared && self.atomic == 0;
        if self.emitter.is_empty() && !two_reads {
            self.emitter.close(span);
            self.emitter.release(reserved);
            // The left one is read, also where the right one decides.
            let left = if right.known() == Some(ends) { self.settled_truth(left, span) } else { left };
            return Ok(Value::Truth(left.combined(op, right)));
        }
        let result = self.temporary(Domain::Bool, span);
        self.emitter.assign(result, right.code, span);
        let evaluated = self.emitter.close(span);
        self.emitter.open();
        self.emitter.assign(result, vec![Op::Constant(ends)], span);
        let skipped = self.emitter.close(span);
        let (then, otherwise) = if ends { (skipped, evaluated) } else { (evaluated, skipped) };
        let condition = left.expression(span);
        self.emitter.put(reserved, Form::If { condition, then, otherwise });
        Ok(Value::Truth(Truth::variable(result)))
    }

    fn conditional(&mut self, conditional: &'a ast::ConditionalExpression, span: Span) -> Lowered<Value> {
        let condition = self.condition(&conditional.condition)?;
        if let Some(known) = condition.known() {
            let (chosen, other) = match known {
                true => (&conditional.then_expression, &conditional.else_expression),
                false => (&conditional.else_expression, &conditional.then_expression),
            };
            let value = self.value(chosen)?;
            let (Value::Number(_) | Value::Truth(_)) = value else { return Ok(value) };
            // It has the type that both have in common.
            let other = match self.type_of(other) {
                Ok(CType::Int(other)) => other,
                Ok(_) => return Ok(value),
                // What a null pointer does not point to: its type is taken to be the one of the other way.
                Err(_) if super::scan::follows_a_pointer(&other.node) => return Ok(value),
                Err(refusal) => return Err(refusal),
            };
            let number = match value {
                Value::Number(number) => number,
                value if other.promoted() == IntType::INT => return Ok(value),
                value => self.number(value, span)?,
            };
            let of = number.of.common(other);
            return Ok(Value::Number(self.converted(number, of, span)?));
        }
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        let first = self.value(&conditional.then_expression);
        let plain = self.emitter.is_empty();
        let first = first.map(|value| self.arm(value, span));
        let then = self.emitter.close(span);
        self.emitter.open();
        let second = self.value(&conditional.else_expression);
        let plain = plain && self.emitter.is_empty();
        let second = second.map(|value| self.arm(value, span));
        let otherwise = self.emitter.close(span);
        let (first, second) = (first?, second?);
        let constants = |value: &Value| match value {
            Value::Number(number) => number.known(),
            _ => None,
        };
        if plain && let (Some(1), Some(0)) = (constants(&first), constants(&second)) {
            self.emitter.release(reserved);
            return Ok(Value::Truth(condition));
        }
        let (then, otherwise, value) = self.merged(first, then, second, otherwise, span)?;
        let condition = condition.expression(span);
        self.emitter.put(reserved, Form::If { condition, then, otherwise });
        Ok(value)
    }

    /// A value of one of two ways, which is read there.
    fn arm(&mut self, value: Value, span: Span) -> Value {
        let known = matches!(&value, Value::Number(number) if number.known().is_some());
        if known { value } else { self.settled_value(value, span) }
    }

    /// A number of one of two ways, as the type has it that both have in common.
    fn way(&mut self, value: Value, of: IntType, block: &mut Block, span: Span) -> Lowered<Number> {
        self.emitter.open();
        let number = self.number(value, span).and_then(|number| self.converted(number, of, span));
        let number = number.and_then(|number| self.fitting(number, span));
        block.extend(self.emitter.close(span));
        number
    }

    /// The value that two ways have in common.
    fn merged(
        &mut self,
        first: Value,
        mut then: Block,
        second: Value,
        mut otherwise: Block,
        span: Span,
    ) -> Lowered<(Block, Block, Value)> {
        let put = |this: &mut Self, block: &mut Block, code: Vec<Op>, var| {
            this.emitter.open();
            this.emitter.assign(var, code, span);
            block.extend(this.emitter.close(span));
        };
        let value = match (first, second) {
            (Value::Void, _) | (_, Value::Void) => Value::Void,
            (Value::Truth(first), Value::Truth(second)) => {
                let var = self.temporary(Domain::Bool, span);
                put(self, &mut then, first.code, var);
                put(self, &mut otherwise, second.code, var);
                Value::Truth(Truth::variable(var))
            }
            (Value::Pointer(first), Value::Pointer(second)) => {
                match self.same_pointer(&first, &second, span).ok().and_then(|same| same.known()) {
                    Some(true) => Value::Pointer(first),
                    _ => {
                        let title = "a pointer that depends on a condition is not supported";
                        return Err(unsupported(span, title, "use `if`, and the variable in each branch"));
                    }
                }
            }
            (first, second) => {
                let of = |value: &Value| match value {
                    Value::Number(number) => Some(number.of),
                    Value::Truth(_) => Some(IntType::INT),
                    Value::Pointer(_) | Value::Aggregate(_) | Value::Void => None,
                };
                let (Some(one), Some(other)) = (of(&first), of(&second)) else {
                    let title = "the two values are of different kinds";
                    return Err(unsupported(span, title, "use `if`, and an assignment in each branch"));
                };
                let of = one.common(other);
                let one = self.way(first, of, &mut then, span)?;
                let other = self.way(second, of, &mut otherwise, span)?;
                let interval = Interval {
                    low: one.interval.low.min(other.interval.low),
                    high: one.interval.high.max(other.interval.high),
                };
                let narrowed = one.narrowed || other.narrowed;
                let domain =
                    Domain::Range { low: interval.low as i64, high: interval.high as i64, wraps: false };
                let var = self.temporary(domain.clone(), span);
                put(self, &mut then, one.code, var);
                put(self, &mut otherwise, other.code, var);
                Value::Number(Number { narrowed, ..Number::temporary(var, &domain, of) })
            }
        };
        Ok((then, otherwise, value))
    }
}
