//! The whole program: each thread's function is translated, and the parts are put together.

use super::after;
use super::emit::Emitter;
use super::lower::{Lower, Single, Task, mistake};
use super::places::Places;
use super::types::IntType;
use super::unit::Unit;
use super::value::{Pointer, Value};
use crate::model::options::{Options, Words};
use crate::model::program::predicate;
use crate::model::program::{
    Birth, Dialect, Domain, Expr, Form, Op, Outside, Procedure, ProcedureId, Program, Start, Synchronisation,
    Thread, Var, sections::Sections,
};
use calculus::diagnostic::{Diagnostic, Severity};
use calculus::span::{Source, Span};
use calculus::vocabulary::Approximation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub struct Translated {
    pub program: Program,
    /// Why its runs end early, by the place in the text.
    pub cuts: BTreeMap<Span, String>,
    /// Where something is looked for that is no assertion of the text.
    pub added: BTreeSet<Span>,
}

pub fn translate(
    unit: &Unit,
    places: &Places,
    source: &Arc<Source>,
    options: &Options,
) -> Result<Translated, Vec<Diagnostic>> {
    let mut lower = super::unrolled::translated(unit, places, &options.words);
    if lower.problems.is_empty() {
        let (cuts, added) = (std::mem::take(&mut lower.cuts), std::mem::take(&mut lower.added));
        return lower.program(source, options).map(|program| Translated { program, cuts, added });
    }
    let mut problems = lower.problems;
    problems
        .sort_by_key(|problem| (problem.labels.first().map(|label| label.0.start), problem.title.clone()));
    Err(problems)
}

impl<'a> Lower<'a> {
    pub fn new(unit: &'a Unit<'a>, places: &'a Places, words: &'a Words, deepest: usize) -> Lower<'a> {
        Lower {
            unit,
            places,
            words,
            emitter: Emitter::new(),
            frames: Vec::new(),
            globals: HashMap::new(),
            tags: HashMap::new(),
            shared: Vec::new(),
            own: Vec::new(),
            problems: Vec::new(),
            tasks: Vec::new(),
            procedures: Vec::new(),
            current: 0,
            atomic: 0,
            looping: 0,
            replicated: false,
            temporaries: 0,
            unknowns: Vec::new(),
            joins: Vec::new(),
            singles: Vec::new(),
            births: Vec::new(),
            names_of_threads: Vec::new(),
            synchronisation: Synchronisation::default(),
            cuts: BTreeMap::new(),
            added: BTreeSet::new(),
            fewer_runs: BTreeMap::new(),
            more_runs: BTreeMap::new(),
            recursive: HashMap::new(),
            deepest,
            passive: Vec::new(),
            held: BTreeMap::new(),
            too_large: Vec::new(),
            targets: false,
            predicates: Vec::new(),
            bounded_next: None,
            asked: Vec::new(),
            on_their_way: HashMap::new(),
            taken: HashMap::new(),
        }
    }

    /// Translates `main` and all threads that it leads to.
    pub fn threads(&mut self) {
        let unit = self.unit;
        let Some(main) = unit.functions.get("main") else {
            self.problems.push(
                Diagnostic::error("c::no_main", "the program has no function `main`")
                    .help("a program begins in `main`, which makes the threads"),
            );
            return;
        };
        let span = self.span(&main.node.declarator);
        let single = Single { number: 0, started: None, done: None };
        self.procedures.push(None);
        self.singles.push(("main".into(), 0, single, span));
        let argument = Value::Pointer(Pointer::Null);
        let (name, function) = ("main".to_string(), "main".to_string());
        self.tasks.push(Task { function, argument, procedure: 0, name, single: Some(single) });
        while !self.tasks.is_empty() {
            let task = self.tasks.remove(0);
            self.thread(task);
        }
    }

    fn thread(&mut self, task: Task) {
        let unit = self.unit;
        let Some((name, function)) = unit.functions.get_key_value(task.function.as_str()) else { return };
        self.emitter = Emitter::new();
        (self.current, self.atomic, self.looping) = (task.procedure, 0, 0);
        self.replicated = task.single.is_none();
        let span = self.span(&function.node.declarator);
        let whole = self.span(*function);
        if task.procedure == 0 {
            // Leaves the model if a first value does not fit: `finish` knows.
            let var = self.emitter.local(".begin", span, Domain::Range { low: 0, high: 0, wraps: false });
            self.emitter.assign(var, vec![Op::Number(0)], span);
        }
        if let Some(started) = task.single.and_then(|single| single.started) {
            let asleep = self.emit(Form::Assume(Expr { code: vec![Op::Old(started)], span }), span);
            self.synchronisation.rests.insert((ProcedureId(task.procedure as u32), asleep));
        }
        if let Err(refusal) = self.thread_body(name, function, &task, span) {
            self.refuse(refusal);
        }
        self.check_held(span);
        self.held.retain(|mutex, _| !matches!(mutex, Var::Local(_)));
        if let Some(done) = task.single.and_then(|single| single.done) {
            self.emitter.assign(done, vec![Op::Constant(true)], span);
        }
        let (locals, statements, body) = std::mem::take(&mut self.emitter).finish(span);
        self.procedures[task.procedure] = Some(Procedure {
            name: task.name.clone(),
            qualified: task.name,
            block: Some("thread".into()),
            span: whole,
            name_span: span,
            locals,
            parameters: 0,
            results: Vec::new(),
            enforce: None,
            own: 0..0,
            atomic: false,
            statements,
            body,
        });
    }

    fn thread_body(
        &mut self,
        name: &'a str,
        function: &'a lang_c::span::Node<lang_c::ast::FunctionDefinition>,
        task: &Task,
        span: Span,
    ) -> super::lower::Lowered<()> {
        let parameters = self.parameters(function)?;
        let values = match (task.procedure, parameters.len()) {
            (0, 0) => Vec::new(),
            (0, _) => {
                let count = self.any_number(IntType::INT, span);
                vec![count, Value::Pointer(Pointer::Text), Value::Pointer(Pointer::Text)]
            }
            (_, 0) => Vec::new(),
            (_, 1) => vec![self.settled_value(task.argument.clone(), span)],
            _ => {
                let title = format!("`{name}` is a thread and takes more than one argument");
                return Err(mistake(span, title, "declared here"));
            }
        };
        self.body(name, function, parameters, values, super::types::CType::Void, span).map(drop)
    }

    fn program(mut self, source: &Arc<Source>, options: &Options) -> Result<Program, Vec<Diagnostic>> {
        self.finish_joins();
        self.finish_names();
        self.finish_passive();
        let width = self.words.width;
        let own = 0..self.own.len() as u32;
        let mut procedures = std::mem::take(&mut self.procedures).into_iter().flatten().collect::<Vec<_>>();
        procedures.iter_mut().for_each(|procedure| procedure.own = own.clone());
        if let Some((span, why)) = self.too_large.first() {
            let begin = &mut procedures[0].statements[0];
            let values = vec![Expr { code: vec![Op::Number(1)], span: *span }];
            begin.form =
                Form::Assign { targets: vec![Some(Var::Local(0))], values, constrain: None, others: None };
            begin.span = *span;
            let _ = why;
        }
        let singles = self.singles.iter().map(|(name, procedure, _, span)| Thread {
            name: name.clone(),
            procedure: ProcedureId(*procedure as u32),
            start: Start::Entry,
            span: *span,
        });
        let mut program = Program {
            source: Arc::clone(source),
            dialect: Dialect::Fpsolve,
            detected: false,
            shared: std::mem::take(&mut self.shared),
            own: std::mem::take(&mut self.own),
            procedures,
            init: None,
            singles: singles.collect(),
            replicated: Vec::new(),
            births: Vec::new(),
            atomic_variable: None,
            section_depth: 0,
            outside: Outside::Width { target: self.words.left_out.is_none() },
            synchronisation: Some(std::mem::take(&mut self.synchronisation)),
            approximations: Vec::new(),
            predicates: Vec::new(),
        };
        self.births_of(&mut program, options);
        mark_labels(&mut program, options, self.targets);
        super::constant_locals::replace(&mut program);
        let unseen = after::unseen(&program);
        for unknown in &self.unknowns {
            let harmless = !unseen.contains(&after::key(unknown.procedure, unknown.var));
            if harmless || self.words.left_out.is_some() {
                let statement =
                    &mut program.procedures[unknown.procedure].statements[unknown.statement.0 as usize];
                if let Form::If { condition, .. } = &mut statement.form {
                    *condition = Expr::constant(false, condition.span);
                }
            }
        }
        let sections = Sections::of(&program);
        program.section_depth = sections.deepest();
        let problems = sections.problems().into_iter().filter(|problem| problem.severity == Severity::Error);
        let problems = problems.collect::<Vec<_>>();
        if !problems.is_empty() {
            return Err(problems);
        }
        let told = |(span, why): (&Span, &String)| format!("line {}: {why}", source.line(*span));
        let uninitialised = after::uninitialised(&program, &unseen, width);
        let fewer = uninitialised.into_iter().chain(self.words.left_out.clone());
        let fewer = fewer.chain(self.fewer_runs.iter().map(told)).map(Approximation::Fewer);
        let more = self.more_runs.iter().map(told).map(Approximation::More);
        program.approximations = fewer.chain(more).collect();
        predicate::add(&mut program, &self.predicates)?;
        Ok(program)
    }

    fn births_of(&self, program: &mut Program, options: &Options) {
        for (index, made) in self.births.iter().enumerate() {
            let procedure = ProcedureId(made.procedure as u32);
            program.births.push(Birth::Call { procedure });
            let name = program.procedure(procedure).name.clone();
            let thread = Thread { name, procedure, start: Start::Sleeping(index as u32), span: made.span };
            match options.copies {
                None => program.replicated.push(thread),
                Some(copies) => {
                    let count = copies.min(1000).saturating_mul(made.sites);
                    let copy = |at| Thread { name: format!("{}#{at}", thread.name), ..thread.clone() };
                    program.singles.extend((1..=count).map(copy));
                }
            }
        }
    }

    /// A thread waits until the one that is meant has ended.
    fn finish_joins(&mut self) {
        for (procedure, statement, number) in std::mem::take(&mut self.joins) {
            let ended = self.singles.iter().filter_map(|(_, _, single, _)| {
                let mut code = number.code.clone();
                let done = single.done?;
                code.extend([Op::Number(single.number.into()), Op::Equal, Op::Old(done), Op::And]);
                Some(code)
            });
            let code = ended.reduce(|all, one| super::value::joined(all, one, Op::Or));
            let place = (ProcedureId(procedure as u32), statement);
            let Some(Some(procedure)) = self.procedures.get_mut(procedure) else { continue };
            let statement = &mut procedure.statements[statement.0 as usize];
            let code = code.unwrap_or(vec![Op::Constant(false)]);
            statement.form = Form::Assume(Expr { code, span: statement.span });
            self.synchronisation.waits.insert(place);
        }
    }

    /// All threads have the variables of threads.
    fn finish_passive(&mut self) {
        let made = self.births.iter().map(|made| made.procedure);
        let threads = self.singles.iter().map(|(_, procedure, ..)| *procedure).chain(made);
        let mut threads = threads.map(|procedure| ProcedureId(procedure as u32)).collect::<Vec<_>>();
        threads.sort_unstable();
        for (procedure, statement) in std::mem::take(&mut self.passive) {
            let Some(Some(procedure)) = self.procedures.get_mut(procedure) else { continue };
            let statement = &mut procedure.statements[statement.0 as usize];
            if let Form::Assign { others: Some(others), .. } = &mut statement.form {
                others.bearers = threads.clone();
            }
        }
    }

    /// Names of threads have as many values as there are threads.
    fn finish_names(&mut self) {
        let high = self.singles.len().saturating_sub(1) as i64;
        for (procedure, var) in std::mem::take(&mut self.names_of_threads) {
            let domain = Domain::Range { low: 0, high, wraps: false };
            match (procedure, var) {
                (None, Var::Shared(at)) => self.shared[at as usize].domain = domain,
                (None, Var::Own(at)) => self.own[at as usize].domain = domain,
                (Some(procedure), Var::Local(at)) => {
                    if let Some(Some(procedure)) = self.procedures.get_mut(procedure) {
                        procedure.locals[at as usize].domain = domain;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Labels that must not be reached: those that were named, and ERROR in a program that has no other error.
fn mark_labels(program: &mut Program, options: &Options, targets: bool) {
    for procedure in &mut program.procedures {
        for statement in &mut procedure.statements {
            statement.target = statement.labels.iter().any(|label| {
                options.target.iter().any(|target| target == label)
                    || !targets && options.target.is_empty() && label == "ERROR"
            });
        }
    }
}
