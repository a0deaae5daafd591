//! Each limit ends a computation that would go on for hours, with the right reason, and leaves the manager sound.

use calculus::bdd::{Bdd, Limits, Manager, ManagerSettings, Reorder, Stop, StopReason, Var};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Resident memory belongs to the whole process, so these tests run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a multiplication has produced so far; the caller keeps it when a limit strikes.
#[derive(Default)]
struct Work {
    kept: Vec<Bdd>,
}

impl Work {
    /// The bits of the product of two `n`-bit numbers, by school method. The middle ones have exponential size
    /// in every order (Bryant, 1991).
    fn multiply(&mut self, manager: &Manager, n: usize) -> Result<(), Stop> {
        let x = manager.new_group(n)?;
        let y: Vec<Var> =
            (0..n).map(|_| manager.new_group(1).map(|group| group[0])).collect::<Result<_, _>>()?;
        let mut sum = vec![manager.zero(); 2 * n];
        for (shift, &digit) in y.iter().enumerate() {
            let mut carry = manager.zero();
            for place in 0..n {
                let term = manager.var(x[place]).and(&manager.var(digit))?;
                let old = sum[shift + place].clone();
                let half = old.xor(&term)?;
                sum[shift + place] = half.xor(&carry)?;
                carry = old.and(&term)?.or(&half.and(&carry)?)?;
                self.kept.push(sum[shift + place].clone());
            }
            sum[shift + n] = carry;
        }
        Ok(())
    }
}

struct Outcome {
    stop: Stop,
    took: Duration,
}

/// Multiplies until the limits say stop, then checks that the manager and what it holds are still sound.
fn multiply_until_stopped(reorder: Reorder, limits: Limits) -> Outcome {
    let start = Instant::now();
    let interrupt = Arc::clone(&limits.interrupt);
    let manager = Manager::new(ManagerSettings { reorder, limits }).unwrap();
    let mut work = Work::default();
    let stop = work.multiply(&manager, 32).expect_err("no limit was reached");
    let took = start.elapsed();
    eprintln!("{stop} after {took:?}: {:?}", manager.stats());
    interrupt.store(false, Ordering::Relaxed);

    assert!(manager.is_consistent());
    assert!(manager.stats().peak_nodes >= manager.stats().live_nodes);
    for function in &work.kept {
        assert!(!function.eval(|_| false), "a product with zero is zero");
        assert!(function.node_count() > 0);
    }
    let variables = manager.variable_count() as u64;
    drop(work);
    assert!(manager.stats().live_nodes <= variables + 16, "references leaked: {:?}", manager.stats());
    Outcome { stop, took }
}

#[test]
fn the_deadline_stops_an_operation() {
    let _turn = alone();
    let limits = Limits { timeout: Some(Duration::from_millis(300)), ..Limits::default() };
    let outcome = multiply_until_stopped(Reorder::Off, limits);
    assert!(matches!(outcome.stop.reason(), StopReason::Time { .. }), "{}", outcome.stop);
    assert!(outcome.took < Duration::from_secs(3), "{:?}", outcome.took);
}

#[test]
fn the_deadline_stops_automatic_reordering() {
    let _turn = alone();
    for policy in [Reorder::Auto, Reorder::Always] {
        let limits = Limits { timeout: Some(Duration::from_millis(900)), ..Limits::default() };
        let outcome = multiply_until_stopped(policy, limits);
        assert!(matches!(outcome.stop.reason(), StopReason::Time { .. }), "{}", outcome.stop);
        assert!(outcome.took < Duration::from_secs(5), "{:?}", outcome.took);
    }
}

#[test]
fn the_node_limit_stops_an_operation() {
    let _turn = alone();
    for limit in [100, 5_000, 200_000] {
        let limits = Limits { max_nodes: Some(limit), ..Limits::default() };
        let outcome = multiply_until_stopped(Reorder::Off, limits);
        assert_eq!(outcome.stop.reason(), StopReason::Nodes { limit });
    }
}

#[test]
fn dead_nodes_do_not_count_as_nodes() {
    let _turn = alone();
    let limits = Limits { max_nodes: Some(2_000), ..Limits::default() };
    let manager = Manager::new(ManagerSettings { reorder: Reorder::Off, limits }).unwrap();
    let vars = manager.new_group(40).unwrap();
    // Hundreds of thousands of nodes in all, each dropped before the next hundred are made.
    for round in 0..5_000u32 {
        let mut f = manager.zero();
        for (i, &var) in vars.iter().enumerate() {
            let literal = manager.literal(var, round >> (i % 13) & 1 == 1);
            f = if i % 3 == 0 { f.or(&literal) } else { f.xor(&literal) }.unwrap();
        }
    }
}

#[test]
fn another_thread_interrupts_an_operation() {
    let _turn = alone();
    for policy in [Reorder::Off, Reorder::Auto] {
        let interrupt = Arc::new(AtomicBool::new(false));
        let limits = Limits { interrupt: Arc::clone(&interrupt), ..Limits::default() };
        let switch = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            interrupt.store(true, Ordering::Relaxed);
        });
        let outcome = multiply_until_stopped(policy, limits);
        switch.join().unwrap();
        assert_eq!(outcome.stop.reason(), StopReason::Interrupted);
        assert!(outcome.took < Duration::from_secs(5), "{:?}", outcome.took);
    }
}

#[test]
fn a_reordering_is_interrupted_and_can_be_repeated() {
    let _turn = alone();
    let interrupt = Arc::new(AtomicBool::new(false));
    let limits = Limits { interrupt: Arc::clone(&interrupt), ..Limits::default() };
    let manager = Manager::new(ManagerSettings { reorder: Reorder::Off, limits }).unwrap();
    let vars = manager.new_group(1).and_then(|first| {
        let rest = (0..27).map(|_| manager.new_group(1).map(|group| group[0]));
        first.into_iter().map(Ok).chain(rest).collect::<Result<Vec<_>, _>>()
    });
    let vars = vars.unwrap();
    let mut f = manager.one();
    for i in 0..14 {
        f = f.and(&manager.var(vars[i]).iff(&manager.var(vars[i + 14])).unwrap()).unwrap();
    }
    let size = f.node_count();
    interrupt.store(true, Ordering::Relaxed);
    let stop = manager.reorder_now().expect_err("it is interrupted");
    assert_eq!(stop.reason(), StopReason::Interrupted);
    assert_eq!(manager.check().map_err(|stop| stop.reason()), Err(StopReason::Interrupted));
    assert_eq!(f.node_count(), size, "nothing was moved");
    interrupt.store(false, Ordering::Relaxed);
    assert_eq!(manager.check(), Ok(()));
    manager.reorder_now().unwrap();
    assert!(f.node_count() < 100);
    assert!(manager.is_consistent());
}

#[test]
fn short_operations_in_a_loop_notice_the_deadline() {
    let _turn = alone();
    let limits = Limits { timeout: Some(Duration::from_millis(100)), ..Limits::default() };
    let manager = Manager::new(ManagerSettings { reorder: Reorder::Off, limits }).unwrap();
    let vars = manager.new_group(2).unwrap();
    let (x, y) = (manager.var(vars[0]), manager.var(vars[1]));
    let stop = loop {
        if let Err(stop) = x.and(&y) {
            break stop;
        }
    };
    assert!(matches!(stop.reason(), StopReason::Time { .. }), "{stop}");
}

#[test]
fn a_manager_starts_small_and_at_once() {
    let _turn = alone();
    let start = Instant::now();
    for _ in 0..100 {
        let manager = Manager::new(ManagerSettings::default()).unwrap();
        assert!(manager.stats().memory_bytes < 10 << 20, "{:?}", manager.stats());
    }
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn reasons_read_as_plain_words() {
    assert_eq!(StopReason::Time { limit: None }.to_string(), "out of time");
    assert_eq!(StopReason::Memory { limit: Some(64 << 20) }.to_string(), "memory limit of 64 MiB reached");
    assert_eq!(StopReason::Nodes { limit: 5 }.to_string(), "limit of 5 live nodes reached");
    assert_eq!(StopReason::Interrupted.to_string(), "interrupted");
}
