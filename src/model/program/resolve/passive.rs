//! Variables of other threads: `x$` in assignments, after SATABS.
//!
//! In `x, x$ := e, f constrain c` the running thread gets x := e, and every other thread that has the variable gets
//! x := f. There `y` is that of the running thread and `y$` that of the other one, and c must hold for each of them. The parts
//! of c without `$` are about the running thread alone: they hold also where there is no other thread.

use super::body::BodyResolver;
use super::expression::Primes;
use super::program::*;
use crate::model::program::ast::{self, Name};
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeSet;

const CODE: &str = "bp::passive_variable";

/// `x$` outside of assignments.
pub fn misplaced(name: &Name) -> Diagnostic {
    let plain = name.text.trim_end_matches('$');
    Diagnostic::error(CODE, format!("`{}` has no meaning here", name.text))
        .label(name.span, format!("means `{plain}` of every other thread"))
        .help(format!(
            "`{plain}$ := e` gives all other threads a value; e, and the `constrain` of an assignment, may look at variables of \
             the others"
        ))
}

impl BodyResolver<'_> {
    /// The variable behind `x$`.
    pub fn of_others(&mut self, name: &Name) -> Option<Var> {
        if !self.theirs {
            if self.reported.insert(name.text.clone()) {
                self.problems.push(misplaced(name));
            }
            return None;
        }
        let mut plain = name.clone();
        plain.text.pop();
        plain.span.end -= 1;
        let var = self.variable(&plain)?;
        if let Var::Shared(_) = var {
            if self.reported.insert(name.text.clone()) {
                let title = format!("`{}` is shared: the other threads have no other one", plain.text);
                let declared = self.declared(var).name.span;
                let problem = Diagnostic::error(CODE, title).label(name.span, "of every other thread");
                self.problems.push(problem.label(declared, "declared here"));
            }
            return None;
        }
        Some(var)
    }

    /// An assignment that changes or looks at variables of other threads.
    pub fn broadcast(
        &mut self,
        (targets, values): (&[Name], &[ast::Expr]),
        theirs: &[(Name, ast::Expr)],
        constrain: Option<&ast::Expr>,
    ) -> Form {
        let mine = self.assign_own(targets, values, None);
        self.theirs = true;
        let (mut variables, mut others) = (Vec::new(), Vec::new());
        for (name, value) in theirs {
            let var = self.of_others(name);
            let value = self.assigned(value, var);
            let Some(var) = var else { continue };
            if variables.contains(&var) {
                let title = format!("`{}` is assigned twice in one statement", name.text);
                self.problems
                    .push(Diagnostic::error("bp::assigned_twice", title).label(name.span, "again here"));
            }
            let domain = &self.declared(var).domain;
            let numbers = value.interval(|var| &self.declared(var).domain);
            if numbers.is_some_and(|numbers| !domain.takes(numbers)) {
                let title = format!("the value of `{}` may be outside of {domain}", name.text);
                let problem = Diagnostic::error(CODE, title).label(value.span, "this value");
                self.problems.push(problem.help("a value for other threads has to fit: use `mod`"));
            }
            variables.push(var);
            others.push(value);
        }
        let relation = constrain.map(|relation| self.expression(relation, Primes::Allowed));
        self.theirs = false;
        let parts = relation.iter().flat_map(Expr::conjuncts);
        let (about_others, alone): (Vec<_>, Vec<_>) = parts.partition(mentions_others);
        let others = Others { variables, values: others, constrain: all(about_others), bearers: Vec::new() };
        match mine {
            Form::Assign { targets, values, constrain, .. } => {
                let constrain = all(constrain.into_iter().chain(alone).collect());
                Form::Assign { targets, values, constrain, others: Some(others) }
            }
            form => form,
        }
    }
}

fn mentions_others(expression: &Expr) -> bool {
    expression.code.iter().any(|op| matches!(op, Op::Theirs(_) | Op::TheirsAfter(_)))
}

/// A conjunction; nothing if there are no parts.
fn all(parts: Vec<Expr>) -> Option<Expr> {
    parts.into_iter().reduce(|mut all, part| {
        all.code.extend(part.code);
        all.code.push(Op::And);
        all
    })
}

/// Which threads have the variables that others change or look at. Locals are for threads that begin with the procedure in
/// which they are declared: then every thread has them once.
pub fn find_bearers(program: &mut Program, problems: &mut Vec<Diagnostic>) {
    let threads = program.singles.iter().chain(&program.replicated).map(|thread| thread.procedure);
    let roots = threads.chain(program.births.iter().map(Birth::procedure)).collect::<BTreeSet<_>>();
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    let called = statements.filter_map(|statement| match statement.form {
        Form::Call { callee, .. } => Some(callee),
        _ => None,
    });
    let called = called.collect::<BTreeSet<_>>();
    let own = program.procedures.iter().map(|procedure| procedure.own.clone()).collect::<Vec<_>>();
    for (id, procedure) in (0..).map(ProcedureId).zip(&mut program.procedures) {
        let Procedure { name, locals, statements, .. } = procedure;
        for statement in statements {
            let Form::Assign { others: Some(others), .. } = &mut statement.form else { continue };
            let local = others.theirs().find_map(|var| match var {
                Var::Local(index) => Some(&locals[index as usize]),
                _ => None,
            });
            let why = match local {
                _ if program.init == Some(id) => Some("there are no other threads yet".to_string()),
                Some(_) if !roots.contains(&id) => Some(format!("no thread begins with `{name}`")),
                Some(_) if called.contains(&id) => Some(format!("`{name}` is also called")),
                Some(local) if local.initial.is_some() => Some(format!("`{}` has a first value", local.name)),
                _ => None,
            };
            if let Some(why) = why {
                let title = format!("the other threads cannot take part in this: {why}");
                problems.push(
                    Diagnostic::error(CODE, title)
                        .label(statement.span, "changes or looks at variables of other threads")
                        .help("declare the variable in a `thread` block, `thread worker* begin decl x; …`"),
                );
            }
            let has = |root: &ProcedureId| {
                others.theirs().all(|var| match var {
                    Var::Local(_) => *root == id,
                    Var::Own(index) => own[root.index()].contains(&index),
                    Var::Shared(_) => true,
                })
            };
            others.bearers = roots.iter().copied().filter(has).collect();
        }
    }
}
