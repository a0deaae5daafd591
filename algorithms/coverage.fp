//! What the threads of a program execute, whatever the schedule: the lines that some run reaches, the lines that none
//! does, and the assertions that hold only because nothing checks them. A line counts as reached when a statement that begins
//! in it is: in a thread, in the `init` block, or in any of the places where its procedure was inlined. Exact; it has no verdict.
//! Single threads only; calls must be inlined. For one thread, dead_code.fp also knows recursive procedures.
use program;
use "lib/product.fp";
require program.cuts = 0 "what no run reaches: not for C programs yet";

let Live(pc: Pc) =
    thread: some t in 1..n: exists q, s. Reach[t](q, s) & q[t].pc = pc
  | init:   exists e, se, q, s. Before(e, se, q, s) & q.pc = pc;

let Executed(n: Line) = exists pc. Live(pc) & line(pc, n);

// That an error label is not reached is what is hoped for.
let Hoped(n: Line) = exists q. target(q) & line(q.pc, n);

query Reached(n: Line) = code(n) & Executed(n);
query Missed(n: Line) = code(n) & !Executed(n) & !Hoped(n);

// An assertion behind another statement of its line may be missed although the line is reached.
query Vacuous(n: Line) =
    exists pc. assertion(pc) & line(pc, n) & !exists at. assertion(at) & line(at, n) & Live(at);

hint symbolic Pc;
