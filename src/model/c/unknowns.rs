//! Values from outside: `__VERIFIER_nondet_int()` and the like.
//!
//! A word has fewer values than the type, so the run leaves the model where the value would be another one. That does not
//! matter if the next statement says that it is small; and [`super::after`] finds out where it makes no difference.

use super::lower::{Bounds, Entity, Lower, Unknown};
use super::types::IntType;
use super::unit::name_of;
use super::value::Truth;
use crate::model::program::{Form, Interval, Op, Var};
use calculus::span::Span;
use lang_c::ast::{self, BinaryOperator, BlockItem, Expression, Statement};
use lang_c::span::Node;

/// Functions that end the run unless their argument holds.
const ASSUMPTIONS: [&str; 3] = ["assume_abort_if_not", "__VERIFIER_assume", "__CPROVER_assume"];

const UNBOUNDED: Interval = Interval { low: -(1 << 100), high: 1 << 100 };

impl<'a> Lower<'a> {
    /// A variable has any value of its domain: those of the type that it does not have leave the model.
    pub fn unknown(&mut self, var: Var, of: IntType, span: Span) {
        let mut possible = of.interval();
        // A negative bound of a number without a sign is a very large one.
        let plain = |bounds: &Interval| {
            of.signed || (bounds.low >= 0 || bounds.low == UNBOUNDED.low) && bounds.high >= 0
        };
        // Compared with a number without a sign, a negative one is very large.
        let signed = |unsigned: u32| of.signed && unsigned >= of.promoted().bits;
        // One that is not inside stands for all others, so the word must have one.
        let word = of.domain(self.words.width).interval();
        let known = self.bounded_next.filter(|bounds| !signed(bounds.unsigned));
        let known = known.filter(|bounds| !bounds.others || !bounds.interval.contains(word));
        if let Some(bounds) = known.map(|bounds| bounds.interval).filter(plain) {
            possible = Interval { low: possible.low.max(bounds.low), high: possible.high.min(bounds.high) };
        }
        let empty = possible.low > possible.high;
        if empty || word.contains(possible) {
            return;
        }
        let why = format!("a value from outside may need more than {} bits", self.words.width);
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        self.cut(span, &why);
        let then = self.emitter.close(span);
        let condition = Truth { code: vec![Op::Nondet], shared: false }.expression(span);
        let statement = self.emitter.put(reserved, Form::If { condition, then, otherwise: Vec::new() });
        self.unknowns.push(Unknown { procedure: self.current, statement, var });
    }

    /// The bounds that a statement gives to a local variable that the one before it has filled from outside: it is an
    /// assumption, or `if (x < 0 || x > 3) return;`.
    pub fn bound_by(&mut self, item: &'a Node<BlockItem>, next: &'a Node<BlockItem>) -> Option<Bounds> {
        let name = match &item.node {
            BlockItem::Declaration(declaration) => match &declaration.node.declarators[..] {
                [only] => match &only.node.initializer.as_ref()?.node {
                    ast::Initializer::Expression(value) if self.is_from_outside(&value.node) => {
                        name_of(&only.node.declarator.node)?
                    }
                    _ => return None,
                },
                _ => return None,
            },
            BlockItem::Statement(Node { node: Statement::Expression(Some(expression)), .. }) => {
                let Expression::BinaryOperator(binary) = &expression.node else { return None };
                let Expression::Identifier(name) = &binary.node.lhs.node else { return None };
                let assigns = binary.node.operator.node == BinaryOperator::Assign;
                if !assigns || !self.is_from_outside(&binary.node.rhs.node) {
                    return None;
                }
                let local = matches!(self.lookup(&name.node.name), Some(Entity::Object(object)) if object.unit.is_some());
                local.then_some(name.node.name.as_str())?
            }
            BlockItem::Statement(_) | BlockItem::StaticAssert(_) => return None,
        };
        let BlockItem::Statement(next) = &next.node else { return None };
        if let Statement::If(conditional) = &next.node {
            let condition = &conditional.node.condition;
            let leaves = conditional.node.else_statement.is_none()
                && leaves(&conditional.node.then_statement.node, name);
            let interval = self.bounds_otherwise(condition, name)?;
            let unsigned = self.unsigned_bits(condition);
            return leaves.then_some(Bounds { interval, unsigned, others: true });
        }
        let Statement::Expression(Some(next)) = &next.node else { return None };
        let Expression::Call(call) = &next.node else { return None };
        let called = super::scan::function_name(&call.node.callee.node)?;
        let [condition] = &call.node.arguments[..] else { return None };
        let unit = self.unit;
        let assumes = match unit.functions.get(called) {
            Some(function) => super::calls::is_assumption(function),
            None => ASSUMPTIONS.contains(&called),
        };
        assumes.then(|| {
            let (interval, unsigned) = (self.bounds(condition, name), self.unsigned_bits(condition));
            Bounds { interval, unsigned, others: false }
        })
    }

    fn unsigned_bits(&mut self, condition: &'a Node<Expression>) -> u32 {
        let Expression::BinaryOperator(binary) = &condition.node else { return 0 };
        let sides = [&binary.node.lhs, &binary.node.rhs];
        let bits = sides.map(|side| match self.typed_constant(side) {
            Ok((_, of)) if !of.promoted().signed => of.promoted().bits,
            _ => self.unsigned_bits(side),
        });
        bits.into_iter().max().unwrap_or(0)
    }

    fn is_from_outside(&self, expression: &Expression) -> bool {
        matches!(expression, Expression::Call(call) if self.is_any_number(&call.node))
    }

    /// The numbers for which a condition does not hold; nothing if it is not about these alone.
    fn bounds_otherwise(&mut self, condition: &'a Node<Expression>, name: &str) -> Option<Interval> {
        let Expression::BinaryOperator(binary) = &condition.node else { return None };
        let binary = &binary.node;
        if binary.operator.node == BinaryOperator::LogicalOr {
            let left = self.bounds_otherwise(&binary.lhs, name)?;
            let right = self.bounds_otherwise(&binary.rhs, name)?;
            return Some(Interval { low: left.low.max(right.low), high: left.high.min(right.high) });
        }
        let is = |expression: &Expression| matches!(expression, Expression::Identifier(it) if it.node.name == name);
        let (value, turned) = match (is(&binary.lhs.node), is(&binary.rhs.node)) {
            (true, false) => (self.is_constant(&binary.rhs)?, false),
            (false, true) => (self.is_constant(&binary.lhs)?, true),
            _ => return None,
        };
        let at_least = |low| Some(Interval { low, ..UNBOUNDED });
        let at_most = |high| Some(Interval { high, ..UNBOUNDED });
        match (&binary.operator.node, turned) {
            (BinaryOperator::Less, false) | (BinaryOperator::Greater, true) => at_least(value),
            (BinaryOperator::LessOrEqual, false) | (BinaryOperator::GreaterOrEqual, true) => {
                at_least(value + 1)
            }
            (BinaryOperator::Greater, false) | (BinaryOperator::Less, true) => at_most(value),
            (BinaryOperator::GreaterOrEqual, false) | (BinaryOperator::LessOrEqual, true) => {
                at_most(value - 1)
            }
            _ => None,
        }
    }

    /// What a condition says about a variable at least. Negative bounds are bounds of numbers with a sign.
    fn bounds(&mut self, condition: &'a Node<Expression>, name: &str) -> Interval {
        let Expression::BinaryOperator(binary) = &condition.node else { return UNBOUNDED };
        let binary = &binary.node;
        if binary.operator.node == BinaryOperator::LogicalAnd {
            let (left, right) = (self.bounds(&binary.lhs, name), self.bounds(&binary.rhs, name));
            return Interval { low: left.low.max(right.low), high: left.high.min(right.high) };
        }
        let is = |expression: &Expression| matches!(expression, Expression::Identifier(it) if it.node.name == name);
        let (value, turned) = match (is(&binary.lhs.node), is(&binary.rhs.node)) {
            (true, false) => (self.is_constant(&binary.rhs), false),
            (false, true) => (self.is_constant(&binary.lhs), true),
            _ => (None, false),
        };
        let Some(value) = value else { return UNBOUNDED };
        let above = |low| Interval { low, ..UNBOUNDED };
        let below = |high| Interval { high, ..UNBOUNDED };
        match (&binary.operator.node, turned) {
            (BinaryOperator::Less, false) | (BinaryOperator::Greater, true) => below(value - 1),
            (BinaryOperator::LessOrEqual, false) | (BinaryOperator::GreaterOrEqual, true) => below(value),
            (BinaryOperator::Greater, false) | (BinaryOperator::Less, true) => above(value + 1),
            (BinaryOperator::GreaterOrEqual, false) | (BinaryOperator::LessOrEqual, true) => above(value),
            (BinaryOperator::Equals, _) => Interval::only(value),
            _ => UNBOUNDED,
        }
    }
}

/// Whether a statement ends the function, the thread or the process, and does not look at a variable.
fn leaves(statement: &Statement, name: &str) -> bool {
    match statement {
        Statement::Compound(items) => match &items[..] {
            [Node { node: BlockItem::Statement(only), .. }] => leaves(&only.node, name),
            _ => false,
        },
        Statement::Return(None) => true,
        Statement::Return(Some(value)) => match &value.node {
            Expression::Constant(_) => true,
            // `NULL`
            Expression::Cast(cast) => matches!(cast.node.expression.node, Expression::Constant(_)),
            Expression::Identifier(other) => other.node.name != name,
            _ => false,
        },
        Statement::Expression(Some(call)) => match &call.node {
            Expression::Call(call) => {
                super::scan::function_name(&call.node.callee.node) == Some("abort")
                    && call.node.arguments.is_empty()
            }
            _ => false,
        },
        _ => false,
    }
}
