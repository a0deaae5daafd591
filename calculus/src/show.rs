//! Values in the words of the file: enum names, fields, numbers; a model's values in the model's words.

use crate::sort::{Sort, SortId, Sorts, Value};
use crate::vocabulary::Vocabulary;

/// A value as it is printed, and as `.facts` files write it.
pub fn value(sorts: &Sorts, vocabulary: Option<&Vocabulary>, sort: SortId, value: &Value) -> String {
    let inner = |sort: SortId, part: &Value| self::value(sorts, vocabulary, sort, part);
    let name = sorts.show(sort);
    if let Some(shown) = vocabulary.and_then(|vocabulary| vocabulary.show.show(&name, value)) {
        return shown;
    }
    match (sorts.get(sort), value) {
        (Sort::Enum { values, .. }, Value::Name(position)) => values[*position as usize].to_string(),
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
