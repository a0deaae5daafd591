//! Names that other languages accept, and the columns of a predicate there: a sort of bits has a column for each.

use super::clauses::{Clauses, ExportClause};
use calculus::elaborate::core::Arg;
use calculus::sort::{Sort, SortId, Sorts, Value, Width};
use std::collections::{BTreeMap, BTreeSet};

/// How a language writes a value of a scalar sort.
pub type Constant = fn(&Sorts, SortId, &Value) -> String;

/// What a scalar column is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnShape {
    Bool,
    /// A number from the first to the second.
    Number(i64, i64),
    /// So many Booleans.
    Bits(u16),
}

pub fn shape(sorts: &Sorts, sort: SortId) -> ColumnShape {
    match sorts.get(sort) {
        Sort::Bool => ColumnShape::Bool,
        Sort::Range { lo, hi, .. } => ColumnShape::Number(*lo, *hi),
        Sort::Enum { values, .. } => ColumnShape::Number(0, values.len() as i64 - 1),
        Sort::Symbol { .. } => ColumnShape::Number(0, sorts.texts(sort).len() as i64 - 1),
        Sort::Opaque { width: Width::Values(count), .. } => ColumnShape::Number(0, *count as i64 - 1),
        Sort::Opaque { width: Width::Bits(bits), .. } => ColumnShape::Bits(*bits as u16),
        Sort::Record { .. } | Sort::Vector { .. } => unreachable!("columns are scalar"),
    }
}

/// A name for each predicate: its title as far as letters, digits and `_` go, and no two the same.
pub fn predicates(clauses: &Clauses, adapt: impl Fn(String) -> String, reserved: &[&str]) -> Vec<String> {
    let mut taken = reserved.iter().map(|word| word.to_string()).collect::<BTreeSet<_>>();
    let name = |title: &str| {
        let mut out = String::new();
        for c in title.chars() {
            match c {
                '\'' => out.push_str("_prime"),
                c if c.is_ascii_alphanumeric() => out.push(c),
                _ if out.ends_with('_') => {}
                _ => out.push('_'),
            }
        }
        adapt(out.trim_end_matches('_').to_string())
    };
    let names = clauses.predicates.iter().map(|predicate| {
        let plain = name(&predicate.title);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let free = [plain.clone()].into_iter().chain(numbered).find(|name| !taken.contains(name));
        let free = free.expect("there are more numbers than names");
        taken.insert(free.clone());
        free
    });
    names.collect()
}

/// A clause that is being written, and what its predicates are called.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    pub sorts: &'a Sorts,
    pub names: &'a [String],
    pub clauses: &'a Clauses,
    pub clause: &'a ExportClause,
}

impl Written<'_> {
    /// The terms of all arguments of a predicate.
    pub fn terms(
        &self,
        variables: &Variables,
        predicate: usize,
        args: &[Arg],
        constant: Constant,
    ) -> Vec<String> {
        let columns = &self.clauses.predicates[predicate].columns;
        args.iter().zip(columns).flat_map(|(arg, sort)| variables.terms(arg, *sort, constant)).collect()
    }
}

/// The variables of a clause. Bits that are equal have one name.
pub struct Variables<'a> {
    sorts: &'a Sorts,
    letter: char,
    equal: BTreeMap<(usize, u16), (usize, u16)>,
}

impl<'a> Variables<'a> {
    pub fn new(sorts: &'a Sorts, clause: &ExportClause, letter: char) -> Variables<'a> {
        let mut variables = Variables { sorts, letter, equal: BTreeMap::new() };
        for (left, right) in &clause.equal {
            let (left, right) = (variables.first(*left), variables.first(*right));
            if left != right {
                variables.equal.insert(left.max(right), left.min(right));
            }
        }
        variables
    }

    fn first(&self, mut bit: (usize, u16)) -> (usize, u16) {
        while let Some(&other) = self.equal.get(&bit) {
            bit = other;
        }
        bit
    }

    pub fn name(&self, var: usize) -> String {
        format!("{}{var}", self.letter)
    }

    pub fn bit_name(&self, var: usize, bit: u16) -> String {
        let (var, bit) = self.first((var, bit));
        format!("{}{var}_{bit}", self.letter)
    }

    /// The names that a variable takes, in the order of the columns.
    pub fn names(&self, var: usize, sort: SortId) -> Vec<String> {
        match shape(self.sorts, sort) {
            ColumnShape::Bits(bits) => (0..bits).map(|bit| self.bit_name(var, bit)).collect(),
            ColumnShape::Bool | ColumnShape::Number(..) => vec![self.name(var)],
        }
    }

    /// The terms of an argument, in the order of the columns.
    pub fn terms(&self, arg: &Arg, sort: SortId, constant: Constant) -> Vec<String> {
        match arg {
            Arg::Var(var) => self.names(*var, sort),
            Arg::Const(Value::Bits(bits)) => {
                let bits = bits.iter().map(|bit| constant(self.sorts, Sorts::BOOL, &Value::Bool(*bit)));
                bits.collect()
            }
            Arg::Const(value) => vec![constant(self.sorts, sort, value)],
        }
    }
}
