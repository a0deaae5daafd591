//! Reads the rules of a pushdown system, line by line. Mistakes are collected.

use super::system::{LARGEST, Right, Rule, Thread, Top};
use calculus::diagnostic::Diagnostic;
use calculus::span::{FileId, Span};

const FORMS: &str = "a rule is `s a -> s' b` (overwrite), `s a -> s' b c` (push: b on top of c), `s a -> s' -` (pop) or `s - -> \
                     s' b` (onto the empty stack)";
const HEAD: &str = "write `PDA lo hi` before the rules of each thread: its symbols are lo to hi";

/// A word of a line and its place.
#[derive(Clone, Copy)]
pub struct Word<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// The lines of a text that say something, as words without comments.
pub fn lines(file: FileId, text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let said = line.split('#').next().unwrap_or_default();
        let mut words = Vec::new();
        let mut rest = said;
        while let Some(begin) = rest.find(|c: char| !c.is_whitespace()) {
            let word = &rest[begin..];
            let word = &word[..word.find(char::is_whitespace).unwrap_or(word.len())];
            let offset = at + (said.len() - rest.len()) + begin;
            words.push(Word { text: word, span: Span::new(file, offset, offset + word.len()) });
            rest = &rest[begin + word.len()..];
        }
        words
    });
    lines.filter(|words| !words.is_empty())
}

/// The place of all words of a line.
fn whole(words: &[Word]) -> Span {
    words[0].span.to(words[words.len() - 1].span)
}

/// A number of the file; a mistake if the word is none, or too large.
pub fn number(word: Word, what: &str, mistakes: &mut Vec<Diagnostic>) -> Option<u32> {
    let is_number = !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit());
    let value = word.text.parse().ok().filter(|value| *value <= LARGEST);
    if is_number && value.is_some() {
        return value;
    }
    let (title, label) = match is_number {
        true => (format!("{} is too large", word.text), format!("at most {LARGEST}")),
        false => (format!("`{}` is not a number", word.text), format!("{what} is expected here")),
    };
    mistakes.push(
        Diagnostic::error("pds::number", title)
            .label(word.span, label)
            .help("control states and stack symbols are numbers without a sign"),
    );
    None
}

/// The number of control states, its place, and the threads.
pub struct Rules {
    pub shared: (u32, Span),
    pub threads: Vec<Thread>,
}

/// Reads the text of a `.pds` file. Nothing if there is nothing to go on with.
pub fn rules(file: FileId, text: &str, mistakes: &mut Vec<Diagnostic>) -> Option<Rules> {
    let mut lines = lines(file, text);
    let Some(first) = lines.next() else {
        let title = "the file is empty";
        mistakes.push(Diagnostic::error("pds::syntax", title).help(
            "the first line is the number of control states; then `PDA lo hi` and the rules of each thread",
        ));
        return None;
    };
    let mut reader = Reader { shared: None, threads: Vec::new(), orphan: false, mistakes };
    let rest = match first.len() {
        1 => {
            reader.states(first[0]);
            None
        }
        _ => {
            reader.mistakes.push(
                Diagnostic::error("pds::syntax", "the first line is not the number of control states")
                    .label(whole(&first), "only one number is expected here")
                    .help("write how many control states there are: they are 0 to n - 1"),
            );
            Some(first)
        }
    };
    rest.into_iter().chain(lines).for_each(|line| reader.line(&line));
    let Reader { shared, threads, orphan, mistakes } = reader;
    if threads.is_empty() && !orphan {
        mistakes.push(Diagnostic::error("pds::no_thread", "the file has no thread").help(HEAD));
    }
    Some(Rules { shared: shared?, threads })
}

struct Reader<'m> {
    shared: Option<(u32, Span)>,
    threads: Vec<Thread>,
    /// A rule stands before the first thread, which is said once.
    orphan: bool,
    mistakes: &'m mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn states(&mut self, word: Word) {
        let count = number(word, "the number of control states", self.mistakes);
        if count == Some(0) {
            self.mistakes.push(
                Diagnostic::error("pds::number", "there is no control state")
                    .label(word.span, "at least 1")
                    .help("write how many control states there are: they are 0 to n - 1"),
            );
        }
        self.shared = count.filter(|count| *count > 0).map(|count| (count, word.span));
    }

    fn line(&mut self, line: &[Word]) {
        if line[0].text == "PDA" {
            return self.head(line);
        }
        let arrow = line.iter().position(|word| word.text == "->");
        let Some(arrow) = arrow.filter(|arrow| *arrow == 2 && line.len() > 4) else {
            self.mistakes.push(
                Diagnostic::error("pds::syntax", "this line is neither a rule nor the head of a thread")
                    .label(whole(line), "not understood")
                    .help(FORMS),
            );
            return;
        };
        let rule = self.rule(line, &line[arrow + 1..]);
        match (self.threads.last_mut(), rule) {
            (Some(thread), Some(rule)) => thread.rules.push(rule),
            (None, _) if !self.orphan => {
                self.orphan = true;
                self.mistakes.push(
                    Diagnostic::error("pds::no_thread", "a rule stands before the first thread")
                        .label(whole(line), "of which thread?")
                        .help(HEAD),
                );
            }
            _ => {}
        }
    }

    fn head(&mut self, line: &[Word]) {
        let [_, low, high] = line else {
            self.mistakes.push(
                Diagnostic::error("pds::syntax", "the head of a thread has two numbers")
                    .label(whole(line), "`PDA lo hi` is expected here")
                    .help(HEAD),
            );
            // The rules behind it belong to some thread all the same.
            self.threads.push(Thread { promised: (0, LARGEST), span: whole(line), rules: Vec::new() });
            return;
        };
        let low = number(*low, "the first symbol", self.mistakes);
        let high = number(*high, "the last symbol", self.mistakes);
        let promised = (low.unwrap_or(0), high.unwrap_or(LARGEST));
        if promised.0 > promised.1 {
            self.mistakes.push(
                Diagnostic::error("pds::number", format!("{} to {} are no symbols", promised.0, promised.1))
                    .label(whole(line), "the first number is larger than the second")
                    .help(HEAD),
            );
        }
        self.threads.push(Thread { promised, span: whole(line), rules: Vec::new() });
    }

    /// `s a -> s' …`, of which `right` is behind the arrow.
    fn rule(&mut self, line: &[Word], right: &[Word]) -> Option<Rule> {
        let from = self.state(line[0]);
        let empty = line[1].text == "-";
        let top = if empty { Some(Top::Bottom) } else { self.symbol(line[1]).map(Top::Symbol) };
        let to = self.state(right[0]);
        let word = &right[1..];
        let span = whole(line);
        if word.len() > 2 {
            let title = format!("{} symbols on the right of a rule", word.len());
            self.mistakes.push(
                Diagnostic::error("pds::long_rule", title)
                    .label(whole(word), "at most two")
                    .help("split the rule: push two symbols, and let a new one push the next"),
            );
            return None;
        }
        if empty && (word.len() > 1 || word[0].text == "-") {
            let what = if word.len() > 1 { "pushes two symbols onto" } else { "pops" };
            self.mistakes.push(
                Diagnostic::error("pds::empty_rule", format!("this rule {what} the empty stack"))
                    .label(whole(word), "one symbol is expected here")
                    .label(line[1].span, "the empty stack")
                    .help("from the empty stack there is only `s - -> s' b`, which puts b onto it"),
            );
            return None;
        }
        let right = match word {
            [pop] if pop.text == "-" => Some(Right::Pop),
            [next] => self.symbol(*next).map(Right::Overwrite),
            [pushed, under] => {
                let symbols = (self.symbol(*pushed), self.symbol(*under));
                symbols.0.zip(symbols.1).map(|(pushed, under)| Right::Push(pushed, under))
            }
            _ => None,
        };
        Some(Rule { from: from?, top: top?, to: to?, right: right?, span })
    }

    fn symbol(&mut self, word: Word) -> Option<u32> {
        number(word, "a stack symbol", self.mistakes)
    }

    fn state(&mut self, word: Word) -> Option<u32> {
        let state = number(word, "a control state", self.mistakes)?;
        in_range(state, word.span, self.shared?, self.mistakes)
    }
}

/// A control state; a mistake if there are not so many.
pub fn in_range(
    state: u32,
    span: Span,
    (count, declared): (u32, Span),
    mistakes: &mut Vec<Diagnostic>,
) -> Option<u32> {
    if state < count {
        return Some(state);
    }
    let states = if count == 1 { "only 0".into() } else { format!("0 to {}", count - 1) };
    mistakes.push(
        Diagnostic::error("pds::shared_range", format!("there is no control state {state}"))
            .label(span, format!("the control states are {states}"))
            .label(declared, "so many control states")
            .help("a file with n control states has the states 0 to n - 1"),
    );
    None
}
