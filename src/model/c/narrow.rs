//! Fewer values for variables that need fewer than a word has.
//!
//! What nobody reads has one value, and finding the place of such a write takes no steps. A number that is only assigned
//! constants and values from outside, and compared with constants, needs these constants and one number on either side: all
//! numbers further out behave as that one does. One that is only assigned constants, or such variables, has no other values, however
//! it is read. So the program has the same runs, with fewer bits; a file of equations that names a variable finds all its values. Files that look at accesses get the program as it was: some reads are gone here.

use super::after::{Key, compared, key, unseen};
use super::constant_locals::expressions;
use crate::model::program::predicate::spoken;
use crate::model::program::{
    Block, Domain, Expr, Form, Op, Procedure, ProcedureId, Program, StatementId, Var, Variable,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The variables that are `named` keep their values. `whole` says that leaving a word matters, whoever reads it: it may be an
/// overflow, and these are looked for.
pub fn narrow(program: &mut Program, named: &BTreeSet<String>, whole: bool) {
    // What finds a place that does not matter is not read either.
    while drop_unread(program, named, whole) {}
    drop_far_values(program, named);
}

/// Every variable with what it is called in the analysis.
fn variables(program: &mut Program) -> Vec<(Key, &mut Variable)> {
    let shared =
        program.shared.iter_mut().enumerate().map(|(at, variable)| (Var::Shared(at as u32), variable));
    let own = program.own.iter_mut().enumerate().map(|(at, variable)| (Var::Own(at as u32), variable));
    let global = shared.chain(own).map(|(var, variable)| (key(0, var), variable));
    let local = program.procedures.iter_mut().enumerate().flat_map(|(procedure, of)| {
        // Parameters get their values from calls.
        let locals = of.locals.iter_mut().enumerate().skip(of.parameters as usize);
        locals.map(move |(at, variable)| (key(procedure, Var::Local(at as u32)), variable))
    });
    global.chain(local).collect()
}

/// What is only written has one value, and what only writes such variables does nothing. Whether anything has changed.
fn drop_unread(program: &mut Program, named: &BTreeSet<String>, whole: bool) -> bool {
    let read = read(program, whole);
    let mut dropped = HashSet::new();
    for (key, variable) in variables(program) {
        if read.contains(&key) || named.contains(spoken(&variable.name)) {
            continue;
        }
        variable.domain = Domain::Range { low: 0, high: 0, wraps: false };
        variable.initial = variable.initial.map(|_| 0);
        dropped.insert(key);
    }
    let mut changed = false;
    for (at, procedure) in program.procedures.iter_mut().enumerate() {
        for statement in &mut procedure.statements {
            let Form::Assign { targets, values, .. } = &mut statement.form else { continue };
            for (target, value) in targets.iter().zip(values) {
                if target.is_some_and(|target| dropped.contains(&key(at, target))) {
                    value.code = vec![Op::Number(0)];
                }
            }
        }
        changed |= drop_idle(procedure, |var| dropped.contains(&key(at, var)));
    }
    changed
}

/// Branches that do nothing become one step, and what gives values to dropped variables of the front end alone is left out.
fn drop_idle(procedure: &mut Procedure, dropped: impl Fn(Var) -> bool) -> bool {
    let jumps = procedure.statements.iter().flat_map(|statement| match &statement.form {
        Form::Goto(to) => to.clone(),
        _ => Vec::new(),
    });
    let jumped_to = jumps.collect::<HashSet<_>>();
    let mut idle = vec![false; procedure.statements.len()];
    let mut changed = false;
    // Statements inside others have larger numbers.
    for at in (0..procedure.statements.len()).rev() {
        let statement = &mut procedure.statements[at];
        let all_idle = |block: &Block| block.iter().all(|id| idle[id.0 as usize]);
        let does_nothing = match &statement.form {
            Form::Skip => true,
            Form::Assign { targets, constrain: None, others: None, .. } => {
                targets.iter().flatten().all(|target| dropped(*target))
            }
            Form::Dead(vars) => vars.iter().all(|var| dropped(*var)),
            Form::If { then, otherwise, .. } if all_idle(then) && all_idle(otherwise) => {
                statement.form = Form::Skip;
                changed = true;
                true
            }
            _ => false,
        };
        let plain = statement.labels.is_empty() && !statement.target;
        idle[at] = does_nothing && plain && !jumped_to.contains(&StatementId(at as u32));
    }
    let made = |var: &Var| match var {
        Var::Local(local) => procedure.locals[*local as usize].name.starts_with('.'),
        Var::Shared(_) | Var::Own(_) => false,
    };
    let left_out = procedure.statements.iter().zip(idle).map(|(statement, idle)| {
        let silent = match &statement.form {
            Form::Assign { targets, .. } => targets.iter().flatten().all(made),
            Form::Dead(_) => true,
            _ => false,
        };
        idle && silent
    });
    let left_out = left_out.collect::<Vec<_>>();
    let mut keep = |block: &mut Block| {
        let count = block.len();
        block.retain(|id| !left_out[id.0 as usize]);
        changed |= block.len() < count;
    };
    keep(&mut procedure.body);
    for statement in &mut procedure.statements {
        match &mut statement.form {
            Form::If { then, otherwise, .. } => {
                keep(then);
                keep(otherwise);
            }
            Form::While { body, .. } => keep(body),
            _ => {}
        }
    }
    changed
}

/// The variables whose values matter: something depends on them, or they must have a value that fits.
fn read(program: &mut Program, whole: bool) -> HashSet<Key> {
    // For each variable those that it is computed from.
    let mut from: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
    let mut work = Vec::new();
    let needed =
        |at: usize, expression: &Expr| expression.variables().map(|var| key(at, var)).collect::<Vec<_>>();
    for (at, procedure) in program.procedures.iter().enumerate() {
        work.extend((0..procedure.parameters).map(|parameter| key(at, Var::Local(parameter))));
        for statement in &procedure.statements {
            let Form::Assign { targets, values, constrain, others } = &statement.form else {
                let mut form = statement.form.clone();
                work.extend(expressions(&mut form).into_iter().flat_map(|expression| needed(at, expression)));
                if let Form::Call { targets, .. } = &statement.form {
                    work.extend(targets.iter().flatten().map(|target| key(at, *target)));
                }
                if matches!(statement.form, Form::Constrain(_)) {
                    work.extend(program.visible(ProcedureId(at as u32)).map(|var| key(at, var)));
                }
                continue;
            };
            work.extend(constrain.iter().flat_map(|constrain| needed(at, constrain)));
            if let Some(others) = others {
                work.extend(others.theirs().chain(others.of_the_running()).map(|var| key(at, var)));
            }
            for (target, value) in targets.iter().zip(values) {
                let Some(target) = *target else { continue };
                let id = ProcedureId(at as u32);
                let domain = program.domain(id, target);
                let fits = match value.interval(|var| program.domain(id, var)) {
                    Some(interval) => domain.takes(interval),
                    None => true,
                };
                // A run that ends because a variable of the front end does not take a value ends for a reason.
                let made = program.variable(id, target).name.starts_with('.');
                if (made || whole) && !fits || domain.count() == 1 {
                    work.push(key(at, target));
                }
                from.entry(key(at, target)).or_default().extend(needed(at, value));
            }
        }
    }
    let mut read: HashSet<Key> = HashSet::new();
    while let Some(key) = work.pop() {
        if read.insert(key) {
            work.extend(from.get(&key).into_iter().flatten());
        }
    }
    read
}

/// What is known of variables that are copied to each other.
#[derive(Clone, Default)]
struct Values {
    assigned: BTreeSet<i64>,
    compared: BTreeSet<i64>,
    /// Compared by order, not only for being equal.
    ordered: bool,
    /// It can have any value.
    any: bool,
    /// It gets other values, too.
    other: bool,
    /// It is read in other ways.
    seen: bool,
}

/// Variables that are copied to each other stand for one another.
struct Classes {
    parent: BTreeMap<Key, Key>,
    values: BTreeMap<Key, Values>,
}

impl Classes {
    fn of(&mut self, key: Key) -> Key {
        let mut class = key;
        while let Some(parent) = self.parent.get(&class) {
            class = *parent;
        }
        // The way is short the next time.
        let mut at = key;
        while let Some(parent) = self.parent.get_mut(&at) {
            at = std::mem::replace(parent, class);
        }
        class
    }

    fn values(&mut self, key: Key) -> &mut Values {
        let class = self.of(key);
        self.values.entry(class).or_default()
    }

    fn join(&mut self, one: Key, other: Key) {
        let (one, other) = (self.of(one), self.of(other));
        if one == other {
            return;
        }
        let moved = self.values.remove(&other).unwrap_or_default();
        self.parent.insert(other, one);
        let values = self.values(one);
        values.assigned.extend(moved.assigned);
        values.compared.extend(moved.compared);
        values.ordered |= moved.ordered;
        values.any |= moved.any;
        values.other |= moved.other;
        values.seen |= moved.seen;
    }
}

fn drop_far_values(program: &mut Program, named: &BTreeSet<String>) {
    let matters = unseen(program);
    let mut classes = Classes { parent: BTreeMap::new(), values: BTreeMap::new() };
    for (key, variable) in variables(program) {
        let values = classes.values(key);
        values.seen |= named.contains(spoken(&variable.name)) || matters.contains(&key);
        // What the front end makes gets a value before it is read.
        values.any |= variable.initial.is_none() && !variable.name.starts_with('.');
        values.assigned.extend(variable.initial);
    }
    for at in 0..program.procedures.len() {
        let id = ProcedureId(at as u32);
        (0..program.procedures[at].parameters)
            .for_each(|parameter| classes.values(key(at, Var::Local(parameter))).other = true);
        for statement in &program.procedures[at].statements {
            let mut form = statement.form.clone();
            for expression in expressions(&mut form) {
                for (var, constant, op) in compared(expression) {
                    let values = classes.values(key(at, var));
                    values.compared.insert(constant);
                    values.ordered |= !matches!(op, Op::Equal | Op::Differ);
                }
            }
            match &statement.form {
                Form::Dead(vars) => vars.iter().for_each(|var| classes.values(key(at, *var)).any = true),
                Form::Call { targets, .. } => {
                    targets.iter().flatten().for_each(|var| classes.values(key(at, *var)).other = true);
                }
                Form::Constrain(_) => {
                    program.visible(id).for_each(|var| classes.values(key(at, var)).other = true);
                }
                Form::Assign { targets, values, others, .. } => {
                    let changed = others.iter().flat_map(|others| others.theirs());
                    changed.for_each(|var| classes.values(key(at, var)).other = true);
                    for (target, value) in targets.iter().zip(values) {
                        let Some(target) = *target else { continue };
                        let domain = program.domain(id, target);
                        match value.code[..] {
                            [Op::Number(value)] if domain.values().contains(&value) => {
                                classes.values(key(at, target)).assigned.insert(value);
                            }
                            // The run ends there, with fewer values too.
                            [Op::Number(_)] if matches!(domain, Domain::Range { wraps: false, .. }) => {}
                            [Op::Nondet] => classes.values(key(at, target)).any = true,
                            // Where both have as many values, nothing wraps around.
                            [Op::Old(from)] if program.domain(id, from).interval() == domain.interval() => {
                                classes.join(key(at, target), key(at, from));
                            }
                            _ => classes.values(key(at, target)).other = true,
                        }
                    }
                }
                Form::Skip
                | Form::Return(_)
                | Form::Goto(_)
                | Form::If { .. }
                | Form::While { .. }
                | Form::Assume(_)
                | Form::Assert(_)
                | Form::AtomicBegin
                | Form::AtomicEnd
                | Form::Start { .. }
                | Form::EndThread => {}
            }
        }
    }
    for (key, variable) in variables(program) {
        let class = classes.of(key);
        let values = &classes.values[&class];
        if let (false, Domain::Range { low, high, .. }) = (values.other, &variable.domain)
            && let Some(fewer) = fewer(values, *low, *high)
        {
            variable.domain = fewer;
        }
    }
}

/// The numbers that are needed, of those from `low` to `high`.
fn fewer(values: &Values, low: i64, high: i64) -> Option<Domain> {
    let mut needed = values.assigned.clone();
    if values.any && values.seen {
        return None;
    }
    if values.any {
        let first = *values.compared.first().unwrap_or(&low.max(0));
        let last = values.compared.last().map_or(first, |last| last.saturating_add(1));
        let before = if values.ordered { first.saturating_sub(1) } else { first };
        needed.extend([before, last]);
    }
    let (first, last) = (*needed.first()?, *needed.last()?);
    Some(Domain::Range { low: first.clamp(low, high), high: last.clamp(low, high), wraps: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_on_either_side_of_what_is_compared_is_kept() {
        let values = |assigned: &[i64], compared: &[i64], ordered, any| Values {
            assigned: assigned.iter().copied().collect(),
            compared: compared.iter().copied().collect(),
            ordered,
            any,
            other: false,
            seen: false,
        };
        let range = |low, high| Some(Domain::Range { low, high, wraps: false });
        assert_eq!(fewer(&values(&[0, 1], &[5], true, false), -8, 7), range(0, 1));
        assert_eq!(fewer(&values(&[], &[0], false, true), -8, 7), range(0, 1));
        assert_eq!(fewer(&values(&[], &[0], true, true), -8, 7), range(-1, 1));
        assert_eq!(fewer(&values(&[], &[0, 4], true, true), 0, 15), range(0, 5));
        assert_eq!(fewer(&values(&[3], &[], false, true), -8, 7), range(0, 3));
        let seen = |values: Values| Values { seen: true, ..values };
        assert_eq!(fewer(&seen(values(&[1, 3], &[], false, false)), -8, 7), range(1, 3));
        assert_eq!(fewer(&seen(values(&[1, 3], &[2], false, true)), -8, 7), None);
    }
}
