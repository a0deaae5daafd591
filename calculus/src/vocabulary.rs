//! What a model offers to a file that says `use NAME;`: sorts, records, facts and relations.
//!
//! A model describes its relations as rows: fixed values for some scalar columns, a Boolean expression over
//! the bits of the others, and the bits that merely stay equal. It knows nothing about BDDs.

use crate::sort::{Value, Width};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// The vocabulary of one model.
#[derive(Clone)]
pub struct Vocabulary {
    /// The name after `use`.
    pub name: String,
    /// Its scalar sorts.
    pub sorts: Vec<OfferedSort>,
    /// Its sorts of texts.
    pub symbols: Vec<OfferedSymbol>,
    /// Its records over them.
    pub records: Vec<OfferedRecord>,
    /// `program.threads` and the like.
    pub facts: Vec<(String, i64)>,
    /// What it says about the model.
    pub relations: Vec<OfferedRelation>,
    /// Where the model differs from what it was made of.
    pub approximations: Vec<Approximation>,
    /// Bits of several sorts that are compared with each other.
    pub woven: Vec<Weave>,
    /// Prints its values.
    pub show: Rc<dyn Show>,
    /// What a run adds to the model, under a name of its own.
    pub chapter: Option<Chapter>,
}

/// A difference between a model and what it was made of, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approximation {
    /// The model has fewer runs: that it has no error proves nothing.
    Fewer(String),
    /// The model has more runs: an error may be one of the model alone.
    More(String),
}

/// Bits of opaque sorts, each by the name of its sort and its position there, in the order that they should have in
/// diagrams. Two numbers are compared by a small diagram if their bits take turns, and by one of exponential size if
/// all bits of one come before those of the other.
pub type Weave = Vec<(String, u16)>;

/// A part of a vocabulary that a file asks for by another name. Its relations may have columns of the model's sorts.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// The name after `use`.
    pub name: String,
    /// Its own facts.
    pub facts: Vec<(String, i64)>,
    /// Its sorts are those of the vocabulary from this one on.
    pub sorts: usize,
    /// Its relations are those of the vocabulary from this one on.
    pub relations: usize,
}

impl Vocabulary {
    /// The names after `use`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [self.name.as_str()].into_iter().chain(self.chapter.as_ref().map(|chapter| chapter.name.as_str()))
    }

    /// The facts that are asked for by a name.
    pub fn facts_of(&self, name: &str) -> &[(String, i64)] {
        match &self.chapter {
            Some(chapter) if chapter.name == name => &chapter.facts,
            _ if self.name == name => &self.facts,
            _ => &[],
        }
    }

    /// The sorts and the relations that belong to a name, by their positions.
    pub fn belonging(&self, name: &str) -> (Range<usize>, Range<usize>) {
        let all = (self.sorts.len(), self.relations.len());
        let chapter = self.chapter.as_ref().map_or(all, |chapter| (chapter.sorts, chapter.relations));
        if name == self.name { (0..chapter.0, 0..chapter.1) } else { (chapter.0..all.0, chapter.1..all.1) }
    }

    /// Adds a chapter with these sorts and relations.
    pub fn add(
        &mut self,
        name: &str,
        facts: Vec<(String, i64)>,
        sorts: Vec<OfferedSort>,
        relations: Vec<OfferedRelation>,
    ) {
        let name = name.to_string();
        self.chapter =
            Some(Chapter { name, facts, sorts: self.sorts.len(), relations: self.relations.len() });
        self.sorts.extend(sorts);
        self.relations.extend(relations);
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({})", self.name)
    }
}

/// How a model prints its own values.
pub trait Show {
    /// `None` leaves it to the calculus: fields and numbers.
    fn show(&self, sort: &str, value: &Value) -> Option<String>;

    /// The parts of a value, for those who read data rather than words. `None`: it is told as it is shown.
    fn parts(&self, _sort: &str, _value: &Value) -> Option<ShownParts> {
        None
    }

    /// The names that a file may write behind a value of a sort, as if they were fields: `s.lock`. A name `x` that a file
    /// writes behind a value of sort `S` stands for the value that the model's relation `S.x` gives it.
    fn names_behind(&self, _sort: &str) -> Vec<String> {
        Vec::new()
    }

    /// What an instance of a relation says, in the words of a user who asked for it.
    fn told(&self, _relation: &str, _indices: &[i64]) -> Option<String> {
        None
    }
}

/// A value of a model in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownParts {
    /// True or false.
    Bool(bool),
    /// A number.
    Number(i64),
    /// Words.
    Text(String),
    /// Some of them, in order.
    List(Vec<ShownParts>),
    /// Some of them, each with its name.
    Object(Vec<(String, ShownParts)>),
}

/// A scalar sort of a model.
#[derive(Clone, Debug)]
pub struct OfferedSort {
    /// The name that files use.
    pub name: String,
    /// Which values it has.
    pub width: Width,
    /// Whether its columns are explicit keys, unless a file says something else or there are more than 2^24 values.
    pub keyed: bool,
}

/// A sort of texts that a model brings: a file writes them in quotes, so that they clash with no name of its own.
#[derive(Clone, Debug)]
pub struct OfferedSymbol {
    /// The name that files use.
    pub name: String,
    /// Its values, in order, each once.
    pub texts: Vec<String>,
    /// Whether there are no others: then a text that is not among them is a mistake.
    pub complete: bool,
    /// Whether its columns are explicit keys, unless a file says something else or there are more than 2^24 values.
    pub keyed: bool,
}

/// A record of a model.
#[derive(Clone, Debug)]
pub struct OfferedRecord {
    /// The name that files use.
    pub name: String,
    /// Field and sort names.
    pub fields: Vec<(String, String)>,
}

/// The sort of a column whose values only a model knows, where a file is checked without one: every use of them fits.
pub const OPEN_SORT: &str = "_";

/// A relation, or a family of them over one static index.
#[derive(Clone, Debug)]
pub struct OfferedRelation {
    /// The name that files use.
    pub name: String,
    /// The first and the last index of a family.
    pub index: Option<(i64, i64)>,
    /// Column and sort names. `bool` and ranges such as `0..3` are sorts, too.
    pub columns: Vec<(String, String)>,
    /// One per index value, in order; exactly one without an index.
    pub instances: Vec<Rc<[Row]>>,
    /// Whether its tuples are moves of a run, which `by` and `at` can mark.
    pub moves: bool,
}

/// A set of tuples: those whose scalar leaves have the fixed values, satisfy `core`, and agree where `equal`
/// says so. Leaves count through records and vectors, column by column.
#[derive(Clone, Debug)]
pub struct Row {
    /// Leaves, and their values.
    pub fixed: Vec<(u16, Value)>,
    /// What holds of the bits of the others.
    pub core: BitExpr,
    /// Bits that are equal besides; most of them are bits that a step leaves as they are.
    pub equal: Vec<EqualBits>,
}

impl Row {
    /// The bits that are equal, pair by pair.
    pub fn equal_pairs(&self) -> impl Iterator<Item = (Bit, Bit)> {
        self.equal.iter().flat_map(|run| run.pairs())
    }
}

/// Neighbouring bits of one scalar that equal neighbouring bits of another, one by one. A step that changes one bit of
/// many leaves two such runs alone, however long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualBits {
    /// The first bit of one scalar.
    pub left: Bit,
    /// The first bit of the other.
    pub right: Bit,
    /// How many bits are equal.
    pub count: u16,
}

impl EqualBits {
    /// The bits, pair by pair.
    pub fn pairs(self) -> impl Iterator<Item = (Bit, Bit)> {
        self.left.run(self.count).zip(self.right.run(self.count))
    }
}

impl From<(Bit, Bit)> for EqualBits {
    fn from((left, right): (Bit, Bit)) -> EqualBits {
        EqualBits { left, right, count: 1 }
    }
}

/// A bit of a scalar leaf; bit 0 is the most significant one, and the first of an opaque sort of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit {
    /// Which scalar of the row.
    pub leaf: u16,
    /// Which bit of it.
    pub bit: u16,
}

impl Bit {
    /// So many neighbouring bits from this one on.
    pub fn run(self, count: u16) -> impl DoubleEndedIterator<Item = Bit> {
        (0..count).map(move |offset| Bit { leaf: self.leaf, bit: self.bit + offset })
    }
}

/// A Boolean function of the bits of a row.
#[derive(Clone, Debug)]
pub enum BitExpr {
    /// True or false.
    Const(bool),
    /// The value of a bit.
    Bit(Bit),
    /// All of these neighbouring bits of one scalar are false.
    Zeros(Bit, u16),
    /// The opposite.
    Not(Rc<BitExpr>),
    /// All of them.
    And(Vec<BitExpr>),
    /// One of them at least.
    Or(Vec<BitExpr>),
    /// Exactly one of both.
    Xor(Rc<BitExpr>, Rc<BitExpr>),
    /// The same; what occurs several times in a row is computed once.
    Shared(Rc<BitExpr>),
}
