//! Where the bits of columns and variables lie: every scalar is a copy of its lane's bits.
//!
//! Scalars that meet, in an atom or in a comparison, are copies of one lane, and the copies of a bit are
//! neighbours in the order of the BDD variables. The columns of a relation have the first copies, the variables of its
//! definition the next ones. All of this depends on the file, the model and the parameters only.

use super::needs::NeededComponent;
use crate::bdd::{Manager, Stop, Var as Bit};
use crate::check::tree::{Body, Column, Formula, System, Term, Var};
use crate::elaborate::core::{Arg, Operand};
use crate::elaborate::flatten::{Leaves, flatten};
use crate::graph::Classes;
use crate::sort::{Sort, SortId, Sorts, Width};
use crate::space::{LaneSlots, Place, Space};
use std::collections::BTreeMap;

pub(super) struct CopyLayout {
    pub space: Space,
    pub lanes: Vec<Lane>,
    /// Of each relation that is needed: the scalar leaves of its columns, then of its other variables.
    pub leaves: Vec<Option<Leaves>>,
    /// The place of each of these leaves.
    pub places: Vec<Vec<Place>>,
    /// How many of these leaves belong to columns.
    pub columns: Vec<usize>,
}

/// A class of scalars that meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The sort, in the words of the file.
    pub sort: String,
    /// How many bits a scalar has.
    pub bits: usize,
    /// How many scalars of it one equation needs at a time.
    pub copies: usize,
}

impl CopyLayout {
    pub fn new(system: &System, needs: &[NeededComponent], manager: Manager) -> Result<CopyLayout, Stop> {
        let sorts = &system.sorts;
        let needed = needs
            .iter()
            .flat_map(|part| part.blocks.iter().flat_map(|block| &block.members).chain(&part.plain).copied());
        let mut needed = needed.collect::<Vec<_>>();
        needed.sort_unstable();
        let numbering = Numbering::new(system, &needed);
        let (mut meetings, computed) = numbering.meetings(system, &needed);
        let Numbering { leaves, columns, first, .. } = numbering;
        let scalars = needed.iter().flat_map(|&at| leaves[at].iter().flat_map(|of| of.scalars.iter()));
        let scalars = scalars.map(|scalar| scalar.sort).collect::<Vec<_>>();
        let (lane_of, lane_sorts) = lanes(&mut meetings, sorts, &scalars);
        let mut copies = vec![0; lane_sorts.len()];
        let mut places = vec![Vec::new(); system.relations.len()];
        for &at in &needed {
            let mut taken = vec![0; lane_sorts.len()];
            let own = leaves[at].as_ref().map_or(0, |of| of.scalars.len());
            for &lane in &lane_of[first[at]..first[at] + own] {
                places[at].push(Place::Bits { lane, slot: taken[lane] });
                taken[lane] += 1;
                copies[lane] = copies[lane].max(taken[lane]);
            }
        }
        // The last copies are nobody's.
        copies.iter_mut().for_each(|copies| *copies += computed);
        let lanes = lane_sorts.iter().zip(&copies).map(|(&sort, &copies)| Lane {
            sort: sorts.show(sort),
            bits: sorts.bits(sort) as usize,
            copies,
        });
        let lanes = lanes.collect::<Vec<_>>();
        let slots = lane_sorts.iter().zip(&copies).enumerate();
        let slots = slots.map(|(lane, (&sort, &copies))| LaneSlots {
            lane,
            sort,
            bits: 0..sorts.bits(sort) as usize,
            slots: (0..copies).collect(),
        });
        let space = Space::new(manager, sorts.clone(), &slots.collect::<Vec<_>>(), system.woven())?;
        Ok(CopyLayout { space, lanes, leaves, places, columns })
    }

    /// The places of a relation's columns.
    pub fn column_places(&self, at: usize) -> &[Place] {
        &self.places[at][..self.columns[at]]
    }

    /// A copy of the lane of a place that belongs to no variable; there are as many as an atom may need.
    pub fn spare(&self, place: Place, number: usize) -> Place {
        match place {
            Place::Bits { lane, .. } => Place::Bits { lane, slot: self.lanes[lane].copies - 1 - number },
            Place::Key(_) => unreachable!("everything is in bits here"),
        }
    }

    /// The groups of neighbouring BDD variables, from the top of the order to the bottom: a lane and a bit of it.
    pub fn order(&self) -> Vec<(usize, usize)> {
        let mut group_of: BTreeMap<Bit, (usize, usize)> = BTreeMap::new();
        for (lane, shape) in self.lanes.iter().enumerate() {
            for (bit, var) in self.space.vars(lane, 0).iter().enumerate().take(shape.bits) {
                group_of.insert(*var, (lane, bit));
            }
        }
        let order = self.space.manager.order();
        order.iter().filter_map(|var| group_of.get(var).copied()).collect()
    }

    /// Rearranges the groups; `order` must have each of them once.
    pub fn set_order(&self, order: &[(usize, usize)]) -> Result<(), Stop> {
        let vars = order.iter().flat_map(|&(lane, bit)| {
            let mut group = self.space.manager.group_of(self.space.vars(lane, 0)[bit]);
            // The first of a group is its lowest.
            group.reverse();
            group
        });
        self.space.manager.set_order(&vars.collect::<Vec<_>>())
    }
}

/// The scalar leaves of the needed relations, in one numbering of all.
struct Numbering {
    leaves: Vec<Option<Leaves>>,
    /// How many leaves of each relation belong to columns.
    columns: Vec<usize>,
    /// The number of the first leaf of each relation.
    first: Vec<usize>,
    total: usize,
}

impl Numbering {
    fn new(system: &System, needed: &[usize]) -> Numbering {
        let (sorts, count) = (&system.sorts, system.relations.len());
        let leaves = (0..count).map(|_| None).collect();
        let mut out = Numbering { leaves, columns: vec![0; count], first: vec![0; count], total: 0 };
        for &at in needed {
            let relation = &system.relations[at];
            let of = match &relation.body {
                Body::Defined { vars, .. } => Leaves::new(sorts, vars),
                _ => {
                    let var = |Column { name, sort, .. }: &Column| Var {
                        name: name.clone(),
                        sort: *sort,
                        span: relation.span,
                    };
                    Leaves::new(sorts, &relation.columns.iter().map(var).collect::<Vec<_>>())
                }
            };
            out.columns[at] = relation.columns.iter().map(|column| sorts.leaf_count(column.sort)).sum();
            out.first[at] = out.total;
            out.total += of.scalars.len();
            out.leaves[at] = Some(of);
        }
        out
    }

    /// Which leaves meet; and the most arguments of the form `x + 1` that one atom has: they need a copy of their own
    /// for a while.
    fn meetings(&self, system: &System, needed: &[usize]) -> (Classes, usize) {
        let (sorts, first) = (&system.sorts, &self.first);
        let mut meetings = Classes::new(self.total);
        let mut computed = 0;
        for &at in needed {
            let (Some(own), Body::Defined { clauses, .. }) = (&self.leaves[at], &system.relations[at].body)
            else {
                continue;
            };
            let operands = |term: &Term| flatten(sorts, own, term, &mut Vec::new());
            let mut see = |seen: Seen| match seen {
                Seen::Atom(relation, args) => {
                    let args = args.iter().flat_map(operands).collect::<Vec<_>>();
                    let is_computed = |operand: &&Operand| operand.as_arg().is_none();
                    computed = computed.max(args.iter().filter(is_computed).count());
                    for (leaf, operand) in args.iter().enumerate() {
                        let column = (operand.sort, first[relation] + leaf);
                        meet(&mut meetings, &[operand], first[at], Some(column));
                    }
                }
                Seen::Compared(left, right) => {
                    for (left, right) in operands(left).iter().zip(&operands(right)) {
                        meet(&mut meetings, &[left, right], first[at], None);
                    }
                }
            };
            clauses.iter().for_each(|clause| walk(&clause.body, &mut see));
        }
        (meetings, computed)
    }
}

/// Joins the variables of one sort in these operands, and a column of that sort. Their leaves are counted from `first`.
fn meet(meetings: &mut Classes, operands: &[&Operand], first: usize, column: Option<(SortId, usize)>) {
    let mut met = column.into_iter().collect::<BTreeMap<_, _>>();
    for operand in operands {
        operand.number.each(&mut |part| {
            if let Arg::Var(leaf) = part.arg {
                let one = *met.entry(part.sort).or_insert(first + leaf);
                meetings.join(one, first + leaf);
            }
        });
    }
}

enum Seen<'a> {
    Atom(usize, &'a [Term]),
    Compared(&'a Term, &'a Term),
}

/// All atoms and comparisons of a formula.
fn walk<'a>(formula: &'a Formula, see: &mut impl FnMut(Seen<'a>)) {
    match formula {
        Formula::Const(_) | Formula::Holds(_) => {}
        Formula::Compare(_, left, right, _) => see(Seen::Compared(left, right)),
        Formula::Atom(relation, args, _) => see(Seen::Atom(relation.0 as usize, args)),
        Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => walk(inner, see),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| walk(part, see)),
        Formula::Implies(left, right) | Formula::Iff(left, right) => {
            walk(left, see);
            walk(right, see);
        }
    }
}

/// The lane of each scalar, and the sort of each lane: scalars that meet share one. Lanes of a model's numbered values
/// come first: data differs from location to location, and with the location on top there is a small diagram for each.
/// Otherwise lanes are in the order of their first members.
fn lanes(meetings: &mut Classes, sorts: &Sorts, scalars: &[SortId]) -> (Vec<usize>, Vec<SortId>) {
    let numbered = |sort: SortId| matches!(sorts.get(sort), Sort::Opaque { width: Width::Values(_), .. });
    let mut roots = meetings.roots();
    roots.sort_by_key(|&root| !numbered(scalars[root]));
    let numbers = roots.iter().zip(0..).collect::<BTreeMap<_, usize>>();
    let lane_of = (0..scalars.len()).map(|node| numbers[&meetings.root(node)]).collect();
    (lane_of, roots.iter().map(|&root| scalars[root]).collect())
}
