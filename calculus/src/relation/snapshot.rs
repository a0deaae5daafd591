//! What a relation was at some time: shared with it until one of the two changes.

use super::{Key, minus};
use crate::bdd::{Bdd, Stop};
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Snapshot {
    /// Every tuple of the columns' sorts.
    All,
    Rows(Rc<FxHashMap<Key, Bdd>>),
}

impl Snapshot {
    /// Whether both have the same tuples.
    pub fn same(&self, other: &Snapshot) -> bool {
        match (self, other) {
            (Snapshot::All, Snapshot::All) => true,
            (Snapshot::Rows(rows), Snapshot::Rows(others)) => Rc::ptr_eq(rows, others) || rows == others,
            _ => false,
        }
    }

    /// Whether all of its tuples are among those of the other. Everything that is written as rows is not recognized: then
    /// the answer may be no where it is yes.
    pub fn is_within(&self, other: &Snapshot) -> Result<bool, Stop> {
        let (rows, others) = match (self, other) {
            (_, Snapshot::All) => return Ok(true),
            (Snapshot::All, Snapshot::Rows(_)) => return Ok(false),
            (Snapshot::Rows(rows), Snapshot::Rows(others)) => (rows, others),
        };
        if Rc::ptr_eq(rows, others) {
            return Ok(true);
        }
        for (key, row) in rows.iter() {
            let Some(there) = others.get(key) else { return Ok(false) };
            if !row.is_subset(there)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The rows with what the other does not have, by key; nothing if one of them is everything.
    pub fn minus(&self, other: &Snapshot) -> Result<Option<Vec<(Key, Bdd)>>, Stop> {
        let (Snapshot::Rows(rows), Snapshot::Rows(others)) = (self, other) else { return Ok(None) };
        let mut rows = rows.iter().collect::<Vec<_>>();
        rows.sort_by_key(|(key, _)| *key);
        minus(rows, |key| others.get(key)).map(Some)
    }
}
