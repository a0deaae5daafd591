//! Finite sorts and their values.
//!
//! Sorts are interned: equal identifiers mean equal sorts. Named sorts are equal only to themselves; `0..7`
//! written in place equals every other `0..7` written in place.

use crate::texts::Texts;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A sort among those of a [`Sorts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(pub u32);

/// A finite set of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// `bool`
    Bool,
    /// Both ends included, never empty.
    Range {
        /// None for a range that is written in place.
        name: Option<Rc<str>>,
        /// The least value.
        lo: i64,
        /// The greatest value.
        hi: i64,
    },
    /// `enum Player { Eve, Adam }`
    Enum {
        /// The name after `enum`.
        name: Rc<str>,
        /// The names of its values, in order.
        values: Rc<[Rc<str>]>,
    },
    /// `record Game { who: Player, fresh: bool }`
    Record {
        /// The name after `record`.
        name: Rc<str>,
        /// Names and sorts, in order.
        fields: Rc<[(Rc<str>, SortId)]>,
    },
    /// May be empty (`hi = lo - 1`): then it has exactly one value.
    Vector {
        /// The sort of each element.
        element: SortId,
        /// The first index.
        lo: i64,
        /// The last index.
        hi: i64,
    },
    /// `symbol Var;`: the texts that inputs and constants bring. Only equality applies. [`Sorts::texts`] has them.
    Symbol {
        /// The name after `symbol`.
        name: Rc<str>,
    },
    /// A sort of the model: only equality applies.
    Opaque {
        /// The name in the vocabulary.
        name: Rc<str>,
        /// Which values there are.
        width: Width,
    },
}

/// How many values an opaque sort has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Every pattern of that many bits is a value.
    Bits(u32),
    /// Numbered values, at least one.
    Values(u64),
}

/// A value of a sort. The order is the order of the sort, component by component.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Of sort `bool`.
    Bool(bool),
    /// Of a range.
    Int(i64),
    /// The position in its enum, or the number of a text, or of a value of an opaque sort of numbered values.
    Name(u64),
    /// A value of an opaque sort of bits, first bit first.
    Bits(Vec<bool>),
    /// The values of all fields, in order.
    Record(Vec<Value>),
    /// The elements, in order.
    Vector(Vec<Value>),
}

/// All sorts of a run.
#[derive(Clone, Debug)]
pub struct Sorts {
    sorts: Vec<Sort>,
    shapes: Vec<SortShape>,
    ids: FxHashMap<Sort, SortId>,
    keyed: BTreeSet<SortId>,
    /// Those that somebody wants to be bits, whatever seems better.
    symbolic: BTreeSet<SortId>,
    texts: BTreeMap<SortId, Rc<Texts>>,
    /// The symbol sorts that get no more texts.
    complete: BTreeSet<SortId>,
}

/// What is asked of a sort too often to walk its parts each time: those of a record may be shared.
#[derive(Clone, Copy, Debug)]
struct SortShape {
    leaves: usize,
    height: usize,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Sorts {
            sorts: Vec::new(),
            shapes: Vec::new(),
            ids: FxHashMap::default(),
            keyed: BTreeSet::new(),
            symbolic: BTreeSet::new(),
            texts: BTreeMap::new(),
            complete: BTreeSet::new(),
        };
        sorts.intern(Sort::Bool);
        sorts
    }
}

impl Sorts {
    /// The sort `bool`, which is always there.
    pub const BOOL: SortId = SortId(0);

    /// The identifier of a sort; a new one if the sort is new.
    pub fn intern(&mut self, sort: Sort) -> SortId {
        if let Some(&id) = self.ids.get(&sort) {
            return id;
        }
        let id = SortId(self.sorts.len() as u32);
        self.shapes.push(self.shape(&sort));
        if let Sort::Symbol { .. } = sort {
            self.texts.insert(id, Rc::default());
        }
        self.sorts.push(sort.clone());
        self.ids.insert(sort, id);
        id
    }

    /// All sorts, in the order in which they were made.
    pub fn ids(&self) -> impl Iterator<Item = SortId> + use<> {
        (0..self.sorts.len() as u32).map(SortId)
    }

    /// The sort with this identifier.
    pub fn get(&self, id: SortId) -> &Sort {
        &self.sorts[id.0 as usize]
    }

    /// Chooses whether a scalar sort is kept as explicit key columns.
    pub fn set_keyed(&mut self, id: SortId, keyed: bool) {
        if keyed {
            self.keyed.insert(id);
        } else {
            self.keyed.remove(&id);
        }
    }

    /// The same, because a hint or the user says so.
    pub fn wish_keyed(&mut self, id: SortId, keyed: bool) {
        self.set_keyed(id, keyed);
        if keyed {
            self.symbolic.remove(&id);
        } else {
            self.symbolic.insert(id);
        }
    }

    /// Whether a hint or the user says that columns of this sort are bits.
    pub fn is_wished_symbolic(&self, id: SortId) -> bool {
        self.symbolic.contains(&id)
    }

    /// Whether columns of this sort are explicit keys.
    pub fn is_keyed(&self, id: SortId) -> bool {
        self.keyed.contains(&id)
    }

    /// The texts of a symbol sort so far. They are complete when a file is checked: until then, inputs and constants
    /// bring more of them.
    pub fn texts(&self, id: SortId) -> &Texts {
        self.texts.get(&id).expect("only symbol sorts have texts")
    }

    /// The value of a text in a symbol sort; a new one if the text is new. Nothing if the sort is complete without it.
    pub fn text_value(&mut self, id: SortId, text: &str) -> Option<Value> {
        let number = match self.complete.contains(&id) {
            true => self.texts(id).number(text)?,
            false => Rc::make_mut(self.texts.entry(id).or_default()).add(text),
        };
        Some(Value::Name(number))
    }

    /// The symbol sort gets no more texts.
    pub fn complete_texts(&mut self, id: SortId) {
        self.complete.insert(id);
    }

    /// Whether a symbol sort has all its texts, because a model brought them.
    pub fn has_complete_texts(&self, id: SortId) -> bool {
        self.complete.contains(&id)
    }

    /// Whether a value of the sort has a text in it: then there may be no value at all.
    pub fn has_texts(&self, id: SortId) -> bool {
        self.leaves(id).iter().any(|leaf| matches!(self.get(*leaf), Sort::Symbol { .. }))
    }

    /// Whether the sort has no value, because a symbol sort in it has no text.
    pub fn is_empty(&self, id: SortId) -> bool {
        self.leaves(id).iter().any(|leaf| self.scalar_size(*leaf) == Some(0))
    }

    /// The sort in the words of the file.
    pub fn show(&self, id: SortId) -> String {
        match self.get(id) {
            Sort::Bool => "bool".into(),
            Sort::Range { name: Some(name), .. } => name.to_string(),
            Sort::Range { name: None, lo, hi } => format!("{lo}..{hi}"),
            Sort::Enum { name, .. }
            | Sort::Record { name, .. }
            | Sort::Symbol { name }
            | Sort::Opaque { name, .. } => name.to_string(),
            Sort::Vector { element, lo, hi } => {
                let inner = self.show(*element);
                match self.get(*element) {
                    Sort::Range { name: None, .. } => format!("({inner})[{lo}..{hi}]"),
                    _ => format!("{inner}[{lo}..{hi}]"),
                }
            }
        }
    }

    /// The scalar sorts that a value of this sort consists of, in order.
    pub fn leaves(&self, id: SortId) -> Vec<SortId> {
        let mut out = Vec::new();
        self.push_leaves(id, &mut out);
        out
    }

    /// The names of these leaves in something of this name: `q.pc`, `q[1]`.
    pub fn leaf_names(&self, name: &str, id: SortId) -> Vec<String> {
        match self.get(id) {
            Sort::Record { fields, .. } => {
                let of =
                    |(field, sort): &(Rc<str>, SortId)| self.leaf_names(&format!("{name}.{field}"), *sort);
                fields.iter().flat_map(of).collect()
            }
            Sort::Vector { element, lo, hi } => {
                (*lo..=*hi).flat_map(|at| self.leaf_names(&format!("{name}[{at}]"), *element)).collect()
            }
            _ => vec![name.into()],
        }
    }

    fn push_leaves(&self, id: SortId, out: &mut Vec<SortId>) {
        match self.get(id) {
            Sort::Record { fields, .. } => fields.iter().for_each(|(_, sort)| self.push_leaves(*sort, out)),
            Sort::Vector { element, lo, hi } => (*lo..=*hi).for_each(|_| self.push_leaves(*element, out)),
            _ => out.push(id),
        }
    }

    fn shape(&self, sort: &Sort) -> SortShape {
        let of = |id: &SortId| self.shapes[id.0 as usize];
        match sort {
            Sort::Record { fields, .. } => SortShape {
                leaves: fields.iter().fold(0, |sum, (_, sort)| sum.saturating_add(of(sort).leaves)),
                height: 1 + fields.iter().map(|(_, sort)| of(sort).height).max().unwrap_or(0),
            },
            Sort::Vector { element, lo, hi } => {
                let length = usize::try_from(hi - lo + 1).unwrap_or(0);
                SortShape {
                    leaves: length.saturating_mul(of(element).leaves),
                    height: 1 + of(element).height,
                }
            }
            _ => SortShape { leaves: 1, height: 1 },
        }
    }

    /// How many scalar leaves a value of this sort has.
    pub fn leaf_count(&self, id: SortId) -> usize {
        self.shapes[id.0 as usize].leaves
    }

    /// How many levels of records and vectors the sort has; a scalar has one.
    pub fn height(&self, id: SortId) -> usize {
        self.shapes[id.0 as usize].height
    }

    /// How many values a scalar sort has, or `None` if every pattern of its bits is one.
    pub fn scalar_size(&self, id: SortId) -> Option<u64> {
        match self.get(id) {
            Sort::Bool => Some(2),
            Sort::Range { lo, hi, .. } => Some((hi - lo) as u64 + 1),
            Sort::Enum { values, .. } => Some(values.len() as u64),
            Sort::Symbol { .. } => Some(self.texts(id).len() as u64),
            Sort::Opaque { width: Width::Values(n), .. } => Some(*n),
            Sort::Opaque { width: Width::Bits(_), .. } => None,
            Sort::Record { .. } | Sort::Vector { .. } => panic!("scalar_size of {}", self.show(id)),
        }
    }

    /// How many bits a scalar sort takes in a BDD.
    pub fn bits(&self, id: SortId) -> u32 {
        match (self.get(id), self.scalar_size(id)) {
            (Sort::Opaque { width: Width::Bits(n), .. }, _) => *n,
            (_, Some(size)) => u64::BITS - size.saturating_sub(1).leading_zeros(),
            (_, None) => unreachable!("only bit sorts have no size"),
        }
    }

    /// How many values a sort has.
    pub fn size(&self, id: SortId) -> BigUint {
        self.leaves(id).into_iter().fold(BigUint::from(1u32), |product, leaf| match self.scalar_size(leaf) {
            Some(n) => product * n,
            None => product << self.bits(leaf),
        })
    }

    /// Every value of a sort, in order. For sorts known to be small.
    pub fn values(&self, id: SortId) -> Vec<Value> {
        match self.get(id) {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Range { lo, hi, .. } => (*lo..=*hi).map(Value::Int).collect(),
            Sort::Enum { values, .. } => (0..values.len() as u64).map(Value::Name).collect(),
            Sort::Symbol { .. } => (0..self.texts(id).len() as u64).map(Value::Name).collect(),
            Sort::Opaque { width: Width::Values(n), .. } => (0..*n).map(Value::Name).collect(),
            Sort::Opaque { width: Width::Bits(n), .. } => (0..1u64 << n)
                .map(|code| Value::Bits((0..*n).map(|bit| code >> (n - 1 - bit) & 1 == 1).collect()))
                .collect(),
            Sort::Record { fields, .. } => {
                let parts = fields.iter().map(|(_, sort)| self.values(*sort)).collect::<Vec<_>>();
                product(&parts).into_iter().map(Value::Record).collect()
            }
            Sort::Vector { element, lo, hi } => {
                let parts = (*lo..=*hi).map(|_| self.values(*element)).collect::<Vec<_>>();
                product(&parts).into_iter().map(Value::Vector).collect()
            }
        }
    }

    /// The scalar values that a value consists of, in order.
    pub fn flatten(value: &Value, out: &mut Vec<Value>) {
        match value {
            Value::Record(parts) | Value::Vector(parts) => {
                parts.iter().for_each(|part| Self::flatten(part, out))
            }
            scalar => out.push(scalar.clone()),
        }
    }

    /// The value with these scalar leaves.
    pub fn assemble(&self, id: SortId, leaves: &mut impl Iterator<Item = Value>) -> Value {
        match self.get(id) {
            Sort::Record { fields, .. } => {
                Value::Record(fields.iter().map(|(_, sort)| self.assemble(*sort, leaves)).collect())
            }
            Sort::Vector { element, lo, hi } => {
                Value::Vector((*lo..=*hi).map(|_| self.assemble(*element, leaves)).collect())
            }
            _ => leaves.next().expect("a leaf for every scalar of the sort"),
        }
    }
}

/// All ways to pick one value from each part, the first part varying slowest.
fn product(parts: &[Vec<Value>]) -> Vec<Vec<Value>> {
    parts.iter().fold(vec![Vec::new()], |prefixes, part| {
        prefixes
            .iter()
            .flat_map(|prefix| {
                part.iter().map(move |value| prefix.iter().cloned().chain([value.clone()]).collect())
            })
            .collect()
    })
}
