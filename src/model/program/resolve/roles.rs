//! Which procedures are threads, what runs first, and what is to be reached.

use super::body::Births;
use super::program::*;
use crate::model::options::Options;
use crate::model::program::ast::{self, Copies, ProcedureKind};
use crate::model::program::dialect::Dialect;
use calculus::diagnostic::{Diagnostic, Severity};

/// Labels that mark errors in all dialects.
const ERROR_LABELS: [&str; 3] = ["ERROR", "error", "SLIC_ERROR"];
/// As many as a thread block can ask for: each copy has a position of its own.
const MOST_COPIES: u32 = 1_000;
/// Where Getafix's `init` ends.
const END_INIT: &str = "endinit";

pub fn assign(
    program: &mut Program,
    file: &ast::File,
    options: &Options,
    births: &Births,
    problems: &mut Vec<Diagnostic>,
) {
    let chosen = |name: &String, option: &str, problems: &mut Vec<Diagnostic>| {
        let found = file.procedures.iter().position(|procedure| procedure.name.text == *name);
        if found.is_none() {
            let title = format!("`--{option} {name}` names no procedure of {}", program.source.name);
            let names = file.procedures.iter().map(|procedure| procedure.name.text.as_str());
            let listed = listed("procedures", names.clone());
            let problem = Diagnostic::error("bp::unknown_role", title);
            problems.push(problem.suggest(name, names, &listed));
        }
        found.map(|index| ProcedureId(index as u32))
    };
    let replicated: Vec<_> =
        options.replicate.iter().filter_map(|name| chosen(name, "replicate", problems)).collect();
    let singles: Vec<_> = options.thread.iter().filter_map(|name| chosen(name, "thread", problems)).collect();
    let init = match &options.init {
        Some(name) => chosen(name, "init", problems),
        None => default_init(program, file),
    };
    program.init = init;
    for (index, procedure) in file.procedures.iter().enumerate() {
        let id = ProcedureId(index as u32);
        let copies = if replicated.contains(&id) {
            Copies::Any
        } else if singles.contains(&id) {
            Copies::Fixed(1)
        } else if singles.is_empty() && init != Some(id) {
            default_copies(program.dialect, file, procedure)
        } else {
            Copies::Fixed(0)
        };
        add(program, id, copies);
    }
    check(program, problems);
    refuse_idle_main(program, file, problems);
    add_sleepers(program, options, births, problems);
    if program.dialect == Dialect::Getafix {
        getafix(program);
    }
}

fn default_init(program: &Program, file: &ast::File) -> Option<ProcedureId> {
    let found = file.procedures.iter().position(|procedure| match procedure.kind {
        ProcedureKind::InitBlock => true,
        ProcedureKind::Procedure => program.dialect == Dialect::Getafix && procedure.name.text == "init",
        ProcedureKind::ThreadBlock => false,
    });
    found.map(|index| ProcedureId(index as u32))
}

/// How often a procedure is a thread when no option says otherwise.
fn default_copies(dialect: Dialect, file: &ast::File, procedure: &ast::Procedure) -> Copies {
    let main = procedure.name.text == "main";
    let thread = match (procedure.kind, procedure.thread) {
        (ProcedureKind::ThreadBlock, Some(thread)) => return file.threads[thread].copies,
        (ProcedureKind::Procedure, None) if dialect == Dialect::Getafix => {
            main || procedure.name.text.to_ascii_lowercase().starts_with("thread")
        }
        (ProcedureKind::Procedure, None) => main && file.threads.is_empty(),
        _ => false,
    };
    Copies::Fixed(u32::from(thread))
}

fn add(program: &mut Program, id: ProcedureId, copies: Copies) {
    let procedure = program.procedure(id);
    let thread = Thread {
        name: procedure.name.clone(),
        procedure: id,
        start: Start::Entry,
        span: procedure.name_span,
    };
    match copies {
        Copies::Any => program.replicated.push(thread),
        Copies::Fixed(n) => program.singles.extend(numbered(thread, n)),
    }
}

/// n copies: `worker.1`, `worker.2`; a single one keeps its name.
fn numbered(thread: Thread, n: u32) -> impl Iterator<Item = Thread> {
    (1..=n).map(move |i| match n {
        1 => thread.clone(),
        _ => Thread { name: format!("{}.{i}", thread.name), ..thread.clone() },
    })
}

/// A `main` that nobody calls beside `thread` blocks would never be executed.
fn refuse_idle_main(program: &Program, file: &ast::File, problems: &mut Vec<Diagnostic>) {
    let Some(block) = file.threads.first() else { return };
    let is_main = |procedure: &ast::Procedure| {
        procedure.kind == ProcedureKind::Procedure
            && procedure.thread.is_none()
            && procedure.name.text == "main"
    };
    let Some(main) = file.procedures.iter().position(is_main) else { return };
    let id = ProcedureId(main as u32);
    let threads = program.singles.iter().chain(&program.replicated);
    let executed = threads.map(|thread| thread.procedure).chain(program.init).any(|role| role == id);
    let mut statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    let called = statements.any(|statement| match &statement.form {
        Form::Call { callee, .. } => *callee == id,
        Form::Start { birth, .. } => program.births[*birth as usize].procedure() == id,
        _ => false,
    });
    if !executed && !called {
        problems.push(
            Diagnostic::error(
                "bp::idle_main",
                "`main` is never executed, because the program has `thread` blocks",
            )
            .label(file.procedures[main].name.span, "never called")
            .label(block.name.span, "the threads of the program are its `thread` blocks")
            .help("write `thread main begin … end`, call it from a thread, or remove it"),
        );
    }
}

fn check(program: &Program, problems: &mut Vec<Diagnostic>) {
    let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    if program.singles.is_empty() && program.replicated.is_empty() && !broken {
        problems.push(
            Diagnostic::error("bp::no_thread", format!("{} has no thread", program.source.name))
                .help("call a procedure `main`, write a `thread` block, or name the threads with --thread or --replicate"),
        );
    }
    let roles = program.singles.iter().chain(&program.replicated);
    for thread in roles {
        refuse_parameters(program, thread.procedure, "a thread", problems);
    }
    if let Some(init) = program.init {
        refuse_parameters(program, init, "the initial procedure", problems);
    }
}

/// Nobody calls it, so nobody would give it arguments: they are arbitrary.
fn refuse_parameters(program: &Program, id: ProcedureId, role: &str, problems: &mut Vec<Diagnostic>) {
    let procedure = program.procedure(id);
    let Some(first) = procedure.locals.first().filter(|_| procedure.parameters > 0) else { return };
    let title = format!("`{}` is {role} and has parameters", procedure.name);
    problems.push(
        Diagnostic::warning("bp::thread_parameters", title)
            .label(first.span, "its value is arbitrary, because nothing calls a thread"),
    );
}

/// The threads that `start_thread` statements start: asleep at first.
fn add_sleepers(program: &mut Program, options: &Options, births: &Births, problems: &mut Vec<Diagnostic>) {
    let copies = options.copies.map(|copies| {
        if copies > MOST_COPIES {
            let title = format!("`--copies {copies}` is too large: at most {MOST_COPIES}");
            problems.push(Diagnostic::error("bp::number", title).help("leave out --copies to have no bound"));
        }
        copies.min(MOST_COPIES)
    });
    for (index, (birth, sites)) in births.iter().enumerate() {
        let procedure = program.procedure(birth.procedure());
        let thread = Thread {
            name: program.birth_name(index as u32),
            procedure: birth.procedure(),
            start: Start::Sleeping(index as u32),
            span: sites.first().copied().unwrap_or(procedure.name_span),
        };
        match copies {
            None => program.replicated.push(thread),
            Some(n) => program.singles.extend(numbered(thread, n.saturating_mul(sites.len() as u32))),
        }
    }
}

/// `init` ends at `endinit`; what is no thread is called in one step.
fn getafix(program: &mut Program) {
    let mut roots: Vec<ProcedureId> = program.init.into_iter().collect();
    roots.extend(program.singles.iter().chain(&program.replicated).map(|thread| thread.procedure));
    for (index, procedure) in program.procedures.iter_mut().enumerate() {
        let named_thread =
            procedure.name == "main" || procedure.name.to_ascii_lowercase().starts_with("thread");
        procedure.atomic = !named_thread && !roots.contains(&ProcedureId(index as u32));
    }
    let Some(init) = program.init else { return };
    for statement in &mut program.procedures[init.index()].statements {
        if statement.labels.iter().any(|label| label == END_INIT) {
            statement.form = Form::Return(Vec::new());
        }
    }
}

/// What there is to choose from, the first ten.
fn listed<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.collect::<Vec<_>>();
    names.dedup();
    let more = if names.len() > 10 { ", …" } else { "" };
    names.truncate(10);
    format!("its {what} are {}{more}", names.join(", "))
}

pub fn mark_targets(program: &mut Program, options: &Options, problems: &mut Vec<Diagnostic>) {
    let mut found = vec![false; options.target.len()];
    for procedure in &mut program.procedures {
        let name = &procedure.name;
        for statement in &mut procedure.statements {
            for label in &statement.labels {
                statement.target |= ERROR_LABELS.contains(&label.as_str());
                for (target, found) in options.target.iter().zip(&mut found) {
                    let hit = match target.split_once(':') {
                        Some((wanted, wanted_label)) => wanted == name && wanted_label == label,
                        None => target == label,
                    };
                    statement.target |= hit;
                    *found |= hit;
                }
            }
        }
    }
    let unknown = options.target.iter().zip(found).filter(|(_, found)| !found);
    for (target, _) in unknown {
        let title = format!("`--target {target}` names no label of {}", program.source.name);
        let labels =
            program.procedures.iter().flat_map(|p| &p.statements).flat_map(|s| &s.labels).map(String::as_str);
        let wanted = target.split_once(':').map_or(target.as_str(), |(_, label)| label);
        let help = match labels.clone().next() {
            Some(_) => {
                let listed = listed("labels", labels.clone());
                format!("{listed}; `procedure:label` is for one that several procedures have")
            }
            None => "the program has no labels".into(),
        };
        let problem = Diagnostic::error("bp::unknown_target", title);
        problems.push(problem.suggest(wanted, labels, &help));
    }
}

/// `init` is no thread: it runs to its end, and so does what it calls. Threads begin when it has ended.
pub fn refuse_threads_in_init(program: &Program, problems: &mut Vec<Diagnostic>) {
    let Some(init) = program.init else { return };
    let mut seen = vec![false; program.procedures.len()];
    let mut work = vec![init];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        for statement in &program.procedures[id.index()].statements {
            match &statement.form {
                Form::Call { callee, .. } => work.push(*callee),
                Form::EndThread => problems.push(
                    Diagnostic::error("bp::end_in_init", "`end_thread` where no thread runs")
                        .label(statement.span, "reached from `init`")
                        .help("`init` runs to its end before the threads begin: use `return` or `goto`"),
                ),
                Form::Start { .. } => problems.push(
                    Diagnostic::error("bp::start_in_init", "`start_thread` before any thread runs")
                        .label(statement.span, "reached from `init`")
                        .help("let a thread start it: `thread NAME begin start_thread …; end` begins when `init` has ended"),
                ),
                _ => {}
            }
        }
    }
}
