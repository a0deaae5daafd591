//! Which accesses a run makes to what others see, in order, and what it gets from outside.
//!
//! Every step of the model has at most one such access, so the order of these steps is the order of the accesses. Steps
//! that only one thread can notice are not listed: each thread does them in the order of its text.

use super::choices::evaluated;
use crate::model::boolean::verify::Executed;
use crate::model::interpret::{Pc, State, Status};
use crate::model::program::{Birth, Domain, Expr, Form, Op, Procedure, Program, Start, Statement, Var};
use crate::model::trace::Trace;
use calculus::span::Span;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Read(usize),
    Write(usize),
    /// What follows up to the end of the section is one step.
    Section,
    /// A thread is made; nothing if it takes no part in the run.
    Create(Option<usize>),
}

/// An access, or what else is one step that others notice.
#[derive(Clone, Debug)]
pub struct Event {
    /// Index into the threads of the trace.
    pub thread: usize,
    pub kind: Kind,
    pub line: usize,
    pub what: String,
}

/// A local variable that is read before it has a value: where it is declared, and the values that it has there.
#[derive(Clone, Debug)]
pub struct Open {
    pub declared: Span,
    pub name: String,
    /// Threads with values, in order.
    pub values: Vec<(usize, i64)>,
}

#[derive(Debug, Default)]
pub struct Schedule {
    pub events: Vec<Event>,
    /// Threads with the values that they get from outside, in order.
    pub inputs: Vec<(usize, i64)>,
    pub opens: Vec<Open>,
}

/// Functions whose result is that of the compiled program.
const PRINTING: [&str; 6] = ["printf", "fprintf", "puts", "putchar", "fflush", "perror"];

struct Walk<'a> {
    program: &'a Program,
    trace: &'a Trace,
    steps: &'a [Executed],
    object: &'a dyn Fn(&Program, u32) -> Option<usize>,
    /// How many threads of each birth were made.
    made: HashMap<u32, usize>,
    /// For each thread the locals that have no value yet, with the place of their value among the open ones.
    unset: HashMap<(usize, u32), Option<(usize, usize)>>,
    out: Schedule,
}

/// The schedule of a run. `object` says which variable of the text a shared variable of the model is a part of.
pub fn schedule(
    program: &Program,
    trace: &Trace,
    steps: &[Executed],
    object: &dyn Fn(&Program, u32) -> Option<usize>,
) -> Schedule {
    let (made, unset, out) = (HashMap::new(), HashMap::new(), Schedule::default());
    let mut walk = Walk { program, trace, steps, object, made, unset, out };
    (0..steps.len()).for_each(|at| walk.step(at));
    walk.out.opens.retain(|open| !open.values.is_empty());
    walk.out
}

impl Walk<'_> {
    fn step(&mut self, at: usize) {
        let Executed { thread, before, after } = &self.steps[at];
        let this = &before.threads[*thread];
        let Some(top) = this.frames.last() else { return };
        let Pc::At(id) = top.pc else { return };
        let procedure = self.program.procedure(top.procedure);
        let statement = procedure.statement(id);
        let Some(mover) = self.trace.threads.iter().position(|mover| mover.position == *thread) else {
            return;
        };
        let inside = this.sections > 0;
        let text = self.program.source.excerpt(statement.span);
        let value = |var| before.read(*thread, var).or_else(|| after.read(*thread, var)).unwrap_or_default();
        let program = self.program;
        let is_truth = |var| *program.domain(top.procedure, var) == Domain::Bool;
        let evaluate = |expr: &Expr, known| evaluated(expr, &value, &is_truth, known);
        match &statement.form {
            Form::AtomicBegin if !inside => {
                self.event(mover, Kind::Section, statement.span, "one step".into())
            }
            Form::Start { birth, .. } => {
                let new = self.next_made(*birth);
                let name = new.map_or("a thread", |new| self.trace.threads[new].name.as_str());
                self.event(mover, Kind::Create(new), statement.span, format!("makes {name}"));
            }
            Form::Dead(vars) => {
                for var in vars {
                    if let Var::Local(local) = var {
                        self.forget(mover, procedure, *local);
                    }
                }
            }
            Form::Assign { targets, values, constrain, .. } => {
                let printed = PRINTING.iter().any(|name| text.starts_with(name));
                let mut read = Vec::new();
                for expr in constrain.iter().filter(|expr| !chooses(expr)) {
                    read.extend(evaluate(expr, None).read);
                }
                for (target, expr) in targets.iter().zip(values) {
                    let Some(target) = target else { continue };
                    if expr.code == [Op::Nondet] && constrain.is_some() {
                        continue;
                    }
                    if expr.code == [Op::Nondet] {
                        let value = self.later(at, *target);
                        let declares = self.declaration(procedure, *target) == Some(statement.span);
                        match target {
                            _ if printed => {}
                            Var::Shared(shared) if declares => self.opened(mover, *shared, value),
                            _ => self.out.inputs.push((mover, value)),
                        }
                        continue;
                    }
                    let known = chooses(expr).then(|| self.later(at, *target));
                    let evaluated = evaluate(expr, known);
                    read.extend(evaluated.read);
                    self.out.inputs.extend(evaluated.chosen.iter().map(|chosen| (mover, *chosen)));
                }
                self.look(mover, procedure, &read, after, *thread);
                for target in targets.iter().flatten() {
                    if let Var::Local(local) = target {
                        self.unset.insert((mover, *local), None);
                    }
                }
                self.accesses(mover, procedure, statement, targets, &read, inside);
            }
            Form::If { condition, .. } | Form::While { condition, .. } => {
                if is_cut(procedure, &statement.form) {
                    return;
                }
                let taken = branch_taken(statement, top_pc(after, *thread), id);
                let evaluated = evaluate(condition, chooses(condition).then_some(taken).flatten());
                self.conditions(mover, procedure, statement, evaluated, after, *thread, inside);
            }
            Form::Assume(condition) => {
                let evaluated = evaluate(condition, Some(1));
                self.conditions(mover, procedure, statement, evaluated, after, *thread, inside);
            }
            Form::Assert(condition) => {
                let failed = matches!(after.threads[*thread].status, Status::Failed(_));
                let evaluated = evaluate(condition, Some(i64::from(!failed)));
                self.conditions(mover, procedure, statement, evaluated, after, *thread, inside);
            }
            _ => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is about one step")]
    fn conditions(
        &mut self,
        mover: usize,
        procedure: &Procedure,
        statement: &Statement,
        evaluated: super::choices::Evaluated,
        after: &State,
        thread: usize,
        inside: bool,
    ) {
        self.out.inputs.extend(evaluated.chosen.iter().map(|chosen| (mover, *chosen)));
        self.look(mover, procedure, &evaluated.read, after, thread);
        self.accesses(mover, procedure, statement, &[], &evaluated.read, inside);
    }

    fn event(&mut self, thread: usize, kind: Kind, span: Span, what: String) {
        let line = self.program.source.line(span);
        self.out.events.push(Event { thread, kind, line, what });
    }

    /// What a statement reads and writes of what others see.
    fn accesses(
        &mut self,
        mover: usize,
        procedure: &Procedure,
        statement: &Statement,
        targets: &[Option<Var>],
        read: &[Var],
        inside: bool,
    ) {
        let shared = |var: &Var| match var {
            Var::Shared(at) => Some(*at),
            Var::Own(_) | Var::Local(_) => None,
        };
        // The parts of a barrier are one variable of the text.
        let (mut written, mut objects) = (Vec::new(), Vec::new());
        for at in targets.iter().flatten().filter_map(shared) {
            let variable = &self.program.shared[at as usize];
            if let Some(name) = variable.name.strip_suffix(" was made") {
                let name = name.trim_start_matches('.');
                let new = self.named(name);
                self.event(mover, Kind::Create(new), statement.span, format!("makes {name}"));
                continue;
            }
            // The first value of a variable that a thread gives to others.
            if variable.span == statement.span && procedure.block.is_some() && self.is_local(at) {
                continue;
            }
            if let Some(object) = (self.object)(self.program, at) {
                written.push(at);
                if !inside && !objects.contains(&object) {
                    objects.push(object);
                    self.event(
                        mover,
                        Kind::Write(object),
                        statement.span,
                        format!("writes {}", variable.name),
                    );
                }
            }
        }
        let mut seen = written;
        for at in read.iter().filter_map(shared) {
            if seen.contains(&at) {
                continue;
            }
            seen.push(at);
            if let Some(object) = (self.object)(self.program, at).filter(|_| !inside) {
                let what = format!("reads {}", self.program.shared[at as usize].name);
                self.event(mover, Kind::Read(object), statement.span, what);
            }
        }
    }

    /// Whether a shared variable is declared inside a function.
    fn is_local(&self, shared: u32) -> bool {
        let span = self.program.shared[shared as usize].span;
        let inside =
            |procedure: &Procedure| procedure.span.start <= span.start && span.end <= procedure.span.end;
        self.program.procedures.iter().any(inside)
    }

    /// The thread of a name that there is once, if it takes part.
    fn named(&self, name: &str) -> Option<usize> {
        let single = self.program.singles.iter().position(|single| single.name == name)?;
        self.trace.threads.iter().position(|thread| thread.position == single + 1)
    }

    /// The next thread of a birth that takes part: the first one that is made is the first one that moves.
    fn next_made(&mut self, birth: u32) -> Option<usize> {
        let count = self.made.entry(birth).or_default();
        *count += 1;
        let procedure = match self.program.births.get(birth as usize)? {
            Birth::Call { procedure } | Birth::Goto { procedure, .. } => *procedure,
        };
        let born = |position: usize| match self.program.singles.get(position.checked_sub(1)?) {
            Some(single) => Some(single.start == Start::Sleeping(birth)),
            None => {
                let mut frames = self.steps.iter().filter(|step| step.thread == position);
                let first = frames.find_map(|step| step.after.threads[position].frames.first());
                Some(first.is_some_and(|first| first.procedure == procedure))
            }
        };
        let threads = self.trace.threads.iter().enumerate();
        let mut of_birth = threads.filter(|(_, thread)| born(thread.position) == Some(true));
        of_birth.nth(*count - 1).map(|(at, _)| at)
    }

    /// The value that a variable has got, as soon as somebody looks.
    fn later(&self, at: usize, var: Var) -> i64 {
        let thread = self.steps[at].thread;
        let own = |step: &&Executed| step.thread == thread || matches!(var, Var::Shared(_));
        let first = self.steps[at].after.read(thread, var);
        let later = || {
            for step in self.steps[at + 1..].iter().filter(own) {
                if self.assigns(step, var) {
                    return None;
                }
                if let Some(value) = step.after.read(thread, var) {
                    return Some(value);
                }
            }
            None
        };
        first.or_else(later).unwrap_or_default()
    }

    fn assigns(&self, step: &Executed, var: Var) -> bool {
        let Some(top) = step.before.threads[step.thread].frames.last() else { return false };
        let Pc::At(id) = top.pc else { return false };
        match &self.program.procedure(top.procedure).statement(id).form {
            Form::Assign { targets, .. } => targets.contains(&Some(var)),
            Form::Dead(vars) => vars.contains(&var),
            _ => false,
        }
    }

    fn declaration(&self, procedure: &Procedure, var: Var) -> Option<Span> {
        match var {
            Var::Shared(at) => Some(self.program.shared[at as usize].span),
            Var::Own(_) => None,
            Var::Local(at) => procedure.locals.get(at as usize).map(|local| local.span),
        }
    }

    /// A declaration is executed that gives no value.
    fn forget(&mut self, mover: usize, procedure: &Procedure, local: u32) {
        let variable = &procedure.locals[local as usize];
        let open = self.open(variable.span, &variable.name);
        let place = self.out.opens[open].values.len();
        self.out.opens[open].values.push((mover, 0));
        self.unset.insert((mover, local), Some((open, place)));
    }

    fn open(&mut self, declared: Span, name: &str) -> usize {
        let known = self.out.opens.iter().position(|open| open.declared == declared && open.name == name);
        known.unwrap_or_else(|| {
            self.out.opens.push(Open { declared, name: name.into(), values: Vec::new() });
            self.out.opens.len() - 1
        })
    }

    fn opened(&mut self, mover: usize, shared: u32, value: i64) {
        let variable = &self.program.shared[shared as usize];
        let open = self.open(variable.span, &variable.name.clone());
        self.out.opens[open].values.push((mover, value));
    }

    /// Locals are read: those that have no value have the one that the run gives them.
    fn look(&mut self, mover: usize, procedure: &Procedure, read: &[Var], after: &State, thread: usize) {
        for var in read {
            let Var::Local(local) = var else { continue };
            let variable = &procedure.locals[*local as usize];
            if variable.name.starts_with('.') || variable.initial.is_some() {
                continue;
            }
            let value = after.read(thread, *var).unwrap_or_default();
            match self.unset.get(&(mover, *local)).copied() {
                Some(None) => {}
                Some(Some((open, place))) => self.out.opens[open].values[place].1 = value,
                None => {
                    let open = self.open(variable.span, &variable.name);
                    self.out.opens[open].values.push((mover, value));
                }
            }
            self.unset.insert((mover, *local), None);
        }
    }
}

fn chooses(expr: &Expr) -> bool {
    expr.code.contains(&Op::Nondet)
}

fn top_pc(state: &State, thread: usize) -> Option<Pc> {
    state.threads[thread].frames.last().map(|top| top.pc)
}

/// Whether a condition held, by where its thread goes on. Nothing if that makes no difference.
fn branch_taken(
    statement: &Statement,
    after: Option<Pc>,
    id: crate::model::program::StatementId,
) -> Option<i64> {
    let at = |other| i64::from(after == Some(Pc::At(other)));
    match &statement.form {
        Form::If { then, otherwise, .. } => match (then.first(), otherwise.first()) {
            (Some(then), _) => Some(at(*then)),
            (None, Some(otherwise)) => Some(1 - at(*otherwise)),
            (None, None) => None,
        },
        Form::While { body, .. } => Some(at(body.first().copied().unwrap_or(id))),
        _ => None,
    }
}

/// Whether a condition only says that a value from outside may not fit into its word.
fn is_cut(procedure: &Procedure, form: &Form) -> bool {
    let Form::If { condition, then, otherwise } = form else { return false };
    let ([Op::Nondet], [only], []) = (&condition.code[..], &then[..], &otherwise[..]) else { return false };
    match &procedure.statement(*only).form {
        Form::Assign { targets, .. } => match targets[..] {
            [Some(Var::Local(local))] => {
                let domain = &procedure.locals[local as usize].domain;
                *domain == Domain::Range { low: 0, high: 0, wraps: false }
            }
            _ => false,
        },
        _ => false,
    }
}
