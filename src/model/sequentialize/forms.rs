//! What each statement becomes.

use std::fmt::Write;

use super::body::{Translation, is_shared, shared};
use super::{Runner, can_stop, constant, needed};
use crate::model::program::{Domain, Expr, Form, Op, ProcedureId, Statement, StatementId, Var};

impl Translation<'_> {
    pub fn form(&mut self, id: StatementId, statement: &Statement, labelled: bool) {
        match &statement.form {
            Form::Skip => self.out.line("skip;"),
            Form::Assign { targets, values, constrain, .. } => {
                self.assign(targets, values, constrain.as_ref())
            }
            Form::Constrain(relation) => {
                let targets: Vec<_> = self.plan.program.visible(self.id).map(Some).collect();
                let any = Expr { code: vec![Op::Nondet], span: statement.span };
                self.assign(&targets, &vec![any; targets.len()], Some(relation));
            }
            Form::Dead(variables) => {
                let targets: Vec<_> = variables.iter().copied().map(Some).collect();
                let any = Expr { code: vec![Op::Nondet], span: statement.span };
                self.assign(&targets, &vec![any; targets.len()], None);
            }
            Form::Call { callee, arguments, targets } => self.call(*callee, arguments, targets),
            Form::Return(values) => self.return_form(values),
            Form::Goto(places) => {
                let labels: Vec<_> = places.iter().map(|place| self.labels[place].as_str()).collect();
                let line = format!("goto {};", labels.join(", "));
                self.out.line(&line);
            }
            Form::If { condition, then, otherwise } => {
                let test = self.test(condition, true);
                self.out.open(&format!("if {test} then"));
                self.block(then);
                if !otherwise.is_empty() {
                    self.out.middle("else");
                    self.block(otherwise);
                }
                self.out.close("fi");
            }
            Form::While { condition, body } => {
                let test = self.test(condition, true);
                self.out.open(&format!("if {test} then"));
                self.block(body);
                let line = format!("goto {};", self.labels[&id]);
                self.out.line(&line);
                self.out.close("fi");
            }
            Form::Assume(condition) => self.assume(condition),
            Form::Assert(condition) => self.assert(condition),
            Form::AtomicBegin | Form::AtomicEnd => {
                if self.phase == Runner::Threads && self.plan.sections.mixed() {
                    let flags = &self.plan.names.inside;
                    let values: Vec<String> = match statement.form {
                        Form::AtomicBegin => {
                            [constant(true)].iter().chain(flags).take(flags.len()).cloned().collect()
                        }
                        _ => flags[1..].iter().cloned().chain([constant(false)]).collect(),
                    };
                    let line = format!("{} := {};", flags.join(", "), values.join(", "));
                    self.out.line(&line);
                } else if labelled {
                    self.out.line("skip;");
                }
            }
            Form::EndThread => {
                let free = self.plan.free(self.plan.sections.before(self.id, id));
                if let Some(free) = free.filter(|_| self.phase == Runner::Threads) {
                    self.out.line(&format!("assume{free};"));
                }
                let line = format!("{} := T; {}", self.plan.names.done, self.unwind());
                self.out.line(&line);
            }
            Form::Start { .. } => unreachable!("programs that start threads were refused"),
        }
    }

    /// A value outside of a range is an error of its own: the ranges of the copies are the same.
    pub fn check_range(&mut self, statement: &Statement) {
        if let Some(fails) = self.plan.program.fails(self.id, &statement.form) {
            self.assert(&fails.negated());
        }
    }

    fn assert(&mut self, condition: &Expr) {
        let test = self.test(condition, false);
        let line = format!("if {test} then {} fi", self.error());
        self.out.line(&line);
    }

    /// That a condition holds, or that it does not, in parentheses; if it depends on the context it is evaluated before.
    fn test(&mut self, condition: &Expr, holds: bool) -> String {
        if self.contexts == 1 || !shared(condition) {
            let negated;
            let tested = if holds {
                condition
            } else {
                negated = negation(condition);
                &negated
            };
            return self.condition(tested, 0);
        }
        let test = self.temporary("test", &Domain::Bool);
        self.each(true, |body, context| {
            format!("{test} := {};", body.value(condition, &Domain::Bool, context))
        });
        if holds { format!("({test})") } else { format!("(!{test})") }
    }

    fn assign(&mut self, targets: &[Option<Var>], values: &[Expr], constrain: Option<&Expr>) {
        let pairs: Vec<_> =
            targets.iter().zip(values).filter_map(|(target, value)| Some(((*target)?, value))).collect();
        if pairs.is_empty() {
            // Nothing changes: what the constraint says of new values it says of old ones.
            return match constrain {
                None => self.out.line("skip;"),
                Some(relation) => self.assume(&unprimed(relation)),
            };
        }
        let depends = pairs.iter().any(|(target, value)| is_shared(*target) || shared(value))
            || constrain.is_some_and(shared);
        self.each(depends, |body, context| {
            let name = body.name(context);
            let left: Vec<_> = pairs.iter().map(|(target, _)| name(*target)).collect();
            let right = pairs.iter().map(|(target, value)| body.value(value, body.domain(*target), context));
            let right = right.collect::<Vec<_>>();
            let constrain =
                constrain.map_or(String::new(), |e| format!(" constrain {}", body.condition(e, context)));
            format!("{} := {}{constrain};", left.join(", "), right.join(", "))
        });
    }

    /// Arguments are taken from the copy that is current at the call; results go to the one that is current at the
    /// return, and only if the thread has not stopped.
    fn call(&mut self, callee: ProcedureId, arguments: &[Expr], targets: &[Option<Var>]) {
        let program = self.plan.program;
        let parameters =
            program.procedure(callee).locals.iter().map(|local| &local.domain).collect::<Vec<_>>();
        let mut given = self.values(arguments, &parameters, 0);
        if self.contexts > 1 && arguments.iter().any(shared) {
            let names = (1..=arguments.len()).zip(&parameters);
            let names: Vec<_> =
                names.map(|(i, domain)| self.temporary(&format!("argument_{i}"), domain)).collect();
            given = names.join(", ");
            self.each(true, |body, context| {
                format!("{given} := {};", body.values(arguments, &parameters, context))
            });
        }
        let through = targets.iter().flatten().any(|target| is_shared(*target));
        let mut taken = Vec::new();
        for (index, target) in targets.iter().enumerate() {
            taken.push(match target {
                Some(target) if !through => self.name(0)(*target),
                _ => {
                    let domain = &program.procedure(callee).results[index];
                    self.temporary(&format!("result_{}", index + 1), domain)
                }
            });
        }
        let left = if taken.is_empty() { String::new() } else { format!("{} := ", taken.join(", ")) };
        let mut line = format!("{left}{}({given});", self.plan.names.procedure(callee, self.phase));
        let mut called = needed(program, [callee].into_iter()).into_iter();
        if self.phase == Runner::Threads || called.any(|id| can_stop(program, id)) {
            let _ = write!(line, " {}", self.unwind_if_done());
        }
        self.out.line(&line);
        // The callee's end is a place to yield, too; behind it there is one unless the caller has none.
        let noticed = through || self.procedure.atomic || self.enforced().is_some();
        if noticed && self.may_yield(program.procedure(callee), self.plan.sections.exit(callee)) {
            self.switch();
        }
        if through {
            self.each(true, |body, context| {
                let name = body.name(context);
                let pairs = targets.iter().zip(&taken);
                let pairs = pairs.filter_map(|(target, taken)| Some((name((*target)?), taken.as_str())));
                let (left, right): (Vec<_>, Vec<_>) = pairs.unzip();
                format!("{} := {};", left.join(", "), right.join(", "))
            });
        }
    }

    fn return_form(&mut self, values: &[Expr]) {
        if values.is_empty() {
            let any = vec!["*"; self.procedure.results.len()].join(", ");
            let line = if any.is_empty() { "return;".to_string() } else { format!("return {any};") };
            return self.out.line(&line);
        }
        let results = self.procedure.results.iter().collect::<Vec<_>>();
        self.each(values.iter().any(shared), |body, context| {
            format!("return {};", body.values(values, &results, context))
        });
    }
}

fn negation(condition: &Expr) -> Expr {
    match condition.code.as_slice() {
        [code @ .., Op::Not] => Expr { code: code.to_vec(), span: condition.span },
        _ => condition.negated(),
    }
}

fn unprimed(relation: &Expr) -> Expr {
    let old = |op: &Op| if let Op::New(var) = op { Op::Old(*var) } else { *op };
    Expr { code: relation.code.iter().map(old).collect(), span: relation.span }
}
