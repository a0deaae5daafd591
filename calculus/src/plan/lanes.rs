//! Lanes: which symbolic columns and variables belong together.
//!
//! Two scalars that meet in a variable or a comparison are copies of one thing, and the bits of copies should
//! be neighbours in the variable order: `x = y` is small then and exponential otherwise. A lane is a class of
//! scalars that meet, directly or through others. Scalars of different lanes never meet.

use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Constraint, Core, CoreBody, Operand, Rule};
use crate::graph::Classes;
use crate::index::IdVec;
use crate::sort::{SortId, Sorts};
use std::collections::{BTreeMap, BTreeSet};

/// Which scalars are copies of one thing.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Lane of each column of each relation; none for keys.
    pub columns: IdVec<RelId, Vec<Option<usize>>>,
    /// Lane of each variable of each rule of each relation; none for keys.
    pub vars: IdVec<RelId, Vec<Vec<Option<usize>>>>,
    /// The scalar sort of each lane.
    pub sorts: Vec<SortId>,
}

/// Joins the first of two pairs if `like` has their seconds in one class.
fn join_like(classes: &mut Classes, pairs: Vec<(usize, usize)>, like: &mut Classes) {
    for (at, &(a, x)) in pairs.iter().enumerate() {
        for &(b, y) in &pairs[..at] {
            if like.root(x) == like.root(y) {
                classes.join(a, b);
            }
        }
    }
}

/// A node for each symbolic column of each relation, and for each symbolic variable of each rule.
struct Nodes {
    columns: IdVec<RelId, Vec<Option<usize>>>,
    vars: IdVec<RelId, Vec<Vec<Option<usize>>>>,
    count: usize,
}

impl Nodes {
    /// A relation of a model that nothing mentions, and that is not the goal, is never loaded and has no nodes: models
    /// offer relations with many columns, and bits for them would be made for every file.
    fn new(core: &Core, goal: Option<RelId>) -> Nodes {
        let mut used = core.relations.filled(false);
        for at in core.relations.ids() {
            used[at] |= goal == Some(at) || !matches!(core.relations[at].body, CoreBody::Model(_));
            core.atoms(at).for_each(|atom| used[atom.relation] = true);
        }
        let mut count = 0;
        let mut add = |sort: SortId, used: bool| {
            (used && !core.sorts.is_keyed(sort)).then(|| {
                count += 1;
                count - 1
            })
        };
        let columns = core
            .relations
            .map(|(at, relation)| relation.columns.iter().map(|column| add(column.sort, used[at])).collect());
        let mut of_rule = |rule: &Rule| rule.vars.iter().map(|var| add(var.sort, true)).collect::<Vec<_>>();
        let vars = core.relations.map(|(at, _)| core.rules(at).iter().map(&mut of_rule).collect());
        Nodes { columns, vars, count }
    }

    fn classes(&self) -> Classes {
        Classes::new(self.count)
    }

    /// Joins what meets. `known` has the classes in which facts and models are places to meet like others.
    /// With it, the arguments of such an atom are only joined with each other: views of facts are made for each
    /// atom, and may well be made in different bits.
    fn meet(&self, core: &Core, mut known: Option<&mut Classes>) -> Classes {
        let mut classes = self.classes();
        let same = |arg: &Arg, nodes: &[Option<usize>]| match arg {
            Arg::Var(var) => nodes[*var],
            Arg::Const(_) => None,
        };
        for at in core.relations.ids() {
            if let (false, Some(known)) = (core.is_defined(at), &mut known) {
                let columns = self.columns[at].iter().flatten().map(|node| (*node, *node));
                join_like(&mut classes, columns.collect(), known);
            }
            for (rule, nodes) in core.rules(at).iter().zip(&self.vars[at]) {
                let heads = rule.head.iter().zip(&self.columns[at]);
                let mut pairs =
                    heads.filter_map(|(arg, column)| same(arg, nodes).zip(*column)).collect::<Vec<_>>();
                for atom in &rule.atoms {
                    let args = atom.args.iter().zip(&self.columns[atom.relation]);
                    let args = args.filter_map(|(arg, column)| same(arg, nodes).zip(*column));
                    match &mut known {
                        Some(known) if !core.is_defined(atom.relation) => {
                            join_like(&mut classes, args.collect(), known)
                        }
                        _ => pairs.extend(args),
                    }
                }
                pairs.into_iter().for_each(|(a, b)| classes.join(a, b));
                for constraint in &rule.constraints {
                    compared(constraint, &mut |a, b| {
                        if let (Some(a), Some(b)) = (nodes[a], nodes[b]) {
                            classes.join(a, b);
                        }
                    });
                }
            }
        }
        classes
    }
}

impl Lanes {
    /// The lanes of a core. Lanes are numbered by their first column, so that the order is that of the file.
    ///
    /// The states of several threads, `q: State[1..n]`, meet in the steps of the program and nowhere else. They are
    /// not copies of one thing, and were their bits neighbours, a set of independent states would need a node
    /// for each combination of what the first bits of all of them leave open. So leaves of a record or vector that
    /// meet in facts only are kept apart.
    pub fn new(core: &Core, goal: Option<RelId>) -> Lanes {
        let nodes = Nodes::new(core, goal);
        let mut all = nodes.meet(core, None);
        let mut apart = nodes.meet(core, Some(&mut all));
        // Different leaves in one relation, of one class if facts count and of two if not.
        let mut conflicts = BTreeSet::new();
        for (at, columns) in nodes.columns.entries().filter(|(at, _)| core.is_defined(*at)) {
            let leaves = columns.iter().zip(&core.relations[at].columns);
            let leaves = leaves
                .filter_map(|(node, scalar)| node.map(|node| (node, scalar.ordinal)))
                .collect::<Vec<_>>();
            for (at, &(a, leaf)) in leaves.iter().enumerate() {
                for &(b, other) in &leaves[..at] {
                    if leaf != other && all.root(a) == all.root(b) {
                        conflicts.insert((apart.root(a), apart.root(b)));
                        conflicts.insert((apart.root(b), apart.root(a)));
                    }
                }
            }
        }
        // Classes without a conflict share a lane, as far as they meet at all.
        let mut lanes: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
        for class in apart.roots() {
            let lanes = lanes.entry(all.root(class)).or_default();
            let free =
                |lane: &&mut Vec<usize>| lane.iter().all(|&other| !conflicts.contains(&(class, other)));
            match lanes.iter_mut().find(free) {
                Some(lane) => lane.push(class),
                None => lanes.push(vec![class]),
            }
        }
        for lane in lanes.into_values().flatten() {
            lane.iter().for_each(|&class| apart.join(lane[0], class));
        }
        Self::number(core, apart, nodes.columns, nodes.vars)
    }

    fn number(
        core: &Core,
        mut classes: Classes,
        mut columns: IdVec<RelId, Vec<Option<usize>>>,
        mut vars: IdVec<RelId, Vec<Vec<Option<usize>>>>,
    ) -> Lanes {
        let mut numbers = BTreeMap::new();
        let mut sorts = Vec::new();
        let mut number = |node: &mut Option<usize>, sort: SortId| {
            if let Some(inner) = node {
                let next = numbers.len();
                *inner = *numbers.entry(classes.root(*inner)).or_insert_with(|| {
                    sorts.push(sort);
                    next
                });
            }
        };
        for (nodes, relation) in columns.iter_mut().zip(&core.relations) {
            nodes.iter_mut().zip(&relation.columns).for_each(|(node, scalar)| number(node, scalar.sort));
        }
        for (of_relation, at) in vars.iter_mut().zip(core.relations.ids()) {
            for (nodes, rule) in of_relation.iter_mut().zip(core.rules(at)) {
                nodes.iter_mut().zip(&rule.vars).for_each(|(node, scalar)| number(node, scalar.sort));
            }
        }
        Lanes { columns, vars, sorts }
    }

    /// How many bits a scalar of the lane has.
    pub fn bits(&self, sorts: &Sorts, lane: usize) -> u32 {
        sorts.bits(self.sorts[lane])
    }
}

/// Calls `see` for every pair of variables of one sort that a constraint compares or computes with.
fn compared(constraint: &Constraint, see: &mut impl FnMut(usize, usize)) {
    match constraint {
        Constraint::Compare(_, left, right) => alike(&[left, right], see),
        Constraint::Defined(operand) => alike(&[operand], see),
        Constraint::Not(inner) => compared(inner, see),
        Constraint::And(parts) | Constraint::Or(parts) => parts.iter().for_each(|part| compared(part, see)),
        Constraint::Const(_) => {}
    }
}

fn alike(operands: &[&Operand], see: &mut impl FnMut(usize, usize)) {
    let mut first: BTreeMap<SortId, usize> = BTreeMap::new();
    for operand in operands {
        operand.number.each(&mut |part| {
            if let Arg::Var(var) = part.arg {
                see(*first.entry(part.sort).or_insert(var), var);
            }
        });
    }
}
