//! The operators of CTL, over the states and steps that the user gives: `use "lib/ctl.fp" with State = …,
//! step = …;`. Their arguments are relations in brackets, and they nest: `AG[{ s | EF[Inside](s) }](x)`. A
//! path is infinite. Where a state has no step no path goes on, so every AX, AF and AG inside of it holds
//! there: give a step to itself to a state in which a run may stay.
sort State;
rel step(x, y: State);

// The next state: some, all.
let EX[X: rel(State)](x: State) = exists y. step(x, y) & X(y);
let AX[X: rel(State)](x: State) = forall y. step(x, y) -> X(y);

// X will hold: on some path, on all paths.
mu EF[X: rel(State)](x: State) =
    now:   X(x)
  | later: exists y. step(x, y) & EF[X](y);
mu AF[X: rel(State)](x: State) =
    now:   X(x)
  | later: forall y. step(x, y) -> AF[X](y);

// X holds now and for ever: on some path, on all paths.
nu EG[X: rel(State)](x: State) = X(x) & exists y. step(x, y) & EG[X](y);
nu AG[X: rel(State)](x: State) = X(x) & forall y. step(x, y) -> AG[X](y);

// X holds until Y does, and Y will.
mu EU[X: rel(State), Y: rel(State)](x: State) =
    now:   Y(x)
  | later: X(x) & exists y. step(x, y) & EU[X, Y](y);
mu AU[X: rel(State), Y: rel(State)](x: State) =
    now:   Y(x)
  | later: X(x) & forall y. step(x, y) -> AU[X, Y](y);

// On some path, X holds for ever and Y holds again and again.
nu Again[X: rel(State), Y: rel(State)](x: State) = Soon[X, Y](x);
mu Soon[X: rel(State), Y: rel(State)](x: State) =
    now:   X(x) & Y(x) & exists y. step(x, y) & Again[X, Y](y)
  | later: X(x) & exists y. step(x, y) & Soon[X, Y](y);
