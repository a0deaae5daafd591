//! Scalar values as numbers and as bits.

use crate::sort::{Sort, SortId, Sorts, Value, Width};

/// The bits of a scalar value, the most significant first.
pub fn encode(sorts: &Sorts, sort: SortId, value: &Value) -> Vec<bool> {
    if let Value::Bits(bits) = value {
        return bits.clone();
    }
    let (code, width) = (code(sorts, sort, value), sorts.bits(sort));
    (0..width).rev().map(|bit| code >> bit & 1 == 1).collect()
}

/// The scalar value of these bits.
pub fn decode(sorts: &Sorts, sort: SortId, bits: &[bool]) -> Value {
    match sorts.get(sort) {
        Sort::Opaque { width: Width::Bits(_), .. } => Value::Bits(bits.to_vec()),
        _ => value_of(sorts, sort, bits.iter().fold(0, |code, &bit| code << 1 | u64::from(bit))),
    }
}

/// The number of a scalar value, counted from 0.
pub fn code(sorts: &Sorts, sort: SortId, value: &Value) -> u64 {
    match (value, sorts.get(sort)) {
        (Value::Bool(value), _) => u64::from(*value),
        (Value::Int(value), Sort::Range { lo, .. }) => value.wrapping_sub(*lo) as u64,
        (Value::Name(number), _) => *number,
        _ => unreachable!("a checked scalar value"),
    }
}

/// The scalar value with this number.
pub fn value_of(sorts: &Sorts, sort: SortId, code: u64) -> Value {
    match sorts.get(sort) {
        Sort::Bool => Value::Bool(code == 1),
        Sort::Range { lo, .. } => Value::Int(lo.wrapping_add(code as i64)),
        Sort::Enum { .. } | Sort::Symbol { .. } | Sort::Opaque { .. } => Value::Name(code),
        Sort::Record { .. } | Sort::Vector { .. } => unreachable!("only scalars have codes"),
    }
}
