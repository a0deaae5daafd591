//! Derivations: what each tuple follows from, read from the history of a search.

use super::restrict::{restricted, restricted_to, text_order};
use super::solver::Solver;
use crate::bdd::{Bdd, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, RuleId, RuleKind};
use crate::relation::Key;
use crate::sort::Value;
use crate::space::{Place, code};
use crate::syntax::ast::Follow;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Tuples with what each of them follows from. The first is the one that was asked for. Every tuple is explained once;
/// one that is assumed may be explained elsewhere.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// In the order they were met.
    pub nodes: Vec<DerivationNode>,
    /// For a run: the assumed tuples of greatest fixed points, each with the node that explains it. So the derivation of
    /// what goes on forever has cycles, and this is where they close.
    pub explained: BTreeMap<usize, usize>,
}

/// A tuple, and what it follows from.
#[derive(Clone, Debug)]
pub struct DerivationNode {
    /// The relation that it is in.
    pub relation: RelId,
    /// Scalar values.
    pub tuple: Vec<Value>,
    /// Why it is there.
    pub reason: Reason,
}

/// Why a tuple is in its relation.
#[derive(Clone, Debug)]
pub enum Reason {
    /// A fact, or a row of the model.
    Fact,
    /// A rule of the relation, with the values of its variables, and the nodes of its atoms; none for negated and given
    /// ones.
    Rule {
        /// The position of the rule.
        number: usize,
        /// One for each variable.
        values: Vec<Value>,
        /// One for each atom: a position among the nodes.
        premises: Vec<Option<usize>>,
        /// For the negated atoms that stand for a `forall`: its cases.
        universal: Vec<Universal>,
    },
    /// Follows from itself: it is in a greatest fixed point, or in one inside another.
    Assumed,
}

/// Why a `forall` holds: a negated atom, whose relation has the cases in which it would fail.
#[derive(Clone, Debug)]
pub struct Universal {
    /// The position of the atom.
    pub atom: usize,
    /// Every case that its conditions allow, as far as they are listed.
    pub cases: Vec<Case>,
    /// There are more.
    pub more: bool,
}

/// One case of a `forall`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The position of the rule that would make it fail, among those of the atom's relation.
    pub rule: usize,
    /// The values of that rule's variables.
    pub values: Vec<Value>,
    /// What holds in it: a position among the nodes.
    pub premise: usize,
}

/// What is read from a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Also what a run leaves out because it is given.
    pub given: bool,
    /// How many cases of a `forall` are listed.
    pub cases: usize,
    /// No more cases are listed in a derivation with so many tuples.
    pub many: usize,
    /// Which assumed tuples are explained in their turn.
    pub assumed: Assumed,
    /// Only what was asked for is explained, and not what it rests on.
    pub once: bool,
}

/// Assumed tuples that are explained in their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumed {
    None,
    /// Those of greatest fixed points.
    Greatest,
    All,
}

impl Reading {
    /// Why a tuple is there.
    pub const EXPLANATION: Reading =
        Reading { given: true, cases: 100, many: 2_000, assumed: Assumed::None, once: false };
    /// A run: what it rests on belongs to it, and it may go on forever.
    pub const RUN: Reading =
        Reading { given: false, cases: 0, many: 0, assumed: Assumed::Greatest, once: false };
    /// A strategy: an answer to all that may happen, for as long as the play goes on.
    pub const STRATEGY: Reading =
        Reading { given: true, cases: usize::MAX - 1, many: usize::MAX, assumed: Assumed::All, once: false };
    /// One move of a strategy.
    pub const MOVE: Reading = Reading { given: true, cases: 0, many: 0, assumed: Assumed::None, once: true };
}

/// What is known of a derivation while it is read.
#[derive(Default)]
struct Found {
    nodes: Vec<DerivationNode>,
    /// The layers and the nodes of the tuples that are explained, or are going to be.
    explained: FxHashMap<(RelId, Vec<Value>), (u32, usize)>,
    /// The nodes of tuples that are assumed.
    assumed: FxHashMap<(RelId, Vec<Value>), usize>,
    /// Nodes that wait, with the layer before which they are looked at, and that of their tuple.
    agenda: BTreeSet<(u32, u32, usize)>,
    /// See [`Derivation::explained`].
    closed: BTreeMap<usize, usize>,
}

impl Found {
    /// The node of a tuple that came in a layer and is looked at before another one. It waits if it is new.
    fn explain(&mut self, tuple: (RelId, Vec<Value>), (layer, looked_at): (u32, u32)) -> usize {
        if let Some((_, known)) = self.explained.get(&tuple) {
            return *known;
        }
        let number = self.add(&tuple);
        self.agenda.insert((looked_at, layer, number));
        self.explained.insert(tuple, (layer, number));
        number
    }

    /// The node that assumes a tuple.
    fn assume(&mut self, tuple: (RelId, Vec<Value>)) -> usize {
        if let Some(known) = self.assumed.get(&tuple) {
            return *known;
        }
        let number = self.add(&tuple);
        self.assumed.insert(tuple, number);
        number
    }

    fn add(&mut self, (relation, tuple): &(RelId, Vec<Value>)) -> usize {
        let node = DerivationNode { relation: *relation, tuple: tuple.clone(), reason: Reason::Assumed };
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

impl Solver<'_> {
    /// The key and the bits of a tuple.
    fn point(&self, at: RelId, tuple: &[Value]) -> Result<(Key, Bdd), Stop> {
        let (mut key, mut bits) = (Vec::new(), self.space.manager.one());
        let scalars = &self.core.relations[at].columns;
        for ((value, scalar), place) in tuple.iter().zip(scalars).zip(&self.planner.placement.columns[at]) {
            match place {
                Place::Key(_) => key.push(code(&self.space.sorts, scalar.sort, value) as u32),
                Place::Bits { lane, slot } => bits = bits.and(&self.space.is_value(*lane, *slot, value)?)?,
            }
        }
        Ok((key.into(), bits))
    }

    /// The derivation of a tuple that came in a layer. What comes later is explained first, so that the relations can
    /// be taken back layer by layer. For a run, the tuples of greatest fixed points that were assumed are explained in
    /// their turn, until none is left: a least fixed point inside gets lower with each step, so that every way through
    /// the derivation comes to the greatest one again and again.
    pub(super) fn derive(
        &mut self,
        roots: Vec<(RelId, u32, Vec<Value>)>,
        parts: &[Vec<RelId>],
        reading: Reading,
    ) -> Result<Derivation, Stop> {
        let mut found = Found::default();
        for (at, layer, tuple) in roots {
            found.explain((at, tuple), (layer, self.looked_at(layer)));
        }
        loop {
            while let Some((looked_at, layer, number)) = found.agenda.pop_last() {
                self.space.manager.check()?;
                self.undo_to(looked_at)?;
                self.explain_node(&mut found, (layer, number), parts, reading)?;
                if reading.once {
                    return Ok(Derivation { nodes: found.nodes, explained: found.closed });
                }
            }
            let open = found.assumed.iter().filter(|((at, _), number)| {
                let asked = match reading.assumed {
                    Assumed::None => false,
                    Assumed::Greatest => self.core.kind(*at) == Some(RuleKind::Nu),
                    Assumed::All => true,
                };
                asked && !found.closed.contains_key(number)
            });
            let mut open = open.map(|(tuple, number)| (*number, tuple.clone())).collect::<Vec<_>>();
            if open.is_empty() {
                return Ok(Derivation { nodes: found.nodes, explained: found.closed });
            }
            open.sort_unstable_by_key(|(number, _)| *number);
            self.redo()?;
            for (number, (at, tuple)) in open {
                let layer = self.came(at, &tuple)?;
                let by = found.explain((at, tuple), (layer, self.looked_at(layer)));
                found.closed.insert(number, by);
            }
        }
    }

    /// What one tuple follows from.
    fn explain_node(
        &mut self,
        found: &mut Found,
        (layer, number): (u32, usize),
        parts: &[Vec<RelId>],
        reading: Reading,
    ) -> Result<(), Stop> {
        let (at, tuple) = (found.nodes[number].relation, found.nodes[number].tuple.clone());
        if !self.core.is_defined(at) {
            found.nodes[number].reason = Reason::Fact;
            return Ok(());
        }
        let mut first = None;
        for rule in self.core.rule_ids(at) {
            if !self.could_tell(rule, layer, parts) {
                continue;
            }
            if let Some(values) = self.witness(rule, &tuple)? {
                first = Some((rule, values));
                break;
            }
        }
        let Some((rule, values)) = first else { return Ok(()) };
        let mut premises = Vec::new();
        for atom in &self.core.rule(rule).atoms {
            let given = !reading.given && atom.site.mark.follow == Some(Follow::Given);
            if atom.negative || given {
                premises.push(None);
                continue;
            }
            let below = (atom.relation, atom.args.iter().map(|arg| value(arg, &values)).collect::<Vec<_>>());
            let known = match found.explained.get(&below) {
                Some((layer, _)) => *layer,
                None => self.came(below.0, &below.1)?,
            };
            premises.push(Some(self.premise(found, below, known, layer)));
        }
        let mut universal = Vec::new();
        let negated = self.core.rule(rule).atoms.iter().enumerate().filter(|(_, atom)| atom.negative);
        for (at, atom) in negated {
            if self.core.is_auxiliary(atom.relation) && found.nodes.len() < reading.many {
                let tuple = atom.args.iter().map(|arg| value(arg, &values)).collect::<Vec<_>>();
                let absent = (atom.relation, tuple);
                universal.extend(self.universal(found, at, absent, (layer, reading.cases))?);
            }
        }
        found.nodes[number].reason = Reason::Rule { number: rule.number, values, premises, universal };
        Ok(())
    }

    /// The node of a tuple that came in the layer `known`, for one that came in `layer`.
    fn premise(&self, found: &mut Found, tuple: (RelId, Vec<Value>), known: u32, layer: u32) -> usize {
        // What does not come before rests on itself: see `Reason::Assumed`.
        let before = self.looked_at(known) <= layer && known < layer;
        match before || !self.core.is_defined(tuple.0) {
            true => found.explain(tuple, (known, self.looked_at(known))),
            false => found.assume(tuple),
        }
    }

    /// Why a tuple is not in the relation that stands for a `forall`: in each case that the conditions allow, something
    /// that would have to be missing is there. Nothing if it stands for something else.
    fn universal(
        &mut self,
        found: &mut Found,
        atom: usize,
        (at, tuple): (RelId, Vec<Value>),
        (layer, most): (u32, usize),
    ) -> Result<Option<Universal>, Stop> {
        let known = tuple.into_iter().map(Some).collect::<Vec<_>>();
        let (mut cases, mut more) = (Vec::new(), false);
        for id in self.core.rule_ids(at) {
            let rule = self.core.rule(id);
            let (missing, conditions): (Vec<_>, Vec<_>) =
                text_order(rule).into_iter().partition(|&at| rule.atoms[at].negative);
            if missing.is_empty() {
                continue;
            }
            let Some(restricted) = restricted_to(&self.core.sorts, rule, &known, conditions, true) else {
                continue;
            };
            let mut solutions = self.solutions(id, &restricted, most + 1)?;
            more |= solutions.len() > most;
            solutions.truncate(most);
            for values in solutions {
                let Some(values) = values.into_iter().collect::<Option<Vec<_>>>() else { continue };
                for &missing in &missing {
                    let atom = &rule.atoms[missing];
                    let tuple = atom.args.iter().map(|arg| value(arg, &values)).collect::<Vec<_>>();
                    if self.is_there(atom.relation, &tuple)? {
                        let came = self.came(atom.relation, &tuple)?;
                        let premise = self.premise(found, (atom.relation, tuple), came, layer);
                        cases.push(Case { rule: id.number, values, premise });
                        break;
                    }
                }
            }
        }
        Ok((!cases.is_empty()).then_some(Universal { atom, cases, more }))
    }

    /// Whether a tuple is in a relation as it is.
    pub(super) fn is_there(&self, at: RelId, tuple: &[Value]) -> Result<bool, Stop> {
        if self.relations[at].has_all() {
            return Ok(true);
        }
        let (key, bits) = self.point(at, tuple)?;
        match self.relations[at].get(&key) {
            Some(_) => Ok(!self.relations[at].expanded(&key)?.and(&bits)?.is_zero()),
            None => Ok(false),
        }
    }

    /// Whether what a rule negates was known when a layer came. What a component itself negates shrinks with it.
    fn could_tell(&self, rule: RuleId, layer: u32, parts: &[Vec<RelId>]) -> bool {
        let mut negated = self.core.rule(rule).atoms.iter().filter(|atom| atom.negative);
        negated.all(|atom| {
            self.history.as_ref().is_some_and(|history| history.is_settled(atom.relation, layer))
                || parts.iter().any(|part| part.contains(&rule.relation) && part.contains(&atom.relation))
        })
    }

    /// The layer in which a tuple came; 0 if it was given.
    pub(super) fn came(&self, at: RelId, tuple: &[Value]) -> Result<u32, Stop> {
        if !self.core.is_defined(at) {
            return Ok(0);
        }
        let (key, bits) = self.point(at, tuple)?;
        Ok(self.first(at, &key, &bits)?.map_or(0, |(layer, _)| layer))
    }

    fn undo_to(&mut self, layer: u32) -> Result<(), Stop> {
        match &mut self.history {
            Some(history) => history.undo(&mut self.relations, layer),
            None => Ok(()),
        }
    }

    /// The layer before which what came in a layer is looked at.
    fn looked_at(&self, layer: u32) -> u32 {
        self.history.as_ref().map_or(layer, |history| history.looked_at(layer))
    }

    pub(super) fn redo(&mut self) -> Result<(), Stop> {
        match &mut self.history {
            Some(history) => history.redo(&mut self.relations),
            None => Ok(()),
        }
    }

    /// The layer of the tuples of a row that came first, with those that came in it.
    pub(super) fn first(&self, at: RelId, key: &Key, among: &Bdd) -> Result<Option<(u32, Bdd)>, Stop> {
        self.history.as_ref().map_or(Ok(None), |history| history.first(at, key, among))
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
}

fn value(arg: &Arg, values: &[Value]) -> Value {
    match arg {
        Arg::Var(var) => values[*var].clone(),
        Arg::Const(value) => value.clone(),
    }
}
