//! Sequential programs like those that predicate abstraction makes of drivers: many procedures, each of which
//! touches a few of the global variables, takes its lock and gives it back; `main`
//! dispatches requests; one error label.
//!
//! Procedures belong to modules of ten. `main` calls the first of each; inside a module each calls two later
//! ones, perhaps others, and perhaps itself or an earlier one. A procedure holds its lock only across calls
//! that cannot lead to a procedure with the same lock: so the error, a lock taken twice or given back twice, is
//! not reachable, but that is a fact about all procedures together. Half of the locks are taken on a condition
//! that is remembered until they are given back. A program with a bug has one procedure that forgets it.

use super::Text;
use crate::random::Random;

pub struct Size {
    pub statements: usize,
    pub globals: usize,
    /// Besides `main` and `fail`.
    pub procedures: usize,
    pub requests: Requests,
}

/// How often `main` dispatches. Harnesses of drivers send one request: an error in a driver rarely needs two, and
/// what one request leaves in all the global variables multiplies with what the others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Requests {
    One,
    Many,
}

const MODULE: usize = 10;
/// How many neighbouring globals the procedures of a module choose theirs from.
const REGION: usize = 8;

pub fn program(size: &Size, seed: u64, buggy: bool) -> String {
    let mut random = Random::new(seed);
    let globals = Globals::new(size.globals.max(4));
    let plans = plan(size.procedures.max(1), &globals, &mut random);
    let mut text = Text::default();
    text.line(&format!("decl {};", globals.locks.join(", ")));
    for part in globals.flags.chunks(12) {
        text.line(&format!("decl {};", part.join(", ")));
    }
    text.line("");
    main(&mut text, &globals, &plans, size.requests);
    text.open("void fail() begin");
    text.line("SLIC_ERROR:");
    text.simple("skip");
    text.close("end");
    let culprit = buggy.then_some(plans.len() / 2);
    for (number, plan) in plans.iter().enumerate() {
        // What is left is shared evenly, so that the program has the size that was asked for.
        let left = size.statements.saturating_sub(text.statements);
        let until = text.statements + left / (plans.len() - number);
        let body =
            Body { text: &mut text, random: &mut random, plans: &plans, plan, number, held: false, until };
        body.write(culprit == Some(number));
    }
    text.out
}

struct Globals {
    locks: Vec<String>,
    flags: Vec<String>,
}

impl Globals {
    fn new(count: usize) -> Globals {
        let locks = (count / 10).max(1);
        Globals {
            locks: (0..locks).map(|at| format!("lock{at}")).collect(),
            flags: (locks..count).map(|at| format!("g{at}")).collect(),
        }
    }
}

/// What others need to know of a procedure.
struct Plan {
    parameters: usize,
    result: bool,
    locals: usize,
    globals: Vec<String>,
    lock: String,
    lock_number: usize,
    callees: Vec<usize>,
    /// Locks that a call of it may take, sooner or later.
    locks: Vec<bool>,
}

fn plan(count: usize, globals: &Globals, random: &mut Random) -> Vec<Plan> {
    let mut plans: Vec<Plan> = Vec::new();
    for number in 0..count {
        let (module, place) = (number / MODULE, number % MODULE);
        let size = MODULE.min(count - module * MODULE);
        let mut callees = vec![2 * place + 1, 2 * place + 2];
        if random.percent(40) {
            callees.push(random.between(place + 1, place + 4));
        }
        callees.retain(|&callee| callee < size);
        if random.percent(20) {
            callees.push(if random.percent(50) { place } else { place.saturating_sub(1) / 2 });
        }
        callees.sort_unstable();
        callees.dedup();
        let region = REGION.min(globals.flags.len());
        let first = module * (region - 1) % (globals.flags.len() - region + 1);
        let mut touched = globals.flags[first..first + region].to_vec();
        let wanted = random.between(3, 6).min(region);
        while touched.len() > wanted {
            touched.remove(random.below(touched.len()));
        }
        let lock_number = random.below(globals.locks.len());
        let mut locks = vec![false; globals.locks.len()];
        locks[lock_number] = true;
        plans.push(Plan {
            parameters: random.below(3),
            result: random.percent(50),
            locals: random.between(2, 4),
            globals: touched,
            lock: globals.locks[lock_number].clone(),
            lock_number,
            callees: callees.into_iter().map(|callee| module * MODULE + callee).collect(),
            locks,
        });
    }
    spread_locks(&mut plans);
    plans
}

/// A caller may take the locks of its callees; recursion makes this a fixed point.
fn spread_locks(plans: &mut [Plan]) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for caller in 0..plans.len() {
            for callee in plans[caller].callees.clone() {
                for lock in 0..plans[callee].locks.len() {
                    changed |= plans[callee].locks[lock] && !plans[caller].locks[lock];
                    plans[caller].locks[lock] |= plans[callee].locks[lock];
                }
            }
        }
    }
}

/// All variables begin with F; then comes a request, or any number of them.
fn main(text: &mut Text, globals: &Globals, plans: &[Plan], requests: Requests) {
    text.open("void main() begin");
    text.line("decl r;");
    let all = globals.locks.iter().chain(&globals.flags).cloned().collect::<Vec<_>>();
    for part in all.chunks(10) {
        text.simple(&format!("{} := {}", part.join(", "), vec!["F"; part.len()].join(", ")));
    }
    if requests == Requests::Many {
        text.head("while (*) do");
    }
    for (module, number) in (0..plans.len()).step_by(MODULE).enumerate() {
        let callee = &plans[number];
        let call = format!("p{number}({})", vec!["*"; callee.parameters].join(", "));
        match module {
            0 => text.head("if (*) then"),
            _ => text.arm("elsif (*) then"),
        }
        text.simple(&if callee.result { format!("r := {call}") } else { call });
    }
    text.close("fi");
    if requests == Requests::Many {
        text.close("od");
    }
    text.close("end");
    text.line("");
}

/// A procedure that is being written.
struct Body<'a> {
    text: &'a mut Text,
    random: &'a mut Random,
    plans: &'a [Plan],
    plan: &'a Plan,
    number: usize,
    /// The procedure's lock is held, perhaps on a condition.
    held: bool,
    /// The number of statements of the whole text at which the procedure is long enough.
    until: usize,
}

impl Body<'_> {
    fn write(mut self, buggy: bool) {
        let names = |letter: char, count| (0..count).map(move |at| format!("{letter}{at}"));
        let parameters = names('a', self.plan.parameters).collect::<Vec<_>>().join(", ");
        let locals = names('l', self.plan.locals).chain(["h".into()]).collect::<Vec<_>>().join(", ");
        let kind = if self.plan.result { "bool" } else { "void" };
        self.text.line("");
        self.text.open(&format!("{kind} p{}({parameters}) begin", self.number));
        self.text.line(&format!("decl {locals};"));
        for local in 0..self.plan.locals {
            self.text.simple(&format!("l{local} := F"));
        }
        // Every callee is called at least once, wherever the locks allow it; the rest is filled up.
        for callee in self.plan.callees.clone() {
            self.guarded_call(callee);
        }
        self.section(true, buggy);
        while self.text.statements + 1 < self.until {
            match self.random.below(10) {
                0 | 1 => {
                    let on_condition = self.random.percent(50);
                    self.section(on_condition, false);
                }
                _ => self.fragment(0),
            }
        }
        if self.plan.result {
            let value = self.expression();
            self.text.simple(&format!("return {value}"));
        }
        self.text.close("end");
    }

    /// The lock is taken, some things are done, and it is given back.
    fn section(&mut self, on_condition: bool, buggy: bool) {
        let lock = self.plan.lock.clone();
        if on_condition {
            let condition = if buggy { "*".into() } else { self.expression() };
            self.text.simple(&format!("h := {condition}"));
            self.text.head("if (h) then");
        }
        self.change(&lock, &lock, "T");
        if on_condition {
            self.text.close("fi");
        }
        self.held = true;
        for _ in 0..self.random.between(1, 3) {
            self.fragment(1);
        }
        self.held = false;
        if buggy {
            let global = self.random.pick(&self.plan.globals).clone();
            self.text.simple(&format!("h := h & {global}"));
        }
        if on_condition {
            self.text.head("if (h) then");
        }
        self.change(&lock, &format!("!{lock}"), "F");
        if on_condition {
            self.text.close("fi");
        }
    }

    /// The lock changes, which is an error if it has this value already.
    fn change(&mut self, lock: &str, wrong: &str, value: &str) {
        self.text.head(&format!("if ({wrong}) then"));
        self.text.simple("fail()");
        self.text.close("fi");
        self.text.simple(&format!("{lock} := {value}"));
    }

    fn fragment(&mut self, depth: usize) {
        let deep = depth >= 3;
        match self.random.below(20) {
            0..=3 if !deep => {
                let condition = if self.random.percent(40) { "*".into() } else { self.expression() };
                self.text.head(&format!("if ({condition}) then"));
                self.fragment(depth + 1);
                if self.random.percent(50) {
                    self.text.arm("else");
                    self.fragment(depth + 1);
                }
                self.text.close("fi");
            }
            4 if !deep => {
                // A loop must be able to end: else what stands behind it is dead code.
                let local = format!("l{}", self.random.below(self.plan.locals));
                self.text.head(&format!("while ({local}) do"));
                self.fragment(depth + 1);
                self.text.simple(&format!("{local} := *"));
                self.text.close("od");
            }
            5 if !self.plan.callees.is_empty() => {
                let callee = *self.random.pick(&self.plan.callees);
                if self.held && self.plans[callee].locks[self.plan.lock_number] {
                    self.assignment();
                } else {
                    self.guarded_call(callee);
                }
            }
            // Most of a driver does nothing that the predicates speak of.
            6..=11 => self.text.simple("skip"),
            _ => self.assignment(),
        }
    }

    /// A recursive call may be left out, else no run would ever come back.
    fn guarded_call(&mut self, callee: usize) {
        let recursive = callee <= self.number;
        if recursive {
            self.text.head("if (*) then");
        }
        let arguments = (0..self.plans[callee].parameters).map(|_| self.variable()).collect::<Vec<_>>();
        let call = format!("p{callee}({})", arguments.join(", "));
        if self.plans[callee].result {
            let local = self.random.below(self.plan.locals);
            self.text.simple(&format!("l{local} := {call}"));
        } else {
            self.text.simple(&call);
        }
        if recursive {
            self.text.close("fi");
        }
    }

    fn assignment(&mut self) {
        let target = if self.random.percent(65) {
            format!("l{}", self.random.below(self.plan.locals))
        } else {
            self.random.pick(&self.plan.globals).clone()
        };
        let value = match self.random.below(10) {
            0..=4 => if self.random.percent(50) { "T" } else { "F" }.into(),
            5 => "*".into(),
            6..=7 => self.variable(),
            _ => self.expression(),
        };
        self.text.simple(&format!("{target} := {value}"));
    }

    fn variable(&mut self) -> String {
        match self.random.below(10) {
            0 if self.plan.parameters > 0 => format!("a{}", self.random.below(self.plan.parameters)),
            0..=4 => format!("l{}", self.random.below(self.plan.locals)),
            _ => self.random.pick(&self.plan.globals).clone(),
        }
    }

    fn expression(&mut self) -> String {
        let (a, b) = (self.variable(), self.variable());
        match self.random.below(6) {
            0 => format!("!{a}"),
            1 => format!("{a} & {b}"),
            2 => format!("{a} | {b}"),
            3 => format!("{a} & !{b}"),
            4 => format!("{a} != {b}"),
            _ => a,
        }
    }
}
