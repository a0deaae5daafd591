//! The Bluetooth driver with more and more threads and contexts: Lal and Reps, figure 6.

use crate::Tabling;
use crate::measure::{Job, Measured};
use crate::table::Table;
use std::time::Duration;

/// The statements of examples/concurrent/bluetooth3.bp, with a third bit for the count: eight threads are too
/// many for two. There is no error, so each run goes to its end.
const STATEMENTS: &str = "
decl pending2, pending1, pending0;
decl stopping_flag, stopping_event, stopped;

init begin
  pending2, pending1, pending0 := F, F, T;
  stopping_flag, stopping_event, stopped := F, F, F;
end

void io_decrement() begin
  decl zero;
  atomic_begin;
  pending2, pending1, pending0 := pending2 != (!pending1 & !pending0), pending1 = pending0, !pending0;
  zero := !pending2 & !pending1 & !pending0;
  atomic_end;
  if (zero) then stopping_event := T; fi
end

bool io_increment() begin
  pending2, pending1, pending0 := pending2 != (pending1 & pending0), pending1 != pending0, !pending0;
  if (stopping_flag) then
    io_decrement();
    return F;
  fi
  return T;
end

thread adder[ADDERS] begin
  decl status;
  status := io_increment();
  if (status) then
    assert(!stopped);
    io_decrement();
  fi
end

thread stopper[STOPPERS] begin
  decl first;
  first, stopping_flag := !stopping_flag, T;
  if (first) then io_decrement(); fi
  assume(stopping_event);
  stopped := T;
end
";

/// Half of the threads add, and the others stop; the odd one adds.
pub fn program(threads: usize) -> String {
    let stoppers = threads / 2;
    mixed(threads - stoppers, stoppers)
}

/// The count has three bits: with more than six adders it overflows.
pub fn mixed(adders: usize, stoppers: usize) -> String {
    STATEMENTS.replace("ADDERS", &adders.to_string()).replace("STOPPERS", &stoppers.to_string())
}

pub fn table(tabling: &Tabling) -> Result<(), String> {
    let mut table = Table::new(
        tabling.command("bluetooth"),
        &["threads", "contexts", "verdict", "lazy_cba", "peak nodes", "eager_cba", "peak nodes"],
    );
    let limit = tabling.limit(Duration::from_secs(60));
    // A cell behind one that was out of time is out of time too, and is not tried.
    let measure = |algorithm: &str, threads, contexts, before: &Option<Measured>| match before {
        Some(before) if before.verdict.is_none() => Ok(None),
        _ => {
            let mut job = Job::new(algorithm, limit, tabling.no_reordering());
            job.set = Some(format!("contexts={contexts}"));
            job.measure(&program(threads)).map(Some)
        }
    };
    let more_threads = (2..=8).map(|threads| (threads, 4)).collect::<Vec<_>>();
    let more_contexts = (2..=8).map(|contexts| (3, contexts)).collect::<Vec<_>>();
    for cells in [more_threads, more_contexts] {
        let (mut lazy, mut eager) = (None, None);
        for (threads, contexts) in cells {
            let (new_lazy, new_eager) = (
                measure("lazy_cba", threads, contexts, &lazy)?,
                measure("eager_cba", threads, contexts, &eager)?,
            );
            lazy = new_lazy.or(lazy);
            eager = new_eager.or(eager);
            let (Some(lazy), Some(eager)) = (&lazy, &eager) else {
                unreachable!("the first is always tried")
            };
            let verdict = lazy.verdict.as_ref().or(eager.verdict.as_ref());
            table.row(vec![
                threads.to_string(),
                contexts.to_string(),
                verdict.cloned().unwrap_or("–".into()),
                lazy.time(),
                lazy.peak_nodes(),
                eager.time(),
                eager.peak_nodes(),
            ]);
        }
    }
    table.print(tabling.out.as_deref())
}
