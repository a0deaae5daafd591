//! The tuples that the rows of a model's relation describe.

use calculus::check::tree::Column;
use calculus::sort::{Sort, SortId, Sorts, Value};
use calculus::vocabulary::{Bit, BitExpr, Row};

pub fn contains(sorts: &Sorts, columns: &[Column], rows: &[Row], tuple: &[Value]) -> bool {
    let mut leaves = Vec::new();
    tuple.iter().for_each(|value| Sorts::flatten(value, &mut leaves));
    let kinds = columns.iter().flat_map(|column| sorts.leaves(column.sort)).collect::<Vec<_>>();
    let bit = |at: Bit| {
        let (leaf, sort) = (&leaves[at.leaf as usize], kinds[at.leaf as usize]);
        code(sorts, sort, leaf)[at.bit as usize]
    };
    rows.iter().any(|row| {
        row.fixed.iter().all(|(leaf, value)| leaves[*leaf as usize] == *value)
            && row.equal_pairs().all(|(left, right)| bit(left) == bit(right))
            && holds(&row.core, &bit)
    })
}

/// The bits of a scalar, the most significant one first.
fn code(sorts: &Sorts, sort: SortId, value: &Value) -> Vec<bool> {
    let number = match (sorts.get(sort), value) {
        (_, Value::Bits(bits)) => return bits.clone(),
        (_, Value::Bool(value)) => u64::from(*value),
        (Sort::Range { lo, .. }, Value::Int(value)) => (value - lo) as u64,
        (_, Value::Name(position)) => *position,
        _ => panic!("{value:?} is no scalar of {}", sorts.show(sort)),
    };
    let width = sorts.bits(sort);
    (0..width).map(|bit| number >> (width - 1 - bit) & 1 == 1).collect()
}

fn holds(expr: &BitExpr, bit: &impl Fn(Bit) -> bool) -> bool {
    match expr {
        BitExpr::Const(value) => *value,
        BitExpr::Bit(at) => bit(*at),
        BitExpr::Zeros(first, count) => first.run(*count).all(|at| !bit(at)),
        BitExpr::Not(inner) => !holds(inner, bit),
        BitExpr::And(parts) => parts.iter().all(|part| holds(part, bit)),
        BitExpr::Or(parts) => parts.iter().any(|part| holds(part, bit)),
        BitExpr::Xor(left, right) => holds(left, bit) != holds(right, bit),
        BitExpr::Shared(inner) => holds(inner, bit),
    }
}
