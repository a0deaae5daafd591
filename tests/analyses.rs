//! `race` and `coverage` against all states of random programs, and what they say about programs of every dialect.
//!
//! The oracle walks the explicit interpreter, and reads off the statements themselves what they access.

mod agreement {
    pub mod generator;
}
mod support;

use agreement::generator::{Random, singles};
use calculus::sort::Value;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::{Machine, Pc, State, Status};
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::program::resolve::program::{Expr, Form, Op, Procedure, Program, Var};
use fpsolve::model::program::{Options, load};
use fpsolve::run::{Outcome, Request, Settings, files, run};
use std::collections::BTreeSet;
use support::{Treatment, effort};

/// Larger programs are left out.
const MOST: usize = 20_000;

/// Variable, line that writes it, line that accesses it.
type Race = (String, usize, usize);

#[derive(Default)]
struct Seen {
    races: BTreeSet<Race>,
    /// The lines whose statements some run comes to, and those of them that are assertions.
    lines: BTreeSet<usize>,
    asserts: BTreeSet<usize>,
}

/// All states, each with who ran last. Nothing if there are too many.
fn explore(program: &Program) -> Option<Seen> {
    let machine = Machine::new(program, 0);
    let mut work = machine.initial().into_iter().map(|state| (state, 0)).collect::<Vec<_>>();
    let mut known = work.iter().cloned().collect::<BTreeSet<_>>();
    let mut seen = Seen::default();
    while let Some((state, running)) = work.pop() {
        note(program, &machine, &state, running, &mut seen);
        let free = running != 0 && machine.yields(&state, running);
        let mut next = Vec::new();
        if state.initializing() {
            next.extend(machine.steps(&state, 0).into_iter().map(|step| (step.state, 0)));
        } else {
            let threads = 1..state.threads.len();
            for thread in threads.filter(|thread| running == 0 || free || *thread == running) {
                next.extend(machine.steps(&state, thread).into_iter().map(|step| (step.state, thread)));
            }
        }
        for node in next {
            if known.insert(node.clone()) {
                work.push(node);
            }
        }
        if known.len() > MOST {
            return None;
        }
    }
    Some(seen)
}

fn note(program: &Program, machine: &Machine, state: &State, running: usize, seen: &mut Seen) {
    let initializing = state.initializing();
    let begun = if initializing { 0..1 } else { 1..state.threads.len() };
    for thread in begun.clone() {
        let top = state.threads[thread].frames.last();
        if let (Status::Running, Some(top)) = (state.threads[thread].status, top)
            && let Pc::At(id) = top.pc
        {
            let statement = program.procedure(top.procedure).statement(id);
            seen.lines.insert(program.source.line(statement.span));
            if matches!(statement.form, Form::Assert(_)) {
                seen.asserts.insert(program.source.line(statement.span));
            }
        }
    }
    if initializing || (running != 0 && !machine.yields(state, running)) {
        return;
    }
    let accesses = begun.map(|thread| accesses(program, state, thread)).collect::<Vec<_>>();
    for (i, (line, _, written)) in accesses.iter().enumerate() {
        for (j, (at, read, also_written)) in accesses.iter().enumerate().filter(|(j, _)| *j != i) {
            for variable in written {
                let both = also_written.contains(variable);
                if both && i < j || !both && read.contains(variable) {
                    let name = program.shared[*variable as usize].name.clone();
                    seen.races.insert((name, *line, *at));
                }
            }
        }
    }
}

/// The line where a thread stands, and the shared variables that its next step reads and writes.
fn accesses(program: &Program, state: &State, thread: usize) -> (usize, BTreeSet<u32>, BTreeSet<u32>) {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    let this = &state.threads[thread];
    let Some(top) = this.frames.last().filter(|_| this.status == Status::Running) else {
        return (0, read, written);
    };
    let procedure = program.procedure(top.procedure);
    let line = match top.pc {
        Pc::At(id) => {
            let statement = procedure.statement(id);
            form(program, procedure, &statement.form, &mut read, &mut written);
            program.source.line(statement.span)
        }
        Pc::Entry => {
            let enforced = procedure.enforce.iter().flat_map(|enforce| enforce.variables());
            read.extend(enforced.filter_map(|var| shared(&var)));
            program.source.line(procedure.name_span)
        }
        Pc::Exit => {
            if let [.., caller, _] = &this.frames[..]
                && let Pc::At(id) = caller.pc
                && let Form::Call { targets, .. } = &program.procedure(caller.procedure).statement(id).form
            {
                written.extend(targets.iter().flatten().filter_map(shared));
            }
            let end = procedure.span.end.saturating_sub(3);
            program.source.line(calculus::span::Span { start: end, ..procedure.span })
        }
    };
    (line, read, written)
}

fn shared(var: &Var) -> Option<u32> {
    if let Var::Shared(index) = var { Some(*index) } else { None }
}

fn form(
    program: &Program,
    procedure: &Procedure,
    form: &Form,
    read: &mut BTreeSet<u32>,
    written: &mut BTreeSet<u32>,
) {
    let mut reading = |expression: &Expr| read.extend(expression.variables().filter_map(|var| shared(&var)));
    procedure.enforce.iter().for_each(&mut reading);
    match form {
        Form::Skip | Form::Goto(_) | Form::AtomicBegin | Form::AtomicEnd | Form::EndThread => {}
        Form::Assign { targets, values, constrain, others: _ } => {
            let targets = targets.iter().flatten().filter_map(shared).collect::<Vec<_>>();
            values.iter().for_each(&mut reading);
            let looked_at = |op: &Op| match op {
                Op::Old(var) => shared(var),
                Op::New(var) => shared(var).filter(|var| !targets.contains(var)),
                _ => None,
            };
            read.extend(constrain.iter().flat_map(|constrain| &constrain.code).filter_map(looked_at));
            written.extend(targets);
        }
        Form::Constrain(relation) => {
            let old = |op: &Op| if let Op::Old(var) = op { shared(var) } else { None };
            read.extend(relation.code.iter().filter_map(old));
            written.extend(0..program.shared.len() as u32);
        }
        Form::Dead(names) => written.extend(names.iter().filter_map(shared)),
        Form::Call { arguments: values, .. }
        | Form::Start { arguments: values, .. }
        | Form::Return(values) => values.iter().for_each(reading),
        Form::If { condition, .. } | Form::While { condition, .. } => reading(condition),
        Form::Assume(condition) | Form::Assert(condition) => reading(condition),
    }
}

fn rows(outcome: &Outcome, query: &str) -> Vec<Vec<Value>> {
    let queries = outcome.queries();
    let answer = queries.iter().find(|answer| answer.name == query).expect("the query of the file");
    answer.answer.as_ref().expect("it was solved").1.clone()
}

fn number(value: &Value) -> u64 {
    if let Value::Name(number) = value { *number } else { panic!("{value:?} has no number") }
}

fn races(text: &str, simplify: bool) -> BTreeSet<Race> {
    let reading = Options { copies: Some(1), ..Options::default() };
    let options = ProgramOptions { reading, inline: Inline::Always, simplify, ..ProgramOptions::default() };
    let model = program("program.bp", text, &options).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let file = files::find("race", &[]).expect("it is bundled");
    let request = Request { model: Some(model.vocabulary.clone()), ..Request::new(file) };
    let outcome = run(&request, &Settings { list: usize::MAX, ..Settings::default() })
        .unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let line = |pc: &Value| {
        let (flow, loc) = model.layout.location(number(pc));
        model.cfg.line(model.cfg.flow(flow).locations[loc.index()].span)
    };
    let variables = &model.vocabulary.symbols[0].texts;
    let race = |row: &Vec<Value>| (variables[number(&row[0]) as usize].clone(), line(&row[1]), line(&row[2]));
    let races = rows(&outcome, "Races").iter().map(race).collect::<BTreeSet<_>>();
    let racy = outcome.conclusion().word() == Some("unsafe");
    assert_eq!(racy, !races.is_empty(), "{text}");
    races
}

fn lines(outcome: &Outcome, query: &str) -> BTreeSet<usize> {
    rows(outcome, query).iter().map(|row| number(&row[0]) as usize).collect()
}

/// Every statement on a line of its own, so that lines tell statements apart.
fn spread(text: &str) -> String {
    let breaks =
        [("; ", ";\n"), ("then ", "then\n"), ("else ", "else\n"), ("do ", "do\n"), ("begin ", "begin\n")];
    breaks.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

/// A random program whose calls can all be inlined, and its tree.
fn random_program(random: &mut Random, number: usize) -> Option<(String, Program)> {
    let text = spread(&singles(random, 2 + usize::from(number.is_multiple_of(5)), number.is_multiple_of(2)));
    let program =
        load("program.bp", &text, &Options::default()).expect("the generator makes programs").program;
    let options = ProgramOptions::default();
    let facts =
        fpsolve::model::boolean::program("program.bp", &text, &options).expect("it is right").cfg.facts();
    (facts.calls == 0).then_some((text, program))
}

#[test]
fn races_and_coverage_of_random_programs_are_those_of_all_states() {
    let mut random = Random(0x6a09_e667_f3bc_c908);
    let (mut compared, mut racy, mut missed) = (0, 0, 0);
    for number in 0..effort::cases(120) {
        let Some((text, program)) = random_program(&mut random, number) else { continue };
        let Some(seen) = explore(&program) else { continue };
        let mut treatment = Treatment::number(number);
        treatment.inline = Inline::Always;
        assert_eq!(races(&text, treatment.simplify), seen.races, "{text}");
        let outcome = support::run("coverage", &[], &text, &treatment).expect("it fits");
        assert_eq!(lines(&outcome, "Reached"), seen.lines, "{text}");
        let all = program.procedures.iter().flat_map(|procedure| &procedure.statements);
        let hoped = |line: &usize| {
            let mut here = all.clone().filter(|statement| program.source.line(statement.span) == *line);
            here.any(|statement| statement.target)
        };
        let lines_of_code = all.clone().map(|statement| program.source.line(statement.span));
        let dead =
            lines_of_code.filter(|line| !seen.lines.contains(line) && !hoped(line)).collect::<BTreeSet<_>>();
        let said = lines(&outcome, "Missed");
        // A label that no path leads to is no target of the model.
        assert!(said.is_superset(&dead) && said.iter().all(|line| !seen.lines.contains(line)), "{text}");
        assert!(lines(&outcome, "Vacuous").iter().all(|line| !seen.asserts.contains(line)), "{text}");
        compared += 1;
        racy += usize::from(!seen.races.is_empty());
        missed += usize::from(!dead.is_empty());
    }
    println!("{compared} programs, {racy} with a race, {missed} with a line that is never reached");
    assert!(effort::enough(compared, 90) && effort::enough(racy, 40) && effort::enough(missed, 40));
    assert!(effort::enough(compared - racy, 20), "{compared} {racy}");
}

/// A lock in the words of each dialect; only `x` is accessed without it.
const DIALECTS: [(&str, &str); 4] = [
    (
        "fpsolve",
        "decl lock := F, x := F, y := F;
thread a begin atomic_begin; assume(!lock); lock := T; atomic_end; y := T; lock := F; x := T; end
thread b begin atomic_begin; assume(!lock); lock := T; atomic_end; y := F; lock := F; assume(x); end",
    ),
    (
        "satabs",
        "decl lock, x, y;
void main() begin
  lock, x, y := 0, 0, 0;
  start_thread goto L;
  atomic_begin; assume(!lock); lock := 1; atomic_end; y := 1; atomic_begin; lock := 0; atomic_end;
  x := 1;
  goto E;
  L: atomic_begin; assume(!lock); lock := 1; atomic_end; y := 0; atomic_begin; lock := 0; atomic_end;
  assert(x | !x);
  end_thread;
  E: skip;
end",
    ),
    (
        "numeric",
        "decl x := 0, y := 0;
void main() begin
1: start_thread goto 5;
2: atomic_begin;
3: y := 1;
4: atomic_end; goto 9;
5: atomic_begin;
6: y := 0;
7: atomic_end;
8: assert(x | !x); goto 10;
9: x := 1;
10: skip;
end",
    ),
    (
        "getafix",
        "decl atomic, x, y;
void init() begin
  atomic, x, y := F, F, F;
  endinit: goto endinit;
end
void thread1() begin
  atomic := T; y := T; atomic := F;
  x := T;
  assume(T);
end
void thread2() begin
  atomic := T; y := F; atomic := F;
  if (x) then skip; fi
  assume(T);
end",
    ),
];

#[test]
fn races_are_found_in_every_dialect() {
    for (dialect, text) in DIALECTS {
        let found = races(text, true);
        let variables = found.iter().map(|(variable, ..)| variable.as_str()).collect::<BTreeSet<_>>();
        assert_eq!(variables.into_iter().collect::<Vec<_>>(), ["x"], "{dialect}: {found:?}");
    }
}
