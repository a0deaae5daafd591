//! The resolved program: names are indices, roles are known. Still the tree of the text.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

pub use crate::model::program::ast::{Block, StatementId};
use crate::model::program::dialect::Dialect;
use crate::model::program::predicate::Predicate;
pub use crate::model::program::resolve::domain::{Domain, Interval};
use calculus::span::{Source, Span};
use calculus::vocabulary::Approximation;

/// A variable as the procedure it occurs in sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// Index into [`Program::shared`].
    Shared(u32),
    /// Index into [`Program::own`]: one value per thread copy.
    Own(u32),
    /// Index into [`Procedure::locals`]: one value per call.
    Local(u32),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub span: Span,
    pub domain: Domain,
    /// Its first value; any value when absent.
    pub initial: Option<i64>,
}

impl Variable {
    /// A truth value that the front end adds: it is false at first.
    pub fn flag(name: String) -> Variable {
        Variable { name, span: Span::default(), domain: Domain::Bool, initial: Some(0) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcedureId(pub u32);

impl ProcedureId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub source: Arc<Source>,
    pub dialect: Dialect,
    /// Whether the dialect was detected rather than given.
    pub detected: bool,
    pub shared: Vec<Variable>,
    /// Own variables of all thread blocks; a block sees its own ones only.
    pub own: Vec<Variable>,
    pub procedures: Vec<Procedure>,
    /// Runs to its end before the threads begin.
    pub init: Option<ProcedureId>,
    /// One entry per copy, in the order of the positions.
    pub singles: Vec<Thread>,
    /// Templates with any number of copies.
    pub replicated: Vec<Thread>,
    /// What `start_thread` statements start; [`Start::Sleeping`] refers to it.
    pub births: Vec<Birth>,
    /// Getafix's convention: nobody else is scheduled while this shared variable is true.
    pub atomic_variable: Option<Var>,
    /// How many atomic sections can be open at a time, one inside the other.
    pub section_depth: u32,
    /// What it means that a value is outside the range that it is for.
    pub outside: Outside,
    /// How threads wait for each other, where only some statements are for that.
    pub synchronisation: Option<Synchronisation>,
    /// Where the program differs from what it was made of.
    pub approximations: Vec<Approximation>,
    /// What numbers are abstracted by.
    pub predicates: Vec<Predicate>,
}

/// What happens where a value is outside the range that it is for. The statement is not executed in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// It is an error of the program.
    Error,
    /// The words of the model are too small: a target of a class of its own, or nothing at all.
    Width { target: bool },
}

/// What a program that has more than `assume` says of waiting. Elsewhere a run that cannot go on is one that nobody asks for.
#[derive(Clone, Debug, Default)]
pub struct Synchronisation {
    /// Where a thread waits for others.
    pub waits: BTreeSet<(ProcedureId, StatementId)>,
    /// Where it has not begun, or has ended without ending the process.
    pub rests: BTreeSet<(ProcedureId, StatementId)>,
    /// The shared variables that are there for it: accesses to them are no race.
    pub variables: BTreeSet<u32>,
}

/// A thread copy or template.
#[derive(Clone, Debug)]
pub struct Thread {
    pub name: String,
    /// The procedure at the bottom of its stack.
    pub procedure: ProcedureId,
    pub start: Start,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// At the entry of its procedure, from the beginning.
    Entry,
    /// Asleep until a `start_thread` with this birth (index into [`Program::births`]) wakes it.
    Sleeping(u32),
}

/// Where a thread made by `start_thread` begins; all statements with the same aim share one birth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Birth {
    /// In the creator's procedure, at a label, with a copy of its locals and own variables.
    Goto { procedure: ProcedureId, at: StatementId },
    /// At the entry of a procedure, with the arguments given.
    Call { procedure: ProcedureId },
}

impl Birth {
    pub fn procedure(&self) -> ProcedureId {
        match self {
            Birth::Goto { procedure, .. } | Birth::Call { procedure } => *procedure,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    /// The same, behind the name of the thread block that it stands in, if it does: `worker.step`.
    pub qualified: String,
    /// The thread block that it stands in, or is the body of.
    pub block: Option<String>,
    pub span: Span,
    /// Place of the name.
    pub name_span: Span,
    /// Parameters first.
    pub locals: Vec<Variable>,
    pub parameters: u32,
    pub results: Vec<Domain>,
    /// Must hold before and after each statement executed in a frame of this procedure.
    pub enforce: Option<Expr>,
    /// The own variables it sees.
    pub own: Range<u32>,
    /// Called as one step (Getafix): no other thread is scheduled in it.
    pub atomic: bool,
    pub statements: Vec<Statement>,
    pub body: Block,
}

impl Procedure {
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0 as usize]
    }
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub labels: Vec<String>,
    /// Reaching this statement is a target (because of one of its labels).
    pub target: bool,
    pub form: Form,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Form {
    Skip,
    /// All values are taken in the old state; `_` is a target that is no variable.
    Assign {
        targets: Vec<Option<Var>>,
        values: Vec<Expr>,
        constrain: Option<Expr>,
        others: Option<Others>,
    },
    /// A transition relation: all variables the procedure sees become arbitrary, subject to it.
    Constrain(Expr),
    /// The variables become arbitrary.
    Dead(Vec<Var>),
    Call {
        callee: ProcedureId,
        arguments: Vec<Expr>,
        /// As many as the callee has results, or none.
        targets: Vec<Option<Var>>,
    },
    /// As many values as the procedure has results, or none: then they are arbitrary.
    Return(Vec<Expr>),
    Goto(Vec<StatementId>),
    If {
        condition: Expr,
        then: Block,
        otherwise: Block,
    },
    While {
        condition: Expr,
        body: Block,
    },
    Assume(Expr),
    Assert(Expr),
    AtomicBegin,
    AtomicEnd,
    /// Wakes a sleeping thread of this birth.
    Start {
        birth: u32,
        arguments: Vec<Expr>,
    },
    EndThread,
}

/// What an assignment makes of every other thread that has these variables and has not ended: `x$ := e constrain c`.
#[derive(Clone, Debug)]
pub struct Others {
    pub variables: Vec<Var>,
    pub values: Vec<Expr>,
    /// It must hold for each of them, or the assignment blocks.
    pub constrain: Option<Expr>,
    /// The threads that have the variables: the procedures that they begin with.
    pub bearers: Vec<ProcedureId>,
}

impl Others {
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.values.iter().chain(&self.constrain)
    }

    /// The variables of the running thread that it looks at.
    pub fn of_the_running(&self) -> impl Iterator<Item = Var> + '_ {
        self.expressions().flat_map(Expr::variables)
    }

    /// The variables of the other threads that it changes or looks at.
    pub fn theirs(&self) -> impl Iterator<Item = Var> + '_ {
        let read = self.expressions().flat_map(|expression| &expression.code).filter_map(|op| match op {
            Op::Theirs(var) | Op::TheirsAfter(var) => Some(*var),
            _ => None,
        });
        self.variables.iter().copied().chain(read)
    }
}

impl Form {
    /// What is done to other threads.
    pub fn others(&self) -> Option<&Others> {
        match self {
            Form::Assign { others, .. } => others.as_ref(),
            _ => None,
        }
    }

    /// The constraint of an assignment, if it is about old values alone.
    pub fn guard(&self) -> Option<&Expr> {
        match self {
            Form::Assign { constrain: Some(guard), .. } => {
                guard.code.iter().all(|op| !matches!(op, Op::New(_))).then_some(guard)
            }
            _ => None,
        }
    }
}

/// An expression in postfix order. Its value is a truth value, or a number: that of an enumeration's name too. `=` and
/// `!=` are for both. A number depends on no choice: [`Op::Nondet`] is a truth value, or all that a variable of any
/// domain is assigned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    pub code: Vec<Op>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Constant(bool),
    /// The value before the statement.
    Old(Var),
    /// The value after it (in `constrain`).
    New(Var),
    /// The same of another thread: `x$` and `'x$`.
    Theirs(Var),
    TheirsAfter(Var),
    /// Either value, chosen anew at each occurrence.
    Nondet,
    Not,
    /// Of truth values, or of the bits of numbers in two's complement; so are the next two.
    And,
    Or,
    Xor,
    Equal,
    Differ,
    Implies,
    /// `schoose[a, b]`: a | !b & *.
    Schoose,
    /// A number, or the number of a name of an enumeration.
    Number(i64),
    Negate,
    Plus,
    Minus,
    Times,
    /// The divisor is a [`Op::Number`] greater than 0; the remainder is never negative.
    Modulo,
    /// Rounded towards 0; 0 where the divisor is 0.
    Quotient,
    /// What a quotient leaves: it has the sign of the dividend. 0 where the divisor is 0.
    Remainder,
    /// By a [`Op::Number`] of bits that is not negative; rounded down.
    ShiftRight,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Op {
    /// How many operands it takes.
    pub fn operands(self) -> usize {
        match self {
            Op::Constant(_) | Op::Number(_) | Op::Nondet => 0,
            Op::Old(_) | Op::New(_) | Op::Theirs(_) | Op::TheirsAfter(_) => 0,
            Op::Not | Op::Negate => 1,
            _ => 2,
        }
    }
}

impl Expr {
    pub fn constant(value: bool, span: Span) -> Expr {
        Expr { code: vec![Op::Constant(value)], span }
    }

    pub fn number(value: i64, span: Span) -> Expr {
        Expr { code: vec![Op::Number(value)], span }
    }

    /// A constant of a domain.
    pub fn value(domain: &Domain, value: i64, span: Span) -> Expr {
        match domain {
            Domain::Bool => Expr::constant(value != 0, span),
            Domain::Range { .. } | Domain::Names(_) => Expr::number(value, span),
        }
    }

    /// The numbers that it can be; nothing if it is a truth value.
    pub fn interval<'d>(&self, domain: impl Fn(Var) -> &'d Domain) -> Option<Interval> {
        let mut stack: Vec<Option<Interval>> = Vec::new();
        for op in &self.code {
            let result = match op {
                Op::Old(var) | Op::New(var) | Op::Theirs(var) | Op::TheirsAfter(var) => match domain(*var) {
                    Domain::Bool => None,
                    numbers => Some(numbers.interval()),
                },
                Op::Number(value) => Some(Interval::only((*value).into())),
                Op::Negate => stack.pop().flatten().map(|operand| Interval::only(0).minus(operand)),
                _ => {
                    let at = stack.len() - op.operands();
                    match (op, &stack.split_off(at)[..]) {
                        (Op::Plus, [Some(left), Some(right)]) => Some(left.plus(*right)),
                        (Op::Minus, [Some(left), Some(right)]) => Some(left.minus(*right)),
                        (Op::Times, [Some(left), Some(right)]) => Some(left.times(*right)),
                        (Op::Modulo, [Some(left), Some(right)]) => Some(left.modulo(right.high)),
                        (Op::Quotient, [Some(left), Some(right)]) => Some(left.quotient(*right)),
                        (Op::Remainder, [Some(left), Some(right)]) => Some(left.remainder(*right)),
                        (Op::ShiftRight, [Some(left), Some(right)]) => Some(left.shifted(right.high)),
                        (Op::And | Op::Or | Op::Xor, [Some(left), Some(right)]) => {
                            Some(left.bitwise(*right, *op == Op::And))
                        }
                        _ => None,
                    }
                }
            };
            stack.push(result);
        }
        stack.pop().flatten()
    }

    /// Whether a number is inside a domain, as a condition.
    pub fn inside(&self, domain: &Domain) -> Expr {
        let mut code = self.code.clone();
        code.extend([Op::Number(domain.low()), Op::AtLeast]);
        code.extend(&self.code);
        code.extend([Op::Number(domain.high()), Op::AtMost, Op::And]);
        Expr { code, span: self.span }
    }

    /// Its value if it is a single constant.
    pub fn as_constant(&self) -> Option<bool> {
        match self.code.as_slice() {
            [Op::Constant(value)] => Some(*value),
            _ => None,
        }
    }

    /// The variables of the running thread.
    pub fn variables(&self) -> impl Iterator<Item = Var> + '_ {
        self.code.iter().filter_map(|op| match op {
            Op::Old(var) | Op::New(var) => Some(*var),
            _ => None,
        })
    }

    /// The parts of a conjunction.
    pub fn conjuncts(&self) -> Vec<Expr> {
        // Where the operand begins that ends at each operation.
        let mut begins: Vec<usize> = Vec::new();
        let mut open = Vec::new();
        for (at, op) in self.code.iter().enumerate() {
            let first = (0..op.operands()).filter_map(|_| open.pop()).last().unwrap_or(at);
            begins.push(first);
            open.push(first);
        }
        let (mut out, mut work) = (Vec::new(), vec![(0, self.code.len())]);
        while let Some((from, to)) = work.pop() {
            match self.code[from..to].last() {
                Some(Op::And) => {
                    let right = begins[to - 2];
                    work.extend([(right, to - 1), (from, right)]);
                }
                _ => out.push(Expr { code: self.code[from..to].to_vec(), span: self.span }),
            }
        }
        out
    }

    /// The negation: one more operation.
    pub fn negated(&self) -> Expr {
        let mut code = self.code.clone();
        code.push(Op::Not);
        Expr { code, span: self.span }
    }
}

impl Program {
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// Whether threads change or look at variables of others.
    pub fn broadcasts(&self) -> bool {
        let mut statements = self.procedures.iter().flat_map(|procedure| &procedure.statements);
        statements.any(|statement| statement.form.others().is_some())
    }

    /// All variables that a procedure sees.
    pub fn visible(&self, id: ProcedureId) -> impl Iterator<Item = Var> + '_ {
        let procedure = self.procedure(id);
        let shared = (0..self.shared.len() as u32).map(Var::Shared);
        let locals = (0..procedure.locals.len() as u32).map(Var::Local);
        shared.chain(procedure.own.clone().map(Var::Own)).chain(locals)
    }

    /// The thread block that an own variable belongs to.
    pub fn block_of(&self, own: u32) -> &str {
        let sees = |procedure: &&Procedure| procedure.own.contains(&own);
        self.procedures.iter().find(sees).and_then(|procedure| procedure.block.as_deref()).unwrap_or_default()
    }

    /// What threads of a birth are called: their procedure, with the label where they begin.
    pub fn birth_name(&self, birth: u32) -> String {
        let birth = &self.births[birth as usize];
        let procedure = self.procedure(birth.procedure());
        match birth {
            Birth::Goto { at, .. } => {
                let labels = &procedure.statement(*at).labels;
                format!("{}@{}", procedure.name, labels.first().map_or("", String::as_str))
            }
            Birth::Call { .. } => procedure.name.clone(),
        }
    }

    /// The values of a variable as a procedure sees it; the results come behind the locals.
    pub fn domain(&self, procedure: ProcedureId, var: Var) -> &Domain {
        match var {
            Var::Local(i) => {
                let procedure = self.procedure(procedure);
                let result = (i as usize).checked_sub(procedure.locals.len());
                result.map_or_else(|| &procedure.locals[i as usize].domain, |i| &procedure.results[i])
            }
            var => &self.variable(procedure, var).domain,
        }
    }

    /// The names of all enumerations.
    pub fn enumerated_names(&self) -> impl Iterator<Item = String> + '_ {
        let locals = self.procedures.iter().flat_map(|procedure| &procedure.locals);
        let variables = self.shared.iter().chain(&self.own).chain(locals).map(|variable| &variable.domain);
        let results = self.procedures.iter().flat_map(|procedure| &procedure.results);
        variables.chain(results).flat_map(|domain| match domain {
            Domain::Names(names) => names.to_vec(),
            Domain::Bool | Domain::Range { .. } => Vec::new(),
        })
    }

    /// When a statement fails because a value is outside the range that it is for; nothing if it never does. A constraint
    /// about old values alone says when the statement can be executed at all.
    pub fn fails(&self, id: ProcedureId, form: &Form) -> Option<Expr> {
        let outside = self.fits(id, form)?.negated();
        Some(match form.guard() {
            Some(guard) => {
                let mut code = guard.code.clone();
                code.extend(outside.code);
                code.push(Op::And);
                Expr { code, span: outside.span }
            }
            None => outside,
        })
    }

    /// When the values of a statement are inside the ranges that they are for; nothing if they always are.
    pub fn fits(&self, id: ProcedureId, form: &Form) -> Option<Expr> {
        let parameters =
            |callee: ProcedureId| self.procedure(callee).locals.iter().map(|local| Some(&local.domain));
        let (values, domains): (_, Vec<Option<&Domain>>) = match form {
            Form::Assign { targets, values, .. } => {
                (values, targets.iter().map(|target| target.map(|var| self.domain(id, var))).collect())
            }
            Form::Return(values) => (values, self.procedure(id).results.iter().map(Some).collect()),
            Form::Call { callee, arguments, .. } => (arguments, parameters(*callee).collect()),
            Form::Start { birth, arguments } => {
                (arguments, parameters(self.births[*birth as usize].procedure()).collect())
            }
            _ => return None,
        };
        let inside = values.iter().zip(domains).filter_map(|(value, domain)| {
            let numbers = value.interval(|var| self.domain(id, var))?;
            domain.filter(|domain| !domain.takes(numbers)).map(|domain| value.inside(domain))
        });
        inside.reduce(|mut all, one| {
            all.code.extend(one.code);
            all.code.push(Op::And);
            all
        })
    }

    /// Name of a variable as a procedure sees it.
    pub fn variable(&self, procedure: ProcedureId, var: Var) -> &Variable {
        match var {
            Var::Shared(i) => &self.shared[i as usize],
            Var::Own(i) => &self.own[i as usize],
            Var::Local(i) => &self.procedure(procedure).locals[i as usize],
        }
    }
}
