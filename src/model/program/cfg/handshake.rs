//! Thread creation in ordinary shared variables.
//!
//! A thread that never takes a step is part of a legal run, so `start_thread` is a choice: the creator leaves a request
//! (one number for each place where threads can begin, with the values to hand over: arguments, or the creator's own and live
//! local variables), or it goes on and the new thread never runs. A sleeping thread of that kind takes the request and the
//! values and wakes up. Nobody waits: a creator that finds another request, or for whom no sleeper is left, has the
//! second choice.
//!
//! No run is lost. Outside atomic sections the new thread can be scheduled to take the request at once, so one request at a
//! time is enough. Inside a section nobody else is scheduled, and several threads may be made before it ends; so there the
//! thread is handed over: the creator sets `hold` and waits at a [`PlaceInText::Handover`] until the request was taken, the new thread
//! waits at another one until `hold` is gone, and no other edge can be taken meanwhile. All of that together is one step
//! of the creator. Only programs with a `start_thread` that can be inside a section have `hold`.
//!
//! Where contexts or rounds are counted, taking the request is a context of the new thread, and a hand-over one more of
//! the creator.

use super::liveness::CreationEffect;
use super::*;
use crate::model::program::resolve::program::Birth;

/// The shared variables of the handshake.
struct Mailbox {
    request: Vec<Var>,
    values: Vec<Var>,
    /// Their domains.
    domains: Vec<Domain>,
    /// What is handed over to a thread of each birth: variables of the creator's procedure or of the callee, with the
    /// index of the value that holds them.
    handed: Vec<Vec<(Var, usize)>>,
}

/// Makes ordinary edges of those that create threads. `inside` tells whether a location can be inside an atomic section.
pub fn lower(draft: Cfg<Creation>, program: &Program, inside: &[Vec<bool>]) -> Cfg {
    let births = 0..program.births.len() as u32;
    let handed = births.map(|birth| handed(&draft, program, birth)).collect::<Vec<_>>();
    let starts = |edge: &Edge<Creation>| matches!(edge.action, Action::Create(Creation::Start { .. }));
    let creates_inside = |(flow, inside): (&Flow<Creation>, &Vec<bool>)| {
        flow.edges.iter().any(|edge| starts(edge) && inside[edge.from.index()])
    };
    let holds = draft.flows.iter().zip(inside).any(creates_inside);
    let (mut cfg, edges) = without_edges(draft);
    let bits = u32::BITS - (program.births.len() as u32).leading_zeros();
    let request = (0..bits).map(|bit| declare(&mut cfg, Variable::flag(format!("start.{bit}")))).collect();
    let mailbox = Mailbox::new(&mut cfg, program, request, handed);
    if holds {
        cfg.hold = Some(declare(&mut cfg, Variable::flag("hold".into())));
    }
    for (index, (edges, inside)) in edges.into_iter().zip(inside).enumerate() {
        for Edge { from, to, guard, action, span } in edges {
            let ordinary = match action {
                Action::Create(Creation::Start { birth, arguments }) => {
                    let given = match &program.births[birth as usize] {
                        Birth::Call { .. } => arguments,
                        Birth::Goto { .. } => {
                            mailbox.handed[birth as usize].iter().map(|(var, _)| read(*var, span)).collect()
                        }
                    };
                    let request = mailbox.ask(birth, given, span);
                    create(&mut cfg, index, (from, to, guard, span), request, &mailbox, inside);
                    continue;
                }
                Action::Create(Creation::Wake { birth }) => {
                    let taken = mailbox.take(birth, span);
                    wake(&mut cfg, index, (from, to, guard, span), taken);
                    continue;
                }
                Action::Assign { values, constraint, others } => {
                    Action::Assign { values, constraint, others }
                }
                Action::Call { callee, arguments, targets } => Action::Call { callee, arguments, targets },
            };
            let guard = also(guard, cfg.unheld(span));
            cfg.flows[index].edges.push(Edge { from, to, guard, action: ordinary, span });
        }
        cfg.flows[index].edges.sort_by_key(|edge| edge.from);
    }
    cfg
}

/// The graphs without edges, and their edges.
pub(super) fn without_edges(draft: Cfg<Creation>) -> (Cfg, Vec<Vec<Edge<Creation>>>) {
    let Cfg { source, dialect, shared, own, flows, init, singles, replicated, .. } = draft;
    let Cfg { code, births, yield_unless, hold, approximations, .. } = draft;
    let mut edges = Vec::new();
    let empty = |flow: Flow<Creation>| {
        let Flow { name, locals, parameters, results, entry, exit, locations, frames, .. } = flow;
        edges.push(flow.edges);
        Flow { name, locals, parameters, results, entry, exit, locations, edges: Vec::new(), frames }
    };
    let flows = flows.into_iter().map(empty).collect();
    let cfg = Cfg {
        source,
        code,
        dialect,
        shared,
        own,
        flows,
        init,
        singles,
        replicated,
        births,
        yield_unless,
        hold,
        approximations,
    };
    (cfg, edges)
}

/// What an edge has besides its action: from, to, guard, place.
type Bare = (Loc, Loc, Expr, Span);

/// A guard and what is assigned.
type GuardedValues = (Expr, Vec<(Var, AssignedValue)>);

impl Mailbox {
    /// Threads of different births share what has the same domain.
    fn new(cfg: &mut Cfg, program: &Program, request: Vec<Var>, handed: Vec<Vec<Var>>) -> Mailbox {
        let mut mailbox = Mailbox { request, values: Vec::new(), domains: Vec::new(), handed: Vec::new() };
        for (birth, vars) in program.births.iter().zip(handed) {
            let mut list: Vec<(Var, usize)> = Vec::new();
            for var in vars {
                let domain = program.domain(birth.procedure(), var);
                let is_free =
                    |at: &usize| mailbox.domains[*at] == *domain && list.iter().all(|(_, taken)| taken != at);
                let at = (0..mailbox.values.len()).find(is_free).unwrap_or(mailbox.values.len());
                if at == mailbox.values.len() {
                    let (name, initial) = (format!("hand.{at}"), Some(domain.low()));
                    let hand = Variable { name, span: Span::default(), domain: domain.clone(), initial };
                    mailbox.values.push(declare(cfg, hand));
                    mailbox.domains.push(domain.clone());
                }
                list.push((var, at));
            }
            mailbox.handed.push(list);
        }
        mailbox
    }

    fn set(&self, number: u32, span: Span) -> Vec<(Var, AssignedValue)> {
        let bits = self.request.iter().enumerate();
        bits.map(|(bit, var)| (*var, AssignedValue::Is(Expr::constant(number >> bit & 1 == 1, span))))
            .collect()
    }

    /// The request is this number; 0 is none.
    fn is(&self, number: u32, span: Span) -> Expr {
        let mut code = Vec::new();
        for (bit, var) in self.request.iter().enumerate() {
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

    fn ask(&self, birth: u32, given: Vec<Expr>, span: Span) -> GuardedValues {
        let mut assigned = self.set(birth + 1, span);
        let places = self.handed[birth as usize].iter().map(|(_, at)| self.values[*at]);
        assigned.extend(places.zip(given.into_iter().map(AssignedValue::Is)));
        (self.is(0, span), assigned)
    }

    fn take(&self, birth: u32, span: Span) -> GuardedValues {
        let mut assigned = self.set(0, span);
        let taken = self.handed[birth as usize].iter();
        assigned.extend(taken.map(|(var, at)| (*var, AssignedValue::Is(read(self.values[*at], span)))));
        // What was handed over is forgotten, so that states do not differ in it.
        let values = self.values.iter().zip(&self.domains);
        assigned.extend(
            values
                .map(|(value, domain)| (*value, AssignedValue::Is(Expr::value(domain, domain.low(), span)))),
        );
        (self.is(birth + 1, span), assigned)
    }
}

/// The edges of a creator: with a request, and without one.
fn create(
    cfg: &mut Cfg,
    index: usize,
    (from, to, guard, span): Bare,
    (free, mut assigned): GuardedValues,
    mailbox: &Mailbox,
    inside: &[bool],
) {
    let guard = also(guard, cfg.unheld(span));
    let hold = cfg.hold.filter(|_| inside[from.index()]);
    let flow = &mut cfg.flows[index];
    flow.edges.push(assigning(span, from, to, guard.clone(), Vec::new()));
    let Some(hold) = hold else {
        return flow.edges.push(assigning(span, from, to, also(guard, free), assigned));
    };
    let is = |value| (hold, AssignedValue::Is(Expr::constant(value, span)));
    assigned.push(is(true));
    let waiting = meet(flow, from);
    flow.edges.push(assigning(span, from, waiting, also(guard, free), assigned));
    flow.edges.push(assigning(span, waiting, to, mailbox.is(0, span), vec![is(false)]));
}

/// The edges of a new thread: it takes the request, and begins when it is no longer held.
fn wake(cfg: &mut Cfg, index: usize, (from, to, guard, span): Bare, (asked, assigned): GuardedValues) {
    let unheld = cfg.unheld(span);
    let held = cfg.hold.is_some();
    let flow = &mut cfg.flows[index];
    let begin = if held { meet(flow, to) } else { to };
    flow.edges.push(assigning(span, from, begin, also(guard, asked), assigned));
    if held {
        flow.edges.push(assigning(span, begin, to, unheld, Vec::new()));
    }
}

fn assigning(span: Span, from: Loc, to: Loc, guard: Expr, values: Vec<(Var, AssignedValue)>) -> Edge {
    Edge { from, to, guard, action: Action::Assign { values, constraint: None, others: None }, span }
}

/// A place to wait for a hand-over, near another location.
fn meet(flow: &mut Flow, near: Loc) -> Loc {
    let (labels, target, atomic, place) = (Vec::new(), None, false, PlaceInText::Handover);
    let location = Location { labels, target, atomic, place, ..flow.locations[near.index()].clone() };
    flow.locations.push(location);
    Loc(flow.locations.len() as u32 - 1)
}

fn declare(cfg: &mut Cfg, variable: Variable) -> Var {
    cfg.shared.push(variable);
    Var::Shared(cfg.shared.len() as u32 - 1)
}

pub(super) fn read(var: Var, span: Span) -> Expr {
    Expr { code: vec![Op::Old(var)], span }
}

/// Both, without a part that is constantly true.
fn also(left: Expr, right: Expr) -> Expr {
    match (left.as_constant(), right.as_constant()) {
        (Some(true), _) => right,
        (_, Some(true)) => left,
        _ => build::both(Some(left), Some(right)).expect("both are there"),
    }
}

pub(super) fn handed(cfg: &Cfg<Creation>, program: &Program, birth: u32) -> Vec<Var> {
    let procedure = program.births[birth as usize].procedure();
    if let Birth::Call { .. } = program.births[birth as usize] {
        return (0..cfg.flow(procedure).parameters).map(Var::Local).collect();
    }
    let flow = cfg.flow(procedure);
    let wakes = |birth: u32| {
        let woken = |edge: &&Edge<Creation>| matches!(edge.action, Action::Create(Creation::Wake { birth: woken }) if woken == birth);
        flow.edges.iter().find(woken).map(|edge| edge.to)
    };
    let copies = |birth: u32| matches!(program.births[birth as usize], Birth::Goto { .. });
    let live = liveness::live_locals(flow, |creation| match creation {
        Creation::Start { birth, arguments } => {
            CreationEffect::Start { arguments, begin: wakes(*birth).filter(|_| copies(*birth)) }
        }
        Creation::Wake { .. } => CreationEffect::Wake,
    });
    let begin = wakes(birth).expect("every birth has an edge that wakes its threads");
    let own = program.procedure(procedure).own.clone().map(Var::Own);
    own.chain(live[begin.index()].iter().map(Var::Local)).collect()
}
