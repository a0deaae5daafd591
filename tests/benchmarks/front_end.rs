//! Every benchmark program is read, or refused with the diagnostic it deserves.

use super::manifest::{Row, programs};
use fpsolve::model::program::{Dialect, Options, Problems, load};

fn options(row: &Row) -> Options {
    let mut options = Options::default();
    if row.path.contains("multiround") {
        options.init = Some("init".to_string());
        options.replicate = vec!["main".to_string()];
    }
    options
}

fn codes(problems: &Problems) -> Vec<&'static str> {
    problems.problems.iter().map(|problem| problem.code).collect()
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
                assert!(problems.errors() > 0, "{}", row.path);
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
