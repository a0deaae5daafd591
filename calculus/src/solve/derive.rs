//! Derivations: why a tuple is in a relation, and why one is not.

use super::driver::Settings;
use super::layered::{Effort, History, Pace};
use super::rule::Workshop;
use super::solver::{Halt, Solver};
use super::{evaluate, tuples};
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Atom, Constraint, Core, Rule, RuleId};
use crate::phase;
use crate::relation::Key;
use crate::sort::Value;
use crate::space::{Place, code, decode, value_of};
use crate::syntax::ast::Follow;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A scalar column of a tuple that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Any,
    Is(Value),
    /// For an opaque sort of bits.
    Bits(Vec<Option<bool>>),
}

/// What to explain.
#[derive(Clone, Debug)]
pub enum Goal {
    /// The first tuple like this.
    Tuple { relation: RelId, pattern: Vec<Pattern> },
    /// The run that a verdict's condition stands for: the relation `run` is evaluated when `condition` holds.
    /// Premises that are given are no part of it. With what it took to find the condition, explaining it does not take
    /// much more; then derivations are not always the lowest ones.
    Run { condition: RelId, run: RelId, found: Option<Effort> },
}

/// Tuples with what each of them follows from. The first is the one that was asked for. Every tuple is explained once;
/// one that is assumed may be explained elsewhere.
#[derive(Clone, Debug)]
pub struct Derivation {
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub relation: RelId,
    /// Scalar values.
    pub tuple: Vec<Value>,
    pub reason: Reason,
}

#[derive(Clone, Debug)]
pub enum Reason {
    /// A fact, or a row of the model.
    Fact,
    /// A rule of the relation, with the values of its variables, and the nodes of its atoms; none for negated and given
    /// ones.
    Rule { number: usize, values: Vec<Value>, premises: Vec<Option<usize>> },
    /// Follows from itself: it is in a greatest fixed point, or in one inside another.
    Assumed,
}

/// For one rule: how far it gets towards a tuple.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Of the relation's rules.
    pub rule: usize,
    /// The values of the variables in the atoms that hold together; only of those in the head, if they are enough for
    /// the next atom to fail.
    pub values: Vec<Option<Value>>,
    /// The atom, in the order of the text, that does not hold with those before it; none if a condition fails.
    pub fails: Option<usize>,
    /// There are such tuples, but none with which the conditions hold; or, if nothing fails, none that has all that
    /// was asked for: only some bits of a value.
    pub conditions: bool,
    /// If that is a tuple of a definition: its relation, and why it is not there.
    pub below: Option<(RelId, Vec<Attempt>)>,
}

/// How deep tuples that are not there are explained.
const DEPTH: usize = 3;

#[derive(Clone, Debug)]
pub enum Explanation {
    Present(Derivation),
    /// No such tuple; with one attempt per rule if it was asked for in full.
    Absent(Vec<Attempt>),
    Stopped(Stop),
}

/// Explains a tuple of a system: solves what it rests on, in layers, and reads its derivation of least height.
pub fn explain<'a>(core: &'a Core, settings: &'a Settings, goal: &Goal) -> Explanation {
    let _explaining = phase::enter_polling(phase::EXPLAINING);
    let mut ready = match Solver::new(core, settings) {
        Ok(ready) => ready,
        Err(stop) => return Explanation::Stopped(stop),
    };
    let (solver, parts) = (&mut ready.0, &ready.1);
    solver.recording = true;
    solver.explain(goal, parts).unwrap_or_else(Explanation::Stopped)
}

impl Solver<'_> {
    fn explain(&mut self, goal: &Goal, parts: &[Vec<RelId>]) -> Result<Explanation, Stop> {
        match goal {
            Goal::Tuple { relation, pattern } => {
                let at = *relation;
                self.wanted = Some(pattern.clone());
                self.solve_recorded(*relation, parts)?;
                match self.earliest(at, pattern)? {
                    Some((layer, tuple)) => {
                        Ok(Explanation::Present(self.derive((at, layer, tuple), parts, true)?))
                    }
                    None => {
                        let known = self.known(at, pattern);
                        Ok(Explanation::Absent(self.attempts(&mut vec![(at, known)])?))
                    }
                }
            }
            Goal::Run { condition, run, found } => {
                let at = *run;
                self.history = History::new(found.clone().map_or(Pace::Full, Pace::Within));
                self.solve_run(*condition, *run, parts)?;
                if self.history.is_given_up() {
                    self.restart(Pace::Row);
                    self.solve_run(*condition, *run, parts)?;
                }
                match self.earliest(at, &[])? {
                    Some((layer, tuple)) => {
                        Ok(Explanation::Present(self.derive((at, layer, tuple), parts, false)?))
                    }
                    None => Ok(Explanation::Absent(Vec::new())),
                }
            }
        }
    }

    /// Solves until a condition holds, and then a relation.
    fn solve_run(&mut self, condition: RelId, run: RelId, parts: &[Vec<RelId>]) -> Result<(), Stop> {
        self.solve_recorded(condition, parts)?;
        let done = self.history.is_given_up() || run == condition || self.evaluate_on_known(run, parts)?;
        if done { Ok(()) } else { self.solve_recorded(run, parts) }
    }

    fn solve_recorded(&mut self, goal: RelId, parts: &[Vec<RelId>]) -> Result<(), Stop> {
        match self.solve_for(goal, parts, Some(goal)) {
            Err(Halt::Stop(stop)) => Err(stop),
            Ok(()) | Err(Halt::Seen) => Ok(()),
        }
    }

    /// Whether new tuples of the goal are those that are asked for.
    pub(super) fn is_wanted(&self, at: RelId, key: &Key, tuples: &Bdd) -> Result<bool, Stop> {
        match &self.wanted {
            Some(pattern) => Ok(!self.matching(at, key, tuples, pattern)?.is_zero()),
            None => Ok(true),
        }
    }

    /// The tuples of a row that match.
    fn matching(&self, at: RelId, key: &Key, tuples: &Bdd, pattern: &[Pattern]) -> Result<Bdd, Stop> {
        let scalars = &self.core.relations[at].columns;
        let mut bits = tuples.clone();
        for ((pattern, place), scalar) in pattern.iter().zip(&self.placement.columns[at]).zip(scalars) {
            match (pattern, place) {
                (Pattern::Any, _) | (Pattern::Bits(_), Place::Key(_)) => {}
                (Pattern::Is(value), Place::Key(position)) => {
                    if u64::from(key[*position]) != code(&self.space.sorts, scalar.sort, value) {
                        return Ok(self.space.manager.zero());
                    }
                }
                (Pattern::Is(value), Place::Bits { lane, slot }) => {
                    bits = bits.and(&self.space.is_value(*lane, *slot, value)?)?;
                }
                (Pattern::Bits(wanted), Place::Bits { lane, slot }) => {
                    for (var, wanted) in self.space.vars(*lane, *slot).iter().zip(wanted) {
                        if let Some(wanted) = wanted {
                            bits = bits.and(&self.space.manager.literal(*var, *wanted))?;
                        }
                    }
                }
            }
        }
        Ok(bits)
    }

    /// The least tuple among the first ones that match, with its layer.
    fn earliest(&self, at: RelId, pattern: &[Pattern]) -> Result<Option<(u32, Vec<Value>)>, Stop> {
        let relation = &self.relations[at];
        let mut best: Option<(u32, Vec<(Key, Bdd)>)> = None;
        for (key, _) in relation.sorted() {
            let bits = self.matching(at, key, &relation.expanded(key)?, pattern)?;
            if bits.is_zero() {
                continue;
            }
            let (layer, first) = self.history.first(at, key, &bits)?.unwrap_or((0, bits));
            match &mut best {
                Some((least, rows)) if *least == layer => rows.push((key.clone(), first)),
                Some((least, _)) if *least < layer => {}
                _ => best = Some((layer, vec![(key.clone(), first)])),
            }
        }
        let Some((layer, rows)) = best else { return Ok(None) };
        let mut some = crate::relation::Relation::default();
        some.replace(rows.into_iter().collect());
        let scalars = &self.core.relations[at].columns;
        let tuple = tuples::first(&self.space, scalars, &self.placement.columns[at], &some, 1)?.pop();
        Ok(tuple.map(|tuple| (layer, tuple)))
    }

    /// The key and the bits of a tuple.
    fn point(&self, at: RelId, tuple: &[Value]) -> Result<(Key, Bdd), Stop> {
        let (mut key, mut bits) = (Vec::new(), self.space.manager.one());
        let scalars = &self.core.relations[at].columns;
        for ((value, scalar), place) in tuple.iter().zip(scalars).zip(&self.placement.columns[at]) {
            match place {
                Place::Key(_) => key.push(code(&self.space.sorts, scalar.sort, value) as u32),
                Place::Bits { lane, slot } => bits = bits.and(&self.space.is_value(*lane, *slot, value)?)?,
            }
        }
        Ok((key.into(), bits))
    }

    /// The derivation of a tuple that came in a layer. What comes later is explained first, so that the relations can
    /// be taken back layer by layer.
    fn derive(
        &mut self,
        (at, layer, tuple): (RelId, u32, Vec<Value>),
        parts: &[Vec<RelId>],
        all: bool,
    ) -> Result<Derivation, Stop> {
        let mut nodes = vec![Node { relation: at, tuple: tuple.clone(), reason: Reason::Assumed }];
        let mut explained = FxHashMap::from_iter([((at, tuple), (layer, 0))]);
        let mut assumed = FxHashMap::default();
        let mut agenda = BTreeSet::from_iter([(layer, 0)]);
        while let Some((layer, number)) = agenda.pop_last() {
            self.space.manager.check()?;
            self.undo_to(layer)?;
            let (at, tuple) = (nodes[number].relation, nodes[number].tuple.clone());
            if !self.core.is_defined(at) {
                nodes[number].reason = Reason::Fact;
                continue;
            }
            let mut found = None;
            for rule in self.core.rule_ids(at) {
                if !self.could_tell(rule, layer, parts) {
                    continue;
                }
                if let Some(values) = self.witness(rule, &tuple)? {
                    found = Some((rule, values));
                    break;
                }
            }
            let Some((rule, values)) = found else { continue };
            let mut premises = Vec::new();
            for atom in &self.core.rule(rule).atoms {
                let given = !all && atom.site.mark.follow == Some(Follow::Given);
                if atom.negative || given {
                    premises.push(None);
                    continue;
                }
                let below =
                    (atom.relation, atom.args.iter().map(|arg| value(arg, &values)).collect::<Vec<_>>());
                let next = nodes.len();
                let known = match explained.get(&below) {
                    Some(known) => *known,
                    None => (self.came(below.0, &below.1)?, next),
                };
                // What does not come before rests on itself: see `Reason::Assumed`.
                let premise = if known.0 < layer || !self.core.is_defined(below.0) {
                    if known.1 == next {
                        agenda.insert(known);
                        explained.insert(below.clone(), known);
                    }
                    known.1
                } else {
                    *assumed.entry(below.clone()).or_insert(next)
                };
                premises.push(Some(premise));
                if premise == next {
                    nodes.push(Node { relation: below.0, tuple: below.1, reason: Reason::Assumed });
                }
            }
            nodes[number].reason = Reason::Rule { number: rule.number, values, premises };
        }
        Ok(Derivation { nodes })
    }

    /// Whether what a rule negates was known when a layer came. What a component itself negates shrinks with it.
    fn could_tell(&self, rule: RuleId, layer: u32, parts: &[Vec<RelId>]) -> bool {
        let mut negated = self.core.rule(rule).atoms.iter().filter(|atom| atom.negative);
        negated.all(|atom| {
            self.history.is_settled(atom.relation, layer)
                || parts.iter().any(|part| part.contains(&rule.relation) && part.contains(&atom.relation))
        })
    }

    /// The layer in which a tuple came; 0 if it was given.
    fn came(&self, at: RelId, tuple: &[Value]) -> Result<u32, Stop> {
        if !self.core.is_defined(at) {
            return Ok(0);
        }
        let (key, bits) = self.point(at, tuple)?;
        Ok(self.history.first(at, &key, &bits)?.map_or(0, |(layer, _)| layer))
    }

    fn undo_to(&mut self, layer: u32) -> Result<(), Stop> {
        let mut history = std::mem::take(&mut self.history);
        let undone = history.undo(&mut self.relations, layer);
        self.history = history;
        undone
    }

    /// The least values of a rule's variables with which it derives a tuple from the relations as they are.
    fn witness(&mut self, id: RuleId, tuple: &[Value]) -> Result<Option<Vec<Value>>, Stop> {
        let known = tuple.iter().cloned().map(Some).collect::<Vec<_>>();
        let rule = self.core.rule(id);
        let Some(rule) = restricted(&self.core.sorts, rule, &known, rule.atoms.len()) else {
            return Ok(None);
        };
        let values = self.solution(id, &rule)?;
        Ok(values.map(|values| {
            values.into_iter().map(|value| value.expect("all variables are in the head")).collect()
        }))
    }

    /// The least solution of a rule whose head lists variables. Variables that were settled have their values.
    fn solution(&mut self, id: RuleId, rule: &Restricted) -> Result<Option<Vec<Option<Value>>>, Stop> {
        let places = &self.placement.vars[id.relation][id.number];
        let head = rule.open.iter().map(|&var| (places[var], rule.rule.vars[var].sort)).collect::<Vec<_>>();
        let columns = &self.placement.columns;
        for atom in &rule.rule.atoms {
            if self.relations[atom.relation].is_top() && atom.negative {
                return Ok(None);
            }
        }
        let top = |position: &usize| self.relations[rule.rule.atoms[*position].relation].is_top();
        let skip = (0..rule.rule.atoms.len()).filter(top).collect::<Vec<_>>();
        let mut workshop =
            Workshop { space: &self.space, relations: &mut self.relations, columns, core: self.core };
        let mut ready = workshop.make(&head, &rule.rule, places, None, &skip)?;
        let mut rows = evaluate::evaluate(&self.space, &self.relations, &mut ready, None)?;
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        let Some((key, bits)) = rows.first() else { return Ok(None) };
        let symbolic = head.iter().flat_map(|(place, _)| self.space.place_vars(*place).to_vec());
        let Some(assignment) = bits.assignments(&symbolic.collect::<Vec<_>>()).next().transpose()? else {
            return Ok(None);
        };
        let (mut keys, mut rest) = (key.iter(), assignment.as_slice());
        let mut values = rule.known.clone();
        for (&var, (place, sort)) in rule.open.iter().zip(&head) {
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
        Ok(Some(values))
    }

    /// The columns of a pattern that have a value.
    fn known(&self, at: RelId, pattern: &[Pattern]) -> Vec<Option<Value>> {
        let known = |pattern: &Pattern| match pattern {
            Pattern::Any => None,
            Pattern::Is(value) => Some(value.clone()),
            Pattern::Bits(bits) => bits.iter().copied().collect::<Option<Vec<_>>>().map(Value::Bits),
        };
        let columns = &self.core.relations[at].columns;
        columns.iter().enumerate().map(|(column, _)| pattern.get(column).and_then(known)).collect()
    }

    /// Whether there is a tuple with these values.
    fn has(&self, at: RelId, known: &[Option<Value>]) -> Result<bool, Stop> {
        let any = |value: &Option<Value>| value.clone().map_or(Pattern::Any, Pattern::Is);
        let pattern = known.iter().map(any).collect::<Vec<_>>();
        Ok(self.earliest(at, &pattern)?.is_some())
    }

    /// Why a tuple is not there: how far each rule gets.
    /// The last of `path` is asked for, the others are those that made one ask.
    fn attempts(&mut self, path: &mut Vec<(RelId, Vec<Option<Value>>)>) -> Result<Vec<Attempt>, Stop> {
        let Some((at, known)) = path.last().cloned() else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        for id in self.core.rule_ids(at) {
            let rule = self.core.rule(id);
            let mut attempt = Attempt {
                rule: id.number,
                values: vec![None; rule.vars.len()],
                fails: None,
                conditions: true,
                below: None,
            };
            // Every atom holds with those before it, or one does not: a rule that succeeds would derive the tuple.
            for count in 0..=rule.atoms.len() {
                let restricted = restricted(&self.core.sorts, rule, &known, count);
                let solved = match &restricted {
                    Some(rule) => self.solution(id, rule)?,
                    None => None,
                };
                let (Some(values), Some(restricted)) = (solved, restricted) else {
                    attempt.fails = count.checked_sub(1).map(|last| text_order(rule)[last]);
                    attempt.conditions = false;
                    break;
                };
                // Variables that no atom so far binds range over their sorts, and have no value worth telling.
                let mut bound = restricted.known.iter().map(Option::is_some).collect::<Vec<_>>();
                let seen = text_order(rule).into_iter().take(count).flat_map(|atom| &rule.atoms[atom].args);
                for arg in seen {
                    if let Arg::Var(var) = arg {
                        bound[*var] = true;
                    }
                }
                attempt.values =
                    values.into_iter().zip(bound).map(|(value, bound)| value.filter(|_| bound)).collect();
            }
            if let Some(failed) = attempt.fails.map(|atom| &rule.atoms[atom]).filter(|atom| !atom.negative) {
                let below = failed.relation;
                let head = restricted(&self.core.sorts, rule, &known, 0).map(|rule| rule.known);
                if let Some(head) = head
                    && !self.has(below, &known_args(failed, &head))?
                {
                    attempt.values = head;
                } else {
                    attempt.conditions = self.has(below, &known_args(failed, &attempt.values))?;
                }
                let next = (below, known_args(failed, &attempt.values));
                let says_something = next.1.iter().any(Option::is_some) || next.1.is_empty();
                if path.len() < DEPTH
                    && self.core.is_defined(below)
                    && !attempt.conditions
                    && says_something
                    && !path.contains(&next)
                {
                    path.push(next);
                    attempt.below = Some((below, self.attempts(path)?));
                    path.pop();
                }
            }
            out.push(attempt);
        }
        Ok(out)
    }
}

/// A rule with some head columns settled, whose head lists the variables that are open.
struct Restricted {
    rule: Rule,
    open: Vec<usize>,
    known: Vec<Option<Value>>,
}

/// The atoms of a rule in the order of the text.
pub fn text_order(rule: &Rule) -> Vec<usize> {
    let mut order = (0..rule.atoms.len()).collect::<Vec<_>>();
    order.sort_by_key(|&at| rule.atoms[at].site.span.start);
    order
}

/// The rule with what is known of its head, and only the first atoms of the text; nothing if that contradicts itself.
fn restricted(
    sorts: &crate::sort::Sorts,
    rule: &Rule,
    head: &[Option<Value>],
    atoms: usize,
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
    let mut kept = text_order(rule);
    kept.truncate(atoms);
    kept.sort_unstable();
    let atoms = kept.iter().map(|&at| {
        let mut atom = rule.atoms[at].clone();
        atom.args = atom.args.iter().map(settle).collect();
        atom
    });
    let atoms = atoms.collect::<Vec<_>>();
    let open = (0..rule.vars.len()).filter(|&var| known[var].is_none()).collect::<Vec<_>>();
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

/// What is known of an atom's tuple.
pub fn known_args(atom: &Atom, values: &[Option<Value>]) -> Vec<Option<Value>> {
    let known = |arg: &Arg| match arg {
        Arg::Var(var) => values[*var].clone(),
        Arg::Const(value) => Some(value.clone()),
    };
    atom.args.iter().map(known).collect()
}

fn value(arg: &Arg, values: &[Value]) -> Value {
    match arg {
        Arg::Var(var) => values[*var].clone(),
        Arg::Const(value) => value.clone(),
    }
}
