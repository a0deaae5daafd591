//! What each statement does.

use super::Machine;
use super::eval::{Possible, eval};
use super::order::first;
use super::state::{Pc, State, Status};
use super::step::jump;
use crate::model::program::{Expr, Form, StatementId, Var};

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
            Form::Assign { targets, values, constrain } => {
                go(self.assign(state, thread, targets, values, constrain.as_ref()))
            }
            Form::Constrain(relation) => {
                let targets: Vec<_> = self.program.visible(procedure_id).map(Some).collect();
                let values = vec![Possible::BOTH; targets.len()];
                let reads: Vec<Var> = relation.variables().collect();
                let chosen = state.choose(thread, &reads).into_iter();
                go(chosen
                    .flat_map(|state| update(state, thread, &targets, &values, Some(relation)))
                    .collect())
            }
            Form::Dead(variables) => {
                let mut state = state;
                variables.iter().for_each(|var| state.write(thread, *var, None));
                go(vec![state])
            }
            Form::Call { callee, arguments, .. } => {
                let mut entered = Vec::new();
                for (mut state, values) in self.evaluate(state, thread, arguments) {
                    let mut frame = self.entered(*callee);
                    values
                        .iter()
                        .enumerate()
                        .for_each(|(index, value)| frame.locals.set(index, value.certain()));
                    state.threads[thread].frames.push(frame);
                    entered.push(state);
                }
                entered
            }
            Form::Return(values) => {
                let results: Vec<_> = (0..values.len())
                    .map(|index| Some(Var::Local((procedure.locals.len() + index) as u32)))
                    .collect();
                jump(self.assign(state, thread, &results, values, None), thread, Pc::Exit)
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
                        let mut failed = state.clone();
                        failed.threads[thread].status = Status::Failed(statement.span);
                        after.push(failed);
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
                let mut created = Vec::new();
                for (state, values) in self.evaluate(state, thread, arguments) {
                    let values: Vec<_> = values.iter().map(|value| value.certain()).collect();
                    created.push(self.create(state, thread, *birth, &values));
                }
                go(created)
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

    /// The values of expressions, with the open variables in them chosen.
    fn evaluate(&self, state: State, thread: usize, values: &[Expr]) -> Vec<(State, Vec<Possible>)> {
        let reads: Vec<Var> = values.iter().flat_map(Expr::variables).collect();
        let chosen = state.choose(thread, &reads).into_iter();
        let evaluated = chosen.map(|state| {
            let read = |var| state.read(thread, var);
            let possible = values.iter().map(|value| eval(value, read, read)).collect();
            (state, possible)
        });
        evaluated.collect()
    }

    fn assign(
        &self,
        state: State,
        thread: usize,
        targets: &[Option<Var>],
        values: &[Expr],
        constrain: Option<&Expr>,
    ) -> Vec<State> {
        let reads: Vec<Var> = constrain.into_iter().flat_map(Expr::variables).collect();
        let mut after = Vec::new();
        for state in state.choose(thread, &reads) {
            for (state, values) in self.evaluate(state, thread, values) {
                after.extend(update(state, thread, targets, &values, constrain));
            }
        }
        after
    }
}

/// All ways to give the targets values such that the constraint holds. A target the constraint does not look at stays open if
/// it can have both values.
fn update(
    state: State,
    thread: usize,
    targets: &[Option<Var>],
    values: &[Possible],
    constraint: Option<&Expr>,
) -> Vec<State> {
    let mut new = state.clone();
    for (target, value) in targets.iter().zip(values) {
        if let Some(target) = target {
            new.write(thread, *target, value.certain());
        }
    }
    let Some(constraint) = constraint else { return vec![new] };
    let reads: Vec<Var> = constraint.variables().collect();
    let mut kept = new.choose(thread, &reads);
    kept.retain(|new| eval(constraint, |var| state.read(thread, var), |var| new.read(thread, var)).yes);
    kept
}
