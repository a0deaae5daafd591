//! The core: a finite system of rules over scalar columns.
//!
//! A rule is `head :- atoms, constraints`; its other variables are existentially quantified. Records and
//! vectors are gone, equalities between variables are gone (one variable is left), and what is not of this
//! form (a negated or universal subformula, a large disjunction) has become a relation of its own.

use crate::check::number::{Arithmetic, Bounds, Number};
use crate::check::tree::{Comparison, OrderPart, RelId, Site};
use crate::graph::components;
use crate::index::IdVec;
use crate::sort::{Sort, SortId, Sorts, Value};
use crate::span::Span;
use crate::syntax::ast::DefKind;
use crate::vocabulary::{Row, Weave};
use std::collections::BTreeSet;
use std::rc::Rc;

/// All rules of a system.
#[derive(Clone, Debug)]
pub struct Core {
    /// The sorts of all scalars.
    pub sorts: Sorts,
    /// The relations of the system, at the same positions, then auxiliary ones.
    pub relations: IdVec<RelId, CoreRelation>,
    /// What hints say about the order of the diagrams' variables.
    pub order: Vec<Vec<OrderPart>>,
    /// What the model says about it, where no hint does.
    pub woven: Vec<Weave>,
}

/// A rule of a relation, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId {
    /// Whose rule it is.
    pub relation: RelId,
    /// Its position among the rules of that relation.
    pub number: usize,
}

impl Core {
    /// The rules of a relation; none if it is given.
    pub fn rules(&self, relation: RelId) -> &[Rule] {
        match &self.relations[relation].body {
            CoreBody::Rules { rules, .. } => rules,
            CoreBody::Facts(_) | CoreBody::Model(_) => &[],
        }
    }

    /// All rules of a relation.
    pub fn rule_ids(&self, relation: RelId) -> impl Iterator<Item = RuleId> + use<> {
        (0..self.rules(relation).len()).map(move |number| RuleId { relation, number })
    }

    /// The rule itself.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules(id.relation)[id.number]
    }

    /// Whether a relation is defined by rules; the others are given.
    pub fn is_defined(&self, relation: RelId) -> bool {
        self.kind(relation).is_some()
    }

    /// Whether a relation is given by literal facts or an input.
    pub fn is_facts(&self, relation: RelId) -> bool {
        matches!(self.relations[relation].body, CoreBody::Facts(_))
    }

    /// The kind of a definition; none if the relation is given.
    pub fn kind(&self, relation: RelId) -> Option<RuleKind> {
        match &self.relations[relation].body {
            CoreBody::Rules { kind, .. } => Some(*kind),
            CoreBody::Facts(_) | CoreBody::Model(_) => None,
        }
    }

    /// Whether a relation stands for a part of a formula, and has no name in the file.
    pub fn is_auxiliary(&self, relation: RelId) -> bool {
        self.relations[relation].owner != relation
    }

    /// The name of the clause that a rule of a relation comes from.
    pub fn clause_name(&self, relation: RelId, rule: &Rule) -> &str {
        let owner = self.relations[relation].owner;
        self.relations[owner].clauses.get(rule.clause).map_or("", |(name, _)| name)
    }

    /// The atoms of a relation's rules.
    pub fn atoms(&self, relation: RelId) -> impl Iterator<Item = &Atom> {
        self.rules(relation).iter().flat_map(|rule| &rule.atoms)
    }

    /// The relations that a relation's rules mention.
    pub fn dependencies(&self, relation: RelId) -> BTreeSet<RelId> {
        self.atoms(relation).map(|atom| atom.relation).collect()
    }

    /// The relations that depend on each other, those that others rest on first.
    pub fn components(&self) -> Vec<Vec<RelId>> {
        self.components_among(&self.relations.ids().collect::<Vec<_>>())
    }

    /// The same for some of the relations, as if there were no others.
    pub fn components_among(&self, members: &[RelId]) -> Vec<Vec<RelId>> {
        let mut position = self.relations.filled(None);
        members.iter().enumerate().for_each(|(at, &member)| position[member] = Some(at));
        let inside = |at: usize| {
            self.dependencies(members[at]).into_iter().filter_map(|other| position[other]).collect()
        };
        let parts = components(members.len(), inside).into_iter();
        parts.map(|part| part.into_iter().map(|at| members[at]).collect()).collect()
    }

    /// Whether relations that depend on each other do so at all: one alone may not mention itself.
    pub fn is_recursive(&self, part: &[RelId]) -> bool {
        part.len() > 1 || part.iter().any(|&at| self.dependencies(at).contains(&at))
    }
}

/// A relation over scalar columns.
#[derive(Clone, Debug)]
pub struct CoreRelation {
    /// Its name with its indices, for people.
    pub title: String,
    /// The scalar leaves of its columns, in order.
    pub columns: Vec<Scalar>,
    /// What defines it.
    pub body: CoreBody,
    /// Names and places of the clauses that rules refer to.
    pub clauses: Vec<(Rc<str>, Span)>,
    /// The relation of the file that an auxiliary relation belongs to.
    pub owner: RelId,
}

/// A scalar column or variable: its sort, and which leaf of its record or vector it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// A scalar sort.
    pub sort: SortId,
    /// Counted from 0 within one column or variable.
    pub ordinal: u32,
}

/// Where the tuples of a relation come from.
#[derive(Clone, Debug)]
pub enum CoreBody {
    /// Rows of scalar values.
    Facts(Vec<Vec<Value>>),
    /// Rows of a model.
    Model(Rc<[Row]>),
    /// The rules that derive them.
    Rules {
        /// Whether they are a fixed point, and which one.
        kind: RuleKind,
        /// The place in the text: earlier is smaller.
        order: u32,
        /// Their union is the right side of the equation.
        rules: Vec<Rule>,
    },
}

/// `Inline` relations stand for a formula: they are not fixed points of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// What the rules give, once.
    Inline,
    /// The least solution.
    Mu,
    /// The greatest solution.
    Nu,
}

impl From<DefKind> for RuleKind {
    fn from(kind: DefKind) -> Self {
        match kind {
            DefKind::Let => RuleKind::Inline,
            DefKind::Mu => RuleKind::Mu,
            DefKind::Nu => RuleKind::Nu,
        }
    }
}

/// `head :- atoms, constraints`
#[derive(Clone, Debug)]
pub struct Rule {
    /// Position in the owner's clauses.
    pub clause: usize,
    /// Its variables; an `Arg::Var` is a position here.
    pub vars: Vec<Scalar>,
    /// One argument for each column.
    pub head: Vec<Arg>,
    /// All of them must hold.
    pub atoms: Vec<Atom>,
    /// These too.
    pub constraints: Vec<Constraint>,
    /// What became of the scalar leaves of the definition's variables.
    pub leaves: Occurring,
}

/// The leaves that occur in a rule, each with what it became there. A definition may have a thousand disjuncts with
/// variables of their own: a rule must not keep a place for those of all others.
#[derive(Clone, Debug)]
pub struct Occurring(Rc<[(usize, Arg)]>);

impl Occurring {
    /// What a leaf became, if it occurs.
    pub fn get(&self, leaf: usize) -> Option<&Arg> {
        self.0.binary_search_by_key(&leaf, |(at, _)| *at).ok().map(|at| &self.0[at].1)
    }
}

impl FromIterator<(usize, Arg)> for Occurring {
    /// In the order of the leaves.
    fn from_iter<T: IntoIterator<Item = (usize, Arg)>>(leaves: T) -> Self {
        Occurring(leaves.into_iter().collect())
    }
}

/// A scalar argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// A variable of the rule.
    Var(usize),
    /// A value of the sort of the column.
    Const(Value),
}

/// A relation that a tuple must be in, or must not be in.
#[derive(Clone, Debug)]
pub struct Atom {
    /// Which relation.
    pub relation: RelId,
    /// One for each of its columns.
    pub args: Vec<Arg>,
    /// The sorts of the relation's columns.
    pub sorts: Rc<[SortId]>,
    /// The tuple must not be in it.
    pub negative: bool,
    /// Where it stands and how its derivation belongs to a run. Nothing for the solver.
    pub site: Site,
}

impl Atom {
    /// Says the same, wherever it stands.
    pub fn same(&self, other: &Atom) -> bool {
        let what = |atom: &Atom| (atom.relation, atom.negative, atom.site.mark);
        what(self) == what(other) && self.args == other.args
    }
}

/// A condition on variables alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// Holds always, or never.
    Const(bool),
    /// False if a side has no value.
    Compare(Comparison, Operand, Operand),
    /// The operand has a value.
    Defined(Operand),
    /// The part does not hold.
    Not(Box<Constraint>),
    /// All parts hold.
    And(Vec<Constraint>),
    /// One part holds at least.
    Or(Vec<Constraint>),
}

/// A scalar value that is compared: an argument, or a number computed from arguments, which has a value only inside the
/// range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// What it is. Sorts that are no ranges have no arithmetic.
    pub number: Number<Summand>,
    /// The sort that the value must be of.
    pub sort: SortId,
}

/// An argument in a number, with the sort of its values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Summand {
    /// The argument.
    pub arg: Arg,
    /// A range, unless the argument stands alone.
    pub sort: SortId,
}

impl Constraint {
    /// Calls `see` for every variable.
    pub fn vars(&self, see: &mut impl FnMut(usize)) {
        match self {
            Constraint::Const(_) => {}
            Constraint::Compare(_, left, right) => {
                for operand in [left, right] {
                    operand.vars(see);
                }
            }
            Constraint::Defined(operand) => operand.vars(see),
            Constraint::Not(inner) => inner.vars(see),
            Constraint::And(parts) | Constraint::Or(parts) => parts.iter().for_each(|part| part.vars(see)),
        }
    }

    /// The same with other arguments.
    pub fn map(&self, to: &impl Fn(&Arg) -> Arg) -> Constraint {
        let operand = |of: &Operand| Operand { number: replaced(&of.number, to), sort: of.sort };
        match self {
            Constraint::Const(value) => Constraint::Const(*value),
            Constraint::Compare(op, left, right) => Constraint::Compare(*op, operand(left), operand(right)),
            Constraint::Defined(inner) => Constraint::Defined(operand(inner)),
            Constraint::Not(inner) => Constraint::Not(Box::new(inner.map(to))),
            Constraint::And(parts) => Constraint::And(parts.iter().map(|part| part.map(to)).collect()),
            Constraint::Or(parts) => Constraint::Or(parts.iter().map(|part| part.map(to)).collect()),
        }
    }

    /// Decides what can be decided without knowing any variable.
    pub fn fold(&self, sorts: &Sorts) -> Constraint {
        match self {
            Constraint::Const(_) => self.clone(),
            Constraint::Defined(operand) => {
                operand.is_defined(sorts).map_or_else(|| self.clone(), Constraint::Const)
            }
            Constraint::Compare(op, left, right) => match (left.value(sorts), right.value(sorts)) {
                _ if [left, right].iter().any(|side| side.is_defined(sorts) == Some(false)) => {
                    Constraint::Const(false)
                }
                (Some(Some(left)), Some(Some(right))) => Constraint::Const(match op {
                    Comparison::Eq => left == right,
                    Comparison::Lt => left < right,
                    Comparison::Le => left <= right,
                }),
                _ if left == right && left.is_defined(sorts) == Some(true) => {
                    Constraint::Const(*op != Comparison::Lt)
                }
                _ => self.clone(),
            },
            Constraint::Not(inner) => match inner.fold(sorts) {
                Constraint::Const(value) => Constraint::Const(!value),
                Constraint::Not(inner) => *inner,
                inner => Constraint::Not(Box::new(inner)),
            },
            Constraint::And(parts) | Constraint::Or(parts) => {
                let all = matches!(self, Constraint::And(_));
                let mut out = Vec::new();
                for part in parts {
                    match part.fold(sorts) {
                        Constraint::Const(value) if value == all => {}
                        Constraint::Const(value) => return Constraint::Const(value),
                        part => out.push(part),
                    }
                }
                match out.len() {
                    0 => Constraint::Const(all),
                    1 => out.remove(0),
                    _ if all => Constraint::And(out),
                    _ => Constraint::Or(out),
                }
            }
        }
    }
}

/// A number with other arguments; what becomes static is computed.
fn replaced(number: &Number<Summand>, to: &impl Fn(&Arg) -> Arg) -> Number<Summand> {
    match number {
        Number::Of(part) => Number::Of(Summand { arg: to(&part.arg), sort: part.sort }),
        Number::Static(value) => Number::Static(*value),
        Number::Apply(op, parts) => {
            let [a, b] = [&parts[0], &parts[1]].map(|part| match replaced(part, to) {
                Number::Of(Summand { arg: Arg::Const(Value::Int(value)), .. }) => {
                    Number::Static(i128::from(value))
                }
                part => part,
            });
            Number::apply(*op, a, b)
        }
    }
}

impl Operand {
    /// An argument alone.
    pub fn plain(arg: Arg, sort: SortId) -> Operand {
        Operand { number: Number::Of(Summand { arg, sort }), sort }
    }

    /// The argument, if nothing is computed.
    pub fn as_arg(&self) -> Option<&Arg> {
        match &self.number {
            Number::Of(part) if part.sort == self.sort => Some(&part.arg),
            _ => None,
        }
    }

    /// The form `x + n`: the variable, its sort, and what is added.
    pub fn as_shift(&self) -> Option<(usize, SortId, i128)> {
        let (part, shift) = match &self.number {
            Number::Of(part) => (part, 0),
            Number::Apply(Arithmetic::Add, parts) => match &**parts {
                [Number::Of(part), Number::Static(shift)] => (part, *shift),
                _ => return None,
            },
            _ => return None,
        };
        match part.arg {
            Arg::Var(var) => Some((var, part.sort, shift)),
            Arg::Const(_) => None,
        }
    }

    /// Calls `see` for every variable.
    pub fn vars(&self, see: &mut impl FnMut(usize)) {
        self.number.each(&mut |part| {
            if let Arg::Var(var) = part.arg {
                see(var);
            }
        });
    }

    /// Without variables: its value, if it has one.
    pub fn value(&self, sorts: &Sorts) -> Option<Option<Value>> {
        if let Some(arg) = self.as_arg() {
            return match arg {
                Arg::Const(value) => Some(Some(value.clone())),
                Arg::Var(_) => None,
            };
        }
        let known = |part: &Summand| match part.arg {
            Arg::Const(Value::Int(number)) => Some(i128::from(number)),
            _ => None,
        };
        self.number.value(&known).map(|number| in_range(sorts, self.sort, number))
    }

    /// Whether it has a value, if that does not depend on variables.
    pub fn is_defined(&self, sorts: &Sorts) -> Option<bool> {
        if self.as_arg().is_some() {
            return Some(true);
        }
        let (lo, hi) = self.bounds(sorts)?;
        let Sort::Range { lo: first, hi: last, .. } = sorts.get(self.sort) else { return None };
        match (i128::from(*first), i128::from(*last)) {
            (first, last) if first <= lo && hi <= last => Some(true),
            (first, last) if last < lo || hi < first => Some(false),
            _ => None,
        }
    }

    /// Between which numbers it lies.
    pub fn bounds(&self, sorts: &Sorts) -> Option<Bounds> {
        self.number.bounds(&|part| part.bounds(sorts))
    }
}

impl Summand {
    /// Between which numbers its values lie.
    pub fn bounds(&self, sorts: &Sorts) -> Bounds {
        match (&self.arg, sorts.get(self.sort)) {
            (Arg::Const(Value::Int(number)), _) => (i128::from(*number), i128::from(*number)),
            (_, Sort::Range { lo, hi, .. }) => (i128::from(*lo), i128::from(*hi)),
            _ => unreachable!("only ranges have arithmetic"),
        }
    }
}

/// The number as a value of a range, if it is one.
pub fn in_range(sorts: &Sorts, range: SortId, number: i128) -> Option<Value> {
    let Sort::Range { lo, hi, .. } = sorts.get(range) else { return None };
    i64::try_from(number).ok().filter(|number| lo <= number && number <= hi).map(Value::Int)
}
