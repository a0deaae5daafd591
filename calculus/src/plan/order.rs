//! The order in which a rule's atoms are joined, and when each variable can be forgotten.
//!
//! The first atom is the one whose new rows are being followed; then always the atom that opens the fewest keys which
//! another atom might bind, and leaves the fewest bits to be carried on when all that nobody needs is forgotten. Conditions
//! come as soon as their variables are bound. A symbolic variable is quantified in the step after which nobody needs it; a
//! key is dropped there.

use super::operations::{KeySource, OutKey};
use crate::check::tree::Comparison;
use crate::elaborate::core::{Arg, Atom, Constraint, Operand, Rule};
use crate::sort::{SortId, Sorts};
use crate::space::code;

/// What is done in a step; atoms and constraints are named by their positions in the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleStepKind {
    /// Join with an atom (or remove what a negative atom has).
    Atom(usize),
    /// Keep what satisfies a constraint.
    Constraint(usize),
    /// Let a variable range over its sort.
    Domain(usize),
    /// A key from a constraint `key + n = other` whose other side has only bound keys.
    Compute {
        /// The equation.
        constraint: usize,
        /// The key.
        var: usize,
    },
}

impl RuleStepKind {
    /// The variables that the step mentions.
    pub fn vars(&self, rule: &Rule) -> Vec<usize> {
        vars_of(rule, self)
    }
}

/// How many tuples an atom has for each choice of the variables that are bound, about.
pub type FanOut<'f> = &'f dyn Fn(&Atom, &[bool]) -> u64;

/// The steps of a rule whose sorts are all keys, beginning with the atom `seed` if there is one. Of atoms that are as good
/// otherwise, the one with the fewest tuples to look at is next.
pub fn explicit_steps(sorts: &Sorts, rule: &Rule, seed: Option<usize>, fan_out: FanOut) -> Vec<RuleStepKind> {
    order(sorts, rule, (seed, &[]), fan_out)
}

#[derive(Clone, Debug)]
pub(super) struct RuleStep {
    pub kind: RuleStepKind,
    /// For an atom: where its key columns get their values, column by column (symbolic columns excluded).
    pub keys: Vec<KeySource>,
    /// The key variables bound after the step, and where their values come from.
    pub out: Vec<(usize, OutKey)>,
    /// Symbolic variables to quantify in this step.
    pub forget: Vec<usize>,
}

impl RuleStep {
    /// The variables that the step mentions: bound from then on.
    pub fn binds(&self, rule: &Rule) -> Vec<usize> {
        vars_of(rule, &self.kind)
    }
}

/// The steps of a rule, beginning with the atom `seed` if there is one. Atoms in `skip` are left out.
pub(super) fn steps(sorts: &Sorts, rule: &Rule, seed: Option<usize>, skip: &[usize]) -> Vec<RuleStep> {
    let kinds = order(sorts, rule, (seed, skip), &|_, _| 0);
    let uses = kinds.iter().map(|kind| vars_of(rule, kind)).collect::<Vec<_>>();
    let mut needed_later = vec![vec![false; rule.vars.len()]; kinds.len()];
    let mut needed = vec![false; rule.vars.len()];
    for arg in &rule.head {
        if let Arg::Var(var) = arg {
            needed[*var] = true;
        }
    }
    for at in (0..kinds.len()).rev() {
        needed_later[at].clone_from(&needed);
        uses[at].iter().for_each(|&var| needed[var] = true);
    }
    let keyed = |var: usize| sorts.is_keyed(rule.vars[var].sort);
    let mut before: Vec<usize> = Vec::new();
    let mut alive = vec![false; rule.vars.len()];
    let mut steps = Vec::new();
    for (at, kind) in kinds.into_iter().enumerate() {
        let mut keys = Vec::new();
        let mut sources: Vec<(usize, OutKey)> =
            before.iter().enumerate().map(|(position, &var)| (var, OutKey::Before(position))).collect();
        match &kind {
            RuleStepKind::Atom(atom) => keys = atom_keys(sorts, rule, *atom, &before, &mut sources),
            RuleStepKind::Domain(var) | RuleStepKind::Compute { var, .. } if keyed(*var) => {
                sources.push((*var, OutKey::Own))
            }
            _ => {}
        }
        uses[at].iter().for_each(|&var| alive[var] = true);
        let forget = (0..rule.vars.len())
            .filter(|&var| alive[var] && !needed_later[at][var] && !keyed(var))
            .collect::<Vec<_>>();
        forget.iter().for_each(|&var| alive[var] = false);
        let out = sources.into_iter().filter(|(var, _)| needed_later[at][*var]).collect::<Vec<_>>();
        before = out.iter().map(|(var, _)| *var).collect();
        steps.push(RuleStep { kind, keys, out, forget });
    }
    steps
}

fn atom_keys(
    sorts: &Sorts,
    rule: &Rule,
    atom: usize,
    before: &[usize],
    sources: &mut Vec<(usize, OutKey)>,
) -> Vec<KeySource> {
    let mut keys = Vec::new();
    let mut bound_here: Vec<(usize, usize)> = Vec::new();
    for (arg, sort) in key_args(sorts, rule, atom) {
        let position = keys.len();
        keys.push(match arg {
            Arg::Const(value) => KeySource::Const(code(sorts, sort, value) as u32),
            Arg::Var(var) => match before.iter().position(|bound| bound == var) {
                Some(at) => KeySource::Bound(at),
                None => match bound_here.iter().find(|(bound, _)| bound == var) {
                    Some((_, column)) => KeySource::Same(*column),
                    None => {
                        bound_here.push((*var, position));
                        sources.push((*var, OutKey::Column(position)));
                        KeySource::Free
                    }
                },
            },
        });
    }
    keys
}

/// The arguments at key columns, with the columns' sorts.
fn key_args<'r>(sorts: &Sorts, rule: &'r Rule, atom: usize) -> Vec<(&'r Arg, SortId)> {
    let atom = &rule.atoms[atom];
    atom.args
        .iter()
        .zip(atom.sorts.iter())
        .map(|(arg, sort)| (arg, *sort))
        .filter(|(_, sort)| sorts.is_keyed(*sort))
        .collect()
}

fn vars_of(rule: &Rule, kind: &RuleStepKind) -> Vec<usize> {
    let mut out = Vec::new();
    match kind {
        RuleStepKind::Atom(atom) => out.extend(rule.atoms[*atom].args.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            Arg::Const(_) => None,
        })),
        RuleStepKind::Constraint(at) | RuleStepKind::Compute { constraint: at, .. } => {
            rule.constraints[*at].vars(&mut |var| out.push(var))
        }
        RuleStepKind::Domain(var) => out.push(*var),
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The steps in order, beginning with one atom if there is one, without some.
fn order(
    sorts: &Sorts,
    rule: &Rule,
    (seed, skip): (Option<usize>, &[usize]),
    fan_out: FanOut,
) -> Vec<RuleStepKind> {
    let mut bound = vec![false; rule.vars.len()];
    let mut out = Vec::new();
    let mut atoms =
        (0..rule.atoms.len()).filter(|at| Some(*at) != seed && !skip.contains(at)).collect::<Vec<_>>();
    let mut constraints = (0..rule.constraints.len()).collect::<Vec<_>>();
    let keyed = |var: usize| sorts.is_keyed(rule.vars[var].sort);
    let mut next = seed.map(RuleStepKind::Atom);
    loop {
        if let Some(kind) = next.take() {
            vars_of(rule, &kind).into_iter().for_each(|var| bound[var] = true);
            out.push(kind);
        }
        // What only filters comes first.
        let ready = |vars: Vec<usize>, bound: &[bool]| vars.into_iter().all(|var| bound[var]);
        if let Some(at) =
            constraints.iter().position(|&c| ready(vars_of(rule, &RuleStepKind::Constraint(c)), &bound))
        {
            next = Some(RuleStepKind::Constraint(constraints.remove(at)));
            continue;
        }
        if let Some(at) = atoms
            .iter()
            .position(|&a| rule.atoms[a].negative && ready(vars_of(rule, &RuleStepKind::Atom(a)), &bound))
        {
            next = Some(RuleStepKind::Atom(atoms.remove(at)));
            continue;
        }
        // Equations that bind: a key is computed, bits are constrained.
        if let Some((at, kind)) = constraints
            .iter()
            .enumerate()
            .find_map(|(at, &c)| binding(rule, c, &bound, &keyed).map(|kind| (at, kind)))
        {
            constraints.remove(at);
            next = Some(kind);
            continue;
        }
        let mut positive = atoms.iter().enumerate().filter(|(_, a)| !rule.atoms[**a].negative).peekable();
        let first = positive.next();
        let is_choice = positive.peek().is_some();
        let best = first.into_iter().chain(positive).min_by_key(|(_, a)| {
            let vars = vars_of(rule, &RuleStepKind::Atom(**a));
            let rest = Rest { rule, atoms: &atoms, constraints: &constraints, but: **a };
            // A key that only this atom has must be looked for sooner or later.
            let open_keys = vars.iter().filter(|&&var| keyed(var) && !bound[var] && rest.binds(var)).count();
            let shared = vars.iter().filter(|&&var| bound[var]).count();
            let apart = usize::from(!out.is_empty() && shared == 0 && !vars.is_empty());
            let alive = |var: usize| (bound[var] || vars.contains(&var)) && !keyed(var) && rest.uses(var);
            let width: u64 = (0..rule.vars.len())
                .filter(|&var| alive(var))
                .map(|var| u64::from(sorts.bits(rule.vars[var].sort)))
                .sum();
            let tuples = if is_choice { fan_out(&rule.atoms[**a], &bound) } else { 0 };
            (apart, tuples, open_keys, width, std::cmp::Reverse(shared), **a)
        });
        if let Some((at, _)) = best {
            next = Some(RuleStepKind::Atom(atoms.remove(at)));
            continue;
        }
        // Whatever is still open ranges over its sort.
        let wanted = constraints.iter().flat_map(|&c| vars_of(rule, &RuleStepKind::Constraint(c)));
        let wanted = wanted.chain(atoms.iter().flat_map(|&a| vars_of(rule, &RuleStepKind::Atom(a))));
        let head = rule.head.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            Arg::Const(_) => None,
        });
        match wanted.chain(head).find(|&var| !bound[var]) {
            Some(var) => next = Some(RuleStepKind::Domain(var)),
            None => return out,
        }
    }
}

/// What is left of a rule when an atom has been joined.
struct Rest<'r> {
    rule: &'r Rule,
    atoms: &'r [usize],
    constraints: &'r [usize],
    but: usize,
}

impl Rest<'_> {
    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.atoms.iter().filter(|at| **at != self.but).map(|at| &self.rule.atoms[*at])
    }

    /// Whether another atom can bind a variable.
    fn binds(&self, var: usize) -> bool {
        self.atoms().any(|atom| !atom.negative && atom.args.contains(&Arg::Var(var)))
    }

    /// Whether a variable is still needed.
    fn uses(&self, var: usize) -> bool {
        self.rule.head.contains(&Arg::Var(var))
            || self.atoms().any(|atom| atom.args.contains(&Arg::Var(var)))
            || self
                .constraints
                .iter()
                .any(|&at| vars_of(self.rule, &RuleStepKind::Constraint(at)).contains(&var))
    }
}

/// Whether a positive comparison can bind what is open in it: for bits it holds only of values of the sorts; for a key,
/// an equation `key + n = other` gives its value if everything else is a bound key.
fn binding(rule: &Rule, at: usize, bound: &[bool], keyed: &impl Fn(usize) -> bool) -> Option<RuleStepKind> {
    let Constraint::Compare(comparison, left, right) = &rule.constraints[at] else { return None };
    let vars = |operand: &Operand| {
        let mut vars = Vec::new();
        operand.vars(&mut |var| vars.push(var));
        vars
    };
    let sides = [left, right].map(|side| (side, vars(side)));
    for ((own, inside), (_, others)) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
        let mut open = inside.iter().copied().filter(|var| !bound[*var]);
        // One variable at most, so that no others are joined before an atom binds them.
        let (Some(var), None) = (open.next(), open.next()) else { continue };
        if others.iter().any(|other| !bound[*other]) {
            continue;
        }
        if !keyed(var) {
            return Some(RuleStepKind::Constraint(at));
        }
        let alone = own.as_shift().is_some() && others.iter().all(|other| keyed(*other));
        if *comparison == Comparison::Eq && alone {
            return Some(RuleStepKind::Compute { constraint: at, var });
        }
    }
    None
}
