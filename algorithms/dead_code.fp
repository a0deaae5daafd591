//! The lines of a sequential program that no run executes, and among them the assertions that nothing checks. A line
//! counts as executed when a statement that begins in it is reached: in the thread, in the `init` block, or in any of the
//! places where its procedure was inlined. Exact, also for recursive procedures; it has no verdict. The reachable states
//! are those of summaries.fp (Lal and Reps, figure 3).
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: write some of them out, and use coverage.fp";
require program.cuts = 0 "what no run reaches: not for C programs yet";
require program.threads = 1 "this program has {program.threads} threads: use coverage.fp";

mu Path(e: State, se: Shared, q: State, s: Shared) =
    R0': start[1](q) & Init(s) & e = q & se = s
  | R1:  exists p, r. Path(e, se, p, r) & step(p, r, q, s)
  | R7:  e = q & se = s & exists d, sd, p. Path(d, sd, p, s) & call(p, s, q)
  | R2:  exists p, r, c, x, sx. Path(e, se, p, r) & call(p, r, c) & Path(c, r, x, sx) & exit(x)
                                & ret(p, x, sx, q, s);

let Live(pc: Pc) =
    thread: exists e, se, q, s. Path(e, se, q, s) & q.pc = pc
  | init:   exists e, se, q, s. Before(e, se, q, s) & q.pc = pc;

let Executed(n: Line) = exists pc. Live(pc) & line(pc, n);

// That an error label is not reached is what is hoped for.
let Hoped(n: Line) = exists q. target(q) & line(q.pc, n);

query Dead(n: Line) = code(n) & !Executed(n) & !Hoped(n);

// An assertion behind another statement of its line may be missed although the line is executed.
query Unchecked(n: Line) =
    exists pc. assertion(pc) & line(pc, n) & !exists at. assertion(at) & line(at, n) & Live(at);
