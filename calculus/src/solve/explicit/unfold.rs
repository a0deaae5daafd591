//! Definitions put in the place of their names.
//!
//! A definition may have far more tuples than anybody asks for: all pairs of a variable and an object whose types fit. Where
//! it is only asked whether some tuple is there, its rules answer that from the tuples of what they mention.

use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Atom, Core, Rule};
use std::borrow::Cow;

/// So many rules may come of one.
const MOST_RULES: usize = 8;

/// A rule may have so many atoms then.
const MOST_ATOMS: usize = 64;

/// So many names are replaced at most, also where nothing comes of it.
const MOST_STEPS: usize = 64;

/// The rules that say the same as one, and mention only what has tuples; nothing if there are none.
pub(super) fn unfold<'a>(
    core: &Core,
    rule: &'a Rule,
    has_tuples: &impl Fn(RelId) -> bool,
    is_recursive: &impl Fn(RelId) -> bool,
) -> Option<Vec<Cow<'a, Rule>>> {
    let (mut done, mut work, mut steps) = (Vec::new(), vec![Cow::Borrowed(rule)], 0);
    while let Some(rule) = work.pop() {
        let Some(at) = rule.atoms.iter().position(|atom| !has_tuples(atom.relation)) else {
            done.push(rule);
            continue;
        };
        let atom = &rule.atoms[at];
        let definition = core.rules(atom.relation);
        let is_question = atom.args.iter().all(|arg| is_bound_elsewhere(&rule, at, arg, has_tuples));
        let is_defined = core.is_defined(atom.relation) && !is_recursive(atom.relation);
        steps += 1;
        let is_too_much = rule.atoms.len() > MOST_ATOMS || steps > MOST_STEPS;
        if atom.negative || !is_question || !is_defined || is_too_much {
            return None;
        }
        for other in definition {
            work.push(Cow::Owned(replaced(&rule, at, other)?));
        }
        if done.len() + work.len() > MOST_RULES {
            return None;
        }
    }
    Some(done)
}

/// Whether a definition can be put in the place of its name wherever it is mentioned, which is somewhere.
pub(super) fn is_only_asked(core: &Core, at: RelId, is_recursive: bool) -> bool {
    let rules = core.relations.ids().flat_map(|other| core.rules(other));
    let mut mentions = rules.flat_map(|rule| {
        rule.atoms
            .iter()
            .enumerate()
            .filter(|(_, atom)| atom.relation == at)
            .map(move |(number, _)| (rule, number))
    });
    let is_question = |rule: &Rule, number: usize| {
        let atom = &rule.atoms[number];
        !atom.negative
            && atom.args.iter().all(|arg| is_bound_elsewhere(rule, number, arg, &|other| other != at))
    };
    let is_asked = mentions.next().is_some_and(|(rule, number)| is_question(rule, number))
        && mentions.all(|(rule, number)| is_question(rule, number));
    is_asked && !is_recursive
}

/// Whether an argument of an atom is a constant or has its values from other atoms with tuples.
fn is_bound_elsewhere(rule: &Rule, at: usize, arg: &Arg, has_tuples: &impl Fn(RelId) -> bool) -> bool {
    let others = rule.atoms.iter().enumerate().filter(|(other, _)| *other != at);
    let mut binding = others.filter(|(_, atom)| !atom.negative && has_tuples(atom.relation));
    matches!(arg, Arg::Const(_)) || binding.any(|(_, atom)| atom.args.contains(arg))
}

/// The rule with one of its atoms replaced by a rule for it; nothing if that has no variable for each column.
fn replaced(rule: &Rule, at: usize, by: &Rule) -> Option<Rule> {
    let mut out = rule.clone();
    let atom = out.atoms.remove(at);
    let mut args: Vec<Option<Arg>> = vec![None; by.vars.len()];
    for (column, arg) in by.head.iter().zip(&atom.args) {
        match column {
            Arg::Var(var) if args[*var].is_none() => args[*var] = Some(arg.clone()),
            _ => return None,
        }
    }
    let args = args.into_iter().zip(&by.vars).map(|(arg, scalar)| {
        arg.unwrap_or_else(|| {
            out.vars.push(*scalar);
            Arg::Var(out.vars.len() - 1)
        })
    });
    let args = args.collect::<Vec<_>>();
    let own = |arg: &Arg| match arg {
        Arg::Var(var) => args[*var].clone(),
        Arg::Const(_) => arg.clone(),
    };
    out.atoms.extend(
        by.atoms.iter().map(|atom| Atom { args: atom.args.iter().map(own).collect(), ..atom.clone() }),
    );
    out.constraints.extend(by.constraints.iter().map(|constraint| constraint.map(&own)));
    Some(out)
}
