//! Local variables that have the same value whenever a statement reads them: the statement gets the value.
//!
//! What is compared with a constant needs fewer values than what is compared with a variable ([`super::after`]).

use crate::model::program::cfg::{Action, AssignedValue, Cfg, Flow, Loc, PlaceInText};
use crate::model::program::{Domain, Expr, Form, Op, Program, Var};
use std::collections::BTreeMap;

/// The locals whose value is known, with it.
type Known = BTreeMap<u32, i64>;

pub fn replace(program: &mut Program) {
    let (cfg, _) = Cfg::build_spawning(program);
    for id in cfg.needed() {
        let flow = cfg.flow(id);
        let roots = cfg.roots().filter(|(root, _)| *root == id).map(|(_, loc)| loc.index());
        let known = known(flow, roots.collect());
        // What holds whenever a statement begins.
        let mut before: BTreeMap<usize, Known> = BTreeMap::new();
        for (location, known) in flow.locations.iter().zip(known) {
            let (PlaceInText::Before(statement), Some(known)) = (location.place, known) else { continue };
            let place = before.entry(statement.0 as usize).or_insert_with(|| known.clone());
            meet(place, &known);
        }
        let procedure = &mut program.procedures[id.index()];
        for (statement, known) in before {
            let domain = |local: u32| &procedure.locals[local as usize].domain;
            let value = |local: u32| match (known.get(&local)?, domain(local)) {
                (value, Domain::Bool) => Some(Op::Constant(*value != 0)),
                (value, Domain::Range { .. } | Domain::Names(_)) => Some(Op::Number(*value)),
            };
            for expression in expressions(&mut procedure.statements[statement].form) {
                for op in &mut expression.code {
                    if let Op::Old(Var::Local(local)) = op
                        && let Some(value) = value(*local)
                    {
                        *op = value;
                    }
                }
            }
        }
    }
}

/// The expressions that a statement evaluates.
pub fn expressions(form: &mut Form) -> Vec<&mut Expr> {
    match form {
        Form::Skip
        | Form::Dead(_)
        | Form::Goto(_)
        | Form::AtomicBegin
        | Form::AtomicEnd
        | Form::EndThread => Vec::new(),
        Form::Assign { values, constrain, others: _, targets: _ } => {
            values.iter_mut().chain(constrain).collect()
        }
        Form::Constrain(expression) | Form::Assume(expression) | Form::Assert(expression) => {
            vec![expression]
        }
        Form::If { condition, .. } | Form::While { condition, .. } => vec![condition],
        Form::Call { arguments, .. } | Form::Return(arguments) | Form::Start { arguments, .. } => {
            arguments.iter_mut().collect()
        }
    }
}

/// Keeps what both say.
fn meet(one: &mut Known, other: &Known) {
    one.retain(|local, value| other.get(local) == Some(value));
}

/// What is known at each location; nothing where no path leads.
fn known(flow: &Flow, roots: Vec<usize>) -> Vec<Option<Known>> {
    let mut known: Vec<Option<Known>> = vec![None; flow.locations.len()];
    let mut work = roots;
    work.push(flow.entry.index());
    work.iter().for_each(|at| known[*at] = Some(Known::new()));
    while let Some(at) = work.pop() {
        let before = known[at].clone().unwrap_or_default();
        for edge in flow.leaving(Loc(at as u32)) {
            let mut after = before.clone();
            match &edge.action {
                Action::Assign { values, .. } => {
                    for (var, value) in values {
                        let Var::Local(local) = var else { continue };
                        match constant(value, &before, &flow.locals[*local as usize].domain) {
                            Some(value) => after.insert(*local, value),
                            None => after.remove(local),
                        };
                    }
                }
                Action::Call { targets, .. } => {
                    for target in targets.iter().flatten() {
                        if let Var::Local(local) = target {
                            after.remove(local);
                        }
                    }
                }
                Action::Create(spawn) => {
                    for var in &spawn.variables {
                        if let Var::Local(local) = var {
                            after.remove(local);
                        }
                    }
                }
            }
            let to = edge.to.index();
            let changed = match &mut known[to] {
                Some(there) => {
                    let count = there.len();
                    meet(there, &after);
                    there.len() < count
                }
                there => {
                    *there = Some(after);
                    true
                }
            };
            if changed {
                work.push(to);
            }
        }
    }
    known
}

/// What a variable has after an assignment, if that is known.
fn constant(value: &AssignedValue, known: &Known, domain: &Domain) -> Option<i64> {
    let AssignedValue::Is(value) = value else { return None };
    let value = match value.code[..] {
        [Op::Number(value)] => value,
        [Op::Constant(value)] => value.into(),
        [Op::Old(Var::Local(local))] => *known.get(&local)?,
        _ => return None,
    };
    domain.stored(value)
}
