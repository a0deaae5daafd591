//! Procedure bodies: statements, labels, counts of arguments and results.

use std::collections::{HashMap, HashSet};

use super::expression::Primes;
use super::program::*;
use super::scope::{Declared, Scope, declare, twice};
use super::typing::Goal;
use crate::model::program::ast::{self, Name};
use crate::model::program::dialect::Dialect;
use calculus::diagnostic::{Diagnostic, Severity};
use calculus::span::{Source, Span};

/// What `start_thread` statements start, with the places of those statements.
pub type Births = Vec<(Birth, Vec<Span>)>;

/// One procedure being resolved.
pub struct BodyResolver<'a> {
    pub file: &'a ast::File,
    pub source: &'a Source,
    pub scope: &'a Scope<'a>,
    pub dialect: Dialect,
    pub thread: Option<usize>,
    pub locals: HashMap<&'a str, u32>,
    local_variables: Vec<Declared<'a>>,
    pub problems: &'a mut Vec<Diagnostic>,
    /// Unknown variables are reported once per procedure.
    pub reported: HashSet<String>,
    id: ProcedureId,
    procedure: &'a ast::Procedure,
    labels: HashMap<&'a str, (StatementId, &'a Name)>,
    /// Labels that stand twice: a mistake as soon as somebody jumps there.
    doubled: HashMap<&'a str, (&'a Name, &'a Name)>,
    jumped: HashSet<&'a str>,
    births: &'a mut Births,
    /// Whether `x$` may occur.
    pub theirs: bool,
}

pub fn procedure(
    file: &ast::File,
    source: &Source,
    scope: &Scope,
    dialect: Dialect,
    index: usize,
    births: &mut Births,
    problems: &mut Vec<Diagnostic>,
) -> Procedure {
    let procedure = &file.procedures[index];
    let declarations = procedure.parameters.iter().chain(&procedure.locals);
    let locals = declare(declarations.clone().map(|local| &local.name), 0, "local variable", problems);
    let mut body = BodyResolver {
        file,
        source,
        local_variables: scope.domains.declared(declarations.clone()).collect(),
        scope,
        dialect,
        thread: procedure.thread,
        locals,
        problems,
        reported: HashSet::new(),
        id: ProcedureId(index as u32),
        procedure,
        labels: HashMap::new(),
        doubled: HashMap::new(),
        jumped: HashSet::new(),
        births,
        theirs: false,
    };
    body.collect_labels();
    body.warn_about_hidden_names();
    let enforce = procedure.enforce.as_ref().map(|enforce| body.expression(enforce, Primes::Forbidden));
    let statements = procedure.statements.iter().map(|statement| body.statement(statement)).collect();
    body.report_doubled_labels();
    let block = procedure.thread.map(|thread| file.threads[thread].name.text.clone());
    Procedure {
        name: procedure.name.text.clone(),
        qualified: match (procedure.kind, &block) {
            (ast::ProcedureKind::Procedure, Some(block)) => format!("{block}.{}", procedure.name.text),
            _ => procedure.name.text.clone(),
        },
        block,
        span: procedure.span,
        name_span: procedure.name.span,
        locals: declarations.map(|local| scope.domains.variable(local)).collect(),
        parameters: procedure.parameters.len() as u32,
        results: procedure.results.iter().map(|result| scope.domains.domain(result.as_ref())).collect(),
        enforce,
        own: own_range(file, procedure.thread),
        atomic: false,
        statements,
        body: procedure.body.clone(),
    }
}

impl<'a> BodyResolver<'a> {
    fn collect_labels(&mut self) {
        for (index, statement) in self.procedure.statements.iter().enumerate() {
            for label in &statement.labels {
                let here = (StatementId(index as u32), label);
                if let Some((_, first)) = self.labels.get(label.text.as_str()) {
                    self.doubled.entry(label.text.as_str()).or_insert((first, label));
                } else {
                    self.labels.insert(label.text.as_str(), here);
                }
            }
        }
    }

    /// Generated programs repeat labels that nobody uses, and error labels; a jump to such a label has no meaning.
    fn report_doubled_labels(&mut self) {
        for (label, (first, second)) in std::mem::take(&mut self.doubled) {
            let problem = twice("label", first, second);
            if self.jumped.contains(label) {
                self.problems.push(problem.help("a `goto` jumps to this label: rename one of them"));
            } else if !label.contains("ERROR") {
                self.problems.push(problem.severity(Severity::Warning));
            }
        }
    }

    fn warn_about_hidden_names(&mut self) {
        let locals = self.procedure.locals.iter().chain(&self.procedure.parameters);
        for name in locals.map(|local| &local.name) {
            let hidden = match self.scope.variable(self.thread, &name.text) {
                Some(Var::Shared(index)) => &self.file.shared[index as usize].name,
                Some(Var::Own(index)) => {
                    let mut own = self.file.threads.iter().flat_map(|thread| &thread.own);
                    &own.nth(index as usize).expect("own variables are numbered in order").name
                }
                _ => continue,
            };
            let title = format!("the local variable `{}` hides another of the same name", name.text);
            self.problems.push(
                Diagnostic::warning("bp::hidden_variable", title)
                    .label(name.span, "this one is meant in the procedure")
                    .label(hidden.span, "this one cannot be reached there"),
            );
        }
    }

    fn statement(&mut self, statement: &'a ast::Statement) -> Statement {
        let form = self.form(statement);
        let labels = statement.labels.iter().map(|label| label.text.clone()).collect();
        Statement { labels, target: false, form, span: statement.span }
    }

    fn form(&mut self, statement: &'a ast::Statement) -> Form {
        match &statement.form {
            ast::Form::Skip => Form::Skip,
            ast::Form::Assign { targets, values, constrain } => {
                self.assign(statement, targets, values, constrain.as_ref())
            }
            ast::Form::Constrain(relation) => Form::Constrain(self.expression(relation, Primes::Allowed)),
            ast::Form::Dead(names) => {
                Form::Dead(names.iter().filter_map(|name| self.variable(name)).collect())
            }
            ast::Form::Call { callee, arguments, targets } => self.call(callee, arguments, targets),
            ast::Form::Return(values) => self.return_form(statement, values),
            ast::Form::Goto(labels) => {
                Form::Goto(labels.iter().filter_map(|label| self.label(label)).collect())
            }
            ast::Form::If { condition, then, otherwise } => Form::If {
                condition: self.expression(condition, Primes::Forbidden),
                then: then.clone(),
                otherwise: otherwise.clone(),
            },
            ast::Form::While { condition, body } => {
                Form::While { condition: self.expression(condition, Primes::Forbidden), body: body.clone() }
            }
            ast::Form::Assume(e) => Form::Assume(self.expression(e, Primes::Forbidden)),
            ast::Form::AbortIf(e) => Form::Assume(self.expression(e, Primes::Forbidden).negated()),
            ast::Form::Assert(e) => Form::Assert(self.expression(e, Primes::Forbidden)),
            ast::Form::AtomicBegin => Form::AtomicBegin,
            ast::Form::AtomicEnd => Form::AtomicEnd,
            ast::Form::StartGoto(label) => self.start_goto(statement, label),
            ast::Form::StartCall { callee, arguments } => self.start_call(statement, callee, arguments),
            ast::Form::EndThread => Form::EndThread,
            ast::Form::Print(values) => {
                values.iter().for_each(|value| drop(self.value(value, None)));
                Form::Skip
            }
            ast::Form::Sync(_) => {
                self.problems.push(
                    Diagnostic::error("bp::unsupported", "`sync` is not supported")
                        .label(statement.span, "its meaning is not defined in any published dialect")
                        .help("use `assume` on a shared variable"),
                );
                Form::Skip
            }
        }
    }

    /// Left sides: `_` throws a value away, and no variable may occur twice. Where repeating is allowed, also the
    /// repeated ones: they are left out of the targets.
    fn targets(&mut self, names: &[Name], may_repeat: bool) -> (Vec<Option<Var>>, Vec<(usize, Var)>) {
        let mut seen: HashMap<Var, &Name> = HashMap::new();
        let (mut targets, mut repeated) = (Vec::new(), Vec::new());
        for name in names {
            if name.text == "_" {
                targets.push(None);
                continue;
            }
            if matches!(name.text.as_str(), "T" | "F") {
                let title = format!("`{}` is a constant and cannot be assigned", name.text);
                self.problems.push(
                    Diagnostic::error("bp::constant_assigned", title).label(name.span, "not a variable"),
                );
                targets.push(None);
                continue;
            }
            if let Some(known) = self.scope.domains.name(&name.text) {
                let title = format!("`{}` is a name of an enumeration and cannot be assigned", name.text);
                self.problems.push(
                    Diagnostic::error("bp::constant_assigned", title)
                        .label(name.span, "not a variable")
                        .label(known.first.span, format!("one of {}", known.domain)),
                );
                targets.push(None);
                continue;
            }
            let target = self.variable(name);
            if let Some(var) = target
                && let Some(first) = seen.insert(var, name)
            {
                let title = format!("`{}` is assigned twice in one statement", name.text);
                let problem = if may_repeat {
                    repeated.push((targets.len(), var));
                    targets.push(None);
                    Diagnostic::warning("bp::assigned_twice", title).help(
                        "in this dialect both values must agree, and the statement blocks where they differ",
                    )
                } else {
                    targets.push(target);
                    Diagnostic::error("bp::assigned_twice", title)
                        .help("a parallel assignment gives each variable one value; throw one away with `_`")
                };
                self.problems.push(problem.label(first.span, "first here").label(name.span, "again here"));
                continue;
            }
            targets.push(target);
        }
        (targets, repeated)
    }

    fn assign(
        &mut self,
        statement: &ast::Statement,
        targets: &[Name],
        values: &[ast::Expr],
        constrain: Option<&ast::Expr>,
    ) -> Form {
        if targets.len() != values.len() {
            let title =
                format!("{} assigned to {}", count(values.len(), "value"), count(targets.len(), "variable"));
            let left = targets[0].span.to(targets[targets.len() - 1].span);
            let right = values[0].span.to(values[values.len() - 1].span);
            let mut problem = Diagnostic::error("bp::assignment_count", title)
                .label(left, count(targets.len(), "variable"))
                .label(right, count(values.len(), "value"));
            if statement.span.end == right.end && targets.len() > values.len() {
                problem = problem.help("write one value per variable, `*` for any");
            }
            self.problems.push(problem);
        }
        let is_theirs = |target: &Name| target.text.ends_with('$');
        let (theirs, mine): (Vec<_>, Vec<_>) =
            targets.iter().cloned().zip(values.iter().cloned()).partition(|(target, _)| is_theirs(target));
        let broadcast = !theirs.is_empty() || constrain.is_some_and(mentions_others);
        if broadcast {
            let (targets, values): (Vec<_>, Vec<_>) = mine.into_iter().unzip();
            return self.broadcast((&targets, &values), &theirs, constrain);
        }
        self.assign_own(targets, values, constrain)
    }

    /// Without variables of other threads.
    pub fn assign_own(
        &mut self,
        targets: &[Name],
        values: &[ast::Expr],
        constrain: Option<&ast::Expr>,
    ) -> Form {
        // Getafix makes an equation of each value, so several values of one variable must agree.
        let (targets, repeated) = self.targets(targets, self.dialect == Dialect::Getafix);
        let goals = targets.iter().enumerate().map(|(at, target)| {
            // A value of a repeated target is compared with the other one.
            target.or_else(|| repeated.iter().find(|(again, _)| *again == at).map(|(_, var)| *var))
        });
        let goals = goals.chain(std::iter::repeat(None)).take(values.len()).collect::<Vec<_>>();
        let values = self.values(values, &goals);
        let mut constrain = constrain.map(|relation| self.expression(relation, Primes::Allowed));
        for (at, var) in repeated {
            let Some(value) = values.get(at) else { continue };
            let mut code = value.code.clone();
            code.extend([Op::New(var), Op::Equal]);
            if let Some(others) = constrain {
                code.extend(others.code);
                code.push(Op::And);
            }
            constrain = Some(Expr { code, span: value.span });
        }
        Form::Assign { targets, values, constrain, others: None }
    }

    fn callee(&mut self, callee: &Name, arguments: &[ast::Expr]) -> Option<ProcedureId> {
        let Some(id) = self.scope.procedure(self.thread, &callee.text) else {
            let problem = Diagnostic::error(
                "bp::undeclared_procedure",
                format!("there is no procedure `{}`", callee.text),
            )
            .label(callee.span, "called here");
            let thread = self.file.threads.iter().find(|thread| thread.name.text == callee.text);
            let problem = match thread {
                Some(thread) => problem.label(thread.name.span, "a thread, which cannot be called"),
                None => problem.suggest(
                    &callee.text,
                    self.scope.procedure_names(self.thread),
                    of_other_languages(&callee.text),
                ),
            };
            self.problems.push(problem);
            return None;
        };
        let declared = &self.file.procedures[id.index()];
        if declared.parameters.len() != arguments.len() {
            let title = format!(
                "`{}` takes {} and gets {}",
                callee.text,
                count(declared.parameters.len(), "argument"),
                arguments.len()
            );
            let given = match arguments {
                [] => callee.span,
                [first, .., last] => first.span.to(last.span),
                [one] => one.span,
            };
            self.problems.push(
                Diagnostic::error("bp::argument_count", title)
                    .label(given, format!("{} here", count(arguments.len(), "argument")))
                    .label(
                        declared.name.span,
                        format!("declared with {}", count(declared.parameters.len(), "parameter")),
                    ),
            );
        }
        Some(id)
    }

    /// The values that are assigned to some variables.
    fn values(&mut self, values: &[ast::Expr], goals: &[Option<Var>]) -> Vec<Expr> {
        let mut resolved = Vec::new();
        for (value, goal) in values.iter().zip(goals) {
            let declared = goal.map(|goal| self.declared(goal));
            let declared = declared.map(|Declared { name, domain }| (*name, domain.clone()));
            let goal = declared.as_ref().map(|(name, domain)| Goal { domain, name });
            resolved.push(self.value(value, goal));
        }
        resolved
    }

    /// A value for a variable.
    pub fn assigned(&mut self, value: &ast::Expr, var: Option<Var>) -> Expr {
        self.values(std::slice::from_ref(value), &[var]).pop().expect("one value has one meaning")
    }

    /// The values of the parameters of a procedure.
    fn arguments(&mut self, callee: Option<ProcedureId>, arguments: &[ast::Expr]) -> Vec<Expr> {
        let (file, scope) = (self.file, self.scope);
        let declared = callee.map_or(&[][..], |id| &file.procedures[id.index()].parameters);
        let parameters = scope.domains.declared(declared).map(Some).chain(std::iter::repeat_with(|| None));
        let pairs = arguments.iter().zip(parameters);
        pairs
            .map(|(argument, parameter)| {
                let goal = parameter.as_ref().map(|Declared { name, domain }| Goal { domain, name });
                self.value(argument, goal)
            })
            .collect()
    }

    /// Where a variable is declared.
    pub fn declared(&self, var: Var) -> &Declared<'a> {
        match var {
            Var::Local(index) => &self.local_variables[index as usize],
            var => self.scope.declared(var).expect("variables are numbered as they are declared"),
        }
    }

    /// Each result has to fit into the variable it is assigned to.
    fn check_results(&mut self, callee: &ast::Procedure, targets: &[Name], variables: &[Option<Var>]) {
        for (at, (target, result)) in variables.iter().zip(&callee.results).enumerate() {
            let Some(var) = target else { continue };
            let result = self.scope.domains.domain(result.as_ref());
            let Declared { name, domain } = self.declared(*var);
            let fits = match (domain, &result) {
                (Domain::Range { .. }, Domain::Range { .. }) => domain.takes(result.interval()),
                (domain, result) => domain == result,
            };
            if fits {
                continue;
            }
            let (name, words) = (*name, domain.words());
            let title = format!(
                "a result of `{}` is {}, and `{}` is {words}",
                callee.name.text,
                result.words(),
                name.text
            );
            let problem = Diagnostic::error("bp::type", title)
                .label(targets[at].span, words)
                .label(callee.name.span, format!("returns `{result}`"))
                .label(name.span, "declared here");
            self.problems.push(match (domain.clone(), result) {
                (Domain::Range { .. }, result @ Domain::Range { .. }) => {
                    problem.help(format!("take it into a variable of the range {result} first"))
                }
                _ => problem,
            });
        }
    }

    fn call(&mut self, callee: &Name, arguments: &[ast::Expr], targets: &[Name]) -> Form {
        let id = self.callee(callee, arguments);
        let arguments = self.arguments(id, arguments);
        let (variables, _) = self.targets(targets, false);
        let Some(callee) = id else { return Form::Skip };
        let declared = &self.file.procedures[callee.index()];
        if targets.len() == declared.results.len() {
            self.check_results(declared, targets, &variables);
        } else if !targets.is_empty() {
            let results = declared.results.len();
            let title = format!("`{}` returns {}", declared.name.text, count(results, "value"));
            let left = targets[0].span.to(targets[targets.len() - 1].span);
            let written = match results {
                0 => "void".to_string(),
                1 => "bool".to_string(),
                n => format!("bool<{n}>"),
            };
            self.problems.push(
                Diagnostic::error("bp::result_count", title)
                    .label(left, format!("{} here", count(targets.len(), "variable")))
                    .label(declared.name.span, format!("declared `{written}`")),
            );
        }
        Form::Call { callee, arguments, targets: variables }
    }

    fn return_form(&mut self, statement: &ast::Statement, values: &[ast::Expr]) -> Form {
        let results = self.procedure.results.len();
        if !values.is_empty() && values.len() != results {
            let title = format!(
                "`{}` returns {}, and {} given",
                self.procedure.name.text,
                if results == 0 { "nothing".to_string() } else { count(results, "value") },
                if values.len() == 1 { "one is".to_string() } else { format!("{} are", values.len()) }
            );
            let problem = Diagnostic::error("bp::return_count", title)
                .label(statement.span, format!("{} here", count(values.len(), "value")))
                .label(self.procedure.name.span, "declared here");
            let bool_type =
                if values.len() == 1 { "bool".to_string() } else { format!("bool<{}>", values.len()) };
            self.problems.push(problem.help(format!(
                "a procedure that returns {} is declared `{bool_type}`",
                count(values.len(), "value")
            )));
        } else if values.is_empty() && results > 0 {
            let title = format!("`{}` returns without a value", self.procedure.name.text);
            self.problems.push(
                Diagnostic::warning("bp::missing_value", title)
                    .label(statement.span, "the results are arbitrary then")
                    .label(self.procedure.name.span, format!("declared with {}", count(results, "result"))),
            );
        }
        let (procedure, scope) = (self.procedure, self.scope);
        let results = procedure.results.iter().map(|result| Some(scope.domains.domain(result.as_ref())));
        let results = results.chain(std::iter::repeat(None));
        let of_result = |(value, domain): (_, Option<Domain>)| {
            let goal = domain.as_ref().map(|domain| Goal { domain, name: &procedure.name });
            self.value(value, goal)
        };
        Form::Return(values.iter().zip(results).map(of_result).collect())
    }

    fn label(&mut self, label: &Name) -> Option<StatementId> {
        if let Some((&known, (statement, _))) = self.labels.get_key_value(label.text.as_str()) {
            self.jumped.insert(known);
            return Some(*statement);
        }
        let title = format!("there is no label `{}` in `{}`", label.text, self.procedure.name.text);
        let problem = Diagnostic::error("bp::undeclared_label", title).label(label.span, "jumps nowhere");
        let has_label = |p: &&ast::Procedure| {
            p.statements.iter().any(|s| s.labels.iter().any(|other| other.text == label.text))
        };
        let otherwise = match self.file.procedures.iter().find(has_label) {
            Some(other) => {
                format!("`{}` is a label of `{}`; a jump stays in its procedure", label.text, other.name.text)
            }
            None => String::new(),
        };
        self.problems.push(problem.suggest(&label.text, self.labels.keys().copied(), &otherwise));
        None
    }

    fn start_goto(&mut self, statement: &ast::Statement, label: &Name) -> Form {
        let Some(at) = self.label(label) else { return Form::Skip };
        let birth = self.birth(Birth::Goto { procedure: self.id, at }, statement.span);
        Form::Start { birth, arguments: Vec::new() }
    }

    fn start_call(&mut self, statement: &ast::Statement, callee: &Name, arguments: &[ast::Expr]) -> Form {
        let id = self.callee(callee, arguments);
        let arguments = self.arguments(id, arguments);
        let Some(procedure) = id else { return Form::Skip };
        let birth = self.birth(Birth::Call { procedure }, statement.span);
        Form::Start { birth, arguments }
    }

    fn birth(&mut self, birth: Birth, span: Span) -> u32 {
        let index = self.births.iter().position(|(known, _)| *known == birth).unwrap_or_else(|| {
            self.births.push((birth, Vec::new()));
            self.births.len() - 1
        });
        self.births[index].1.push(span);
        index as u32
    }
}

/// Whether an expression speaks of other threads.
fn mentions_others(expression: &ast::Expr) -> bool {
    expression.tokens.iter().any(|token| match &token.kind {
        ast::TokenKind::Name(text) | ast::TokenKind::Primed(text) => text.ends_with('$'),
        _ => false,
    })
}

fn own_range(file: &ast::File, thread: Option<usize>) -> std::ops::Range<u32> {
    let Some(thread) = thread else { return 0..0 };
    let before: usize = file.threads[..thread].iter().map(|thread| thread.own.len()).sum();
    before as u32..(before + file.threads[thread].own.len()) as u32
}

pub fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("one {what}"),
        n => format!("{n} {what}s"),
    }
}

/// What to write instead of a procedure that other languages have.
fn of_other_languages(name: &str) -> &'static str {
    match name {
        "lock" | "acquire" | "mutex_lock" | "pthread_mutex_lock" => {
            "a lock is a variable: `atomic_begin; assume(!l); l := T; atomic_end;`"
        }
        "unlock" | "release" | "mutex_unlock" | "pthread_mutex_unlock" => "a lock is a variable: `l := F;`",
        "wait" | "await" => "to wait until a condition holds, write `assume(c);`",
        "nondet" | "random" | "rand" | "havoc" => "an arbitrary value is written `*`: `x := *;`",
        "error" | "abort" | "reach_error" => "an error is written `assert(F);`",
        "fork" | "spawn" | "create" | "pthread_create" => "a thread is started with `start_thread f();`",
        _ => "",
    }
}
