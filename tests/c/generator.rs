//! Random C programs: one thread that computes, or two that share variables.

use crate::chance::Random;
use std::fmt::Write;

/// The types of variables, with a value that each can begin with.
const TYPES: [&str; 9] =
    ["int", "char", "unsigned char", "short", "unsigned short", "_Bool", "unsigned", "long", "unsigned long"];

pub struct Sequential {
    /// Declarations and statements.
    pub body: String,
    pub variables: Vec<String>,
}

/// A body of `main` that computes with a few variables.
pub fn sequential(random: &mut Random) -> Sequential {
    let variables = ["a", "b", "c", "d"].map(String::from).to_vec();
    let mut body = String::new();
    for name in &variables {
        let of = random.pick(&TYPES);
        writeln!(body, "  {of} {name} = {};", random.below(12)).unwrap();
    }
    body += "  int t[3] = { 1, 2 };\n";
    for _ in 0..3 + random.below(4) {
        statement(random, &variables, 2, &mut body);
    }
    Sequential { body, variables }
}

/// Numbers that no small word has, and some that each has.
const LARGE: [&str; 16] = [
    "1",
    "2",
    "5",
    "7",
    "31",
    "100",
    "255",
    "256",
    "1000",
    "4096",
    "65535",
    "0x10000",
    "1000000",
    "0x40000000",
    "2147483647",
    "2147483648u",
];
/// What changes a variable by much, or takes one without a sign below 0.
const CHANGES: [&str; 14] = [
    "V--",
    "V++",
    "V -= 3",
    "V += 50",
    "V *= 30",
    "V = ~V",
    "V = -V",
    "V |= 0x4000",
    "V = V * 7 + 1",
    "V ^= 255",
    "V <<= 5",
    "V += V",
    "V = V - W",
    "V /= 3",
];

/// A body of `main` whose variables get large, and conditions that look at a part of one: its upper bits, how often a large
/// number is in it, whether it is larger. Nobody else reads these variables, so what is left out of them has to be noticed.
pub fn large(random: &mut Random) -> (Sequential, Vec<String>) {
    let variables = ["v", "w"].map(String::from).to_vec();
    let mut body = String::new();
    for name in &variables {
        writeln!(body, "  {} {name} = {};", random.pick(&TYPES), random.below(4)).unwrap();
    }
    body += "  int t[4] = { 1, 2, 3, 4 };\n";
    for _ in 0..1 + random.below(3) {
        let (one, other) = if random.below(3) == 0 { ("w", "v") } else { ("v", "w") };
        let change = random.pick(&CHANGES).replace('V', one).replace('W', other);
        match random.below(4) {
            0 => writeln!(body, "  for (int i = 0; i < {}; i++) {change};", 2 + random.below(6)).unwrap(),
            1 => writeln!(body, "  if ({}) {change};", part(random)).unwrap(),
            _ => writeln!(body, "  {change};").unwrap(),
        }
    }
    let conditions = (0..3).map(|_| match random.below(4) {
        0 => format!("t[({}) & 3] == {}", part(random), 1 + random.below(4)),
        1 => format!("({} ? {} : {}) == 1", part(random), part(random), random.pick(&LARGE)),
        2 => format!("({}) + ({}) > 0", part(random), part(random)),
        _ => format!("({}) == {}", part(random), random.below(3)),
    });
    let conditions = conditions.collect();
    (Sequential { body, variables }, conditions)
}

/// A part of a variable, a number.
fn part(random: &mut Random) -> String {
    let variable = random.pick(&["v", "v", "w"]);
    let large = random.pick(&LARGE);
    match random.below(11) {
        0 | 1 => format!("{variable} / {large}"),
        2 | 3 => format!("{variable} >> {}", random.below(31)),
        4 => format!("({variable} {} {large})", random.pick(&["<", ">=", "==", "!=", ">"])),
        5 => format!("({variable} & {large})"),
        6 => format!("{variable} % {large}"),
        7 => format!("({}){variable}", random.pick(&TYPES)),
        8 => format!("(({variable} >> {}) & 3)", random.below(20)),
        9 => format!("({variable} / {large} * {})", random.below(3)),
        _ => format!("({variable} - {large} > 0)"),
    }
}

fn statement(random: &mut Random, variables: &[String], depth: usize, out: &mut String) {
    let to = &variables[random.below(variables.len())];
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 | 1 => writeln!(out, "  {to} = {};", expression(random, variables, 3)).unwrap(),
        2 => {
            let operator = random.pick(&["+=", "-=", "*=", "|=", "&=", "^="]);
            writeln!(out, "  {to} {operator} {};", expression(random, variables, 0)).unwrap();
        }
        3 => writeln!(out, "  {};", random.pick(&["a++", "--b", "c--", "++d", "t[1]++"])).unwrap(),
        4 => writeln!(out, "  t[{}] = {};", random.below(3), expression(random, variables, 2)).unwrap(),
        5 => {
            writeln!(out, "  if ({}) {{", expression(random, variables, 2)).unwrap();
            statement(random, variables, depth - 1, out);
            out.push_str("  } else {\n");
            statement(random, variables, depth - 1, out);
            out.push_str("  }\n");
        }
        6 => {
            writeln!(out, "  for (int i = 0; i < {}; i++) {{", 1 + random.below(3)).unwrap();
            statement(random, variables, depth - 1, out);
            if random.below(3) == 0 {
                writeln!(out, "  if ({}) break;", expression(random, variables, 1)).unwrap();
            }
            out.push_str("  }\n");
        }
        7 => {
            writeln!(out, "  switch ({} & 3) {{ case 0:", expression(random, variables, 0)).unwrap();
            statement(random, variables, depth - 1, out);
            out.push_str("  case 2:\n");
            statement(random, variables, depth - 1, out);
            out.push_str("  break; default:\n");
            statement(random, variables, depth - 1, out);
            out.push_str("  }\n");
        }
        _ => {
            let index = expression(random, variables, 1);
            writeln!(out, "  {to} = t[({index} & 1) + {}];", random.below(2)).unwrap();
        }
    }
}

fn expression(random: &mut Random, variables: &[String], depth: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        return match random.below(3) {
            0 => random.below(9).to_string(),
            1 => random.pick(&["-1", "3", "'\\n'", "0xf", "2"]).to_string(),
            _ => variables[random.below(variables.len())].clone(),
        };
    }
    let left = expression(random, variables, depth - 1);
    let right = expression(random, variables, depth - 1);
    match random.below(18) {
        0 => format!("({left} + {right})"),
        1 => format!("({left} - {right})"),
        2 => format!("({left} * {})", expression(random, variables, 0)),
        3 => format!("({left} / {})", divisor(random, &right)),
        4 => format!("({left} % {})", divisor(random, &right)),
        5 => format!("({left} < {right})"),
        6 => format!("({left} <= {right})"),
        7 => format!("({left} == {right})"),
        8 => format!("({left} != {right})"),
        9 => format!("({left} && {right})"),
        10 => format!("({left} || {right})"),
        11 => format!("({left} & {right})"),
        12 => format!("({left} | {right})"),
        13 => format!("({left} ^ {right})"),
        14 => format!("({left} {} {})", random.pick(&["<<", ">>"]), random.below(4)),
        15 => format!("(({left}) ? {right} : {})", random.below(5)),
        16 => format!("({}{left})", random.pick(&["-", "!", "~", "+"])),
        _ => format!("(({}){left})", random.pick(&TYPES)),
    }
}

/// Something that is not 0.
fn divisor(random: &mut Random, expression: &str) -> String {
    match random.below(3) {
        0 => format!("(({expression} & 15) + 1)"),
        _ => random.pick(&["1", "2", "3", "-2", "7u"]).to_string(),
    }
}

/// Two threads over shared variables; what `CHECK` stands for is executed when both have ended.
pub fn concurrent(random: &mut Random) -> String {
    let mut out = String::from(
        "#include <pthread.h>\n#include <assert.h>\nint x, y;\n_Bool f;\nint a[2];\npthread_mutex_t m;\n",
    );
    for thread in ["one", "two"] {
        writeln!(out, "void *{thread}(void *arg) {{\n  int l = 0;").unwrap();
        for _ in 0..2 + random.below(3) {
            let locked = random.below(3) == 0;
            if locked {
                out.push_str("  pthread_mutex_lock(&m); STEP;\n");
            }
            for _ in 0..1 + random.below(2) {
                writeln!(out, "  {}; STEP;", shared_statement(random)).unwrap();
            }
            if locked {
                out.push_str("  pthread_mutex_unlock(&m); STEP;\n");
            }
        }
        out.push_str("  return 0;\n}\n");
    }
    out.push_str(
        "int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, one, 0);\n  pthread_create(&t, 0, two, 0);\n  \
         pthread_join(s, 0);\n  pthread_join(t, 0);\n  CHECK;\n  return 0;\n}\n",
    );
    out
}

fn shared_statement(random: &mut Random) -> String {
    let value = random.below(3);
    match random.below(12) {
        0 => format!("x = {value}"),
        1 => "x = y".into(),
        2 => "x = x + 1".into(),
        3 => "y++".into(),
        4 => "l = x; y = l + 1".into(),
        5 => format!("if (x == {value} && y > 0) f = 1; else x = 2"),
        6 => "f = !f".into(),
        7 => "a[x & 1] = y".into(),
        8 => "x = a[f]".into(),
        9 => "y = f ? x : 1".into(),
        10 => "__sync_fetch_and_add(&x, 1)".into(),
        _ => "if (pthread_mutex_trylock(&m) == 0) { y = x + y; pthread_mutex_unlock(&m); }".into(),
    }
}
