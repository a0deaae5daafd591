//! Reads what is to be explained: `R(t, …)`, or `!R(t, …)`.
