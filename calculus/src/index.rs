//! Vectors indexed by ids: what is known of each relation is looked up by its `RelId`, and by nothing else.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A number that stands for a thing, in the order in which the things were made.
pub trait Id: Copy + Eq {
    /// The id of the thing at a position.
    fn from_index(index: usize) -> Self;
    /// The position of its thing.
    fn index(self) -> usize;
}

/// Something for each id from the first to the last.
#[derive(Clone, Debug)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// Nothing yet.
    pub fn new() -> Self {
        IdVec::from_iter([])
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds one more; returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }

    /// What belongs to an id, if the id is one of these.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// What belongs to the ids, in order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// What belongs to the ids, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Each with its id.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// Something else for each of the same ids.
    pub fn map<U>(&self, to: impl FnMut((I, &T)) -> U) -> IdVec<I, U> {
        self.entries().map(to).collect()
    }

    /// The same value for each of the same ids.
    pub fn filled<U: Clone>(&self, value: U) -> IdVec<I, U> {
        vec![value; self.len()].into()
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec::new()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IdVec { items, id: PhantomData }
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
