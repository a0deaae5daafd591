//! The line on a terminal that tells what is being solved. It is gone when the answers come.
//!
//! The solver tells when a round begins. A round may take long, so a thread of its own keeps the line alive.

use super::output::complain;
use calculus::solve;
use calculus::visible::visible;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two refreshments. Shorter runs show nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether the line is on the screen.
static SHOWN: AtomicBool = AtomicBool::new(false);

type Latest = Arc<Mutex<Option<solve::Progress>>>;

pub struct ProgressLine {
    latest: Latest,
    /// The thread ends when the sender is gone.
    painter: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ProgressLine {
    /// Nothing unless the standard error is a terminal.
    pub fn on_terminal() -> Option<ProgressLine> {
        let size = io::stderr().is_terminal().then(terminal_size::terminal_size)?;
        let width = size.map_or(80, |(width, _)| usize::from(width.0));
        let latest = Latest::default();
        let (sender, receiver) = channel();
        let seen = latest.clone();
        let thread = std::thread::Builder::new().spawn(move || paint(&seen, &receiver, width)).ok()?;
        Some(ProgressLine { latest, painter: Some((sender, thread)) })
    }

    pub fn tell(&self, progress: &solve::Progress) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.painter.take() {
            drop(sender);
            // It only prints; there is nothing to learn from how it ended.
            let _ = thread.join();
        }
        erase();
    }
}

fn paint(latest: &Latest, ended: &Receiver<()>, width: usize) {
    let begin = Instant::now();
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PAUSE) {
        let progress = latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(progress) = progress {
            let line = line(&progress, begin.elapsed());
            let line = visible(&line);
            let line = line.chars().take(width.saturating_sub(1)).collect::<String>();
            SHOWN.store(true, Ordering::SeqCst);
            complain(&format!("\r{line}\x1b[K"));
        }
    }
}

/// Takes the line from the screen.
pub fn erase() {
    if SHOWN.swap(false, Ordering::SeqCst) {
        complain("\r\x1b[K");
    }
}

fn line(progress: &solve::Progress, time: Duration) -> String {
    let solve::Progress { relation, clause, component, components, round, rows, nodes } = progress;
    let time = time.as_secs();
    let clause = clause.as_ref().map(|clause| format!(", clause {clause}")).unwrap_or_default();
    format!(
        "[{component}/{components}] {relation}{clause}: round {round}, {rows} rows, {nodes} nodes, {time} s"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_clause() {
        let mut progress = solve::Progress {
            relation: "Reach[2]".into(),
            clause: Some("step".into()),
            component: 3,
            components: 7,
            round: 12,
            rows: 4,
            nodes: 5678,
        };
        let time = Duration::from_millis(2500);
        assert_eq!(line(&progress, time), "[3/7] Reach[2], clause step: round 12, 4 rows, 5678 nodes, 2 s");
        progress.clause = None;
        assert_eq!(line(&progress, time), "[3/7] Reach[2]: round 12, 4 rows, 5678 nodes, 2 s");
    }
}
