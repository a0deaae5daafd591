//! The `fpsolve` command.

fn main() {}
