//! A strategy as relations: for each position, the choice that the winning clause makes.

use super::table::{Align, table};
use crate::explain::goal::Question;
use crate::run::CheckedFile;
use calculus::check::tree::Body;
use calculus::elaborate::core::{Arg, Rule};
use calculus::index::Id;
use calculus::show;
use calculus::solve::{Derivation, DerivationNode, Reason};
use calculus::sort::{SortId, Value};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many choices of a table are shown; `--all` shows all.
const SHOWN: usize = 20;

/// The choices of one clause: the columns that are there when it chooses, and those that it chooses.
pub struct ChoiceTable {
    pub relation: String,
    pub clause: String,
    /// What is there when the clause chooses, then what it chooses.
    pub columns: Vec<(Rc<str>, SortId)>,
    /// How many of the columns are there.
    pub position: usize,
    /// Sorted.
    pub rows: Vec<Vec<Value>>,
}

impl ChoiceTable {
    /// `Win by eve`
    pub fn title(&self) -> String {
        let unnamed = if self.clause.starts_with(|c: char| c.is_ascii_digit()) { "clause " } else { "" };
        format!("{} by {unnamed}{}", self.relation, self.clause)
    }

    /// The cells of all rows, as they are shown.
    fn cells(&self, checked: &CheckedFile) -> Vec<Vec<String>> {
        let (sorts, vocabulary) = (&checked.system.sorts, checked.system.vocabulary.as_ref());
        let cell =
            |(value, (_, sort)): (&Value, &(Rc<str>, SortId))| show::value(sorts, vocabulary, *sort, value);
        self.rows.iter().map(|row| row.iter().zip(&self.columns).map(cell).collect()).collect()
    }
}

/// The tables of all clauses that choose something.
pub fn tables(checked: &CheckedFile, derivation: &Derivation) -> Vec<ChoiceTable> {
    let mut found = BTreeMap::<_, BTreeSet<Vec<Value>>>::new();
    for node in &derivation.nodes {
        let Reason::Rule { number, values, .. } = &node.reason else { continue };
        let rule = &checked.core.rules(node.relation)[*number];
        let [mut all, chosen] = split(checked, node, rule, values);
        if chosen.is_empty() {
            continue;
        }
        let position = all.len();
        all.extend(chosen);
        let (columns, row): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let owner = checked.core.relations[node.relation].owner;
        let clause = checked.core.clause_name(node.relation, rule).to_string();
        found.entry((owner, rule.clause, clause, columns, position)).or_default().insert(row);
    }
    let tables = found.into_iter().map(|((owner, _, clause, columns, position), rows)| ChoiceTable {
        relation: checked.system.relations[owner.index()].title(),
        clause,
        columns,
        position,
        rows: rows.into_iter().collect(),
    });
    tables.collect()
}

type Choice = ((Rc<str>, SortId), Value);

/// What is there when a rule chooses, and what it chooses: the variables of the definition whose values are known.
fn split(checked: &CheckedFile, node: &DerivationNode, rule: &Rule, values: &[Value]) -> [Vec<Choice>; 2] {
    let system = &checked.system;
    let owner = checked.core.relations[node.relation].owner;
    let Body::Defined { vars, .. } = &system.relations[owner.index()].body else { return Default::default() };
    let (mut position, mut chosen, mut leaf) = (Vec::new(), Vec::new(), 0);
    for var in vars {
        let own = leaf..leaf + system.sorts.leaf_count(var.sort);
        leaf = own.end;
        let args = own.map(|leaf| rule.leaves.get(leaf)).collect::<Option<Vec<_>>>();
        let Some(args) = args else { continue };
        let known = args.iter().map(|arg| match arg {
            Arg::Var(var) => values[*var].clone(),
            Arg::Const(value) => value.clone(),
        });
        let value = system.sorts.assemble(var.sort, &mut known.collect::<Vec<_>>().into_iter());
        let is_there = |arg: &&Arg| matches!(arg, Arg::Const(_)) || rule.head.contains(arg);
        let part = if args.iter().all(is_there) { &mut position } else { &mut chosen };
        part.push(((var.name.clone(), var.sort), value));
    }
    [position, chosen]
}

/// The tables as text.
pub fn text(
    checked: &CheckedFile,
    question: &Question,
    tables: &[ChoiceTable],
    all: bool,
    width: usize,
) -> String {
    let mut out = format!("strategy of {}\n", question.text);
    if tables.is_empty() {
        out.push_str("nothing is to be chosen\n");
    }
    for one in tables {
        let words = if one.rows.len() == 1 { "choice" } else { "choices" };
        out.push_str(&format!("\n{}: {} {words}\n", one.title(), one.rows.len()));
        let shown = if all { one.rows.len() } else { SHOWN.min(one.rows.len()) };
        let arrow = |mut row: Vec<String>, sign: &str| {
            row.insert(one.position, sign.to_string());
            row
        };
        let names = one.columns.iter().map(|(name, _)| name.to_string()).collect();
        let rows = one.cells(checked).into_iter().take(shown).map(|row| arrow(row, "→"));
        let rows = std::iter::once(arrow(names, "")).chain(rows).collect::<Vec<_>>();
        out.push_str(&table(&rows, &vec![Align::Left; one.columns.len() + 1], 2, width));
        if shown < one.rows.len() {
            out.push_str(&format!("  … the first {shown} of {}; --all lists all\n", one.rows.len()));
        }
    }
    out
}

/// The same for programs.
pub fn json(checked: &CheckedFile, question: &Question, tables: &[ChoiceTable]) -> Json {
    let tables = tables.iter().map(|table| {
        let names = table.columns.iter().map(|(name, _)| &**name).collect::<Vec<_>>();
        let (position, chosen) = names.split_at(table.position);
        json!({
            "relation": table.relation,
            "clause": table.clause,
            "position": position,
            "chosen": chosen,
            "rows": table.cells(checked),
        })
    });
    json!({ "asked": question.text, "tables": tables.collect::<Vec<_>>() })
}
