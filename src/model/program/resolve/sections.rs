//! How deep threads are inside atomic sections, by control flow alone.
//!
//! Sections nest: each `atomic_end` closes the section that was opened last, and others run again when all are closed. An
//! `atomic_end` outside all sections does nothing. A procedure is looked at once for each depth it is called at, and returns
//! to the callers of that depth only.

use super::program::*;
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Sections that are deeper inside each other are refused: most likely one is not closed in a loop or a recursion.
pub const DEEPEST: usize = 7;

/// A place in a procedure: a statement, or as many as there are for its exit.
pub type StatementPlace = usize;

/// What threads do with atomic sections.
pub struct Sections {
    /// For each procedure, for each statement and then for its exit, the depths at which threads get there: a bit for each.
    depths: Vec<Vec<u8>>,
    /// Sections that are open where a thread ends: where they begin, and where the thread ends.
    open: BTreeMap<Span, Span>,
    /// Where a section begins that is too deep, and where the one around it does.
    too_deep: Option<(Span, Span)>,
}

/// The sections that are open, the innermost first.
#[derive(Clone)]
struct OpenSections {
    begin: Span,
    around: Option<Rc<OpenSections>>,
}

/// A procedure called at some depth.
struct CalledProcedure {
    procedure: ProcedureId,
    seen: Vec<u8>,
    /// Where to go on with the depth at which it returns: the caller's entry and place.
    callers: Vec<(usize, StatementPlace)>,
    exits: Vec<Option<Rc<OpenSections>>>,
    is_thread: bool,
}

struct Walk<'a> {
    program: &'a Program,
    after: Vec<Vec<StatementPlace>>,
    entries: Vec<CalledProcedure>,
    numbers: HashMap<(ProcedureId, usize), usize>,
    work: Vec<(usize, StatementPlace, Option<Rc<OpenSections>>)>,
    found: Sections,
}

impl Sections {
    /// Of threads that begin at these places, outside all sections.
    pub fn new(program: &Program, roots: impl Iterator<Item = (ProcedureId, StatementPlace)>) -> Sections {
        let places = |procedure: &Procedure| vec![0; procedure.statements.len() + 1];
        let depths = program.procedures.iter().map(places).collect();
        let found = Sections { depths, open: BTreeMap::new(), too_deep: None };
        let after = program.procedures.iter().map(after).collect();
        let (entries, numbers, work) = (Vec::new(), HashMap::new(), Vec::new());
        let mut walk = Walk { program, after, entries, numbers, work, found };
        for (id, place) in roots {
            let entry = walk.entry(id, None);
            walk.entries[entry].is_thread = true;
            walk.go(entry, place, None);
        }
        while let Some((entry, place, open)) = walk.work.pop() {
            walk.step(entry, place, open);
        }
        walk.found
    }

    /// Of all threads of a program.
    pub fn of(program: &Program) -> Sections {
        let threads = program.singles.iter().chain(&program.replicated);
        let begun = threads.filter(|thread| thread.start == Start::Entry).map(|thread| thread.procedure);
        let entries = program.init.into_iter().chain(begun).map(|id| (id, entry(program.procedure(id))));
        let made = program.births.iter().map(|birth| match birth {
            Birth::Goto { procedure, at } => (*procedure, at.0 as usize),
            Birth::Call { procedure } => (*procedure, entry(program.procedure(*procedure))),
        });
        Sections::new(program, entries.chain(made))
    }

    /// The largest number of sections that are open at a time.
    pub fn deepest(&self) -> u32 {
        let all = self.depths.iter().flatten().fold(0u8, |all, depths| all | depths);
        7u32.saturating_sub(all.leading_zeros())
    }

    /// Whether threads get to a statement outside and inside of sections.
    pub fn before(&self, id: ProcedureId, statement: StatementId) -> (bool, bool) {
        sides(self.depths[id.index()][statement.0 as usize])
    }

    /// The same where a procedure is left.
    pub fn exit(&self, id: ProcedureId) -> (bool, bool) {
        sides(self.depths[id.index()].last().copied().unwrap_or(0))
    }

    /// Whether some place is both.
    pub fn mixed(&self) -> bool {
        self.depths.iter().flatten().any(|depths| sides(*depths) == (true, true))
    }

    /// What is odd: sections that stay open, and those that nest too deep.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let open = self.open.iter().map(|(begin, end)| {
            Diagnostic::warning("bp::open_section", "on some path an atomic section is never closed")
                .label(*begin, "it begins here")
                .label(*end, "and the thread ends here, inside of it")
                .help("no other thread runs after that: close it with `atomic_end` on every path")
        });
        let deep = self.too_deep.iter().map(|(begin, around)| {
            let title = format!("atomic sections are more than {DEEPEST} deep inside each other");
            let problem = Diagnostic::error("bp::deep_sections", title);
            let problem = match begin == around {
                true => problem.label(*begin, "this one begins again and again inside itself"),
                false => problem
                    .label(*begin, "this one begins inside the others")
                    .label(*around, "the one around it"),
            };
            problem
                .help("every `atomic_begin` needs an `atomic_end` of its own, also in loops and recursions")
        });
        deep.chain(open).collect()
    }
}

impl Walk<'_> {
    fn entry(&mut self, id: ProcedureId, open: Option<Rc<OpenSections>>) -> usize {
        let number = self.entries.len();
        let known = *self.numbers.entry((id, depth(&open))).or_insert(number);
        if known == number {
            let seen = vec![0; self.program.procedure(id).statements.len() + 1];
            let (callers, exits) = (Vec::new(), Vec::new());
            self.entries.push(CalledProcedure { procedure: id, seen, callers, exits, is_thread: false });
        }
        known
    }

    fn go(&mut self, entry: usize, place: StatementPlace, open: Option<Rc<OpenSections>>) {
        let bit = 1 << depth(&open);
        let CalledProcedure { procedure, seen, .. } = &mut self.entries[entry];
        if seen[place] & bit == 0 {
            seen[place] |= bit;
            self.found.depths[procedure.index()][place] |= bit;
            self.work.push((entry, place, open));
        }
    }

    fn step(&mut self, entry: usize, place: StatementPlace, open: Option<Rc<OpenSections>>) {
        let program = self.program;
        let id = self.entries[entry].procedure;
        let procedure = program.procedure(id);
        let Some(statement) = procedure.statements.get(place) else {
            return self.leave(entry, open);
        };
        let next = self.after[id.index()][place];
        match &statement.form {
            Form::Call { callee, .. } => {
                let called = self.entry(*callee, open.clone());
                self.entries[called].callers.push((entry, next));
                self.go(called, self::entry(program.procedure(*callee)), open);
                for open in self.entries[called].exits.clone() {
                    self.go(entry, next, open);
                }
            }
            Form::Return(_) => self.go(entry, procedure.statements.len(), open),
            Form::Goto(places) => {
                places.iter().for_each(|place| self.go(entry, place.0 as usize, open.clone()));
            }
            Form::If { then, otherwise, .. } => {
                self.go(entry, first(then, next), open.clone());
                self.go(entry, first(otherwise, next), open);
            }
            Form::While { body, .. } => {
                self.go(entry, first(body, place), open.clone());
                self.go(entry, next, open);
            }
            Form::AtomicBegin => match &open {
                Some(around) if depth(&open) == DEEPEST => {
                    self.found.too_deep.get_or_insert((statement.span, around.begin));
                }
                _ => {
                    self.go(entry, next, Some(Rc::new(OpenSections { begin: statement.span, around: open })))
                }
            },
            Form::AtomicEnd => self.go(entry, next, open.and_then(|open| open.around.clone())),
            Form::EndThread => self.end(open, statement.span),
            _ => self.go(entry, next, open),
        }
    }

    fn leave(&mut self, entry: usize, open: Option<Rc<OpenSections>>) {
        let left = &mut self.entries[entry];
        left.exits.push(open.clone());
        let is_thread = left.is_thread;
        let span = self.program.procedure(left.procedure).span;
        for (caller, next) in left.callers.clone() {
            self.go(caller, next, open.clone());
        }
        if is_thread {
            self.end(open, Span { start: span.end.saturating_sub(3), ..span });
        }
    }

    fn end(&mut self, open: Option<Rc<OpenSections>>, at: Span) {
        if let Some(open) = open {
            self.found.open.entry(open.begin).or_insert(at);
        }
    }
}

fn depth(open: &Option<Rc<OpenSections>>) -> usize {
    std::iter::successors(open.as_deref(), |open| open.around.as_deref()).count()
}

/// Whether depths have 0 among them, and others.
fn sides(depths: u8) -> (bool, bool) {
    (depths & 1 != 0, depths & !1 != 0)
}

/// Where a procedure begins.
pub fn entry(procedure: &Procedure) -> StatementPlace {
    first(&procedure.body, procedure.statements.len())
}

fn first(block: &Block, follow: StatementPlace) -> StatementPlace {
    block.first().map_or(follow, |id| id.0 as usize)
}

/// What follows each statement in the text; after the body of a loop comes the loop.
fn after(procedure: &Procedure) -> Vec<StatementPlace> {
    let exit = procedure.statements.len();
    let mut after = vec![exit; exit];
    let mut work: Vec<(&Block, StatementPlace)> = vec![(&procedure.body, exit)];
    while let Some((block, follow)) = work.pop() {
        for (position, id) in block.iter().enumerate() {
            let place = id.0 as usize;
            after[place] = block.get(position + 1).map_or(follow, |next| next.0 as usize);
            match &procedure.statement(*id).form {
                Form::If { then, otherwise, .. } => {
                    work.extend([(then, after[place]), (otherwise, after[place])]);
                }
                Form::While { body, .. } => work.push((body, place)),
                _ => {}
            }
        }
    }
    after
}
