//! From a rule to its plan: the steps in order, each with the places of its variables when it is done.

use super::arrangement::{arrange, usual};
use super::frames::{framed_columns, takeovers};
use super::lanes::Lanes;
use super::late::forget_late;
use super::operations::{AtomPlan, HeadPlan, KeySource, Operation, OperationKind, Plan, Takeover, ViewPlan};
use super::order::{RuleStep, RuleStepKind, steps};
use super::placement::{Placement, place};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Constraint, Core, CoreBody, Operand, Rule, RuleId};
use crate::index::IdVec;
use crate::sort::SortId;
use crate::space::{LaneSlots, Place, code};
use std::cell::OnceCell;

/// The pairs of columns that the frames of a relation connect, if it has any.
type Framed = Option<Vec<(usize, usize)>>;

/// Makes the plans of a core's rules. Knows where columns and variables are.
#[derive(Debug)]
pub struct Planner<'a> {
    core: &'a Core,
    /// The components in the order of solving.
    pub parts: Vec<Vec<RelId>>,
    /// Where columns and variables are.
    pub placement: Placement,
    /// The copies of the lanes, in the order that their bits should have.
    pub lanes: Vec<LaneSlots>,
    /// Whether models keep what an edge leaves alone as equalities.
    frames: bool,
    /// Of each relation of a model, the columns that frames connect.
    framed: IdVec<RelId, OnceCell<Framed>>,
}

/// What a plan is made of: a rule, the places of its variables, and the columns of its head with their sorts.
#[derive(Clone, Copy, Debug)]
pub struct RuleToPlan<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Of each of its variables.
    pub places: &'a [Place],
    /// What its head fills.
    pub head: &'a [(Place, SortId)],
}

impl<'a> Planner<'a> {
    /// Places everything that the rules mention.
    pub fn new(core: &'a Core, frames: bool) -> Planner<'a> {
        Planner::about(core, frames, None)
    }

    /// The same, and the columns of a goal even if no rule mentions it.
    pub fn about(core: &'a Core, frames: bool, goal: Option<RelId>) -> Planner<'a> {
        let lanes = Lanes::new(core, goal);
        let parts = core.components();
        let placement = place(core, &lanes, &parts);
        let lanes = arrange(core, &lanes, &placement, &usual(core, &lanes, &placement, &parts));
        Planner { core, parts, placement, lanes, frames, framed: core.relations.filled(OnceCell::new()) }
    }

    /// The plan of a rule, beginning with the atom `seed` if there is one. Atoms in `skip` are left out: they hold of
    /// everything.
    pub fn plan(&self, id: RuleId, seed: Option<usize>, skip: &[usize]) -> Plan {
        let sorts = self.core.relations[id.relation].columns.iter().map(|column| column.sort);
        let head = self.placement.columns[id.relation].iter().copied().zip(sorts).collect::<Vec<_>>();
        let places = &self.placement.vars[id.relation][id.number];
        self.plan_of(RuleToPlan { rule: self.core.rule(id), places, head: &head }, seed, skip)
    }

    /// The same for a rule that is not in the core.
    pub fn plan_of(&self, subject: RuleToPlan, seed: Option<usize>, skip: &[usize]) -> Plan {
        let rule = subject.rule;
        let mut places = subject.places.to_vec();
        let mut alive = vec![false; rule.vars.len()];
        let mut bound: Vec<usize> = Vec::new();
        let mut operations = Vec::new();
        for (at, step) in steps(&self.core.sorts, rule, seed, skip).iter().enumerate() {
            let followed = seed.is_some() && at == 0;
            let kind = self.kind(rule, &places, step, &bound, &alive, followed);
            let forget = step.forget.iter().map(|&var| (var, places[var])).collect();
            if let OperationKind::Atom(AtomPlan { takeovers: Some(takeovers), .. }) = &kind {
                takeovers.iter().for_each(|taken| places[taken.new] = places[taken.old]);
            }
            operations.push(Operation {
                kind,
                out: step.out.iter().map(|(_, from)| *from).collect(),
                forget,
            });
            step.binds(rule).into_iter().for_each(|var| alive[var] = true);
            step.forget.iter().for_each(|&var| alive[var] = false);
            bound = step.out.iter().map(|(var, _)| *var).collect();
        }
        let head = self.head(subject, &places, &bound);
        let mut plan = Plan { operations, head };
        forget_late(self.core, &mut plan);
        plan
    }

    fn kind(
        &self,
        rule: &Rule,
        places: &[Place],
        step: &RuleStep,
        bound: &[usize],
        alive: &[bool],
        followed: bool,
    ) -> OperationKind {
        let position =
            |var: usize| bound.iter().position(|b| *b == var).expect("a key that is used is bound");
        match step.kind {
            RuleStepKind::Atom(atom) => {
                OperationKind::Atom(self.atom(rule, places, atom, step, alive, followed))
            }
            RuleStepKind::Constraint(constraint) => {
                let mut keys = Vec::new();
                rule.constraints[constraint].vars(&mut |var| {
                    if matches!(places[var], Place::Key(_)) {
                        keys.push((var, position(var)));
                    }
                });
                OperationKind::Condition { constraint, keys, places: places.to_vec() }
            }
            RuleStepKind::Domain(var) => {
                OperationKind::Domain { var, place: places[var], size: self.size(rule, places, var) }
            }
            RuleStepKind::Compute { constraint, var } => {
                let bound = rule.constraints[constraint].map(&|arg| match arg {
                    Arg::Var(other) if *other != var => Arg::Var(position(*other)),
                    _ => arg.clone(),
                });
                let own = |operand: &Operand| operand.as_shift().filter(|(own, ..)| *own == var);
                let (Constraint::Compare(_, left, right), Constraint::Compare(_, l, r)) =
                    (&rule.constraints[constraint], bound)
                else {
                    unreachable!("only equations compute")
                };
                let (own, other) = match (own(left), own(right)) {
                    (Some(own), _) => (own, r),
                    (None, Some(own)) => (own, l),
                    (None, None) => unreachable!("a key is computed where it stands alone"),
                };
                let (_, sort, shift) = own;
                OperationKind::Compute { constraint, var, other, sort, shift }
            }
        }
    }

    /// How many values the sort of a key has; nothing is counted for bits.
    fn size(&self, rule: &Rule, places: &[Place], var: usize) -> u64 {
        match places[var] {
            Place::Key(_) => {
                self.core.sorts.scalar_size(rule.vars[var].sort).expect("keyed sorts have numbered values")
            }
            Place::Bits { .. } => 0,
        }
    }

    fn atom(
        &self,
        rule: &Rule,
        places: &[Place],
        number: usize,
        step: &RuleStep,
        alive: &[bool],
        followed: bool,
    ) -> AtomPlan {
        let atom = &rule.atoms[number];
        let negative = atom.negative && !followed;
        let known = |key: &KeySource| matches!(key, KeySource::Const(_) | KeySource::Bound(_));
        let lookup = (0..step.keys.len()).filter(|&column| known(&step.keys[column])).collect();
        let columns = &self.placement.columns[atom.relation];
        let takeovers = (!negative && !followed)
            .then(|| self.framed(atom.relation))
            .flatten()
            .map(|framed| -> Vec<Takeover> { takeovers(atom, framed, columns, step, alive, places) });
        AtomPlan {
            atom: number,
            relation: atom.relation,
            negative,
            followed,
            keys: step.keys.clone(),
            lookup,
            view: self.view(rule, places, number, negative),
            takeovers,
        }
    }

    /// The columns that the frames of a relation connect, if it has any.
    fn framed(&self, relation: RelId) -> Option<&[(usize, usize)]> {
        let CoreBody::Model(rows) = &self.core.relations[relation].body else { return None };
        let columns = &self.placement.columns[relation];
        let framed = self.framed[relation].get_or_init(|| framed_columns(rows, columns));
        framed.as_deref().filter(|_| self.frames)
    }

    fn view(&self, rule: &Rule, places: &[Place], number: usize, negative: bool) -> ViewPlan {
        let atom = &rule.atoms[number];
        let mut view = ViewPlan::default();
        let mut first: Vec<(usize, Place)> = Vec::new();
        for (arg, &column) in atom.args.iter().zip(&self.placement.columns[atom.relation]) {
            if let Place::Key(_) = column {
                continue;
            }
            match arg {
                Arg::Const(value) => view.constants.push((column, value.clone())),
                Arg::Var(var) => match first.iter().find(|(other, _)| other == var) {
                    Some((_, other)) => view.equal.push((*other, column)),
                    None => {
                        first.push((*var, column));
                        if !negative && occurrences(rule, *var) == 1 {
                            view.forget.push((*var, column));
                        } else {
                            view.rename.push((*var, column, places[*var]));
                        }
                    }
                },
            }
        }
        view
    }

    fn head(&self, subject: RuleToPlan, places: &[Place], bound: &[usize]) -> HeadPlan {
        let mut head = HeadPlan::default();
        let mut first: Vec<(usize, Place)> = Vec::new();
        for (arg, &(column, sort)) in subject.rule.head.iter().zip(subject.head) {
            match (arg, column) {
                (Arg::Const(value), Place::Key(_)) => {
                    head.keys.push(KeySource::Const(code(&self.core.sorts, sort, value) as u32));
                }
                (Arg::Var(var), Place::Key(_)) => {
                    let position = bound.iter().position(|b| b == var).expect("the head's keys are bound");
                    head.keys.push(KeySource::Bound(position));
                }
                (Arg::Const(value), Place::Bits { .. }) => head.constants.push((column, value.clone())),
                (Arg::Var(var), Place::Bits { .. }) => match first.iter().find(|(other, _)| other == var) {
                    Some((_, other)) => head.equal.push((*other, column)),
                    None => {
                        first.push((*var, column));
                        head.rename.push((*var, places[*var], column));
                    }
                },
            }
        }
        head
    }
}

/// How often a variable occurs in a rule.
fn occurrences(rule: &Rule, var: usize) -> usize {
    let args = rule.head.iter().chain(rule.atoms.iter().flat_map(|atom| &atom.args));
    let mut count = args.filter(|arg| **arg == Arg::Var(var)).count();
    rule.constraints
        .iter()
        .for_each(|constraint| constraint.vars(&mut |other| count += usize::from(other == var)));
    count
}
