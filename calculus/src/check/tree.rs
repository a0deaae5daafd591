//! The checked tree: every instance of every definition with its statics decided, its names resolved and the
//! sort of every term known. It still looks like the file: records, vectors, quantifiers and negations are as
//! written. This tree is the definition of the answer.

use super::number::Number;
use crate::index::Id;
use crate::sort::{SortId, Sorts, Value};
use crate::span::Span;
use crate::syntax::ast::{DefKind, Follow};
use crate::vocabulary::{Row, Vocabulary, Weave};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
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
    /// All sorts that occur.
    pub sorts: Sorts,
    /// Every instance of every relation; a `RelId` is a position here.
    pub relations: Vec<Relation>,
    /// What the file asks for, in the order of the text.
    pub queries: Vec<Query>,
    /// Relations without columns whose derivations are runs; solved only when a run is wanted.
    pub traces: Vec<Query>,
    /// The first one whose condition holds is the answer.
    pub verdicts: Vec<Verdict>,
    /// The values of the parameters, by name.
    pub params: BTreeMap<String, i64>,
    /// What the model offers, if there is one.
    pub vocabulary: Option<Vocabulary>,
    /// `require` conditions that do not hold, with their messages.
    pub refusals: Vec<Unmet>,
    /// The order of the diagrams' variables from the top down, as far as hints say it. Copies of one item have their bits
    /// side by side.
    pub order: Vec<Vec<OrderPart>>,
}

impl System {
    /// The bits of the model that should take turns, unless hints say something about the order.
    pub fn woven(&self) -> &[Weave] {
        match &self.vocabulary {
            Some(vocabulary) if self.order.is_empty() => &vocabulary.woven,
            _ => &[],
        }
    }
}

/// What a hint for the order names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderPart {
    /// All copies of a scalar sort.
    Sort(SortId),
    /// The copy that a scalar column is.
    Column {
        /// Whose column.
        relation: RelId,
        /// Which of its scalars.
        leaf: usize,
        /// Which of its bits, the most significant being the first.
        bits: Range<usize>,
    },
    /// All copies of the same bits that no item names.
    Others,
}

/// A `require` that does not hold: the file does not apply to this model.
#[derive(Clone, Debug)]
pub struct Unmet {
    /// What the file says about it, with the values filled in.
    pub message: String,
    /// The condition.
    pub span: Span,
}

/// One relation, or one instance of a family of relations.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The name in the file.
    pub name: Rc<str>,
    /// What it is indexed by; empty for a plain relation.
    pub indices: Vec<Index>,
    /// In the order of the arguments.
    pub columns: Vec<Column>,
    /// What defines it.
    pub body: Body,
    /// Its name where it is defined; for a relation of the model, the `use`.
    pub span: Span,
}

impl Relation {
    /// `TLI[1, 2]`
    pub fn title(&self) -> String {
        if self.indices.is_empty() {
            return self.name.to_string();
        }
        let indices = self.indices.iter().map(Index::to_string).collect::<Vec<_>>();
        format!("{}[{}]", self.name, indices.join(", "))
    }

    /// The indices that are numbers.
    pub fn numbers(&self) -> Vec<i64> {
        let number = |index: &Index| match index {
            Index::Number(value) => Some(*value),
            Index::Text(_) => None,
        };
        self.indices.iter().filter_map(number).collect()
    }
}

/// What an instance of a family is indexed by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Index {
    /// The value of `i in 1..k`.
    Number(i64),
    /// A sort or a relation, as it is written.
    Text(Rc<str>),
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Number(value) => value.fmt(f),
            Index::Text(text) => text.fmt(f),
        }
    }
}

/// A column of a relation.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name in the file or in the model.
    pub name: Rc<str>,
    /// The sort of its values.
    pub sort: SortId,
    /// Where it is declared; a model's columns stand in no file.
    pub span: Option<Span>,
}

/// Where the tuples of a relation come from.
#[derive(Clone, Debug)]
pub enum Body {
    /// Literal facts, or rows of a `.facts` file.
    Facts(Vec<Vec<Value>>),
    /// A relation of the model.
    Model(Rc<[Row]>),
    /// An equation.
    Defined {
        /// Whether it is a fixed point, and which one.
        kind: DefKind,
        /// The place in the text: earlier is smaller.
        order: u32,
        /// The columns, then the quantified variables.
        vars: Vec<Var>,
        /// Their disjunction is the right side.
        clauses: Vec<Clause>,
    },
}

/// A variable of a definition: a column, or one that is quantified.
#[derive(Clone, Debug)]
pub struct Var {
    /// The name in the file.
    pub name: Rc<str>,
    /// Written there, or inferred.
    pub sort: SortId,
    /// Where it is declared.
    pub span: Span,
}

/// One disjunct of a definition.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The label, or `1`, `2`, … by position.
    pub name: Rc<str>,
    /// The clause with its label.
    pub span: Span,
    /// Its free variables are the columns.
    pub body: Formula,
}

/// A formula over terms: over checked ones, unless something else is said.
#[derive(Clone, Debug)]
pub enum Formula<T = Term> {
    /// True or false, for all tuples.
    Const(bool),
    /// A variable, field or element of sort `bool`.
    Holds(T),
    /// A comparison of two terms of one sort, and where it stands.
    Compare(Comparison, T, T, Span),
    /// The tuple of these terms is in the relation.
    Atom(RelId, Vec<T>, Site),
    /// `!φ`
    Not(Box<Formula<T>>),
    /// `φ & ψ`
    And(Vec<Formula<T>>),
    /// `φ | ψ`
    Or(Vec<Formula<T>>),
    /// `φ -> ψ`
    Implies(Box<Formula<T>>, Box<Formula<T>>),
    /// `φ <-> ψ`
    Iff(Box<Formula<T>>, Box<Formula<T>>),
    /// `exists x. φ`
    Exists(Vec<VarId>, Box<Formula<T>>),
    /// `forall x. φ`
    Forall(Vec<VarId>, Box<Formula<T>>),
}

/// Where an atom stands, and how its derivation belongs to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Site {
    /// The atom in the text.
    pub span: Span,
    /// What is written around the atom.
    pub mark: Mark,
}

/// `given R(t) by i at k`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Mark {
    /// `given`, `within` or `outside`, if one of them is written.
    pub follow: Option<Follow>,
    /// The position of the thread that moves.
    pub by: Option<i64>,
    /// The round in which it does.
    pub at: Option<i64>,
}

/// `a != b` is `!(a = b)`. The orders are those of the range or enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `<`
    Lt,
    /// `<=`
    Le,
}

/// A value that depends on variables.
#[derive(Clone, Debug)]
pub struct Term {
    /// How it is made.
    pub kind: TermKind,
    /// The sort of its values.
    pub sort: SortId,
}

/// The ways to make a term. Positions count from 0.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// The value of a variable.
    Var(VarId),
    /// Always this value.
    Const(Value),
    /// The field's position.
    Field(Box<Term>, usize),
    /// The element's position, counted from 0.
    Element(Box<Term>, usize),
    /// The first position and the length.
    Slice(Box<Term>, usize, usize),
    /// `u ++ v`
    Concat(Box<Term>, Box<Term>),
    /// Positions and their new values.
    With(Box<Term>, Vec<(usize, Term)>),
    /// The values of all fields, in order.
    Record(Vec<Term>),
    /// `[x, y]`
    Vector(Vec<Term>),
    /// `x + y`: has no value outside its range. A comparison or an atom with a term without value is false.
    Number(Box<Number<Term>>),
}

/// A relation that the file asks for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The relation with the answer.
    pub relation: RelId,
    /// The name of both.
    pub name: Rc<str>,
    /// In the file itself: queries of files it uses are relations like others.
    pub span: Span,
}

/// What an answer can say about a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictKind {
    /// Something bad can happen.
    Unsafe,
    /// Nothing bad can happen.
    Safe,
    /// Nothing bad can happen within the bounds that were explored.
    Bounded,
    /// The analysis cannot tell.
    Unknown,
}

/// `verdict KIND "message" if φ;`
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What it says.
    pub kind: VerdictKind,
    /// Its own words, with the values filled in.
    pub message: Option<String>,
    /// A relation without columns that holds the condition; none means always.
    pub condition: Option<RelId>,
    /// The whole item.
    pub span: Span,
}

/// One place where a definition mentions a relation.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// The relation that is mentioned.
    pub relation: RelId,
    /// Under an even number of negations.
    pub positive: bool,
    /// The atom.
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
