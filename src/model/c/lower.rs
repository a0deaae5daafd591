//! The translation's state: what is declared, what is being made, and what was refused.

use super::emit::{Emitter, Label};
use super::places::Places;
use super::types::{CType, IntType, Leaf};
use super::unit::Unit;
use super::value::{Number, Object, Pointer, Truth, Value};
use crate::model::options::Words;
use crate::model::program::predicate::PredicateText;
use crate::model::program::{
    Domain, Expr, Form, Interval, Op, Procedure, StatementId, Synchronisation, Var, Variable,
};
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;
use lang_c::ast;
use lang_c::span::Node;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What cannot be translated, with its place.
pub type Refusal = Box<Diagnostic>;
pub type Lowered<T> = Result<T, Refusal>;

/// More statements than this are a program that has to be made smaller.
pub const MOST_STATEMENTS: usize = 20_000;
/// More scalars than this in one variable, too.
pub const MOST_SCALARS: usize = 4_096;

/// What a name means.
#[derive(Clone)]
pub enum Entity {
    Object(Rc<Object>),
    /// A constant of an enumeration, or a counter of a loop that is unrolled.
    Constant(i128, IntType),
    /// A parameter that nobody changes, or a pointer that is bound once and for all.
    Value(Value),
    Type(CType),
    /// A pointer that has no value.
    Unbound,
    /// A variable whose declaration was refused: more need not be said.
    Refused,
}

/// A call that is being inlined; the first one is the thread's function.
pub struct Frame<'a> {
    pub function: String,
    pub scopes: Vec<HashMap<String, Entity>>,
    /// Where `return` leaves the result.
    pub result: Option<(Var, CType)>,
    pub end: Label,
    pub loops: Vec<Around>,
    pub labels: HashMap<String, Label>,
    pub body: Option<&'a ast::FunctionDefinition>,
    /// Control flow can come back to any place of it.
    pub loops_back: bool,
}

/// A loop or a switch around a statement.
#[derive(Clone, Copy)]
pub struct Around {
    /// Where `continue` leads; a switch has none.
    pub next: Option<Label>,
    pub end: Label,
}

/// A thread whose function is still to be translated.
pub struct Task {
    pub function: String,
    pub argument: Value,
    pub procedure: usize,
    pub name: String,
    /// A thread that there is once, with the variables that say that it was made and that it has ended.
    pub single: Option<Single>,
}

#[derive(Clone, Copy)]
pub struct Single {
    pub number: u32,
    pub started: Option<Var>,
    pub done: Option<Var>,
}

pub struct Lower<'a> {
    pub unit: &'a Unit<'a>,
    pub places: &'a Places,
    pub words: &'a Words,
    pub emitter: Emitter,
    pub frames: Vec<Frame<'a>>,
    pub globals: HashMap<String, Entity>,
    pub tags: HashMap<String, CType>,
    pub shared: Vec<Variable>,
    pub own: Vec<Variable>,
    pub problems: Vec<Diagnostic>,
    pub tasks: Vec<Task>,
    pub procedures: Vec<Option<Procedure>>,
    /// The number of the thread that is being translated.
    pub current: usize,
    /// Inside a function that is executed as one step.
    pub atomic: u32,
    /// Inside a loop that is not unrolled.
    pub looping: u32,
    /// The thread that is being translated can be there several times.
    pub replicated: bool,
    pub temporaries: u32,
    /// Where a value that nobody knows may be outside of the width: the statement that leaves the model, and the variable.
    pub unknowns: Vec<Unknown>,
    pub joins: Vec<(usize, StatementId, Number)>,
    pub singles: Vec<(String, usize, Single, Span)>,
    pub births: Vec<super::threads::Made>,
    /// Variables of threads' names, whose domain is known at the end: of a procedure, or shared.
    pub names_of_threads: Vec<(Option<usize>, Var)>,
    /// How threads wait for each other.
    pub synchronisation: Synchronisation,
    /// Where something is looked for that is no assertion of the text.
    pub added: BTreeSet<Span>,
    /// Why runs end before they should, by the place in the text.
    pub cuts: BTreeMap<Span, String>,
    /// Runs of the program that the model does not have, and why, by the place.
    pub fewer_runs: BTreeMap<Span, String>,
    /// Runs of the model that the program may not have.
    pub more_runs: BTreeMap<Span, String>,
    /// The procedures of functions that call themselves.
    pub recursive: HashMap<String, usize>,
    /// How many calls of functions that call themselves may be inside each other; 0 if they stay procedures.
    pub deepest: usize,
    /// Whether a thread holds a mutex, where that is asked for. Locals are those of the thread that is being translated.
    pub held: BTreeMap<Var, Var>,
    /// Assignments to variables of all other threads, which are known at the end.
    pub passive: Vec<(usize, StatementId)>,
    /// A value that is outside the model when the program begins.
    pub too_large: Vec<(Span, String)>,
    /// Something counts as an error.
    pub targets: bool,
    /// `__CPROVER_predicate(e)`
    pub predicates: Vec<PredicateText>,
    /// What the statement after this one says about the number that this one gets from outside.
    pub bounded_next: Option<Bounds>,
    /// Names of the whole program whose declarations are being looked at.
    pub asked: Vec<String>,
    /// The places of the text at which numbers are on their way, by what they were read of and the line.
    pub on_their_way: HashMap<(String, usize), Vec<Span>>,
    /// How many variables have a name: in a procedure, or those that all procedures see.
    pub taken: HashMap<(Option<usize>, String), u32>,
}

/// What is said about a number from outside.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub interval: Interval,
    /// How many bits numbers without a sign have in the condition that says so.
    pub unsigned: u32,
    /// Numbers that are not inside are possible, and what happens then is the same for all of them.
    pub others: bool,
}

/// A value that nobody knows.
pub struct Unknown {
    pub procedure: usize,
    /// The condition under which it leaves the model.
    pub statement: StatementId,
    pub var: Var,
}

pub fn unsupported(span: Span, title: impl Into<String>, help: impl Into<String>) -> Refusal {
    Box::new(Diagnostic::error("c::unsupported", title).label(span, "not supported").help(help))
}

/// Something that was refused already is used.
pub fn refused_before(span: Span) -> Refusal {
    Box::new(Diagnostic::error("c::unsupported", "").label(span, ""))
}

pub fn mistake(span: Span, title: impl Into<String>, label: impl Into<String>) -> Refusal {
    Box::new(Diagnostic::error("c::mistake", title).label(span, label))
}

impl<'a> Lower<'a> {
    pub fn span<T>(&self, node: &Node<T>) -> Span {
        self.places.span(node.span.start, node.span.end)
    }

    pub fn emit(&mut self, form: Form, span: Span) -> StatementId {
        self.emitter.emit(form, span)
    }

    /// A variable that the text does not have.
    pub fn temporary(&mut self, domain: Domain, span: Span) -> Var {
        if domain.count() > 2 {
            return self.on_the_way("", domain, span);
        }
        self.temporaries += 1;
        let name = format!(".{}", self.temporaries);
        self.emitter.local(name, span, domain)
    }

    /// A number on its way, called after the variable that it was read of, or after none, and the line: predicates speak of it.
    /// A part of the text that is translated several times has as many copies of it ([`predicate::spoken`]).
    pub fn on_the_way(&mut self, read: &str, domain: Domain, span: Span) -> Var {
        let line = self.places.line(span);
        let places = self.on_their_way.entry((read.into(), line)).or_default();
        let known = places.iter().position(|place| *place == span);
        let at = known.unwrap_or_else(|| {
            places.push(span);
            places.len() - 1
        });
        let number = if at == 0 { String::new() } else { format!("#{}", at + 1) };
        let name = format!(".{read}@{line}{number}");
        let copies = self.taken.entry((Some(self.current), name.clone())).or_default();
        *copies += 1;
        let copy = if *copies == 1 { String::new() } else { format!("'{copies}") };
        self.emitter.local(name + &copy, span, domain)
    }

    /// The variable that code reads, if it does nothing else.
    pub fn only_read(&self, code: &[Op]) -> String {
        let [Op::Old(var)] = *code else { return String::new() };
        let variable = match var {
            Var::Shared(at) => &self.shared[at as usize],
            Var::Own(at) => &self.own[at as usize],
            Var::Local(at) => &self.emitter.locals[at as usize],
        };
        if variable.name.starts_with('.') { String::new() } else { variable.name.clone() }
    }

    pub fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a function is being translated")
    }

    /// A number in a variable that nobody changes.
    pub fn settled(&mut self, number: Number, span: Span) -> Number {
        if number.known().is_some() {
            return number;
        }
        if let [Op::Old(Var::Local(local))] = number.code[..]
            && self.emitter.locals[local as usize].name.starts_with('.')
        {
            return number;
        }
        let Number { code, interval, of, narrowed, .. } = number;
        let domain = Domain::Range { low: interval.low as i64, high: interval.high as i64, wraps: false };
        let var = self.on_the_way(&self.only_read(&code), domain.clone(), span);
        self.emitter.assign(var, code, span);
        Number { interval, narrowed, ..Number::variable(var, &domain, of) }
    }

    pub fn settled_truth(&mut self, truth: Truth, span: Span) -> Truth {
        if truth.known().is_some() {
            return truth;
        }
        if let [Op::Old(Var::Local(local))] = truth.code[..]
            && self.emitter.locals[local as usize].name.starts_with('.')
        {
            return truth;
        }
        let var = self.temporary(Domain::Bool, span);
        self.emitter.assign(var, truth.code, span);
        Truth::variable(var)
    }

    pub fn settled_value(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Number(number) => Value::Number(self.settled(number, span)),
            Value::Truth(truth) => Value::Truth(self.settled_truth(truth, span)),
            Value::Pointer(_) | Value::Aggregate(_) | Value::Void => value,
        }
    }

    /// What follows is executed if a condition holds, or if not.
    pub fn branch(
        &mut self,
        condition: Truth,
        span: Span,
        then: impl FnOnce(&mut Self) -> Lowered<()>,
        otherwise: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        if let Some(known) = condition.known() {
            return if known { then(self) } else { otherwise(self) };
        }
        let reserved = self.emitter.reserve(span);
        self.emitter.open();
        let first = then(self);
        let then = self.emitter.close(span);
        self.emitter.open();
        let second = otherwise(self);
        let otherwise = self.emitter.close(span);
        self.emitter.put(reserved, Form::If { condition: condition.expression(span), then, otherwise });
        first.and(second)
    }

    /// The run leaves the model here, for a reason.
    pub fn cut(&mut self, span: Span, why: &str) -> StatementId {
        self.cuts.entry(span).or_insert_with(|| why.into());
        let var = self.temporary(Domain::Range { low: 0, high: 0, wraps: false }, span);
        self.emitter.assign(var, vec![Op::Number(1)], span)
    }

    /// The same for an error that the text does not name.
    pub fn check(&mut self, condition: Truth, span: Span) {
        self.added.insert(span);
        self.error_unless(condition, span);
    }

    pub fn error_unless(&mut self, condition: Truth, span: Span) {
        self.targets = true;
        if condition.known() != Some(true) {
            self.emit(Form::Assert(condition.expression(span)), span);
        }
    }

    pub fn assume(&mut self, condition: Truth, span: Span) {
        if condition.known() != Some(true) {
            self.emit(Form::Assume(condition.expression(span)), span);
        }
    }

    /// The process ends, or does not go on: so does the run, as far as this thread is concerned.
    pub fn stop(&mut self, span: Span) {
        self.emit(Form::Assume(Expr::constant(false, span)), span);
    }

    pub fn lookup(&mut self, name: &str) -> Option<Entity> {
        let local = self.frames.last().and_then(|frame| frame.scopes.iter().rev().find_map(|s| s.get(name)));
        local.or_else(|| self.globals.get(name)).cloned()
    }

    /// Finds out what a name means; a declaration that asks for itself on the way is a mistake.
    pub fn once<T>(
        &mut self,
        name: &str,
        span: Span,
        find: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        if self.asked.iter().any(|asked| asked == name) {
            return Err(mistake(span, format!("`{name}` is used in its own declaration"), "not known yet"));
        }
        self.asked.push(name.into());
        let found = find(self);
        self.asked.pop();
        found
    }

    /// What stands outside of all functions means the same wherever it is used for the first time.
    pub fn outside<T>(&mut self, translate: impl FnOnce(&mut Self) -> T) -> T {
        let frames = std::mem::take(&mut self.frames);
        let translated = translate(self);
        self.frames = frames;
        translated
    }

    pub fn declare(&mut self, name: &str, entity: Entity) {
        let scope = self.frame().scopes.last_mut().expect("a scope is open");
        scope.insert(name.into(), entity);
    }

    /// A name that no other variable has of those that the procedure sees; a variable of its own, or of all procedures.
    pub fn fresh_name(&mut self, name: &str, own: bool) -> String {
        let everywhere = self.taken.get(&(None, name.into())).copied().unwrap_or(0);
        let count = self.taken.entry((own.then_some(self.current), name.into())).or_default();
        *count += 1;
        let count = if own { everywhere + *count } else { *count };
        if count == 1 { name.into() } else { format!("{name}#{count}") }
    }

    pub fn domain_of(&self, leaf: Leaf) -> Domain {
        match leaf {
            Leaf::Int(of) => of.domain(self.words.width),
            Leaf::Mutex => Domain::Bool,
            Leaf::Semaphore => IntType::new(32, false).domain(self.words.width),
            Leaf::Thread => Domain::Range { low: 0, high: 255, wraps: false },
            Leaf::Pointer => Domain::Range { low: 0, high: 0, wraps: false },
        }
    }

    /// The domain of a variable that can be read here.
    pub fn domain(&self, var: Var) -> &Domain {
        match var {
            Var::Shared(at) => &self.shared[at as usize].domain,
            Var::Own(at) => &self.own[at as usize].domain,
            Var::Local(at) => &self.emitter.locals[at as usize].domain,
        }
    }

    pub fn pointer_null() -> Value {
        Value::Pointer(Pointer::Null)
    }

    #[expect(clippy::boxed_local, reason = "refusals come out of results, where they are boxed")]
    pub fn refuse(&mut self, refusal: Refusal) {
        if refusal.title.is_empty() {
            return;
        }
        let same = |other: &Diagnostic| {
            other.title == refusal.title
                && other.labels.first().map(|label| label.0) == refusal.labels.first().map(|label| label.0)
        };
        if !self.problems.iter().any(same) {
            self.problems.push(*refusal);
        }
    }
}
