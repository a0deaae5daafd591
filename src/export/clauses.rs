//! Clauses: `head :- atoms, conditions` over scalar columns, all predicates least fixed points.

use calculus::check::tree::{Comparison, RelId, System};
use calculus::diagnostic::Diagnostic;
use calculus::elaborate::core::{Arg, Atom, Constraint, Core, CoreBody, Operand, Rule, RuleKind};
use calculus::index::{Id, IdVec};
use calculus::sort::{SortId, Sorts, Value};
use calculus::span::Span;
use calculus::vocabulary::{Bit, BitExpr, Row};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What the clauses may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// No negation at all.
    Horn,
    /// Negation of what is computed before.
    Stratified,
}

#[derive(Clone, Debug, Default)]
pub struct Clauses {
    pub predicates: Vec<Predicate>,
    pub clauses: Vec<ExportClause>,
}

#[derive(Clone, Debug)]
pub struct Predicate {
    /// In the words of the file; not unique.
    pub title: String,
    pub columns: Vec<SortId>,
}

#[derive(Clone, Debug, Default)]
pub struct ExportClause {
    /// The clause of the file it comes from.
    pub note: String,
    pub head: usize,
    pub args: Vec<Arg>,
    pub vars: Vec<SortId>,
    pub atoms: Vec<Literal>,
    pub conditions: Vec<Condition>,
    /// Bits of variables that are equal.
    pub equal: Vec<((usize, u16), (usize, u16))>,
}

#[derive(Clone, Debug)]
pub struct Literal {
    pub predicate: usize,
    pub args: Vec<Arg>,
    pub negative: bool,
}

#[derive(Clone, Debug)]
pub enum Condition {
    Const(bool),
    /// False if a side has no value.
    Compare(Comparison, Operand, Operand),
    Defined(Operand),
    Bit(Arg, SortId, u16),
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Xor(Box<Condition>, Box<Condition>),
}

/// A part of a body.
pub(super) enum BodyPart {
    Literal(Literal),
    Condition(Condition),
}

/// A relation, or its complement.
pub(super) type SignedRelation = (RelId, bool);

pub struct ClauseBuilder<'a> {
    pub(super) system: &'a System,
    pub(super) core: &'a Core,
    fragment: Fragment,
    /// The component of each relation.
    component: IdVec<RelId, usize>,
    /// The components with least and greatest fixed points.
    mixed: BTreeSet<usize>,
    known: BTreeMap<SignedRelation, usize>,
    work: VecDeque<SignedRelation>,
    pub(super) out: Clauses,
    /// How many instances of universal quantifiers there are.
    pub(super) unfolded: usize,
}

impl<'a> ClauseBuilder<'a> {
    pub fn new(system: &'a System, core: &'a Core, fragment: Fragment) -> ClauseBuilder<'a> {
        let mut component = core.relations.filled(0);
        let mut mixed = BTreeSet::new();
        for (number, part) in core.components().iter().enumerate() {
            part.iter().for_each(|&at| component[at] = number);
            let has = |kind: RuleKind| part.iter().any(|&at| core.kind(at) == Some(kind));
            if has(RuleKind::Mu) && has(RuleKind::Nu) {
                mixed.insert(number);
            }
        }
        ClauseBuilder {
            system,
            core,
            fragment,
            component,
            mixed,
            known: BTreeMap::new(),
            work: VecDeque::new(),
            out: Clauses::default(),
            unfolded: 0,
        }
    }

    /// The predicate for a relation that is asked for, or for its complement.
    pub fn root(&mut self, at: RelId, positive: bool) -> Result<usize, Diagnostic> {
        let span = self.system.relations[at.index()].span;
        self.need(at, positive, span)
    }

    /// The clauses of all that is needed.
    pub fn finish(mut self) -> Result<Clauses, Diagnostic> {
        while let Some((at, positive)) = self.work.pop_front() {
            self.define(at, positive)?;
        }
        Ok(self.out)
    }

    /// The predicate of a relation or of its complement, which is defined later.
    fn need(&mut self, at: RelId, positive: bool, span: Span) -> Result<usize, Diagnostic> {
        if let Some(&known) = self.known.get(&(at, positive)) {
            return Ok(known);
        }
        let title = &self.core.relations[at].title;
        if self.mixed.contains(&self.component[at]) {
            let title = format!("`{title}` is in a recursion of least and greatest fixed points");
            return Err(refusal(title, span).help("no other language has these: solve it with fpsolve"));
        }
        match (self.core.kind(at), positive) {
            (Some(RuleKind::Nu), true) if self.fragment == Fragment::Horn => {
                let title = format!("`{title}` is a greatest fixed point, and Horn clauses have least ones");
                return Err(refusal(title, span)
                    .help("use `--to souffle`, which has negation, or export a query that negates it"));
            }
            (Some(RuleKind::Mu), false) => {
                let title = format!("`{title}` is negated, and Horn clauses have no negation");
                return Err(refusal(title, span)
                    .help("use `--to souffle`, which has negation, or export another query"));
            }
            _ => {}
        }
        let title = if positive { title.clone() } else { format!("not {title}") };
        let columns = self.core.relations[at].columns.iter().map(|column| column.sort).collect();
        let predicate = self.predicate(title, columns);
        self.known.insert((at, positive), predicate);
        self.work.push_back((at, positive));
        Ok(predicate)
    }

    pub(super) fn predicate(&mut self, title: String, columns: Vec<SortId>) -> usize {
        self.out.predicates.push(Predicate { title, columns });
        self.out.predicates.len() - 1
    }

    fn define(&mut self, at: RelId, positive: bool) -> Result<(), Diagnostic> {
        let head = self.known[&(at, positive)];
        let core = self.core;
        let relation = &core.relations[at];
        let columns = relation.columns.iter().map(|column| column.sort).collect::<Vec<_>>();
        match &relation.body {
            CoreBody::Facts(rows) => {
                for row in rows {
                    let args = row.iter().cloned().map(Arg::Const).collect();
                    self.out.clauses.push(ExportClause { head, args, ..ExportClause::default() });
                }
            }
            CoreBody::Model(rows) => {
                for row in rows.iter() {
                    self.out.clauses.push(given(head, &columns, row));
                }
            }
            CoreBody::Rules { kind: RuleKind::Nu, .. } if positive => {
                // The complement of its complement.
                let args = (0..columns.len()).map(Arg::Var).collect::<Vec<_>>();
                let complement = self.need(at, false, self.system.relations[relation.owner.index()].span)?;
                let atoms = vec![Literal { predicate: complement, args: args.clone(), negative: true }];
                self.out.clauses.push(ExportClause {
                    head,
                    args,
                    vars: columns,
                    atoms,
                    ..ExportClause::default()
                });
            }
            CoreBody::Rules { rules, .. } if positive => {
                for rule in rules {
                    self.rule(at, head, rule)?;
                }
            }
            CoreBody::Rules { rules, .. } => self.complement(at, head, rules)?,
        }
        Ok(())
    }

    fn rule(&mut self, at: RelId, head: usize, rule: &Rule) -> Result<(), Diagnostic> {
        let mut clause = ExportClause {
            note: self.core.relations[at].clauses[rule.clause].0.to_string(),
            head,
            args: rule.head.clone(),
            vars: rule.vars.iter().map(|var| var.sort).collect(),
            conditions: rule.constraints.iter().map(condition).collect(),
            ..ExportClause::default()
        };
        for atom in &rule.atoms {
            match self.piece(at, rule.clause, atom, true)? {
                BodyPart::Literal(literal) => clause.atoms.push(literal),
                BodyPart::Condition(condition) => clause.conditions.push(condition),
            }
        }
        self.out.clauses.push(clause);
        Ok(())
    }

    /// An atom in a clause of the relation `at`, or its negation.
    pub(super) fn piece(
        &mut self,
        at: RelId,
        clause: usize,
        atom: &Atom,
        as_written: bool,
    ) -> Result<BodyPart, Diagnostic> {
        let other = atom.relation;
        let span = self.core.relations[at].clauses[clause].1;
        let positive = atom.negative != as_written;
        let core = self.core;
        let literal = |predicate: usize, negative: bool| {
            BodyPart::Literal(Literal { predicate, args: atom.args.clone(), negative })
        };
        let before = self.component[other] != self.component[at];
        match &core.relations[other].body {
            _ if positive => Ok(literal(self.need(other, true, span)?, false)),
            _ if self.fragment == Fragment::Stratified && before => {
                Ok(literal(self.need(other, true, span)?, true))
            }
            CoreBody::Facts(rows) => {
                let rows = rows.iter().map(|row| equals(&atom.args, &atom.sorts, row));
                Ok(BodyPart::Condition(Condition::Not(Box::new(Condition::Or(rows.collect())))))
            }
            CoreBody::Model(rows) => {
                let rows = rows.iter().map(|row| member(&atom.args, &atom.sorts, row));
                Ok(BodyPart::Condition(Condition::Not(Box::new(Condition::Or(rows.collect())))))
            }
            CoreBody::Rules { .. } => Ok(literal(self.need(other, false, span)?, false)),
        }
    }
}

pub(super) fn refusal(title: String, span: Span) -> Diagnostic {
    Diagnostic::error("fp::not_exportable", title).label(span, "needed here")
}

/// A row of the model as a clause.
fn given(head: usize, columns: &[SortId], row: &Row) -> ExportClause {
    let mut args = (0..columns.len()).map(Arg::Var).collect::<Vec<_>>();
    for (leaf, value) in &row.fixed {
        args[usize::from(*leaf)] = Arg::Const(value.clone());
    }
    let mut conditions = vec![bits(&args, columns, &row.core)];
    let mut equal = Vec::new();
    for (left, right) in row.equal_pairs() {
        match (&args[usize::from(left.leaf)], &args[usize::from(right.leaf)]) {
            (Arg::Var(one), Arg::Var(other)) => equal.push(((*one, left.bit), (*other, right.bit))),
            _ => conditions.push(same(&args, columns, left, right)),
        }
    }
    ExportClause { head, args, vars: columns.to_vec(), conditions, equal, ..ExportClause::default() }
}

/// The arguments are a tuple of the row.
fn member(args: &[Arg], sorts: &[SortId], row: &Row) -> Condition {
    let fixed = row.fixed.iter().map(|(leaf, value)| {
        let leaf = usize::from(*leaf);
        equals(&args[leaf..=leaf], &sorts[leaf..=leaf], std::slice::from_ref(value))
    });
    let equal = row.equal_pairs().map(|(left, right)| same(args, sorts, left, right));
    Condition::And(fixed.chain([bits(args, sorts, &row.core)]).chain(equal).collect())
}

fn equals(args: &[Arg], sorts: &[SortId], row: &[Value]) -> Condition {
    let parts = args.iter().zip(sorts).zip(row).map(|((arg, sort), value)| {
        let operand = |arg: Arg| Operand::plain(arg, *sort);
        Condition::Compare(Comparison::Eq, operand(arg.clone()), operand(Arg::Const(value.clone())))
    });
    Condition::And(parts.collect())
}

fn bit(args: &[Arg], sorts: &[SortId], at: Bit) -> Condition {
    let leaf = usize::from(at.leaf);
    Condition::Bit(args[leaf].clone(), sorts[leaf], at.bit)
}

fn same(args: &[Arg], sorts: &[SortId], left: Bit, right: Bit) -> Condition {
    let (left, right) = (bit(args, sorts, left), bit(args, sorts, right));
    Condition::Not(Box::new(Condition::Xor(Box::new(left), Box::new(right))))
}

fn bits(args: &[Arg], sorts: &[SortId], expr: &BitExpr) -> Condition {
    let of = |part: &BitExpr| bits(args, sorts, part);
    match expr {
        BitExpr::Const(value) => Condition::Const(*value),
        BitExpr::Bit(at) => bit(args, sorts, *at),
        BitExpr::Zeros(first, count) => {
            let zero = |at: Bit| Condition::Not(Box::new(bit(args, sorts, at)));
            Condition::And(first.run(*count).map(zero).collect())
        }
        BitExpr::Not(inner) => Condition::Not(Box::new(of(inner))),
        BitExpr::And(parts) => Condition::And(parts.iter().map(of).collect()),
        BitExpr::Or(parts) => Condition::Or(parts.iter().map(of).collect()),
        BitExpr::Xor(left, right) => Condition::Xor(Box::new(of(left)), Box::new(of(right))),
        BitExpr::Shared(inner) => of(inner),
    }
}

pub(super) fn condition(constraint: &Constraint) -> Condition {
    match constraint {
        Constraint::Const(value) => Condition::Const(*value),
        Constraint::Compare(op, left, right) => Condition::Compare(*op, left.clone(), right.clone()),
        Constraint::Defined(operand) => Condition::Defined(operand.clone()),
        Constraint::Not(inner) => Condition::Not(Box::new(condition(inner))),
        Constraint::And(parts) => Condition::And(parts.iter().map(condition).collect()),
        Constraint::Or(parts) => Condition::Or(parts.iter().map(condition).collect()),
    }
}

/// A comparison of constants.
pub(super) fn decided(sorts: &Sorts, op: Comparison, left: &Operand, right: &Operand) -> Option<bool> {
    match Constraint::Compare(op, left.clone(), right.clone()).fold(sorts) {
        Constraint::Const(value) => Some(value),
        _ => None,
    }
}
