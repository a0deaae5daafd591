//! The locations of a sequential program that no run reaches, although the control flow leads there: code that
//! the data keeps from being executed. Exact, also for recursive procedures; it has no verdict. The reachable
//! states are those of summaries.fp (Lal and Reps, figure 3).
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use adequacy.fp";
require program.threads = 1 "this program has {program.threads} threads: use an algorithm for concurrent programs";

mu Path(e: State, se: Shared, q: State, s: Shared) =
    R0': start[1](q) & Init(s) & e = q & se = s
  | R1:  exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | R7:  e = q & se = s & exists d, sd, p. Path(d, sd, p, s) & call(p, s, q)
  | R2:  exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & Path(c, r, x, sx) & exit(x)
                                & ret(p, x, sx, q, s);

let Live(pc: Pc) = exists e, se, q, s. Path(e, se, q, s) & q.pc = pc;

// Targets are left out: that they are not reached is what is hoped for.
query Dead(pc: Pc) = (exists q. reach_cfg[1](q) & !target(q) & q.pc = pc) & !Live(pc);
