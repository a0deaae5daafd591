//! Expressions and sorts, with no more parentheses than their meaning needs.

use super::super::ast::*;
use super::super::parse::precedence::Level;
use super::Printer;
use super::comments::Pieces;
use super::doc::Doc;
use crate::span::Span;
use crate::texts::quoted;

/// What an expression is an operand of.
#[derive(Clone, Copy)]
pub(super) struct Surroundings {
    /// It must bind at least as tightly, or stand in parentheses.
    level: Level,
    /// Nothing follows that a quantifier's scope would swallow.
    last: bool,
    /// In the bound of a range, where only arithmetic may stand open.
    bound: bool,
    /// Without blanks around `+` and the like.
    tight: bool,
    /// How far continuation lines stand to the right of the first one.
    further: usize,
}

impl Surroundings {
    /// In brackets, or up to a semicolon.
    pub const ALONE: Surroundings =
        Surroundings { level: Level::Scope, last: true, bound: false, tight: false, further: 0 };
    const BOUND: Surroundings =
        Surroundings { level: Level::Sum, last: false, bound: true, ..Surroundings::INDEX };
    const INDEX: Surroundings = Surroundings { tight: true, ..Surroundings::ALONE };
    const BASE: Surroundings = Surroundings { level: Level::Primary, last: false, ..Surroundings::ALONE };

    /// One of several disjuncts.
    pub fn disjunct(last: bool) -> Surroundings {
        Surroundings { level: Level::And, last, ..Surroundings::ALONE }
    }

    fn operand(self, level: Level, last: bool) -> Surroundings {
        Surroundings { level, last: last && self.last, further: 0, ..self }
    }

    /// The first operand of a chain: its continuation lines stand apart from those of the chain.
    fn first(self, first: bool) -> Surroundings {
        Surroundings { further: if first { 2 } else { 0 }, ..self }
    }
}

pub(super) fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Iff => "<->",
        BinaryOp::Implies => "->",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Concat => "++",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
    }
}

fn level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Quantified { .. } | ExprKind::Unrolled { .. } => Level::Scope,
        ExprKind::Or(_) => Level::Or,
        ExprKind::And(_) => Level::And,
        ExprKind::Binary(op, _, _) => Level::of(*op),
        ExprKind::Not(_) | ExprKind::Negate(_) | ExprKind::Marked { .. } => Level::Prefix,
        ExprKind::Int(value) if *value < 0 => Level::Prefix,
        _ => Level::Primary,
    }
}

/// The levels of the left and the right operand.
fn operands(op: BinaryOp) -> (Level, Level) {
    match Level::of(op) {
        Level::Iff => (Level::Iff, Level::Implies),
        Level::Implies => (Level::Or, Level::Implies),
        Level::Comparison => (Level::Concat, Level::Concat),
        Level::Concat => (Level::Concat, Level::Sum),
        Level::Sum => (Level::Sum, Level::Product),
        _ => (Level::Product, Level::Prefix),
    }
}

impl Printer<'_> {
    pub(super) fn expression(&mut self, expr: &Expr, place: Surroundings) -> Doc {
        let own = level(&expr.kind);
        let parentheses = match expr.kind {
            ExprKind::Quantified { .. } | ExprKind::Unrolled { .. } => !place.last,
            ExprKind::Not(_) => own < place.level || place.bound,
            _ => own < place.level,
        };
        if parentheses {
            let inner = self.open(expr, Surroundings::ALONE);
            return Doc::sequence(vec![Doc::text("("), inner, Doc::text(")")]);
        }
        self.open(expr, place)
    }

    /// Without parentheses around it.
    fn open(&mut self, expr: &Expr, place: Surroundings) -> Doc {
        match &expr.kind {
            ExprKind::Bool(value) => Doc::text(value.to_string()),
            ExprKind::Int(value) => Doc::text(self.integer(*value, expr.span)),
            ExprKind::Text(text) => Doc::text(quoted(text)),
            ExprKind::Name(name) => Doc::text(&*name.name),
            ExprKind::Field(base, name) => {
                let base = self.expression(base, Surroundings::BASE);
                Doc::sequence(vec![base, Doc::text(format!(".{}", name.name))])
            }
            ExprKind::Index(base, index) => {
                let base = self.expression(base, Surroundings::BASE);
                Doc::sequence(vec![
                    base,
                    Doc::text("["),
                    self.expression(index, Surroundings::INDEX),
                    Doc::text("]"),
                ])
            }
            ExprKind::Slice(base, lo, hi) => {
                let mut parts = vec![self.expression(base, Surroundings::BASE), Doc::text("[")];
                parts.extend(lo.as_ref().map(|lo| self.expression(lo, Surroundings::INDEX)));
                parts.push(Doc::text(".."));
                parts.extend(hi.as_ref().map(|hi| self.expression(hi, Surroundings::INDEX)));
                parts.push(Doc::text("]"));
                Doc::sequence(parts)
            }
            ExprKind::Update(base, index, value) => {
                let base = self.expression(base, Surroundings::BASE);
                let index = self.expression(index, Surroundings::INDEX);
                let value = self.expression(value, Surroundings::ALONE);
                Doc::sequence(vec![base, Doc::text("["), index, Doc::text(" := "), value, Doc::text("]")])
            }
            ExprKind::With(base, settings) => {
                let base = self.expression(base, Surroundings::ALONE);
                let settings = self.settings(settings);
                Doc::sequence(vec![Doc::text("{ "), base, Doc::text(" with "), settings, Doc::text(" }")])
            }
            ExprKind::Record(name, settings) if settings.is_empty() => {
                Doc::text(format!("{} {{}}", name.name))
            }
            ExprKind::Record(name, settings) => {
                let settings = self.settings(settings);
                Doc::sequence(vec![Doc::text(format!("{} {{ ", name.name)), settings, Doc::text(" }")])
            }
            ExprKind::Vector(elements) => {
                let elements = self.list(elements, Surroundings::ALONE);
                Doc::sequence(vec![Doc::text("["), elements, Doc::text("]")])
            }
            ExprKind::Apply { name, indices, args } => {
                let mut parts = vec![Doc::text(&*name.name)];
                if !indices.is_empty() {
                    parts.push(Doc::text("["));
                    parts.push(self.list(indices, Surroundings::INDEX));
                    parts.push(Doc::text("]"));
                }
                parts.push(Doc::text("("));
                parts.push(self.list(args, Surroundings::ALONE));
                parts.push(Doc::text(")"));
                Doc::sequence(parts)
            }
            ExprKind::Instance { name, indices } => {
                let indices = self.list(indices, Surroundings::INDEX);
                Doc::sequence(vec![Doc::text(format!("{}[", name.name)), indices, Doc::text("]")])
            }
            ExprKind::Comprehension { binders, body } => {
                let columns = self.columns(binders.iter().map(|b| (&b.name, b.sort.as_ref())));
                let (open, close) = if binders.len() == 1 { ("{ ", " | ") } else { ("{ (", ") | ") };
                let body = self.expression(body, Surroundings::ALONE);
                Doc::sequence(vec![Doc::text(open), columns, Doc::text(close), body, Doc::text(" }")])
            }
            ExprKind::Sort(sort) => self.sort(sort),
            ExprKind::Marked { follow, by, at, atom } => {
                let word = match follow {
                    None => "",
                    Some(Follow::Given) => "given ",
                    Some(Follow::Within) => "within ",
                    Some(Follow::Outside) => "outside ",
                };
                let mut parts = vec![Doc::text(word), self.expression(atom, Surroundings::BASE)];
                for (word, value) in [(" by ", by), (" at ", at)] {
                    if let Some(value) = value {
                        parts.push(Doc::text(word));
                        parts.push(self.expression(value, Surroundings::BOUND));
                    }
                }
                Doc::sequence(parts)
            }
            ExprKind::Not(inner) => {
                let inner = self.expression(inner, place.operand(Level::Prefix, true));
                Doc::sequence(vec![Doc::text("!"), inner])
            }
            ExprKind::Negate(inner) => {
                let inner = self.expression(inner, place.operand(Level::Prefix, false));
                Doc::sequence(vec![Doc::text("-"), inner])
            }
            ExprKind::And(operands) => self.chain(operands, "& ", Level::Comparison, place),
            ExprKind::Or(operands) => self.chain(operands, "| ", Level::And, place),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, place),
            ExprKind::Quantified { quantifier, binders, body } => {
                let word = match quantifier {
                    Quantifier::Exists => "exists ",
                    Quantifier::Forall => "forall ",
                };
                let mut head = Vec::new();
                for group in sort_groups(binders) {
                    // A variable without a sort before one with a sort would share it in the same list.
                    head.push(Doc::text(if head.is_empty() { word.into() } else { format!(" {word}") }));
                    head.push(self.columns(group.iter().map(|b| (&b.name, b.sort.as_ref()))));
                    head.push(Doc::text("."));
                }
                head.push(Doc::text(" "));
                let body = self.expression(body, Surroundings::ALONE);
                Doc::scope(Doc::sequence(head), body)
            }
            ExprKind::Unrolled { unroll, indices, body } => {
                let word = match unroll {
                    Unroll::Some => "some ",
                    Unroll::Each => "each ",
                };
                let head = Doc::sequence(vec![Doc::text(word), self.indices(indices), Doc::text(": ")]);
                let body = self.expression(body, Surroundings::ALONE);
                Doc::scope(head, body)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, place: Surroundings) -> Doc {
        let (left_level, right_level) = operands(op);
        if matches!(op, BinaryOp::Iff | BinaryOp::Implies) {
            let mut pieces = Pieces::new("", if op == BinaryOp::Iff { "<-> " } else { "-> " });
            self.piece(&mut pieces, left, place.operand(left_level, false).first(true));
            self.piece(&mut pieces, right, place.operand(right_level, true));
            return pieces.finish(true).aligned(place.further);
        }
        let left = self.expression(left, place.operand(left_level, false));
        // A scope is no operand of these.
        let right = self.expression(right, place.operand(right_level, false));
        let tight = place.tight && matches!(Level::of(op), Level::Sum | Level::Product);
        let blank = if tight { "" } else { " " };
        Doc::sequence(vec![left, Doc::text(format!("{blank}{}{blank}", symbol(op))), right])
    }

    fn chain(&mut self, operands: &[Expr], sign: &'static str, level: Level, place: Surroundings) -> Doc {
        let mut pieces = Pieces::new("", sign);
        for (at, operand) in operands.iter().enumerate() {
            let last = at + 1 == operands.len();
            self.piece(&mut pieces, operand, place.operand(level, last).first(at == 0));
        }
        pieces.finish(sign == "| ").aligned(place.further)
    }

    fn piece(&mut self, pieces: &mut Pieces, expr: &Expr, place: Surroundings) {
        let before = pieces.before(&mut self.comments, expr.span);
        let doc = self.expression(expr, place);
        pieces.add(&mut self.comments, expr.span, before, false, doc);
    }

    pub(super) fn list(&mut self, exprs: &[Expr], place: Surroundings) -> Doc {
        let mut pieces = Pieces::new(",", "");
        exprs.iter().for_each(|expr| self.piece(&mut pieces, expr, place));
        pieces.finish(false).aligned(0)
    }

    fn settings(&mut self, settings: &[(Ident, Expr)]) -> Doc {
        let mut pieces = Pieces::new(",", "");
        for (name, value) in settings {
            let span = name.span.to(value.span);
            let before = pieces.before(&mut self.comments, span);
            let value = self.expression(value, Surroundings::ALONE);
            let doc = Doc::sequence(vec![Doc::text(format!("{} = ", name.name)), value]);
            pieces.add(&mut self.comments, span, before, false, doc);
        }
        pieces.finish(false).aligned(0)
    }

    pub(super) fn indices(&mut self, indices: &[IndexBinder]) -> Doc {
        let mut pieces = Pieces::new(",", "");
        for IndexBinder { name, lo, hi } in indices {
            let span = name.span.to(hi.span);
            let before = pieces.before(&mut self.comments, span);
            let doc = Doc::sequence(vec![Doc::text(format!("{} in ", name.name)), self.range(lo, hi)]);
            pieces.add(&mut self.comments, span, before, false, doc);
        }
        pieces.finish(false).aligned(0)
    }

    /// What a family is indexed by.
    pub(super) fn family_indices(&mut self, indices: &[FamilyIndex]) -> Doc {
        let mut pieces = Pieces::new(",", "");
        for index in indices {
            let span = match index {
                FamilyIndex::Number(IndexBinder { name, hi, .. }) => name.span.to(hi.span),
                FamilyIndex::Sort(name) => name.span,
                FamilyIndex::Relation(relation) => relation.span,
            };
            let before = pieces.before(&mut self.comments, span);
            let doc = match index {
                FamilyIndex::Number(IndexBinder { name, lo, hi }) => {
                    Doc::sequence(vec![Doc::text(format!("{} in ", name.name)), self.range(lo, hi)])
                }
                FamilyIndex::Sort(name) => Doc::text(format!("{}: sort", name.name)),
                FamilyIndex::Relation(RelationIndex { name, indices, columns, .. }) => {
                    let names = indices.iter().map(|index| &*index.name).collect::<Vec<_>>().join(", ");
                    let names = if indices.is_empty() { names } else { format!("[{names}]") };
                    let mut parts = vec![Doc::text(format!("{}: rel{names}(", name.name))];
                    for (at, column) in columns.iter().enumerate() {
                        parts.extend((at > 0).then(|| Doc::text(", ")));
                        parts.push(self.sort(column));
                    }
                    parts.push(Doc::text(")"));
                    Doc::sequence(parts)
                }
            };
            pieces.add(&mut self.comments, span, before, false, doc);
        }
        pieces.finish(false).aligned(0)
    }

    pub(super) fn bound(&mut self, expr: &Expr) -> Doc {
        self.expression(expr, Surroundings::BOUND)
    }

    pub(super) fn range(&mut self, lo: &Expr, hi: &Expr) -> Doc {
        Doc::sequence(vec![self.bound(lo), Doc::text(".."), self.bound(hi)])
    }

    pub(super) fn sort(&mut self, sort: &SortExpr) -> Doc {
        match &sort.kind {
            SortKind::Bool => Doc::text("bool"),
            SortKind::Name(name) => Doc::text(&*name.name),
            SortKind::Range(lo, hi) => self.range(lo, hi),
            SortKind::Vector(of, lo, hi) => {
                let of = self.sort(of);
                Doc::sequence(vec![of, Doc::text("["), self.range(lo, hi), Doc::text("]")])
            }
        }
    }

    /// As it is written, separators of digits included, where the source is at hand.
    fn integer(&self, value: i64, span: Span) -> String {
        let written = self.source.get(span.start as usize..span.end as usize).unwrap_or("");
        let digits: String = written.chars().filter(|c| *c != '_').collect();
        if digits.parse() == Ok(value) && written.starts_with(|c: char| c.is_ascii_digit()) {
            written.into()
        } else {
            value.to_string()
        }
    }
}

/// Cut where a variable without a sort stands before one with a sort.
fn sort_groups(binders: &[Binder]) -> impl Iterator<Item = &[Binder]> {
    binders.chunk_by(|a, b| !(a.sort.is_none() && b.sort.is_some()))
}
