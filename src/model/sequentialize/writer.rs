//! Lines of text, indented.

/// Deeper blocks are not indented further: what is nested a thousand times is not read by people.
const DEEPEST: usize = 20;
/// Where a comment is cut.
const COMMENT: usize = 100;

#[derive(Default)]
pub struct ProgramWriter {
    pub text: String,
    depth: usize,
}

impl ProgramWriter {
    pub fn at(depth: usize) -> ProgramWriter {
        ProgramWriter { text: String::new(), depth }
    }

    pub fn line(&mut self, line: &str) {
        let depth = if line.is_empty() { 0 } else { self.depth.min(DEEPEST) };
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub fn comment(&mut self, text: &str) {
        match text.char_indices().nth(COMMENT) {
            Some((end, _)) => self.line(&format!("// {} ...", text[..end].trim_end())),
            None => self.line(&format!("// {text}")),
        }
    }

    pub fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    pub fn middle(&mut self, line: &str) {
        self.depth -= 1;
        self.open(line);
    }

    pub fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}
