//! Random small programs in fpsolve's syntax, with every statement form.

#![allow(dead_code, reason = "each test binary uses one of the generators")]

#[path = "../../calculus/tests/chance/mod.rs"]
mod chance;

pub use chance::Random;

/// One procedure or thread body under construction.
struct Body<'r> {
    random: &'r mut Random,
    variables: Vec<&'static str>,
    labels: usize,
    text: String,
    results: usize,
    may_start: bool,
    may_call: bool,
}

const PROCEDURES: [(&str, usize, usize); 3] = [("p", 1, 1), ("q", 0, 2), ("r", 2, 0)];

pub fn program(random: &mut Random) -> String {
    let mut text = String::from("decl a, b := F, c;\n");
    if random.below(2) == 0 {
        text.push_str("init begin ");
        text.push_str(&body(random, &["a", "b", "c"], 2, 0, false));
        text.push_str("end\n");
    }
    procedures(random, &mut text);
    for index in 0..1 + random.below(2) {
        let statements = body(random, &["a", "b", "c", "m"], 5, 0, true);
        text.push_str(&format!("thread t{index} begin decl m := T;\n{statements}end\n"));
    }
    if random.below(2) == 0 {
        let statements = body(random, &["a", "b", "c", "n"], 4, 0, false);
        text.push_str(&format!("thread many* begin decl n;\n{statements}end\n"));
    }
    text
}

/// A sequential program with procedures that may call themselves and each other.
pub fn sequential(random: &mut Random) -> String {
    let mut text = String::from("decl a, b, c;\n");
    procedures(random, &mut text);
    let statements = body(random, &["a", "b", "c", "m", "n"], 6, 0, false);
    text.push_str(&format!("void main() begin decl m, n;\n{statements}end\n"));
    text
}

/// Small single threads, with procedures that may call themselves and each other, or without.
pub fn singles(random: &mut Random, count: usize, calls: bool) -> String {
    let mut text = String::from(if calls { "decl a, b, c;\n" } else { "decl a, b;\n" });
    begin(random, &mut text);
    if calls {
        procedures(random, &mut text);
    }
    for index in 0..count {
        thread(random, &mut text, &format!("t{index}"), calls);
    }
    text
}

/// Up to two single threads and one or two replicated ones, without calls or with.
pub fn parameterized(random: &mut Random, calls: bool) -> String {
    let mut text = String::from(if calls { "decl a, b, c;\n" } else { "decl a, b;\n" });
    begin(random, &mut text);
    if calls {
        procedures(random, &mut text);
    }
    for index in 0..random.below(3) {
        thread(random, &mut text, &format!("t{index}"), calls);
    }
    for index in 0..1 + random.below(4) / 3 {
        thread(random, &mut text, &format!("many{index}*"), calls);
    }
    text
}

/// Threads that call the same procedure before and after they have seen what others did: small, without much
/// choice, so that summaries of different histories are easily mixed up.
pub fn calling(random: &mut Random, replicated: bool) -> String {
    let mut text = String::from("decl a, b;\ninit begin a, b := F, F; end\n");
    let recursion = if random.below(2) == 0 { "if (*) then f(); fi\n" } else { "" };
    let body = (0..1 + random.below(2)).map(|_| plain(random, false)).collect::<String>();
    text.push_str(&format!("void f() begin\n{recursion}{body}end\n"));
    let (before, after) = (side(random), side(random));
    let check = format!("assert({});\n", literal(random));
    let star = if replicated { "*" } else { "" };
    text.push_str(&format!(
        "thread one begin\ndecl m;\nm := a;\nif (*) then\nf();\n{before}else\n{after}f();\n{check}fi\nend\n"
    ));
    let other = side(random);
    let check = if random.below(4) == 0 { format!("assert({});\n", literal(random)) } else { String::new() };
    text.push_str(&format!("thread two{star} begin\ndecl m;\nm := F;\n{other}{check}end\n"));
    text
}

fn literal(random: &mut Random) -> &'static str {
    random.pick(&["a", "b", "m | a", "!a", "!b", "!m | b"])
}

fn side(random: &mut Random) -> String {
    (0..1 + random.below(3)).map(|_| plain(random, true)).collect()
}

/// An assignment, an assumption or, in a thread, a call.
fn plain(random: &mut Random, thread: bool) -> String {
    let (x, value) = (random.pick(&["a", "b"]), random.pick(&["T", "F", "a", "b", "!a", "!b"]));
    match random.below(if thread { 7 } else { 3 }) {
        0 | 1 => format!("{x} := {value};\n"),
        2 | 3 => format!("assume({});\n", random.pick(&["a", "b", "!a", "!b"])),
        4 | 5 => "f();\n".into(),
        _ => format!("if ({}) then {x} := {value}; fi\n", literal(random)),
    }
}

/// Most programs begin in one shared state.
fn begin(random: &mut Random, text: &mut String) {
    match random.below(4) {
        0 => {}
        1 => text.push_str("init begin a := F; end\n"),
        _ => text.push_str("init begin a, b := F, F; end\n"),
    }
}

fn thread(random: &mut Random, text: &mut String, name: &str, calls: bool) {
    let variables = vec!["a", "b", "m"];
    let (labels, results) = (0, 0);
    let mut body =
        Body { random, variables, labels, text: String::new(), results, may_start: false, may_call: calls };
    body.block(4, 1);
    let statements = body.text;
    text.push_str(&format!("thread {name} begin decl m;\n{statements}end\n"));
}

/// The procedures, which may call themselves and each other.
fn procedures(random: &mut Random, text: &mut String) {
    for (name, parameters, results) in PROCEDURES {
        let kind = match results {
            0 => "void".to_string(),
            n => format!("bool<{n}>"),
        };
        let names = ["x", "y"][..parameters].join(", ");
        let mut variables = vec!["a", "b", "c", "l"];
        variables.extend(&["x", "y"][..parameters]);
        let enforce = if random.below(6) == 0 { "enforce l | !a;\n" } else { "" };
        let statements = body(random, &variables, 3, results, false);
        text.push_str(&format!("{kind} {name}({names}) begin decl l;\n{enforce}{statements}end\n"));
    }
}

fn body(
    random: &mut Random,
    variables: &[&'static str],
    size: usize,
    results: usize,
    may_start: bool,
) -> String {
    let variables = variables.to_vec();
    let mut body =
        Body { random, variables, labels: 0, text: String::new(), results, may_start, may_call: true };
    body.block(size, 2);
    body.text
}

impl Body<'_> {
    fn block(&mut self, size: usize, depth: usize) {
        for _ in 0..1 + self.random.below(size) {
            self.statement(depth);
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        let variables = self.variables.clone();
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            0..=2 => self.random.pick(&variables).to_string(),
            3 => self.random.pick(&["T", "F", "*"]).to_string(),
            4 => format!("!({})", self.expression(depth - 1)),
            5 => format!("schoose[{}, {}]", self.expression(depth - 1), self.expression(depth - 1)),
            _ => {
                let operator = self.random.pick(&["&", "|", "^", "=", "!=", "=>"]);
                format!("({} {operator} {})", self.expression(depth - 1), self.expression(depth - 1))
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        let variables = self.variables.clone();
        let label = format!("L{}", self.labels);
        let (x, y) = (self.random.pick(&variables), self.random.pick(&variables));
        let e = self.expression(2);
        let statement = match self.random.below(if depth == 0 { 15 } else { 19 }) {
            0..=3 => format!("{x} := {e};"),
            4 if x != y => format!("{x}, {y} := {e}, * constrain '{x} | {y} = '{y};"),
            5 => format!("assume({e});"),
            6 => format!("assert({e} | {x});"),
            7 => {
                self.labels += 1;
                let back = if self.random.below(3) == 0 {
                    format!("goto {label}, {label}b;")
                } else {
                    String::new()
                };
                format!("{label}: skip; {back} {label}b: {x} := {e};")
            }
            8 if self.may_call => format!("{x} := p({e});"),
            9 if x != y && self.may_call => format!("{x}, {y} := q();"),
            10 if self.may_call => format!("r({e}, {x});"),
            11 => {
                self.labels += 1;
                format!("atomic_begin; {x} := {e}; {y} := {x}; atomic_end;")
            }
            12 => match self.results {
                0 => "return;".to_string(),
                n => format!("return {};", vec![e.as_str(); n].join(", ")),
            },
            13 => format!("dead {x};"),
            14 if self.may_start => match self.random.below(3) {
                0 => format!("start_thread r({e}, {x});"),
                1 => "end_thread;".to_string(),
                _ => {
                    self.labels += 1;
                    format!("start_thread goto {label}; {label}: {x} := {e};")
                }
            },
            15 | 16 => return self.nested(&format!("if ({e}) then "), Some("else "), "fi;", depth),
            17 => return self.nested(&format!("while ({e}) do "), None, "od;", depth),
            18 => {
                self.labels += 1;
                format!("if ({e}) then ERROR: skip; fi;")
                    .replace("ERROR: ", if self.labels == 1 { "ERROR: " } else { "" })
            }
            _ => "skip;".to_string(),
        };
        self.text.push_str(&statement);
        self.text.push('\n');
    }

    fn nested(&mut self, open: &str, middle: Option<&str>, close: &str, depth: usize) {
        self.text.push_str(open);
        self.block(2, depth - 1);
        if let Some(middle) = middle {
            self.text.push_str(middle);
            self.block(2, depth - 1);
        }
        self.text.push_str(close);
        self.text.push('\n');
    }
}

/// A program with some single threads: atomic sections around anything, and procedures of the file and of the threads if
/// there are calls.
pub fn threads(random: &mut Random, count: usize, calls: bool) -> String {
    let mut text = String::from("decl a, b := F, c;\n");
    if random.below(2) == 0 {
        let statements = pieces(random, &["a", "b", "c"], 2, calls, false);
        text.push_str(&format!("init begin {statements}end\n"));
    }
    if calls {
        procedures(random, &mut text);
    }
    for index in 0..count {
        text.push_str(&format!("thread t{index} begin decl m := T, n;\n"));
        if calls {
            let statements = body(random, &["a", "b", "m", "n"], 2, 0, false);
            text.push_str(&format!("void own() begin {statements}end\n"));
        }
        text.push_str(&pieces(random, &["a", "b", "c", "m", "n"], 4, calls, true));
        if calls && random.below(3) == 0 {
            text.push_str("own();\n");
        }
        text.push_str("end\n");
    }
    text
}

fn pieces(
    random: &mut Random,
    variables: &[&'static str],
    size: usize,
    calls: bool,
    may_end: bool,
) -> String {
    let variables = variables.to_vec();
    let mut body = Body {
        random,
        variables,
        labels: 0,
        text: String::new(),
        results: 0,
        may_start: false,
        may_call: calls,
    };
    for _ in 0..1 + body.random.below(size) {
        let before = body.text.len();
        let kind = body.random.below(if may_end { 8 } else { 7 });
        body.text.push_str(match kind {
            0 | 1 => "atomic_begin;\n",
            7 => "if (*) then ",
            _ => "",
        });
        let begun = body.text.len();
        body.statement(1);
        while !calls && ["p(", "q(", "r("].iter().any(|call| body.text[begun..].contains(call)) {
            body.text.truncate(begun);
            body.statement(1);
        }
        body.text.push_str(match kind {
            0 | 1 => "atomic_end;\n",
            7 => "end_thread; fi;\n",
            _ => "",
        });
        if body.text[before..].contains("return;") && body.random.below(2) == 0 {
            body.text.truncate(before);
        }
    }
    body.text
}

/// One or two threads that make others: in a row, in loops, inside atomic sections, and in a procedure that is called inside
/// and outside of them. What is made may make more.
pub fn creating(random: &mut Random) -> String {
    let mut text = String::from("decl a := F, b := F;\n");
    if random.below(3) == 0 {
        text.push_str("init begin a := *; end\n");
    }
    let body = makes(random, 2, &["a", "b", "x"], 1);
    text.push_str(&format!("void work(x) begin\n{body}end\n"));
    let body = makes(random, 2, &["a", "b"], 1);
    text.push_str(&format!("void make() begin\nstart_thread work({});\n{body}end\n", maker(random)));
    for index in 0..1 + random.below(4) / 3 {
        let body = makes(random, 4, &["a", "b", "m"], 2);
        text.push_str(&format!("thread t{index} begin decl m := F;\n{body}"));
        if random.below(2) == 0 {
            text.push_str(&format!(
                "start_thread goto New;\n{}end_thread;\n",
                makes(random, 2, &["a", "m"], 0)
            ));
            text.push_str(&format!("New: assume(m | !a);\n{}", makes(random, 1, &["a", "b", "m"], 0)));
        }
        text.push_str("end\n");
    }
    text
}

fn maker(random: &mut Random) -> &'static str {
    random.pick(&["a", "b", "T", "F", "*"])
}

fn makes(random: &mut Random, size: usize, variables: &[&'static str], depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(size) {
        let (x, y) = (random.pick(variables), random.pick(variables));
        let value = random.pick(&["T", "F", "*", "a", "!a", "b", "!b"]);
        text.push_str(&match random.below(if depth == 0 { 6 } else { 12 }) {
            0 | 1 => format!("{x} := {value};\n"),
            2 => format!("assume({x});\n"),
            3 => format!("assert({x} | {y} | {});\n", random.pick(&["F", "a", "!b"])),
            4 => format!("if ({x}) then {y} := {value}; fi\n"),
            5 => format!("assume(!{x});\n"),
            6 | 7 => format!("start_thread work({});\n", maker(random)),
            8 | 9 if depth == 2 => {
                let inner = 1 + random.below(2);
                format!("atomic_begin;\n{}atomic_end;\n", makes(random, 3, variables, inner))
            }
            10 if depth == 2 => "make();\n".into(),
            11 if depth == 2 => format!("while (*) do\n{}od\n", makes(random, 2, variables, 1)),
            _ => "skip;\n".into(),
        });
    }
    text
}

/// The variables that hold numbers and names: with and without gaps between their codes, with and without wrapping.
const WORDS: &str = "decl i: 0..2;\ndecl k: 0..4 mod;\ndecl z: -1..2;\ndecl c, d: { red, green, blue };\n";

/// A number in a small range of numbers, whatever the variables are.
fn number(random: &mut Random, depth: usize, words: &[&str]) -> String {
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0..=2 => random.pick(words).to_string(),
        3 => (1 + random.below(2)).to_string(),
        4 => format!("-{}", random.pick(words)),
        5 => format!("({}) % {}", number(random, depth - 1, words), 2 + random.below(3)),
        _ => {
            let sign = random.pick(&["+", "-", "*"]);
            format!("({} {sign} {})", number(random, depth - 1, words), number(random, depth - 1, words))
        }
    }
}

/// A condition about numbers and names.
fn comparison(random: &mut Random, words: &[&str]) -> String {
    match random.below(6) {
        0 => random.pick(&["c = red", "c != d", "d = blue", "blue != c", "(c = d) ^ a"]).to_string(),
        1 => random.pick(&["a", "!a", "*", "T"]).to_string(),
        _ => {
            let sign = random.pick(&["<", "<=", ">", ">=", "=", "!="]);
            format!("{} {sign} {}", number(random, 1, words), number(random, 1, words))
        }
    }
}

fn word_statement(random: &mut Random, words: &[&str], calls: bool) -> String {
    let (x, y) = (random.pick(words), random.pick(words));
    // A constant outside of a range would be a mistake.
    let (value, small) = (number(random, 2, words), random.pick(words));
    let value =
        if value.contains(|c: char| c.is_ascii_lowercase()) { value } else { format!("{value} - {x}") };
    let condition = comparison(random, words);
    match random.below(if calls { 15 } else { 12 }) {
        0 | 1 => format!("{x} := {value};\n"),
        2 => format!("{x} := {small};\n"),
        3 if random.below(2) == 0 => format!("{x} := {y} + 1 constrain {condition};\n"),
        3 => format!("k := {value};\n"),
        4 => format!("{x} := *;\n"),
        5 if x != y => format!("{x}, {y}, c := {small}, *, * constrain '{y} = {x} | 'c = d;\n"),
        6 => format!("assume({condition});\n"),
        7 => format!("assert({condition});\n"),
        8 => format!("if ({condition}) then {x} := {small}; else c := d; fi\n"),
        9 => format!("c := {};\n", random.pick(&["red", "green", "blue", "d", "*"])),
        10 => format!("dead {x}, d;\n"),
        11 => format!("atomic_begin; {x} := {y} + 1; assume({condition}); atomic_end;\n"),
        12 => format!("k := up({value});\n"),
        13 => format!("c, a := paint({small}, c);\n"),
        _ => format!("while ({condition}) do {x} := {small}; od\n"),
    }
}

fn word_statements(random: &mut Random, size: usize, words: &[&str], calls: bool) -> String {
    (0..1 + random.below(size)).map(|_| word_statement(random, words, calls)).collect()
}

/// A program over numbers and names: some single threads, perhaps replicated ones, with or without calls.
pub fn words(random: &mut Random, singles: usize, replicated: bool, calls: bool) -> String {
    let mut text = format!("{WORDS}decl a;\n");
    if random.below(3) > 0 {
        text.push_str("init begin i := 0; k := *; z := i - 1; c, d := red, blue; a := F; end\n");
    }
    if calls {
        let body = word_statements(random, 2, &["i", "z", "n"], false);
        let end = random.pick(&["return n;\n", "return n + 1;\n", ""]);
        text.push_str(&format!("0..3 up(n: 0..3) begin\n{body}{end}end\n"));
        let recursive = random.below(3) == 0;
        let body = word_statements(random, 2, &["i", "m"], recursive);
        let enforce = random.pick(&["", "", "enforce m != 1 | c = d;\n"]);
        text.push_str(&format!(
            "<{{ red, green, blue }}, bool> paint(m: -1..1, e: {{ red, green, blue }}) begin\n{enforce}{body}\
             if (m < i) then return e, a; fi\nreturn green, *;\nend\n"
        ));
    }
    for index in 0..singles {
        let own = random.pick(&["decl w: 1..3;\n", "decl w: 1..3 := 2;\n", "decl w: 0..3 mod;\n"]);
        let body = word_statements(random, 4, &["i", "z", "w"], calls);
        text.push_str(&format!("thread t{index} begin\n{own}{body}end\n"));
    }
    if replicated {
        let body = word_statements(random, 3, &["i", "z", "v"], calls);
        text.push_str(&format!("thread many* begin\ndecl v: 0..2;\n{body}end\n"));
    }
    text
}

/// Numbers and names that are handed over to new threads.
pub fn word_creation(random: &mut Random) -> String {
    let mut text = format!("{WORDS}decl a;\n");
    let body = word_statements(random, 2, &["i", "n"], false);
    text.push_str(&format!("void work(n: 0..2, e: {{ red, green, blue }}) begin\n{body}c := e;\nend\n"));
    let before = word_statements(random, 2, &["i", "w"], false);
    let argument = format!("{} - w", number(random, 1, &["i", "w"]));
    let (atomic, end) = if random.below(3) == 0 { ("atomic_begin;", "atomic_end;") } else { ("", "") };
    let new = word_statements(random, 2, &["z", "w"], false);
    text.push_str(&format!(
        "thread t begin\ndecl w: 1..3;\n{before}{atomic}\nstart_thread work({argument}, d);\n{end}\n\
         if (*) then start_thread goto New; fi\nend_thread;\nNew: {new}end\n"
    ));
    text
}
