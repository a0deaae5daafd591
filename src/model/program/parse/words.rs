//! Syntax errors in words.

use super::Rule;

/// The token a syntax error stands at, and its length.
pub fn token_at(rest: &str) -> (&str, usize) {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
    let length = match rest.chars().next() {
        None => 0,
        Some(first) if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
        Some(_) if rest.starts_with(":=") || rest.starts_with("!=") || rest.starts_with("=>") => 2,
        Some(first) => first.len_utf8(),
    };
    (&rest[..length], length)
}

/// What could have stood there, without repetition and without what follows from the rest.
pub fn expected(rules: &[Rule]) -> String {
    let mut words: Vec<&str> = Vec::new();
    let ended = rules.contains(&Rule::semicolon);
    for rule in rules {
        let word = describe(*rule);
        let closes =
            matches!(rule, Rule::kw_end | Rule::kw_elsif | Rule::kw_else | Rule::kw_fi | Rule::kw_od);
        if ended && closes && !rules.contains(&Rule::statement) {
            continue;
        }
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.contains(&"a statement") {
        words.retain(|word| *word != "a label" && *word != "a name" && *word != "a number" && *word != "`;`");
    }
    if words.contains(&"an expression") {
        words.retain(|word| *word != "a name" && *word != "a number" && *word != "`(`");
    }
    if words.contains(&"an operator") {
        words.retain(|word| *word != "`(`");
    }
    match words.as_slice() {
        [] => "something else".to_string(),
        [one] => one.to_string(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

fn describe(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end of the file",
        Rule::declaration | Rule::kw_decl => "`decl`",
        Rule::procedure | Rule::kind | Rule::kw_void | Rule::kw_bool | Rule::kw_dfs => "a procedure",
        Rule::init_block | Rule::kw_init => "`init begin`",
        Rule::thread_block | Rule::kw_thread => "`thread`",
        Rule::copies => "`*` or `[number]`",
        Rule::declarator | Rule::name | Rule::names => "a name",
        Rule::number => "a number",
        Rule::label => "a label",
        Rule::place => "a label",
        Rule::file | Rule::chunk => "`decl`, a procedure, `init begin` or `thread`",
        Rule::semicolon => "`;`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::becomes => "`:=`",
        Rule::open => "`(`",
        Rule::close => "`)`",
        Rule::open_bracket => "`[`",
        Rule::close_bracket => "`]`",
        Rule::kw_begin => "`begin`",
        Rule::kw_end => "`end`",
        Rule::kw_then => "`then`",
        Rule::kw_elsif => "`elsif`",
        Rule::kw_else => "`else`",
        Rule::kw_fi => "`fi`",
        Rule::kw_do => "`do`",
        Rule::kw_od => "`od`",
        Rule::kw_goto => "`goto`",
        Rule::kw_constrain => "`constrain`",
        Rule::enforce | Rule::kw_enforce => "`enforce`",
        Rule::call => "a call",
        Rule::expression
        | Rule::expressions
        | Rule::nondet
        | Rule::schoose
        | Rule::parenthesis
        | Rule::primed => "an expression",
        Rule::not | Rule::kw_schoose => "an expression",
        Rule::and | Rule::or | Rule::xor | Rule::implies | Rule::differ | Rule::equal => "an operator",
        Rule::WHITESPACE | Rule::COMMENT => "",
        _ => "a statement",
    }
}

/// A way to mend the usual slips.
pub fn hint(found: &str, rules: &[Rule]) -> Option<&'static str> {
    Some(match found {
        "=" if rules.contains(&Rule::becomes) => "an assignment is written `x := e`",
        "decl" if rules.contains(&Rule::statement) => {
            "declarations stand at the head of a procedure, before its statements"
        }
        "enforce" => "`enforce` stands once, after the declarations and before the statements",
        "{" | "}" => "blocks stand between `begin` and `end`, quoted names are written {x>0} on one line",
        "<" | ">" | "-" => "Boolean programs have no arithmetic; predicates are quoted with braces: {x>0}",
        "(" if rules.contains(&Rule::and) => "a call stands alone, or alone on the right of `:=`",
        _ if rules.contains(&Rule::file) || rules.contains(&Rule::chunk) => {
            "a procedure begins with `void name(…) begin` or `bool name(…) begin`"
        }
        _ if rules.contains(&Rule::semicolon)
            && found.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') =>
        {
            "is a semicolon missing before it?"
        }
        _ => return None,
    })
}
