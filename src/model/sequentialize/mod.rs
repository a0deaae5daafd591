//! A concurrent program as a sequential one, for a number of contexts per thread. Lal and Reps, Reducing concurrent
//! analysis under a context bound to sequential analysis, sections 2.1 and 2.3.
//!
//! The threads run one after the other, each through all its contexts. There is a copy of the shared variables for each
//! context: a thread works on the copy of the context it is in, and finds there what the threads before it have left. What
//! the first thread finds in contexts after the first is guessed; at the end a checker compares the guess for context
//! i + 1 with what the last thread left in context i.
//!
//! An error in context i of thread t stops that thread and is remembered; the run goes on, because the contexts before
//! depend on the threads behind t. The checker may compare all contexts, also those after the error. If the error is
//! real, every thread can stop where the error finds it, the copies after i stay as they were guessed, and a guess that
//! passes exists. If a run passes, cut it at its first error in the order of rounds and positions: what lies before
//! depends on nothing that comes later, so the error is real.

mod body;
pub mod expression;
mod forms;
mod frame;
mod labels;
mod names;
mod sections;
pub mod writer;

use crate::model::program::{Domain, Form, ProcedureId, Program};
use calculus::diagnostic::Diagnostic;
use names::SequentialNames;
use sections::ThreadSections;
use writer::ProgramWriter;

/// What runs `init` is no thread: it has no contexts and works on the first copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Runner {
    Init,
    Threads,
}

/// What all procedures are translated with.
struct Sequentializer<'p> {
    program: &'p Program,
    names: SequentialNames,
    sections: ThreadSections,
    contexts: usize,
}

/// The text of a sequential program that reaches an error just if the program does within `contexts` contexts per thread,
/// in the round-robin order of positions.
pub fn sequentialize(program: &Program, contexts: usize) -> Result<String, Diagnostic> {
    refuse(program)?;
    let mut procedures = Vec::new();
    for id in needed(program, program.init.into_iter()) {
        procedures.push((id, Runner::Init));
    }
    for id in needed(program, roots(program)) {
        procedures.push((id, Runner::Threads));
    }
    let names = SequentialNames::new(program, contexts, &procedures);
    let plan =
        Sequentializer { program, names, sections: ThreadSections::new(program, roots(program)), contexts };
    let mut out = ProgramWriter::default();
    plan.head(&mut out);
    plan.globals(&mut out);
    plan.switch(&mut out);
    for (id, phase) in &procedures {
        out.line("");
        body::procedure(&plan, *id, *phase, &mut out);
    }
    out.line("");
    plan.main(&procedures, &mut out);
    Ok(out.text)
}

fn refuse(program: &Program) -> Result<(), Diagnostic> {
    if !program.births.is_empty() {
        let starts = program.procedures.iter().flat_map(|procedure| &procedure.statements);
        let start = starts.filter(|statement| matches!(statement.form, Form::Start { .. })).map(|s| s.span);
        let title = "a program that starts threads cannot be made sequential";
        let mut problem = Diagnostic::error("bp::started_thread", title)
            .help("write the threads as `thread` blocks that wait for a shared variable, `assume(started);`");
        if let Some(span) = start.into_iter().next() {
            problem = problem.label(span, "starts a thread");
        }
        return Err(problem);
    }
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    if let Some(statement) = statements.into_iter().find(|statement| statement.form.others().is_some()) {
        let title = "a program whose threads change variables of others cannot be made sequential";
        return Err(Diagnostic::error("bp::passive_variable", title)
            .label(statement.span, "changes or looks at variables of other threads")
            .help("views.fp decides it as it is"));
    }
    if let Some(thread) = program.replicated.first() {
        let title = "a program with replicated threads cannot be made sequential";
        return Err(Diagnostic::error("bp::replicated", title)
            .label(thread.span, format!("any number of copies of `{}` run", thread.name))
            .help(format!("fix the number of copies: `thread {0}[2] begin`, or --thread {0}", thread.name)));
    }
    Ok(())
}

fn roots(program: &Program) -> impl Iterator<Item = ProcedureId> + '_ {
    program.singles.iter().map(|thread| thread.procedure)
}

/// The procedures that can be called from some, in the order of the text.
fn needed(program: &Program, roots: impl Iterator<Item = ProcedureId>) -> Vec<ProcedureId> {
    let mut needed = vec![false; program.procedures.len()];
    let mut work: Vec<ProcedureId> = roots.collect();
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut needed[id.index()], true) {
            continue;
        }
        work.extend(program.procedure(id).statements.iter().filter_map(|statement| match statement.form {
            Form::Call { callee, .. } => Some(callee),
            _ => None,
        }));
    }
    (0..program.procedures.len()).filter(|i| needed[*i]).map(|i| ProcedureId(i as u32)).collect()
}

/// Whether a procedure itself has a statement that ends all of its thread.
fn can_stop(program: &Program, id: ProcedureId) -> bool {
    let stops =
        |form: &Form| matches!(form, Form::Assert(_) | Form::EndThread) || program.fits(id, form).is_some();
    program.procedure(id).statements.iter().any(|statement| statement.target || stops(&statement.form))
}

fn constant(value: bool) -> String {
    if value { "T" } else { "F" }.into()
}

/// A value as a constant.
fn value_of(domain: &Domain, value: i64) -> String {
    match domain {
        Domain::Bool => constant(value != 0),
        Domain::Range { .. } | Domain::Names(_) => domain.show(value).to_string(),
    }
}

/// The declaration of names with the same domain.
fn declaration(names: &str, domain: &Domain) -> String {
    match domain {
        Domain::Bool => format!("decl {names};"),
        Domain::Range { .. } | Domain::Names(_) => format!("decl {names}: {domain};"),
    }
}
