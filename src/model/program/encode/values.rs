//! Values of variables in the bits of a row: where they are, which codes are values, and how they are taken over.
//!
//! All relations have values only, never codes that are none: those over states and shared values say so, and a step
//! says so of what it reads and writes. What it leaves alone is the same before and after it.

use super::bits::{BitOutcome, Meaning, and};
use super::rows::Rows;
use super::word::{Word, valid};
use crate::model::program::cfg::{AssignedValue, Edge, Loc};
use crate::model::program::resolve::program::{Domain, Expr, ProcedureId, Var};
use crate::model::schema::StateLeaves;
use calculus::vocabulary::{Bit, BitExpr, EqualBits};
use std::collections::BTreeSet;

impl Rows<'_> {
    /// The bits of a variable, from the least significant one on.
    pub(super) fn bits(&self, flow: ProcedureId, side: StateLeaves, var: Var) -> Option<Vec<Bit>> {
        let leaf = match var {
            Var::Shared(_) => side.shared.expect("the relation has the shared values of this side"),
            Var::Own(_) => side.own,
            Var::Local(_) => side.local,
        };
        Some(self.layout.bits(flow, var)?.iter().map(|bit| Bit { leaf, bit: *bit }).collect())
    }

    /// A truth value's bit.
    pub(super) fn flag(&self, flow: ProcedureId, side: StateLeaves, var: Var) -> Option<Bit> {
        self.bits(flow, side, var).and_then(|bits| bits.first().copied())
    }

    /// A variable without bits is one that nobody reads.
    pub(super) fn read(&self, flow: ProcedureId, side: StateLeaves, var: Var) -> Meaning {
        let bits =
            self.bits(flow, side, var).map(|bits| bits.into_iter().map(BitExpr::Bit).collect::<Vec<_>>());
        match (self.cfg.domain(flow, var), bits) {
            (Domain::Bool, bits) => {
                let bit = bits.and_then(|bits| bits.into_iter().next());
                Meaning::Truth(BitOutcome::Sure(bit.unwrap_or(BitExpr::Const(false))))
            }
            (domain, Some(bits)) => Meaning::Number(Word::of(domain, bits)),
            (domain, None) => Meaning::Number(Word::constant(domain.low().into())),
        }
    }

    /// The bits of a variable are the code of a value.
    pub(super) fn valid(&self, flow: ProcedureId, side: StateLeaves, var: Var) -> BitExpr {
        let domain = self.cfg.domain(flow, var);
        if !domain.has_gap() {
            return BitExpr::Const(true);
        }
        let bits = self.bits(flow, side, var).unwrap_or_default();
        valid(domain, &bits.into_iter().map(BitExpr::Bit).collect::<Vec<_>>())
    }

    /// The variables that mean something at a location have values: of those that can have codes that are none.
    pub(super) fn valid_at(&self, flow: ProcedureId, loc: Loc, side: StateLeaves) -> BitExpr {
        if !self.layout.has_gaps {
            return BitExpr::Const(true);
        }
        let shared = (0..self.cfg.shared.len() as u32).filter(|_| side.shared.is_some()).map(Var::Shared);
        let own = (0..self.cfg.own.len() as u32).map(Var::Own);
        let locals = self.layout.live(flow, loc).map(Var::Local);
        let valid = shared.chain(own).chain(locals).map(|var| self.valid(flow, side, var));
        valid.fold(BitExpr::Const(true), and)
    }

    /// A variable takes a value.
    pub(super) fn take(
        &self,
        domain: &Domain,
        bits: &[Bit],
        value: Meaning,
        (core, equal): (&mut BitExpr, &mut Vec<EqualBits>),
    ) {
        let mut also = |condition| *core = and(std::mem::replace(core, BitExpr::Const(true)), condition);
        match value {
            Meaning::Truth(BitOutcome::Sure(BitExpr::Bit(from))) => {
                equal.extend(bits.iter().map(|bit| EqualBits::from((from, *bit))));
            }
            Meaning::Truth(outcome) if *domain == Domain::Bool => {
                bits.iter().for_each(|bit| also(outcome.clone().taken_by(*bit)));
            }
            // `*` is any value.
            Meaning::Truth(_) => {
                also(valid(domain, &bits.iter().copied().map(BitExpr::Bit).collect::<Vec<_>>()))
            }
            Meaning::Number(word) => {
                for (bit, value) in bits.iter().zip(word.code(domain)) {
                    match value {
                        BitExpr::Bit(from) => equal.push((from, *bit).into()),
                        value => also(BitOutcome::Sure(value).taken_by(*bit)),
                    }
                }
            }
        }
    }

    /// What an edge reads and writes has values before it. (What it leaves alone has them if it has them afterwards.)
    pub(super) fn valid_before(
        &self,
        (id, edge): (ProcedureId, &Edge),
        side: StateLeaves,
        values: &[(Var, AssignedValue)],
        constraint: Option<&Expr>,
    ) -> BitExpr {
        if !self.layout.has_gaps {
            return BitExpr::Const(true);
        }
        let mut vars = edge.guard.variables().collect::<BTreeSet<_>>();
        vars.extend(constraint.into_iter().flat_map(Expr::variables));
        for (var, value) in values {
            vars.insert(*var);
            if let AssignedValue::Is(value) = value {
                vars.extend(value.variables());
            }
        }
        let means = |var: &Var| match var {
            Var::Local(local) => self.layout.is_live(id, edge.from, *local),
            Var::Shared(_) | Var::Own(_) => true,
        };
        let valid = vars.into_iter().filter(means).map(|var| self.valid(id, side, var));
        valid.fold(BitExpr::Const(true), and)
    }

    /// A shared or own variable has a value.
    pub(super) fn is(&self, flow: ProcedureId, side: StateLeaves, var: Var, value: i64) -> BitExpr {
        let bits = self.bits(flow, side, var).unwrap_or_default();
        let code = value - self.cfg.domain(flow, var).low();
        let bit =
            |(at, bit): (usize, Bit)| BitOutcome::Sure(BitExpr::Const(code >> at & 1 == 1)).taken_by(bit);
        bits.into_iter().enumerate().map(bit).fold(BitExpr::Const(true), and)
    }
}
