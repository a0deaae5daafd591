//! Expressions as text, with all parentheses: the dialects do not agree on what binds tighter.

use crate::model::program::{Expr, Op, Var};

/// The right side of an assignment: `schoose` may stand at its top, and only there.
pub fn value(expression: &Expr, name: &dyn Fn(Var) -> String) -> String {
    let printer = ExpressionPrinter::new(expression, name);
    let last = expression.code.len() - 1;
    match expression.code[last] {
        Op::Schoose => {
            let (left, right) = printer.operands(last);
            format!("schoose[{}, {}]", printer.text(left), printer.text(right))
        }
        _ => printer.text(last),
    }
}

/// A condition, in parentheses.
pub fn condition(expression: &Expr, name: &dyn Fn(Var) -> String) -> String {
    let text = ExpressionPrinter::new(expression, name).text(expression.code.len() - 1);
    if text.starts_with('(') { text } else { format!("({text})") }
}

struct ExpressionPrinter<'a> {
    code: &'a [Op],
    name: &'a dyn Fn(Var) -> String,
    /// Where the operation that ends at each place begins.
    begins: Vec<usize>,
}

/// What is still to be printed. Expressions may be deep, so nothing recurses.
enum PendingText {
    Text(&'static str),
    /// The operation that ends here.
    Operation(usize),
}

impl<'a> ExpressionPrinter<'a> {
    fn new(expression: &'a Expr, name: &'a dyn Fn(Var) -> String) -> ExpressionPrinter<'a> {
        let mut begins: Vec<usize> = Vec::with_capacity(expression.code.len());
        for (end, op) in expression.code.iter().enumerate() {
            begins.push(match op {
                Op::Constant(_) | Op::Nondet | Op::Old(_) | Op::New(_) => end,
                Op::Not => begins[end - 1],
                _ => begins[begins[end - 1] - 1],
            });
        }
        ExpressionPrinter { code: &expression.code, name, begins }
    }

    /// Where the operands of a binary operation end.
    fn operands(&self, end: usize) -> (usize, usize) {
        (self.begins[end - 1] - 1, end - 1)
    }

    fn text(&self, end: usize) -> String {
        use PendingText::{Operation, Text};
        let mut text = String::new();
        let mut waiting = vec![Operation(end)];
        while let Some(piece) = waiting.pop() {
            let end = match piece {
                Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Operation(end) => end,
            };
            match self.code[end] {
                Op::Constant(value) => text.push(if value { 'T' } else { 'F' }),
                Op::Nondet => text.push('*'),
                Op::Old(var) => text.push_str(&(self.name)(var)),
                Op::New(var) => text.extend(["'", &(self.name)(var)]),
                Op::Not => self.negation(end - 1, &mut waiting),
                op => {
                    let (left, right) = self.operands(end);
                    if op == Op::Schoose {
                        // Inside other expressions it is written out: a | (!b & *).
                        waiting.push(Text(" & *))"));
                        self.negation(right, &mut waiting);
                        waiting.extend([Text(" | ("), Operation(left), Text("(")]);
                    } else {
                        let sign = Text(sign(op));
                        waiting.extend([Text(")"), Operation(right), sign, Operation(left), Text("(")]);
                    }
                }
            }
        }
        text
    }

    /// Puts the negation of the operation that ends here on top of what is to be printed.
    fn negation(&self, end: usize, waiting: &mut Vec<PendingText>) {
        match self.code[end] {
            Op::Not | Op::Nondet => {
                waiting.extend([
                    PendingText::Text(")"),
                    PendingText::Operation(end),
                    PendingText::Text("!("),
                ]);
            }
            _ => waiting.extend([PendingText::Operation(end), PendingText::Text("!")]),
        }
    }
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::And => " & ",
        Op::Or => " | ",
        Op::Xor => " ^ ",
        Op::Equal => " = ",
        Op::Differ => " != ",
        _ => " => ",
    }
}
