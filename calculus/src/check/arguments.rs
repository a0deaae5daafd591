//! What the instances of families are made for: numbers, sorts and relations.

use super::tree::{Index, RelId};
use crate::sort::SortId;
use std::cmp::Ordering;
use std::rc::Rc;

/// The value of an index of a family.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Argument {
    Number(i64),
    Sort(SortId, Shown),
    Relation(RelationArgument, Shown),
}

/// A relation that a family is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RelationArgument {
    One(RelId),
    /// All instances of a family that begin with these indices: the other ones are given where it is used.
    Family {
        family: usize,
        given: Vec<Argument>,
    },
}

/// How an argument is written. Two arguments are the same whatever their texts are.
#[derive(Clone, Debug)]
pub(super) struct Shown(pub Rc<str>);

impl PartialEq for Shown {
    fn eq(&self, _: &Shown) -> bool {
        true
    }
}

impl Eq for Shown {}

impl PartialOrd for Shown {
    fn partial_cmp(&self, other: &Shown) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Shown {
    fn cmp(&self, _: &Shown) -> Ordering {
        Ordering::Equal
    }
}

impl Argument {
    /// As a part of the name of an instance.
    pub fn index(&self) -> Index {
        match self {
            Argument::Number(value) => Index::Number(*value),
            Argument::Sort(_, Shown(text)) | Argument::Relation(_, Shown(text)) => Index::Text(text.clone()),
        }
    }
}

/// All of them, if they are numbers.
pub(super) fn numbers(values: impl IntoIterator<Item = i64>) -> Vec<Argument> {
    values.into_iter().map(Argument::Number).collect()
}
