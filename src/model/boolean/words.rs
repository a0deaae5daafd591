//! What a trace says of a step of the interpreter. The writer and the verifier both look here, so that they mean the same.
//!
//! A variable whose value nobody has looked at is open. A step tells the variables whose values it changes, and those that
//! were open and that it reads. So the values that a trace tells determine every state on the way: what is not told
//! has not changed, and what is open has no value yet.

use crate::model::interpret::{Frame, Machine, Pc, State, Status, Step};
use crate::model::program::{Form, Outside, ProcedureId, Program, Start, Statement, Variable};
use crate::model::trace::{Change, TraceError, TraceStep};
use calculus::span::Span;

/// The place, the statement and the depth of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub procedure: String,
    /// Frames below the one that moves.
    pub depth: usize,
    pub line: usize,
    pub text: String,
}

/// What is told of a step from a state; nothing if no frame of the thread takes part.
pub fn words(program: &Program, before: &State, step: &Step) -> Option<Words> {
    let (old, new) = (&before.threads[step.thread], &step.state.threads[step.thread]);
    let frames = if old.frames.is_empty() { &new.frames } else { &old.frames };
    let top = frames.last()?;
    let end = top.pc == Pc::Exit;
    Some(Words {
        procedure: program.procedure(top.procedure).name.clone(),
        depth: frames.len() - 1,
        line: line(program, top, step.span),
        text: if end { "end".into() } else { statement(program, step.span) },
    })
}

/// The line at which a frame stands, and the statement there.
pub fn place(program: &Program, frame: &Frame) -> (usize, String) {
    let procedure = program.procedure(frame.procedure);
    match frame.pc {
        Pc::Entry => (program.source.line(procedure.name_span), "begin".into()),
        Pc::Exit => (line(program, frame, procedure.span), "end".into()),
        Pc::At(id) => {
            let span = procedure.statement(id).span;
            (program.source.line(span), statement(program, span))
        }
    }
}

/// The line of a step from the top frame; a procedure is left at its `end`.
fn line(program: &Program, top: &Frame, span: Span) -> usize {
    let end = Span { start: program.procedure(top.procedure).span.end.saturating_sub(3), ..span };
    program.source.line(if top.pc == Pc::Exit { end } else { span })
}

/// The first line of a statement: conditions without what they guard.
fn statement(program: &Program, span: Span) -> String {
    const MOST: usize = 60;
    let text = program.source.excerpt(span);
    let text = match program.outside {
        // Comments stand in expressions of C.
        Outside::Width { .. } => without_comments(&text),
        // The span of an `elsif` begins behind the word.
        Outside::Error if text.starts_with('(') => format!("elsif {text}"),
        Outside::Error => text,
    };
    let guards = ["if", "while", "elsif"].iter().any(|word| text.starts_with(word));
    let heads = [" then", " do", " begin", "{"].iter().filter(|_| guards);
    let ends = heads.filter_map(|head| Some(text.find(head)? + if *head == "{" { 0 } else { head.len() }));
    let text = ends.min().map_or(text.as_str(), |end| &text[..end]);
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.trim_end().trim_end_matches(';').to_string(),
    }
}

/// The text before, between and behind `/* comments */`.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_string();
    // What stands behind a comment that does not end here is in it.
    parts.fold(first, |before, part| before + part.split_once("*/").map_or("", |(_, behind)| behind))
}

/// The states in which a copy that has not moved yet is one of the threads that run from the beginning. No step of the
/// program does that, so no trace tells it.
pub fn births(machine: &Machine, state: &State, thread: usize) -> Vec<State> {
    if state.initializing() || state.threads[thread].status != Status::Unborn {
        return Vec::new();
    }
    let running = machine.program.replicated.iter().filter(|template| template.start == Start::Entry);
    let born = running.map(|template| {
        let mut born = state.clone();
        born.threads[thread] = machine.running(machine.entered(template.procedure));
        born
    });
    born.collect()
}

/// The steps that a trace tells: all but the births.
pub fn steps(machine: &Machine, state: &State, thread: usize) -> Vec<Step> {
    let births = births(machine, state, thread);
    let mut steps = machine.steps(state, thread);
    steps.retain(|step| !births.contains(&step.state));
    steps
}

/// A variable that a step can change, as the thread sees it that makes the step.
#[derive(Clone, Copy, Debug)]
enum Seat {
    Shared(usize),
    Own(usize),
    /// Of the frame with this number, the bottom being 0.
    Local(usize, usize),
}

impl Seat {
    fn read(self, state: &State, thread: usize) -> Option<i64> {
        match self {
            Seat::Shared(at) => state.shared.get(at),
            Seat::Own(at) => state.threads[thread].own.get(at),
            Seat::Local(frame, at) => state.threads[thread].frames[frame].locals.get(at),
        }
    }

    fn write(self, state: &mut State, thread: usize, value: Option<i64>) {
        match self {
            Seat::Shared(at) => state.shared.set(at, value),
            Seat::Own(at) => state.threads[thread].own.set(at, value),
            Seat::Local(frame, at) => state.threads[thread].frames[frame].locals.set(at, value),
        }
    }
}

/// The variables that a step can change: the shared ones, those of the thread, and those of the frame that is there before
/// and after. A thread that ends or begins has none but the shared ones.
fn seats<'p>(program: &'p Program, before: &State, step: &Step) -> Vec<(Seat, &'p Variable)> {
    let shared = program.shared.iter().enumerate();
    let mut seats = shared.map(|(at, variable)| (Seat::Shared(at), variable)).collect::<Vec<_>>();
    let (old, new) = (&before.threads[step.thread].frames, &step.state.threads[step.thread].frames);
    let Some(frame) = old.len().min(new.len()).checked_sub(1) else { return seats };
    let procedure = program.procedure(old[frame].procedure);
    let own = procedure.own.clone().map(|at| at as usize);
    seats.extend(own.map(|at| (Seat::Own(at), &program.own[at])));
    let locals = procedure.locals.iter().enumerate();
    seats.extend(locals.map(|(at, variable)| (Seat::Local(frame, at), variable)));
    seats
}

/// What a step tells, and the state behind it. `fill` gives the value of a variable that the step has made arbitrary, and
/// that may be any.
pub fn changes<'p>(
    program: &'p Program,
    before: &State,
    step: &Step,
    mut fill: impl FnMut(&'p Variable, &dyn Fn(&State) -> Option<i64>) -> Option<i64>,
) -> (Vec<Change>, State) {
    let (mut told, mut after) = (Vec::new(), step.state.clone());
    for (seat, variable) in seats(program, before, step) {
        let (old, new) = (seat.read(before, step.thread), seat.read(&step.state, step.thread));
        let value = match (old, new) {
            (Some(_), None) => fill(variable, &|state| seat.read(state, step.thread)),
            _ => new,
        };
        if value != old {
            let value = value.map(|value| variable.domain.show(value));
            told.push(Change { variable: variable.name.clone(), value });
        }
        seat.write(&mut after, step.thread, value);
    }
    (told, after)
}

/// What a thread is called in the program; `bottom` is the procedure at the bottom of its stack.
pub fn thread_name(program: &Program, thread: usize, bottom: Option<ProcedureId>) -> String {
    if thread == 0 {
        return "init".into();
    }
    if let Some(single) = program.singles.get(thread - 1) {
        return single.name.clone();
    }
    let template = bottom.and_then(|id| program.replicated.iter().find(|t| t.procedure == id));
    template.map_or_else(|| "copy".into(), |template| template.name.clone())
}

/// Tells copies with the same name apart: `driver 1`, `driver 2`.
pub fn tell_apart(names: &[String]) -> Vec<String> {
    let number = |(at, name): (usize, &String)| {
        let same = |others: &[String]| others.iter().filter(|other| *other == name).count();
        if same(names) > 1 { format!("{name} {}", same(&names[..=at])) } else { name.clone() }
    };
    names.iter().enumerate().map(number).collect()
}

impl TraceStep {
    pub(super) fn new(thread: usize, round: Option<i64>, words: Words, changes: Vec<Change>) -> TraceStep {
        let Words { procedure, depth, line, text } = words;
        TraceStep { thread, round, procedure, depth, line, text, changes, configuration: None }
    }

    /// Whether its place and statement are these.
    pub(super) fn is_in(&self, words: &Words) -> bool {
        let Words { procedure, depth, line, text } = words;
        (&self.procedure, &self.depth, &self.line, &self.text) == (procedure, depth, line, text)
    }
}

impl TraceError {
    /// A thread that stands at a target, in this procedure.
    pub(super) fn new(
        program: &Program,
        thread: usize,
        procedure: Option<ProcedureId>,
        target: Span,
    ) -> TraceError {
        let text = program.source.line_text(target);
        let mut statements = procedure.into_iter().flat_map(|id| &program.procedure(id).statements);
        let is_check = |statement: &Statement| statement.target || matches!(statement.form, Form::Assert(_));
        let checked = statements.any(|statement| statement.span == target && is_check(statement));
        TraceError {
            thread,
            procedure: procedure.map_or_else(String::new, |id| program.procedure(id).name.clone()),
            line: program.source.line(target),
            text: if checked { text.to_string() } else { format!("{text} (a value is out of range)") },
        }
    }
}
