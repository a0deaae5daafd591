//! One run in a process of its own, and what becomes of it.
//!
//! The run keeps its limits by itself and then tells why it gave up. If it does not, because it is stuck or takes
//! memory faster than it looks, it is ended from here a little past them.

use super::{Label, Measured};
use serde_json::Value as Json;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long past the time limit a run may go on: its own watchdog needs a second.
const GRACE: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 4_000 });
const POLL: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, Default)]
pub struct ChildLimits {
    pub timeout: Option<Duration>,
    pub memory: Option<u64>,
}

/// What a run brought.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    pub label: Label,
    pub params: String,
    pub detail: String,
    pub measured: Measured,
    /// The object of the run that it printed, if it came to its end.
    pub answer: Option<Box<Json>>,
}

impl Ended {
    /// The answer holds for words of some width, and with larger ones there may be another.
    pub fn needs_larger_words(&self) -> bool {
        let answer = self.answer.as_ref().filter(|_| self.label == Label::Bounded);
        answer.is_some_and(|answer| answer["words"]["enough"] == Json::Bool(false))
    }
}

/// By these a run is held back while another one has its processor. It keeps what it knows. Only Unix can hold a process
/// back; elsewhere it goes on, and the system shares the processors.
#[derive(Debug, Default)]
pub struct Reins {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    back: bool,
    /// The process, from its start until it was waited for: its number may mean another one then.
    process: Option<u32>,
}

impl Reins {
    pub fn hold_back(&self) {
        self.set(true);
    }

    pub fn let_go(&self) {
        self.set(false);
    }

    fn set(&self, back: bool) {
        let mut held = self.held();
        held.back = back;
        held.tell();
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begun(&self, process: u32) {
        let mut held = self.held();
        held.process = Some(process);
        if held.back {
            held.tell();
        }
    }

    /// What became of the process, if it has ended.
    fn ended(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        let mut held = self.held();
        let status = child.try_wait()?;
        if status.is_some() {
            held.process = None;
        }
        Ok(status)
    }
}

impl Held {
    #[cfg(unix)]
    fn tell(&self) {
        use rustix::process::{Pid, Signal, kill_process};
        let process = self.process.and_then(|process| Pid::from_raw(process as i32));
        let signal = if self.back { Signal::STOP } else { Signal::CONT };
        if let Some(process) = process {
            // A process that has just ended cannot be held back.
            let _ = kill_process(process, signal);
        }
    }

    #[cfg(not(unix))]
    fn tell(&self) {}
}

/// Runs the command, which prints the JSON of a run and ends with its standard input. Nothing if it was interrupted.
pub fn run(command: &mut Command, limits: ChildLimits, interrupt: &AtomicBool) -> io::Result<Option<Ended>> {
    run_held(command, limits, &Reins::default(), interrupt)
}

/// The same for a run that may be held back.
pub fn run_held(
    command: &mut Command,
    limits: ChildLimits,
    reins: &Reins,
    interrupt: &AtomicBool,
) -> io::Result<Option<Ended>> {
    let begin = Instant::now();
    // The run ends when this pipe is closed, as it is when this process ends, in whatever way.
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let _leash = child.stdin.take();
    reins.begun(child.id());
    let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let mut written = None;
    let mut memory = 0;
    let mut pause = Duration::from_millis(1);
    let mut killed = None;
    let status = loop {
        memory = memory.max(peak_memory(child.id()).unwrap_or(0));
        if let Some(status) = reins.ended(&mut child)? {
            break status;
        }
        if interrupt.load(Ordering::SeqCst) {
            end(&mut child, reins)?;
            return Ok(None);
        }
        killed = past(limits, begin.elapsed(), memory);
        if killed.is_some() {
            break end(&mut child, reins)?;
        }
        // A run that has written all is about to end.
        match written {
            None => match out.recv_timeout(pause) {
                Ok(bytes) => (written, pause) = (Some(bytes), Duration::from_millis(1)),
                Err(RecvTimeoutError::Timeout) => pause = (pause * 2).min(POLL),
                Err(RecvTimeoutError::Disconnected) => written = Some(Vec::new()),
            },
            Some(_) => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(POLL);
            }
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    let out = text(written.unwrap_or_else(|| out.recv().unwrap_or_default()));
    let err = text(err.recv().unwrap_or_default());
    let answer = serde_json::from_str::<Json>(&out).ok();
    let (label, params, detail) = match killed {
        Some((label, detail)) => (label, String::new(), detail),
        None => match understand(status, answer.as_ref(), &err) {
            Some(understood) => understood,
            None => return Ok(None),
        },
    };
    let memory_mib = (memory > 0).then_some(memory >> 20);
    let answer = answer.filter(|_| label.is_answer()).map(Box::new);
    Ok(Some(Ended { label, params, detail, measured: Measured { seconds, memory_mib }, answer }))
}

/// Which limit a run is so far past that it does not notice by itself.
fn past(limits: ChildLimits, time: Duration, memory: u64) -> Option<(Label, String)> {
    if let Some(limit) = limits.memory.filter(|limit| memory > limit.saturating_add(limit / 4)) {
        return Some((Label::Memory, format!("memory limit of {} MiB reached", limit >> 20)));
    }
    let limit = limits.timeout.filter(|limit| time > limit.saturating_add(GRACE))?;
    Some((Label::Timeout, format!("time limit of {} s reached", limit.as_micros() as f64 / 1e6)))
}

fn end(child: &mut Child, reins: &Reins) -> io::Result<ExitStatus> {
    let mut held = reins.held();
    // It may have ended by itself meanwhile; then there is nothing to kill.
    let _ = child.kill();
    held.process = None;
    child.wait()
}

/// Reads a pipe to its end, so that the run never waits for a reader.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before an error is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody listens only if the run was interrupted.
        let _ = sender.send(bytes);
    });
    receiver
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The largest resident memory of a process so far, where the system tells.
fn peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// The label, the parameters and the detail of a run that ended. Nothing if it was interrupted.
fn understand(status: ExitStatus, answer: Option<&Json>, err: &str) -> Option<(Label, String, String)> {
    let crash = |detail: String| Some((Label::Crash, String::new(), detail));
    let told = || err.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").to_string();
    let Some(code) = status.code() else {
        return Some(match signal(status) {
            Some(9) => (Label::Killed, String::new(), "ended by signal 9, perhaps for want of memory".into()),
            Some(signal) => (Label::Crash, String::new(), format!("ended by signal {signal}")),
            None => (Label::Crash, String::new(), "ended without an exit code".into()),
        });
    };
    // A bug is told as JSON too; the standard error has it in a line.
    let Some(answer) = answer.filter(|_| code != 101) else {
        return crash(format!("exit code {code}: {}", told()));
    };
    let word = |key: &str| answer[key].as_str().unwrap_or_default();
    if code == 2 {
        let first = &answer["diagnostics"][0]["code"];
        let code = first.as_str().map_or(String::new(), |code| format!("{code}: "));
        return Some((Label::Refused, String::new(), format!("{code}{}", word("error"))));
    }
    let stop = answer["stop"]["reason"].as_str();
    if stop == Some("interrupt") {
        return None;
    }
    let label = match (word("verdict"), code) {
        ("unsafe", 1) => Label::Unsafe,
        ("safe", 0) => Label::Safe,
        ("bounded", 0) => Label::Bounded,
        ("none" | "", 0) => Label::None,
        ("unknown", 3) if stop == Some("time") => Label::Timeout,
        ("unknown", 3) if stop == Some("memory") => Label::Memory,
        ("unknown", 3) if stop == Some("nodes") => Label::Nodes,
        ("unknown", 3) if stop.is_none() => Label::Unknown,
        // An answer whose two tellings differ is none.
        (verdict, code) => return crash(format!("exit code {code} with the verdict {verdict}: {}", told())),
    };
    let detail = [word("reason"), word("message")].into_iter().find(|text| !text.is_empty());
    let params = answer["params"].as_object().map(|params| {
        params.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    });
    Some((label, params.unwrap_or_default(), detail.unwrap_or_default().to_string()))
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What becomes of a process that runs this script.
    fn of(script: &str, limits: ChildLimits) -> (Label, String) {
        let mut command = Command::new("sh");
        let ended = run(command.args(["-c", script]), limits, &AtomicBool::new(false)).unwrap().unwrap();
        (ended.label, ended.detail)
    }

    #[test]
    fn every_end_has_a_label() {
        let of = |script: &str| of(script, ChildLimits::default());
        let answer = |verdict: &str, message: &str, stop: &str, code: i32| {
            // The words are for people: whatever they say, they decide nothing.
            let stop = format!(r#""reason": "time limit of 9 s", "stop": {stop}"#);
            of(&format!(r#"echo '{{"verdict": {verdict}, "message": {message}, {stop}}}'; exit {code}"#))
        };
        let stopped = |word: &str| answer("\"unknown\"", "null", &format!(r#"{{"reason": "{word}"}}"#), 3).0;
        assert_eq!(answer("\"unsafe\"", "null", "null", 1), (Label::Unsafe, "time limit of 9 s".into()));
        assert_eq!(answer("\"safe\"", "\"why\"", "null", 0).0, Label::Safe);
        assert_eq!(answer("\"bounded\"", "null", "null", 0).0, Label::Bounded);
        assert_eq!(answer("\"unknown\"", "\"try more\"", "null", 3).0, Label::Unknown);
        let message = of(r#"echo '{"verdict": "unknown", "message": "try more", "reason": null}'; exit 3"#);
        assert_eq!(message, (Label::Unknown, "try more".into()));
        assert_eq!(stopped("time"), Label::Timeout);
        assert_eq!(stopped("memory"), Label::Memory);
        assert_eq!(stopped("nodes"), Label::Nodes);
        assert_eq!(stopped("something"), Label::Crash, "a reason that is not known");
        assert_eq!(answer("null", "null", "null", 0).0, Label::None);
        assert_eq!(answer("\"safe\"", "null", "null", 1).0, Label::Crash, "two tellings that differ");
        assert_eq!(of("echo oh no >&2; exit 101"), (Label::Crash, "exit code 101: oh no".into()));
        assert_eq!(of("kill -6 $$"), (Label::Crash, "ended by signal 6".into()));
        assert_eq!(of("kill -9 $$").0, Label::Killed);
        let refused = of(r#"echo '{"error": "no", "diagnostics": [{"code": "fp::refused"}]}'; exit 2"#);
        assert_eq!(refused, (Label::Refused, "fp::refused: no".into()));
    }

    #[test]
    fn a_run_that_is_held_back_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (begun, ended) = (folder.path().join("begun"), folder.path().join("ended"));
        let script = format!("touch {}; sleep 0.3; touch {}", begun.display(), ended.display());
        let (reins, interrupt) = (Reins::default(), AtomicBool::new(false));
        reins.hold_back();
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script]);
        std::thread::scope(|scope| {
            scope.spawn(|| run_held(command, ChildLimits::default(), &reins, &interrupt).unwrap());
            let wait = |path: &std::path::Path| {
                let begin = Instant::now();
                while !path.exists() && begin.elapsed() < Duration::from_secs(30) {
                    std::thread::sleep(POLL);
                }
                assert!(path.exists());
            };
            reins.let_go();
            wait(&begun);
            reins.hold_back();
            std::thread::sleep(Duration::from_millis(900));
            assert!(!ended.exists(), "it goes on though it is held back");
            reins.let_go();
            wait(&ended);
        });
    }

    #[test]
    fn a_run_that_is_held_back_can_be_ended() {
        let (reins, interrupt) = (Reins::default(), AtomicBool::new(false));
        reins.hold_back();
        let mut command = Command::new("sleep");
        let command = command.arg("60");
        std::thread::scope(|scope| {
            let run = scope.spawn(|| run_held(command, ChildLimits::default(), &reins, &interrupt).unwrap());
            std::thread::sleep(Duration::from_millis(50));
            interrupt.store(true, Ordering::SeqCst);
            assert_eq!(run.join().unwrap(), None);
        });
    }

    #[test]
    fn whoever_ignores_the_time_limit_is_ended() {
        let limits = ChildLimits { timeout: Some(Duration::ZERO), memory: None };
        let begin = Instant::now();
        assert_eq!(of("exec sleep 60", limits), (Label::Timeout, "time limit of 0 s reached".into()));
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}
