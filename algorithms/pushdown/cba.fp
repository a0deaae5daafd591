//! Can pushdown threads be in a target together, within `rounds` rounds? In a round each thread runs once, for as long as it
//! likes, in the order of the file; k contexts in any order are within k rounds. Finds every target within the bound, and
//! never a wrong one. Lal and Reps, Reducing concurrent analysis under a context bound to sequential analysis, sections
//! 4 and 5; Qadeer and Rehof, Context-bounded model checking of concurrent software.
use pushdown;
use "lib/meet.fp";

query Hit = Met;

verdict unsafe if Hit;
verdict bounded "no target within {rounds} rounds";
