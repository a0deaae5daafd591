//! The chapter `ltl` of a vocabulary: the automaton, and what its letters say of a state.
//!
//! A letter has a bit for each basic fact. What thread t and the shared values say of a letter is `ltl_letter[t]`; what is
//! a fact about another thread is left open there, so that the letter of all threads together is the one that all
//! of them agree on.

use super::automaton::Automaton;
use super::{Checked, NAME};
use crate::model::schema::{self, ProgramFacts, pushdown};
use calculus::sort::{Value, Width};
use calculus::vocabulary::{Bit, BitExpr, OfferedRelation, OfferedSort, Row, Vocabulary};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Something that holds in a state or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basic {
    /// A shared variable has one of these values.
    Shared(Code),
    /// The shared value is this one.
    SharedValue(u64),
    /// A variable that thread t has of its own has one of these values.
    Own { thread: usize, code: Code },
    /// Thread t is at one of these locations.
    At { thread: usize, locations: BTreeSet<u64> },
}

/// The code of a variable lies between two numbers, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its bits, from the least significant one on.
    pub bits: Vec<u16>,
    pub least: u64,
    pub most: u64,
}

impl Code {
    /// A truth value that is true.
    pub fn set(bit: u16) -> Code {
        Code { bits: vec![bit], least: 1, most: 1 }
    }

    fn in_leaf(&self, leaf: u16) -> BitExpr {
        // From the least significant bit on: `at_least` and `at_most` hold of the bits so far.
        let (mut at_least, mut at_most) = (BitExpr::Const(true), BitExpr::Const(true));
        for (at, bit) in self.bits.iter().enumerate() {
            let bit = Bit { leaf, bit: *bit };
            let [is_one, is_zero] = [true, false].map(|holds| literal(bit, holds));
            at_least = match self.least >> at & 1 {
                1 => BitExpr::And(vec![is_one.clone(), at_least]),
                _ => BitExpr::Or(vec![is_one.clone(), at_least]),
            };
            at_most = match self.most >> at & 1 {
                1 => BitExpr::Or(vec![is_zero, at_most]),
                _ => BitExpr::And(vec![is_zero, at_most]),
            };
        }
        BitExpr::And(vec![at_least, at_most])
    }
}

/// The columns before the letter, and the leaves in them.
pub struct Places {
    /// Names and sorts.
    columns: [(&'static str, &'static str); 2],
    pc: u16,
    /// A thread's own values.
    own: u16,
    shared: u16,
    /// The leaf behind all of these.
    letter: u16,
    shared_width: Width,
    locations: u64,
    threads: usize,
    /// A state for which this holds is not a part of the run, and has no letter.
    silent: Option<BitExpr>,
}

impl Places {
    /// The places in a vocabulary, if formulas can be about it: (q, s) in `program`, (s, a) in `pushdown`.
    /// A state for which `silent` holds is not a part of the runs that formulas are about.
    pub fn of(vocabulary: &Vocabulary, silent: Option<BitExpr>) -> Option<Places> {
        let width =
            |name: &str| vocabulary.sorts.iter().find(|sort| sort.name == name).map(|sort| sort.width);
        let threads = vocabulary.facts.iter().find(|(fact, _)| fact == ProgramFacts::THREADS)?.1;
        let Width::Values(locations) = width(schema::PC.name)? else { return None };
        let (q, a) = (
            (schema::STATE_FIELDS.len() as u16, schema::STATE),
            (pushdown::SYMBOL_FIELDS.len() as u16, pushdown::SYMBOL),
        );
        let (shared_width, threads) = (width(schema::SHARED.name)?, usize::try_from(threads).ok()?);
        let (columns, pc, shared, letter) = match vocabulary.name.as_str() {
            schema::NAME => ([("q", q.1), ("s", schema::SHARED.name)], 0, q.0, q.0 + 1),
            pushdown::NAME => ([("s", schema::SHARED.name), ("a", a.1)], 1, 0, a.0 + 1),
            _ => return None,
        };
        // In both records the values that a thread has of its own stand right behind the location, and first.
        Some(Places { columns, pc, own: pc + 1, shared, letter, shared_width, locations, threads, silent })
    }
}

const PLACE: &str = "Place";
const LETTER: &str = "Letter";

/// Adds the chapter to a vocabulary. Without a formula the relations are empty, and the fact `ltl.given` is 0.
pub fn add(vocabulary: &mut Vocabulary, places: &Places, checked: Option<&Checked>) {
    let (bits, count) =
        checked.map_or((0, 0), |checked| (checked.basics.len(), checked.violations.edges.len()));
    let sorts = vec![
        OfferedSort { name: PLACE.into(), width: Width::Values(count.max(1) as u64), keyed: false },
        OfferedSort { name: LETTER.into(), width: Width::Bits(bits as u32), keyed: false },
    ];
    let letters = (1..=places.threads)
        .map(|thread| checked.map_or(Rc::from([]), |checked| places.letters(&checked.basics, thread)));
    let letter_columns = places.columns.iter().chain([&("l", LETTER)]).copied().collect::<Vec<_>>();
    let rows = |rows: fn(&Automaton) -> Vec<Row>| {
        vec![checked.map_or(Rc::from([]), |checked| rows(&checked.violations).into())]
    };
    let relation = |name: &str, index, columns: &[(&str, &str)], instances| OfferedRelation {
        name: name.into(),
        index,
        columns: columns.iter().map(|(name, sort)| (name.to_string(), sort.to_string())).collect(),
        instances,
        moves: false,
    };
    let relations = vec![
        relation("ltl_initial", None, &[("x", PLACE)], rows(|automaton| set(&automaton.initial))),
        relation("ltl_accepting", None, &[("x", PLACE)], rows(|automaton| set(&automaton.accepting))),
        relation("ltl_next", None, &[("x", PLACE), ("l", LETTER), ("x'", PLACE)], rows(edges)),
        relation("ltl_letter", Some((1, places.threads as i64)), &letter_columns, letters.collect()),
    ];
    let given = i64::from(checked.is_some());
    vocabulary.add(NAME, vec![("given".into(), given)], sorts, relations);
}

fn place(leaf: u16, number: usize) -> (u16, Value) {
    (leaf, Value::Name(number as u64))
}

/// The places of a set.
fn set(places: &BTreeSet<usize>) -> Vec<Row> {
    let row = |number: &usize| Row {
        fixed: vec![place(0, *number)],
        core: BitExpr::Const(true),
        equal: Vec::new(),
    };
    places.iter().map(row).collect()
}

/// `ltl_next(x, l, x')`
fn edges(automaton: &Automaton) -> Vec<Row> {
    let mut rows = Vec::new();
    for (from, edges) in automaton.edges.iter().enumerate() {
        rows.extend(edges.iter().map(|edge| {
            let literals = edge.letter.iter().map(|(fact, holds)| literal(letter_bit(1, *fact), *holds));
            Row {
                fixed: vec![place(0, from), place(2, edge.to)],
                core: BitExpr::And(literals.collect()),
                equal: Vec::new(),
            }
        }));
    }
    rows
}

fn letter_bit(leaf: u16, fact: usize) -> Bit {
    Bit { leaf, bit: fact as u16 }
}

fn literal(bit: Bit, holds: bool) -> BitExpr {
    if holds { BitExpr::Bit(bit) } else { BitExpr::Not(Rc::new(BitExpr::Bit(bit))) }
}

impl Places {
    /// What a thread, at each location, says of a letter.
    fn letters(&self, basics: &[Basic], thread: usize) -> Rc<[Row]> {
        let row = |location: u64| {
            let facts = basics.iter().enumerate().filter_map(|(fact, basic)| {
                let bit = letter_bit(self.letter, fact);
                Some(match self.value(basic, thread, location)? {
                    BitExpr::Const(holds) => literal(bit, holds),
                    value => BitExpr::Not(Rc::new(BitExpr::Xor(Rc::new(BitExpr::Bit(bit)), Rc::new(value)))),
                })
            });
            let silent = self.silent.iter().map(|silent| BitExpr::Not(Rc::new(silent.clone())));
            Row {
                fixed: vec![(self.pc, Value::Name(location))],
                core: BitExpr::And(silent.chain(facts).collect()),
                equal: Vec::new(),
            }
        };
        (0..self.locations).map(row).collect()
    }

    /// Whether a fact holds of a thread at a location. Nothing if it is about another thread.
    fn value(&self, basic: &Basic, thread: usize, location: u64) -> Option<BitExpr> {
        match basic {
            Basic::Shared(code) => Some(code.in_leaf(self.shared)),
            Basic::SharedValue(value) => Some(self.shared_is(*value)),
            Basic::Own { thread: of, code } => (*of == thread).then(|| code.in_leaf(self.own)),
            Basic::At { thread: of, locations } => {
                (*of == thread).then(|| BitExpr::Const(locations.contains(&location)))
            }
        }
    }

    fn shared_is(&self, value: u64) -> BitExpr {
        let bits = match self.shared_width {
            Width::Bits(bits) => bits,
            Width::Values(values) => u64::BITS - values.saturating_sub(1).leading_zeros(),
        };
        // The first bit is the most significant one.
        let bits = (0..bits as u16).rev().collect();
        Code { bits, least: value, most: value }.in_leaf(self.shared)
    }
}
