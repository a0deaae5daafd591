//! What is known when the whole program is translated: which values nobody looks at, and which are read too early.

use crate::model::program::cfg::{Action, AssignedValue, Cfg, PlaceInText};
use crate::model::program::{Domain, Expr, Form, Op, ProcedureId, Program, Var};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A variable of a program: locals belong to a procedure.
pub type Key = (usize, Var);

pub fn key(procedure: usize, var: Var) -> Key {
    match var {
        Var::Local(_) => (procedure, var),
        Var::Shared(_) | Var::Own(_) => (usize::MAX, var),
    }
}

/// The variables for which it matters which number outside of the model they would have.
///
/// A number is compared with constants inside the model: then one outside behaves as the largest or the smallest one of the
/// model does. It is copied to a variable of the same domain: then that one counts. Anything else matters.
pub fn unseen(program: &Program) -> HashSet<Key> {
    let mut uses = Uses { program, copies: HashMap::new(), found: HashSet::new(), work: Vec::new() };
    for (at, procedure) in program.procedures.iter().enumerate() {
        for statement in &procedure.statements {
            uses.form(at, &statement.form);
        }
    }
    while let Some(found) = uses.work.pop() {
        for from in uses.copies.get(&found).cloned().unwrap_or_default() {
            uses.matters(from);
        }
    }
    uses.found
}

struct Uses<'p> {
    program: &'p Program,
    /// For each variable those that are copied to it.
    copies: HashMap<Key, Vec<Key>>,
    found: HashSet<Key>,
    work: Vec<Key>,
}

impl Uses<'_> {
    fn matters(&mut self, key: Key) {
        if self.found.insert(key) {
            self.work.push(key);
        }
    }

    fn form(&mut self, at: usize, form: &Form) {
        match form {
            Form::Skip
            | Form::Dead(_)
            | Form::Goto(_)
            | Form::AtomicBegin
            | Form::AtomicEnd
            | Form::EndThread => {}
            Form::Assign { targets, values, constrain, others: _ } => {
                for (target, value) in targets.iter().zip(values) {
                    match (target, &value.code[..]) {
                        (None, _) => {}
                        (Some(to), [Op::Old(from)]) => self.copy(at, *from, *to),
                        (Some(_), _) => self.expression(at, value),
                    }
                }
                constrain.iter().for_each(|constrain| self.expression(at, constrain));
            }
            Form::Constrain(expression) | Form::Assume(expression) | Form::Assert(expression) => {
                self.expression(at, expression);
            }
            Form::If { condition, .. } | Form::While { condition, .. } => self.expression(at, condition),
            Form::Call { arguments, .. } | Form::Return(arguments) | Form::Start { arguments, .. } => {
                arguments.iter().flat_map(Expr::variables).for_each(|var| self.matters(key(at, var)));
            }
        }
    }

    fn copy(&mut self, at: usize, from: Var, to: Var) {
        let id = ProcedureId(at as u32);
        let same = self.program.domain(id, from) == self.program.domain(id, to);
        match same {
            true => self.copies.entry(key(at, to)).or_default().push(key(at, from)),
            false => self.matters(key(at, from)),
        }
    }

    fn expression(&mut self, at: usize, expression: &Expr) {
        let domain = |var| self.program.domain(ProcedureId(at as u32), var);
        let harmless = |(var, value, _): &(Var, i64, Op)| inside(domain(*var), *value);
        let mut harmless = compared(expression).filter(harmless).map(|(var, ..)| var).collect::<Vec<_>>();
        let all = expression.variables().filter(|var| *domain(*var) != Domain::Bool).collect::<Vec<_>>();
        for var in all {
            match harmless.iter().position(|known| *known == var) {
                // One occurrence less.
                Some(known) => drop(harmless.swap_remove(known)),
                None => self.matters(key(at, var)),
            }
        }
    }
}

/// The variables that an expression compares with constants, by which operator.
pub fn compared(expression: &Expr) -> impl Iterator<Item = (Var, i64, Op)> + '_ {
    let code = &expression.code;
    (0..code.len()).filter_map(|place| {
        let (Op::Old(var) | Op::New(var)) = code[place] else { return None };
        let before = place.checked_sub(1).and_then(|before| code.get(before));
        match (before, code.get(place + 1), code.get(place + 2)) {
            (_, Some(Op::Number(value)), Some(op)) if compares(*op) => Some((var, *value, *op)),
            (Some(Op::Number(value)), Some(op), _) if compares(*op) => Some((var, *value, *op)),
            _ => None,
        }
    })
}

fn compares(op: Op) -> bool {
    matches!(op, Op::Less | Op::AtMost | Op::Greater | Op::AtLeast | Op::Equal | Op::Differ)
}

/// Whether a constant tells no number outside of a domain from the one at that end of it.
fn inside(domain: &Domain, value: i64) -> bool {
    // A number without a sign is never below.
    value < domain.high() && (value > domain.low() || domain.low() == 0)
}

/// Local variables that are read before they have a value, where it matters which.
pub fn uninitialised(program: &Program, unseen: &HashSet<Key>, width: u32) -> Vec<String> {
    let (cfg, _) = Cfg::build_spawning(program);
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for id in cfg.needed() {
        let procedure = program.procedure(id);
        let flow = cfg.flow(id);
        let count = procedure.locals.len();
        let declared = |at: usize| !procedure.locals[at].name.starts_with('.');
        let open = (procedure.parameters as usize..count)
            .filter(|at| procedure.locals[*at].initial.is_none() && declared(*at));
        let mut states: Vec<Option<HashSet<u32>>> = vec![None; flow.locations.len()];
        let roots = cfg.roots().filter(|(root, _)| *root == id).map(|(_, loc)| loc);
        let mut work = roots.chain([flow.entry]).collect::<Vec<_>>();
        work.iter().for_each(|loc| states[loc.index()] = Some(open.clone().map(|at| at as u32).collect()));
        while let Some(loc) = work.pop() {
            let before = states[loc.index()].clone().unwrap_or_default();
            for edge in flow.leaving(loc) {
                let mut after = before.clone();
                let mut reads = edge.guard.variables().collect::<Vec<_>>();
                if let Action::Assign { values, constraint, .. } = &edge.action {
                    let place = flow.locations[loc.index()].place;
                    let dead = matches!(place, PlaceInText::Before(statement)
                        if matches!(procedure.statement(statement).form, Form::Dead(_)));
                    for (var, value) in values {
                        if let AssignedValue::Is(value) = value {
                            reads.extend(value.variables());
                        }
                        let Var::Local(local) = var else { continue };
                        if dead {
                            after.insert(*local)
                        } else {
                            after.remove(local)
                        };
                    }
                    let old = constraint.iter().flat_map(|constraint| &constraint.code);
                    reads.extend(old.filter_map(|op| if let Op::Old(var) = op { Some(*var) } else { None }));
                }
                for var in reads {
                    let Var::Local(local) = var else { continue };
                    if before.contains(&local) && unseen.contains(&key(id.index(), var)) {
                        let name = &procedure.locals[local as usize].name;
                        let line = program.source.line(edge.span);
                        let why = format!(
                            "line {line}: `{name}` may have no value, and any value of {width} bits is taken"
                        );
                        found.entry(line).or_insert(why);
                    }
                }
                let known = &mut states[edge.to.index()];
                let larger = match known {
                    None => true,
                    Some(known) => !after.is_subset(known),
                };
                if larger {
                    known.get_or_insert_default().extend(after);
                    work.push(edge.to);
                }
            }
        }
    }
    found.into_values().collect()
}
