//! Thread creation in ordinary shared variables.
//!
//! `start_thread` leaves a request, one number for each place where threads can begin, together with the values to hand
//! over: arguments, or the creator's own and live local variables. A sleeping thread of that kind takes the request and the
//! values and wakes up. A second creation has to wait until the first request was taken: creating costs one context.

use super::*;
use crate::model::program::resolve::program::{Birth, Op};

/// Marks the abstract edge that wakes a thread, as opposed to the one that requests it.
pub const WAKE: u32 = 1 << 31;

/// What is handed over to a thread of one birth: a variable of the creator's procedure or of the callee.
struct Handed {
    variables: Vec<Var>,
}

pub fn lower(cfg: &mut Cfg, program: &Program) {
    if program.births.is_empty() {
        return;
    }
    let handed: Vec<Handed> =
        (0..program.births.len()).map(|index| handed(cfg, program, index as u32)).collect();
    let bits = u32::BITS - (program.births.len() as u32).leading_zeros();
    let request: Vec<Var> = (0..bits).map(|bit| declare(cfg, format!("start.{bit}"))).collect();
    let most = handed.iter().map(|handed| handed.variables.len()).max().unwrap_or(0);
    let values: Vec<Var> = (0..most).map(|index| declare(cfg, format!("hand.{index}"))).collect();
    for flow in &mut cfg.flows {
        for edge in &mut flow.edges {
            let Action::Start { birth, arguments } = &edge.action else { continue };
            let span = edge.span;
            let birth_index = birth & !WAKE;
            let handed = &handed[birth_index as usize];
            let code = birth_index + 1;
            let set = |number: u32| {
                let bit = move |(bit, var): (usize, &Var)| {
                    (*var, Value::Is(Expr::constant(number >> bit & 1 == 1, span)))
                };
                request.iter().enumerate().map(bit)
            };
            let mut assigned: Vec<(Var, Value)>;
            let guard = if birth & WAKE == 0 {
                assigned = set(code).collect();
                let given: Vec<Expr> = match program.births[birth_index as usize] {
                    Birth::Call { .. } => arguments.clone(),
                    Birth::Goto { .. } => handed.variables.iter().map(|var| read(*var, span)).collect(),
                };
                assigned.extend(values.iter().copied().zip(given.into_iter().map(Value::Is)));
                requested(&request, 0, span)
            } else {
                assigned = set(0).collect();
                let taken = handed.variables.iter().zip(&values);
                assigned.extend(taken.map(|(var, value)| (*var, Value::Is(read(*value, span)))));
                // What was handed over is forgotten, so that states do not differ in it.
                assigned.extend(values.iter().map(|value| (*value, Value::Is(Expr::constant(false, span)))));
                requested(&request, code, span)
            };
            let guard = build::both(
                Some(edge.guard.clone()).filter(|guard| guard.as_constant() != Some(true)),
                Some(guard),
            );
            edge.guard = guard.expect("one of them is there");
            edge.action = Action::Assign { values: assigned, constraint: None };
        }
    }
}

fn declare(cfg: &mut Cfg, name: String) -> Var {
    cfg.shared.push(Variable { name, span: Span::default(), initial: Some(false) });
    Var::Shared(cfg.shared.len() as u32 - 1)
}

fn read(var: Var, span: Span) -> Expr {
    Expr { code: vec![Op::Old(var)], span }
}

/// The request is this number.
fn requested(request: &[Var], number: u32, span: Span) -> Expr {
    let mut code = Vec::new();
    for (bit, var) in request.iter().enumerate() {
        code.push(Op::Old(*var));
        if number >> bit & 1 == 0 {
            code.push(Op::Not);
        }
        if bit > 0 {
            code.push(Op::And);
        }
    }
    Expr { code, span }
}

fn handed(cfg: &Cfg, program: &Program, birth: u32) -> Handed {
    let procedure = program.births[birth as usize].procedure();
    if let Birth::Call { .. } = program.births[birth as usize] {
        let parameters = cfg.flow(procedure).parameters;
        return Handed { variables: (0..parameters).map(Var::Local).collect() };
    }
    let flow = cfg.flow(procedure);
    let wakes = |birth: u32| {
        let wake = |edge: &&Edge| matches!(edge.action, Action::Start { birth: b, .. } if b == WAKE | birth);
        flow.edges.iter().find(wake).map(|edge| edge.to)
    };
    let live = liveness::live_locals(flow, &program.births, wakes);
    let begin = wakes(birth).expect("every birth has an edge that wakes its threads");
    let own = program.procedure(procedure).own.clone().map(Var::Own);
    Handed { variables: own.chain(live[begin.index()].iter().map(Var::Local)).collect() }
}
