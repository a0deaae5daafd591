//! Which constructs a checked file uses: the random files must have them all.

use crate::oracle::{self, Answers};
use calculus::check::number::{Arithmetic, Number};
use calculus::check::tree::{Body, Comparison, Formula, Relation, System, Term, TermKind};
use calculus::sort::Sort;
use calculus::syntax::ast::DefKind;
use std::collections::{BTreeMap, BTreeSet};

/// How many files use each construct.
#[derive(Debug, Default)]
pub struct Features {
    pub counts: BTreeMap<&'static str, usize>,
}

/// Every construct that must occur.
pub const ALL: &[&str] = &[
    "let",
    "mu",
    "nu",
    "facts",
    "family",
    "mixed",
    "kinds by index",
    "three blocks",
    "four blocks",
    "nesting matters",
    "mutual",
    "label",
    "keyed",
    "single value",
    "not a power of two",
    "not from 0",
    "bool column",
    "record",
    "vector",
    "empty vector",
    "constant",
    "not",
    "implies",
    "iff",
    "exists",
    "forall",
    "forall inside recursion",
    "holds",
    "less",
    "number in an atom",
    "number under a negation",
    "number of two ranges",
    "nested number",
    "add",
    "sub",
    "mul",
    "div",
    "rem",
    "min",
    "max",
    "field",
    "element",
    "slice",
    "concat",
    "with",
    "record term",
    "vector term",
    "whole-value equality",
    "constant in an atom",
    "repeated variable",
    "negated atom",
    "closed query",
    "open query",
    "verdict",
    "verdict without condition",
    "condition fails",
    "empty answer",
    "full answer",
    "answer between",
    "three rounds",
    "five rounds",
];

impl Features {
    pub fn missing(&self) -> Vec<&'static str> {
        ALL.iter().copied().filter(|feature| !self.counts.contains_key(feature)).collect()
    }

    pub fn add(&mut self, system: &System, answers: &Answers, steps: u64) {
        let mut seen = BTreeSet::new();
        for relation in &system.relations {
            definition(system, relation, &mut seen);
        }
        texts(system, &mut seen);
        components(system, &mut seen);
        if seen.contains("mixed")
            && oracle::answers_inside_out(system, steps).is_ok_and(|other| other.queries != answers.queries)
        {
            seen.insert("nesting matters");
        }
        for (query, tuples) in system.queries.iter().zip(&answers.queries) {
            let columns = &system.relations[query.relation.0 as usize].columns;
            let possible =
                columns.iter().map(|column| system.sorts.values(column.sort).len()).product::<usize>();
            seen.insert(if columns.is_empty() { "closed query" } else { "open query" });
            let answer = match tuples.len() {
                0 => "empty answer",
                all if all == possible => "full answer",
                _ => "answer between",
            };
            // Answers count one by one.
            *self.counts.entry(answer).or_default() += 1;
        }
        for (at, verdict) in system.verdicts.iter().enumerate() {
            seen.insert(if verdict.condition.is_some() { "verdict" } else { "verdict without condition" });
            if answers.verdict.is_none_or(|holds| at < holds) {
                seen.insert("condition fails");
            }
        }
        if answers.rounds >= 3 {
            seen.insert("three rounds");
        }
        if answers.rounds >= 5 {
            seen.insert("five rounds");
        }
        for feature in seen {
            *self.counts.entry(feature).or_default() += 1;
        }
    }
}

/// What the file has of symbol sorts. Only one kind of random file has them at all.
fn texts(system: &System, seen: &mut BTreeSet<&'static str>) {
    for relation in &system.relations {
        for column in relation.columns.iter().filter(|column| system.sorts.has_texts(column.sort)) {
            seen.insert("texts");
            if !matches!(system.sorts.get(column.sort), Sort::Symbol { .. }) {
                seen.insert("texts of a record or vector");
            } else if system.sorts.is_keyed(column.sort) {
                seen.insert("text as a key");
            }
            if system.sorts.is_empty(column.sort) {
                seen.insert("no text at all");
            }
            if relation.name.starts_with("input")
                && matches!(&relation.body, Body::Facts(rows) if !rows.is_empty())
            {
                seen.insert("texts from inputs");
            }
        }
    }
}

fn components(system: &System, seen: &mut BTreeSet<&'static str>) {
    let reaches = oracle::reaches(system);
    let kind = |at: usize| match &system.relations[at].body {
        Body::Defined { kind, .. } => Some(*kind),
        _ => None,
    };
    for (at, from) in reaches.iter().enumerate() {
        let mates = from.iter().copied().filter(|&other| reaches[other].contains(&at)).collect::<Vec<_>>();
        let has = |wanted: DefKind| mates.iter().any(|&mate| kind(mate) == Some(wanted));
        if mates.len() > 1 {
            seen.insert("mutual");
        }
        if has(DefKind::Mu) && has(DefKind::Nu) {
            seen.insert("mixed");
        }
        let mut fixed = mates
            .iter()
            .filter_map(|&mate| match &system.relations[mate].body {
                Body::Defined { kind: kind @ (DefKind::Mu | DefKind::Nu), order, .. } => {
                    Some((order, &system.relations[mate].indices, *kind))
                }
                _ => None,
            })
            .collect::<Vec<_>>();
        fixed.sort_by_key(|(order, indices, _)| (*order, *indices));
        let blocks = fixed.chunk_by(|(.., before), (.., after)| before == after).count();
        let by_index = fixed.windows(2).any(|two| two[0].0 == two[1].0 && two[0].2 != two[1].2);
        if by_index {
            seen.insert("kinds by index");
        }
        if blocks >= 3 {
            seen.insert("three blocks");
        }
        if blocks >= 4 {
            seen.insert("four blocks");
        }
        if let Body::Defined { clauses, .. } = &system.relations[at].body {
            let own = mates.into_iter().collect::<BTreeSet<_>>();
            if clauses.iter().any(|clause| forall_over(&clause.body, &own, false)) {
                seen.insert("forall inside recursion");
            }
        }
    }
}

fn forall_over(formula: &Formula, own: &BTreeSet<usize>, inside: bool) -> bool {
    match formula {
        Formula::Atom(relation, ..) => inside && own.contains(&(relation.0 as usize)),
        Formula::Const(_) | Formula::Holds(_) | Formula::Compare(..) => false,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| forall_over(part, own, inside)),
        Formula::Forall(_, inner) => forall_over(inner, own, true),
        Formula::Not(inner) | Formula::Exists(_, inner) => forall_over(inner, own, inside),
        Formula::Implies(left, right) | Formula::Iff(left, right) => {
            forall_over(left, own, inside) || forall_over(right, own, inside)
        }
    }
}

fn definition(system: &System, relation: &Relation, seen: &mut BTreeSet<&'static str>) {
    for column in &relation.columns {
        sort(system, column.sort, seen);
    }
    if !relation.indices.is_empty() {
        seen.insert("family");
    }
    match &relation.body {
        Body::Facts(_) => drop(seen.insert("facts")),
        Body::Model(_) => drop(seen.insert("model")),
        Body::Defined { kind, clauses, .. } => {
            seen.insert(match kind {
                DefKind::Let => "let",
                DefKind::Mu => "mu",
                DefKind::Nu => "nu",
            });
            for clause in clauses {
                if clause.name.starts_with("clause") {
                    seen.insert("label");
                }
                formula(&clause.body, false, seen);
            }
        }
    }
}

fn sort(system: &System, id: calculus::sort::SortId, seen: &mut BTreeSet<&'static str>) {
    match system.sorts.get(id) {
        Sort::Bool => drop(seen.insert("bool column")),
        Sort::Record { fields, .. } => {
            seen.insert("record");
            fields.iter().for_each(|(_, field)| sort(system, *field, seen));
        }
        Sort::Vector { element, lo, hi } => {
            seen.insert(if lo > hi { "empty vector" } else { "vector" });
            sort(system, *element, seen);
        }
        Sort::Range { lo, .. } if *lo != 0 => drop(seen.insert("not from 0")),
        _ => {}
    }
    if let Sort::Range { .. } | Sort::Enum { .. } = system.sorts.get(id) {
        match system.sorts.scalar_size(id) {
            Some(1) => drop(seen.insert("single value")),
            Some(size) if !size.is_power_of_two() => drop(seen.insert("not a power of two")),
            _ => {}
        }
    }
    if system.sorts.is_keyed(id) {
        seen.insert("keyed");
    }
}

fn formula(of: &Formula, negated: bool, seen: &mut BTreeSet<&'static str>) {
    match of {
        Formula::Const(_) => drop(seen.insert("constant")),
        Formula::Holds(held) => {
            seen.insert("holds");
            term(held, negated, seen);
        }
        Formula::Compare(comparison, left, right, _) => {
            if *comparison != Comparison::Eq {
                seen.insert("less");
            }
            if matches!((&left.kind, &right.kind), (TermKind::Var(_), TermKind::Var(_))) {
                seen.insert("whole-value equality");
            }
            [left, right].into_iter().for_each(|side| term(side, negated, seen));
        }
        Formula::Atom(_, args, _) => {
            if negated {
                seen.insert("negated atom");
            }
            let is = |term: &Term, var| matches!(term.kind, TermKind::Var(other) if other == var);
            for (at, arg) in args.iter().enumerate() {
                match &arg.kind {
                    TermKind::Const(_) => drop(seen.insert("constant in an atom")),
                    TermKind::Number(_) => drop(seen.insert("number in an atom")),
                    TermKind::Var(var) if args[..at].iter().any(|before| is(before, *var)) => {
                        seen.insert("repeated variable");
                    }
                    _ => {}
                }
                term(arg, negated, seen);
            }
        }
        Formula::Not(inner) => {
            seen.insert("not");
            formula(inner, !negated, seen);
        }
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| formula(part, negated, seen))
        }
        Formula::Implies(left, right) => {
            seen.insert("implies");
            formula(left, !negated, seen);
            formula(right, negated, seen);
        }
        Formula::Iff(left, right) => {
            seen.insert("iff");
            formula(left, true, seen);
            formula(right, true, seen);
        }
        Formula::Exists(_, inner) => {
            seen.insert("exists");
            formula(inner, negated, seen);
        }
        Formula::Forall(_, inner) => {
            seen.insert("forall");
            formula(inner, negated, seen);
        }
    }
}

fn term(of: &Term, negated: bool, seen: &mut BTreeSet<&'static str>) {
    match &of.kind {
        TermKind::Var(_) | TermKind::Const(_) => {}
        TermKind::Field(base, _) => {
            seen.insert("field");
            term(base, negated, seen);
        }
        TermKind::Element(base, _) => {
            seen.insert("element");
            term(base, negated, seen);
        }
        TermKind::Slice(base, ..) => {
            seen.insert("slice");
            term(base, negated, seen);
        }
        TermKind::Concat(left, right) => {
            seen.insert("concat");
            term(left, negated, seen);
            term(right, negated, seen);
        }
        TermKind::With(base, changes) => {
            seen.insert("with");
            term(base, negated, seen);
            changes.iter().for_each(|(_, change)| term(change, negated, seen));
        }
        TermKind::Record(parts) => {
            seen.insert("record term");
            parts.iter().for_each(|part| term(part, negated, seen));
        }
        TermKind::Vector(parts) => {
            seen.insert("vector term");
            parts.iter().for_each(|part| term(part, negated, seen));
        }
        TermKind::Number(number) => {
            if negated {
                seen.insert("number under a negation");
            }
            let mut ranges = BTreeSet::from([of.sort]);
            number.each(&mut |part| {
                ranges.insert(part.sort);
                term(part, negated, seen);
            });
            if ranges.len() > 1 {
                seen.insert("number of two ranges");
            }
            operators(number, seen);
        }
    }
}

fn operators(number: &Number<Term>, seen: &mut BTreeSet<&'static str>) {
    let Number::Apply(op, parts) = number else { return };
    seen.insert(match op {
        Arithmetic::Add => "add",
        Arithmetic::Sub => "sub",
        Arithmetic::Mul => "mul",
        Arithmetic::Div => "div",
        Arithmetic::Rem => "rem",
        Arithmetic::Min => "min",
        Arithmetic::Max => "max",
    });
    if parts.iter().any(|part| matches!(part, Number::Apply(..))) {
        seen.insert("nested number");
    }
    parts.iter().for_each(|part| operators(part, seen));
}
