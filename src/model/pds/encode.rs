//! From a pushdown system to the vocabulary `pushdown`.
//!
//! A stack symbol is a location without data: 0 is the bottom, then come the symbols in the order of their numbers, then
//! the names of the levels of initial stacks. Rules that differ in the control states alone are one row, with a condition
//! on the bits of both states.

use super::configuration::shown;
use super::show::Names;
use super::system::{Right, System, Top};
use crate::model::schema::pushdown::{
    EMPTY, INITIAL, MERGE, OVERWRITE, POP, PUSH, PushdownContents, REST, START, SymbolLeaves, TARGET,
    TARGET_TOP,
};
use calculus::sort::{Value, Width};
use calculus::span::Sources;
use calculus::vocabulary::{Bit, BitExpr, EqualBits, Row, Vocabulary};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which location a symbol has.
pub struct Layout {
    /// In order.
    pub symbols: Vec<u32>,
    /// How many names of levels there are.
    pub levels: usize,
    /// How many control states there are.
    pub shared: u32,
}

/// How many bits numbers below this one take.
fn bits(values: u64) -> u16 {
    (u64::BITS - values.saturating_sub(1).leading_zeros()) as u16
}

impl Layout {
    pub fn new(system: &System) -> Layout {
        let mut symbols = (0..system.threads.len()).flat_map(|at| system.symbols(at)).collect::<Vec<_>>();
        let tops = system.targets.iter().flat_map(|target| &target.tops);
        symbols.extend(tops.filter_map(|top| match top {
            Some(Top::Symbol(symbol)) => Some(*symbol),
            _ => None,
        }));
        symbols.sort_unstable();
        symbols.dedup();
        let deepest = system.initial.stacks.iter().map(Vec::len).max().unwrap_or(0);
        Layout { symbols, levels: deepest + 1, shared: system.shared }
    }

    pub fn location(&self, top: Top) -> u64 {
        match top {
            Top::Bottom => 0,
            Top::Symbol(symbol) => {
                1 + self.symbols.binary_search(&symbol).expect("all symbols were collected") as u64
            }
        }
    }

    /// The symbol at a location, unless it is the name of a level.
    pub fn top(&self, location: u64) -> Option<Top> {
        match location {
            0 => Some(Top::Bottom),
            _ => self.symbols.get(location as usize - 1).map(|symbol| Top::Symbol(*symbol)),
        }
    }

    /// The name of a level of an initial stack, from its top.
    fn level(&self, level: usize) -> u64 {
        (1 + self.symbols.len() + level) as u64
    }

    fn locations(&self) -> u64 {
        (1 + self.symbols.len() + self.levels) as u64
    }
}

fn at(leaves: SymbolLeaves, location: u64) -> (u16, Value) {
    (leaves.pc, Value::Name(location))
}

fn fixed(fixed: Vec<(u16, Value)>) -> Row {
    Row { fixed, core: BitExpr::Const(true), equal: Vec::new() }
}

/// All bits of a scalar equal those of another one.
fn equal(left: u16, right: u16, count: u16) -> EqualBits {
    EqualBits { left: Bit { leaf: left, bit: 0 }, right: Bit { leaf: right, bit: 0 }, count }
}

/// The vocabulary of a system.
pub fn encode(system: &System, layout: &Rc<Layout>, sources: &Sources) -> Vocabulary {
    let threads = 0..system.threads.len();
    let rules = threads.clone().map(|thread| ThreadRows::new(system, layout, thread)).collect::<Vec<_>>();
    let merge: Rc<[Row]> = vec![merge(layout)].into();
    let stacks = threads.clone().map(|thread| initial_stack(system, layout, thread)).collect::<Vec<_>>();
    let contents = PushdownContents {
        locations: layout.locations(),
        local_bits: 0,
        shared: Width::Values(u64::from(system.shared)),
        result: Width::Values(1),
        patterns: system.targets.len() as u64,
        initial: vec![fixed(vec![(INITIAL.shared("s"), Value::Name(u64::from(system.initial.shared)))])],
        start: stacks.iter().map(|(start, _)| Rc::clone(start)).collect(),
        rest: stacks.into_iter().map(|(_, rest)| rest).collect(),
        overwrite: rules.iter().map(|rows| Rc::clone(&rows.overwrite)).collect(),
        push: rules.iter().map(|rows| Rc::clone(&rows.push)).collect(),
        pop: rules.iter().map(|rows| Rc::clone(&rows.pop)).collect(),
        merge: threads.clone().map(|_| Rc::clone(&merge)).collect(),
        empty: vec![fixed(vec![at(EMPTY.symbol("a"), layout.location(Top::Bottom))])],
        target: targets(system),
        target_top: threads.map(|thread| target_tops(system, layout, thread)).collect(),
        approximations: Vec::new(),
    };
    let targets = system.targets.iter().map(|target| shown(target, sources)).collect();
    contents.vocabulary(Rc::new(Names { layout: Rc::clone(layout), targets }))
}

/// `merge(s, y, c, s', a)`: nothing is handed down, so that s' = s and a = c.
fn merge(layout: &Layout) -> Row {
    let (under, next) = (MERGE.symbol("c"), MERGE.symbol("a"));
    let equal = vec![
        equal(MERGE.shared("s"), MERGE.shared("s'"), bits(u64::from(layout.shared))),
        equal(under.pc, next.pc, bits(layout.locations())),
    ];
    Row { fixed: Vec::new(), core: BitExpr::Const(true), equal }
}

/// `start(a, e)` and `rest(e, c, e')`: the initial stack of a thread, with the bottom.
fn initial_stack(system: &System, layout: &Layout, thread: usize) -> (Rc<[Row]>, Rc<[Row]>) {
    let symbols = system.initial.stacks[thread].iter().map(|symbol| Top::Symbol(*symbol));
    let word = symbols.chain([Top::Bottom]).map(|top| layout.location(top)).collect::<Vec<_>>();
    let start = vec![at(START.symbol("a"), word[0]), at(START.symbol("e"), layout.level(0))];
    let rest = (1..word.len()).map(|depth| {
        fixed(vec![
            at(REST.symbol("e"), layout.level(depth - 1)),
            at(REST.symbol("c"), word[depth]),
            at(REST.symbol("e'"), layout.level(depth)),
        ])
    });
    (vec![fixed(start)].into(), rest.collect::<Vec<_>>().into())
}

fn targets(system: &System) -> Vec<Row> {
    let row = |(number, shared): (u64, &Option<u32>)| {
        let state = shared.map(|state| (TARGET.shared("s"), Value::Name(u64::from(state))));
        fixed([(TARGET.pattern("i"), Value::Name(number))].into_iter().chain(state).collect())
    };
    (0..).zip(system.targets.iter().map(|target| &target.shared)).map(row).collect()
}

/// What thread t has on top in each target. If that may be anything, it is the bottom or one of its symbols.
fn target_tops(system: &System, layout: &Layout, thread: usize) -> Rc<[Row]> {
    let any = [Top::Bottom].into_iter().chain(system.symbols(thread).into_iter().map(Top::Symbol));
    let any = any.collect::<Vec<_>>();
    let mut rows = Vec::new();
    for (number, target) in (0..).zip(&system.targets) {
        let tops = target.tops[thread].as_ref().map_or(&any[..], std::slice::from_ref);
        rows.extend(tops.iter().map(|top| {
            let top = at(TARGET_TOP.symbol("a"), layout.location(*top));
            fixed(vec![(TARGET_TOP.pattern("i"), Value::Name(number)), top])
        }));
    }
    rows.into()
}

/// The rules of a thread, by what they do to the stack.
struct ThreadRows {
    overwrite: Rc<[Row]>,
    push: Rc<[Row]>,
    pop: Rc<[Row]>,
}

/// The pairs of control states for which each choice of symbols has a rule.
type Grouped<const N: usize> = BTreeMap<[u64; N], Vec<(u32, u32)>>;

impl ThreadRows {
    fn new(system: &System, layout: &Layout, thread: usize) -> ThreadRows {
        let (mut overwrite, mut push, mut pop) =
            (Grouped::<2>::new(), Grouped::<3>::new(), Grouped::<1>::new());
        let symbol = |symbol: u32| layout.location(Top::Symbol(symbol));
        for rule in &system.threads[thread].rules {
            let (top, states) = (layout.location(rule.top), (rule.from, rule.to));
            match (rule.top, rule.right) {
                (Top::Bottom, Right::Overwrite(pushed)) => {
                    push.entry([top, symbol(pushed), top]).or_default().push(states);
                }
                (_, Right::Pop) => pop.entry([top]).or_default().push(states),
                (_, Right::Overwrite(next)) => overwrite.entry([top, symbol(next)]).or_default().push(states),
                (_, Right::Push(pushed, under)) => {
                    push.entry([top, symbol(pushed), symbol(under)]).or_default().push(states);
                }
            }
        }
        let shared =
            |relation: &crate::model::schema::RelationSchema| (relation.shared("s"), relation.shared("s'"));
        let columns = [OVERWRITE.symbol("a"), OVERWRITE.symbol("b")];
        let overwrite = rows(overwrite, columns, shared(&OVERWRITE), system.shared);
        let columns = [PUSH.symbol("a"), PUSH.symbol("b"), PUSH.symbol("c")];
        let push = rows(push, columns, shared(&PUSH), system.shared);
        ThreadRows { overwrite, push, pop: rows(pop, [POP.symbol("a")], shared(&POP), system.shared) }
    }
}

fn rows<const N: usize>(
    grouped: Grouped<N>,
    columns: [SymbolLeaves; N],
    (before, after): (u16, u16),
    shared: u32,
) -> Rc<[Row]> {
    let width = bits(u64::from(shared));
    let rows = grouped.into_iter().map(|(locations, mut pairs)| {
        let fixed = columns.into_iter().zip(locations).map(|(leaves, location)| at(leaves, location));
        let fixed = fixed.collect();
        pairs.sort_unstable();
        pairs.dedup();
        // In every control state, which stays as it is.
        if pairs.len() == shared as usize && pairs.iter().all(|(from, to)| from == to) {
            let equal = vec![equal(before, after, width)];
            return Row { fixed, core: BitExpr::Const(true), equal };
        }
        let mut codes = pairs.iter().map(|(from, to)| interleaved(*from, *to)).collect::<Vec<_>>();
        codes.sort_unstable();
        Row { fixed, core: one_of(&codes, 2 * width, (before, after), width), equal: Vec::new() }
    });
    rows.collect::<Vec<_>>().into()
}

/// The bits of two numbers in turn.
fn interleaved(from: u32, to: u32) -> u64 {
    (0..u32::BITS).fold(0, |code, bit| {
        code | u64::from(from >> bit & 1) << (2 * bit + 1) | u64::from(to >> bit & 1) << (2 * bit)
    })
}

/// Whether two scalars have one of these codes, which agree in all bits but the last `open` ones and are in order.
fn one_of(codes: &[u64], open: u16, leaves: (u16, u16), width: u16) -> BitExpr {
    let literal = |bit: u16, value: bool| {
        let leaf = if bit % 2 == 1 { leaves.0 } else { leaves.1 };
        let bit = BitExpr::Bit(Bit { leaf, bit: width - 1 - bit / 2 });
        if value { bit } else { BitExpr::Not(Rc::new(bit)) }
    };
    match codes {
        [] => BitExpr::Const(false),
        [code] => BitExpr::And((0..open).rev().map(|bit| literal(bit, code >> bit & 1 == 1)).collect()),
        _ if codes.len() as u64 == 1 << open => BitExpr::Const(true),
        _ => {
            let bit = open - 1;
            let half = codes.partition_point(|code| code >> bit & 1 == 0);
            let parts = [(&codes[..half], false), (&codes[half..], true)].into_iter();
            let parts = parts.filter(|(codes, _)| !codes.is_empty()).map(|(codes, value)| {
                BitExpr::And(vec![literal(bit, value), one_of(codes, bit, leaves, width)])
            });
            BitExpr::Or(parts.collect())
        }
    }
}
