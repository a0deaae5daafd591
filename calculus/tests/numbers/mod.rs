//! Numbers at the edges of what a range can be: as many values as bits can tell, one more and one less, negative ends, and
//! the ends of 64 bits. What is expected is computed with wider numbers. And sorts at the edge of what can be keys.

use crate::treatments::{Keys, checked};
use calculus::elaborate::elaborate;
use calculus::solve::{Settings, solve};
use calculus::sort::{Value, Width};
use calculus::vocabulary::{BitExpr, OfferedRelation, OfferedSort, Row, Show, Vocabulary};
use std::rc::Rc;

/// The tuples of each query.
fn answers(text: &str, model: Option<&Vocabulary>, keys: Keys) -> Vec<Vec<Vec<Value>>> {
    let system = checked(text, model, keys).unwrap_or_else(|why| panic!("{}\n{text}", why.0));
    let (core, _) = elaborate(&system);
    let answer = solve(&system, &core, &Settings { list: usize::MAX, ..Settings::default() });
    let tuples = answer.queries.into_iter().map(|query| query.tuples.expect("no limit was reached"));
    tuples
        .map(|tuples| {
            assert_eq!(tuples.count, tuples.rows.len().into(), "{text}");
            tuples.rows
        })
        .collect()
}

/// A number as it can be written: the least one of all has no literal.
fn written(number: i64) -> String {
    if number == i64::MIN { "-9223372036854775807 - 1".into() } else { number.to_string() }
}

fn compare(lo: i64, hi: i64) {
    let (least, last, middle) = (i128::from(lo), i128::from(hi), lo + (hi - lo) / 2);
    let shifts = [1, -1, hi - lo, lo - hi, hi - lo + 1, i64::MAX, i64::MIN];
    let mut text = format!("range R = {}..{};\n", written(lo), written(hi));
    text += "query All(x: R) = true;\nquery Less(x, y: R) = x < y;\nquery AtMost(x, y: R) = x <= y;\n";
    text += &format!("query Is(x: R) = x = {};\n", written(middle));
    text += &format!("query Above(x: R) = x > {};\n", written(middle));
    for (number, shift) in shifts.iter().enumerate() {
        text += &format!("query Plus{number}(x, y: R) = x + ({}) = y;\n", written(*shift));
    }
    let ones = |holds: &dyn Fn(i128) -> bool| {
        let values = (least..=last).filter(|x| holds(*x)).map(|x| vec![x]);
        values.collect::<Vec<_>>()
    };
    let pairs = |holds: &dyn Fn(i128, i128) -> bool| {
        let all = (least..=last).flat_map(|x| (least..=last).map(move |y| (x, y)));
        all.filter(|(x, y)| holds(*x, *y)).map(|(x, y)| vec![x, y]).collect::<Vec<_>>()
    };
    let mut expected = vec![
        ones(&|_| true),
        pairs(&|x, y| x < y),
        pairs(&|x, y| x <= y),
        ones(&|x| x == i128::from(middle)),
        ones(&|x| x > i128::from(middle)),
    ];
    expected.extend(shifts.map(|shift| pairs(&|x, y| x + i128::from(shift) == y)));
    for keys in [Keys::None, Keys::All] {
        for (found, expected) in answers(&text, None, keys).iter().zip(&expected) {
            let number = |value: &Value| match value {
                Value::Int(number) => i128::from(*number),
                other => panic!("{other:?} is no number"),
            };
            let found = found.iter().map(|row| row.iter().map(number).collect()).collect::<Vec<Vec<_>>>();
            assert_eq!(&found, expected, "{keys:?}\n{text}");
        }
    }
}

#[test]
fn ranges_at_the_edges_of_bits_and_numbers() {
    for size in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17] {
        for lo in [0, 1, -1, -size, -size / 2, i64::MIN, i64::MIN + 1, i64::MAX - size, i64::MAX - size + 1] {
            compare(lo, lo + (size - 1));
        }
    }
}

#[test]
fn numbers_beyond_64_bits_are_told() {
    let code = |text: &str| checked(text, None, Keys::AsWritten).expect_err(text).0;
    for (text, expected) in [
        ("range R = 0..9223372036854775808; query Q(x: R) = true;", "fp::bad_number"),
        ("range R = 0..4611686018427387904; query Q(x: R) = true;", "fp::sort_too_large"),
        ("range R = -9223372036854775807..9223372036854775807; query Q(x: R) = true;", "fp::sort_too_large"),
        ("range R = 0..9223372036854775807 + 1; query Q(x: R) = true;", "fp::static_arithmetic"),
        ("const A = 9223372036854775807 * 2; query Q = A = 1;", "fp::static_arithmetic"),
        ("const A = -(-9223372036854775807 - 1); query Q = A = 1;", "fp::static_arithmetic"),
        ("const A = (-9223372036854775807 - 1) / -1; query Q = A = 1;", "fp::static_arithmetic"),
        ("const A = -9223372036854775807 - 2; query Q = A = 1;", "fp::static_arithmetic"),
        ("query Q(x: bool[1..9223372036854775807]) = true;", "fp::sort_too_large"),
        ("query Q(x: bool[-9223372036854775807..9223372036854775807]) = true;", "fp::sort_too_large"),
        ("let A[i in 0..200000](x: bool) = x; query Q(x: bool) = A[0](x);", "fp::too_many_instances"),
        (
            "let A[i in -9223372036854775807..9223372036854775807](x: bool) = x; query Q(x: bool) = A[0](x);",
            "fp::too_many_instances",
        ),
    ] {
        assert!(code(text).starts_with(expected), "{}\n{text}", code(text));
    }
}

#[test]
fn keyed_ranges_have_a_limit() {
    let text = |last: u64| format!("keyed range R = 0..{last};\nquery Q(x: R) = x = {last};\n");
    let last = Value::Int((1 << 24) - 1);
    assert_eq!(answers(&text((1 << 24) - 1), None, Keys::AsWritten), [[[last]]]);
    assert!(
        checked(&text(1 << 24), None, Keys::AsWritten).expect_err("too large").0.starts_with("fp::bad_hint")
    );
}

struct Plain;

impl Show for Plain {
    fn show(&self, _: &str, _: &Value) -> Option<String> {
        None
    }
}

/// A model with one relation, which holds of the first and the last value of a sort.
fn ends(width: Width, values: [Value; 2]) -> Vocabulary {
    let row = |value| Row { fixed: vec![(0, value)], core: BitExpr::Const(true), equal: Vec::new() };
    Vocabulary {
        name: "machine".into(),
        sorts: vec![OfferedSort { name: "Place".into(), width, keyed: true }],
        symbols: Vec::new(),
        records: Vec::new(),
        facts: Vec::new(),
        relations: vec![OfferedRelation {
            name: "end".into(),
            index: None,
            columns: vec![("p".into(), "Place".into())],
            instances: vec![values.map(row).into()],
            moves: false,
        }],
        approximations: Vec::new(),
        woven: Vec::new(),
        show: Rc::new(Plain),
        chapter: None,
    }
}

/// Keys have 32 bits: the last value of a larger sort was another one. A model's sort that is too large is not keyed.
#[test]
fn repro_a_sort_of_a_model_that_is_too_large_for_keys_is_symbolic() {
    let text = "use machine;\nquery End(p: Place) = end(p);\nquery Other(p: Place) = end(p) & exists q. q != p & end(q);\n";
    for size in [2, 1 << 24, (1 << 24) + 1, 1 << 32, (1 << 32) + 1, (1 << 32) + 2, 1 << 62] {
        let both = [Value::Name(0), Value::Name(size - 1)];
        let model = ends(Width::Values(size), both.clone());
        let system = checked(text, Some(&model), Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
        let place = system.relations[0].columns[0].sort;
        assert_eq!(system.sorts.is_keyed(place), size <= 1 << 24, "{size}");
        let expected = both.map(|value| vec![value]).to_vec();
        assert_eq!(answers(text, Some(&model), Keys::AsWritten), [expected.clone(), expected], "{size}");
    }
    let bits = [Value::Bits(vec![false; 3]), Value::Bits(vec![true; 3])];
    let model = ends(Width::Bits(3), bits.clone());
    let expected = bits.map(|value| vec![value]).to_vec();
    assert_eq!(answers(text, Some(&model), Keys::AsWritten), [expected.clone(), expected]);
}
