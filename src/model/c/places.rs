//! From places in the preprocessed text to places in the text of the original.
//!
//! Line markers (`# 12 "prog.c"`) say where a line comes from. Before and behind what a macro was
//! expanded to, places are exact; inside, the place is the whole line. What comes from another file has the place of the `#include`.

use calculus::span::{FileId, Span};

/// For each line of the preprocessed text: where it begins there, and its line in the original, counted from 0.
pub struct Places {
    begins: Vec<usize>,
    lines: Vec<usize>,
    text: String,
    file: FileId,
    original: Vec<(usize, usize)>,
    original_text: String,
}

/// `# 12 "prog.c" 1`: the line, the file, and whether a file begins or is returned to.
pub fn marker(line: &str) -> Option<(usize, &str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").map_or(rest, str::trim_start);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let quoted = rest[digits..].trim_start().strip_prefix('"')?;
    let end = quoted.find('"')?;
    Some((number, &quoted[..end], quoted[end + 1..].trim()))
}

/// The begin and the end of each line, without the line break.
fn lines_of(text: &str) -> Vec<(usize, usize)> {
    let mut begin = 0;
    let lines = text.split('\n').map(|line| {
        let at = begin;
        begin += line.len() + 1;
        (at, at + line.len())
    });
    lines.collect()
}

impl Places {
    /// `main` is what the markers call the file whose text is `original`.
    pub fn new(preprocessed: &str, main: &str, file: FileId, original: &str) -> Places {
        let (mut begins, mut lines) = (Vec::new(), Vec::new());
        let (mut inside, mut line, mut including) = (true, 0, 0);
        for (begin, end) in lines_of(preprocessed) {
            begins.push(begin);
            if let Some((number, name, _)) = marker(&preprocessed[begin..end]) {
                if inside {
                    including = line;
                }
                inside = name == main;
                lines.push(if inside { line } else { including });
                line = if inside { number.saturating_sub(1) } else { line };
                continue;
            }
            lines.push(if inside { line } else { including.saturating_sub(1) });
            line += usize::from(inside);
        }
        Places {
            begins,
            lines,
            text: preprocessed.into(),
            file,
            original: lines_of(original),
            original_text: original.into(),
        }
    }

    /// What stands in the preprocessed text.
    pub fn text(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default().trim()
    }

    /// The place in the original.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let length = self.text.get(start..end).map_or(0, |part| part.trim_end().len());
        let (from, to) = (self.place(start), self.place(start + length.max(1) - 1));
        let (start, end) = (from.0.min(to.1), to.1.max(from.0));
        Span::new(self.file, start, end)
    }

    /// The line of a place in the original, counted from 1.
    pub fn line(&self, span: Span) -> usize {
        self.original.partition_point(|(begin, _)| *begin <= span.start as usize).max(1)
    }

    /// The begin and the end of what stands at an offset: the character, or the line.
    fn place(&self, offset: usize) -> (usize, usize) {
        let row = self.begins.partition_point(|begin| *begin <= offset).saturating_sub(1);
        let begin = self.begins.get(row).copied().unwrap_or(0);
        let end = self.begins.get(row + 1).map_or(self.text.len(), |next| next - 1);
        let line = self.lines.get(row).copied().unwrap_or(0).min(self.original.len().saturating_sub(1));
        let (low, high) = self.original.get(line).copied().unwrap_or((0, 0));
        let (here, there) = (&self.text[begin..end.max(begin)], &self.original_text[low..high]);
        if let Some(column) = same_place(here.as_bytes(), there.as_bytes(), offset.saturating_sub(begin)) {
            return (low + column, low + column + 1);
        }
        let indent = there.len() - there.trim_start().len();
        (low + indent, low + there.trim_end().len().max(indent))
    }
}

/// Where the character at a column of the preprocessed line stands in the line of the original. The preprocessor may
/// write other spaces and leave comments out; as far as nothing else differs, before or behind, the characters are the same.
fn same_place(here: &[u8], there: &[u8], column: usize) -> Option<usize> {
    let written = |line: &[u8]| -> Vec<(usize, u8)> {
        let (mut at, mut characters) = (0, Vec::new());
        while at < line.len() {
            if line[at..].starts_with(b"/*") {
                at = line[at + 2..]
                    .windows(2)
                    .position(|two| two == b"*/")
                    .map_or(line.len(), |end| at + end + 4);
                continue;
            }
            if line[at..].starts_with(b"//") {
                break;
            }
            if !line[at].is_ascii_whitespace() {
                characters.push((at, line[at]));
            }
            at += 1;
        }
        characters
    };
    let (here, there) = (written(here), written(there));
    let before = here.iter().position(|(at, _)| *at >= column)?;
    let same = |a: &[(usize, u8)], b: &[(usize, u8)]| a.iter().map(|(_, c)| c).eq(b.iter().map(|(_, c)| c));
    if before < there.len() && same(&here[..=before], &there[..=before]) {
        return Some(there[before].0);
    }
    let behind = here.len() - before;
    let first = there.len().checked_sub(behind)?;
    same(&here[before..], &there[first..]).then(|| there[first].0)
}

/// `__thread` as the standard calls it: the parser does not know the word.
pub fn with_standard_words(text: String) -> String {
    const OLD: &str = "__thread";
    let word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let bytes = text.as_bytes();
    let (mut out, mut copied) = (String::new(), 0);
    for (at, _) in text.match_indices(OLD) {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        if !word(before) && !word(bytes.get(at + OLD.len()).copied()) {
            out.push_str(&text[copied..at]);
            out.push_str("_Thread_local");
            copied = at + OLD.len();
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// The text of the original as far as a preprocessed text tells it, and what the markers call it.
pub fn reconstructed(preprocessed: &str) -> Option<(String, String)> {
    let main = preprocessed.lines().find_map(marker).map(|(_, name, _)| name)?;
    let mut lines: Vec<&str> = Vec::new();
    let (mut inside, mut at) = (false, 0);
    for line in preprocessed.lines() {
        if let Some((number, name, _)) = marker(line) {
            inside = name == main;
            if inside {
                at = number.saturating_sub(1);
            }
        } else if inside && at < 1 << 20 {
            if lines.len() <= at {
                lines.resize(at + 1, "");
            }
            lines[at] = line;
            at += 1;
        }
    }
    Some((main.into(), lines.join("\n") + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_markers() {
        let original = "#include <a.h>\nint x;\n#define Y x\nint z = Y;\n";
        let text = "# 0 \"p.c\"\n# 1 \"p.c\"\n# 1 \"a.h\" 1\nint a;\n# 2 \"p.c\" 2\nint x;\n\nint z = x;\n";
        let places = Places::new(text, "p.c", FileId(0), original);
        let shown = |part: &str| {
            let at = text.find(part).unwrap();
            let span = places.span(at, at + part.len());
            &original[span.start as usize..span.end as usize]
        };
        assert_eq!(shown("int x"), "int x");
        assert_eq!(shown("z = x"), "z = Y;");
        assert_eq!(shown("int a;"), "#include <a.h>");
    }

    #[test]
    fn spaces_and_comments_do_not_make_a_place_the_whole_line() {
        let original = "#define Y x\nf(); /* y */  x = 1;  z = Y; w = 2; // y\n";
        let text = "# 1 \"p.c\"\n\nf(); x = 1; z = x; w = 2;\n";
        let places = Places::new(text, "p.c", FileId(0), original);
        let shown = |part: &str| {
            let at = text.find(part).unwrap();
            let span = places.span(at, at + part.len());
            &original[span.start as usize..span.end as usize]
        };
        assert_eq!(shown("f()"), "f()");
        assert_eq!(shown("x = 1"), "x = 1");
        assert_eq!(shown("z = x;"), "z = Y;");
        assert_eq!(shown("w = 2"), "w = 2");
    }

    #[test]
    fn only_the_whole_word_is_another() {
        let text = "__thread int my__thread, __threads; int x; __thread";
        let expected = "_Thread_local int my__thread, __threads; int x; _Thread_local";
        assert_eq!(with_standard_words(text.into()), expected);
    }

    #[test]
    fn the_original_is_made_of_a_preprocessed_text() {
        let text = "# 1 \"p.c\"\n# 1 \"a.h\" 1\nint a;\n# 3 \"p.c\" 2\nint x;\n";
        assert_eq!(reconstructed(text), Some(("p.c".into(), "\n\nint x;\n".into())));
        assert_eq!(reconstructed("int x;"), None);
    }
}
