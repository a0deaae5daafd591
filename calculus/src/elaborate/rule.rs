//! From a conjunction to a rule: equal variables become one, constants move into the atoms.

use super::core::{Arg, Atom, Constraint, Operand, Rule, Scalar, in_range};
use super::normal::Conjunction;
use crate::check::tree::Comparison;
use crate::sort::{SortId, Sorts, Value};
use rustc_hash::FxHashSet;

/// Classes of equal variables, each with its constant if it has one.
struct EqualVariables {
    parent: Vec<usize>,
    value: Vec<Option<Value>>,
}

/// The rule of a conjunction, or nothing if its conditions contradict each other.
pub(super) fn make_rule(
    sorts: &Sorts,
    leaves: &[Scalar],
    clause: usize,
    head: &[Arg],
    conjunction: Conjunction,
) -> Option<Rule> {
    let mut classes = EqualVariables { parent: (0..leaves.len()).collect(), value: vec![None; leaves.len()] };
    let mut constraints = Vec::new();
    split(conjunction.constraints, &mut constraints);
    // An equality that becomes a constant can settle another one: until nothing changes.
    loop {
        let mut changed = false;
        let mut rest = Vec::new();
        for constraint in constraints {
            match constraint.map(&|arg| classes.resolve(arg)).fold(sorts) {
                Constraint::Const(true) => {}
                Constraint::Const(false) => return None,
                Constraint::Compare(Comparison::Eq, left, right) => match classes.unify(sorts, &left, &right)
                {
                    Unified::Yes => changed = true,
                    Unified::Never => return None,
                    Unified::No => rest.push(Constraint::Compare(Comparison::Eq, left, right)),
                },
                Constraint::And(parts) => {
                    split(parts, &mut rest);
                    changed = true;
                }
                other => rest.push(other),
            }
        }
        constraints = rest;
        if !changed {
            break;
        }
    }
    let mut numbers = vec![None; leaves.len()];
    let mut vars = Vec::new();
    let mut number = |arg: &Arg| match classes.resolve(arg) {
        Arg::Const(value) => Arg::Const(value),
        Arg::Var(leaf) => Arg::Var(*numbers[leaf].get_or_insert_with(|| {
            vars.push(leaves[leaf]);
            vars.len() - 1
        })),
    };
    let head = head.iter().map(&mut number).collect();
    let mut atoms: Vec<Atom> = Vec::new();
    for mut atom in conjunction.atoms {
        atom.args = atom.args.iter().map(&mut number).collect();
        if !atoms.iter().any(|other| other.same(&atom)) {
            atoms.push(atom);
        }
    }
    for constraint in &constraints {
        constraint.vars(&mut |var| {
            number(&Arg::Var(var));
        });
    }
    let renumber = |arg: &Arg| match classes.resolve(arg) {
        Arg::Var(leaf) => Arg::Var(numbers[leaf].expect("numbered above")),
        constant => constant,
    };
    let mut kept: Vec<Constraint> = Vec::new();
    let mut seen = FxHashSet::default();
    for constraint in constraints.iter().map(|constraint| constraint.map(&renumber)) {
        if seen.insert(constraint.clone()) {
            kept.push(constraint);
        }
    }
    let leaves = (0..leaves.len()).filter_map(|leaf| match classes.resolve(&Arg::Var(leaf)) {
        Arg::Var(root) => numbers[root].map(|number| (leaf, Arg::Var(number))),
        constant => Some((leaf, constant)),
    });
    Some(Rule { clause, vars, head, atoms, constraints: kept, leaves: leaves.collect() })
}

fn split(constraints: Vec<Constraint>, out: &mut Vec<Constraint>) {
    for constraint in constraints {
        match constraint {
            Constraint::And(parts) => split(parts, out),
            other => out.push(other),
        }
    }
}

enum Unified {
    Yes,
    No,
    Never,
}

impl EqualVariables {
    fn root(&self, mut leaf: usize) -> usize {
        while self.parent[leaf] != leaf {
            leaf = self.parent[leaf];
        }
        leaf
    }

    fn resolve(&self, arg: &Arg) -> Arg {
        match arg {
            Arg::Const(_) => arg.clone(),
            Arg::Var(leaf) => {
                let root = self.root(*leaf);
                self.value[root].clone().map_or(Arg::Var(root), Arg::Const)
            }
        }
    }

    /// Takes an equality in, if it is between plain variables, or settles one.
    fn unify(&mut self, sorts: &Sorts, left: &Operand, right: &Operand) -> Unified {
        if let (Some(Arg::Var(a)), Some(Arg::Var(b))) = (left.as_arg(), right.as_arg()) {
            let (a, b) = (self.root(*a), self.root(*b));
            // The smaller number wins, so that columns keep their places.
            let (winner, loser) = (a.min(b), a.max(b));
            self.parent[loser] = winner;
            return Unified::Yes;
        }
        for (one, other) in [(left, right), (right, left)] {
            if let (Some(Some(value)), Some((var, sort, shift))) = (other.value(sorts), one.as_shift()) {
                return self.settle(sorts, (var, sort), shift, value);
            }
        }
        Unified::No
    }

    /// `var + shift = value`
    fn settle(&mut self, sorts: &Sorts, (var, sort): (usize, SortId), shift: i128, value: Value) -> Unified {
        let settled = match value {
            Value::Int(number) => in_range(sorts, sort, i128::from(number) - shift),
            other => Some(other),
        };
        let Some(settled) = settled else { return Unified::Never };
        let root = self.root(var);
        self.value[root] = Some(settled);
        Unified::Yes
    }
}
