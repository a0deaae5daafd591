//! Expressions of a program as Boolean expressions over bits.
//!
//! An expression with `*` can have several values. Each occurrence of `*` is a choice of its own, so the parts
//! of an expression choose independently, and it suffices to know when it can be 1 and when it can be 0.

use super::word::Word;
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

/// What an expression of a program is.
#[derive(Clone, Debug)]
pub enum Meaning {
    Truth(BitOutcome),
    Number(Word),
}

impl Meaning {
    /// When a condition can hold.
    pub fn one(self) -> BitExpr {
        self.truth().one()
    }

    fn truth(self) -> BitOutcome {
        match self {
            Meaning::Truth(outcome) => outcome,
            Meaning::Number(_) => unreachable!("a condition is a truth value: resolve checks it"),
        }
    }

    fn number(self) -> Word {
        match self {
            Meaning::Number(word) => word,
            Meaning::Truth(_) => unreachable!("an operand is a number here: resolve checks it"),
        }
    }
}

/// A part that may occur several times.
pub fn shared(expr: BitExpr) -> BitExpr {
    match expr {
        BitExpr::Const(_) | BitExpr::Bit(_) | BitExpr::Shared(_) => expr,
        expr => BitExpr::Shared(Rc::new(expr)),
    }
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

    pub fn negate(self) -> BitOutcome {
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

/// The meaning of an expression; `old` and `new` say what a variable's values are.
pub fn meaning(expr: &Expr, old: &impl Fn(Var) -> Meaning, new: &impl Fn(Var) -> Meaning) -> Meaning {
    meaning_by(expr, &|op| match op {
        Op::Old(var) => old(var),
        Op::New(var) => new(var),
        _ => unreachable!("only `others` speaks of other threads"),
    })
}

/// The same where `read` says the values of all kinds of variables.
pub fn meaning_by(expr: &Expr, read: &impl Fn(Op) -> Meaning) -> Meaning {
    let mut stack: Vec<Meaning> = Vec::new();
    for op in &expr.code {
        let mut pop = || stack.pop().expect("a resolved expression is well formed");
        let result = match op {
            Op::Constant(value) => Meaning::Truth(BitOutcome::Sure(BitExpr::Const(*value))),
            Op::Number(value) => Meaning::Number(Word::constant((*value).into())),
            Op::Old(_) | Op::New(_) | Op::Theirs(_) | Op::TheirsAfter(_) => read(*op),
            Op::Nondet => {
                Meaning::Truth(BitOutcome::Either { one: BitExpr::Const(true), zero: BitExpr::Const(true) })
            }
            Op::Not => Meaning::Truth(pop().truth().negate()),
            Op::Negate => Meaning::Number(pop().number().negated()),
            _ => {
                let right = pop();
                let left = pop();
                match (left, right) {
                    (Meaning::Truth(left), Meaning::Truth(right)) => {
                        Meaning::Truth(connected(*op, left, right))
                    }
                    (left, right) => computed(*op, &left.number(), &right.number()),
                }
            }
        };
        stack.push(result);
    }
    stack.pop().expect("a resolved expression is not empty")
}

/// An operation on truth values.
fn connected(op: Op, left: BitOutcome, right: BitOutcome) -> BitOutcome {
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
        _ => unreachable!("truth values are not computed with: resolve checks it"),
    }
}

/// An operation on numbers.
fn computed(op: Op, left: &Word, right: &Word) -> Meaning {
    Meaning::Truth(BitOutcome::Sure(match op {
        Op::Plus => return Meaning::Number(left.plus(right)),
        Op::Minus => return Meaning::Number(left.minus(right)),
        Op::Times => return Meaning::Number(left.times(right)),
        Op::Modulo => return Meaning::Number(left.modulo(right.known())),
        Op::Quotient => return Meaning::Number(left.divided(right).0),
        Op::Remainder => return Meaning::Number(left.divided(right).1),
        Op::ShiftRight => return Meaning::Number(left.shifted(right.known())),
        Op::And => return Meaning::Number(left.bitwise(right, true, and)),
        Op::Or => return Meaning::Number(left.bitwise(right, false, or)),
        Op::Xor => return Meaning::Number(left.bitwise(right, false, xor)),
        Op::Less => left.less(right),
        Op::Greater => right.less(left),
        Op::AtMost => not(right.less(left)),
        Op::AtLeast => not(left.less(right)),
        Op::Equal => left.equal(right),
        Op::Differ => not(left.equal(right)),
        _ => unreachable!("numbers have no truth: resolve checks it"),
    }))
}
