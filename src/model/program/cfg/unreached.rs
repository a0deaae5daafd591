//! Assertions and targets that no run comes to, whatever the values of variables: nothing that runs calls or starts their
//! procedure, or no path leads to them. An answer says nothing about them, so they are named.

use std::collections::HashSet;

use super::*;
use crate::model::program::Start;
use crate::model::program::resolve::program::{Form, Statement};

/// One warning per procedure, but for those statements that a warning is about already. The graphs are those of the
/// program, before inlining.
pub fn warn_about_targets(program: &Program, cfg: &Cfg, told: &[Diagnostic]) -> Vec<Diagnostic> {
    let told = told.iter().filter_map(|warning| Some(warning.labels.first()?.0)).collect::<HashSet<_>>();
    let reached = Reached::of(program, cfg);
    let procedures = program.procedures.iter().zip(&reached.statements);
    let mut warnings = Vec::new();
    for (procedure, reached) in procedures {
        let targets = procedure.statements.iter().zip(reached).filter(|(statement, _)| is_target(statement));
        let missed = targets.filter(|(_, reached)| !**reached).map(|(statement, _)| statement);
        let missed = missed.filter(|statement| !told.contains(&statement.span)).collect::<Vec<_>>();
        if !missed.is_empty() {
            warnings.push(warning(&procedure.name, &missed, reached.contains(&true)));
        }
    }
    warnings
}

fn is_target(statement: &Statement) -> bool {
    statement.target || matches!(statement.form, Form::Assert(_))
}

/// How many of them one warning shows.
const SHOWN: usize = 3;

fn warning(procedure: &str, missed: &[&Statement], entered: bool) -> Diagnostic {
    let what = if missed.iter().any(|statement| statement.target) { "target" } else { "assertion" };
    let title = match missed.len() {
        1 => format!("no run reaches the {what} in `{procedure}`"),
        count => format!("no run reaches {count} {what}s in `{procedure}`"),
    };
    let mut out = Diagnostic::warning("bp::never_checked", title);
    for statement in missed.iter().take(SHOWN) {
        out = out.label(statement.span, "never checked");
    }
    out.help(match entered {
        true => "no path leads there: something before it always blocks or never returns".to_string(),
        false => format!("nothing that runs calls or starts `{procedure}`"),
    })
}

/// What control flow leads to, over calls, returns and the creation of threads.
struct Reached<'a> {
    program: &'a Program,
    cfg: &'a Cfg,
    /// The edges that leave each location, per procedure; so are all others.
    leaving: Vec<Vec<Vec<usize>>>,
    locations: Vec<Vec<bool>>,
    statements: Vec<Vec<bool>>,
    /// Where calls of each procedure lead when it returns.
    returns: Vec<Vec<(ProcedureId, Loc)>>,
    work: Vec<(ProcedureId, Loc)>,
}

impl<'a> Reached<'a> {
    fn of(program: &'a Program, cfg: &'a Cfg) -> Reached<'a> {
        let mut reached = Reached {
            program,
            cfg,
            leaving: cfg.flows.iter().map(leaving).collect(),
            locations: cfg.flows.iter().map(|flow| vec![false; flow.locations.len()]).collect(),
            statements: program.procedures.iter().map(|p| vec![false; p.statements.len()]).collect(),
            returns: vec![Vec::new(); cfg.flows.len()],
            work: Vec::new(),
        };
        // The threads begin when `init` has ended.
        if let Some(init) = cfg.init {
            reached.run_from(init, cfg.flow(init).entry);
        }
        if cfg.init.is_none_or(|init| reached.locations[init.index()][cfg.flow(init).exit.index()]) {
            reached.start(Start::Entry);
        }
        reached
    }

    /// The threads that begin this way.
    fn start(&mut self, start: Start) {
        // Where threads are made at once, there are no roles for those that sleep.
        let asleep = start != Start::Entry;
        let threads = self.program.singles.iter().chain(&self.program.replicated);
        let threads = threads.filter(|thread| (thread.start != Start::Entry) == asleep);
        let roles = self.cfg.singles.iter().chain(&self.cfg.replicated).filter(|role| role.asleep == asleep);
        for (_, role) in threads.zip(roles).filter(|(thread, _)| thread.start == start) {
            self.run_from(role.flow, role.start);
        }
        if let Start::Sleeping(birth) = start
            && let Some((flow, begin)) = self.cfg.births.get(birth as usize)
        {
            self.run_from(*flow, *begin);
        }
    }

    fn run_from(&mut self, procedure: ProcedureId, start: Loc) {
        self.work.push((procedure, start));
        while let Some((id, loc)) = self.work.pop() {
            if !std::mem::replace(&mut self.locations[id.index()][loc.index()], true) {
                self.visit(id, loc);
            }
        }
    }

    fn visit(&mut self, id: ProcedureId, loc: Loc) {
        let flow = self.cfg.flow(id);
        if let PlaceInText::Before(statement) = flow.locations[loc.index()].place {
            self.statements[id.index()][statement.0 as usize] = true;
            if let Form::Start { birth, .. } = self.program.procedure(id).statement(statement).form {
                self.start(Start::Sleeping(birth));
            }
        }
        if loc == flow.exit {
            self.work.append(&mut self.returns[id.index()]);
        }
        for edge in self.leaving[id.index()][loc.index()].iter().map(|at| &flow.edges[*at]) {
            match &edge.action {
                Action::Call { callee, .. } => {
                    self.work.push((*callee, self.cfg.flow(*callee).entry));
                    if self.locations[callee.index()][self.cfg.flow(*callee).exit.index()] {
                        self.work.push((id, edge.to));
                    } else {
                        self.returns[callee.index()].push((id, edge.to));
                    }
                }
                _ => self.work.push((id, edge.to)),
            }
        }
    }
}

fn leaving(flow: &Flow) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); flow.locations.len()];
    for (number, edge) in flow.edges.iter().enumerate() {
        out[edge.from.index()].push(number);
    }
    out
}
