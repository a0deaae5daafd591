//! Evaluating a rule on explicit relations: nested loops over indices, one value of each variable at a time.

use crate::check::tree::{Comparison, RelId};
use crate::elaborate::core::{Arg, Atom, Constraint, Operand, Rule, Scalar, Summand, in_range};
use crate::index::IdVec;
use crate::plan::{RuleStepKind, explicit_steps};
use crate::relation::TupleSet;
use crate::sort::{Sort, SortId, Sorts, Value};
use crate::space::{code, value_of};
use std::rc::Rc;

/// A rule with its loops, from nothing or following the tuples of one atom.
pub(super) struct Loops {
    steps: Vec<LoopStep>,
    head: Vec<Source>,
    vars: usize,
}

#[derive(Clone, Copy)]
enum Source {
    Const(u32),
    Var(usize),
}

enum LoopStep {
    /// The tuples of a relation, or those that are followed.
    Each(Each),
    /// A tuple is in the relation, or is not.
    Member {
        relation: RelId,
        tuple: Vec<Source>,
        negative: bool,
    },
    Condition(Constraint),
    /// All codes of a sort.
    Domain {
        var: usize,
        size: u32,
    },
    /// A variable of this sort: `var + shift = other`.
    Compute {
        var: usize,
        other: Operand,
        sort: SortId,
        shift: i128,
    },
}

struct Each {
    relation: RelId,
    /// The index over the columns whose codes are known, with their sources; none for all tuples.
    index: Option<(usize, Vec<Source>)>,
    /// How many codes each tuple found has.
    stride: usize,
    /// Where the variables begin among these codes.
    binds: Vec<(usize, usize)>,
    /// What else must be equal.
    checks: Vec<(usize, Source)>,
    /// Nobody needs what it binds: one tuple is as good as all.
    once: bool,
    /// Of the last loop: the columns of the head that it fills, each with the position of the code.
    fills: Vec<(usize, usize)>,
}

/// Takes what is derived. `Err` ends the evaluation.
pub(super) trait Sink {
    type End;

    /// A tuple of the head.
    fn derived(&mut self, tuple: &[u32]) -> Result<(), Self::End>;

    /// So many more tuples or values are looked at.
    fn looked(&mut self, count: usize) -> Result<(), Self::End>;

    /// So many tuples of the outermost loop are done, of so many; not told where some are followed.
    fn through(&mut self, done: usize, all: usize) -> Result<(), Self::End>;
}

/// The tuples of all relations that have them. Copies of a relation share its tuples.
pub(super) type Sets = IdVec<RelId, Option<Rc<TupleSet>>>;

impl Loops {
    /// `tuples` get the indices that the loops use. `sorts` has all sorts of the rule as keys, `columns` are those of
    /// the head.
    pub fn new(
        sorts: &Sorts,
        (rule, columns): (&Rule, &[Scalar]),
        seed: Option<usize>,
        tuples: &mut Sets,
    ) -> Loops {
        let fan_out = |atom: &Atom, bound: &[bool]| {
            let is_known = |column: &usize| match &atom.args[*column] {
                Arg::Const(_) => true,
                Arg::Var(var) => bound[*var],
            };
            let known = (0..atom.args.len()).filter(is_known).collect::<Vec<_>>();
            if known.len() == atom.args.len() {
                return 0;
            }
            // What is solved now has no tuples yet, and may get any number.
            let set = tuples[atom.relation].as_ref().filter(|set| !set.is_empty());
            set.map_or(u64::MAX, |set| set.fan_out(&known))
        };
        let kinds = explicit_steps(sorts, rule, seed, &fan_out);
        let mut bound = vec![false; rule.vars.len()];
        let mut steps = Vec::new();
        for (at, kind) in kinds.iter().enumerate() {
            let step = match kind {
                RuleStepKind::Atom(atom) => {
                    let followed = at == 0 && seed.is_some();
                    let mut step = atom_step(sorts, rule, *atom, followed, &mut bound, tuples);
                    if let LoopStep::Each(each) = &mut step {
                        let later = &kinds[at + 1..];
                        each.once = !each.binds.iter().any(|(_, var)| is_used(rule, later, *var));
                    }
                    step
                }
                RuleStepKind::Constraint(constraint) => {
                    LoopStep::Condition(rule.constraints[*constraint].clone())
                }
                RuleStepKind::Domain(var) => {
                    bound[*var] = true;
                    let size = sorts.scalar_size(rule.vars[*var].sort).expect("explicit sorts are numbered");
                    LoopStep::Domain { var: *var, size: size as u32 }
                }
                RuleStepKind::Compute { constraint, var } => {
                    bound[*var] = true;
                    compute_step(&rule.constraints[*constraint], *var)
                }
            };
            steps.push(step);
        }
        let head = rule
            .head
            .iter()
            .zip(columns)
            .map(|(arg, column)| source(sorts, arg, column.sort))
            .collect::<Vec<_>>();
        if let Some(LoopStep::Each(last)) = steps.last_mut() {
            let of = |source: &Source| match source {
                Source::Var(var) => last.binds.iter().find(|(_, bound)| bound == var).map(|(at, _)| *at),
                Source::Const(_) => None,
            };
            let filled = head.iter().enumerate();
            last.fills = filled.filter_map(|(column, source)| Some((column, of(source)?))).collect();
        }
        Loops { steps, head, vars: rule.vars.len() }
    }
    /// Evaluates the rule. If it follows an atom, `seed` has the codes of the tuples that are followed.
    pub fn run<S: Sink>(
        &self,
        sorts: &Sorts,
        tuples: &Sets,
        seed: Option<&[u32]>,
        sink: &mut S,
    ) -> Result<(), S::End> {
        let (steps, head, is_whole) = (&self.steps[..], &self.head[..], seed.is_none());
        let mut run = Run { sorts, tuples, steps, head, is_whole, sink, tuple: Vec::new() };
        let mut values = vec![0; self.vars];
        match (seed, self.steps.first()) {
            (Some(seed), Some(LoopStep::Each(each))) => run.each(each, seed, 0, &mut values).map(drop),
            _ => run.from(0, &mut values),
        }
    }
}

fn source(sorts: &Sorts, arg: &Arg, sort: SortId) -> Source {
    match arg {
        Arg::Const(value) => Source::Const(code(sorts, sort, value) as u32),
        Arg::Var(var) => Source::Var(*var),
    }
}

/// Whether a variable is needed after a step.
fn is_used(rule: &Rule, later: &[RuleStepKind], var: usize) -> bool {
    rule.head.contains(&Arg::Var(var)) || later.iter().any(|kind| kind.vars(rule).contains(&var))
}

fn atom_step(
    sorts: &Sorts,
    rule: &Rule,
    number: usize,
    followed: bool,
    bound: &mut [bool],
    tuples: &mut Sets,
) -> LoopStep {
    let atom = &rule.atoms[number];
    let relation = atom.relation;
    let sources = atom.args.iter().zip(atom.sorts.iter());
    let sources = sources.map(|(arg, sort)| source(sorts, arg, *sort)).collect::<Vec<_>>();
    let is_known = |source: &Source| match source {
        Source::Const(_) => true,
        Source::Var(var) => bound[*var],
    };
    let known =
        (0..sources.len()).filter(|&column| !followed && is_known(&sources[column])).collect::<Vec<_>>();
    if known.len() == sources.len() && !followed {
        return LoopStep::Member { relation, tuple: sources, negative: atom.negative };
    }
    let index = (!known.is_empty()).then(|| {
        let tuples = tuples[relation].as_mut().expect("what a rule mentions is explicit");
        (Rc::make_mut(tuples).index(&known), known.iter().map(|&column| sources[column]).collect())
    });
    let rest = (0..sources.len()).filter(|column| !known.contains(column)).collect::<Vec<_>>();
    let (mut binds, mut checks) = (Vec::new(), Vec::new());
    for (position, &column) in rest.iter().enumerate() {
        match sources[column] {
            Source::Var(var) if !bound[var] => {
                bound[var] = true;
                binds.push((position, var));
            }
            source => checks.push((position, source)),
        }
    }
    LoopStep::Each(Each {
        relation,
        index,
        stride: rest.len(),
        binds,
        checks,
        once: false,
        fills: Vec::new(),
    })
}

fn compute_step(constraint: &Constraint, var: usize) -> LoopStep {
    let Constraint::Compare(_, left, right) = constraint else { unreachable!("only equations compute") };
    let own = |operand: &Operand| operand.as_shift().filter(|(own, ..)| *own == var);
    let ((_, sort, shift), other) = match (own(left), own(right)) {
        (Some(own), _) => (own, right),
        (None, Some(own)) => (own, left),
        (None, None) => unreachable!("a key is computed where it stands alone"),
    };
    LoopStep::Compute { var, other: other.clone(), sort, shift }
}

struct Run<'r, S> {
    sorts: &'r Sorts,
    tuples: &'r Sets,
    steps: &'r [LoopStep],
    head: &'r [Source],
    /// No tuples are followed: the outermost loop goes over all there are.
    is_whole: bool,
    sink: &'r mut S,
    /// What is looked up or derived, not kept between steps.
    tuple: Vec<u32>,
}

fn get(values: &[u32], source: Source) -> u32 {
    match source {
        Source::Const(code) => code,
        Source::Var(var) => values[var],
    }
}

impl<'r, S: Sink> Run<'r, S> {
    fn fill(&mut self, sources: &[Source], values: &[u32]) {
        self.tuple.clear();
        self.tuple.extend(sources.iter().map(|source| get(values, *source)));
    }

    fn set(&self, relation: RelId) -> &'r TupleSet {
        self.tuples[relation].as_ref().expect("what a rule mentions is explicit")
    }

    /// The steps from one on, for the values so far.
    fn from(&mut self, at: usize, values: &mut [u32]) -> Result<(), S::End> {
        let (steps, head) = (self.steps, self.head);
        let Some(step) = steps.get(at) else {
            self.fill(head, values);
            return self.sink.derived(&self.tuple);
        };
        match step {
            LoopStep::Each(each) => {
                let set = self.set(each.relation);
                let found = match &each.index {
                    None => set.codes(0..set.len()),
                    Some((index, sources)) => {
                        self.fill(sources, values);
                        set.matching(*index, &self.tuple)
                    }
                };
                self.each(each, found, at, values)
            }
            LoopStep::Member { relation, tuple, negative } => {
                self.fill(tuple, values);
                self.sink.looked(1)?;
                match self.set(*relation).contains(&self.tuple) != *negative {
                    true => self.from(at + 1, values),
                    false => Ok(()),
                }
            }
            LoopStep::Condition(constraint) => match holds(self.sorts, constraint, values) {
                true => self.from(at + 1, values),
                false => Ok(()),
            },
            LoopStep::Domain { var, size } => {
                for code in 0..*size {
                    self.sink.looked(1)?;
                    values[*var] = code;
                    self.from(at + 1, values)?;
                }
                Ok(())
            }
            LoopStep::Compute { var, other, sort, shift } => {
                match computed(self.sorts, other, values, *sort, *shift) {
                    Some(code) => {
                        values[*var] = code;
                        self.from(at + 1, values)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// The steps after a loop, for each tuple found.
    fn each(&mut self, each: &Each, found: &[u32], at: usize, values: &mut [u32]) -> Result<(), S::End> {
        // A relation without columns, followed because it holds now.
        if each.stride == 0 {
            return self.from(at + 1, values);
        }
        if at + 1 == self.steps.len() {
            return self.last(each, found, values);
        }
        let all = found.len() / each.stride;
        for (done, tuple) in found.chunks_exact(each.stride).enumerate() {
            if at == 0 && self.is_whole {
                self.sink.through(done, all)?;
            }
            self.sink.looked(1)?;
            each.binds.iter().for_each(|(position, var)| values[*var] = tuple[*position]);
            if each.checks.iter().all(|(position, source)| tuple[*position] == get(values, *source)) {
                self.from(at + 1, values)?;
                if each.once {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl<S: Sink> Run<'_, S> {
    /// The last loop, where most of the time goes: only what it binds changes from tuple to tuple of the head.
    fn last(&mut self, each: &Each, found: &[u32], values: &mut [u32]) -> Result<(), S::End> {
        let head = self.head;
        self.fill(head, values);
        self.sink.looked(if each.once { 1 } else { found.len() / each.stride })?;
        for tuple in found.chunks_exact(each.stride) {
            if !each.checks.is_empty() {
                each.binds.iter().for_each(|(position, var)| values[*var] = tuple[*position]);
                if each.checks.iter().any(|(position, source)| tuple[*position] != get(values, *source)) {
                    continue;
                }
            }
            each.fills.iter().for_each(|(column, position)| self.tuple[*column] = tuple[*position]);
            self.sink.derived(&self.tuple)?;
            if each.once {
                break;
            }
        }
        Ok(())
    }
}

/// The value of an operand as a number that compares as the value does, if it has one.
fn number(sorts: &Sorts, operand: &Operand, values: &[u32]) -> Option<i128> {
    if !matches!(sorts.get(operand.sort), Sort::Range { .. }) {
        return match operand.as_arg()? {
            Arg::Const(value) => Some(i128::from(code(sorts, operand.sort, value))),
            Arg::Var(var) => Some(i128::from(values[*var])),
        };
    }
    let of = |value: Value| match value {
        Value::Int(number) => Some(i128::from(number)),
        _ => None,
    };
    let known = |part: &Summand| match &part.arg {
        Arg::Const(value) => of(value.clone()),
        Arg::Var(var) => of(value_of(sorts, part.sort, u64::from(values[*var]))),
    };
    operand.number.value(&known).filter(|value| in_range(sorts, operand.sort, *value).is_some())
}

/// The code of the variable with `var + shift = other`, if there is one.
fn computed(sorts: &Sorts, other: &Operand, values: &[u32], sort: SortId, shift: i128) -> Option<u32> {
    let value = number(sorts, other, values)?;
    match sorts.get(sort) {
        Sort::Range { .. } => in_range(sorts, sort, value - shift).map(|own| code(sorts, sort, &own) as u32),
        _ => u32::try_from(value).ok(),
    }
}

fn holds(sorts: &Sorts, constraint: &Constraint, values: &[u32]) -> bool {
    match constraint {
        Constraint::Const(value) => *value,
        Constraint::Compare(comparison, left, right) => {
            let sides = (number(sorts, left, values), number(sorts, right, values));
            let (Some(left), Some(right)) = sides else { return false };
            match comparison {
                Comparison::Eq => left == right,
                Comparison::Lt => left < right,
                Comparison::Le => left <= right,
            }
        }
        Constraint::Defined(operand) => number(sorts, operand, values).is_some(),
        Constraint::Not(inner) => !holds(sorts, inner, values),
        Constraint::And(parts) => parts.iter().all(|part| holds(sorts, part, values)),
        Constraint::Or(parts) => parts.iter().any(|part| holds(sorts, part, values)),
    }
}
