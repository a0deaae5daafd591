//! Which bit of `Shared`, `Own` and `Local` each variable has, and which number of `Pc` each location.
//!
//! Shared and own variables are ordered so that those that affect each other are neighbours. A local that no
//! path reads gets no bit; locals that are never needed at the same time share one, within a flow and between flows,
//! since only one of them is on top of a stack.

use super::affinity;
use super::counts::{check_globals, narrow};
use crate::model::program::cfg::liveness::{self, CreationEffect, Locals, live_locals};
use crate::model::program::cfg::{Cfg, Flow, FlowFrame, Loc, Spawn};
use crate::model::program::resolve::program::{ProcedureId, Program, Var};
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
    /// The locals that are `named` keep their values from the beginning of their procedure to its end.
    pub fn new(
        program: &Program,
        cfg: &Cfg,
        simplify: bool,
        named: &BTreeSet<String>,
    ) -> Result<Layout, Diagnostic> {
        check_globals(cfg)?;
        let needed = cfg.needed();
        let mut first = vec![0; cfg.flows.len()];
        let mut locations = 0;
        for id in &needed {
            first[id.index()] = locations;
            locations += cfg.flow(*id).locations.len() as u32;
        }
        let live = cfg.flows.iter().map(|flow| {
            let mut live = live_locals(flow, reads_of);
            keep_named(program, flow, named, &mut live);
            live
        });
        let live: Vec<Vec<Locals>> = live.collect();
        let mut locals = vec![Vec::new(); cfg.flows.len()];
        let mut local_bits = 0;
        for id in &needed {
            let flow = cfg.flow(*id);
            let bits = if simplify {
                shared_bits_of(flow.locals.len(), &live[id.index()], &constrained(cfg, *id))
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

    /// The locals whose values matter at a location.
    fn live(&self, flow: ProcedureId, loc: Loc) -> impl Iterator<Item = u32> + '_ {
        let known = self.simplify.then(|| self.live[flow.index()][loc.index()].iter());
        let all = (!self.simplify).then(|| 0..self.local_count(flow));
        known.into_iter().flatten().chain(all.into_iter().flatten())
    }

    /// The bits of `Local` that mean something at a location, sorted.
    pub fn occupied(&self, flow: ProcedureId, loc: Loc) -> Vec<u16> {
        let mut bits = self.live(flow, loc).filter_map(|local| self.local(flow, local)).collect::<Vec<_>>();
        bits.sort_unstable();
        bits
    }

    /// The bits of `Local` that mean something at one location and nothing at the next one, sorted. Locals that are alive
    /// at both need no look: they keep their bits, and nothing that is alive with them has the same ones.
    pub fn vacated(&self, flow: ProcedureId, from: Loc, to: Loc) -> Vec<u16> {
        if !self.simplify {
            return Vec::new();
        }
        let live = &self.live[flow.index()];
        let (before, after) = (&live[from.index()], &live[to.index()]);
        let bits = |locals: Locals| {
            locals.iter().filter_map(|local| self.local(flow, local)).collect::<BTreeSet<_>>()
        };
        let taken = bits(after.without(before));
        bits(before.without(after)).into_iter().filter(|bit| !taken.contains(bit)).collect()
    }
}

/// A creator reads what it gives to a new thread.
fn reads_of(spawn: &Spawn) -> CreationEffect<'_> {
    CreationEffect::Start { arguments: &spawn.values, begin: None }
}

/// Adds the named locals of all frames that are open at a location.
fn keep_named(program: &Program, flow: &Flow, named: &BTreeSet<String>, live: &mut [Locals]) {
    let of_frame = |frame: &FlowFrame| {
        let locals = (frame.base..).zip(&program.procedure(frame.procedure).locals);
        locals.filter(|(_, local)| named.contains(&local.name)).map(|(slot, _)| slot).collect::<Vec<_>>()
    };
    let slots = flow.frames.iter().map(of_frame).collect::<Vec<_>>();
    if slots.iter().all(Vec::is_empty) {
        return;
    }
    for (location, live) in flow.locations.iter().zip(live) {
        let mut frame = Some(location.frame as usize);
        while let Some(at) = frame {
            slots[at].iter().for_each(|slot| live.insert(*slot));
            frame = flow.frames[at].caller.map(|(caller, _)| caller as usize);
        }
    }
}

/// A bit for each local that some path reads, or that needs one `alone`: the first that no local has with which it is
/// alive somewhere.
fn shared_bits_of(count: usize, live: &[Locals], alone: &Locals) -> Vec<Option<u32>> {
    let together = together(count, live);
    let mut bits: Vec<Option<u32>> = vec![None; count];
    // Which bits are taken, by the local that it was found out for.
    let mut taken = vec![usize::MAX; count];
    for local in (0..count).filter(|local| !alone.contains(*local as u32)) {
        if together[local].iter().next().is_none() {
            continue;
        }
        // Later ones have no bits yet.
        let before = together[local].iter().take_while(|other| (*other as usize) < local);
        for bit in before.filter_map(|other| bits[other as usize]) {
            taken[bit as usize] = local;
        }
        bits[local] = (0..).find(|bit| taken[*bit as usize] != local);
    }
    let first = bits.iter().flatten().map(|bit| bit + 1).max().unwrap_or(0);
    for (bit, local) in (first..).zip(alone.iter()) {
        bits[local as usize] = Some(bit);
    }
    bits
}

/// For each local the locals that are alive somewhere where it is. Neighbouring locations differ in little: two locals that were both alive
/// at the one before are known to be together.
fn together(count: usize, live: &[Locals]) -> Vec<Locals> {
    let mut together = vec![Locals::none(count); count];
    let mut before = &Locals::none(count);
    for locals in live {
        for local in locals.without(before).iter() {
            together[local as usize].add(locals);
        }
        before = locals;
    }
    liveness::make_symmetric(&mut together);
    together
}

/// The locals of whose new values a constraint speaks: they need a bit even if nobody reads them.
fn constrained(cfg: &Cfg, id: ProcedureId) -> Locals {
    use crate::model::program::cfg::Action;
    use crate::model::program::resolve::program::Op;
    let flow = cfg.flow(id);
    let mut found = Locals::none(flow.locals.len());
    for edge in &flow.edges {
        let Action::Assign { constraint: Some(constraint), .. } = &edge.action else { continue };
        for op in &constraint.code {
            if let Op::New(Var::Local(local)) = op {
                found.insert(*local);
            }
        }
    }
    found
}
