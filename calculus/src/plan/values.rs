//! Which values a column can have at all, as far as rules and rows of models tell column by column.
//!
//! The steps of all threads are one relation of a model, and which of them are steps of the thread that a rule is about is
//! said by other atoms. So values of numbered sorts are followed from the rows through the rules. That the values of
//! different columns go together in few ways is not seen. Nothing but the order of diagrams' variables rests on it.

use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Atom, Core, CoreBody, Rule, RuleKind};
use crate::index::IdVec;
use crate::sort::{SortId, Sorts, Value};
use crate::space::code;
use crate::vocabulary::Row;
use std::collections::BTreeSet;

/// The codes that a scalar may have; nothing if all.
pub type Codes = Option<BTreeSet<u64>>;

/// So many rows and arguments are looked at; if there are more to look at, nothing is known.
const BOUND: usize = 1 << 20;

/// The values of all columns.
pub struct Values<'a> {
    core: &'a Core,
    columns: IdVec<RelId, Vec<Codes>>,
    looked_at: usize,
}

impl<'a> Values<'a> {
    /// Solves all components in order; nothing if that takes too long.
    pub fn new(core: &'a Core, parts: &[Vec<RelId>]) -> Option<Values<'a>> {
        let columns = core.relations.map(|(_, relation)| match &relation.body {
            CoreBody::Rules { kind: RuleKind::Mu | RuleKind::Inline, .. } => {
                vec![Some(BTreeSet::new()); relation.columns.len()]
            }
            _ => vec![None; relation.columns.len()],
        });
        let mut values = Values { core, columns, looked_at: 0 };
        for part in parts {
            while part.iter().any(|&at| values.grow(at)) {
                if values.looked_at > BOUND {
                    return None;
                }
            }
        }
        Some(values)
    }

    /// Evaluates the rules of a relation; whether there was something new.
    fn grow(&mut self, at: RelId) -> bool {
        let mut new = false;
        for rule in self.core.rules(at) {
            let Some(found) = self.of_rule(rule) else { continue };
            for (column, arg) in rule.head.iter().enumerate() {
                let sort = self.core.relations[at].columns[column].sort;
                let codes = match arg {
                    Arg::Var(var) => found[*var].clone(),
                    Arg::Const(value) => constant(&self.core.sorts, sort, value),
                };
                let known = &mut self.columns[at][column];
                match (known.as_mut(), codes) {
                    (None, _) => {}
                    (Some(_), None) => {
                        *known = None;
                        new = true;
                    }
                    (Some(there), Some(codes)) => {
                        let before = there.len();
                        there.extend(codes);
                        new |= there.len() > before;
                    }
                }
            }
        }
        new
    }

    /// The values of a rule's variables; nothing if there are none.
    pub fn of_rule(&mut self, rule: &Rule) -> Option<Vec<Codes>> {
        let mut vars: Vec<Codes> = vec![None; rule.vars.len()];
        let positive = || rule.atoms.iter().filter(|atom| !atom.negative);
        let core = self.core;
        self.looked_at += rule.head.len() + positive().map(|atom| atom.args.len()).sum::<usize>();
        for atom in positive() {
            for (arg, codes) in atom.args.iter().zip(&self.columns[atom.relation]) {
                if let Arg::Var(var) = arg {
                    narrow(&mut vars[*var], codes);
                }
            }
        }
        // Twice: what one atom says narrows the rows of those before it.
        for atom in positive().chain(positive()) {
            if let CoreBody::Model(rows) = &core.relations[atom.relation].body {
                self.looked_at += rows.len();
                let fitting = rows.iter().filter(|row| fits(core, atom, row, &vars)).collect::<Vec<_>>();
                for (leaf, arg) in atom.args.iter().enumerate() {
                    if let Arg::Var(var) = arg {
                        let codes = fitting.iter().map(|row| fixed(core, atom, row, leaf));
                        narrow(&mut vars[*var], &codes.collect());
                    }
                }
            }
        }
        let empty = vars.iter().flatten().any(BTreeSet::is_empty);
        (!empty).then_some(vars)
    }
}

fn narrow(codes: &mut Codes, other: &Codes) {
    match (codes.as_mut(), other) {
        (_, None) => {}
        (None, Some(_)) => codes.clone_from(other),
        (Some(codes), Some(other)) => codes.retain(|code| other.contains(code)),
    }
}

fn constant(sorts: &Sorts, sort: SortId, value: &Value) -> Codes {
    match value {
        Value::Bits(_) => None,
        value => Some(BTreeSet::from([code(sorts, sort, value)])),
    }
}

/// The code that a row fixes for a column.
fn fixed(core: &Core, atom: &Atom, row: &Row, leaf: usize) -> Option<u64> {
    let (_, value) = row.fixed.iter().find(|(at, _)| usize::from(*at) == leaf)?;
    match value {
        Value::Bits(_) => None,
        value => Some(code(&core.sorts, atom.sorts[leaf], value)),
    }
}

/// Whether a row has values that the variables of an atom may have.
pub fn fits(core: &Core, atom: &Atom, row: &Row, vars: &[Codes]) -> bool {
    row.fixed.iter().all(|(leaf, value)| {
        let leaf = usize::from(*leaf);
        match (&atom.args[leaf], value) {
            (_, Value::Bits(_)) => true,
            (Arg::Const(other), value) => other == value,
            (Arg::Var(var), value) => {
                let code = code(&core.sorts, atom.sorts[leaf], value);
                vars[*var].as_ref().is_none_or(|codes| codes.contains(&code))
            }
        }
    })
}
