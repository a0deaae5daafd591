//! Relations as rows: a tuple of keys, and a BDD over the bits of the other columns.
//!
//! With no keyed column a relation is one BDD; with only keyed columns it is an explicit set. A row is never
//! empty. Joins look rows up by some of their keys; an index for these columns is kept from then on.

mod frame;
mod key;
mod snapshot;
mod stored;
mod tuples;

use crate::bdd::{Bdd, Stop};
pub use frame::{EqualRun, FrameEqualities, conjoin, pairs};
pub use key::Key;
use rustc_hash::FxHashMap;
pub use snapshot::Snapshot;
use std::rc::Rc;
pub use stored::StoredRelation;
pub use tuples::TupleSet;

#[derive(Clone, Debug, Default)]
pub struct Relation {
    content: Content,
    indexes: Vec<KeyIndex>,
}

#[derive(Clone, Debug)]
enum Content {
    /// Every tuple of the columns' sorts: where a greatest fixed point begins.
    All,
    Rows(RowTable),
}

#[derive(Clone, Debug, Default)]
struct RowTable {
    /// Shared with snapshots, and copied when it changes.
    bits: Rc<FxHashMap<Key, Bdd>>,
    /// For some rows of a model's relation: pairs of bits that are equal besides, not conjoined to the row.
    frames: FxHashMap<Key, FrameEqualities>,
}

#[derive(Clone, Debug, Default)]
struct KeyIndex {
    columns: Vec<usize>,
    keys: FxHashMap<Key, Vec<Key>>,
}

const NO_ROWS: &str = "a relation with all tuples has no rows";

impl Default for Content {
    fn default() -> Self {
        Content::Rows(RowTable::default())
    }
}

impl Content {
    fn expect_rows(&self) -> &RowTable {
        match self {
            Content::All => unreachable!("{NO_ROWS}"),
            Content::Rows(rows) => rows,
        }
    }

    fn expect_rows_mut(&mut self) -> &mut RowTable {
        match self {
            Content::All => unreachable!("{NO_ROWS}"),
            Content::Rows(rows) => rows,
        }
    }
}

impl Relation {
    /// Whether it has every tuple of its columns' sorts. Then it has no rows that could be looked at or changed.
    pub fn has_all(&self) -> bool {
        matches!(self.content, Content::All)
    }

    /// Forgets the rows and becomes everything.
    pub fn become_all(&mut self) {
        self.clear();
        self.content = Content::All;
    }

    pub fn clear(&mut self) {
        match &mut self.content {
            Content::All => self.content = Content::default(),
            Content::Rows(rows) => {
                rows.bits = Rc::default();
                rows.frames.clear();
            }
        }
        self.indexes.iter_mut().for_each(|index| index.keys.clear());
    }

    pub fn is_empty(&self) -> bool {
        match &self.content {
            Content::All => false,
            Content::Rows(rows) => rows.bits.is_empty(),
        }
    }

    pub fn row_count(&self) -> usize {
        match &self.content {
            Content::All => 0,
            Content::Rows(rows) => rows.bits.len(),
        }
    }

    pub fn get(&self, key: &Key) -> Option<&Bdd> {
        self.content.expect_rows().bits.get(key)
    }

    pub fn rows(&self) -> impl Iterator<Item = (&Key, &Bdd)> {
        self.content.expect_rows().bits.iter()
    }

    /// Whether some rows have equalities besides.
    pub fn is_framed(&self) -> bool {
        match &self.content {
            Content::All => false,
            Content::Rows(rows) => !rows.frames.is_empty(),
        }
    }

    pub fn frame(&self, key: &Key) -> Option<&FrameEqualities> {
        self.content.expect_rows().frames.get(key)
    }

    /// Adds a row with equalities besides. If the row is there already, both are conjoined and joined.
    pub fn add_framed(&mut self, key: &Key, core: &Bdd, frame: FrameEqualities) -> Result<(), Stop> {
        if self.get(key).is_some() {
            let both = self.expanded(key)?.or(&conjoin(core, &pairs(&frame))?)?;
            let rows = self.content.expect_rows_mut();
            rows.frames.remove(key);
            Rc::make_mut(&mut rows.bits).insert(key.clone(), both);
            return Ok(());
        }
        if self.add(key, core)?.is_some() && !frame.is_empty() {
            self.content.expect_rows_mut().frames.insert(key.clone(), frame);
        }
        Ok(())
    }

    /// A row with its equalities conjoined. The row must be there.
    pub fn expanded(&self, key: &Key) -> Result<Bdd, Stop> {
        let rows = self.content.expect_rows();
        let row = &rows.bits[key];
        rows.frames.get(key).map_or_else(|| Ok(row.clone()), |frame| conjoin(row, &pairs(frame)))
    }

    /// The rows sorted by key.
    pub fn sorted(&self) -> Vec<(&Key, &Bdd)> {
        let mut rows = self.rows().collect::<Vec<_>>();
        rows.sort_by_key(|(key, _)| *key);
        rows
    }

    /// Whether both have the same tuples.
    pub fn same(&self, other: &Relation) -> bool {
        match (&self.content, &other.content) {
            (Content::All, Content::All) => true,
            (Content::Rows(rows), Content::Rows(others)) => rows.bits == others.bits,
            (Content::All, Content::Rows(_)) | (Content::Rows(_), Content::All) => false,
        }
    }

    /// Adds tuples to a row; returns those that were not there before, if any.
    pub fn add(&mut self, key: &Key, tuples: &Bdd) -> Result<Option<Bdd>, Stop> {
        if tuples.is_zero() {
            return Ok(None);
        }
        let rows = Rc::make_mut(&mut self.content.expect_rows_mut().bits);
        match rows.get_mut(key) {
            Some(row) => {
                let new = tuples.and_not(row)?;
                if new.is_zero() {
                    return Ok(None);
                }
                *row = row.or(tuples)?;
                Ok(Some(new))
            }
            None => {
                for index in &mut self.indexes {
                    index.insert(key);
                }
                rows.insert(key.clone(), tuples.clone());
                Ok(Some(tuples.clone()))
            }
        }
    }

    /// Takes tuples out of a row.
    pub fn remove(&mut self, key: &Key, tuples: &Bdd) -> Result<(), Stop> {
        let rows = Rc::make_mut(&mut self.content.expect_rows_mut().bits);
        let Some(row) = rows.get_mut(key) else { return Ok(()) };
        *row = row.and_not(tuples)?;
        if row.is_zero() {
            rows.remove(key);
            self.indexes.iter_mut().for_each(|index| index.remove(key));
        }
        Ok(())
    }

    /// Becomes these rows; the indexes stay in place.
    pub fn replace(&mut self, rows: FxHashMap<Key, Bdd>) {
        self.clear();
        for key in rows.keys() {
            self.indexes.iter_mut().for_each(|index| index.insert(key));
        }
        self.content.expect_rows_mut().bits = Rc::new(rows);
    }

    /// Its tuples as they are now. A relation of a model, which may have equalities besides, has no snapshots.
    pub fn snapshot(&self) -> Snapshot {
        debug_assert!(!self.is_framed());
        match &self.content {
            Content::All => Snapshot::All,
            Content::Rows(rows) => Snapshot::Rows(rows.bits.clone()),
        }
    }

    /// Becomes what it was.
    pub fn restore(&mut self, before: &Snapshot) {
        let before = match (before, &self.content) {
            (Snapshot::All, _) => return self.become_all(),
            (Snapshot::Rows(before), Content::Rows(rows)) if Rc::ptr_eq(&rows.bits, before) => return,
            (Snapshot::Rows(before), _) => before,
        };
        self.clear();
        for key in before.keys() {
            self.indexes.iter_mut().for_each(|index| index.insert(key));
        }
        self.content.expect_rows_mut().bits = before.clone();
    }

    /// The rows with what the other does not have.
    pub fn minus(&self, other: &Relation) -> Result<Vec<(Key, Bdd)>, Stop> {
        minus(self.sorted(), |key| other.get(key))
    }

    /// The number of the index over these key columns, made if there is none.
    pub fn index(&mut self, columns: &[usize]) -> usize {
        if let Some(at) = self.indexes.iter().position(|index| index.columns == columns) {
            return at;
        }
        let mut index = KeyIndex { columns: columns.to_vec(), keys: FxHashMap::default() };
        let mut keys = match &self.content {
            Content::All => Vec::new(),
            Content::Rows(rows) => rows.bits.keys().collect(),
        };
        keys.sort();
        keys.into_iter().for_each(|key| index.insert(key));
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The keys that have these values in the columns of an index.
    pub fn matching(&self, index: usize, values: &Key) -> &[Key] {
        self.indexes[index].keys.get(values).map_or(&[], Vec::as_slice)
    }
}

impl KeyIndex {
    fn insert(&mut self, key: &Key) {
        let part = self.columns.iter().map(|&column| key[column]).collect::<Key>();
        self.keys.entry(part).or_default().push(key.clone());
    }

    fn remove(&mut self, key: &Key) {
        let part = self.columns.iter().map(|&column| key[column]).collect::<Key>();
        if let Some(keys) = self.keys.get_mut(&part) {
            keys.retain(|other| other != key);
        }
    }
}

/// The rows with what the others do not have, in the order in which they come.
fn minus<'r>(
    rows: impl IntoIterator<Item = (&'r Key, &'r Bdd)>,
    other: impl Fn(&Key) -> Option<&'r Bdd>,
) -> Result<Vec<(Key, Bdd)>, Stop> {
    let mut out = Vec::new();
    for (key, row) in rows {
        let rest = match other(key) {
            Some(there) => row.and_not(there)?,
            None => row.clone(),
        };
        if !rest.is_zero() {
            out.push((key.clone(), rest));
        }
    }
    Ok(out)
}
