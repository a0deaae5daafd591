//! Where atomic sections are.
//!
//! `atomic_begin` and `atomic_end` set and clear a flag of the thread. Mostly a location is always inside a section or never:
//! then the flag is dropped and the location says it. If a location can be both, the flag stays as an own variable. Where
//! sections can be open inside each other, there is a flag for each depth: a section that begins pushes the flags up by
//! one and sets the first, one that ends pulls them down.

use super::*;
use crate::model::program::resolve::program::{Form, Op};

const OUTSIDE: u8 = 1;
const INSIDE: u8 = 2;

pub fn decide(cfg: &mut Cfg, program: &Program) {
    let used = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    if !used.clone().any(|statement| matches!(statement.form, Form::AtomicBegin)) {
        drop_flag(cfg, program);
        return;
    }
    if program.section_depth > 1 {
        return count(cfg, program);
    }
    let possible = propagate(cfg, program);
    if possible.iter().flatten().any(|states| *states == INSIDE | OUTSIDE) {
        let name = "atomic section".to_string();
        cfg.own.push(Variable::flag(name));
        cfg.yield_unless.push(flag(program));
        return;
    }
    drop_flag(cfg, program);
    for (flow, states) in cfg.flows.iter_mut().zip(&possible) {
        for (location, states) in flow.locations.iter_mut().zip(states) {
            location.atomic |= *states == INSIDE && location.place != PlaceInText::Handover;
        }
    }
}

/// A flag for each depth.
fn count(cfg: &mut Cfg, program: &Program) {
    let first = program.own.len() as u32;
    let flags: Vec<Var> = (first..first + program.section_depth).map(Var::Own).collect();
    for depth in 1..=program.section_depth {
        let name = format!("atomic section {depth}");
        cfg.own.push(Variable::flag(name));
    }
    cfg.yield_unless.push(flags[0]);
    for edge in cfg.flows.iter_mut().flat_map(|flow| &mut flow.edges) {
        let span = edge.span;
        let Action::Assign { values, .. } = &mut edge.action else { continue };
        let Some(at) = values.iter().position(|(var, _)| *var == flags[0]) else { continue };
        let begins = matches!(&values[at].1, AssignedValue::Is(value) if value.as_constant() == Some(true));
        values.remove(at);
        let end = AssignedValue::Is(Expr::constant(begins, span));
        let others = flags.iter().map(|flag| AssignedValue::Is(Expr { code: vec![Op::Old(*flag)], span }));
        let moved: Vec<AssignedValue> = match begins {
            true => std::iter::once(end).chain(others).take(flags.len()).collect(),
            false => others.skip(1).chain([end]).collect(),
        };
        values.extend(flags.iter().copied().zip(moved));
    }
}

/// Whether each location can be where nobody else is scheduled. Where sections are inside each other, any can be.
pub fn inside(cfg: &Cfg<Creation>, program: &Program) -> Vec<Vec<bool>> {
    if program.section_depth > 1 {
        return cfg.flows.iter().map(|flow| vec![true; flow.locations.len()]).collect();
    }
    let possible = propagate(cfg, program);
    let within = |(flow, states): (&Flow<Creation>, Vec<u8>)| {
        let within = |(location, states): (&Location, u8)| {
            program.atomic_variable.is_some() || location.atomic || states & INSIDE != 0
        };
        flow.locations.iter().zip(states).map(within).collect()
    };
    cfg.flows.iter().zip(possible).map(within).collect()
}

fn flag(program: &Program) -> Var {
    Var::Own(program.own.len() as u32)
}

fn drop_flag(cfg: &mut Cfg, program: &Program) {
    for edge in cfg.flows.iter_mut().flat_map(|flow| &mut flow.edges) {
        if let Action::Assign { values, .. } = &mut edge.action {
            values.retain(|(var, _)| *var != flag(program));
        }
    }
}

/// Whether each location can be outside or inside a section: what flows in from all callers, back to all of them.
fn propagate<C>(cfg: &Cfg<C>, program: &Program) -> Vec<Vec<u8>> {
    let mut states: Vec<Vec<u8>> = cfg.flows.iter().map(|flow| vec![0; flow.locations.len()]).collect();
    let mut outgoing: Vec<Vec<Vec<usize>>> =
        cfg.flows.iter().map(|flow| vec![Vec::new(); flow.locations.len()]).collect();
    let mut returns: Vec<Vec<(usize, Loc)>> = vec![Vec::new(); cfg.flows.len()];
    for (index, flow) in cfg.flows.iter().enumerate() {
        for (number, edge) in flow.edges.iter().enumerate() {
            outgoing[index][edge.from.index()].push(number);
            if let Action::Call { callee, .. } = &edge.action {
                returns[callee.index()].push((index, edge.to));
            }
        }
    }
    let mut work: Vec<(usize, Loc, u8)> = cfg.roots().map(|(id, loc)| (id.index(), loc, OUTSIDE)).collect();
    while let Some((flow, loc, new)) = work.pop() {
        let known = &mut states[flow][loc.index()];
        if *known | new == *known {
            continue;
        }
        *known |= new;
        let now = *known;
        if loc == cfg.flows[flow].exit {
            work.extend(returns[flow].iter().map(|(caller, to)| (*caller, *to, now)));
        }
        for number in &outgoing[flow][loc.index()] {
            let edge = &cfg.flows[flow].edges[*number];
            match &edge.action {
                Action::Call { callee, .. } => work.push((callee.index(), cfg.flow(*callee).entry, now)),
                Action::Assign { values, .. } => {
                    let set = values.iter().find(|(var, _)| *var == flag(program));
                    let after = match set {
                        Some((_, AssignedValue::Is(value))) if value.as_constant() == Some(true) => INSIDE,
                        Some(_) => OUTSIDE,
                        None => now,
                    };
                    work.push((flow, edge.to, after));
                }
                Action::Create(_) => work.push((flow, edge.to, now)),
            }
        }
    }
    states
}
