//! A derivation as text and as JSON: every tuple once, with a number.

use crate::explain::goal::Question;
use crate::run::CheckedFile;
use calculus::check::tree::{Body, RelId, Relation};
use calculus::elaborate::core::{Arg, Atom, Rule};
use calculus::index::Id;
use calculus::show;
use calculus::solve::{Attempt, Case, Derivation, DerivationNode, Reason, Universal, known_args, text_order};
use calculus::sort::{Sort, SortId, Value, Width};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Longer ones are cut; `--all` shows everything.
const SHOWN: usize = 200;

struct Told<'a> {
    checked: &'a CheckedFile,
    nodes: &'a [DerivationNode],
    /// The nodes that are listed, in the order in which they are first mentioned.
    order: Vec<usize>,
    number: Vec<Option<usize>>,
}

/// `[1] R(1, 2)`, the clause it is derived by with the values of its variables, and what it rests on. `more` is what shows
/// all of a long one.
pub fn text(checked: &CheckedFile, derivation: &Derivation, all: bool, more: &str) -> String {
    let told = Told::new(checked, derivation);
    let mut out = String::new();
    let shown = if all { told.order.len() } else { SHOWN.min(told.order.len()) };
    for (at, &node) in told.order[..shown].iter().enumerate() {
        out.push_str(&format!("[{}] {}\n", at + 1, told.tuple(node)));
        match &told.nodes[node].reason {
            Reason::Fact => out.push_str("    a fact\n"),
            Reason::Assumed => out
                .push_str("    depends on itself: it is in a greatest fixed point, or in a fixed point nested in another\n"),
            Reason::Rule { values, .. } => {
                let (clause, values) = told.clause(node, values);
                let with =
                    if values.is_empty() { String::new() } else { format!(" with {}", listed(&values)) };
                out.push_str(&format!("    by {clause}{with}\n"));
                let premises = told.premises(node).iter().map(Premise::text).collect::<Vec<_>>();
                if !premises.is_empty() {
                    out.push_str(&format!("    from {}\n", premises.join(", ")));
                }
                told.cases(node).iter().for_each(|cases| cases.text(4, &mut out));
            }
        }
    }
    if shown < told.order.len() {
        out.push_str(&format!("… the first {shown} of {} tuples; {more} shows all\n", told.order.len()));
    }
    out
}

/// The nodes in the order of the text; premises name them by their number, counted from 1.
pub fn json(checked: &CheckedFile, question: &Question, derivation: &Derivation) -> Json {
    let told = Told::new(checked, derivation);
    let nodes = told.order.iter().map(|&node| {
        let (clause, values) = match &told.nodes[node].reason {
            Reason::Rule { values, .. } => {
                let (clause, values) = told.clause(node, values);
                (Some(clause), values)
            }
            _ => (None, Vec::new()),
        };
        let premises = told.premises(node).into_iter().map(Premise::json);
        let cases = told.cases(node).iter().map(Cases::json).collect::<Vec<_>>();
        json!({
            "tuple": told.tuple(node),
            "clause": clause,
            "assumed": matches!(told.nodes[node].reason, Reason::Assumed),
            "values": by_name(&values),
            "premises": premises.collect::<Vec<_>>(),
            "forall": cases,
        })
    });
    json!({ "asked": question.text, "holds": true, "nodes": nodes.collect::<Vec<_>>() })
}

/// What a tuple rests on.
#[derive(Clone)]
enum Premise {
    /// A tuple that is listed with this number.
    Listed(usize),
    Fact(String),
    /// A tuple that is not there.
    Negated(String),
}

impl Premise {
    fn text(&self) -> String {
        match self {
            Premise::Listed(number) => format!("[{number}]"),
            Premise::Fact(tuple) => tuple.clone(),
            Premise::Negated(tuple) => format!("!{tuple}"),
        }
    }

    fn json(self) -> Json {
        match self {
            Premise::Listed(number) => json!({ "node": number }),
            Premise::Fact(tuple) => json!({ "fact": tuple }),
            Premise::Negated(tuple) => json!({ "absent": tuple }),
        }
    }
}

/// Why a `forall` holds, case by case.
struct Cases {
    cases: Vec<ToldCase>,
    more: bool,
}

/// A case, what is chosen in it, and what it rests on.
struct ToldCase {
    values: Vec<Binding>,
    chosen: Vec<Binding>,
    premises: Vec<Premise>,
    inner: Vec<Cases>,
}

impl Cases {
    fn text(&self, indent: usize, out: &mut String) {
        let blank = " ".repeat(indent);
        out.push_str(&format!("{blank}for all:\n"));
        for case in &self.cases {
            let chosen = match case.chosen.is_empty() {
                true => String::new(),
                false => format!(" with {}", listed(&case.chosen)),
            };
            let premises = case.premises.iter().map(Premise::text).collect::<Vec<_>>().join(", ");
            let from = if premises.is_empty() { String::new() } else { format!(" from {premises}") };
            out.push_str(&format!("{blank}  {}:{chosen}{from}\n", listed(&case.values)));
            case.inner.iter().for_each(|inner| inner.text(indent + 4, out));
        }
        if self.more {
            out.push_str(&format!("{blank}  … and more\n"));
        }
    }

    fn json(&self) -> Json {
        let cases = self.cases.iter().map(|case| {
            let premises = case.premises.iter().cloned().map(Premise::json).collect::<Vec<_>>();
            let inner = case.inner.iter().map(Cases::json).collect::<Vec<_>>();
            let (values, chosen) = (by_name(&case.values), by_name(&case.chosen));
            json!({ "values": values, "chosen": chosen, "premises": premises, "forall": inner })
        });
        json!({ "cases": cases.collect::<Vec<_>>(), "more": self.more })
    }
}

impl<'a> Told<'a> {
    fn new(checked: &'a CheckedFile, derivation: &'a Derivation) -> Told<'a> {
        let nodes = &derivation.nodes;
        let mut told = Told { checked, nodes, order: Vec::new(), number: vec![None; nodes.len()] };
        let mut work = vec![0];
        while let Some(node) = work.pop() {
            if told.number[node].is_some() {
                continue;
            }
            told.order.push(node);
            told.number[node] = Some(told.order.len());
            let below = told.all_below(node);
            let derived = below.into_iter().filter(|&premise| told.is_listed(premise)).collect::<Vec<_>>();
            work.extend(derived.into_iter().rev());
        }
        told
    }

    fn rule(&self, node: usize) -> Option<&'a Rule> {
        let Reason::Rule { number, .. } = &self.nodes[node].reason else { return None };
        self.checked.core.rules(self.nodes[node].relation).get(*number)
    }

    /// Facts are named where they are used.
    fn is_listed(&self, node: usize) -> bool {
        !matches!(self.nodes[node].reason, Reason::Fact)
    }

    /// The atoms below a node in the order of the text, those of auxiliary relations in their place: the node and atom,
    /// and the premise.
    fn below(&self, node: usize) -> Vec<(usize, usize, Option<usize>)> {
        let (Some(rule), Reason::Rule { premises, .. }) = (self.rule(node), &self.nodes[node].reason) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for atom in text_order(rule) {
            match premises[atom] {
                Some(premise) if self.checked.core.is_auxiliary(self.nodes[premise].relation) => {
                    out.extend(self.below(premise));
                }
                premise => out.push((node, atom, premise)),
            }
        }
        out
    }

    /// The cases of each `forall` below a node, those of auxiliary relations in their place.
    fn universals(&self, node: usize) -> Vec<(RelId, &'a Universal)> {
        let (Some(rule), Reason::Rule { premises, universal, .. }) =
            (self.rule(node), &self.nodes[node].reason)
        else {
            return Vec::new();
        };
        let mut out = universal.iter().map(|one| (rule.atoms[one.atom].relation, one)).collect::<Vec<_>>();
        for &premise in premises.iter().flatten() {
            if self.checked.core.is_auxiliary(self.nodes[premise].relation) {
                out.extend(self.universals(premise));
            }
        }
        out
    }

    /// The nodes that a node rests on, in any way.
    fn all_below(&self, node: usize) -> Vec<usize> {
        let mut out = self.below(node).into_iter().filter_map(|(_, _, premise)| premise).collect::<Vec<_>>();
        for (_, universal) in self.universals(node) {
            for case in &universal.cases {
                match self.checked.core.is_auxiliary(self.nodes[case.premise].relation) {
                    true => out.extend(self.all_below(case.premise)),
                    false => out.push(case.premise),
                }
            }
        }
        out
    }

    /// Why each `forall` below a node holds.
    fn cases(&self, node: usize) -> Vec<Cases> {
        let outer = match &self.nodes[node].reason {
            Reason::Rule { values, .. } => self.clause(node, values).1,
            _ => Vec::new(),
        };
        let universals = self.universals(node).into_iter();
        universals
            .map(|(relation, universal)| {
                let cases = universal.cases.iter().map(|case| self.case(relation, case, &outer));
                Cases { cases: cases.collect(), more: universal.more }
            })
            .collect()
    }

    fn case(&self, relation: RelId, case: &Case, outer: &[Binding]) -> ToldCase {
        let rule = &self.checked.core.rules(relation)[case.rule];
        let known = case.values.iter().cloned().map(Some).collect::<Vec<_>>();
        let all = bindings(self.checked, relation, rule, &known);
        let is_new = |known: &[Binding], value: &Binding| known.iter().all(|other| other.var != value.var);
        let values = all.iter().filter(|value| is_new(outer, value)).cloned().collect::<Vec<_>>();
        let premise = &self.nodes[case.premise];
        if !self.checked.core.is_auxiliary(premise.relation) {
            let premises = vec![self.premise(case.premise)];
            return ToldCase { values, chosen: Vec::new(), premises, inner: Vec::new() };
        }
        let chosen = match &premise.reason {
            Reason::Rule { values, .. } => self.clause(case.premise, values).1,
            _ => Vec::new(),
        };
        let chosen = chosen.into_iter().filter(|value| is_new(&all, value) && is_new(outer, value));
        let (premises, inner) = (self.premises(case.premise), self.cases(case.premise));
        ToldCase { values, chosen: chosen.collect(), premises, inner }
    }

    /// A node as something to rest on.
    fn premise(&self, node: usize) -> Premise {
        match self.number[node] {
            Some(number) => Premise::Listed(number),
            None => Premise::Fact(self.tuple(node)),
        }
    }

    fn premises(&self, node: usize) -> Vec<Premise> {
        let told = |owner: usize, atom: usize| match &self.nodes[owner].reason {
            Reason::Rule { universal, .. } => universal.iter().any(|one| one.atom == atom),
            _ => false,
        };
        // What is told case by case need not be told as a whole.
        let below = self.below(node).into_iter().filter(|(owner, atom, _)| !told(*owner, *atom));
        below
            .filter_map(|(owner, atom, premise)| match premise {
                Some(premise) => Some(self.premise(premise)),
                None => self.negated(owner, atom).map(Premise::Negated),
            })
            .collect()
    }

    /// What is not there.
    fn negated(&self, node: usize, atom: usize) -> Option<String> {
        let (rule, Reason::Rule { values, .. }) = (self.rule(node)?, &self.nodes[node].reason) else {
            return None;
        };
        let atom = &rule.atoms[atom];
        let values = values.iter().cloned().map(Some).collect::<Vec<_>>();
        Some(fact(self.checked, atom.relation, &known_args(atom, &values)))
    }

    fn tuple(&self, node: usize) -> String {
        let tuple = self.nodes[node].tuple.iter().cloned().map(Some).collect::<Vec<_>>();
        fact(self.checked, self.nodes[node].relation, &tuple)
    }

    /// The clause's name and place, and the values of its quantified variables.
    fn clause(&self, node: usize, values: &[Value]) -> (String, Vec<Binding>) {
        let relation = self.nodes[node].relation;
        let Some(rule) = self.rule(node) else { return Default::default() };
        let values = values.iter().cloned().map(Some).collect::<Vec<_>>();
        (clause(self.checked, relation, rule), bindings(self.checked, relation, rule, &values))
    }
}

fn clause(checked: &CheckedFile, relation: RelId, rule: &Rule) -> String {
    let (name, span) = &checked.core.relations[relation].clauses[rule.clause];
    let source = checked.sources.get(span.file);
    let file = source.name.rsplit(['/', ':']).next().unwrap_or(&source.name);
    let unnamed = if name.starts_with(|c: char| c.is_ascii_digit()) { "clause " } else { "" };
    format!("{unnamed}{name} ({file}:{})", checked.sources.line(*span))
}

/// `p = main:11, r = x=0`
fn listed(values: &[Binding]) -> String {
    values.iter().map(|one| format!("{} = {}", one.name, one.value)).collect::<Vec<_>>().join(", ")
}

fn by_name(values: &[Binding]) -> BTreeMap<&str, &str> {
    values.iter().map(|one| (&*one.name, &*one.value)).collect()
}

/// A quantified variable with its value.
#[derive(Clone)]
struct Binding {
    /// Which variable of the definition it is: two may have one name.
    var: usize,
    name: String,
    value: String,
}

/// Each quantified variable whose value is known, with its value.
fn bindings(checked: &CheckedFile, relation: RelId, rule: &Rule, values: &[Option<Value>]) -> Vec<Binding> {
    let owner = checked.core.relations[relation].owner.index();
    let system = &checked.system;
    let Body::Defined { vars, .. } = &system.relations[owner].body else { return Vec::new() };
    let (mut out, mut leaf) = (Vec::new(), 0);
    for (number, var) in vars.iter().enumerate() {
        let count = system.sorts.leaf_count(var.sort);
        let leaves = (leaf..leaf + count).map(|leaf| match rule.leaves.get(leaf) {
            Some(Arg::Var(var)) => values[*var].clone(),
            Some(Arg::Const(value)) => Some(value.clone()),
            None => None,
        });
        let known = leaves.collect::<Option<Vec<_>>>();
        leaf += count;
        if let Some(known) = known.filter(|_| number >= system.relations[owner].columns.len()) {
            let value = system.sorts.assemble(var.sort, &mut known.into_iter());
            let value = show::value(&system.sorts, system.vocabulary.as_ref(), var.sort, &value);
            out.push(Binding { var: number, name: var.name.to_string(), value });
        }
    }
    out
}

/// `R(1, _)`
fn fact(checked: &CheckedFile, relation: RelId, tuple: &[Option<Value>]) -> String {
    let system = &checked.system;
    let Some(declared) = system.relations.get(relation.index()) else {
        return formula(checked, relation, tuple);
    };
    if declared.columns.is_empty() {
        return declared.title();
    }
    let mut rest = tuple;
    let columns = declared.columns.iter().map(|column| {
        let (own, others) = rest.split_at(system.sorts.leaf_count(column.sort));
        rest = others;
        partial(checked, column.sort, own)
    });
    applied(declared, columns.collect())
}

/// `R(1, 2)`; for what stands behind a dot, `(main:12 x=1).x = true`.
fn applied(declared: &Relation, columns: Vec<String>) -> String {
    match (&columns[..], declared.name.split_once('.'), &declared.body) {
        ([], ..) => declared.title(),
        ([of, value], Some((_, name)), Body::Model(_)) => format!("({of}).{name} = {value}"),
        _ => format!("{}({})", declared.title(), columns.join(", ")),
    }
}

/// A value of which only some leaves are known: `{who = Bob, to = _}`, and `main:12` for a state.
fn partial(checked: &CheckedFile, sort: SortId, leaves: &[Option<Value>]) -> String {
    let system = &checked.system;
    let shown = |leaves: Vec<Value>| {
        let value = system.sorts.assemble(sort, &mut leaves.into_iter());
        show::value(&system.sorts, system.vocabulary.as_ref(), sort, &value)
    };
    if let Some(all) = leaves.iter().cloned().collect::<Option<Vec<_>>>() {
        return shown(all);
    }
    let mut rest = leaves;
    let mut part = |sort: SortId| {
        let (own, others) = rest.split_at(system.sorts.leaf_count(sort));
        rest = others;
        partial(checked, sort, own)
    };
    let of_model = |sort: &SortId| match system.sorts.get(*sort) {
        Sort::Opaque { width: Width::Bits(width), .. } => Some(Value::Bits(vec![false; *width as usize])),
        _ => None,
    };
    match system.sorts.get(sort) {
        _ if leaves.iter().all(Option::is_none) => "_".into(),
        Sort::Record { fields, .. } => {
            // A state of the model: its place, without the values that are not known.
            let zeros = system.sorts.leaves(sort).into_iter().zip(leaves);
            let filled = zeros.map(|(sort, leaf)| leaf.clone().or_else(|| of_model(&sort)));
            if let Some(filled) = filled.collect::<Option<Vec<_>>>() {
                let shown = shown(filled);
                return shown.split(' ').filter(|word| !word.contains('=')).collect::<Vec<_>>().join(" ");
            }
            let fields = fields.iter().map(|(name, sort)| format!("{name} = {}", part(*sort)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Sort::Vector { element, lo, hi } => {
            format!("[{}]", (*lo..=*hi).map(|_| part(*element)).collect::<Vec<_>>().join(", "))
        }
        _ => "_".into(),
    }
}

/// What an auxiliary relation stands for, in brackets: `(move(3, y) & !Win(y))`. Conditions are only hinted at.
fn formula(checked: &CheckedFile, relation: RelId, tuple: &[Option<Value>]) -> String {
    let rules = checked.core.rules(relation);
    let disjuncts = rules.iter().map(|rule| {
        let mut values = vec![None; rule.vars.len()];
        for (arg, value) in rule.head.iter().zip(tuple) {
            if let Arg::Var(var) = arg {
                values[*var].clone_from(value);
            }
        }
        let atoms = text_order(rule).into_iter().map(|at| &rule.atoms[at]);
        let mut parts =
            atoms.map(|atom| open_fact(checked, relation, rule, atom, &values)).collect::<Vec<_>>();
        parts.extend((!rule.constraints.is_empty()).then(|| "…".to_string()));
        parts.join(" & ")
    });
    match rules {
        [rule] if rule.constraints.is_empty() && matches!(&*rule.atoms, [atom] if !atom.negative) => {
            disjuncts.collect()
        }
        _ => format!("({})", disjuncts.collect::<Vec<_>>().join(" | ")),
    }
}

/// An atom inside an auxiliary relation: values where they are known, else the names of variables.
fn open_fact(
    checked: &CheckedFile,
    relation: RelId,
    rule: &Rule,
    atom: &Atom,
    values: &[Option<Value>],
) -> String {
    let not = if atom.negative { "!" } else { "" };
    let (system, below) = (&checked.system, atom.relation);
    let known = known_args(atom, values);
    let Some(declared) = system.relations.get(below.index()) else {
        return format!("{not}{}", formula(checked, below, &known));
    };
    let owner = checked.core.relations[relation].owner.index();
    let Body::Defined { vars, .. } = &system.relations[owner].body else { return declared.title() };
    let owners = vars.iter().flat_map(|var| vec![&var.name; system.sorts.leaf_count(var.sort)]);
    let owners = owners.enumerate().map(|(leaf, name)| (name, rule.leaves.get(leaf))).collect::<Vec<_>>();
    let mut at = 0;
    let columns = declared.columns.iter().map(|column| {
        let leaves = at..at + system.sorts.leaf_count(column.sort);
        at = leaves.end;
        if let Some(own) = known[leaves.clone()].iter().cloned().collect::<Option<Vec<_>>>() {
            let value = system.sorts.assemble(column.sort, &mut own.into_iter());
            return show::value(&system.sorts, system.vocabulary.as_ref(), column.sort, &value);
        }
        let name = |arg: &Arg| owners.iter().find(|(_, leaf)| *leaf == Some(arg)).map(|(name, _)| *name);
        let names = atom.args[leaves].iter().map(name).collect::<Vec<_>>();
        match names.first() {
            Some(Some(first)) if names.iter().all(|name| *name == Some(*first)) => first.to_string(),
            _ => "_".into(),
        }
    });
    format!("{not}{}", applied(declared, columns.collect()))
}

/// Why a tuple is not there: clause by clause, what fails.
pub fn absent(checked: &CheckedFile, question: &Question, attempts: &[Attempt]) -> String {
    let mut out = format!("{} is not there\n", question.text);
    attempt_lines(checked, question.relation, attempts, 1, &mut out);
    out
}

fn attempt_lines(
    checked: &CheckedFile,
    relation: RelId,
    attempts: &[Attempt],
    depth: usize,
    out: &mut String,
) {
    let indent = "  ".repeat(depth);
    if !checked.core.is_defined(relation) {
        out.push_str(&format!("{indent}it is not one of the facts\n"));
        return;
    }
    let rules = checked.core.rules(relation);
    if attempts.is_empty() {
        out.push_str(&format!("{indent}no clause can derive it\n"));
    }
    for attempt in attempts {
        let rule = &rules[attempt.rule];
        let (clause, why) = (clause(checked, relation, rule), failure(checked, relation, rule, attempt));
        out.push_str(&format!("{indent}{clause}: {why}\n"));
        if let Some((below, attempts)) = &attempt.below {
            attempt_lines(checked, *below, attempts, depth + 1, out);
        }
    }
}

/// What keeps a rule from deriving a tuple.
fn failure(checked: &CheckedFile, relation: RelId, rule: &Rule, attempt: &Attempt) -> String {
    let Some(atom) = attempt.fails.map(|at| &rule.atoms[at]) else {
        let what = if attempt.conditions { "gives only other tuples" } else { "its conditions do not hold" };
        return what.into();
    };
    let shown = fact(checked, atom.relation, &known_args(atom, &attempt.values));
    let what = match (atom.negative, attempt.conditions) {
        (true, _) => format!("{shown} holds"),
        (false, true) => format!("{shown} holds, but not together with the conditions"),
        (false, false) => format!("no {shown}"),
    };
    // Other values of the variables fail too; these are the first.
    match bindings(checked, relation, rule, &attempt.values).as_slice() {
        [] => what,
        values => format!("for example with {}: {what}", listed(values)),
    }
}

pub fn absent_json(checked: &CheckedFile, question: &Question, attempts: &[Attempt]) -> Json {
    let clauses = attempts_json(checked, question.relation, attempts);
    json!({ "asked": question.text, "holds": false, "clauses": clauses })
}

fn attempts_json(checked: &CheckedFile, relation: RelId, attempts: &[Attempt]) -> Json {
    let rules = checked.core.rules(relation);
    let attempts = attempts.iter().map(|attempt| {
        let rule = &rules[attempt.rule];
        let below = attempt.below.as_ref().map(|(below, attempts)| attempts_json(checked, *below, attempts));
        json!({
            "clause": clause(checked, relation, rule),
            "fails": failure(checked, relation, rule, attempt),
            "clauses": below.unwrap_or(json!([])),
        })
    });
    Json::Array(attempts.collect())
}
