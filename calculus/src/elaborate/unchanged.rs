//! Which relations of a system are defined as in another one: those that deepening a parameter leaves alone.
//!
//! A relation has the same solution in both systems if its definition reads the same and so does, in turn,
//! everything that it rests on. Relations are known by their names, auxiliary ones by whose they are and in
//! which order they were made.

use super::core::{Constraint, Core, CoreBody, Operand, Rule, Summand};
use crate::check::number::Number;
use crate::check::tree::RelId;
use crate::index::IdVec;
use crate::sort::SortId;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::rc::Rc;

/// For each relation of `new` the relation of `old` that is the same, if there is one.
pub fn unchanged(old: &Core, new: &Core) -> IdVec<RelId, Option<RelId>> {
    let (old_names, new_names) = (names(old), names(new));
    let by_name = old_names.entries().map(|(at, name)| (name, at)).collect::<FxHashMap<_, _>>();
    let mut same = new_names.map(|(at, name)| {
        let before = *by_name.get(name)?;
        (text(old, before, &old_names) == text(new, at, &new_names)).then_some(before)
    });
    // What rests on something that changed has changed.
    let mut users = new.relations.filled(Vec::new());
    for at in new.relations.ids() {
        new.atoms(at).for_each(|atom| users[atom.relation].push(at));
    }
    let mut changed = new.relations.ids().filter(|&at| same[at].is_none()).collect::<Vec<_>>();
    while let Some(at) = changed.pop() {
        for &user in &users[at] {
            if same[user].take().is_some() {
                changed.push(user);
            }
        }
    }
    same
}

fn names(core: &Core) -> IdVec<RelId, String> {
    let mut made = core.relations.filled(0);
    core.relations.map(|(at, relation)| {
        if !core.is_auxiliary(at) {
            return relation.title.clone();
        }
        made[relation.owner] += 1;
        format!("{}.{}", core.relations[relation.owner].title, made[relation.owner])
    })
}

/// A definition in words that mean the same in every system.
fn text(core: &Core, at: RelId, names: &IdVec<RelId, String>) -> String {
    let relation = &core.relations[at];
    let mut out = String::new();
    for column in &relation.columns {
        sort(core, column.sort, &mut out);
    }
    match &relation.body {
        CoreBody::Facts(rows) => write_to(&mut out, format_args!("{rows:?}")),
        CoreBody::Model(rows) => write_to(&mut out, format_args!("{:p}", Rc::as_ptr(rows))),
        CoreBody::Rules { kind, rules, .. } => {
            write_to(&mut out, format_args!("{kind:?}"));
            rules.iter().for_each(|one| rule(core, one, names, &mut out));
        }
    }
    out
}

fn rule(core: &Core, rule: &Rule, names: &IdVec<RelId, String>, out: &mut String) {
    write_to(out, format_args!("\n{} {:?} ", rule.clause, rule.head));
    rule.vars.iter().for_each(|var| sort(core, var.sort, out));
    for atom in &rule.atoms {
        let name = &names[atom.relation];
        write_to(out, format_args!(" {}{name}{:?}", if atom.negative { "!" } else { "" }, atom.args));
    }
    rule.constraints.iter().for_each(|one| constraint(core, one, out));
}

fn constraint(core: &Core, condition: &Constraint, out: &mut String) {
    match condition {
        Constraint::Const(value) => write_to(out, format_args!(" {value}")),
        Constraint::Compare(how, left, right) => {
            write_to(out, format_args!(" {how:?}"));
            operand(core, left, out);
            operand(core, right, out);
        }
        Constraint::Defined(inner) => {
            out.push_str(" Defined");
            operand(core, inner, out);
        }
        Constraint::Not(inner) => {
            out.push_str(" Not");
            constraint(core, inner, out);
        }
        Constraint::And(parts) | Constraint::Or(parts) => {
            out.push_str(if matches!(condition, Constraint::And(_)) { " And(" } else { " Or(" });
            parts.iter().for_each(|part| constraint(core, part, out));
            out.push(')');
        }
    }
}

fn operand(core: &Core, operand: &Operand, out: &mut String) {
    number(core, &operand.number, out);
    sort(core, operand.sort, out);
}

fn number(core: &Core, of: &Number<Summand>, out: &mut String) {
    match of {
        Number::Of(part) => {
            write_to(out, format_args!(" {:?}", part.arg));
            sort(core, part.sort, out);
        }
        Number::Static(value) => write_to(out, format_args!(" {value}")),
        Number::Apply(op, parts) => {
            write_to(out, format_args!(" {op:?}("));
            parts.iter().for_each(|part| number(core, part, out));
            out.push(')');
        }
    }
}

/// Columns, variables and operands have scalar sorts, which mention no others.
fn sort(core: &Core, id: SortId, out: &mut String) {
    // Of a symbol sort, the name does not say how many texts it has.
    let (size, keyed) = (core.sorts.scalar_size(id), u8::from(core.sorts.is_keyed(id)));
    write_to(out, format_args!(" {:?}{size:?}{keyed}", core.sorts.get(id)));
}

fn write_to(out: &mut String, text: std::fmt::Arguments) {
    out.write_fmt(text).expect("a string takes everything");
}
