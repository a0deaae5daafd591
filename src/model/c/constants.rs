//! Constants: literals, and expressions that are known when the program is translated.

use super::lower::{Entity, Lower, Lowered, mistake, unsupported};
use super::types::{CType, IntType};
use calculus::span::Span;
use lang_c::ast::{self, BinaryOperator, Constant, Expression, IntegerBase, IntegerSize, UnaryOperator};
use lang_c::span::Node;

/// The value of the digits of a literal.
pub fn digits(integer: &ast::Integer) -> Option<i128> {
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    let text = if integer.number.is_empty() { "0" } else { &*integer.number };
    i128::from_str_radix(text, radix).ok().filter(|value| *value < 1 << 64)
}

/// A number as a type has it.
pub fn wrapped(value: i128, of: IntType) -> i128 {
    let interval = of.interval();
    match of.truth {
        true => i128::from(value != 0),
        false => interval.low + (value - interval.low).rem_euclid(interval.high - interval.low + 1),
    }
}

impl<'a> Lower<'a> {
    pub fn literal(&self, constant: &Node<Constant>) -> Lowered<(i128, IntType)> {
        let span = self.span(constant);
        match &constant.node {
            Constant::Integer(integer) => self.integer(integer, span),
            Constant::Float(_) => Err(unsupported(
                span,
                "floating-point numbers are not supported",
                "use whole numbers: fpsolve decides programs over integers",
            )),
            Constant::Character(text) => match character(text) {
                Some(value) => Ok((value, IntType::INT)),
                None => {
                    Err(unsupported(span, "this character constant is not supported", "write its number"))
                }
            },
        }
    }

    fn integer(&self, integer: &ast::Integer, span: Span) -> Lowered<(i128, IntType)> {
        let value =
            digits(integer).ok_or_else(|| mistake(span, "this number has more than 64 bits", "too large"))?;
        if integer.suffix.imaginary {
            return Err(unsupported(span, "complex numbers are not supported", "use whole numbers"));
        }
        let least = if integer.suffix.size == IntegerSize::Int { 32 } else { 64 };
        let decimal = integer.base == IntegerBase::Decimal;
        // Decimal numbers without a suffix have a sign.
        let fits = |(bits, signed): &(u32, bool)| {
            let sign = if integer.suffix.unsigned { !signed } else { *signed || !decimal };
            *bits >= least && sign && value <= IntType::new(*bits, *signed).interval().high
        };
        let all = [(32, true), (32, false), (64, true), (64, false)];
        let of = all
            .iter()
            .find(|of| fits(of))
            .map_or(IntType::SIZE, |(bits, signed)| IntType::new(*bits, *signed));
        Ok((value, of))
    }

    /// A constant expression.
    pub fn constant(&mut self, expression: &'a Node<Expression>) -> Lowered<i128> {
        Ok(self.typed_constant(expression)?.0)
    }

    /// The same if it is one, without a message.
    pub fn is_constant(&mut self, expression: &'a Node<Expression>) -> Option<i128> {
        self.typed_constant(expression).ok().map(|(value, _)| value)
    }

    pub fn typed_constant(&mut self, expression: &'a Node<Expression>) -> Lowered<(i128, IntType)> {
        let span = self.span(expression);
        let no_constant = || mistake(span, "a constant is needed here", "not known before the program runs");
        match &expression.node {
            Expression::Constant(constant) => self.literal(constant),
            Expression::Identifier(name) => match self.entity(&name.node.name, span)? {
                Entity::Constant(value, of) => Ok((value, of)),
                _ => Err(no_constant()),
            },
            Expression::UnaryOperator(unary) => {
                let (value, of) = self.typed_constant(&unary.node.operand)?;
                let promoted = of.promoted();
                Ok(match unary.node.operator.node {
                    UnaryOperator::Plus => (value, promoted),
                    UnaryOperator::Minus => (wrapped(-value, promoted), promoted),
                    UnaryOperator::Complement => (wrapped(-value - 1, promoted), promoted),
                    UnaryOperator::Negate => (i128::from(value == 0), IntType::INT),
                    _ => return Err(no_constant()),
                })
            }
            Expression::BinaryOperator(binary) => {
                let binary = &binary.node;
                let (left, right) = (self.typed_constant(&binary.lhs)?, self.typed_constant(&binary.rhs)?);
                folded(&binary.operator.node, left, right).ok_or_else(no_constant)
            }
            Expression::Conditional(conditional) => {
                let conditional = &conditional.node;
                let (then, otherwise) = (&conditional.then_expression, &conditional.else_expression);
                let (chosen, other) = match self.constant(&conditional.condition)? {
                    0 => (otherwise, then),
                    _ => (then, otherwise),
                };
                let (value, of) = self.typed_constant(chosen)?;
                // It has the type that both have in common.
                let CType::Int(other) = self.type_of(other)? else { return Ok((value, of)) };
                let of = of.common(other);
                Ok((wrapped(value, of), of))
            }
            Expression::Cast(cast) => {
                let of = self.type_name(&cast.node.type_name)?;
                let (value, from) = self.typed_constant(&cast.node.expression)?;
                match of {
                    CType::Int(of) => Ok((wrapped(value, of), of)),
                    CType::Pointer(_) => Ok((value, from)),
                    _ => Err(no_constant()),
                }
            }
            Expression::SizeOfTy(size) => {
                let of = self.type_name(&size.node.0)?;
                self.size(&of, span)
            }
            Expression::SizeOfVal(size) => {
                let of = self.type_of(&size.node.0)?;
                self.size(&of, span)
            }
            Expression::StringLiteral(_)
            | Expression::GenericSelection(_)
            | Expression::Member(_)
            | Expression::Call(_)
            | Expression::CompoundLiteral(_)
            | Expression::AlignOf(_)
            | Expression::Comma(_)
            | Expression::OffsetOf(_)
            | Expression::VaArg(_)
            | Expression::Statement(_) => Err(no_constant()),
        }
    }

    pub fn size(&self, of: &CType, span: Span) -> Lowered<(i128, IntType)> {
        match of.size() {
            Some(size) => Ok((size.into(), IntType::SIZE)),
            None => Err(unsupported(
                span,
                format!("the size of {} is not known", of.words()),
                "`sizeof` is for numbers, pointers and arrays of them",
            )),
        }
    }
}

/// A binary operation on constants; nothing if it has no value.
fn folded(
    operator: &BinaryOperator,
    left: (i128, IntType),
    right: (i128, IntType),
) -> Option<(i128, IntType)> {
    let of = left.1.common(right.1);
    let (a, b) = (wrapped(left.0, of), wrapped(right.0, of));
    let truth = |value: bool| Some((i128::from(value), IntType::INT));
    let number = |value: i128| Some((wrapped(value, of), of));
    let shift = usize::try_from(right.0).ok().filter(|shift| *shift < left.1.promoted().bits as usize);
    match operator {
        BinaryOperator::Multiply => number(a.checked_mul(b)?),
        BinaryOperator::Divide => number(a.checked_div(b)?),
        BinaryOperator::Modulo => number(a.checked_rem(b)?),
        BinaryOperator::Plus => number(a + b),
        BinaryOperator::Minus => number(a - b),
        BinaryOperator::ShiftLeft => {
            let of = left.1.promoted();
            Some((wrapped(left.0 << shift?, of), of))
        }
        BinaryOperator::ShiftRight => Some((left.0 >> shift?, left.1.promoted())),
        BinaryOperator::Less => truth(a < b),
        BinaryOperator::Greater => truth(a > b),
        BinaryOperator::LessOrEqual => truth(a <= b),
        BinaryOperator::GreaterOrEqual => truth(a >= b),
        BinaryOperator::Equals => truth(a == b),
        BinaryOperator::NotEquals => truth(a != b),
        BinaryOperator::BitwiseAnd => number(a & b),
        BinaryOperator::BitwiseXor => number(a ^ b),
        BinaryOperator::BitwiseOr => number(a | b),
        BinaryOperator::LogicalAnd => truth(left.0 != 0 && right.0 != 0),
        BinaryOperator::LogicalOr => truth(left.0 != 0 || right.0 != 0),
        BinaryOperator::Index
        | BinaryOperator::Assign
        | BinaryOperator::AssignMultiply
        | BinaryOperator::AssignDivide
        | BinaryOperator::AssignModulo
        | BinaryOperator::AssignPlus
        | BinaryOperator::AssignMinus
        | BinaryOperator::AssignShiftLeft
        | BinaryOperator::AssignShiftRight
        | BinaryOperator::AssignBitwiseAnd
        | BinaryOperator::AssignBitwiseXor
        | BinaryOperator::AssignBitwiseOr => None,
    }
}

/// `'a'`, `'\n'`, `'\x41'`, `'\101'`
fn character(text: &str) -> Option<i128> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inner.chars();
    let first = chars.next()?;
    if first != '\\' {
        let plain = first.is_ascii() && chars.next().is_none();
        return plain.then_some(i128::from(u32::from(first)));
    }
    let rest = chars.as_str();
    let value = match rest {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "\\" | "'" | "\"" | "?" => i128::from(rest.as_bytes()[0]),
        _ => match rest.strip_prefix('x') {
            Some(hex) => i128::from(u8::from_str_radix(hex, 16).ok()?),
            None => i128::from(u8::from_str_radix(rest, 8).ok()?),
        },
    };
    Some(wrapped(value, IntType::new(8, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_those_of_the_machine() {
        let all = ["'a'", "'\\n'", "'\\0'", "'\\x41'", "'\\101'", "'\\xff'", "'\\''"];
        let values = all.map(|text| character(text).unwrap());
        assert_eq!(values, [97, 10, 0, 65, 65, -1, 39]);
        assert_eq!(character("'ab'"), None);
    }

    #[test]
    fn constants_are_computed_in_their_types() {
        let (int, unsigned) = (IntType::INT, IntType::new(32, false));
        let folded = |operator, a, b| folded(&operator, a, b).map(|(value, _)| value);
        assert_eq!(folded(BinaryOperator::Minus, (0, unsigned), (1, int)), Some(4294967295));
        assert_eq!(folded(BinaryOperator::Less, (-1, int), (1, unsigned)), Some(0));
        assert_eq!(folded(BinaryOperator::Divide, (-7, int), (2, int)), Some(-3));
        assert_eq!(folded(BinaryOperator::Divide, (1, int), (0, int)), None);
        assert_eq!(folded(BinaryOperator::Modulo, (-7, int), (2, int)), Some(-1));
    }
}
