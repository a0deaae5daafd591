//! The summary of a batch: how many programs of each folder ended in which way, in the shape of table 1 of La Torre,
//! Madhusudan and Parlato, Model-checking parameterized concurrent programs using linear interfaces.

use super::{BatchRow, Label};
use crate::report::table::{Align, table};
use std::collections::BTreeMap;
use std::path::Path;

const HEAD: [&str; 8] =
    ["folder", "programs", "unsafe", "bounded", "proved", "not proved", "out of resources", "failed"];

/// How many rows without an answer the summary names.
const NAMED: usize = 20;

/// A table for each algorithm, in the order given; then, if they are not listed anyway, the rows without an answer.
pub fn summary(algorithms: &[String], rows: &[&BatchRow], listed: bool, width: usize) -> String {
    let tables = algorithms.iter().map(|name| {
        let rows = rows.iter().copied().filter(|row| row.key.algorithm == *name).collect::<Vec<_>>();
        format!("{name}\n{}", counts(&rows, width))
    });
    let mut blocks = tables.collect::<Vec<_>>();
    let open = rows.iter().copied().filter(|row| !row.label.is_answer()).collect::<Vec<_>>();
    if !open.is_empty() && !listed {
        let mut block = format!("without an answer: {}\n", open.len());
        block += &list(&open[..open.len().min(NAMED)], algorithms.len() > 1);
        if open.len() > NAMED {
            block += &format!("  … and {} more, in the output\n", open.len() - NAMED);
        }
        blocks.push(block);
    }
    let differ = contradictions(rows);
    if !differ.is_empty() {
        blocks.push(format!("safe and unsafe, which cannot both be:\n  {}\n", differ.join("\n  ")));
    }
    blocks.join("\n")
}

/// What rows say, a line each: names that are cut into two lines are of no use.
pub fn list(rows: &[&BatchRow], algorithms: bool) -> String {
    let lines = rows.iter().map(|row| {
        let BatchRow { key, label, params, detail, .. } = row;
        let algorithm = algorithms.then(|| key.algorithm.clone());
        let why = if label.is_answer() { params } else { detail };
        [label.word().to_string(), key.program.clone()].into_iter().chain(algorithm).chain([why.clone()])
    });
    let lines = lines.map(|cells| cells.collect::<Vec<_>>()).collect::<Vec<_>>();
    let columns = 3 + usize::from(algorithms);
    table(&lines, &vec![Align::Left; columns], 2, usize::MAX)
}

fn counts(rows: &[&BatchRow], width: usize) -> String {
    let mut folders: BTreeMap<String, Vec<Label>> = BTreeMap::new();
    for row in rows {
        let folder = Path::new(&row.key.program).parent().map(|path| path.to_string_lossy().into_owned());
        let folder = folder.filter(|folder| !folder.is_empty()).unwrap_or(".".into());
        folders.entry(folder).or_default().push(row.label);
    }
    let mut lines = vec![HEAD.map(String::from).to_vec()];
    lines.extend(folders.iter().map(|(folder, labels)| line(folder, labels)));
    if folders.len() > 1 {
        lines.push(line("total", &folders.into_values().flatten().collect::<Vec<_>>()));
    }
    let mut align = [Align::Right; HEAD.len()];
    align[0] = Align::Left;
    table(&lines, &align, 2, width)
}

fn line(name: &str, labels: &[Label]) -> Vec<String> {
    let count = |is: &dyn Fn(Label) -> bool| labels.iter().filter(|label| is(**label)).count();
    let failed = |label: Label| matches!(label, Label::Refused | Label::Crash | Label::None);
    let counts = [
        labels.len(),
        count(&|label| label == Label::Unsafe),
        count(&|label| label == Label::Bounded),
        count(&|label| label == Label::Safe),
        count(&|label| label == Label::Unknown),
        count(&Label::is_out_of_resources),
        count(&failed),
    ];
    [name.to_string()].into_iter().chain(counts.map(|count| count.to_string())).collect()
}

/// The programs that one algorithm finds safe and another one unsafe.
fn contradictions(rows: &[&BatchRow]) -> Vec<String> {
    let mut seen: BTreeMap<&str, [Option<&str>; 2]> = BTreeMap::new();
    for row in rows {
        let at = match row.label {
            Label::Safe => 0,
            Label::Unsafe => 1,
            _ => continue,
        };
        seen.entry(&row.key.program).or_default()[at].get_or_insert(&row.key.algorithm);
    }
    let both = seen.into_iter().filter_map(|(program, [safe, unsafe_])| {
        Some(format!("{program}: safe by {}, unsafe by {}", safe?, unsafe_?))
    });
    both.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::RowKey;

    fn row(program: &str, algorithm: &str, label: Label) -> BatchRow {
        let key = RowKey { program: program.into(), algorithm: algorithm.into(), options: String::new() };
        BatchRow { key, label, params: "rounds=2".into(), detail: "why".into(), measured: None }
    }

    #[test]
    fn rows_are_counted_by_folder_and_contradictions_are_told() {
        let labels = Label::ALL.into_iter().enumerate();
        let mut rows = labels
            .map(|(number, label)| row(&format!("{}/{number}.bp", number % 2), "one", label))
            .collect::<Vec<_>>();
        rows.push(row("0/0.bp", "two", Label::Safe));
        let text = summary(&["one".into(), "two".into()], &rows.iter().collect::<Vec<_>>(), false, 100);
        assert_eq!(
            text,
            "one
  folder  programs  unsafe  bounded  proved  not proved  out of resources  failed
  0              6       1        1       0           0                 2       2
  1              5       0        0       1           1                 2       1
  total         11       1        1       1           1                 4       3

two
  folder  programs  unsafe  bounded  proved  not proved  out of resources  failed
  0              1       0        0       1           0                 0       0

without an answer: 6
  timeout  1/5.bp   one  why
  memory   0/6.bp   one  why
  nodes    1/7.bp   one  why
  killed   0/8.bp   one  why
  refused  1/9.bp   one  why
  crash    0/10.bp  one  why

safe and unsafe, which cannot both be:
  0/0.bp: safe by two, unsafe by one
"
        );
    }
}
