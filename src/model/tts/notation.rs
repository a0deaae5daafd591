//! Reads initial states and targets: `.init`, `.prop`, `--initial` and `--target`.
//!
//! `0|1,1/2` is the shared state 0, two threads at 1, and any number of threads at 2. `B` and `U` may be written for `|` and
//! `/`. In targets nothing stands behind a `/`, and `3|` is the shared state 3 alone.

use super::read::{MOST, Rules, in_range};
use super::system::{Initial, Target};
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Span};

/// More threads than these are not written one by one.
const MOST_THREADS: usize = 1000;

const INITIAL: &str = "write `s|l1,l2` for a thread at l1 and one at l2, `s/l` for any number of threads at l, or both: `s|l1/l`";
const TARGET: &str = "write `s|l1,l2`: the shared state, and the local states of different threads; `s|` is the shared state alone";

/// A number with its place.
type Placed = (u32, Span);

/// A shared state and what stands behind `|` and behind `/`; nothing if there is no such sign.
struct Notation {
    shared: Placed,
    bounded: Option<Vec<Placed>>,
    unbounded: Option<Vec<Placed>>,
    span: Span,
}

/// The lines of a text in this notation.
fn notations(file: FileId, text: &str, help: &str, mistakes: &mut Vec<Diagnostic>) -> Vec<Notation> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let said = line.split('#').next().unwrap_or_default();
        let begin = start + (said.len() - said.trim_start().len());
        if !said.trim().is_empty() {
            out.extend(notation(file, begin, said.trim(), help, mistakes));
        }
        start += line.len();
    }
    out
}

fn notation(
    file: FileId,
    begin: usize,
    text: &str,
    help: &str,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Notation> {
    let span = Span::new(file, begin, begin + text.len());
    let sign = |signs: [char; 2]| text.find(signs);
    let (bar, slash) = (sign(['|', 'B']), sign(['/', 'U']));
    let shape = |what: &str, mistakes: &mut Vec<Diagnostic>| {
        let mistake = Diagnostic::error("tts::syntax", format!("`{text}` says no states"));
        mistakes.push(mistake.label(span, what).help(help));
    };
    let first = match (bar, slash) {
        (None, None) => {
            shape("`|` or `/` is expected behind the shared state", mistakes);
            return None;
        }
        (Some(bar), Some(slash)) if slash < bar => {
            shape("`|` comes before `/`", mistakes);
            return None;
        }
        (bar, slash) => bar.or(slash).unwrap_or_default(),
    };
    let before = mistakes.len();
    let shared = number(file, begin, text, (0, first), "a shared state", mistakes);
    let mut list = |from: usize, to: usize| {
        let said = &text[from..to];
        if said.trim().is_empty() {
            return Vec::new();
        }
        let mut at = from;
        let mut numbers = Vec::new();
        for part in said.split(',') {
            numbers.extend(number(file, begin, text, (at, at + part.len()), "a local state", mistakes));
            at += part.len() + 1;
        }
        numbers
    };
    let bounded = bar.map(|bar| list(bar + 1, slash.unwrap_or(text.len())));
    let unbounded = slash.map(|slash| list(slash + 1, text.len()));
    let shared = shared.filter(|_| mistakes.len() == before)?;
    Some(Notation { shared, bounded, unbounded, span })
}

/// The number between two offsets of a text.
fn number(
    file: FileId,
    begin: usize,
    text: &str,
    (from, to): (usize, usize),
    what: &str,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Placed> {
    let said = text[from..to].trim();
    let first = begin + from + (text[from..to].len() - text[from..to].trim_start().len());
    // What is missing is shown where it would stand.
    let place = Span::new(file, first, first + said.len().max(1).min(text.len() + begin - first));
    let digits = !said.is_empty() && said.bytes().all(|byte| byte.is_ascii_digit());
    let value = said.parse().ok().filter(|value| digits && *value <= MOST);
    if value.is_none() {
        let title = match (digits, said.is_empty()) {
            (true, _) => format!("{said} is too large"),
            (false, true) => format!("{what} is missing"),
            (false, false) => format!("`{said}` is not a number"),
        };
        let mistake = Diagnostic::error("tts::number", title);
        mistakes.push(mistake.label(place, format!("{what} is expected here")));
    }
    Some((value?, place))
}

/// Where runs begin, from the text of an `.init` file or of `--initial`.
pub fn initial(file: FileId, text: &str, rules: &Rules, mistakes: &mut Vec<Diagnostic>) -> Option<Initial> {
    let before = mistakes.len();
    let said = notations(file, text, INITIAL, mistakes);
    let [one] = said.as_slice() else {
        if let [first, second, ..] = said.as_slice() {
            let mistake =
                Diagnostic::error("tts::syntax", "runs begin in one way").label(second.span, "a second one");
            mistakes.push(mistake.label(first.span, "the first").help("keep one of them"));
        } else if mistakes.len() == before {
            mistakes.push(Diagnostic::error("tts::syntax", "it does not say where runs begin").help(INITIAL));
        }
        return None;
    };
    let shared = in_range(one.shared.0, one.shared.1, rules.shared, "shared", mistakes);
    let bounded = locals(one.bounded.iter().flatten(), rules, mistakes);
    let unbounded = locals(one.unbounded.iter().flatten(), rules, mistakes);
    let (shared, bounded, mut unbounded) = (shared?, bounded?, unbounded?);
    if bounded.is_empty() && unbounded.is_empty() {
        let mistake =
            Diagnostic::error("tts::no_threads", "there are no threads").label(one.span, "none at all");
        mistakes.push(mistake.help(INITIAL));
        return None;
    }
    if bounded.len() > MOST_THREADS {
        let title = format!("{} threads are written one by one", bounded.len());
        let mistake =
            Diagnostic::error("tts::too_many", title).label(one.span, format!("at most {MOST_THREADS}"));
        mistakes.push(mistake.help("write `s/l` for any number of threads at l"));
        return None;
    }
    unbounded.sort_unstable();
    unbounded.dedup();
    Some(Initial { shared, bounded, unbounded, span: one.span })
}

fn locals<'a>(
    said: impl Iterator<Item = &'a Placed>,
    rules: &Rules,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<u32>> {
    let checked = said.map(|(local, place)| in_range(*local, *place, rules.locals, "local", mistakes));
    checked.collect::<Vec<_>>().into_iter().collect()
}

/// The targets of a text, one per line.
pub fn targets(file: FileId, text: &str, rules: &Rules, mistakes: &mut Vec<Diagnostic>) -> Vec<Target> {
    let before = mistakes.len();
    let said = notations(file, text, TARGET, mistakes);
    if said.is_empty() && mistakes.len() == before {
        mistakes.push(Diagnostic::error("tts::syntax", "there is no target").help(TARGET));
    }
    let mut out = Vec::new();
    for one in said {
        if one.unbounded.is_some() {
            let mistake = Diagnostic::error("tts::syntax", "a target has as many threads as it says");
            mistakes.push(mistake.label(one.span, "`/` stands for any number").help(TARGET));
            continue;
        }
        let shared = in_range(one.shared.0, one.shared.1, rules.shared, "shared", mistakes);
        let threads = locals(one.bounded.iter().flatten(), rules, mistakes);
        let (Some(shared), Some(mut threads)) = (shared, threads) else { continue };
        threads.sort_unstable();
        out.push(Target { shared, threads, span: one.span });
    }
    out
}
