//! Whether a fixed number of copies can be too few for the threads that a program makes.
//!
//! An upper bound of how often threads are made: a statement that control flow cannot come back to is executed at most once
//! a call, so calls and creations are counted along the graph of what calls and makes what. What lies on a cycle of it, or
//! of a procedure's control flow, or in a replicated thread, counts as any number.

use super::*;
use calculus::graph::components;

/// How often something happens in a run, at most; the largest number stands for any.
type MostTimes = u64;
const ANY: MostTimes = MostTimes::MAX;

/// What a run with so many copies leaves out, in words; nothing if the copies are enough or any number of them can run.
pub fn too_few(cfg: &Cfg<Creation>, program: &Program) -> Vec<String> {
    let replicated = |birth: u32| program.replicated.iter().any(|thread| made_by(thread, birth));
    let created = created(cfg, program);
    let mut reasons = Vec::new();
    for (birth, times) in (0..).zip(created).filter(|(birth, _)| !replicated(*birth)) {
        let copies = program.singles.iter().filter(|thread| made_by(thread, birth)).count();
        if times > copies as MostTimes {
            let name = program.birth_name(birth);
            let copies = if copies == 1 { "1 copy".into() } else { format!("{copies} copies") };
            reasons.push(format!("at most {copies} of the started thread `{name}`"));
        }
    }
    reasons
}

fn made_by(thread: &crate::model::program::Thread, birth: u32) -> bool {
    thread.start == crate::model::program::Start::Sleeping(birth)
}

/// How often threads of each birth are made.
fn created(cfg: &Cfg<Creation>, program: &Program) -> Vec<MostTimes> {
    // One node for each procedure that is called, and one for each birth.
    let procedures = cfg.flows.len();
    let mut entered = vec![Vec::new(); procedures + program.births.len()];
    for (number, flow) in cfg.flows.iter().enumerate() {
        let repeated = repeated(flow);
        entered[number] = below(flow, flow.entry, &repeated, procedures);
        for edge in &flow.edges {
            if let Action::Create(Creation::Wake { birth }) = edge.action {
                entered[procedures + birth as usize] = below(flow, edge.to, &repeated, procedures);
            }
        }
    }
    let mut times: Vec<MostTimes> = vec![0; entered.len()];
    let begun = |role: &&Role| !role.asleep;
    cfg.singles.iter().filter(begun).for_each(|role| times[role.flow.index()] += 1);
    cfg.replicated.iter().filter(begun).for_each(|role| times[role.flow.index()] = ANY);
    let next = |node: usize| entered[node].iter().map(|(to, _)| *to).collect();
    // Components come after those that they lead to.
    for component in components(entered.len(), next).into_iter().rev() {
        let cyclic = component.iter().any(|node| entered[*node].iter().any(|(to, _)| component.contains(to)));
        if cyclic && component.iter().any(|node| times[*node] > 0) {
            component.iter().for_each(|node| times[*node] = ANY);
        }
        for node in component {
            for (to, each) in &entered[node] {
                times[*to] = times[*to].saturating_add(times[node].saturating_mul(*each));
            }
        }
    }
    times.split_off(procedures)
}

/// What is called and made behind a location of a procedure, and how often.
fn below(flow: &Flow<Creation>, start: Loc, repeated: &[bool], procedures: usize) -> Vec<(usize, MostTimes)> {
    let mut below = Vec::new();
    let mut seen = vec![false; flow.locations.len()];
    let mut work = vec![start];
    while let Some(loc) = work.pop() {
        if std::mem::replace(&mut seen[loc.index()], true) {
            continue;
        }
        let times = if repeated[loc.index()] { ANY } else { 1 };
        for edge in flow.leaving(loc) {
            work.push(edge.to);
            match &edge.action {
                Action::Call { callee, .. } => below.push((callee.index(), times)),
                Action::Create(Creation::Start { birth, .. }) => {
                    below.push((procedures + *birth as usize, times));
                }
                Action::Assign { .. } | Action::Create(Creation::Wake { .. }) => {}
            }
        }
    }
    below
}

/// Whether control flow can come back to each location of a procedure.
fn repeated(flow: &Flow<Creation>) -> Vec<bool> {
    let mut successors = vec![Vec::new(); flow.locations.len()];
    flow.edges.iter().for_each(|edge| successors[edge.from.index()].push(edge.to.index()));
    let mut repeated = vec![false; flow.locations.len()];
    for component in components(successors.len(), |node| successors[node].clone()) {
        let alone = component.len() == 1 && !successors[component[0]].contains(&component[0]);
        component.iter().for_each(|node| repeated[*node] = !alone);
    }
    repeated
}
