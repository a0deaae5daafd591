//! One row per control-flow edge: what it touches as a Boolean expression, the rest as equalities.

use super::bits::{and, meaning, not};
use super::layout::Layout;
use super::runs::{Changed, Of, zero};
use crate::model::program::cfg::noticed::noticed_behind;
use crate::model::program::cfg::{Action, AssignedValue, Cfg, Edge, Flow, Loc, PlaceInText, Role, Spawn};
use crate::model::program::resolve::program::{Expr, Op, ProcedureId, Var};
use crate::model::schema::{CALL, INITIAL, PAUSE, REACH_CFG, RET, SPAWN, START, STEP, StateLeaves, YIELD};
use calculus::sort::Value;
use calculus::vocabulary::{BitExpr, Row};
use std::collections::{BTreeMap, BTreeSet};

/// `step(q, s, q', s')`
const BEFORE: StateLeaves = STEP.side("q", "s");
const AFTER: StateLeaves = STEP.side("q'", "s'");
/// `call(q, s, e)`
const CALLING: StateLeaves = CALL.side("q", "s");
const CALLEE: StateLeaves = CALL.side("e", "s");
/// `ret(q, x, sx, q', s')`
const CALLER: StateLeaves = RET.state("q");
const LEFT: StateLeaves = RET.side("x", "sx");
const RETURNED: StateLeaves = RET.side("q'", "s'");
/// `spawn(q, s, q', s', n)`
const CREATOR: StateLeaves = SPAWN.side("q", "s");
const GONE_ON: StateLeaves = SPAWN.side("q'", "s'");
const NEW: StateLeaves = SPAWN.state("n");
/// `start(q)`
const STARTED: StateLeaves = START.state("q");
/// `initial(s)`, which has no state.
const INITIAL_VALUES: StateLeaves =
    StateLeaves { pc: 0, own: 0, local: 0, shared: Some(INITIAL.shared("s")) };

pub struct Rows<'a> {
    pub cfg: &'a Cfg,
    pub layout: &'a Layout,
}

/// Rows of the relations with edges.
#[derive(Default)]
pub struct Edges {
    pub step: Vec<Row>,
    pub spawn: Vec<Row>,
    pub broadcast: Vec<Row>,
    pub passive: Vec<Row>,
    pub call: Vec<Row>,
    pub ret: Vec<Row>,
}

/// What an edge changes.
#[derive(Default)]
struct Changes {
    shared: Changed,
    own: Changed,
    local: Changed,
}

impl Changes {
    fn of(&mut self, var: Var) -> &mut Changed {
        match var {
            Var::Shared(_) => &mut self.shared,
            Var::Own(_) => &mut self.own,
            Var::Local(_) => &mut self.local,
        }
    }
}

pub(super) fn pc(side: StateLeaves, number: u64) -> (u16, Value) {
    (side.pc, Value::Name(number))
}

impl Rows<'_> {
    pub fn edges(&self) -> Edges {
        let mut out = Edges::default();
        for id in &self.layout.needed {
            for edge in &self.cfg.flow(*id).edges {
                match &edge.action {
                    Action::Assign { values, constraint, others } => {
                        let row = self.step(*id, edge, values, constraint.as_ref());
                        match others {
                            None => out.step.push(row),
                            // Its columns are those of `step`.
                            Some(others) => {
                                out.broadcast.push(row);
                                out.passive.extend(self.passive(*id, edge, values, others));
                            }
                        }
                    }
                    Action::Call { callee, arguments, targets } => {
                        out.call.push(self.call(*id, edge, *callee, arguments));
                        out.ret.push(self.ret(*id, edge, *callee, targets));
                    }
                    Action::Create(spawn) => out.spawn.push(self.spawn(*id, edge, spawn)),
                }
            }
        }
        out
    }

    /// The bits of `Local` that mean nothing at a location are 0, so that states do not differ in them.
    fn silence(&self, flow: ProcedureId, loc: Loc, side: StateLeaves, core: BitExpr) -> BitExpr {
        zero(core, side.local, Of::Others(self.layout.occupied(flow, loc), self.layout.local_bits))
    }

    fn step(
        &self,
        id: ProcedureId,
        edge: &Edge,
        values: &[(Var, AssignedValue)],
        constraint: Option<&Expr>,
    ) -> Row {
        let assigned: BTreeMap<Var, &AssignedValue> =
            values.iter().map(|(var, value)| (*var, value)).collect();
        let old = |var: Var| self.read(id, BEFORE, var);
        let new = |var: Var| self.read(id, if assigned.contains_key(&var) { AFTER } else { BEFORE }, var);
        // Locals that a constraint gives a new value matter even if nobody reads them.
        let spoken = constraint.iter().flat_map(|constraint| &constraint.code).filter_map(|op| match op {
            Op::New(var @ Var::Local(local)) if assigned.contains_key(var) => Some(*local),
            _ => None,
        });
        let spoken = spoken.collect::<BTreeSet<_>>();
        let mut core = meaning(&edge.guard, &old, &new).one();
        if let Some(constraint) = constraint {
            core = and(core, meaning(constraint, &old, &new).one());
        }
        core = and(core, self.valid_before((id, edge), BEFORE, values, constraint));
        let mut equal = Vec::new();
        let mut changed = Changes::default();
        for (&var, value) in &assigned {
            let Some(after) = self.bits(id, AFTER, var) else { continue };
            if let Var::Local(local) = var
                && !self.layout.is_live(id, edge.to, local)
                && !spoken.contains(&local)
            {
                continue;
            }
            after.iter().for_each(|bit| changed.of(var).add(bit.bit));
            match value {
                AssignedValue::Any => core = and(core, self.valid(id, AFTER, var)),
                AssignedValue::Is(value) => {
                    let value = meaning(value, &old, &new);
                    self.take(self.cfg.domain(id, var), &after, value, (&mut core, &mut equal));
                }
            }
        }
        let fixed = vec![pc(BEFORE, self.layout.pc(id, edge.from)), pc(AFTER, self.layout.pc(id, edge.to))];
        let mut row = Row { fixed, core, equal };
        self.leave_alone((id, edge), (BEFORE, BEFORE, AFTER), changed, &mut row);
        row
    }

    /// What an edge inside a flow does not change: shared and own values come from one side, locals from another one. A
    /// local that means nothing any more becomes 0; one that meant nothing before stays 0 like all others.
    fn leave_alone(
        &self,
        (id, edge): (ProcedureId, &Edge),
        (globals, locals, to): (StateLeaves, StateLeaves, StateLeaves),
        mut changed: Changes,
        row: &mut Row,
    ) {
        let layout = self.layout;
        let shared =
            |side: StateLeaves| side.shared.expect("the relation has the shared values of this side");
        let mut vacated = layout.vacated(id, edge.from, edge.to);
        vacated.retain(|bit| !changed.local.contains(*bit));
        vacated.iter().for_each(|bit| changed.local.add(*bit));
        changed.shared.others_stay(shared(globals), shared(to), layout.shared_bits, &mut row.equal);
        changed.own.others_stay(globals.own, to.own, layout.own_bits, &mut row.equal);
        changed.local.others_stay(locals.local, to.local, layout.local_bits, &mut row.equal);
        let core = std::mem::replace(&mut row.core, BitExpr::Const(true));
        row.core = zero(core, to.local, Of::These(vacated));
    }

    /// `spawn(q, s, q', s', n)`: nothing changes but the creator's place, and the new thread begins.
    fn spawn(&self, id: ProcedureId, edge: &Edge, spawn: &Spawn) -> Row {
        let (flow, begin) = self.cfg.births[spawn.birth as usize];
        let old = |var: Var| self.read(id, CREATOR, var);
        let mut core = meaning(&edge.guard, &old, &old).one();
        let reads = spawn.values.iter().flat_map(Expr::variables).chain(edge.guard.variables());
        let reads = reads.collect::<BTreeSet<_>>();
        core = reads.into_iter().fold(core, |core, var| and(core, self.valid(id, CREATOR, var)));
        let mut equal = Vec::new();
        let mut given = BTreeSet::new();
        for (var, value) in spawn.variables.iter().zip(&spawn.values) {
            let dead = matches!(var, Var::Local(local) if !self.layout.is_live(flow, begin, *local));
            let Some(bits) = self.bits(flow, NEW, *var).filter(|_| !dead) else { continue };
            given.insert(*var);
            let value = meaning(value, &old, &old);
            self.take(self.cfg.domain(flow, *var), &bits, value, (&mut core, &mut equal));
        }
        core = self.first_own(flow, NEW, |var| given.contains(&var), core);
        let live = self.layout.live(flow, begin).map(Var::Local).filter(|var| !given.contains(var));
        core = live.fold(core, |core, var| and(core, self.valid(flow, NEW, var)));
        core = self.silence(flow, begin, NEW, core);
        let fixed = vec![
            pc(CREATOR, self.layout.pc(id, edge.from)),
            pc(GONE_ON, self.layout.pc(id, edge.to)),
            pc(NEW, self.layout.pc(flow, begin)),
        ];
        let mut row = Row { fixed, core, equal };
        self.leave_alone((id, edge), (CREATOR, CREATOR, GONE_ON), Changes::default(), &mut row);
        row
    }

    fn call(&self, id: ProcedureId, edge: &Edge, callee: ProcedureId, arguments: &[Expr]) -> Row {
        let old = |var: Var| self.read(id, CALLING, var);
        let mut core = meaning(&edge.guard, &old, &old).one();
        let reads = arguments.iter().flat_map(Expr::variables).chain(edge.guard.variables());
        core = reads
            .collect::<BTreeSet<_>>()
            .into_iter()
            .fold(core, |core, var| and(core, self.valid(id, CALLING, var)));
        let entry = self.cfg.flow(callee).entry;
        let mut equal = Vec::new();
        Changed::default().others_stay(CALLING.own, CALLEE.own, self.layout.own_bits, &mut equal);
        for local in self.layout.live(callee, entry) {
            let var = Var::Local(local);
            let Some(bits) = self.bits(callee, CALLEE, var) else { continue };
            match arguments.get(local as usize) {
                Some(argument) => {
                    let value = meaning(argument, &old, &old);
                    self.take(self.cfg.domain(callee, var), &bits, value, (&mut core, &mut equal));
                }
                None => core = and(core, self.valid(callee, CALLEE, var)),
            }
        }
        let core = self.silence(callee, entry, CALLEE, core);
        let fixed =
            vec![pc(CALLING, self.layout.pc(id, edge.from)), pc(CALLEE, self.layout.pc(callee, entry))];
        Row { fixed, core, equal }
    }

    fn ret(&self, id: ProcedureId, edge: &Edge, callee: ProcedureId, targets: &[Option<Var>]) -> Row {
        let exit = self.cfg.flow(callee).exit;
        let results = &self.cfg.flow(callee).results;
        let assigned: BTreeMap<Var, Var> =
            targets.iter().zip(results).filter_map(|(target, result)| Some(((*target)?, *result))).collect();
        let held = self.cfg.hold.and_then(|hold| self.flag(callee, LEFT, hold));
        let mut core = held.map_or(BitExpr::Const(true), |held| not(BitExpr::Bit(held)));
        let mut equal = Vec::new();
        let mut changed = Changes::default();
        for (&var, &result) in &assigned {
            let Some(after) = self.bits(id, RETURNED, var) else { continue };
            if let Var::Local(local) = var
                && !self.layout.is_live(id, edge.to, local)
            {
                continue;
            }
            after.iter().for_each(|bit| changed.of(var).add(bit.bit));
            // The exit has all results.
            let value = self.read(callee, LEFT, result);
            core = and(core, self.valid(callee, LEFT, result));
            self.take(self.cfg.domain(id, var), &after, value, (&mut core, &mut equal));
        }
        let fixed = vec![
            pc(CALLER, self.layout.pc(id, edge.from)),
            pc(LEFT, self.layout.pc(callee, exit)),
            pc(RETURNED, self.layout.pc(id, edge.to)),
        ];
        let mut row = Row { fixed, core, equal };
        self.leave_alone((id, edge), (LEFT, CALLER, RETURNED), changed, &mut row);
        row
    }

    /// States where a thread begins: own variables with their first values, locals arbitrary.
    pub fn start(&self, role: &Role) -> Row {
        let core = self.first_own(role.flow, STARTED, |_| false, BitExpr::Const(true));
        let live = self.layout.live(role.flow, role.start).map(Var::Local);
        let core = live.fold(core, |core, var| and(core, self.valid(role.flow, STARTED, var)));
        let core = self.silence(role.flow, role.start, STARTED, core);
        Row { fixed: vec![pc(STARTED, self.layout.pc(role.flow, role.start))], core, equal: Vec::new() }
    }

    /// The own variables of a thread that begins have their first values, but for those that it is given.
    fn first_own(
        &self,
        flow: ProcedureId,
        side: StateLeaves,
        given: impl Fn(Var) -> bool,
        mut core: BitExpr,
    ) -> BitExpr {
        let used = self.own_used(flow);
        for (index, own) in (0..).zip(&self.cfg.own).filter(|(index, _)| !given(Var::Own(*index))) {
            let var = Var::Own(index);
            let first = match own.initial {
                Some(value) => self.is(flow, side, var, value),
                None if !used[index as usize] => self.is(flow, side, var, own.domain.low()),
                None => self.valid(flow, side, var),
            };
            core = and(core, first);
        }
        core
    }

    /// The own variables that a thread mentions.
    fn own_used(&self, root: ProcedureId) -> Vec<bool> {
        let mut used = vec![false; self.cfg.own.len()];
        let mut see = |var: Var| {
            if let Var::Own(index) = var {
                used[index as usize] = true;
            }
        };
        self.cfg.yield_unless.iter().for_each(|var| see(*var));
        for id in self.below(root) {
            for edge in &self.cfg.flow(id).edges {
                edge.guard.variables().for_each(&mut see);
                edge.others().into_iter().flat_map(|others| others.of_the_running()).for_each(&mut see);
                match &edge.action {
                    Action::Assign { values, constraint, .. } => {
                        for (var, value) in values {
                            see(*var);
                            if let AssignedValue::Is(value) = value {
                                value.variables().for_each(&mut see);
                            }
                        }
                        constraint.iter().flat_map(|c| c.variables()).for_each(&mut see);
                    }
                    Action::Call { arguments, targets, .. } => {
                        arguments.iter().flat_map(|a| a.variables()).for_each(&mut see);
                        targets.iter().flatten().for_each(|var| see(*var));
                    }
                    Action::Create(spawn) => {
                        spawn.values.iter().flat_map(|value| value.variables()).for_each(&mut see);
                    }
                }
            }
        }
        // Others may change and look at them too.
        let edges = self.layout.needed.iter().flat_map(|id| &self.cfg.flow(*id).edges);
        for others in edges.filter_map(Edge::others).filter(|others| others.bearers.contains(&root)) {
            others.theirs().for_each(&mut see);
        }
        used
    }

    /// A flow and all that it can call.
    fn below(&self, root: ProcedureId) -> Vec<ProcedureId> {
        let mut seen = vec![root];
        let mut at = 0;
        while at < seen.len() {
            for edge in &self.cfg.flow(seen[at]).edges {
                if let Action::Call { callee, .. } = edge.action
                    && !seen.contains(&callee)
                {
                    seen.push(callee);
                }
            }
            at += 1;
        }
        seen
    }

    /// Shared values before anything has run.
    pub fn initial(&self) -> Row {
        let mut core = BitExpr::Const(true);
        let first = self.layout.needed.first().copied().unwrap_or(ProcedureId(0));
        for (var, shared) in (0..).map(Var::Shared).zip(&self.cfg.shared) {
            core = and(
                core,
                match shared.initial {
                    Some(value) => self.is(first, INITIAL_VALUES, var, value),
                    None => self.valid(first, INITIAL_VALUES, var),
                },
            );
        }
        Row { fixed: Vec::new(), core, equal: Vec::new() }
    }

    /// A row for each location that has the property.
    pub fn locations(
        &self,
        side: StateLeaves,
        holds: impl Fn(&Flow, Loc) -> bool,
        core: &BitExpr,
    ) -> Vec<Row> {
        let rows = self.layout.needed.iter().flat_map(|id| {
            let flow = self.cfg.flow(*id);
            self.at(*id, side, |loc| holds(flow, loc), core)
        });
        rows.collect()
    }

    fn at(
        &self,
        id: ProcedureId,
        side: StateLeaves,
        holds: impl Fn(Loc) -> bool,
        core: &BitExpr,
    ) -> Vec<Row> {
        let locations = (0..self.cfg.flow(id).locations.len() as u32).map(Loc).filter(|loc| holds(*loc));
        let fixed = |loc| vec![pc(side, self.layout.pc(id, loc))];
        let core = |loc| and(core.clone(), self.valid_at(id, loc, side));
        locations.map(|loc| Row { fixed: fixed(loc), core: core(loc), equal: Vec::new() }).collect()
    }

    /// `yield(q, s)`: outside atomic sections, none of the variables that forbid it being true.
    pub fn yields(&self) -> Vec<Row> {
        self.scheduled(YIELD.side("q", "s"), |_, _| true)
    }

    /// `pause(q, s)`: the same, behind what other threads can notice.
    pub fn pauses(&self) -> Vec<Row> {
        let noticed = self.layout.simplify.then(|| noticed_behind(self.cfg));
        let noticed = |id: ProcedureId, loc: Loc| {
            noticed.as_ref().is_none_or(|noticed| noticed[id.index()][loc.index()])
        };
        self.scheduled(PAUSE.side("q", "s"), noticed)
    }

    /// Where another thread can be scheduled, of the locations given.
    fn scheduled(&self, side: StateLeaves, given: impl Fn(ProcedureId, Loc) -> bool) -> Vec<Row> {
        let (free, open) = (self.free(side), BitExpr::Const(true));
        let mut out = Vec::new();
        for id in &self.layout.needed {
            let locations = &self.cfg.flow(*id).locations;
            let meets = |loc: Loc| locations[loc.index()].place == PlaceInText::Handover;
            out.extend(self.at(*id, side, |loc| meets(loc) && given(*id, loc), &open));
            let free_at = |loc: Loc| !locations[loc.index()].atomic && !meets(loc) && given(*id, loc);
            out.extend(self.at(*id, side, free_at, &free));
        }
        out
    }

    /// No variable forbids that another thread is scheduled.
    fn free(&self, side: StateLeaves) -> BitExpr {
        let mut core = BitExpr::Const(true);
        for var in &self.cfg.yield_unless {
            if let Some(bit) =
                self.flag(self.layout.needed.first().copied().unwrap_or(ProcedureId(0)), side, *var)
            {
                core = and(core, not(BitExpr::Bit(bit)));
            }
        }
        core
    }

    /// The locations that control flow leads to from a thread's start, whatever the data.
    pub fn reach(&self, role: &Role) -> Vec<Row> {
        let mut seen = vec![Vec::new(); self.cfg.flows.len()];
        for id in &self.layout.needed {
            seen[id.index()] = vec![false; self.cfg.flow(*id).locations.len()];
        }
        let mut work = vec![(role.flow, role.start)];
        while let Some((id, loc)) = work.pop() {
            if std::mem::replace(&mut seen[id.index()][loc.index()], true) {
                continue;
            }
            for edge in self.cfg.flow(id).leaving(loc) {
                work.push((id, edge.to));
                if let Action::Call { callee, .. } = edge.action {
                    work.push((callee, self.cfg.flow(callee).entry));
                }
            }
        }
        let mut out = Vec::new();
        for id in &self.layout.needed {
            for (loc, _) in seen[id.index()].iter().enumerate().filter(|(_, seen)| **seen) {
                let (side, loc) = (REACH_CFG.state("q"), Loc(loc as u32));
                let (fixed, core) = (vec![pc(side, self.layout.pc(*id, loc))], self.valid_at(*id, loc, side));
                out.push(Row { fixed, core, equal: Vec::new() });
            }
        }
        out
    }
}
