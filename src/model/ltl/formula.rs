//! Formulas of linear temporal logic, and the form in which negation stands only before atoms.

/// A formula as it is written. Atoms are numbered; what they mean is said elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    Constant(bool),
    Atom(usize),
    Not(Box<Formula>),
    /// In the next position.
    Next(Box<Formula>),
    /// In some position from now on.
    Finally(Box<Formula>),
    /// In all positions from now on.
    Globally(Box<Formula>),
    Both(Connective, Box<Formula>, Box<Formula>),
}

/// What joins two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    And,
    Or,
    Implies,
    Iff,
    /// The left one holds until the right one does, and the right one will.
    Until,
    /// The same, but the right one need not ever hold.
    WeakUntil,
    /// The right one holds up to and including the position where the left one does, or for ever.
    Release,
    /// The same, and the left one will hold.
    StrongRelease,
}

/// A formula in negation normal form. The order is the order in which sets of them are kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Normal {
    Constant(bool),
    /// An atom, and whether it holds.
    Literal(usize, bool),
    And(Box<Normal>, Box<Normal>),
    Or(Box<Normal>, Box<Normal>),
    Next(Box<Normal>),
    Until(Box<Normal>, Box<Normal>),
    Release(Box<Normal>, Box<Normal>),
}

impl Formula {
    /// The formula, or its negation, in negation normal form.
    pub fn normal(&self, holds: bool) -> Normal {
        use Connective::*;
        let of = |formula: &Formula, holds| formula.normal(holds);
        match self {
            Formula::Constant(value) => Normal::Constant(*value == holds),
            Formula::Atom(atom) => Normal::Literal(*atom, holds),
            Formula::Not(inner) => inner.normal(!holds),
            Formula::Next(inner) => next(inner.normal(holds)),
            Formula::Finally(inner) if holds => until(Normal::Constant(true), of(inner, true)),
            Formula::Finally(inner) => release(Normal::Constant(false), of(inner, false)),
            Formula::Globally(inner) if holds => release(Normal::Constant(false), of(inner, true)),
            Formula::Globally(inner) => until(Normal::Constant(true), of(inner, false)),
            Formula::Both(connective, left, right) => match (connective, holds) {
                (And, true) | (Or, false) => and(of(left, holds), of(right, holds)),
                (Or, true) | (And, false) => or(of(left, holds), of(right, holds)),
                (Implies, true) => or(of(left, false), of(right, true)),
                (Implies, false) => and(of(left, true), of(right, false)),
                (Iff, _) => {
                    or(and(of(left, true), of(right, holds)), and(of(left, false), of(right, !holds)))
                }
                (Until, true) | (Release, false) => until(of(left, holds), of(right, holds)),
                (Release, true) | (Until, false) => release(of(left, holds), of(right, holds)),
                // a W b = b R (a | b), a M b = b U (a & b)
                (WeakUntil, true) => release(of(right, true), or(of(left, true), of(right, true))),
                (WeakUntil, false) => until(of(right, false), and(of(left, false), of(right, false))),
                (StrongRelease, true) => until(of(right, true), and(of(left, true), of(right, true))),
                (StrongRelease, false) => release(of(right, false), or(of(left, false), of(right, false))),
            },
        }
    }
}

fn and(left: Normal, right: Normal) -> Normal {
    match (left, right) {
        (Normal::Constant(true), other) | (other, Normal::Constant(true)) => other,
        (Normal::Constant(false), _) | (_, Normal::Constant(false)) => Normal::Constant(false),
        (left, right) if left == right => left,
        (left, right) => Normal::And(Box::new(left), Box::new(right)),
    }
}

fn or(left: Normal, right: Normal) -> Normal {
    match (left, right) {
        (Normal::Constant(false), other) | (other, Normal::Constant(false)) => other,
        (Normal::Constant(true), _) | (_, Normal::Constant(true)) => Normal::Constant(true),
        (left, right) if left == right => left,
        (left, right) => Normal::Or(Box::new(left), Box::new(right)),
    }
}

fn next(inner: Normal) -> Normal {
    match inner {
        Normal::Constant(value) => Normal::Constant(value),
        inner => Normal::Next(Box::new(inner)),
    }
}

fn until(left: Normal, right: Normal) -> Normal {
    match (left, right) {
        (_, Normal::Constant(value)) => Normal::Constant(value),
        (Normal::Constant(false), right) => right,
        // F F a = F a, and a U (a U b) = a U b
        (left, Normal::Until(same, right)) if left == *same => Normal::Until(same, right),
        (left, right) => Normal::Until(Box::new(left), Box::new(right)),
    }
}

fn release(left: Normal, right: Normal) -> Normal {
    match (left, right) {
        (_, Normal::Constant(value)) => Normal::Constant(value),
        (Normal::Constant(true), right) => right,
        (left, Normal::Release(same, right)) if left == *same => Normal::Release(same, right),
        (left, right) => Normal::Release(Box::new(left), Box::new(right)),
    }
}
