//! A plan with what it needs to run: views of its atoms, cubes and renamings. Nothing is decided here.

use super::takeover::Takeovers;
use crate::bdd::{Bdd, Cube, Renaming, Stop, Var};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Constraint, Operand, Rule};
use crate::index::IdVec;
use crate::plan::{AtomPlan, KeySource, Operation, OperationKind, OutKey, Plan, Takeover, ViewPlan};
use crate::relation::{EqualRun, Key, Relation, conjoin};
use crate::sort::{SortId, Value};
use crate::space::{Place, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// The plan of a rule, bound to diagrams.
pub struct BoundPlan {
    pub steps: Vec<BoundStep>,
    /// For each key column of the head: a code, or the position among the last bound keys.
    pub head_keys: Vec<KeySource>,
    /// From the slots of the variables to those of the columns.
    pub head_renaming: Renaming,
    /// Constants, and columns filled by the same variable.
    pub head_filter: Option<Bdd>,
}

pub struct BoundStep {
    pub kind: BoundKind,
    pub out: Vec<OutKey>,
    pub forget: Cube,
}

pub enum BoundKind {
    Atom(Box<BoundAtom>),
    Condition(BoundCondition),
    /// All codes of a key's sort.
    KeyDomain(u32),
    /// All values of a symbolic variable.
    BitDomain(Bdd),
    /// A key of this sort, from the keys before: `key + shift = other`.
    Compute {
        other: Operand,
        sort: SortId,
        shift: i128,
    },
}

pub struct BoundAtom {
    pub relation: RelId,
    pub negative: bool,
    /// Key columns with known codes, and the index over them.
    pub lookup: Vec<usize>,
    pub index: usize,
    pub keys: Vec<KeySource>,
    /// All key columns are known: one row at most.
    pub exact: bool,
    pub view: BoundView,
    /// The rows of the relation may have frames.
    pub is_framed: bool,
    /// Variables that go on in the place of others.
    takeovers: Takeovers,
    /// The bits to forget for every row; of those that are taken over, only some are forgotten besides.
    forget: Vec<Var>,
    /// For the codes looked up, the rows that have them, made ready, by their place in `views`. A relation with frames
    /// is a model's and does not change any more.
    framed: FxHashMap<Key, usize>,
    views: Vec<Vec<(Key, FramedView)>>,
}

/// A row with a frame, made ready: join with the core and forget, then move the touched bits to their places.
pub struct FramedView {
    pub core: Bdd,
    pub forget: Cube,
    pub moves: Option<(Bdd, Cube)>,
}

impl BoundAtom {
    /// The row of a relation with frames, in the rule's variables.
    fn framed_view(
        &mut self,
        space: &Space,
        key: &Key,
        row: &Bdd,
        frame: &[EqualRun],
    ) -> Result<FramedView, Stop> {
        let (moves, rest) = self.takeovers.moves(&row.support(), frame);
        let core = self.view.of(key, &conjoin(row, &rest)?, false)?;
        let moved = moves.iter().map(|(_, new)| *new).collect::<Vec<_>>();
        let forget = self.forget.iter().copied().chain(moves.iter().map(|(old, _)| *old)).collect::<Vec<_>>();
        let moves = match moves.is_empty() {
            true => None,
            false => Some((conjoin(&space.manager.one(), &moves)?, space.manager.cube(&moved)?)),
        };
        Ok(FramedView { core, forget: space.manager.cube(&forget)?, moves })
    }

    /// The rows of a relation with frames that have these codes, in the rule's variables.
    pub fn framed_views(
        &mut self,
        space: &Space,
        relation: &Relation,
        values: &Key,
        fits: impl Fn(&[u32], &[KeySource]) -> bool,
    ) -> Result<&[(Key, FramedView)], Stop> {
        let at = self.framed.get(values).copied();
        if at.is_none() {
            let exact = [values.clone()];
            let rows = match self.exact {
                true if relation.get(values).is_some() => &exact[..],
                true => &[],
                false => relation.matching(self.index, values),
            };
            let mut views = Vec::new();
            for row in rows.iter().filter(|row| fits(row, &self.keys)).cloned().collect::<Vec<_>>() {
                let bits = relation.get(&row).expect("an index lists existing rows");
                let frame = relation.frame(&row).map_or(&[][..], |frame| frame);
                let view = self.framed_view(space, &row, bits, frame)?;
                views.push((row, view));
            }
            self.framed.insert(values.clone(), self.views.len());
            self.views.push(views);
        }
        Ok(&self.views[at.unwrap_or(self.views.len() - 1)])
    }
}

/// From the slots of a relation's columns to those of the rule's variables.
pub struct BoundView {
    filter: Option<(Bdd, Cube)>,
    forget: Option<Cube>,
    renaming: Option<Renaming>,
    /// Views of rows made before, with the row they were made of.
    made: FxHashMap<Key, (Bdd, Bdd)>,
}

impl BoundView {
    fn new(space: &Space, plan: &ViewPlan) -> Result<BoundView, Stop> {
        let filtered = plan.constants.iter().map(|(column, _)| *column);
        let filtered = filtered.chain(plan.equal.iter().map(|(_, column)| *column)).collect::<Vec<_>>();
        let filter = match filtered.is_empty() {
            true => None,
            false => Some((filter(space, &plan.constants, &plan.equal)?, space.cube(filtered)?)),
        };
        let forget = plan.forget.iter().map(|(_, column)| *column).collect::<Vec<_>>();
        let forget = if forget.is_empty() { None } else { Some(space.cube(forget)?) };
        let renaming = renaming(space, &plan.rename);
        let renaming = (!renaming.is_identity()).then_some(renaming);
        Ok(BoundView { filter, forget, renaming, made: FxHashMap::default() })
    }

    /// The row as it is: no work.
    pub fn is_free(&self) -> bool {
        self.filter.is_none() && self.forget.is_none() && self.renaming.is_none()
    }

    /// The row in the rule's variables. With `keep`, it is remembered for the next time.
    pub fn of(&mut self, key: &Key, row: &Bdd, keep: bool) -> Result<Bdd, Stop> {
        if self.is_free() {
            return Ok(row.clone());
        }
        if let Some((source, view)) = self.made.get(key).filter(|_| keep)
            && source == row
        {
            return Ok(view.clone());
        }
        let mut view = match &self.filter {
            Some((filter, cube)) => row.and_exists(filter, cube)?,
            None => row.clone(),
        };
        if let Some(cube) = &self.forget {
            view = view.exists(cube)?;
        }
        if let Some(renaming) = &self.renaming {
            view = view.rename(renaming)?;
        }
        if keep {
            self.made.insert(key.clone(), (row.clone(), view.clone()));
        }
        Ok(view)
    }
}

/// A condition whose keys are replaced by their values when they are known.
pub struct BoundCondition {
    constraint: Constraint,
    /// The key variables in it: number, position among the bound keys, sort.
    keys: Vec<(usize, usize, SortId)>,
    places: Vec<Place>,
    made: FxHashMap<Key, Bdd>,
}

impl BoundCondition {
    pub fn of(&mut self, space: &Space, bound: &[u32]) -> Result<Bdd, Stop> {
        let key = self.keys.iter().map(|(_, position, _)| bound[*position]).collect::<Key>();
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let value = |arg: &Arg| match arg {
            Arg::Var(var) => match self.keys.iter().find(|(key, ..)| key == var) {
                Some((_, position, sort)) => {
                    Arg::Const(crate::space::value_of(&space.sorts, *sort, u64::from(bound[*position])))
                }
                None => arg.clone(),
            },
            Arg::Const(_) => arg.clone(),
        };
        let constraint = self.constraint.map(&value).fold(&space.sorts);
        let made = space.condition(&constraint, &|var| self.places[var])?;
        self.made.insert(key, made.clone());
        Ok(made)
    }
}

/// Binds a plan of a rule. Relations get the indexes that it looks rows up by.
pub fn bind(
    space: &Space,
    relations: &mut IdVec<RelId, Relation>,
    rule: &Rule,
    plan: &Plan,
) -> Result<BoundPlan, Stop> {
    let steps = plan.operations.iter().map(|operation| step(space, relations, rule, operation));
    let head = &plan.head;
    let filter = filter(space, &head.constants, &head.equal)?;
    Ok(BoundPlan {
        steps: steps.collect::<Result<_, _>>()?,
        head_keys: head.keys.clone(),
        head_renaming: renaming(space, &head.rename),
        head_filter: (!filter.is_one()).then_some(filter),
    })
}

fn step(
    space: &Space,
    relations: &mut IdVec<RelId, Relation>,
    rule: &Rule,
    operation: &Operation,
) -> Result<BoundStep, Stop> {
    let forget = space.cube(operation.forget.iter().map(|(_, place)| *place))?;
    let kind = match &operation.kind {
        OperationKind::Atom(plan) => {
            BoundKind::Atom(Box::new(atom(space, &mut relations[plan.relation], plan, &forget)?))
        }
        OperationKind::Condition { constraint, keys, places } => BoundKind::Condition(BoundCondition {
            constraint: rule.constraints[*constraint].clone(),
            keys: keys.iter().map(|&(var, position)| (var, position, rule.vars[var].sort)).collect(),
            places: places.clone(),
            made: FxHashMap::default(),
        }),
        OperationKind::Domain { place: Place::Key(_), size, .. } => BoundKind::KeyDomain(*size as u32),
        OperationKind::Domain { place: Place::Bits { lane, slot }, .. } => {
            BoundKind::BitDomain(space.valid(*lane, *slot)?)
        }
        OperationKind::Compute { other, sort, shift, .. } => {
            BoundKind::Compute { other: other.clone(), sort: *sort, shift: *shift }
        }
    };
    Ok(BoundStep { kind, out: operation.out.clone(), forget })
}

fn atom(space: &Space, relation: &mut Relation, plan: &AtomPlan, forget: &Cube) -> Result<BoundAtom, Stop> {
    let exact = plan.is_exact();
    let pairs = |(left, right): (Place, Place)| bit_pairs(space, left, right);
    let takeover = |taken: &Takeover| (pairs(taken.columns), pairs(taken.places));
    let takeovers = Takeovers::new(plan.takeovers.iter().flatten().map(takeover));
    let taken = takeovers.old_places().collect::<FxHashSet<_>>();
    let forget = forget.vars().iter().copied().filter(|var| !taken.contains(var)).collect();
    debug_assert!(
        plan.negative || plan.takeovers.is_some() || !relation.is_framed(),
        "the plan knows which relations have frames"
    );
    Ok(BoundAtom {
        relation: plan.relation,
        negative: plan.negative,
        lookup: plan.lookup.clone(),
        index: if exact || plan.followed { 0 } else { relation.index(&plan.lookup) },
        keys: plan.keys.clone(),
        exact,
        view: BoundView::new(space, &plan.view)?,
        is_framed: plan.takeovers.is_some(),
        takeovers,
        forget,
        framed: FxHashMap::default(),
        views: Vec::new(),
    })
}

fn bit_pairs(space: &Space, left: Place, right: Place) -> Vec<(Var, Var)> {
    space.place_vars(left).iter().copied().zip(space.place_vars(right).iter().copied()).collect()
}

fn renaming(space: &Space, pairs: &[(usize, Place, Place)]) -> Renaming {
    Renaming::new(pairs.iter().flat_map(|(_, from, to)| bit_pairs(space, *from, *to)))
}

/// Some places have values, and some the same values as others.
fn filter(space: &Space, constants: &[(Place, Value)], equal: &[(Place, Place)]) -> Result<Bdd, Stop> {
    let mut out = space.manager.one();
    for (place, value) in constants {
        if let Place::Bits { lane, slot } = place {
            out = out.and(&space.is_value(*lane, *slot, value)?)?;
        }
    }
    for pair in equal {
        if let (Place::Bits { lane, slot }, Place::Bits { slot: other, .. }) = pair {
            out = out.and(&space.equal(*lane, *slot, *other)?)?;
        }
    }
    Ok(out)
}
