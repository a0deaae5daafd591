//! Control-flow graphs: one flat graph of guarded parallel assignments and calls per procedure.
//!
//! Each edge is a small relation between the values before and after it: a guard, one right side per assigned variable,
//! and an optional constraint over old and new values. Whatever is not assigned stays as it is. Thread creation is a
//! handshake in shared variables ([`handshake`]), so a thread is nothing but a place to start; or, for files that have
//! equations for it, an edge of its own ([`spawning`]).

pub mod build;
pub mod calls;
pub mod copies;
pub mod handshake;
pub mod inline;
pub mod liveness;
pub mod noticed;
pub mod order;
pub mod sections;
pub mod spawning;
pub mod unreached;

use std::sync::Arc;

use super::dialect::Dialect;
use super::resolve::program::{Domain, Expr, Op, Others, ProcedureId, Program, StatementId, Var, Variable};
use crate::model::schema::ProgramFacts;
use calculus::diagnostic::Diagnostic;
use calculus::span::{Source, Span};
use calculus::vocabulary::Approximation;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub u32);

impl Loc {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The graphs of a program. While they are built, edges that create threads are [`Creation`]s. Then there are two forms:
/// [`handshake::lower`] leaves none of them, and [`spawning::lower`] makes a [`Spawn`] of each.
#[derive(Clone, Debug)]
pub struct Cfg<C = Spawn> {
    pub source: Arc<Source>,
    pub dialect: Dialect,
    /// The program's shared variables, then those of the handshake.
    pub shared: Vec<Variable>,
    /// The program's own variables, then possibly the flag "inside an atomic section".
    pub own: Vec<Variable>,
    /// One per procedure of the program, in its order; those that [`Cfg::needed`] does not list are never executed.
    pub flows: Vec<Flow<C>>,
    /// The lines of the text in which statements begin, executed or not, in order.
    pub code: Vec<u32>,
    pub init: Option<ProcedureId>,
    /// One per copy, in the order of positions.
    pub singles: Vec<Role>,
    pub replicated: Vec<Role>,
    /// Where the threads begin that are made by a [`Spawn`].
    pub births: Vec<(ProcedureId, Loc)>,
    /// Another thread may be scheduled at a location that is not `atomic` when all these variables are false.
    pub yield_unless: Vec<Var>,
    /// True while a thread is handed over inside an atomic section: nobody else moves.
    pub hold: Option<Var>,
    /// Where the graphs differ from the program.
    pub approximations: Vec<Approximation>,
}

/// A thread: where it starts.
#[derive(Clone, Debug)]
pub struct Role {
    pub name: String,
    pub flow: ProcedureId,
    pub start: Loc,
    /// Starts asleep: its locals have no meaning until it is woken.
    pub asleep: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Flow<C = Spawn> {
    pub name: String,
    /// Parameters, declared locals, results, then slots of inlined procedures.
    pub locals: Vec<Variable>,
    pub parameters: u32,
    /// The locals that hold the results at the exit.
    pub results: Vec<Var>,
    pub entry: Loc,
    pub exit: Loc,
    /// Numbered in reverse postorder from the entry and the places where sleeping threads start.
    pub locations: Vec<Location>,
    pub edges: Vec<Edge<C>>,
    /// Which procedure a location's text belongs to; frame 0 is the flow's own.
    pub frames: Vec<FlowFrame>,
}

/// The flow's procedure, or one that was inlined into it.
#[derive(Clone, Debug)]
pub struct FlowFrame {
    pub procedure: ProcedureId,
    /// Its first local in the flow.
    pub base: u32,
    /// The frame and the place of the call.
    pub caller: Option<(u32, Span)>,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// The statement that begins here.
    pub span: Span,
    pub labels: Vec<String>,
    pub target: Option<Target>,
    /// No other thread is scheduled here, whatever the values.
    pub atomic: bool,
    /// Index into [`Flow::frames`].
    pub frame: u32,
    pub place: PlaceInText,
    /// The statement that begins here is an `assert`.
    pub asserts: bool,
}

/// What a location is in the text of its procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceInText {
    Before(StatementId),
    /// The end, results computed.
    Exit,
    /// Only the graph has it: between two parts of a statement, or before the first one.
    Between,
    /// Only the graph has it: where creator and new thread wait for each other. Moves that lead here are no steps of the
    /// program, and other threads can be scheduled here even inside an atomic section.
    Handover,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The statement at this place failed.
    FailedAssert,
    /// The statement at this place has a value outside the range that it is for.
    OutOfRange,
    /// The statement at this place has a value outside the words of the model.
    OutOfWidth,
    /// It has a label that must not be reached.
    Label,
}

#[derive(Clone, Debug)]
pub struct Edge<C = Spawn> {
    pub from: Loc,
    pub to: Loc,
    /// Over old values.
    pub guard: Expr,
    pub action: Action<C>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Action<C = Spawn> {
    /// All values are taken in the old state; the constraint is over old and new values.
    Assign {
        values: Vec<(Var, AssignedValue)>,
        constraint: Option<Expr>,
        /// What all other threads do at the same time.
        others: Option<Others>,
    },
    /// Enters the callee with its parameters bound, other locals arbitrary; on return the results go to the targets.
    Call { callee: ProcedureId, arguments: Vec<Expr>, targets: Vec<Option<Var>> },
    /// Only while the graphs are built.
    Create(C),
}

/// An edge that creates a thread, or that a new thread begins with. [`handshake`] makes ordinary edges of them.
#[derive(Clone, Debug)]
pub enum Creation {
    /// Makes a thread.
    Start { birth: u32, arguments: Vec<Expr> },
    /// The first move of a thread that was made.
    Wake { birth: u32 },
}

/// An edge with which a new thread begins.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// Index into [`Cfg::births`].
    pub birth: u32,
    /// Variables of the new thread, and the values that its creator gives them.
    pub variables: Vec<Var>,
    pub values: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignedValue {
    Is(Expr),
    Any,
}

impl<C> Edge<C> {
    /// What all other threads do at the same time.
    pub fn others(&self) -> Option<&Others> {
        match &self.action {
            Action::Assign { others, .. } => others.as_ref(),
            Action::Call { .. } | Action::Create(_) => None,
        }
    }
}

impl<C> Flow<C> {
    /// Whether a thread there has not ended: others can change and look at its variables.
    pub fn takes_part(&self, loc: Loc) -> bool {
        let location = &self.locations[loc.index()];
        let failed = matches!(location.target, Some(Target::FailedAssert | Target::OutOfRange));
        let before = matches!(location.place, PlaceInText::Before(_)) || self.leaving(loc).next().is_some();
        loc != self.exit && !failed && before
    }

    /// The edges that leave a location; edges are sorted by that.
    pub fn leaving(&self, loc: Loc) -> impl Iterator<Item = &Edge<C>> {
        let first = self.edges.partition_point(|edge| edge.from < loc);
        self.edges[first..].iter().take_while(move |edge| edge.from == loc)
    }
}

impl<C> Cfg<C> {
    /// The values of a variable that a flow sees.
    pub fn domain(&self, flow: ProcedureId, var: Var) -> &Domain {
        let variable = match var {
            Var::Shared(index) => &self.shared[index as usize],
            Var::Own(index) => &self.own[index as usize],
            Var::Local(index) => &self.flow(flow).locals[index as usize],
        };
        &variable.domain
    }

    pub fn flow(&self, id: ProcedureId) -> &Flow<C> {
        &self.flows[id.index()]
    }

    /// Where execution can begin: `init` and all threads.
    pub fn roots(&self) -> impl Iterator<Item = (ProcedureId, Loc)> + '_ {
        let init = self.init.map(|id| (id, self.flow(id).entry));
        init.into_iter()
            .chain(self.singles.iter().chain(&self.replicated).map(|role| (role.flow, role.start)))
            .chain(self.births.iter().copied())
    }
}

impl Cfg {
    /// Builds all graphs; warns about statements that no path leads to.
    pub fn build(program: &Program) -> (Cfg, Vec<Diagnostic>) {
        let (mut draft, warnings) = build::build(program);
        let inside = sections::inside(&draft, program);
        let too_few = copies::too_few(&draft, program);
        draft.approximations.extend(too_few.into_iter().map(Approximation::Fewer));
        let mut cfg = handshake::lower(draft, program, &inside);
        sections::decide(&mut cfg, program);
        (cfg, warnings)
    }

    /// The same with edges that make threads at once, without a handshake.
    pub fn build_spawning(program: &Program) -> (Cfg, Vec<Diagnostic>) {
        let (draft, warnings) = build::build(program);
        let mut cfg = spawning::lower(draft, program);
        sections::decide(&mut cfg, program);
        (cfg, warnings)
    }

    pub fn facts(&self) -> ProgramFacts {
        let graph = calls::CallGraph::new(self);
        let needed = self.needed();
        ProgramFacts {
            threads: self.singles.len() + usize::from(!self.replicated.is_empty()),
            singles: self.singles.len(),
            replicated: !self.replicated.is_empty(),
            recursive: needed.iter().any(|id| graph.recursive(*id)),
            calls: needed.iter().map(|id| graph.callees(*id).len()).sum(),
            init: self.init.is_some(),
            spawns: needed
                .iter()
                .any(|id| self.flow(*id).edges.iter().any(|edge| matches!(edge.action, Action::Create(_)))),
            broadcasts: needed
                .iter()
                .any(|id| self.flow(*id).edges.iter().any(|edge| edge.others().is_some())),
            numbers: {
                let locals = needed.iter().flat_map(|id| &self.flow(*id).locals);
                let variables = self.shared.iter().chain(&self.own).chain(locals);
                variables.filter(|variable| matches!(variable.domain, Domain::Range { .. })).count()
            },
            ..ProgramFacts::default()
        }
    }

    /// The procedures that the roots can reach by calls, in order.
    pub fn needed(&self) -> Vec<ProcedureId> {
        calls::CallGraph::new(self).reachable(self.roots().map(|(id, _)| id))
    }

    /// `kernel:14`, with the procedure that the text stands in; the end of a procedure is `kernel:end`, where an
    /// assertion has failed is `kernel:14 failed`, and where a value was outside of a range `kernel:14 out of range`.
    pub fn location_name(&self, id: ProcedureId, loc: Loc) -> String {
        let flow = self.flow(id);
        if loc == flow.exit {
            return format!("{}:end", flow.name);
        }
        let location = &flow.locations[loc.index()];
        let procedure = flow.frames.get(location.frame as usize).map_or(id, |frame| frame.procedure);
        let failed = match location.target {
            Some(Target::FailedAssert) => " failed",
            Some(Target::OutOfRange) => " out of range",
            Some(Target::OutOfWidth) => " out of width",
            Some(Target::Label) | None => "",
        };
        format!("{}:{}{failed}", self.flow(procedure).name, self.line(location.span))
    }

    /// The calls that lead to where a location was inlined, the outermost first: the procedure and the line of each.
    pub fn calls_to(&self, id: ProcedureId, loc: Loc) -> Vec<(&str, usize)> {
        let flow = self.flow(id);
        let mut calls = Vec::new();
        let mut frame = flow.frames.get(flow.locations[loc.index()].frame as usize);
        while let Some((caller, span)) = frame.and_then(|frame| frame.caller) {
            frame = flow.frames.get(caller as usize);
            let procedure = frame.map_or(id, |frame| frame.procedure);
            calls.push((self.flow(procedure).name.as_str(), self.line(span)));
        }
        calls.reverse();
        calls
    }

    /// The location that `Pc` has this number for: those of the executed flows, one after the other.
    pub fn numbered(&self, pc: u64) -> Option<(ProcedureId, Loc)> {
        let mut rest = usize::try_from(pc).ok()?;
        for id in self.needed() {
            let count = self.flow(id).locations.len();
            if rest < count {
                return Some((id, Loc(rest as u32)));
            }
            rest -= count;
        }
        None
    }

    /// What every move of a thread needs besides its own guard.
    pub fn unheld(&self, span: Span) -> Expr {
        match self.hold {
            None => Expr::constant(true, span),
            Some(hold) => Expr { code: vec![Op::Old(hold), Op::Not], span },
        }
    }

    /// Line of the text, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        self.source.line(span)
    }
}
