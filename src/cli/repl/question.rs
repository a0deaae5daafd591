//! What is typed at the prompt: words for the prompt, definitions, or a formula.

use super::super::arguments::setting;
use calculus::diagnostic::Diagnostic;
use calculus::span::FileId;
use calculus::syntax;

pub const HELP: &str = "\
a formula        its tuples: the variables that nothing binds are the columns
let, mu, rel, …  a definition, to be asked about afterwards; the same name again replaces it
query Q(x: T) = …;
                 a formula with a name, and columns in this order
all QUESTION     lists all tuples, not only the first 20
why R(1, _)      why a tuple is in a relation; _ is any value
why not R(1, 2)  why it is not
run              the verdict and the queries of the file
set k 3          sets a parameter; what does not depend on it stays solved
set              the parameters
show             the relations, and how many tuples those have that are solved
show R           a definition
quit             ends, as does Ctrl-D
Ctrl-C gives up a question, not the prompt. A formula that begins with one of these words is put in brackets. A definition ends
with a semicolon, and an open bracket goes on in the next line.
";

/// The words that begin something at the prompt.
pub const WORDS: [&str; 8] = ["all", "help", "quit", "run", "set", "show", "why", "why not"];

/// The words that begin a definition.
const ITEMS: [&str; 19] = [
    "use", "param", "const", "enum", "keyed", "range", "symbol", "record", "sort", "rel", "input", "let",
    "mu", "nu", "query", "trace", "require", "verdict", "hint",
];

#[derive(Clone, Debug)]
pub enum Question {
    Nothing,
    Help,
    Quit,
    Formula {
        text: String,
        all: bool,
    },
    Items(String),
    Run {
        all: bool,
    },
    Why {
        tuple: String,
        all: bool,
    },
    Set(Option<(String, i64)>),
    Show(Option<String>),
    /// One of the words, and something that does not belong behind it.
    Unclear(Diagnostic),
}

/// The first word, and what stands behind it. A word before a sign is the name of something.
fn first(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let behind = rest.trim_start();
    let goes_on =
        behind.is_empty() || behind.starts_with(|c: char| c.is_alphanumeric() || "_!\"".contains(c));
    let is_word = goes_on && (rest.is_empty() || rest.starts_with(char::is_whitespace));
    if is_word && !behind.starts_with("!=") { (word, behind) } else { ("", text) }
}

/// Without the comments.
fn plain(text: &str) -> String {
    let mut out = text.to_string();
    for comment in syntax::comments(FileId::default(), text).iter().rev() {
        out.replace_range(comment.span.start as usize..comment.span.end as usize, "");
    }
    out.trim().to_string()
}

fn is_item(text: &str) -> bool {
    let (word, rest) = first(text);
    ITEMS.contains(&word) && !rest.is_empty()
}

/// Whether more lines belong to what was typed.
pub fn goes_on(typed: &str) -> bool {
    let text = plain(typed);
    let mut depth = 0i32;
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
    }
    let (word, _) = first(&text);
    let braces = ["enum", "record", "keyed"].contains(&word) && text.ends_with('}');
    depth > 0 || (is_item(&text) && !text.ends_with(';') && !braces)
}

impl Question {
    pub fn read(typed: &str) -> Question {
        let text = plain(typed);
        if text.is_empty() {
            return Question::Nothing;
        }
        if is_item(&text) {
            // Places of mistakes are those of the text as it was typed.
            return Question::Items(typed.trim().to_string());
        }
        let text = text.trim_end_matches(';').trim();
        let (word, rest) = first(text);
        let all = word == "all" && !rest.is_empty();
        let (word, rest) = if all { first(rest) } else { (word, rest) };
        let whole = |word: &str| match rest {
            "" => None,
            _ => Some(unclear(&format!("nothing stands behind `{word}`"))),
        };
        match word {
            "help" => whole(word).unwrap_or(Question::Help),
            "quit" | "exit" => whole(word).unwrap_or(Question::Quit),
            "run" => whole(word).unwrap_or(Question::Run { all }),
            "set" => set(rest),
            "show" if rest.is_empty() => Question::Show(None),
            "show" => Question::Show(Some(rest.to_string())),
            "why" => why(rest, all),
            _ if all => Question::Formula { text: text[3..].trim_start().to_string(), all },
            _ => Question::Formula { text: text.to_string(), all },
        }
    }
}

fn unclear(title: &str) -> Question {
    Question::Unclear(
        Diagnostic::error("fp::usage", title).help("`help` shows the words; a formula may stand in brackets"),
    )
}

fn set(rest: &str) -> Question {
    if rest.is_empty() {
        return Question::Set(None);
    }
    let text = match rest.split_once(|c: char| c == '=' || c.is_whitespace()) {
        Some((name, value)) => format!("{}={}", name.trim(), value.trim().trim_start_matches('=').trim()),
        None => rest.to_string(),
    };
    match setting(&text) {
        Ok(setting) => Question::Set(Some(setting)),
        Err(_) => unclear(&format!("`set {rest}` has no number: write `set k 3`")),
    }
}

fn why(rest: &str, all: bool) -> Question {
    if rest.is_empty() {
        return unclear("`why` needs a tuple: `why R(1, _)`, `why not R(1, 2)`");
    }
    let (word, tuple) = first(rest);
    let tuple = if word == "not" && !tuple.is_empty() { format!("!{tuple}") } else { rest.to_string() };
    Question::Why { tuple, all }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match Question::read(text) {
            Question::Unclear(mistake) => format!("unclear: {}", mistake.title),
            question => format!("{question:?}"),
        }
    }

    #[test]
    fn words_are_told_from_names() {
        let formula = |text: &str, all: bool| format!("{:?}", Question::Formula { text: text.into(), all });
        for text in ["run(x)", "show & R(x)", "set != 3", "why = x", "(help)", "x", "runs", "exists x. R(x)"]
        {
            assert_eq!(read(text), formula(text, false), "{text}");
        }
        assert_eq!(read("all R(x)"), formula("R(x)", true));
        assert_eq!(read("R(x); // why"), formula("R(x)", false));
        assert_eq!(read("all(x)"), formula("all(x)", false));
        assert_eq!(read("// nothing"), "Nothing");
        assert_eq!(read("x = \"a//b\""), formula("x = \"a//b\"", false));
        assert_eq!(read("set k 3"), r#"Set(Some(("k", 3)))"#);
        assert_eq!(read("set k = -3"), r#"Set(Some(("k", -3)))"#);
        assert_eq!(read("set"), "Set(None)");
        assert_eq!(read("set k"), "unclear: `set k` has no number: write `set k 3`");
        assert_eq!(read("why not R(1, 2)"), r#"Why { tuple: "!R(1, 2)", all: false }"#);
        assert_eq!(read("all why !R"), r#"Why { tuple: "!R", all: true }"#);
        assert_eq!(read("show Win"), r#"Show(Some("Win"))"#);
        assert_eq!(read("run fast"), "unclear: nothing stands behind `run`");
        assert_eq!(read("let A(x: T) = B(x);"), r#"Items("let A(x: T) = B(x);")"#);
        assert_eq!(read("let(x)"), formula("let(x)", false));
    }

    #[test]
    fn brackets_and_definitions_go_on() {
        for text in ["R(x", "exists x. (R(x) |", "let A(x: T) =", "enum E { A,", "rel r(x: T) = { (1) }"] {
            assert!(goes_on(text), "{text}");
        }
        for text in ["R(x)", "x = \"(\"", "let A = B;", "enum E { A }", "R(x) // (", "R(x))"] {
            assert!(!goes_on(text), "{text}");
        }
    }
}
