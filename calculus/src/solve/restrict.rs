//! Rules with some of their variables settled, and the values that the others can have.

use super::bind::bind;
use super::evaluate;
use super::solver::Solver;
use crate::bdd::Stop;
use crate::elaborate::core::{Arg, Constraint, Rule, RuleId};
use crate::plan::RuleToPlan;
use crate::relation::Key;
use crate::sort::{SortId, Value};
use crate::space::{Place, decode, value_of};

/// A rule with some head columns settled, whose head lists the variables that are open: those that its atoms mention, and
/// all if it has all of its atoms.
pub(super) struct Restricted {
    rule: Rule,
    open: Vec<usize>,
    pub known: Vec<Option<Value>>,
}

/// The atoms of a rule in the order of the text.
pub fn text_order(rule: &Rule) -> Vec<usize> {
    let mut order = (0..rule.atoms.len()).collect::<Vec<_>>();
    order.sort_by_key(|&at| rule.atoms[at].site.span.start);
    order
}

/// The rule with what is known of its head, and only the first atoms of the text; nothing if that contradicts itself.
pub(super) fn restricted(
    sorts: &crate::sort::Sorts,
    rule: &Rule,
    head: &[Option<Value>],
    atoms: usize,
) -> Option<Restricted> {
    let mut kept = text_order(rule);
    kept.truncate(atoms);
    let whole = atoms >= rule.atoms.len();
    restricted_to(sorts, rule, head, kept, whole)
}

/// The rule with what is known of its head, and only these atoms; `whole` has all variables in the head.
pub(super) fn restricted_to(
    sorts: &crate::sort::Sorts,
    rule: &Rule,
    head: &[Option<Value>],
    mut kept: Vec<usize>,
    whole: bool,
) -> Option<Restricted> {
    let mut known: Vec<Option<Value>> = vec![None; rule.vars.len()];
    for (arg, value) in rule.head.iter().zip(head) {
        let Some(value) = value else { continue };
        match arg {
            Arg::Const(own) if own != value => return None,
            Arg::Const(_) => {}
            Arg::Var(var) => match &known[*var] {
                Some(other) if other != value => return None,
                _ => known[*var] = Some(value.clone()),
            },
        }
    }
    let settle = |arg: &Arg| match arg {
        Arg::Var(var) => known[*var].clone().map_or_else(|| arg.clone(), Arg::Const),
        Arg::Const(_) => arg.clone(),
    };
    let mut constraints = Vec::new();
    for constraint in &rule.constraints {
        match constraint.map(&settle).fold(sorts) {
            Constraint::Const(true) => {}
            Constraint::Const(false) => return None,
            other => constraints.push(other),
        }
    }
    kept.sort_unstable();
    let atoms = kept.iter().map(|&at| {
        let mut atom = rule.atoms[at].clone();
        atom.args = atom.args.iter().map(settle).collect();
        atom
    });
    let atoms = atoms.collect::<Vec<_>>();
    // What no atom so far mentions has no value yet. Three locations of a large program have billions of them.
    let mentioned = |var: &usize| whole || atoms.iter().any(|atom| atom.args.contains(&Arg::Var(*var)));
    let open = (0..rule.vars.len()).filter(|&var| known[var].is_none()).filter(mentioned).collect::<Vec<_>>();
    let head = open.iter().map(|&var| Arg::Var(var)).collect();
    let rule = Rule {
        head,
        atoms,
        constraints,
        clause: rule.clause,
        vars: rule.vars.clone(),
        leaves: rule.leaves.clone(),
    };
    Some(Restricted { rule, open, known })
}

impl Solver<'_> {
    /// The least solution of a rule whose head lists variables. Variables that were settled have their values.
    pub(super) fn solution(
        &mut self,
        id: RuleId,
        rule: &Restricted,
    ) -> Result<Option<Vec<Option<Value>>>, Stop> {
        Ok(self.solutions(id, rule, 1)?.pop())
    }

    /// The first solutions of a rule whose head lists variables, at most so many.
    pub(super) fn solutions(
        &mut self,
        id: RuleId,
        rule: &Restricted,
        most: usize,
    ) -> Result<Vec<Vec<Option<Value>>>, Stop> {
        let places = &self.planner.placement.vars[id.relation][id.number];
        let head = rule.open.iter().map(|&var| (places[var], rule.rule.vars[var].sort)).collect::<Vec<_>>();
        for atom in &rule.rule.atoms {
            if self.relations[atom.relation].has_all() && atom.negative {
                return Ok(Vec::new());
            }
        }
        let has_all = |position: &usize| self.relations[rule.rule.atoms[*position].relation].has_all();
        let skip = (0..rule.rule.atoms.len()).filter(has_all).collect::<Vec<_>>();
        let plan = self.planner.plan_of(RuleToPlan { rule: &rule.rule, places, head: &head }, None, &skip);
        let mut bound = bind(&self.space, &mut self.relations, &rule.rule, &plan)?;
        let mut rows = evaluate::evaluate(&self.space, &self.relations, &mut bound, None)?;
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        let symbolic = head.iter().flat_map(|(place, _)| self.space.place_vars(*place).to_vec());
        let symbolic = symbolic.collect::<Vec<_>>();
        let mut found = Vec::new();
        for (key, bits) in &rows {
            for assignment in bits.assignments(&symbolic).take(most - found.len()) {
                found.push(self.values(rule, &head, key, &assignment?));
            }
            if found.len() == most {
                break;
            }
        }
        Ok(found)
    }

    /// The values of a rule's variables, from the codes of its keys and the bits of the others.
    fn values(
        &self,
        rule: &Restricted,
        head: &[(Place, SortId)],
        key: &Key,
        bits: &[bool],
    ) -> Vec<Option<Value>> {
        let (mut keys, mut rest) = (key.iter(), bits);
        let mut values = rule.known.clone();
        for (&var, (place, sort)) in rule.open.iter().zip(head) {
            values[var] = Some(match place {
                Place::Key(_) => {
                    let code = keys.next().expect("a code for every key");
                    value_of(&self.space.sorts, *sort, u64::from(*code))
                }
                Place::Bits { .. } => {
                    let (own, others) = rest.split_at(self.space.place_vars(*place).len());
                    rest = others;
                    decode(&self.space.sorts, *sort, own)
                }
            });
        }
        values
    }
}
