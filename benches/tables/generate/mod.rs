//! Programs of any size, made by a seed.

pub mod driver;
pub mod locks;
pub mod pump;
pub mod pushdown;
pub mod sequential;
pub mod tokens;

/// The text of a program, and how many statements it has: every simple statement counts, and every `if`,
/// `elsif` and `while`.
#[derive(Default)]
pub struct Text {
    pub out: String,
    pub statements: usize,
    depth: usize,
}

impl Text {
    /// A line that is no statement.
    pub fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.out.extend(std::iter::repeat_n("  ", self.depth));
            self.out.push_str(line);
        }
        self.out.push('\n');
    }

    /// A simple statement.
    pub fn simple(&mut self, statement: &str) {
        self.statements += 1;
        self.line(&format!("{statement};"));
    }

    /// The head of a block that is no statement, such as a procedure.
    pub fn open(&mut self, head: &str) {
        self.line(head);
        self.depth += 1;
    }

    /// The head of a compound statement.
    pub fn head(&mut self, head: &str) {
        self.statements += 1;
        self.open(head);
    }

    pub fn close(&mut self, end: &str) {
        self.depth -= 1;
        self.line(end);
    }

    /// The end of an arm and the head of the next: `else`, or an `elsif`, which is a statement.
    pub fn arm(&mut self, head: &str) {
        self.depth -= 1;
        self.statements += usize::from(head != "else");
        self.open(head);
    }
}
