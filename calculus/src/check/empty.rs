//! Sorts without values: a symbol sort that no input and no constant brings a text for.
//!
//! Nothing exists in such a sort, and everything holds for all of its values. Here the tree is changed to say so, once
//! all texts are known. After that no variable of such a sort is left, and whoever works with the tree may take it that
//! every variable has a value.

use super::sorts::MAX_KEYS;
use super::tree::{Body, Formula, Relation, Var, VarId};
use crate::sort::{Sort, Sorts};

/// Settles what depends on how many texts there are.
pub(super) fn settle_symbols(relations: &mut [Relation], sorts: &mut Sorts) {
    let symbols = sorts.ids().filter(|id| matches!(sorts.get(*id), Sort::Symbol { .. })).collect::<Vec<_>>();
    for &symbol in &symbols {
        // A sort that turns out to be too large for keys is symbolic, which is as right.
        if sorts.scalar_size(symbol) > Some(MAX_KEYS) {
            sorts.set_keyed(symbol, false);
        }
    }
    if symbols.is_empty() {
        return;
    }
    for relation in relations {
        let no_tuples = relation.columns.iter().any(|column| sorts.is_empty(column.sort));
        let Body::Defined { vars, clauses, .. } = &mut relation.body else { continue };
        for clause in clauses {
            let body = std::mem::replace(&mut clause.body, Formula::Const(false));
            if !no_tuples {
                clause.body = settled(body, &|var: &VarId| is_empty(var, vars, sorts));
            }
        }
    }
}

fn is_empty(var: &VarId, vars: &[Var], sorts: &Sorts) -> bool {
    sorts.is_empty(vars[var.0 as usize].sort)
}

/// The formula without variables that have no value. What that decides is decided here, as static conditions are.
fn settled(formula: Formula, empty: &dyn Fn(&VarId) -> bool) -> Formula {
    let one = |part: Box<Formula>| settled(*part, empty);
    match formula {
        Formula::Exists(vars, _) if vars.iter().any(empty) => Formula::Const(false),
        Formula::Forall(vars, _) if vars.iter().any(empty) => Formula::Const(true),
        Formula::Exists(vars, body) => match one(body) {
            Formula::Const(value) => Formula::Const(value),
            body => Formula::Exists(vars, Box::new(body)),
        },
        Formula::Forall(vars, body) => match one(body) {
            Formula::Const(value) => Formula::Const(value),
            body => Formula::Forall(vars, Box::new(body)),
        },
        Formula::Not(inner) => match one(inner) {
            Formula::Const(value) => Formula::Const(!value),
            inner => Formula::Not(Box::new(inner)),
        },
        Formula::And(parts) => joined(parts.into_iter().map(|part| settled(part, empty)).collect(), true),
        Formula::Or(parts) => joined(parts.into_iter().map(|part| settled(part, empty)).collect(), false),
        Formula::Implies(left, right) => match (one(left), one(right)) {
            (Formula::Const(false), _) | (_, Formula::Const(true)) => Formula::Const(true),
            (Formula::Const(true), right) => right,
            (left, right) => Formula::Implies(Box::new(left), Box::new(right)),
        },
        Formula::Iff(left, right) => match (one(left), one(right)) {
            (Formula::Const(left), Formula::Const(right)) => Formula::Const(left == right),
            (left, right) => Formula::Iff(Box::new(left), Box::new(right)),
        },
        Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..) | Formula::Atom(..) => formula,
    }
}

/// A conjunction, or a disjunction, of parts of which some may be decided.
fn joined(parts: Vec<Formula>, all: bool) -> Formula {
    let is = |part: &Formula, value: bool| matches!(part, Formula::Const(found) if *found == value);
    if parts.iter().any(|part| is(part, !all)) {
        return Formula::Const(!all);
    }
    let mut open = parts.into_iter().filter(|part| !is(part, all)).collect::<Vec<_>>();
    match (open.len(), all) {
        (0, _) => Formula::Const(all),
        (1, _) => open.remove(0),
        (_, true) => Formula::And(open),
        (_, false) => Formula::Or(open),
    }
}
