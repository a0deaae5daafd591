//! Constrained Horn clauses in SMT-LIB, logic HORN. `unsat` means that the goal has a derivation.
//!
//! Booleans and bits are `Bool`, everything else is an `Int` that is kept inside its sort: variables that no atom
//! binds are bounded.

use super::clauses::{Clauses, Condition, ExportClause, decided};
use super::complement::number;
use super::names::{ColumnShape, Variables, Written, predicates, shape};
use crate::run::CheckedFile;
use calculus::check::number::{Arithmetic, Number};
use calculus::check::tree::Comparison;
use calculus::elaborate::core::{Arg, Operand, Summand};
use calculus::sort::{Sort, SortId, Sorts, Value};
use calculus::texts::quoted;
use std::collections::BTreeSet;

/// Symbols of the logic that a relation may not be called.
const RESERVED: [&str; 24] = [
    "and", "or", "not", "xor", "true", "false", "exists", "forall", "let", "match", "par", "assert", "div",
    "mod", "abs", "ite", "distinct", "Int", "Bool", "Real", "Array", "select", "store", "as",
];

pub fn text(
    checked: &CheckedFile,
    file: &str,
    goal: &str,
    clauses: &Clauses,
    root: usize,
    positive: bool,
) -> String {
    let sorts = &checked.system.sorts;
    let names = predicates(clauses, |name| name, &RESERVED);
    let (holds, fails) = if positive { ("unsat", "sat") } else { ("sat", "unsat") };
    let mut out = format!("; {file}: the goal is {goal}.\n; {holds}: it holds; {fails}: it does not.\n");
    for (name, value) in &checked.system.params {
        out += &format!("; {name} = {value}\n");
    }
    for sort in sorts.ids().filter(|sort| matches!(sorts.get(*sort), Sort::Symbol { .. })) {
        for (number, text) in sorts.texts(sort).iter().enumerate() {
            out += &format!("; {number} is {} in {}\n", quoted(text), sorts.show(sort));
        }
    }
    out += "(set-logic HORN)\n\n";
    for (name, predicate) in names.iter().zip(&clauses.predicates) {
        let columns = predicate.columns.iter().flat_map(|sort| match shape(sorts, *sort) {
            ColumnShape::Bool => vec!["Bool"],
            ColumnShape::Number(..) => vec!["Int"],
            ColumnShape::Bits(bits) => vec!["Bool"; usize::from(bits)],
        });
        let comment =
            if *name == predicate.title { String::new() } else { format!(" ; {}", predicate.title) };
        let columns = columns.collect::<Vec<_>>().join(" ");
        out += &format!("(declare-fun {name} ({columns}) Bool){comment}\n");
    }
    out.push('\n');
    for clause in &clauses.clauses {
        out += &SmtWriter { of: Written { sorts, names: &names, clauses, clause } }.clause(None);
    }
    let columns = &clauses.predicates[root].columns;
    let args = (0..columns.len()).map(Arg::Var).collect::<Vec<_>>();
    let clause = ExportClause { head: root, args, vars: columns.clone(), ..ExportClause::default() };
    out.push('\n');
    out += &SmtWriter { of: Written { sorts, names: &names, clauses, clause: &clause } }.clause(Some(root));
    out + "\n(check-sat)\n"
}

struct SmtWriter<'a> {
    of: Written<'a>,
}

impl SmtWriter<'_> {
    /// The clause; with a goal, that the goal is false.
    fn clause(&self, goal: Option<usize>) -> String {
        let clause = self.of.clause;
        let variables = Variables::new(self.of.sorts, clause, 'x');
        let atom = |predicate: usize, args: &[Arg]| {
            let terms = self.of.terms(&variables, predicate, args, constant);
            applied(&self.of.names[predicate], terms)
        };
        let mut body =
            clause.atoms.iter().map(|literal| atom(literal.predicate, &literal.args)).collect::<Vec<_>>();
        body.extend(goal.map(|goal| atom(goal, &clause.args)));
        let head = if goal.is_some() { "false".into() } else { atom(clause.head, &clause.args) };
        for condition in &clause.conditions {
            match self.condition(&variables, condition, true) {
                text if text == "true" => {}
                text if text == "false" => return String::new(),
                text => body.push(text),
            }
        }
        let bound = clause.atoms.iter().flat_map(|literal| &literal.args);
        let bound = bound.chain(goal.iter().flat_map(|_| &clause.args)).cloned().collect::<Vec<_>>();
        for (var, sort) in clause.vars.iter().enumerate() {
            if let (ColumnShape::Number(lo, hi), false) =
                (shape(self.of.sorts, *sort), bound.contains(&Arg::Var(var)))
            {
                let name = variables.name(var);
                body.push(format!("(<= {} {name} {})", integer(lo.into()), integer(hi.into())));
            }
        }
        let text = match body.len() {
            0 => head,
            1 => format!("(=> {} {head})", body[0]),
            _ => format!("(=> (and {}) {head})", body.join(" ")),
        };
        let note = if clause.note.is_empty() { String::new() } else { format!("; {}\n", clause.note) };
        let declared = self.declared(&variables, &text);
        if declared.is_empty() {
            return format!("{note}(assert {text})\n");
        }
        format!("{note}(assert (forall ({declared})\n  {text}))\n")
    }

    /// The variables that the text mentions.
    fn declared(&self, variables: &Variables, text: &str) -> String {
        let words = text.split([' ', '(', ')']).collect::<BTreeSet<_>>();
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for (var, sort) in self.of.clause.vars.iter().enumerate() {
            let kind =
                if matches!(shape(self.of.sorts, *sort), ColumnShape::Number(..)) { "Int" } else { "Bool" };
            for name in variables.names(var, *sort) {
                if words.contains(name.as_str()) && seen.insert(name.clone()) {
                    out.push(format!("({name} {kind})"));
                }
            }
        }
        out.join(" ")
    }

    fn condition(&self, variables: &Variables, condition: &Condition, positive: bool) -> String {
        let of = |part: &Condition, positive: bool| self.condition(variables, part, positive);
        let signed = |text: String| match (positive, text.as_str()) {
            (true, _) => text,
            (false, "true") => "false".into(),
            (false, "false") => "true".into(),
            (false, _) => format!("(not {text})"),
        };
        match condition {
            Condition::Const(value) => signed(value.to_string()),
            Condition::Not(inner) => of(inner, !positive),
            Condition::And(parts) => joined("and", parts.iter().map(|part| of(part, positive)), positive),
            Condition::Or(parts) => joined("or", parts.iter().map(|part| of(part, positive)), positive),
            Condition::Xor(left, right) => {
                let (left, right) = (of(left, true), of(right, true));
                if positive { format!("(xor {left} {right})") } else { format!("(= {left} {right})") }
            }
            Condition::Bit(arg, sort, bit) => signed(self.bit(variables, arg, *sort, *bit)),
            Condition::Defined(operand) => signed(self.defined(variables, operand)),
            Condition::Compare(op, left, right) => match decided(self.of.sorts, *op, left, right) {
                Some(value) => signed(value.to_string()),
                None => signed(self.compare(variables, *op, left, right)),
            },
        }
    }

    fn bit(&self, variables: &Variables, arg: &Arg, sort: SortId, bit: u16) -> String {
        match shape(self.of.sorts, sort) {
            ColumnShape::Bits(_) => variables.terms(arg, sort, constant).swap_remove(usize::from(bit)),
            ColumnShape::Bool => variables.terms(arg, sort, constant).swap_remove(0),
            ColumnShape::Number(lo, _) => {
                let term = variables.terms(arg, sort, constant).swap_remove(0);
                let weight = 1i64 << (self.of.sorts.bits(sort) - 1 - u32::from(bit));
                format!("(= (mod (div (- {term} {}) {weight}) 2) 1)", integer(lo.into()))
            }
        }
    }

    fn number(&self, variables: &Variables, number: &Number<Summand>) -> String {
        match number {
            Number::Of(part) => variables.terms(&part.arg, part.sort, constant).swap_remove(0),
            Number::Static(value) => integer(*value),
            Number::Apply(op, parts) => {
                let [a, b] = [&parts[0], &parts[1]].map(|part| self.number(variables, part));
                // These divisions are Euclidean too.
                match op {
                    Arithmetic::Div => format!("(div {a} {b})"),
                    Arithmetic::Rem => format!("(mod {a} {b})"),
                    Arithmetic::Min => format!("(ite (<= {a} {b}) {a} {b})"),
                    Arithmetic::Max => format!("(ite (<= {a} {b}) {b} {a})"),
                    Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul => {
                        format!("({} {a} {b})", op.symbol())
                    }
                }
            }
        }
    }

    fn defined(&self, variables: &Variables, operand: &Operand) -> String {
        match shape(self.of.sorts, operand.sort) {
            ColumnShape::Number(lo, hi) if operand.is_defined(self.of.sorts) != Some(true) => {
                let number = self.number(variables, &operand.number);
                format!("(<= {} {number} {})", integer(lo.into()), integer(hi.into()))
            }
            _ => "true".into(),
        }
    }

    fn compare(&self, variables: &Variables, op: Comparison, left: &Operand, right: &Operand) -> String {
        let defined = [left, right].map(|operand| self.defined(variables, operand));
        let both = |operand: &Operand| {
            let arg = operand.as_arg().expect("only ranges have arithmetic");
            variables.terms(arg, operand.sort, constant)
        };
        let compared = match (shape(self.of.sorts, left.sort), op) {
            (ColumnShape::Bits(_) | ColumnShape::Bool, Comparison::Eq) => {
                let pairs = both(left).into_iter().zip(both(right));
                joined("and", pairs.map(|(left, right)| same(&left, &right)), true)
            }
            (ColumnShape::Number(..), op) => {
                let sign = match op {
                    Comparison::Eq => "=",
                    Comparison::Lt => "<",
                    Comparison::Le => "<=",
                };
                let [left, right] = [left, right].map(|side| self.number(variables, &side.number));
                format!("({sign} {left} {right})")
            }
            (ColumnShape::Bits(_) | ColumnShape::Bool, _) => {
                unreachable!("only numbers and names are ordered")
            }
        };
        joined("and", defined.into_iter().chain([compared]), true)
    }
}

fn same(left: &str, right: &str) -> String {
    match (left, right) {
        ("false", "false") => "true".into(),
        ("true", other) | (other, "true") => other.into(),
        ("false", other) | (other, "false") => format!("(not {other})"),
        _ => format!("(= {left} {right})"),
    }
}

/// A conjunction or disjunction; negated, its parts are negated already and the other one is meant.
fn joined(what: &str, parts: impl Iterator<Item = String>, positive: bool) -> String {
    let all = (what == "and") == positive;
    let (what, neutral) = if all { ("and", "true") } else { ("or", "false") };
    let parts = parts.filter(|part| part != neutral).collect::<Vec<_>>();
    let other = if all { "false" } else { "true" };
    if parts.iter().any(|part| part == other) {
        return other.into();
    }
    match parts.len() {
        0 => neutral.into(),
        1 => parts.into_iter().next().unwrap_or_default(),
        _ => format!("({what} {})", parts.join(" ")),
    }
}

fn applied(name: &str, terms: Vec<String>) -> String {
    if terms.is_empty() { name.into() } else { format!("({name} {})", terms.join(" ")) }
}

fn constant(_: &Sorts, _: SortId, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        other => integer(number(other).into()),
    }
}

fn integer(number: i128) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}
