//! Equations, evaluated once: the checked tree, read as operations on sets.
//!
//! There is nothing clever here. A formula is the set of assignments of which it holds; an atom is the bound of its
//! relation with the columns renamed to the arguments; `exists` forgets a variable as soon as no further part of a
//! conjunction mentions it. From a side: a negation is evaluated from the other side.

use super::layout::CopyLayout;
use super::needs::{NeededComponent, Side};
use crate::bdd::{Bdd, Manager, Renaming, Stop, Var as Bit};
use crate::check::tree::{Body, Comparison, Formula, System, Term, TermKind, VarId};
use crate::elaborate::core::{Arg, Constraint, Operand};
use crate::elaborate::flat_row;
use crate::elaborate::flatten::{Leaves, flatten};
use crate::relation::Key;
use crate::sort::{Sorts, Value};
use crate::space::{Place, facts, rows, value_of};

pub(super) struct Equations<'a> {
    pub system: &'a System,
    pub layout: CopyLayout,
    /// The bounds known so far, by side and relation.
    upper: Vec<Option<Bdd>>,
    lower: Vec<Option<Bdd>>,
}

impl<'a> Equations<'a> {
    pub fn new(
        system: &'a System,
        needs: &[NeededComponent],
        manager: Manager,
    ) -> Result<Equations<'a>, Stop> {
        let layout = CopyLayout::new(system, needs, manager)?;
        let none = vec![None; system.relations.len()];
        Ok(Equations { system, layout, upper: none.clone(), lower: none })
    }

    pub fn manager(&self) -> &Manager {
        &self.layout.space.manager
    }

    pub fn set(&mut self, at: usize, side: Side, value: Bdd) {
        match side {
            Side::Upper => self.upper[at] = Some(value),
            Side::Lower => self.lower[at] = Some(value),
        }
    }

    pub fn get(&self, at: usize, side: Side) -> &Bdd {
        let known = match side {
            Side::Upper => &self.upper[at],
            Side::Lower => &self.lower[at],
        };
        known.as_ref().expect("relations come after those that they mention")
    }

    /// Every tuple of the sorts of a relation's columns.
    pub fn everything(&self, at: usize) -> Result<Bdd, Stop> {
        self.valid(self.layout.column_places(at))
    }

    fn valid(&self, places: &[Place]) -> Result<Bdd, Stop> {
        let mut out = self.manager().one();
        for place in places {
            if let Place::Bits { lane, slot } = *place {
                out = out.and(&self.layout.space.valid(lane, slot)?)?;
            }
        }
        Ok(out)
    }

    /// The right side of a relation's equation, on the bounds as they are.
    pub fn evaluate(&self, at: usize, side: Side) -> Result<Bdd, Stop> {
        self.manager().check()?;
        let Body::Defined { clauses, .. } = &self.system.relations[at].body else { return self.given(at) };
        let scope = Formulas {
            equations: self,
            at,
            leaves: self.layout.leaves[at].as_ref().expect("only what is needed is evaluated"),
        };
        let mut out = self.manager().zero();
        for clause in clauses {
            out = out.or(&scope.formula(&clause.body, side)?)?;
        }
        out.and(&self.everything(at)?)
    }

    /// A relation of the model, or of literal facts.
    fn given(&self, at: usize) -> Result<Bdd, Stop> {
        let sorts = &self.system.sorts;
        let scalars = &self.layout.leaves[at].as_ref().expect("only what is needed is evaluated").scalars;
        let (places, space) = (self.layout.column_places(at), &self.layout.space);
        let relation = match &self.system.relations[at].body {
            Body::Facts(rows) => {
                let rows = rows.iter().map(|row| flat_row(row)).collect::<Vec<_>>();
                let relation = facts(space, scalars, places, &rows)?;
                return Ok(relation.get(&Key::default()).cloned().unwrap_or_else(|| space.manager.zero()));
            }
            Body::Model(rows) => {
                let keyed = scalars.iter().zip(places).enumerate();
                let keyed = keyed.map(|(number, (scalar, place))| match sorts.is_keyed(scalar.sort) {
                    true => Place::Key(number),
                    false => *place,
                });
                rows::model(space, scalars, &keyed.collect::<Vec<_>>(), rows, false)?
            }
            Body::Defined { .. } => unreachable!("defined, not given"),
        };
        self.in_bits(at, relation.sorted().into_iter().map(|(key, row)| (key.clone(), row.clone())))
    }

    /// One set of rows with keys.
    pub fn in_bits(&self, at: usize, rows: impl Iterator<Item = (Key, Bdd)>) -> Result<Bdd, Stop> {
        let sorts = &self.system.sorts;
        let scalars = &self.layout.leaves[at].as_ref().expect("only what is needed is evaluated").scalars;
        let keyed = scalars.iter().zip(self.layout.column_places(at));
        let keyed = keyed.filter(|(scalar, _)| sorts.is_keyed(scalar.sort)).collect::<Vec<_>>();
        let mut parts = Vec::new();
        for (key, row) in rows {
            let mut part = row;
            for (&code, (scalar, place)) in key.iter().zip(&keyed).rev() {
                if let Place::Bits { lane, slot } = **place {
                    let value = value_of(sorts, scalar.sort, u64::from(code));
                    part = part.and(&self.layout.space.is_value(lane, slot, &value)?)?;
                }
            }
            parts.push(part);
        }
        rows::union(&self.layout.space, parts)
    }

    /// The bits of a relation's columns, in order.
    pub fn bits(&self, at: usize) -> Vec<Bit> {
        let places = self.layout.column_places(at).iter();
        places.flat_map(|place| self.layout.space.place_vars(*place).to_vec()).collect()
    }
}

/// Formulas of one definition.
struct Formulas<'a> {
    equations: &'a Equations<'a>,
    at: usize,
    leaves: &'a Leaves,
}

impl Formulas<'_> {
    fn formula(&self, formula: &Formula, side: Side) -> Result<Bdd, Stop> {
        Ok(match formula {
            Formula::Const(value) => self.equations.manager().constant(*value),
            Formula::Holds(term) => {
                let truth = Term { kind: TermKind::Const(Value::Bool(true)), sort: Sorts::BOOL };
                self.compare(Comparison::Eq, term, &truth)?
            }
            Formula::Compare(how, left, right, _) => self.compare(*how, left, right)?,
            Formula::Atom(relation, args, _) => self.atom(relation.0 as usize, args, side)?,
            Formula::Not(inner) => self.formula(inner, side.other())?.not(),
            Formula::And(_) => self.product(formula, true, &[], side)?,
            Formula::Or(parts) => {
                let mut out = self.equations.manager().zero();
                for part in parts {
                    out = out.or(&self.formula(part, side)?)?;
                }
                out
            }
            Formula::Implies(left, right) => {
                self.formula(left, side.other())?.not().or(&self.formula(right, side)?)?
            }
            Formula::Iff(left, right) => {
                let there = self.formula(left, side.other())?.not().or(&self.formula(right, side)?)?;
                let back = self.formula(right, side.other())?.not().or(&self.formula(left, side)?)?;
                there.and(&back)?
            }
            Formula::Exists(vars, inner) => self.product(inner, true, vars, side)?,
            // forall x. φ is !exists x. !φ
            Formula::Forall(vars, inner) => self.product(inner, false, vars, side.other())?.not(),
        })
    }

    /// `exists bound. φ`, or `exists bound. !φ`: one part of the conjunction after the other.
    fn product(&self, formula: &Formula, positive: bool, bound: &[VarId], side: Side) -> Result<Bdd, Stop> {
        let mut parts = Vec::new();
        conjuncts(formula, positive, &mut parts);
        let last = |var: VarId| parts.iter().rposition(|(part, _)| mentions(part, var));
        let last = bound.iter().map(|&var| (var, last(var))).collect::<Vec<_>>();
        let mut out = self.equations.manager().one();
        for (number, &(part, positive)) in parts.iter().enumerate() {
            let done = last.iter().filter(|(_, at)| *at == Some(number));
            let places = done.flat_map(|(var, _)| self.places(*var)).collect::<Vec<_>>();
            let holds = match positive {
                true => self.formula(part, side)?,
                false => self.formula(part, side.other())?.not(),
            };
            // A variable has a value of its sort, not just any bits.
            let holds = holds.and(&self.equations.valid(&places)?)?;
            out = out.and_exists(&holds, &self.equations.layout.space.cube(places)?)?;
        }
        Ok(out)
    }

    fn places(&self, var: VarId) -> Vec<Place> {
        let Body::Defined { vars, .. } = &self.equations.system.relations[self.at].body else {
            unreachable!("only definitions have variables")
        };
        let count = self.equations.system.sorts.leaf_count(vars[var.0 as usize].sort);
        self.equations.layout.places[self.at][self.leaves.of(var.0 as usize, count)].to_vec()
    }

    fn compare(&self, how: Comparison, left: &Term, right: &Term) -> Result<Bdd, Stop> {
        let sorts = &self.equations.system.sorts;
        let mut parts = Vec::new();
        let left = flatten(sorts, self.leaves, left, &mut parts);
        let right = flatten(sorts, self.leaves, right, &mut parts);
        parts.extend(left.into_iter().zip(right).map(|(left, right)| Constraint::Compare(how, left, right)));
        self.condition(&Constraint::And(parts), &[])
    }

    /// A condition on the variables, and on some places numbered after them.
    fn condition(&self, condition: &Constraint, more: &[Place]) -> Result<Bdd, Stop> {
        let own = &self.equations.layout.places[self.at];
        let place = |leaf: usize| if leaf < own.len() { own[leaf] } else { more[leaf - own.len()] };
        self.equations.layout.space.condition(condition, &place)
    }

    /// The bound of a relation, with its columns renamed to the arguments.
    fn atom(&self, relation: usize, args: &[Term], side: Side) -> Result<Bdd, Stop> {
        let (sorts, layout) = (&self.equations.system.sorts, &self.equations.layout);
        let (own, space) = (&layout.places[self.at], &layout.space);
        let mut conditions = Vec::new();
        let args = args.iter().flat_map(|arg| flatten(sorts, self.leaves, arg, &mut conditions));
        let args = args.collect::<Vec<_>>();
        // On the columns: constants, and variables that stand for several columns.
        let (mut filter, mut settled) = (self.equations.manager().one(), Vec::new());
        let mut renamed: Vec<(usize, Place)> = Vec::new();
        let (mut pairs, mut spares) = (Vec::new(), Vec::new());
        for (operand, &column) in args.iter().zip(layout.column_places(relation)) {
            let Place::Bits { lane, slot } = column else { unreachable!("everything is in bits here") };
            let to = match operand.as_arg() {
                Some(Arg::Const(value)) => {
                    filter = filter.and(&space.is_value(lane, slot, value)?)?;
                    settled.push(column);
                    continue;
                }
                Some(Arg::Var(leaf)) => {
                    if let Some((_, Place::Bits { slot: before, .. })) =
                        renamed.iter().find(|(other, _)| other == leaf)
                    {
                        filter = filter.and(&space.equal(lane, *before, slot)?)?;
                        settled.push(column);
                        continue;
                    }
                    renamed.push((*leaf, column));
                    own[*leaf]
                }
                None => {
                    let spare = layout.spare(column, spares.len());
                    let value = Operand::plain(Arg::Var(own.len() + spares.len()), operand.sort);
                    conditions.push(Constraint::Compare(Comparison::Eq, value, operand.clone()));
                    spares.push(spare);
                    spare
                }
            };
            pairs.extend(space.place_vars(column).iter().copied().zip(space.place_vars(to).iter().copied()));
        }
        let value = self.equations.get(relation, side).and_exists(&filter, &space.cube(settled)?)?;
        let value = value.rename(&Renaming::new(pairs))?;
        let condition = self.condition(&Constraint::And(conditions), &spares)?;
        value.and_exists(&condition, &space.cube(spares)?)
    }
}

/// The parts whose conjunction is the formula, or its negation.
fn conjuncts<'a>(formula: &'a Formula, positive: bool, out: &mut Vec<(&'a Formula, bool)>) {
    match (formula, positive) {
        (Formula::Not(inner), _) => conjuncts(inner, !positive, out),
        (Formula::And(parts), true) | (Formula::Or(parts), false) => {
            parts.iter().for_each(|part| conjuncts(part, positive, out))
        }
        (Formula::Implies(left, right), false) => {
            conjuncts(left, true, out);
            conjuncts(right, false, out);
        }
        _ => out.push((formula, positive)),
    }
}

fn mentions(formula: &Formula, var: VarId) -> bool {
    match formula {
        Formula::Const(_) => false,
        Formula::Holds(term) => term_mentions(term, var),
        Formula::Compare(_, left, right, _) => term_mentions(left, var) || term_mentions(right, var),
        Formula::Atom(_, args, _) => args.iter().any(|arg| term_mentions(arg, var)),
        Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => mentions(inner, var),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| mentions(part, var)),
        Formula::Implies(left, right) | Formula::Iff(left, right) => {
            mentions(left, var) || mentions(right, var)
        }
    }
}

fn term_mentions(term: &Term, var: VarId) -> bool {
    let any = |terms: &[Term]| terms.iter().any(|term| term_mentions(term, var));
    match &term.kind {
        TermKind::Var(other) => *other == var,
        TermKind::Const(_) => false,
        TermKind::Field(base, _) | TermKind::Element(base, _) | TermKind::Slice(base, ..) => {
            term_mentions(base, var)
        }
        TermKind::Number(number) => {
            let mut found = false;
            number.each(&mut |part| found |= term_mentions(part, var));
            found
        }
        TermKind::Concat(left, right) => term_mentions(left, var) || term_mentions(right, var),
        TermKind::With(base, changes) => {
            term_mentions(base, var) || changes.iter().any(|(_, value)| term_mentions(value, var))
        }
        TermKind::Record(parts) | TermKind::Vector(parts) => any(parts),
    }
}
