//! Proofs for any number of threads and any schedule: the adequacy check. If Adam wins the game below, every
//! state that k + 1 rounds reach is reached by k rounds (k = `rounds`); then k rounds reach all that any
//! number of rounds does, and no error within k rounds means no error at all. The check is sound, not
//! complete: if Eve wins, the verdict is unknown, and more rounds may settle it. La Torre, Madhusudan and
//! Parlato, Model-checking parameterized concurrent programs using linear interfaces, section 5; single
//! threads as in linear_interfaces.fp.
//!
//! Eve builds a run of k + 1 rounds, thread by thread: her interface (u, v). Adam answers each of her threads
//! with one that is in the same state with the same shared state, in a run of k rounds: his interface (x, y).
//! Without an answer he is out, and Eve goes on alone. Eve wins when her run is complete, and Adam is out or
//! his is not. She owns every position; Adam's choices are inside her moves.
use program;
use "linear_interfaces.fp";

const k = rounds;

// A thread at position p can be left in q.
let Leave[p in 1..n, i in 1..k + 1](q: State, u, v: Shared[1..i]) = TLI[p, i](q, u, v) & pause(q, v[i]);

// Adam's answers to Eve's first thread, which is now in q with s; and to a later one at position o.
let First(q: State, s: Shared, x, y: Shared[1..k]) = Leave[1, k](q, x, y) & Init(x[1]) & y[k] = s;
let Answer[o in 1..n](q: State, s: Shared, y, y': Shared[1..k]) = Leave[o, k](q, y, y') & y'[k] = s;

// The positions that can arise with Adam in the game: threads up to position p are placed.
mu Arise[p in 1..n](u, v: Shared[1..k + 1], x, y: Shared[1..k]) =
    first: p = 1 & exists q. Leave[1, k + 1](q, u, v) & Init(u[1]) & First(q, v[k + 1], x, y)
  | later: some o in 1..n: (p = o + 1 | p = o & o = last)
         & exists q, t, z. Arise[o](u, t, x, z) & Leave[p, k + 1](q, t, v) & Answer[p](q, v[k + 1], z, y);

// Eve wins alone.
mu Alone[p in 1..n](u, v: Shared[1..k + 1]) =
    done: p = n & Wrap[k + 1](u, v[..k])
  | move: some o in 1..n: (o = p + 1 | o = p & p = last) & exists q, v'. Leave[o, k + 1](q, v, v') & Alone[o](u, v');

// Eve wins though Adam is still in the game.
mu Win[p in 1..n](u, v: Shared[1..k + 1], x, y: Shared[1..k]) =
    done: p = n & Wrap[k + 1](u, v[..k]) & Arise[p](u, v, x, y) & k > 1 & !Wrap[k](x, y[..k - 1])
  | move: some o in 1..n: (o = p + 1 | o = p & p = last) & Arise[p](u, v, x, y)
        & exists q, v'. Leave[o, k + 1](q, v, v')
        & (   (!exists y'. Answer[o](q, v'[k + 1], y, y')) & Alone[o](u, v')
            | (exists y'. Answer[o](q, v'[k + 1], y, y'))
            & (forall y'. Answer[o](q, v'[k + 1], y, y') -> Win[o](u, v', x, y')));

// Where the control flow has no target, nothing is to be missed: then no game is solved.
let Target = exists q. target(q);

query EveWins =
    Target & exists q, u, v. Leave[1, k + 1](q, u, v) & Init(u[1])
        & (   (!exists x, y. First(q, v[k + 1], x, y)) & Alone[1](u, v)
            | (exists x, y. First(q, v[k + 1], x, y))
            & (forall x, y. First(q, v[k + 1], x, y) -> Win[1](u, v, x, y)));

verdict unsafe if Hit;
verdict safe "the control flow leads to no error" if !Target;
verdict safe "rounds = {rounds} reaches every state, and none of them is an error" if !EveWins;
verdict unknown "rounds = {rounds} may not reach every state: try more rounds";
