//! The resolved program: names are indices, roles are known. Still the tree of the text.

use std::ops::Range;
use std::sync::Arc;

pub use crate::model::program::ast::{Block, StatementId};
use crate::model::program::dialect::Dialect;
use calculus::span::{Source, Span};

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
    /// Its first value; any value when absent.
    pub initial: Option<bool>,
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
    pub results: u32,
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

/// An expression in postfix order.
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
    /// Either value, chosen anew at each occurrence.
    Nondet,
    Not,
    And,
    Or,
    Xor,
    Equal,
    Differ,
    Implies,
    /// `schoose[a, b]`: a | !b & *.
    Schoose,
}

impl Expr {
    pub fn constant(value: bool, span: Span) -> Expr {
        Expr { code: vec![Op::Constant(value)], span }
    }

    /// Its value if it is a single constant.
    pub fn as_constant(&self) -> Option<bool> {
        match self.code.as_slice() {
            [Op::Constant(value)] => Some(*value),
            _ => None,
        }
    }

    pub fn variables(&self) -> impl Iterator<Item = Var> + '_ {
        self.code.iter().filter_map(|op| match op {
            Op::Old(var) | Op::New(var) => Some(*var),
            _ => None,
        })
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

    /// Name of a variable as a procedure sees it.
    pub fn variable(&self, procedure: ProcedureId, var: Var) -> &Variable {
        match var {
            Var::Shared(i) => &self.shared[i as usize],
            Var::Own(i) => &self.own[i as usize],
            Var::Local(i) => &self.procedure(procedure).locals[i as usize],
        }
    }
}
