//! The checked tree: every instance of every definition with its statics decided, its names resolved and the
//! sort of every term known. It still looks like the file: records, vectors, quantifiers and negations are as
//! written. This tree is the definition of the answer.

use crate::index::Id;
use crate::sort::{SortId, Sorts, Value};
use crate::span::Span;
use crate::syntax::ast::{DefKind, Follow};
use crate::vocabulary::{Row, Vocabulary};
use std::collections::BTreeMap;
use std::rc::Rc;

/// An instance of a relation: an index into `System::relations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelId(pub u32);

impl Id for RelId {
    fn from_index(index: usize) -> Self {
        RelId(index as u32)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of one relation instance; the columns come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// A checked file with all it uses, for fixed parameters and a fixed model.
#[derive(Clone, Debug)]
pub struct System {
    pub sorts: Sorts,
    pub relations: Vec<Relation>,
    pub queries: Vec<Query>,
    /// Relations without columns whose derivations are runs; solved only when a run is wanted.
    pub traces: Vec<Query>,
    pub verdicts: Vec<Verdict>,
    pub params: BTreeMap<String, i64>,
    pub vocabulary: Option<Vocabulary>,
    /// `require` conditions that do not hold, with their messages.
    pub refusals: Vec<Refusal>,
}

#[derive(Clone, Debug)]
pub struct Refusal {
    pub message: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Relation {
    /// The name in the file.
    pub name: Rc<str>,
    /// The values of the family's indices; empty for a plain relation.
    pub indices: Vec<i64>,
    pub columns: Vec<Column>,
    pub body: Body,
    pub span: Span,
}

impl Relation {
    /// `TLI[1, 2]`
    pub fn title(&self) -> String {
        if self.indices.is_empty() {
            return self.name.to_string();
        }
        let indices = self.indices.iter().map(i64::to_string).collect::<Vec<_>>();
        format!("{}[{}]", self.name, indices.join(", "))
    }
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: Rc<str>,
    pub sort: SortId,
    /// Where it is declared; a model's columns stand in no file.
    pub span: Option<Span>,
}

#[derive(Clone, Debug)]
pub enum Body {
    /// Literal facts, or rows of a `.facts` file.
    Facts(Vec<Vec<Value>>),
    /// A relation of the model.
    Model(Rc<[Row]>),
    /// `order` is the place in the text: earlier is smaller.
    Defined { kind: DefKind, order: u32, vars: Vec<Var>, clauses: Vec<Clause> },
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: Rc<str>,
    pub sort: SortId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Clause {
    /// The label, or `1`, `2`, … by position.
    pub name: Rc<str>,
    pub span: Span,
    pub body: Formula,
}

/// A formula over terms: over checked ones, unless something else is said.
#[derive(Clone, Debug)]
pub enum Formula<T = Term> {
    Const(bool),
    /// A variable, field or element of sort `bool`.
    Holds(T),
    Compare(Comparison, T, T, Span),
    Atom(RelId, Vec<T>, Site),
    Not(Box<Formula<T>>),
    And(Vec<Formula<T>>),
    Or(Vec<Formula<T>>),
    Implies(Box<Formula<T>>, Box<Formula<T>>),
    Iff(Box<Formula<T>>, Box<Formula<T>>),
    Exists(Vec<VarId>, Box<Formula<T>>),
    Forall(Vec<VarId>, Box<Formula<T>>),
}

/// Where an atom stands, and how its derivation belongs to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Site {
    pub span: Span,
    pub mark: Mark,
}

/// `given R(t) by i at k`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Mark {
    pub follow: Option<Follow>,
    /// The position of the thread that moves.
    pub by: Option<i64>,
    /// The round in which it does.
    pub at: Option<i64>,
}

/// `a != b` is `!(a = b)`. The orders are those of the range or enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Eq,
    Lt,
    Le,
}

#[derive(Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    pub sort: SortId,
}

#[derive(Clone, Debug)]
pub enum TermKind {
    Var(VarId),
    Const(Value),
    /// The field's position.
    Field(Box<Term>, usize),
    /// The element's position, counted from 0.
    Element(Box<Term>, usize),
    /// The first position and the length.
    Slice(Box<Term>, usize, usize),
    Concat(Box<Term>, Box<Term>),
    /// Positions and their new values.
    With(Box<Term>, Vec<(usize, Term)>),
    Record(Vec<Term>),
    Vector(Vec<Term>),
    /// `x + n`: has no value outside its range. A comparison or an atom with a term without value is false.
    Shift(Box<Term>, i64),
}

#[derive(Clone, Debug)]
pub struct Query {
    pub relation: RelId,
    pub name: Rc<str>,
    /// In the file itself: queries of files it uses are relations like others.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictKind {
    Unsafe,
    Safe,
    Bounded,
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Verdict {
    pub kind: VerdictKind,
    pub message: Option<String>,
    /// A relation without columns that holds the condition; none means always.
    pub condition: Option<RelId>,
    pub span: Span,
}

/// One place where a definition mentions a relation.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    pub relation: RelId,
    pub positive: bool,
    pub span: Span,
}

/// All places where a definition mentions relations, in the order of the text. Both sides of `<->` count
/// once positive and once negative.
pub fn occurrences(relation: &Relation) -> Vec<Occurrence> {
    let mut out = Vec::new();
    if let Body::Defined { clauses, .. } = &relation.body {
        clauses.iter().for_each(|clause| collect(&clause.body, Polarity::Positive, &mut out));
    }
    out
}

#[derive(Clone, Copy)]
enum Polarity {
    Positive,
    Negative,
    /// Below `<->`.
    Both,
}

impl Polarity {
    fn negated(self) -> Polarity {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
            Polarity::Both => Polarity::Both,
        }
    }
}

fn collect(formula: &Formula, polarity: Polarity, out: &mut Vec<Occurrence>) {
    match formula {
        Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..) => {}
        Formula::Atom(relation, _, site) => {
            let mut push = |positive| out.push(Occurrence { relation: *relation, positive, span: site.span });
            if !matches!(polarity, Polarity::Negative) {
                push(true);
            }
            if !matches!(polarity, Polarity::Positive) {
                push(false);
            }
        }
        Formula::Not(inner) => collect(inner, polarity.negated(), out),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| collect(part, polarity, out))
        }
        Formula::Implies(left, right) => {
            collect(left, polarity.negated(), out);
            collect(right, polarity, out);
        }
        Formula::Iff(left, right) => {
            collect(left, Polarity::Both, out);
            collect(right, Polarity::Both, out);
        }
        Formula::Exists(_, inner) | Formula::Forall(_, inner) => collect(inner, polarity, out),
    }
}
