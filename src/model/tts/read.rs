//! Reads transitions, line by line. Mistakes are collected.

use super::system::{Kind, Transition};
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Span};

/// States are numbers below this.
pub const MOST: u32 = 1 << 20;

const HEAD: &str = "the first line is `S L`: how many shared states and how many local states there are";
const FORMS: &str = "a transition is `s l -> s' l'` (a thread moves), with `a ~> b` behind it if other threads move too, `s l +> s' \
                     l'` (a new thread begins at l') or `s l ~> s' l'` (all threads at l move)";

/// What the text of a file says.
pub struct Rules {
    /// How many shared and local states there are, and where that is said.
    pub shared: (u32, Span),
    pub locals: (u32, Span),
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    Step,
    Spawn,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Number(u32),
    Arrow(Arrow),
}

/// A line of words with their places.
type Line = Vec<(Word, Span)>;

/// Reads the text of a `.tts` file. Nothing if there is nothing to go on with.
pub fn rules(file: FileId, text: &str, mistakes: &mut Vec<Diagnostic>) -> Option<Rules> {
    let mut lines = lines(file, text, mistakes);
    if lines.is_empty() {
        if mistakes.is_empty() {
            mistakes.push(Diagnostic::error("tts::syntax", "the file is empty").help(HEAD));
        }
        return None;
    }
    let transitions = lines.split_off(1);
    let [(Word::Number(shared), at_shared), (Word::Number(locals), at_locals)] = lines[0][..] else {
        let place = whole(&lines[0]);
        let title = "the first line does not say how many states there are";
        let mistake = Diagnostic::error("tts::syntax", title).label(place, "two numbers are expected here");
        mistakes.push(mistake.help(HEAD));
        return None;
    };
    for (count, place, what) in [(shared, at_shared, "shared"), (locals, at_locals, "local")] {
        if count == 0 {
            let mistake = Diagnostic::error("tts::syntax", format!("there is no {what} state"));
            mistakes.push(mistake.label(place, "at least 1").help(HEAD));
        }
    }
    if shared == 0 || locals == 0 {
        return None;
    }
    let mut rules =
        Rules { shared: (shared, at_shared), locals: (locals, at_locals), transitions: Vec::new() };
    for line in &transitions {
        if let Some(transition) = transition(line, &rules, mistakes) {
            rules.transitions.push(transition);
        }
    }
    Some(rules)
}

fn whole(line: &Line) -> Span {
    line[0].1.to(line[line.len() - 1].1)
}

/// The lines that say something. A line with a word that is none is left out.
fn lines(file: FileId, text: &str, mistakes: &mut Vec<Diagnostic>) -> Vec<Line> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let said = line.split('#').next().unwrap_or_default();
        match words(file, start, said) {
            Ok(words) if words.is_empty() => {}
            Ok(words) => out.push(words),
            Err(mistake) => mistakes.push(*mistake),
        }
        start += line.len();
    }
    out
}

fn words(file: FileId, start: usize, text: &str) -> Result<Line, Box<Diagnostic>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let arrows = [("->", Arrow::Step), ("+>", Arrow::Spawn), ("~>", Arrow::All)];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let place = |length: usize| Span::new(file, start + at, start + at + length);
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if let Some((text, arrow)) = arrows.iter().find(|(arrow, _)| rest.starts_with(arrow)) {
            words.push((Word::Arrow(*arrow), place(text.len())));
            at += text.len();
        } else if digits > 0 {
            let number = rest[..digits].parse().ok().filter(|number| *number <= MOST);
            let Some(number) = number else {
                let title = format!("{} is too large", &rest[..digits]);
                let mistake = Diagnostic::error("tts::number", title);
                return Err(Box::new(mistake.label(place(digits), format!("at most {MOST}"))));
            };
            words.push((Word::Number(number), place(digits)));
            at += digits;
        } else {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let title = format!("`{}` is neither a number nor an arrow", &rest[..length]);
            let mistake = Diagnostic::error("tts::syntax", title);
            return Err(Box::new(mistake.label(place(length), "this word is unknown").help(FORMS)));
        }
    }
    Ok(words)
}

fn transition(line: &Line, rules: &Rules, mistakes: &mut Vec<Diagnostic>) -> Option<Transition> {
    let span = whole(line);
    let shape = |place: Span, what: &str, mistakes: &mut Vec<Diagnostic>| {
        let mistake = Diagnostic::error("tts::syntax", "this is not a transition").label(place, what);
        mistakes.push(mistake.help(FORMS));
    };
    let head = match line.get(..5) {
        Some(
            &[
                (Word::Number(s), at_s),
                (Word::Number(l), at_l),
                (Word::Arrow(arrow), _),
                (Word::Number(s2), at_s2),
                (Word::Number(l2), at_l2),
            ],
        ) => (arrow, [(s, at_s), (s2, at_s2)], [(l, at_l), (l2, at_l2)]),
        _ => {
            shape(span, "two states, an arrow and two states are expected", mistakes);
            return None;
        }
    };
    let (arrow, shared, local) = head;
    let mut transfers = Vec::new();
    for group in line[5..].chunks(3) {
        match *group {
            [(Word::Number(from), at), (Word::Arrow(Arrow::All), _), (Word::Number(to), at_to)] => {
                transfers.push([(from, at), (to, at_to)]);
            }
            _ => {
                let place = group[0].1.to(group[group.len() - 1].1);
                shape(place, "`a ~> b` is expected here, or nothing", mistakes);
                return None;
            }
        }
    }
    if arrow != Arrow::Step
        && let Some(first) = transfers.first()
    {
        shape(first[0].1, "only `->` moves other threads with `a ~> b`", mistakes);
        return None;
    }
    // All of them, so that all mistakes are found.
    let shared = shared.map(|(state, place)| in_range(state, place, rules.shared, "shared", mistakes));
    let local = local.map(|(state, place)| in_range(state, place, rules.locals, "local", mistakes));
    let moved = transfers.iter().map(|pair| {
        let [from, to] = pair.map(|(state, place)| in_range(state, place, rules.locals, "local", mistakes));
        Some((from?, to?))
    });
    let moved = moved.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>();
    let ([Some(s), Some(s2)], [Some(l), Some(l2)], Some(mut moved)) = (shared, local, moved) else {
        return None;
    };
    moved.sort_unstable();
    moved.dedup();
    let kind = match arrow {
        Arrow::Spawn => Kind::Spawn,
        Arrow::All => Kind::All,
        Arrow::Step if moved.is_empty() => Kind::Step,
        Arrow::Step => Kind::Broadcast(moved),
    };
    Some(Transition { shared: (s, s2), local: (l, l2), kind, span })
}

/// The state, if there is such a one.
pub fn in_range(
    state: u32,
    place: Span,
    (count, said): (u32, Span),
    what: &str,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<u32> {
    if state < count {
        return Some(state);
    }
    let last = count.saturating_sub(1);
    let mistake = Diagnostic::error("tts::range", format!("there is no {what} state {state}"));
    let mistake = mistake.label(place, format!("the last one is {last}"));
    mistakes.push(
        mistake.label(said, format!("there are {count} {what} states")).help(format!(
            "{what} states are 0 to {last}; the first line of the file says how many there are"
        )),
    );
    None
}
