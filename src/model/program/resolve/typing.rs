//! What the parts of an expression are: truth values, numbers, names of enumerations. 0 and 1 are truth values or
//! numbers, whichever is needed.

use super::body::BodyResolver;
use super::domains::{no_constant, outside};
use super::program::*;
use crate::model::program::ast::{Binary, Name};
use crate::model::program::dialect::Dialect;
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;

/// What an operand is, as far as it is known.
#[derive(Clone, Debug)]
pub enum Kind {
    Truth,
    Number(Interval),
    /// A number as it is written, perhaps a truth value.
    Literal(i64),
    /// A value of an enumeration.
    Name(Domain),
    Star,
    /// There was a mistake in it.
    Unknown,
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub struct Operand {
    pub kind: Kind,
    pub span: Span,
    /// Where its operation is, if it has only one.
    pub at: usize,
    /// Where the variable or the name is declared, if it is nothing else.
    pub declared: Option<Span>,
}

/// What a value is for: a variable, a parameter or a result.
pub struct Goal<'a> {
    pub domain: &'a Domain,
    /// Where it is declared.
    pub name: &'a Name,
}

impl Kind {
    pub fn of(domain: &Domain) -> Kind {
        match domain {
            Domain::Bool => Kind::Truth,
            Domain::Range { .. } => Kind::Number(domain.interval()),
            Domain::Names(_) => Kind::Name(domain.clone()),
        }
    }

    fn words(&self) -> String {
        match self {
            Kind::Truth => "a truth value".into(),
            Kind::Number(interval) => interval.words(),
            Kind::Literal(value) => format!("the number {value}"),
            Kind::Name(domain) => domain.words(),
            Kind::Star | Kind::Unknown => "any value".into(),
        }
    }
}

impl BodyResolver<'_> {
    /// Something else is needed than what an operand is.
    fn mismatch(&self, operand: &Operand, wanted: &str) -> Diagnostic {
        let (text, words) = (self.source.excerpt(operand.span), operand.kind.words());
        let title = match operand.kind {
            Kind::Star => format!("`*` stands where {wanted} is needed"),
            _ => format!("`{text}` is {words}, and {wanted} is needed"),
        };
        let problem =
            Diagnostic::error("bp::type", title).label(operand.span, format!("{wanted} is needed here"));
        match operand.declared {
            Some(declared) => problem.label(declared, format!("declared here: {words}")),
            None => problem,
        }
    }

    /// The operand has to be a truth value.
    pub fn truth(&mut self, operand: &Operand) {
        let problem = match &operand.kind {
            Kind::Truth | Kind::Star | Kind::Unknown | Kind::Literal(0 | 1) => return,
            Kind::Literal(value) => no_constant(&value.to_string(), operand.span),
            Kind::Number(_) => {
                let text = self.source.excerpt(operand.span);
                let text = if operand.declared.is_some() { text } else { format!("({text})") };
                self.mismatch(operand, "a truth value")
                    .help(format!("compare it with something: `{text} != 0`"))
            }
            Kind::Name(domain) => {
                let text = self.source.excerpt(operand.span);
                let first = domain.show(0);
                let problem = self.mismatch(operand, "a truth value");
                problem.help(format!("compare it with one of its values: `{text} = {first}`"))
            }
        };
        self.problems.push(problem);
    }

    /// The operand has to be a number; which numbers it can be.
    pub fn number(&mut self, code: &mut [Op], operand: &Operand) -> Option<Interval> {
        let problem = match &operand.kind {
            Kind::Number(interval) => return Some(*interval),
            Kind::Literal(value) => {
                code[operand.at] = Op::Number(*value);
                return Some(Interval::only((*value).into()));
            }
            Kind::Unknown => return None,
            Kind::Star => {
                let help = "`*` is any value only as all that is assigned: `m := *;` with a variable `m` of some range";
                self.mismatch(operand, "a number").help(help)
            }
            Kind::Truth => {
                let help = "numbers are variables with a range, `decl n: 0..3;`";
                self.mismatch(operand, "a number").help(help)
            }
            Kind::Name(_) => {
                let help =
                    "names of enumerations have no order and cannot be computed with: use a range for that";
                self.mismatch(operand, "a number").help(help)
            }
        };
        self.problems.push(problem);
        None
    }

    /// Both sides of `=` and `!=`.
    pub fn compare(&mut self, code: &mut [Op], left: &Operand, right: &Operand) {
        use Kind::{Literal, Name, Number, Star, Truth, Unknown};
        match (&left.kind, &right.kind) {
            (Unknown, _) | (_, Unknown) => {}
            (Truth | Star, Truth | Star | Literal(0 | 1))
            | (Literal(0 | 1), Truth | Star | Literal(0 | 1)) => {}
            (Number(_) | Literal(_), Number(_) | Literal(_)) => {
                let (Some(one), Some(other)) = (self.number(code, left), self.number(code, right)) else {
                    return;
                };
                if one.high < other.low || other.high < one.low {
                    let title = "these numbers are never equal";
                    let problem = Diagnostic::warning("bp::never_equal", title);
                    self.problems
                        .push(problem.label(left.span, one.words()).label(right.span, other.words()));
                }
            }
            (Name(one), Name(other)) if one == other => {}
            (Star, Number(_) | Name(_)) | (Number(_) | Name(_), Star) => {
                let title = "a choice has no range here, so nothing can be compared with it";
                self.problems.push(
                    Diagnostic::error("bp::type", title)
                        .label(left.span, left.kind.words())
                        .label(right.span, right.kind.words())
                        .help("write `*` alone: it is both true and false"),
                );
            }
            _ => self.never_comparable(left, right),
        }
    }

    fn never_comparable(&mut self, left: &Operand, right: &Operand) {
        let (one, other) = (self.source.excerpt(left.span), self.source.excerpt(right.span));
        let title = format!("`{one}` and `{other}` cannot be compared");
        let mut problem = Diagnostic::error("bp::type", title)
            .label(left.span, left.kind.words())
            .label(right.span, right.kind.words());
        for declared in [left.declared, right.declared].into_iter().flatten() {
            problem = problem.label(declared, "declared here");
        }
        self.problems.push(match (&left.kind, &right.kind) {
            (Kind::Name(_), Kind::Name(_)) => problem.help("names are compared within one enumeration"),
            _ if self.dialect == Dialect::Satabs => problem
                .help("in this dialect `&`, `|` and `^` bind tighter than `=` and `!=`: write parentheses"),
            _ => problem.help("truth values, numbers and enumerations are compared with their own kind only"),
        });
    }

    /// The numbers that an arithmetic operation can give.
    pub fn arithmetic(
        &mut self,
        code: &mut [Op],
        operator: Binary,
        left: &Operand,
        right: &Operand,
    ) -> Option<Interval> {
        let (one, other) = (self.number(code, left), self.number(code, right));
        let (one, other) = (one?, other?);
        let result = match operator {
            Binary::Plus => one.plus(other),
            Binary::Minus => one.minus(other),
            Binary::Times => one.times(other),
            _ if matches!(right.kind, Kind::Literal(1..)) => one.modulo(other.low),
            _ => {
                self.problems.push(
                    Diagnostic::error("bp::modulo", "the right side of `%` is a number greater than 0")
                        .label(right.span, format!("here it is {}", other.words()))
                        .help("write a constant, as in `n % 4`"),
                );
                return None;
            }
        };
        if result.fits() {
            return Some(result);
        }
        self.problems.push(
            Diagnostic::error("bp::number", "the numbers of this expression can become too large")
                .label(left.span.to(right.span), result.words())
                .help("compute modulo something on the way, as in `(m * n) % 16`"),
        );
        None
    }

    /// The operand has to be a value that can be assigned.
    pub fn fit(&mut self, code: &mut [Op], operand: &Operand, goal: &Goal) {
        let name = &goal.name.text;
        match (goal.domain, &operand.kind) {
            (_, Kind::Unknown | Kind::Star) => {}
            (Domain::Bool, Kind::Literal(0 | 1) | Kind::Truth) => {}
            (Domain::Bool, Kind::Literal(value)) => {
                let problem = no_constant(&value.to_string(), operand.span);
                self.problems.push(problem.label(goal.name.span, format!("`{name}` is a truth value")));
            }
            (Domain::Range { .. }, Kind::Literal(_) | Kind::Number(_)) => {
                let Some(interval) = self.number(code, operand) else { return };
                if interval.low == interval.high && !goal.domain.takes(interval) {
                    self.problems.push(outside(interval.low, operand.span, name, goal.name, goal.domain));
                }
            }
            (Domain::Names(_), Kind::Name(domain)) if domain == goal.domain => {}
            (domain, kind) => {
                let (text, words) = (self.source.excerpt(operand.span), kind.words());
                let title = format!("`{name}` is {}, and `{text}` is {words}", domain.words());
                let mut problem = Diagnostic::error("bp::type", title)
                    .label(operand.span, words)
                    .label(goal.name.span, format!("`{name}` is {}", domain.words()));
                if let Some(declared) = operand.declared.filter(|declared| *declared != goal.name.span) {
                    problem = problem.label(declared, "declared here");
                }
                self.problems.push(match (domain, kind) {
                    (Domain::Bool, Kind::Number(_)) => {
                        problem.help(format!("compare it: `{name} := {text} != 0;`"))
                    }
                    (Domain::Range { .. }, Kind::Truth) => problem.help(format!(
                        "choose a number: `if ({text}) then {name} := 1; else {name} := 0; fi`"
                    )),
                    _ => problem,
                });
            }
        }
    }
}
