//! The syntax tree, names not yet resolved.
//!
//! Nothing in it is nested: statements of a procedure lie in one vector and blocks list their indices; expressions are in
//! postfix order. So neither deep nor long inputs recurse, not even when they are dropped.

use calculus::span::Span;

/// A name as written, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct File {
    pub shared: Vec<Declaration>,
    pub procedures: Vec<Procedure>,
    pub threads: Vec<Thread>,
    pub features: Features,
}

/// Forms met while parsing; they tell the dialect.
#[derive(Clone, Debug, Default)]
pub struct Features {
    pub thread_blocks: bool,
    pub init_block: bool,
    pub satabs: bool,
    pub end_init: bool,
    /// Ranges and enumerations.
    pub domains: bool,
}

#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: Name,
    /// Truth values if there is none.
    pub domain: Option<Domain>,
    /// `decl x := 1`; `*` and nothing mean the same.
    pub initial: Option<FirstValue>,
}

/// Which values a variable can have, as it is written.
#[derive(Clone, Debug)]
pub struct Domain {
    pub form: DomainForm,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DomainForm {
    Range { low: i64, high: i64, wraps: bool },
    Names(Vec<Name>),
}

/// The value that a variable is declared with: a number, or a name, also T and F.
#[derive(Clone, Debug)]
pub struct FirstValue {
    pub text: String,
    pub span: Span,
}

/// `thread name begin decl …; procedures; statements end`: its statements are a procedure of the same name.
#[derive(Clone, Debug)]
pub struct Thread {
    pub name: Name,
    pub copies: Copies,
    pub own: Vec<Declaration>,
    /// Indices into `File::procedures`.
    pub procedures: Vec<usize>,
    pub body: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    Fixed(u32),
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcedureKind {
    Procedure,
    InitBlock,
    ThreadBlock,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub kind: ProcedureKind,
    pub name: Name,
    /// The thread block it stands in.
    pub thread: Option<usize>,
    /// Nothing means a truth value.
    pub results: Vec<Option<Domain>>,
    pub parameters: Vec<Declaration>,
    pub locals: Vec<Declaration>,
    pub enforce: Option<Expr>,
    pub statements: Vec<Statement>,
    pub body: Block,
    pub span: Span,
}

/// Index of a statement in its procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub u32);

pub type Block = Vec<StatementId>;

#[derive(Clone, Debug)]
pub struct Statement {
    pub labels: Vec<Name>,
    pub form: Form,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Form {
    Skip,
    Assign {
        targets: Vec<Name>,
        values: Vec<Expr>,
        constrain: Option<Expr>,
    },
    Constrain(Expr),
    Dead(Vec<Name>),
    Call {
        callee: Name,
        arguments: Vec<Expr>,
        targets: Vec<Name>,
    },
    Return(Vec<Expr>),
    Goto(Vec<Name>),
    /// `elsif` is an `if` of its own in the other branch.
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
    AbortIf(Expr),
    Assert(Expr),
    AtomicBegin,
    AtomicEnd,
    StartGoto(Name),
    StartCall {
        callee: Name,
        arguments: Vec<Expr>,
    },
    EndThread,
    Print(Vec<Expr>),
    Sync(Name),
}

/// An expression as written: a sequence of tokens that the dialect's precedence has yet to order.
#[derive(Clone, Debug, Default)]
pub struct Expr {
    pub tokens: Vec<Token>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// T and F.
    Constant(bool),
    /// 0 and 1 can be truth values.
    Number(i64),
    Name(String),
    /// `'x`, the value after the statement.
    Primed(String),
    Nondet,
    Not,
    Negative,
    Binary(Binary),
    Open,
    Close,
    /// `schoose[a, b]` is written here as `( a ) ( b ) schoose`: the operands stand before it.
    Schoose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    And,
    Or,
    Xor,
    Equal,
    Differ,
    Implies,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Modulo,
}
