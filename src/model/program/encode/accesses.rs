//! Which variables the step at a location looks at, changes and forgets.
//!
//! This speaks of the text: it is read off the edges before any local has lost its bit. A call reads its arguments, gives
//! the callee's parameters their values and makes its other locals arbitrary; the results arrive with the step from the
//! callee's exit. `enforce` is looked at by every step of its procedure.

use super::layout::Layout;
use super::variables::Variables;
use crate::model::program::cfg::{
    Action, AssignedValue, Cfg, Edge, Flow, FlowFrame, Loc, Location, PlaceInText,
};
use crate::model::program::resolve::program::{Expr, Form, Op, ProcedureId, Program, Var};
use std::collections::BTreeSet;

/// Pairs of the number of a location and that of a variable.
pub type Pairs = BTreeSet<(u64, u64)>;

#[derive(Default)]
pub struct Accesses {
    pub reads: Pairs,
    pub writes: Pairs,
    pub forgets: Pairs,
}

/// The accesses of all locations of executed flows.
pub fn accesses(program: &Program, cfg: &Cfg, layout: &Layout, variables: &Variables) -> Accesses {
    let mut out = Accesses::default();
    for id in &layout.needed {
        let flow = cfg.flow(*id);
        for edge in &flow.edges {
            EdgeAccesses { program, cfg, layout, variables, id: *id, flow, edge }.add(&mut out);
        }
    }
    out
}

struct EdgeAccesses<'a> {
    program: &'a Program,
    cfg: &'a Cfg,
    layout: &'a Layout,
    variables: &'a Variables,
    id: ProcedureId,
    flow: &'a Flow,
    edge: &'a Edge,
}

impl EdgeAccesses<'_> {
    fn add(&self, out: &mut Accesses) {
        let pc = self.layout.pc(self.id, self.edge.from);
        self.reading(&self.edge.guard, pc, out);
        match &self.edge.action {
            Action::Assign { values, constraint, others } => {
                self.assignment(values, constraint.as_ref(), pc, out);
                if let Some(others) = others {
                    let read =
                        others.theirs().chain(others.of_the_running()).filter_map(|var| self.number(var));
                    out.reads.extend(read.map(|variable| (pc, variable)));
                    let written = others.variables.iter().filter_map(|var| self.number(*var));
                    out.writes.extend(written.map(|variable| (pc, variable)));
                }
            }
            Action::Call { callee, arguments, targets } => {
                arguments.iter().for_each(|argument| self.reading(argument, pc, out));
                let parameters = self.program.procedure(*callee).parameters;
                for index in 0..self.program.procedure(*callee).locals.len() as u32 {
                    let pair = self.variables.local(*callee, index).map(|variable| (pc, variable));
                    if index < parameters { &mut out.writes } else { &mut out.forgets }.extend(pair);
                }
                let exit = self.layout.pc(*callee, self.cfg.flow(*callee).exit);
                let taken = targets.iter().flatten().filter_map(|var| self.number(*var));
                out.writes.extend(taken.map(|variable| (exit, variable)));
            }
            Action::Create(spawn) => spawn.values.iter().for_each(|value| self.reading(value, pc, out)),
        }
    }

    fn assignment(
        &self,
        values: &[(Var, AssignedValue)],
        constraint: Option<&Expr>,
        pc: u64,
        out: &mut Accesses,
    ) {
        let (from, to) = (self.frame(self.edge.from), self.frame(self.edge.to));
        // The edge of a call that was inlined binds all locals of the callee.
        let caller = self.location(self.edge.from).frame;
        let called = to.caller.is_some_and(|(frame, _)| frame == caller);
        for (var, value) in values {
            if let AssignedValue::Is(value) = value {
                self.reading(value, pc, out);
            }
            if let Some(variable) = self.variables.number(from, *var) {
                out.writes.insert((pc, variable));
            } else if let Some(variable) = self.variables.number(to, *var) {
                let given = !called || matches!(value, AssignedValue::Is(_));
                if given { &mut out.writes } else { &mut out.forgets }.insert((pc, variable));
            }
        }
        if let PlaceInText::Before(statement) = self.location(self.edge.from).place
            && let Form::Dead(dead) = &self.program.procedure(from.procedure).statement(statement).form
        {
            let own = FlowFrame { base: 0, ..from.clone() };
            let dead = dead.iter().filter_map(|var| self.variables.number(&own, *var));
            out.forgets.extend(dead.map(|variable| (pc, variable)));
        }
        for op in constraint.into_iter().flat_map(|constraint| &constraint.code) {
            // The new value of what is not assigned is the old one.
            let read = match op {
                Op::Old(var) => Some(*var),
                Op::New(var) if !values.iter().any(|(assigned, _)| assigned == var) => Some(*var),
                _ => None,
            };
            out.reads.extend(read.and_then(|var| self.number(var)).map(|variable| (pc, variable)));
        }
    }

    fn reading(&self, expression: &Expr, pc: u64, out: &mut Accesses) {
        let read = expression.variables().filter_map(|var| self.number(var));
        out.reads.extend(read.map(|variable| (pc, variable)));
    }

    /// The number of a variable that the statement mentions.
    fn number(&self, var: Var) -> Option<u64> {
        self.variables.number(self.frame(self.edge.from), var)
    }

    fn location(&self, loc: Loc) -> &Location {
        &self.flow.locations[loc.index()]
    }

    fn frame(&self, loc: Loc) -> &FlowFrame {
        &self.flow.frames[self.location(loc).frame as usize]
    }
}
