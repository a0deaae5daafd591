//! The precedence of operators, settled on a stack of our own.
//!
//! An expression arrives as a flat list: prefixes, an operand with its postfixes, an infix, and so on.
//! Operators wait on a stack until one that binds less tightly arrives (Dijkstra's shunting yard), so long
//! chains cost neither native stack nor time. A quantifier waits until the end of the list: its scope extends
//! as far to the right as possible.

use super::super::ast::*;
use super::expressions::Built;
use super::{Builder, Parsed, Rule, too_deep};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use pest::iterators::{Pair, Pairs};

/// What waits for its right operand, and where it stands.
struct WaitingOperator {
    operator: Operator,
    place: Span,
}

enum Operator {
    Not,
    Minus,
    Follow(Follow),
    Quantified {
        quantifier: Quantifier,
        binders: Vec<Binder>,
        height: usize,
    },
    Unrolled {
        unroll: Unroll,
        indices: Vec<IndexBinder>,
        height: usize,
    },
    Infix(BinaryOp),
    /// A chain of `&`, with how many of them were seen.
    And(usize),
    Or(usize),
}

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Quantifiers: everything to the right is theirs.
    Scope,
    Iff,
    Implies,
    Or,
    And,
    Comparison,
    Concat,
    Sum,
    Product,
    Prefix,
    /// Names, applications, and what stands in brackets.
    Primary,
}

impl Level {
    pub(crate) fn of(op: BinaryOp) -> Level {
        match op {
            BinaryOp::Iff => Level::Iff,
            BinaryOp::Implies => Level::Implies,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Level::Comparison
            }
            BinaryOp::Concat => Level::Concat,
            BinaryOp::Add | BinaryOp::Sub => Level::Sum,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Level::Product,
        }
    }
}

impl Operator {
    fn level(&self) -> Level {
        match self {
            Operator::Quantified { .. } | Operator::Unrolled { .. } => Level::Scope,
            Operator::Or(_) => Level::Or,
            Operator::And(_) => Level::And,
            Operator::Infix(op) => Level::of(*op),
            Operator::Not | Operator::Minus | Operator::Follow(_) => Level::Prefix,
        }
    }
}

/// The operators that wait and the operands they will take, the latest last.
#[derive(Default)]
struct Yard {
    waiting: Vec<WaitingOperator>,
    operands: Vec<Built>,
}

impl Builder {
    /// The disjuncts of an expression, those of parentheses and of a quantifier's scope excepted.
    pub(super) fn disjuncts(&self, pair: Pair<'_, Rule>) -> Parsed<Vec<Built>> {
        let mut yard = self.yard(pair.into_inner())?;
        while yard.waiting.len() > 1 {
            yard.close()?;
        }
        match &yard.waiting[..] {
            [WaitingOperator { operator: Operator::Or(_), .. }] => Ok(yard.operands),
            _ => Ok(vec![yard.finish()?]),
        }
    }

    /// The tree of an `expr` or a `sum`.
    pub(super) fn expression(&self, pair: Pair<'_, Rule>) -> Parsed<Built> {
        self.yard(pair.into_inner())?.finish()
    }

    /// Reads the list to its end; what still waits there has all its operands.
    fn yard(&self, pairs: Pairs<'_, Rule>) -> Parsed<Yard> {
        let mut yard = Yard::default();
        let mut pairs = pairs.peekable();
        while let Some(pair) = pairs.next() {
            let place = self.span(&pair);
            match pair.as_rule() {
                Rule::not => yard.wait(Operator::Not, place)?,
                Rule::minus => yard.wait(Operator::Minus, place)?,
                Rule::follow => {
                    let word = pair.into_inner().next().map(|word| word.as_rule());
                    let follow = match word {
                        Some(Rule::kw_within) => Follow::Within,
                        Some(Rule::kw_outside) => Follow::Outside,
                        _ => Follow::Given,
                    };
                    yard.wait(Operator::Follow(follow), place)?;
                }
                Rule::quantifier => {
                    yard.scope_may_begin(place)?;
                    yard.wait(self.quantifier(pair)?, place)?;
                }
                Rule::unroll => {
                    yard.scope_may_begin(place)?;
                    yard.wait(self.unroll(pair)?, place)?;
                }
                rule => match infix(rule) {
                    Some(operator) => yard.infix(operator, place)?,
                    None => {
                        let operand = self.operand(pair, &mut pairs)?;
                        yard.operands.push(operand);
                    }
                },
            }
        }
        Ok(yard)
    }

    fn quantifier(&self, pair: Pair<'_, Rule>) -> Parsed<Operator> {
        let mut quantifier = Quantifier::Exists;
        let parts = pair.into_inner().inspect(|part| {
            if part.as_rule() == Rule::kw_forall {
                quantifier = Quantifier::Forall;
            }
        });
        let (binders, height) = self.binders(parts.filter(|part| part.as_rule() == Rule::binder))?;
        Ok(Operator::Quantified { quantifier, binders, height })
    }

    fn unroll(&self, pair: Pair<'_, Rule>) -> Parsed<Operator> {
        let (mut unroll, mut indices, mut height) = (Unroll::Some, Vec::new(), 0);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::kw_each => unroll = Unroll::Each,
                Rule::index_binder => {
                    let (binder, h) = self.index_binder(part)?;
                    indices.push(binder);
                    height = height.max(h);
                }
                _ => {}
            }
        }
        Ok(Operator::Unrolled { unroll, indices, height })
    }
}

fn infix(rule: Rule) -> Option<Operator> {
    Some(Operator::Infix(match rule {
        Rule::and => return Some(Operator::And(1)),
        Rule::or => return Some(Operator::Or(1)),
        Rule::iff => BinaryOp::Iff,
        Rule::implies => BinaryOp::Implies,
        Rule::eq => BinaryOp::Eq,
        Rule::ne => BinaryOp::Ne,
        Rule::lt => BinaryOp::Lt,
        Rule::le => BinaryOp::Le,
        Rule::gt => BinaryOp::Gt,
        Rule::ge => BinaryOp::Ge,
        Rule::concat => BinaryOp::Concat,
        Rule::add => BinaryOp::Add,
        Rule::sub => BinaryOp::Sub,
        Rule::mul => BinaryOp::Mul,
        Rule::div => BinaryOp::Div,
        Rule::rem => BinaryOp::Rem,
        _ => return None,
    }))
}

impl Yard {
    fn wait(&mut self, operator: Operator, place: Span) -> Parsed<()> {
        // Each waiting operator becomes a node around those after it.
        if self.waiting.len() >= super::MAX_DEPTH {
            return Err(too_deep(place));
        }
        self.waiting.push(WaitingOperator { operator, place });
        Ok(())
    }

    /// A new infix operator closes those that bind more tightly, and its equals if they group to the left.
    fn infix(&mut self, operator: Operator, place: Span) -> Parsed<()> {
        let level = operator.level();
        while let Some(top) = self.waiting.last_mut() {
            match (&mut top.operator, &operator) {
                (Operator::And(seen), Operator::And(_)) | (Operator::Or(seen), Operator::Or(_)) => {
                    *seen += 1;
                    return Ok(());
                }
                (waiting, _) if waiting.level() > level => self.close()?,
                (waiting, _) if waiting.level() == level && level == Level::Comparison => {
                    return Err(chained(top.place, place));
                }
                (waiting, _) if waiting.level() == level && level != Level::Implies => self.close()?,
                _ => break,
            }
        }
        self.wait(operator, place)
    }

    /// A scope swallows what follows it, so it may only begin where nothing that binds tightly is waiting.
    fn scope_may_begin(&self, place: Span) -> Parsed<()> {
        let outer = self.waiting.iter().rev().find(|waiting| !matches!(waiting.operator, Operator::Not));
        match outer {
            Some(waiting) if waiting.operator.level() >= Level::Comparison => {
                Err(Diagnostic::error("fp::syntax", "a quantifier as an operand needs parentheses")
                    .label(place, "it would reach to the end of the formula")
                    .label(waiting.place, "and is an operand of this")
                    .help("put the quantifier and its formula in parentheses: `(exists x. …)`")
                    .into())
            }
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Parsed<Built> {
        while !self.waiting.is_empty() {
            self.close()?;
        }
        Ok(self.operand())
    }

    fn operand(&mut self) -> Built {
        self.operands.pop().expect("the grammar alternates operators and operands")
    }

    /// Gives the latest operator its operands.
    fn close(&mut self) -> Parsed<()> {
        let Some(WaitingOperator { operator, place }) = self.waiting.pop() else { return Ok(()) };
        let right = self.operand();
        let end = right.expr.span;
        let built = match operator {
            Operator::Not => {
                Built::above(right.height, ExprKind::Not(Box::new(right.expr)), place.to(end), place)
            }
            Operator::Minus => {
                Built::above(right.height, ExprKind::Negate(Box::new(right.expr)), place.to(end), place)
            }
            Operator::Follow(follow) => {
                let (by, at, atom) = match right.expr.kind {
                    ExprKind::Marked { follow: None, by, at, atom } => (by, at, atom),
                    kind => (None, None, Box::new(Expr { kind, span: end })),
                };
                let kind = ExprKind::Marked { follow: Some(follow), by, at, atom };
                Built::above(right.height, kind, place.to(end), place)
            }
            Operator::Quantified { quantifier, binders, height } => {
                let kind = ExprKind::Quantified { quantifier, binders, body: Box::new(right.expr) };
                Built::above(right.height.max(height), kind, place.to(end), place)
            }
            Operator::Unrolled { unroll, indices, height } => {
                let kind = ExprKind::Unrolled { unroll, indices, body: Box::new(right.expr) };
                Built::above(right.height.max(height), kind, place.to(end), place)
            }
            Operator::Infix(op) => {
                let left = self.operand();
                let (start, height) = (left.expr.span, left.height.max(right.height));
                let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
                Built::above(height, kind, start.to(end), place)
            }
            Operator::And(seen) => {
                self.operands.push(right);
                Built::chain(self.operands.split_off(self.operands.len() - seen - 1), true, place)
            }
            Operator::Or(seen) => {
                self.operands.push(right);
                Built::chain(self.operands.split_off(self.operands.len() - seen - 1), false, place)
            }
        }?;
        self.operands.push(built);
        Ok(())
    }
}

fn chained(first: Span, second: Span) -> Box<Diagnostic> {
    Diagnostic::error("fp::syntax", "comparisons do not chain")
        .label(second, "a second comparison")
        .label(first, "the first one")
        .help("write `a = b & b = c`, or put one comparison in parentheses")
        .into()
}
