//! Every benchmark program is read, or refused with the diagnostic it deserves.

use super::manifest::{Row, test};
use calculus::diagnostic::Rejection;
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::{Dialect, Options, Program, load};
use libtest_mimic::Trial;
use std::sync::Arc;

pub fn options(row: &Row) -> Options {
    let mut options = Options::default();
    if row.path.contains("multiround") {
        options.init = Some("init".to_string());
        options.replicate = vec!["main".to_string()];
    }
    // The target of these is in `init`; their threads are for any number of copies, also none.
    if row.path.starts_with("getafix-cav10/") {
        options.replicate = vec!["thread0".to_string(), "thread1".to_string()];
    }
    options
}

fn codes(problems: &Rejection) -> Vec<&'static str> {
    problems.diagnostics.iter().map(|problem| problem.code).collect()
}

/// What CUBA made of the language is refused.
pub fn is_read(row: &Row) -> bool {
    !is_of_cuba(row)
}

fn is_of_cuba(row: &Row) -> bool {
    row.format.starts_with("cuba-bp")
}

/// Whether threads change variables of others.
pub fn is_passive(row: &Row) -> bool {
    let loaded = load(&row.path, &row.text(), &options(row));
    loaded.is_ok_and(|loaded| loaded.program.broadcasts())
}

pub fn trials(rows: &[Arc<Row>]) -> Vec<Trial> {
    let about = |row: &Arc<Row>| if is_read(row) { "is_read" } else { "is_refused" };
    rows.iter().map(|row| test(row, about(row), is_read_or_refused_for_a_good_reason)).collect()
}

fn is_read_or_refused_for_a_good_reason(row: &Row) {
    match load(&row.path, &row.text(), &options(row)) {
        Err(problems) if is_of_cuba(row) => assert_ne!(problems.to_string(), "no mistake"),
        Err(problems) => panic!("{problems}: {:?}", codes(&problems)),
        Ok(loaded) => {
            assert!(is_read(row), "it is accepted");
            check_graphs(&loaded.program);
            let expected = match row.format.as_str() {
                "bebop-sequential" => Dialect::Bebop,
                "getafix-concurrent" => Dialect::Getafix,
                _ => Dialect::Satabs,
            };
            assert!(row.path.contains("multiround") || loaded.program.dialect == expected);
        }
    }
}

/// Every edge stays inside its graph, locations are numbered from the entry, and inlining leaves recursive calls only.
fn check_graphs(program: &Program) {
    let (cfg, _) = Cfg::build(program);
    for cfg in [inline(&cfg, Inline::Auto).0, inline(&cfg, Inline::Always).0, cfg] {
        for flow in &cfg.flows {
            let size = flow.locations.len();
            assert!(flow.edges.iter().all(|edge| edge.from.index() < size && edge.to.index() < size));
        }
        let asleep = cfg.replicated.iter().any(|role| role.asleep);
        assert!(asleep || cfg.flows.iter().all(|flow| flow.entry.index() == 0), "the entry comes first");
        assert!(cfg.roots().all(|(id, loc)| loc.index() < cfg.flow(id).locations.len()));
        let facts = cfg.facts();
        assert_eq!(facts.threads, facts.singles + usize::from(facts.replicated));
    }
    let always = inline(&Cfg::build(program).0, Inline::Always).0.facts();
    assert!(always.recursive || always.calls == 0);
}
