//! What a formula may speak of where it stands, and the choices made at random.

use super::TEXTS;
use super::draft::{Declared, Index, Sort, SortItem, Term};
use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

/// A source of choices.
pub struct Dice {
    rng: TestRng,
}

impl Dice {
    pub fn new(rng: TestRng) -> Dice {
        Dice { rng }
    }

    pub fn below(&mut self, end: usize) -> usize {
        assert!(end > 0, "something to choose from");
        (self.rng.next_u64() % end as u64) as usize
    }

    pub fn from(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    /// True so many times out of a hundred.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn pick<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        &choices[self.below(choices.len())]
    }

    /// The position of one of the weights.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (at, &weight) in weights.iter().enumerate() {
            if left < weight {
                return at;
            }
            left -= weight;
        }
        unreachable!("less than the sum")
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            let other = self.below(end);
            items.swap(end - 1, other);
        }
    }
}

/// A static index in scope, with what is known of its value.
#[derive(Clone, Debug)]
pub struct Static {
    pub name: String,
    pub lo: i64,
    pub hi: i64,
    /// At most another index plus a number.
    pub upto: Option<Index>,
}

/// What is in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub vars: Vec<(String, Sort)>,
    pub statics: Vec<Static>,
    /// How often the formula is evaluated: the product of the sizes of all variables around it.
    pub cost: usize,
}

impl Scope {
    pub fn bounds(&self, index: &Index) -> (i64, i64) {
        match &index.var {
            None => (index.plus, index.plus),
            Some(var) => {
                let known =
                    self.statics.iter().rev().find(|known| known.name == *var).expect("an index in scope");
                (known.lo + index.plus, known.hi + index.plus)
            }
        }
    }

    /// Whether one static number is certainly at most another.
    pub fn at_most(&self, left: &Index, right: &Index) -> bool {
        if left.var == right.var {
            return left.plus <= right.plus;
        }
        let upto = left.var.as_ref().and_then(|var| {
            let known = self.statics.iter().rev().find(|known| known.name == *var)?;
            let limit = known.upto.as_ref()?;
            Some(Index { var: limit.var.clone(), plus: limit.plus + left.plus })
        });
        self.bounds(left).1 <= self.bounds(right).0 || upto.is_some_and(|limit| self.at_most(&limit, right))
    }

    pub fn inside(&self, index: &Index, lo: &Index, hi: &Index) -> bool {
        self.at_most(lo, index) && self.at_most(index, hi)
    }

    /// Static numbers worth trying as an index.
    pub fn indices(&self) -> Vec<Index> {
        let numbers = (-1..=4).map(Index::of);
        let vars = self.statics.iter().flat_map(|known| [-1, 0, 1].map(|plus| Index::var(&known.name, plus)));
        numbers.chain(vars).collect()
    }
}

/// The sorts of a file.
#[derive(Clone, Debug, Default)]
pub struct SortTable {
    pub items: Vec<SortItem>,
    /// Sorts to use for columns and variables.
    pub pool: Vec<Sort>,
    /// The ones most columns have, so that relations can be joined.
    pub main: Vec<Sort>,
}

impl SortTable {
    pub fn declared(&self, name: &str) -> &Declared {
        &self.items.iter().find(|item| item.name == name).expect("a declared sort").declared
    }

    pub fn pick(&self, dice: &mut Dice) -> Sort {
        let choices = if dice.percent(75) { &self.main } else { &self.pool };
        dice.pick(choices).clone()
    }

    /// The most values the sort has, whatever the indices in scope.
    pub fn size(&self, sort: &Sort, scope: &Scope) -> usize {
        match sort {
            Sort::Bool => 2,
            Sort::Range(lo, hi) => (hi - lo + 1) as usize,
            Sort::Named(name) => match self.declared(name) {
                Declared::Enum(values) => values.len(),
                Declared::Symbol => TEXTS.len(),
                Declared::Range(lo, hi) => (hi - lo + 1) as usize,
                Declared::Record(fields) => fields.iter().map(|(_, sort)| self.size(sort, scope)).product(),
            },
            Sort::Vector(element, lo, hi) => {
                let length = scope.bounds(hi).1 - scope.bounds(lo).0 + 1;
                self.size(element, scope).pow(length.max(0) as u32)
            }
        }
    }

    /// The ends of a range.
    pub fn range(&self, sort: &Sort) -> Option<(i64, i64)> {
        match sort {
            Sort::Range(lo, hi) => Some((*lo, *hi)),
            Sort::Named(name) => match self.declared(name) {
                Declared::Range(lo, hi) => Some((*lo, *hi)),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn ordered(&self, sort: &Sort) -> bool {
        self.range(sort).is_some()
            || matches!(sort, Sort::Named(name) if matches!(self.declared(name), Declared::Enum(_)))
    }

    pub fn fields(&self, sort: &Sort) -> Option<&[(String, Sort)]> {
        match sort {
            Sort::Named(name) => match self.declared(name) {
                Declared::Record(fields) => Some(fields),
                _ => None,
            },
            _ => None,
        }
    }

    /// All variables in scope and their parts.
    pub fn parts(&self, scope: &Scope) -> Vec<(Term, Sort)> {
        let mut out =
            scope.vars.iter().map(|(name, sort)| (Term::Var(name.clone()), sort.clone())).collect::<Vec<_>>();
        let mut at = 0;
        while at < out.len() && out.len() < 60 {
            let (term, sort) = out[at].clone();
            if let Some(fields) = self.fields(&sort) {
                let field = |(name, sort): &(String, Sort)| {
                    (Term::Field(Box::new(term.clone()), name.clone()), sort.clone())
                };
                out.extend(fields.iter().map(field));
            }
            if let Sort::Vector(element, lo, hi) = &sort {
                for index in scope.indices() {
                    if scope.inside(&index, lo, hi) {
                        out.push((Term::Element(Box::new(term.clone()), index), (**element).clone()));
                    }
                }
            }
            at += 1;
        }
        out
    }

    /// A constant of a sort, unless its length depends on an index.
    pub fn constant(&self, sort: &Sort, dice: &mut Dice) -> Option<String> {
        Some(match sort {
            Sort::Bool => dice.percent(50).to_string(),
            Sort::Range(lo, hi) => dice.from(*lo, *hi).to_string(),
            Sort::Named(name) => match self.declared(name) {
                Declared::Enum(values) => dice.pick(values).clone(),
                Declared::Symbol => quoted(TEXTS[dice.below(TEXTS.len())]),
                Declared::Range(lo, hi) => dice.from(*lo, *hi).to_string(),
                Declared::Record(fields) => {
                    let mut parts = Vec::new();
                    for (field, sort) in fields {
                        parts.push(format!("{field} = {}", self.constant(sort, dice)?));
                    }
                    format!("{name} {{ {} }}", parts.join(", "))
                }
            },
            Sort::Vector(element, Index { var: None, plus: lo }, Index { var: None, plus: hi }) => {
                let parts = (*lo..=*hi).map(|_| self.constant(element, dice)).collect::<Option<Vec<_>>>()?;
                format!("[{}]", parts.join(", "))
            }
            Sort::Vector(..) => return None,
        })
    }
}

/// A text as the language writes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
