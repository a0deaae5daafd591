//! A trace as text: one line per statement, grouped by who runs.

use crate::model::trace::{Change, Finish, Mobility, Repeat, Standing, Trace, TraceState};

/// How wide the column of statements gets; longer ones push what they change to the right.
const WIDEST: usize = 60;

pub fn trace(trace: &Trace, file: &str) -> String {
    let mut out = format!("trace: {}\n", headline(trace));
    let begin = trace.begin.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let begin = begin.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    if let Some(configuration) = &trace.configuration {
        out.push_str(&format!("\nbegin: {configuration}\n"));
    } else if !begin.is_empty() {
        out.push_str(&format!("\nbegin: {}\n", begin.join(" ")));
    }
    steps(trace, &mut out);
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

fn steps(trace: &Trace, out: &mut String) {
    let texts = trace.steps.iter().map(|step| 2 * step.depth + step.text.chars().count());
    let wide = texts.filter(|wide| *wide <= WIDEST).max().unwrap_or(0);
    let error = match &trace.finish {
        Finish::Error(error) => Some(error.line),
        Finish::State(_) | Finish::Repeat(_) => None,
    };
    let lines = trace.steps.iter().map(|step| step.line).chain(error);
    let digits = lines.max().unwrap_or(0).to_string().len();
    let mut running = None;
    for (at, step) in trace.steps.iter().enumerate() {
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
            // What the text does not have is for replays only.
            None => {
                let told = step.changes.iter().filter(|change| !change.variable.starts_with('.'));
                told.map(change).collect::<Vec<_>>().join(" ")
            }
        };
        let line = format!("  {:>digits$}  {text:<wide$}  {changes}", step.line);
        out.push_str(line.trim_end());
        out.push('\n');
    }
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
    values.iter().filter(|value| value.value.is_some()).map(change).collect()
}

fn change(change: &Change) -> String {
    match &change.value {
        Some(value) => format!("{}={value}", change.variable),
        None => format!("{}=*", change.variable),
    }
}
