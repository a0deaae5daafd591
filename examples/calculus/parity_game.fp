//! A parity game: each node has a priority, and Even wins if the largest one that occurs infinitely often is even.
//!
//! With priorities 0, …, top the winning nodes of Even are a fixed point of depth top + 1, with the largest
//! priority outside: σWin[0] … σWin[top]. ⋁p (priority p ∧ ◇Win[top - p]), where ◇ is "Even forces the next
//! node into", and σ is ν for even priorities and μ for odd ones. `Win[i]` belongs to priority top - i: in a
//! family the smaller index is the outer fixed point. Who cannot move loses.
//!
//! Odd's nodes are computed by the dual equation, and the queries show that the two share out all nodes: the
//! game is determined. Facts of games in PGSolver's format: cargo bench --bench tables -- facts GAME.pg DIR.

param last in 0.. = 9;
param top in 0.. = 3;

enum Player { Even, Odd }
range Node = 0..last;
range Priority = 0..top;

input owner(x: Node, who: Player);
input priority(x: Node, p: Priority);
input edge(x, y: Node);

// Even forces the token from a node of priority p into Win.
let ToWin[p in 0..top](x: Node) =
    even: priority(x, p) & owner(x, Even) & exists y. edge(x, y) & Win[top-p](y)
  | odd:  priority(x, p) & owner(x, Odd) & forall y. edge(x, y) -> Win[top-p](y);

nu if (top - i) % 2 = 0 else mu Win[i in 0..top](x: Node) =
    outer: i < top & Win[i+1](x)
  | inner: i = top & some p in 0..top: ToWin[p](x);

// Odd forces the token from a node of priority p into Lose.
let ToLose[p in 0..top](x: Node) =
    odd:  priority(x, p) & owner(x, Odd) & exists y. edge(x, y) & Lose[top-p](y)
  | even: priority(x, p) & owner(x, Even) & forall y. edge(x, y) -> Lose[top-p](y);

mu if (top - i) % 2 = 0 else nu Lose[i in 0..top](x: Node) =
    outer: i < top & Lose[i+1](x)
  | inner: i = top & some p in 0..top: ToLose[p](x);

query EvenWins(x: Node) = Win[0](x);
query OddWins(x: Node) = Lose[0](x);
query First = Win[0](0);
query Determined = forall x. Win[0](x) <-> !Lose[0](x);

// 0, 1, 4, 7, 9.
//@ facts=facts/parity_game EvenWins: 5 tuples
//@ facts=facts/parity_game OddWins: 5 tuples
//@ facts=facts/parity_game First: true
//@ facts=facts/parity_game Determined: true
