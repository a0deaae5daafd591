//! Formulas as disjunctions of conjunctions of literals.
//!
//! Existential quantifiers disappear into the rule. A universal or negated existential subformula becomes a
//! negated auxiliary relation: `forall y. φ(x, y)` is `!A(x)` with `A(x) :- !φ(x, y)`. A disjunction is
//! distributed while that stays small; otherwise it becomes an auxiliary relation too.

use super::Contradictions;
use super::core::{Arg, Atom, Constraint, Core, CoreBody, CoreRelation, Operand, RuleKind};
use super::flatten::{Leaves, flatten};
use super::rule::make_rule;
use crate::check::tree::{Body, Comparison, Formula, RelId, Site, System, Term, TermKind, VarId};
use crate::index::Id;
use crate::sort::{SortId, Sorts, Value};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many rules one clause may be distributed into before disjunctions become relations.
const DISTRIBUTE: usize = 12;

/// How many `<->` without atoms may stand inside each other in one condition.
const PURE_IFFS: usize = 3;

/// A conjunction of literals over the leaf variables of an instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjunction {
    pub atoms: Vec<Atom>,
    pub constraints: Vec<Constraint>,
}

pub(super) struct Normalizer<'a> {
    system: &'a System,
    core: &'a mut Core,
    leaves: Leaves,
    owner: RelId,
    clause: usize,
    order: u32,
}

impl<'a> Normalizer<'a> {
    pub fn run(system: &'a System, id: RelId, core: &'a mut Core, contradictions: &mut Contradictions) {
        let Body::Defined { vars, clauses, order, .. } = &system.relations[id.index()].body else {
            return;
        };
        let leaves = Leaves::new(&system.sorts, vars);
        let mut this = Normalizer { system, core, leaves, owner: id, clause: 0, order: *order };
        let columns = this.core.relations[id].columns.len();
        let head = (0..columns).map(Arg::Var).collect::<Vec<_>>();
        for (at, clause) in clauses.iter().enumerate() {
            this.clause = at;
            let conjunctions = this.disjuncts(&clause.body, true);
            let made = this.add_rules(id, &head, conjunctions);
            let title = &system.relations[id.index()].title();
            contradictions.note(clause.span, title, made == 0 && !matches!(clause.body, Formula::Const(_)));
        }
    }

    /// Adds the conjunctions as rules of a relation; says how many do not contradict themselves.
    fn add_rules(&mut self, id: RelId, head: &[Arg], conjunctions: Vec<Conjunction>) -> usize {
        let made = conjunctions
            .into_iter()
            .filter_map(|c| make_rule(&self.core.sorts, &self.leaves.scalars, self.clause, head, c))
            .collect::<Vec<_>>();
        let count = made.len();
        if let CoreBody::Rules { rules, .. } = &mut self.core.relations[id].body {
            rules.extend(made);
        }
        count
    }

    /// The conjunctions whose disjunction is the formula (or its negation).
    fn disjuncts(&mut self, formula: &Formula, positive: bool) -> Vec<Conjunction> {
        if let Some(constraint) = self.pure(formula) {
            let constraint = if positive { constraint } else { Constraint::Not(Box::new(constraint)) };
            return match constraint.fold(&self.core.sorts) {
                Constraint::Const(false) => Vec::new(),
                Constraint::Const(true) => vec![Conjunction::default()],
                Constraint::And(constraints) => vec![Conjunction { constraints, ..Default::default() }],
                constraint => vec![Conjunction { constraints: vec![constraint], ..Default::default() }],
            };
        }
        match (formula, positive) {
            (Formula::Atom(relation, args, site), _) => self.atom(*relation, args, *site, positive),
            (Formula::Not(inner), _) => self.disjuncts(inner, !positive),
            (Formula::And(parts), true) | (Formula::Or(parts), false) => {
                self.conjoin(parts.iter().map(|p| (p, positive)).collect())
            }
            (Formula::Or(parts), true) | (Formula::And(parts), false) => {
                parts.iter().flat_map(|part| self.disjuncts(part, positive)).collect()
            }
            (Formula::Implies(left, right), true) => {
                let mut out = self.disjuncts(left, false);
                out.extend(self.disjuncts(right, true));
                out
            }
            (Formula::Implies(left, right), false) => self.conjoin(vec![(left, true), (right, false)]),
            (Formula::Iff(left, right), _) => {
                let ([left_true, left_false], [right_true, right_false]) =
                    (self.both(left), self.both(right));
                let (same, other) =
                    if positive { (right_true, right_false) } else { (right_false, right_true) };
                let mut out = self.join(vec![(left, left_true), (right, same)]);
                out.extend(self.join(vec![(left, left_false), (right, other)]));
                out
            }
            (Formula::Exists(_, inner), true) => self.disjuncts(inner, true),
            (Formula::Forall(_, inner), false) => self.disjuncts(inner, false),
            (Formula::Exists(vars, inner), false) => self.negated(vars, inner, true),
            (Formula::Forall(vars, inner), true) => self.negated(vars, inner, false),
            (Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..), _) => {
                unreachable!("these are pure")
            }
        }
    }

    /// A side of `<->`, and its negation. A side with `<->` in it becomes a relation of its own: were it
    /// worked out twice here, its own sides would be four times, and so on.
    fn both(&mut self, side: &Formula) -> [Vec<Conjunction>; 2] {
        if !has_iff(side) || self.pure(side).is_some() {
            return [self.disjuncts(side, true), self.disjuncts(side, false)];
        }
        let disjuncts = self.disjuncts(side, true);
        let atom = self.auxiliary("iff", side, disjuncts, false);
        let negated = Atom { negative: true, ..atom.clone() };
        [atom, negated].map(|atom| vec![Conjunction { atoms: vec![atom], ..Default::default() }])
    }

    /// All parts together.
    fn conjoin(&mut self, parts: Vec<(&Formula, bool)>) -> Vec<Conjunction> {
        let parts = parts.into_iter().map(|(part, positive)| (part, self.disjuncts(part, positive)));
        let parts = parts.collect();
        self.join(parts)
    }

    /// All parts together, each given with its disjuncts.
    fn join(&mut self, parts: Vec<(&Formula, Vec<Conjunction>)>) -> Vec<Conjunction> {
        let mut out = vec![Conjunction::default()];
        let mut wide = Vec::new();
        for (part, disjuncts) in parts {
            if disjuncts.len() > 1 {
                wide.push((part, disjuncts));
                continue;
            }
            let Some(only) = disjuncts.into_iter().next() else { return Vec::new() };
            out[0].extend(&only);
        }
        for (part, disjuncts) in wide {
            if out.len() * disjuncts.len() <= DISTRIBUTE {
                out = out.iter().flat_map(|c| disjuncts.iter().map(move |d| c.and(d))).collect();
            } else {
                let atom = self.auxiliary("or", part, disjuncts, false);
                out.iter_mut().for_each(|conjunction| conjunction.atoms.push(atom.clone()));
            }
        }
        out
    }

    fn negated(&mut self, vars: &[VarId], inner: &Formula, positive: bool) -> Vec<Conjunction> {
        let disjuncts = self.disjuncts(inner, positive);
        let whole = inner_vars(inner, vars);
        let atom = self.auxiliary_over("not", whole, disjuncts, true);
        vec![Conjunction { atoms: vec![atom], ..Default::default() }]
    }

    fn auxiliary(&mut self, what: &str, part: &Formula, disjuncts: Vec<Conjunction>, negative: bool) -> Atom {
        self.auxiliary_over(what, inner_vars(part, &[]), disjuncts, negative)
    }

    /// A relation over the free leaves of the conjunctions, defined by them.
    fn auxiliary_over(
        &mut self,
        what: &str,
        inner: BTreeSet<u32>,
        disjuncts: Vec<Conjunction>,
        negative: bool,
    ) -> Atom {
        let Body::Defined { vars, .. } = &self.system.relations[self.owner.index()].body else {
            unreachable!("only definitions have formulas")
        };
        let mut bound = BTreeSet::new();
        for var in inner {
            let count = self.system.sorts.leaf_count(vars[var as usize].sort);
            bound.extend(self.leaves.of(var as usize, count));
        }
        let declared = vars.iter().map(|var| self.system.sorts.leaf_count(var.sort)).sum::<usize>();
        let mut free = BTreeSet::new();
        for conjunction in &disjuncts {
            // Variables made for computed arguments lie behind the declared ones and are always inner.
            conjunction.vars(&mut |leaf| {
                if leaf < declared && !bound.contains(&leaf) {
                    free.insert(leaf);
                }
            });
        }
        // It stands where the first of its atoms stands.
        let atoms = disjuncts.iter().flat_map(|conjunction| &conjunction.atoms);
        let place = atoms.map(|atom| atom.site.span).min_by_key(|span| span.start).unwrap_or_default();
        let args = free.iter().map(|&leaf| Arg::Var(leaf)).collect::<Vec<_>>();
        let columns = free.iter().map(|&leaf| self.leaves.scalars[leaf]).collect();
        let number = self.core.relations.len() - self.system.relations.len() + 1;
        let owner = &self.core.relations[self.owner];
        let (name, span) = owner.clauses[self.clause].clone();
        let title = format!("{}.{name}.{what}{number}", owner.title);
        let (kind, order) = (RuleKind::Inline, self.order);
        let body = CoreBody::Rules { kind, order, rules: Vec::new() };
        let clauses = owner.clauses[..self.clause].iter().cloned().chain([(name, span)]).collect();
        let id = self.core.relations.push(CoreRelation { title, columns, body, clauses, owner: self.owner });
        self.add_rules(id, &args, disjuncts);
        let sorts = self.column_sorts(id);
        Atom { relation: id, args, sorts, negative, site: Site { span: place, ..Site::default() } }
    }

    fn column_sorts(&self, id: RelId) -> Rc<[SortId]> {
        self.core.relations[id].columns.iter().map(|column| column.sort).collect()
    }

    /// `R(t)`; an argument that is computed gets a variable of its own. `!R(x + 1)` also holds where `x + 1` has
    /// no value.
    fn atom(&mut self, relation: RelId, terms: &[Term], site: Site, positive: bool) -> Vec<Conjunction> {
        let mut defined = Vec::new();
        let mut constraints = Vec::new();
        let mut args = Vec::new();
        for term in terms {
            for operand in flatten(&self.core.sorts, &self.leaves, term, &mut defined) {
                if let Some(arg) = operand.as_arg() {
                    args.push(arg.clone());
                    continue;
                }
                let fresh = Arg::Var(self.leaves.fresh(operand.sort));
                let equal = Operand::plain(fresh.clone(), operand.sort);
                constraints.push(Constraint::Compare(Comparison::Eq, equal, operand));
                args.push(fresh);
            }
        }
        let mut out = Vec::new();
        if !positive && !defined.is_empty() {
            let missing = Constraint::Not(Box::new(Constraint::And(defined.clone())));
            out.push(Conjunction { atoms: Vec::new(), constraints: vec![missing] });
        }
        constraints.extend(defined);
        let sorts = self.column_sorts(relation);
        out.push(Conjunction {
            atoms: vec![Atom { relation, args, sorts, negative: !positive, site }],
            constraints,
        });
        out
    }

    /// The formula as a condition on variables, if it has no atoms and no quantifiers.
    fn pure(&self, formula: &Formula) -> Option<Constraint> {
        self.pure_below(formula, PURE_IFFS)
    }

    /// Each `<->` doubles its sides, so only so many may stand inside each other.
    fn pure_below(&self, formula: &Formula, iffs: usize) -> Option<Constraint> {
        let pure = |part: &Formula| self.pure_below(part, iffs);
        let all = |parts: &[Formula]| parts.iter().map(pure).collect::<Option<Vec<_>>>();
        Some(match formula {
            Formula::Const(value) => Constraint::Const(*value),
            Formula::Holds(term) => {
                let truth = Term { kind: TermKind::Const(Value::Bool(true)), sort: Sorts::BOOL };
                self.compare(Comparison::Eq, term, &truth)
            }
            Formula::Compare(op, left, right, _) => self.compare(*op, left, right),
            Formula::Not(inner) => Constraint::Not(Box::new(pure(inner)?)),
            Formula::And(parts) => Constraint::And(all(parts)?),
            Formula::Or(parts) => Constraint::Or(all(parts)?),
            Formula::Implies(left, right) => {
                Constraint::Or(vec![Constraint::Not(Box::new(pure(left)?)), pure(right)?])
            }
            Formula::Iff(left, right) => {
                let inner = iffs.checked_sub(1)?;
                let (left, right) = (self.pure_below(left, inner)?, self.pure_below(right, inner)?);
                let not = |c: &Constraint| Constraint::Not(Box::new(c.clone()));
                Constraint::Or(vec![
                    Constraint::And(vec![left.clone(), right.clone()]),
                    Constraint::And(vec![not(&left), not(&right)]),
                ])
            }
            Formula::Atom(..) | Formula::Exists(..) | Formula::Forall(..) => return None,
        })
    }

    fn compare(&self, op: Comparison, left: &Term, right: &Term) -> Constraint {
        let mut parts = Vec::new();
        let left = flatten(&self.core.sorts, &self.leaves, left, &mut parts);
        let right = flatten(&self.core.sorts, &self.leaves, right, &mut parts);
        parts.extend(left.into_iter().zip(right).map(|(left, right)| Constraint::Compare(op, left, right)));
        // Flattened, so that `&` of equalities stays one level deep.
        if parts.len() == 1 { parts.remove(0) } else { Constraint::And(parts) }
    }
}

impl Conjunction {
    fn extend(&mut self, other: &Conjunction) {
        self.atoms.extend(other.atoms.iter().cloned());
        self.constraints.extend(other.constraints.iter().cloned());
    }

    fn and(&self, other: &Conjunction) -> Conjunction {
        let mut out = self.clone();
        out.extend(other);
        out
    }

    fn vars(&self, see: &mut impl FnMut(usize)) {
        for arg in self.atoms.iter().flat_map(|atom| &atom.args) {
            if let Arg::Var(var) = arg {
                see(*var);
            }
        }
        self.constraints.iter().for_each(|constraint| constraint.vars(see));
    }
}

fn has_iff(formula: &Formula) -> bool {
    match formula {
        Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..) | Formula::Atom(..) => false,
        Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => has_iff(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_iff),
        Formula::Implies(left, right) => has_iff(left) || has_iff(right),
        Formula::Iff(..) => true,
    }
}

/// The variables quantified in a formula, and the given ones.
fn inner_vars(formula: &Formula, outer: &[VarId]) -> BTreeSet<u32> {
    let mut out = outer.iter().map(|var| var.0).collect();
    collect_inner(formula, &mut out);
    out
}

fn collect_inner(formula: &Formula, out: &mut BTreeSet<u32>) {
    match formula {
        Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..) | Formula::Atom(..) => {}
        Formula::Not(inner) => collect_inner(inner, out),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| collect_inner(part, out)),
        Formula::Implies(left, right) | Formula::Iff(left, right) => {
            collect_inner(left, out);
            collect_inner(right, out);
        }
        Formula::Exists(vars, inner) | Formula::Forall(vars, inner) => {
            out.extend(vars.iter().map(|var| var.0));
            collect_inner(inner, out);
        }
    }
}
