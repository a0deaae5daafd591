//! The memory limit, in a process of its own: resident memory belongs to the whole process.

use calculus::bdd::{Bdd, Limits, Manager, ManagerSettings, Reorder, Stop, StopReason, Var};

const LIMIT: u64 = 32 << 20;
/// What may be resident beyond it, since the limit is looked at now and then.
const SLACK: u64 = 4 << 20;

/// The hidden weighted bit: bit number w of the argument, where w is how many of its bits are set. Exponential in
/// every order (Bryant, 1991).
fn hidden_weighted_bit(manager: &Manager, vars: &[Var], kept: &mut Vec<Bdd>) -> Result<Bdd, Stop> {
    // weight[w] holds where w of the variables seen so far are true.
    let mut weight = vec![manager.one()];
    for &var in vars {
        let x = manager.var(var);
        let mut next = vec![manager.zero(); weight.len() + 1];
        for (w, seen) in weight.iter().enumerate() {
            next[w] = next[w].or(&seen.and_not(&x)?)?;
            next[w + 1] = seen.and(&x)?;
        }
        weight = next;
    }
    let mut bit = manager.zero();
    for (w, &var) in (1..).zip(vars) {
        bit = bit.or(&weight[w].and(&manager.var(var))?)?;
        kept.push(bit.clone());
    }
    Ok(bit)
}

/// Works until the limit strikes; returns what is left of the work.
fn exhaust() -> (Manager, Vec<Bdd>) {
    let limits = Limits { memory: Some(LIMIT), ..Limits::default() };
    let manager = Manager::new(ManagerSettings { reorder: Reorder::Off, limits }).unwrap();
    let vars: Vec<Var> = (0..100).map(|_| manager.new_group(1).unwrap()[0]).collect();
    let mut kept = Vec::new();
    let stop = hidden_weighted_bit(&manager, &vars, &mut kept).expect_err("the limit was not reached");
    assert_eq!(stop.reason(), StopReason::Memory { limit: Some(LIMIT) });
    let stats = manager.stats();
    assert!(stats.memory_bytes > LIMIT / 2, "gave up early: {stats:?}");
    (manager, kept)
}

#[test]
fn the_memory_limit_stops_operations() {
    drop(exhaust());
    // The memory of the first manager is not held against the second.
    let (manager, kept) = exhaust();
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kilobytes: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
        assert!(kilobytes < (LIMIT + SLACK) / 1024, "{kilobytes} kB were resident");
    }
    // The examination takes memory of its own, so it comes last.
    assert!(manager.is_consistent());
    assert!(kept.iter().all(|function| !function.eval(|_| false)));
    drop(kept);
    assert!(manager.stats().live_nodes <= 100 + 16, "references leaked: {:?}", manager.stats());
}
