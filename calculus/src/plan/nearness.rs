//! Which bits should be near each other: those that a rule, or a row of a model, is about together.
//!
//! A step of a program reads and writes a few variables and the location of one thread, and leaves all others alone. A clause
//! of a net moves tokens between a few places. What is passed on unchanged says nothing, and what is about nearly
//! everything says nothing about nearness. Everything else is an edge between units: numbers as a whole, and single bits of
//! what a model describes bit by bit.

use super::lanes::Lanes;
use super::linear::{Edges, cost, grown};
use super::placement::Placement;
use super::values::{Values, fits};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Atom, Constraint, Core, CoreBody, Rule};
use crate::sort::{Sort, Width};
use crate::space::{LaneSlots, runs};
use crate::vocabulary::{Bit, BitExpr, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// What is placed as a whole: some bits of all copies of a lane.
#[derive(Clone, Debug)]
pub struct Unit {
    pub lane: usize,
    pub bits: Range<usize>,
}

/// What is about more than so many units says nothing, and what is about a third of all does not either, unless it is
/// about few.
const MANY: usize = 24;
const FEW: usize = 4;
/// With more units than so many, their order is left as it is.
const MOST_UNITS: usize = 2048;

/// The units of all lanes, and the edges between them.
pub struct Nearness {
    pub units: Vec<Unit>,
    pub edges: Edges,
    /// The first unit of each lane.
    first: Vec<usize>,
    /// Whether the bits of the lane are units of their own.
    apart: Vec<bool>,
}

/// An order takes the place of the usual one only if it costs that much less: costs are an estimate.
const WORTH: f64 = 0.6;

/// The bits of all lanes in an order in which what belongs together is near; nothing if the usual one is about as good.
pub fn order(
    core: &Core,
    lanes: &Lanes,
    placement: &Placement,
    parts: &[Vec<RelId>],
) -> Option<Vec<LaneSlots>> {
    let Nearness { units, edges, first, .. } = Nearness::new(core, lanes, parts)?;
    let end = |lane: usize| first.get(lane + 1).copied().unwrap_or(units.len());
    let known = placement.lanes.iter().flat_map(|&lane| first[lane]..end(lane)).collect::<Vec<_>>();
    let found = grown(&edges, &known);
    let (before, after) = (cost(&edges, &known), cost(&edges, &found));
    if after as f64 >= WORTH * before as f64 {
        return None;
    }
    let part = |unit: usize| {
        let Unit { lane, bits } = units[unit].clone();
        LaneSlots { lane, sort: lanes.sorts[lane], bits, slots: placement.slots[lane].clone() }
    };
    Some(runs(found.into_iter().map(part)))
}

impl Nearness {
    /// Nothing if there is no need: where each column of a model is in one lane, the model's own order is as good.
    pub fn new(core: &Core, lanes: &Lanes, parts: &[Vec<RelId>]) -> Option<Nearness> {
        let given = core.relations.iter().any(|relation| matches!(relation.body, CoreBody::Model(_)));
        if given && !is_shared(core, lanes) {
            return None;
        }
        let mut nearness =
            Nearness { units: Vec::new(), edges: Edges::new(), first: Vec::new(), apart: Vec::new() };
        for (lane, sort) in lanes.sorts.iter().enumerate() {
            let bits = lanes.bits(&core.sorts, lane) as usize;
            let apart = matches!(core.sorts.get(*sort), Sort::Opaque { width: Width::Bits(_), .. });
            nearness.first.push(nearness.units.len());
            nearness.apart.push(apart);
            match apart {
                true => nearness.units.extend((0..bits).map(|bit| Unit { lane, bits: bit..bit + 1 })),
                false => nearness.units.push(Unit { lane, bits: 0..bits }),
            }
        }
        if nearness.units.len() > MOST_UNITS {
            return None;
        }
        let mut values = Values::new(core, parts)?;
        // The same row in many rules about the same lanes counts once.
        let mut seen = BTreeSet::new();
        for at in core.relations.ids() {
            for (rule, vars) in core.rules(at).iter().zip(&lanes.vars[at]) {
                nearness.of_rule(core, lanes, at, rule, vars);
                let Some(codes) = values.of_rule(rule) else { continue };
                for atom in &rule.atoms {
                    let CoreBody::Model(rows) = &core.relations[atom.relation].body else { continue };
                    let places = atom.args.iter().map(|arg| match arg {
                        Arg::Var(var) => vars[*var],
                        Arg::Const(_) => None,
                    });
                    let places = places.collect::<Vec<_>>();
                    for (number, row) in
                        rows.iter().enumerate().filter(|(_, row)| fits(core, atom, row, &codes))
                    {
                        if seen.insert((atom.relation, number, places.clone())) {
                            nearness.of_row(atom, row, &places);
                        }
                    }
                }
            }
        }
        nearness.weigh();
        Some(nearness)
    }

    /// A unit that belongs to many others, such as a lock of all threads, cannot be near all of them: its edges count less.
    fn weigh(&mut self) {
        let mut degrees = vec![0u32; self.units.len()];
        self.edges.keys().flatten().for_each(|&unit| degrees[unit] += 1);
        for (units, weight) in &mut self.edges {
            let most = units.iter().map(|&unit| degrees[unit]).max();
            *weight = 1.0 / f64::from(most.unwrap_or(1));
        }
    }

    fn unit(&self, lane: usize, bit: usize) -> usize {
        self.first[lane] + if self.apart[lane] { bit } else { 0 }
    }

    /// The units of a lane. Those of a long one are too many to say anything.
    fn units_of(&self, lane: usize) -> Range<usize> {
        self.first[lane]..self.first.get(lane + 1).copied().unwrap_or(self.units.len())
    }

    fn join(&mut self, units: BTreeSet<usize>) {
        if (2..=MANY.min(self.units.len() / 3).max(FEW)).contains(&units.len()) {
            self.edges.insert(units.into_iter().collect(), 1.0);
        }
    }

    /// What a rule itself is about: constants, conditions, and what it neither passes on nor leaves to an atom that is given.
    fn of_rule(&mut self, core: &Core, lanes: &Lanes, at: RelId, rule: &Rule, vars: &[Option<usize>]) {
        let mut touched = BTreeSet::new();
        let defined = || rule.atoms.iter().filter(|atom| core.is_defined(atom.relation));
        let heads = [(at, &rule.head)];
        for (relation, args) in heads.into_iter().chain(defined().map(|atom| (atom.relation, &atom.args))) {
            for (arg, lane) in args.iter().zip(&lanes.columns[relation]) {
                let (Some(lane), true) = (lane, is_touched(core, rule, arg)) else { continue };
                touched.extend(self.units_of(*lane).take(MANY + 1));
            }
        }
        for constraint in &rule.constraints {
            touched.extend(self.compared(constraint, vars));
        }
        self.join(touched);
    }

    /// The units that a constraint is about.
    fn compared(&self, constraint: &Constraint, vars: &[Option<usize>]) -> Vec<usize> {
        let mut out = Vec::new();
        constraint.vars(&mut |var| {
            if let Some(lane) = vars[var] {
                out.extend(self.units_of(lane).take(MANY + 1));
            }
        });
        out
    }

    fn of_row(&mut self, atom: &Atom, row: &Row, places: &[Option<usize>]) {
        let unit = |bit: Bit| Some(self.unit(places[usize::from(bit.leaf)]?, usize::from(bit.bit)));
        let mut touched = BTreeSet::new();
        for (leaf, _) in &row.fixed {
            if let Some(lane) = places[usize::from(*leaf)] {
                touched.extend(self.units_of(lane).take(MANY + 1));
            }
        }
        let mut bits = BTreeSet::new();
        mentioned(&row.core, &mut bits, &mut BTreeSet::new());
        touched.extend(bits.into_iter().filter_map(unit));
        let mut moved = Vec::new();
        for run in &row.equal {
            let whole = places[usize::from(run.left.leaf)] == places[usize::from(run.right.leaf)];
            if whole && run.left.bit == run.right.bit {
                continue;
            }
            let pairs = run.pairs().take(MANY).filter_map(|(left, right)| unit(left).zip(unit(right)));
            moved.extend(pairs.filter(|(left, right)| left != right));
        }
        debug_assert!(atom.args.len() == places.len(), "a place for each argument");
        self.join(touched);
        moved.into_iter().for_each(|(left, right)| self.join(BTreeSet::from([left, right])));
    }
}

/// Whether a column of a model's relation is in different lanes in different rules: the states of several threads are.
fn is_shared(core: &Core, lanes: &Lanes) -> bool {
    let mut lane_of: BTreeMap<(RelId, usize), usize> = BTreeMap::new();
    for at in core.relations.ids() {
        for (rule, vars) in core.rules(at).iter().zip(&lanes.vars[at]) {
            for atom in rule.atoms.iter().filter(|atom| !core.is_defined(atom.relation)) {
                for (leaf, arg) in atom.args.iter().enumerate() {
                    let Arg::Var(var) = arg else { continue };
                    let Some(lane) = vars[*var].filter(|lane| lanes.bits(&core.sorts, *lane) > 0) else {
                        continue;
                    };
                    if *lane_of.entry((atom.relation, leaf)).or_insert(lane) != lane {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// Whether a rule does something to what stands there: a constant, or a variable that is only in the head or only in the
/// body. What a given relation says about a variable, its rows say.
fn is_touched(core: &Core, rule: &Rule, arg: &Arg) -> bool {
    let Arg::Var(_) = arg else { return true };
    let mut given = rule.atoms.iter().filter(|atom| !core.is_defined(atom.relation));
    if given.any(|atom| atom.args.contains(arg)) {
        return false;
    }
    let mut defined = rule.atoms.iter().filter(|atom| core.is_defined(atom.relation));
    !(rule.head.contains(arg) && defined.any(|atom| atom.args.contains(arg)))
}

/// The bits that an expression mentions. Shared parts are looked at once.
fn mentioned(expr: &BitExpr, out: &mut BTreeSet<Bit>, seen: &mut BTreeSet<*const BitExpr>) {
    match expr {
        BitExpr::Const(_) => {}
        BitExpr::Bit(bit) => {
            out.insert(*bit);
        }
        BitExpr::Zeros(first, count) => out.extend(first.run(*count)),
        BitExpr::Not(inner) => mentioned(inner, out, seen),
        BitExpr::And(parts) | BitExpr::Or(parts) => parts.iter().for_each(|part| mentioned(part, out, seen)),
        BitExpr::Xor(left, right) => [left, right].into_iter().for_each(|part| mentioned(part, out, seen)),
        BitExpr::Shared(inner) => {
            if seen.insert(Rc::as_ptr(inner)) {
                mentioned(inner, out, seen);
            }
        }
    }
}
