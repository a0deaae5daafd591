//! What a search remembers so that derivations can be read from it: which tuples came in which layer.
//!
//! What is in a layer follows from the layers before it. In the order of layers, the layer of a tuple is the least
//! height of its derivations inside its component. Where any derivation will do, and a tuple was found in the order of
//! rows, a search in layers is given up when it has done more than it may; then each row is a layer of its own.

use super::explain::Pattern;
use super::statistics::Count;
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::index::IdVec;
use crate::relation::{Key, Relation};
use rustc_hash::FxHashMap;

/// In which order the rows of a component are added and followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchOrder {
    /// One after another.
    Rows,
    /// All that follows from the layers before at once.
    Layers,
}

/// What a search has done, in numbers that do not depend on the diagrams: equal searches are given up at equal places.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// How many rows were followed.
    pub rows: u64,
    /// How many tuples were found.
    pub tuples: Count,
}

/// How far a search in layers may go.
#[derive(Clone, Debug)]
enum LayerBound {
    None,
    /// What may still be done.
    Left(Effort),
    GivenUp,
}

/// What happened in each layer. Layers are numbered through all components, in the order of solving.
pub(super) struct History {
    order: SearchOrder,
    bound: LayerBound,
    /// What the goal is to look like, if it has columns.
    pub wanted: Option<Vec<Pattern>>,
    log: Vec<Event>,
    /// What was taken back, the latest first taken.
    undone: Vec<Event>,
    /// The rounds of least fixed points are recorded that have greatest ones inside.
    is_ranked: bool,
    /// Layers whose tuples may rest on themselves, with the layer before which they are looked at.
    later: FxHashMap<u32, u32>,
    /// New tuples of a row, by layer.
    added: FxHashMap<(RelId, Key), Vec<(u32, Bdd)>>,
    /// The layer of a relation that was evaluated at once.
    whole: FxHashMap<RelId, u32>,
    /// The layer after which nothing happened to a relation.
    settled: FxHashMap<RelId, u32>,
    layers: u32,
    /// How many rows were followed one after another.
    followed: u64,
}

struct Event {
    layer: u32,
    relation: RelId,
    /// Tuples came, or (for what stands for the failure of a `forall`) went.
    came: bool,
    key: Key,
    tuples: Bdd,
}

impl History {
    pub fn new(order: SearchOrder, wanted: Option<Vec<Pattern>>) -> History {
        History {
            order,
            bound: LayerBound::None,
            wanted,
            log: Vec::new(),
            undone: Vec::new(),
            is_ranked: false,
            later: FxHashMap::default(),
            added: FxHashMap::default(),
            whole: FxHashMap::default(),
            settled: FxHashMap::default(),
            layers: 0,
            followed: 0,
        }
    }

    /// In layers, with the rounds of least fixed points that have greatest ones inside.
    pub fn ranked() -> History {
        History { is_ranked: true, ..History::new(SearchOrder::Layers, None) }
    }

    /// Whether those rounds are recorded.
    pub fn is_ranked(&self) -> bool {
        self.is_ranked
    }

    /// In layers, until so much was done.
    pub fn within(effort: Effort, wanted: Option<Vec<Pattern>>) -> History {
        History { bound: LayerBound::Left(effort), ..History::new(SearchOrder::Layers, wanted) }
    }

    pub fn order(&self) -> SearchOrder {
        self.order
    }

    pub fn is_bounded(&self) -> bool {
        !matches!(self.bound, LayerBound::None)
    }

    pub fn is_given_up(&self) -> bool {
        matches!(self.bound, LayerBound::GivenUp)
    }

    /// Takes what was done from what may be done; says whether that was too much.
    pub fn spend(&mut self, done: &Effort) -> bool {
        if let LayerBound::Left(left) = &mut self.bound {
            if done.rows > left.rows || done.tuples > left.tuples {
                self.bound = LayerBound::GivenUp;
            } else {
                left.rows -= done.rows;
                left.tuples -= &done.tuples;
            }
        }
        self.is_given_up()
    }

    pub fn follow(&mut self, rows: u64) {
        self.followed += rows;
    }

    /// How many rows were followed one after another.
    pub fn followed(&self) -> u64 {
        self.followed
    }

    pub fn begin_layer(&mut self) {
        self.layers += 1;
    }

    /// The number of the last layer.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// What came in a layer is looked at after all that came since.
    pub fn look_later(&mut self, layer: u32) {
        self.later.insert(layer, self.layers + 1);
    }

    /// The layer before which what came in a layer is looked at.
    pub fn looked_at(&self, layer: u32) -> u32 {
        self.later.get(&layer).copied().unwrap_or(layer)
    }

    /// Tuples went in this layer.
    pub fn record_lost(&mut self, relation: RelId, rows: &[(Key, Bdd)]) {
        let layer = self.layers;
        let lost = rows.iter().cloned();
        self.log.extend(lost.map(|(key, tuples)| Event { layer, relation, came: false, key, tuples }));
    }

    /// Tuples came in this layer.
    pub fn record_added(&mut self, relation: RelId, key: &Key, tuples: &Bdd) {
        let layer = self.layers;
        self.added.entry((relation, key.clone())).or_default().push((layer, tuples.clone()));
        self.log.push(Event { layer, relation, came: true, key: key.clone(), tuples: tuples.clone() });
    }

    /// Tuples came, and are a layer of their own.
    pub fn record_added_alone(&mut self, relation: RelId, key: &Key, tuples: &Bdd) {
        self.begin_layer();
        self.record_added(relation, key, tuples);
    }

    /// Tuples went.
    pub fn record_removed(&mut self, relation: RelId, rows: &[(Key, Bdd)]) {
        self.begin_layer();
        let layer = self.layers;
        let event = |(key, tuples): &(Key, Bdd)| Event {
            layer,
            relation,
            came: false,
            key: key.clone(),
            tuples: tuples.clone(),
        };
        self.log.extend(rows.iter().map(event));
    }

    /// These relations have just been evaluated at once.
    pub fn evaluated(&mut self, relations: &[RelId]) {
        self.begin_layer();
        relations.iter().for_each(|&relation| {
            self.whole.insert(relation, self.layers);
        });
    }

    /// A relation has been solved.
    pub fn settle(&mut self, relation: RelId) {
        self.settled.insert(relation, self.layers);
    }

    /// Whether a relation was solved before a layer: only then one can tell what is not in it.
    pub fn is_settled(&self, relation: RelId, layer: u32) -> bool {
        self.settled.get(&relation).is_some_and(|settled| *settled < layer)
    }

    /// The layer of the tuples (of one row) that came first, with those that came in it.
    pub fn first(&self, relation: RelId, key: &Key, among: &Bdd) -> Result<Option<(u32, Bdd)>, Stop> {
        for (layer, tuples) in self.added.get(&(relation, key.clone())).into_iter().flatten() {
            let here = tuples.and(among)?;
            if !here.is_zero() {
                return Ok(Some((*layer, here)));
            }
        }
        Ok(self.whole.get(&relation).map(|layer| (*layer, among.clone())))
    }

    /// Takes the relations back to what they were before a layer. Earlier layers can still be asked for.
    pub fn undo(&mut self, relations: &mut IdVec<RelId, Relation>, layer: u32) -> Result<(), Stop> {
        while let Some(event) = self.log.pop_if(|event| event.layer >= layer) {
            let relation = &mut relations[event.relation];
            if event.came {
                relation.remove(&event.key, &event.tuples)?;
            } else {
                relation.add(&event.key, &event.tuples)?;
            }
            self.undone.push(event);
        }
        Ok(())
    }

    /// Takes the relations forward again, to what they were in the end.
    pub fn redo(&mut self, relations: &mut IdVec<RelId, Relation>) -> Result<(), Stop> {
        while let Some(event) = self.undone.pop() {
            let relation = &mut relations[event.relation];
            if event.came {
                relation.add(&event.key, &event.tuples)?;
            } else {
                relation.remove(&event.key, &event.tuples)?;
            }
            self.log.push(event);
        }
        Ok(())
    }
}
