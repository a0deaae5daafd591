//! From a derivation to the moves of a run.
//!
//! A derivation is read from left to right in the order of the text. `start[t](q)` is a thread at position t that
//! begins; `step`, `call`, `ret`, `spawn` and `broadcast` are its moves. The marks of the file say what belongs to the
//! run (see the reference: `given`, `within`, `outside`), who moves (`by`) and in which round (`at`).
//!
//! `by` names a thread by its position. Where several threads are at one position, `start[t](q) by i` gives the thread
//! that begins another number. A thread that another one made (`spawn`) has no number yet: it is the first one of these
//! that is where the move says, and then it keeps the number. Those that are at one place and have no number are alike. So
//! that all of them are known to be where others moved them, `passive(…) by i` and `move_all(…) by i` say who is moved.
//!
//! Where the derivation rests on a greatest fixed point, the run goes on forever. That part is read last, and once
//! around. If several premises of a rule go on forever, each is a condition of its own: they are followed in turn, one
//! each time the run comes to the rule. The run repeats itself when it comes to a tuple again with the same turns.

use crate::model::Model;
use crate::model::moves::{MetCondition, Move, Moves, MovesEnd, Part};
use crate::model::schema::RunEvent;
use calculus::check::tree::{Mark, RelId, System};
use calculus::elaborate::core::{Core, RuleKind};
use calculus::index::Id;
use calculus::solve::{Derivation, Reason, text_order};
use calculus::sort::Value;
use calculus::syntax::ast::Follow;
use std::collections::{BTreeMap, HashMap};

/// A run that is longer is not written down.
pub const LONGEST: usize = 200_000;

/// Why a derivation is no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// Nothing in it is a move or a thread that starts.
    NoMoves,
    TooLong,
    /// A thread moves that was not started: its position.
    NotStarted(Option<i64>),
    /// It comes back to a least fixed point that has a greatest one inside.
    Alternating(String),
    /// A part with rounds is repeated.
    RoundsForever,
}

/// The moves of a derivation. In a run with rounds they are sorted by round, by position and by when their threads
/// started.
pub fn moves(
    model: &dyn Model,
    system: &System,
    core: &Core,
    derivation: &Derivation,
) -> Result<Moves, NoRun> {
    let mut reader = Reader {
        model,
        system,
        core,
        derivation,
        endless: endless(derivation),
        turns: Turns::new(),
        seen: HashMap::new(),
        following: None,
        met: Vec::new(),
        places: Vec::new(),
        out: Moves::default(),
    };
    reader.read()?;
    let mut out = reader.out;
    if out.parts.is_empty() {
        return Err(NoRun::NoMoves);
    }
    if out.moves.iter().any(|made| made.round.is_some()) {
        if matches!(out.end, MovesEnd::Repeat { .. }) {
            return Err(NoRun::RoundsForever);
        }
        let parts = &out.parts;
        let position = |made: &Move| made.part.and_then(|part| parts[part].position);
        out.moves.sort_by_key(|made| (made.round, position(made), made.part));
    }
    Ok(out)
}

/// The nodes whose derivations come to a tuple that is assumed.
fn endless(derivation: &Derivation) -> Vec<bool> {
    let mut users = vec![Vec::new(); derivation.nodes.len()];
    let mut endless = vec![false; derivation.nodes.len()];
    let mut work = Vec::new();
    for (number, node) in derivation.nodes.iter().enumerate() {
        match &node.reason {
            Reason::Fact => {}
            Reason::Assumed => work.push(number),
            Reason::Rule { premises, .. } => {
                premises.iter().flatten().for_each(|premise| users[*premise].push(number));
            }
        }
    }
    while let Some(number) = work.pop() {
        if !std::mem::replace(&mut endless[number], true) {
            work.extend(&users[number]);
        }
    }
    endless
}

/// A node that waits to be read.
#[derive(Clone, Copy)]
struct Waiting {
    node: usize,
    /// Inside a `within`.
    inside: bool,
    mark: Mark,
    /// So many rounds are before those that marks count.
    earlier: i64,
}

/// For each rule with several premises that go on forever, which one is next.
type Turns = BTreeMap<(RelId, usize), usize>;

struct Reader<'a> {
    model: &'a dyn Model,
    system: &'a System,
    core: &'a Core,
    derivation: &'a Derivation,
    endless: Vec<bool>,
    turns: Turns,
    /// The greatest fixed points that were come to: how many moves and conditions were there before.
    seen: HashMap<(usize, Turns), (usize, usize)>,
    /// The least fixed point that is followed to a greatest one, and its last clause.
    following: Option<(String, String)>,
    met: Vec<MetCondition>,
    /// Where each part is now.
    places: Vec<Vec<Value>>,
    out: Moves,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), NoRun> {
        let mut work = vec![Waiting { node: 0, inside: false, mark: Mark::default(), earlier: 0 }];
        while let Some(now) = work.pop() {
            if self.out.moves.len() > LONGEST || self.seen.len() > LONGEST {
                return Err(NoRun::TooLong);
            }
            let node = &self.derivation.nodes[now.node];
            match &node.reason {
                Reason::Fact => {
                    if let Some(relation) = self.system.relations.get(node.relation.index()) {
                        let (name, numbers) = (&relation.name, relation.numbers());
                        let event = match &self.system.vocabulary {
                            Some(used) if used.name != self.model.vocabulary().name => {
                                self.model.other_event(&used.name, name, &numbers, &node.tuple)
                            }
                            _ => self.model.event(name, &numbers, &node.tuple),
                        };
                        self.add(event, now)?;
                    }
                }
                Reason::Assumed => {
                    let Some(&explained) = self.derivation.explained.get(&now.node) else {
                        return Err(NoRun::Alternating(self.core.relations[node.relation].title.clone()));
                    };
                    self.meet();
                    work.push(Waiting { node: explained, ..now });
                }
                Reason::Rule { number, premises, .. } => {
                    if self.endless[now.node] && self.comes_back(now.node, *number) {
                        return Ok(());
                    }
                    self.push(now, *number, premises, &mut work);
                }
            }
        }
        Ok(())
    }

    /// The run has come to a greatest fixed point: a condition is met, if there is one.
    fn meet(&mut self) {
        if let Some((condition, clause)) = self.following.take() {
            self.met.push(MetCondition { condition, clause, after: self.out.moves.len() });
        }
    }

    /// Notes what is followed now, by which rule. If it was followed before with the same turns, the run repeats itself.
    fn comes_back(&mut self, node: usize, rule: usize) -> bool {
        let at = self.derivation.nodes[node].relation;
        let relation = &self.core.relations[at];
        match self.core.kind(at) {
            Some(RuleKind::Nu) => {
                self.following = None;
                let here = (self.out.moves.len(), self.met.len());
                let Some((from, met)) = self.seen.insert((node, self.turns.clone()), here) else {
                    return false;
                };
                // Without a move the run just stays where it is.
                if from < here.0 {
                    self.out.end = MovesEnd::Repeat { from, met: self.met.split_off(met) };
                }
                true
            }
            Some(RuleKind::Mu) => {
                let clause = relation.clauses[self.core.rules(at)[rule].clause].0.to_string();
                let first = self.following.take().map(|(first, _)| first);
                self.following = Some((first.unwrap_or_else(|| relation.title.clone()), clause));
                false
            }
            _ => false,
        }
    }

    /// The premises of a rule, so that the first in the text is read first, and what goes on forever last.
    fn push(&mut self, now: Waiting, number: usize, premises: &[Option<usize>], work: &mut Vec<Waiting>) {
        let relation = self.derivation.nodes[now.node].relation;
        let rule = &self.core.rules(relation)[number];
        // The rounds inside a `within R(x) at i` are counted from i.
        let earlier = match now.mark {
            Mark { follow: Some(Follow::Within), at: Some(first), .. } => {
                now.earlier.saturating_add(first).saturating_sub(1)
            }
            _ => now.earlier,
        };
        let (mut last, mut first) = (Vec::new(), Vec::new());
        for at in text_order(rule) {
            let (Some(node), mark) = (premises[at], rule.atoms[at].site.mark) else { continue };
            let inside = match mark.follow {
                Some(Follow::Given) => continue,
                Some(Follow::Outside) if now.inside => continue,
                Some(Follow::Within) => true,
                _ => now.inside,
            };
            let part = if self.endless[node] { &mut last } else { &mut first };
            part.push(Waiting { node, inside, mark, earlier });
        }
        if last.len() > 1 {
            let turn = self.turns.entry((relation, number)).or_default();
            work.push(last[*turn]);
            *turn = (*turn + 1) % last.len();
        } else {
            work.append(&mut last);
        }
        work.extend(first.into_iter().rev());
    }

    /// A fact or a row of the model: how the run begins or ends, a thread that starts, a move, or nothing of the kind.
    fn add(&mut self, event: Option<RunEvent>, at: Waiting) -> Result<(), NoRun> {
        let round = at.mark.at.map(|round| at.earlier.saturating_add(round));
        match event {
            None => {}
            Some(RunEvent::Target) => self.out.end = MovesEnd::Target,
            Some(RunEvent::Initial { shared }) => {
                self.out.initial.get_or_insert_with(|| shared.into_owned());
            }
            Some(RunEvent::Begin { position, state }) => {
                self.begin(Part { position: Some(position), seat: at.mark.by, state });
            }
            Some(RunEvent::Move { position, from, state, before, after, new }) => {
                let by = position.or(at.mark.by);
                let part = self.mover(by, &from).ok_or(NoRun::NotStarted(by))?;
                let new = new.map(|state| self.begin(Part { position: None, seat: None, state }));
                let (shared, before) = (after.into_owned(), before.into_owned());
                self.places[part].clone_from(&state);
                self.out.moves.push(Move { part: Some(part), new, round, state, shared, before });
            }
            Some(RunEvent::Completes { position, state, before, after }) => {
                let part = self.mover(Some(position), &[]).ok_or(NoRun::NotStarted(Some(position)))?;
                if let Some(last) = self.out.moves.iter_mut().rfind(|made| made.part == Some(part)) {
                    (last.state, last.before, last.shared) = (state, before, after);
                }
            }
            Some(RunEvent::MoveAll { from, state, .. } | RunEvent::Moved { from, state })
                if at.mark.by.is_some() =>
            {
                if let Some(part) = self.mover(at.mark.by, &from) {
                    self.places[part] = state;
                }
            }
            Some(RunEvent::MoveAll { before, after, .. }) => {
                let (shared, before) = (after.into_owned(), before.into_owned());
                let made = Move { part: None, new: None, round, state: Vec::new(), shared, before };
                self.out.moves.push(made);
            }
            Some(RunEvent::Moved { .. }) => {}
        }
        Ok(())
    }

    /// One more thread takes part.
    fn begin(&mut self, part: Part) -> usize {
        self.places.push(part.state.clone());
        self.out.parts.push(part);
        self.out.parts.len() - 1
    }

    /// Who makes a move: the thread of this number, else one that was made and is where the move begins. Without a number,
    /// the thread that began last.
    fn mover(&mut self, by: Option<i64>, from: &[Value]) -> Option<usize> {
        let parts = &mut self.out.parts;
        let Some(by) = by else { return parts.len().checked_sub(1) };
        let number = |part: &Part| part.seat.or(part.position);
        if let Some(part) = parts.iter().rposition(|part| number(part) == Some(by)) {
            return Some(part);
        }
        let mut numbered = parts.iter().map(number).zip(&self.places);
        let part = numbered.position(|(number, place)| number.is_none() && place == from)?;
        parts[part].seat = Some(by);
        Some(part)
    }
}
