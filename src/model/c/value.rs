//! What an expression of C is while it is translated: code over variables, or something known already.

use super::types::{CType, IntType, Leaf};
use crate::model::program::{Domain, Expr, Interval, Op, Var};
use calculus::span::Span;
use std::rc::Rc;

/// A number: exact, whatever the width, as long as the numbers that it is made of are.
#[derive(Clone, Debug)]
pub struct Number {
    pub code: Vec<Op>,
    pub interval: Interval,
    pub of: IntType,
    /// It reads a variable that others can change; at most one, outside of atomic functions.
    pub shared: bool,
    /// Wider words may give it numbers outside of the interval: what the interval says is no reason to leave a check out.
    pub narrowed: bool,
}

/// 0 or 1, of type int.
#[derive(Clone, Debug)]
pub struct Truth {
    pub code: Vec<Op>,
    pub shared: bool,
}

#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    Truth(Truth),
    Pointer(Pointer),
    /// A structure, by the place where it is.
    Aggregate(Place),
    Void,
}

#[derive(Clone, Debug)]
pub enum Pointer {
    Null,
    To(Place),
    /// A string.
    Text,
    Function(String),
}

/// A variable of C: its scalars.
#[derive(Debug)]
pub struct Object {
    pub name: String,
    pub scalars: Vec<(Var, Leaf)>,
    pub of: CType,
    pub span: Span,
    /// Its place among the threads that are translated, if it is a local variable.
    pub unit: Option<usize>,
}

/// A place in memory: a part of an object, perhaps with indices that are known when the program runs.
#[derive(Clone, Debug)]
pub struct Place {
    pub object: Rc<Object>,
    /// In scalars.
    pub offset: usize,
    pub indices: Vec<Index>,
    pub of: CType,
    /// How many elements the array has before this one, and how many more behind it, or [`BEHIND_ALL`].
    pub room: Option<(usize, usize)>,
}

/// The place behind the last element of an array: C has its address, and nothing is there.
pub const BEHIND_ALL: usize = usize::MAX;

/// An index that is inside its array: checked already, and over locals that do not change.
#[derive(Clone, Debug)]
pub struct Index {
    pub number: Number,
    pub count: usize,
    pub stride: usize,
}

impl Number {
    pub fn constant(value: i128, of: IntType) -> Number {
        let (code, interval) = (vec![Op::Number(value as i64)], Interval::only(value));
        Number { code, interval, of, shared: false, narrowed: false }
    }

    pub fn variable(var: Var, domain: &Domain, of: IntType) -> Number {
        let shared = matches!(var, Var::Shared(_));
        let interval = domain.interval();
        Number { code: vec![Op::Old(var)], interval, of, shared, narrowed: !interval.contains(of.interval()) }
    }

    /// A variable of the front end, which has all values that are in its domain.
    pub fn temporary(var: Var, domain: &Domain, of: IntType) -> Number {
        Number { narrowed: false, ..Number::variable(var, domain, of) }
    }

    /// The same number if it is known to be inside an interval however wide words are.
    pub fn surely(self, inside: Interval) -> Number {
        Number { narrowed: self.narrowed && self.interval != inside, ..self }
    }

    /// The value of a constant. What has one value only because words are narrow is none: it would be read nowhere, and a
    /// value that leaves its word would not be noticed.
    pub fn known(&self) -> Option<i128> {
        matches!(self.code[..], [Op::Number(_)]).then_some(self.interval.low)
    }

    /// Both, with an operator behind them.
    pub fn with(self, op: Op, other: Number, interval: Interval, of: IntType) -> Number {
        let (shared, narrowed) = (self.shared || other.shared, self.narrowed || other.narrowed);
        Number { code: joined(self.code, other.code, op), interval, of, shared, narrowed }
    }

    pub fn compared(self, op: Op, other: Number) -> Truth {
        if let (Some(left), Some(right)) = (self.known(), other.known()) {
            return Truth::constant(match op {
                Op::Less => left < right,
                Op::AtMost => left <= right,
                Op::Greater => left > right,
                Op::AtLeast => left >= right,
                Op::Equal => left == right,
                _ => left != right,
            });
        }
        let shared = self.shared || other.shared;
        Truth { shared, code: joined(self.within_reach(), other.within_reach(), op) }
    }

    /// What it is compared as: a constant of 64 bits without a sign is larger than all numbers of the model, and so is this.
    fn within_reach(self) -> Vec<Op> {
        const FAR: i64 = 1 << 62;
        match self.known() {
            Some(value) if value > FAR.into() => vec![Op::Number(FAR)],
            Some(value) if value < (-FAR).into() => vec![Op::Number(-FAR)],
            _ => self.code,
        }
    }

    pub fn equals_zero(self) -> Truth {
        let of = self.of;
        self.compared(Op::Equal, Number::constant(0, of))
    }

    pub fn differs_from_zero(self) -> Truth {
        let of = self.of;
        self.compared(Op::Differ, Number::constant(0, of))
    }
}

pub fn joined(mut left: Vec<Op>, right: Vec<Op>, op: Op) -> Vec<Op> {
    left.extend(right);
    left.push(op);
    left
}

impl Truth {
    pub fn constant(value: bool) -> Truth {
        Truth { code: vec![Op::Constant(value)], shared: false }
    }

    pub fn variable(var: Var) -> Truth {
        Truth { code: vec![Op::Old(var)], shared: matches!(var, Var::Shared(_)) }
    }

    pub fn known(&self) -> Option<bool> {
        match self.code.as_slice() {
            [Op::Constant(value)] => Some(*value),
            _ => None,
        }
    }

    pub fn negated(mut self) -> Truth {
        match self.known() {
            Some(value) => Truth::constant(!value),
            None => {
                self.code.push(Op::Not);
                self
            }
        }
    }

    /// `&` or `|` where nothing is left out by a known operand.
    pub fn combined(self, op: Op, other: Truth) -> Truth {
        let neutral = matches!(op, Op::And);
        match (self.known(), other.known()) {
            (Some(value), _) if value == neutral => other,
            (Some(_), _) => self,
            (_, Some(value)) if value == neutral => self,
            (_, Some(_)) => other,
            _ => Truth { shared: self.shared || other.shared, code: joined(self.code, other.code, op) },
        }
    }

    pub fn expression(self, span: Span) -> Expr {
        Expr { code: self.code, span }
    }
}

impl Value {
    pub fn shared(&self) -> bool {
        match self {
            Value::Number(number) => number.shared,
            Value::Truth(truth) => truth.shared,
            Value::Pointer(_) | Value::Aggregate(_) | Value::Void => false,
        }
    }

    pub fn int(value: i128) -> Value {
        Value::Number(Number::constant(value, IntType::INT))
    }

    pub fn words(&self) -> &'static str {
        match self {
            Value::Number(_) | Value::Truth(_) => "a number",
            Value::Pointer(_) => "a pointer",
            Value::Aggregate(_) => "a structure",
            Value::Void => "nothing",
        }
    }
}

impl Place {
    pub fn whole(object: &Rc<Object>) -> Place {
        let of = object.of.clone();
        Place { object: Rc::clone(object), offset: 0, indices: Vec::new(), of, room: None }
    }

    /// Whether other threads see it.
    pub fn is_shared(&self) -> bool {
        self.object.scalars.iter().any(|(var, _)| matches!(var, Var::Shared(_)))
    }
}
