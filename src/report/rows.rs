//! The complete answer of an open query as a file of facts, which an input can read again.

use crate::run::{Outcome, QueryResult};
use calculus::check::FactsForm;
use calculus::check::tree::System;
use calculus::diagnostic::Diagnostic;
use calculus::show;
use calculus::sort::{Sort, SortId, Value};
use calculus::texts::quoted;
use std::rc::Rc;

/// All rows of an answer in their order: lines with tabs, or CSV with a header.
pub fn rows(outcome: &Outcome, query: &QueryResult, form: FactsForm) -> Result<String, Diagnostic> {
    let columns = query.columns.iter().map(|column| (column.name.clone(), column.sort)).collect::<Vec<_>>();
    let rows = query.answer.iter().flat_map(|(_, rows)| rows);
    lines(&outcome.system, (query.name, &columns), rows, form)
}

/// The lines of a table with a name: its columns with their sorts, and its rows.
pub fn lines<'r>(
    system: &System,
    (name, columns): (&str, &[(Rc<str>, SortId)]),
    rows: impl Iterator<Item = &'r Vec<Value>>,
    form: FactsForm,
) -> Result<String, Diagnostic> {
    let mut out = String::new();
    if form == FactsForm::Csv {
        let names = columns.iter().map(|(name, _)| csv_field(name));
        out.push_str(&names.collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    let (sorts, vocabulary) = (&system.sorts, system.vocabulary.as_ref());
    for row in rows {
        for (at, ((_, sort), value)) in columns.iter().zip(row).enumerate() {
            let field = show::field(sorts, vocabulary, *sort, value);
            match form {
                FactsForm::Csv => {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(&csv_field(&field));
                }
                FactsForm::Tabs => {
                    let is_text = matches!(sorts.get(*sort), Sort::Symbol { .. });
                    if is_text && !fits_tabs(&field, columns.len() == 1) {
                        return Err(not_between_tabs(name, &field));
                    }
                    out.push_str(if at == 0 { "" } else { "\t" });
                    out.push_str(&field);
                }
            }
        }
        out.push('\n');
    }
    Ok(out)
}

/// Whether a text is read again as it stands between tabs. An empty line is no row, and a byte-order mark no text.
fn fits_tabs(text: &str, is_alone: bool) -> bool {
    let is_no_row = is_alone && text.is_empty();
    let is_cut = text.contains(['\t', '\n', '\r', '\0']) || text.starts_with('\u{feff}');
    !is_no_row && !is_cut
}

fn not_between_tabs(query: &str, text: &str) -> Diagnostic {
    let title =
        format!("the answer of `{query}` has a text that lines with tabs cannot say: {}", quoted(text));
    Diagnostic::error("fp::unwritable_text", title).help(
        "nothing was written; `--out-format csv` writes texts with tabs and line breaks, and empty ones",
    )
}

/// A field of CSV, in quotes where it needs them.
fn csv_field(field: &str) -> String {
    let needs_quotes =
        field.is_empty() || field.starts_with('\u{feff}') || field.contains(['"', ',', '\n', '\r']);
    if needs_quotes { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(csv_field("Main.f$v137"), "Main.f$v137");
        assert_eq!(csv_field("say \"yes\", twice"), "\"say \"\"yes\"\", twice\"");
        assert_eq!([csv_field(""), csv_field("a\nb"), csv_field(" ")], ["\"\"", "\"a\nb\"", " "]);
    }

    #[test]
    fn what_lines_with_tabs_cannot_say_is_known() {
        assert!(fits_tabs(" a,\"b\" ", true) && fits_tabs("", false));
        for text in ["", "a\tb", "a\nb", "a\r", "\u{feff}a"] {
            assert!(!fits_tabs(text, true), "{text:?}");
        }
    }
}
