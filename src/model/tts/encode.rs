//! From transitions to the vocabulary `program`: rows of bits.
//!
//! Transitions with the same local states are one row: a condition on the shared states before and after them. Bits that none of
//! them changes are kept apart as equalities.

use super::layout::{Layout, is_local};
use super::system::{Kind, System};
use crate::model::schema::{
    BROADCAST, CLASSES, CODE, COVER, COVER_SHARED, ColumnKind, Contents, INITIAL, LINE_OF, MENTIONED,
    MOVE_ALL, OUTLINE, PASSIVE, PAUSE, ProgramFacts, REACH_CFG, RESTS, RelationSchema, SPAWN, START, STEP,
    StateLeaves, TARGET, TARGET_CLASS, YIELD,
};
use calculus::sort::Value;
use calculus::span::Source;
use calculus::vocabulary::{Bit, BitExpr, EqualBits, Row, Vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Pairs of shared values, before and after.
type Pairs = BTreeSet<(u32, u32)>;

/// Location before and after, and what is moved besides.
type Way<'a> = (u32, u32, &'a [(u32, u32)]);

/// The vocabulary of a system.
pub fn encode(system: &System, layout: &Rc<Layout>, text: &Source) -> Vocabulary {
    let rows = Rows { system, layout };
    let positions = rows.positions();
    let lines = system.transitions.iter().map(|transition| text.line(transition.span) as u64);
    let lines = lines.collect::<Vec<_>>();
    let groups = rows.groups();
    let cover = system.targets.iter().find(|target| target.threads.len() > 1);
    let cover_threads = cover.map_or(&[][..], |target| &target.threads);
    let pcs =
        |pcs: &BTreeSet<u32>, leaf: u16| pcs.iter().map(|pc| open(vec![at(leaf, *pc)])).collect::<Vec<_>>();
    let start = positions.iter().map(|locals| pcs(locals, START.state("q").pc).into()).collect();
    let reach = positions.iter().map(|locals| pcs(&rows.reach(locals), REACH_CFG.state("q").pc).into());
    let contents = Contents {
        locations: layout.locations().into(),
        lines: lines.iter().copied().max().unwrap_or(0),
        shared_bits: layout.shared_bits.into(),
        facts: rows.facts(&groups, cover_threads.len()),
        initial: vec![open(Vec::new()).and(rows.shared(INITIAL.shared("s"), system.initial.shared))],
        start,
        step: rows.steps(&groups),
        spawn: rows.spawns(&groups),
        broadcast: rows.broadcasts(&groups),
        passive: rows.passive(&groups),
        move_all: rows.move_all(),
        yields: vec![rows.yields(YIELD.state("q"))],
        pauses: vec![rows.yields(PAUSE.state("q"))],
        target: rows.targets(TARGET.state("q").pc),
        target_class: rows.classes(),
        waits: vec![open(Vec::new())],
        rests: rows.targets(RESTS.pc("pc")),
        cover: cover_threads
            .iter()
            .map(|local| vec![open(vec![at(COVER.state("q").pc, *local)])].into())
            .collect(),
        cover_shared: cover
            .iter()
            .map(|target| open(Vec::new()).and(rows.shared(COVER_SHARED.shared("s"), target.shared)))
            .collect(),
        reach_cfg: reach.collect(),
        line: rows.lines(&lines),
        code: lines
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|line| open(vec![(CODE.value("n", ColumnKind::Line), Value::Name(*line))]))
            .collect(),
        outline: rows.same(&OUTLINE),
        mentioned: rows.same(&MENTIONED),
        ..Contents::default()
    };
    contents.vocabulary(Rc::clone(layout) as Rc<_>)
}

fn at(leaf: u16, pc: u32) -> (u16, Value) {
    (leaf, Value::Name(pc.into()))
}

fn open(fixed: Vec<(u16, Value)>) -> Row {
    Row { fixed, core: BitExpr::Const(true), equal: Vec::new() }
}

/// A row with one more condition.
trait Also {
    fn and(self, condition: BitExpr) -> Row;
}

impl Also for Row {
    fn and(mut self, condition: BitExpr) -> Row {
        self.core = match (self.core, condition) {
            (BitExpr::Const(true), other) | (other, BitExpr::Const(true)) => other,
            (BitExpr::And(mut parts), other) => {
                parts.push(other);
                BitExpr::And(parts)
            }
            (left, right) => BitExpr::And(vec![left, right]),
        };
        self
    }
}

/// The transitions, by what they do to locations.
#[derive(Default)]
struct Groups<'a> {
    steps: BTreeMap<(u32, u32), Pairs>,
    spawns: BTreeMap<(u32, u32), Pairs>,
    broadcasts: BTreeMap<Way<'a>, Pairs>,
}

struct Rows<'a> {
    system: &'a System,
    layout: &'a Layout,
}

impl Rows<'_> {
    /// The local states in which threads begin, by position; 0 has none.
    fn positions(&self) -> Vec<BTreeSet<u32>> {
        let initial = &self.system.initial;
        let mut positions = vec![BTreeSet::new()];
        positions.extend(initial.bounded.iter().map(|local| BTreeSet::from([*local])));
        if !initial.unbounded.is_empty() {
            positions.push(initial.unbounded.iter().copied().collect());
        }
        positions
    }

    /// There are no numbers to forget: each state is its own outline.
    fn same(&self, schema: &RelationSchema) -> Vec<Row> {
        let (from, to) = (schema.side("q", "s"), schema.side("k", "o"));
        let [left, right] = [from, to].map(|side| side.shared.map(|leaf| Bit { leaf, bit: 0 }));
        let count = self.layout.shared_bits;
        let equal =
            left.zip(right).filter(|_| count > 0).map(|(left, right)| EqualBits { left, right, count });
        let equal = equal.into_iter().collect::<Vec<_>>();
        let locations = (0..self.layout.locations()).map(|pc| vec![at(from.pc, pc), at(to.pc, pc)]);
        locations.map(|fixed| Row { equal: equal.clone(), ..open(fixed) }).collect()
    }

    fn facts(&self, groups: &Groups, cover: usize) -> ProgramFacts {
        let initial = &self.system.initial;
        let sweeps = self.system.transitions.iter();
        let sweeps =
            sweeps.filter(|transition| transition.kind == Kind::All && !transition.does_nothing()).count();
        ProgramFacts {
            threads: initial.bounded.len() + usize::from(!initial.unbounded.is_empty()),
            singles: initial.bounded.len(),
            replicated: !initial.unbounded.is_empty(),
            spawns: !groups.spawns.is_empty(),
            broadcasts: !groups.broadcasts.is_empty() || sweeps > 0,
            cover,
            ..ProgramFacts::default()
        }
    }

    fn groups(&self) -> Groups<'_> {
        let mut groups = Groups::default();
        for transition in self.system.transitions.iter().filter(|transition| !transition.does_nothing()) {
            let ((s, s2), (l, l2)) = (transition.shared, transition.local);
            let pairs = match &transition.kind {
                Kind::Step => groups.steps.entry((l, l2)).or_default(),
                Kind::Spawn => groups.spawns.entry((l, l2)).or_default(),
                Kind::Broadcast(transfers) => {
                    let behind = self.layout.behind((s, l, s2, l2), transfers);
                    groups.broadcasts.entry((l, behind, transfers)).or_default()
                }
                Kind::All => continue,
            };
            pairs.insert((s, s2));
        }
        groups
    }

    /// A shared value.
    fn shared(&self, leaf: u16, value: u32) -> BitExpr {
        BitExpr::And(literals(leaf, self.layout.shared_bits, value).collect())
    }

    /// A location.
    fn pc(&self, leaf: u16, value: u32) -> BitExpr {
        BitExpr::And(literals(leaf, self.layout.pc_bits, value).collect())
    }

    /// The row with the shared values of some pairs.
    fn paired(&self, mut row: Row, (before, after): (u16, u16), pairs: &Pairs) -> Row {
        let width = self.layout.shared_bits;
        let differ = pairs.iter().fold(0, |differ, (s, s2)| differ | (s ^ s2));
        let changes = |bit: u16| differ >> (width - 1 - bit) & 1 == 1;
        let mut bit = 0;
        while bit < width {
            let count = (bit..width).take_while(|bit| !changes(*bit)).count() as u16;
            if count > 0 {
                let (left, right) = (Bit { leaf: before, bit }, Bit { leaf: after, bit });
                row.equal.push(EqualBits { left, right, count });
            }
            bit += count + 1;
        }
        let cubes = pairs.iter().map(|(s, s2)| {
            let new = literals(after, width, *s2).zip(0..).filter(|(_, bit)| changes(*bit));
            BitExpr::And(literals(before, width, *s).chain(new.map(|(literal, _)| literal)).collect())
        });
        row.and(BitExpr::Or(cubes.collect()))
    }

    fn steps(&self, groups: &Groups) -> Vec<Row> {
        let (q, q2) = (STEP.side("q", "s"), STEP.side("q'", "s'"));
        let shared = (STEP.shared("s"), STEP.shared("s'"));
        let way = |from: u32, to: u32| open(vec![at(q.pc, from), at(q2.pc, to)]);
        let stays = EqualBits {
            left: Bit { leaf: shared.0, bit: 0 },
            right: Bit { leaf: shared.1, bit: 0 },
            count: self.layout.shared_bits,
        };
        let steps = groups.steps.iter().map(|((l, l2), pairs)| self.paired(way(*l, *l2), shared, pairs));
        let mut rows = steps.collect::<Vec<_>>();
        rows.extend(self.layout.between().map(|(from, to)| Row { equal: vec![stays], ..way(from, to) }));
        if let Some(target) = self.layout.target() {
            for wanted in self.system.targets.iter().filter(|target| !is_local(self.system, target)) {
                let row = match wanted.threads[..] {
                    [local] => way(local, target),
                    [] => self.anywhere(open(vec![at(q2.pc, target)]), q.pc),
                    _ => continue,
                };
                let row = Row { equal: vec![stays], ..row };
                rows.push(row.and(self.shared(shared.0, wanted.shared)));
            }
        }
        rows
    }

    /// A thread is at a local state.
    fn anywhere(&self, row: Row, leaf: u16) -> Row {
        let others = self.layout.locals..self.layout.locations();
        others.fold(row, |row, other| row.and(BitExpr::Not(Rc::new(self.pc(leaf, other)))))
    }

    fn spawns(&self, groups: &Groups) -> Vec<Row> {
        let (q, q2, n) = (SPAWN.state("q"), SPAWN.state("q'"), SPAWN.state("n"));
        let shared = (SPAWN.shared("s"), SPAWN.shared("s'"));
        let rows = groups.spawns.iter().map(|((l, new), pairs)| {
            self.paired(open(vec![at(q.pc, *l), at(q2.pc, *l), at(n.pc, *new)]), shared, pairs)
        });
        rows.collect()
    }

    fn broadcasts(&self, groups: &Groups) -> Vec<Row> {
        let (q, q2) = (BROADCAST.state("q"), BROADCAST.state("q'"));
        let shared = (BROADCAST.shared("s"), BROADCAST.shared("s'"));
        let mut ways: BTreeMap<(u32, u32), Pairs> = BTreeMap::new();
        for ((l, l2, _), pairs) in &groups.broadcasts {
            ways.entry((*l, *l2)).or_default().extend(pairs);
        }
        let rows = ways
            .iter()
            .map(|((l, l2), pairs)| self.paired(open(vec![at(q.pc, *l), at(q2.pc, *l2)]), shared, pairs));
        rows.collect()
    }

    fn passive(&self, groups: &Groups) -> Vec<Row> {
        let (q, q2) = (PASSIVE.state("q"), PASSIVE.state("q'"));
        let (p, p2) = (PASSIVE.state("p"), PASSIVE.state("p'"));
        let shared = (PASSIVE.shared("s"), PASSIVE.shared("s'"));
        let mut rows = Vec::new();
        for ((l, l2, transfers), pairs) in &groups.broadcasts {
            let way = || open(vec![at(q.pc, *l), at(q2.pc, *l2)]);
            let moved = self.moved(way, (p, p2), transfers).into_iter();
            rows.extend(moved.map(|row| self.paired(row, shared, pairs)));
        }
        rows
    }

    /// Who is moved goes, who is not stays.
    fn moved(
        &self,
        way: impl Fn() -> Row,
        (p, p2): (StateLeaves, StateLeaves),
        moved: &[(u32, u32)],
    ) -> Vec<Row> {
        let from = moved.iter().map(|(from, _)| *from).collect::<BTreeSet<_>>();
        let mut stay =
            from.iter().fold(way(), |row, from| row.and(BitExpr::Not(Rc::new(self.pc(p.pc, *from)))));
        let (left, right) = (Bit { leaf: p.pc, bit: 0 }, Bit { leaf: p2.pc, bit: 0 });
        stay.equal.push(EqualBits { left, right, count: self.layout.pc_bits });
        let mut rows = vec![stay];
        for (from, to) in moved {
            let mut row = way();
            row.fixed.extend([at(p.pc, *from), at(p2.pc, *to)]);
            rows.push(row);
        }
        rows
    }

    fn move_all(&self) -> Vec<Row> {
        let leaves = (MOVE_ALL.state("p"), MOVE_ALL.state("p'"));
        let shared = (MOVE_ALL.shared("s"), MOVE_ALL.shared("s'"));
        let mut ways: BTreeMap<Option<(u32, u32)>, Pairs> = BTreeMap::new();
        for transition in self.system.transitions.iter().filter(|transition| !transition.does_nothing()) {
            if transition.kind == Kind::All {
                let behind = self.layout.shared_behind(transition.shared, transition.local);
                ways.entry(Some(transition.local)).or_default().insert((transition.shared.0, behind));
            }
        }
        for pair in self.layout.shared_between() {
            ways.entry(None).or_default().insert(pair);
        }
        let mut rows = Vec::new();
        for (moved, pairs) in &ways {
            let moved = moved.filter(|(from, to)| from != to).into_iter().collect::<Vec<_>>();
            let moved = self.moved(|| open(Vec::new()), leaves, &moved).into_iter();
            rows.extend(moved.map(|row| self.paired(row, shared, pairs)));
        }
        rows
    }

    /// Another thread can be scheduled everywhere but inside a broadcast.
    fn yields(&self, q: StateLeaves) -> Row {
        let between = self.layout.between().map(|(number, _)| self.pc(q.pc, number));
        between.fold(open(Vec::new()), |row, inside| row.and(BitExpr::Not(Rc::new(inside))))
    }

    fn targets(&self, leaf: u16) -> Vec<Row> {
        let own = self.system.targets.iter().filter(|target| is_local(self.system, target));
        let own = own.filter_map(|target| target.threads.first().copied());
        let locations = own.chain(self.layout.target()).collect::<BTreeSet<_>>();
        locations.into_iter().map(|location| open(vec![at(leaf, location)])).collect()
    }

    /// Targets are states that must not be reached, as labels are in programs.
    fn classes(&self) -> Vec<Row> {
        let label = CLASSES.iter().position(|class| *class == "label").unwrap_or_default();
        let class = (TARGET_CLASS.value("c", ColumnKind::Class), Value::Name(label as u64));
        let rows = self.targets(TARGET_CLASS.state("q").pc).into_iter();
        rows.map(|row| Row { fixed: [row.fixed, vec![class.clone()]].concat(), ..row }).collect()
    }

    /// The locations that the transitions lead to, whatever the shared states.
    fn reach(&self, from: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut next: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut edge = |from: u32, to: u32| {
            next.entry(from).or_default().insert(to);
        };
        for transition in &self.system.transitions {
            let ((s, s2), (l, l2)) = (transition.shared, transition.local);
            match &transition.kind {
                Kind::Spawn => {}
                Kind::Step | Kind::All => edge(l, l2),
                Kind::Broadcast(transfers) => {
                    edge(l, self.layout.behind((s, l, s2, l2), transfers));
                    transfers.iter().for_each(|(from, to)| edge(*from, *to));
                }
            }
        }
        self.layout.between().for_each(|(from, to)| edge(from, to));
        let mut reached = from.clone();
        let mut work = from.iter().copied().collect::<Vec<_>>();
        while let Some(at) = work.pop() {
            let next = next.get(&at).into_iter().flatten();
            work.extend(next.filter(|next| reached.insert(**next)));
        }
        // Whoever is in a target can go on to where it stands for it.
        let single = self.system.targets.iter().filter(|target| target.threads.len() < 2);
        let single = single.filter(|target| !is_local(self.system, target));
        let there =
            single.filter(|target| target.threads.first().is_none_or(|local| reached.contains(local)));
        if there.count() > 0 && !reached.is_empty() {
            reached.extend(self.layout.target());
        }
        reached
    }

    fn lines(&self, lines: &[u64]) -> Vec<Row> {
        let begins =
            self.system.transitions.iter().zip(lines).map(|(transition, line)| (transition.local.0, *line));
        let begins = begins.collect::<BTreeSet<_>>().into_iter();
        let line = |(local, line)| {
            open(vec![at(LINE_OF.pc("pc"), local), (LINE_OF.value("n", ColumnKind::Line), Value::Name(line))])
        };
        begins.map(line).collect()
    }
}

/// The bits of a number, the most significant one first.
fn literals(leaf: u16, width: u16, value: u32) -> impl Iterator<Item = BitExpr> {
    (0..width).map(move |bit| {
        let literal = BitExpr::Bit(Bit { leaf, bit });
        match value >> (width - 1 - bit) & 1 == 1 {
            true => literal,
            false => BitExpr::Not(Rc::new(literal)),
        }
    })
}
