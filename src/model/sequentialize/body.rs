//! Procedures: each statement works on the copy of the context that its thread is in.
//!
//! A context may end before each statement that others can notice or that can block, and nowhere else: what only
//! changes locals and never blocks can be done before the switch as well as after it. Loops, jumps back and calls count as
//! blocking, so that a thread can also stop in what never ends.

use std::collections::HashMap;
use std::fmt::Write;

use super::expression::Printing;
use super::sections::Section;
use super::writer::ProgramWriter;
use super::{Runner, Sequentializer, expression, labels};
use crate::model::program::{
    Block, Domain, Expr, Form, Procedure, ProcedureId, Statement, StatementId, Var, Variable,
};

/// A procedure being translated.
pub struct Translation<'a> {
    pub plan: &'a Sequentializer<'a>,
    pub id: ProcedureId,
    pub procedure: &'a Procedure,
    pub phase: Runner,
    /// How many there are to choose from: one while `init` runs.
    pub contexts: usize,
    pub labels: HashMap<StatementId, String>,
    /// Whether a jump leads to a statement or into it.
    pub entered: Vec<bool>,
    /// Temporaries in use.
    pub temporaries: Vec<(String, Domain)>,
    pub out: ProgramWriter,
}

pub fn procedure(plan: &Sequentializer, id: ProcedureId, phase: Runner, out: &mut ProgramWriter) {
    let procedure = plan.program.procedure(id);
    let contexts = if phase == Runner::Init { 1 } else { plan.contexts };
    let (labels, entered) = labels::labels(procedure);
    let temporaries = Vec::new();
    let mut body = Translation {
        plan,
        id,
        procedure,
        phase,
        contexts,
        labels,
        entered,
        temporaries,
        out: ProgramWriter::at(1),
    };
    body.prologue();
    body.block(&procedure.body);
    let (parameters, locals) = procedure.locals.split_at(procedure.parameters as usize);
    let parameter = |parameter: &Variable| match &parameter.domain {
        Domain::Bool => parameter.name.clone(),
        domain => format!("{}: {domain}", parameter.name),
    };
    let parameters = parameters.iter().map(parameter).collect::<Vec<_>>().join(", ");
    let name = plan.names.procedure(id, phase);
    out.open(&format!("{} {name}({parameters}) begin", kind(&procedure.results)));
    let locals = locals.iter().map(|local| (local.name.clone(), local.domain.clone())).collect::<Vec<_>>();
    for declared in [locals, body.temporaries] {
        for group in declared.chunk_by(|(_, one), (_, other)| one == other) {
            let names = group.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
            out.line(&super::declaration(&names, &group[0].1));
        }
    }
    out.text.push_str(&body.out.text);
    out.close("end");
}

/// What stands before the name of a procedure.
fn kind(results: &[Domain]) -> String {
    match results {
        [] => "void".to_string(),
        [one] => one.to_string(),
        all if all.iter().all(|result| *result == Domain::Bool) => format!("bool<{}>", all.len()),
        all => format!("<{}>", all.iter().map(Domain::to_string).collect::<Vec<_>>().join(", ")),
    }
}

impl Translation<'_> {
    pub fn name(&self, context: usize) -> impl Fn(Var) -> String + '_ {
        move |var| self.plan.names.variable(self.plan.program, self.id, var, context).to_string()
    }

    /// The values of a variable that the procedure sees.
    pub fn domain(&self, var: Var) -> &Domain {
        self.plan.program.domain(self.id, var)
    }

    /// What is assigned to a variable of a domain.
    pub fn value(&self, value: &Expr, domain: &Domain, context: usize) -> String {
        let (name, domains) = (self.name(context), |var| self.domain(var).clone());
        expression::value(value, domain, &Printing { name: &name, domain: &domains })
    }

    pub fn values(&self, values: &[Expr], domains: &[&Domain], context: usize) -> String {
        let values = values.iter().zip(domains).map(|(value, domain)| self.value(value, domain, context));
        values.collect::<Vec<_>>().join(", ")
    }

    pub fn condition(&self, condition: &Expr, context: usize) -> String {
        let (name, domains) = (self.name(context), |var| self.domain(var).clone());
        expression::condition(condition, &Printing { name: &name, domain: &domains })
    }

    /// A temporary of a domain; others with the same purpose have other names.
    pub fn temporary(&mut self, name: &str, domain: &Domain) -> String {
        let mut name = self.plan.names.temporary(name.to_string());
        while self.temporaries.iter().any(|(other, there)| *other == name && there != domain) {
            name = self.plan.names.temporary(super::names::suffixed(&name, "x"));
        }
        if self.temporaries.iter().all(|(other, _)| *other != name) {
            self.temporaries.push((name.clone(), domain.clone()));
        }
        name
    }

    /// One line for the current context: a choice between all of them if the line depends on it.
    pub fn each(&mut self, depends: bool, line: impl Fn(&Self, usize) -> String) {
        if self.contexts == 1 || !depends {
            let line = line(self, 0);
            return self.out.line(&line);
        }
        for context in 0..self.contexts {
            let word = if context == 0 { "if" } else { "elsif" };
            let line = format!("{word} ({}) then {}", self.plan.names.contexts[context], line(self, context));
            self.out.line(&line);
        }
        self.out.line("fi");
    }

    /// Leaves the procedure; whatever it returns is not looked at.
    pub fn unwind(&self) -> String {
        match &self.procedure.results[..] {
            [] => "return;".into(),
            results => {
                let values = results.iter().map(|result| super::value_of(result, result.low()));
                format!("return {};", values.collect::<Vec<_>>().join(", "))
            }
        }
    }

    pub fn unwind_if_done(&self) -> String {
        format!("if ({}) then {} fi", self.plan.names.done, self.unwind())
    }

    pub fn error(&self) -> String {
        format!("{}, {} := T, T; {}", self.plan.names.error, self.plan.names.done, self.unwind())
    }

    pub fn may_yield(&self, procedure: &Procedure, section: Section) -> bool {
        self.phase == Runner::Threads && !procedure.atomic && section != Section::Inside
    }

    pub fn switch(&mut self) {
        let line = format!("{}(); {}", self.plan.names.switch, self.unwind_if_done());
        self.out.line(&line);
    }

    pub fn enforced(&self) -> Option<&Expr> {
        self.procedure.enforce.as_ref().filter(|enforce| enforce.as_constant() != Some(true))
    }

    fn enforce(&mut self) {
        if let Some(condition) = self.enforced().cloned() {
            self.assume(&condition);
        }
    }

    pub fn assume(&mut self, condition: &Expr) {
        self.each(shared(condition), |body, context| {
            format!("assume{};", body.condition(condition, context))
        });
    }

    /// The values that locals are declared with, then the condition that is enforced.
    fn prologue(&mut self) {
        let initial = self.procedure.locals.iter().filter_map(|local| Some((local, local.initial?)));
        let line = |(local, value): (&Variable, i64)| {
            format!("{} := {};", local.name, super::value_of(&local.domain, value))
        };
        let lines: Vec<_> = initial.map(line).collect();
        lines.iter().for_each(|line| self.out.line(line));
        if let Some(enforce) = self.enforced() {
            let comment = format!("enforce {}", self.plan.program.source.excerpt(enforce.span));
            self.out.comment(&comment);
            let section = match self.procedure.body.first() {
                Some(first) => self.plan.sections.before(self.id, *first),
                None => self.plan.sections.exit(self.id),
            };
            if self.may_yield(self.procedure, section) {
                self.switch();
            }
            self.enforce();
        }
    }

    pub fn block(&mut self, block: &Block) {
        let before = self.out.text.len();
        let mut ended = false;
        for id in block {
            // What no path leads to is left out.
            if ended && !self.entered[id.0 as usize] {
                continue;
            }
            self.statement(*id);
            let statement = self.procedure.statement(*id);
            ended = match &statement.form {
                Form::Return(_) | Form::Goto(_) | Form::EndThread => true,
                _ => statement.target && !self.jumped_into(statement),
            };
        }
        if self.out.text.len() == before {
            self.out.line("skip;");
        }
    }

    /// Whether a jump leads to what is nested in a statement.
    fn jumped_into(&self, statement: &Statement) -> bool {
        let inside = |block: &Block| block.iter().any(|id| self.entered[id.0 as usize]);
        match &statement.form {
            Form::If { then, otherwise, .. } => inside(then) || inside(otherwise),
            Form::While { body, .. } => inside(body),
            _ => false,
        }
    }

    fn statement(&mut self, id: StatementId) {
        let statement = self.procedure.statement(id);
        let labelled = self.labels.get(&id).cloned();
        if let Some(label) = &labelled {
            self.out.line(&format!("{label}:"));
        }
        if statement.target {
            let comment = self.comment(statement);
            self.out.comment(&comment);
            let line = self.error();
            self.out.line(&line);
            if !self.jumped_into(statement) {
                return;
            }
        }
        let noticed = self.enforced().is_some() || noticed(statement, id);
        let same = matches!(
            statement.form,
            Form::Skip | Form::Assign { .. } | Form::Goto(_) | Form::Return(_) | Form::If { .. }
        );
        if !same || noticed {
            let comment = self.comment(statement);
            self.out.comment(&comment);
        }
        if noticed && self.may_yield(self.procedure, self.plan.sections.before(self.id, id)) {
            self.switch();
        }
        self.enforce();
        self.check_range(statement);
        self.form(id, statement, labelled.is_some());
        if matches!(
            statement.form,
            Form::Assign { .. } | Form::Constrain(_) | Form::Dead(_) | Form::Call { .. }
        ) {
            self.enforce();
        }
    }

    /// The statement of the source, without what is nested in it.
    fn comment(&self, statement: &Statement) -> String {
        let source = &self.plan.program.source;
        let mut text = String::new();
        for label in &statement.labels {
            let _ = write!(text, "{label}: ");
        }
        match &statement.form {
            Form::If { condition, .. } => text + &format!("if {} then", source.excerpt(condition.span)),
            Form::While { condition, .. } => text + &format!("while {} do", source.excerpt(condition.span)),
            _ => {
                // A label alone has no statement to quote.
                let excerpt = source.excerpt(statement.span);
                text + if excerpt.ends_with(':') { "skip" } else { &excerpt }
            }
        }
    }
}

pub fn is_shared(var: Var) -> bool {
    matches!(var, Var::Shared(_))
}

pub fn shared(expression: &Expr) -> bool {
    expression.variables().any(is_shared)
}

/// Whether other threads can notice when a statement is executed, or whether it can keep its thread from going on.
fn noticed(statement: &Statement, id: StatementId) -> bool {
    match &statement.form {
        Form::Skip | Form::AtomicEnd | Form::EndThread => false,
        Form::Assign { targets, values, constrain, .. } => {
            constrain.is_some()
                || targets.iter().flatten().any(|target| is_shared(*target))
                || values.iter().any(shared)
        }
        Form::Dead(variables) => variables.iter().any(|var| is_shared(*var)),
        Form::Return(values) => values.iter().any(shared),
        Form::Goto(places) => places.iter().any(|place| *place <= id),
        Form::If { condition, .. } | Form::Assert(condition) => shared(condition),
        _ => true,
    }
}
