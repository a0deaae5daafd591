//! Keys: the codes of a row's key columns.
//!
//! Mostly there are few of them, one or two locations, and they are compared and hashed millions of times: code by code,
//! which is faster than what works for slices of any length.

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Up to four codes stand in place: three threads have three locations.
#[derive(Clone, Debug, Default)]
pub struct Key(SmallVec<[u32; 4]>);

impl Deref for Key {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl FromIterator<u32> for Key {
    fn from_iter<I: IntoIterator<Item = u32>>(codes: I) -> Key {
        let mut key = SmallVec::new();
        codes.into_iter().for_each(|code| key.push(code));
        Key(key)
    }
}

impl From<Vec<u32>> for Key {
    fn from(codes: Vec<u32>) -> Key {
        Key(codes.into())
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(left, right)| left == right)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.iter().for_each(|code| state.write_u32(*code));
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        let mut pairs = self.iter().zip(other.iter());
        match pairs.find(|(left, right)| left != right) {
            Some((left, right)) => left.cmp(right),
            None => self.len().cmp(&other.len()),
        }
    }
}
