//! Facts written in the file, and facts read from `.facts` files.

use super::bodies::Bodies;
use super::findings::Findings;
use super::tree::{Column, Relation};
use super::typing::ExpectedSort;
use super::values::{example, parse_value};
use super::words::count;
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, Sorts, Value};
use crate::span::{Source, Sources, Span};
use crate::syntax::ast::FactRow;

/// The file with the facts of an input: the name to call it by, and its text; or why there is none.
pub type FactsLoader<'a> = &'a dyn Fn(&str) -> Result<(String, String), String>;

/// After how many mistakes the rest of a file of facts is not read.
const MAX_BAD_FACTS: usize = 20;

/// The rows that are written in the file.
pub(super) fn literal(bodies: &mut Bodies, relation: &Relation, rows: &[FactRow]) -> Vec<Vec<Value>> {
    let Relation { name, columns, .. } = relation;
    let mut facts = Vec::new();
    for row in rows {
        if row.values.len() != columns.len() {
            let given = count(row.values.len(), "value", "values");
            let wanted = count(columns.len(), "column", "columns");
            let names = columns.iter().map(|column| &*column.name).collect::<Vec<_>>().join(", ");
            let title = format!("`{name}` has {wanted}, but a row has {given}");
            bodies.findings.add(
                Diagnostic::error("fp::wrong_arity", title)
                    .label(row.span, format!("a row of {given}"))
                    .label(relation.span, format!("declared with {wanted}"))
                    .help(format!("a row is written ({names})")),
            );
            continue;
        }
        let values = row.values.iter().zip(columns).map(|(value, column)| {
            let shown = bodies.table.sorts.show(column.sort);
            let origin = column.span.map(|span| (span, format!("`{}` has sort {shown}", column.name)));
            bodies.constant(value, &ExpectedSort { sort: column.sort, origin })
        });
        if let Ok(values) = values.collect::<Vec<_>>().into_iter().collect() {
            facts.push(values);
        }
    }
    facts
}

/// Reads `NAME.facts`: a row per line, columns separated by tabs.
pub(super) fn read(
    relation: &Relation,
    sorts: &Sorts,
    loader: Option<FactsLoader>,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Vec<Vec<Value>> {
    let (file, text) = match text_of(relation, loader) {
        Ok(found) => found,
        Err(missing) => {
            findings.add(*missing);
            return Vec::new();
        }
    };
    let source = sources.add(file, text.as_str());
    let mut reader = Reader { relation, sorts, findings, mistakes: 0, facts: Vec::new() };
    // Some editors begin a text with a byte-order mark.
    let rows = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut at = text.len() - rows.len();
    for line in rows.split('\n') {
        let start = at as u32;
        at += line.len() + 1;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !line.is_empty() {
            reader.row(line, Span { file: source, start, end: start + line.len() as u32 });
        }
        if reader.mistakes >= MAX_BAD_FACTS {
            break;
        }
    }
    reader.facts
}

/// The name and the text of the file that has the facts of an input.
fn text_of(relation: &Relation, loader: Option<FactsLoader>) -> Result<(String, String), Box<Diagnostic>> {
    let (name, declared) = (&relation.name, relation.span);
    let wrong = |code: &'static str, title: String, label: &str, help: String| {
        Box::new(Diagnostic::error(code, title).label(declared, label).help(help))
    };
    let Some(loader) = loader else {
        let help = format!("name the folder that has {name}.facts with --facts DIR");
        let title = format!("the input `{name}` has no facts");
        return Err(wrong("fp::no_facts", title, "declared as an input", help));
    };
    let (file, text) = loader(name).map_err(|why| {
        let title = format!("the facts of the input `{name}` cannot be read");
        let help = format!("the folder given with --facts needs a file {name}.facts");
        wrong("fp::no_facts", title, &why, help)
    })?;
    if !Source::fits(&text) {
        let title = format!("the facts of `{name}` have 4 GiB or more");
        let help = "split the input into several relations".to_string();
        return Err(wrong("fp::too_large", title, "declared as an input", help));
    }
    Ok((file, text))
}

struct Reader<'r> {
    relation: &'r Relation,
    sorts: &'r Sorts,
    findings: &'r mut Findings,
    mistakes: usize,
    facts: Vec<Vec<Value>>,
}

impl Reader<'_> {
    /// Reads the row of a line at this place.
    fn row(&mut self, line: &str, place: Span) {
        let columns = &self.relation.columns;
        // The only row of no columns is written as in the language.
        let fields: Vec<&str> =
            if columns.is_empty() && line == "()" { Vec::new() } else { line.split('\t').collect() };
        if fields.len() != columns.len() {
            return self.wrong_width(line, fields.len(), place);
        }
        let mut row = Vec::new();
        let mut wrong = Vec::new();
        let mut start = place.start;
        for (field, column) in fields.iter().zip(columns) {
            let end = start + field.len() as u32;
            match parse_value(self.sorts, column.sort, field) {
                Ok(value) => row.push(value),
                Err(why) => {
                    wrong.push(WrongValue { field, column, place: Span { start, end, ..place }, why })
                }
            }
            start = end + 1;
        }
        match wrong[..] {
            [] => self.facts.push(row),
            _ => self.wrong_values(&wrong),
        }
    }

    fn wrong_width(&mut self, line: &str, fields: usize, place: Span) {
        self.mistakes += 1;
        let columns = self.relation.columns.len();
        let given = count(fields, "column", "columns");
        let wanted = count(columns, "column", "columns");
        let title = format!("`{}` has {wanted}, but a row has {given}", self.relation.name);
        self.findings.add(
            Diagnostic::error("fp::bad_fact", title).label(place, format!("a row of {given}")).help(
                match columns {
                    0 => "the row of an input without columns is written ()",
                    n if n == line.split(' ').count() => "separate columns with tabs, not with spaces",
                    n if n == line.split(',').count() => "separate columns with tabs, not with commas",
                    _ => "write each row on a line of its own, with a tab between two columns",
                },
            ),
        );
    }

    /// One mistake for all values of a row that do not fit. The declaration is in another file, and not shown.
    fn wrong_values(&mut self, wrong: &[WrongValue]) {
        self.mistakes += 1;
        let [WrongValue { field, column, .. }, ..] = wrong else { return };
        let sort = self.sorts.show(column.sort);
        let title = format!("`{field}` is not a value of sort {sort}");
        let number = matches!(self.sorts.get(column.sort), Sort::Range { .. });
        let help = if number && field.starts_with(|c: char| c.is_alphabetic() || c == '"') {
            format!("number the values, or define their names: `enum {} {{ … }}`", enum_name(&sort))
        } else {
            let example = example(self.sorts, column.sort);
            format!("values are written as they are printed, for example {example}")
        };
        let diagnostic = Diagnostic::error("fp::bad_fact", title).help(help);
        self.findings.add(wrong.iter().fold(
            diagnostic,
            |diagnostic, WrongValue { column, place, why, .. }| {
                diagnostic.label(*place, format!("column `{}`: {why}", column.name))
            },
        ));
    }
}

/// A value of a row that does not fit its column.
struct WrongValue<'r> {
    field: &'r str,
    column: &'r Column,
    place: Span,
    why: String,
}

/// How an enum could be called that replaces a range.
fn enum_name(sort: &str) -> &str {
    if sort.starts_with(char::is_alphabetic) { sort } else { "Name" }
}
