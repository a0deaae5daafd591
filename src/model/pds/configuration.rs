//! Reads configurations: `.init`, `.spec`, `--initial` and `--target`.
//!
//! `0|1.2,-` is the control state 0, a stack with 1 on top of 2, and an empty stack. In targets `*` is anything.

use super::read::{Rules, Word, in_range, lines, number};
use super::system::{Configuration, Target, Top};
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Sources, Span};

const FORM: &str = "a configuration is written `s|w1,w2`: the control state, then a stack for each thread, its top first, \
                    with dots between the symbols, `-` if it is empty";

/// A control state and words for the stacks, still as texts.
struct Split<'t> {
    shared: Word<'t>,
    stacks: Vec<Word<'t>>,
    span: Span,
}

/// The part of a word without blanks around it, and its place.
fn part(of: Word, start: usize, end: usize) -> Word {
    let text = &of.text[start..end];
    let begin = start + (text.len() - text.trim_start().len());
    let text = text.trim();
    let first = of.span.start as usize + begin;
    Word { text, span: Span::new(of.span.file, first, first + text.len()) }
}

/// What stands between separators.
fn parts(of: Word, separator: char) -> Vec<Word> {
    let mut out = Vec::new();
    let mut start = 0;
    for (end, _) in of.text.match_indices(separator).chain([(of.text.len(), "")]) {
        out.push(part(of, start, end));
        start = end + 1;
    }
    out
}

/// All configurations of a text, one per line.
fn split<'t>(file: FileId, text: &'t str, mistakes: &mut Vec<Diagnostic>) -> Vec<Split<'t>> {
    let mut out = Vec::new();
    for words in lines(file, text) {
        let span = words[0].span.to(words[words.len() - 1].span);
        let line = Word { text: &text[span.start as usize..span.end as usize], span };
        match parts(line, '|').as_slice() {
            [shared, stacks] => out.push(Split { shared: *shared, stacks: parts(*stacks, ','), span }),
            _ => mistakes.push(
                Diagnostic::error("pds::syntax", "this is not a configuration")
                    .label(span, "one `|` is expected")
                    .help(FORM),
            ),
        }
    }
    out
}

/// As many stacks as threads.
fn counted(split: &Split, rules: &Rules, mistakes: &mut Vec<Diagnostic>) -> bool {
    let (stacks, threads) = (split.stacks.len(), rules.threads.len());
    if stacks == threads {
        return true;
    }
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let title = format!("{} for {}", count(stacks, "stack"), count(threads, "thread"));
    let mut mistake = Diagnostic::error("pds::stack_count", title)
        .label(split.span, count(stacks, "stack"))
        .help("write one stack for each thread, with commas between them; `-` is the empty stack");
    for (number, thread) in (1..).zip(&rules.threads).take(8) {
        mistake = mistake.label(thread.span, format!("thread {number}"));
    }
    mistakes.push(mistake);
    false
}

/// The configuration in which runs begin, from the text of an `.init` file or of `--initial`.
pub fn initial(
    file: FileId,
    text: &str,
    rules: &Rules,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<(Configuration, Span)> {
    let before = mistakes.len();
    let all = split(file, text, mistakes);
    let [one] = all.as_slice() else {
        if let [first, second, ..] = all.as_slice() {
            mistakes.push(
                Diagnostic::error("pds::syntax", "runs begin in one configuration")
                    .label(second.span, "a second one")
                    .label(first.span, "the first")
                    .help("keep one of them"),
            );
        } else if mistakes.len() == before {
            mistakes.push(Diagnostic::error("pds::syntax", "there is no configuration").help(FORM));
        }
        return None;
    };
    let counted = counted(one, rules, mistakes);
    let shared = number(one.shared, "a control state", mistakes)
        .and_then(|state| in_range(state, one.shared.span, rules.shared, mistakes));
    let stacks = one.stacks.iter().map(|word| stack(*word, mistakes)).collect::<Vec<_>>();
    let stacks = stacks.into_iter().collect::<Option<Vec<_>>>();
    Some((Configuration { shared: shared?, stacks: stacks.filter(|_| counted)? }, one.span))
}

fn stack(word: Word, mistakes: &mut Vec<Diagnostic>) -> Option<Vec<u32>> {
    if word.text == "-" {
        return Some(Vec::new());
    }
    let symbols = parts(word, '.').into_iter().map(|part| number(part, "a stack symbol", mistakes));
    // All of them, so that all mistakes are found.
    symbols.collect::<Vec<_>>().into_iter().collect()
}

/// The targets of a text, one per line.
pub fn targets(file: FileId, text: &str, rules: &Rules, mistakes: &mut Vec<Diagnostic>) -> Vec<Target> {
    let mut out = Vec::new();
    let before = mistakes.len();
    let all = split(file, text, mistakes);
    if all.is_empty() && mistakes.len() == before {
        mistakes.push(Diagnostic::error("pds::syntax", "there is no target").help(FORM));
    }
    for one in all {
        let counted = counted(&one, rules, mistakes);
        let shared = match one.shared.text {
            "*" => Some(None),
            _ => number(one.shared, "a control state or `*`", mistakes)
                .and_then(|state| in_range(state, one.shared.span, rules.shared, mistakes))
                .map(Some),
        };
        let tops = one.stacks.iter().map(|word| top(*word, mistakes)).collect::<Vec<_>>();
        let tops = tops.into_iter().collect::<Option<Vec<_>>>().filter(|_| counted);
        if let (Some(shared), Some(tops)) = (shared, tops) {
            out.push(Target { shared, tops, span: one.span });
        }
    }
    out
}

fn top(word: Word, mistakes: &mut Vec<Diagnostic>) -> Option<Option<Top>> {
    match word.text {
        "*" => Some(None),
        "-" => Some(Some(Top::Bottom)),
        text if text.contains('.') => {
            mistakes.push(
                Diagnostic::error("pds::target_word", "a target with more than one symbol for a stack")
                    .label(word.span, "one symbol, `-` or `*` is expected here")
                    .help("a target says what is on top of each stack; what is below is not compared"),
            );
            None
        }
        _ => number(word, "a stack symbol, `-` or `*`", mistakes).map(|symbol| Some(Top::Symbol(symbol))),
    }
}

/// What a target says, as it stands in its text.
pub fn shown(target: &Target, sources: &Sources) -> String {
    sources.text(target.span).split_whitespace().collect()
}
