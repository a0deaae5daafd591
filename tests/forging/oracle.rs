//! Whether a trace can be true, decided without the verifier: every open value is tried, and every state that fits is kept.
//!
//! It is more forgiving than `replay`: it does not look at the texts of statements, nor at names and rounds, and a value
//! that is not told may be anything that did not change. What it refuses is no run.

use fpsolve::model::interpret::{Machine, Pc, State, Status, Step};
use fpsolve::model::program::{ProcedureId, Program, Var, Variable};
use fpsolve::model::trace::{Change, Finish, Trace, TraceState, TraceStep, TraceValue};
use rustc_hash::FxHashSet;

/// States at the same time; where there are more, nothing is decided.
const MOST: usize = 20_000;

/// Nothing if there are too many states. The program must not create threads.
pub fn may_be_true(program: &Program, trace: &Trace) -> Option<bool> {
    let most = trace.threads.iter().map(|thread| thread.position).max().unwrap_or(0);
    let copies = most.saturating_sub(program.singles.len());
    let machine = Machine::new(program, copies);
    if most > machine.threads() {
        return Some(false);
    }
    let mut now: FxHashSet<State> = machine.initial().into_iter().collect();
    for (name, value) in &trace.begin {
        let Some(at) = program.shared.iter().position(|variable| variable.name == *name) else {
            return Some(false);
        };
        let domain = &program.shared[at].domain;
        let value = match value.as_ref().map(|value| domain.read(value)) {
            Some(None) => return Some(false),
            value => value.flatten(),
        };
        let known =
            now.into_iter().filter(|state| state.shared.get(at).is_none() || state.shared.get(at) == value);
        now = known
            .map(|mut state| {
                state.shared.set(at, value);
                state
            })
            .collect();
    }
    match &trace.finish {
        Finish::Error(error) => {
            let (last, _) = follow((&machine, program), trace, &trace.steps, now, 1)?;
            let thread = trace.threads[error.thread].position;
            Some(last.iter().flat_map(|state| born(&machine, state, thread)).any(|state| {
                let target = machine.target(&state, thread).filter(|_| state.initializing() == (thread == 0));
                target.is_some_and(|span| program.source.line(span) == error.line)
            }))
        }
        Finish::State(told) => {
            let (last, _) = follow((&machine, program), trace, &trace.steps, now, 1)?;
            Some(last.iter().any(|state| is_told(program, state, told)))
        }
        Finish::Repeat(repeat) => {
            let (stem, around) = trace.steps.split_at(repeat.from.min(trace.steps.len()));
            let (begin, running) = follow((&machine, program), trace, stem, now, 1)?;
            let begin = begin.into_iter().filter(|state| is_told(program, state, &repeat.state));
            // Each state on its own has to come back to what is told, and to be able to go on.
            for state in begin {
                let (last, ran) =
                    follow((&machine, program), trace, around, FxHashSet::from_iter([state]), running)?;
                let back = last.into_iter().filter(|state| is_told(program, state, &repeat.state));
                let (again, _) = follow((&machine, program), trace, around, back.collect(), ran)?;
                if !around.is_empty() && again.iter().any(|state| is_told(program, state, &repeat.state)) {
                    return Some(true);
                }
            }
            Some(false)
        }
    }
}

/// The states after some steps, and who ran last; nothing if there are too many.
fn follow(
    (machine, program): (&Machine, &Program),
    trace: &Trace,
    steps: &[TraceStep],
    mut now: FxHashSet<State>,
    mut running: usize,
) -> Option<(FxHashSet<State>, usize)> {
    for step in steps {
        let thread = trace.threads[step.thread].position;
        let mut next = FxHashSet::default();
        for state in now.iter().flat_map(|state| born(machine, state, thread)) {
            let interrupts = thread != 0 && thread != running && running < state.threads.len();
            if interrupts && !machine.yields(&state, running) {
                continue;
            }
            for state in concrete(program, &state, thread) {
                for made in machine.steps(&state, thread) {
                    for after in concrete(program, &made.state, thread) {
                        if fits(program, &state, &made, &after, step) {
                            next.insert(after);
                        }
                    }
                }
            }
            if next.len() > MOST {
                return None;
            }
        }
        now = next;
        running = if thread == 0 { running } else { thread };
    }
    Some((now, running))
}

/// Whether a state has the values that are told, and its threads stand in these lines. What is open may be anything.
fn is_told(program: &Program, state: &State, told: &TraceState) -> bool {
    let agree = |change: &Change, variable: &Variable, value: Option<i64>| {
        let value = value.map(|value| variable.domain.show(value));
        value.is_none() || change.value.is_none() || value == change.value
    };
    let mut shared = told.shared.iter().zip(&program.shared).enumerate();
    let shared = shared.all(|(at, (change, variable))| agree(change, variable, state.shared.get(at)));
    shared
        && told.threads.iter().all(|told| {
            let Some(thread) = state.threads.get(told.position) else { return false };
            thread.frames.len() == told.frames.len()
                && thread.frames.iter().zip(&told.frames).all(|(frame, told)| {
                    let procedure = program.procedure(frame.procedure);
                    let start = match frame.pc {
                        Pc::Entry => procedure.name_span.start,
                        Pc::At(id) => procedure.statement(id).span.start,
                        Pc::Exit => procedure.span.end - 3,
                    };
                    let line = program.source.text[..start as usize].matches('\n').count() + 1;
                    let mut locals = told.locals.iter().zip(&procedure.locals).enumerate();
                    (procedure.name.as_str(), line) == (told.procedure.as_str(), told.line)
                        && locals.all(|(at, (change, local))| agree(change, local, frame.locals.get(at)))
                })
        })
}

/// A copy that has not moved is born first: the program creates no threads, so that nothing else can be its first step.
fn born(machine: &Machine, state: &State, thread: usize) -> Vec<State> {
    match state.threads[thread].status {
        Status::Unborn => machine.steps(state, thread).into_iter().map(|step| step.state).collect(),
        _ => vec![state.clone()],
    }
}

/// All ways to give the variables that a thread sees values, and the results of its procedure.
fn concrete(program: &Program, state: &State, thread: usize) -> Vec<State> {
    let mut variables = (0..program.shared.len() as u32).map(Var::Shared).collect::<Vec<_>>();
    variables.extend((0..program.own.len() as u32).map(Var::Own));
    if let Some(top) = state.threads[thread].frames.last() {
        let procedure = program.procedure(top.procedure);
        variables.extend((0..(procedure.locals.len() + procedure.results.len()) as u32).map(Var::Local));
    }
    let top = state.threads[thread].frames.last().map_or(ProcedureId(0), |top| top.procedure);
    state.clone().choose(thread, &variables, |var| program.domain(top, var), &Default::default())
}

fn fits(program: &Program, before: &State, made: &Step, after: &State, told: &TraceStep) -> bool {
    let (old, new) = (&before.threads[made.thread].frames, &after.threads[made.thread].frames);
    let Some(top) = old.last() else { return false };
    let procedure = program.procedure(top.procedure);
    let text = &program.source.text;
    let line = match top.pc {
        Pc::Exit => text[..procedure.span.end as usize - 3].matches('\n').count() + 1,
        _ => text[..made.span.start as usize].matches('\n').count() + 1,
    };
    if (line, procedure.name.as_str(), old.len()) != (told.line, told.procedure.as_str(), told.depth + 1) {
        return false;
    }
    let mut values = program.shared.iter().enumerate();
    let mut values = values
        .by_ref()
        .map(|(at, variable)| (variable.name.as_str(), before.shared.get(at), after.shared.get(at)))
        .collect::<Vec<_>>();
    if let Some(frame) = old.len().min(new.len()).checked_sub(1) {
        let procedure = program.procedure(old[frame].procedure);
        let own = |state: &State, at: u32| state.threads[made.thread].own.get(at as usize);
        let seen = procedure.own.clone();
        values
            .extend(seen.map(|at| (program.own[at as usize].name.as_str(), own(before, at), own(after, at))));
        let locals = procedure.locals.iter().enumerate();
        values.extend(
            locals.map(|(at, local)| {
                (local.name.as_str(), old[frame].locals.get(at), new[frame].locals.get(at))
            }),
        );
    }
    let known = told.changes.iter().all(|change| values.iter().any(|(name, ..)| *name == change.variable));
    known
        && values.iter().all(|(name, old, new)| {
            match told.changes.iter().find(|told| told.variable == *name) {
                Some(change) => {
                    let told = change.value.as_ref().map(|value| match value {
                        TraceValue::Number(value) => *value,
                        TraceValue::Name(name) => panic!("{name} in a program without enumerations"),
                    });
                    told.is_none() || new.is_none() || told == *new
                }
                None => new.is_none() || old.is_none() || old == new,
            }
        })
}
