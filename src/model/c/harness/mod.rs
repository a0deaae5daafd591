//! A run as a program: the text of the C program, with a scheduler that lets its threads run as in a trace.
//!
//! The program that is written is the one that was checked, not what fpsolve made of it: the user's statements are executed
//! by the user's compiler, and only the order of what threads notice of each other is fixed, and what comes from outside.
//! So it shows the error independently of the translation. Each access to a variable that others see waits for its turn.
//!
//! ```text
//! trace --verify--> steps --schedule--> accesses in order
//! text  --text, statement, expression, call--> text with a call at each access
//! ```

mod call;
mod choices;
mod complete;
mod expression;
mod schedule;
mod statement;
mod structures;
mod text;

use super::places::Places;
use super::preprocess::{self, PRELUDE, PRELUDE_NAME};
use super::unit::Unit;
use crate::model::boolean::verify::executed;
use crate::model::options::{Check, Options};
use crate::model::program::{Domain, Loaded, Program, Variable};
use crate::model::trace::{Finish, Mismatch, Trace, Verified};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::FileId;
use call::quoted;
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use schedule::{Kind, Schedule, schedule};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use text::{Object, Text};

/// What a compiler is told so that an overflow stops the program.
const TRAPS: &str = "-fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error";
const BEGIN: &str = include_str!("begin.h");
/// So many empty lines are written in place of a marker.
const MOST_EMPTY: usize = 50;
const END: &str = include_str!("end.h");
/// Functions that `END` calls.
const CALLED: [&str; 5] = ["exit", "dprintf", "sched_yield", "usleep", "alarm"];

/// The program that shows the run of a trace.
pub fn harness(name: &str, text: &str, options: &Options, trace: &Trace) -> Result<String, Rejection> {
    let (loaded, _) = super::load(name, text, options)?;
    let Loaded { program, sources, .. } = loaded;
    let refused = |why: String| {
        let problem = Diagnostic::error("c::harness", format!("no harness can be made of this run: {why}"));
        Rejection {
            sources: sources.clone(),
            diagnostics: vec![problem.help("`fpsolve replay` executes its trace")],
        }
    };
    let Finish::Error(error) = &trace.finish else {
        return Err(refused("it does not end in an error".into()));
    };
    // What was solved has fewer variables, unless the algorithm looks at all of them.
    let whole = options.words.checks(Check::Overflow);
    let mut narrow = program.clone();
    super::narrow::narrow(&mut narrow, &BTreeSet::new(), whole);
    let mut fits = executed(&narrow, trace);
    if fits.is_err() {
        narrow = narrowed(&program, narrow, trace, whole);
        fits = executed(&narrow, trace);
    }
    let failing = trace.threads[error.thread].position;
    let steps = match fits {
        Ok(steps) => complete::completed(&without_cuts(&program, &narrow), &narrow, &steps, failing)
            .ok_or_else(|| refused("what was left out of the model does not fit to it".into())),
        Err(why) => executed(&program, trace).map_err(|_| match why {
            Verified::NoRun(Mismatch { number, what }) => refused(format!("step {number}: {what}")),
            Verified::Undecided(number) => {
                refused(format!("several states fit to it, from step {number} on"))
            }
            Verified::Run => refused("it cannot be executed".into()),
        }),
    }?;
    let preprocessed = preprocess::preprocess(name, text)
        .map_err(|mistake| Rejection { sources: sources.clone(), diagnostics: vec![mistake] })?;
    let preprocessed = super::places::with_standard_words(preprocessed);
    let whole = joined(&format!("# 1 \"{PRELUDE_NAME}\"\n{PRELUDE}{preprocessed}"));
    let config = Config { flavor: Flavor::GnuC11, ..Config::with_gcc() };
    let parsed = parse_preprocessed(&config, whole.clone()).map_err(|_| refused("it is not C".into()))?;
    let unit = Unit::new(&parsed.unit);
    let main = super::original(text).map_or_else(|| preprocess::escaped(name), |(main, _)| main);
    let places = Places::new(&whole, &main, FileId::default(), &program.source.text);
    // Which variables there are says the text; which of them have values to be set, the run.
    let mut first = Text::new(&whole, &unit, &places, &[]);
    first.program(&parsed.unit);
    let objects = first.objects;
    let schedule = schedule(&program, trace, &steps, &|program, at| object_of(&objects, program, at));
    let mut second = Text::new(&whole, &unit, &places, &schedule.opens);
    second.errors = errors(&program);
    second.checks_locks = options.words.checks(Check::Lock);
    let edits = second.program(&parsed.unit);
    if let Some(why) = second.refusal {
        return Err(refused(why));
    }
    let edited = second.spliced(lang_c::span::Span::span(0, whole.len()), edits);
    let kept = kept(&edited, &main);
    let takes = unit.functions.get("main").is_some_and(|main| parameters(&main.node) > 0);
    let mut out = about(name, options, error.line);
    for header in &kept.headers {
        writeln!(out, "#include <{header}>").expect("strings can be written");
    }
    out += BEGIN;
    // What the program defines itself is not what the harness calls by this name.
    let defined = CALLED.iter().filter(|name| unit.functions.contains_key(**name)).collect::<Vec<_>>();
    out += &defined.iter().map(|name| format!("#define {name} program_{name}\n")).collect::<String>();
    out += &kept.text;
    out += &defined.iter().map(|name| format!("#undef {name}\n")).collect::<String>();
    out += &tables(&kept.main, &objects, &schedule, trace, error.thread, takes);
    writeln!(out, "#define FP_LINE {}", error.line).expect("strings can be written");
    if options.words.checks(Check::Division) || options.words.checks(Check::Overflow) {
        writeln!(out, "#define FP_MACHINE_STOPS {}", error.line).expect("strings can be written");
    }
    out += END;
    Ok(out)
}

/// The program as it was solved, if an algorithm names what nobody reads: then the trace tells more values than one.
fn narrowed(program: &Program, mut narrow: Program, trace: &Trace, whole: bool) -> Program {
    let told = trace.steps.iter().flat_map(|step| &step.changes);
    let told = told.map(|change| (change.variable.as_str(), &change.value)).collect::<Vec<_>>();
    let locals = narrow.procedures.iter().flat_map(|procedure| &procedure.locals);
    let all = narrow.shared.iter().chain(&narrow.own).chain(locals);
    let other = |variable: &Variable| {
        let only = variable.domain.show(variable.domain.low());
        variable.domain.count() == 1
            && told.iter().any(|(name, value)| {
                *name == variable.name && value.as_ref().is_some_and(|value| *value != only)
            })
    };
    let named = all.filter(|variable| other(variable)).map(|variable| variable.name.clone());
    let named = named.collect::<BTreeSet<_>>();
    if !named.is_empty() {
        narrow = program.clone();
        super::narrow::narrow(&mut narrow, &named, whole);
    }
    narrow
}

/// The program with what nobody reads taken modulo the size of its word: no run ends because of it.
fn without_cuts(program: &Program, narrow: &Program) -> Program {
    fn wrap(variables: &mut [Variable], narrow: &[Variable]) {
        for (variable, narrow) in variables.iter_mut().zip(narrow) {
            let dropped = variable.domain.count() > 1 && narrow.domain.count() == 1;
            if let (true, Domain::Range { wraps, .. }) = (dropped, &mut variable.domain) {
                *wraps = true;
            }
        }
    }
    let mut program = program.clone();
    wrap(&mut program.shared, &narrow.shared);
    wrap(&mut program.own, &narrow.own);
    for (procedure, narrow) in program.procedures.iter_mut().zip(&narrow.procedures) {
        wrap(&mut procedure.locals, &narrow.locals);
    }
    program
}

/// A preprocessed text in which each line is one line again, with markers only where another file begins or much is left
/// out: so none of them stands inside of an expression.
fn joined(preprocessed: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // What comes next, and what the last line was.
    let (mut file, mut number) = ("", 1);
    let mut last = ("", 0);
    for line in preprocessed.lines() {
        if let Some((next, name, _)) = super::places::marker(line) {
            (file, number) = (name, next);
            continue;
        }
        match (lines.last_mut(), last.0 == file, number) {
            (Some(before), true, same) if same == last.1 => {
                before.push(' ');
                before.push_str(line.trim_start());
            }
            (Some(_), true, later) if later > last.1 && later - last.1 <= MOST_EMPTY => {
                lines.extend((last.1 + 1..later).map(|_| String::new()));
                lines.push(line.into());
            }
            _ => {
                lines.push(format!("# {number} \"{file}\""));
                lines.push(line.into());
            }
        }
        last = (file, number);
        number += 1;
    }
    lines.join("\n") + "\n"
}

fn parameters(function: &lang_c::ast::FunctionDefinition) -> usize {
    let of = |derived: &lang_c::span::Node<lang_c::ast::DerivedDeclarator>| match &derived.node {
        lang_c::ast::DerivedDeclarator::Function(function) => {
            function.node.parameters.iter().filter(|parameter| parameter.node.declarator.is_some()).count()
        }
        _ => 0,
    };
    function.declarator.node.derived.iter().map(of).sum()
}

fn about(name: &str, options: &Options, line: usize) -> String {
    let traps = if options.words.checks(Check::Overflow) { format!(" {TRAPS}") } else { String::new() };
    format!(
        "/* A run of {name} to the error in line {line}, made by fpsolve.\n\
         \x20  This is the program, with a scheduler that fixes the order of accesses and what comes from outside.\n\
         \x20  To see the error: cc -w -pthread{traps} THIS_FILE.c -o harness && ./harness\n\
         \x20  It prints each step, and ends with 1 at the error, or with 3 if the error is not reached. */\n\
         #define _GNU_SOURCE\n"
    )
}

/// The variable of the text that a shared variable of the model is a part of.
fn object_of(objects: &[Object], program: &Program, at: u32) -> Option<usize> {
    let variable = &program.shared[at as usize];
    let part = |name: &str| {
        let rest = variable.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '#']))
    };
    let named = |object: &Object| part(&object.name) || part(&object.plain);
    let same = |object: &&Object| named(object) && object.declared.start == variable.span.start;
    let at =
        objects.iter().find(same).or_else(|| objects.iter().find(|object| object.global && named(object)))?;
    objects.iter().position(|object| std::ptr::eq(object, at))
}

/// The labels that must not be reached.
fn errors(program: &Program) -> HashSet<String> {
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    statements.filter(|statement| statement.target).flat_map(|statement| statement.labels.clone()).collect()
}

/// What is kept of a text without fpsolve's own headers.
struct Kept {
    headers: Vec<String>,
    text: String,
    main: String,
}

fn kept(edited: &str, main: &str) -> Kept {
    let (mut headers, mut text) = (Vec::<String>::new(), String::new());
    let mut keeping = false;
    for line in edited.lines() {
        if let Some((number, file, _)) = super::places::marker(line) {
            let header = preprocess::own_header(file);
            keeping = header.is_none() && !file.starts_with('<');
            if let Some(header) = header.filter(|header| !headers.iter().any(|known| known == header)) {
                headers.push(header.into());
            }
            if keeping {
                writeln!(text, "#line {} {}", number.max(1), quoted(file)).expect("strings can be written");
            }
        } else if keeping {
            text.push_str(line);
            text.push('\n');
        }
    }
    let declared = text.lines().any(|line| {
        let words = line.trim_start();
        words.starts_with("typedef") && words.trim_end().ends_with("pthread_t;")
    });
    if !declared && text.contains("pthread_") && !headers.iter().any(|header| header == "pthread.h") {
        headers.push("pthread.h".into());
    }
    Kept { headers, text, main: main.into() }
}

/// The threads, the steps and what comes from outside.
fn tables(
    main: &str,
    objects: &[Object],
    schedule: &Schedule,
    trace: &Trace,
    failing: usize,
    takes: bool,
) -> String {
    let mut out = String::from("#line 1 \"the harness\"\n");
    let mut line = |text: String| {
        out += &text;
        out.push('\n');
    };
    let names = trace.threads.iter().map(|thread| quoted(&thread.name)).collect::<Vec<_>>();
    line(format!("static const char *const fp_names[] = {{ {} }};", names.join(", ")));
    line("/* the thread, what it does, with which variable (or which thread it makes), the line */".into());
    line("struct fp_step { int thread; char kind; int object; int line; const char *what; };".into());
    line("static const struct fp_step fp_steps[] = {".into());
    for event in &schedule.events {
        let (kind, object) = match event.kind {
            Kind::Read(object) => ('r', object as i64),
            Kind::Write(object) => ('w', object as i64),
            Kind::Section => ('s', -1),
            Kind::Create(new) => ('c', new.map_or(-1, |new| new as i64)),
        };
        let what = quoted(&event.what);
        line(format!("    {{ {}, '{kind}', {object}, {}, {what} }},", event.thread, event.line));
    }
    line("    { -1, 0, -1, 0, \"\" } };".into());
    line("/* the thread, and what it gets from outside */".into());
    let inputs = schedule.inputs.iter().map(|(thread, value)| format!("{{ {thread}, {value} }}, "));
    line(format!("static const long fp_inputs[][2] = {{ {}{{ -2, 0 }} }};", inputs.collect::<String>()));
    line("/* the thread, the declaration, and what is in a variable that gets no value there */".into());
    let opens = schedule.opens.iter().enumerate();
    let rows =
        opens.flat_map(|(at, open)| open.values.iter().map(move |(thread, value)| (thread, at, value)));
    let rows = rows.collect::<Vec<_>>();
    let shown = rows.iter().map(|(thread, at, value)| format!("{{ {thread}, {at}, {value} }}, "));
    line(format!("static const long fp_opens[][3] = {{ {}{{ -2, 0, 0 }} }};", shown.collect::<String>()));
    let threads = trace.threads.len();
    let position = trace.threads.iter().position(|thread| thread.position == 1);
    let numbers = [
        ("THREADS", threads as i64),
        ("STEPS", schedule.events.len() as i64),
        ("INPUTS", schedule.inputs.len() as i64),
        ("OPENS", rows.len() as i64),
        ("DECLARATIONS", schedule.opens.len() as i64),
        ("OBJECTS", objects.len() as i64),
        ("FAILING", failing as i64),
        ("MAIN", position.map_or(-1, |at| at as i64)),
    ];
    for (name, number) in numbers {
        line(format!(
            "#define FP_{name} {}",
            if number < 0 { format!("({number})") } else { number.to_string() }
        ));
    }
    line(format!("#define FP_FILE {}", quoted(main)));
    line("static void fp_run(void) {".into());
    for (at, object) in objects.iter().enumerate().filter(|(_, object)| object.global) {
        line(format!("    FP_OBJECT({at}, {});", object.name));
    }
    line(format!("    program_main({});\n}}\n", if takes { "(int)fp_input(), 0" } else { "" }));
    out
}
