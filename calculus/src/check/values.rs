//! Values as they are printed, read back.

use crate::diagnostic::nearest;
use crate::show;
use crate::sort::{Sort, SortId, Sorts, Value, Width};

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

/// Reads a value as it is printed: `3`, `Eve`, `true`, `{who = Eve, fresh = true}`, `[1, 2]`.
pub(super) fn parse_value(sorts: &Sorts, sort: SortId, text: &str) -> Result<Value, String> {
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
