//! Operators on numbers, as C has them: in the common type of the operands, exact where the result has a meaning.
//!
//! A sum or product is computed without bounds. If it can be outside its type, an unsigned one is taken modulo the size of
//! the type, and a signed one has no meaning: the run ends there, or it is an error if overflows are to be found.

use super::lower::{Lower, Lowered, unsupported};
use super::types::IntType;
use super::value::{Number, Truth};
use crate::model::options::Check;
use crate::model::program::{Domain, Interval, Op};
use calculus::span::Span;
use lang_c::ast::BinaryOperator;

/// Numbers of the model stay below this, so that sums of them fit.
const LARGEST: i128 = 1 << 61;

impl Lower<'_> {
    pub fn fitting(&self, number: Number, span: Span) -> Lowered<Number> {
        let Interval { low, high } = number.interval;
        if -LARGEST <= low && high <= LARGEST {
            return Ok(number);
        }
        if number.known().is_some() {
            let help = "computing with it is not supported; is a negative number converted to 64 bits without a sign?";
            return Err(unsupported(span, format!("the number {low} is too large"), help));
        }
        let title =
            format!("the numbers of this expression are too large with words of {} bits", self.words.width);
        Err(unsupported(span, title, "compute with smaller types, or choose smaller words: --width 8"))
    }

    /// The number if it is inside an interval; the run ends where it is not.
    pub fn within(&mut self, number: Number, inside: Interval, why: &str, span: Span) -> Number {
        if inside.contains(number.interval) {
            return number;
        }
        self.cuts.entry(span).or_insert_with(|| why.into());
        let domain = Domain::Range { low: inside.low as i64, high: inside.high as i64, wraps: false };
        let var = self.on_the_way(&self.only_read(&number.code), domain.clone(), span);
        self.emitter.assign(var, number.code, span);
        let interval = Interval {
            low: inside.low.max(number.interval.low),
            high: inside.high.min(number.interval.high),
        };
        // Nothing may be inside at all.
        let interval = if interval.low <= interval.high { interval } else { inside };
        Number { interval, narrowed: number.narrowed, ..Number::variable(var, &domain, number.of) }
    }

    /// Conversion to another type of numbers.
    pub fn converted(&mut self, number: Number, of: IntType, span: Span) -> Lowered<Number> {
        let of = IntType { truth: false, atomic: false, ..of };
        if of.interval().contains(number.interval) {
            return Ok(Number { of, ..number });
        }
        if let Some(value) = number.known() {
            return Ok(Number::constant(super::constants::wrapped(value, of), of));
        }
        if of.bits >= 62 {
            let why = "a number without a sign would be negative or very large";
            let interval = Interval { low: of.interval().low.max(-LARGEST), high: LARGEST };
            let number = self.within(number, interval, why, span);
            return Ok(Number { of, ..number });
        }
        let Number { mut code, shared, .. } = number;
        let size = 1_i64 << of.bits;
        match of.signed {
            false => code.extend([Op::Number(size), Op::Modulo]),
            true => code.extend([
                Op::Number(size / 2),
                Op::Plus,
                Op::Number(size),
                Op::Modulo,
                Op::Number(size / 2),
                Op::Minus,
            ]),
        }
        Ok(Number { code, interval: of.interval(), of, shared, narrowed: false })
    }

    /// The result of an operation: inside its type.
    fn result(&mut self, number: Number, span: Span) -> Lowered<Number> {
        let of = number.of;
        let checked = number.narrowed && of.signed && self.words.checks(Check::Overflow);
        let small = (-LARGEST..=LARGEST).contains(&number.interval.high);
        if of.interval().contains(number.interval) && small && !checked {
            return self.fitting(number, span);
        }
        let number = self.fitting(number, span)?;
        if !of.signed {
            return self.converted(number, of, span);
        }
        if self.words.checks(Check::Overflow) {
            let number = self.settled(number, span);
            let Interval { low, high } = of.interval();
            let least = number.clone().compared(Op::AtLeast, Number::constant(low, of));
            let most = number.clone().compared(Op::AtMost, Number::constant(high, of));
            self.check(least.combined(Op::And, most), span);
            let why = "a signed number overflows";
            return Ok(self.within(number, of.interval(), why, span));
        }
        Ok(self.within(number, of.interval(), "a signed number overflows", span))
    }

    pub fn negative(&mut self, number: Number, span: Span) -> Lowered<Number> {
        let of = number.of.promoted();
        let number = self.converted(number, of, span)?;
        if let Some(value) = number.known() {
            return self.result(Number::constant(-value, of), span);
        }
        let interval = Interval::only(0).minus(number.interval);
        let Number { mut code, shared, narrowed, .. } = number;
        code.push(Op::Negate);
        self.result(Number { code, interval, of, shared, narrowed }, span)
    }

    /// `~x` is `-x - 1`.
    pub fn complement(&mut self, number: Number, span: Span) -> Lowered<Number> {
        let of = number.of.promoted();
        let number = self.converted(number, of, span)?;
        let top = if of.signed { -1 } else { of.interval().high };
        let top = self.fitting(Number::constant(top, of), span)?;
        let interval = top.interval.minus(number.interval);
        let number = match (top.known(), number.known()) {
            (Some(a), Some(b)) => Number::constant(a - b, of),
            _ => top.with(Op::Minus, number, interval, of),
        };
        self.result(number, span)
    }

    pub fn comparison(&mut self, op: Op, left: Number, right: Number, span: Span) -> Lowered<Truth> {
        let of = left.of.common(right.of);
        let left = self.converted(left, of, span)?;
        let right = self.converted(right, of, span)?;
        Ok(left.compared(op, right))
    }

    /// An operator that gives a number.
    pub fn arithmetic(
        &mut self,
        operator: &BinaryOperator,
        left: Number,
        right: Number,
        span: Span,
    ) -> Lowered<Number> {
        let shift = matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
        let of = if shift { left.of.promoted() } else { left.of.common(right.of) };
        let left = self.converted(left, of, span)?;
        let right = if shift { right } else { self.converted(right, of, span)? };
        let op = match operator {
            BinaryOperator::Plus => Op::Plus,
            BinaryOperator::Minus => Op::Minus,
            BinaryOperator::Multiply => Op::Times,
            BinaryOperator::Divide => return self.division(left, right, false, span),
            BinaryOperator::Modulo => return self.division(left, right, true, span),
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                return self.shift(*operator == BinaryOperator::ShiftLeft, left, right, span);
            }
            BinaryOperator::BitwiseAnd => return self.bitwise(Op::And, left, right, span),
            BinaryOperator::BitwiseOr => return self.bitwise(Op::Or, left, right, span),
            BinaryOperator::BitwiseXor => return self.bitwise(Op::Xor, left, right, span),
            _ => unreachable!("the caller has asked for arithmetic"),
        };
        let (left, right) = (self.fitting(left, span)?, self.fitting(right, span)?);
        let interval = match op {
            Op::Plus => left.interval.plus(right.interval),
            Op::Minus => left.interval.minus(right.interval),
            _ => left.interval.times(right.interval),
        };
        let number = match left.known().is_some() && right.known().is_some() {
            true => Number::constant(interval.low, of),
            false => left.with(op, right, interval, of),
        };
        self.result(number, span)
    }

    /// Division rounds towards 0; the remainder has the sign of the dividend.
    fn division(&mut self, left: Number, right: Number, remainder: bool, span: Span) -> Lowered<Number> {
        let of = left.of;
        if let (Some(a), Some(b)) = (left.known(), right.known())
            && b != 0
        {
            return self.result(Number::constant(if remainder { a % b } else { a / b }, of), span);
        }
        let (left, right) = (self.fitting(left, span)?, self.fitting(right, span)?);
        let (left, right) = (self.settled(left, span), self.settled(right, span));
        let zero = Interval::only(0);
        let zero = right.narrowed || right.interval.contains(zero);
        let right = if zero { self.divisor(right, span) } else { right };
        if let (true, Some(b @ 1..), 0..) = (remainder, right.known(), left.interval.low) {
            let interval = left.interval.modulo(b);
            return Ok(left.with(Op::Modulo, right, interval, of).surely(Interval { low: 0, high: b - 1 }));
        }
        let number = match remainder {
            true => {
                let interval = left.interval.remainder(right.interval);
                left.with(Op::Remainder, right, interval, of)
            }
            false => {
                let interval = left.interval.quotient(right.interval);
                left.with(Op::Quotient, right, interval, of)
            }
        };
        self.result(number, span)
    }

    /// Something to divide by: not 0.
    fn divisor(&mut self, number: Number, span: Span) -> Number {
        let nonzero = number.clone().differs_from_zero();
        if self.words.checks(Check::Division) {
            self.check(nonzero, span);
        } else {
            let zero = number.clone().equals_zero();
            // Nothing in the branches can be refused.
            let _ = self.branch(
                zero,
                span,
                |this| {
                    this.cut(span, "a division by zero");
                    Ok(())
                },
                |_| Ok(()),
            );
        }
        number
    }

    fn shift(&mut self, to_the_left: bool, left: Number, right: Number, span: Span) -> Lowered<Number> {
        let of = left.of;
        let Some(count) = right.known().filter(|count| (0..i128::from(of.bits)).contains(count)) else {
            let title = "shifts by something other than a small constant are not supported";
            return Err(unsupported(
                span,
                title,
                "write a multiplication or a division, or a switch over the count",
            ));
        };
        let size = Number::constant(1 << count, of);
        if to_the_left {
            // Bits that are shifted out make no larger numbers on the way.
            let kept = Interval { low: 0, high: (1 << (i128::from(of.bits) - count)) - 1 };
            let left = match !of.signed && left.known().is_none() && !kept.contains(left.interval) {
                true => {
                    let size = self.fitting(Number::constant(kept.high + 1, of), span)?;
                    left.with(Op::Modulo, size, kept, of).surely(kept)
                }
                false => left,
            };
            let interval = left.interval.times(size.interval);
            let number = match left.known() {
                Some(value) => Number::constant(value << count, of),
                None => left.with(Op::Times, size, interval, of),
            };
            return self.result(number, span);
        }
        if let Some(value) = left.known() {
            return Ok(Number::constant(value >> count, of));
        }
        let interval = Interval { low: left.interval.low >> count, high: left.interval.high >> count };
        Ok(left.with(Op::ShiftRight, Number::constant(count, IntType::INT), interval, of))
    }

    /// Bit by bit, in two's complement.
    fn bitwise(&mut self, op: Op, left: Number, right: Number, span: Span) -> Lowered<Number> {
        let of = left.of;
        if let (Some(a), Some(b)) = (left.known(), right.known()) {
            let value = match op {
                Op::And => a & b,
                Op::Or => a | b,
                _ => a ^ b,
            };
            return Ok(Number::constant(value, of));
        }
        // `x & 7` is a remainder that is never negative.
        for (number, mask) in [(&left, &right), (&right, &left)] {
            if let (Op::And, Some(mask @ 0..)) = (op, mask.known())
                && (mask + 1).count_ones() == 1
            {
                let all = Interval { low: 0, high: mask };
                if all.contains(number.interval) {
                    return Ok(number.clone().surely(all));
                }
                self.fitting(Number::constant(mask + 1, of), span)?;
                let interval = number.interval.modulo(mask + 1);
                let size = Number::constant(mask + 1, of);
                return Ok(number.clone().with(Op::Modulo, size, interval, of).surely(all));
            }
        }
        let (left, right) = (self.fitting(left, span)?, self.fitting(right, span)?);
        let interval = left.interval.bitwise(right.interval, op == Op::And);
        Ok(left.with(op, right, interval, of))
    }
}
