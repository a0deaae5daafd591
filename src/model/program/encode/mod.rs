//! From control-flow graphs to the vocabulary `program`.
//!
//! The encoder knows neither the algorithms nor decision diagrams: it delivers rows of bits (see
//! `calculus::vocabulary`).

mod affinity;
mod bits;
mod layout;
mod rows;
mod show;

use crate::model::program::cfg::{Cfg, Role};
use calculus::sort::Width;
use calculus::vocabulary::{BitExpr, OfferedRecord, OfferedRelation, OfferedSort, Row, Vocabulary};
pub use layout::Layout;
use rows::Rows;
use std::rc::Rc;

/// The vocabulary of a program. Without `simplify` every local has a bit and keeps its value when it is dead.
pub fn encode(cfg: &Rc<Cfg>, simplify: bool) -> (Vocabulary, Rc<Layout>) {
    let layout = Rc::new(Layout::new(cfg, simplify));
    let rows = Rows { cfg, layout: &layout };
    let facts = cfg.facts();
    let sort = |name: &str, width: Width, keyed: bool| OfferedSort { name: name.into(), width, keyed };
    let relation = |name: &str, columns: &[(&str, &str)], rows: Vec<Row>| OfferedRelation {
        name: name.into(),
        index: None,
        columns: named(columns),
        instances: vec![rows.into()],
    };
    let edges = rows.edges();
    let open = BitExpr::Const(true);
    let target = rows.locations(|flow, loc| flow.locations[loc.index()].target.is_some(), &open);
    let exit = rows.locations(|flow, loc| flow.exit == loc, &open);
    let positions = positions(cfg);
    let family = |name: &str, lo: i64, instances: Vec<Rc<[Row]>>| OfferedRelation {
        name: name.into(),
        index: Some((lo, lo + instances.len() as i64 - 1)),
        columns: named(&[("q", "State")]),
        instances,
    };
    let start = positions.iter().map(|roles| roles.iter().map(|role| rows.start(role)).collect()).collect();
    let reach = positions.iter().map(|roles| roles.iter().flat_map(|role| rows.reach(role)).collect());
    let reach = reach.map(|rows: Vec<Row>| distinct(rows).into()).collect();
    let vocabulary = Vocabulary {
        name: "program".into(),
        sorts: vec![
            sort("Pc", Width::Values(u64::from(layout.locations.max(1))), true),
            sort("Own", Width::Bits(layout.own_bits), false),
            sort("Local", Width::Bits(layout.local_bits), false),
            sort("Shared", Width::Bits(layout.shared_bits), false),
        ],
        records: vec![OfferedRecord {
            name: "State".into(),
            fields: named(&[("pc", "Pc"), ("own", "Own"), ("loc", "Local")]),
        }],
        facts: [
            ("threads", facts.threads),
            ("singles", facts.singles),
            ("replicated", usize::from(facts.replicated)),
            ("recursive", usize::from(facts.recursive)),
            ("calls", facts.calls),
            ("init", usize::from(facts.init)),
        ]
        .map(|(name, value)| (name.to_string(), value as i64))
        .to_vec(),
        relations: vec![
            relation("initial", &[("s", "Shared")], vec![rows.initial()]),
            family("start", 0, start),
            relation(
                "step",
                &[("q", "State"), ("s", "Shared"), ("q'", "State"), ("s'", "Shared")],
                edges.step,
            ),
            relation("call", &[("q", "State"), ("s", "Shared"), ("e", "State")], edges.call),
            relation(
                "ret",
                &[("q", "State"), ("x", "State"), ("sx", "Shared"), ("q'", "State"), ("s'", "Shared")],
                edges.ret,
            ),
            relation("exit", &[("q", "State")], exit),
            relation("yield", &[("q", "State"), ("s", "Shared")], rows.yields()),
            relation("pause", &[("q", "State"), ("s", "Shared")], rows.pauses()),
            relation("target", &[("q", "State")], target),
            family("reach_cfg", 0, reach),
        ],
        show: Rc::new(show::Names { cfg: Rc::clone(cfg), layout: Rc::clone(&layout) }),
    };
    (vocabulary, layout)
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, sort)| (name.to_string(), sort.to_string())).collect()
}

/// The roles at each position: 0 is `init`, then the singles, then all replicated templates together.
fn positions(cfg: &Cfg) -> Vec<Vec<Role>> {
    let init = cfg.init.map(|flow| {
        let place = cfg.flow(flow);
        Role { name: place.name.clone(), flow, start: place.entry, asleep: false, span: Default::default() }
    });
    let mut out = vec![init.into_iter().collect::<Vec<_>>()];
    out.extend(cfg.singles.iter().map(|role| vec![role.clone()]));
    if !cfg.replicated.is_empty() {
        out.push(cfg.replicated.clone());
    }
    out
}

/// Rows that only say a location, each once.
fn distinct(rows: Vec<Row>) -> Vec<Row> {
    let mut seen = std::collections::BTreeSet::new();
    rows.into_iter().filter(|row| seen.insert(row.fixed.clone())).collect()
}
