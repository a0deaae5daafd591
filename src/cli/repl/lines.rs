//! Where questions come from: a terminal with history and completion, or the standard input as it is.

use super::question::WORDS;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

pub enum Lines {
    Terminal(Box<Editor<Names, FileHistory>>, Option<PathBuf>),
    Piped,
}

pub enum Line {
    Text(String),
    /// Ctrl-C: what was typed so far does not count.
    Dropped,
    End,
}

pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Lines {
    pub fn open() -> Result<Lines, String> {
        if !is_terminal() {
            return Ok(Lines::Piped);
        }
        let config = Config::builder().max_history_size(1000).map_err(|error| error.to_string())?.build();
        let mut editor = Editor::with_config(config).map_err(|error| error.to_string())?;
        editor.set_helper(Some(Names::default()));
        let history = history();
        if let Some(path) = &history {
            // There is none before the first session.
            let _ = editor.load_history(path);
        }
        Ok(Lines::Terminal(Box::new(editor), history))
    }

    /// The names that can be completed from now on.
    pub fn complete(&mut self, names: Vec<String>) {
        if let Lines::Terminal(editor, _) = self {
            editor.set_helper(Some(Names(names)));
        }
    }

    /// `begins`: this is the first line of a question.
    pub fn next(&mut self, begins: bool) -> Line {
        match self {
            Lines::Piped => {
                let mut line = String::new();
                match io::stdin().read_line(&mut line) {
                    // What is no text is no question.
                    Ok(0) | Err(_) => Line::End,
                    Ok(_) => Line::Text(line.trim_end_matches(['\n', '\r']).to_string()),
                }
            }
            Lines::Terminal(editor, history) => match editor.readline(if begins { "fp> " } else { "  | " }) {
                Ok(line) => {
                    if editor.add_history_entry(&line).is_ok_and(|new| new)
                        && let Some(path) = history
                    {
                        // A history that cannot be kept is not worth a word.
                        let _ = path.parent().map(std::fs::create_dir_all);
                        let _ = editor.append_history(path);
                    }
                    Line::Text(line)
                }
                Err(ReadlineError::Interrupted) => Line::Dropped,
                Err(_) => Line::End,
            },
        }
    }
}

/// Where the questions of earlier sessions are kept.
fn history() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")));
    Some(state?.join("fpsolve/history"))
}

/// The names that can be completed.
#[derive(Default)]
pub struct Names(Vec<String>);

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> Result<(usize, Vec<String>), ReadlineError> {
        Ok(completions(&self.0, &line[..at]))
    }
}

/// Where the name begins that ends here, and what it can become.
fn completions(names: &[String], before: &str) -> (usize, Vec<String>) {
    let is_name = |c: char| c.is_alphanumeric() || "_'.".contains(c);
    let start = before.char_indices().rev().take_while(|(_, c)| is_name(*c)).last();
    let start = start.map_or(before.len(), |(at, _)| at);
    let words = WORDS.iter().filter(|_| before[..start].trim().is_empty());
    let all = words.copied().chain(names.iter().map(String::as_str));
    let found = all.filter(|name| name.starts_with(&before[start..]));
    (start, found.map(String::from).collect())
}

impl Helper for Names {}
impl Highlighter for Names {}
impl Validator for Names {}
impl Hinter for Names {
    type Hint = String;
}

#[cfg(test)]
mod tests {
    use super::completions;

    #[test]
    fn names_are_completed_and_words_at_the_beginning() {
        let names = ["Reach", "Ready", "run_of"].map(String::from);
        assert_eq!(completions(&names, "x = 1 & Rea"), (8, vec!["Reach".into(), "Ready".into()]));
        assert_eq!(completions(&names, "ru"), (0, vec!["run".into(), "run_of".into()]));
        assert_eq!(completions(&names, "!ru"), (1, vec!["run_of".into()]));
        assert_eq!(completions(&names, "Reach(x) & "), (11, names.to_vec()));
    }
}
