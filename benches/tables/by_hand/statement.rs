//! The data of a program as BDD variables, and its statements as relations between them.
//!
//! A bit of data has a place in each of a few layers: where it was on entry, where it is now, where it goes. The places
//! of one bit are neighbours in the order. Control is not in the BDDs. A statement only speaks of the bits that it
//! changes or looks at; the others stay where they are.

use calculus::bdd::{Bdd, Cube, Manager, Renaming, Stop, Var};
use calculus::sort::{Value, Width};
use calculus::vocabulary::{Bit, BitExpr, Row, Vocabulary};
use fpsolve::model::schema::{self, StateLeaves};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Layers of places. The first is the one most used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    Now,
    Next,
    Entry,
    /// Where the parameters of a call are while it is joined with what the callee does.
    Callee,
}

use Layer::*;

/// The kinds of data, in the order of their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Own,
    Local,
    Shared,
}

pub const KINDS: [Kind; 3] = [Kind::Own, Kind::Local, Kind::Shared];

pub struct Data {
    pub manager: Manager,
    /// For each layer and kind the variables of its bits.
    vars: Vec<[Vec<Var>; 3]>,
}

impl Data {
    pub fn new(manager: Manager, vocabulary: &Vocabulary, layers: usize) -> Result<Data, Stop> {
        let width = |name: &str| {
            let sort = vocabulary.sorts.iter().find(|sort| sort.name == name).expect("programs have it");
            match sort.width {
                Width::Bits(bits) => bits,
                Width::Values(_) => unreachable!("data are bits"),
            }
        };
        let mut vars = vec![<[Vec<Var>; 3]>::default(); layers];
        for (kind, name) in
            [schema::OWN.name, schema::LOCAL.name, schema::SHARED.name].into_iter().enumerate()
        {
            for _ in 0..width(name) {
                let places = manager.new_group(layers)?;
                vars.iter_mut().zip(places).for_each(|(layer, var)| layer[kind].push(var));
            }
        }
        Ok(Data { manager, vars })
    }

    pub fn of(&self, layer: Layer, kind: Kind) -> &[Var] {
        &self.vars[layer as usize][kind as usize]
    }

    /// All variables of a layer.
    pub fn all(&self, layer: Layer) -> Vec<Var> {
        self.vars[layer as usize].iter().flatten().copied().collect()
    }

    /// Both layers have the same values, for these kinds.
    pub fn same(&self, left: Layer, right: Layer, kinds: &[Kind]) -> Result<Bdd, Stop> {
        let mut out = self.manager.one();
        for &kind in kinds.iter().rev() {
            for (&a, &b) in self.of(left, kind).iter().zip(self.of(right, kind)).rev() {
                out = self.manager.var(a).iff(&self.manager.var(b))?.and(&out)?;
            }
        }
        Ok(out)
    }

    /// A function of a model's row, with its leaves in these places.
    pub fn function(&self, expr: &BitExpr, columns: &Columns) -> Result<Bdd, Stop> {
        Ok(match expr {
            BitExpr::Const(value) => self.manager.constant(*value),
            BitExpr::Bit(bit) => self.manager.var(self.place(*bit, columns)),
            BitExpr::Zeros(..) => {
                let mut out = self.manager.one();
                for part in conjuncts(expr).iter().rev() {
                    out = self.function(part, columns)?.and(&out)?;
                }
                out
            }
            BitExpr::Not(inner) => self.function(inner, columns)?.not(),
            BitExpr::Shared(inner) => self.function(inner, columns)?,
            BitExpr::And(parts) => {
                let mut out = self.manager.one();
                for part in parts {
                    out = out.and(&self.function(part, columns)?)?;
                }
                out
            }
            BitExpr::Or(parts) => {
                let mut out = self.manager.zero();
                for part in parts {
                    out = out.or(&self.function(part, columns)?)?;
                }
                out
            }
            BitExpr::Xor(left, right) => {
                self.function(left, columns)?.xor(&self.function(right, columns)?)?
            }
        })
    }

    pub fn place(&self, bit: Bit, columns: &Columns) -> Var {
        let (_, layer, kind) = columns.iter().find(|(leaf, ..)| *leaf == bit.leaf).expect("a data leaf");
        self.of(*layer, *kind)[usize::from(bit.bit)]
    }
}

/// Where the leaves of a relation's rows are.
pub type Columns = [(u16, Layer, Kind)];

pub const BEFORE: StateLeaves = schema::STEP.side("q", "s");
pub const AFTER: StateLeaves = schema::STEP.side("q'", "s'");

/// The leaf of the shared values beside a state.
pub const fn shared(leaves: StateLeaves) -> u16 {
    leaves.shared.expect("the relation has them")
}

/// `step(q, s, q', s')`
pub const STEP: [(u16, Layer, Kind); 6] = [
    (BEFORE.own, Now, Kind::Own),
    (BEFORE.local, Now, Kind::Local),
    (shared(BEFORE), Now, Kind::Shared),
    (AFTER.own, Next, Kind::Own),
    (AFTER.local, Next, Kind::Local),
    (shared(AFTER), Next, Kind::Shared),
];

/// `yield(q, s)`; `start(q)` and other relations of a state begin in the same way.
pub const STATE: [(u16, Layer, Kind); 3] = {
    let leaves = schema::YIELD.side("q", "s");
    [(leaves.own, Now, Kind::Own), (leaves.local, Now, Kind::Local), (shared(leaves), Now, Kind::Shared)]
};
/// Where these have the location.
pub const AT: u16 = schema::START.state("q").pc;

/// The code of a location in a row.
pub fn location(row: &Row, leaf: u16) -> usize {
    let value = row.fixed.iter().find(|(at, _)| *at == leaf).map(|(_, value)| value);
    match value {
        Some(Value::Name(number)) => *number as usize,
        other => unreachable!("a location, not {other:?}"),
    }
}

/// The rows of a relation, for one index if it is a family.
pub fn rows<'a>(vocabulary: &'a Vocabulary, name: &str, index: i64) -> &'a [Row] {
    let relation = vocabulary.relations.iter().find(|relation| relation.name == name);
    let relation = relation.expect("programs have it");
    let first = relation.index.map_or(index, |(first, _)| first);
    relation.instances.get((index - first) as usize).map_or(&[], |rows| rows)
}

pub fn fact(vocabulary: &Vocabulary, name: &str) -> i64 {
    vocabulary.facts.iter().find(|(fact, _)| fact == name).map_or(0, |(_, value)| *value)
}

/// What a statement does to a set of states: filter and forget what it changes, bring new values from the places of
/// the next state, and set constants.
pub struct Statement {
    core: Bdd,
    forget: Cube,
    arrive: Renaming,
    constants: Bdd,
}

impl Statement {
    /// `targets` are the leaves of the new state that can change, each with its kind; `also` is forgotten besides.
    pub fn new(
        data: &Data,
        row: &Row,
        columns: &Columns,
        targets: &[(u16, Kind)],
        also: &[Var],
    ) -> Result<Statement, Stop> {
        let parts = conjuncts(&row.core);
        let is_target = |bit: Bit| targets.iter().any(|(leaf, _)| *leaf == bit.leaf);
        let mut literals = BTreeMap::new();
        let mut core = data.manager.one();
        let mut spoken = Vec::new();
        for part in &parts {
            match literal(part) {
                Some((bit, value)) if is_target(bit) => {
                    literals.insert(bit, value);
                }
                _ => {
                    mentioned(part, &mut spoken);
                    core = core.and(&data.function(part, columns)?)?;
                }
            }
        }
        let (mut forget, mut arrive, mut constants) = (also.to_vec(), Vec::new(), data.manager.one());
        for &(leaf, kind) in targets.iter().rev() {
            for at in (0..data.of(Now, kind).len()).rev() {
                let bit = Bit { leaf, bit: at as u16 };
                let (now, next) = (data.of(Now, kind)[at], data.of(Next, kind)[at]);
                let relational = spoken.contains(&bit);
                let copied = row.equal_pairs().filter(|(_, to)| *to == bit).map(|(from, _)| from);
                let sources = copied.map(|from| data.place(from, columns)).collect::<Vec<_>>();
                if sources == [now] && !relational && !literals.contains_key(&bit) {
                    continue;
                }
                forget.push(now);
                if let (Some(&value), false, []) = (literals.get(&bit), relational, &sources[..]) {
                    constants = data.manager.literal(now, value).and(&constants)?;
                    continue;
                }
                let next_is = data.manager.var(next);
                if let Some(&value) = literals.get(&bit) {
                    core = core.and(&data.manager.literal(next, value))?;
                }
                for source in &sources {
                    core = data.manager.var(*source).iff(&next_is)?.and(&core)?;
                }
                if relational || !sources.is_empty() {
                    arrive.push((next, now));
                }
            }
        }
        Ok(Statement { core, forget: data.manager.cube(&forget)?, arrive: Renaming::new(arrive), constants })
    }

    /// A step of the program.
    pub fn step(data: &Data, row: &Row) -> Result<Statement, Stop> {
        Statement::new(
            data,
            row,
            &STEP,
            &[(AFTER.own, Kind::Own), (AFTER.local, Kind::Local), (shared(AFTER), Kind::Shared)],
            &[],
        )
    }

    pub fn image(&self, states: &Bdd) -> Result<Bdd, Stop> {
        let mut out = states.and_exists(&self.core, &self.forget)?;
        if out.is_zero() {
            return Ok(out);
        }
        out = out.rename(&self.arrive)?;
        if self.constants.is_one() { Ok(out) } else { out.and(&self.constants) }
    }
}

pub fn conjuncts(expr: &BitExpr) -> Vec<BitExpr> {
    match expr {
        BitExpr::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        BitExpr::Zeros(first, count) => {
            first.run(*count).map(|bit| BitExpr::Not(Rc::new(BitExpr::Bit(bit)))).collect()
        }
        BitExpr::Const(true) => Vec::new(),
        other => vec![other.clone()],
    }
}

/// The bit that has a value, if the expression says no more.
pub fn literal(expr: &BitExpr) -> Option<(Bit, bool)> {
    match expr {
        BitExpr::Bit(bit) => Some((*bit, true)),
        BitExpr::Not(inner) => match **inner {
            BitExpr::Bit(bit) => Some((bit, false)),
            _ => None,
        },
        _ => None,
    }
}

fn mentioned(expr: &BitExpr, out: &mut Vec<Bit>) {
    match expr {
        BitExpr::Const(_) => {}
        BitExpr::Bit(bit) => out.push(*bit),
        BitExpr::Zeros(first, count) => out.extend(first.run(*count)),
        BitExpr::Not(inner) | BitExpr::Shared(inner) => mentioned(inner, out),
        BitExpr::And(parts) | BitExpr::Or(parts) => parts.iter().for_each(|part| mentioned(part, out)),
        BitExpr::Xor(left, right) => {
            mentioned(left, out);
            mentioned(right, out);
        }
    }
}

/// A set of states per location.
#[derive(Default)]
pub struct States {
    pub of: Vec<Option<Bdd>>,
}

impl States {
    pub fn new(locations: usize) -> States {
        States { of: vec![None; locations] }
    }

    /// Adds states; returns the new ones, if any.
    pub fn add(&mut self, at: usize, states: Bdd) -> Result<Option<Bdd>, Stop> {
        if states.is_zero() {
            return Ok(None);
        }
        match &mut self.of[at] {
            Some(known) => {
                let new = states.and_not(known)?;
                if new.is_zero() {
                    return Ok(None);
                }
                *known = known.or(&new)?;
                Ok(Some(new))
            }
            unknown => {
                *unknown = Some(states.clone());
                Ok(Some(states))
            }
        }
    }
}

/// What is new and has not been followed. Locations are numbered in reverse postorder.
#[derive(Default)]
pub struct Waiting {
    of: BTreeMap<usize, Bdd>,
    pub rounds: u64,
}

impl Waiting {
    pub fn add(&mut self, at: usize, new: Bdd) -> Result<(), Stop> {
        match self.of.get_mut(&at) {
            Some(there) => *there = there.or(&new)?,
            None => {
                self.of.insert(at, new);
            }
        }
        Ok(())
    }

    pub fn next(&mut self) -> Option<(usize, Bdd)> {
        self.rounds += 1;
        self.of.pop_first()
    }
}

/// The steps that leave each location.
pub fn steps(
    data: &Data,
    vocabulary: &Vocabulary,
    locations: usize,
) -> Result<Vec<Vec<(usize, Statement)>>, Stop> {
    let mut out = (0..locations).map(|_| Vec::new()).collect::<Vec<_>>();
    for row in rows(vocabulary, schema::STEP.name, 0) {
        out[location(row, BEFORE.pc)].push((location(row, AFTER.pc), Statement::step(data, row)?));
    }
    Ok(out)
}

/// How many locations there are.
pub fn locations(vocabulary: &Vocabulary) -> usize {
    let sort = vocabulary.sorts.iter().find(|sort| sort.name == schema::PC.name).expect("programs have it");
    match sort.width {
        Width::Values(count) => count as usize,
        Width::Bits(bits) => 1 << bits,
    }
}
