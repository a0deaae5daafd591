//! What each statement does.

use super::Machine;
use super::eval::{Outside, eval};
use super::order::first;
use super::state::{Pc, State, Status};
use super::step::jump;
use crate::model::program::{self, Domain, Expr, Form, Op, ProcedureId, Statement, StatementId, Var};

/// The values of an assignment; nothing for those that are thrown away.
type Assigned = Result<Vec<Option<i64>>, Outside>;

impl Machine<'_> {
    /// Executes the statement at which the thread stands.
    pub(super) fn execute(&self, state: State, thread: usize, id: StatementId) -> Vec<State> {
        let procedure_id =
            state.threads[thread].frames.last().expect("a running thread has a frame").procedure;
        let procedure = self.program.procedure(procedure_id);
        let statement = procedure.statement(id);
        let next = self.orders[procedure_id.index()].after(id);
        let go = |states: Vec<State>| jump(states, thread, next);
        match &statement.form {
            Form::Skip => go(vec![state]),
            Form::Assign { targets, values, constrain, others } => {
                let Some(others) = others else {
                    return self.assign(state, thread, (targets, values, constrain.as_ref()), next);
                };
                // What the others look at has a value before and after.
                let reads = others.of_the_running().collect::<Vec<_>>();
                let mut after = Vec::new();
                for old in self.choose(state, thread, &reads) {
                    let made = self.assign(old.clone(), thread, (targets, values, constrain.as_ref()), next);
                    for new in made.into_iter().flat_map(|new| self.choose(new, thread, &reads)) {
                        after.extend(self.move_others(&old, new, thread, others));
                    }
                }
                after
            }
            Form::Constrain(relation) => {
                let targets: Vec<_> = self.program.visible(procedure_id).map(Some).collect();
                let values = vec![None; targets.len()];
                let reads: Vec<Var> = relation.variables().collect();
                let chosen = self.choose(state, thread, &reads).into_iter();
                go(chosen
                    .flat_map(|state| self.update(state, thread, &targets, &values, Some(relation)))
                    .collect())
            }
            Form::Dead(variables) => {
                let mut state = state;
                variables.iter().for_each(|var| state.write(thread, *var, None));
                go(vec![state])
            }
            Form::Call { callee, arguments, .. } => {
                let parameters = self.parameters(*callee);
                let mut entered = Vec::new();
                for (mut state, values) in self.evaluate(state, thread, arguments, &parameters) {
                    let Ok(values) = values else {
                        entered.extend(self.outside(state, thread));
                        continue;
                    };
                    let mut frame = self.entered(*callee);
                    values.iter().enumerate().for_each(|(index, value)| frame.locals.set(index, *value));
                    state.threads[thread].frames.push(frame);
                    entered.push(state);
                }
                entered
            }
            Form::Return(values) => {
                let results: Vec<_> = (0..values.len())
                    .map(|index| Some(Var::Local((procedure.locals.len() + index) as u32)))
                    .collect();
                self.assign(state, thread, (&results, values, None), Pc::Exit)
            }
            Form::Goto(places) => {
                places.iter().flat_map(|place| jump(vec![state.clone()], thread, Pc::At(*place))).collect()
            }
            Form::If { condition, then, otherwise } => {
                self.branch(state, thread, condition, first(then, next), first(otherwise, next))
            }
            Form::While { condition, body } => {
                self.branch(state, thread, condition, first(body, Pc::At(id)), next)
            }
            Form::Assume(condition) => {
                let tested = self.test(state, thread, condition).into_iter();
                go(tested.filter(|(_, possible)| possible.yes).map(|(state, _)| state).collect())
            }
            Form::Assert(condition) => {
                let mut after = Vec::new();
                for (state, possible) in self.test(state, thread, condition) {
                    if possible.no {
                        after.push(failed(state.clone(), thread, statement));
                    }
                    if possible.yes {
                        after.extend(go(vec![state]));
                    }
                }
                after
            }
            Form::AtomicBegin | Form::AtomicEnd => {
                let mut state = state;
                let open = &mut state.threads[thread].sections;
                *open = match statement.form {
                    Form::AtomicBegin => *open + 1,
                    _ => open.saturating_sub(1),
                };
                go(vec![state])
            }
            Form::Start { birth, arguments } => {
                let parameters = self.parameters(self.program.births[*birth as usize].procedure());
                let mut after = Vec::new();
                for (state, values) in self.evaluate(state, thread, arguments, &parameters) {
                    match values {
                        Ok(values) => after.extend(go(self.create(state, thread, *birth, &values))),
                        Err(Outside) => after.extend(self.outside(state, thread)),
                    }
                }
                after
            }
            Form::EndThread => vec![self.ended(state, thread)],
        }
    }

    fn branch(&self, state: State, thread: usize, condition: &Expr, yes: Pc, no: Pc) -> Vec<State> {
        let mut after = Vec::new();
        for (state, possible) in self.test(state, thread, condition) {
            if possible.yes {
                after.extend(jump(vec![state.clone()], thread, yes));
            }
            if possible.no {
                after.extend(jump(vec![state], thread, no));
            }
        }
        after
    }

    /// What is assigned to variables of these domains, with the open variables in the values chosen. What is thrown away has
    /// no domain.
    fn evaluate(
        &self,
        state: State,
        thread: usize,
        values: &[Expr],
        goals: &[Option<&Domain>],
    ) -> Vec<(State, Assigned)> {
        let reads: Vec<Var> = values.iter().flat_map(Expr::variables).collect();
        let domains = self.domains(&state, thread);
        let chosen = state.choose(thread, &reads, domains, &self.left_out).into_iter();
        let evaluated = chosen.map(|state| {
            let read = |var| state.read(thread, var);
            let assigned = values
                .iter()
                .zip(goals)
                .map(|(value, goal)| eval(value, domains, read, read).assigned(*goal));
            let assigned = assigned.collect();
            (state, assigned)
        });
        evaluated.collect()
    }

    /// The values of the parameters of a procedure.
    fn parameters(&self, id: ProcedureId) -> Vec<Option<&Domain>> {
        let procedure = self.program.procedure(id);
        let parameters = &procedure.locals[..procedure.parameters as usize];
        parameters.iter().map(|parameter| Some(&parameter.domain)).collect()
    }

    /// A parallel assignment, and where it leads. It fails if a value is outside the range of its variable, unless a
    /// constraint about old values keeps it from being executed.
    fn assign(
        &self,
        state: State,
        thread: usize,
        (targets, values, constrain): (&[Option<Var>], &[Expr], Option<&Expr>),
        next: Pc,
    ) -> Vec<State> {
        let domains = self.domains(&state, thread);
        let goals = targets.iter().map(|target| target.map(domains)).collect::<Vec<_>>();
        let reads: Vec<Var> = constrain.into_iter().flat_map(Expr::variables).collect();
        let mut after = Vec::new();
        for state in self.choose(state, thread, &reads) {
            for (state, values) in self.evaluate(state, thread, values, &goals) {
                after.extend(match values {
                    Ok(values) => jump(self.update(state, thread, targets, &values, constrain), thread, next),
                    Err(Outside) if self.is_kept_back(&state, thread, constrain) => Vec::new(),
                    Err(Outside) => self.outside(state, thread).into_iter().collect(),
                });
            }
        }
        after
    }

    /// Whether a constraint about old values alone does not hold; these have been chosen.
    fn is_kept_back(&self, state: &State, thread: usize, constraint: Option<&Expr>) -> bool {
        let guard = constraint.filter(|guard| guard.code.iter().all(|op| !matches!(op, Op::New(_))));
        let read = |var| state.read(thread, var);
        guard.is_some_and(|guard| !eval(guard, self.domains(state, thread), read, read).truth().yes)
    }

    /// The statement at which a thread stands has a value outside of a range: it fails, unless that is left out.
    fn outside(&self, state: State, thread: usize) -> Option<State> {
        if self.program.outside == (program::Outside::Width { target: false }) {
            return None;
        }
        let top = state.threads[thread].frames.last().expect("a running thread has a frame");
        let Pc::At(id) = top.pc else { unreachable!("a statement is executed") };
        let statement = self.program.procedure(top.procedure).statement(id);
        Some(failed(state, thread, statement))
    }

    /// All ways to give the targets values such that the constraint holds. A target the constraint does not look at stays
    /// open if it can have several.
    fn update(
        &self,
        state: State,
        thread: usize,
        targets: &[Option<Var>],
        values: &[Option<i64>],
        constraint: Option<&Expr>,
    ) -> Vec<State> {
        let mut new = state.clone();
        for (target, value) in targets.iter().zip(values) {
            if let Some(target) = target {
                new.write(thread, *target, *value);
            }
        }
        let Some(constraint) = constraint else { return vec![new] };
        let reads: Vec<Var> = constraint.variables().collect();
        let domains = self.domains(&state, thread);
        let mut kept = new.choose(thread, &reads, domains, &self.left_out);
        kept.retain(|new| {
            let holds = eval(constraint, domains, |var| state.read(thread, var), |var| new.read(thread, var));
            holds.truth().yes
        });
        kept
    }
}

/// The thread stops at a failed assertion, or at a value outside of a range.
fn failed(mut state: State, thread: usize, statement: &Statement) -> State {
    state.threads[thread].status = Status::Failed(statement.span);
    state
}
