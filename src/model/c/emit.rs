//! Statements of the procedure that is being made: blocks, labels and jumps.

use crate::model::program::{Block, Domain, Expr, Form, Op, Statement, StatementId, Var, Variable};
use calculus::span::Span;

/// A place to jump to, before it is known which statement stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// What one thread executes: all calls are inlined.
#[derive(Default)]
pub struct Emitter {
    pub locals: Vec<Variable>,
    pub statements: Vec<Statement>,
    /// The blocks that are open, the innermost last.
    blocks: Vec<Block>,
    labels: Vec<Option<StatementId>>,
    /// Labels that belong to the statement that comes next.
    pending: Vec<Label>,
    jumps: Vec<(StatementId, Label)>,
    /// Names of labels of the text that belong to the statement that comes next.
    names: Vec<String>,
}

/// A statement that has its number and stands in no block yet.
pub struct Reserved {
    id: StatementId,
    pending: Vec<Label>,
    names: Vec<String>,
}

impl Emitter {
    pub fn new() -> Emitter {
        Emitter { blocks: vec![Vec::new()], ..Emitter::default() }
    }

    pub fn local(&mut self, name: impl Into<String>, span: Span, domain: Domain) -> Var {
        self.locals.push(Variable { name: name.into(), span, domain, initial: None });
        Var::Local(self.locals.len() as u32 - 1)
    }

    pub fn emit(&mut self, form: Form, span: Span) -> StatementId {
        let reserved = self.reserve(span);
        self.put(reserved, form)
    }

    pub fn reserve(&mut self, span: Span) -> Reserved {
        let id = StatementId(self.statements.len() as u32);
        let (pending, names) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.names));
        self.statements.push(Statement { labels: Vec::new(), target: false, form: Form::Skip, span });
        Reserved { id, pending, names }
    }

    pub fn put(&mut self, reserved: Reserved, form: Form) -> StatementId {
        let Reserved { id, pending, names } = reserved;
        pending.into_iter().for_each(|label| self.labels[label.0] = Some(id));
        let statement = &mut self.statements[id.0 as usize];
        (statement.form, statement.labels) = (form, names);
        self.blocks.last_mut().expect("a block is open").push(id);
        id
    }

    /// The reserved statement is not needed, and nothing was emitted since.
    pub fn release(&mut self, reserved: Reserved) {
        self.statements.truncate(reserved.id.0 as usize);
        let later = std::mem::replace(&mut self.pending, reserved.pending);
        self.pending.extend(later);
        let later = std::mem::replace(&mut self.names, reserved.names);
        self.names.extend(later);
    }

    pub fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Ends the innermost block. A label at its end has a statement of its own.
    pub fn close(&mut self, span: Span) -> Block {
        if !self.pending.is_empty() || !self.names.is_empty() {
            self.emit(Form::Skip, span);
        }
        self.blocks.pop().expect("a block is open")
    }

    /// Whether nothing stands in the innermost block.
    pub fn is_empty(&self) -> bool {
        self.blocks.last().is_some_and(Vec::is_empty) && self.pending.is_empty() && self.names.is_empty()
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label stands before what comes next.
    pub fn place(&mut self, label: Label) {
        self.pending.push(label);
    }

    /// The same, if anything jumps there; nothing does later.
    pub fn place_used(&mut self, label: Label) {
        if self.jumps.iter().any(|(_, to)| *to == label) {
            self.place(label);
        }
    }

    /// Statements of a block that was closed come next.
    pub fn append(&mut self, block: Block) {
        self.blocks.last_mut().expect("a block is open").extend(block);
    }

    /// The same for a name of the text.
    pub fn name(&mut self, name: &str) {
        self.names.push(name.into());
    }

    pub fn goto(&mut self, label: Label, span: Span) {
        let id = self.emit(Form::Goto(Vec::new()), span);
        self.jumps.push((id, label));
    }

    pub fn assign(&mut self, var: Var, code: Vec<Op>, span: Span) -> StatementId {
        let values = vec![Expr { code, span }];
        self.emit(Form::Assign { targets: vec![Some(var)], values, constrain: None, others: None }, span)
    }

    /// Whether only one assignment came since a section began: it is one step, and the section is taken away.
    pub fn is_one_step(&mut self, begin: StatementId) -> bool {
        let block = self.blocks.last_mut().expect("a block is open");
        let at = begin.0 as usize;
        let only = at + 2 == self.statements.len()
            && self.pending.is_empty()
            && block.ends_with(&[begin, StatementId(begin.0 + 1)]);
        if !only || !matches!(self.statements[at + 1].form, Form::Assign { .. }) {
            return false;
        }
        block.pop();
        let last = self.statements.pop().expect("there is one");
        self.statements[at].form = last.form;
        true
    }

    pub fn is_placed(&self, label: Label) -> bool {
        self.labels[label.0].is_some() || self.pending.contains(&label)
    }

    /// All statements and the body; jumps lead to where their labels are.
    pub fn finish(mut self, span: Span) -> (Vec<Variable>, Vec<Statement>, Block) {
        let body = self.close(span);
        for (id, label) in &self.jumps {
            let to = self.labels[label.0].expect("every label that is jumped to is placed");
            self.statements[id.0 as usize].form = Form::Goto(vec![to]);
        }
        (self.locals, self.statements, body)
    }
}
