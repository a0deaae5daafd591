//! Random syntax trees, within what a text can say.

use calculus::span::{FileId, Span};
use calculus::syntax::ast::*;
use calculus::syntax::{self, print};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::fmt;

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

/// Words that begin items are names elsewhere.
const NAMES: [&str; 12] =
    ["x", "y", "R", "s'", "_a", "long_name_with_1", "rel", "sort", "input", "keyed", "n''", "existsx"];

fn name() -> impl Strategy<Value = Ident> {
    prop::sample::select(&NAMES[..]).prop_map(|name| Ident { name: name.into(), span: Span::default() })
}

/// That of something in a file behind a name, or a plain one.
fn full_name() -> impl Strategy<Value = Ident> {
    let behind = (name(), name()).prop_map(|(file, name)| format!("{}.{}", file.name, name.name));
    prop_oneof![
        4 => name(),
        1 => behind.prop_map(|name| Ident { name: name.into(), span: Span::default() }),
    ]
}

fn text() -> impl Strategy<Value = Text> {
    "[ -~äß\t\r\n]{0,12}".prop_map(|text| Text { text, span: Span::default() })
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        any::<bool>().prop_map(ExprKind::Bool),
        prop_oneof![0..10i64, Just(i64::MAX)].prop_map(ExprKind::Int),
        text().prop_map(|text| ExprKind::Text(text.text.into())),
        name().prop_map(ExprKind::Name),
    ]
    .prop_map(expr)
}

fn binary() -> impl Strategy<Value = BinaryOp> {
    use BinaryOp::*;
    prop::sample::select(vec![Iff, Implies, Eq, Ne, Lt, Le, Gt, Ge, Concat, Add, Sub, Mul, Div, Rem])
}

/// The parser splices a chain into the chain around it, so none contains one of its own kind.
fn chain(and: bool, operands: Vec<Expr>) -> ExprKind {
    let mut all = Vec::new();
    for operand in operands {
        match (operand.kind, and) {
            (ExprKind::And(inner), true) | (ExprKind::Or(inner), false) => all.extend(inner),
            (kind, _) => all.push(expr(kind)),
        }
    }
    if and { ExprKind::And(all) } else { ExprKind::Or(all) }
}

fn index_binder(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = IndexBinder> {
    (name(), inner.clone(), inner).prop_map(|(name, lo, hi)| IndexBinder { name, lo, hi })
}

fn sort(inner: BoxedStrategy<Expr>) -> BoxedStrategy<SortExpr> {
    let place = |kind| SortExpr { kind, span: Span::default() };
    let plain = prop_oneof![Just(SortKind::Bool), full_name().prop_map(SortKind::Name)].prop_map(place);
    let range = (inner.clone(), inner.clone())
        .prop_map(move |(lo, hi)| place(SortKind::Range(Box::new(lo), Box::new(hi))));
    let vector = plain.clone().prop_recursive(2, 4, 1, move |of| {
        (of, inner.clone(), inner.clone())
            .prop_map(move |(of, lo, hi)| place(SortKind::Vector(Box::new(of), Box::new(lo), Box::new(hi))))
    });
    prop_oneof![plain, range, vector].boxed()
}

/// Those with a sort first: a variable without one before a colon would share what follows it.
fn binders(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = Vec<Binder>> {
    let sorted = (name(), sort(inner)).prop_map(|(name, sort)| Binder { name, sort: Some(sort) });
    let open = name().prop_map(|name| Binder { name, sort: None });
    (vec(sorted, 0..3), vec(open, 0..3))
        .prop_filter("a quantifier has a variable", |(a, b)| !a.is_empty() || !b.is_empty())
        .prop_map(|(mut sorted, open)| {
            sorted.extend(open);
            sorted
        })
}

/// What may stand in the brackets of a family.
fn argument(inner: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let body = inner.clone().prop_map(Box::new);
    let closed = (option::of(binders(inner.clone())), body)
        .prop_map(|(binders, body)| ExprKind::Comprehension { binders: binders.unwrap_or_default(), body });
    let plain = Just(SortExpr { kind: SortKind::Bool, span: Span::default() }).prop_map(ExprKind::Sort);
    prop_oneof![4 => inner, 2 => closed.prop_map(expr), 1 => plain.prop_map(expr)].boxed()
}

fn filling() -> impl Strategy<Value = Filling> {
    (name(), argument(expression())).prop_map(|(name, given)| Filling { name, given })
}

fn family_index() -> impl Strategy<Value = FamilyIndex> {
    let relation = (name(), vec(name(), 0..2), vec(sort(leaf().boxed()), 0..3))
        .prop_map(|(name, indices, columns)| RelationIndex { name, indices, columns, span: Span::default() });
    prop_oneof![
        index_binder(expression()).prop_map(FamilyIndex::Number),
        name().prop_map(FamilyIndex::Sort),
        relation.prop_map(FamilyIndex::Relation),
    ]
}

fn settings(inner: BoxedStrategy<Expr>, least: usize) -> impl Strategy<Value = Vec<(Ident, Expr)>> {
    vec((name(), inner), least..3)
}

pub fn expression() -> BoxedStrategy<Expr> {
    leaf()
        .prop_recursive(5, 40, 4, |inner| {
            let boxed = inner.clone().prop_map(Box::new);
            let end = option::of(boxed.clone());
            let quantifier = prop_oneof![Just(Quantifier::Exists), Just(Quantifier::Forall)];
            let unroll = prop_oneof![Just(Unroll::Some), Just(Unroll::Each)];
            prop_oneof![
                2 => vec(inner.clone(), 2..4).prop_map(|operands| chain(true, operands)),
                2 => vec(inner.clone(), 2..4).prop_map(|operands| chain(false, operands)),
                4 => (binary(), boxed.clone(), boxed.clone())
                    .prop_map(|(op, left, right)| ExprKind::Binary(op, left, right)),
                2 => boxed.clone().prop_map(ExprKind::Not),
                1 => boxed.clone().prop_map(ExprKind::Negate),
                2 => (quantifier, binders(inner.clone()), boxed.clone())
                    .prop_map(|(quantifier, binders, body)| ExprKind::Quantified { quantifier, binders, body }),
                2 => (unroll, vec(index_binder(inner.clone()), 1..3), boxed.clone())
                    .prop_map(|(unroll, indices, body)| ExprKind::Unrolled { unroll, indices, body }),
                2 => (full_name(), vec(argument(inner.clone()), 0..3), vec(inner.clone(), 0..3))
                    .prop_map(|(name, indices, args)| ExprKind::Apply { name, indices, args }),
                1 => (full_name(), vec(argument(inner.clone()), 2..4))
                    .prop_map(|(name, indices)| ExprKind::Instance { name, indices }),
                1 => (boxed.clone(), name()).prop_map(|(base, field)| ExprKind::Field(base, field)),
                1 => (boxed.clone(), boxed.clone()).prop_map(|(base, index)| ExprKind::Index(base, index)),
                1 => (boxed.clone(), end.clone(), end).prop_map(|(base, lo, hi)| ExprKind::Slice(base, lo, hi)),
                1 => (boxed.clone(), boxed.clone(), boxed.clone())
                    .prop_map(|(base, index, value)| ExprKind::Update(base, index, value)),
                1 => (boxed, settings(inner.clone(), 1)).prop_map(|(base, list)| ExprKind::With(base, list)),
                1 => (full_name(), settings(inner.clone(), 0)).prop_map(|(name, list)| ExprKind::Record(name, list)),
                1 => vec(inner, 0..3).prop_map(ExprKind::Vector),
            ]
            .prop_map(expr)
        })
        .boxed()
}

fn columns(least: usize) -> impl Strategy<Value = Vec<ColumnDecl>> {
    vec((name(), sort(leaf().boxed())).prop_map(|(name, sort)| ColumnDecl { name, sort }), least..4)
}

/// All labelled but perhaps the first, or none.
fn clauses() -> impl Strategy<Value = Vec<ClauseDecl>> {
    let labelled = (option::of(name()), expression(), vec((name(), expression()), 0..3)).prop_map(
        |(label, body, more)| {
            let mut clauses = vec![ClauseDecl { label, body }];
            clauses.extend(more.into_iter().map(|(label, body)| ClauseDecl { label: Some(label), body }));
            clauses
        },
    );
    let plain = vec(expression(), 1..4)
        .prop_map(|bodies| bodies.into_iter().map(|body| ClauseDecl { label: None, body }).collect());
    prop_oneof![labelled, plain]
}

/// `mu if … else nu`
fn by_index(kind: DefKind, condition: Expr, otherwise: DefKind) -> (DefKind, Option<Alternative>) {
    (kind, Some(Alternative { condition, otherwise }))
}

fn item() -> impl Strategy<Value = Item> {
    let row = vec(expression(), 0..3).prop_map(|values| FactRow { values, span: Span::default() });
    let bounds = (expression(), option::of(expression())).prop_map(|(lo, hi)| ParamBounds { lo, hi });
    let kind = prop_oneof![
        Just((DefKind::Let, None)),
        Just((DefKind::Mu, None)),
        Just((DefKind::Nu, None)),
        expression().prop_map(|condition| by_index(DefKind::Mu, condition, DefKind::Nu)),
        expression().prop_map(|condition| by_index(DefKind::Nu, condition, DefKind::Mu)),
    ];
    prop_oneof![
        1 => name().prop_map(|name| ItemKind::UseVocabulary { name }),
        2 => (text(), option::of(name()), vec(filling(), 0..3))
            .prop_map(|(path, name, fillings)| ItemKind::UseFile { path, name, fillings }),
        1 => name().prop_map(|name| ItemKind::OpenSort { name }),
        1 => (name(), vec(name(), 0..3), columns(0))
            .prop_map(|(name, indices, columns)| ItemKind::OpenRelation { name, indices, columns }),
        1 => (name(), option::of(bounds), expression())
            .prop_map(|(name, bounds, value)| ItemKind::Param { name, bounds, value }),
        1 => (name(), expression()).prop_map(|(name, value)| ItemKind::Const { name, value }),
        1 => (any::<bool>(), name(), vec(name(), 1..4))
            .prop_map(|(keyed, name, values)| ItemKind::Enum { keyed, name, values }),
        1 => (any::<bool>(), name(), expression(), expression())
            .prop_map(|(keyed, name, lo, hi)| ItemKind::Range { keyed, name, lo, hi }),
        1 => (any::<bool>(), name()).prop_map(|(keyed, name)| ItemKind::Symbol { keyed, name }),
        1 => (name(), columns(1)).prop_map(|(name, fields)| ItemKind::Record { name, fields }),
        1 => (name(), sort(leaf().boxed())).prop_map(|(name, sort)| ItemKind::Alias { name, sort }),
        1 => (name(), columns(0), vec(row, 0..5))
            .prop_map(|(name, columns, rows)| ItemKind::Facts { name, columns, rows }),
        1 => (name(), columns(0)).prop_map(|(name, columns)| ItemKind::Input { name, columns }),
        4 => (kind, name(), vec(family_index(), 0..3), columns(0), clauses()).prop_map(
            |((kind, alternative), name, indices, columns, clauses)| ItemKind::Definition(Definition {
                kind,
                alternative, name, indices, columns, clauses
            })
        ),
        2 => (name(), columns(0), clauses())
            .prop_map(|(name, columns, clauses)| ItemKind::Query { name, columns, clauses }),
        1 => (expression(), text())
            .prop_map(|(condition, message)| ItemKind::Require { condition, message }),
        1 => (name(), option::of(text()), option::of(expression()))
            .prop_map(|(kind, message, condition)| ItemKind::Verdict { kind, message, condition }),
        1 => (name(), vec(name(), 0..3)).prop_map(|(kind, names)| ItemKind::Hint { kind, names }),
    ]
    .prop_map(|kind| Item { kind, span: Span::default() })
}

/// A tree that failures show as text.
#[derive(Clone)]
pub struct Shown<T>(pub T);

impl fmt::Debug for Shown<File> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(&self.0, ""))
    }
}

impl fmt::Debug for Shown<Expr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&syntax::expression(&self.0))
    }
}

pub fn file() -> impl Strategy<Value = Shown<File>> {
    vec(item(), 0..4).prop_map(|items| Shown(File { id: FileId(0), items, comments: Vec::new() }))
}
