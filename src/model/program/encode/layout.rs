//! Which bit of `Shared`, `Own` and `Local` each variable has, and which number of `Pc` each location.
//!
//! Shared and own variables are ordered so that those that affect each other are neighbours. A local that no
//! path reads gets no bit; locals that are never needed at the same time share one, within a flow and between flows,
//! since only one of them is on top of a stack.

use super::affinity;
use super::counts::{check_globals, narrow};
use crate::model::program::cfg::liveness::{Locals, live_locals};
use crate::model::program::cfg::{Cfg, Loc};
use crate::model::program::resolve::program::{ProcedureId, Var};
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;

pub struct Layout {
    /// Bit of each shared and own variable.
    shared: Vec<u16>,
    own: Vec<u16>,
    /// For each flow, the bit of each local.
    locals: Vec<Vec<Option<u16>>>,
    pub shared_bits: u32,
    pub own_bits: u32,
    pub local_bits: u32,
    /// The flows that are executed.
    pub needed: Vec<ProcedureId>,
    /// Number of the first location of each flow.
    first: Vec<u32>,
    pub locations: u32,
    /// Live locals per flow and location; none if nothing is simplified.
    live: Vec<Vec<Locals>>,
    pub simplify: bool,
}

impl Layout {
    pub fn new(cfg: &Cfg, simplify: bool) -> Result<Layout, Diagnostic> {
        check_globals(cfg)?;
        let needed = cfg.needed();
        let mut first = vec![0; cfg.flows.len()];
        let mut locations = 0;
        for id in &needed {
            first[id.index()] = locations;
            locations += cfg.flow(*id).locations.len() as u32;
        }
        let live: Vec<Vec<Locals>> = cfg.flows.iter().map(|flow| live_locals(flow, &[], |_| None)).collect();
        let mut locals = vec![Vec::new(); cfg.flows.len()];
        let mut local_bits = 0;
        for id in &needed {
            let flow = cfg.flow(*id);
            let bits = if simplify {
                shared_bits_of(flow.locals.len(), &live[id.index()], |local| constrained(cfg, *id, local))
            } else {
                (0..).take(flow.locals.len()).map(Some).collect()
            };
            locals[id.index()] = narrow(&flow.name, &bits)?;
            let bits = locals[id.index()].iter().flatten().map(|bit| u32::from(*bit) + 1).max();
            local_bits = local_bits.max(bits.unwrap_or(0));
        }
        let (shared, own) = affinity::order(cfg, &needed);
        let (shared_bits, own_bits) = (shared.len() as u32, own.len() as u32);
        Ok(Layout {
            shared,
            own,
            locals,
            shared_bits,
            own_bits,
            local_bits,
            needed,
            first,
            locations,
            live,
            simplify,
        })
    }

    pub fn pc(&self, flow: ProcedureId, loc: Loc) -> u64 {
        u64::from(self.first[flow.index()] + loc.0)
    }

    /// The flow and location of a number.
    pub fn location(&self, pc: u64) -> (ProcedureId, Loc) {
        let at = self.needed.partition_point(|id| u64::from(self.first[id.index()]) <= pc) - 1;
        let id = self.needed[at];
        (id, Loc(pc as u32 - self.first[id.index()]))
    }

    pub fn shared(&self, index: u32) -> u16 {
        self.shared[index as usize]
    }

    pub fn own(&self, index: u32) -> u16 {
        self.own[index as usize]
    }

    pub fn local(&self, flow: ProcedureId, index: u32) -> Option<u16> {
        self.locals[flow.index()][index as usize]
    }

    pub fn local_count(&self, flow: ProcedureId) -> u32 {
        self.locals[flow.index()].len() as u32
    }

    /// Whether the value of a local matters at a location.
    pub fn is_live(&self, flow: ProcedureId, loc: Loc, local: u32) -> bool {
        !self.simplify || self.live[flow.index()][loc.index()].contains(local)
    }

    /// The bits of `Local` that mean something at a location.
    pub fn occupied(&self, flow: ProcedureId, loc: Loc) -> Vec<bool> {
        let mut out = vec![false; self.local_bits as usize];
        for local in (0..self.local_count(flow)).filter(|local| self.is_live(flow, loc, *local)) {
            if let Some(bit) = self.local(flow, local) {
                out[usize::from(bit)] = true;
            }
        }
        out
    }
}

/// A bit for each local that some path reads, or that needs one `alone`: the first that no local has with which it is
/// alive somewhere.
fn shared_bits_of(count: usize, live: &[Locals], alone: impl Fn(u32) -> bool) -> Vec<Option<u32>> {
    let mut together: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
    for locals in live.iter().collect::<BTreeSet<_>>() {
        let locals = locals.iter().collect::<Vec<_>>();
        for local in &locals {
            together[*local as usize].extend(&locals);
        }
    }
    let mut bits: Vec<Option<u32>> = vec![None; count];
    for local in 0..count as u32 {
        if alone(local) || together[local as usize].is_empty() {
            continue;
        }
        let others = together[local as usize].iter().filter_map(|other| bits[*other as usize]);
        let taken = others.collect::<BTreeSet<_>>();
        bits[local as usize] = (0..).find(|bit| !taken.contains(bit));
    }
    let first = bits.iter().flatten().map(|bit| bit + 1).max().unwrap_or(0);
    for (bit, local) in (first..).zip((0..count as u32).filter(|local| alone(*local))) {
        bits[local as usize] = Some(bit);
    }
    bits
}

/// Whether a constraint speaks of the new value of a local: then it needs a bit even if nobody reads it.
fn constrained(cfg: &Cfg, id: ProcedureId, local: u32) -> bool {
    use crate::model::program::cfg::Action;
    use crate::model::program::resolve::program::Op;
    cfg.flow(id).edges.iter().any(|edge| match &edge.action {
        Action::Assign { constraint: Some(constraint), .. } => {
            constraint.code.contains(&Op::New(Var::Local(local)))
        }
        _ => false,
    })
}
