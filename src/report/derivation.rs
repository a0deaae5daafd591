//! A derivation as text and as JSON: every tuple once, with a number.

use crate::explain::goal::Question;
use crate::run::Checked;
use calculus::check::tree::Body;
use calculus::elaborate::core::{Arg, CoreBody, Rule};
use calculus::show;
use calculus::solve::{Attempt, Derivation, Node, Reason, text_order};
use calculus::sort::Value;
use serde_json::{Value as Json, json};

/// Longer ones are cut; `--all` shows everything.
const SHOWN: usize = 200;

struct Told<'a> {
    checked: &'a Checked,
    nodes: &'a [Node],
    /// The nodes that are listed, in the order in which they are first mentioned.
    order: Vec<usize>,
    number: Vec<Option<usize>>,
}

/// `[1] R(1, 2)`, the clause it is derived by with the values of its variables, and what it rests on.
pub fn text(checked: &Checked, derivation: &Derivation, all: bool) -> String {
    let told = Told::new(checked, derivation);
    let mut out = String::new();
    let shown = if all { told.order.len() } else { SHOWN.min(told.order.len()) };
    for (at, &node) in told.order[..shown].iter().enumerate() {
        out.push_str(&format!("[{}] {}\n", at + 1, told.tuple(node)));
        match &told.nodes[node].reason {
            Reason::Fact => out.push_str("    a fact\n"),
            Reason::Assumed => out
                .push_str("    rests on itself: it is in a greatest fixed point, or in one inside another\n"),
            Reason::Rule { number, values, .. } => {
                let (clause, values) = told.clause(node, *number, values);
                let with =
                    if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) };
                out.push_str(&format!("    by {clause}{with}\n"));
                let premises = told.premises(node);
                if !premises.is_empty() {
                    out.push_str(&format!("    from {}\n", premises.join(", ")));
                }
            }
        }
    }
    if shown < told.order.len() {
        out.push_str(&format!("… the first {shown} of {} tuples; --all shows all\n", told.order.len()));
    }
    out
}

pub fn json(checked: &Checked, derivation: &Derivation) -> Json {
    let told = Told::new(checked, derivation);
    let nodes = told.order.iter().map(|&node| {
        let (clause, values, premises) = match &told.nodes[node].reason {
            Reason::Rule { number, values, .. } => {
                let (clause, values) = told.clause(node, *number, values);
                (Some(clause), values, told.premises(node))
            }
            _ => (None, Vec::new(), Vec::new()),
        };
        json!({
            "tuple": told.tuple(node),
            "clause": clause,
            "assumed": matches!(told.nodes[node].reason, Reason::Assumed),
            "values": values,
            "premises": premises,
        })
    });
    json!({ "holds": true, "nodes": nodes.collect::<Vec<_>>() })
}

impl<'a> Told<'a> {
    fn new(checked: &'a Checked, derivation: &'a Derivation) -> Told<'a> {
        let nodes = &derivation.nodes;
        let mut told = Told { checked, nodes, order: Vec::new(), number: vec![None; nodes.len()] };
        let mut work = vec![0];
        while let Some(node) = work.pop() {
            if told.number[node].is_some() {
                continue;
            }
            told.order.push(node);
            told.number[node] = Some(told.order.len());
            let below = told.below(node).into_iter().filter_map(|(_, _, premise)| premise);
            let derived = below.filter(|&premise| told.is_listed(premise)).collect::<Vec<_>>();
            work.extend(derived.into_iter().rev());
        }
        told
    }

    fn rule(&self, node: usize) -> Option<&'a Rule> {
        let Reason::Rule { number, .. } = &self.nodes[node].reason else { return None };
        match &self.checked.core.relations[self.nodes[node].relation].body {
            CoreBody::Rules { rules, .. } => rules.get(*number),
            _ => None,
        }
    }

    /// Facts are named where they are used.
    fn is_listed(&self, node: usize) -> bool {
        !matches!(self.nodes[node].reason, Reason::Fact)
    }

    fn is_auxiliary(&self, relation: usize) -> bool {
        self.checked.core.relations[relation].owner.0 as usize != relation
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
                Some(premise) if self.is_auxiliary(self.nodes[premise].relation) => {
                    out.extend(self.below(premise));
                }
                premise => out.push((node, atom, premise)),
            }
        }
        out
    }

    fn premises(&self, node: usize) -> Vec<String> {
        let below = self.below(node).into_iter();
        below
            .filter_map(|(owner, atom, premise)| {
                match premise.map(|premise| (premise, self.number[premise])) {
                    Some((_, Some(number))) => Some(format!("[{number}]")),
                    Some((premise, None)) => Some(self.tuple(premise)),
                    None => self.negated(owner, atom),
                }
            })
            .collect()
    }

    /// `!R(t)`; what stands for a `forall` is in no words.
    fn negated(&self, node: usize, atom: usize) -> Option<String> {
        let (rule, Reason::Rule { values, .. }) = (self.rule(node)?, &self.nodes[node].reason) else {
            return None;
        };
        let atom = &rule.atoms[atom];
        let relation = atom.relation.0 as usize;
        if self.is_auxiliary(relation) {
            return None;
        }
        let tuple = atom.args.iter().map(|arg| match arg {
            Arg::Var(var) => values[*var].clone(),
            Arg::Const(value) => value.clone(),
        });
        Some(format!("!{}", fact(self.checked, relation, &tuple.map(Some).collect::<Vec<_>>())))
    }

    fn tuple(&self, node: usize) -> String {
        let tuple = self.nodes[node].tuple.iter().cloned().map(Some).collect::<Vec<_>>();
        fact(self.checked, self.nodes[node].relation, &tuple)
    }

    /// The clause's name and place, and the values of its quantified variables.
    fn clause(&self, node: usize, _: usize, values: &[Value]) -> (String, Vec<String>) {
        let relation = self.nodes[node].relation;
        let Some(rule) = self.rule(node) else { return Default::default() };
        let values = values.iter().cloned().map(Some).collect::<Vec<_>>();
        (clause(self.checked, relation, rule), bindings(self.checked, relation, rule, &values))
    }
}

fn clause(checked: &Checked, relation: usize, rule: &Rule) -> String {
    let (name, span) = &checked.core.relations[relation].clauses[rule.clause];
    let source = checked.sources.get(span.file);
    let file = source.name.rsplit(['/', ':']).next().unwrap_or(&source.name);
    format!("{name} ({file}:{})", checked.sources.line(*span))
}

/// `p = main:11`, for each quantified variable whose value is known.
fn bindings(checked: &Checked, relation: usize, rule: &Rule, values: &[Option<Value>]) -> Vec<String> {
    let owner = checked.core.relations[relation].owner.0 as usize;
    let system = &checked.system;
    let Body::Defined { vars, .. } = &system.relations[owner].body else { return Vec::new() };
    let (mut out, mut leaf) = (Vec::new(), 0);
    for (number, var) in vars.iter().enumerate() {
        let count = system.sorts.leaf_count(var.sort);
        let leaves = rule.leaves[leaf..leaf + count].iter().map(|arg| match arg {
            Some(Arg::Var(var)) => values[*var].clone(),
            Some(Arg::Const(value)) => Some(value.clone()),
            None => None,
        });
        let known = leaves.collect::<Option<Vec<_>>>();
        leaf += count;
        if let Some(known) = known.filter(|_| number >= system.relations[owner].columns.len()) {
            let value = system.sorts.assemble(var.sort, &mut known.into_iter());
            let value = show::value(&system.sorts, system.vocabulary.as_ref(), var.sort, &value);
            out.push(format!("{} = {value}", var.name));
        }
    }
    out
}

/// `R(1, _)`
fn fact(checked: &Checked, relation: usize, tuple: &[Option<Value>]) -> String {
    let system = &checked.system;
    let Some(declared) = system.relations.get(relation) else {
        return checked.core.relations[relation].title.clone();
    };
    if declared.columns.is_empty() {
        return declared.title();
    }
    let mut leaves = tuple.iter();
    let columns = declared.columns.iter().map(|column| {
        let own =
            leaves.by_ref().take(system.sorts.leaf_count(column.sort)).cloned().collect::<Option<Vec<_>>>();
        own.map_or("_".to_string(), |own| {
            let value = system.sorts.assemble(column.sort, &mut own.into_iter());
            show::value(&system.sorts, system.vocabulary.as_ref(), column.sort, &value)
        })
    });
    format!("{}({})", declared.title(), columns.collect::<Vec<_>>().join(", "))
}

/// Why a tuple is not there: clause by clause, what fails.
pub fn absent(checked: &Checked, question: &Question, attempts: &[Attempt]) -> String {
    let mut out = format!("not {}\n", question.text);
    attempt_lines(checked, question.relation.0 as usize, attempts, 1, &mut out);
    out
}

fn attempt_lines(checked: &Checked, relation: usize, attempts: &[Attempt], depth: usize, out: &mut String) {
    let CoreBody::Rules { rules, .. } = &checked.core.relations[relation].body else {
        out.push_str(&format!("{}it is no fact\n", "  ".repeat(depth)));
        return;
    };
    if attempts.is_empty() {
        out.push_str(&format!("{}no clause can derive it\n", "  ".repeat(depth)));
    }
    for attempt in attempts {
        let rule = &rules[attempt.rule];
        let name = clause(checked, relation, rule);
        let why = match attempt.fails {
            None => "its conditions do not hold".to_string(),
            Some(at) => {
                let atom = &rule.atoms[at];
                let tuple = atom.args.iter().map(|arg| match arg {
                    Arg::Var(var) => attempt.values[*var].clone(),
                    Arg::Const(value) => Some(value.clone()),
                });
                let shown = fact(checked, atom.relation.0 as usize, &tuple.collect::<Vec<_>>());
                if atom.negative { format!("{shown} holds") } else { format!("no {shown}") }
            }
        };
        out.push_str(&format!("{}{name}: {why}\n", "  ".repeat(depth)));
        if let Some((below, attempts)) = &attempt.below {
            attempt_lines(checked, *below, attempts, depth + 1, out);
        }
    }
}

pub fn absent_json(checked: &Checked, question: &Question, attempts: &[Attempt]) -> Json {
    let text = absent(checked, question, attempts);
    let lines = text.lines().skip(1).map(|line| line.trim_end().to_string());
    json!({ "holds": false, "tuple": question.text, "why_not": lines.collect::<Vec<_>>() })
}
