//! The finished plan of a rule: a list of operations, and how the head is written. Nothing is decided after it: the solver
//! only attaches diagrams, cubes and renamings.

use crate::check::tree::RelId;
use crate::elaborate::core::Operand;
use crate::sort::{SortId, Value};
use crate::space::Place;

/// How a rule is evaluated, from nothing or following the rows of one atom.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is done, in order.
    pub operations: Vec<Operation>,
    /// How the head is filled at the end.
    pub head: HeadPlan,
}

/// One operation on the rows so far: keys with what is known of the bits.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What is done.
    pub kind: OperationKind,
    /// Where the keys that are bound afterwards come from.
    pub out: Vec<OutKey>,
    /// The symbolic variables that are quantified on the way, with their places.
    pub forget: Vec<(usize, Place)>,
}

/// What an operation does. Constraints and atoms are named by their positions in the rule.
#[derive(Clone, Debug)]
pub enum OperationKind {
    /// Joins with an atom, or removes what a negative one has.
    Atom(AtomPlan),
    /// Keeps what satisfies a constraint.
    Condition {
        /// Which one.
        constraint: usize,
        /// The key variables in it, each with its position among the bound keys.
        keys: Vec<(usize, usize)>,
        /// The places of all variables of the rule.
        places: Vec<Place>,
    },
    /// Lets a variable range over its sort.
    Domain {
        /// Which one.
        var: usize,
        /// Where it lives.
        place: Place,
        /// How many values the sort of a key has.
        size: u64,
    },
    /// The code of a key, from the keys before: `key + n = other`.
    Compute {
        /// The equation.
        constraint: usize,
        /// The key.
        var: usize,
        /// The other side: its variables are positions among the bound keys.
        other: Operand,
        /// The sort of the key.
        sort: SortId,
        /// What is added to the key.
        shift: i128,
    },
}

/// How an atom is joined.
#[derive(Clone, Debug)]
pub struct AtomPlan {
    /// Its position in the rule.
    pub atom: usize,
    /// Its relation.
    pub relation: RelId,
    /// Its rows are removed.
    pub negative: bool,
    /// The rows that are followed take the place of the relation's.
    pub followed: bool,
    /// What is known of each key column.
    pub keys: Vec<KeySource>,
    /// The key columns with known codes, by which rows are looked up.
    pub lookup: Vec<usize>,
    /// From the relation's columns to the rule's variables.
    pub view: ViewPlan,
    /// For a relation some of whose rows have frames: the variables that go on in the places of others.
    pub takeovers: Option<Vec<Takeover>>,
}

impl AtomPlan {
    /// All key columns are known: one row at most.
    pub fn is_exact(&self) -> bool {
        self.lookup.len() == self.keys.len()
    }
}

/// What is known of a key when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The code of a constant.
    Const(u32),
    /// The position among the bound keys before the operation.
    Bound(usize),
    /// Bound by this atom.
    Free,
    /// Equal to an earlier key column of the same atom.
    Same(usize),
}

/// Where a key comes from: the keys before the operation, the atom's key columns, or the operation's own variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutKey {
    /// The position among the keys before.
    Before(usize),
    /// The key column of the atom.
    Column(usize),
    /// What the operation itself binds.
    Own,
}

/// What is done to the bits of a row before it is joined.
#[derive(Clone, Debug, Default)]
pub struct ViewPlan {
    /// Columns that must have a value; their bits are forgotten.
    pub constants: Vec<(Place, Value)>,
    /// Columns of the same variable as an earlier one: that one, and this, whose bits are forgotten.
    pub equal: Vec<(Place, Place)>,
    /// Variables that nothing else mentions, with their columns.
    pub forget: Vec<(usize, Place)>,
    /// The other variables: from the column to the variable's place, which may be the same.
    pub rename: Vec<(usize, Place, Place)>,
}

/// A variable that an atom binds, and one that is forgotten with it: where a row says that a bit of the one equals the
/// same bit of the other, the bit stays where it is. Afterwards the new variable lives in the old one's place.
#[derive(Clone, Debug)]
pub struct Takeover {
    /// The variable that is forgotten.
    pub old: usize,
    /// The variable that begins.
    pub new: usize,
    /// Their columns in the relation, old and new.
    pub columns: (Place, Place),
    /// Their places in the rule, old and new.
    pub places: (Place, Place),
}

/// How the head's columns are filled.
#[derive(Clone, Debug, Default)]
pub struct HeadPlan {
    /// Each key column: a constant or a bound key.
    pub keys: Vec<KeySource>,
    /// The variables in symbolic columns: from the variable's place to the column, which may be the same.
    pub rename: Vec<(usize, Place, Place)>,
    /// Columns that get a value.
    pub constants: Vec<(Place, Value)>,
    /// Columns that get the same as an earlier one: that one, and this.
    pub equal: Vec<(Place, Place)>,
}
