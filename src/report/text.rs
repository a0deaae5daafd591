//! An outcome as text: the verdict first, then the queries.

use super::table::{Align, table};
use crate::run::{Conclusion, Outcome, QueryResult, StepOutcome};
use calculus::sort::Sort;

/// The verdict, then the queries: closed ones in a line, open ones as a table.
/// `more` is what lists all tuples of a query.
pub fn text(outcome: &Outcome, width: usize, more: &str) -> String {
    let conclusion = outcome.conclusion();
    let mut blocks = Vec::new();
    if let Some(word) = conclusion.word() {
        let why = conclusion.why();
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        blocks.push(format!("verdict: {word}{why}\n"));
    }
    let mut closed = String::new();
    for query in outcome.queries() {
        let word = query.word().unwrap_or_else(|| not_computed(&conclusion));
        let line = format!("{}: {word}\n", query.name);
        match &query.answer {
            Some((count, rows)) if !query.is_closed() => {
                blocks.extend((!closed.is_empty()).then(|| std::mem::take(&mut closed)));
                blocks.push(line + &tuples(outcome, &query, count, rows, width, more));
            }
            _ => closed.push_str(&line),
        }
    }
    blocks.extend((!closed.is_empty()).then_some(closed));
    blocks.join("\n")
}

/// The answer to a question without a name.
pub fn nameless(outcome: &Outcome, query: &QueryResult, width: usize, more: &str) -> String {
    let conclusion = outcome.conclusion();
    match (query.word(), &query.answer) {
        (Some(word), Some((count, rows))) if !query.is_closed() => {
            format!("{word}\n{}", tuples(outcome, query, count, rows, width, more))
        }
        (Some(word), _) => format!("{word}\n"),
        (None, _) => format!("unknown ({})\n", conclusion.reason().unwrap_or_default()),
    }
}

/// A line for a step of deepening.
pub fn step(step: &StepOutcome) -> String {
    let kept = if step.kept > 0 { format!(", {} kept", step.kept) } else { String::new() };
    let word = step.conclusion.word().unwrap_or("none");
    format!("{}={}: {word}, {} relations solved{kept}\n", step.param, step.value, step.solved)
}

fn not_computed(conclusion: &Conclusion) -> String {
    match conclusion {
        Conclusion::Stopped(stop) => format!("not computed ({stop})"),
        _ => "not computed (the verdict was clear before; --no-early-stop computes it)".into(),
    }
}

fn tuples(
    outcome: &Outcome,
    query: &QueryResult,
    count: &str,
    rows: &[Vec<calculus::sort::Value>],
    width: usize,
    more: &str,
) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut lines = vec![query.columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>()];
    for row in rows {
        let cells = query.columns.iter().zip(row).map(|(column, value)| outcome.show(column.sort, value));
        lines.push(cells.collect());
    }
    let align = query.columns.iter().map(|column| match outcome.system.sorts.get(column.sort) {
        Sort::Range { .. } => Align::Right,
        _ => Align::Left,
    });
    let mut text = table(&lines, &align.collect::<Vec<_>>(), 2, width);
    if rows.len().to_string() != count {
        text.push_str(&format!("  … the first {} of {count}; {more} lists all\n", rows.len()));
    }
    text
}
