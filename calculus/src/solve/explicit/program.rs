//! The rules of a component as loops over tuples, run until nothing is new.

use super::super::solver::{Halt, Solver};
use super::super::watch::VerdictWatch;
use super::join::{Loops, Sink};
use super::{ClauseWork, ExplicitRelations};
use crate::bdd::{Manager, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::RuleId;
use crate::relation::TupleSet;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

/// A tuple that is kept counts as much as so many that are looked at, because of the memory that it takes.
const COST_OF_TUPLE: u64 = 64;

/// So many steps are made between two looks at the limits.
const POLL: u64 = 4096;

/// So many tuples are followed before the next rule follows them.
const BATCH: usize = 1024;

/// Why an evaluation ends before its end.
enum End {
    Stop(Stop),
    /// There is more than a bound allows.
    TooMuch,
}

/// A rule with its loops.
struct Clause {
    id: RuleId,
    loops: Loops,
    /// The loops read the relation of the head, so that nothing is added to it before they end.
    reads_head: bool,
}

/// The rules of a component.
struct Program {
    members: Vec<RelId>,
    /// Those to begin with, which mention no member.
    first: Vec<Clause>,
    /// By the relation that is followed.
    followers: BTreeMap<RelId, Vec<Clause>>,
}

/// What was done so far, and what may be done.
struct Effort {
    bound: u64,
    looks: u64,
    /// How much is looked at before the limits are.
    next_poll: u64,
    found: u64,
    work: BTreeMap<RuleId, ClauseWork>,
}

/// Adds what a rule derives to the relation of its head, or keeps it for later.
struct Derived<'s> {
    manager: &'s Manager,
    head: &'s mut TupleSet,
    effort: &'s mut Effort,
}

struct Gathered<'s> {
    manager: &'s Manager,
    head: &'s TupleSet,
    /// The codes of tuples that the head does not have, and how many there are.
    new: Vec<u32>,
    count: usize,
    effort: &'s mut Effort,
}

impl Effort {
    fn look(&mut self, count: usize, manager: &Manager) -> Result<(), End> {
        self.looks += count as u64;
        if self.looks >= self.next_poll {
            self.next_poll = self.looks + POLL;
            manager.check().map_err(End::Stop)?;
        }
        match self.looks.max(self.found * COST_OF_TUPLE) > self.bound {
            true => Err(End::TooMuch),
            false => Ok(()),
        }
    }
}

impl Sink for Derived<'_> {
    type End = End;

    fn derived(&mut self, tuple: &[u32]) -> Result<(), End> {
        self.effort.found += u64::from(self.head.add(tuple));
        Ok(())
    }

    fn looked(&mut self, count: usize) -> Result<(), End> {
        self.effort.look(count, self.manager)
    }
}

impl Sink for Gathered<'_> {
    type End = End;

    fn derived(&mut self, tuple: &[u32]) -> Result<(), End> {
        if !self.head.contains(tuple) {
            self.new.extend_from_slice(tuple);
            self.count += 1;
        }
        Ok(())
    }

    fn looked(&mut self, count: usize) -> Result<(), End> {
        self.effort.look(count, self.manager)
    }
}

impl Solver<'_> {
    /// Solves a component on tuples; whether it did, which only a bound prevents.
    pub(super) fn solve_on_tuples(
        &mut self,
        explicit: &mut ExplicitRelations,
        part: &[RelId],
        watch: &VerdictWatch,
        bound: u64,
    ) -> Result<bool, Halt> {
        for &at in part.iter().chain(watch.rules.keys()) {
            explicit.tuples[at] = Some(TupleSet::new(explicit.sizes(self.core, at)));
        }
        let program = self.explicit_program(explicit, part, watch)?;
        let mut effort = Effort { bound, looks: 0, next_poll: POLL, found: 0, work: BTreeMap::new() };
        let solved = self.run_program(explicit, &program, watch, &mut effort);
        if let Err(End::TooMuch) = solved {
            return Ok(false);
        }
        program.members.iter().for_each(|&at| explicit.has_rows[at] = false);
        effort.work.into_iter().for_each(|(rule, work)| self.observer.worked(rule, work));
        match solved {
            Ok(true) => Err(Halt::Seen),
            Err(End::Stop(stop)) => Err(Halt::Stop(stop)),
            _ => Ok(true),
        }
    }

    /// Plans the rules of a component, and has the tuples of all that they mention.
    fn explicit_program(
        &mut self,
        explicit: &mut ExplicitRelations,
        part: &[RelId],
        watch: &VerdictWatch,
    ) -> Result<Program, Stop> {
        let members = part.iter().chain(watch.rules.keys()).copied().collect::<Vec<_>>();
        let rules = part.iter().flat_map(|&at| self.core.rule_ids(at));
        let rules = rules.chain(watch.rules.values().flatten().copied()).collect::<Vec<_>>();
        for atom in rules.iter().flat_map(|rule| &self.core.rule(*rule).atoms) {
            self.need_tuples(explicit, atom.relation)?;
        }
        let (mut first, mut followers) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
        for id in rules {
            let (rule, columns) = (self.core.rule(id), self.core.relations[id.relation].columns.as_slice());
            let mut clause = |seed: Option<usize>| {
                let others = rule.atoms.iter().enumerate().filter(|(position, _)| Some(*position) != seed);
                let reads_head = others.into_iter().any(|(_, atom)| atom.relation == id.relation);
                let loops = Loops::new(&explicit.sorts, (rule, columns), seed, &mut explicit.tuples);
                Clause { id, loops, reads_head }
            };
            if !rule.atoms.iter().any(|atom| members.contains(&atom.relation)) {
                first.push(clause(None));
            }
            for (position, atom) in rule.atoms.iter().enumerate() {
                if members.contains(&atom.relation) {
                    followers.entry(atom.relation).or_default().push(clause(Some(position)));
                }
            }
        }
        Ok(Program { members, first, followers })
    }

    /// Follows what is new until nothing is; whether the watched condition was seen to hold.
    fn run_program(
        &mut self,
        explicit: &mut ExplicitRelations,
        program: &Program,
        watch: &VerdictWatch,
        effort: &mut Effort,
    ) -> Result<bool, End> {
        for clause in &program.first {
            let is_new = self.evaluate_loops(explicit, clause, None, effort)?;
            if is_new && watch.goal() == Some(clause.id.relation) {
                return Ok(true);
            }
        }
        let mut followed = program.members.iter().map(|&at| (at, 0)).collect::<BTreeMap<RelId, usize>>();
        loop {
            let mut is_done = true;
            for &at in &program.members {
                let (from, to) = (followed[&at], explicit.set(at).len());
                if from == to {
                    continue;
                }
                is_done = false;
                self.space.manager.check().map_err(End::Stop)?;
                self.observer.explicit_round(at, to);
                for begin in (from..to).step_by(BATCH) {
                    for clause in program.followers.get(&at).map_or(&[][..], Vec::as_slice) {
                        let seed = Some((at, begin..to.min(begin + BATCH)));
                        let is_new = self.evaluate_loops(explicit, clause, seed, effort)?;
                        if is_new && watch.goal() == Some(clause.id.relation) {
                            return Ok(true);
                        }
                    }
                }
                followed.insert(at, to);
            }
            if is_done {
                return Ok(false);
            }
        }
    }

    /// Evaluates a rule, following some tuples if there are any; whether it brought something new.
    fn evaluate_loops(
        &mut self,
        explicit: &mut ExplicitRelations,
        clause: &Clause,
        seed: Option<(RelId, Range<usize>)>,
        effort: &mut Effort,
    ) -> Result<bool, End> {
        let begin = Instant::now();
        self.observer.begin_clause(clause.id);
        let seed = seed.map(|(at, range)| explicit.set(at).codes(range).to_vec());
        let (manager, before) = (&self.space.manager, effort.found);
        let at = clause.id.relation;
        let mut head = explicit.tuples[at].take().expect("a member is explicit");
        let ended = if clause.reads_head {
            explicit.tuples[at] = Some(head);
            let mut gathered =
                Gathered { manager, head: explicit.set(at), new: Vec::new(), count: 0, effort };
            let ended = clause.loops.run(&explicit.sorts, &explicit.tuples, seed.as_deref(), &mut gathered);
            let (new, count) = (gathered.new, gathered.count);
            let head = explicit.tuples[at].as_mut().expect("it is there again");
            let width = head.width();
            effort.found +=
                (0..count).filter(|at| head.add(&new[at * width..(at + 1) * width])).count() as u64;
            ended
        } else {
            let mut derived = Derived { manager, head: &mut head, effort };
            let ended = clause.loops.run(&explicit.sorts, &explicit.tuples, seed.as_deref(), &mut derived);
            explicit.tuples[at] = Some(head);
            ended
        };
        let brought = effort.found - before;
        let work = effort.work.entry(clause.id).or_default();
        work.rounds += 1;
        work.tuples += brought;
        work.time += begin.elapsed();
        ended.map(|()| brought > 0)
    }
}
