//! The rules of a component as loops over tuples, run until nothing is new.

use super::super::solver::{Halt, Solver};
use super::super::watch::VerdictWatch;
use super::choice::ExplicitRules;
use super::join::{Loops, Sink};
use super::{ClauseWork, ExplicitRelations};
use crate::bdd::{Manager, Stop};
use crate::check::tree::RelId;
use crate::elaborate::core::{Arg, Rule, RuleId};
use crate::relation::TupleSet;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::time::Instant;

/// A tuple that is kept counts as much as so many that are looked at, because of the memory that it takes.
const COST_OF_TUPLE: u64 = 32;

/// When this part of the bound is used up, what is left of the outermost loop is estimated.
const EARLY: u64 = 16;

/// So many times the bound must be expected then, to give up.
const MARGIN: u64 = 4;

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
    /// What had been used up when the clause began that is evaluated now.
    used_before: u64,
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
        match self.used() > self.bound {
            true => Err(End::TooMuch),
            false => Ok(()),
        }
    }

    fn used(&self) -> u64 {
        self.looks.max(self.found.saturating_mul(COST_OF_TUPLE))
    }

    /// Gives up as soon as it can be seen, from the part of a clause that is done, that the bound is far off.
    fn through(&self, done: usize, all: usize) -> Result<(), End> {
        let used = self.used() - self.used_before;
        let expected = u128::from(used) * all as u128;
        let is_early = used >= self.bound / EARLY;
        match is_early && expected > u128::from(self.bound) * u128::from(MARGIN) * done as u128 {
            true => Err(End::TooMuch),
            false => Ok(()),
        }
    }
}

impl Sink for Derived<'_> {
    type End = End;

    fn through(&mut self, done: usize, all: usize) -> Result<(), End> {
        self.effort.through(done, all)
    }

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

    fn through(&mut self, done: usize, all: usize) -> Result<(), End> {
        self.effort.through(done, all)
    }

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

/// The relation that a rule copies, column by column, if it does nothing else.
fn copied(rule: &Rule) -> Option<RelId> {
    let [atom] = rule.atoms.as_slice() else { return None };
    let is_variable =
        |(column, arg): (usize, &Arg)| matches!(arg, Arg::Var(_)) && !rule.head[..column].contains(arg);
    let is_copy = !atom.negative
        && rule.constraints.is_empty()
        && rule.head == atom.args
        && rule.head.iter().enumerate().all(is_variable);
    is_copy.then_some(atom.relation)
}

impl Solver<'_> {
    /// Solves a component on tuples; whether it did, which only a bound prevents.
    pub(super) fn solve_on_tuples(
        &mut self,
        explicit: &mut ExplicitRelations,
        (part, rules): (&[RelId], &ExplicitRules),
        watch: &VerdictWatch,
        bound: u64,
    ) -> Result<bool, Halt> {
        for &at in part.iter().chain(watch.rules.keys()) {
            explicit.tuples[at] = Some(Rc::new(TupleSet::new(explicit.sizes(self.core, at))));
        }
        for atom in rules.iter().flat_map(|(_, rule)| &rule.atoms) {
            self.need_tuples(explicit, atom.relation)?;
        }
        if let ([at], [(id, rule)], None) = (part, &rules[..], watch.goal())
            && let Some(original) = copied(rule).filter(|original| original != at)
        {
            self.share(explicit, *id, original);
            return Ok(true);
        }
        let program = self.explicit_program(explicit, (part, rules), watch);
        let mut effort =
            Effort { bound, looks: 0, used_before: 0, next_poll: POLL, found: 0, work: BTreeMap::new() };
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

    /// Has the same tuples as another relation.
    fn share(&mut self, explicit: &mut ExplicitRelations, copy: RuleId, original: RelId) {
        let tuples = explicit.set(original).len();
        explicit.tuples[copy.relation] = explicit.tuples[original].clone();
        explicit.has_rows[copy.relation] = false;
        self.observer.explicit_round(copy.relation, tuples);
        let work = super::ClauseWork { rounds: 1, tuples: tuples as u64, ..Default::default() };
        self.observer.worked(copy, work);
    }

    /// Plans the rules of a component.
    fn explicit_program(
        &mut self,
        explicit: &mut ExplicitRelations,
        (part, rules): (&[RelId], &ExplicitRules),
        watch: &VerdictWatch,
    ) -> Program {
        let members = part.iter().chain(watch.rules.keys()).copied().collect::<Vec<_>>();
        let (mut first, mut followers) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
        for (id, rule) in rules {
            let (id, columns) = (*id, self.core.relations[id.relation].columns.as_slice());
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
        Program { members, first, followers }
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
        effort.used_before = effort.used();
        let at = clause.id.relation;
        let mut head = explicit.tuples[at].take().expect("a member is explicit");
        let ended = if clause.reads_head {
            explicit.tuples[at] = Some(head);
            let mut gathered =
                Gathered { manager, head: explicit.set(at), new: Vec::new(), count: 0, effort };
            let ended = clause.loops.run(&explicit.sorts, &explicit.tuples, seed.as_deref(), &mut gathered);
            let (new, count) = (gathered.new, gathered.count);
            let head = Rc::make_mut(explicit.tuples[at].as_mut().expect("it is there again"));
            let width = head.width();
            effort.found +=
                (0..count).filter(|at| head.add(&new[at * width..(at + 1) * width])).count() as u64;
            ended
        } else {
            let mut derived = Derived { manager, head: Rc::make_mut(&mut head), effort };
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
