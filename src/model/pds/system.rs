//! A pushdown system as its texts say it: rules of threads that share their control state, the configuration in which
//! runs begin, and targets.

use calculus::span::Span;
use std::fmt;

/// The largest number in a file.
pub const LARGEST: u32 = 1 << 24;

/// A stack symbol, or the bottom of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Top {
    Bottom,
    Symbol(u32),
}

impl fmt::Display for Top {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Top::Bottom => f.write_str("-"),
            Top::Symbol(symbol) => write!(f, "{symbol}"),
        }
    }
}

/// What becomes of the symbol on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    Pop,
    Overwrite(u32),
    /// The first is on top afterwards.
    Push(u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub from: u32,
    pub top: Top,
    pub to: u32,
    /// A rule from the empty stack has one symbol here, which comes onto it.
    pub right: Right,
    pub span: Span,
}

impl Rule {
    /// What the rule says, wherever it stands.
    pub fn meaning(&self) -> (u32, Top, u32, Right) {
        (self.from, self.top, self.to, self.right)
    }

    /// What is on the stack afterwards in place of the symbol on top, the new top first.
    pub fn word(&self) -> Vec<Top> {
        match (self.top, self.right) {
            (Top::Bottom, Right::Overwrite(pushed)) => vec![Top::Symbol(pushed), Top::Bottom],
            (_, Right::Pop) => Vec::new(),
            (_, Right::Overwrite(next)) => vec![Top::Symbol(next)],
            (_, Right::Push(pushed, under)) => vec![Top::Symbol(pushed), Top::Symbol(under)],
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {} ", self.from, self.top, self.to)?;
        match self.right {
            Right::Pop => f.write_str("-"),
            Right::Overwrite(next) => write!(f, "{next}"),
            Right::Push(pushed, under) => write!(f, "{pushed} {under}"),
        }
    }
}

/// The rules behind one `PDA`.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The symbols that its head promises.
    pub promised: (u32, u32),
    /// The head.
    pub span: Span,
    pub rules: Vec<Rule>,
}

/// A control state and the stack of each thread, each without the bottom and with its top first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub shared: u32,
    pub stacks: Vec<Vec<u32>>,
}

impl Configuration {
    /// What is on top of a stack.
    pub fn top(&self, thread: usize) -> Top {
        self.stacks[thread].first().map_or(Top::Bottom, |symbol| Top::Symbol(*symbol))
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | ", self.shared)?;
        for (at, stack) in self.stacks.iter().enumerate() {
            let word = stack.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
            let before = if at == 0 { "" } else { ", " };
            write!(f, "{before}{}", if word.is_empty() { "-" } else { &word })?;
        }
        Ok(())
    }
}

/// A target; what it leaves open may be anything.
#[derive(Clone, Debug)]
pub struct Target {
    pub shared: Option<u32>,
    pub tops: Vec<Option<Top>>,
    pub span: Span,
}

impl Target {
    /// Whether a configuration is one of the target.
    pub fn holds(&self, at: &Configuration) -> bool {
        self.shared.is_none_or(|shared| shared == at.shared)
            && self.tops.iter().enumerate().all(|(thread, top)| top.is_none_or(|top| top == at.top(thread)))
    }
}

#[derive(Clone, Debug)]
pub struct System {
    /// How many control states there are.
    pub shared: u32,
    pub threads: Vec<Thread>,
    pub initial: Configuration,
    /// Where that is written.
    pub initial_span: Span,
    pub targets: Vec<Target>,
}

impl System {
    /// The symbols of a thread's rules and of its initial stack, in order.
    pub fn symbols(&self, thread: usize) -> Vec<u32> {
        let rules = &self.threads[thread].rules;
        let mut symbols = self.initial.stacks[thread].clone();
        symbols.extend(rules.iter().flat_map(|rule| {
            let right = match rule.right {
                Right::Pop => [None, None],
                Right::Overwrite(next) => [Some(next), None],
                Right::Push(pushed, under) => [Some(pushed), Some(under)],
            };
            let top = match rule.top {
                Top::Bottom => None,
                Top::Symbol(symbol) => Some(symbol),
            };
            right.into_iter().chain([top]).flatten()
        }));
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }
}
