//! A C program as a Boolean program with ranges: the steps that are checked, as a text that can be read and changed.
//!
//! A value that leaves its word is out of range there, which is an error. So the text is never called safe where words are
//! too small; where they are enough, the verdicts are those of the C program.

use crate::model::options::Options;
use crate::model::program::{
    Birth, Block, Domain, Expr, Form, Loaded, Op, Procedure, ProcedureId, Program, Start, Var, Variable,
    is_plain_name,
};
use crate::model::sequentialize::expression::{Printing, condition, value};
use crate::model::sequentialize::writer::ProgramWriter;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::Sources;
use calculus::vocabulary::Approximation;
use std::collections::BTreeSet;

/// Ranges of Boolean programs have at most so many values.
const MOST_VALUES: i128 = 1 << 16;

/// The text of a program of `.bp`.
pub fn translate(name: &str, text: &str, options: &Options) -> Result<(String, Sources), Rejection> {
    let (loaded, _) = super::load(name, text, options)?;
    let Loaded { program, sources, .. } = loaded;
    match written(name, &program, options.words.width) {
        Ok(text) => Ok((text, sources)),
        Err(problem) => Err(Rejection { sources, diagnostics: vec![problem] }),
    }
}

fn refused(title: String, help: &str) -> Diagnostic {
    Diagnostic::error("c::translate", title).help(help)
}

fn written(name: &str, program: &Program, width: u32) -> Result<String, Diagnostic> {
    let singles = program.singles.iter().filter(|single| single.start == Start::Entry);
    let threads = singles.map(|single| single.procedure).collect::<Vec<_>>();
    if let Some(Approximation::Fewer(what) | Approximation::More(what)) = program.approximations.first() {
        let title = format!("a Boolean program cannot say what is left out of this one: {what}");
        return Err(refused(title, "give every variable a value before it is read"));
    }
    let calls = |form: &Form| matches!(form, Form::Call { .. } | Form::Return(_));
    let mut statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    if statements.any(|statement| calls(&statement.form)) {
        return Err(refused("recursive functions cannot be translated".into(), "use a loop"));
    }
    for (at, procedure) in program.procedures.iter().enumerate() {
        for statement in &procedure.statements {
            if statement.form.others().is_some() {
                return Err(refused(
                    "what changes variables of other threads cannot be translated".into(),
                    "use a lock",
                )
                .label(statement.span, "here"));
            }
            let mut expressions = expressions(&statement.form);
            if expressions.any(|expression| has_bits(program, ProcedureId(at as u32), expression)) {
                let title =
                    "division, remainders, shifts and operators on bits cannot be translated".to_string();
                return Err(refused(title, "a Boolean program has +, -, * and % by a constant")
                    .label(statement.span, "here"));
            }
        }
    }
    let variables = program.shared.iter().chain(&program.own);
    let locals = program.procedures.iter().flat_map(|procedure| &procedure.locals);
    for variable in variables.chain(locals) {
        let interval = variable.domain.interval();
        if variable.domain != Domain::Bool && interval.high - interval.low >= MOST_VALUES {
            let title = format!("`{}` has more than {MOST_VALUES} values", variable.name);
            return Err(
                refused(title, "choose smaller words: --width 8").label(variable.span, "declared here")
            );
        }
    }
    let mut writer = ProgramWriter::default();
    writer.comment(&format!("{name} with words of {width} bits, written by fpsolve translate."));
    writer.comment(
        "A value that does not fit into its word is out of range here. That is an error of this program,",
    );
    writer.comment("and none of the C program: choose a width that is enough.");
    writer.line("");
    program.shared.iter().for_each(|variable| declare(&mut writer, variable, &shown(&variable.name)));
    for (at, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId(at as u32);
        let text = Text { program, id, procedure, names: names(program, procedure) };
        writer.line("");
        match threads.contains(&id) {
            true => writer.open(&format!("thread {} begin", shown(&thread_name(program, id)))),
            false => writer.open(&format!("void {}() begin", shown(&thread_name(program, id)))),
        }
        text.body(&mut writer);
        writer.close("end");
    }
    Ok(writer.text)
}

fn expressions(form: &Form) -> impl Iterator<Item = &Expr> {
    let (values, constrain, condition): (&[Expr], Option<&Expr>, Option<&Expr>) = match form {
        Form::Assign { values, constrain, .. } => (values, constrain.as_ref(), None),
        Form::If { condition, .. } | Form::While { condition, .. } => (&[], None, Some(condition)),
        Form::Assume(condition) | Form::Assert(condition) | Form::Constrain(condition) => {
            (&[], None, Some(condition))
        }
        _ => (&[], None, None),
    };
    values.iter().chain(constrain).chain(condition)
}

/// Whether an expression computes what Boolean programs have no operators for.
fn has_bits(program: &Program, id: ProcedureId, expression: &Expr) -> bool {
    // What is on top while the code is read: whether it is a number.
    let mut numbers: Vec<bool> = Vec::new();
    for op in &expression.code {
        let of_numbers = numbers.len() >= op.operands() && op.operands() > 0 && numbers.last() == Some(&true);
        numbers.truncate(numbers.len().saturating_sub(op.operands()));
        numbers.push(match op {
            Op::Quotient | Op::Remainder | Op::ShiftRight => return true,
            Op::And | Op::Or | Op::Xor if of_numbers => return true,
            Op::Number(_) | Op::Plus | Op::Minus | Op::Times | Op::Modulo | Op::Negate => true,
            Op::Old(var) | Op::New(var) => *program.domain(id, *var) != Domain::Bool,
            _ => false,
        });
    }
    false
}

/// A name as the language has it: in braces if it is no plain one.
fn shown(name: &str) -> String {
    if is_plain_name(name) { name.into() } else { format!("{{{name}}}") }
}

/// Threads are called as in the C program; those that are made in different ways, apart.
fn thread_name(program: &Program, id: ProcedureId) -> String {
    let name = &program.procedure(id).name;
    let before = program.procedures[..id.index()].iter().filter(|other| other.name == *name).count();
    if before == 0 { name.clone() } else { format!("{name}#{}", before + 1) }
}

/// What the locals of a procedure are called: each has a name of its own, and none that all see.
fn names(program: &Program, procedure: &Procedure) -> Vec<String> {
    let mut taken = program.shared.iter().chain(&program.own).map(|variable| variable.name.clone());
    let mut taken = taken.by_ref().collect::<BTreeSet<_>>();
    taken.extend((0..program.procedures.len()).map(|at| thread_name(program, ProcedureId(at as u32))));
    let fresh = |local: &Variable| {
        let mut name = local.name.clone();
        let mut count = 2;
        while !taken.insert(name.clone()) {
            name = format!("{}#{count}", local.name);
            count += 1;
        }
        shown(&name)
    };
    procedure.locals.iter().map(fresh).collect()
}

fn declare(writer: &mut ProgramWriter, variable: &Variable, name: &str) {
    let initial = match (variable.initial, &variable.domain) {
        (None, _) => String::new(),
        (Some(value), Domain::Bool) => format!(" := {}", if value != 0 { "T" } else { "F" }),
        (Some(value), _) => format!(" := {value}"),
    };
    match &variable.domain {
        Domain::Bool => writer.line(&format!("decl {name}{initial};")),
        domain => writer.line(&format!("decl {name}: {domain}{initial};")),
    }
}

struct Text<'a> {
    program: &'a Program,
    id: ProcedureId,
    procedure: &'a Procedure,
    /// Of the locals.
    names: Vec<String>,
}

impl Text<'_> {
    fn body(&self, writer: &mut ProgramWriter) {
        // A thread has no other procedures: what is its own is local.
        let used = self.used_own();
        for at in &used {
            let variable = &self.program.own[*at as usize];
            declare(writer, variable, &shown(&variable.name));
        }
        for (local, name) in self.procedure.locals.iter().zip(&self.names) {
            declare(writer, local, name);
        }
        let mut jumps = BTreeSet::new();
        for statement in &self.procedure.statements {
            if let Form::Goto(places) = &statement.form {
                jumps.extend(places.iter().copied());
            }
        }
        let mut line = 0;
        self.block(&self.procedure.body, &jumps, &mut line, writer);
        // A label may stand at the end.
        writer.line("skip;");
    }

    fn used_own(&self) -> BTreeSet<u32> {
        let mut used = BTreeSet::new();
        let mut note = |var: Var| {
            if let Var::Own(at) = var {
                used.insert(at);
            }
        };
        for statement in &self.procedure.statements {
            match &statement.form {
                Form::Assign { targets, .. } => targets.iter().flatten().copied().for_each(&mut note),
                Form::Dead(vars) => vars.iter().copied().for_each(&mut note),
                _ => {}
            }
            expressions(&statement.form).flat_map(Expr::variables).for_each(&mut note);
        }
        used
    }

    fn name(&self, var: Var) -> String {
        match var {
            Var::Local(at) => self.names[at as usize].clone(),
            var => shown(&self.program.variable(self.id, var).name),
        }
    }

    fn block(
        &self,
        block: &Block,
        jumps: &BTreeSet<crate::model::program::StatementId>,
        line: &mut usize,
        writer: &mut ProgramWriter,
    ) {
        let name = |var: Var| self.name(var);
        let domain = |var: Var| self.program.domain(self.id, var).clone();
        let printing = Printing { name: &name, domain: &domain };
        for id in block {
            let statement = self.procedure.statement(*id);
            let here = self.program.source.line(statement.span);
            if here != *line {
                *line = here;
                let text = self.program.source.line_text(statement.span);
                writer.comment(&format!("{here}: {}", text.trim()));
            }
            if jumps.contains(id) {
                writer.line(&format!("L{}:", id.0));
            }
            if statement.target {
                writer.line("assert(F);");
            }
            match &statement.form {
                Form::Skip => writer.line("skip;"),
                Form::Assign { targets, values, constrain, .. } => {
                    let right = targets
                        .iter()
                        .zip(values)
                        .map(|(target, expr)| self.assigned(*target, expr, &printing));
                    let left = targets.iter().map(|target| target.map_or("_".into(), name));
                    let guard =
                        constrain.as_ref().map(|guard| format!(" constrain {}", condition(guard, &printing)));
                    let (left, right) =
                        (left.collect::<Vec<_>>().join(", "), right.collect::<Vec<_>>().join(", "));
                    writer.line(&format!("{left} := {right}{};", guard.unwrap_or_default()));
                }
                Form::Constrain(relation) => {
                    writer.line(&format!("constrain {};", condition(relation, &printing)))
                }
                Form::Dead(vars) => {
                    let vars = vars.iter().map(|var| name(*var)).collect::<Vec<_>>();
                    writer.line(&format!("dead {};", vars.join(", ")));
                }
                Form::Goto(places) => {
                    let places = places.iter().map(|place| format!("L{}", place.0)).collect::<Vec<_>>();
                    writer.line(&format!("goto {};", places.join(", ")));
                }
                Form::If { condition: test, then, otherwise } => {
                    writer.open(&format!("if {} then", condition(test, &printing)));
                    self.inner(then, jumps, line, writer);
                    if !otherwise.is_empty() {
                        writer.middle("else");
                        self.inner(otherwise, jumps, line, writer);
                    }
                    writer.close("fi");
                }
                Form::While { condition: test, body } => {
                    writer.open(&format!("while {} do", condition(test, &printing)));
                    self.inner(body, jumps, line, writer);
                    writer.close("od");
                }
                Form::Assume(test) => writer.line(&format!("assume {};", condition(test, &printing))),
                Form::Assert(test) => writer.line(&format!("assert {};", condition(test, &printing))),
                Form::AtomicBegin => writer.line("atomic_begin;"),
                Form::AtomicEnd => writer.line("atomic_end;"),
                Form::Start { birth, .. } => {
                    let procedure = match self.program.births[*birth as usize] {
                        Birth::Call { procedure } | Birth::Goto { procedure, .. } => procedure,
                    };
                    writer.line(&format!("start_thread {}();", shown(&thread_name(self.program, procedure))));
                }
                Form::EndThread => writer.line("end_thread;"),
                // Refused before.
                Form::Call { .. } | Form::Return(_) => {}
            }
        }
    }

    fn inner(
        &self,
        block: &Block,
        jumps: &BTreeSet<crate::model::program::StatementId>,
        line: &mut usize,
        writer: &mut ProgramWriter,
    ) {
        if block.is_empty() {
            writer.line("skip;");
        }
        self.block(block, jumps, line, writer);
    }

    /// The right side of an assignment. A constant outside of the range is no mistake of the text here: the run ends.
    fn assigned(&self, target: Option<Var>, expr: &Expr, printing: &Printing) -> String {
        let Some(target) = target else { return value(expr, &Domain::Bool, printing) };
        let domain = self.program.domain(self.id, target);
        let outside =
            |value: i64| !domain.interval().contains(crate::model::program::Interval::only(value.into()));
        match expr.code[..] {
            [Op::Number(number)] if *domain != Domain::Bool && outside(number) => {
                let name = self.name(target);
                format!("{name} - {name} + {number}")
            }
            _ => value(expr, domain, printing),
        }
    }
}
