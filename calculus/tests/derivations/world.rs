//! The rules of a core over explicit sets of tuples, evaluated by trying.

use crate::oracle::{self, TooLarge};
use calculus::check::number::Number;
use calculus::check::tree::{Comparison, RelId, System};
use calculus::elaborate::core::{Arg, Atom, Constraint, Core, Operand, Rule, RuleKind, Summand};
use calculus::index::IdVec;
use calculus::sort::{Sort, SortId, Sorts, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Rows of scalar values.
pub type Rows = BTreeSet<Vec<Value>>;
/// For each member of a component, the round in which each tuple comes.
pub type Ranks = BTreeMap<RelId, BTreeMap<Vec<Value>, usize>>;

pub struct World<'c> {
    pub core: &'c Core,
    /// What each relation is: the oracle's tuples, and what those make of auxiliary relations.
    pub tables: IdVec<RelId, Rows>,
    /// Relations that depend on each other.
    pub parts: Vec<Vec<RelId>>,
    domains: BTreeMap<SortId, Vec<Value>>,
    steps: u64,
}

impl<'c> World<'c> {
    pub fn new(system: &System, core: &'c Core, steps: u64) -> Result<World<'c>, TooLarge> {
        let flat = |tuple: &Vec<Value>| {
            let mut out = Vec::new();
            tuple.iter().for_each(|value| Sorts::flatten(value, &mut out));
            out
        };
        let tables = oracle::tables(system, steps)?;
        let mut tables = tables.iter().map(|tuples| tuples.iter().map(flat).collect()).collect::<Vec<Rows>>();
        tables.resize(core.relations.len(), Rows::new());
        let tables = IdVec::from(tables);
        let mut domains = BTreeMap::new();
        for relation in core.relations.ids() {
            let vars = core.rules(relation).iter().flat_map(|rule| &rule.vars);
            for scalar in core.relations[relation].columns.iter().chain(vars) {
                domains.entry(scalar.sort).or_insert_with(|| core.sorts.values(scalar.sort));
            }
        }
        let mut world = World { core, tables, parts: core.components(), domains, steps };
        let auxiliary = core.relations.ids().skip(system.relations.len()).collect::<Vec<_>>();
        for at in core.components_among(&auxiliary).concat() {
            world.tables[at] = world.derived(at)?;
        }
        for at in core.relations.ids().take(system.relations.len()) {
            if core.is_defined(at) {
                assert_eq!(
                    world.derived(at)?,
                    world.tables[at],
                    "{} is a fixed point",
                    core.relations[at].title
                );
            }
        }
        Ok(world)
    }

    /// What the rules of a relation derive.
    fn derived(&mut self, at: RelId) -> Result<Rows, TooLarge> {
        let mut out = Rows::new();
        for rule in self.core.rules(at) {
            self.solve(
                rule,
                &rule.atoms.iter().collect::<Vec<_>>(),
                vec![None; rule.vars.len()],
                &mut |values| {
                    out.insert(
                        rule.head.iter().map(|arg| value(arg, values).expect("a head is bound")).collect(),
                    );
                    false
                },
            )?;
        }
        Ok(out)
    }

    /// The part of a relation.
    pub fn part(&self, at: RelId) -> &[RelId] {
        self.parts.iter().find(|part| part.contains(&at)).expect("every relation is in one")
    }

    /// Whether a relation is in a greatest fixed point, or in one of several inside each other.
    pub fn is_greatest(&self, at: RelId) -> bool {
        self.part(at).iter().any(|&at| self.core.kind(at) == Some(RuleKind::Nu))
    }

    /// The round in which each tuple of a component of least fixed points comes, if nothing in it is negated.
    pub fn ranks(&mut self, part: &[RelId]) -> Result<Option<Ranks>, TooLarge> {
        let inside = |atom: &Atom| part.contains(&atom.relation);
        let mut atoms = part.iter().flat_map(|&at| self.core.atoms(at));
        if !self.core.is_recursive(part)
            || self.is_greatest(part[0])
            || atoms.any(|atom| atom.negative && inside(atom))
        {
            return Ok(None);
        }
        let end = part.iter().map(|&at| std::mem::take(&mut self.tables[at])).collect::<Vec<_>>();
        let mut ranks = part.iter().map(|&at| (at, BTreeMap::new())).collect::<Ranks>();
        for round in 1.. {
            let next = part.iter().map(|&at| self.derived(at)).collect::<Result<Vec<_>, _>>();
            let next = match next {
                Ok(next) => next,
                Err(TooLarge) => {
                    part.iter().zip(end).for_each(|(&at, rows)| self.tables[at] = rows);
                    return Err(TooLarge);
                }
            };
            let mut grown = false;
            for (&at, rows) in part.iter().zip(next) {
                let ranks = ranks.get_mut(&at).expect("a member");
                for tuple in &rows {
                    grown |= !ranks.contains_key(tuple);
                    ranks.entry(tuple.clone()).or_insert(round);
                }
                self.tables[at] = rows;
            }
            if !grown {
                break;
            }
        }
        for (&at, rows) in part.iter().zip(end) {
            assert_eq!(self.tables[at], rows, "the rounds of {}", self.core.relations[at].title);
        }
        Ok(Some(ranks))
    }

    /// Whether these atoms of a rule and its conditions hold together for some values, some of which are given.
    pub fn is_solvable(
        &mut self,
        rule: &Rule,
        atoms: &[usize],
        values: Vec<Option<Value>>,
    ) -> Result<bool, TooLarge> {
        let mut found = false;
        let atoms = atoms.iter().map(|&at| &rule.atoms[at]).collect::<Vec<_>>();
        self.solve(rule, &atoms, values, &mut |_| {
            found = true;
            true
        })?;
        Ok(found)
    }

    /// Tells every solution, until `tell` has enough. Positive atoms come first.
    fn solve(
        &mut self,
        rule: &Rule,
        atoms: &[&Atom],
        mut values: Vec<Option<Value>>,
        tell: &mut dyn FnMut(&[Option<Value>]) -> bool,
    ) -> Result<(), TooLarge> {
        let (negative, positive): (Vec<&Atom>, Vec<&Atom>) = atoms.iter().partition(|atom| atom.negative);
        let mut occurs = vec![false; rule.vars.len()];
        let args = atoms.iter().flat_map(|atom| &atom.args).chain(&rule.head);
        for arg in args {
            if let Arg::Var(var) = arg {
                occurs[*var] = true;
            }
        }
        rule.constraints.iter().for_each(|constraint| constraint.vars(&mut |var| occurs[var] = true));
        let open = (0..rule.vars.len()).filter(|&var| occurs[var]).collect::<Vec<_>>();
        self.join(rule, &positive, &open, &negative, &mut values, tell).map(|_| ())
    }

    fn join(
        &mut self,
        rule: &Rule,
        positive: &[&Atom],
        open: &[usize],
        negative: &[&Atom],
        values: &mut Vec<Option<Value>>,
        tell: &mut dyn FnMut(&[Option<Value>]) -> bool,
    ) -> Result<bool, TooLarge> {
        self.steps = self.steps.checked_sub(1).ok_or(TooLarge)?;
        for constraint in &rule.constraints {
            let mut known = true;
            constraint.vars(&mut |var| known &= values[var].is_some());
            if known && !holds(&self.core.sorts, constraint, values) {
                return Ok(false);
            }
        }
        if let Some((first, rest)) = positive.split_first() {
            let table = self.tables[first.relation].clone();
            self.steps = self.steps.checked_sub(table.len() as u64).ok_or(TooLarge)?;
            for row in &table {
                let mut next = values.clone();
                let fits = first.args.iter().zip(row).all(|(arg, is)| match arg {
                    Arg::Const(value) => value == is,
                    Arg::Var(var) => next[*var].get_or_insert_with(|| is.clone()) == is,
                });
                if fits && self.join(rule, rest, open, negative, &mut next, tell)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let Some((&first, rest)) = open.split_first() {
            if values[first].is_some() {
                return self.join(rule, positive, rest, negative, values, tell);
            }
            for choice in self.domains[&rule.vars[first].sort].clone() {
                values[first] = Some(choice);
                if self.join(rule, positive, rest, negative, values, tell)? {
                    return Ok(true);
                }
            }
            values[first] = None;
            return Ok(false);
        }
        let fails = |atom: &&Atom| !self.tables[atom.relation].contains(&tuple(atom, values));
        Ok(negative.iter().all(fails) && tell(values))
    }
}

fn value(arg: &Arg, values: &[Option<Value>]) -> Option<Value> {
    match arg {
        Arg::Var(var) => values[*var].clone(),
        Arg::Const(value) => Some(value.clone()),
    }
}

/// What an atom says, all its variables being known.
pub fn tuple(atom: &Atom, values: &[Option<Value>]) -> Vec<Value> {
    atom.args.iter().map(|arg| value(arg, values).expect("a value")).collect()
}

/// What an atom says, as far as it is known.
pub fn pattern(args: &[Arg], values: &[Option<Value>]) -> Vec<Option<Value>> {
    args.iter().map(|arg| value(arg, values)).collect()
}

/// Whether a condition holds; its variables are known.
pub fn holds(sorts: &Sorts, constraint: &Constraint, values: &[Option<Value>]) -> bool {
    let operand = |operand: &Operand| {
        if let Some(arg) = operand.as_arg() {
            return value(arg, values);
        }
        let Sort::Range { lo, hi, .. } = sorts.get(operand.sort) else { panic!("a number of no range") };
        let number = number(&operand.number, values);
        (i128::from(*lo) <= number && number <= i128::from(*hi)).then_some(Value::Int(number as i64))
    };
    match constraint {
        Constraint::Const(value) => *value,
        Constraint::Compare(comparison, left, right) => {
            operand(left).zip(operand(right)).is_some_and(|(left, right)| match comparison {
                Comparison::Eq => left == right,
                Comparison::Lt => left < right,
                Comparison::Le => left <= right,
            })
        }
        Constraint::Defined(inner) => operand(inner).is_some(),
        Constraint::Not(inner) => !holds(sorts, inner, values),
        Constraint::And(parts) => parts.iter().all(|part| holds(sorts, part, values)),
        Constraint::Or(parts) => parts.iter().any(|part| holds(sorts, part, values)),
    }
}

fn number(of: &Number<Summand>, values: &[Option<Value>]) -> i128 {
    match of {
        Number::Of(part) => match value(&part.arg, values) {
            Some(Value::Int(value)) => i128::from(value),
            other => panic!("{other:?} is no number"),
        },
        Number::Static(value) => *value,
        Number::Apply(op, parts) => {
            oracle::arithmetic(*op, number(&parts[0], values), number(&parts[1], values))
        }
    }
}
