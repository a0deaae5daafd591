//! A trace as text: one line per statement, grouped by who runs.

use crate::model::trace::{Change, Finish, Mobility, Repeat, Standing, Trace, TraceState, TraceStep};

/// How wide the column of statements gets; longer ones push what they change to the right.
const WIDEST: usize = 60;

pub fn trace(trace: &Trace, file: &str) -> String {
    let mut out = format!("trace: {}\n", headline(trace));
    let begin = trace.begin.iter().filter(|(name, _)| !is_made(name));
    let begin = begin.filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let begin = begin.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    if let Some(configuration) = &trace.configuration {
        out.push_str(&format!("\nbegin: {configuration}\n"));
    } else if !begin.is_empty() {
        out.push_str(&format!("\nbegin: {}\n", begin.join(" ")));
    }
    steps(trace, file, &mut out);
    match &trace.finish {
        Finish::Error(error) if trace.configuration.is_some() => {
            out.push_str(&format!("\ntarget: {}\n", error.text));
        }
        Finish::Error(error) => out.push_str(&format!(
            "\nerror: {file}:{} in {}: {}\n",
            error.line, trace.threads[error.thread].name, error.text
        )),
        Finish::State(end) => state("end", end, &mut out),
        Finish::Repeat(repeat) => {
            state("again", &repeat.state, &mut out);
            repeat.conditions.iter().for_each(|condition| out.push_str(&met(repeat, condition)));
        }
    }
    out
}

fn headline(trace: &Trace) -> String {
    let count = |steps: usize| if steps == 1 { "1 step".to_string() } else { format!("{steps} steps") };
    let steps = trace.steps.len();
    match &trace.finish {
        Finish::Error(_) if trace.configuration.is_some() => format!("{} to the target", count(steps)),
        Finish::Error(_) => format!("{} to the error", count(steps)),
        Finish::State(_) => count(steps),
        Finish::Repeat(repeat) => {
            format!("{}, then {} forever", count(repeat.from), count(steps - repeat.from))
        }
    }
}

fn steps(trace: &Trace, file: &str, out: &mut String) {
    let texts = trace.steps.iter().map(|step| 2 * step.depth + step.text.chars().count());
    let wide = texts.filter(|wide| *wide <= WIDEST).max().unwrap_or(0);
    let error = match &trace.finish {
        Finish::Error(error) => Some(error.line),
        Finish::State(_) | Finish::Repeat(_) => None,
    };
    let lines = trace.steps.iter().map(|step| step.line).chain(error);
    let digits = lines.max().unwrap_or(0).to_string().len();
    let mut running = None;
    for (at, changes) in lines_of(trace, file) {
        let step = &trace.steps[at];
        if matches!(&trace.finish, Finish::Repeat(repeat) if repeat.from == at) {
            running = None;
            out.push_str("\nthen forever:\n");
        }
        let who = (step.thread, step.round);
        if running != Some(who) {
            running = Some(who);
            let name = &trace.threads[step.thread].name;
            let round = step.round.map(|round| format!(", round {round}")).unwrap_or_default();
            out.push_str(&format!("\n{name}{round}\n"));
        }
        let text = format!("{}{}", "  ".repeat(step.depth), step.text);
        let changes = match &step.configuration {
            Some(configuration) => configuration.clone(),
            None => changes.into_iter().map(change).collect::<Vec<_>>().join(" "),
        };
        let line = format!("  {:>digits$}  {text:<wide$}  {changes}", step.line);
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// The steps that have a line, with what they change. A statement of C may take several steps: they share one, unless one
/// of them changes again what another one has changed.
fn lines_of<'t>(trace: &'t Trace, file: &str) -> Vec<(usize, Vec<&'t Change>)> {
    let joins = [".c", ".i"].iter().any(|ending| file.ends_with(ending));
    let mut lines: Vec<(usize, Vec<&Change>)> = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let changes = step.changes.iter().filter(|change| !is_made(&change.variable)).collect::<Vec<_>>();
        let begins = matches!(&trace.finish, Finish::Repeat(repeat) if repeat.from == at);
        let same = |other: &TraceStep| {
            let of = |step: &TraceStep| (step.thread, step.round, step.line, step.depth);
            of(other) == of(step) && other.text == step.text
        };
        let again = |known: &[&Change]| {
            changes.iter().any(|change| known.iter().any(|known| known.variable == change.variable))
        };
        match lines.last_mut() {
            Some((before, known)) if joins && !begins && same(&trace.steps[*before]) && !again(known) => {
                known.extend(changes);
            }
            _ => lines.push((at, changes)),
        }
    }
    lines
}

/// Where all threads stand: the shared values, and a line for each thread.
fn state(word: &str, state: &TraceState, out: &mut String) {
    if let Some(configuration) = &state.configuration {
        out.push_str(&format!("\n{word}: {configuration}\n"));
        return;
    }
    let shared = known(&state.shared);
    out.push_str(format!("\n{word}: {}", shared.join(" ")).trim_end());
    out.push('\n');
    let wide = state.threads.iter().map(|thread| thread.name.chars().count()).max().unwrap_or(0);
    for thread in &state.threads {
        let line = format!("  {:<wide$}  {}", thread.name, standing(thread));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

fn standing(thread: &Standing) -> String {
    let moves = match thread.moves {
        // That a thread moves is seen above, and that one that has ended does not is clear.
        Mobility::Moves => String::new(),
        _ if thread.status == "ended" => String::new(),
        moves => format!("; {}", moves.words()),
    };
    let place = match thread.frames.last() {
        None => thread.status.clone(),
        Some(top) => {
            let failed = if thread.status == "failed" { "failed, " } else { "" };
            let values = [known(&thread.own), known(&top.locals)].concat().join(" ");
            let values = if values.is_empty() { values } else { format!("  {values}") };
            format!("{failed}line {}: {}{values}", top.line, top.text)
        }
    };
    format!("{place}{moves}")
}

/// The steps that meet a condition.
fn met(repeat: &Repeat, condition: &str) -> String {
    let met = repeat.met.iter().filter(|met| met.condition == condition);
    let met = met.map(|met| {
        // Clauses without a name have a number.
        let named = !met.clause.starts_with(|c: char| c.is_ascii_digit());
        let clause = if named { format!(" ({})", met.clause) } else { String::new() };
        format!("step {}{clause}", met.step)
    });
    format!("  {condition} is met with {}\n", met.collect::<Vec<_>>().join(", "))
}

fn known(values: &[Change]) -> Vec<String> {
    values.iter().filter(|value| value.value.is_some() && !is_made(&value.variable)).map(change).collect()
}

/// What the text does not have is for replays only.
fn is_made(variable: &str) -> bool {
    variable.starts_with('.')
}

fn change(change: &Change) -> String {
    match &change.value {
        Some(value) => format!("{}={value}", change.variable),
        None => format!("{}=*", change.variable),
    }
}
