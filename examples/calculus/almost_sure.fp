//! A Markov decision process: from which states can a controller reach the goal with probability one?
//!
//! In a state the controller chooses an action, and chance chooses among its outcomes. Only whether an
//! outcome is possible matters, not how likely it is. Almost surely winning are the states of νZ μY. goal ∨
//! (some action keeps the token in Z, and may bring it into Y): whatever chance does, the goal stays within
//! reach, and chance cannot miss it for ever. Surely winning is the game in which chance plays against the
//! controller; possibly winning the one in which it helps.

range State = 0..7;
enum Action { Wait, Try, Jump }

// An action and one of its outcomes.
rel outcome(x: State, a: Action, y: State) = {
    (0, Try, 0), (0, Try, 1),    // tries again until it works
    (0, Jump, 1), (0, Jump, 5),  // may end in the trap
    (1, Wait, 2),
    (2, Try, 3), (2, Try, 0),
    (4, Jump, 3), (4, Jump, 5),  // now or never
    (5, Wait, 5),                // the trap
    (6, Wait, 3),
    (7, Wait, 7), (7, Try, 6), (7, Try, 4),
};
rel goal(x: State) = { 3 };

let Can(x: State, a: Action) = exists y. outcome(x, a, y);

nu Surely(x: State) = Nearer(x);
mu Nearer(x: State) =
    goal: goal(x)
  | act:  exists a. Can(x, a) & (forall y. outcome(x, a, y) -> Surely(y))
                    & exists y. outcome(x, a, y) & Nearer(y);

// Chance plays against the controller.
mu Always(x: State) =
    goal: goal(x)
  | act:  exists a. Can(x, a) & forall y. outcome(x, a, y) -> Always(y);

mu Perhaps(x: State) =
    goal: goal(x)
  | act:  exists a, y. outcome(x, a, y) & Perhaps(y);

query AlmostSure(x: State) = Surely(x);
query Certain(x: State) = Always(x);
query Possible(x: State) = Perhaps(x);
query OnlyAlmostSure(x: State) = Surely(x) & !Always(x);

// 0, 1, 2, 3, 6. From 7 the controller may come to 4, where it can only hope.
//@ AlmostSure: 5 tuples
//@ Certain: 2 tuples
//@ Possible: 7 tuples
//@ OnlyAlmostSure: 3 tuples
