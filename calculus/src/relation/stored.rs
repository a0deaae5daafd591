//! A relation outside of any BDD manager, to be taken to another one.

use super::Key;
use crate::bdd::{Stored, Var};

/// The rows of a relation, written down.
#[derive(Clone, Debug)]
pub struct StoredRelation {
    pub(crate) keys: Vec<Key>,
    /// One function for each key.
    pub(crate) rows: Stored,
    /// The bits of the columns when they were stored, in order.
    pub(crate) vars: Vec<Var>,
}
