//! Every benchmark program is read, or refused with the diagnostic it deserves.

use super::manifest::{Row, programs};
use calculus::diagnostic::Rejection;
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::{Dialect, Options, Program, load};

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

#[test]
fn every_benchmark_program_is_read_or_refused_for_a_good_reason() {
    let Some(rows) = programs() else { return };
    let mut wrong = Vec::new();
    for row in rows {
        let text = row.text();
        let loaded = load(&row.path, &text, &options(&row));
        let passive = text.contains("$ :=") || text.contains("$,") || text.contains("$)");
        match loaded {
            Err(problems) if row.format.starts_with("cuba-bp") => {
                assert_ne!(problems.to_string(), "no mistake", "{}", row.path);
            }
            Err(problems) if passive => {
                assert!(
                    codes(&problems).contains(&"bp::passive_variable"),
                    "{}: {:?}",
                    row.path,
                    codes(&problems)
                );
            }
            Err(problems) => wrong.push(format!("{}: {problems}: {:?}", row.path, codes(&problems))),
            Ok(_) if row.format.starts_with("cuba-bp") || passive => {
                wrong.push(format!("{}: accepted", row.path))
            }
            Ok(loaded) => {
                check_graphs(&loaded.program);
                let expected = match row.format.as_str() {
                    "bebop-sequential" => Dialect::Bebop,
                    "getafix-concurrent" => Dialect::Getafix,
                    _ => Dialect::Satabs,
                };
                let found = loaded.program.dialect;
                if found != expected && !row.path.contains("multiround") {
                    wrong.push(format!("{}: detected {found}, is {expected}", row.path));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
