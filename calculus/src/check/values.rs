//! Values as they are printed, read back.

use super::words::missing_text;
use crate::diagnostic::nearest;
use crate::show;
use crate::sort::{Sort, SortId, Sorts, Value, Width};
use crate::texts::{meant, split_outside};

/// The first value of a sort, as it is printed.
pub(super) fn example(sorts: &Sorts, sort: SortId) -> String {
    let leaves = sorts.leaves(sort).into_iter().map(|leaf| match sorts.get(leaf) {
        Sort::Bool => Value::Bool(false),
        Sort::Range { lo, .. } => Value::Int(*lo),
        Sort::Opaque { width: Width::Bits(bits), .. } => Value::Bits(vec![false; *bits as usize]),
        _ => Value::Name(0),
    });
    let value = sorts.assemble(sort, &mut leaves.collect::<Vec<_>>().into_iter());
    show::value(sorts, None, sort, &value)
}

/// Reads the field of a row: a text as it stands, and other values as they are printed.
pub(super) fn parse_field(sorts: &mut Sorts, sort: SortId, field: &str) -> Result<Value, String> {
    match sorts.get(sort) {
        Sort::Symbol { .. } => text_value(sorts, sort, field),
        _ => parse_value(sorts, sort, field),
    }
}

fn text_value(sorts: &mut Sorts, sort: SortId, text: &str) -> Result<Value, String> {
    if text.contains('\0') {
        return Err("a text has no NUL character; is the file in UTF-8?".into());
    }
    sorts.text_value(sort, text).ok_or_else(|| missing_text(sorts, sort, text))
}

/// Reads a value as it is printed: `3`, `Eve`, `true`, `{who = Eve, fresh = true}`, `[1, 2]`.
fn parse_value(sorts: &mut Sorts, sort: SortId, text: &str) -> Result<Value, String> {
    let text = text.trim_matches(' ');
    match sorts.get(sort) {
        Sort::Symbol { .. } => {
            let meant = meant(text).ok_or("a text in quotes ends with its second quote")?;
            text_value(sorts, sort, &meant)
        }
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
            let fields = fields.clone();
            let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            let parts = split_outside(inner.ok_or("a record is written {f = x, g = y}")?, ',');
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
            let (element, length) = (*element, (hi - lo + 1) as usize);
            let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let parts = split_outside(inner.ok_or("a vector is written [x, y]")?, ',');
            if parts.len() != length {
                return Err(format!("it has {length} elements"));
            }
            parts
                .iter()
                .map(|part| parse_value(sorts, element, part))
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
