//! Lazy procedure summaries: algorithms/summaries.fp.
//!
//! A path leads from the entry of a procedure to one of its locations. At a call the callee's entry gets the states
//! in which it is called, and the path is continued by what the callee does from there: a summary is kept with its
//! places moved to where a call wants them, and a path at a call with its arguments, so that a join is one operation.

use super::statement::*;
use super::{Solved, reachability};
use calculus::bdd::{Bdd, Cube, Manager, Renaming, Stop, Var};
use calculus::vocabulary::{Row, Vocabulary};
use fpsolve::model::schema::{CALL, RET, START, StateLeaves};

use Layer::*;

/// `call(q, s, e)`, where the callee's state is the next one.
const ENTER: [(u16, Layer, Kind); 5] = [
    (CALLING.own, Now, Kind::Own),
    (CALLING.local, Now, Kind::Local),
    (shared(CALLING), Now, Kind::Shared),
    (CALLEE.own, Next, Kind::Own),
    (CALLEE.local, Next, Kind::Local),
];
/// The same, where the arguments wait to meet a summary. What is shared meets in place.
const MEET: [(u16, Layer, Kind); 5] = [
    (CALLING.own, Now, Kind::Own),
    (CALLING.local, Now, Kind::Local),
    (shared(CALLING), Now, Kind::Shared),
    (CALLEE.own, Now, Kind::Own),
    (CALLEE.local, Callee, Kind::Local),
];
/// `ret(q, x, sx, q', s')`: what the callee leaves is in the next places, what the caller keeps is where it was.
const LEAVE: [(u16, Layer, Kind); 4] = [
    (RET.state("q").local, Now, Kind::Local),
    (LEFT.own, Next, Kind::Own),
    (LEFT.local, Next, Kind::Local),
    (shared(LEFT), Next, Kind::Shared),
];
const RETURNED: [(u16, Kind); 3] =
    [(BEHIND.own, Kind::Own), (BEHIND.local, Kind::Local), (shared(BEHIND), Kind::Shared)];

const CALLING: StateLeaves = CALL.side("q", "s");
const CALLEE: StateLeaves = CALL.side("e", "s");
const LEFT: StateLeaves = RET.side("x", "sx");
const BEHIND: StateLeaves = RET.side("q'", "s'");

/// A statement that calls.
struct Call {
    entry: usize,
    exit: usize,
    to: usize,
    enter: Statement,
    /// The guard and the arguments.
    arguments: Bdd,
    forget: Cube,
    arrive: Renaming,
    constants: Bdd,
    /// The paths to the call, with the arguments.
    paths: Bdd,
}

impl Call {
    fn new(data: &Data, call: &Row, ret: &Row) -> Result<Call, Stop> {
        let entry_places = data.all(Entry);
        let enter = Statement::new(
            data,
            call,
            &ENTER,
            &[(CALLEE.own, Kind::Own), (CALLEE.local, Kind::Local)],
            &entry_places,
        )?;
        let mut arguments = data.function(&call.core, &MEET)?;
        for (from, to) in call.equal_pairs() {
            let (from, to) = (data.place(from, &MEET), data.place(to, &MEET));
            if from != to {
                arguments = data.manager.var(from).iff(&data.manager.var(to))?.and(&arguments)?;
            }
        }
        let (mut kept, mut arrive): (Vec<Var>, Vec<(Var, Var)>) = Default::default();
        for (from, to) in ret.equal_pairs() {
            let kind = RETURNED.iter().find(|(leaf, _)| *leaf == to.leaf).map(|(_, kind)| *kind);
            let to = data.of(Now, kind.expect("a leaf of the state behind the call"))[usize::from(to.bit)];
            let from = data.place(from, &LEAVE);
            kept.push(from);
            arrive.push((from, to));
        }
        let mut constants = data.manager.one();
        for part in &conjuncts(&ret.core) {
            let (bit, value) = literal(part).expect("returning only silences locals");
            let var = data.of(Now, Kind::Local)[usize::from(bit.bit)];
            constants = data.manager.literal(var, value).and(&constants)?;
        }
        let places = [data.all(Now), data.all(Next), data.of(Callee, Kind::Local).to_vec()].concat();
        let forget = places.into_iter().filter(|var| !kept.contains(var)).collect::<Vec<_>>();
        Ok(Call {
            entry: location(call, CALLEE.pc),
            exit: location(ret, LEFT.pc),
            to: location(ret, BEHIND.pc),
            enter,
            arguments,
            forget: data.manager.cube(&forget)?,
            arrive: Renaming::new(arrive),
            constants,
            paths: data.manager.zero(),
        })
    }

    /// Paths with their arguments, continued by a summary in its moved places.
    fn join(&self, paths: &Bdd, summary: &Bdd) -> Result<Bdd, Stop> {
        let out = paths.and_exists(summary, &self.forget)?.rename(&self.arrive)?;
        if self.constants.is_one() { Ok(out) } else { out.and(&self.constants) }
    }
}

/// From the places of a path to those in which it meets a call: its entry where the caller's state is, the
/// parameters beside it, its exit in the next places.
fn moving(data: &Data) -> Renaming {
    let mut pairs = Vec::new();
    let mut lead = |from: Layer, to: Layer, kind: Kind| {
        pairs.extend(data.of(from, kind).iter().copied().zip(data.of(to, kind).iter().copied()));
    };
    for kind in KINDS {
        lead(Entry, if kind == Kind::Local { Callee } else { Now }, kind);
        lead(Now, Next, kind);
    }
    Renaming::new(pairs)
}

/// Path(e, se, q, s): the entry in one layer, the current state in another.
pub fn solve(manager: Manager, vocabulary: &Vocabulary) -> Result<Solved, Stop> {
    let data = Data::new(manager, vocabulary, 4)?;
    let count = locations(vocabulary);
    let steps = steps(&data, vocabulary, count)?;
    let mut calls = Vec::new();
    let mut calls_at = vec![Vec::new(); count];
    let mut calls_of = vec![Vec::new(); count];
    // Both have a row for each call, in the same order.
    for (call, ret) in rows(vocabulary, CALL.name, 0).iter().zip(rows(vocabulary, RET.name, 0)) {
        calls_at[location(call, CALLING.pc)].push(calls.len());
        calls_of[location(ret, LEFT.pc)].push(calls.len());
        calls.push(Call::new(&data, call, ret)?);
    }
    let moving = moving(&data);
    let unchanged = data.same(Entry, Now, &KINDS)?;
    let mut summaries: Vec<Option<Bdd>> = vec![None; count];
    let (mut paths, mut entered) = (States::new(count), States::new(count));
    let mut waiting = Waiting::default();

    let init = reachability::initial(&data, vocabulary, &steps)?;
    let mut found = Vec::new();
    for row in rows(vocabulary, START.name, 1) {
        found.push((location(row, AT), data.function(&row.core, &STATE)?.and(&init)?.and(&unchanged)?));
    }
    loop {
        for (at, states) in found.drain(..) {
            if let Some(new) = paths.add(at, states)? {
                waiting.add(at, new)?;
            }
        }
        let Some((at, new)) = waiting.next() else { break };
        for (to, statement) in &steps[at] {
            found.push((*to, statement.image(&new)?));
        }
        for &number in &calls_at[at] {
            let call = &mut calls[number];
            if let Some(states) = entered.add(call.entry, call.enter.image(&new)?)? {
                found.push((call.entry, states.and(&unchanged)?));
            }
            let new = new.and(&call.arguments)?;
            if let Some(summary) = &summaries[call.exit] {
                found.push((call.to, call.join(&new, summary)?));
            }
            call.paths = call.paths.or(&new)?;
        }
        if !calls_of[at].is_empty() {
            let new = new.rename(&moving)?;
            for &number in &calls_of[at] {
                let call = &calls[number];
                if !call.paths.is_zero() {
                    found.push((call.to, call.join(&call.paths, &new)?));
                }
            }
            summaries[at] = Some(match &summaries[at] {
                Some(known) => known.or(&new)?,
                None => new,
            });
        }
    }
    let vars = [data.all(Entry), data.all(Now)].concat();
    Ok(Solved::new(paths, waiting.rounds, vocabulary, vars))
}
