//! What a step of a run reads, and what it gets from outside.
//!
//! Expressions of the model are evaluated as C evaluates them: the right side of `&&` and `||` only if it is needed.

use crate::model::program::{Expr, Op, Var};

/// More choices than these in one expression are not searched.
const MOST_CHOICES: u32 = 12;

/// What happened when an expression was evaluated.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    pub value: i64,
    /// The variables that were read, in order.
    pub read: Vec<Var>,
    /// What was chosen for each value from outside that was needed.
    pub chosen: Vec<i64>,
}

struct Evaluation<'a> {
    code: &'a [Op],
    is_truth: &'a dyn Fn(Var) -> bool,
    /// Where the operand begins that ends at each operation.
    begins: Vec<usize>,
    choices: u64,
    out: Evaluated,
}

/// Evaluates an expression that is known to have this value, if any is known.
pub fn evaluated(
    expr: &Expr,
    value: &dyn Fn(Var) -> i64,
    is_truth: &dyn Fn(Var) -> bool,
    known: Option<i64>,
) -> Evaluated {
    let nondet = expr.code.iter().filter(|op| matches!(op, Op::Nondet)).count() as u32;
    let tries = 1u64 << nondet.min(MOST_CHOICES);
    let mut first = None;
    for choices in 0..tries {
        let out = Evaluation::new(&expr.code, is_truth, choices).run(value);
        if known.is_none_or(|known| known == out.value) {
            return out;
        }
        first.get_or_insert(out);
    }
    first.unwrap_or_default()
}

impl<'a> Evaluation<'a> {
    fn new(code: &'a [Op], is_truth: &'a dyn Fn(Var) -> bool, choices: u64) -> Evaluation<'a> {
        let (mut begins, mut open) = (Vec::<usize>::new(), Vec::new());
        for (at, op) in code.iter().enumerate() {
            let first = (0..op.operands()).filter_map(|_| open.pop()).last().unwrap_or(at);
            begins.push(first);
            open.push(first);
        }
        Evaluation { code, is_truth, begins, choices, out: Evaluated::default() }
    }

    fn run(mut self, value: &dyn Fn(Var) -> i64) -> Evaluated {
        if let Some(last) = self.code.len().checked_sub(1) {
            self.out.value = self.at(last, value);
        }
        self.out
    }

    /// The value of the operand that ends at a place.
    fn at(&mut self, at: usize, value: &dyn Fn(Var) -> i64) -> i64 {
        let op = self.code[at];
        match op.operands() {
            0 => self.leaf(op, value),
            1 => {
                let operand = self.at(at - 1, value);
                if op == Op::Not { i64::from(operand == 0) } else { -operand }
            }
            _ => {
                let before = self.begins[at - 1] - 1;
                let left = self.at(before, value);
                match op {
                    // Of the bits of numbers, all are computed.
                    Op::And | Op::Or | Op::Xor if !self.truth(before) => {
                        let right = self.at(at - 1, value);
                        match op {
                            Op::And => left & right,
                            Op::Or => left | right,
                            _ => left ^ right,
                        }
                    }
                    Op::And if left == 0 => 0,
                    Op::Or if left != 0 => 1,
                    Op::Implies if left == 0 => 1,
                    _ => {
                        let right = self.at(at - 1, value);
                        computed(op, left, right)
                    }
                }
            }
        }
    }

    /// Whether the operand that ends at a place is a truth value.
    fn truth(&self, at: usize) -> bool {
        match self.code[at] {
            Op::Constant(_) | Op::Nondet | Op::Not | Op::Equal | Op::Differ | Op::Implies => true,
            Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => true,
            Op::Old(var) | Op::New(var) => (self.is_truth)(var),
            Op::And | Op::Or | Op::Xor => self.truth(self.begins[at - 1] - 1),
            _ => false,
        }
    }

    fn leaf(&mut self, op: Op, value: &dyn Fn(Var) -> i64) -> i64 {
        match op {
            Op::Constant(known) => known.into(),
            Op::Number(known) => known,
            Op::Old(var) | Op::New(var) => {
                self.out.read.push(var);
                value(var)
            }
            Op::Nondet => {
                let chosen = (self.choices & 1) as i64;
                self.choices >>= 1;
                self.out.chosen.push(chosen);
                chosen
            }
            _ => 0,
        }
    }
}

fn computed(op: Op, left: i64, right: i64) -> i64 {
    match op {
        Op::And | Op::Or | Op::Implies => i64::from(right != 0),
        Op::Xor => i64::from((left != 0) != (right != 0)),
        Op::Equal => i64::from(left == right),
        Op::Differ => i64::from(left != right),
        Op::Less => i64::from(left < right),
        Op::AtMost => i64::from(left <= right),
        Op::Greater => i64::from(left > right),
        Op::AtLeast => i64::from(left >= right),
        Op::Plus => left.wrapping_add(right),
        Op::Minus => left.wrapping_sub(right),
        Op::Times => left.wrapping_mul(right),
        Op::Quotient => left.checked_div(right).unwrap_or(0),
        Op::Remainder => left.checked_rem(right).unwrap_or(0),
        Op::ShiftRight => left >> right.clamp(0, 63),
        Op::Modulo => left.checked_rem_euclid(right).unwrap_or(0),
        _ => 0,
    }
}
