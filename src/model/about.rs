//! What a model tells about itself, as data: `report` turns it into text.

/// What `fpsolve model` shows besides the vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// `a Boolean program`
    pub kind: &'static str,
    /// `satabs`; empty where there are no dialects
    pub dialect: String,
    /// The dialect was not given but recognised.
    pub detected: bool,
    /// How it was made of something else, and what it leaves out: sentences.
    pub notes: Vec<String>,
    /// The procedures that are executed.
    pub procedures: Vec<ProcedureSize>,
    /// Positions with the names of the threads at them.
    pub threads: Vec<(usize, String)>,
    /// Sorts with the variables whose values they hold, where these are the same everywhere.
    pub variables: Vec<(&'static str, Vec<String>)>,
    /// The rules of threads that have nothing but rules.
    pub rules: Vec<ThreadRules>,
}

/// How many rules of each kind a thread has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRules {
    pub position: usize,
    pub symbols: usize,
    pub overwrite: usize,
    pub push: usize,
    pub pop: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcedureSize {
    pub name: String,
    pub locations: usize,
    pub edges: usize,
    pub locals: Vec<String>,
}

/// A place in the text that must not be reached.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErrorPlace {
    /// Counted from 1.
    pub line: usize,
    pub column: usize,
    pub kind: ErrorKind,
    pub procedure: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    FailedAssert,
    /// What the text does not say and is looked for all the same, such as an index outside of its array.
    FailedCheck,
    /// A value is outside the range of what it is assigned to.
    OutOfRange,
    /// A value is outside the words of the model.
    OutOfWidth,
    Label,
}
