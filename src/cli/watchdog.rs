//! Limits that hold in every phase of every command.
//!
//! Time counts from the start of the process. Work on diagrams looks at the limits itself and ends with what it knows so
//! far. Other work, such as parsing, cannot be stopped from inside: then the answer is given here, and the process ends.

use super::Exit;
use super::output;
use calculus::bdd::{Limits, Stop, resident_bytes};
use calculus::phase;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long work that looks at the limits itself has to notice one, and to say what it knows.
const GRACE: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(20);
/// Whoever has this many times the memory that is allowed has no grace left.
const FAR_TOO_MUCH: f64 = 1.1;

static BEGIN: OnceLock<Instant> = OnceLock::new();

/// When the process began. The first call is to be in `main`.
pub fn begin() -> Instant {
    *BEGIN.get_or_init(Instant::now)
}

/// Watches over the thread that made it, until the process ends.
pub struct Watchdog {
    limits: Arc<Mutex<Limits>>,
}

impl Watchdog {
    /// Gives the work that begins now the time that the work before had.
    pub fn restart(&self) -> Limits {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        *limits = limits.from_now();
        limits.clone()
    }
}

/// Begins to watch over the work of this thread. `tell` has the words for a command that is given up.
pub fn watch(limits: Limits, tell: impl Fn(&Stop) -> String + Send + 'static) -> Watchdog {
    let limits = Arc::new(Mutex::new(limits));
    let (watched, view) = (limits.clone(), phase::view());
    let watch = move || {
        let mut since: Option<Instant> = None;
        let mut last = view.now();
        loop {
            std::thread::sleep(POLL);
            let now = view.now();
            let between = now.doing.is_empty();
            if !between {
                last = now;
            }
            let limits = watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Some(reason) = limits.passed_with_memory() else {
                since = None;
                continue;
            };
            let since = *since.get_or_insert_with(Instant::now);
            // Between phases, work that has just noticed the limit is about to say what it knows.
            if is_over(&limits, since, between || last.polls) {
                return output::give_up(&tell(&Stop::new(reason, last)), Exit::Unknown);
            }
        }
    };
    // Without the thread the work's own looks are all there is.
    let _ = std::thread::Builder::new().name("watchdog".into()).spawn(watch);
    Watchdog { limits }
}

/// Whether the work will not end by itself, or not soon enough.
fn is_over(limits: &Limits, since: Instant, polls: bool) -> bool {
    let far = |limit: u64| resident_bytes().is_some_and(|bytes| bytes as f64 > limit as f64 * FAR_TOO_MUCH);
    !polls || since.elapsed() > GRACE || limits.memory.is_some_and(far)
}

/// Ends the process when its standard input is closed, which is when whoever started it has ended. A process that is held
/// back does not notice that; Linux ends it when the thread that started it, and waits for it, has ended.
pub fn end_with_stdin() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let watch = || {
        // Nobody says anything there; an error is as good as its end.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        std::process::exit(Exit::Unknown as i32);
    };
    let _ = std::thread::Builder::new().name("leash".into()).spawn(watch);
}
