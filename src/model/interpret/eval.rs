//! Values an expression can have.
//!
//! Every `*` is a choice of its own, so the operands of an operator never share one, and the set of values of an expression
//! follows from the sets of its parts. Numbers depend on no choice.

use crate::model::program::{Domain, Expr, Op, Var};

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// `*` alone is also any value of a variable that is assigned.
    Truth(Possible),
    Number(i64),
}

/// The value was outside the range.
pub struct Outside;

impl Evaluated {
    /// What a variable of this domain has that this is assigned to; nothing if it stays open, or if there is none.
    pub fn assigned(self, domain: Option<&Domain>) -> Result<Option<i64>, Outside> {
        match (self, domain) {
            (_, None) => Ok(None),
            (Evaluated::Truth(possible), Some(_)) => Ok(possible.certain().map(i64::from)),
            (Evaluated::Number(value), Some(domain)) => domain.stored(value).map(Some).ok_or(Outside),
        }
    }

    /// The truth values of a condition.
    pub fn truth(self) -> Possible {
        match self {
            Evaluated::Truth(possible) => possible,
            Evaluated::Number(_) => unreachable!("conditions are truth values: resolve checks it"),
        }
    }

    fn number(self) -> i64 {
        match self {
            Evaluated::Number(value) => value,
            Evaluated::Truth(_) => unreachable!("operands are numbers here: resolve checks it"),
        }
    }
}

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
pub fn eval<'d>(
    expression: &Expr,
    domain: impl Fn(Var) -> &'d Domain,
    old: impl Fn(Var) -> Option<i64>,
    new: impl Fn(Var) -> Option<i64>,
) -> Evaluated {
    eval_by(expression, domain, |op| match op {
        Op::Old(var) => old(var),
        Op::New(var) => new(var),
        _ => None,
    })
}

/// The same where `read` says the values of all kinds of variables.
pub fn eval_by<'d>(
    expression: &Expr,
    domain: impl Fn(Var) -> &'d Domain,
    read: impl Fn(Op) -> Option<i64>,
) -> Evaluated {
    use Evaluated::{Number, Truth};
    let value = |var: Var, op: Op| {
        let value = read(op).expect("variables are chosen before they are read");
        match domain(var) {
            Domain::Bool => Truth(Possible::only(value != 0)),
            Domain::Range { .. } | Domain::Names(_) => Number(value),
        }
    };
    let mut stack: Vec<Evaluated> = Vec::new();
    for op in &expression.code {
        let result = match op {
            Op::Constant(value) => Truth(Possible::only(*value)),
            Op::Number(value) => Number(*value),
            Op::Nondet => Truth(Possible::BOTH),
            Op::Old(var) | Op::New(var) | Op::Theirs(var) | Op::TheirsAfter(var) => value(*var, *op),
            Op::Not | Op::Negate => match stack.pop().expect("a resolved expression has an operand here") {
                Truth(Possible { no, yes }) => Truth(Possible { no: yes, yes: no }),
                Number(value) => Number(-value),
            },
            op => {
                let right = stack.pop().expect("a resolved expression has two operands here");
                let left = stack.pop().expect("a resolved expression has two operands here");
                match (left, right) {
                    (Truth(left), Truth(right)) => Truth(binary(*op, left, right)),
                    (left, right) => arithmetic(*op, left.number(), right.number()),
                }
            }
        };
        stack.push(result);
    }
    stack.pop().expect("a resolved expression has a value")
}

fn arithmetic(op: Op, left: i64, right: i64) -> Evaluated {
    Evaluated::Truth(Possible::only(match op {
        Op::Plus => return Evaluated::Number(left + right),
        Op::Minus => return Evaluated::Number(left - right),
        Op::Times => return Evaluated::Number(left * right),
        Op::Modulo => return Evaluated::Number(left.rem_euclid(right)),
        Op::Quotient => return Evaluated::Number(left.checked_div(right).unwrap_or(0)),
        Op::Remainder => return Evaluated::Number(left.checked_rem(right).unwrap_or(0)),
        Op::ShiftRight => return Evaluated::Number(left >> right.clamp(0, 63)),
        Op::And => return Evaluated::Number(left & right),
        Op::Or => return Evaluated::Number(left | right),
        Op::Xor => return Evaluated::Number(left ^ right),
        Op::Less => left < right,
        Op::AtMost => left <= right,
        Op::Greater => left > right,
        Op::AtLeast => left >= right,
        Op::Equal => left == right,
        _ => left != right,
    }))
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
