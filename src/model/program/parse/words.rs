//! Syntax errors in words.

use super::Rule;

/// The token a syntax error stands at, and its length.
pub fn token_at(rest: &str) -> (&str, usize) {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
    let length = match rest.chars().next() {
        None => 0,
        Some(first) if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
        Some(_) if [":=", "!=", "=>", "<=", ">=", ".."].iter().any(|sign| rest.starts_with(sign)) => 2,
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
        Rule::declarator | Rule::typed | Rule::name | Rule::names => "a name",
        Rule::parameter | Rule::parameters => "a name",
        Rule::number | Rule::integer => "a number",
        Rule::range => "a range",
        Rule::enumeration | Rule::open_brace => "names in braces",
        Rule::domain => "a range or names in braces",
        Rule::result => "`bool`, a range or names in braces",
        Rule::close_brace => "`}`",
        Rule::dots => "`..`",
        Rule::kw_mod => "`mod`",
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
        Rule::negative => "an expression",
        Rule::and | Rule::or | Rule::xor | Rule::implies | Rule::differ | Rule::equal => "an operator",
        Rule::less | Rule::at_most | Rule::greater | Rule::at_least => "an operator",
        Rule::plus | Rule::minus | Rule::times | Rule::modulo => "an operator",
        Rule::WHITESPACE | Rule::COMMENT => "",
        _ => "a statement",
    }
}

/// A way to mend the usual slips.
///
/// `before`: the text before what was found.
pub fn hint(before: &str, found: &str, rules: &[Rule]) -> Option<&'static str> {
    let last =
        before.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    let statement = before.rsplit([';', '\n']).next().unwrap_or("").trim_start();
    Some(match found {
        _ if last == "not" && rules.contains(&Rule::and) => "negation is written `!`",
        "{" if last == "atomic" => "write `atomic_begin; … atomic_end;`",
        "=" if statement.starts_with("decl ") => "an initial value is written `decl x := F;`",
        ":" if statement.starts_with("decl ") => {
            "one `decl` has one type for all its names, then their initial value: `decl m, n: 0..3 := 0;`"
        }
        _ if statement.starts_with("decl ") && statement.contains(':') && !statement.contains(":=") => {
            "a type is a range or names: `decl n: 0..3;`, `decl t: 0..7 mod;`, `decl s: { idle, busy };`; without one, a variable is Boolean"
        }
        ";" | "," | "=" if statement.starts_with("bool ") && !statement.contains("begin") => {
            "variables are declared with `decl`: `decl x;`"
        }
        "(" if statement.starts_with("thread ") && !statement.contains("begin") => {
            "a thread has no parameters: `thread name begin`"
        }
        ";" if rules.contains(&Rule::becomes) && rules.contains(&Rule::open) => {
            "a call is written `f();`, and an assignment `x := e;`"
        }
        "=" if rules.contains(&Rule::becomes) => "an assignment is written `x := e`",
        "+" | "-" if rules.contains(&Rule::becomes) => "a number is counted up with `n := n + 1;`",
        "decl" if rules.contains(&Rule::statement) => {
            "write declarations at the beginning of a procedure, before its statements"
        }
        "enforce" => "write `enforce` once, after the declarations and before the statements",
        "{" | "}" => {
            "write blocks between `begin` and `end`; braces are for names of predicates, as in {x>0}"
        }
        "(" if rules.contains(&Rule::and) => {
            "a call is a statement of its own, `f(x);`, or the whole right side of an assignment, `y := f(x);`"
        }
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
