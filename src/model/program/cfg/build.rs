//! Statements to edges.

use super::*;
use crate::model::program::resolve::program::{Block, Form, Outside, Procedure, StatementId};

struct FlowBuilder<'a> {
    program: &'a Program,
    id: ProcedureId,
    procedure: &'a Procedure,
    flow: Flow<Creation>,
    /// Where each statement begins.
    begins: Vec<Loc>,
    /// `enforce`, unless it is constantly true.
    enforce: Option<&'a Expr>,
    flag: Var,
}

pub fn build(program: &Program) -> (Cfg<Creation>, Vec<Diagnostic>) {
    let mut warnings = Vec::new();
    let mut starts = vec![Loc(0); program.births.len()];
    let flows = (0..program.procedures.len())
        .map(|index| flow(program, ProcedureId(index as u32), &mut starts, &mut warnings))
        .collect::<Vec<_>>();
    let role = |thread: &crate::model::program::Thread| {
        use crate::model::program::Start;
        let (start, asleep) = match thread.start {
            Start::Entry => (flows[thread.procedure.index()].entry, false),
            Start::Sleeping(birth) => (starts[birth as usize], true),
        };
        Role { name: thread.name.clone(), flow: thread.procedure, start, asleep, span: thread.span }
    };
    let cfg = Cfg {
        source: Arc::clone(&program.source),
        dialect: program.dialect,
        shared: program.shared.clone(),
        own: program.own.clone(),
        init: program.init,
        singles: program.singles.iter().map(role).collect(),
        replicated: program.replicated.iter().map(role).collect(),
        births: Vec::new(),
        yield_unless: program.atomic_variable.into_iter().collect(),
        hold: None,
        approximations: program.approximations.clone(),
        code: lines_of_code(program),
        flows,
    };
    (cfg, warnings)
}

/// The lines in which statements begin, in order.
fn lines_of_code(program: &Program) -> Vec<u32> {
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    let lines = statements.map(|statement| program.source.line(statement.span) as u32);
    lines.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// One procedure; fills in where the sleeping threads that begin in it start.
fn flow(
    program: &Program,
    id: ProcedureId,
    starts: &mut [Loc],
    warnings: &mut Vec<Diagnostic>,
) -> Flow<Creation> {
    let procedure = program.procedure(id);
    let mut builder = FlowBuilder::new(program, id);
    let begins = builder.begins.clone();
    builder.block(&procedure.body, builder.flow.exit);
    builder.prologue();
    let mut sleepers: Vec<(usize, Loc)> = Vec::new();
    for (index, birth) in program.births.iter().enumerate().filter(|(_, birth)| birth.procedure() == id) {
        sleepers.push((index, builder.sleeper(birth, index as u32)));
    }
    let mut flow = builder.flow;
    let roots: Vec<Loc> = sleepers.iter().map(|(_, loc)| *loc).collect();
    let new_numbers = order::renumber(&mut flow, &roots);
    for (index, loc) in sleepers {
        starts[index] = new_numbers[loc.index()].expect("roots are kept");
    }
    order::warn_about_unreachable(procedure, &begins, &new_numbers, warnings);
    flow
}

impl<'a> FlowBuilder<'a> {
    fn new(program: &'a Program, id: ProcedureId) -> FlowBuilder<'a> {
        let procedure = program.procedure(id);
        let mut locals = procedure.locals.clone();
        let first_result = locals.len() as u32;
        let results = procedure.results.len() as u32;
        for (index, domain) in (1..).zip(&procedure.results) {
            let name = if results == 1 { "return".to_string() } else { format!("return.{index}") };
            let domain = domain.clone();
            locals.push(Variable { name, span: procedure.name_span, domain, initial: None });
        }
        let flow = Flow {
            name: procedure.name.clone(),
            locals,
            parameters: procedure.parameters,
            results: (0..results).map(|index| Var::Local(first_result + index)).collect(),
            entry: Loc(0),
            exit: Loc(0),
            locations: Vec::new(),
            edges: Vec::new(),
            frames: vec![FlowFrame { procedure: id, base: 0, caller: None }],
        };
        let enforce = procedure.enforce.as_ref().filter(|e| e.as_constant() != Some(true));
        let flag = Var::Own(program.own.len() as u32);
        let mut builder = FlowBuilder { program, id, procedure, flow, begins: Vec::new(), enforce, flag };
        for (id, statement) in (0..).zip(&procedure.statements) {
            let location = builder.location(statement.span, statement.target.then_some(Target::Label));
            let made = &mut builder.flow.locations[location.index()];
            made.labels = statement.labels.clone();
            made.place = PlaceInText::Before(StatementId(id));
            made.asserts = matches!(statement.form, Form::Assert(_));
            builder.begins.push(location);
        }
        let end = Span { start: procedure.span.end.saturating_sub(3), ..procedure.span };
        builder.flow.exit = builder.location(end, None);
        builder.flow.locations[builder.flow.exit.index()].place = PlaceInText::Exit;
        builder.flow.entry = builder.first(&procedure.body, builder.flow.exit);
        builder
    }

    fn location(&mut self, span: Span, target: Option<Target>) -> Loc {
        let (labels, atomic, place) = (Vec::new(), self.procedure.atomic, PlaceInText::Between);
        let location = Location { span, labels, target, atomic, frame: 0, place, asserts: false };
        self.flow.locations.push(location);
        Loc(self.flow.locations.len() as u32 - 1)
    }

    fn first(&self, block: &Block, follow: Loc) -> Loc {
        block.first().map_or(follow, |id| self.begins[id.0 as usize])
    }

    /// All statements of a block and of the blocks inside it; `follow` is where its end leads.
    fn block(&mut self, block: &Block, follow: Loc) {
        let procedure = self.procedure;
        let mut work: Vec<(&Block, Loc)> = vec![(block, follow)];
        while let Some((block, follow)) = work.pop() {
            for (position, id) in block.iter().enumerate() {
                let next = block.get(position + 1).map_or(follow, |id| self.begins[id.0 as usize]);
                self.statement(*id, next);
                match &procedure.statement(*id).form {
                    Form::If { then, otherwise, .. } => work.extend([(then, next), (otherwise, next)]),
                    Form::While { body, .. } => work.push((body, self.begins[id.0 as usize])),
                    _ => {}
                }
            }
        }
        // Falling off the end returns arbitrary results; the edges that lead there say so.
    }

    fn statement(&mut self, id: StatementId, next: Loc) {
        let statement = self.procedure.statement(id);
        let span = statement.span;
        let from = self.begins[id.0 as usize];
        let fits = self.check(from, id);
        match &statement.form {
            Form::Skip => self.edge(from, next, None, Vec::new(), None, span),
            Form::Assign { targets, values, constrain, others } => {
                let pairs = targets.iter().zip(values);
                let values =
                    pairs.filter_map(|(target, value)| Some(((*target)?, value_of(value)))).collect();
                self.edge(from, next, fits, values, constrain.clone(), span);
                // There is no edge if its guard is constantly false.
                if let Some(Edge { from: last, to, action: Action::Assign { others: theirs, .. }, .. }) =
                    self.flow.edges.last_mut().filter(|_| others.is_some())
                    && (*last, *to) == (from, next)
                {
                    theirs.clone_from(others);
                }
            }
            Form::Constrain(relation) => {
                let values = self.program.visible(self.id).map(|var| (var, AssignedValue::Any)).collect();
                self.edge(from, next, None, values, Some(relation.clone()), span);
            }
            Form::Dead(names) => {
                let values = names.iter().map(|var| (*var, AssignedValue::Any)).collect();
                self.edge(from, next, None, values, None, span);
            }
            Form::Call { callee, arguments, targets } => {
                let action =
                    Action::Call { callee: *callee, arguments: arguments.clone(), targets: targets.clone() };
                self.call(from, next, fits, action, span);
            }
            Form::Return(values) => {
                let results = self.flow.results.clone().into_iter();
                let values = match values.is_empty() {
                    true => results.map(|result| (result, AssignedValue::Any)).collect(),
                    false => results.zip(values.iter().map(value_of)).collect(),
                };
                self.edge(from, self.flow.exit, fits, values, None, span);
            }
            Form::Goto(places) => {
                for place in places {
                    self.edge(from, self.begins[place.0 as usize], None, Vec::new(), None, span);
                }
            }
            Form::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.first(then, next), self.first(otherwise, next));
                self.branch(from, condition, then, otherwise);
            }
            Form::While { condition, body } => self.branch(from, condition, self.first(body, from), next),
            Form::Assume(condition) => self.edge(from, next, Some(condition.clone()), Vec::new(), None, span),
            Form::Assert(condition) => {
                let failed = self.location(span, Some(Target::FailedAssert));
                self.edge(from, failed, Some(condition.negated()), Vec::new(), None, span);
                self.edge(from, next, Some(condition.clone()), Vec::new(), None, span);
            }
            Form::AtomicBegin | Form::AtomicEnd => {
                let inside = matches!(statement.form, Form::AtomicBegin);
                let values = vec![(self.flag, AssignedValue::Is(Expr::constant(inside, span)))];
                self.edge(from, next, None, values, None, span);
            }
            Form::Start { birth, arguments } => {
                let guard = both(self.enforce.cloned(), fits).unwrap_or_else(|| Expr::constant(true, span));
                let action = Action::Create(Creation::Start { birth: *birth, arguments: arguments.clone() });
                self.flow.edges.push(Edge { from, to: next, guard, action, span });
            }
            Form::EndThread => {
                let halt = self.location(span, None);
                self.edge(from, halt, None, Vec::new(), None, span);
            }
        }
    }

    fn branch(&mut self, from: Loc, condition: &Expr, then: Loc, otherwise: Loc) {
        self.edge(from, then, Some(condition.clone()), Vec::new(), None, condition.span);
        self.edge(from, otherwise, Some(condition.negated()), Vec::new(), None, condition.span);
    }

    /// An edge that keeps `enforce`: it must hold before, and after if anything changed.
    fn edge(
        &mut self,
        from: Loc,
        to: Loc,
        guard: Option<Expr>,
        mut values: Vec<(Var, AssignedValue)>,
        constraint: Option<Expr>,
        span: Span,
    ) {
        let changed = !values.is_empty();
        // Arriving at the end other than by `return` leaves the results arbitrary.
        if to == self.flow.exit && !values.iter().any(|(var, _)| self.flow.results.contains(var)) {
            values.extend(self.flow.results.iter().map(|result| (*result, AssignedValue::Any)));
        }
        let after = self.enforce.filter(|_| changed).map(after);
        let guard = both(self.enforce.cloned(), guard).unwrap_or_else(|| Expr::constant(true, span));
        // An edge whose guard is constantly false is no edge.
        if guard.as_constant() == Some(false) || is_not_true(&guard) {
            return;
        }
        let constraint = both(constraint, after);
        let action = Action::Assign { values, constraint, others: None };
        self.flow.edges.push(Edge { from, to, guard, action, span });
    }

    /// When the values of a statement fit, if that is not always so; an edge leads to a target where they do not.
    fn check(&mut self, from: Loc, id: StatementId) -> Option<Expr> {
        let statement = self.procedure.statement(id);
        let (fails, span) = (self.program.fails(self.id, &statement.form)?, statement.span);
        let target = match self.program.outside {
            Outside::Error => Some(Target::OutOfRange),
            Outside::Width { target } => target.then_some(Target::OutOfWidth),
        };
        if target.is_some() {
            let failed = self.location(span, target);
            self.edge(from, failed, Some(fails), Vec::new(), None, span);
        }
        self.program.fits(self.id, &statement.form)
    }

    fn call(&mut self, from: Loc, next: Loc, fits: Option<Expr>, action: Action<Creation>, span: Span) {
        let guard = both(self.enforce.cloned(), fits).unwrap_or_else(|| Expr::constant(true, span));
        let to_end = next == self.flow.exit && !self.flow.results.is_empty();
        if self.enforce.is_none() && !to_end {
            return self.flow.edges.push(Edge { from, to: next, guard, action, span });
        }
        let returned = self.location(span, None);
        self.flow.edges.push(Edge { from, to: returned, guard, action, span });
        self.edge(returned, next, None, Vec::new(), None, span);
    }

    /// Before the first statement: initial values of locals, then `enforce`.
    fn prologue(&mut self) {
        let span = self.procedure.name_span;
        let initial = |(index, local): (usize, &Variable)| {
            let value = Expr::value(&local.domain, local.initial?, local.span);
            Some((Var::Local(index as u32), AssignedValue::Is(value)))
        };
        let values: Vec<_> = self.procedure.locals.iter().enumerate().filter_map(initial).collect();
        if self.enforce.is_some() {
            let checked = self.flow.entry;
            self.flow.entry = self.location(span, None);
            self.edge(self.flow.entry, checked, None, Vec::new(), None, span);
        }
        if !values.is_empty() {
            let start = self.flow.entry;
            self.flow.entry = self.location(span, None);
            let guard = Expr::constant(true, span);
            let action = Action::Assign { values, constraint: None, others: None };
            self.flow.edges.push(Edge { from: self.flow.entry, to: start, guard, action, span });
        }
        // Nothing may stand between the entry and the exit of an empty procedure with results: they are arbitrary.
        if self.flow.entry == self.flow.exit {
            self.flow.entry = self.location(span, None);
            self.edge(self.flow.entry, self.flow.exit, None, Vec::new(), None, span);
        }
    }

    /// Where a sleeping thread waits, and the edge (still abstract) that wakes it.
    fn sleeper(&mut self, birth: &crate::model::program::Birth, index: u32) -> Loc {
        use crate::model::program::Birth;
        let to = match birth {
            Birth::Goto { at, .. } => self.begins[at.0 as usize],
            Birth::Call { .. } => self.flow.entry,
        };
        let span = self.flow.locations[to.index()].span;
        let from = self.location(span, None);
        let action = Action::Create(Creation::Wake { birth: index });
        self.flow.edges.push(Edge { from, to, guard: Expr::constant(true, span), action, span });
        from
    }
}

fn value_of(value: &Expr) -> AssignedValue {
    if value.code == [Op::Nondet] { AssignedValue::Any } else { AssignedValue::Is(value.clone()) }
}

/// The same condition about new values.
fn after(condition: &Expr) -> Expr {
    let prime = |op: &Op| if let Op::Old(var) = op { Op::New(*var) } else { *op };
    Expr { code: condition.code.iter().map(prime).collect(), span: condition.span }
}

pub fn both(left: Option<Expr>, right: Option<Expr>) -> Option<Expr> {
    match (left, right) {
        (Some(left), Some(right)) => {
            let mut code = left.code;
            code.extend(right.code);
            code.push(Op::And);
            Some(Expr { code, span: right.span })
        }
        (left, right) => left.or(right),
    }
}

fn is_not_true(guard: &Expr) -> bool {
    guard.code == [Op::Constant(true), Op::Not]
}
