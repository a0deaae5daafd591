//! A random file before it is text: just enough structure to grow it well-sorted and to shrink it.

/// A static number: `3`, `i`, `i - 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    pub var: Option<String>,
    pub plus: i64,
}

impl Index {
    pub fn of(number: i64) -> Index {
        Index { var: None, plus: number }
    }

    pub fn var(name: &str, plus: i64) -> Index {
        Index { var: Some(name.into()), plus }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    Bool,
    Named(String),
    Range(i64, i64),
    Vector(Box<Sort>, Index, Index),
}

#[derive(Clone, Debug)]
pub enum Declared {
    Enum(Vec<String>),
    Range(i64, i64),
    /// Its values are the texts that the file has.
    Symbol,
    Record(Vec<(String, Sort)>),
}

#[derive(Clone, Debug)]
pub struct SortItem {
    pub name: String,
    pub keyed: bool,
    pub declared: Declared,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Var(String),
    Const(String),
    Static(Index),
    Field(Box<Term>, String),
    Element(Box<Term>, Index),
    Slice(Box<Term>, Option<Index>, Option<Index>),
    Concat(Box<Term>, Box<Term>),
    Update(Box<Term>, Index, Box<Term>),
    With(Box<Term>, Vec<(String, Term)>),
    Record(String, Vec<(String, Term)>),
    Vector(Vec<Term>),
    /// `+ - * / % min max`; static numbers in it are constants.
    Arithmetic(&'static str, Box<Term>, Box<Term>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    Const(bool),
    /// A comparison of static numbers.
    Static(Index, &'static str, Index),
    Holds(Term),
    Compare(&'static str, Term, Term),
    Atom(String, Option<Index>, Vec<Term>),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    /// `forall` or `exists`; a sort may be left to inference.
    Quantified(bool, Vec<(String, Option<Sort>)>, Box<Formula>),
    /// `each` or `some`
    Unrolled(bool, String, Index, Index, Box<Formula>),
}

#[derive(Clone, Debug)]
pub struct Definition {
    /// `let`, `mu`, `nu` or `query`, or a kind that follows the index.
    pub kind: &'static str,
    pub name: String,
    /// The index of a family with its first and last value.
    pub index: Option<(String, i64, i64)>,
    pub columns: Vec<(String, Sort)>,
    pub clauses: Vec<(Option<String>, Formula)>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Facts {
        name: String,
        columns: Vec<(String, Sort)>,
        rows: Vec<Vec<String>>,
    },
    /// Its name chooses its rows.
    Input {
        name: String,
        columns: Vec<(String, Sort)>,
    },
    Definition(Definition),
    Verdict {
        kind: &'static str,
        condition: Option<Formula>,
    },
    Hint {
        keyed: bool,
        sort: String,
    },
}

/// A file: its sorts, and then the other items in the order of the text.
#[derive(Clone, Debug)]
pub struct Draft {
    pub sorts: Vec<SortItem>,
    pub items: Vec<Item>,
}

impl Formula {
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.terms(&mut |term| found |= term.mentions(name));
        found
    }

    /// Whether a variable stands alone as an argument of an atom: then its sort need not be written.
    pub fn settles(&self, name: &str) -> bool {
        let is = |term: &Term| matches!(term, Term::Var(var) if var == name);
        match self {
            Formula::Atom(_, _, args) => args.iter().any(is),
            Formula::Const(_) | Formula::Static(..) | Formula::Holds(_) | Formula::Compare(..) => false,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| part.settles(name)),
            Formula::Implies(left, right) | Formula::Iff(left, right) => {
                left.settles(name) || right.settles(name)
            }
            Formula::Not(inner) | Formula::Quantified(_, _, inner) => inner.settles(name),
            // What is unrolled may vanish.
            Formula::Unrolled(..) => false,
        }
    }

    fn terms(&self, see: &mut impl FnMut(&Term)) {
        match self {
            Formula::Const(_) | Formula::Static(..) => {}
            Formula::Holds(term) => see(term),
            Formula::Compare(_, left, right) => [left, right].into_iter().for_each(see),
            Formula::Atom(_, _, args) => args.iter().for_each(see),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.terms(see)),
            Formula::Implies(left, right) | Formula::Iff(left, right) => {
                left.terms(see);
                right.terms(see);
            }
            Formula::Not(inner) | Formula::Quantified(_, _, inner) | Formula::Unrolled(_, _, _, _, inner) => {
                inner.terms(see)
            }
        }
    }
}

impl Term {
    fn mentions(&self, name: &str) -> bool {
        match self {
            Term::Var(var) => var == name,
            Term::Const(_) | Term::Static(_) => false,
            Term::Field(base, _) | Term::Element(base, _) | Term::Slice(base, ..) => base.mentions(name),
            Term::Concat(left, right) | Term::Update(left, _, right) | Term::Arithmetic(_, left, right) => {
                left.mentions(name) || right.mentions(name)
            }
            Term::With(base, fields) => {
                base.mentions(name) || fields.iter().any(|(_, value)| value.mentions(name))
            }
            Term::Record(_, fields) => fields.iter().any(|(_, value)| value.mentions(name)),
            Term::Vector(parts) => parts.iter().any(|part| part.mentions(name)),
        }
    }
}
