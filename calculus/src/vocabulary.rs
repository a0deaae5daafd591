//! What a model offers to a file that says `use NAME;`: sorts, records, facts and relations.
//!
//! A model describes its relations as rows: fixed values for some scalar columns, a Boolean expression over
//! the bits of the others, and the bits that merely stay equal. It knows nothing about BDDs.

use crate::sort::{Value, Width};
use std::fmt;
use std::rc::Rc;

/// The vocabulary of one model.
#[derive(Clone)]
pub struct Vocabulary {
    /// The name after `use`.
    pub name: String,
    pub sorts: Vec<OfferedSort>,
    pub records: Vec<OfferedRecord>,
    /// `program.threads` and the like.
    pub facts: Vec<(String, i64)>,
    pub relations: Vec<OfferedRelation>,
    pub show: Rc<dyn Show>,
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
}

#[derive(Clone, Debug)]
pub struct OfferedSort {
    pub name: String,
    pub width: Width,
    pub keyed: bool,
}

#[derive(Clone, Debug)]
pub struct OfferedRecord {
    pub name: String,
    /// Field and sort names.
    pub fields: Vec<(String, String)>,
}

/// A relation, or a family of them over one static index.
#[derive(Clone, Debug)]
pub struct OfferedRelation {
    pub name: String,
    pub index: Option<(i64, i64)>,
    /// Column and sort names.
    pub columns: Vec<(String, String)>,
    /// One per index value, in order; exactly one without an index.
    pub instances: Vec<Rc<[Row]>>,
}

/// A set of tuples: those whose scalar leaves have the fixed values, satisfy `core`, and agree where `equal`
/// says so. Leaves count through records and vectors, column by column.
#[derive(Clone, Debug)]
pub struct Row {
    pub fixed: Vec<(u16, Value)>,
    pub core: BitExpr,
    pub equal: Vec<(Bit, Bit)>,
}

/// A bit of a scalar leaf; bit 0 is the most significant one, and the first of an opaque sort of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit {
    pub leaf: u16,
    pub bit: u16,
}

#[derive(Clone, Debug)]
pub enum BitExpr {
    Const(bool),
    Bit(Bit),
    Not(Rc<BitExpr>),
    And(Vec<BitExpr>),
    Or(Vec<BitExpr>),
    Xor(Rc<BitExpr>, Rc<BitExpr>),
}
