//! The line on a terminal that tells what is being solved. It is gone when the answers come.

use super::output::complain;
use calculus::solve;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two refreshments. Short runs show nothing.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether the line is on the screen.
static SHOWN: AtomicBool = AtomicBool::new(false);

pub struct Progress {
    last: Instant,
    width: usize,
}

impl Progress {
    /// Nothing unless the standard error is a terminal.
    pub fn on_terminal() -> Option<Progress> {
        let size = io::stderr().is_terminal().then(terminal_size::terminal_size)?;
        let width = size.map_or(80, |(width, _)| usize::from(width.0));
        Some(Progress { last: Instant::now(), width })
    }

    pub fn tell(&mut self, progress: &solve::Progress) {
        if self.last.elapsed() < PAUSE {
            return;
        }
        self.last = Instant::now();
        let line = line(progress).chars().take(self.width.saturating_sub(1)).collect::<String>();
        SHOWN.store(true, Ordering::SeqCst);
        complain(&format!("\r{line}\x1b[K"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        erase();
    }
}

/// Takes the line from the screen.
pub fn erase() {
    if SHOWN.swap(false, Ordering::SeqCst) {
        complain("\r\x1b[K");
    }
}

fn line(progress: &solve::Progress) -> String {
    let solve::Progress { relation, component, components, round, rows, nodes } = progress;
    format!("[{component}/{components}] {relation}: round {round}, {rows} rows, {nodes} nodes")
}
