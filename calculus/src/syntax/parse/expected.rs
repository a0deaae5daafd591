//! What the grammar was waiting for where it failed, in the words of the language.

use super::Rule;

/// The kinds of things that can be expected, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Expected {
    Sign(&'static str),
    Name,
    Text,
    Sort,
    Row,
    Clause,
    Expression,
    Operator,
}

impl Expected {
    fn words(self) -> String {
        match self {
            Expected::Sign(sign) => format!("`{sign}`"),
            Expected::Name => "a name".into(),
            Expected::Text => "a text in quotes".into(),
            Expected::Sort => "a sort".into(),
            Expected::Row => "a row".into(),
            Expected::Clause => "a formula".into(),
            Expected::Expression => "an expression".into(),
            Expected::Operator => "an operator".into(),
        }
    }
}

/// Sorted and without repetitions.
pub(super) fn expected(rules: &[Rule]) -> Vec<Expected> {
    let mut expected: Vec<_> = rules.iter().filter_map(|rule| what(*rule)).collect();
    expected.sort_unstable();
    expected.dedup();
    // Where a formula may stand, its label may; where an expression may, a name or a text is no news.
    if expected.contains(&Expected::Clause) || expected.contains(&Expected::Expression) {
        expected.retain(|one| !matches!(one, Expected::Name | Expected::Text));
    }
    if expected.contains(&Expected::Clause) || expected.contains(&Expected::Row) {
        expected.retain(|one| *one != Expected::Expression);
    }
    let has = |list: &[Expected], one| list.contains(&one);
    // Where operands or operators may stand, that brackets and the bars of clauses may as well is no news.
    if has(&expected, Expected::Operator) || has(&expected, Expected::Expression) {
        expected.retain(|one| !matches!(one, Expected::Sign("(" | "[" | "{" | "|")));
    }
    // A first name could be a label.
    if has(&expected, Expected::Operator) && has(&expected, Expected::Sign(";")) {
        expected.retain(|one| *one != Expected::Sign(":"));
    }
    // Behind a sort or a bound, the end of it is wanted and not more of it.
    if has(&expected, Expected::Sign("..")) && !has(&expected, Expected::Sign(":=")) {
        expected.retain(|one| *one != Expected::Operator);
        if expected.len() > 1 {
            expected.retain(|one| *one != Expected::Sign(".."));
        }
    }
    expected
}

/// `a, b or c`
pub(super) fn list(expected: &[Expected]) -> String {
    let words: Vec<_> = expected.iter().map(|one| one.words()).collect();
    match &words[..] {
        [] => "something else".into(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

fn what(rule: Rule) -> Option<Expected> {
    use Expected::*;
    Some(match rule {
        Rule::name | Rule::hint_name | Rule::column | Rule::binder | Rule::setting => Name,
        Rule::index_binder | Rule::family_index => Name,
        Rule::text => Text,
        Rule::sort | Rule::plain_sort | Rule::kw_bool => Sort,
        Rule::kw_sort => Sign("sort"),
        Rule::kw_rel | Rule::relation_sort => Sign("rel"),
        Rule::row | Rule::tuple => Row,
        Rule::body | Rule::clause => Clause,
        Rule::expr | Rule::sum => Expression,
        Rule::int | Rule::kw_true | Rule::kw_false | Rule::paren | Rule::vector => Expression,
        Rule::with | Rule::record | Rule::not | Rule::minus | Rule::quantifier | Rule::unroll => Expression,
        Rule::kw_exists | Rule::kw_forall | Rule::kw_some | Rule::kw_each => Expression,
        Rule::iff | Rule::implies | Rule::or | Rule::and => Operator,
        Rule::eq | Rule::ne | Rule::le | Rule::lt | Rule::ge | Rule::gt => Operator,
        Rule::concat | Rule::add | Rule::sub | Rule::mul | Rule::div | Rule::rem => Operator,
        Rule::semi => Sign(";"),
        Rule::comma => Sign(","),
        Rule::colon => Sign(":"),
        Rule::equals => Sign("="),
        Rule::assign => Sign(":="),
        Rule::dot => Sign("."),
        Rule::dots => Sign(".."),
        Rule::open_paren | Rule::columns => Sign("("),
        Rule::close_paren => Sign(")"),
        Rule::open_bracket | Rule::indices | Rule::dimension => Sign("["),
        Rule::close_bracket => Sign("]"),
        Rule::open_brace => Sign("{"),
        Rule::close_brace => Sign("}"),
        Rule::bar => Sign("|"),
        Rule::kw_in | Rule::bounds => Sign("in"),
        Rule::kw_if => Sign("if"),
        Rule::kw_else => Sign("else"),
        Rule::else_mu => Sign("mu"),
        Rule::else_nu => Sign("nu"),
        Rule::kw_with => Sign("with"),
        Rule::kw_enum => Sign("enum"),
        Rule::kw_range => Sign("range"),
        Rule::kw_symbol => Sign("symbol"),
        _ => return None,
    })
}
