//! Facts written in the file, and facts read from files: lines with tabs, or CSV.

mod csv;

use super::bodies::Bodies;
use super::findings::Findings;
use super::tree::{Column, Relation};
use super::typing::ExpectedSort;
use super::values::{example, parse_field};
use super::words::count;
use crate::diagnostic::Diagnostic;
use crate::sort::{Sort, Sorts, Value};
use crate::span::{FileId, Source, Sources, Span};
use crate::syntax::ast::FactRow;
use std::borrow::Cow;

/// The file with the facts of an input, or why there is none.
pub type FactsLoader<'a> = &'a dyn Fn(&str) -> Result<FactsFile, String>;

/// A file with the facts of an input.
#[derive(Clone, Debug)]
pub struct FactsFile {
    /// The name to call it by.
    pub name: String,
    /// All of it.
    pub text: String,
    /// How its rows are written.
    pub form: FactsForm,
}

impl FactsFile {
    /// The file of this name, whose ending says how its rows are written.
    pub fn named(name: impl Into<String>, text: impl Into<String>) -> FactsFile {
        let name = name.into();
        let form = if name.ends_with(".csv") { FactsForm::Csv } else { FactsForm::Tabs };
        FactsFile { name, text: text.into(), form }
    }
}

/// How the rows of a file of facts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactsForm {
    /// `NAME.facts`: a line for each row, tabs between the columns, nothing is quoted.
    Tabs,
    /// `NAME.csv`: commas between the columns, quotes as in RFC 4180, a header is allowed.
    Csv,
}

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

/// Reads the rows of an input, in either form. Texts that are new get numbers in the order of the rows.
pub(super) fn read(
    relation: &Relation,
    sorts: &mut Sorts,
    loader: Option<FactsLoader>,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Vec<Vec<Value>> {
    let FactsFile { name, text, form } = match text_of(relation, loader) {
        Ok(found) => found,
        Err(missing) => {
            findings.add(*missing);
            return Vec::new();
        }
    };
    let file = sources.add(name, text.as_str());
    let mut reader = RowReader { relation, sorts, findings, form, mistakes: 0, facts: Vec::new() };
    // Some editors begin a text with a byte-order mark.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    match form {
        FactsForm::Tabs => reader.lines(file, &text, at),
        FactsForm::Csv => reader.records(file, &text, at),
    }
    reader.facts
}

/// The name and the text of the file that has the facts of an input.
fn text_of(relation: &Relation, loader: Option<FactsLoader>) -> Result<FactsFile, Box<Diagnostic>> {
    let (name, declared) = (&relation.name, relation.span);
    let wrong = |code: &'static str, title: String, label: &str, help: String| {
        Box::new(Diagnostic::error(code, title).label(declared, label).help(help))
    };
    let Some(loader) = loader else {
        let help = format!("name the folder that has {name}.facts or {name}.csv with --facts DIR");
        let title = format!("the input `{name}` has no facts");
        return Err(wrong("fp::no_facts", title, "declared as an input", help));
    };
    let file = loader(name).map_err(|why| {
        let title = format!("the facts of the input `{name}` cannot be read");
        let help =
            format!("the folder given with --facts needs a file {name}.facts or {name}.csv, and not both");
        wrong("fp::no_facts", title, &why, help)
    })?;
    if !Source::fits(&file.text) {
        let title = format!("the facts of `{name}` have 4 GiB or more");
        let help = "split the input into several relations".to_string();
        return Err(wrong("fp::too_large", title, "declared as an input", help));
    }
    Ok(file)
}

struct RowReader<'r> {
    relation: &'r Relation,
    sorts: &'r mut Sorts,
    findings: &'r mut Findings,
    form: FactsForm,
    mistakes: usize,
    facts: Vec<Vec<Value>>,
}

impl RowReader<'_> {
    /// Whether there are so many mistakes that the rest is not worth reading.
    fn gives_up(&self) -> bool {
        self.mistakes >= MAX_BAD_FACTS
    }

    /// A row per line, with tabs between its columns.
    fn lines(&mut self, file: FileId, text: &str, mut at: usize) {
        for line in text[at..].split('\n') {
            let start = at;
            at += line.len() + 1;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if !line.is_empty() {
                let mut fields = Vec::new();
                let mut begin = start;
                for field in line.split('\t') {
                    let place = Span::new(file, begin, begin + field.len());
                    fields.push(Field { text: field.into(), place });
                    begin += field.len() + 1;
                }
                self.row(&fields, line, Span::new(file, start, start + line.len()));
            }
            if self.gives_up() {
                break;
            }
        }
    }

    /// Records of CSV. The first one is a header if it has exactly the names of the columns.
    fn records(&mut self, file: FileId, text: &str, mut at: usize) {
        let mut is_first = true;
        while at < text.len() && !self.gives_up() {
            let start = at;
            match csv::record(file, text, &mut at) {
                Ok(fields) => {
                    let line = text[start..at].trim_end_matches(['\r', '\n']);
                    let columns = &self.relation.columns;
                    let is_header = is_first
                        && !columns.is_empty()
                        && fields.len() == columns.len()
                        && fields.iter().zip(columns).all(|(field, column)| *field.text == *column.name);
                    is_first = is_first && line.is_empty();
                    if !line.is_empty() && !is_header {
                        self.row(&fields, line, Span::new(file, start, start + line.len()));
                    }
                }
                Err(broken) => {
                    self.mistakes += 1;
                    self.findings.add(*broken);
                }
            }
        }
    }

    /// Reads a row, given with the line that it is written on.
    fn row(&mut self, fields: &[Field], line: &str, place: Span) {
        let columns = &self.relation.columns;
        // The only row of no columns is written as in the language.
        let fields = if columns.is_empty() && line == "()" { &[] } else { fields };
        if fields.len() != columns.len() {
            return self.wrong_width(line, fields.len(), place);
        }
        let mut row = Vec::with_capacity(columns.len());
        let mut wrong = Vec::new();
        for (field, column) in fields.iter().zip(columns) {
            match parse_field(self.sorts, column.sort, &field.text) {
                Ok(value) => row.push(value),
                Err(why) => wrong.push(WrongValue { field: &field.text, column, place: field.place, why }),
            }
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
                    _ if self.form == FactsForm::Csv => {
                        "a comma separates two columns; a field with a comma in it stands in double quotes"
                    }
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
        let is_first = self.facts.is_empty() && self.mistakes == 1;
        let help = if self.form == FactsForm::Csv && is_first {
            let names = self.relation.columns.iter().map(|column| &*column.name).collect::<Vec<_>>();
            format!("a header has exactly the names of the columns: {}", names.join(","))
        } else if number && field.starts_with(|c: char| c.is_alphabetic() || c == '"') {
            let name = enum_name(&sort);
            format!(
                "number the values, or declare a sort of texts: `symbol {name};` or `enum {name} {{ … }}`"
            )
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

/// A value of a row as it is written, without the quotes of CSV.
struct Field<'t> {
    text: Cow<'t, str>,
    place: Span,
}

/// How a sort could be called that replaces a range.
fn enum_name(sort: &str) -> &str {
    if sort.starts_with(char::is_alphabetic) { sort } else { "Name" }
}
