//! A trace as text: one line per statement, grouped by who runs.

use crate::model::trace::{Change, Trace};

/// How wide the column of statements gets; longer ones push what they change to the right.
const WIDEST: usize = 60;

pub fn trace(trace: &Trace, file: &str) -> String {
    let steps = match trace.steps.len() {
        1 => "1 step".to_string(),
        count => format!("{count} steps"),
    };
    let mut out = format!("trace: {steps} to the error\n");
    let begin = trace.begin.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    let begin = begin.map(|(name, value)| format!("{name}={}", u8::from(value))).collect::<Vec<_>>();
    if !begin.is_empty() {
        out.push_str(&format!("\nbegin: {}\n", begin.join(" ")));
    }
    let texts = trace.steps.iter().map(|step| 2 * step.depth + step.text.chars().count());
    let wide = texts.filter(|wide| *wide <= WIDEST).max().unwrap_or(0);
    let digits = trace
        .steps
        .iter()
        .map(|step| step.line)
        .chain([trace.error.line])
        .max()
        .unwrap_or(0)
        .to_string()
        .len();
    let mut running = None;
    for step in &trace.steps {
        let who = (step.thread, step.round);
        if running != Some(who) {
            running = Some(who);
            let name = &trace.threads[step.thread].name;
            let round = step.round.map(|round| format!(", round {round}")).unwrap_or_default();
            out.push_str(&format!("\n{name}{round}\n"));
        }
        let text = format!("{}{}", "  ".repeat(step.depth), step.text);
        let changes = step.changes.iter().map(change).collect::<Vec<_>>().join(" ");
        let line = format!("  {:>digits$}  {text:<wide$}  {changes}", step.line);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let error = &trace.error;
    out.push_str(&format!(
        "\nerror: {file}:{} in {}: {}\n",
        error.line, trace.threads[error.thread].name, error.text
    ));
    out
}

fn change(change: &Change) -> String {
    match change.value {
        Some(value) => format!("{}={}", change.variable, u8::from(value)),
        None => format!("{}=*", change.variable),
    }
}
