//! A rule made ready for the solver: views of its atoms, cubes, renamings, and how its head is filled.

use crate::bdd::{Bdd, Cube, Renaming, Stop, Var};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Constraint, Core, CoreBody, Rule};
use crate::index::IdVec;
use crate::plan::{KeySource, OutKey, Step, StepKind, plan_rule};
use crate::relation::{Key, Relation, conjoin};
use crate::sort::SortId;
use crate::space::{Place, Space, code};
use rustc_hash::{FxHashMap, FxHashSet};

/// A rule with the order of its steps fixed.
pub struct Ready {
    pub steps: Vec<ReadyStep>,
    /// For each key column of the head: a code, or the position among the last bound keys.
    pub head_keys: Vec<HeadKey>,
    /// From the slots of the variables to those of the columns.
    pub head_renaming: Renaming,
    /// Constants, and columns filled by the same variable.
    pub head_filter: Option<Bdd>,
}

pub enum HeadKey {
    Const(u32),
    Bound(usize),
}

pub struct ReadyStep {
    pub kind: ReadyKind,
    pub out: Vec<OutKey>,
    pub forget: Cube,
}

pub enum ReadyKind {
    Atom(ReadyAtom),
    Condition(Condition),
    /// All codes of a key's sort.
    KeyDomain(u32),
    /// All values of a symbolic variable.
    BitDomain(Bdd),
    /// The code of a key, from the keys before: `key + minus = value + plus`, all within the sort.
    Compute {
        value: KeyOperand,
        plus: i64,
        minus: i64,
        size: u64,
    },
}

pub enum KeyOperand {
    Const(u32),
    Bound(usize),
}

pub struct ReadyAtom {
    pub relation: RelId,
    pub negative: bool,
    /// Key columns with known codes, and the index over them.
    pub lookup: Vec<usize>,
    pub index: usize,
    pub keys: Vec<ReadyKey>,
    /// All key columns are known: one row at most.
    pub exact: bool,
    pub view: View,
    /// For a relation with frames: variables that go on in the place of others.
    pub heirs: Vec<Heir>,
    /// The symbolic variables to forget, bit by bit.
    pub forget: Vec<Var>,
    /// For the codes looked up, the rows that have them, made ready, by their place in `views`. A relation with frames
    /// is a model's and does not change any more.
    framed: FxHashMap<Key, usize>,
    views: Vec<Vec<(Key, FramedView)>>,
}

/// A variable that an atom binds, and one that is forgotten with it: where a row says that a bit of the one
/// equals the same bit of the other, the bit stays where it is. Afterwards the heir lives in the old place.
pub struct Heir {
    /// Bits of the old and of the new column, in the relation.
    columns: Vec<(Var, Var)>,
    /// The same bits in the rule's places: old, new.
    places: Vec<(Var, Var)>,
}

/// A row with a frame, made ready: join with the core and forget, then move the touched bits to their places.
pub struct FramedView {
    pub core: Bdd,
    pub forget: Cube,
    pub moves: Option<(Bdd, Cube)>,
}

impl ReadyAtom {
    /// The row of a relation with frames, in the rule's variables.
    fn framed_view(
        &mut self,
        space: &Space,
        key: &Key,
        row: &Bdd,
        frame: &[(Var, Var)],
    ) -> Result<FramedView, Stop> {
        // A bit stays in place only if nothing else is said about its new copy.
        let touched = row.support();
        let alone = |new: Var| {
            !touched.contains(&new)
                && frame.iter().filter(|(left, right)| *left == new || *right == new).count() == 1
        };
        let stays = |left: Var, right: Var| {
            self.heirs.iter().enumerate().find_map(|(heir, of)| {
                let same =
                    |(old, new): &(Var, Var)| (*old, *new) == (left, right) || (*old, *new) == (right, left);
                let bit = of.columns.iter().position(same)?;
                alone(of.columns[bit].1).then_some((heir, bit))
            })
        };
        let (mut inside, mut rest) = (FxHashSet::default(), Vec::new());
        for &(left, right) in frame {
            match stays(left, right) {
                Some(place) => {
                    inside.insert(place);
                }
                None => rest.push((left, right)),
            }
        }
        let core = self.view.of(key, &conjoin(row, &rest)?, false)?;
        let mut kept = FxHashSet::default();
        let (mut moves, mut moved) = (Vec::new(), Vec::new());
        for (heir, of) in self.heirs.iter().enumerate() {
            for (bit, &(old, new)) in of.places.iter().enumerate() {
                if inside.contains(&(heir, bit)) {
                    kept.insert(old);
                } else {
                    moves.push((old, new));
                    moved.push(new);
                }
            }
        }
        let forget = self.forget.iter().copied().filter(|var| !kept.contains(var)).collect::<Vec<_>>();
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
        fits: impl Fn(&[u32], &[ReadyKey]) -> bool,
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

pub enum ReadyKey {
    Const(u32),
    Bound(usize),
    Free,
    Same(usize),
}

/// From the slots of a relation's columns to those of the rule's variables.
#[derive(Default)]
pub struct View {
    filter: Option<(Bdd, Cube)>,
    forget: Option<Cube>,
    renaming: Option<Renaming>,
    /// Views of rows made before, with the row they were made of.
    made: FxHashMap<Key, (Bdd, Bdd)>,
}

impl View {
    /// The row as it is: no work.
    pub fn is_free(&self) -> bool {
        self.filter.is_none() && self.forget.is_none() && self.renaming.is_none()
    }

    /// Leaves it to others to forget what only this atom speaks of: the variables.
    fn forget_later(&mut self) -> Vec<Var> {
        self.forget.take().map_or(Vec::new(), |cube| cube.vars().to_vec())
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
pub struct Condition {
    constraint: Constraint,
    /// The key variables in it: number, position among the bound keys, sort.
    keys: Vec<(usize, usize, SortId)>,
    places: Vec<Place>,
    made: FxHashMap<Key, Bdd>,
}

impl Condition {
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

/// Everything a rule is made ready with.
pub struct Workshop<'a> {
    pub space: &'a Space,
    pub relations: &'a mut IdVec<RelId, Relation>,
    /// Places of the columns of all relations.
    pub columns: &'a IdVec<RelId, Vec<Place>>,
    pub core: &'a Core,
}

impl Workshop<'_> {
    /// `columns` are those that the head fills, with their sorts.
    pub fn make(
        &mut self,
        columns: &[(Place, SortId)],
        rule: &Rule,
        places: &[Place],
        seed: Option<usize>,
        skip: &[usize],
    ) -> Result<Ready, Stop> {
        let steps = plan_rule(&self.space.sorts, rule, seed, skip);
        let mut places = places.to_vec();
        let mut alive = vec![false; rule.vars.len()];
        let mut bound: Vec<usize> = Vec::new();
        let mut ready = Vec::new();
        // What the step after the first forgets along with its own.
        let mut late = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let mut kind = self.kind(rule, &places, step, &bound, seed.is_some() && at == 0)?;
            let mut forget = self.space.cube(step.forget.iter().map(|&var| places[var]))?;
            if !late.is_empty() {
                late.extend_from_slice(forget.vars());
                forget = self.space.manager.cube(&std::mem::take(&mut late))?;
            }
            if let (0, Some(next), ReadyKind::Atom(atom)) = (at, steps.get(1), &mut kind)
                && let Some(seed) = seed
                && self.is_small(rule, next)
                && self.is_in_place(rule, &places, seed)
            {
                late = atom.view.forget_later();
                late.extend_from_slice(forget.vars());
                forget = if late.is_empty() { forget } else { self.space.manager.cube(&[])? };
            }
            let heirs = match (&step.kind, &mut kind) {
                (StepKind::Atom(number), ReadyKind::Atom(atom))
                    if self.relations[atom.relation].is_framed() =>
                {
                    atom.forget = forget.vars().to_vec();
                    self.heirs(rule, *number, step, &places, &alive, atom)
                }
                _ => Vec::new(),
            };
            ready.push(ReadyStep { kind, out: step.out.iter().map(|(_, from)| *from).collect(), forget });
            heirs.into_iter().for_each(|(old, new)| places[new] = places[old]);
            step.binds(rule).into_iter().for_each(|var| alive[var] = true);
            step.forget.iter().for_each(|&var| alive[var] = false);
            bound = step.out.iter().map(|(var, _)| *var).collect();
        }
        self.head(columns, rule, &places, &bound, ready)
    }

    /// Whether a step joins with rows of a model, each of which speaks of one statement: what was to be forgotten before
    /// is forgotten on the way, in one pass over the diagram.
    fn is_small(&self, rule: &Rule, step: &Step) -> bool {
        match step.kind {
            StepKind::Atom(atom) => {
                !rule.atoms[atom].negative
                    && matches!(self.core.relations[rule.atoms[atom].relation].body, CoreBody::Model(_))
            }
            _ => false,
        }
    }

    /// Whether the variables of an atom have the places of its columns: then no other variable has them.
    fn is_in_place(&self, rule: &Rule, places: &[Place], atom: usize) -> bool {
        let atom = &rule.atoms[atom];
        atom.args.iter().zip(&self.columns[atom.relation]).all(|(arg, column)| match (arg, column) {
            (Arg::Var(var), Place::Bits { .. }) => places[*var] == *column,
            _ => true,
        })
    }

    fn kind(
        &mut self,
        rule: &Rule,
        places: &[Place],
        step: &Step,
        bound: &[usize],
        seeded: bool,
    ) -> Result<ReadyKind, Stop> {
        let sorts = &self.space.sorts;
        Ok(match &step.kind {
            StepKind::Atom(atom) => ReadyKind::Atom(self.atom(rule, places, *atom, step, seeded)?),
            StepKind::Constraint(at) => {
                let mut keys = Vec::new();
                rule.constraints[*at].vars(&mut |var| {
                    if matches!(places[var], Place::Key(_)) {
                        let position =
                            bound.iter().position(|b| *b == var).expect("a condition's keys are bound");
                        keys.push((var, position, rule.vars[var].sort));
                    }
                });
                let constraint = rule.constraints[*at].clone();
                ReadyKind::Condition(Condition {
                    constraint,
                    keys,
                    places: places.to_vec(),
                    made: FxHashMap::default(),
                })
            }
            StepKind::Domain(var) => match places[*var] {
                Place::Key(_) => {
                    let size =
                        sorts.scalar_size(rule.vars[*var].sort).expect("keyed sorts have numbered values");
                    ReadyKind::KeyDomain(size as u32)
                }
                Place::Bits { lane, slot } => ReadyKind::BitDomain(self.space.valid(lane, slot)?),
            },
            StepKind::Compute { constraint, var } => {
                let Constraint::Compare(_, left, right) = &rule.constraints[*constraint] else {
                    unreachable!("only equations compute")
                };
                let (own, other) = if left.arg == Arg::Var(*var) { (left, right) } else { (right, left) };
                let sort = rule.vars[*var].sort;
                let value = match &other.arg {
                    Arg::Const(value) => KeyOperand::Const(code(sorts, sort, value) as u32),
                    Arg::Var(other) => KeyOperand::Bound(
                        bound.iter().position(|b| b == other).expect("the other side is bound"),
                    ),
                };
                let size = sorts.scalar_size(sort).expect("keyed sorts have numbered values");
                ReadyKind::Compute { value, plus: other.shift, minus: own.shift, size }
            }
        })
    }

    fn atom(
        &mut self,
        rule: &Rule,
        places: &[Place],
        at: usize,
        step: &Step,
        seeded: bool,
    ) -> Result<ReadyAtom, Stop> {
        let atom = &rule.atoms[at];
        let relation = atom.relation;
        let sorts = &self.space.sorts;
        let key_sorts = atom.sorts.iter().copied().filter(|sort| sorts.is_keyed(*sort)).collect::<Vec<_>>();
        let keys = step
            .keys
            .iter()
            .zip(&key_sorts)
            .map(|(source, sort)| match source {
                KeySource::Const(value) => ReadyKey::Const(code(sorts, *sort, value) as u32),
                KeySource::Bound(position) => ReadyKey::Bound(*position),
                KeySource::Free => ReadyKey::Free,
                KeySource::Same(column) => ReadyKey::Same(*column),
            })
            .collect::<Vec<_>>();
        let lookup = (0..keys.len())
            .filter(|&column| matches!(keys[column], ReadyKey::Const(_) | ReadyKey::Bound(_)))
            .collect::<Vec<_>>();
        let exact = lookup.len() == keys.len();
        let index = if exact || seeded { 0 } else { self.relations[relation].index(&lookup) };
        let negative = atom.negative && !seeded;
        let view = self.view(rule, places, at, negative)?;
        let (heirs, forget, framed, views) = Default::default();
        Ok(ReadyAtom { relation, negative, lookup, index, keys, exact, view, heirs, forget, framed, views })
    }

    /// Pairs of variables (old, new) of an atom such that the new one can go on in the place of the old one:
    /// frames connect their columns, the old one is bound before and forgotten here, the new one begins here.
    fn heirs(
        &self,
        rule: &Rule,
        number: usize,
        step: &Step,
        places: &[Place],
        alive: &[bool],
        ready: &mut ReadyAtom,
    ) -> Vec<(usize, usize)> {
        let atom = &rule.atoms[number];
        let columns = &self.columns[ready.relation];
        let lane = |column: usize| match columns[column] {
            Place::Bits { lane, .. } => Some(lane),
            Place::Key(_) => None,
        };
        let once = |var: usize| atom.args.iter().filter(|arg| **arg == Arg::Var(var)).count() == 1;
        let mut out: Vec<(usize, usize)> = Vec::new();
        for (left, right) in
            self.relations[ready.relation].framed_columns(&|var| self.column_of(columns, var))
        {
            for (from, to) in [(left, right), (right, left)] {
                let (Arg::Var(old), Arg::Var(new)) = (&atom.args[from], &atom.args[to]) else { continue };
                let fits = lane(from) == lane(to)
                    && alive[*old]
                    && step.forget.contains(old)
                    && !alive[*new]
                    && !step.forget.contains(new)
                    && once(*old)
                    && once(*new)
                    && !out.iter().any(|(a, b)| a == old || b == new);
                if fits {
                    let pair = |a: Place, b: Place| {
                        let bits = self.space.place_vars(a).iter().zip(self.space.place_vars(b));
                        bits.map(|(a, b)| (*a, *b)).collect::<Vec<_>>()
                    };
                    ready.heirs.push(Heir {
                        columns: pair(columns[from], columns[to]),
                        places: pair(places[*old], places[*new]),
                    });
                    out.push((*old, *new));
                }
            }
        }
        out
    }

    /// The column that a bit belongs to.
    fn column_of(&self, columns: &[Place], var: Var) -> Option<usize> {
        columns.iter().position(|place| self.space.place_vars(*place).contains(&var))
    }

    fn view(&self, rule: &Rule, places: &[Place], at: usize, negative: bool) -> Result<View, Stop> {
        let atom = &rule.atoms[at];
        let columns = &self.columns[atom.relation];
        let mut filter = self.space.manager.one();
        let mut filtered: Vec<Place> = Vec::new();
        let mut forget: Vec<Place> = Vec::new();
        let mut pairs: Vec<(Var, Var)> = Vec::new();
        let mut first: Vec<(usize, usize)> = Vec::new();
        for (arg, column) in atom.args.iter().zip(columns) {
            let Place::Bits { lane, slot } = *column else { continue };
            match arg {
                Arg::Const(value) => {
                    filter = filter.and(&self.space.is_value(lane, slot, value)?)?;
                    filtered.push(*column);
                }
                Arg::Var(var) => match first.iter().find(|(other, _)| other == var) {
                    Some((_, other)) => {
                        filter = filter.and(&self.space.equal(lane, *other, slot)?)?;
                        filtered.push(*column);
                    }
                    None => {
                        first.push((*var, slot));
                        if !negative && occurrences(rule, *var) == 1 {
                            forget.push(*column);
                        } else {
                            let from = self.space.place_vars(*column).iter().copied();
                            pairs.extend(from.zip(self.space.place_vars(places[*var]).iter().copied()));
                        }
                    }
                },
            }
        }
        let renaming = Renaming::new(pairs);
        Ok(View {
            filter: (!filtered.is_empty())
                .then(|| self.space.cube(filtered))
                .transpose()?
                .map(|cube| (filter, cube)),
            forget: (!forget.is_empty()).then(|| self.space.cube(forget)).transpose()?,
            renaming: (!renaming.is_identity()).then_some(renaming),
            made: FxHashMap::default(),
        })
    }

    fn head(
        &mut self,
        columns: &[(Place, SortId)],
        rule: &Rule,
        places: &[Place],
        bound: &[usize],
        steps: Vec<ReadyStep>,
    ) -> Result<Ready, Stop> {
        let mut head_keys = Vec::new();
        let mut pairs = Vec::new();
        let mut filter = self.space.manager.one();
        let mut first: Vec<(usize, usize)> = Vec::new();
        for (arg, (column, sort)) in rule.head.iter().zip(columns) {
            match (arg, *column) {
                (Arg::Const(value), Place::Key(_)) => {
                    head_keys.push(HeadKey::Const(code(&self.space.sorts, *sort, value) as u32));
                }
                (Arg::Var(var), Place::Key(_)) => {
                    let position = bound.iter().position(|b| b == var).expect("the head's keys are bound");
                    head_keys.push(HeadKey::Bound(position));
                }
                (Arg::Const(value), Place::Bits { lane, slot }) => {
                    filter = filter.and(&self.space.is_value(lane, slot, value)?)?;
                }
                (Arg::Var(var), Place::Bits { lane, slot }) => {
                    match first.iter().find(|(other, _)| other == var) {
                        Some((_, other)) => filter = filter.and(&self.space.equal(lane, *other, slot)?)?,
                        None => {
                            first.push((*var, slot));
                            let from = self.space.place_vars(places[*var]).iter().copied();
                            pairs.extend(from.zip(self.space.place_vars(*column).iter().copied()));
                        }
                    }
                }
            }
        }
        let head_filter = (!filter.is_one()).then_some(filter);
        Ok(Ready { steps, head_keys, head_renaming: Renaming::new(pairs), head_filter })
    }
}

/// How often a variable occurs in a rule.
fn occurrences(rule: &Rule, var: usize) -> usize {
    let args = rule.head.iter().chain(rule.atoms.iter().flat_map(|atom| &atom.args));
    let mut count = args.filter(|arg| **arg == Arg::Var(var)).count();
    rule.constraints
        .iter()
        .for_each(|constraint| constraint.vars(&mut |other| count += usize::from(other == var)));
    count
}
