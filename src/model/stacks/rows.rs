//! Rows of `program` as rows of `pushdown`: the same conditions at other places.

use super::{Alone, Translation, location};
use crate::model::schema::pushdown::{
    EMPTY, INITIAL, MERGE, OVERWRITE, POP, PUSH, REST, START, SymbolLeaves, TARGET, TARGET_TOP,
};
use crate::model::schema::{self, StateLeaves};
use calculus::sort::Value;
use calculus::vocabulary::{Bit, BitExpr, EqualBits, Row};
use std::rc::Rc;

/// Where the parts of a state of the program are.
#[derive(Clone, Copy)]
enum Place {
    Symbol(SymbolLeaves),
    /// What is handed down: behind the number of the exit.
    Result(u16),
}

/// A state of the program with the shared values beside it, and where they are.
struct Side {
    from: StateLeaves,
    to: Place,
    shared: Option<u16>,
}

fn side(from: StateLeaves, to: SymbolLeaves, shared: Option<u16>) -> Side {
    Side { from, to: Place::Symbol(to), shared }
}

fn and(parts: Vec<BitExpr>) -> BitExpr {
    let mut parts =
        parts.into_iter().filter(|part| !matches!(part, BitExpr::Const(true))).collect::<Vec<_>>();
    match parts.len() {
        0 => BitExpr::Const(true),
        1 => parts.remove(0),
        _ => BitExpr::And(parts),
    }
}

fn not(expr: BitExpr) -> BitExpr {
    BitExpr::Not(Rc::new(expr))
}

/// Neighbouring bits have this number.
fn number(first: Bit, width: u16, value: u64) -> BitExpr {
    let literal = |(at, bit): (u16, Bit)| {
        let bit_is = BitExpr::Bit(bit);
        if value >> (width - 1 - at) & 1 == 1 { bit_is } else { not(bit_is) }
    };
    and((0..width).zip(first.run(width)).map(literal).collect())
}

fn run(left: Bit, right: Bit, count: u16) -> Option<EqualBits> {
    (count > 0).then_some(EqualBits { left, right, count })
}

fn first(leaf: u16) -> Bit {
    Bit { leaf, bit: 0 }
}

/// `step(q, s, q', s')`, `call(q, s, e)` and `ret(q, x, sx, q', s')`
const STEP_FROM: StateLeaves = schema::STEP.side("q", "s");
const STEP_TO: StateLeaves = schema::STEP.side("q'", "s'");
const CALLER: StateLeaves = schema::CALL.side("q", "s");
const CALLEE: StateLeaves = schema::CALL.state("e");
const UNDER: StateLeaves = schema::RET.state("q");
const LEFT: StateLeaves = schema::RET.side("x", "sx");
const RETURNED: StateLeaves = schema::RET.side("q'", "s'");

impl Translation {
    /// A row with all its places moved.
    fn moved(&self, row: &Row, sides: &[Side]) -> Row {
        let place = |bit: Bit| self.place(bit, sides);
        let (mut fixed, mut core) = (Vec::new(), vec![moved(&row.core, &place)]);
        for (leaf, value) in &row.fixed {
            let side = sides.iter().find(|side| side.from.pc == *leaf);
            match (side.map(|side| side.to), value) {
                (Some(Place::Symbol(symbol)), _) => fixed.push((symbol.pc, value.clone())),
                (Some(Place::Result(leaf)), Value::Name(exit)) => {
                    let exit = self.exits.binary_search(exit).unwrap_or(0) as u64;
                    core.push(number(first(leaf), self.exit_bits(), exit));
                }
                (None, Value::Bits(bits)) => {
                    let bits = (0..).zip(bits).map(|(bit, is)| {
                        let there = BitExpr::Bit(place(Bit { leaf: *leaf, bit }));
                        if *is { there } else { not(there) }
                    });
                    core.extend(bits);
                }
                _ => unreachable!("a program fixes locations and bits"),
            }
        }
        let equal = row.equal.iter().map(|run| EqualBits {
            left: place(run.left),
            right: place(run.right),
            count: run.count,
        });
        Row { fixed, core: and(core), equal: equal.collect() }
    }

    fn place(&self, bit: Bit, sides: &[Side]) -> Bit {
        for side in sides {
            let (data, before) = match side.to {
                Place::Symbol(symbol) => (symbol.local, 0),
                Place::Result(leaf) => (leaf, self.exit_bits()),
            };
            if bit.leaf == side.from.own {
                return Bit { leaf: data, bit: before + bit.bit };
            }
            if bit.leaf == side.from.local {
                return Bit { leaf: data, bit: before + self.own_bits + bit.bit };
            }
            if side.from.shared == Some(bit.leaf)
                && let Some(leaf) = side.shared
            {
                return Bit { leaf, bit: bit.bit };
            }
        }
        unreachable!("every column of the program has its place")
    }

    /// Only this one may move in the control state at a leaf.
    fn is_alone(&self, shared: u16, alone: Alone) -> Option<BitExpr> {
        let code = self.code(alone)?;
        Some(number(Bit { leaf: shared, bit: self.shared_bits }, self.alone_bits(), code))
    }

    /// The control states, at a leaf, before the threads begin. Nothing if there is no `init`.
    pub fn before_threads(&self, shared: u16) -> Option<BitExpr> {
        self.is_alone(shared, Alone::Init)
    }

    /// Thread t may move in a control state.
    fn may_move(&self, thread: usize, shared: u16) -> BitExpr {
        let init = (thread == 1).then_some(Alone::Init);
        let who = [Some(Alone::Nobody), Some(Alone::Thread(thread)), init].into_iter().flatten();
        BitExpr::Or(who.filter_map(|alone| self.is_alone(shared, alone)).collect())
    }

    /// Thread t moves to a location, from one control state to another one. Others may move then if the location is a
    /// place for that; `init` leaves that to its end.
    fn turn(&self, thread: usize, (before, after): (u16, u16), (pc, state): (u64, SymbolLeaves)) -> BitExpr {
        let is = |shared: u16, alone: Alone| self.is_alone(shared, alone);
        let init = is(before, Alone::Init).filter(|_| thread == 1).zip(is(after, Alone::Init));
        let init = init.map(|(before, after)| and(vec![before, after]));
        let mine = is(before, Alone::Nobody).into_iter().chain(is(before, Alone::Thread(thread)));
        let mine = BitExpr::Or(mine.collect());
        let free = is(after, Alone::Nobody).unwrap_or(BitExpr::Const(true));
        let mine = match is(after, Alone::Thread(thread)) {
            None => and(vec![mine, free]),
            Some(kept) => {
                let at = schema::YIELD.side("q", "s");
                let sides = [side(at, state, Some(after))];
                let yields = self.yields.get(&pc).into_iter().flatten();
                let yields = yields.map(|core| moved(core, &|bit| self.place(bit, &sides)));
                let yields = BitExpr::Or(yields.collect());
                let open = and(vec![yields.clone(), free]);
                and(vec![mine, BitExpr::Or(vec![open, and(vec![not(yields), kept])])])
            }
        };
        BitExpr::Or(init.into_iter().chain([mine]).collect())
    }

    /// Only threads that come to a location have rules there.
    fn comes_to(&self, thread: usize, pc: Option<u64>) -> Option<u64> {
        pc.filter(|pc| self.reach[thread - 1].contains(pc))
    }

    fn data_equal(&self, left: SymbolLeaves, right: SymbolLeaves) -> Option<EqualBits> {
        run(first(left.local), first(right.local), self.data_bits())
    }

    /// A symbol without data.
    fn bare(&self, symbol: SymbolLeaves) -> BitExpr {
        match self.data_bits() {
            0 => BitExpr::Const(true),
            bits => BitExpr::Zeros(first(symbol.local), bits),
        }
    }

    pub(super) fn initial(&self, row: &Row) -> Row {
        let none = StateLeaves { pc: u16::MAX, own: u16::MAX, local: u16::MAX, shared: None };
        let shared = INITIAL.shared("s");
        let from = StateLeaves { shared: Some(schema::INITIAL.shared("s")), ..none };
        let mut row = self.moved(row, &[Side { from, to: Place::Result(u16::MAX), shared: Some(shared) }]);
        let who = if self.init { Alone::Init } else { Alone::Nobody };
        row.core = and(vec![row.core, self.is_alone(shared, who).unwrap_or(BitExpr::Const(true))]);
        row
    }

    pub(super) fn start(&self, row: &Row) -> Row {
        let level = START.symbol("e");
        let mut row = self.moved(row, &[side(schema::START.state("q"), START.symbol("a"), None)]);
        row.fixed.push((level.pc, Value::Name(self.level(0))));
        row.core = and(vec![row.core, self.bare(level)]);
        row
    }

    pub(super) fn rest(&self, thread: usize) -> Vec<Row> {
        let under = if thread == 1 && self.init { vec![self.waiting()] } else { Vec::new() };
        let under = under.into_iter().chain([self.bottom()]);
        let columns = [REST.symbol("e"), REST.symbol("c"), REST.symbol("e'")];
        let rows = (0..).zip(under).map(|(level, symbol)| {
            let locations = [self.level(level), symbol, self.level(level + 1)];
            let fixed = columns.iter().zip(locations).map(|(column, pc)| (column.pc, Value::Name(pc)));
            let core = and(columns.iter().map(|column| self.bare(*column)).collect());
            Row { fixed: fixed.collect(), core, equal: Vec::new() }
        });
        rows.collect()
    }

    pub(super) fn overwrite(&self, thread: usize, row: &Row) -> Option<Row> {
        self.comes_to(thread, location(row, STEP_FROM.pc))?;
        let to = location(row, STEP_TO.pc)?;
        let (before, after) = (OVERWRITE.shared("s"), OVERWRITE.shared("s'"));
        let next = OVERWRITE.symbol("b");
        let sides = [side(STEP_FROM, OVERWRITE.symbol("a"), Some(before)), side(STEP_TO, next, Some(after))];
        let mut row = self.moved(row, &sides);
        row.core = and(vec![row.core, self.turn(thread, (before, after), (to, next))]);
        Some(row)
    }

    pub(super) fn push(&self, thread: usize, row: &Row) -> Option<Row> {
        let from = self.comes_to(thread, location(row, CALLER.pc))?;
        let to = location(row, CALLEE.pc)?;
        let (before, after) = (PUSH.shared("s"), PUSH.shared("s'"));
        let (caller, callee, under) = (PUSH.symbol("a"), PUSH.symbol("b"), PUSH.symbol("c"));
        let mut row =
            self.moved(row, &[side(CALLER, caller, Some(before)), side(CALLEE, callee, Some(before))]);
        row.fixed.push((under.pc, Value::Name(from)));
        row.equal.extend(self.data_equal(caller, under));
        row.equal.extend(run(first(before), first(after), self.shared_bits));
        row.core = and(vec![row.core, self.turn(thread, (before, after), (to, callee))]);
        Some(row)
    }

    pub(super) fn pop(&self, thread: usize, row: &Row) -> Option<Row> {
        let exit = self.comes_to(thread, location(row, schema::EXIT.state("q").pc))?;
        let (before, after) = (POP.shared("s"), POP.shared("s'"));
        let (top, result) = (POP.symbol("a"), POP.result("y"));
        let mut row = self.moved(row, &[side(schema::EXIT.state("q"), top, None)]);
        let handed = Bit { leaf: result, bit: self.exit_bits() };
        row.equal.extend(run(first(top.local), handed, self.data_bits()));
        row.equal.extend(run(first(before), first(after), self.shared_bits + self.alone_bits()));
        let exit = self.exits.binary_search(&exit).unwrap_or(0) as u64;
        let from = number(first(result), self.exit_bits(), exit);
        row.core = and(vec![row.core, self.may_move(thread, before), from]);
        Some(row)
    }

    pub(super) fn merge(&self, thread: usize, row: &Row) -> Option<Row> {
        self.comes_to(thread, location(row, UNDER.pc))?;
        let to = location(row, RETURNED.pc)?;
        let (before, after) = (MERGE.shared("s"), MERGE.shared("s'"));
        let (under, next) = (MERGE.symbol("c"), MERGE.symbol("a"));
        let left = Side { from: LEFT, to: Place::Result(MERGE.result("y")), shared: Some(before) };
        let mut row = self.moved(row, &[side(UNDER, under, None), left, side(RETURNED, next, Some(after))]);
        row.core = and(vec![row.core, self.turn(thread, (before, after), (to, next))]);
        Some(row)
    }

    /// The symbol under `init` becomes the first state of the first thread.
    pub(super) fn init_ends(&self, start: &Row) -> Row {
        let (before, after) = (MERGE.shared("s"), MERGE.shared("s'"));
        let (under, next) = (MERGE.symbol("c"), MERGE.symbol("a"));
        let mut row = self.moved(start, &[side(schema::START.state("q"), next, None)]);
        row.fixed.push((under.pc, Value::Name(self.waiting())));
        row.equal.extend(run(first(before), first(after), self.shared_bits));
        let who = [self.is_alone(before, Alone::Init), self.is_alone(after, Alone::Nobody)];
        let parts = [row.core, self.bare(under)].into_iter().chain(who.into_iter().flatten());
        row.core = and(parts.collect());
        row
    }

    /// A thread that has ended has nothing but the bottom.
    pub(super) fn at_bottom(&self) -> Row {
        let (under, next) = (MERGE.symbol("c"), MERGE.symbol("a"));
        let fixed = [under, next].map(|symbol| (symbol.pc, Value::Name(self.bottom())));
        let stay =
            run(first(MERGE.shared("s")), first(MERGE.shared("s'")), self.shared_bits + self.alone_bits());
        let core = and(vec![self.bare(under), self.bare(next)]);
        Row { fixed: fixed.to_vec(), core, equal: stay.into_iter().collect() }
    }

    pub(super) fn empty(&self) -> Row {
        let symbol = EMPTY.symbol("a");
        let fixed = vec![(symbol.pc, Value::Name(self.bottom()))];
        Row { fixed, core: self.bare(symbol), equal: Vec::new() }
    }

    /// Pattern i is that thread i is at a target. Before the end of `init` only the first thread is anywhere.
    pub(super) fn target(&self, thread: usize) -> Row {
        let init = self.is_alone(TARGET.shared("s"), Alone::Init).filter(|_| thread > 1);
        let core = init.map_or(BitExpr::Const(true), not);
        let fixed = vec![(TARGET.pattern("i"), Value::Name(thread as u64 - 1))];
        Row { fixed, core, equal: Vec::new() }
    }

    pub(super) fn target_tops(&self, thread: usize, targets: &[Row]) -> Vec<Row> {
        if targets.is_empty() {
            return Vec::new();
        }
        let (number, top) = (TARGET_TOP.pattern("i"), TARGET_TOP.symbol("a"));
        let pattern = |thread: usize| (number, Value::Name(thread as u64 - 1));
        let from = schema::TARGET.state("q");
        let mine = targets.iter().filter_map(|row| {
            self.comes_to(thread, location(row, from.pc))?;
            let mut row = self.moved(row, &[side(from, top, None)]);
            row.fixed.push(pattern(thread));
            Some(row)
        });
        let others = (1..=self.threads).filter(|other| *other != thread).map(|other| Row {
            fixed: vec![pattern(other)],
            core: BitExpr::Const(true),
            equal: Vec::new(),
        });
        mine.chain(others).collect()
    }
}

/// A condition with its bits at other places.
fn moved(expr: &BitExpr, place: &impl Fn(Bit) -> Bit) -> BitExpr {
    let all = |parts: &[BitExpr]| parts.iter().map(|part| moved(part, place)).collect();
    match expr {
        BitExpr::Const(value) => BitExpr::Const(*value),
        BitExpr::Bit(bit) => BitExpr::Bit(place(*bit)),
        BitExpr::Zeros(first, count) => BitExpr::Zeros(place(*first), *count),
        BitExpr::Not(inner) => not(moved(inner, place)),
        BitExpr::And(parts) => BitExpr::And(all(parts)),
        BitExpr::Or(parts) => BitExpr::Or(all(parts)),
        BitExpr::Xor(left, right) => BitExpr::Xor(Rc::new(moved(left, place)), Rc::new(moved(right, place))),
        BitExpr::Shared(inner) => moved(inner, place),
    }
}
