//! Threads: where they are made, what they are given, and how others wait for them.
//!
//! A call of `pthread_create` that is executed at most once makes a thread that there is once: it waits for a flag. All
//! other calls make threads while the program runs, any number of them.

use super::lower::{Lower, Lowered, Single, Task, mistake, unsupported};
use super::types::{CType, IntType};
use super::value::{Number, Pointer, Value};
use crate::model::program::{Domain, Expr, Form, Interval, Op, Others, ProcedureId, Var, Variable};
use calculus::span::Span;
use lang_c::ast::{BinaryOperator, Expression, Statement};
use lang_c::span::Node;

/// Threads that are made while the program runs: all that begin in the same way.
pub struct Made {
    pub procedure: usize,
    pub key: String,
    pub sites: u32,
    pub span: Span,
}

/// As many threads there can be that are made once.
const MOST_THREADS: usize = 200;

impl<'a> Lower<'a> {
    pub fn create(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Lowered<Value> {
        let [name, _, function, argument] = arguments else {
            return Err(mistake(span, "`pthread_create` takes 4 arguments", "called here"));
        };
        let Some(function) = super::scan::function_name(&function.node) else {
            return Err(unsupported(span, "the function of this thread is not known", "write its name"));
        };
        let address = self.value(name)?;
        let argument = self.value(argument)?;
        let number = self.start(function, argument, span)?;
        if Self::is_null(&address) {
            return Ok(Value::int(0));
        }
        let place = self.target(address, span)?;
        if place.of != CType::Thread {
            return Err(unsupported(span, "the name of a thread is a pthread_t", "declare it as pthread_t"));
        }
        let number = Number::constant(number.into(), IntType::SIZE);
        self.store(&place, Value::Number(number), span)?;
        Ok(Value::int(0))
    }

    /// `__CPROVER_ASYNC_1: f(x);`
    pub fn asynchronous(&mut self, statement: &'a Node<Statement>, span: Span) -> Lowered<()> {
        if let Statement::Expression(Some(expression)) = &statement.node
            && let Expression::Call(call) = &expression.node
            && let Some(name) = super::scan::function_name(&call.node.callee.node)
            && call.node.arguments.len() <= 1
        {
            let argument = match call.node.arguments.first() {
                Some(argument) => self.value(argument)?,
                None => Self::pointer_null(),
            };
            return self.start(name, argument, span).map(drop);
        }
        Err(unsupported(span, "a thread executes one call", "write a call with at most one argument here"))
    }

    /// `__CPROVER_passive_broadcast: x = 1;`: the variable of all other threads gets a value, in one step.
    pub fn passive(&mut self, statement: &'a Node<Statement>, span: Span) -> Lowered<()> {
        let refused = |title: &str| {
            Err(unsupported(span, title, "assign a constant to a variable that is _Thread_local here"))
        };
        let Statement::Expression(Some(expression)) = &statement.node else {
            return refused("a broadcast assigns");
        };
        let Expression::BinaryOperator(binary) = &expression.node else {
            return refused("a broadcast assigns");
        };
        if binary.node.operator.node != BinaryOperator::Assign {
            return refused("a broadcast assigns");
        }
        let place = self.place(&binary.node.lhs)?;
        let CType::Int(of) = place.of else { return refused("a broadcast is for numbers") };
        let var = match (place.indices.is_empty(), place.object.scalars.get(place.offset)) {
            (true, Some((var @ Var::Own(_), _))) => *var,
            _ => {
                return refused(
                    "a broadcast changes a variable of all other threads, and they have no such one",
                );
            }
        };
        let Some(value) = self.is_constant(&binary.node.rhs) else {
            return refused("the value of a broadcast is a constant");
        };
        let value = super::constants::wrapped(value, of);
        let domain = self.domain(var);
        let code = match (domain, i64::try_from(value)) {
            (Domain::Bool, _) => Op::Constant(value != 0),
            (domain, Ok(value)) if domain.values().contains(&value) => Op::Number(value),
            _ => {
                return refused("the value of a broadcast does not fit into a word: choose a larger --width");
            }
        };
        let values = vec![Expr { code: vec![code], span }];
        let others = Others { variables: vec![var], values, constrain: None, bearers: Vec::new() };
        let form =
            Form::Assign { targets: Vec::new(), values: Vec::new(), constrain: None, others: Some(others) };
        let statement = self.emit(form, span);
        self.passive.push((self.current, statement));
        Ok(())
    }

    /// Starts a thread; its number, or 0 if there can be several.
    fn start(&mut self, function: &'a str, argument: Value, span: Span) -> Lowered<u32> {
        if !self.unit.functions.contains_key(function) {
            return Err(unsupported(span, format!("`{function}` has no body"), "define it in this file"));
        }
        if let Value::Pointer(Pointer::To(place)) = &argument
            && (place.object.unit.is_some() || !place.indices.is_empty())
        {
            let title = format!("the address of `{}` is given to a thread", place.object.name);
            return Err(unsupported(span, title, "give it the address of a global variable, or a number"));
        }
        let argument = match argument {
            Value::Truth(truth) => Value::Number(self.number(Value::Truth(truth), span)?),
            value => value,
        };
        let argument = self.settled_value(argument, span);
        let again = self.looping > 0 || self.replicated || self.frames.iter().any(|frame| frame.loops_back);
        match again {
            true => self.start_any(function, argument, span),
            false => self.start_once(function, argument, span),
        }
    }

    fn start_once(&mut self, function: &'a str, argument: Value, span: Span) -> Lowered<u32> {
        if self.singles.len() > MOST_THREADS {
            return Err(unsupported(span, "there are too many threads", "make fewer"));
        }
        let number = self.singles.len() as u32;
        let count = self.singles.iter().filter(|(name, ..)| name.split('#').next() == Some(function)).count();
        let name = if count == 0 { function.to_string() } else { format!("{function}#{}", count + 1) };
        let flag = |this: &mut Self, what: &str| {
            let variable = Variable { span, ..Variable::flag(format!(".{name} {what}")) };
            this.shared.push(variable);
            this.synchronising(Var::Shared(this.shared.len() as u32 - 1))
        };
        let started = flag(self, "was made");
        let joins = self.unit.called.contains("pthread_join");
        let done = joins.then(|| flag(self, "has ended"));
        // A number that is not known is handed over in a variable.
        let argument = match argument {
            Value::Number(given) if given.known().is_none() => {
                let domain = Domain::Range {
                    low: given.interval.low as i64,
                    high: given.interval.high as i64,
                    wraps: false,
                };
                let name = format!(".{name} gets");
                let initial = Some(domain.low());
                self.shared.push(Variable { name, span, domain: domain.clone(), initial });
                let var = self.synchronising(Var::Shared(self.shared.len() as u32 - 1));
                let of = given.of;
                self.emitter.assign(var, given.code, span);
                Value::Number(Number { narrowed: given.narrowed, ..Number::temporary(var, &domain, of) })
            }
            value => value,
        };
        let single = Single { number, started: Some(started), done };
        let procedure = self.procedures.len();
        self.procedures.push(None);
        self.singles.push((name.clone(), procedure, single, span));
        self.tasks.push(Task { function: function.into(), argument, procedure, name, single: Some(single) });
        self.emitter.assign(started, vec![Op::Constant(true)], span);
        Ok(number)
    }

    fn start_any(&mut self, function: &'a str, argument: Value, span: Span) -> Lowered<u32> {
        let known = match &argument {
            Value::Number(number) => number.known().map(|value| value.to_string()),
            Value::Pointer(Pointer::To(place)) => {
                // Two variables that a macro declares can have the same place in the text.
                Some(format!("&{:p}+{}", std::rc::Rc::as_ptr(&place.object), place.offset))
            }
            Value::Pointer(_) | Value::Truth(_) | Value::Aggregate(_) | Value::Void => Some(String::new()),
        };
        let Some(known) = known else {
            let title = "a thread that is made in a loop gets a number that is not a constant";
            return Err(unsupported(
                span,
                title,
                "count the loop by a constant, or let the thread read a variable",
            ));
        };
        let key = format!("{function}({known})");
        let birth = match self.births.iter().position(|made| made.key == key) {
            Some(birth) => {
                self.births[birth].sites += 1;
                birth
            }
            None => {
                let procedure = self.procedures.len();
                self.procedures.push(None);
                self.births.push(Made { procedure, key, sites: 1, span });
                let name = function.to_string();
                let task = Task { function: function.into(), argument, procedure, name, single: None };
                self.tasks.push(task);
                self.births.len() - 1
            }
        };
        self.emit(Form::Start { birth: birth as u32, arguments: Vec::new() }, span);
        Ok(0)
    }

    pub fn join(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Lowered<Value> {
        let [thread, result] = arguments else {
            return Err(mistake(span, "`pthread_join` takes 2 arguments", "called here"));
        };
        // Its place may be one that is not supported either.
        if !self.value(result).is_ok_and(|result| Self::is_null(&result)) {
            return Err(unsupported(
                span,
                "results of threads are not supported",
                "write NULL, and use a variable",
            ));
        }
        let value = self.value(thread)?;
        let number = self.number(value, span)?;
        let known = Interval { low: 1, high: 255 };
        let number = self.within(number, known, "which thread is waited for is not known", span);
        let statement = self.emit(Form::Skip, span);
        self.joins.push((self.current, statement, number));
        Ok(Value::int(0))
    }

    pub fn exit_thread(&mut self, span: Span) -> Lowered<Value> {
        if self.atomic > 0 {
            let title = "a thread ends inside a function that is one step";
            return Err(unsupported(span, title, "let the function return"));
        }
        let Some(first) = self.frames.first() else { return Ok(Value::Void) };
        if self.recursive.values().any(|procedure| *procedure == self.current) {
            let title = format!("a thread ends inside `{}`, which calls itself", first.function);
            return Err(unsupported(span, title, "let the function return"));
        }
        let end = first.end;
        if self.current == 0 {
            // The process goes on without `main`; it would end where `main` returns.
            self.check_held(span);
            self.emit(Form::Skip, span);
            let ended = self.emit(Form::Assume(Expr::constant(false, span)), span);
            self.synchronisation.rests.insert((ProcedureId(0), ended));
            return Ok(Value::Void);
        }
        self.emitter.goto(end, span);
        Ok(Value::Void)
    }
}
