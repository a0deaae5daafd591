//! Predicates that may tell a run of an abstraction from the runs of the program: weakest preconditions.
//!
//! The run cannot be followed: there is a first step whose guard does not hold. What must hold before the steps that lead
//! there, so that the guard holds, are conditions over the variables of all threads that take part. Each statement on the way
//! back puts the values that it assigns in place of its variables, and where a guard says that two numbers are equal, one
//! may stand for the other: so conditions about two threads arise.
//!
//! Whether a number that counts equals another one, `l = t`, leads to ever new conditions: `l = t + 1`, `l = t + 2`. So its order is
//! offered, too: `l < t`, `l <= t`.

use crate::model::program::cfg::{Action, AssignedValue, Cfg, Edge};
use crate::model::program::encode::Layout;
use crate::model::program::predicate::condition::{Condition, Term};
use crate::model::program::predicate::{Mention, is_predicate, spoken};
use crate::model::program::resolve::program::{Domain, ProcedureId, Program, Var, Variable};
use crate::model::route::Offered;
use crate::model::route::{Route, RouteStep};
use std::collections::BTreeSet;

/// So many conditions are carried back at most, and so many are offered.
const MOST: usize = 60;
const OFFERED: usize = 24;
/// A condition with more parts is dropped: one in which a variable occurs twice may double with each step.
const LARGEST: usize = 100;

/// A variable of a thread of the run, or one that all threads see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    thread: Option<(usize, ProcedureId)>,
    var: Var,
}

/// The program that a run is about.
pub struct Ran<'a> {
    pub program: &'a Program,
    pub cfg: &'a Cfg,
    pub layout: &'a Layout,
}

impl Ran<'_> {
    /// Predicates that the program does not have yet, the most promising first. The last step of the run is the one that
    /// cannot be made.
    pub fn predicates_against(&self, route: &Route) -> Vec<Offered> {
        let Some((last, before)) = route.steps.split_last() else { return Vec::new() };
        let mut found = Found::default();
        let mut carried = Vec::new();
        if let Some(edge) = self.edge(last) {
            carried = self.comparisons(last, edge);
        }
        found.add(self, &carried);
        // What else was asked for on the way may matter, too.
        let mut asked = Vec::new();
        for step in before.iter().rev() {
            let Some(edge) = self.edge(step) else { continue };
            let mut earlier = carried.iter().map(|term| self.before(term, step, edge)).collect::<Vec<_>>();
            let guard = self.guard(step, edge);
            for (left, right) in guard.equations() {
                earlier.extend(carried.iter().flat_map(|term| exchanged(term, left, right)));
            }
            carried.clear();
            for term in earlier {
                let is_small = term.size(LARGEST) <= LARGEST;
                if is_small
                    && !carried.contains(&term)
                    && Condition::of(&term).is_some()
                    && carried.len() < MOST
                {
                    carried.push(term);
                }
            }
            found.add(self, &carried);
            asked.extend(self.comparisons(step, edge));
        }
        found.add(self, &asked);
        self.offered(found)
    }

    fn edge(&self, step: &RouteStep) -> Option<&Edge> {
        let ((flow, from), (_, to)) = (self.layout.location(step.from), self.layout.location(step.to));
        self.cfg.flow(flow).leaving(from).find(|edge| edge.to == to)
    }

    fn place(&self, step: &RouteStep, var: Var) -> Place {
        let (flow, _) = self.layout.location(step.from);
        self.place_of(step.thread, flow, var)
    }

    fn place_of(&self, thread: usize, flow: ProcedureId, var: Var) -> Place {
        match var {
            Var::Shared(_) => Place { thread: None, var },
            Var::Own(_) | Var::Local(_) => Place { thread: Some((thread, flow)), var },
        }
    }

    fn domain(&self, place: &Place) -> &Domain {
        match place.thread {
            Some((_, flow)) => self.cfg.domain(flow, place.var),
            None => self.cfg.domain(ProcedureId(0), place.var),
        }
    }

    /// Whether a condition about one variable says the same of all its values.
    fn is_settled(&self, condition: &Condition<Place>) -> bool {
        let mut sum = condition.sum.iter();
        let (Some((place, factor)), None) = (sum.next(), sum.next()) else { return false };
        let values = self.domain(place).interval();
        let ends = [values.low, values.high]
            .map(|value| value * i128::from(*factor) + i128::from(condition.constant));
        match condition.is_equation {
            true => ends[0].min(ends[1]) > 0 || ends[0].max(ends[1]) < 0,
            false => ends[0].max(ends[1]) <= 0 || ends[0].min(ends[1]) > 0,
        }
    }

    fn guard(&self, step: &RouteStep, edge: &Edge) -> Term<Place> {
        Term::of(&edge.guard.code, |var| self.place(step, var))
    }

    fn comparisons(&self, step: &RouteStep, edge: &Edge) -> Vec<Term<Place>> {
        let is_number = |place: &Place| !matches!(self.domain(place), Domain::Bool);
        self.guard(step, edge).comparisons(&is_number)
    }

    /// What must hold before a step, so that a condition holds after it.
    fn before(&self, term: &Term<Place>, step: &RouteStep, edge: &Edge) -> Term<Place> {
        let term_of = |expression: &crate::model::program::resolve::program::Expr| {
            Term::of(&expression.code, |var| self.place(step, var))
        };
        match &edge.action {
            Action::Assign { values, .. } => term.with(&|place| {
                let (_, value) = values.iter().find(|(var, _)| self.place(step, *var) == *place)?;
                Some(match value {
                    AssignedValue::Is(value) => term_of(value),
                    AssignedValue::Any => Term::Unknown,
                })
            }),
            Action::Create(spawn) => term.with(&|place| {
                let (flow, _) = self.cfg.births[spawn.birth as usize];
                let at = spawn
                    .variables
                    .iter()
                    .position(|var| step.new.is_some_and(|new| self.place_of(new, flow, *var) == *place))?;
                Some(spawn.values.get(at).map_or(Term::Unknown, term_of))
            }),
            Action::Call { .. } => term.clone(),
        }
    }

    /// The name of a variable for the predicates; nothing if it has none.
    fn name(&self, place: &Place) -> Option<String> {
        let name = match (place.thread, place.var) {
            (_, Var::Shared(index)) => &self.cfg.shared.get(index as usize)?.name,
            (_, Var::Own(index)) => &self.cfg.own.get(index as usize)?.name,
            (Some((_, flow)), Var::Local(index)) => &self.cfg.flow(flow).locals.get(index as usize)?.name,
            (None, Var::Local(_)) => return None,
        };
        // What was inlined from a graph has the name of its procedure in front, which the text does not have.
        let own = |variables: &[Variable], name: &str| variables.iter().any(|variable| variable.name == name);
        let is_known = |name: &str| {
            let mut procedures = self.program.procedures.iter();
            own(&self.program.shared, name)
                || own(&self.program.own, name)
                || procedures.any(|procedure| own(&procedure.locals, name))
        };
        let mut rest = name.as_str();
        while !is_known(rest) {
            rest = rest.split_once('.')?.1;
        }
        let is_word = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '@'));
        let rest = spoken(rest);
        rest.split('.').all(is_word).then(|| rest.to_string())
    }

    /// A condition about one or two threads, by names.
    fn named(&self, condition: &Condition<Place>) -> Option<Condition<Mention>> {
        let threads = condition.sum.keys().filter_map(|place| Some(place.thread?.0)).collect::<BTreeSet<_>>();
        let threads = threads.into_iter().collect::<Vec<_>>();
        let by = |own: Option<usize>| {
            condition.renamed(|place| {
                let other = place.thread.is_some_and(|(thread, _)| Some(thread) != own);
                Some(Mention { name: self.name(place)?, other })
            })
        };
        match threads[..] {
            [] => by(None),
            [one] => by(Some(one)),
            // Either of them is the thread itself; of equal conditions one is enough.
            [one, two] => by(Some(one)).into_iter().chain(by(Some(two))).min(),
            _ => None,
        }
    }

    /// The names of variables that statements count up or down: `x := y + 1`, or `x := y` with such a y.
    fn counting(&self) -> BTreeSet<String> {
        let mut assigned = Vec::new();
        for flow in self.cfg.needed() {
            for edge in &self.cfg.flow(flow).edges {
                let Action::Assign { values, .. } = &edge.action else { continue };
                let place = |var| self.place_of(0, flow, var);
                assigned.extend(values.iter().filter_map(|(var, value)| {
                    let AssignedValue::Is(value) = value else { return None };
                    let (sum, constant) = Term::of(&value.code, place).sum()?;
                    let mut sum = sum.into_iter();
                    match (sum.next(), sum.next()) {
                        (Some((of, 1)), None) => Some((place(*var), of, constant)),
                        _ => None,
                    }
                }));
            }
        }
        let mut counting = BTreeSet::new();
        loop {
            let counts = |(_, of, constant): &&(Place, Place, i64)| *constant != 0 || counting.contains(of);
            let now = assigned.iter().filter(counts).map(|(place, ..)| *place).collect::<BTreeSet<_>>();
            if now == counting {
                return counting.iter().filter_map(|place| self.name(place)).collect();
            }
            counting = now;
        }
    }

    /// The texts of what was found, without what there is already.
    fn offered(&self, found: Found) -> Vec<Offered> {
        let counting = self.counting();
        let mut known =
            self.program.predicates.iter().filter_map(Condition::of_predicate).collect::<BTreeSet<_>>();
        let mut texts = Vec::new();
        for condition in found.conditions {
            let of_one_thread = condition.sum.keys().all(|mention| !mention.other);
            let counts = condition.sum.keys().any(|mention| counting.contains(&mention.name));
            let far = 2 * condition.constant.unsigned_abs().min(100) as u32;
            let mut these = Vec::new();
            if condition.is_equation && counts && of_one_thread && condition.sum.len() > 1 {
                let order = |constant| Condition { constant, is_equation: false, ..condition.clone() };
                these.push((order(condition.constant + 1), far));
                these.push((order(condition.constant), far));
            }
            these.push((condition.clone(), far + u32::from(condition.is_equation && counts)));
            for (condition, special) in these {
                let text = condition.text();
                if !known.contains(&condition) && texts.len() < OFFERED && is_predicate(self.program, &text) {
                    texts.push(Offered { text, special });
                    known.insert(condition);
                }
            }
        }
        texts
    }
}

/// The conditions that were found, each once, the nearest to the impossible step first.
#[derive(Default)]
struct Found {
    conditions: Vec<Condition<Mention>>,
}

impl Found {
    fn add(&mut self, ran: &Ran, terms: &[Term<Place>]) {
        for term in terms {
            if let Some(condition) = Condition::of(term).filter(|condition| !ran.is_settled(condition))
                && let Some(condition) = ran.named(&condition)
                && !self.conditions.contains(&condition)
            {
                self.conditions.push(condition);
            }
        }
    }
}

/// A condition with one side of an equation in place of the other one, where that is a variable.
fn exchanged(term: &Term<Place>, left: &Term<Place>, right: &Term<Place>) -> Vec<Term<Place>> {
    let instead = |one: &Term<Place>, other: &Term<Place>| match one {
        Term::Variable(place) => {
            let new = term.with(&|at| (at == place).then(|| other.clone()));
            (new != *term).then_some(new)
        }
        _ => None,
    };
    instead(left, right).into_iter().chain(instead(right, left)).collect()
}
