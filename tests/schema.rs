//! The page about the vocabulary says what the vocabulary is.

use fpsolve::model::schema::page::tables;
use fpsolve::model::schema::{CALL, RET, STEP, StateLeaves};

#[test]
fn the_page_about_programs_has_the_tables_of_the_schema() {
    let page = include_str!("../docs/programs.md");
    for table in tables() {
        assert!(
            page.contains(&format!("\n\n{table}\n")),
            "docs/programs.md does not have this table; copy it:\n\n{table}"
        );
    }
}

/// The leaves count through the fields of a state: location, own and local values.
#[test]
fn leaves_count_through_columns() {
    let side = |pc: u16, shared: Option<u16>| StateLeaves { pc, own: pc + 1, local: pc + 2, shared };
    assert_eq!(STEP.side("q", "s"), side(0, Some(3)));
    assert_eq!(STEP.side("q'", "s'"), side(4, Some(7)));
    assert_eq!(CALL.side("e", "s"), side(4, Some(3)));
    assert_eq!(RET.side("x", "sx"), side(3, Some(6)));
    assert_eq!(RET.side("q'", "s'"), side(7, Some(10)));
    assert_eq!(RET.state("q"), side(0, None));
}
