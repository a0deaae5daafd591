//! Which bits of `Shared`, `Own` and `Local` each variable has, and which number of `Pc` each location.
//!
//! Shared and own variables are ordered so that those that affect each other are neighbours. A local that no
//! path reads gets no bits; locals that are never needed at the same time share them, within a flow and between flows,
//! since only one of them is on top of a stack ([`slots`]). Numbers have their bits in any order, also between those of others.

use super::counts::{check_globals, narrow};
use super::{affinity, slots};
use crate::model::program::cfg::liveness::{CreationEffect, Locals, live_locals};
use crate::model::program::cfg::{Cfg, Flow, FlowFrame, Loc, Spawn};
use crate::model::program::resolve::program::{Domain, ProcedureId, Program, Var};
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;

pub struct Layout {
    /// Bits of each shared and own variable, from the least significant one on.
    shared: Vec<Vec<u16>>,
    own: Vec<Vec<u16>>,
    /// For each flow, the bits of each local.
    locals: Vec<Vec<Option<Vec<u16>>>>,
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
    /// Those of them that some path reads, if there are predicates; the others are kept because a file names them.
    read: Vec<Vec<Locals>>,
    pub simplify: bool,
    /// Whether some variable has codes that are no value.
    pub has_gaps: bool,
}

impl Layout {
    /// The locals that a file has `named` keep their values from the beginning of their procedure to its end.
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
        let mut live = cfg.flows.iter().map(|flow| live_locals(flow, reads_of)).collect::<Vec<_>>();
        let read = if program.predicates.is_empty() { Vec::new() } else { live.clone() };
        for (flow, live) in cfg.flows.iter().zip(&mut live) {
            keep_named(program, flow, named, live);
        }
        let mut locals = vec![Vec::new(); cfg.flows.len()];
        let mut local_bits = 0;
        let needs = needed.iter().map(|id| {
            let widths = cfg.flow(*id).locals.iter().map(|local| local.domain.bits()).collect::<Vec<_>>();
            slots::Needs::new(widths, &live[id.index()], constrained(cfg, *id))
        });
        let needs = needs.collect::<Vec<_>>();
        let tracks = slots::Tracks::of(&needs);
        for (id, needs) in needed.iter().zip(&needs) {
            let bits = if simplify { tracks.bits(needs) } else { slots::own(&needs.widths) };
            locals[id.index()] = narrow(&cfg.flow(*id).name, &bits)?;
            let bits = locals[id.index()].iter().flatten().flatten().map(|bit| u32::from(*bit) + 1).max();
            local_bits = local_bits.max(bits.unwrap_or(0));
        }
        let locals_of = cfg.flows.iter().flat_map(|flow| &flow.locals);
        let mut variables = cfg.shared.iter().chain(&cfg.own).chain(locals_of);
        let has_gaps = variables.any(|variable| variable.domain.has_gap());
        let (shared, own) = affinity::order(cfg, &needed);
        let count = |bits: &[Vec<u16>]| bits.iter().map(|bits| bits.len() as u32).sum();
        let (shared_bits, own_bits) = (count(&shared), count(&own));
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
            read,
            simplify,
            has_gaps,
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

    /// The bits of a variable, from the least significant one on; none if it is a local that nobody reads.
    pub fn bits(&self, flow: ProcedureId, var: Var) -> Option<&[u16]> {
        match var {
            Var::Shared(index) => Some(&self.shared[index as usize]),
            Var::Own(index) => Some(&self.own[index as usize]),
            Var::Local(index) => self.locals[flow.index()][index as usize].as_deref(),
        }
    }

    /// The value of a variable in the bits of its sort.
    pub fn value(&self, flow: ProcedureId, var: Var, domain: &Domain, bits: &[bool]) -> Option<i64> {
        let mut code = 0;
        for (at, bit) in self.bits(flow, var)?.iter().enumerate() {
            code |= i64::from(*bits.get(usize::from(*bit))?) << at;
        }
        Some(domain.low() + code)
    }

    pub fn local_count(&self, flow: ProcedureId) -> u32 {
        self.locals[flow.index()].len() as u32
    }

    /// Whether the value of a local matters at a location.
    pub fn is_live(&self, flow: ProcedureId, loc: Loc, local: u32) -> bool {
        !self.simplify || self.live[flow.index()][loc.index()].contains(local)
    }

    /// Whether some path from a location reads a local before it gets another value.
    pub fn is_read(&self, flow: ProcedureId, loc: Loc, local: u32) -> bool {
        self.read.get(flow.index()).is_some_and(|read| read[loc.index()].contains(local))
    }

    /// The locals whose values matter at a location.
    pub fn live(&self, flow: ProcedureId, loc: Loc) -> impl Iterator<Item = u32> + '_ {
        let known = self.simplify.then(|| self.live[flow.index()][loc.index()].iter());
        let all = (!self.simplify).then(|| 0..self.local_count(flow));
        known.into_iter().flatten().chain(all.into_iter().flatten())
    }

    /// The bits of `Local` that mean something at a location, sorted.
    pub fn occupied(&self, flow: ProcedureId, loc: Loc) -> Vec<u16> {
        let live = self.live(flow, loc).filter_map(|local| self.bits(flow, Var::Local(local)));
        let mut bits = live.flatten().copied().collect::<Vec<_>>();
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
            let bits = locals.iter().filter_map(|local| self.bits(flow, Var::Local(local)));
            bits.flatten().copied().collect::<BTreeSet<_>>()
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
