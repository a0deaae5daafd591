//! Expressions as text, with all parentheses: the dialects do not agree on what binds tighter.

use crate::model::program::{Domain, Expr, Op, Var};

/// What variables are called, and what values they have.
pub struct Printing<'a> {
    pub name: &'a dyn Fn(Var) -> String,
    pub domain: &'a dyn Fn(Var) -> Domain,
}

/// The right side of an assignment to something of a domain: `schoose` may stand at its top, and only there.
pub fn value(expression: &Expr, domain: &Domain, printing: &Printing) -> String {
    let printer = ExpressionPrinter::new(expression, printing);
    let last = expression.code.len() - 1;
    match expression.code[last] {
        Op::Schoose => {
            let (left, right) = printer.operands(last);
            format!("schoose[{}, {}]", printer.text(left), printer.text(right))
        }
        Op::Number(value) => domain.show(value).to_string(),
        _ => printer.text(last),
    }
}

/// A condition, in parentheses.
pub fn condition(expression: &Expr, printing: &Printing) -> String {
    let text = ExpressionPrinter::new(expression, printing).text(expression.code.len() - 1);
    if text.starts_with('(') { text } else { format!("({text})") }
}

struct ExpressionPrinter<'a> {
    code: &'a [Op],
    printing: &'a Printing<'a>,
    /// Where the operation that ends at each place begins.
    begins: Vec<usize>,
}

/// What is still to be printed. Expressions may be deep, so nothing recurses.
enum PendingText {
    Text(&'static str),
    /// The operation that ends here.
    Operation(usize),
    /// A name of an enumeration.
    Name(String),
}

impl<'a> ExpressionPrinter<'a> {
    fn new(expression: &'a Expr, printing: &'a Printing<'a>) -> ExpressionPrinter<'a> {
        let mut begins: Vec<usize> = Vec::with_capacity(expression.code.len());
        for (end, op) in expression.code.iter().enumerate() {
            begins.push(match op.operands() {
                0 => end,
                1 => begins[end - 1],
                _ => begins[begins[end - 1] - 1],
            });
        }
        ExpressionPrinter { code: &expression.code, printing, begins }
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
                PendingText::Name(name) => {
                    text.push_str(&name);
                    continue;
                }
                Operation(end) => end,
            };
            match self.code[end] {
                Op::Constant(value) => text.push(if value { 'T' } else { 'F' }),
                Op::Nondet => text.push('*'),
                Op::Number(value) => text.push_str(&value.to_string()),
                Op::Old(var) => text.push_str(&(self.printing.name)(var)),
                Op::New(var) => text.extend(["'", &(self.printing.name)(var)]),
                Op::Not => self.negation(end - 1, &mut waiting),
                Op::Negate => waiting.extend([Text(")"), Operation(end - 1), Text("(0 - ")]),
                op => {
                    let (left, right) = self.operands(end);
                    if op == Op::Schoose {
                        // Inside other expressions it is written out: a | (!b & *).
                        waiting.push(Text(" & *))"));
                        self.negation(right, &mut waiting);
                        waiting.extend([Text(" | ("), Operation(left), Text("(")]);
                    } else {
                        let sign = Text(sign(op));
                        let (left, right) = (self.operand(left, right), self.operand(right, left));
                        waiting.extend([Text(")"), right, sign, left, Text("(")]);
                    }
                }
            }
        }
        text
    }

    /// An operand: a number that is compared with a variable of an enumeration is a name.
    fn operand(&self, end: usize, other: usize) -> PendingText {
        match (self.code[end], self.code[other]) {
            (Op::Number(value), Op::Old(var) | Op::New(var)) => {
                PendingText::Name((self.printing.domain)(var).show(value).to_string())
            }
            _ => PendingText::Operation(end),
        }
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
        Op::Less => " < ",
        Op::AtMost => " <= ",
        Op::Greater => " > ",
        Op::AtLeast => " >= ",
        Op::Plus => " + ",
        Op::Minus => " - ",
        Op::Times => " * ",
        Op::Modulo => " % ",
        // Only programs that are made of C have these, and they are not written as text this way.
        Op::Quotient => " / ",
        Op::Remainder => " rem ",
        Op::ShiftRight => " >> ",
        _ => " => ",
    }
}
