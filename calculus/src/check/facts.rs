//! Facts written in the file, and facts read from `.facts` files.

use super::Checker;
use super::build::Expected;
use super::tree::{Body, RelId};
use super::words::count;
use crate::diagnostic::{Diagnostic, nearest};
use crate::show;
use crate::sort::{Sort, SortId, Sorts, Value, Width};
use crate::span::{Source, Span};
use crate::syntax::ast::FactRow;

/// The file with the facts of an input: the name to call it by, and its text; or why there is none.
pub type FactsLoader<'a> = &'a dyn Fn(&str) -> Result<(String, String), String>;

impl Checker<'_> {
    pub(super) fn build_facts(&mut self, id: RelId, rows: &[FactRow]) {
        let relation = &self.relations[id.0 as usize];
        let (columns, name, declared) = (relation.columns.clone(), relation.name.clone(), relation.span);
        let mut facts = Vec::new();
        for row in rows {
            if row.values.len() != columns.len() {
                let given = count(row.values.len(), "value", "values");
                let wanted = count(columns.len(), "column", "columns");
                let names = columns.iter().map(|column| &*column.name).collect::<Vec<_>>().join(", ");
                self.report(
                    Diagnostic::error(
                        "fp::wrong_arity",
                        format!("`{name}` has {wanted}, but a row has {given}"),
                    )
                    .label(row.span, format!("a row of {given}"))
                    .label(declared, format!("declared with {wanted}"))
                    .help(format!("a row is written ({names})")),
                );
                continue;
            }
            let values = row.values.iter().zip(&columns).map(|(value, column)| {
                let shown = self.sorts.show(column.sort);
                let origin = column.span.map(|span| (span, format!("`{}` has sort {shown}", column.name)));
                self.build_constant(value, &Expected { sort: column.sort, origin })
            });
            if let Ok(values) = values.collect::<Vec<_>>().into_iter().collect() {
                facts.push(values);
            }
        }
        self.relations[id.0 as usize].body = Body::Facts(facts);
    }

    /// Reads `NAME.facts`: a row per line, columns separated by tabs.
    pub(super) fn read_facts(&mut self, id: RelId) {
        let relation = &self.relations[id.0 as usize];
        let (columns, name, declared) = (relation.columns.clone(), relation.name.clone(), relation.span);
        let Some(loader) = self.options.facts else {
            self.report(
                Diagnostic::error("fp::no_facts", format!("the input `{name}` has no facts"))
                    .label(declared, "declared as an input")
                    .help(format!("name the folder that has {name}.facts with --facts DIR")),
            );
            return;
        };
        let (file, text) = match loader(&name) {
            Ok(found) => found,
            Err(why) => {
                self.report(
                    Diagnostic::error(
                        "fp::no_facts",
                        format!("the facts of the input `{name}` cannot be read"),
                    )
                    .label(declared, why)
                    .help(format!("the folder given with --facts needs a file {name}.facts")),
                );
                return;
            }
        };
        if !Source::fits(&text) {
            self.report(
                Diagnostic::error("fp::too_large", format!("the facts of `{name}` have 4 GiB or more"))
                    .label(declared, "declared as an input")
                    .help("split the input into several relations"),
            );
            return;
        }
        let source = self.sources.add(file, text.as_str());
        let mut facts = Vec::new();
        let mut mistakes = 0;
        let mut at = 0;
        for line in text.split('\n') {
            let start = at;
            at += line.len() + 1;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let place = |from: usize, length: usize| Span {
                file: source,
                start: (start + from) as u32,
                end: (start + from + length) as u32,
            };
            // The only row of no columns is written as in the language.
            let fields: Vec<&str> =
                if columns.is_empty() && line == "()" { Vec::new() } else { line.split('\t').collect() };
            if fields.len() != columns.len() {
                mistakes += 1;
                let given = count(fields.len(), "column", "columns");
                let wanted = count(columns.len(), "column", "columns");
                self.report(
                    Diagnostic::error(
                        "fp::bad_fact",
                        format!("`{name}` has {wanted}, but a row has {given}"),
                    )
                    .label(place(0, line.len()), format!("a row of {given}"))
                    .label(declared, format!("declared with {wanted}"))
                    .help(match columns.len() {
                        0 => "the row of an input without columns is written ()",
                        n if n == line.split(' ').count() => "columns are separated by tabs, not by blanks",
                        n if n == line.split(',').count() => "columns are separated by tabs, not by commas",
                        _ => "a row is a line, and a tab stands between two columns",
                    }),
                );
            } else {
                let mut row = Vec::new();
                let mut from = 0;
                for (field, column) in fields.iter().zip(&columns) {
                    match parse_value(&self.sorts, column.sort, field) {
                        Ok(value) => row.push(value),
                        Err(why) => {
                            mistakes += 1;
                            let mut diagnostic = Diagnostic::error(
                                "fp::bad_fact",
                                format!("`{field}` is not a value of sort {}", self.sorts.show(column.sort)),
                            )
                            .label(place(from, field.len()), why)
                            .help(format!(
                                "values are written as they are printed, for example {}",
                                example(&self.sorts, column.sort)
                            ));
                            if let Some(span) = column.span {
                                diagnostic =
                                    diagnostic.label(span, format!("for the column `{}`", column.name));
                            }
                            self.report(diagnostic);
                        }
                    }
                    from += field.len() + 1;
                }
                facts.push(row);
            }
            if mistakes >= 20 {
                break;
            }
        }
        self.relations[id.0 as usize].body = Body::Facts(facts);
    }
}

/// The first value of a sort, as it is printed.
fn example(sorts: &Sorts, sort: SortId) -> String {
    let leaves = sorts.leaves(sort).into_iter().map(|leaf| match sorts.get(leaf) {
        Sort::Bool => Value::Bool(false),
        Sort::Range { lo, .. } => Value::Int(*lo),
        Sort::Opaque { width: Width::Bits(bits), .. } => Value::Bits(vec![false; *bits as usize]),
        _ => Value::Name(0),
    });
    let value = sorts.assemble(sort, &mut leaves.collect::<Vec<_>>().into_iter());
    show::value(sorts, None, sort, &value)
}

/// Reads a value as it is printed: `3`, `Eve`, `true`, `{who = Eve, fresh = true}`, `[1, 2]`.
pub fn parse_value(sorts: &Sorts, sort: SortId, text: &str) -> Result<Value, String> {
    let text = text.trim_matches(' ');
    match sorts.get(sort) {
        Sort::Bool => match text {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err("write true or false".into()),
        },
        Sort::Range { lo, hi, .. } => match text.parse::<i64>() {
            Ok(value) if *lo <= value && value <= *hi => Ok(Value::Int(value)),
            Ok(_) => Err(format!("not in {lo}..{hi}")),
            Err(_) => Err(format!("a number in {lo}..{hi} is needed")),
        },
        Sort::Enum { values, .. } => match values.iter().position(|value| &**value == text) {
            Some(position) => Ok(Value::Name(position as u64)),
            None => Err(match nearest(text, values.iter().map(|value| &**value)) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("its values are {}", values.join(", ")),
            }),
        },
        Sort::Record { fields, .. } => {
            let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            let parts = split_list(inner.ok_or("a record is written {f = x, g = y}")?);
            if parts.len() != fields.len() {
                return Err(format!("it has {} fields", fields.len()));
            }
            let values = fields.iter().zip(parts).map(|((name, sort), part)| {
                let (field, value) = part.split_once('=').ok_or("a field is written f = x")?;
                match field.trim() == &**name {
                    true => parse_value(sorts, *sort, value),
                    false => Err(format!("the field `{name}` is needed here")),
                }
            });
            values.collect::<Result<_, String>>().map(Value::Record)
        }
        Sort::Vector { element, lo, hi } => {
            let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let parts = split_list(inner.ok_or("a vector is written [x, y]")?);
            let length = (hi - lo + 1) as usize;
            if parts.len() != length {
                return Err(format!("it has {length} elements"));
            }
            parts
                .iter()
                .map(|part| parse_value(sorts, *element, part))
                .collect::<Result<_, _>>()
                .map(Value::Vector)
        }
        Sort::Opaque { width: Width::Values(n), .. } => match text.parse::<u64>() {
            Ok(value) if value < *n => Ok(Value::Name(value)),
            _ => Err(format!("a number below {n} is needed")),
        },
        Sort::Opaque { width: Width::Bits(n), .. } => {
            let bits =
                text.chars().map(|c| (c == '0' || c == '1').then_some(c == '1')).collect::<Option<Vec<_>>>();
            bits.filter(|bits| bits.len() == *n as usize)
                .map(Value::Bits)
                .ok_or(format!("{n} bits are needed"))
        }
    }
}

/// Splits at the commas that stand outside brackets; an empty text has no parts.
fn split_list(text: &str) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let (mut depth, mut start, mut out) = (0i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}
