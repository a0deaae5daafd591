//! Printing and parsing again gives the same tree, and formatting what is formatted changes nothing.

use crate::trees::{self, Shown};
use crate::{SAMPLES, accept, the_same_each_time};
use calculus::syntax::{expression, print, same, same_expr};
use proptest::prelude::*;

#[test]
fn samples_survive_formatting() {
    for text in SAMPLES {
        let file = accept(text);
        let formatted = print(&file, text);
        let again = accept(&formatted);
        assert!(same(&file, &again), "{formatted}");
        assert_eq!(print(&again, &formatted), formatted);
    }
}

#[test]
fn the_house_style() {
    let formatted: Vec<_> = SAMPLES.iter().map(|text| print(&accept(text), text)).collect();
    insta::assert_snapshot!(formatted.join("\n// ---- the next file\n\n"));
}

#[test]
fn the_summary_of_the_language_document_is_in_the_house_style() {
    let text = include_str!("summary.fp");
    assert_eq!(print(&accept(text), text), text);
}

proptest! {
    #![proptest_config(the_same_each_time(2000))]

    #[test]
    fn printed_trees_are_read_back(Shown(file) in trees::file()) {
        let printed = print(&file, "");
        let again = accept(&printed);
        prop_assert!(same(&file, &again), "{}", printed);
        prop_assert_eq!(print(&again, &printed), printed);
    }

    #[test]
    fn expressions_are_printed_on_one_line(Shown(expr) in trees::expression().prop_map(Shown)) {
        let printed = expression(&expr);
        prop_assert!(!printed.contains('\n'));
        let again = accept(&format!("const x = {printed};"));
        let calculus::syntax::ast::ItemKind::Const { value, .. } = &again.items[0].kind else { unreachable!() };
        prop_assert!(same_expr(&expr, value), "{}", printed);
    }
}
