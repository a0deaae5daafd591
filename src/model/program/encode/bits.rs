//! Expressions of a program as Boolean expressions over bits.
//!
//! An expression with `*` can have several values. Each occurrence of `*` is a choice of its own, so the parts
//! of an expression choose independently, and it suffices to know when it can be 1 and when it can be 0.

use crate::model::program::resolve::program::{Expr, Op, Var};
use calculus::vocabulary::{Bit, BitExpr};
use std::rc::Rc;

/// When an expression can be 1, and when it can be 0.
#[derive(Clone, Debug)]
pub enum BitOutcome {
    /// Exactly one of both: this is when it is 1.
    Sure(BitExpr),
    Either {
        one: BitExpr,
        zero: BitExpr,
    },
}

pub fn not(expr: BitExpr) -> BitExpr {
    match expr {
        BitExpr::Const(value) => BitExpr::Const(!value),
        BitExpr::Not(inner) => (*inner).clone(),
        other => BitExpr::Not(Rc::new(other)),
    }
}

pub fn and(left: BitExpr, right: BitExpr) -> BitExpr {
    match (left, right) {
        (BitExpr::Const(true), other) | (other, BitExpr::Const(true)) => other,
        (BitExpr::Const(false), _) | (_, BitExpr::Const(false)) => BitExpr::Const(false),
        (BitExpr::And(mut parts), right) => {
            parts.push(right);
            BitExpr::And(parts)
        }
        (left, right) => BitExpr::And(vec![left, right]),
    }
}

pub fn or(left: BitExpr, right: BitExpr) -> BitExpr {
    match (left, right) {
        (BitExpr::Const(false), other) | (other, BitExpr::Const(false)) => other,
        (BitExpr::Const(true), _) | (_, BitExpr::Const(true)) => BitExpr::Const(true),
        (BitExpr::Or(mut parts), right) => {
            parts.push(right);
            BitExpr::Or(parts)
        }
        (left, right) => BitExpr::Or(vec![left, right]),
    }
}

pub fn xor(left: BitExpr, right: BitExpr) -> BitExpr {
    match (left, right) {
        (BitExpr::Const(false), other) | (other, BitExpr::Const(false)) => other,
        (BitExpr::Const(true), other) | (other, BitExpr::Const(true)) => not(other),
        (left, right) => BitExpr::Xor(Rc::new(left), Rc::new(right)),
    }
}

impl BitOutcome {
    pub fn one(self) -> BitExpr {
        match self {
            BitOutcome::Sure(one) => one,
            BitOutcome::Either { one, .. } => one,
        }
    }

    fn both(self) -> (BitExpr, BitExpr) {
        match self {
            BitOutcome::Sure(one) => (one.clone(), not(one)),
            BitOutcome::Either { one, zero } => (one, zero),
        }
    }

    /// A bit that takes one of the possible values.
    pub fn taken_by(self, bit: Bit) -> BitExpr {
        let bit = BitExpr::Bit(bit);
        match self {
            BitOutcome::Sure(BitExpr::Const(value)) => {
                if value {
                    bit
                } else {
                    not(bit)
                }
            }
            BitOutcome::Sure(one) => not(xor(bit, one)),
            BitOutcome::Either { one, zero } => or(and(bit.clone(), one), and(not(bit), zero)),
        }
    }

    fn negate(self) -> BitOutcome {
        match self {
            BitOutcome::Sure(one) => BitOutcome::Sure(not(one)),
            BitOutcome::Either { one, zero } => BitOutcome::Either { one: zero, zero: one },
        }
    }

    fn conjoin(self, other: BitOutcome) -> BitOutcome {
        match (self, other) {
            (BitOutcome::Sure(a), BitOutcome::Sure(b)) => BitOutcome::Sure(and(a, b)),
            (a, b) => {
                let ((a1, a0), (b1, b0)) = (a.both(), b.both());
                BitOutcome::Either { one: and(a1, b1), zero: or(a0, b0) }
            }
        }
    }

    fn disjoin(self, other: BitOutcome) -> BitOutcome {
        match (self, other) {
            (BitOutcome::Sure(a), BitOutcome::Sure(b)) => BitOutcome::Sure(or(a, b)),
            (a, b) => a.negate().conjoin(b.negate()).negate(),
        }
    }

    fn differ(self, other: BitOutcome) -> BitOutcome {
        match (self, other) {
            (BitOutcome::Sure(a), BitOutcome::Sure(b)) => BitOutcome::Sure(xor(a, b)),
            (a, b) => {
                let ((a1, a0), (b1, b0)) = (a.both(), b.both());
                let one = or(and(a1.clone(), b0.clone()), and(a0.clone(), b1.clone()));
                BitOutcome::Either { one, zero: or(and(a1, b1), and(a0, b0)) }
            }
        }
    }
}

/// The outcome of an expression; `old` and `new` say where a variable's values are.
pub fn outcome(expr: &Expr, old: &impl Fn(Var) -> BitExpr, new: &impl Fn(Var) -> BitExpr) -> BitOutcome {
    let mut stack: Vec<BitOutcome> = Vec::new();
    for op in &expr.code {
        let mut pop = || stack.pop().expect("a resolved expression is well formed");
        let result = match op {
            Op::Constant(value) => BitOutcome::Sure(BitExpr::Const(*value)),
            Op::Old(var) => BitOutcome::Sure(old(*var)),
            Op::New(var) => BitOutcome::Sure(new(*var)),
            Op::Nondet => BitOutcome::Either { one: BitExpr::Const(true), zero: BitExpr::Const(true) },
            Op::Not => pop().negate(),
            _ => {
                let right = pop();
                let left = pop();
                match op {
                    Op::And => left.conjoin(right),
                    Op::Or => left.disjoin(right),
                    Op::Xor | Op::Differ => left.differ(right),
                    Op::Equal => left.differ(right).negate(),
                    Op::Implies => left.negate().disjoin(right),
                    Op::Schoose => {
                        // a | !b & *
                        let ((a1, a0), (_, b0)) = (left.both(), right.both());
                        BitOutcome::Either { one: or(a1, b0), zero: a0 }
                    }
                    Op::Constant(_) | Op::Old(_) | Op::New(_) | Op::Nondet | Op::Not => {
                        unreachable!("handled above")
                    }
                }
            }
        };
        stack.push(result);
    }
    stack.pop().expect("a resolved expression is not empty")
}
