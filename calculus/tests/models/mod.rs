//! Relations that a model offers as rows: fixed values, an expression over bits, and bits that stay equal.

use crate::effort;
use crate::oracle;
use crate::treatments::{self, Keys};
use calculus::sort::{Value, Width};
use calculus::vocabulary::{
    Bit, BitExpr, EqualBits, OfferedRecord, OfferedRelation, OfferedSort, Row, Show, Vocabulary,
};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};
use std::rc::Rc;

const FILE: &str = "
use machine;
mu Reach(q: State, s: Data) =
    start: some t in 1..machine.threads: start[t](q) & s = s
  | step:  exists p, r. Reach(p, r) & step(p, r, q, s);
nu Stuck(q: State, s: Data) = forall p, r. step(q, s, p, r) -> Stuck(p, r) & r != s;
mu Jump(p, q: State) =
    p = q
  | exists o, r, s. Jump(p, o) & step(o, r, q, s) & !start[1](q) & r = s;
query Reached(q: State, s: Data) = Reach(q, s);
query Places(p: Pc) = exists q, s. Reach(q, s) & q.pc = p & !Stuck(q, s);
query Changed(q: State) = exists p, l. Jump(p, { q with local = l }) & p.local != l & l = q.local;
query Fixed(s: Data) = exists q. step(q, s, q, s);
verdict unsafe if exists q, s. Reach(q, s) & Stuck(q, s);
verdict safe;
";

/// A step has the leaves pc, local, data, pc', local', data'; a start has pc and local.
const WIDTHS: [(u16, u16); 4] = [(1, 2), (2, 2), (4, 2), (5, 2)];

struct Plain;

impl Show for Plain {
    fn show(&self, _: &str, _: &Value) -> Option<String> {
        None
    }
}

fn bit(leaves: usize) -> impl Strategy<Value = Bit> {
    let all = WIDTHS[..leaves].iter().flat_map(|&(leaf, width)| (0..width).map(move |bit| Bit { leaf, bit }));
    prop::sample::select(all.collect::<Vec<_>>())
}

/// The bits of a leaf from this one on; all leaves have two.
fn left_of(bit: Bit) -> u16 {
    2 - bit.bit
}

/// One bit and another, and now and then their neighbours.
fn equal(leaves: usize) -> impl Strategy<Value = EqualBits> {
    (bit(leaves), bit(leaves), 1..=2u16).prop_map(|(left, right, count)| EqualBits {
        left,
        right,
        count: count.min(left_of(left)).min(left_of(right)),
    })
}

fn expression(leaves: usize) -> impl Strategy<Value = BitExpr> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(BitExpr::Const),
        4 => bit(leaves).prop_map(BitExpr::Bit),
        1 => (bit(leaves), 0..=2u16).prop_map(|(bit, count)| BitExpr::Zeros(bit, count.min(left_of(bit)))),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| BitExpr::Not(Rc::new(inner))),
            prop::collection::vec(inner.clone(), 0..3).prop_map(BitExpr::And),
            prop::collection::vec(inner.clone(), 0..3).prop_map(BitExpr::Or),
            (inner.clone(), inner).prop_map(|(left, right)| BitExpr::Xor(Rc::new(left), Rc::new(right))),
        ]
    })
}

/// A row with fixed values for the program counters, and now and then for data.
fn row(leaves: usize, pcs: &'static [u16]) -> impl Strategy<Value = Row> {
    let fixed = prop::collection::vec(0..PCS, pcs.len());
    let data = prop::option::weighted(0.2, prop::collection::vec(any::<bool>(), 2));
    let equal = prop::collection::vec(equal(leaves), 0..3);
    (fixed, data, expression(leaves), equal).prop_map(move |(values, data, core, equal)| {
        let mut fixed =
            pcs.iter().zip(values).map(|(&leaf, value)| (leaf, Value::Name(value))).collect::<Vec<_>>();
        fixed.extend(data.filter(|_| leaves > 1).map(|data| (2, Value::Bits(data))));
        Row { fixed, core, equal }
    })
}

const PCS: u64 = 3;

fn rows(leaves: usize, pcs: &'static [u16], count: usize) -> impl Strategy<Value = Rc<[Row]>> {
    prop::collection::vec(row(leaves, pcs), 0..count).prop_map(Rc::from)
}

fn vocabulary(keyed: bool, starts: Vec<Rc<[Row]>>, steps: Rc<[Row]>) -> Vocabulary {
    let named = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let sort = |name: &str, width, keyed| OfferedSort { name: name.into(), width, keyed };
    Vocabulary {
        name: "machine".into(),
        sorts: vec![
            sort("Pc", Width::Values(PCS), keyed),
            sort("Local", Width::Values(3), false),
            sort("Data", Width::Bits(2), false),
        ],
        symbols: Vec::new(),
        records: vec![OfferedRecord {
            name: "State".into(),
            fields: named(&[("pc", "Pc"), ("local", "Local")]),
        }],
        facts: vec![("threads".into(), starts.len() as i64)],
        relations: vec![
            OfferedRelation {
                name: "start".into(),
                index: Some((1, starts.len() as i64)),
                columns: named(&[("q", "State")]),
                instances: starts,
                moves: false,
            },
            OfferedRelation {
                name: "step".into(),
                index: None,
                columns: named(&[("p", "State"), ("r", "Data"), ("q", "State"), ("s", "Data")]),
                instances: vec![steps],
                moves: true,
            },
        ],
        approximations: Vec::new(),
        woven: Vec::new(),
        show: Rc::new(Plain),
        chapter: None,
    }
}

#[test]
fn files_over_random_models_agree() {
    let starts = prop::collection::vec(rows(1, &[0], 3), 1..3);
    let models = (any::<bool>(), starts, rows(4, &[0, 3], 7));
    let cases = effort::cases(100) as u32;
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let case = std::cell::Cell::new(0);
    let result = TestRunner::new_with_rng(config, rng).run(&models, |(keyed, starts, steps)| {
        let model = vocabulary(keyed, starts, steps);
        let system =
            treatments::checked(FILE, Some(&model), Keys::AsWritten).expect("the file fits the model");
        let answers = oracle::answers(&system, u64::MAX).expect("no limit");
        case.set(case.get() + 1);
        for treatment in treatments::some(case.get()) {
            treatments::compare(FILE, Some(&model), &answers, treatment)
                .map_err(|why| TestCaseError::fail(format!("{treatment:?}: {why}")))?;
        }
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(why, model)) => panic!("{why}\n{model:#?}\n{FILE}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}
