//! One paragraph: what the algorithm decides, for which programs, sound/complete?, which paper.
use program;                               // the vocabulary of the model this file needs (see MODEL.md)
use "lib/init.fp";                         // another file: relative to this one, then the bundled algorithms/

param rounds = 4;                          // a static integer; the command line sets it: --set rounds=3
const last = rounds + 1;                   // a static expression: params, consts, facts of the model (program.threads)

enum Player { Eve, Adam }                  // finite sorts
range Round = 1..rounds;
record Game { who: Player, u: Shared[1..rounds], fresh: bool }
sort Turn = Player;                        // another name for a sort

rel edge(x: Node, y: Node) = { (0, 1), (1, 2) };   // literal facts
input edge(x: Node, y: Node);              // facts from --facts DIR (edge.facts, tab separated) or from the model

let Wrap[i in 2..rounds](u: Shared[1..i], w: Shared[1..i-1]) = each j in 1..i-1: w[j] = u[j+1];
mu  Reach(q: State, s: Shared) = start[1](q) & Init(s);     // least fixed point
nu  Safe(q: State, s: Shared) = !Reach(q, s) ;     // greatest fixed point

query Hit = exists q, s. Reach(q, s) & target(q);      // closed: true or false
query Where(q: State) = exists s. Reach(q, s);         // open: a set, printed as tuples or counted

require program.calls = 0 "calls are left: use linear_interfaces_calls.fp";   // else a clear refusal, exit 2

verdict unsafe  if Hit;                    // the first verdict whose condition holds is the answer
verdict safe    if Adequate;
verdict bounded "no violation within {rounds} rounds";

hint symbolic Pc;                          // hints stand last and never change an answer
