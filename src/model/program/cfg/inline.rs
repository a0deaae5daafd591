//! Calls replaced by copies of the callee's graph.
//!
//! Only procedures that cannot call themselves are inlined. The locals of a callee get slots behind those of its caller; two
//! calls made by the same procedure never overlap in time, so they share slots that have the same values.

use super::*;
pub use crate::model::options::Inline;

/// What inlining did.
#[derive(Clone, Debug, Default)]
pub struct InlineReport {
    pub inlined: usize,
    /// Calls (caller and callee) that were left because the graph would have grown past the limit.
    pub too_large: Vec<(String, String)>,
    pub limit: usize,
}

pub fn inline(cfg: &Cfg, policy: Inline) -> (Cfg, InlineReport) {
    let limit = match policy {
        Inline::Never => return (cfg.clone(), InlineReport::default()),
        Inline::Auto => Inline::AUTO_LIMIT,
        Inline::Sparing => Inline::SPARING_LIMIT,
        Inline::Always => Inline::ALWAYS_LIMIT,
    };
    let graph = calls::CallGraph::new(cfg);
    let mut inliner =
        Inliner { cfg: cfg.clone(), report: InlineReport { limit, ..InlineReport::default() }, size: 0 };
    let mut needed = vec![false; cfg.flows.len()];
    cfg.needed().iter().for_each(|id| needed[id.index()] = true);
    for id in graph.callees_first().filter(|id| needed[id.index()]) {
        inliner.flow(id, &graph);
    }
    (inliner.cfg, inliner.report)
}

struct Inliner {
    cfg: Cfg,
    report: InlineReport,
    /// Edges copied so far.
    size: usize,
}

impl Inliner {
    fn flow(&mut self, id: ProcedureId, graph: &calls::CallGraph) {
        let mut flow = self.cfg.flow(id).clone();
        let base = flow.locals.len() as u32;
        for edge in std::mem::take(&mut flow.edges) {
            match &edge.action {
                Action::Call { callee, .. } if !graph.recursive(*callee) => {
                    let copied = &self.cfg.flows[callee.index()];
                    if self.size + copied.edges.len() > self.report.limit {
                        self.report.too_large.push((flow.name.clone(), copied.name.clone()));
                        flow.edges.push(edge);
                    } else {
                        self.size += copied.edges.len() + 2;
                        self.report.inlined += 1;
                        let unheld = self.cfg.unheld(edge.span);
                        let slots = slots(&flow, copied, base);
                        insert(&mut flow, copied, slots, &edge, unheld);
                    }
                }
                _ => flow.edges.push(edge),
            }
        }
        let sleepers: Vec<usize> = self.sleepers(id).collect();
        let mut roots: Vec<Loc> = sleepers.iter().map(|index| self.role(*index).start).collect();
        roots.extend(self.cfg.births.iter().filter(|(flow, _)| *flow == id).map(|(_, begin)| *begin));
        let numbers = order::renumber(&mut flow, &roots);
        for (_, begin) in self.cfg.births.iter_mut().filter(|(flow, _)| *flow == id) {
            *begin = numbers[begin.index()].expect("roots are kept");
        }
        for index in sleepers {
            let role = self.role_mut(index);
            role.start = numbers[role.start.index()].expect("roots are kept");
        }
        for index in 0..self.cfg.singles.len() + self.cfg.replicated.len() {
            let role = self.role_mut(index);
            if role.flow == id && !role.asleep {
                role.start = flow.entry;
            }
        }
        self.cfg.flows[id.index()] = flow;
    }

    fn sleepers(&self, id: ProcedureId) -> impl Iterator<Item = usize> + '_ {
        let all = self.cfg.singles.iter().chain(&self.cfg.replicated).enumerate();
        all.filter(move |(_, role)| role.flow == id && role.asleep).map(|(index, _)| index)
    }

    fn role(&self, index: usize) -> &Role {
        self.cfg
            .singles
            .iter()
            .chain(&self.cfg.replicated)
            .nth(index)
            .expect("roles are counted from the same lists")
    }

    fn role_mut(&mut self, index: usize) -> &mut Role {
        self.cfg
            .singles
            .iter_mut()
            .chain(&mut self.cfg.replicated)
            .nth(index)
            .expect("roles are counted from the same lists")
    }
}

/// The first of neighbouring slots for the locals of a callee, from a place on. Those that are there have the same values.
fn slots(flow: &Flow, callee: &Flow, base: u32) -> u32 {
    let domains =
        |variables: &[Variable]| variables.iter().map(|local| local.domain.clone()).collect::<Vec<_>>();
    let (there, needed) = (domains(&flow.locals[base as usize..]), domains(&callee.locals));
    let fits = |at: &usize| there[*at..].iter().zip(&needed).all(|(there, needed)| there == needed);
    let first = (0..=there.len()).find(fits).expect("nothing is at the end");
    base + first as u32
}

/// Puts a copy of the callee in the place of a call edge; `unheld` is what the return needs.
fn insert(flow: &mut Flow, callee: &Flow, base: u32, call: &Edge, unheld: Expr) {
    let Action::Call { arguments, targets, .. } = &call.action else { return };
    let shift = flow.locations.len() as u32;
    let frame_shift = flow.frames.len() as u32;
    let caller = flow.locations[call.from.index()].frame;
    let moved = |var: Var| if let Var::Local(local) = var { Var::Local(base + local) } else { var };
    for (slot, local) in callee.locals.iter().enumerate() {
        if flow.locals.len() as u32 <= base + slot as u32 {
            let name = format!("{}.{}", callee.name, local.name);
            flow.locals.push(Variable { name, initial: None, ..local.clone() });
        }
    }
    flow.frames.extend(callee.frames.iter().map(|frame| FlowFrame {
        procedure: frame.procedure,
        base: base + frame.base,
        caller: Some(frame.caller.map_or((caller, call.span), |(parent, span)| (frame_shift + parent, span))),
    }));
    flow.locations.extend(
        callee
            .locations
            .iter()
            .map(|location| Location { frame: frame_shift + location.frame, ..location.clone() }),
    );
    let shifted = |loc: Loc| Loc(shift + loc.0);
    let bind = |slot: u32| match arguments.get(slot as usize) {
        Some(argument) => AssignedValue::Is(argument.clone()),
        None => AssignedValue::Any,
    };
    flow.edges.push(Edge {
        from: call.from,
        to: shifted(callee.entry),
        guard: call.guard.clone(),
        action: assign(
            (0..callee.locals.len() as u32).map(|slot| (Var::Local(base + slot), bind(slot))).collect(),
        ),
        span: call.span,
    });
    flow.edges.extend(callee.edges.iter().map(|edge| Edge {
        from: shifted(edge.from),
        to: shifted(edge.to),
        guard: rename(&edge.guard, moved),
        action: rename_action(&edge.action, moved),
        span: edge.span,
    }));
    let results = targets.iter().zip(&callee.results).filter_map(|(target, result)| {
        let value = Expr { code: vec![Op::Old(moved(*result))], span: call.span };
        Some(((*target)?, AssignedValue::Is(value)))
    });
    flow.edges.push(Edge {
        from: shifted(callee.exit),
        to: call.to,
        guard: unheld,
        action: assign(results.collect()),
        span: call.span,
    });
}

fn assign(values: Vec<(Var, AssignedValue)>) -> Action {
    Action::Assign { values, constraint: None, others: None }
}

fn rename(expression: &Expr, moved: impl Fn(Var) -> Var) -> Expr {
    let code = expression.code.iter().map(|op| match op {
        Op::Old(var) => Op::Old(moved(*var)),
        Op::New(var) => Op::New(moved(*var)),
        op => *op,
    });
    Expr { code: code.collect(), span: expression.span }
}

fn rename_action(action: &Action, moved: impl Fn(Var) -> Var + Copy) -> Action {
    let expressions = |list: &[Expr]| list.iter().map(|expression| rename(expression, moved)).collect();
    match action {
        Action::Assign { values, constraint, others } => Action::Assign {
            values: values.iter().map(|(var, value)| (moved(*var), rename_value(value, moved))).collect(),
            constraint: constraint.as_ref().map(|constraint| rename(constraint, moved)),
            // Variables of other threads are those of threads that begin with this flow: they stay where they are.
            others: others.as_ref().map(|others| Others {
                values: expressions(&others.values),
                constrain: others.constrain.as_ref().map(|constraint| rename(constraint, moved)),
                ..others.clone()
            }),
        },
        Action::Call { callee, arguments, targets } => Action::Call {
            callee: *callee,
            arguments: expressions(arguments),
            targets: targets.iter().map(|target| target.map(moved)).collect(),
        },
        Action::Create(spawn) => {
            Action::Create(Spawn { values: expressions(&spawn.values), ..spawn.clone() })
        }
    }
}

fn rename_value(value: &AssignedValue, moved: impl Fn(Var) -> Var) -> AssignedValue {
    match value {
        AssignedValue::Is(expression) => AssignedValue::Is(rename(expression, moved)),
        AssignedValue::Any => AssignedValue::Any,
    }
}
