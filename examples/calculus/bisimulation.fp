//! Bisimulation: which states of three vending machines nobody can tell apart.
//!
//! The greatest fixed point: two states are bisimilar as long as every step of one can be answered by the
//! other with the same action, and what is reached is bisimilar again. The first and the third machine are
//! the same to a customer. The second takes the coin and decides by itself what there is to drink: it has
//! the same traces, but it is not bisimilar.

enum Action { Coin, Tea, Coffee }
range State = 0..7;

rel step(p: State, a: Action, p': State) = {
    (0, Coin, 1), (1, Tea, 0), (1, Coffee, 0),
    (2, Coin, 3), (2, Coin, 4), (3, Tea, 2), (4, Coffee, 2),
    (5, Coin, 6), (6, Tea, 5), (6, Coffee, 7), (7, Coin, 6),
};

// Every step of p is answered by q.
let Answered(p, q: State) =
    forall a, p'. step(p, a, p') -> exists q'. step(q, a, q') & Bisimilar(p', q');

nu Bisimilar(p, q: State) = Answered(p, q) & Answered(q, p);

query Classes(p, q: State) = Bisimilar(p, q);
query FirstIsThird = Bisimilar(0, 5);
query FirstIsSecond = Bisimilar(0, 2);

// The classes are 0 5 7, 1 6, 2, 3 and 4: 9 + 4 + 1 + 1 + 1 pairs.
//@ Classes: 16 tuples
//@ FirstIsThird: true
//@ FirstIsSecond: false
