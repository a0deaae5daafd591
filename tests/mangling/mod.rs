//! Texts with a few small changes, the same in every run.

#[path = "../../calculus/tests/chance/mod.rs"]
mod chance;

pub use chance::Random;

/// The programs that are mangled.
pub fn samples() -> Vec<String> {
    let samples = include_str!("../samples/programs.txt").split("\n=== ").skip(1);
    samples.filter_map(|sample| Some(sample.split_once('\n')?.1.to_string())).collect()
}

const WORDS: [&str; 60] = [
    "decl",
    "begin",
    "end",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "goto",
    "return",
    "skip",
    "assume",
    "assert",
    "constrain",
    "enforce",
    "schoose",
    "dead",
    "abortif",
    "atomic_begin",
    "atomic_end",
    "start_thread",
    "end_thread",
    "print",
    "sync",
    "void",
    "bool",
    "dfs",
    "init",
    "thread",
    "main",
    "T",
    "F",
    "0",
    "1",
    "*",
    "?",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    ":=",
    "=",
    "!=",
    "!",
    "&",
    "|",
    "^",
    "=>",
    "'",
    "$",
    "{x>0}",
    "/*",
    "//",
    "\u{3b1}",
];

/// Small changes to characters, which mostly break the syntax, or to lines and words, which mostly do not.
pub fn mutate(text: &str, random: &mut Random) -> String {
    if random.below(2) == 0 { mutate_characters(text, random) } else { mutate_lines(text, random) }
}

fn mutate_lines(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let at = random.below(lines.len());
    let other = lines[random.below(lines.len())].clone();
    match random.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, other),
        2 => lines[at] = other,
        _ => {
            let words: Vec<&str> = lines[at].split_whitespace().collect();
            let donors: Vec<&str> = text.split_whitespace().collect();
            let changed = random.below(words.len());
            let donor = donors[random.below(donors.len())];
            let kept =
                words.iter().enumerate().map(|(index, word)| if index == changed { donor } else { word });
            lines[at] = kept.collect::<Vec<_>>().join(" ");
        }
    }
    lines.join("\n")
}

fn mutate_characters(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let word: Vec<char> = format!(" {} ", WORDS[random.below(WORDS.len())]).chars().collect();
                chars.splice(at..at, word);
            }
            2 => {
                let word: Vec<char> = WORDS[random.below(WORDS.len())].chars().collect();
                chars.splice(at..end, word);
            }
            3 => {
                let copied: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copied);
            }
            _ => chars.truncate(at.max(chars.len() / 2)),
        }
    }
    chars.into_iter().collect()
}
