//! Values an expression can have.
//!
//! Every `*` is a choice of its own, so the operands of an operator never share one, and the set of values of an expression
//! follows from the sets of its parts.

use crate::model::program::{Expr, Op, Var};

/// A set of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Possible {
    pub no: bool,
    pub yes: bool,
}

impl Possible {
    pub const BOTH: Possible = Possible { no: true, yes: true };

    pub fn only(value: bool) -> Possible {
        Possible { no: !value, yes: value }
    }

    /// The single value, if there is just one.
    pub fn certain(self) -> Option<bool> {
        (self.no != self.yes).then_some(self.yes)
    }

    pub fn values(self) -> impl Iterator<Item = bool> {
        [false, true].into_iter().filter(move |value| if *value { self.yes } else { self.no })
    }
}

/// Evaluates; all variables that are read must have values.
pub fn eval(
    expression: &Expr,
    old: impl Fn(Var) -> Option<bool>,
    new: impl Fn(Var) -> Option<bool>,
) -> Possible {
    let value =
        |value: Option<bool>| Possible::only(value.expect("variables are chosen before they are read"));
    let mut stack: Vec<Possible> = Vec::new();
    for op in &expression.code {
        let result = match op {
            Op::Constant(value) => Possible::only(*value),
            Op::Nondet => Possible::BOTH,
            Op::Old(var) => value(old(*var)),
            Op::New(var) => value(new(*var)),
            Op::Not => {
                let operand = stack.pop().expect("a resolved expression has an operand here");
                Possible { no: operand.yes, yes: operand.no }
            }
            op => {
                let right = stack.pop().expect("a resolved expression has two operands here");
                let left = stack.pop().expect("a resolved expression has two operands here");
                binary(*op, left, right)
            }
        };
        stack.push(result);
    }
    stack.pop().expect("a resolved expression has a value")
}

fn binary(op: Op, left: Possible, right: Possible) -> Possible {
    let mut result = Possible { no: false, yes: false };
    for a in left.values() {
        for b in right.values() {
            let value = match op {
                Op::And => Possible::only(a && b),
                Op::Or => Possible::only(a || b),
                Op::Xor | Op::Differ => Possible::only(a != b),
                Op::Equal => Possible::only(a == b),
                Op::Implies => Possible::only(!a || b),
                // a | !b & *
                _ if a => Possible::only(true),
                _ if b => Possible::only(false),
                _ => Possible::BOTH,
            };
            result = Possible { no: result.no || value.no, yes: result.yes || value.yes };
        }
    }
    result
}
