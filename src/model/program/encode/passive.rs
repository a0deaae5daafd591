//! What every other thread does while one makes a broadcast: `passive(q, s, q', s', p, p')`.
//!
//! Another thread stays at its location. Its variables change as the assignment says, if it has them; at its end, and where
//! it has failed, it has no variables any more.

use super::bits::{and, meaning_by};
use super::rows::{Rows, pc};
use super::runs::Changed;
use crate::model::program::cfg::{AssignedValue, Edge, Loc};
use crate::model::program::resolve::program::{Op, Others, ProcedureId, Var};
use crate::model::schema::{PASSIVE, StateLeaves};
use calculus::vocabulary::{BitExpr, Row};
use std::collections::BTreeSet;

/// The thread that makes the step.
const BEFORE: StateLeaves = PASSIVE.side("q", "s");
const AFTER: StateLeaves = PASSIVE.side("q'", "s'");
/// The other one.
const THEIRS: StateLeaves = PASSIVE.state("p");
const THEIRS_AFTER: StateLeaves = PASSIVE.state("p'");

impl Rows<'_> {
    /// A row for each place where another thread can be.
    pub(super) fn passive(
        &self,
        id: ProcedureId,
        edge: &Edge,
        values: &[(Var, AssignedValue)],
        others: &Others,
    ) -> Vec<Row> {
        let assigned = values.iter().map(|(var, _)| *var).collect::<BTreeSet<_>>();
        let mut out = Vec::new();
        for &root in &self.layout.needed {
            let flow = self.cfg.flow(root);
            // The same for all its locations: what others look at is alive everywhere.
            let moves = others.bearers.contains(&root).then(|| self.moved((id, &assigned), root, others));
            for loc in (0..flow.locations.len() as u32).map(Loc) {
                let mut row = Row { fixed: Vec::new(), core: BitExpr::Const(true), equal: Vec::new() };
                let (mut own, mut local) = (Changed::default(), Changed::default());
                if let Some((moved, changed)) = moves.as_ref().filter(|_| flow.takes_part(loc)) {
                    row = moved.clone();
                    changed.own.iter().for_each(|bit| own.add(*bit));
                    changed.local.iter().for_each(|bit| local.add(*bit));
                }
                let there = self.layout.pc(root, loc);
                row.fixed = vec![
                    pc(BEFORE, self.layout.pc(id, edge.from)),
                    pc(AFTER, self.layout.pc(id, edge.to)),
                    pc(THEIRS, there),
                    pc(THEIRS_AFTER, there),
                ];
                own.others_stay(THEIRS.own, THEIRS_AFTER.own, self.layout.own_bits, &mut row.equal);
                local.others_stay(THEIRS.local, THEIRS_AFTER.local, self.layout.local_bits, &mut row.equal);
                out.push(row);
            }
        }
        out
    }

    /// What becomes of a thread that has the variables, and which bits that is about.
    fn moved(
        &self,
        (id, assigned): (ProcedureId, &BTreeSet<Var>),
        root: ProcedureId,
        others: &Others,
    ) -> (Row, ChangedBits) {
        let changes = |var: Var| others.variables.contains(&var);
        let read = |op: Op| match op {
            Op::New(var) if assigned.contains(&var) => self.read(id, AFTER, var),
            Op::Old(var) | Op::New(var) => self.read(id, BEFORE, var),
            Op::TheirsAfter(var) if changes(var) => self.read(root, THEIRS_AFTER, var),
            Op::Theirs(var) | Op::TheirsAfter(var) => self.read(root, THEIRS, var),
            _ => unreachable!("only variables are read"),
        };
        let mut core = BitExpr::Const(true);
        for var in others.theirs().collect::<BTreeSet<_>>() {
            core = and(core, self.valid(root, THEIRS, var));
        }
        if let Some(constraint) = &others.constrain {
            core = and(core, meaning_by(constraint, &read).one());
        }
        let (mut equal, mut changed) = (Vec::new(), ChangedBits::default());
        for (var, value) in others.variables.iter().zip(&others.values) {
            let Some(after) = self.bits(root, THEIRS_AFTER, *var) else { continue };
            let bits = if let Var::Own(_) = var { &mut changed.own } else { &mut changed.local };
            bits.extend(after.iter().map(|bit| bit.bit));
            if value.code == [Op::Nondet] {
                core = and(core, self.valid(root, THEIRS_AFTER, *var));
            } else {
                let value = meaning_by(value, &read);
                self.take(self.cfg.domain(root, *var), &after, value, (&mut core, &mut equal));
            }
        }
        (Row { fixed: Vec::new(), core, equal }, changed)
    }
}

/// Bits that change, as places in `Own` and `Local`.
#[derive(Default)]
struct ChangedBits {
    own: Vec<u16>,
    local: Vec<u16>,
}
