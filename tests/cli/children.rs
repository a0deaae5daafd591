//! Processes that go on while a test looks at them.

use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far more than any of these processes takes, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a command; what it says is kept.
pub fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a child said, if it ends in time.
pub fn end(mut child: Child, about: &str) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("`{about}` did not end");
        }
        sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

/// Waits until a child handles interruptions, and then for it to be at work.
pub fn wait_for_work(child: &Child, then: Duration) {
    let begin = Instant::now();
    while !handles_interruptions(child.id()) && begin.elapsed() < PATIENCE {
        sleep(Duration::from_millis(5));
    }
    sleep(then);
}

/// Whether the process catches SIGINT, where the system tells; elsewhere the pause has to do.
fn handles_interruptions(process: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { return true };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 0b10 != 0))
}

pub fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Does all jobs, many at a time: they mostly wait.
pub fn all<T: Sync>(jobs: &[T], each: impl Fn(&T) + Sync) {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| each(job))).is_err() {
                        *failed.lock().unwrap() += 1;
                    }
                }
            });
        }
    });
    assert_eq!(failed.into_inner().unwrap(), 0, "jobs that failed; see above");
}
