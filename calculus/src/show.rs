//! Values in the words of the file: enum names, texts, fields, numbers; a model's values in the model's words.

use crate::sort::{Sort, SortId, Sorts, Value};
use crate::texts;
use crate::vocabulary::Vocabulary;

/// A value as it is printed. A text that would not be seen where it ends is in quotes.
pub fn value(sorts: &Sorts, vocabulary: Option<&Vocabulary>, sort: SortId, value: &Value) -> String {
    let inner = |sort: SortId, part: &Value| self::value(sorts, vocabulary, sort, part);
    let name = sorts.show(sort);
    if let Some(shown) = vocabulary.and_then(|vocabulary| vocabulary.show.show(&name, value)) {
        return shown;
    }
    match (sorts.get(sort), value) {
        (Sort::Enum { values, .. }, Value::Name(position)) => values[*position as usize].to_string(),
        (Sort::Symbol { .. }, Value::Name(number)) => {
            texts::shown(sorts.texts(sort).get(*number).unwrap_or("text"))
        }
        (Sort::Record { fields, .. }, Value::Record(parts)) => {
            let parts = fields
                .iter()
                .zip(parts)
                .map(|((name, sort), part)| format!("{name} = {}", inner(*sort, part)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        (Sort::Vector { element, .. }, Value::Vector(parts)) => {
            format!("[{}]", parts.iter().map(|part| inner(*element, part)).collect::<Vec<_>>().join(", "))
        }
        (_, Value::Bool(value)) => value.to_string(),
        (_, Value::Int(value)) => value.to_string(),
        (_, Value::Name(number)) => number.to_string(),
        (_, Value::Bits(bits)) => bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect(),
        (_, Value::Record(_) | Value::Vector(_)) => unreachable!("a value of another sort"),
    }
}

/// A value as a field of a file writes it: a text as it stands, whatever is in it, and other values as they are printed.
pub fn field(sorts: &Sorts, vocabulary: Option<&Vocabulary>, sort: SortId, value: &Value) -> String {
    match (sorts.get(sort), value) {
        (Sort::Symbol { .. }, Value::Name(number)) => {
            sorts.texts(sort).get(*number).unwrap_or_default().to_string()
        }
        _ => self::value(sorts, vocabulary, sort, value),
    }
}
