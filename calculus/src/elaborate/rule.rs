//! From a conjunction to a rule: equal variables become one, constants move into the atoms.

use super::core::{Arg, Atom, Constraint, Operand, Rule, Scalar, shifted};
use super::normal::Conjunction;
use crate::check::tree::Comparison;
use crate::sort::{Sorts, Value};
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
        match (&left.arg, &right.arg) {
            (Arg::Var(a), Arg::Var(b)) if left.shift == 0 && right.shift == 0 => {
                let (a, b) = (self.root(*a), self.root(*b));
                // The smaller number wins, so that columns keep their places.
                let (winner, loser) = (a.min(b), a.max(b));
                self.parent[loser] = winner;
                Unified::Yes
            }
            (Arg::Var(a), Arg::Const(value)) => self.settle(sorts, *a, left, value, right.shift),
            (Arg::Const(value), Arg::Var(b)) => self.settle(sorts, *b, right, value, left.shift),
            _ => Unified::No,
        }
    }

    /// `var + operand.shift = value + shift`
    fn settle(&mut self, sorts: &Sorts, var: usize, operand: &Operand, value: &Value, shift: i64) -> Unified {
        let Some(sum) = shifted(sorts, operand.sort, value, shift) else { return Unified::Never };
        let Some(settled) = shifted(sorts, operand.sort, &sum, operand.shift.saturating_neg()) else {
            return Unified::Never;
        };
        let root = self.root(var);
        self.value[root] = Some(settled);
        Unified::Yes
    }
}
