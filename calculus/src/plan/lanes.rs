//! Lanes: which symbolic columns and variables belong together.
//!
//! Two scalars that meet in a variable or a comparison are copies of one thing, and the bits of copies should
//! be neighbours in the variable order: `x = y` is small then and exponential otherwise. A lane is a class of
//! scalars that meet, directly or through others. Scalars of different lanes never meet.

use crate::elaborate::core::{Arg, Constraint, Core, CoreBody, Rule};
use crate::sort::{SortId, Sorts};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Lanes {
    /// Lane of each column of each relation; none for keys.
    pub columns: Vec<Vec<Option<usize>>>,
    /// Lane of each variable of each rule of each relation; none for keys.
    pub vars: Vec<Vec<Vec<Option<usize>>>>,
    /// The scalar sort of each lane.
    pub sorts: Vec<SortId>,
}

struct Classes {
    parent: Vec<usize>,
}

impl Classes {
    fn add(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

fn rules(body: &CoreBody) -> &[Rule] {
    match body {
        CoreBody::Rules { rules, .. } => rules,
        _ => &[],
    }
}

impl Lanes {
    /// The lanes of a core. Lanes are numbered by their first column, so that the order is that of the file.
    pub fn new(core: &Core) -> Lanes {
        let mut classes = Classes { parent: Vec::new() };
        let add = |classes: &mut Classes, sort: SortId| (!core.sorts.is_keyed(sort)).then(|| classes.add());
        let columns = core
            .relations
            .iter()
            .map(|relation| relation.columns.iter().map(|c| add(&mut classes, c.sort)).collect::<Vec<_>>())
            .collect::<Vec<_>>();
        let mut vars = Vec::new();
        for (at, relation) in core.relations.iter().enumerate() {
            let mut of_relation = Vec::new();
            for rule in rules(&relation.body) {
                let nodes = rule.vars.iter().map(|var| add(&mut classes, var.sort)).collect::<Vec<_>>();
                let mut meet = |args: &[Arg], columns: &[Option<usize>]| {
                    for (arg, column) in args.iter().zip(columns) {
                        if let (Arg::Var(var), Some(column)) = (arg, column)
                            && let Some(node) = nodes[*var]
                        {
                            classes.join(node, *column);
                        }
                    }
                };
                meet(&rule.head, &columns[at]);
                for atom in &rule.atoms {
                    meet(&atom.args, &columns[atom.relation.0 as usize]);
                }
                for constraint in &rule.constraints {
                    compared(constraint, &mut |a, b| {
                        if let (Some(a), Some(b)) = (nodes[a], nodes[b]) {
                            classes.join(a, b);
                        }
                    });
                }
                of_relation.push(nodes);
            }
            vars.push(of_relation);
        }
        Self::number(core, classes, columns, vars)
    }

    fn number(
        core: &Core,
        mut classes: Classes,
        mut columns: Vec<Vec<Option<usize>>>,
        mut vars: Vec<Vec<Vec<Option<usize>>>>,
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
        for (of_relation, relation) in vars.iter_mut().zip(&core.relations) {
            for (nodes, rule) in of_relation.iter_mut().zip(rules(&relation.body)) {
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

/// Calls `see` for every pair of variables that a constraint compares.
fn compared(constraint: &Constraint, see: &mut impl FnMut(usize, usize)) {
    match constraint {
        Constraint::Compare(_, left, right) => {
            if let (Arg::Var(a), Arg::Var(b)) = (&left.arg, &right.arg) {
                see(*a, *b);
            }
        }
        Constraint::Not(inner) => compared(inner, see),
        Constraint::And(parts) | Constraint::Or(parts) => parts.iter().for_each(|part| compared(part, see)),
        Constraint::Const(_) | Constraint::Defined(_) => {}
    }
}
