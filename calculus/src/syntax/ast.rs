//! The syntax tree of a `.fp` file, as written: names unresolved, every node with its place.
//!
//! Static expressions, terms and formulas share one expression type, because the text does not tell them
//! apart (`i > 1` is static or not depending on what `i` is); the checker does.

use crate::span::{FileId, Span};
use std::rc::Rc;

/// A name with the place where it stands.
#[derive(Clone, Debug)]
pub struct Ident {
    /// The name, primes included.
    pub name: Rc<str>,
    /// Where it stands.
    pub span: Span,
}

/// One parsed file.
#[derive(Clone, Debug)]
pub struct File {
    /// The file that its spans mean.
    pub id: FileId,
    /// In the order of the text.
    pub items: Vec<Item>,
    /// All comments in the order of the text, `//!` and `//@` ones included; for the formatter.
    pub comments: Vec<Comment>,
}

/// A `//` comment: its text from the slashes to the end of the line, without trailing blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the slashes on.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Nothing but blanks stands before it on its line.
    pub own_line: bool,
}

/// A definition, a query, or something else that ends with a semicolon.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// From its first word to its end.
    pub span: Span,
}

/// What an item says. The fields are the parts of what stands above each.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the syntax above a variant shows what its fields are")]
pub enum ItemKind {
    /// `use program;`
    UseVocabulary { name: Ident },
    /// `use "lib/init.fp";`, `use "lib/ctl.fp" as ctl with State = Node, step = { (x, y) | edge(y, x) };`
    UseFile { path: Text, name: Option<Ident>, fillings: Vec<Filling> },
    /// `param rounds = 4;`, `param rounds in 1..8 = 4;`, `param rounds in 1.. = 4;`
    Param { name: Ident, bounds: Option<ParamBounds>, value: Expr },
    /// `const last = rounds + 1;`
    Const { name: Ident, value: Expr },
    /// `enum Player { Eve, Adam }`, `keyed enum …` (no semicolon needed)
    Enum { keyed: bool, name: Ident, values: Vec<Ident> },
    /// `range Round = 1..rounds;`, `keyed range …`
    Range { keyed: bool, name: Ident, lo: Expr, hi: Expr },
    /// `symbol Var;`, `keyed symbol …`
    Symbol { keyed: bool, name: Ident },
    /// `record Game { who: Player, fresh: bool }` (no semicolon needed)
    Record { name: Ident, fields: Vec<ColumnDecl> },
    /// `sort Symbol = State;`
    Alias { name: Ident, sort: SortExpr },
    /// `sort Symbol;`: whoever uses the file says which
    OpenSort { name: Ident },
    /// `rel push[t](x, y: Symbol);`: whoever uses the file says which
    OpenRelation { name: Ident, indices: Vec<Ident>, columns: Vec<ColumnDecl> },
    /// `rel edge(x: Node, y: Node) = { (0, 1), (1, 2) };`
    Facts { name: Ident, columns: Vec<ColumnDecl>, rows: Vec<FactRow> },
    /// `input edge(x: Node, y: Node);`
    Input { name: Ident, columns: Vec<ColumnDecl> },
    /// `let`, `mu`, `nu`
    Definition(Definition),
    /// `query Hit = …;` or `query Where(q: State) = …;`
    Query { name: Ident, columns: Vec<ColumnDecl>, clauses: Vec<ClauseDecl> },
    /// `trace Run = …;`
    Trace { name: Ident, clauses: Vec<ClauseDecl> },
    /// `require program.calls = 0 "…";`
    Require { condition: Expr, message: Text },
    /// `verdict unsafe if Hit;`, `verdict bounded "…";`, `verdict unsafe "…" if Hit;`
    Verdict { kind: Ident, message: Option<Text>, condition: Option<Expr> },
    /// `hint symbolic Pc, Node;`
    Hint { kind: Ident, names: Vec<Ident> },
}

/// `step = { (x, y) | edge(y, x) }`: what a used file is given for something that is open in it.
#[derive(Clone, Debug)]
pub struct Filling {
    /// Its name in the used file.
    pub name: Ident,
    /// A sort, a relation, or a number.
    pub given: Expr,
}

/// The values that a parameter may have.
#[derive(Clone, Debug)]
pub struct ParamBounds {
    /// The least one.
    pub lo: Expr,
    /// The greatest one, if there is one.
    pub hi: Option<Expr>,
}

/// A string in double quotes: its text without the quotes, and the place with them.
#[derive(Clone, Debug)]
pub struct Text {
    /// Without the quotes, escapes replaced.
    pub text: String,
    /// With the quotes.
    pub span: Span,
}

/// A column or a record field: `x: Node`. `x, y: Node` is two of them with the same sort.
#[derive(Clone, Debug)]
pub struct ColumnDecl {
    /// What it is called.
    pub name: Ident,
    /// The sort of its values.
    pub sort: SortExpr,
}

/// `(0, 1)`; a row of one column may leave the parentheses out.
#[derive(Clone, Debug)]
pub struct FactRow {
    /// One for each column.
    pub values: Vec<Expr>,
    /// The whole row.
    pub span: Span,
}

/// What a definition stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefKind {
    /// `let`: its formula.
    Let,
    /// `mu`: the least solution of its equation.
    Mu,
    /// `nu`: the greatest solution of its equation.
    Nu,
}

impl DefKind {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            DefKind::Let => "let",
            DefKind::Mu => "mu",
            DefKind::Nu => "nu",
        }
    }
}

/// `mu R[i in 1..k](x: T) = clause | label: clause;`
#[derive(Clone, Debug)]
pub struct Definition {
    /// The word that it begins with.
    pub kind: DefKind,
    /// `if i % 2 = 1 else nu`: the instances for which the condition does not hold are of the other kind.
    pub alternative: Option<Alternative>,
    /// The name of the relation or the family.
    pub name: Ident,
    /// What it is indexed by; none for a plain relation.
    pub indices: Vec<FamilyIndex>,
    /// What a tuple consists of.
    pub columns: Vec<ColumnDecl>,
    /// Its disjuncts, at least one.
    pub clauses: Vec<ClauseDecl>,
}

/// What a family has a relation for: each number of a range, each sort, each relation.
#[derive(Clone, Debug)]
pub enum FamilyIndex {
    /// `i in 1..k`
    Number(IndexBinder),
    /// `T: sort`
    Sort(Ident),
    /// `edge: rel(T, T)`
    Relation(RelationIndex),
}

impl FamilyIndex {
    /// What it is called in the definition.
    pub fn name(&self) -> &Ident {
        match self {
            FamilyIndex::Number(IndexBinder { name, .. })
            | FamilyIndex::Sort(name)
            | FamilyIndex::Relation(RelationIndex { name, .. }) => name,
        }
    }
}

/// `edge: rel(T, T)`, or `push: rel[t](T, T)` for a family with an index of its own.
#[derive(Clone, Debug)]
pub struct RelationIndex {
    /// What it is called in the definition.
    pub name: Ident,
    /// Its own indices, which are numbers; the names only count them.
    pub indices: Vec<Ident>,
    /// The sorts of its columns.
    pub columns: Vec<SortExpr>,
    /// From the name to the closing parenthesis.
    pub span: Span,
}

/// `if i % 2 = 1 else nu`
#[derive(Clone, Debug)]
pub struct Alternative {
    /// A static condition on the indices.
    pub condition: Expr,
    /// What an instance is if it does not hold.
    pub otherwise: DefKind,
}

/// `i in 1..k`
#[derive(Clone, Debug)]
pub struct IndexBinder {
    /// The index.
    pub name: Ident,
    /// Its first value.
    pub lo: Expr,
    /// Its last value.
    pub hi: Expr,
}

/// One disjunct of a definition or a query, with its label if it has one.
#[derive(Clone, Debug)]
pub struct ClauseDecl {
    /// The name before the colon.
    pub label: Option<Ident>,
    /// The formula.
    pub body: Expr,
}

/// A sort as it is written.
#[derive(Clone, Debug)]
pub struct SortExpr {
    /// What it is.
    pub kind: SortKind,
    /// Where it stands.
    pub span: Span,
}

/// The ways to write a sort.
#[derive(Clone, Debug)]
pub enum SortKind {
    /// `bool`
    Bool,
    /// A sort that is declared, or offered by the model.
    Name(Ident),
    /// `0..7`
    Range(Box<Expr>, Box<Expr>),
    /// `T[1..k]`
    Vector(Box<SortExpr>, Box<Expr>, Box<Expr>),
}

/// A formula, a term, or a static expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The ways to write an expression. The fields are the parts of what stands above each.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the syntax above a variant shows what its fields are")]
pub enum ExprKind {
    /// `true` or `false`
    Bool(bool),
    /// A number, not negative.
    Int(i64),
    /// `"Main.f$v137"`: a text of a symbol sort
    Text(Rc<str>),
    /// A variable, parameter, constant, index, enum value, or a relation without columns.
    Name(Ident),
    /// `x.f`, or a fact of a vocabulary: `program.threads`. No blank may follow the dot.
    Field(Box<Expr>, Ident),
    /// `v[e]`
    Index(Box<Expr>, Box<Expr>),
    /// `v[a..b]`, `v[..b]`, `v[a..]`
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `v[i := x]`
    Update(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `{ r with f = x, g = y }`
    With(Box<Expr>, Vec<(Ident, Expr)>),
    /// `Game { who = Eve, fresh = true }`
    Record(Ident, Vec<(Ident, Expr)>),
    /// `[x, y]`
    Vector(Vec<Expr>),
    /// `R(t, …)`, `R[i, j](t, …)`, also the static functions `min(a, b)` and `max(a, b)`
    Apply { name: Ident, indices: Vec<Expr>, args: Vec<Expr> },
    /// `R[i, j]` without columns: an instance as an argument of a family. `R[i]` is an `Index`.
    Instance { name: Ident, indices: Vec<Expr> },
    /// `{ (x, y) | φ }`: a relation as an argument of a family
    Comprehension { binders: Vec<Binder>, body: Box<Expr> },
    /// `bool`, `bool[1..2]`: a sort as an argument of a family. Those with names look like other expressions.
    Sort(SortExpr),
    /// `given R(t)`, `within R(t)`, `outside R(t)`, `R(t) by i at k`: how the derivation of an atom belongs to a run
    Marked { follow: Option<Follow>, by: Option<Box<Expr>>, at: Option<Box<Expr>>, atom: Box<Expr> },
    /// `!φ`
    Not(Box<Expr>),
    /// Unary minus, static only.
    Negate(Box<Expr>),
    /// `a & b & c`: two or more
    And(Vec<Expr>),
    /// `a | b | c`: two or more
    Or(Vec<Expr>),
    /// Two expressions with an operator between them.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `exists x, y: T. φ`, `forall x. φ`
    Quantified { quantifier: Quantifier, binders: Vec<Binder>, body: Box<Expr> },
    /// `some i in 1..k: φ`, `each i in 1..k, j in 1..i: φ`
    Unrolled { unroll: Unroll, indices: Vec<IndexBinder>, body: Box<Expr> },
}

/// Which derivations are followed where a run is made of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Follow {
    /// `given`: a condition that is no part of the run.
    Given,
    /// `within`: the part of its derivation that is not `outside`.
    Within,
    /// `outside`: left out of what is followed `within`.
    Outside,
}

/// From the loosest to the tightest: `<->`, `->` (right associative), `|`, `&`, the comparisons (do not
/// chain), `++`, `+ -`, `* / %`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `<->`
    Iff,
    /// `->`
    Implies,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `++`
    Concat,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

/// How a variable is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `exists`: some value does.
    Exists,
    /// `forall`: every value does.
    Forall,
}

/// How the instances of an unrolled formula are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unroll {
    /// `some`: a disjunction
    Some,
    /// `each`: a conjunction
    Each,
}

/// A quantified variable. In `x, y: T` both have the sort T.
#[derive(Clone, Debug)]
pub struct Binder {
    /// The variable.
    pub name: Ident,
    /// Its sort, if it is written.
    pub sort: Option<SortExpr>,
}
