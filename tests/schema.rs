//! The pages about the vocabularies say what the vocabularies are.

use fpsolve::model::schema::page::{pushdown_tables, tables};
use fpsolve::model::schema::pushdown::{MERGE, PUSH, SymbolLeaves};
use fpsolve::model::schema::{CALL, RET, STEP, StateLeaves};

fn has(name: &str, page: &str, tables: [String; 3]) {
    for table in tables {
        assert!(
            page.contains(&format!("\n\n{table}\n")),
            "{name} does not have this table; copy it:\n\n{table}"
        );
    }
}

#[test]
fn the_page_about_programs_has_the_tables_of_the_schema() {
    has("docs/programs.md", include_str!("../docs/programs.md"), tables());
}

#[test]
fn the_page_about_pushdown_systems_has_the_tables_of_the_schema() {
    has("docs/pushdown.md", include_str!("../docs/pushdown.md"), pushdown_tables());
}

/// The leaves count through the fields of a symbol: location and data.
#[test]
fn leaves_count_through_symbols() {
    let symbol = |pc: u16| SymbolLeaves { pc, local: pc + 1 };
    assert_eq!((PUSH.shared("s"), PUSH.symbol("a"), PUSH.shared("s'")), (0, symbol(1), 3));
    assert_eq!((PUSH.symbol("b"), PUSH.symbol("c")), (symbol(4), symbol(6)));
    assert_eq!((MERGE.result("y"), MERGE.symbol("c"), MERGE.symbol("a")), (1, symbol(2), symbol(5)));
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
