//! Relations of the vocabularies and the scalar leaves of their columns.

use super::event::can_be_marked;
use super::pushdown::{self, PATTERN, RESULT, SYMBOL, SYMBOL_FIELDS, SymbolLeaves};
use super::{CLASS, LABEL, LINE, LOCAL, OWN, PC, PROCEDURE, SHARED, STATE, STATE_FIELDS, SortSchema, VAR};
use calculus::vocabulary::{OfferedRelation, Row};
use std::rc::Rc;

/// A relation, or a family of them.
pub struct RelationSchema {
    pub name: &'static str,
    pub family: Family,
    pub columns: &'static [(&'static str, ColumnKind)],
    /// For the documentation, in Markdown.
    pub meaning: &'static str,
}

/// What the instances of a relation stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// There is one instance.
    One,
    /// One per position of threads, from 0.
    Positions,
    /// One per thread, from 1.
    Threads,
    /// One per predicate, from 1.
    Predicates,
    /// One per thread of a target over several threads, from 1.
    Cover,
}

impl Family {
    /// How the documentation writes the index.
    pub const fn index(self) -> &'static str {
        match self {
            Family::One => "",
            Family::Positions | Family::Threads => "[t]",
            Family::Cover | Family::Predicates => "[i]",
        }
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    State,
    Shared,
    Pc,
    Line,
    Var,
    Label,
    Procedure,
    Class,
    Symbol,
    Result,
    Pattern,
}

/// The scalar leaves of a state, and of the shared values beside it, in a relation's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateLeaves {
    pub pc: u16,
    pub own: u16,
    pub local: u16,
    /// Nothing where the relation does not mention the shared values of this state.
    pub shared: Option<u16>,
}

impl ColumnKind {
    pub const fn sort(self) -> &'static str {
        match self {
            ColumnKind::State => STATE,
            ColumnKind::Shared => SHARED.name,
            ColumnKind::Pc => PC.name,
            ColumnKind::Line => LINE.name,
            ColumnKind::Var => VAR.name,
            ColumnKind::Label => LABEL.name,
            ColumnKind::Procedure => PROCEDURE.name,
            ColumnKind::Class => CLASS.name,
            ColumnKind::Symbol => SYMBOL,
            ColumnKind::Result => RESULT.name,
            ColumnKind::Pattern => PATTERN.name,
        }
    }

    /// How many scalar leaves it has.
    const fn leaves(self) -> u16 {
        match self {
            ColumnKind::State => STATE_FIELDS.len() as u16,
            ColumnKind::Symbol => SYMBOL_FIELDS.len() as u16,
            _ => 1,
        }
    }
}

impl RelationSchema {
    /// The leaf of a column with shared values.
    pub const fn shared(&self, column: &str) -> u16 {
        self.first_leaf(column, ColumnKind::Shared)
    }

    /// The leaf of a column with locations.
    pub const fn pc(&self, column: &str) -> u16 {
        self.first_leaf(column, ColumnKind::Pc)
    }

    /// The leaf of a column with numbered values: lines, or texts of the program.
    pub const fn value(&self, column: &str, kind: ColumnKind) -> u16 {
        self.first_leaf(column, kind)
    }

    /// The leaf of a column with what a pop hands down.
    pub const fn result(&self, column: &str) -> u16 {
        self.first_leaf(column, ColumnKind::Result)
    }

    /// The leaf of a column with numbers of targets.
    pub const fn pattern(&self, column: &str) -> u16 {
        self.first_leaf(column, ColumnKind::Pattern)
    }

    /// The leaves of a stack symbol.
    pub const fn symbol(&self, column: &str) -> SymbolLeaves {
        let first = self.first_leaf(column, ColumnKind::Symbol);
        SymbolLeaves {
            pc: first + field(&SYMBOL_FIELDS, pushdown::PC.name),
            local: first + field(&SYMBOL_FIELDS, pushdown::LOCAL.name),
        }
    }

    /// The leaves of a state.
    pub const fn state(&self, column: &str) -> StateLeaves {
        let first = self.first_leaf(column, ColumnKind::State);
        StateLeaves {
            pc: first + field(&STATE_FIELDS, PC.name),
            own: first + field(&STATE_FIELDS, OWN.name),
            local: first + field(&STATE_FIELDS, LOCAL.name),
            shared: None,
        }
    }

    /// The leaves of a state and of the shared values that go with it.
    pub const fn side(&self, state: &str, shared: &str) -> StateLeaves {
        let shared = Some(self.shared(shared));
        StateLeaves { shared, ..self.state(state) }
    }

    /// Where a column's leaves begin. A name that the relation does not have is a mistake in this program, which the
    /// compiler reports where the position is a constant.
    const fn first_leaf(&self, column: &str, holds: ColumnKind) -> u16 {
        let (mut at, mut leaf) = (0, 0);
        while at < self.columns.len() {
            let (name, has) = self.columns[at];
            if same(name, column) {
                assert!(has as u8 == holds as u8, "the column holds something else");
                return leaf;
            }
            leaf += has.leaves();
            at += 1;
        }
        panic!("the relation has no such column")
    }

    /// The relation with its rows.
    pub(super) fn offered(&self, instances: Vec<Rc<[Row]>>) -> OfferedRelation {
        self.marked(instances, can_be_marked(self.name))
    }

    /// The same; `moves` says whether `by` and `at` can mark its tuples.
    pub(super) fn marked(&self, instances: Vec<Rc<[Row]>>, moves: bool) -> OfferedRelation {
        let columns = self.columns.iter().map(|(name, column)| (name.to_string(), column.sort().to_string()));
        let last = instances.len() as i64;
        OfferedRelation {
            name: self.name.into(),
            index: match self.family {
                Family::One => None,
                Family::Positions => Some((0, last - 1)),
                Family::Threads | Family::Cover | Family::Predicates => Some((1, last)),
            },
            columns: columns.collect(),
            instances,
            moves,
        }
    }
}

/// The number of the field of a record that has this sort.
const fn field(fields: &[(&str, &SortSchema)], sort: &str) -> u16 {
    let mut at = 0;
    while at < fields.len() {
        if same(fields[at].1.name, sort) {
            return at as u16;
        }
        at += 1;
    }
    panic!("the record has no field of this sort")
}

/// Whether two texts are equal; `==` is not for constants.
const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}
