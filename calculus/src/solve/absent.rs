//! Why a tuple is not in a relation: how far each of its rules gets.

use super::explain::Pattern;
use super::restrict::{restricted, text_order};
use super::solver::Solver;
use crate::bdd::Stop;
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Atom};
use crate::sort::Value;

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

impl Solver<'_> {
    /// The columns of a pattern that have a value.
    pub(super) fn known(&self, at: RelId, pattern: &[Pattern]) -> Vec<Option<Value>> {
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
    pub(super) fn attempts(
        &mut self,
        path: &mut Vec<(RelId, Vec<Option<Value>>)>,
    ) -> Result<Vec<Attempt>, Stop> {
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

/// What is known of an atom's tuple.
pub fn known_args(atom: &Atom, values: &[Option<Value>]) -> Vec<Option<Value>> {
    let known = |arg: &Arg| match arg {
        Arg::Var(var) => values[*var].clone(),
        Arg::Const(value) => Some(value.clone()),
    };
    atom.args.iter().map(known).collect()
}
